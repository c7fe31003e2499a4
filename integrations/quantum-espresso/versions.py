#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records in checked.json which cases of check_cases.py passed with which version, and writes the table of README.md.

versions.py [--check]      --check: writes nothing, and fails if README.md differs from checked.json"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "checked.json"
PAGE = HERE / "README.md"
BLOCK = re.compile(r"(<!-- checked\.json -->\n).*?(<!-- end -->)", re.DOTALL)


def read():
    return json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}


def key(version):
    """Numbers of a version: (7, 3, 1) of "7.3.1"."""
    return tuple(map(int, re.findall(r"\d+", version)))


def record(version, tree, program, case, results):
    """Adds {ranks: passed} of one case."""
    data = read()
    entry = data.setdefault(version, {})
    entry["tree"] = tree
    ranks = entry.setdefault("passed", {}).setdefault(program, {}).setdefault(case, [])
    ranks[:] = sorted((set(ranks) | set(results)) - {n for n, passed in results.items() if not passed})
    ordered = dict(sorted(data.items(), key=lambda item: key(item[0])))
    text = json.dumps(ordered, indent=1)
    text = re.sub(r"\[[\d,\s]+\]", lambda found: re.sub(r"\s+", " ", found[0]).replace("[ ", "[").replace(" ]", "]"), text)
    DATA.write_text(text + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


def table(data):
    def row(cells):
        return f"| {' | '.join(cells)} |\n"

    cases = {}
    for entry in data.values():
        for program, passed in entry["passed"].items():
            cases.setdefault(program, {}).update(passed)
    text = row(["program", "case", *data]) + row(["---"] * (2 + len(data)))
    for program, case in ((program, case) for program, of in cases.items() for case in of):
        ranks = [entry["passed"].get(program, {}).get(case, []) for entry in data.values()]
        text += row([program, f"`{case}`", *(", ".join(map(str, of)) for of in ranks)])
    return text + "\n| version | sources |\n|---|---|\n" + "".join(f"| {version} | {entry['tree']} |\n" for version, entry in data.items())


def page():
    return BLOCK.sub(lambda found: found[1] + table(read()) + found[2], PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    if sys.argv[1:]:
        sys.exit("README.md differs from checked.json: run versions.py" if page() != PAGE.read_text(encoding="utf-8") else 0)
    PAGE.write_text(page(), encoding="utf-8")
