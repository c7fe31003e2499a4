#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Expects each line of code that docs/c.md, docs/fortran.md and docs/install.md quote to be a line of an example, which is run."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUOTED = {("c", "c"): "examples/c/*.c", ("fortran", "fortran"): "examples/fortran/*.f90",
          ("install", "bash"): "examples/slurm/*.sbatch"}  # page and language


def plain(line):
    return " ".join(line.split())


def main():
    faults, lines = [], 0
    for (name, language), pattern in QUOTED.items():
        said = {plain(line) for path in ROOT.glob(pattern) for line in path.read_text(encoding="utf-8").splitlines()}
        page = ROOT / "docs" / f"{name}.md"
        blocks = re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        if not blocks:
            faults.append(f"{page.name} quotes nothing in {language}")
        for block in blocks:
            quoted = [plain(line) for line in block.splitlines()]
            lines += len(quoted)
            faults += [f"{page.name} quotes what no example says: {line}" for line in quoted if line not in said]
    print("\n".join(faults) if faults else f"{lines} lines are quoted from examples")
    return 1 if faults or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
