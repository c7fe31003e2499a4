#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the results that run.sh stored in a folder as one table. The exit status is 1 if a test failed."""
import json
import pathlib
import re
import sys

TEST = re.compile(r"^(ok|FAILED|skipped) +(\S+) \((\d+) compared, (\d+) ms\)$")
END = re.compile(r"^exit status (\d+), (\d+) ms$")


def summary(log):
    """Returns the row of a log of tests, and the lines that explain failures."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    tests = [match.groups() for match in map(TEST.match, lines) if match]
    failed = [name for verdict, name, *_ in tests if verdict == "FAILED"]
    passed = sum(verdict == "ok" for verdict, *_ in tests)
    end = END.match(lines[-1]) if lines else None
    status, milliseconds = (end.group(1), int(end.group(2))) if end else ("-", 0)
    program, ranks = log.name.removesuffix(".log").rsplit(".", 1)
    row = (f"| {program} | {ranks} | {passed} | {len(failed)} | {len(tests) - passed - len(failed)} "
           f"| {sum(int(compared) for *_, compared, _ in tests)} | {milliseconds / 1000:.1f} | {status} |")
    good = status == "0" and not failed
    return row, good, [] if good else [f"{log.name}: {name} failed" for name in failed] + lines[-15:]


def dense_times(log):
    """Returns the line of a log of `seiche bench fft --json`: the time of a forward and a backward transform."""
    text = log.read_text(encoding="utf-8", errors="replace")
    measured = next((json.loads(line) for line in text.splitlines() if line.startswith("{")), None)
    if not measured:
        return f"{log.name}: {text.strip()}"
    seconds = measured["seconds"]
    return (f"{measured['case']}, there and back: {1e6 * seconds['median']:.2f} us (min {1e6 * seconds['min']:.2f}) "
            f"| error {measured['max_error']:.1e}")


def main():
    folder = pathlib.Path(sys.argv[1])
    results = [summary(log) for log in sorted(folder.glob("*_test.*.log"))]
    for _, _, lines in results:
        print(*lines, sep="\n", end="\n" if lines else "")
    print((folder / "machine.txt").read_text(encoding="utf-8"))
    print("| program | ranks | passed | failed | skipped | comparisons | s | exit status |\n|---|---|---|---|---|---|---|---|")
    for row, *_ in results:
        print(row)
    print()
    for log in sorted(folder.glob("dense.*.log")):
        print(dense_times(log))
    bench = folder / "bench.log"
    if bench.exists():
        print("\n" + bench.read_text(encoding="utf-8", errors="replace"))
    return 0 if results and all(good for _, good, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
