#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `seiche profile` finds in programs of known calls. profile_test.py COMMAND PROGRAM LANGUAGE RANKS LAUNCHER...

Counts are known from the programs' text; their output has to be what it is without the recorder."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from profiled import COMMAND, EXPECTED, LANGUAGE, LAUNCHER, MANY, MPICH, PROGRAM, PYTHON, QUERIES, RANKS, WAITS, data_of, run, sibling, sums


class Known(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done = run(PROGRAM)
        assert cls.done.returncode == 0, cls.done.stderr
        cls.data = data_of(cls.done)

    def test_calls(self):
        self.assertEqual(sums(self.data, "calls"), {name: calls * RANKS for name, calls in EXPECTED[LANGUAGE].items()})

    def test_bytes(self):
        found = sums(self.data, "bytes")
        alltoallv = EXPECTED[LANGUAGE]["MPI_Alltoallv"]
        self.assertEqual(found["MPI_Alltoallv"], RANKS * alltoallv * RANKS * 80)
        self.assertEqual(found["MPI_Allreduce"], RANKS * EXPECTED[LANGUAGE]["MPI_Allreduce"] * 8)
        self.assertEqual(found["MPI_Isend"], RANKS * 5000)
        self.assertEqual(found["MPI_Bcast"], 3 * 8)
        if LANGUAGE == "fortran":
            self.assertEqual(found["MPI_Allgather"], RANKS * 80)  # in place: what is received counts

    def test_places(self):
        self.assertTrue(all(row["line"] > 0 and "known." in row["file"] for row in self.data["rows"]), self.data["rows"])

    def test_output_is_unchanged(self):
        plain = subprocess.run([*LAUNCHER, PROGRAM], capture_output=True, text=True, timeout=300, check=True).stdout
        self.assertEqual(sorted(self.done.stdout.splitlines()[:-1]), sorted(plain.splitlines()))

    def test_matrix_is_what_was_sent(self):
        if RANKS < 3:
            return self.skipTest("with two ranks the next is the one before")
        alltoallv = EXPECTED[LANGUAGE]["MPI_Alltoallv"]
        for rank in self.data["by_rank"]:
            others = {peer: alltoallv * 80 for peer in range(RANKS) if peer != rank["rank"]}
            others[(rank["rank"] + 1) % RANKS] += 5 * 1000 + 100 + (4 * 500 if LANGUAGE == "c" else 0)
            for peer in others:
                others[peer] += (24 if rank["rank"] == 0 else 0) + (80 if LANGUAGE == "fortran" else 0)
            self.assertEqual({p: b for p, b in enumerate(rank["bytes"]) if b}, others)

    def test_communicators_made_again_and_again_are_named(self):
        different = 1 if RANKS < 3 else 2  # with two ranks both ways to split give each rank its own
        wanted = f"MPI_Comm_split {MANY} times on a rank with {different} different result"
        self.assertTrue(any(s.startswith(wanted) for s in self.data["sentences"]), self.data["sentences"])
        if LANGUAGE == "c":
            cached = data_of(run(PROGRAM, "cached"))
            self.assertFalse(any("Comm_split" in s for s in cached["sentences"]), cached["sentences"])

    def test_sub_communicators_of_each_transpose(self):
        if LANGUAGE != "c":
            return
        program = sibling("transposes")
        anew, cached = (data_of(run(program, "120", *words)) for words in ([], ["cached"]))
        said = [s for s in anew["sentences"] if s.startswith("MPI_Cart_sub 240 times on a rank with ")]
        self.assertEqual(len(said), 1, anew["sentences"])
        self.assertIn("in line_of (transposes.c:", said[0])
        self.assertFalse(any("MPI_Cart_sub" in s for s in cached["sentences"]), cached["sentences"])
        self.assertEqual(sums(cached, "calls")["MPI_Cart_sub"], 2 * RANKS)
        for data in (anew, cached):
            self.assertEqual(sums(data, "calls")["MPI_Alltoallv"], 240 * RANKS)

    def test_time_of_init_is_told_and_not_counted(self):
        init = next(row for row in self.data["rows"] if row["function"].startswith("MPI_Init"))
        self.assertGreater(init["min"], 1e-3)
        rest = sum(row["mean"] or 0 for row in self.data["rows"]) - init["mean"]
        self.assertAlmostEqual(rest * RANKS, self.data["mpi_seconds"], delta=1e-6 * max(1.0, rest))

    def test_queries_have_no_times(self):
        times = ("mean", "min", "max", "max_rank", "imbalance", "longest")
        for row in self.data["rows"]:
            query = row["function"] in QUERIES
            self.assertEqual([row[name] is None for name in times], [query] * len(times), row)
            self.assertEqual(row["class"] == "query", query)
        self.assertNotIn("query", self.data["classes"])
        counts = ", ".join(f"{name} {calls * RANKS}" for name, calls in sorted(QUERIES.items()))
        table = subprocess.run([COMMAND, "profile", "--", *LAUNCHER, PROGRAM], capture_output=True, text=True, timeout=300, check=True).stderr
        self.assertIn(f"\nWithout times: {counts}\n", table)
        self.assertRegex(table, r"\nfunction .* rank imbalance % .*\n")

    def test_imbalance(self):
        for row in self.data["rows"]:
            if row["mean"]:
                others = (row["mean"] * RANKS - row["max"]) / max(1, RANKS - 1)
                self.assertAlmostEqual(row["imbalance"], 1 - others / row["max"] if RANKS > 1 else 0, delta=1e-6)

    def test_equal_counts_are_named(self):
        self.assertTrue(any("MPI_Alltoallv" in s and "all counts are equal" in s for s in self.data["sentences"]), self.data["sentences"])


class Endings(unittest.TestCase):
    def setUp(self):
        if LANGUAGE != "c":
            self.skipTest("once is enough")

    def test_a_killed_rank_leaves_what_it_did(self):
        done = run(PROGRAM, "killed")
        self.assertNotEqual(done.returncode, 0)
        data = data_of(done)
        self.assertIn(RANKS - 1, data["unfinished"])
        self.assertIn("did not reach MPI_Finalize", data["sentences"][0])
        self.assertEqual(len(data["by_rank"]), RANKS)
        self.assertEqual(sums(data, "calls")["MPI_Comm_split"], RANKS * MANY)

    def test_few_events_keep_counts_whole(self):
        data = data_of(run(PROGRAM, options=["--events", "1024"]))
        self.assertEqual(sums(data, "calls"), {name: calls * RANKS for name, calls in EXPECTED["c"].items()})

    def test_a_layer_of_the_programs_own_is_told(self):
        layer = pathlib.Path(sibling("layer"))
        data = data_of(run(str(layer)))
        self.assertNotIn("MPI_Allreduce", sums(data, "calls"))
        self.assertTrue(any(s.startswith("1 MPI functions were intercepted by /") and f"/{layer.name}," in s for s in data["sentences"]),
                        data["sentences"])

    def test_the_command_itself_can_be_profiled(self):
        # The command's MPI is not MPICH: under MPICH's launcher each of its processes would be a world of its own
        launcher = [LAUNCHER[0], "-n", "1"] if MPICH else None
        data = data_of(run(COMMAND, "bench", "fft", "--grid", "8", "--repeat", "3", launcher=launcher))
        self.assertGreater(sums(data, "calls")["MPI_Allreduce"], 3)  # one for each transform at least
        self.assertFalse(any("were intercepted by" in s for s in data["sentences"]), data["sentences"])

    def test_only_the_first_program_is_recorded(self):
        once = " ".join([*LAUNCHER, PROGRAM])
        done = run("sh", "-c", f"{once} && {once}", launcher=[], options=["--mpi", "mpich" if MPICH else "openmpi"])
        self.assertEqual(sums(data_of(done), "calls"), {name: calls * RANKS for name, calls in EXPECTED["c"].items()})
        self.assertEqual(done.stderr.count("a program is already recorded, so that this one is not"), 1, done.stderr)

    def test_the_programs_status_is_kept(self):
        done = subprocess.run([COMMAND, "profile", "--", *LAUNCHER, PROGRAM, "three"], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_files_are_complete_or_absent(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "run.csv").mkdir()
            done = run(PROGRAM, options=["-o", f"{folder}/run.html"])
            self.assertEqual(done.returncode, 1)
            self.assertIn("run.csv: cannot be written", done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["run.csv", "run.html"])

    def test_faults(self):
        for words, sentence in [(["--", *LAUNCHER, "true"], "no process wrote a record"),
                                (["-o", "run.csv", "--", "true"], "run.csv is not the name of a page: use the ending .html"),
                                (["--", "true"], "give --mpi openmpi or --mpi mpich"),
                                (["--compare", "a.html"], "needs two pages"),
                                (["--compare", "a.html", "b.html"], "cannot find the file"),
                                (["--compare", __file__, __file__], "not a page"),
                                (["-o", "/nowhere/at/all.html", "--", "true"], "cannot be written")]:
            done = subprocess.run([COMMAND, "profile", *words], capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual(done.returncode, 1, (words, done.stderr))
            self.assertIn(sentence, done.stderr)


class Mpi4(unittest.TestCase):
    def setUp(self):
        if LANGUAGE != "c":
            self.skipTest("once is enough")

    def run_program(self, word):
        done = run(sibling("mpi4"), word)
        if "no MPI 4" in done.stdout:
            self.skipTest("this library has no MPI 4")
        return done

    def test_functions_with_large_counts(self):
        data = data_of(self.run_program("large"))
        calls, size = sums(data, "calls"), sums(data, "bytes")
        self.assertEqual([calls[name] for name in ("MPI_Allreduce", "MPI_Alltoallv", "MPI_Isend", "MPI_Irecv")],
                         [100 * RANKS, 10 * RANKS, RANKS, RANKS])
        self.assertEqual([size[name] for name in ("MPI_Allreduce", "MPI_Alltoallv", "MPI_Isend")],
                         [100 * RANKS * 512, 10 * RANKS * 8 * RANKS * (RANKS + 1) // 2, RANKS * 80])

    def test_sessions(self):
        done = self.run_program("sessions")
        self.assertEqual((done.returncode, done.stdout), (3, f"sum {RANKS}\n" * RANKS))
        self.assertEqual([line for line in done.stderr.splitlines() if line.startswith("seiche")],
                         ["seiche: the program uses sessions of MPI 4 without MPI_Init, which are not recorded"])


class Waiting(unittest.TestCase):
    """The programs time themselves what is to be found, so that a busy machine does no harm."""

    def setUp(self):
        if LANGUAGE != "c" or RANKS < 3:
            self.skipTest("needs three ranks, and once is enough")

    def find(self, cause, function):
        done = run(WAITS, cause)
        data, known = data_of(done), float(done.stdout.splitlines()[0])
        row = next(r for r in data["rows"] if r["function"] == function)
        return data, row, known

    def test_a_late_rank(self):
        data, row, known = self.find("late", "MPI_Barrier")
        self.assertGreater(known, 0)
        late = sum(r["late"] for r in data["rows"] if r["function"] == "MPI_Barrier")  # compilers may part a loop
        self.assertAlmostEqual(late, known, delta=0.1 * known + 0.005)
        self.assertEqual(max(range(RANKS), key=lambda r: row["late_for"][r]), 2)
        self.assertLess(row["missing"], 0.01 * known)

    def test_a_message_without_progress(self):
        _, row, known = self.find("unpolled", "MPI_Recv")
        self.assertGreater(known, 0)
        self.assertAlmostEqual(row["missing"], known, delta=0.1 * known + 0.005)


    def test_overlap(self):
        done = run(WAITS, "overlapped")
        data = data_of(done)
        under_way, computed = map(float, done.stdout.split()[:2])
        self.assertAlmostEqual(data["overlap"]["under_way"], under_way, delta=0.02 * under_way + 0.005)
        self.assertAlmostEqual(data["overlap"]["outside"], computed, delta=0.02 * computed + 0.005)
        self.assertGreater(computed, 0.3 * RANKS)
        self.assertTrue(any("were in flight for" in s for s in data["sentences"]), data["sentences"])


class Controlled(unittest.TestCase):
    def setUp(self):
        if LANGUAGE != "c":
            self.skipTest("the programs in Fortran call MPI_Pcontrol themselves")
        self.done = run(sibling("controlled"))
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.data, (self.off, self.late) = data_of(self.done), map(float, self.done.stdout.splitlines()[0].split())

    def test_calls_between_are_not_recorded(self):
        calls = sums(self.data, "calls")
        messages = {"MPI_Send": 1, "MPI_Recv": 2} if RANKS > 1 else {}
        self.assertEqual(calls, {"MPI_Init": RANKS, "MPI_Allreduce": 6 * RANKS, "MPI_Comm_rank": RANKS, "MPI_Comm_size": RANKS, "MPI_Wtime": 4 * RANKS,
                                 "MPI_Waitall": RANKS, **messages})
        self.assertEqual(sums(self.data, "bytes")["MPI_Allreduce"], 6 * RANKS * 8)
        self.assertEqual([rank["bytes"] for rank in self.data["by_rank"]][0], [0, 8, 0, 0][:RANKS])
        alone = [row["imbalance"] for row in self.data["rows"] if row["function"] in messages]
        self.assertEqual(alone, [1.0] * len(alone))  # one rank calls these

    def test_the_time_between_is_told(self):
        self.assertAlmostEqual(self.data["off"], self.off, delta=0.1 * self.off + 0.005)
        self.assertGreater(self.data["seconds"], self.data["off"])
        self.assertLess(self.data["overlap"]["under_way"], 0.1 * self.off)  # calls that were started between do not count
        self.assertTrue(any(s.startswith("MPI_Pcontrol switched recording off for ") for s in self.data["sentences"]), self.data["sentences"])
        plain = data_of(run(PROGRAM))
        self.assertEqual(plain["off"], 0)
        self.assertFalse(any("MPI_Pcontrol" in s for s in plain["sentences"]), plain["sentences"])

    def test_messages_are_matched_across(self):
        if RANKS == 1:
            return
        late = sum(row["late"] for row in self.data["rows"] if row["function"] == "MPI_Recv")
        self.assertAlmostEqual(late, self.late, delta=0.1 * self.late + 0.005)


class Pages(unittest.TestCase):
    def setUp(self):
        if LANGUAGE != "c":
            self.skipTest("once is enough")

    def test_files_beside_the_page_and_comparison(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = [os.path.join(folder, name) for name in ("many.html", "few.html")]
            run(PROGRAM, options=["-o", pages[0]])
            run(PROGRAM, "cached", options=["-o", pages[1]])
            self.assertEqual(sorted(os.listdir(folder)), sorted(f"{n}.{end}" for n in ("many", "few") for end in ("html", "csv", "trace.json")))
            events = json.loads(pathlib.Path(folder, "few.trace.json").read_text(encoding="utf-8"))["traceEvents"]
            self.assertEqual(sum(e["name"] == "MPI_Alltoallv" for e in events), 12 * RANKS)
            text = pathlib.Path(pages[0]).read_text(encoding="utf-8")
            table = list(csv.DictReader(pathlib.Path(folder, "few.csv").read_text(encoding="utf-8").splitlines()))
            for row in table:
                query = row["function"] in QUERIES
                self.assertEqual([row[name] == "" for name in ("mean_s", "min_s", "max_s", "max_rank", "longest_s", "imbalance")], [query] * 6, row)
            self.assertEqual(sum(int(row["calls"]) for row in table if row["function"] == "MPI_Wtime"), QUERIES["MPI_Wtime"] * RANKS)
            self.assertNotRegex(text, r"(src|href)=[\"']?(https?:)?//")
            compared = subprocess.run([COMMAND, "profile", "--json", "--compare", *pages], capture_output=True, text=True, check=True).stdout
            self.assertEqual(json.loads(compared)["functions"]["MPI_Comm_split"]["calls"], [MANY * RANKS, 2 * RANKS])


class Advised(unittest.TestCase):
    """exchanges.c says what it moves."""

    def setUp(self):
        if LANGUAGE != "c":
            self.skipTest("once is enough")

    def advised(self):
        program = sibling("exchanges")
        return run(program, options=["--advise"])

    def row(self, data, place):
        rows = [one for one in data["advice"] if one["place"].startswith(place)]
        self.assertTrue(rows, data["advice"])
        return max(rows, key=lambda one: one["calls"])  # compilers may part a loop

    def test_what_is_replayed_and_what_padding_costs(self):
        if MPICH:
            return self.skipTest("it replays with the library that it was built with")
        done = self.advised()
        self.assertEqual(done.returncode, 0, done.stderr)
        data = data_of(done)
        if RANKS == 1:
            self.assertEqual(data["advice"], [])
            return self.assertIn("No advice: no all-to-all between ranks was recorded.", data["sentences"])
        lopsided, late = self.row(data, "lopsided"), self.row(data, "late")
        self.assertEqual([lopsided[field] for field in ("function", "calls", "groups", "ranks")], ["MPI_Alltoallv", 10, 1, RANKS])
        self.assertEqual(lopsided["bytes"], 4000000 + 8 * (RANKS * (RANKS - 1) - 1))
        self.assertEqual(late["bytes"], 1000 * RANKS * (RANKS - 1))
        self.assertGreater(late["skew"], 0.0045)
        if RANKS > 2:
            rows = self.row(data, "in_rows")
            self.assertEqual([rows["groups"], rows["ranks"]], [2, 2] if RANKS == 4 else [1, 2])
            self.assertEqual(rows["bytes"], rows["groups"] * 2 * 10000)
        for one in data["advice"]:
            self.assertGreater(len(one["algorithms"]), 5)
            best = min(one["algorithms"], key=one["algorithms"].get)
            (least, _, median, upper), (now_least, now_lower, now_median, _) = one["spread"][best], one["spread"]["as it is"]
            self.assertEqual([median, now_median], [one["algorithms"][best], one["as_it_is"]])
            self.assertEqual(one["is_told"], upper < 0.9 * now_lower and least < 0.9 * now_least)
            self.assertEqual(one["saves"], one["calls"] * (now_least - least) if one["is_told"] else 0)
            sentence = next(s for s in data["sentences"] if s.startswith(f"{one['function']} in {one['place']}: ") and ("replay" in s))
            self.assertTrue("per call as it is" in sentence or not one["is_told"] or len(data["advice"]) > 3, sentence)
        # Padded to 4 MB, everybody moves what one pair moves.
        least = {way: spread[0] for way, spread in lopsided["spread"].items()}
        self.assertGreater(least["alltoall"], (1.5 if RANKS == 2 else 2.5) * min(least.values()))

    def test_a_program_of_another_library_is_refused_before_it_runs(self):
        if not MPICH:
            return self.skipTest("another library's program is asked for")
        done = run(PROGRAM, options=["--advise"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("the program uses mpich, but this command can replay only programs of openmpi", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_program_that_leaves_no_launcher_for_the_replay(self):
        if MPICH or RANKS == 1:
            return self.skipTest("once is enough")
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "once")
            program = sibling("exchanges")
            script.write_text(f"#!/bin/sh\n[ \"$1\" = {program} ] || exit 9\nexec {' '.join(LAUNCHER)} \"$@\"\n", encoding="utf-8")
            script.chmod(0o755)
            done = run(program, launcher=[str(script)], options=["--advise", "--mpi", "openmpi"])
            self.assertEqual(done.returncode, 1)
            self.assertIn("could not be replayed on the ranks of the program (status 9)", done.stderr)


class Python(unittest.TestCase):
    def test_a_program_of_mpi4py(self):
        done = run(PROGRAM, str(pathlib.Path(__file__).parent / "known.py"))
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = sums(data_of(done), "calls")
        self.assertEqual(calls["MPI_Barrier"], 4 * RANKS)
        self.assertIn(f"rank 0 has {RANKS * (RANKS - 1) // 2}", done.stdout)


if __name__ == "__main__":
    chosen = ["Python"] if PYTHON else ["Known", "Endings", "Mpi4", "Waiting", "Controlled", "Pages", "Advised"]
    unittest.main(argv=[sys.argv[0], *chosen])
