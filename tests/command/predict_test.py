# SPDX-License-Identifier: BSD-3-Clause
"""`seiche predict` and `seiche tune --machine`, on made-up machines whose times come out by hand."""
import csv
import json
import math
import xml.etree.ElementTree

from case import DATA, Case, ranks, run

MEASURED = DATA.parent.parent / "docs/performance/data"

LINK = {"latency": 1e-5, "message": 0, "bandwidth": 1e9, "cpu": 0}
LINES = {"n": 8, "cached_rows": 1e9, "cached_columns": 1e9, "rows": 1e9, "columns": 1e9}
MACHINE = {"machine": "made up", "cores": 2, "cache": 0, "wake": 0, "computing": [{"busy": 1, "cached_copy": 1e300, "copy": 1e300, "lines": [LINES]}],
           "inside": LINK, "between": None, "disk": {"write": 1e8, "read": 2e8}, "products": [{"size": 23, "flops": 1e10}]}


def lines(n):
    """Seconds of a pair of n^3 on one core."""
    return 2 * 3 * n**2 * 5 * n * math.log2(n) / 1e9


class OnMachines(Case):
    def written(self, name, **changes):
        path = self.folder / name
        path.write_text(json.dumps(MACHINE | changes))
        return path


class Predictions(OnMachines):
    def setUp(self):
        super().setUp()
        self.machine = self.written("m.json")

    def predicted(self, *words, machine=None):
        return self.report("predict", *words, "--machine", machine or self.machine)

    def test_lines_are_shared_by_cores(self):
        found = self.predicted("fft", "--grid", 8, "--ranks", "1,2,8", "--nodes", 1)
        self.assertEqual(found["case"], "fft c2c 8x8x8")
        self.assertEqual(found["machine"], "made up")
        self.assertEqual([p["ranks"] for p in found["predictions"]], [1, 2, 8])
        for prediction, share in zip(found["predictions"], (1, 2, 2)):  # two cores, whatever the ranks
            self.assertAlmostEqual(prediction["parts"]["lines"], lines(8) / share, delta=1e-12)
            self.assertEqual(prediction["limited_by"], "latency" if prediction["ranks"] > 1 and prediction["parts"]["latency"] > lines(8) / 2 else "lines")
        one = found["predictions"][0]
        self.assertAlmostEqual(one["seconds"], lines(8), delta=1e-12)
        self.assertEqual((one["nodes"], one["bytes_sent_per_rank"], one["chosen"]["algorithm"]), (1, 0, "shared"))
        self.assertLessEqual(one["best"]["seconds"], one["seconds"])

    def test_the_wire_is_shared_by_the_ranks_of_a_node(self):
        far = self.written("far.json", cores=1, between=LINK | {"latency": 1e-30, "bandwidth": 1e6})
        two, four = (self.predicted("fft", "--grid", 8, "--ranks", n, "--nodes", 2, "--way", "alltoallv", machine=far)["predictions"][0] for n in (2, 4))
        half = 2 * 16 * 8**3 / 2 / 2  # of what a node has half leaves it, there and back
        for prediction in (two, four):
            self.assertAlmostEqual(prediction["parts"]["network"], half / 1e6, delta=1e-9)
        self.assertAlmostEqual(two["seconds"], lines(8) / 2 + half / 1e6, delta=1e-6)

    def test_ranks_double_from_one_end_to_the_other(self):
        self.assertEqual([p["ranks"] for p in self.predicted("fft", "--grid", 8, "--ranks", "1:6,3", "--nodes", 1)["predictions"]], [1, 2, 3, 4, 6])

    def test_times_of_bands_and_of_the_call(self):
        for bands in (1, 128):
            found = self.predicted("bands", "--grid", 12, "--radius", 3, "--ranks", 1, "--bands", bands, machine="cluster")
            one = found["predictions"][0]
            self.assertEqual(found["bands"], bands)
            self.assertAlmostEqual(one["seconds_of_call"], bands * one["seconds"])
        self.assertNotIn("bands", self.predicted("fft", "--grid", 12, "--ranks", 1, machine="cluster"))

    def test_ranks_fill_nodes(self):
        both = self.written("both.json", between=LINK)
        for words, nodes in ((["--per-node", 3], [1, 2, 3]), ([], [1, 2, 4])):
            found = self.predicted("bands", "--grid", 12, "--radius", 3, "--ranks", "2,4,8", *words, machine=both)["predictions"]
            self.assertEqual([p["nodes"] for p in found], nodes)
            self.assertTrue(all(p["seconds"] > 0 and p["memory_bytes"] > 0 for p in found))
        self.assertEqual([p["nodes"] for p in self.predicted("fft", "--grid", 8, "--ranks", "2,8")["predictions"]], [1, 1])  # no other node is known

    def test_files_and_products(self):
        size = 2 * 1000 * (10 * 16 + 12)
        for direction, rate in (("write", 1e8), ("read", 2e8)):
            found = self.predicted("wavefile", "--kpoints", 2, "--bands", 10, "--waves", 1000, "--direction", direction, "--ranks", 1)
            self.assertAlmostEqual(found["predictions"][0]["seconds"], size / rate, delta=1e-12)
            self.assertIsNone(found["predictions"][0]["best"])
        found = self.predicted("blocksparse", "--blocks", 100, "--sizes", 23, "--fill", 0.1, "--ranks", 1)["predictions"][0]
        self.assertAlmostEqual(found["seconds"], 2 * 23**3 * 100 * 100 * 100 * 0.01 / 1e10, delta=1e-9)
        half = self.predicted("blocksparse", "--blocks", 100, "--sizes", 23, "--fill", 0.1, "--multiplied", 0.5, "--ranks", 1)["predictions"][0]
        self.assertAlmostEqual(half["seconds"], found["seconds"] / 2, delta=1e-9)

    def test_own_exchange_of_a_code(self):
        far = self.written("far.json", between=LINK | {"bandwidth": 1e6})
        words = ["fft", "--grid", 8, "--ranks", "1,2", "--per-node", 1, "--machine", far]
        one, two = self.report("predict", *words)["predictions"]
        self.assertAlmostEqual(one["own_exchange"]["seconds"], one["seconds"], delta=1e-12)
        own = two["own_exchange"]
        network = 2 * 16 * 8**3 / 2 / 2 / 1e6
        self.assertAlmostEqual(own["seconds"], lines(8) / 2 + network + 4e-5, delta=1e-9)  # two messages and two agreements
        self.assertEqual((own["limited_by"], own["chosen"]["algorithm"]), ("network", "alltoallv"))
        text = self.text("predict", *words)
        self.assertIn("MPI_Alltoallv for each transform", text)
        ratios = rf"{two['seconds'] / own['seconds']:.2f} +{two['best']['seconds'] / own['seconds']:.2f}  network"
        self.assertRegex(text, rf"(?m)^2, 2 +{1e3 * own['seconds']:.3f} +{ratios}")
        self.assertIn("MPI_Alltoallv for each band", self.text("predict", "bands", "--grid", 12, "--ranks", 2, "--machine", self.machine))
        file = ["wavefile", "--ranks", 1, "--machine", self.machine]
        self.assertIsNone(self.report("predict", *file)["predictions"][0]["own_exchange"])
        self.assertNotIn("own exchange", self.text("predict", *file))

    def test_products_with_one_panel_add_communication(self):
        words = ["blocksparse", "--blocks", 100, "--sizes", 23, "--fill", 0.1, "--ranks", 2, "--layers", 1]
        hidden, alternating = (self.predicted(*words, "--window", n)["predictions"][0] for n in (2, 1))
        parts = hidden["parts"]
        self.assertGreater(parts["network"], 0)
        self.assertEqual(alternating["parts"], parts)
        self.assertAlmostEqual(hidden["seconds"], max(parts["lines"], parts["network"]) + parts["latency"], delta=1e-12)
        self.assertAlmostEqual(alternating["seconds"], parts["lines"] + parts["network"] + parts["latency"], delta=1e-12)

    def test_a_picture_and_a_table(self):
        drawing, table = self.folder / "p.svg", self.folder / "p.csv"
        found = self.predicted("fft", "--grid", 8, "--ranks", "1:8", "--picture", drawing)
        self.assertEqual(found["files"], [str(drawing)])
        root = xml.etree.ElementTree.parse(drawing).getroot()
        points = root.findall("{http://www.w3.org/2000/svg}polyline")[0].get("points").split()
        self.assertEqual(len(points), 4)
        found = self.predicted("fft", "--grid", 8, "--ranks", "1:8", "--picture", table)
        with table.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([float(row["seconds"]) for row in rows], [p["seconds"] for p in found["predictions"]])
        self.assertEqual([int(row["ranks"]) for row in rows], [1, 2, 4, 8])
        self.assertEqual([float(row["own_seconds"]) for row in rows], [p["own_exchange"]["seconds"] for p in found["predictions"]])
        self.predicted("wavefile", "--ranks", "1", "--picture", table)
        with table.open() as file:
            self.assertEqual([row["own_seconds"] for row in csv.DictReader(file)], [""])

    def test_people_get_a_row_for_each_number_of_ranks(self):
        text = self.text("predict", "fft", "--grid", 8, "--ranks", "1,2", "--machine", self.machine)
        self.assertIn("fft c2c 8x8x8", text)
        self.assertRegex(text, rf"(?m)^1, 1 +{1e3 * lines(8):.3f}")
        self.assertRegex(text, r"(?m)^2, 1 ")

    def test_what_is_wrong_is_said_with_its_remedy(self):
        def refused(*parts, words=("fft", "--grid", 8, "--ranks", 2), machine=self.machine):
            self.refused(*parts, arguments=["predict", *words, "--machine", machine])
        refused("nowhere.json: create one with mpiexec -n RANKS seiche tune --machine", machine="nowhere.json")
        refused("unknown field speed: remove it", machine=self.written("a.json", speed=1))
        refused("cores is -1, which is not a valid rate: correct it", machine=self.written("b.json", cores=-1))
        refused("inside a node: measure the machine again", machine=self.written("c.json", inside=None))
        refused("between nodes: measure the machine again", words=["fft", "--grid", 8, "--ranks", 4, "--nodes", 2])
        refused("no rates of a disk", words=["wavefile", "--ranks", 1], machine=self.written("d.json", disk=None))
        for text in ("0", "-1", "two", "4:2:1", ":", "1,,2", "1000001"):
            refused("is not a list of positive integers: give for example", words=["fft", "--grid", 8, f"--ranks={text}"])
        refused("3 nodes for 2 ranks: give at least one node and at most as many", words=["fft", "--grid", 8, "--ranks", 2, "--nodes", 3])
        refused("--grid needs one or three integers", words=["fft", "--grid", "8,8", "--ranks", 2])
        refused("give at most 4", words=["bands", "--grid", 8, "--radius", 5, "--ranks", 2])
        refused("unknown exchange algorithm 'swim': use one of", words=["fft", "--grid", 8, "--ranks", 2, "--way", "swim"])
        refused("p.jpeg has an unknown format: give a name that ends in .svg or .csv",
                words=["fft", "--grid", 8, "--ranks", 2, "--picture", "p.jpeg"])
        refused("unknown command 'seiche predict swim': use one of fft, cache, bands, wavefile, blocksparse", words=["swim", "--ranks", 1])
        refused("--ranks is required", words=["fft", "--grid", 8])


class Published(OnMachines):
    """The model of a code with its own exchange, beside docs/performance/data. A machine gets the rates of a published row: computing,
    time and CPU time of the exchange. The times of FFTW-MPI and pw.x are not used for the rates."""

    def predicted_with(self, words, rate, **link):
        """The prediction on two hosts with this rate of 1D FFTs and this link."""
        of_lines = {"n": 128} | dict.fromkeys(list(LINES)[1:], rate)
        machine = self.written("published.json", cores=1, between=LINK | {"latency": 1e-30} | link,
                               computing=[{"busy": 1, "cached_copy": 1e300, "copy": 1e300, "lines": [of_lines]}])
        return self.report("predict", *words, "--ranks", 2, "--nodes", 2, "--machine", machine)["predictions"][0]

    def compare(self, rows, words):
        """Compares ratios of Seiche to the model with measured ratios, (row, ratio)."""
        parts = self.predicted_with(words, 1, bandwidth=1)["own_exchange"]["parts"]  # operations and bytes of a rank
        for row, ratio in rows:
            link = {"bandwidth": 1e3 * parts["network"] / row["exchange"], "cpu": 1e-3 * row["exchange_cpu"] / parts["network"]}
            found = self.predicted_with(words, 1e3 * parts["lines"] / row["computing"], **link)
            with self.subTest(case=row["case"], rate=row["rate_gbit"]):
                self.assertAlmostEqual(found["seconds"] / found["own_exchange"]["seconds"] / ratio, 1, delta=0.15)

    def rows(self, name, case):
        data = json.loads((MEASURED / f"hosts-{name}.json").read_text())
        return [row for row in data["rows"] if row["case"] == case and "exchange_cpu" in row]

    def test_grids_beside_fftw_mpi(self):
        found = [row for name in ("xeon", "zen4") for row in self.rows(name, "c2c 128^3, a pair") if row.get("peer") == "FFTW-MPI"]
        rows = [(row, row.get("ratio") or row["ours"] / row["peer_time"]) for row in found]
        self.assertEqual(len(rows), 6)
        self.compare(rows, ["fft", "--grid", 128, "--algorithm", "pairwise"])

    def test_bands_beside_blocking_runs(self):
        found = [row for name in ("xeon", "zen4") for row in self.rows(name, "sphere in 128^3, 32 bands")]
        rows = [(row, row["ours"] / row["blocking"]) for row in found]
        self.assertEqual(len(rows), 9)
        self.compare(rows, ["bands", "--grid", 128, "--radius", 32, "--bands", 32, "--algorithm", "pairwise", "--band-groups", 1])

    def test_bands_beside_pw_where_the_network_limits(self):
        words = ["bands", "--grid", 90, "--radius", 20.5, "--bands", 128]  # of integrations/quantum-espresso/cases/bench_si64.in
        found = self.predicted_with(words, 1e15, bandwidth=1.25e7)
        rows = json.loads((MEASURED / "pw-xeon.json").read_text())["rows"]
        ratios = [row["ratio"] for row in rows
                  if (row["atoms"], row["routine"], row["where"]) == (64, "vloc_psi", "2 hosts, 100 Mbit/s")]
        self.assertEqual(len(ratios), 2)
        for ratio in ratios:
            self.assertAlmostEqual(found["seconds"] / found["own_exchange"]["seconds"] / ratio, 1, delta=0.15)


class Measuring(Case):
    def test_a_measured_machine_predicts(self):
        path = self.folder / "machine.json"
        found = self.report("tune", "--machine", path, "--budget", 0.1)
        self.assertEqual(found["file"], str(path))
        machine = json.loads(path.read_text())
        self.assertEqual(machine["inside"] is None, int(ranks) == 1)
        self.assertIsNone(machine["between"])
        for computing in machine["computing"]:
            for of in computing["lines"]:
                self.assertTrue(all(of[name] > 1e7 for name in ("cached_rows", "cached_columns", "rows", "columns")), of)
        self.assertGreater(min(machine["disk"].values()), 1e5)
        predictions = self.report("predict", "fft", "--grid", 16, "--ranks", ranks, "--nodes", 1, "--machine", path)["predictions"]
        self.assertGreater(predictions[0]["seconds"], 0)

    def test_a_file_that_cannot_be_written_is_said(self):
        self.refused("nowhere/m.json: create the folder", arguments=["tune", "--machine", self.folder / "nowhere/m.json", "--budget", 0.1])

    def test_without_a_name_it_lies_beside_the_tuning_file(self):
        done = run("predict", "fft", "--grid", 8, "--ranks", 1, launcher=["env", f"SEICHE_TUNING={self.folder}/tuning.json"])
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.folder}/machine.json", done.stderr)
        done = run("predict", "fft", "--grid", 8, "--ranks", 1, launcher=["env", "SEICHE_TUNING=none"])
        self.assertIn("no path for the machine file: give --machine FILE", done.stderr)
