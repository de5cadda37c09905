"""Starts, finds and ends processes of the local stack, always by their id."""

import ctypes
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

PR_SET_PDEATHSIG = 1


def free_port() -> int:
    """A TCP port that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_with_parent() -> None:
    """Asks the kernel to end this process when its parent dies, however it dies."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def start(command: list, log: Path, environment: dict) -> subprocess.Popen:
    """Starts a process that writes to a log and does not outlive this one."""
    with open(log, "wb") as output:
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            preexec_fn=end_with_parent,
        )


def end(process: subprocess.Popen, grace_s: float = 10) -> None:
    """Ends a process of ours, with force once the grace is over."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(grace_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def environment_of(pid: int) -> dict[str, str]:
    """The environment a process was started with; empty when it is gone or not ours."""
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return {}
    return dict(item.split("=", 1) for item in raw.split("\0") if "=" in item)


def of_gateway(port: int) -> list[int]:
    """The ids of every process that an emulator on this port started."""
    ids = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    return [pid for pid in ids if environment_of(pid).get("GATEWAY_PORT") == str(port)]


def kill(pid: int) -> None:
    """Ends a process at once; one that is already gone is no error."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def is_alive(pid: int) -> bool:
    """Tells whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for_http(url: str, process: subprocess.Popen, log: Path, limit_s: float = 30) -> None:
    """Waits until a URL answers 200, and fails with the log when it does not."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise SystemExit(f"{url} does not answer; its log:\n{tail(log)}")


def wait_for_line(prefix: str, process: subprocess.Popen, log: Path, limit_s: float = 30) -> str:
    """Waits for a line of a log, gives what follows its prefix, and fails with the log when none comes."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until and process.poll() is None:
        for line in log.read_text(errors="replace").splitlines():
            if line.startswith(prefix):
                return line.removeprefix(prefix).strip()
        time.sleep(0.05)
    raise SystemExit(f"no line {prefix!r} came; the log:\n{tail(log)}")


def tail(log: Path, lines: int = 40) -> str:
    """The end of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
