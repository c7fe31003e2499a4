#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the same example in several languages, and expects each to find its answer right and all to have the same bits.

same_answers.py LAUNCHER... -- PROGRAM... [-- ARGUMENT...]"""
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


def main():
    launcher, programs, arguments = parts_of(sys.argv[1:])
    bits = set()
    for program in programs:
        done = subprocess.run([*launcher, program, *arguments], capture_output=True, text=True, check=False)
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
