"""Makes the virtual environments of the tools, the emulator and schemathesis under target/, once for each pin."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent.parent / "target"
# The SAM CLI and the emulator pin boto3 to versions that exclude each other; schemathesis shares packages with both.
ENVIRONMENTS = {"venv": "requirements", "venv-emulator": "requirements-emulator", "venv-openapi": "requirements-openapi"}


def pins(name: str) -> list[Path]:
    """The files whose content decides what an environment holds."""
    return [HERE / f"{name}.txt", HERE / f"{name}.lock"]


def stamp(name: str) -> str:
    """Names what an environment holds: the pins, and the Python that runs them."""
    digest = hashlib.sha256(sys.version.encode())
    for path in pins(name):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_made(folder: str, name: str) -> bool:
    """Tells whether an environment is there and holds what the pins say."""
    mark = TARGET / folder / "made"
    return mark.is_file() and mark.read_text() == stamp(name)


def begin(folder: str, name: str) -> subprocess.Popen:
    """Starts the installation of an environment."""
    print(f"setup: making target/{folder}", flush=True)
    path = TARGET / folder
    shutil.rmtree(path, ignore_errors=True)
    venv.create(path, with_pip=True)
    wanted, locked = pins(name)
    pip = [path / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.Popen([*pip, "-r", wanted, "-c", locked])


def main() -> int:
    """Makes what is missing, all at once, and marks it only when it is whole."""
    if sys.version_info < (3, 11):
        sys.exit("setup: Python 3.11 or newer is needed")
    TARGET.mkdir(exist_ok=True)
    with open(TARGET / "setup.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [item for item in ENVIRONMENTS.items() if not is_made(*item)]
        running = [(folder, name, begin(folder, name)) for folder, name in missing]
        failed = [folder for folder, _, process in running if process.wait() != 0]
        if failed:
            sys.exit(f"setup: pip failed for {', '.join(failed)}")
        for folder, name, _ in running:
            (TARGET / folder / "made").write_text(stamp(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
