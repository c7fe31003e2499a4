# SPDX-License-Identifier: BSD-3-Clause
"""Computes the ground state of a crystal with density-functional theory (see README.md).

mpiexec -n 4 python examples/scf silicon -o silicon.save
mpiexec -n 3 python examples/scf silicon --restart silicon.save
"""

import argparse
import json

from crystals import CRYSTALS, crystal_named
from mpi4py import MPI
from scf import Loop, restart, save, start


def arguments():
    as_it_is = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="scf", description=__doc__, formatter_class=as_it_is)
    parser.add_argument("crystal", choices=CRYSTALS, nargs="?", default="silicon")
    parser.add_argument("--cutoff", type=float, default=12.0, help="of the wavefunctions, hartree")
    parser.add_argument("--mesh", type=int, nargs=3, default=[4, 4, 4], help="of k-points, with k = 0")
    parser.add_argument("--bands", type=int, default=8)
    parser.add_argument("--restart", help="orbitals to begin with: a .save, or any file that seiche reads")
    parser.add_argument("-o", "--output", help="where to write orbitals and density: a .save")
    parser.add_argument("--json", action="store_true", help="the results as one JSON object")
    return parser.parse_args()


def main():
    given, comm = arguments(), MPI.COMM_WORLD
    say = print if comm.rank == 0 and not given.json else lambda text: None
    if given.restart:
        orbitals, density = restart(given.restart, comm)
    else:
        asked = crystal_named(given.crystal), given.cutoff, given.mesh, given.bands
        orbitals, density = start(*asked, comm), None
    with Loop(orbitals, comm) as loop:
        energies = loop.run(density, say=say)
        energies["total"] = sum(energies.values())
        if given.output:
            save(loop, given.output)
    for name, energy in energies.items():
        say(f"{name:>10} {energy:16.9f}")
    header = orbitals.header
    if given.json and comm.rank == 0:
        print(json.dumps({"energies": energies, "kpoints": header.kpoints.tolist(), "weights": header.weights.tolist(),
                          "bands": header.energies[0].tolist()}))


main()
