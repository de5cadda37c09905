"""Drives the deployed HTTP API by its OpenAPI document: so many requests, none answered with a 5xx or undocumented."""

import argparse
import json
import os
import select
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = ROOT / "target"
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
]
# Statuses that a run of any length must have seen, or it has not reached what it tests.
MUST_SEE = {200, 202, 400, 404, 409}


def start_stack() -> tuple[subprocess.Popen, dict]:
    """Starts a stack of its own; it ends when its input closes."""
    folder = TARGET / "local" / f"openapi-{os.getpid()}"
    command = [sys.executable, ROOT / "infra/local/stack.py", "serve", "--deploy", "--until-eof", "--dir", folder]
    stack = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert stack.stdout is not None
    select.select([stack.stdout], [], [], 300)
    line = stack.stdout.readline()
    if not line:
        raise SystemExit(f"the stack did not start: its logs are in {folder}")
    return stack, json.loads(line)


def drive(state: dict, examples: int, phases: str, seed: int) -> dict[int, int]:
    """Runs schemathesis once; returns how often each status came."""
    counts = TARGET / f"openapi-{os.getpid()}.counts"
    user = state["callers"]["shop"]
    environment = {
        **os.environ,
        "AWS_REGION": "us-east-1",
        "IKKAI_API_USER": f"{user['access_key_id']}:{user['secret_access_key']}",
        "IKKAI_COUNTS_FILE": str(counts),
        "NO_PROXY": "127.0.0.1,localhost",
        "PYTHONPATH": str(HERE),
        "SCHEMATHESIS_HOOKS": "hooks",
    }
    command = [
        TARGET / "venv-openapi/bin/schemathesis", "run", ROOT / "infra/openapi.json", "--url", state["api_url"],
        "--checks", ",".join(CHECKS), "--max-examples", str(examples), "--phases", phases, "--seed", str(seed),
        "--workers", "2", "--generation-database", "none", "--no-color",
    ]  # fmt: skip
    # It leaves a cache where it runs.
    done = subprocess.run(command, cwd=TARGET / "local", env=environment, check=False)
    seen = dict(map(int, line.split()) for line in counts.read_text().splitlines())
    counts.unlink()
    if done.returncode != 0:
        raise SystemExit(f"schemathesis found a fault; the same again: --seed {seed}")
    return seen


def main() -> int:
    """Reads the command line, drives, and judges what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=300, help="the least number of requests")
    parser.add_argument("--phases", default="examples,coverage,fuzzing,stateful", help="schemathesis's phases")
    parser.add_argument("--seed", type=int, default=1, help="what the requests are drawn from")
    args = parser.parse_args()
    stack, state = start_stack()
    total: dict[int, int] = {}
    try:
        seed = args.seed
        while sum(total.values()) < args.requests:
            left = args.requests - sum(total.values())
            # Seven operations share the requests; what is left over is another round, under another seed.
            for status, count in drive(state, max(10, left // 7), args.phases, seed).items():
                total[status] = total.get(status, 0) + count
            seed += 1
    finally:
        assert stack.stdin is not None
        stack.stdin.close()
        stack.wait()
    print(f"openapi: {sum(total.values())} requests; by status: {dict(sorted(total.items()))}")
    unseen = MUST_SEE - total.keys()
    if unseen or any(status >= 500 for status in total):
        raise SystemExit(f"openapi: a 5xx was seen, or these were not: {sorted(unseen)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
