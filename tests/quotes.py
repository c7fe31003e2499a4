#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Expects each line of code that the pages below quote to be a line of an example, which is run."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = {"cpp": "examples/cxx/*.cpp", "c": "examples/c/*.c", "fortran": "examples/fortran/*.f90", "python": "examples/python/*.py",
            "bash": "examples/slurm/*.sbatch"}
PAGES = {"README.md": ["cpp", "c", "fortran", "python"], "docs/c.md": ["c"], "docs/fortran.md": ["fortran"], "docs/tutorial.md": ["cpp", "c", "fortran", "python"],
         "docs/install.md": ["bash"]}


def plain(line):
    return " ".join(line.split())


def main():
    faults, lines = [], 0
    for page, languages in PAGES.items():
        for language in languages:
            said = {plain(line) for path in ROOT.glob(EXAMPLES[language]) for line in path.read_text(encoding="utf-8").splitlines()}
            blocks = re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
            if not blocks:
                faults.append(f"{page} quotes nothing in {language}")
            quoted = [plain(line) for block in blocks for line in block.splitlines()]
            lines += len(quoted)
            faults += [f"{page} quotes what no example says: {line}" for line in quoted if line not in said]
    print("\n".join(faults) if faults else f"{lines} lines are quoted from examples")
    return 1 if faults or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
