#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Expects each line of code that docs/c.md and docs/fortran.md quote to be a line of an example, which ctest runs."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUOTED = {"c": "examples/c/*.c", "fortran": "examples/fortran/*.f90"}


def plain(line):
    return " ".join(line.split())


def main():
    faults, lines = [], 0
    for language, pattern in QUOTED.items():
        said = {plain(line) for path in ROOT.glob(pattern) for line in path.read_text(encoding="utf-8").splitlines()}
        page = ROOT / "docs" / f"{language}.md"
        for block in re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            quoted = [plain(line) for line in block.splitlines()]
            lines += len(quoted)
            faults += [f"{page.name} quotes what no example says: {line}" for line in quoted if line not in said]
    print("\n".join(faults) if faults else f"{lines} lines are quoted from examples")
    return 1 if faults or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
