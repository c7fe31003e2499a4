#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the same example in several languages, and expects each to find its answer right and all to have the same bits.

same_answers.py LAUNCHER... -- PROGRAM... [-- ARGUMENT...]"""
import importlib.util
import os
import re
import subprocess
import sys


def parts_of(words):
    """The words between the `--`s."""
    parts = [[]]
    for word in words:
        if word == "--":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts + [[]] * (3 - len(parts))


def serve_python():
    """Lets scripts take the MPI library that the package was built with; False where mpi4py is not to be had."""
    import seiche

    os.environ.setdefault("MPI4PY_MPIABI", "mpich" if "MPICH" in seiche.mpi_library() else "openmpi")
    return importlib.util.find_spec("mpi4py") is not None


def main():
    launcher, programs, arguments = parts_of(sys.argv[1:])
    scripts = [program for program in programs if program.endswith(".py")]
    if scripts and not serve_python():
        print("skipped: mpi4py is not installed")
        return 77
    bits = set()
    for program in programs:
        words = [sys.executable, program] if program in scripts else [program]
        done = subprocess.run([*launcher, *words, *arguments], capture_output=True, text=True, check=False)
        told = re.search(r": right, .*bits ([0-9a-f]{16})", done.stdout.lower())
        print(program, done.stdout.strip() or "said nothing")
        if done.returncode or not told:
            print(done.stderr)
            return 1
        bits.add(told.group(1))
    if len(bits) > 1:
        print("the languages' answers differ in their last bits")
    return 0 if len(bits) == 1 and len(programs) > 1 else 1


if __name__ == "__main__":
    sys.exit(main())
