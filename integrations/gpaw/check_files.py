#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares .gpw files of GPAW as it comes and on Seiche, and runs that continue from them on other numbers of ranks.

check_files.py SCRATCH [--case NAME ...]

Files have to be equal byte by byte, in both precisions, and wavefunctions that both read bit by bit. Energies (eV) of
runs that continue have to agree to 1e-9. A full disk and a damaged file have to be an error on all ranks."""
import argparse
import contextlib
import os
import pathlib
import re
import resource
import subprocess
import sys
import warnings

from cases import CASES

TOLERANCE = 1e-9
LIMIT = 300  # seconds for a job; a rank that waits for another one must not stop the check
# case of cases.py -> its options, and pairs of ranks, groups of k-points and groups of bands that write and that read
FILES = {
    "si8_gamma": ({"nbands": 19}, [((1, 1, 1), (3, 1, 1)), ((2, 1, 1), (1, 1, 1)), ((3, 1, 3), (4, 1, 2)), ((4, 1, 2), (2, 1, 1))]),
    "al4_symmetry": ({}, [((3, 1, 1), (4, 2, 2)), ((4, 2, 2), (3, 1, 1)), ((4, 2, 1), (1, 1, 1)), ((2, 1, 2), (2, 2, 1))]),
    "fe2_spin": ({}, [((3, 1, 1), (2, 2, 1)), ((4, 4, 1), (3, 3, 1))]),
    "o2_noncollinear": ({}, [((2, 1, 1), (4, 2, 1)), ((4, 2, 1), (3, 1, 1))]),
}
SHORT = {"density": 1e3, "energy": 1e3, "eigenstates": 1e3, "minimum iterations": 3}  # convergence of runs of three iterations


def divided(kpt, band):
    from gpaw.mpi import world

    return {"domain": world.size // (kpt * band), "kpt": kpt, "band": band}


def count_of(owner, name):
    """Returns a list that grows with each call of a method."""
    calls, original = [], getattr(owner, name)
    setattr(owner, name, lambda *args, **keywords: calls.append(1) or original(*args, **keywords))
    return calls


def errors(kind, call):
    """Returns what is wrong if a call does not raise the same error on all ranks."""
    from mpi4py import MPI

    said = None
    try:
        call()
    except kind as raised:
        said = str(raised)
    every = set(MPI.COMM_WORLD.allgather(said))
    return [] if len(every) == 1 and said else [f"not all ranks raise {kind.__name__}: {every}"]


@contextlib.contextmanager
def limited_files(size):
    """Sets the largest size of files."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def write(name, kpt, band, folder):
    """Writes files by both. Returns what is wrong, as texts."""
    import ase.io.ulm
    import seiche.gpaw
    from gpaw import PW
    from gpaw.mpi import world
    from gpaw.new.ase_interface import GPAW

    calls = count_of(seiche.gpaw.gpw_file.BandArray, "finish")
    make, cutoff, of_case = CASES[name]
    atoms = make()
    atoms.calc = GPAW(mode=PW(cutoff), txt=None, parallel=divided(kpt, band),
                      **{"xc": "LDA", **of_case, **FILES[name][0], "convergence": SHORT})
    atoms.get_potential_energy()
    wrong = []
    for precision in ("single", "double"):
        for seiche.gpaw.files in (False, True):
            atoms.calc.write(folder / f"{'ours' if seiche.gpaw.files else 'own'}.gpw", mode="all", precision=precision)
        if len({(folder / f"{who}.gpw").read_bytes() for who in ("own", "ours")}) != 1:
            wrong.append(f"files in {precision} precision differ")
        world.barrier()
    if len(calls) != (2 if world.size > 1 else 0):
        wrong.append(f"Seiche wrote {len(calls)} files")
    if world.size > 1:
        full = folder / "full.gpw"
        with ase.io.ulm.Reader(folder / "ours.gpw") as reader:
            stored = reader.wave_functions.proxy("coefficients")
        with limited_files(int(stored.offset + stored.nbytes // 2)):
            wrong += errors(seiche.Unwritable, lambda: atoms.calc.write(full, mode="all"))
        with ase.io.ulm.Reader(full) as reader:
            if "coefficients" in reader.wave_functions:
                wrong.append("a file on a full disk has wavefunctions")
    return wrong


def damage(path):
    """Writes a copy of a file whose wavefunctions are said to be behind its end."""
    content = path.read_bytes()
    found = re.search(rb'"coefficients\.": \{"ndarray": \[\[[\d, ]*\], "complex128", (\d+)\]', content)
    copy = path.with_name("damaged.gpw")
    copy.write_bytes(content[: found.start(1)] + b"9" * len(found[1]) + content[found.end(1) :])
    return copy


def read(name, kpt, band, folder):
    """Reads a file by both, and continues. Returns what is wrong, as texts."""
    import seiche.gpaw
    from gpaw.mpi import world
    from gpaw.new.ase_interface import GPAW
    from mpi4py import MPI

    calls = count_of(seiche.gpaw.gpw_file.BandMover, "divide")
    energies, waves = [], []
    for seiche.gpaw.active in (False, True):
        calls.clear()
        calc = GPAW(folder / "ours.gpw", txt=None, parallel=divided(kpt, band))
        served = len(calls) > 0
        waves.append([wfs.psit_nX.data[:].copy() for wfs in calc.dft.ibzwfs])
        atoms = calc.atoms.copy()
        atoms.calc = calc
        atoms.positions[0] += [0.01, 0.01, 0]  # keeps the symmetry of all cases
        energies.append((atoms.get_potential_energy(), calc.get_number_of_iterations()))
    same = all(a.shape == b.shape and (a == b).all() for a, b in zip(*waves))
    wrong = [] if MPI.COMM_WORLD.allreduce(same, MPI.LAND) else ["wavefunctions differ"]
    if served != (world.size > 1):
        wrong.append(f"Seiche {'read' if served else 'did not read'} the file")
    if not abs(energies[0][0] - energies[1][0]) <= TOLERANCE or energies[0][1] != energies[1][1]:
        wrong.append(f"energies and iterations: {energies}")
    if world.size > 1:
        damaged = damage(folder / "ours.gpw") if world.rank == 0 else None
        damaged = MPI.COMM_WORLD.bcast(damaged)
        wrong += errors(seiche.BadFile, lambda: GPAW(damaged, txt=None, parallel=divided(kpt, band)))
    return wrong


def work(options):
    """Runs one job on the ranks of mpiexec."""
    import seiche.gpaw
    from gpaw.mpi import world

    warnings.simplefilter("ignore")
    job = {"write": write, "read": read}[options.work]
    wrong = [*job(options.name, options.kpt, options.band, options.scratch), *sorted(seiche.gpaw.methods.warned)]
    if wrong or world.rank == 0:
        print("; ".join(wrong) or "equal", flush=True)
    sys.exit(bool(wrong))


def run(task, name, place, scratch):
    """Whether a job succeeds."""
    ranks, kpt, band = map(str, place)
    command = ["mpiexec", "-n", ranks, sys.executable, pathlib.Path(__file__), scratch, "--work", task, "--name", name,
               "--kpt", kpt, "--band", band]
    try:
        done = subprocess.run(list(map(str, command)), env={**os.environ, "GPAW_MPI_BACKEND": "mpi4py"}, capture_output=True,
                              text=True, timeout=LIMIT, check=False)
        good, said = done.returncode == 0, done.stdout.strip() if done.returncode == 0 else (done.stdout + done.stderr)[-2000:]
    except subprocess.TimeoutExpired:
        good, said = False, f"not done in {LIMIT} s"
    print(f"{name}: {task} on {ranks} ranks, {kpt} groups of k-points, {band} of bands: {said}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--case", action="append", choices=list(FILES), help="only these cases")
    for hidden, kind in (("work", str), ("name", str), ("kpt", int), ("band", int)):
        parser.add_argument(f"--{hidden}", type=kind, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options)
    options.scratch.mkdir(parents=True, exist_ok=True)
    good = []
    for name in options.case or FILES:
        for writers, readers in FILES[name][1]:
            good += [run("write", name, writers, options.scratch), run("read", name, readers, options.scratch)]
    print(f"{good.count(False)} of {len(good)} jobs failed")
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
