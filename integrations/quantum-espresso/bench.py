#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times pw.x as it comes and with Seiche, in turn: wall seconds of h_psi, vloc_psi and sum_band, or of vexx in inputs
with hybrid functionals, and of the whole. It prints medians. With the variant "started", the data compare it with the
variant "seiche", whose calls of V psi are not started.

bench.py ORIGINAL OURS PSEUDOPOTENTIALS SCRATCH [--where 1 2 2x10gbit ...] [--rounds 3] [--input bench_si32]

--where: numbers of ranks on this machine, or HOSTSxRATE: one rank on each host of packaging/hosts.sh, as root. Nothing
else should run meanwhile. Total energies have to be equal."""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import figures  # noqa: E402

# name -> whether ours, what is set: V psi started before the nonlocal part of h_psi; FFTW's 1D FFTs, which the original
# uses; no bands in flight
VARIANTS = {
    "original": (False, {}),
    "seiche": (True, {}),
    "started": (True, {"SEICHE_QE_STARTED": "1"}),
    "fftw": (True, {"SEICHE_FFT": "fftw"}),
    "fftw, no window": (True, {"SEICHE_FFT": "fftw", "SEICHE_QE_WINDOW": "1"}),
    "fftw, no window, one group": (True, {"SEICHE_FFT": "fftw", "SEICHE_QE_WINDOW": "1", "SEICHE_QE_BAND_GROUPS": "1"}),
}


def seconds(output, clock):
    found = re.search(rf"^\s*{clock}\s*:\s.*?CPU\s+(?:(\d+)m)?\s*([\d.]+)s WALL", output, re.M)
    return 60 * int(found[1] or 0) + float(found[2]) if found else float("nan")


def run(program, settings, where, text, options):
    folder = pathlib.Path(options.scratch)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "in").write_text(text, encoding="utf-8")
    environment = {**os.environ, "ESPRESSO_PSEUDO": options.pseudo, "ESPRESSO_TMPDIR": str(folder / "tmp"), **settings}
    command = [*figures.launcher(where, ["ESPRESSO_PSEUDO", "ESPRESSO_TMPDIR"]), program, "-i", str(folder / "in")]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False)
    energy = re.findall(r"total energy\s+=\s+(\S+) Ry", done.stdout)
    if not energy:
        sys.exit(f"{command} printed no energy:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    version = re.search(r"Program PWSCF v\.?([\d.]+)", done.stdout)
    options.version = version[1] if version else None
    return [seconds(done.stdout, clock) for clock in options.clocks], energy[-1]


def rows_of_started(options, where, times):
    """Returns rows of docs/performance/data that compare the started call of V psi with the ordinary call."""
    for i, clock in enumerate(options.clocks if "seiche" in times else ()):
        pairs = [(ordinary[i], started[i]) for ordinary, started in zip(times["seiche"], times["started"])]
        yield {"case": f"{options.atoms} atoms", "atoms": options.atoms, "where": figures.place(where), "routine": named(clock),
               "peer": "ordinary call", **figures.compared(pairs)}


def named(clock):
    return clock.replace("PWSCF", "pw.x")


def rows_of(options, where, times):
    """Returns rows of docs/performance/data that compare Seiche, and Seiche with FFTW's 1D FFTs, with the original."""
    for name, library in (("seiche", "fastest"), ("fftw", "fftw")):
        for i, clock in enumerate(options.clocks if name in times and "original" in times else ()):
            case = f"{options.atoms} atoms" if "vloc_psi" in options.clocks else f"`pw.x`, {options.atoms} atoms, PBE0"
            pairs = [(original[i], ours[i]) for original, ours in zip(times["original"], times[name])]
            yield {"case": case, "atoms": options.atoms, "where": figures.place(where), "routine": named(clock),
                   "library": library, "peer": "pw.x", "peer_version": options.version, **figures.compared(pairs)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("original", "ours", "pseudo", "scratch"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--where", nargs="+", default=["1", "2", "2x10gbit", "2x4gbit", "2x1gbit", "2x100mbit"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--input", default="bench_si32")
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS),
                        default=[name for name in VARIANTS if name != "started"])
    figures.add_options(parser)
    options, rows = parser.parse_args(), []
    text = (HERE / "cases" / f"{options.input}.in").read_text(encoding="utf-8")
    options.clocks = ("vexx", "PWSCF") if "input_dft" in text else ("h_psi", "vloc_psi", "sum_band", "PWSCF")
    options.atoms = int(re.search(r"\d+", options.input)[0])
    topic, rows_of_topic = ("pw" if "vloc_psi" in options.clocks else "exact-exchange"), rows_of
    if "started" in options.variants:
        topic, rows_of_topic, options.clocks = "split-phase", rows_of_started, ("h_psi", "PWSCF")
    for where in options.where:
        times, energies = {name: [] for name in options.variants}, set()
        for _ in range(options.rounds):
            for name in options.variants:
                ours, settings = VARIANTS[name]
                found, energy = run(options.ours if ours else options.original, settings, where, text, options)
                times[name].append(found)
                energies.add(energy)
        print(f"{where}: total energies {', '.join(sorted(energies))} Ry")
        for name, rounds in times.items():
            ratios = [statistics.median(a[i] / b[i] for a, b in zip(rounds, times[options.variants[0]]))
                      for i in range(len(options.clocks))]
            print(f"  {name:28}" + "  ".join(f"{clock} {statistics.median(r[i] for r in rounds):6.2f} ({ratios[i]:.2f})"
                                             for i, clock in enumerate(options.clocks)), flush=True)
        rows += rows_of_topic(options, where, times)
    figures.write(options, topic, rows, unit="s")


if __name__ == "__main__":
    main()
