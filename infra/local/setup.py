"""Makes the virtual environments of the tools, the emulators and schemathesis under target/, once for each pin."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent.parent / "target"
# The SAM CLI and the emulators pin boto3 to versions that exclude each other; schemathesis shares packages with both.
ENVIRONMENTS = {
    "venv": "requirements",
    "venv-emulator": "requirements-emulator",
    "venv-moto": "requirements-moto",
    "venv-localstack": "requirements-localstack",
    "venv-openapi": "requirements-openapi",
}
# LocalStack's queue is written in a later Python than the one that everything else here makes do with: 3.12 starts it,
# and then each request to it fails.
NEWER_PYTHONS = ["python3.13"]
NEWER = "venv-localstack"


def pins(name: str) -> list[Path]:
    """The files whose content decides what an environment holds."""
    return [HERE / f"{name}.txt", HERE / f"{name}.lock"]


def stamp(name: str, version: str) -> str:
    """Names what an environment holds: the pins, and the Python that runs them."""
    digest = hashlib.sha256(version.encode())
    for path in pins(name):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_made(folder: str, name: str, version: str) -> bool:
    """Tells whether an environment is there and holds what the pins say."""
    mark = TARGET / folder / "made"
    return mark.is_file() and mark.read_text() == stamp(name, version)


def candidates() -> list[str]:
    """Where a newer Python may be: on the path, and among pyenv's versions, which are there without being chosen."""
    found = [path for name in NEWER_PYTHONS if (path := shutil.which(name))]
    if pyenv := shutil.which("pyenv"):
        asked = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False)
        versions = Path(asked.stdout.strip() or "/nonexistent") / "versions"
        found += [str(path) for name in NEWER_PYTHONS for path in sorted(versions.glob(f"*/bin/{name}"))]
    return found


def newer_python() -> tuple[str, str] | None:
    """A newer Python and its version: one that runs, since pyenv's shims are there without what they stand for."""
    question = "import sys, venv; print(sys.version)"
    for path in candidates():
        asked = subprocess.run([path, "-c", question], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            return path, asked.stdout.strip()
    return None


def begin(folder: str, name: str, python: str) -> subprocess.Popen:
    """Starts the installation of an environment."""
    print(f"setup: making target/{folder}", flush=True)
    path = TARGET / folder
    shutil.rmtree(path, ignore_errors=True)
    subprocess.run([python, "-m", "venv", path], check=True)
    wanted, locked = pins(name)
    pip = [path / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.Popen([*pip, "-r", wanted, "-c", locked])


def wanted() -> list[tuple[str, str, str, str]]:
    """Each environment that this machine can have: its folder, its pins, and its Python's path and version."""
    newer = newer_python()
    if newer is None:
        # A rest of earlier days would be taken for one that can run.
        shutil.rmtree(TARGET / NEWER, ignore_errors=True)
    pythons = {folder: (sys.executable, sys.version) for folder in ENVIRONMENTS if folder != NEWER}
    pythons |= {NEWER: newer} if newer else {}
    return [(folder, ENVIRONMENTS[folder], path, version) for folder, (path, version) in pythons.items()]


def main() -> int:
    """Makes what is missing, all at once, and marks it only when it is whole."""
    if sys.version_info < (3, 11):
        sys.exit("setup: Python 3.11 or newer is needed")
    TARGET.mkdir(exist_ok=True)
    with open(TARGET / "setup.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [item for item in wanted() if not is_made(item[0], item[1], item[3])]
        running = [(item, begin(*item[:3])) for item in missing]
        failed = [item[0] for item, process in running if process.wait() != 0]
        if failed:
            sys.exit(f"setup: pip failed for {', '.join(failed)}")
        for (folder, name, _, version), _ in running:
            (TARGET / folder / "made").write_text(stamp(name, version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
