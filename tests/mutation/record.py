# SPDX-License-Identifier: BSD-3-Clause
"""Mutants that tests have noticed, kept in the repository (docs/for-developers.md).

A recorded mutant names its line by the text of the line and by which of the lines with this text it is, so that it
survives changes elsewhere in the file. "suite" says which suite notices it."""
import collections
import json

RECORDED = "tests/mutation/recorded.json"

Mutant = collections.namedtuple("Mutant", "file line old new")


def read_record(root):
    """The recorded mutants, each with its suite, and those whose line is gone."""
    found, gone = [], []
    for entry in json.loads((root / RECORDED).read_text(encoding="utf-8")):
        path = root / entry["file"]
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
        places = [i for i, line in enumerate(lines, 1) if line == entry["old"]]
        if entry["nth"] < len(places):
            mutant = Mutant(entry["file"], places[entry["nth"]], entry["old"], entry["new"])
            found.append((mutant, entry["suite"]))
        else:
            gone.append(entry)
    return found, gone


def write_record(root, entries):
    lines = [json.dumps(entry) for entry in sorted(entries, key=lambda e: (e["file"], e["old"], e["nth"], e["new"]))]
    (root / RECORDED).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def entry_of(root, mutant, suite):
    lines = (root / mutant.file).read_text(encoding="utf-8").splitlines(keepends=True)
    nth = lines[:mutant.line - 1].count(mutant.old)
    return {"file": mutant.file, "old": mutant.old, "nth": nth, "new": mutant.new, "suite": suite}


def record(root, noticed, suite):
    """Adds the mutants that were noticed."""
    path = root / RECORDED
    entries = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    known = {(e["file"], e["old"], e["nth"], e["new"]) for e in entries}
    for mutant in noticed:
        entry = entry_of(root, mutant, suite)
        if (entry["file"], entry["old"], entry["nth"], entry["new"]) not in known:
            entries.append(entry)
    write_record(root, entries)


def judge_record(noticed, suites, gone):
    """Prints what the short suite no longer notices, and what only the long one does. Returns whether nothing is lost."""
    lost = [mutant for mutant, suite in suites if suite == "short" and mutant not in noticed]
    for mutant, suite in suites:
        if suite == "long":
            print(f"only the long suite notices {mutant.file}:{mutant.line}\n  + {mutant.new.strip()}")
    for mutant in lost:
        print(f"not noticed any more: {mutant.file}:{mutant.line}\n  - {mutant.old.strip()}\n  + {mutant.new.strip()}")
    for entry in gone:
        print(f"{entry['file']} has no line any more: {entry['old'].strip()}; record others with --record")
    print(f"recorded: the short suite notices {len(noticed)} of {len(suites) + len(gone)}")
    return not lost and not gone
