#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares registers, spills and FP64 instructions of compiled CUDA kernels with recorded values.

usage: registers.py NVCC CUOBJDUMP RECORDED OBJECTS... [--record]     --record: stores the values instead
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

FUNCTION = re.compile(r"Function :? ?([^\s:]+)")
USAGE = re.compile(r"REG:(\d+) STACK:(\d+)")
INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]+\*/\s+(?:@!?\w+ )?(\w+)")
FP64, SPILLS = {"DADD", "DMUL", "DFMA"}, {"LDL", "STL"}
ARCHITECTURE = re.compile(r"arch = (sm_\d+)")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def kernels(cuobjdump, objects):
    """Returns {kernel and architecture: its numbers} of all kernels in the objects."""
    found = collections.defaultdict(lambda: {"registers": 0, "stack bytes": 0, "spill instructions": 0, "FP64 instructions": 0})
    for path in objects:
        architecture = name = ""
        for line in output(cuobjdump, "-res-usage", "-sass", path).splitlines():
            if match := ARCHITECTURE.search(line):
                architecture = match.group(1)
            elif match := FUNCTION.search(line):
                name = match.group(1)
            if match := USAGE.search(line):
                numbers = found[name, architecture]
                numbers["registers"], numbers["stack bytes"] = map(int, match.groups())
            elif match := INSTRUCTION.match(line):
                word = match.group(1)
                found[name, architecture]["spill instructions"] += word in SPILLS
                found[name, architecture]["FP64 instructions"] += word in FP64
    names = output("c++filt", "-p", *[name for name, _ in found]).splitlines()
    return {f"{name} {architecture}": numbers for name, ((_, architecture), numbers) in zip(names, found.items())}


def differences(recorded, measured):
    """Returns sentences about kernels whose numbers differ."""
    for kernel in sorted(recorded.keys() | measured.keys()):
        if kernel not in measured:
            yield f"{kernel}: recorded, but not compiled"
        elif kernel not in recorded:
            yield f"{kernel}: compiled, but not recorded"
        for what, value in recorded.get(kernel, {}).items():
            now = measured.get(kernel, recorded[kernel])[what]
            if now != value:
                yield f"{kernel}: {value} {what} recorded, now {now}"


def main():
    record = "--record" in sys.argv
    nvcc, cuobjdump, recorded, *objects = [word for word in sys.argv[1:] if word != "--record"]
    compiler = re.search(r"V[0-9.]+", output(nvcc, "--version")).group()
    measured = kernels(cuobjdump, objects)
    path = pathlib.Path(recorded)
    if record:
        rows = [f"{json.dumps(kernel)}: {json.dumps(measured[kernel])}" for kernel in sorted(measured)]
        path.write_text("{\n" + ",\n".join([f'"compiler": "{compiler}"', *rows]) + "\n}\n", encoding="utf-8")
        print(f"recorded {len(measured)} kernels in {path}")
        return 0
    expected = json.loads(path.read_text(encoding="utf-8"))
    if compiler != expected.pop("compiler"):
        print(f"skipped: the values are of another version of nvcc than {compiler}; ./dev test cuda installs that version")
        return 77
    found = list(differences(expected, measured))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(measured)} kernels compared, {len(found)} differences")
    if found:
        print("accept them with: cmake --build build/nvcc --target cuda_record_registers")
    return 1 if found or not measured else 0


if __name__ == "__main__":
    sys.exit(main())
