#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks on 6 and 24 simulated processes what must not grow with their number: growth_test.py COMMAND FOLDER

What is compared is what simulated processes did (bytes of the disk, messages, calls, memory) and the simulated time, all of
which come out the same in each run."""
import pathlib
import sys
import unittest
import unittest.mock

import simulate

COMMAND, FOLDER = None, None
WAVES, BANDS = 20000, 8
MILLER = 12 * WAVES  # bytes of the list of plane waves of a k-point
FEW, MANY = 6, 24
SLOW_DISK = simulate.Machine(cores=6, disk=20e6)  # four nodes; the disk dominates the time, as for whole sets of bands


def wavefile(processes):
    case = ["bench", "wavefile", "--kpoints", 1, "--bands", BANDS, "--waves", WAVES, "--repeat", 1, "--path", FOLDER]
    return simulate.report(processes, case, machine=SLOW_DISK, command=COMMAND)


class Growth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.few, cls.many = wavefile(FEW), wavefile(MANY)
        for report in (cls.few, cls.many):
            print(report["ranks"], "processes:", report["write"]["seiche"]["median"], "s write,", report["read"]["seiche"]["median"], "s read,",
                  report["account"])

    def test_values_come_back(self):
        self.assertEqual((self.few["max_error"], self.many["max_error"]), (0, 0))

    def test_all_that_goes_to_the_disk_is_counted_and_takes_time(self):
        once = 16 * WAVES * BANDS
        for report in (self.few, self.many):
            self.assertGreater(report["account"]["written"]["sum"], 3 * once)  # two writes of Seiche, and a plain write
            self.assertGreater(report["account"]["read"]["sum"], 2 * once)
            for what in ("write", "read"):
                self.assertGreater(report[what]["seiche"]["median"], once / SLOW_DISK.disk)

    def test_a_machine_that_nobody_told_of_is_an_error(self):
        known = simulate.environment(SLOW_DISK, COMMAND.parent.parent / "simulation")
        with unittest.mock.patch("simulate.environment", lambda *_: {k: v for k, v in known.items() if k != "SEICHE_MACHINE"}):
            with self.assertRaisesRegex(RuntimeError, "SEICHE_MACHINE has no flops: run companions/simulation/simulate.py"):
                simulate.simulate(FEW, ["bench", "cache", "--grid", 12], command=COMMAND)

    def test_no_more_is_read_by_more_processes(self):
        more = self.many["account"]["read"]["sum"] - self.few["account"]["read"]["sum"]
        self.assertLess(more, MILLER / 2)

    def test_no_more_is_written_by_more_processes(self):
        more = self.many["account"]["written"]["sum"] - self.few["account"]["written"]["sum"]
        self.assertLess(more, MILLER / 2)

    def test_reading_takes_as_long(self):
        self.assertLess(self.many["read"]["seiche"]["median"], 1.05 * self.few["read"]["seiche"]["median"])

    def test_writing_takes_as_long(self):
        self.assertLess(self.many["write"]["seiche"]["median"], 1.05 * self.few["write"]["seiche"]["median"])

    def test_plans_that_are_kept_make_no_communicators(self):
        report = simulate.report(MANY, ["bench", "cache", "--grid", 24, "--repeat", 2], machine=SLOW_DISK, command=COMMAND)
        self.assertGreater(report["set_up_calls_anew"], 0)
        self.assertEqual(report["set_up_calls_kept"], 0)
        self.assertGreater(report["account"]["messages"]["sum"], MANY)

    def test_a_plan_takes_memory_as_its_values_do(self):
        report = simulate.report(MANY, ["bench", "cache", "--grid", 25, "--repeat", 1, "--decomposition", "pencil"], machine=SLOW_DISK, command=COMMAND)
        self.assertGreater(report["plan_memory_bytes"], 0)
        self.assertLess(report["plan_memory_bytes"], 20 * 16 * 25**3 / MANY)

    def test_two_runs_are_the_same(self):
        again = wavefile(MANY)
        self.assertEqual(again["write"], self.many["write"])
        self.assertEqual(again["read"], self.many["read"])
        self.assertEqual(again["account"]["messages"], self.many["account"]["messages"])


if __name__ == "__main__":
    COMMAND, FOLDER = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(verbosity=2)
