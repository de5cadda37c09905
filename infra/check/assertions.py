"""Counts the assertions of the core that hold in release too, against its lines of code, and prints the ratio.

The core is the code that decides: the files named here, without tests, comments and blank lines. `debug_assert!` does
not count, since it is off where money moves; a compile-time assertion does.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CORE = {
    "crates/effect/src": ["absorb", "attempt", "conclude", "laws", "policy", "rules"],
    "crates/payment/src": (
        "accept converge decide judge laws legal plan record requests seal state".split()
    ),
}
ASSERTION = re.compile(r"(?<![\w])assert(_eq|_ne)?!\(")


def code(path: Path) -> list[str]:
    """The lines of a file that are code and no test."""
    text = path.read_text().split("#[cfg(test)]")[0]
    stripped = (line.strip() for line in text.splitlines())
    return [line for line in stripped if line and not line.startswith("//")]


def main() -> int:
    """Prints one line for each crate and the sum; fails if one assertion stands for more lines than are allowed."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    lines = assertions = 0
    for folder, names in CORE.items():
        core = [line for name in names for line in code(ROOT / folder / f"{name}.rs")]
        found = sum(len(ASSERTION.findall(line)) for line in core)
        print(f"{folder}: {found} assertions in {len(core)} lines")
        lines, assertions = lines + len(core), assertions + found
    print(f"assertions: {assertions} in {lines} lines, one for {lines / max(assertions, 1):.0f}; at most {most} allowed")
    return 0 if assertions * most >= lines else 1


if __name__ == "__main__":
    sys.exit(main())
