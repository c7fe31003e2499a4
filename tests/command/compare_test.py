# SPDX-License-Identifier: BSD-3-Clause
"""bench/compare.py with programs that only pretend to compute: what it says of few rounds and of long ones, and that
nothing goes on when it is stopped. compare_test.py COMPARE"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COMPARE = sys.argv[1]
ANSWER = {"seconds": {"median": 2.0}, "fft_backend": "fftw", "chosen": "plain", "max_error": 0}
PROGRAM = """#!/usr/bin/env python3
import os, time
open({started!r}, "a").write(str(os.getpid()) + "\\n")
time.sleep({sleep})
print({answer!r})
"""


class Compare(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "bin").mkdir()
        self.started = self.folder / "started"
        self.started.touch()

    def program(self, name, seconds, sleep=0.0, **more):
        answer = json.dumps({**ANSWER, "seconds": {"median": seconds}, **more})
        path = self.folder / "bin" / name
        path.write_text(PROGRAM.format(started=str(self.started), sleep=sleep, answer=answer))
        path.chmod(0o755)

    def command(self, *more):
        return [sys.executable, COMPARE, "--build", self.folder, "--ranks", "1", "--peers", "fftw", "--grids", "64",
                "--kinds", "c2c", "--json", *map(str, more)]

    def rows(self, *more):
        done = subprocess.run(self.command(*more), capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout)["cases"], done

    def test_verdict_is_the_median_of_five_rounds(self):
        self.program("seiche", 1.0)
        self.program("peer_fftw_mpi", 2.0)
        (row,), _ = self.rows("--rounds", 5)
        self.assertEqual((row["ratio"], row["rounds"], row["ratio_range"]), (0.5, 5, [0.5, 0.5]))

    def test_fewer_rounds_have_no_verdict(self):
        self.program("seiche", 1.0)
        self.program("peer_fftw_mpi", 2.0)
        (row,), _ = self.rows("--rounds", 4)
        self.assertIsNone(row["ratio"])
        self.assertEqual(row["rounds"], 4)

    def test_kinds_of_lines_share_the_peers_runs(self):
        self.program("seiche", 1.0)
        self.program("peer_fftw_mpi", 2.0)
        (self.folder / "lib").mkdir()
        (self.folder / "lib" / "libseiche_ducc_v4.so").touch()
        rows, _ = self.rows("--rounds", 5)
        self.assertEqual([(row["ratio"], row["rounds"]) for row in rows], [(0.5, 5), (0.5, 5)])
        self.expect_none_left(15)  # two of ours and one of the peer's in each round

    def test_a_case_ends_at_its_limit(self):
        self.program("seiche", 1.0)
        self.program("peer_fftw_mpi", 2.0, sleep=600)
        rows, done = self.rows("--limit", 3)
        self.assertEqual(rows, [])
        self.assertIn("beside peer_fftw_mpi: not measured", done.stderr)
        self.expect_none_left(2)

    def test_a_wrong_result_ends_all(self):
        self.program("seiche", 1.0, max_error=1e-3)
        self.program("peer_fftw_mpi", 2.0)
        done = subprocess.run(self.command(), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is wrong: max_error 0.001", done.stderr)

    def test_programs_end_with_it(self):
        self.program("seiche", 1.0, sleep=600)
        self.program("peer_fftw_mpi", 2.0, sleep=600)
        for asked in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(asked), subprocess.Popen(self.command(), stdout=subprocess.DEVNULL,
                                                       stderr=subprocess.DEVNULL) as running:
                before = len(self.started.read_text().split())
                while len(self.started.read_text().split()) == before:
                    time.sleep(0.05)
                running.send_signal(asked)
                self.assertNotEqual(running.wait(timeout=30), 0)
                self.expect_none_left(before + 1)

    def expect_none_left(self, programs):
        pids = self.started.read_text().split()
        self.assertEqual(len(pids), programs)
        for pid in pids:
            self.assertFalse(pathlib.Path(f"/proc/{pid}").exists(), pid)
