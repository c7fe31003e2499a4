#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs cases of CP2K on simulated processes, as it comes and with Seiche. Prints a row of JSON for each run: its energy and
the timers of CP2K in simulated seconds. Fails if results of a case differ.

run.py CP2K SCRATCH [--processes 4 16] [--case NAME ...] [--machine 2010] [--program cp2k cp2k_seiche] [--data FILE]

CP2K: the folder of get.sh, where link.sh linked. machines.json has the network and the rates of computing."""
import argparse
import dataclasses
import itertools
import json
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), *(str(HERE.parents[2] / folder) for folder in ("companions/simulation", "bench"))]
import check_cases  # noqa: E402
import cp2k_run  # noqa: E402
import figures  # noqa: E402
import predicted  # noqa: E402
import simulate  # noqa: E402

MACHINES = json.loads((HERE / "machines.json").read_text(encoding="utf-8"))
TIMERS = ["CP2K", "qs_energies", "scf_env_do_scf", "ls_scf_main", "fft3d_ps", "fft3d_pb", "seiche_fft3d", "get_fft_scratch", "mp_alltoall_z22v",
          "mp_cart_sub", "dbcsr_multiply_generic", "multiply_cannon", "multiply_cannon_metrocomm1", "multiply_cannon_metrocomm2",
          "multiply_cannon_metrocomm3", "multiply_cannon_metrocomm4", "seiche_multiply", "mp_waitall_1", "mp_sum_d", "mp_sum_l", "mp_sum_dm",
          "cp_fm_syevd", "calculate_rho_elec", "integrate_v_rspace"]
TIMES = check_cases.TIMES
UNCACHED = ("PRINT_LEVEL LOW", "PRINT_LEVEL LOW\n  FFT_POOL_SCRATCH_LIMIT 1")
# name -> changes of the input
PROGRAMS = {"cp2k": [], "cp2k_seiche": [], "cp2k_blocking": [], "cp2k_uncached": [UNCACHED], "cp2k_padded": []}
WAITS = ["multiply_cannon_metrocomm1", "multiply_cannon_metrocomm2", "multiply_cannon_metrocomm3", "multiply_cannon_metrocomm4"]


# CP2K's test of transforms. Its grid is the published one.
TEST_INPUT = """&GLOBAL
  PROGRAM_NAME TEST
  RUN_TYPE NONE
  PRINT_LEVEL LOW
&END GLOBAL
&TEST
  &PW_TRANSFER
    GRID 125 125 125
    N_LOOP 5
    PW_GRID NS-FULLSPACE
    PW_GRID_LAYOUT {layout}
  &END PW_TRANSFER
&END TEST
"""


class Benchmark:
    """An input of CP2K's benchmarks with changes of its text."""

    served = cp2k_run.SERVED

    def __init__(self, name, *changes):
        self.name, self.changes = name, [TIMES, *changes]

    def text(self, cp2k, _):
        return check_cases.changed(cp2k, self.name, self.changes)

    @staticmethod
    def results(output, timers):
        """Returns the energy and seconds of the loop; {} if the run did not end well."""
        energies = re.findall(r"ENERGY\| Total FORCE_EVAL.*\s(-?\d+\.\d+)", output)
        loop = timers.get("ls_scf_main") or timers.get("scf_env_do_scf")
        if not energies or not loop:
            return {}
        found = {"energy": energies[-1], "seconds": loop[2], "timers": timers}
        waits = [timers[name][1] for name in WAITS if name in timers]
        if waits:  # a communication thread gains no more than these
            found["share_of_waits"] = round(sum(waits) / timers["dbcsr_multiply_generic"][1], 3)
        return found

    @staticmethod
    def predicted(*_):
        return {}

    @staticmethod
    def spread(rows):
        """Returns the difference of energies of runs, and the allowed one."""
        energies = [float(row["energy"]) for row in rows]
        return max(energies) - min(energies), check_cases.KINDS["energies"][1](energies)


class Transforms:
    """CP2K's test of transforms; `layout` returns the layout of its grid for a number of processes."""

    served = "Seiche: transforms"

    def __init__(self, layout):
        self.layout = layout

    def text(self, _, processes):
        return TEST_INPUT.format(layout=self.layout(processes))

    @staticmethod
    def results(output, timers):
        """Returns the error and seconds of a transform; {} if the run did not end well."""
        error, best = (re.findall(pattern + r"\s+([\d.E+-]+)\s*$", output, re.M) for pattern in ("Maximal Error", "Best time :"))
        return {"error": float(error[-1]), "seconds": float(best[-1]), "timers": timers} if error and best else {}

    def predicted(self, build, machine, cores, processes):
        """Returns the seconds that `seiche predict` gives for CP2K as it comes, if it knows the layout."""
        if self.layout(processes) != "-1 -1":
            return {}
        return {"predicted": round(predicted.seconds(build, machine, MACHINES[machine], cores, processes), 6)}

    @staticmethod
    def spread(rows):
        errors = [row["error"] for row in rows]
        return max(errors) - min(errors), 1e-12


def quickstep(name, steps, *changes):
    return Benchmark(name, ("RUN_TYPE MD", "RUN_TYPE ENERGY"), ("&SCF\n", f"&SCF\n      MAX_SCF {steps}\n"),
                     ("PRINT_LEVEL LOW", "PRINT_LEVEL LOW\n  PREFERRED_DIAG_LIBRARY SL"), *changes)


def linear_scaling(cells, *changes):
    return Benchmark("QS_DM_LS/H2O-dft-ls.inp", ("PRINT_LEVEL MEDIUM", "PRINT_LEVEL LOW"), ("${NREP} ${NREP} ${NREP}", cells), *changes)


def pencils(processes):
    """Returns the layout of pencils: rows and columns of processes, nearly equal."""
    rows = max(rows for rows in range(1, math.isqrt(processes) + 1) if processes % rows == 0)
    return f"{rows} {processes // rows}"


CASES = {
    "small": quickstep("QS/H2O-32.inp", 3, ("TZV2P-GTH", "DZVP-GTH"), ("CUTOFF 280", "CUTOFF 140"), ("REL_CUTOFF 30", "REL_CUTOFF 20"),
                       ("EPS_DEFAULT 1.0E-12", "EPS_DEFAULT 1.0E-8")),
    "small-ls": linear_scaling("1 1 1", ("MAX_SCF 2", "MAX_SCF 1"), ("CUTOFF 300", "CUTOFF 120"), ("EPS_FILTER 1.0E-6", "EPS_FILTER 1.0E-5"),
                               ("EPS_DEFAULT 1.0E-10", "EPS_DEFAULT 1.0E-8")),
    "H2O-64": quickstep("QS/H2O-64.inp", 3),
    "H2O-dft-ls-768": linear_scaling("2 2 2", ("MAX_SCF 2", "MAX_SCF 1")),
    "PW_TRANSFER": Transforms(lambda _: "-1 -1"),
    "PW_TRANSFER, pencils": Transforms(pencils),
}


def changed_input(cp2k, case, program, processes, folder):
    path = folder / "cp2k.inp"
    text = CASES[case].text(cp2k, processes)
    for old, new in PROGRAMS[program]:
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def rates_of(machine):
    return " ".join(f"{name}={value}" for name, value in MACHINES[machine]["rates"].items())


def timers_of(output):
    """Returns {routine: [calls, mean and largest seconds of processes]} of the routines that the timing report has."""
    found = {}
    for name in TIMERS:
        row = re.search(rf"^ {name}\s+(\d+)\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s+([\d.]+)$", output, re.M)
        if row:
            found[name] = [int(row[1]), float(row[2]), float(row[3])]
    return found


def run(options, program, case, processes):
    """Returns a row of results."""
    folder = options.scratch / f"{case.replace(', ', '-')}.{processes}.{options.machine}.{program}"
    folder.mkdir(parents=True, exist_ok=True)
    own = MACHINES[options.machine]
    machine = dataclasses.replace(simulate.Machine(), collectives=options.collectives, copy=1e30, disk=1e30, flops=own["rates"]["lines_flops"],
                                  **own["network"], **({"cores": options.cores} if options.cores else {}))
    settings = simulate.environment(machine, options.build / "simulation") | {"SEICHE_CP2K_RATES": rates_of(options.machine), "SEICHE_CP2K": "always"}
    done, seconds = simulate.start(processes, [options.cp2k / program, "-i", changed_input(options.cp2k, case, program, processes, folder)], machine, settings, folder,
                                   **{"contexts/stack-size": 16384, "smpi/test": 1e-8})
    (folder / "output").write_text(done.stdout + done.stderr, encoding="utf-8")
    results = CASES[case].results(done.stdout, timers_of(done.stdout))
    if done.returncode or not results:
        raise SystemExit(f"{case} on {processes} simulated processes ended with {done.returncode}, see {folder}/output")
    if program in ("cp2k_seiche", "cp2k_blocking") and CASES[case].served not in done.stdout + done.stderr:
        raise SystemExit(f"{case} on {processes} simulated processes: Seiche computed nothing, see {folder}/output")
    by_seiche = CASES[case].predicted(options.build, options.machine, machine.cores, processes) if program == "cp2k" else {}
    return {"case": case, "processes": processes, "machine": options.machine, "collectives": options.collectives, "program": program, **results,
            **by_seiche, "processor_seconds": round(seconds, 1)}


def with_ratios(rows):
    """Returns the rows with the ratio of seconds to those of CP2K as it comes, where that ran, too."""
    def same(row):
        return [row[name] for name in ("case", "processes", "machine", "collectives")]

    original = [(same(row), row["seconds"]) for row in rows if row["program"] == "cp2k"]
    return [{**row, **{"ratio": round(row["seconds"] / seconds, 4) for of, seconds in original if of == same(row)}} for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cp2k", "scratch"):
        parser.add_argument(name, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--build", type=lambda path: pathlib.Path(path).resolve(), default=HERE.parents[2] / "build/smpi")
    parser.add_argument("--processes", type=int, nargs="+", default=[4, 16])
    parser.add_argument("--case", nargs="+", choices=list(CASES), default=["small", "small-ls"])
    parser.add_argument("--machine", choices=list(MACHINES), default="2010")
    parser.add_argument("--collectives", choices=list(simulate.STAND_INS), default="mpich", help="MPI library whose rules choose algorithms")
    parser.add_argument("--cores", type=int, help="processes of a node")
    parser.add_argument("--program", nargs="+", choices=list(PROGRAMS), default=["cp2k", "cp2k_seiche"])
    figures.add_options(parser)
    options = parser.parse_args()
    differing, rows = [], []
    for case in options.case:
        of_case = []
        for processes, program in itertools.product(options.processes, options.program):
            of_case.append(run(options, program, case, processes))
            print(json.dumps(of_case[-1]), flush=True)
        differs, allowed = CASES[case].spread(of_case)
        if not differs <= allowed:
            differing.append(f"{case}: results differ by {differs:.1e}, more than {allowed:.1e}")
        rows += of_case
    figures.write(options, "cp2k-simulated", with_ratios(rows), unit="s")
    sys.exit("\n".join(differing) or None)


if __name__ == "__main__":
    main()
