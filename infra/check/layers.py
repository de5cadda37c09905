"""Checks that the workspace's packages depend, and their sources speak, only as rules.toml allows."""

import json
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RULES = tomllib.loads((Path(__file__).parent / "rules.toml").read_text())


def metadata() -> list[dict]:
    """The workspace's own packages, as cargo describes them."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    return json.loads(subprocess.check_output(command, cwd=ROOT))["packages"]


def key_of(package: dict) -> str:
    """What a package is called in the rules: its name, or its folder when the rules speak of the folder."""
    folder = str(Path(package["manifest_path"]).parent.relative_to(ROOT))
    return next((key for key in RULES["normal"] if "/" in key and fnmatch(folder, key)), package["name"])


def declared(packages: list[dict]) -> list[str]:
    """Dependencies between packages of the workspace that no rule allows."""
    ours = {package["name"] for package in packages}
    faults = []
    for package in packages:
        key = key_of(package)
        if key not in RULES["normal"]:
            faults.append(f"{package['name']}: rules.toml says nothing about it")
            continue
        for dependency in package["dependencies"]:
            allowed = set(RULES["normal"][key])
            if dependency["kind"] == "dev":
                allowed |= set(RULES["dev"].get(key, []))
            name = dependency["name"]
            if name in ours and name not in allowed:
                faults.append(f"{package['name']} must not depend on {name} ({dependency['kind'] or 'normal'})")
    return faults


def below(name: str) -> set[str]:
    """Everything that a package pulls in when it is built by itself, tests aside."""
    command = ["cargo", "tree", "--package", name, "--edges", "normal,build", "--prefix", "none", "--locked"]
    lines = subprocess.check_output([*command, "--format", "{p}"], cwd=ROOT, text=True).splitlines()
    return {line.split()[0] for line in lines if line} - {name}


def pulled_in(packages: list[dict]) -> list[str]:
    """Dependencies at any depth that a package must be free of."""
    there = {package["name"] for package in packages}
    faults = []
    for names, banned in (("pure", "never_below_pure"), ("without_aws", "never_below_simulation")):
        for name in sorted(there.intersection(RULES[names])):
            wrong = sorted(other for other in below(name) if other.startswith(tuple(RULES[banned])))
            faults += [f"{name} must not pull in {other}" for other in wrong]
    return faults


def code_lines(path: Path) -> list[tuple[int, str]]:
    """The numbered lines of a Rust file without their comments."""
    return [(i, line.split("//")[0]) for i, line in enumerate(path.read_text().splitlines(), 1)]


def spoken(package: dict) -> list[str]:
    """Names that a package's sources must not use."""
    folder = Path(package["manifest_path"]).parent
    if package["name"] in RULES["pure"]:
        patterns, wiring = RULES["pure_never_name"], set()
    elif folder.parent.name == "functions":
        patterns, wiring = [RULES["functions_never_name"]], {folder / "src/main.rs"}
    else:
        return []
    faults = []
    for path in sorted(set((folder / "src").rglob("*.rs")) - wiring):
        for number, line in code_lines(path):
            found = next((match for pattern in patterns if (match := re.search(pattern, line))), None)
            if found:
                faults.append(f"{path.relative_to(ROOT)}:{number}: must not name {found.group(0)}")
    return faults


def main() -> int:
    """Prints every fault, and fails when there is one."""
    packages = metadata()
    faults = declared(packages) + pulled_in(packages)
    for package in packages:
        faults += spoken(package)
    for fault in faults:
        print(f"layers: {fault}")
    if not faults:
        print(f"layers: {len(packages)} packages keep the rules")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
