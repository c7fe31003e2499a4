#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the table of features and languages in docs/support.md: support_table.py [--check]

Topics and their names in C++, C, Fortran and Python are those of the site (nouns.py). Numbers of functions and the
options that choose a device are read from interface/*.api.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "interface"))
import model  # noqa: E402
from nouns import NOUNS  # noqa: E402

PAGE = ROOT / "docs/support.md"
BLOCK = re.compile(r"(<!-- languages -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def functions_of(headers, noun):
    names = {name.removesuffix(".h") for name in noun.c}
    return [item for header in headers if header.name in names for item in header.items if item.kind == "function"]


def type_of(argument):
    return argument.type.removeprefix("const ").rstrip("*& ")


def runs_on_devices(headers, noun):
    """Tells whether a function that creates an object has options with the member `space`, or a plan made with them."""
    with_space = {item.name for header in headers for item in header.items
                  if item.kind == "options" and any(row.name == "space" for row in item.rows)}

    def creates(function, given):
        made = {type_of(row) for row in function.rows if row.way == "new"} - {"pending"}
        return made if given & {type_of(row) for row in function.rows} else set()

    everything = [item for header in headers for item in header.items if item.kind == "function"]
    plans = set().union(*(creates(function, with_space) for function in everything))
    return any(creates(function, with_space | plans) for function in functions_of(headers, noun))


def table():
    headers = model.read_all()
    lines = ["| topic | C++ | C: functions | Fortran | Python: names | CUDA devices |", "|---|---|---|---|---|---|"]
    for noun in NOUNS:
        functions = functions_of(headers, noun)
        title = f"[{noun.title}]({noun.guide}.md)" if noun.guide else noun.title
        device = runs_on_devices(headers, noun) or noun.name == "device_memory"
        cells = ["yes" if noun.cpp else "-", str(len(functions) or "-"), "yes" if noun.fortran else "-", str(len(noun.python) or "-"),
                 "yes" if device else "-"]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main():
    text = PAGE.read_text(encoding="utf-8")
    made = BLOCK.sub(lambda found: found[1] + table() + found[3], text)
    if "--check" in sys.argv and made != text:
        sys.exit("docs/support.md: the table of languages is out of date: run python3 docs/site/support_table.py")
    if made == text:
        return
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
