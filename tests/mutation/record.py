# SPDX-License-Identifier: BSD-3-Clause
"""Mutants that tests have noticed, kept in the repository (docs/for-developers.md).

A recorded mutant names its line by the text of the line and by which of the lines with this text it is, so that it
survives changes elsewhere in the file. "suite" says which suite notices it, "test" which entry of ctest did."""
import collections
import json

RECORDED = "tests/mutation/recorded.json"

Mutant = collections.namedtuple("Mutant", "file line old new")
Recorded = collections.namedtuple("Recorded", "mutant suite test")


def read_record(root):
    """What is recorded of lines that are there, and the entries whose line is gone."""
    found, gone = [], []
    for entry in json.loads((root / RECORDED).read_text(encoding="utf-8")):
        path = root / entry["file"]
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
        places = [i for i, line in enumerate(lines, 1) if line == entry["old"]]
        if entry["nth"] < len(places):
            mutant = Mutant(entry["file"], places[entry["nth"]], entry["old"], entry["new"])
            found.append(Recorded(mutant, entry["suite"], entry.get("test", "")))
        else:
            gone.append(entry)
    return found, gone


def write_record(root, entries):
    lines = [json.dumps(entry) for entry in sorted(entries, key=place_of)]
    (root / RECORDED).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def place_of(entry):
    return entry["file"], entry["old"], entry["nth"], entry["new"]


def record(root, mutant, suite, test):
    """Adds a mutant that a test of this suite has noticed, or this test to what is known of it."""
    path = root / RECORDED
    entries = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    lines = (root / mutant.file).read_text(encoding="utf-8").splitlines(keepends=True)
    nth = lines[:mutant.line - 1].count(mutant.old)
    new = {"file": mutant.file, "old": mutant.old, "nth": nth, "new": mutant.new, "suite": suite}
    known = {place_of(entry): entry for entry in entries}
    known.setdefault(place_of(new), new)["test"] = test
    write_record(root, known.values())


def judge_record(verdicts, recorded, gone):
    """Prints what the short suite no longer notices, and what only the long one does. Returns whether nothing is lost."""
    lost = [verdict.mutant for verdict in verdicts if not verdict.noticed]
    for mutant in [r.mutant for r in recorded if r.suite == "long"]:
        print(f"only the long suite notices {mutant.file}:{mutant.line}\n  + {mutant.new.strip()}")
    for mutant in lost:
        print(f"not noticed any more: {mutant.file}:{mutant.line}\n  - {mutant.old.strip()}\n  + {mutant.new.strip()}")
    for entry in gone:
        print(f"{entry['file']} has no line any more: {entry['old'].strip()}; record others with --record")
    print(f"recorded: the short suite notices {len(verdicts) - len(lost)} of {len(recorded) + len(gone)}")
    return not lost and not gone
