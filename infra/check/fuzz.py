"""Fuzzes every target for some seconds, all at once on the cores there are, and keeps what fails as a crash to replay."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FUZZ = ROOT / "tests/fuzz"
BUILT = ROOT / "target/fuzz"
TARGETS = sorted(path.stem for path in (FUZZ / "targets/src").glob("*.rs"))

# Longer inputs than any parser takes, which refuse them by their length. One input may take seconds on a busy machine.
LIMITS = ["-max_len=20000", "-timeout=20", "-rss_limit_mb=1024"]


def build(cargo_fuzz: str) -> None:
    """Builds the targets. Without a sanitizer stable Rust does, and our code is free of `unsafe`: panics are all we seek."""
    command = [cargo_fuzz, "fuzz", "build", "--fuzz-dir", FUZZ / "targets", "--sanitizer", "none", "--target-dir", BUILT]
    subprocess.run(command, cwd=ROOT, check=True)


def program(target: str) -> Path:
    """Where a built target is."""
    return next(BUILT.glob(f"*/release/{target}"))


def fuzz(target: str, seconds: int) -> tuple[int, bool]:
    """Fuzzes one target; tells how many inputs it ran, and whether all of them held."""
    found = BUILT / "corpus" / target
    crashes = FUZZ / "crashes" / target
    for folder in (found, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", f"-artifact_prefix={crashes}/", "-print_final_stats=1", *LIMITS]
    # What it finds worth keeping goes into the first folder; every input of all is run before any new one.
    command = [program(target), *options, found, FUZZ / "corpus" / target, crashes]
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    (BUILT / f"{target}.log").write_text(ran.stderr)
    counted = re.search(r"stat::number_of_executed_units: *(\d+)", ran.stderr)
    if not any(crashes.iterdir()):
        crashes.rmdir()
    holds = ran.returncode == 0 and counted is not None
    if not holds:
        print(ran.stderr[-3000:])
    execs = int(counted.group(1)) if counted else 0
    print(f"fuzz: {target:<9} execs={execs} {'held' if holds else 'FAILED'}", flush=True)
    return execs, holds


def main(cargo_fuzz: str, seconds: int) -> int:
    """Builds, fuzzes, and fails if anything failed."""
    if seconds < 1:
        sys.exit("fuzz: SECONDS must be at least 1: libFuzzer takes 0 for no end")
    build(cargo_fuzz)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda target: fuzz(target, seconds), TARGETS))
    execs = sum(execs for execs, _ in results)
    failed = sum(not holds for _, holds in results)
    print(f"fuzz: targets={len(TARGETS)} seconds={seconds} execs={execs} crashes={failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
