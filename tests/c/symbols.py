#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the C functions that libraries export with a list, and expects each to be called by some test.

symbols.py LIST FOLDER_OF_TESTS[:FOLDER...] NM LIBRARY...
What was listed once has to stay: programs are linked against it."""
import pathlib
import re
import subprocess
import sys


def exported(nm, library):
    """Names that a library exports."""
    shared = ["-D"] if ".so" in library else []
    text = subprocess.run([nm, *shared, "--defined-only", "--extern-only", "--format=posix", library], check=True,
                          capture_output=True, text=True).stdout
    lines = [line.split() for line in text.splitlines()]
    return {line[0].split("@")[0] for line in lines if len(line) >= 2}


def strange(name):
    """Whether a name is neither of the C face, nor of namespace seiche, nor the version's own."""
    return not re.match(r"seiche_|_ZNK?6seiche|_ZT.N6seiche|_ZGVN6seiche|SEICHE_", name)


def main():
    symbols, tests, nm, *libraries = sys.argv[1:]
    listed = set(pathlib.Path(symbols).read_text(encoding="utf-8").split())
    everything = {library: exported(nm, library) for library in libraries}
    found = {name for names in everything.values() for name in names if name.startswith("seiche_")}
    called = set()
    for path in (path for folder in tests.split(":") for path in pathlib.Path(folder).glob("*.[ch]")):
        called |= set(re.findall(r"\b(seiche_\w+)\s*\(", path.read_text(encoding="utf-8")))
    called |= {name.removesuffix("_init") + "_fill" for name in called if name.endswith("_init")}  # inline
    faults = [f"{name} is listed but not exported: programs that use it break" for name in sorted(listed - found)]
    faults += [f"{name} is exported but not listed in {symbols}" for name in sorted(found - listed)]
    faults += [f"{name} is called by no test in {tests}" for name in sorted(found - called)]
    for library, names in everything.items():
        faults += [f"{library} shows {name}, which is not ours" for name in sorted(names) if ".so" in library and strange(name)]
    print("\n".join(faults) if faults else f"{len(found)} C functions, all listed and called")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main())
