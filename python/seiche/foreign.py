# SPDX-License-Identifier: BSD-3-Clause
"""Conversion of crystals to objects of other packages."""

BOHR = 0.529177210903  # angstrom, CODATA 2018


def _need(module, package):
    try:
        return __import__(module, fromlist=["_"])
    except ImportError as missing:
        raise ImportError(f"this needs {package}, which is not installed: pip install {package}") from missing


def to_ase(crystal):
    """Converts a seiche.Crystal to an ase.Atoms: angstrom, periodic along all axes."""
    ase = _need("ase", "ase")
    return ase.Atoms(crystal.symbols, positions=crystal.positions * BOHR, cell=crystal.lattice * BOHR, pbc=True)


def to_pymatgen(crystal):
    """Converts a seiche.Crystal to a pymatgen Structure: angstrom."""
    core = _need("pymatgen.core", "pymatgen-core")
    return core.Structure(crystal.lattice * BOHR, crystal.symbols, crystal.positions * BOHR, coords_are_cartesian=True)
