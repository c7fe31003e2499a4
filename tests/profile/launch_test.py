#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that `seiche profile` starts in parts, ends, or that start threads and processes. launch_test.py COMMAND PROGRAM LANGUAGE RANKS LAUNCHER..."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from profiled import COMMAND, EXPECTED, LAUNCHER, MPICH, PROGRAM, RANKS, data_of, run, sibling, sums


def in_parts(program):
    """The launcher's words for two parts of one program."""
    parts = [["-n", "1", program], ["-n", str(max(RANKS - 1, 1)), program]]
    return [LAUNCHER[0], *parts[0], ":", *parts[1]]


class Parts(unittest.TestCase):
    def test_each_part_is_recorded(self):
        done = run(launcher=in_parts(PROGRAM))
        self.assertEqual(done.returncode, 0, done.stderr)
        data, ranks = data_of(done), 1 + max(RANKS - 1, 1)
        self.assertEqual([rank["rank"] for rank in data["by_rank"]], list(range(ranks)))
        self.assertEqual(data["unfinished"], [])
        self.assertEqual(sums(data, "calls"), {name: calls * ranks for name, calls in EXPECTED["c"].items()})

    def test_each_part_is_replayed(self):
        if MPICH or RANKS != 1:
            self.skipTest("once is enough, with the library that it was built with")
        done = run(launcher=in_parts(sibling("exchanges")), options=["--advise"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({one["ranks"] for one in data_of(done)["advice"]}, {2})

    def test_parts_in_a_file_are_refused(self):
        if MPICH:
            self.skipTest("its launcher has no --app")
        with tempfile.NamedTemporaryFile("w") as parts:
            parts.write(f"-n 1 {PROGRAM}\n-n 1 {PROGRAM}\n")
            parts.flush()
            done = run(launcher=[LAUNCHER[0], "--app", parts.name])
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("listed in a file (--app) cannot be recorded", done.stderr)


class Recorders(unittest.TestCase):
    """Ranks without the recorder, and other libraries that are preloaded."""

    def test_ranks_without_a_recorder_are_named(self):
        """Without the launcher's number of ranks on this machine, recorders count their files."""
        if RANKS != 3:
            self.skipTest("once is enough")
        alone = ["env", "-u", "LD_PRELOAD", PROGRAM]
        apart = ["env", "-u", "OMPI_COMM_WORLD_LOCAL_SIZE", "-u", "MPI_LOCALNRANKS"]
        for with_recorder in ([PROGRAM], [*apart, PROGRAM]):
            for parts, missing in (([with_recorder, alone], [1]), ([alone, with_recorder], [0]), ([with_recorder, with_recorder], [])):
                if parts[0] is alone and with_recorder != [PROGRAM]:
                    continue  # rank 0 answers; the others would wait long for it
                done = run(launcher=[LAUNCHER[0], "-n", "1", *parts[0], ":", "-n", "1", *parts[1]])
                self.assertEqual(done.returncode, 0, done.stderr)
                data = data_of(done)
                self.assertEqual((data["unrecorded"], data["unfinished"]), (missing, []))
                self.assertEqual(sums(data, "calls"), {name: count * (2 - len(missing)) for name, count in EXPECTED["c"].items()})
                sentence = f"Rank {missing[0]} has no record: the recorder was not loaded. Their calls are missing here." if missing else None
                self.assertTrue(sentence is None or sentence in data["sentences"], data["sentences"])
                self.assertLess(data["seconds"], 200)

    def test_other_libraries_stay_preloaded(self):
        words = {True: (["-genv", "LD_PRELOAD", "libanl.so.1"], ["-env", "LD_PRELOAD", "libanl.so.1"]),
                 False: (["-x", "LD_PRELOAD=libanl.so.1"],)}[MPICH]
        for given in (*((word, []) for word in words), ([], ["env", "LD_PRELOAD=libanl.so.1"])):
            done = run("/proc/self/maps", launcher=[LAUNCHER[0], "-n", "1", *given[0], *given[1], "cat"])
            self.assertIn("libanl.so", done.stdout, given)
            self.assertIn("libseiche_profile_", done.stdout, given)

    def test_folders_with_blanks_and_colons(self):
        if RANKS != 1 or MPICH:
            self.skipTest("once is enough")
        with tempfile.TemporaryDirectory() as scratch:
            tree = pathlib.Path(scratch, "a b:c")
            (tree / "bin").mkdir(parents=True)
            shutil.copy(COMMAND, tree / "bin/seiche")
            words = [tree / "bin/seiche", "profile", "--json", "--", *LAUNCHER, PROGRAM]
            done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("libseiche_profile_openmpi.so is missing beside this command: build the target seiche_profile_openmpi", done.stderr)
            recorder = next(pathlib.Path(COMMAND).parents[1].glob("lib*/**/libseiche_profile_openmpi.so"))
            (tree / "lib/seiche").mkdir(parents=True)
            shutil.copy(recorder, tree / "lib/seiche")
            for folder in (tree, pathlib.Path(scratch)):
                done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sums(data_of(done), "calls"), EXPECTED["c"])
                self.assertEqual([path.name for path in folder.iterdir() if path.name.startswith("seiche-")], [])


class ToldToEnd(unittest.TestCase):
    """A signal to the command alone."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def end(self, signal_number, words, ready):
        """Sends the signal when so many processes have said their numbers. The exit status, stdout, stderr and numbers."""
        with subprocess.Popen([COMMAND, "profile", "--json", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder) as seiche:
            lines = []
            while sum(line.startswith("pid ") for line in lines) < ready:
                lines.append(seiche.stdout.readline())
                self.assertNotEqual(lines[-1], "", lines)
            if ready == 0:
                time.sleep(1)
            seiche.send_signal(signal_number)
            out, err = seiche.communicate(timeout=60)
        return seiche.returncode, "".join(lines) + out, err, [int(line.split()[1]) for line in lines if line.startswith("pid ")]

    def expect_ended(self, numbers):
        for number in numbers:
            self.assertRaises(ProcessLookupError, os.kill, number, 0)

    def expect_report(self, out, err):
        data = json.loads(out.splitlines()[-1])
        self.assertEqual(data["unfinished"], list(range(RANKS)))
        self.assertEqual(sums(data, "calls"), {name: calls * RANKS for name, calls in EXPECTED["c"].items()})
        self.assertEqual(err.count("received a signal"), 1, err)

    def test_what_was_recorded_is_reported(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            code, out, err, processes = self.end(number, ["-o", "page.html", "--", *LAUNCHER, PROGRAM, "forever"], RANKS)
            self.assertEqual(code, 128 + number, err)
            self.expect_ended(processes)
            self.expect_report(out, err)
            self.assertEqual(sorted(os.listdir(self.folder)), ["page.csv", "page.html", "page.trace.json"])

    def test_a_launcher_in_a_script(self):
        library = "mpich" if MPICH else "openmpi"
        script = " ".join([*LAUNCHER, PROGRAM, "forever"]) + "; true"
        code, out, err, processes = self.end(signal.SIGTERM, ["--mpi", library, "--", "sh", "-c", script], RANKS)
        self.assertEqual(code, 143, err)
        self.expect_ended(processes)
        self.expect_report(out, err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_before_there_are_records(self):
        library = "mpich" if MPICH else "openmpi"
        code, out, err, _ = self.end(signal.SIGTERM, ["--mpi", library, "--", "sleep", "100"], 0)
        self.assertEqual((code, out), (143, ""), err)
        self.assertIn("no process wrote a record", err)
        self.assertEqual(os.listdir(self.folder), [])


class ThreadsAndProcesses(unittest.TestCase):
    def test_threads_share_the_time(self):
        if MPICH:
            self.skipTest("the program is built with this build's library only")
        done = run(sibling("threads"))
        if "one thread" in done.stdout:
            self.skipTest("this MPI library has no threads")
        data = data_of(done)
        self.assertEqual(data["threads"], 5 * RANKS)
        self.assertGreater(data["mpi_seconds"], data["seconds"] * RANKS)
        said = next(s for s in data["sentences"] if "of the time is spent in MPI" in s)
        self.assertIn(f"on each of {5 * RANKS} threads of {RANKS} rank", said)
        share = int(said.split()[0])
        self.assertAlmostEqual(share, 100 * data["mpi_seconds"] / data["seconds"] / data["threads"], delta=0.51)
        self.assertLessEqual(share, 100)

    def test_spawned_processes_are_mentioned(self):
        done = run(PROGRAM, "spawn")
        data = data_of(done)
        if MPICH and "MPI cannot spawn" in done.stdout:
            self.assertEqual(data["spawned"], 0)
            self.skipTest("this MPICH cannot spawn processes")
        self.assertEqual(data["spawned"], 2)
        self.assertIn("The program spawned 2 processes through MPI; they are not recorded.", data["sentences"])
        self.assertEqual(sums(data, "calls")["MPI_Comm_spawn"], RANKS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
