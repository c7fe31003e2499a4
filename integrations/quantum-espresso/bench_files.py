#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times of wavefunction files of pw.x with Seiche: written by Seiche, and by pw.x's own procedures in the same program.

bench_files.py PW_SEICHE PSEUDOPOTENTIALS SCRATCH [--where 1 2 4 2x1gbit ...] [--rounds 3] [--reading | --checkpoints]

--where: as for bench.py. Nothing else should run meanwhile.
"write": from the last pseudopotential that pw.x copies to the .save, until the last wavefunction file has its name and
its contents. The self-consistency ends after its first step.
--reading: instead, the clock `wfcinit` of runs that start from files, which one rank wrote, and end before the first
step.
--checkpoints: instead, whole self-consistent runs with a checkpoint in each step, and without; also the share of the
calls of checkpoints in the time of the run."""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import bench  # noqa: E402
import figures  # noqa: E402


def run(options, where, text, settings, folder="run", start=None):
    """What the program prints, and the folder .save. start: a folder with files from which it starts."""
    folder = pathlib.Path(options.scratch) / folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if start:
        shutil.copytree(start.parent, folder / "tmp")
        text = text.replace("&electrons\n", "&electrons\n  startingwfc = 'file', electron_maxstep = 0\n")
    (folder / "in").write_text(text, encoding="utf-8")
    environment = {**os.environ, "ESPRESSO_PSEUDO": options.pseudo, "ESPRESSO_TMPDIR": str(folder / "tmp"), **settings}
    command = [*figures.launcher(where, ["ESPRESSO_PSEUDO", "ESPRESSO_TMPDIR", *settings]), options.program, "-i", str(folder / "in")]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False)
    if "JOB DONE" not in done.stdout:
        sys.exit(f"{command} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout, next(folder.glob("tmp/*.save"))


def writing(options, where, text, settings):
    _, save = run(options, where, text, settings)

    def last(pattern):
        return max(path.stat().st_ctime_ns for path in save.glob(pattern))

    return (last("wfc*.dat") - last("*.UPF")) / 1e9, sum(path.stat().st_size for path in save.glob("wfc*.dat"))


def reading(options, where, text, settings):
    if not options.written:
        _, options.written = run(options, "1", text, {}, folder="written")
    printed, save = run(options, where, text, settings, start=options.written)
    return bench.seconds(printed, "wfcinit"), sum(path.stat().st_size for path in save.glob("wfc*.dat"))


def whole(options, where, text, settings):
    printed, save = run(options, where, text, settings)
    seconds = bench.seconds(printed, "PWSCF")
    if settings["SEICHE_QE_CHECKPOINT"] == "1":
        options.shares.append(bench.seconds(printed, "wfc_files") / seconds)
    return seconds, sum(path.stat().st_size for path in save.glob("wfc*.dat"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "pseudo", "scratch"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--where", nargs="+", default=["1", "2", "4", "2x1gbit"])
    parser.add_argument("--rounds", type=int, default=3)
    kind = parser.add_mutually_exclusive_group()
    for name in ("reading", "checkpoints"):
        kind.add_argument(f"--{name}", action="store_true")
    figures.add_options(parser)
    options, rows = parser.parse_args(), []
    options.written = None
    atoms = 64 if options.reading else 32  # clocks have a resolution of 10 ms
    text = (HERE / f"cases/bench_si{atoms}.in").read_text(encoding="utf-8").replace("'none'", "'low'")
    text = text.replace("electron_maxstep = 1", "conv_thr = 1e-8" if options.checkpoints else "conv_thr = 100")
    theirs, ours, measure, part = {"SEICHE_QE_FILES": "never"}, {"SEICHE_QE_FILES": "use"}, writing, "write"
    if options.reading:
        measure, part = reading, "read"
    if options.checkpoints:
        theirs, ours, measure, part = {"SEICHE_QE_CHECKPOINT": "0"}, {"SEICHE_QE_CHECKPOINT": "1"}, whole, "run with checkpoints"
    for where in options.where:
        pairs, options.shares = [], []
        for _ in range(options.rounds):
            (peer, size), (own, _) = (measure(options, where, text, settings) for settings in (theirs, ours))
            pairs.append((peer, own))
        row = {"case": f"{atoms} atoms", "part": part, "where": figures.place(where), "megabytes": round(size / 1e6),
               "peer": "pw.x", **figures.compared(pairs)}
        if options.shares:
            row["share"] = figures.rounded(statistics.median(options.shares))
        print(row, flush=True)
        rows.append(row)
    figures.write(options, "pw-files", rows, unit="s")


if __name__ == "__main__":
    main()
