#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the command says of good input, for people and for programs; the same on any number of ranks.
report_test.py SEICHE DATA RANKS MPIEXEC..."""
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from case import IRON, SILICON, ranks
import case as command



def run(*arguments, check=True, **options):
    done = command.run(*arguments, **options)
    assert not check or done.returncode == 0, done.stderr
    return done


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-report-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_info_as_json_is_one_line(self):
        text = run("info", SILICON, "--json", "--check").stdout
        self.assertEqual(text.count("\n"), 1)
        found = json.loads(text)
        expected = {"format": "Quantum ESPRESSO .save (dat)", "kpoints": 8, "spins": 1, "bands": 8, "plane_waves": 200,
                    "electrons": 8.0, "grid": [20, 20, 20], "symmetries": 48, "coefficients": 8 * 1496, "sound": True}
        self.assertEqual({name: found[name] for name in expected}, expected)
        self.assertLess(max(found["norm_deviation"], found["largest_overlap"]), 1e-13)

    def test_info_for_people(self):
        text = run("info", IRON).stdout
        for part in ("Quantum ESPRESSO", "Fe", "vector", "20 x 20 x 20"):
            self.assertIn(part, text)

    def test_density_of_silicon(self):
        cube = self.folder / "si.cube"
        done = run("--json", "density", SILICON, "-o", cube, "--compare", SILICON)
        found = json.loads(done.stdout)
        self.assertAlmostEqual(found["electrons"], 8, delta=1e-10)
        self.assertLessEqual(found["max_relative_deviation"], 1e-12)
        self.assertEqual(found["files"], [str(cube)])
        self.assertEqual(found["ranks"], int(ranks))
        self.assertGreaterEqual(found["seconds"]["total"], found["seconds"]["transform"])
        stages = [found["seconds"][stage] for stage in ("read", "transform", "symmetrise", "write")]
        self.assertGreaterEqual(min(stages), 0)
        # each is the longest of all ranks, and another rank may be it in each
        self.assertLessEqual(sum(stages) if ranks == "1" else max(stages), found["seconds"]["total"] * 1.001)
        self.assertNotIn("\r", done.stderr, "a progress bar without a terminal")

    def test_files_are_the_same_to_the_last_byte_on_one_rank_and_on_many(self):
        for ending in ("cube", "xsf", "h5"):
            alone, together = self.folder / f"alone.{ending}", self.folder / f"together.{ending}"
            run("density", SILICON, "-o", alone, launcher=[])
            run("density", SILICON, "-o", together)
            self.assertEqual(alone.read_bytes(), together.read_bytes(), ending)

    def test_density_in_another_format(self):
        for ending in ("cube", "xsf", "h5"):
            alone, together = self.folder / f"alone.{ending}", self.folder / f"together.{ending}"
            source = SILICON if ending == "cube" else self.folder / "alone.cube"
            run("convert", source, alone, launcher=[])
            found = json.loads(run("convert", source, together, "--json").stdout)
            self.assertEqual(alone.read_bytes(), together.read_bytes(), ending)
            self.assertEqual([found["files"], found["grid"], found["units"]],
                             [[str(together)], [20, 20, 20], "electrons per bohr^3"])
            if ending != "h5":
                deviation = json.loads(run("--json", "density", SILICON, "--compare", alone).stdout)
                self.assertLessEqual(deviation["max_relative_deviation"], 1e-12)

    def test_density_goes_along_to_another_format(self):
        alone, together = self.folder / "alone.check", self.folder / "together.check"
        run("convert", SILICON, alone, "--density", launcher=[])
        found = json.loads(run("convert", SILICON, together, "--density", "--json").stdout)
        self.assertEqual(alone.read_bytes(), together.read_bytes())
        self.assertFalse([loss for loss in found["losses"] if "density" in loss])
        self.assertEqual(json.loads(run("info", together, "--json").stdout)["density_components"], 1)
        self.assertLessEqual(json.loads(run("density", SILICON, "--compare", together, "--json").stdout)
                             ["max_relative_deviation"], 1e-12)

    def test_every_way_gives_the_same_file(self):
        files = []
        for algorithm in ("alltoallv", "alltoall", "pairwise", "shared"):
            files.append(self.folder / f"{algorithm}.cube")
            run("density", SILICON, "-o", files[-1], "--algorithm", algorithm, "--threads", 2)
        self.assertEqual(len({path.read_bytes() for path in files}), 1)

    def test_written_cube_is_a_reference_without_deviation(self):
        cube = self.folder / "si.cube"
        run("density", SILICON, "-o", cube)
        self.assertEqual(json.loads(run("--json", "density", SILICON, "--compare", cube).stdout)
                         ["max_relative_deviation"], 0)

    def test_vector_magnetisation(self):
        picture = self.folder / "fe.png"
        found = json.loads(run("density", IRON, "-o", self.folder / "fe.cube", "--compare", IRON, "--picture", picture,
                               "--json").stdout)
        self.assertLessEqual(found["max_relative_deviation"], 1e-12)
        self.assertEqual(len(found["magnetisation"]), 3)
        self.assertAlmostEqual(found["magnetisation"][2], 2.981857, delta=1e-5)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["fe.cube", "fe.png", "fe_mx.cube", "fe_my.cube", "fe_mz.cube"])

    def test_purify(self):
        ks, overlap = [[-1.0, 0.1], [0.1, 0.5]], [[1.0, 0.2], [0.2, 1.0]]
        files = []
        for name, rows in (("ks.mtx", ks), ("s.mtx", overlap)):
            files.append(self.folder / name)
            lines = [f"{i + 1} {j + 1} {rows[i][j]}" for i in range(2) for j in range(i + 1)]
            files[-1].write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n" + "\n".join(lines) + "\n")
        # of the generalised problem of two functions the lower level is a root of a quadratic
        a, b, c = 1 - 0.2 ** 2, 1.0 + 0.2 * 0.1 * 2 - 0.5, -0.5 - 0.1 ** 2
        level = (-b - (b * b - 4 * a * c) ** 0.5) / (2 * a)
        for purifier in ("trs4", "tc2", "mcweeny", "sign"):
            out = self.folder / f"p_{purifier}.mtx"
            found = json.loads(run("purify", *files, "--electrons", 2, "--blocks", "1,1", "--purifier", purifier, "-o", out,
                                   "--json").stdout)
            self.assertAlmostEqual(found["trace"], 2, delta=1e-10)
            self.assertAlmostEqual(found["energy"], 2 * level, delta=1e-9)
            self.assertLessEqual(found["idempotency"], found["error_bound"])
            self.assertLess(found["error_bound"], 1e-5)
            self.assertGreater(found["iterations"], 0)
            self.assertTrue(out.read_text().startswith("%%MatrixMarket"))

    def test_bench_blocksparse(self):
        for case in (["--blocks", 12, "--sizes", "5,13", "--fill", 0.4, "--rates"],
                     ["--water", 3, "--sizes", 6, "--eps", 1e-6, "--deal", "curve", "--overlap-report"]):
            text = run("bench", "blocksparse", *case, "--repeat", 2, "--json").stdout
            self.assertEqual(text.count("\n"), 1)
            found = json.loads(text)
            for field in ("case", "ranks", "threads", "hosts", "mpi", "git", "repeats", "seconds", "gflops",
                          "bytes_sent_per_rank", "bytes_lower_bound", "peak_memory_bytes", "chosen", "mpi_calls",
                          "max_error", "error_bound", "memory_predicted", "step"):
                self.assertIn(field, found)
            self.assertLess(found["max_error"], 1e-4 if "--water" in case else 1e-13)
            self.assertLessEqual(found["bytes_received"], found["bytes_whole_panels"])
            self.assertEqual("ratio" in found, "--overlap-report" in case)

    def test_bench_density(self):
        found = json.loads(run("bench", "density", SILICON, "--repeat", 2, "--json").stdout)
        self.assertAlmostEqual(found["electrons"], 8, delta=1e-10)
        self.assertEqual(set(found["methods"]), {"read", "transforms", "cold", "warm"})
        self.assertGreater(found["cold_ratio"], 0)
        people = run("bench", "density", SILICON, "--repeat", 1).stdout
        for method in found["methods"]:
            self.assertRegex(people, rf"(?m)^  {method} +[0-9.]+ ms$")

    def test_trace_of_a_run(self):
        name, events = self.folder / "run", self.folder / "events.json"
        run("bench", "bands", "--grid", 16, "--bands", 5, "--repeat", 4, "--window", 3,
            environment={"SEICHE_TRACE": str(name)})
        found = json.loads(run("trace", name, "-o", events, "--json").stdout)
        self.assertEqual(len(found["processes"]), int(ranks))
        for process in found["processes"]:
            self.assertEqual(process["stages"], 5 * 5 * 3)  # calls, the first to warm up, x bands x stages
            self.assertEqual(process["exchanges"], 5 * 5 * 2)
            self.assertGreater(process["worked"], 0)
            self.assertLessEqual(process["worked"] + process["waited"], found["seconds"])
        self.assertGreaterEqual(len(json.loads(events.read_text())["traceEvents"]), 5 * 5 * 5 * int(ranks))
        self.assertIn("mostly working", run("trace", name).stdout)
        page = self.folder / "run.html"
        run("trace", name, "-o", page)
        data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])
        rows = {row["function"]: row for row in data["rows"]}
        self.assertEqual(sorted(rows), ["in flight", "stage 0", "stage 1", "stage 2", "waiting"])
        stages = [rows[f"stage {i}"] for i in range(3)]
        self.assertEqual(sum(row["calls"] for row in stages), 5 * 5 * 3 * int(ranks))
        for total, of in (("worked", sum(row["mean"] for row in stages)), ("waited", rows["waiting"]["mean"])):
            self.assertAlmostEqual(of * int(ranks), sum(process[total] for process in found["processes"]), delta=1e-6)
        waiting = data["waiting"]
        self.assertAlmostEqual(sum(waiting.values()), data["mpi_seconds"], delta=1e-9)
        self.assertLessEqual(waiting["late"], data["mpi_seconds"])
        self.assertAlmostEqual(sum(data["late_for"]), waiting["late"], delta=1e-9)
        self.assertGreaterEqual(len(json.loads((self.folder / "run.trace.json").read_text())["traceEvents"]), 5 * 5 * 5 * int(ranks))
        self.assertEqual(run("trace", name, "-o", self.folder / "no" / "run.html", check=False).returncode, 1)

    def test_work_too_short_for_the_clock_is_a_call(self):
        (self.folder / "short.0").write_text("\n".join(["seiche trace 1", "epoch 0", "work 0 0 1 1", "work 0 0 1 2", ""]))
        page = self.folder / "short.html"
        run("trace", self.folder / "short", "-o", page)
        data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])
        self.assertEqual(data["rows"][0]["calls"], 2)

    def test_waiting_of_a_recorded_run(self):
        # Exchanges of both ranks: rank 1 starts the first 3 s after rank 0 needs it, and the second before.
        records = ["passage 1 2 6", "passage 7 7 8"], ["passage 5 5 6", "passage 6.5 7 7"]
        for rank, lines in enumerate(records):
            (self.folder / f"made.{rank}").write_text("\n".join(["seiche trace 1", "epoch 0", "work 0 0 0.5 1", *lines, ""]))
        page = self.folder / "made.html"
        run("trace", self.folder / "made", "-o", page)
        data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])
        self.assertAlmostEqual(data["seconds"], 7.5)
        self.assertAlmostEqual(data["waiting"]["late"], 3)
        self.assertAlmostEqual(data["waiting"]["transport"], 1 + 1 + 1)
        self.assertEqual([round(x, 9) for x in data["late_for"]], [0, 3])
        self.assertAlmostEqual(data["overlap"]["under_way"], 5 + 1 + 1 + 0.5)
        self.assertAlmostEqual(data["overlap"]["outside"], 7.5 - 6)
        (self.folder / "made.1").write_text("seiche trace 1\nepoch 0\nwork 0 0 0.5 1\n")
        run("trace", self.folder / "made", "-o", page)
        data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])
        self.assertEqual(data["waiting"]["late"], 0)
        self.assertTrue(any("different numbers of exchanges" in s for s in data["sentences"]))
        (self.folder / "made.0").write_text("seiche trace 1\nepoch 0\nwork 7000000 0 0.5 1\n")
        self.assertEqual(run("trace", self.folder / "made", check=False).returncode, 1)

    def test_tuning_is_kept_shown_and_used(self):
        file = {"SEICHE_TUNING": str(self.folder / "folder" / "tuning.json")}
        dense = json.loads(run("tune", "--grid", 16, "--budget", 0.2, "--skew", 30, "--json", environment=file).stdout)
        sphere = json.loads(run("tune", "--grid", "16,12,18", "--radius", 4, "--bands", 3, "--band-groups", 0, "--budget",
                                0.2, "--json", environment=file).stdout)
        self.assertEqual({name: dense["chosen"] if name == dense["case"] else sphere["chosen"]
                          for name in (dense["case"], sphere["case"])},
                         json.loads(run("tune", "--show", "--json", environment=file).stdout)["cases"])
        shown = run("tune", "--show", environment=file).stdout
        self.assertIn("2 cases", shown)
        for report, case in ((dense, ["fft", "--grid", 16]),
                             (sphere, ["bands", "--grid", "16,12,18", "--radius", 4, "--bands", 3, "--band-groups", 0])):
            self.assertIn(report["case"], shown)
            tried = {trial["settings"].split(",")[0] for trial in report["trials"]}
            self.assertTrue({"alltoallv", "shared", "alltoall", "pairwise", "ialltoallv"} <= tried, tried)
            self.assertTrue(all(trial["seconds"] > 0 and trial["rounds"] >= 3 for trial in report["trials"]))
            chosen = json.loads(run("bench", *case, "--repeat", 1, "--json", environment=file).stdout)["chosen"]
            self.assertEqual(chosen["algorithm"], report["chosen"]["algorithm"])
            if report["chosen"]["library"] != "fastest":  # which stands for any library
                self.assertEqual(chosen["library"], report["chosen"]["library"])

    def test_tuning_of_products_and_moves(self):
        file = {"SEICHE_TUNING": str(self.folder / "tuning.json")}
        blocks = ["--blocks", 30, "--sizes", "5,13", "--fill", 0.5]
        product = json.loads(run("tune", "product", *blocks, "--budget", 0.1, "--json", environment=file).stdout)
        move = json.loads(run("tune", "move", "--kpoints", 2, "--bands", 12, "--waves", 300, "--spinor", "--budget", 0.1,
                              "--skew", 20, "--json", environment=file).stdout)
        dense = json.loads(run("tune", "--grid", 8, "--budget", 0.1, "--json", environment=file).stdout)
        cases = json.loads(run("tune", "--show", "--json", environment=file).stdout)["cases"]
        self.assertEqual({report["case"]: report["chosen"] for report in (product, move, dense)}, cases)
        self.assertTrue(product["case"].startswith("product r8 30x30x30 blocks of 9x9x9, fill 1e-1 and 1e-1, on "), product["case"])
        self.assertTrue(move["case"].startswith(f"move of 1e1 bands of 1e2 waves to 1x1x{ranks}, {ranks} ranks"), move["case"])
        for report in (product, move):
            tried = {trial["settings"].split(",")[0] for trial in report["trials"]}
            self.assertTrue({"alltoallv", "shared", "alltoall", "pairwise", "ialltoallv"} <= tried, tried)
            self.assertTrue(all(trial["seconds"] > 0 and trial["rounds"] >= 3 for trial in report["trials"]))
        people = run("tune", "move", "--bands", 12, "--waves", 300, "--budget", 0.1, environment=file).stdout
        self.assertIn("chosen, and saved in " + file["SEICHE_TUNING"], people)
        path = self.folder / "tuning.json"
        path.write_text(json.dumps({product["case"]: dict(product["chosen"], panels="4", layers="1", window="2")}))
        chosen = json.loads(run("bench", "blocksparse", *blocks, "--repeat", 1, "--json", environment=file).stdout)["chosen"]
        self.assertEqual((chosen["panels"], chosen["window"]), (1, 1) if ranks == "1" else (4, 2))

    def test_tuning_of_boxes(self):
        file = {"SEICHE_TUNING": str(self.folder / "tuning.json")}
        to_columns = json.loads(run("tune", "boxes", "--grid", "12,9,15", "--fields", 20, "--complex", "--budget", 0.1, "--json",
                                    environment=file).stdout)
        halo = json.loads(run("tune", "boxes", "--grid", "12,9,15", "--to", f"1,1,{ranks}", "--halo", 1, "--budget", 0.1, "--json",
                              environment=file).stdout)
        cases = json.loads(run("tune", "--show", "--json", environment=file).stdout)["cases"]
        self.assertEqual({report["case"]: report["chosen"] for report in (to_columns, halo)}, cases)
        # of 1620 points, 540 are in a box of one of three ranks, and 180 stay; a halo has two planes of 108 points
        sent = {"1": ("1e0 bytes for 0 ranks and 1e4", "1e0 bytes for 0 ranks and 1e4"),
                "3": ("1e3 bytes for 2 ranks and 1e3", "1e3 bytes for 2 ranks and 1e3")}
        if ranks in sent:
            self.assertIn(f"boxes with {sent[ranks][0]} bytes that stay, 1e1 fields of 16-byte values", to_columns["case"])
            self.assertIn(f"boxes with {sent[ranks][1]} bytes that stay, 1e0 fields of 8-byte values", halo["case"])

    def test_help_of_tuning(self):
        for words, options in ((["tune"], ["--grid", "--skew", "product", "move", "boxes"]), (["tune", "product"], ["--blocks", "--files", "--budget"]),
                               (["tune", "move"], ["--bands", "--from", "--to", "--skew"]),
                               (["tune", "boxes"], ["--grid", "--from", "--to", "--halo", "--fields", "--complex", "--skew"])):
            text = run(*words, "--help").stdout
            for option in options:
                self.assertIn(option, text)

    def test_progress_is_what_the_caller_says_or_what_was_tuned(self):
        if ranks == "1":
            self.skipTest("nothing moves on one rank")
        path = self.folder / "tuning.json"
        case = ["--grid", 32, "--radius", 8, "--bands", 6]
        run("tune", *case, "--budget", 0.1, environment={"SEICHE_TUNING": str(path)})
        tuned = json.loads(path.read_text())
        self.assertEqual(len(tuned), 1)

        def polls(progress, *said):
            for settings in tuned.values():
                settings.update(algorithm="pairwise", window="3", progress=progress)
            path.write_text(json.dumps(tuned))
            done = run("bench", "bands", *case, *said, "--repeat", 1, "--overlap-report", "--json",
                       environment={"SEICHE_TUNING": str(path)})
            report = json.loads(done.stdout)
            self.assertEqual(report["chosen"]["algorithm"], "pairwise")
            self.assertEqual(report["messages"], "host" if int(ranks) > 1 else "none")
            return report["polls"]

        self.assertEqual(polls("none"), 0)
        self.assertGreater(polls("poll"), 0)
        self.assertGreater(polls("none", "--progress", "poll"), 0)
        self.assertEqual(polls("thread", "--progress", "none"), 0)

    def test_version_and_help(self):
        self.assertRegex(run("--version").stdout, r"^seiche \d+\.\d+\.\d+\n$")
        self.assertIn("density", run("--help").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
