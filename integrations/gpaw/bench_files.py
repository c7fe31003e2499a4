#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times GPAW's own and Seiche's writing and reading of the wavefunctions of .gpw files, in turn.

bench_files.py [--where 2 4 2x1gbit] [--cases NAME ...] [--rounds 5] [--folder FOLDER] [--data FILE]
bench_files.py --calls [--seiche PROGRAM] [--where 2 4] [--data FILE]

--where: as for bench.py. --folder: where the files are; all ranks have to see it. All ranks share the plane waves of
each band. Nothing else should run meanwhile.
--calls: instead, counts calls of MPI by `seiche profile`, for two numbers of bands."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

from bench import HERE, figures, output_of, row_of, seconds_of
from cases import CASES

PROJECT = HERE.parent.parent
# name -> case of cases.py, cutoff in eV, number of bands
SIZES = {"64 silicon atoms, real": ("si64_gamma", 200, 256), "8 silicon atoms, 8 k-points": ("si8_k", 400, 48)}
COUNTED, COUNTED_BANDS = ("8 silicon atoms, 8 k-points", "si8_k", 100), (20, 40)  # calls do not depend on the cutoff
SHORT = {"density": 1e3, "energy": 1e3, "eigenstates": 1e3}
# calls that move no data
SILENT = ("Comm_", "Init", "Finalize", "Pcontrol", "Wtime", "Wait", "Test")


class Files:
    """A calculation of one step, and its wavefunctions in files."""

    def __init__(self, case, cutoff, bands, folder):
        from gpaw import PW
        from gpaw.mpi import world
        from gpaw.new.ase_interface import GPAW
        from gpaw.new.gpw import read_gpw

        make, _, of_case = CASES[case]
        parallel = {"domain": world.size, "kpt": 1, "band": 1}
        atoms = make()
        atoms.calc = GPAW(mode=PW(cutoff), xc="LDA", txt=None, nbands=bands, parallel=parallel, **of_case, convergence=SHORT)
        atoms.get_potential_energy()
        self.world, self.waves = world, atoms.calc.dft.ibzwfs
        self.complete, self.part = folder / "complete.gpw", folder / "part.ulm"
        atoms.calc.write(self.complete, mode="all")
        self.builder = read_gpw(self.complete, comm=world, parallel=parallel)[2]

    def write(self):
        """Writes the wavefunctions alone."""
        from ase.io.ulm import DummyWriter, Writer
        from gpaw.new.gpw import GPWFlags

        flags = GPWFlags(include_wfs=True, include_projections=False, precision="double")
        with Writer(self.part) if self.world.rank == 0 else DummyWriter() as writer:
            self.waves._write_wave_functions(writer, (self.waves.ncomponents, len(self.waves.ibz)), flags)

    def read(self):
        """Reads the wavefunctions, and the projections that GPAW reads with them."""
        from ase.io.ulm import Reader

        with Reader(self.complete) as reader:
            self.builder.read_ibz_wave_functions(reader)


def in_turn(work, rounds):
    """[original, ours] of each round."""
    import seiche.gpaw

    times = []
    for _ in range(1 + rounds):
        pair = []
        for seiche.gpaw.files in (False, True):
            pair.append(seconds_of(work))
        times.append(pair)
    return times[1:]  # the first round created the file


def work(options):
    """Runs on the ranks of a job. Rank 0 prints the times. With --count, the profiler records one call of a method."""
    import seiche.gpaw
    from mpi4py import MPI

    MPI.Pcontrol(0)
    warnings.simplefilter("ignore")
    files = Files(options.work, options.cutoff, options.bands, options.folder)
    if options.count:
        seiche.gpaw.files = options.ours
        MPI.COMM_WORLD.Barrier()
        MPI.Pcontrol(1)
        getattr(files, options.count)()
        MPI.Pcontrol(0)
        return
    found = {routine: in_turn(getattr(files, routine), options.rounds) for routine in ("write", "read")}
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(found))


def job(case, cutoff, bands, folder):
    return ["--work", case, "--cutoff", cutoff, "--bands", bands, "--folder", folder]


def calls_of(options, where, bands, routine, ours):
    """Calls of MPI that move data, of a rank on average."""
    command = [options.seiche, "profile", "--json", "--", *figures.launcher(where), sys.executable, __file__,
               *job(*COUNTED[1:], bands, options.folder), "--count", routine, *(["--ours"] if ours else [])]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}")
    rows = json.loads(done.stdout.splitlines()[-1])["rows"]
    number = sum(row["calls"] for row in rows if not row["function"].removeprefix("MPI_").startswith(SILENT))
    return figures.rounded(number / int(where))


def timed(options):
    rows = []
    for where in options.where:
        for name in options.cases:
            found = json.loads(output_of(where, __file__, *job(*SIZES[name], options.folder), "--rounds", options.rounds))
            rows += [row_of(name, f"{routine} wavefunctions", where, times) for routine, times in found.items()]
    figures.write(options, "gpaw", rows, unit="s")


def counted(options):
    rows = []
    for where in options.where:
        for routine in ("write", "read"):
            for bands in COUNTED_BANDS:
                theirs, ours = (calls_of(options, where, bands, routine, which) for which in (False, True))
                rows.append({"case": COUNTED[0], "routine": routine, "where": figures.place(where), "bands": bands,
                             "counted_peer": theirs, "counted": ours})
                print(rows[-1], flush=True)
    figures.write(options, "gpaw-calls", rows, unit="calls")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--where", nargs="+", default=["2", "4"])
    parser.add_argument("--cases", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("--seiche", type=pathlib.Path, default=PROJECT / "build/release/bin/seiche", help="(default: %(default)s)")
    for hidden, kind in (("work", str), ("cutoff", float), ("bands", int), ("count", str)):
        parser.add_argument(f"--{hidden}", type=kind, help=argparse.SUPPRESS)
    parser.add_argument("--ours", action="store_true", help=argparse.SUPPRESS)
    figures.add_options(parser)
    options = parser.parse_args()
    if options.work:
        work(options)
        return
    os.environ.update(GPAW_MPI_BACKEND="mpi4py", OMP_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as folder:
        options.folder = options.folder or pathlib.Path(folder)
        (counted if options.calls else timed)(options)


if __name__ == "__main__":
    main()
