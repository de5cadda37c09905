"""Changes the pure crates in every way that cargo-mutants knows, and fails if a change goes unnoticed and unargued."""

import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ARGUMENTS = Path(__file__).parent / "mutants.toml"
OUTPUT = ROOT / "target/mutants"
PACKAGES = ["effect", "payment"]

# How cargo-mutants ends when it has tried all there is: all caught, some missed, some timed out.
FINISHED = (0, 2, 3)

# A mutant by its file, the text of the line that it begins on, and the change: an argument outlives line numbers.
Identity = tuple[str, str, str]


def environment() -> dict[str, str]:
    """Few cases of each property, always the same, and a build of its own that lives from run to run."""
    scratch = OUTPUT / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    ours = {
        "PROPTEST_CASES": "32",
        "PROPTEST_RNG_SEED": "20270101",
        "RUST_BACKTRACE": "0",
        "CARGO_TARGET_DIR": str(OUTPUT / "build"),
        "TMPDIR": str(scratch),
    }
    return os.environ | ours


def tried(tool: str, arguments: list[str]) -> list[dict]:
    """Runs the tool, and returns what became of each mutant."""
    packages = [f"--package={name}" for name in PACKAGES]
    command = [tool, "mutants", "--jobs=1", "--no-shuffle", f"--output={OUTPUT}", *packages, *arguments]
    code = subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode
    if code not in FINISHED:
        sys.exit(f"mutants: cargo-mutants ended with {code}: the tests fail without any change, or it could not run")
    report = json.loads((OUTPUT / "mutants.out/outcomes.json").read_text())["outcomes"]
    mutants = (outcome for outcome in report if isinstance(outcome["scenario"], dict))
    return [outcome["scenario"]["Mutant"] | {"summary": outcome["summary"]} for outcome in mutants]


def sources() -> dict[str, list[str]]:
    """The lines of every source that is changed."""
    paths = [path for name in PACKAGES for path in (ROOT / "crates" / name / "src").rglob("*.rs")]
    return {str(path.relative_to(ROOT)): path.read_text().splitlines() for path in paths}


def identity(mutant: dict, lines: dict[str, list[str]]) -> Identity:
    """Names a mutant as its argument does."""
    line = lines[mutant["file"]][mutant["span"]["start"]["line"] - 1]
    return mutant["file"], line.strip(), mutant["name"].split(": ", 1)[1]


def judge(mutants: list[dict], lines: dict[str, list[str]], is_whole_run: bool) -> int:
    """Prints every survivor, argued or not, and the count of all that was tried. One argument answers one survivor."""
    listed = tomllib.loads(ARGUMENTS.read_text())["argued"]
    unused: list[tuple[Identity, str]] = [((a["file"], a["line"], a["change"]), a["why"]) for a in listed]
    of: dict[str, list[dict]] = {kind: [] for kind in ("CaughtMutant", "MissedMutant", "Timeout", "Unviable")}
    for mutant in mutants:
        of[mutant["summary"]].append(mutant)

    survivors = []
    for mutant in of["MissedMutant"]:
        answer = next((argument for argument in unused if argument[0] == identity(mutant, lines)), None)
        if answer is None:
            survivors.append(mutant["name"])
            continue
        unused.remove(answer)
        print(f"mutants: argued: {mutant['name']}: {answer[1]}")
    tried_here = {identity(mutant, lines) for mutant in mutants}
    idle = [known for known, _ in unused if is_whole_run or known in tried_here]

    for mutant in of["Timeout"]:
        print(f"mutants: ran into the timeout: {mutant['name']}")
    for file, line, change in idle:
        print(f"mutants: NO LONGER NEEDED: the argument for {file}: {change}, at: {line}")
    for name in survivors:
        print(f"mutants: SURVIVED: {name}")
    print(
        f"mutants: tested={len(mutants)} caught={len(of['CaughtMutant'])} unviable={len(of['Unviable'])} "
        f"timeouts={len(of['Timeout'])} survivors={len(survivors)} argued={len(of['MissedMutant']) - len(survivors)}"
    )
    return 1 if survivors or idle else 0


def main() -> int:
    """Takes the tool's path, and arguments for it that choose a part of the mutants."""
    began = time.monotonic()
    tool, *arguments = sys.argv[1:]
    lines = sources()
    mutants = tried(tool, arguments)
    print(f"mutants: took {(time.monotonic() - began) / 60:.0f} min")
    return judge(mutants, lines, is_whole_run=not arguments)


if __name__ == "__main__":
    sys.exit(main())
