#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the times of `seiche predict` with measured or simulated times.

predict.py [--ranks 1,2,4,8] [--hosts 2:1gbit,4:4gbit] [--processor-time] [--simulated] [--rounds 3]

Real runs: each round measures the machine (`seiche tune --machine`) and then runs all cases, because the speed of machines
drifts. A ratio is the predicted time over the measured time of the same round. The table has their median and range.
Simulated runs: the figures of docs/history/scale.md, or with --anew new results of build/smpi. Hosts need root."""
import argparse
import json
import math
import os
import pathlib
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIMULATED = ROOT / "docs/machines/simulated.json"
CASES = ["fft --grid 64", "fft --grid 128", "fft --grid 96 --kind r2c", "bands --grid 64 --bands 32", "bands --grid 128 --bands 16"]
FILES = "wavefile --kpoints 2 --bands 144 --waves 40000"
HOST_CASES = ["fft --grid 64", "fft --grid 128", "bands --grid 128 --bands 32"]


def said(command, **more):
    """Returns the JSON object that a command prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=os.environ | {"SEICHE_TUNING": "none"}, **more)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(lines[-1])


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


class Comparison:
    """A table with a row per place and case: measured and predicted times of each round."""

    def __init__(self):
        self.rows = {}

    def add(self, where, case, measured, predicted, limit):
        self.rows.setdefault((where, case), []).append((measured, predicted, limit))
        print(f"{where}: {case}: {1e3 * measured:.3f} ms, predicted {1e3 * predicted:.3f} ({predicted / measured:.2f}), {limit}", file=sys.stderr, flush=True)

    def table(self, against="measured"):
        text = [row("where", "case", f"{against}, ms", "predicted, ms", "ratio", "range", "limited by"), "|" + "---|" * 7]
        within = 0
        for (where, case), found in self.rows.items():
            ratios = [predicted / measured for measured, predicted, _ in found]
            ratio = statistics.median(ratios)
            within += abs(ratio - 1) <= 0.15
            measured, predicted = (1e3 * statistics.median(column) for column in list(zip(*found))[:2])
            text.append(row(where, f"`{case}`", f"{measured:.3f}", f"{predicted:.3f}", f"{ratio:.2f}", f"{min(ratios):.2f}-{max(ratios):.2f}", found[-1][2]))
        return "\n".join([*text, "", f"{within} of {len(self.rows)} within 15 %."])


# --------------------------------------------------------------------------------------------------------------- real runs


def compare(options, comparison, where, launch, ranks, nodes, cases, machine):
    for case in cases:
        words = shlex.split(case)
        report = said([*launch, options.seiche, "bench", *words, "--repeat", options.repeat, "--json"])
        found = {"": report["seconds"]["median"]}
        if words[0] == "wavefile":
            found = {f" --direction {way}": report[way]["seiche"]["median"] for way in ("write", "read")}
        for more, measured in found.items():
            of = said([options.seiche, "predict", *words, *more.split(), "--ranks", ranks, "--nodes", nodes, "--machine", machine, "--json"])["predictions"][0]
            comparison.add(where, case + more, measured, of["seconds"], of["limited_by"])


def real(options, comparison, folder):
    cores = os.cpu_count()
    for _ in range(options.rounds):
        machine = pathlib.Path(folder, "machine.json")
        said(["mpiexec", "-n", cores, options.seiche, "tune", "--machine", machine, "--json"])
        for ranks in options.ranks:
            launch = ["mpiexec", "--bind-to", "none", "-n", ranks]
            cases = CASES + ([FILES] if options.files else [])
            compare(options, comparison, f"{ranks} ranks", launch, ranks, 1, cases, machine)
        for count, rate in options.hosts:
            launch = [ROOT / "packaging/hosts.sh", count, rate, "--"]
            of_hosts = pathlib.Path(folder, "hosts.json")
            said([*launch, options.seiche, "tune", "--machine", of_hosts, "--json"])
            compare(options, comparison, f"{count} hosts, {rate}", launch, count, count, HOST_CASES, of_hosts)


def processor_seconds(options, words, repeat):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    said([options.seiche, "bench", *words, "--repeat", repeat, "--json"])
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def one_rank(options, comparison, folder):
    """Compares the CPU time of one process, as the difference between many repeats and few. Works on a busy machine too."""
    machine = pathlib.Path(folder, "machine.json")
    said([options.seiche, "tune", "--machine", machine, "--json"])
    for case in CASES:
        words = shlex.split(case)
        of = said([options.seiche, "predict", *words, "--ranks", 1, "--machine", machine, "--json"])["predictions"][0]
        units = int(words[words.index("--bands") + 1]) if "--bands" in words else 1
        many = 5 + math.ceil(0.4 / (units * of["seconds"]))
        for _ in range(options.rounds):
            taken = processor_seconds(options, words, many + 2) - processor_seconds(options, words, 2)
            comparison.add("1 rank, CPU time", case, taken / many / units, of["seconds"], of["limited_by"])


# --------------------------------------------------------------------------------------------------------- simulated runs


def table_of(page, name):
    """Returns {first cell: {processes: figure}} of all tables between two comments of the page."""
    part = page.split(f"<!-- {name} -->\n")[1].split(f"<!-- end of {name} -->")[0]
    found, head, section = {}, [], ""
    lines = [[cell.strip() for cell in line[1:-1].split("|")] for line in part.splitlines() if line.startswith("|")]
    for cells, below in zip(lines, [*lines[1:], [""]]):
        if below[0] == "---":  # a table header
            section, head = cells[0], cells[1:]
        elif cells[0] != "---":
            numbers = {int(n): float(cell) for n, cell in zip(head, cells[1:]) if n.isdigit() and re.fullmatch(r"[\d.]+", cell)}
            found[f"{section} {cells[0]}".strip()] = numbers
    return found


def simulated_figures(options):
    """Yields (case, {processes: seconds}) for each case of docs/history/scale.md that can be predicted."""
    page = (ROOT / "docs/history/scale.md").read_text()
    files, setup, transforms = (table_of(page, name) for name in ("files", "setup", "transforms"))
    scale = 120  # factor of the figures in the page
    case = "wavefile --kpoints 1 --bands 12 --waves 40000 --direction "
    yield case + "write", {n: v / scale for n, v in files["write Seiche, simulated"].items()}
    yield case + "read", {n: v / scale for n, v in files["read Seiche, simulated"].items()}
    yield "cache --grid 24", {n: v / 1e3 for n, v in setup["a pair kept, ms"].items()}
    pencils, slabs = ("fft --grid 125 --decomposition " + name for name in ("pencil", "slab"))
    yield pencils, {n: v / 1e3 for n, v in transforms["pencils, Seiche's choice: ms"].items()}
    yield pencils + " --algorithm alltoallv", {n: v / 1e3 for n, v in transforms["pencils, alltoallv: ms"].items()}
    yield slabs, {n: v / 1e3 for n, v in transforms["slabs, Seiche's choice: ms"].items()}


def simulated_anew(options):
    """Yields the same from new simulations."""
    sys.path.insert(0, str(ROOT / "simulation"))
    import simulate
    for case, figures in list(simulated_figures(options)):
        words = case.split()
        if words[0] == "wavefile":
            with tempfile.TemporaryDirectory(prefix="seiche-predict-") as folder:
                yield case, {n: simulate.report(n, ["bench", *words[:-2], "--repeat", 1, "--path", folder])[words[-1]]["seiche"]["median"] for n in figures}
        elif words[0] == "cache":
            yield case, {n: simulate.report(n, ["bench", *words, "--repeat", 2])["kept"] for n in figures}
        else:
            yield case, {n: simulate.report(n, ["bench", *words, "--repeat", 1])["seconds"]["median"] for n in figures}


def simulated(options, comparison):
    for case, figures in (simulated_anew if options.anew else simulated_figures)(options):
        for processes, seconds in figures.items():
            of = said([options.seiche, "predict", *case.split(), "--ranks", processes, "--machine", SIMULATED, "--json"])["predictions"][0]
            comparison.add(f"{processes} simulated", case, seconds, of["seconds"], of["limited_by"])


def say(options, name, table):
    """Prints the table, and writes it between two comments of the page."""
    print(table)
    if options.page:
        page = ROOT / "docs/history/predict.md"
        before, rest = page.read_text().split(f"<!-- {name} -->\n")
        page.write_text(f"{before}<!-- {name} -->\n{table}\n<!-- end of {name} -->" + rest.split(f"<!-- end of {name} -->", 1)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default=[], type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--hosts", default=[], type=lambda text: [one.split(":") for one in text.split(",")])
    parser.add_argument("--files", action="store_true", help="wavefunction files as well")
    parser.add_argument("--processor-time", action="store_true", help="of one rank, the CPU time")
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--anew", action="store_true", help="simulate again instead of reading docs/history/scale.md")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--seiche", default="build/release/bin/seiche")
    parser.add_argument("--page", action="store_true", help="put the tables into docs/history/predict.md")
    options = parser.parse_args()
    if options.simulated or options.anew:
        comparison = Comparison()
        simulated(options, comparison)
        say(options, "simulated", comparison.table("simulated"))
    if options.processor_time:
        comparison = Comparison()
        with tempfile.TemporaryDirectory(prefix="seiche-predict-") as folder:
            one_rank(options, comparison, folder)
        say(options, "processor time", comparison.table())
    if not options.ranks and not options.hosts:
        return
    comparison = Comparison()
    with tempfile.TemporaryDirectory(prefix="seiche-predict-") as folder:
        real(options, comparison, folder)
    say(options, "real", comparison.table())


if __name__ == "__main__":
    main()
