#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the version in CMakeLists.txt with the files that repeat it.

version.py           fails, and names the places, where they differ
version.py --print   prints the version

CMakeLists.txt states the version. The libraries, the command, pkg-config files, Debian packages and the Python package read
it from there. The files below are read by programs that cannot do so.
"""

import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
NUMBER = r"\d+\.\d+\.\d+"
REPEATED = {  # file: pattern whose first group is the version
    "CITATION.cff": rf"^version: ({NUMBER})$",
    "packaging/conda/recipe.yaml": rf"^  version: ({NUMBER})$",
    "packaging/spack/package.py": rf'^    version\("({NUMBER})"\)$',
    "CHANGELOG.md": rf"^## \[({NUMBER})\]",
}
SYMBOLS = "src/exported.map"  # the version of symbols: major and minor
MINOR = r"\d+\.\d+"
MENTIONS = (  # (files, pattern): all places whose group is a version, or its major and minor number
    (("README.md", "docs/*.md", "packaging/*/*"), rf"\bseiche(?:[-_ @]|==)({NUMBER})\b"),  # packages, e.g. seiche@0.2.0
    (("interface/*.api", "fortran/*.f90", "tests/c/*.c", "tests/fortran/*.f90"), rf"[\"']({NUMBER})[\"']"),  # as seiche_version()
    (("README.md", "docs/*.md", "tests/install/**/CMakeLists.txt"),
     rf"(?:find_package\(seiche |accepts versions |libseiche\w*\.so\.|SEICHE_|^Version )({MINOR})\b"),
)


def stated():
    text = (PROJECT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(rf"^project\(seiche VERSION ({NUMBER}) ", text, re.MULTILINE)[1]


def found(name, pattern):
    """The first place in the file that matches, as text; None without one."""
    match = re.search(pattern, (PROJECT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return match and match[1]


def mentions():
    """(file, version) of each mention of a version."""
    for patterns, mention in MENTIONS:
        for pattern in patterns:
            for path in filter(Path.is_file, sorted(PROJECT.glob(pattern))):
                for version in re.findall(mention, path.read_text(encoding="utf-8"), re.MULTILINE):
                    yield str(path.relative_to(PROJECT)), version


def faults():
    version = stated()
    result = [f"{name} says {found(name, pattern)}" for name, pattern in REPEATED.items() if found(name, pattern) != version]
    result += [f"{name} mentions {other}" for name, other in mentions() if other not in (version, version.rpartition(".")[0])]
    symbols = found(SYMBOLS, r"^SEICHE_(\d+\.\d+) \{$")
    if symbols != version.rpartition(".")[0]:
        result.append(f"{SYMBOLS} gives symbols the version {symbols}")
    released, closed = found("CITATION.cff", r"^date-released: (\S+)$"), found("CHANGELOG.md", r"^## \[[^]]+\] - (\S+)$")
    if released != closed:
        result.append(f"CITATION.cff was released on {released}, the version in CHANGELOG.md on {closed}")
    if not found("CHANGELOG.md", r"^## \[(Unreleased)\]$"):
        result.append("CHANGELOG.md has no section [Unreleased]")
    if not found("pyproject.toml", r'^dynamic = \["(version)"\]$'):
        result.append("pyproject.toml does not read the version from CMakeLists.txt")
    return result


def main(*arguments):
    if arguments == ("--print",):
        print(stated())
        return 0
    wrong = faults()
    for fault in wrong:
        print(f"{fault}; the version in CMakeLists.txt is {stated()}")
    if not wrong:
        print(f"{len(REPEATED)} files repeat the version {stated()}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
