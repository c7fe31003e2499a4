#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs cases of CP2K on simulated processes, as it comes and with Seiche. Prints a row of JSON for each run: its energy and
the timers of CP2K in simulated seconds. Fails if energies of a case differ.

run.py CP2K SCRATCH [--processes 4 16] [--case NAME ...] [--machine 2010] [--program cp2k cp2k_seiche]

CP2K: the folder of get.sh, where link.sh linked. machines.json has the network and the rates of computing."""
import argparse
import dataclasses
import itertools
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "companions/simulation")]
import check_cases  # noqa: E402
import cp2k_run  # noqa: E402
import simulate  # noqa: E402

MACHINES = json.loads((HERE / "machines.json").read_text(encoding="utf-8"))
TIMERS = ["CP2K", "qs_energies", "scf_env_do_scf", "ls_scf_main", "fft3d_ps", "fft3d_pb", "seiche_fft3d", "get_fft_scratch", "mp_alltoall_z22v",
          "mp_cart_sub", "dbcsr_multiply_generic", "multiply_cannon", "multiply_cannon_metrocomm1", "multiply_cannon_metrocomm2",
          "multiply_cannon_metrocomm3", "multiply_cannon_metrocomm4", "seiche_multiply", "mp_waitall_1", "mp_sum_d", "mp_sum_l", "mp_sum_dm",
          "cp_fm_syevd", "calculate_rho_elec", "integrate_v_rspace"]
TIMES = check_cases.TIMES
UNCACHED = ("PRINT_LEVEL LOW", "PRINT_LEVEL LOW\n  FFT_POOL_SCRATCH_LIMIT 1")
PROGRAMS = {"cp2k": [], "cp2k_seiche": [], "cp2k_uncached": [UNCACHED]}  # name -> changes of the input


def quickstep(steps):
    return [TIMES, ("RUN_TYPE MD", "RUN_TYPE ENERGY"), ("&SCF\n", f"&SCF\n      MAX_SCF {steps}\n"), ("PRINT_LEVEL LOW", "PRINT_LEVEL LOW\n  PREFERRED_DIAG_LIBRARY SL")]


def linear_scaling(cells, *changes):
    return ("QS_DM_LS/H2O-dft-ls.inp", [TIMES, ("PRINT_LEVEL MEDIUM", "PRINT_LEVEL LOW"), ("${NREP} ${NREP} ${NREP}", cells), *changes])


# name -> input of CP2K's benchmarks, changes of its text
CASES = {
    "small": ("QS/H2O-32.inp", [*quickstep(3), ("TZV2P-GTH", "DZVP-GTH"), ("CUTOFF 280", "CUTOFF 140"), ("REL_CUTOFF 30", "REL_CUTOFF 20"),
                                ("EPS_DEFAULT 1.0E-12", "EPS_DEFAULT 1.0E-8")]),
    "small-ls": linear_scaling("1 1 1", ("MAX_SCF 2", "MAX_SCF 1"), ("CUTOFF 300", "CUTOFF 120"), ("EPS_FILTER 1.0E-6", "EPS_FILTER 1.0E-5"),
                               ("EPS_DEFAULT 1.0E-10", "EPS_DEFAULT 1.0E-8")),
    "H2O-64": ("QS/H2O-64.inp", quickstep(3)),
    "H2O-dft-ls-768": linear_scaling("2 2 2", ("MAX_SCF 2", "MAX_SCF 1")),
}


def changed_input(cp2k, case, program, folder):
    name, changes = CASES[case]
    path = folder / f"{case}.inp"
    path.write_text(check_cases.changed(cp2k, name, [*changes, *PROGRAMS[program]]), encoding="utf-8")
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
    folder = options.scratch / f"{case}.{processes}.{options.machine}.{program}"
    folder.mkdir(parents=True, exist_ok=True)
    machine = dataclasses.replace(simulate.Machine(), collectives="mpich", copy=1e30, disk=1e30, **MACHINES[options.machine]["network"],
                                  **({"cores": options.cores} if options.cores else {}))
    settings = simulate.environment(machine, options.build / "simulation") | {"SEICHE_CP2K_RATES": rates_of(options.machine), "SEICHE_CP2K": "always"}
    done, seconds = simulate.start(processes, [options.cp2k / program, "-i", changed_input(options.cp2k, case, program, folder)], machine, settings, folder,
                                   **{"contexts/stack-size": 16384, "smpi/test": 1e-8})
    (folder / "output").write_text(done.stdout + done.stderr, encoding="utf-8")
    energies = re.findall(r"ENERGY\| Total FORCE_EVAL.*\s(-?\d+\.\d+)", done.stdout)
    if done.returncode or not energies:
        raise SystemExit(f"{case} on {processes} simulated processes ended with {done.returncode}, see {folder}/output")
    if program == "cp2k_seiche" and cp2k_run.SERVED not in done.stdout + done.stderr:
        raise SystemExit(f"{case} on {processes} simulated processes: Seiche computed no products, see {folder}/output")
    return {"case": case, "processes": processes, "machine": options.machine, "program": program, "energy": energies[-1],
            "processor_seconds": round(seconds, 1), "timers": timers_of(done.stdout)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cp2k", "scratch"):
        parser.add_argument(name, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--build", type=lambda path: pathlib.Path(path).resolve(), default=HERE.parents[2] / "build/smpi")
    parser.add_argument("--processes", type=int, nargs="+", default=[4, 16])
    parser.add_argument("--case", nargs="+", choices=list(CASES), default=["small", "small-ls"])
    parser.add_argument("--machine", choices=list(MACHINES), default="2010")
    parser.add_argument("--cores", type=int, help="processes of a node")
    parser.add_argument("--program", nargs="+", choices=list(PROGRAMS), default=["cp2k", "cp2k_seiche"])
    options = parser.parse_args()
    differing = []
    for case in options.case:
        energies = []
        for processes, program in itertools.product(options.processes, options.program):
            row = run(options, program, case, processes)
            print(json.dumps(row), flush=True)
            energies.append(float(row["energy"]))
        allowed = check_cases.KINDS["energies"][1](energies)
        if not max(energies) - min(energies) <= allowed:
            differing.append(f"{case}: energies differ by {max(energies) - min(energies):.1e}, more than {allowed:.1e}")
    sys.exit("\n".join(differing))


if __name__ == "__main__":
    main()
