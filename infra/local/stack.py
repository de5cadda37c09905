"""Runs the local stack: the emulator, the simulated Stripe, and template.yaml deployed on them.

`serve` runs it in the foreground and stops all of it on a signal, or when its input closes (--until-eof), so
that no test can leave it behind, however the test ends. `up` and `down` are `serve` in the background.
"""

import argparse
import json
import os
import platform
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import processes

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = ROOT / "target"
FUNCTIONS = ["settle", "enqueue", "intake", "sweep", "publish"]
SECRET_NAME = "ikkai/stripe"
SECRET = {"api_key": "sk_test_sim", "account": "acct_sim", "livemode": False}
# The HTTP API's callers, each an IAM user whose name is its tenant.
CALLERS = ["shop", "stall"]
REGION = "us-east-1"


class Stopped(Exception):
    """A signal asked for the end."""


def aws_environment(endpoint: str) -> dict[str, str]:
    """What any AWS client needs to talk to the emulator and to nothing else."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": "127.0.0.1,localhost",
        "SAM_CLI_TELEMETRY": "0",
    }


def base_environment() -> dict[str, str]:
    """The caller's environment as far as children may see it: functions inherit the emulator's whole one."""
    kept = ["PATH", "HOME", "LANG", "LC_ALL", "RUST_BACKTRACE", "PYTHONDONTWRITEBYTECODE"]
    return {name: os.environ[name] for name in kept if name in os.environ}


def start_emulator(folder: Path) -> tuple[subprocess.Popen, str]:
    """Starts MiniStack on a free port and waits until it answers."""
    port = processes.free_port()
    endpoint = f"http://127.0.0.1:{port}"
    scratch = folder / "tmp"
    scratch.mkdir(exist_ok=True)
    environment = {
        **base_environment(),
        **aws_environment(endpoint),
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "false",
        "TMPDIR": str(scratch),
    }
    log = folder / "emulator.log"
    python = TARGET / "venv-emulator/bin/python"
    process = processes.start([python, "-m", "ministack"], log, environment)
    processes.wait_for_http(f"{endpoint}/_ministack/health", process, log)
    return process, endpoint


def start_stripe_sim(folder: Path) -> tuple[subprocess.Popen, str]:
    """Starts the simulated Stripe on a free port and reads where it listens."""
    binary = TARGET / "debug/stripe-sim"
    if not binary.is_file():
        raise SystemExit("target/debug/stripe-sim is missing: run `make build`")
    log = folder / "stripe-sim.log"
    command = [binary, "--port", "0", "--api-key", SECRET["api_key"], "--account-id", SECRET["account"]]
    process = processes.start(command, log, {**base_environment(), "RUST_LOG": "info"})
    return process, processes.wait_for_line("stripe-sim: listening on ", process, log)


def make_secret(endpoint: str) -> None:
    """Creates the Stripe secret, which the template only names."""
    import boto3  # the SAM CLI brings it

    os.environ.update(aws_environment(endpoint))
    client = boto3.client("secretsmanager")
    try:
        client.create_secret(Name=SECRET_NAME, SecretString=json.dumps(SECRET))
    except client.exceptions.ResourceExistsException:
        client.put_secret_value(SecretId=SECRET_NAME, SecretString=json.dumps(SECRET))


def make_callers(endpoint: str) -> dict[str, dict[str, str]]:
    """Creates the users that call the HTTP API, and gives the access key of each."""
    import boto3

    os.environ.update(aws_environment(endpoint))
    iam = boto3.client("iam")
    callers = {}
    for name in CALLERS:
        iam.create_user(UserName=name)
        policy = {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": "*"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [policy]})
        iam.put_user_policy(UserName=name, PolicyName="payments", PolicyDocument=document)
        key = iam.create_access_key(UserName=name)["AccessKey"]
        callers[name] = {"access_key_id": key["AccessKeyId"], "secret_access_key": key["SecretAccessKey"]}
    return callers


def let_keys_expire(endpoint: str, table: str) -> None:
    """Switches on what the template says of the table's TTL, which the emulator leaves out."""
    import boto3

    os.environ.update(aws_environment(endpoint))
    ttl = {"AttributeName": "expires_at", "Enabled": True}
    boto3.client("dynamodb").update_time_to_live(TableName=table, TimeToLiveSpecification=ttl)


def api_url(endpoint: str, outputs: dict[str, str]) -> str:
    """Where the HTTP API is reached by path: names below `localhost` are not resolved everywhere."""
    return f"{endpoint}/_aws/execute-api/{outputs['ApiId']}/$default"


def deploy(folder: Path, endpoint: str, stack: str, overrides: list[str]) -> dict[str, str]:
    """Deploys template.yaml with the SAM CLI and gives the stack's outputs."""
    missing = [name for name in FUNCTIONS if not (TARGET / "lambda" / name / "bootstrap").is_file()]
    if missing:
        raise SystemExit(f"target/lambda lacks {', '.join(missing)}: run `make lambda-local`")
    architecture = "arm64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
    command = [
        TARGET / "venv/bin/sam", "deploy", "--config-env", "local", "--stack-name", stack, "--region", REGION,
        "--parameter-overrides", "Stage=local", f"Architecture={architecture}", *overrides,
    ]  # fmt: skip
    environment = {**base_environment(), **aws_environment(endpoint), "__SAM_CLI_APP_DIR": str(folder / "sam")}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    (folder / "deploy.log").write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        raise SystemExit(f"sam deploy failed:\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
    return outputs(endpoint, stack)


def outputs(endpoint: str, stack: str) -> dict[str, str]:
    """The outputs of a deployed stack."""
    import boto3

    os.environ.update(aws_environment(endpoint))
    described = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    return {item["OutputKey"]: item["OutputValue"] for item in described["Outputs"]}


def watch(children: list[subprocess.Popen], until_eof: bool) -> None:
    """Waits for the end of the input; a child that ends first is an error."""
    while True:
        for child in children:
            if child.poll() is not None:
                raise SystemExit(f"{child.args[0]} ended by itself with {child.returncode}")
        if until_eof:
            readable, _, _ = select.select([sys.stdin], [], [], 0.2)
            if readable and not sys.stdin.buffer.read1(1):
                return
        else:
            time.sleep(0.2)


def stop(*_: object) -> None:
    """Turns a signal into an exception, so that `finally` runs."""
    raise Stopped


def serve(args: argparse.Namespace) -> int:
    """Runs the stack until it is told to stop, and says in one line of JSON when it is ready."""
    folder = Path(args.dir).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    ready = folder / "stack.json"
    ready.unlink(missing_ok=True)
    (folder / "serve.pid").write_text(str(os.getpid()))
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, stop)
    children: list[subprocess.Popen] = []
    port = ""
    try:
        emulator, endpoint = start_emulator(folder)
        children.append(emulator)
        port = endpoint.rpartition(":")[2]
        stripe_url = args.stripe_url
        if not stripe_url:
            sim, stripe_url = start_stripe_sim(folder)
            children.append(sim)
        make_secret(endpoint)
        state = {"endpoint": endpoint, "stripe_url": stripe_url, "stack": args.stack, "dir": str(folder), "outputs": {}}
        if args.deploy:
            overrides = [f"StripeBaseUrl={stripe_url}", *args.parameter]
            state["outputs"] = deploy(folder, endpoint, args.stack, overrides)
            state["api_url"] = api_url(endpoint, state["outputs"])
            state["callers"] = make_callers(endpoint)
            let_keys_expire(endpoint, state["outputs"]["TableName"])
        whole = folder / "stack.json.new"
        whole.write_text(json.dumps(state))
        whole.rename(ready)
        print(json.dumps(state), flush=True)
        watch(children, args.until_eof)
    except (Stopped, BrokenPipeError):  # told to stop, or nobody reads any more
        pass
    finally:
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        for child in children:
            processes.end(child)
        for pid in processes.of_gateway(int(port)) if port else []:
            processes.kill(pid)
        shutil.rmtree(folder / "tmp", ignore_errors=True)
        ready.unlink(missing_ok=True)
        (folder / "serve.pid").unlink(missing_ok=True)
    return 0


def up(args: argparse.Namespace) -> int:
    """Starts `serve` in the background and waits until it is ready."""
    folder = Path(args.dir).resolve()
    if serving(folder):
        raise SystemExit(f"a stack runs already in {args.dir}: `make down` ends it")
    folder.mkdir(parents=True, exist_ok=True)
    ready = folder / "stack.json"
    ready.unlink(missing_ok=True)
    command = [sys.executable, __file__, "serve", *sys.argv[2:]]
    with open(folder / "serve.log", "wb") as log:
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    while not ready.is_file():
        if server.poll() is not None:
            raise SystemExit((folder / "serve.log").read_text())
        time.sleep(0.1)
    return show(args)


def serving(folder: Path) -> int | None:
    """The id of the `serve` that runs in a folder, if one does."""
    try:
        pid = int((folder / "serve.pid").read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    return pid if b"stack.py" in command and processes.is_alive(pid) else None


def down(args: argparse.Namespace) -> int:
    """Ends the background stack and waits until all of it is gone."""
    pid = serving(Path(args.dir).resolve())
    if pid is None:
        print("no stack runs")
        return 0
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + 30
    while processes.is_alive(pid):
        if time.monotonic() > until:
            raise SystemExit(f"process {pid} does not end")
        time.sleep(0.1)
    print("the stack is down")
    return 0


def read_state(args: argparse.Namespace) -> dict:
    """What the running stack said when it was ready."""
    folder = Path(args.dir).resolve()
    ready = folder / "stack.json"
    if serving(folder) is None or not ready.is_file():
        raise SystemExit("no stack runs: `make up` starts one")
    return json.loads(ready.read_text())


def show(args: argparse.Namespace) -> int:
    """Prints the running stack as shell exports, for `eval`."""
    state = read_state(args)
    exports = {**aws_environment(state["endpoint"]), "STRIPE_BASE_URL": state["stripe_url"]}
    exports |= {f"IKKAI_{shell_name(name)}": value for name, value in state["outputs"].items()}
    if "callers" in state:
        shop = state["callers"]["shop"]
        exports["IKKAI_API_URL"] = f"'{state['api_url']}'"
        exports["IKKAI_API_USER"] = f"{shop['access_key_id']}:{shop['secret_access_key']}"
    for name, value in exports.items():
        print(f"export {name}={value}")
    return 0


def shell_name(output: str) -> str:
    """The name under which an output of the template is exported, as `ikkai` reads it: TableName becomes TABLE."""
    words = re.findall("[A-Z][a-z]*", output.removesuffix("Name"))
    return "_".join(words).upper()


def redeploy(args: argparse.Namespace) -> int:
    """Deploys again to the running stack."""
    state = read_state(args)
    overrides = [f"StripeBaseUrl={state['stripe_url']}", *args.parameter]
    state["outputs"] = deploy(Path(state["dir"]), state["endpoint"], args.stack, overrides)
    (Path(state["dir"]) / "stack.json").write_text(json.dumps(state))
    return show(args)


def main() -> int:
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = {"serve": serve, "up": up, "down": down, "env": show, "deploy": redeploy}
    parser.add_argument("command", choices=commands)
    parser.add_argument("--dir", default=str(TARGET / "local"), help="where state and logs are kept")
    parser.add_argument("--stack", default="ikkai", help="name of the CloudFormation stack")
    parser.add_argument("--deploy", action="store_true", help="deploy template.yaml before being ready")
    parser.add_argument("--until-eof", action="store_true", help="stop when standard input closes")
    parser.add_argument("--stripe-url", default="", help="use this instead of starting stripe-sim")
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE", help="a template parameter")
    args = parser.parse_args()
    return commands[args.command](args)


if __name__ == "__main__":
    sys.exit(main())
