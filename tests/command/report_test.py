# SPDX-License-Identifier: BSD-3-Clause
"""What the command says of good input, for people and for programs; the same on any number of ranks."""
import json
import re
import unittest

from case import IRON, SILICON, Case, mtx, ranks, run

BENCH_FIELDS = """case ranks threads hosts mpi git repeats seconds gflops bytes_sent_per_rank bytes_lower_bound peak_memory_bytes
                  chosen mpi_calls max_error error_bound memory_predicted step"""
ALGORITHMS = {"alltoallv", "shared", "alltoall", "pairwise", "ialltoallv"}
HELP = {"tune": "--grid --skew product move boxes", "tune product": "--blocks --files --budget",
        "tune move": "--bands --from --to --skew", "tune boxes": "--grid --from --to --halo --fields --complex --skew"}


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])


class Report(Case):
    def test_info(self):
        text = self.text("info", SILICON, "--json", "--check")
        self.assertEqual(text.count("\n"), 1)
        found = json.loads(text)
        expected = {"format": "Quantum ESPRESSO .save (dat)", "kpoints": 8, "spins": 1, "bands": 8, "plane_waves": 200,
                    "electrons": 8.0, "grid": [20, 20, 20], "symmetries": 48, "coefficients": 8 * 1496, "sound": True}
        self.assertEqual({name: found[name] for name in expected}, expected)
        self.assertLess(max(found["norm_deviation"], found["largest_overlap"]), 1e-13)
        text = self.text("info", IRON)
        for part in ("Quantum ESPRESSO", "Fe", "vector", "20 x 20 x 20"):
            self.assertIn(part, text)

    def test_density_of_silicon(self):
        cube = self.folder / "si.cube"
        done = run("--json", "density", SILICON, "-o", cube, "--compare", SILICON)
        found = json.loads(done.stdout)
        self.assertAlmostEqual(found["electrons"], 8, delta=1e-10)
        self.assertLessEqual(found["max_relative_deviation"], 1e-12)
        self.assertEqual((found["files"], found["ranks"]), ([str(cube)], int(ranks)))
        self.assertGreaterEqual(found["seconds"]["total"], found["seconds"]["transform"])
        stages = [found["seconds"][stage] for stage in ("read", "transform", "symmetrise", "write")]
        self.assertGreaterEqual(min(stages), 0)
        # each is the longest of all ranks, and another rank may be it in each
        self.assertLessEqual(sum(stages) if ranks == "1" else max(stages), found["seconds"]["total"] * 1.001)
        self.assertNotIn("\r", done.stderr, "a progress bar without a terminal")
        self.assertEqual(self.deviation(SILICON, cube), 0)

    def test_density_in_another_format(self):
        for ending in ("cube", "xsf", "h5"):
            made = self.folder / f"together.{ending}"
            source = SILICON if ending == "cube" else self.folder / "together.cube"
            self.same_alone("convert", source, made)
            found = self.report("convert", source, self.folder / f"again.{ending}")
            self.assertEqual([found["files"], found["grid"], found["units"]],
                             [[str(self.folder / f"again.{ending}")], [20, 20, 20], "electrons per bohr^3"])
            if ending != "h5":
                self.assertLessEqual(self.deviation(SILICON, made), 1e-12)

    def test_density_goes_along_to_another_format(self):
        together = self.folder / "together.check"
        self.same_alone("convert", SILICON, "--density", together)
        found = self.report("convert", SILICON, together, "--density")
        self.assertFalse([loss for loss in found["losses"] if "density" in loss])
        self.assertEqual(self.report("info", together)["density_components"], 1)
        self.assertLessEqual(self.deviation(SILICON, together), 1e-12)

    def test_every_way_gives_the_same_file(self):
        files = []
        for algorithm in ("alltoallv", "alltoall", "pairwise", "shared"):
            files.append(self.folder / f"{algorithm}.cube")
            self.text("density", SILICON, "-o", files[-1], "--algorithm", algorithm, "--threads", 2)
        self.assertEqual(len({path.read_bytes() for path in files}), 1)

    def test_vector_magnetisation(self):
        found = self.report("density", IRON, "-o", self.folder / "fe.cube", "--compare", IRON, "--picture", self.folder / "fe.png")
        self.assertLessEqual(found["max_relative_deviation"], 1e-12)
        self.assertEqual(len(found["magnetisation"]), 3)
        self.assertAlmostEqual(found["magnetisation"][2], 2.981857, delta=1e-5)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["fe.cube", "fe.png", "fe_mx.cube", "fe_my.cube", "fe_mz.cube"])

    def test_purify(self):
        files = [mtx(self.folder / "ks.mtx", 2, ["1 1 -1.0", "2 1 0.1", "2 2 0.5"]),
                 mtx(self.folder / "s.mtx", 2, ["1 1 1.0", "2 1 0.2", "2 2 1.0"])]
        # of the generalised problem of two functions the lower level is a root of a quadratic
        a, b, c = 1 - 0.2 ** 2, 1.0 + 0.2 * 0.1 * 2 - 0.5, -0.5 - 0.1 ** 2
        level = (-b - (b * b - 4 * a * c) ** 0.5) / (2 * a)
        for purifier in ("trs4", "tc2", "mcweeny", "sign"):
            out = self.folder / f"p_{purifier}.mtx"
            found = self.report("purify", *files, "--electrons", 2, "--blocks", "1,1", "--purifier", purifier, "-o", out)
            self.assertAlmostEqual(found["trace"], 2, delta=1e-10)
            self.assertAlmostEqual(found["energy"], 2 * level, delta=1e-9)
            self.assertLessEqual(found["idempotency"], found["error_bound"])
            self.assertLess(found["error_bound"], 1e-5)
            self.assertGreater(found["iterations"], 0)
            self.assertTrue(out.read_text().startswith("%%MatrixMarket"))

    def test_bench_blocksparse(self):
        for case in (["--blocks", 12, "--sizes", "5,13", "--fill", 0.4, "--rates"],
                     ["--water", 3, "--sizes", 6, "--eps", 1e-6, "--deal", "curve", "--overlap-report"]):
            text = self.text("bench", "blocksparse", *case, "--repeat", 2, "--json")
            self.assertEqual(text.count("\n"), 1)
            found = json.loads(text)
            self.assertEqual(set(BENCH_FIELDS.split()) - set(found), set())
            self.assertLess(found["max_error"], 1e-4 if "--water" in case else 1e-13)
            self.assertLessEqual(found["bytes_received"], found["bytes_whole_panels"])
            self.assertEqual("ratio" in found, "--overlap-report" in case)

    def test_bench_of_bound(self):
        fields = {"seconds", "lines", "memory", "links", "bytes", "share"}
        large = ["--grid", 8, "--repeat", 1, "--of-bound"]
        for case in (["fft"], ["fft", "--kind", "r2c"], ["bands", "--bands", 2], ["bands", "--bands", 2, "--density"]):
            found = self.report("bench", *case, *large)
            least = found["of_bound"]
            self.assertEqual(set(least), fields)
            self.assertEqual((least["memory"], least["links"], least["bytes"]), (0, 0, 0))  # all arrays fit the cache
            self.assertGreater(least["lines"], 0)
            self.assertEqual(least["seconds"], least["lines"])
            self.assertAlmostEqual(least["share"], least["seconds"] / found["seconds"]["median"])
            self.assertNotIn("of_bound", self.report("bench", *case, *large[:-1]))
        text = self.text("bench", "fft", *large)
        self.assertIn("least time", text)
        self.assertIn("of the bound", text)

    def test_bench_density(self):
        found = self.report("bench", "density", SILICON, "--repeat", 2)
        self.assertAlmostEqual(found["electrons"], 8, delta=1e-10)
        self.assertEqual(set(found["methods"]), {"read", "transforms", "cold", "warm"})
        self.assertGreater(found["cold_ratio"], 0)
        people = self.text("bench", "density", SILICON, "--repeat", 1)
        for method in found["methods"]:
            self.assertRegex(people, rf"(?m)^  {method} +[0-9.]+ ms$")

    def test_version_and_help(self):
        self.assertRegex(self.text("--version"), r"^seiche \d+\.\d+\.\d+\n$")
        self.assertIn("density", self.text("--help"))
        for words, options in HELP.items():
            text = self.text(*words.split(), "--help")
            for option in options.split():
                self.assertIn(option, text)


class Traces(Case):
    def write(self, name, *lines):
        (self.folder / name).write_text("\n".join(["seiche trace 1", "epoch 0", *lines, ""]))

    def page_of(self, name):
        page = self.folder / f"{name}.html"
        self.text("trace", self.folder / name, "-o", page)
        return data_of(page)

    def test_trace_of_a_run(self):
        name, events = self.folder / "run", self.folder / "events.json"
        self.text("bench", "bands", "--grid", 16, "--bands", 5, "--repeat", 4, "--window", 3,
                  environment={"SEICHE_TRACE": str(name)})
        found = self.report("trace", name, "-o", events)
        self.assertEqual(len(found["processes"]), int(ranks))
        for process in found["processes"]:
            self.assertEqual(process["stages"], 5 * 5 * 3)  # calls, the first to warm up, x bands x stages
            self.assertEqual(process["exchanges"], 5 * 5 * 2)
            self.assertGreater(process["worked"], 0)
            self.assertLessEqual(process["worked"] + process["waited"], found["seconds"])
        self.assertIn("mostly working", self.text("trace", name))
        data = self.page_of("run")
        for path in (events, self.folder / "run.trace.json"):
            self.assertGreaterEqual(len(json.loads(path.read_text())["traceEvents"]), 5 * 5 * 5 * int(ranks))
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
        self.assertEqual(run("trace", name, "-o", self.folder / "no" / "run.html").returncode, 1)

    def test_work_too_short_for_the_clock_is_a_call(self):
        self.write("short.0", "work 0 0 1 1", "work 0 0 1 2")
        self.assertEqual(self.page_of("short")["rows"][0]["calls"], 2)

    def test_waiting_of_a_recorded_run(self):
        # Exchanges of both ranks: rank 1 starts the first 3 s after rank 0 needs it, and the second before.
        self.write("made.0", "work 0 0 0.5 1", "passage 1 2 6", "passage 7 7 8")
        self.write("made.1", "work 0 0 0.5 1", "passage 5 5 6", "passage 6.5 7 7")
        data = self.page_of("made")
        for found, expected in ((data["seconds"], 7.5), (data["waiting"]["late"], 3), (data["waiting"]["transport"], 1 + 1 + 1),
                                (data["overlap"]["under_way"], 5 + 1 + 1 + 0.5), (data["overlap"]["outside"], 7.5 - 6)):
            self.assertAlmostEqual(found, expected)
        self.assertEqual([round(x, 9) for x in data["late_for"]], [0, 3])
        self.write("made.1", "work 0 0 0.5 1")
        data = self.page_of("made")
        self.assertEqual(data["waiting"]["late"], 0)
        self.assertTrue(any("different numbers of exchanges" in s for s in data["sentences"]))
        self.write("made.0", "work 7000000 0 0.5 1")
        self.assertEqual(run("trace", self.folder / "made").returncode, 1)


class Tuning(Case):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "folder" / "tuning.json"
        self.file = {"SEICHE_TUNING": str(self.path)}

    def tune(self, *words, budget=0.1):
        return self.report("tune", *words, "--budget", budget, environment=self.file)

    def chosen(self, *words):
        return self.report("bench", *words, "--repeat", 1, environment=self.file)["chosen"]

    def expect_kept(self, *reports):
        self.assertEqual({report["case"]: report["chosen"] for report in reports},
                         self.report("tune", "--show", environment=self.file)["cases"])

    def expect_tried(self, report):
        tried = {trial["settings"].split(",")[0] for trial in report["trials"]}
        self.assertTrue(ALGORITHMS <= tried, tried)
        self.assertTrue(all(trial["seconds"] > 0 and trial["rounds"] >= 3 for trial in report["trials"]))

    def test_tuning_is_kept_shown_and_used(self):
        grid, sphere = ["--grid", 16], ["--grid", "16,12,18", "--radius", 4, "--bands", 3, "--band-groups", 0]
        reports = [self.tune(*grid, "--skew", 30, budget=0.2), self.tune(*sphere, budget=0.2)]
        self.expect_kept(*reports)
        shown = self.text("tune", "--show", environment=self.file)
        self.assertIn("2 cases", shown)
        for report, case in zip(reports, (["fft", *grid], ["bands", *sphere])):
            self.assertIn(report["case"], shown)
            self.expect_tried(report)
            chosen = self.chosen(*case)
            self.assertEqual(chosen["algorithm"], report["chosen"]["algorithm"])
            if report["chosen"]["library"] != "fastest":  # which stands for any library
                self.assertEqual(chosen["library"], report["chosen"]["library"])

    def test_tuning_of_products_and_moves(self):
        blocks = ["--blocks", 30, "--sizes", "5,13", "--fill", 0.5]
        product = self.tune("product", *blocks)
        move = self.tune("move", "--kpoints", 2, "--bands", 12, "--waves", 300, "--spinor", "--skew", 20)
        self.expect_kept(product, move, self.tune("--grid", 8))
        self.assertTrue(product["case"].startswith("product r8 30x30x30 blocks of 9x9x9, fill 1e-1 and 1e-1, on "), product["case"])
        self.assertTrue(move["case"].startswith(f"move of 1e1 bands of 1e2 waves to 1x1x{ranks}, {ranks} ranks"), move["case"])
        for report in (product, move):
            self.expect_tried(report)
        people = self.text("tune", "move", "--bands", 12, "--waves", 300, "--budget", 0.1, environment=self.file)
        self.assertIn(f"chosen, and saved in {self.path}", people)
        self.path.write_text(json.dumps({product["case"]: dict(product["chosen"], panels="4", layers="1", window="2")}))
        chosen = self.chosen("blocksparse", *blocks)
        self.assertEqual((chosen["panels"], chosen["window"]), (1, 1) if ranks == "1" else (4, 2))

    def test_tuning_of_boxes(self):
        to_columns = self.tune("boxes", "--grid", "12,9,15", "--fields", 20, "--complex")
        halo = self.tune("boxes", "--grid", "12,9,15", "--to", f"1,1,{ranks}", "--halo", 1)
        self.expect_kept(to_columns, halo)
        # of 1620 points, 540 are in a box of one of three ranks, and 180 stay; a halo has two planes of 108 points
        sent = {"1": "1e0 bytes for 0 ranks and 1e4", "3": "1e3 bytes for 2 ranks and 1e3"}
        if ranks in sent:
            self.assertIn(f"boxes with {sent[ranks]} bytes that stay, 1e1 fields of 16-byte values", to_columns["case"])
            self.assertIn(f"boxes with {sent[ranks]} bytes that stay, 1e0 fields of 8-byte values", halo["case"])

    @unittest.skipIf(ranks == "1", "nothing moves on one rank")
    def test_progress_is_what_the_caller_says_or_what_was_tuned(self):
        case = ["--grid", 32, "--radius", 8, "--bands", 6]
        self.tune(*case)
        tuned = json.loads(self.path.read_text())
        self.assertEqual(len(tuned), 1)

        def polls(progress, *said):
            for settings in tuned.values():
                settings.update(algorithm="pairwise", window="3", progress=progress)
            self.path.write_text(json.dumps(tuned))
            report = self.report("bench", "bands", *case, *said, "--repeat", 1, "--overlap-report", environment=self.file)
            self.assertEqual((report["chosen"]["algorithm"], report["messages"]), ("pairwise", "host"))
            return report["polls"]

        self.assertEqual(polls("none"), 0)
        self.assertGreater(polls("poll"), 0)
        self.assertGreater(polls("none", "--progress", "poll"), 0)
        self.assertEqual(polls("thread", "--progress", "none"), 0)
