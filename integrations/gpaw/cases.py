#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs one system by GPAW, as it comes or on Seiche, and writes energies, eigenvalues, forces and times as JSON.

mpiexec -n RANKS python3 cases.py NAME original|seiche OUTPUT.json [--kpt N] [--band N]"""
import argparse
import json
import time
import warnings

import numpy
from ase import Atoms
from ase.build import add_adsorbate, bulk, fcc111, graphene

SMEARING = {"name": "fermi-dirac", "width": 0.1}


def silicon(repeat=1):
    """Cubic cells of silicon with one atom out of place, so that forces do not vanish."""
    return moved(bulk("Si", cubic=True) * (repeat, repeat, repeat), [0.05, 0.02, -0.03])


def moved(atoms, by):
    atoms.positions[0] += by
    return atoms


def iron():
    atoms = moved(bulk("Fe", cubic=True), [0.03, 0, 0])
    atoms.set_initial_magnetic_moments([2.2, 2.2])
    return atoms


def oxygen():
    atoms = Atoms("OO", [[0, 0, 0], [0, 0, 1.1]], pbc=(1, 0, 0))
    atoms.center(vacuum=2.0)
    return atoms


def slab():
    """Oxygen on three layers of aluminium, with vacuum on both sides."""
    atoms = fcc111("Al", (2, 2, 3), vacuum=6)
    add_adsorbate(atoms, "O", 1.5, "fcc")
    return periodic(atoms)


def periodic(atoms):
    atoms.pbc = True
    return atoms


# name -> atoms, cutoff in eV, options of the calculator
CASES = {
    "si8_k": (silicon, 250, {"kpts": (2, 2, 2), "symmetry": "off"}),
    "si8_gamma": (silicon, 250, {"kpts": (1, 1, 1)}),
    "si2_one": (lambda: bulk("Si"), 250, {"kpts": [[0.1, 0.2, 0.3]], "symmetry": "off"}),
    "si2_many": (lambda: bulk("Si"), 250, {"kpts": (4, 4, 8), "symmetry": {"point_group": False}}),
    "si64_gamma": (lambda: silicon(2), 200, {"kpts": (1, 1, 1)}),
    "al4_symmetry": (lambda: moved(bulk("Al", cubic=True), [0.05, 0.02, 0]), 200,
                     {"kpts": (2, 2, 2), "occupations": SMEARING}),
    "fe2_spin": (iron, 300, {"kpts": (2, 2, 2), "occupations": SMEARING, "symmetry": "off"}),
    "o2_noncollinear": (oxygen, 250, {"kpts": (2, 1, 1), "symmetry": "off", "magmoms": [[0, 0.5, 0.5], [0, 0, 1]],
                                      "convergence": {"density": 1e-5}}),
    "fe_spinorbit": (lambda: bulk("Fe"), 250, {"kpts": (2, 2, 2), "symmetry": "off", "magmoms": [[0, 0, 2.2]],
                                               "soc": True, "occupations": SMEARING,
                                               "convergence": {"density": 1e-6}}),
    "si2_mgga": (lambda: moved(bulk("Si"), [0.05, 0.02, -0.03]), 250,
                 {"kpts": (2, 2, 2), "symmetry": "off", "xc": "MGGA_X_R2SCAN+MGGA_C_R2SCAN"}),
    "c18_sheet": (lambda: periodic(graphene(size=(3, 3, 1), vacuum=7)), 350, {"xc": "PBE", "occupations": SMEARING}),
    "al12o_slab": (slab, 300, {"xc": "PBE", "kpts": (2, 2, 1), "occupations": SMEARING, "symmetry": "off"}),
}


def prepared(name, kpt=1, band=1):
    """Returns the atoms of a case with a calculator. Ranks are divided into groups of k-points and bands."""
    from gpaw import PW
    from gpaw.mpi import world
    from gpaw.new.ase_interface import GPAW

    warnings.filterwarnings("ignore", message="libxc should be compiled")
    make, cutoff, of_case = CASES[name]
    atoms = make()
    atoms.calc = GPAW(mode=PW(cutoff), txt=None, parallel={"domain": world.size // (kpt * band), "kpt": kpt, "band": band},
                      **{"xc": "LDA", **of_case})
    return atoms


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("name", choices=list(CASES))
    parser.add_argument("method", choices=("original", "seiche"))
    parser.add_argument("output")
    parser.add_argument("--kpt", type=int, default=1, help="groups of k-points (default: %(default)s)")
    parser.add_argument("--band", type=int, default=1, help="groups of bands (default: %(default)s)")
    options = parser.parse_args()
    if options.method == "seiche":
        import seiche.gpaw  # noqa: F401 - replaces GPAW's methods
    from gpaw.mpi import world

    atoms = prepared(options.name, options.kpt, options.band)
    world.barrier()
    start = time.perf_counter()
    energy = atoms.get_potential_energy()
    world.barrier()
    seconds = time.perf_counter() - start
    spin_orbit = options.name == "fe_spinorbit"
    bands = 12 if spin_orbit else None  # GPAW does not converge the others, which are empty
    kpoints, spins = len(atoms.calc.get_ibz_k_points()), atoms.calc.get_number_of_spins()
    values = {
        "energy": [energy],
        "eigenvalues": [atoms.calc.get_eigenvalues(kpt=k, spin=s)[:bands].tolist() for s in range(spins) for k in range(kpoints)],
    }
    if not spin_orbit:  # GPAW has no forces with spin-orbit coupling
        values["forces"] = atoms.get_forces().tolist()
    if world.rank == 0:
        numbers = {name: numpy.ravel(value).tolist() for name, value in values.items()}
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump({"seconds": seconds, "iterations": atoms.calc.get_number_of_iterations(), **numbers}, file)


if __name__ == "__main__":
    main()
