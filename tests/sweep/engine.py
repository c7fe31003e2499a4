# SPDX-License-Identifier: BSD-3-Clause
"""Runs calls with wrong arguments on all ranks or on one, and checks that they end alike everywhere.

A call gives an error or a result: a collective call on all ranks or on none. Afterwards a good call gives right values.
A case may last a minute. Its name is in a file of each rank, so that a crash or a wait has a name.
"""

import fnmatch
import math
import os
import sys
import tempfile
import threading
import time

LIMIT = 60  # seconds of a case; some take four on an idle processor
REALS = {"nan": math.nan, "inf": math.inf, "1e300": 1e300}


def matches(name, pattern):
    """Tells whether a name fits a pattern with *. Brackets have no meaning."""
    return fnmatch.fnmatchcase(name, pattern.replace("[", "[[]"))


def integers(good, bits=64):
    """Returns the values of an integer argument whose good value is `good`, by name, as far as the type can hold them. The
    names are equal on all ranks, the good value may differ."""
    values = {"-1": -1, "0": 0, "1": 1, "n-1": good - 1, "n": good, "n+1": good + 1, "2^31-1": 2**31 - 1, "2^31": 2**31,
              "2^32+2": 2**32 + 2, "10^12": 10**12}
    return {name: value for name, value in values.items() if bits == 64 or name not in ("2^31", "2^32+2", "10^12")}


class Sweep:
    """`extremes(number)` is collective and returns the smallest and the largest number. `check()` is collective and tells
    whether a good call gives right values. `left_out`: patterns of names of cases that are not run."""

    def __init__(self, rank, ranks, extremes, check, left_out, only):
        self.rank, self.ranks, self.extremes, self.check = rank, ranks, extremes, check
        self.left_out, self.only = left_out, only
        self.failures, self.count, self.skipped = [], 0, 0
        self.name, self.number = "", 0  # of the current case
        self.file = open(os.path.join(os.environ.get("SEICHE_SWEEP", tempfile.gettempdir()), f"case.{rank}"), "w")
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        """Ends the process if a case is not over in time. Counts its own steps, which take longer on a busy machine."""
        steps, number = 0, 0
        while True:
            time.sleep(0.5)
            steps = steps + 1 if self.name and self.number == number else 0
            number = self.number
            if steps > 2 * LIMIT:
                try:
                    os.write(2, f"rank {self.rank}: {self.name}: not over after {LIMIT} s\n".encode())
                finally:
                    os._exit(3)

    def begin(self, name):
        self.number, self.name = self.number + 1, name
        os.pwrite(self.file.fileno(), f"{name:<200}\n".encode(), 0)

    def case(self, name, call, collective=True):
        """Runs call(changed), which returns the error message or None, with `changed` on all ranks and on the last one."""
        for on in ("all", "one") if self.ranks > 1 else ("all",):
            whole = f"{name} on {on}"
            if self.only and not matches(whole, self.only):
                continue
            if any(matches(whole, pattern) for pattern in self.left_out):
                self.skipped += 1
                continue
            self.begin(whole)
            self.count += 1
            error = call(on == "all" or self.rank == self.ranks - 1)
            least, most = self.extremes(0 if error is None else 1)
            if collective and least != most:
                self.failures.append(f"{whole}: an error on some ranks only, here: {error}")
            elif error == "":
                self.failures.append(f"{whole}: an error without a message")
            elif error and error.startswith("wrong:"):
                self.failures.append(f"{whole}: {error}")
            if not self.check():
                self.failures.append(f"{whole}: the next call gives wrong values")
        self.name = ""

    def verdict(self):
        """Collective. Prints the failures, and returns the exit status."""
        for failure in self.failures:
            print(f"rank {self.rank}: {failure}", file=sys.stderr)
        _, failed = self.extremes(1 if self.failures or not self.count else 0)
        if self.rank == 0:
            print(f"{self.count} cases on {self.ranks} ranks, {self.skipped} skipped")
        return failed
