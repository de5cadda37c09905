"""Runs what the conformance suite holds against the world: AWS's emulators and the simulated Stripe.

It starts the ones it is told to, each on a free port, says in one line of JSON where they answer, and ends them all
when its input closes or on a signal, so that no test can leave one behind, however the test ends.
"""

import argparse
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import processes
import stack

TARGET = stack.TARGET


def start_moto(folder: Path) -> tuple[subprocess.Popen, str]:
    """Starts moto's server and waits until it answers."""
    port = processes.free_port()
    endpoint = f"http://127.0.0.1:{port}"
    log = folder / "moto.log"
    environment = {**stack.base_environment(), **stack.aws_environment(endpoint)}
    command = [TARGET / "venv-moto/bin/moto_server", "-H", "127.0.0.1", "-p", str(port)]
    process = processes.start(command, log, environment)
    processes.wait_for_http(f"{endpoint}/moto-api/data.json", process, log)
    return process, endpoint


def start_localstack(folder: Path) -> tuple[subprocess.Popen, str]:
    """Starts LocalStack's queue and bus and waits until they answer."""
    python = TARGET / "venv-localstack/bin/python"
    if not python.is_file():
        raise SystemExit("target/venv-localstack is missing: LocalStack needs Python 3.13 when `make setup` runs")
    port = processes.free_port()
    endpoint = f"http://127.0.0.1:{port}"
    log = folder / "localstack.log"
    scratch = folder / "localstack"
    scratch.mkdir(exist_ok=True)
    environment = {
        **stack.base_environment(),
        **stack.aws_environment(endpoint),
        "SERVICES": "sqs,events",
        "EAGER_SERVICE_LOADING": "1",
        "GATEWAY_LISTEN": f"127.0.0.1:{port}",
        "DISABLE_EVENTS": "1",
        "SKIP_SSL_CERT_DOWNLOAD": "1",
        "TMPDIR": str(scratch),
        "FILESYSTEM_ROOT": str(scratch),
    }
    process = processes.start([python, "-m", "localstack.runtime.main"], log, environment)
    processes.wait_for_http(f"{endpoint}/_localstack/health", process, log, limit_s=60)
    return process, endpoint


STARTERS = {
    "ministack": stack.start_emulator,
    "moto": start_moto,
    "localstack": start_localstack,
    "stripe-sim": stack.start_stripe_sim,
}


def serve(folder: Path, names: list[str]) -> None:
    """Runs the named ones until it is told to stop."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, stack.stop)
    children: list[subprocess.Popen] = []
    endpoints = {}
    try:
        for name in names:
            process, endpoints[name] = STARTERS[name](folder)
            children.append(process)
        print(json.dumps(endpoints), flush=True)
        stack.watch(children, until_eof=True)
    except (stack.Stopped, BrokenPipeError):  # told to stop, or nobody reads any more
        pass
    finally:
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        for child in children:
            processes.end(child)
        for scratch in ("tmp", "localstack"):
            shutil.rmtree(folder / scratch, ignore_errors=True)


def main() -> int:
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=STARTERS)
    parser.add_argument("--dir", required=True, help="where logs are kept")
    args = parser.parse_args()
    serve(Path(args.dir).resolve(), args.names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
