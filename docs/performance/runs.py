# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files of measurements, and writes numbers and tables as text."""
import json
import math
import re
import sys

NEEDED = {"topic", "label", "reference", "unit", "processor", "cores", "memory", "mpi", "compiler", "date", "commit", "command", "rows"}
TOPICS = ["single-node", "sixteen-cores", "hosts", "topology", "pw", "split-phase", "pw-files", "files", "products", "many-fields", "boxes", "exact-exchange", "pair-densities", "grid-operator", "redistribute", "mechanisms", "exchange-trials", "gpaw", "gpaw-calls", "gpaw-potential", "cp2k", "cp2k-predicted", "cp2k-simulated", "cp2k-profile", "cp2k-padded", "fft-predicted", "mpb", "progress",
          "overhead", "first", "bands-per-call", "of-bound", "memory-bytes", "profile", "densities", "build"]
ALLOWED = NEEDED | {"listed", "recorded", "notes"}

# -------------------------------------------------------------------------------------------------------------- data


class Run:
    """The measurements of one file."""

    def __init__(self, path):
        self.path = path
        self.data = json.loads(path.read_text(encoding="utf-8"))
        self.check()

    def check(self):
        names = set(self.data)
        if NEEDED - names or names - ALLOWED:
            sys.exit(f"{self.path}: missing entries: {sorted(NEEDED - names)}; unknown entries: {sorted(names - ALLOWED)}")
        if self.topic not in TOPICS:
            sys.exit(f"{self.path}: unknown topic '{self.topic}'; topics: {', '.join(TOPICS)}")
        if not self.data["label"] or not self.rows:
            sys.exit(f"{self.path}: label and rows must not be empty")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", self.data["date"]):
            sys.exit(f"{self.path}: date is {self.data['date']}; write it as 2026-11-25")
        for row in self.rows:
            low, high = row.get("range", [0, math.inf])
            if not low <= row.get("ratio", low) <= high:
                sys.exit(f"{self.path}: the ratio {row['ratio']} of '{row['case']}' is outside of its range {low} to {high}")

    def __getattr__(self, name):
        return self.data[name]

    def row(self, **wanted):
        """Returns the one row with these entries, or {}."""
        found = [row for row in self.rows if all(row.get(name) == value for name, value in wanted.items())]
        if len(found) > 1:
            sys.exit(f"{self.path}: {len(found)} rows have {wanted}")
        return found[0] if found else {}


class Data:
    """All files, and those of each topic that tables show: the reference machine first."""

    def __init__(self, folder):
        self.runs = [Run(path) for path in sorted(folder.glob("*.json"))]
        if not self.runs:
            sys.exit(f"no data in {folder}")
        for topic in {run.topic for run in self.runs}:
            if sum(run.reference for run in self.of(topic)) > 1 and topic != "overhead":
                sys.exit(f"more than one file of the topic {topic} is the reference")

    def of(self, topic):
        shown = [run for run in self.runs if run.topic == topic and run.data.get("listed", True)]
        if not shown:
            sys.exit(f"no data of the topic {topic}")
        return sorted(shown, key=lambda run: (not run.reference, run.label, run.path.name))

    def listed(self):
        return [run for run in self.runs if run.data.get("listed", True)]

# ------------------------------------------------------------------------------------------------------------ numbers


def short(text):
    return text.replace("^3", "³")


def spread(pair, digits=2):
    return f"{pair[0]:.{digits}f}–{pair[1]:.{digits}f}"


def ratio(row, digits=2, with_range=True):
    """Returns a ratio with its range. A quotient of two times that were not measured in turn is marked by a tilde."""
    if "speedup" in row:
        return f"{1 / row['speedup']:.{digits}f}"
    if "speedup_range" in row:
        return spread([1 / row["speedup_range"][1], 1 / row["speedup_range"][0]], digits)
    if "ratio" in row:
        return f"{row['ratio']:.{digits}f}" + (f" ({spread(row['range'], digits)})" if with_range and "range" in row else "")
    if "range" in row:
        return spread(row["range"], digits)
    ours = row.get("alone", row.get("ours"))
    return f"~{ours / row['peer_time']:.{digits}f}" if ours and row.get("peer_time") else ""


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def table(head, rows):
    """Returns a table in Markdown. Columns without any entry are left out."""
    kept = [i for i in range(len(head)) if any(row[i] for row in rows)]
    lines = [[head[i] for i in kept], ["---"] * len(kept), *([row[i] for i in kept] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def first(rows, *names):
    """Returns the distinct combinations of these entries, in the order of the rows."""
    return list(dict.fromkeys(tuple(row.get(name) for name in names) for row in rows))


def peer_of(row):
    return f"{row['peer']} {row['peer_version']}" if "peer_version" in row else row.get("peer", "")


def across(runs, names, cells):
    """Returns the rows of a table with these entries in front and the cells of each run behind."""
    everything = [row for run in runs for row in run.rows]
    return [[*map(str, key), *(cell for run in runs for cell in cells(run, dict(zip(names, key))))]
            for key in first(everything, *names)]
