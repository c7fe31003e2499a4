# SPDX-License-Identifier: BSD-3-Clause
"""Two crystals of the face-centred cubic lattice, and the k-points that their symmetry leaves of a mesh."""

import itertools

import numpy
import seiche

LATTICE = numpy.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]) / 2
CRYSTALS = {  # lattice constant in bohr, elements, positions in units of the lattice vectors
    "silicon": (10.2, ["Si", "Si"], [[0, 0, 0], [0.25, 0.25, 0.25]]),
    "salt": (10.66, ["Na", "Cl"], [[0, 0, 0], [0.5, 0.5, 0.5]]),
}


def crystal_named(name):
    constant, symbols, positions = CRYSTALS[name]
    lattice = constant * LATTICE
    crystal = seiche.Crystal(lattice, symbols, numpy.array(positions) @ lattice)
    crystal.operations = crystal.find_operations()
    return crystal


def irreducible(crystal, mesh):
    """K-points i / mesh of which no operation, with time reversal or without, makes another; and weights."""
    index = {}  # by a point of the mesh: of the k-point in whose star it is
    kpoints, weights = [], []

    def place(k):
        steps = k * mesh
        if abs(steps - numpy.round(steps)).max() > 1e-6:
            raise ValueError(f"a mesh of {tuple(mesh)} k-points lacks the symmetry of the crystal; take equal numbers")
        return tuple(numpy.round(steps).astype(int) % mesh)

    for i in itertools.product(*map(range, mesh)):
        k = numpy.array(i) / mesh
        k -= numpy.round(k)
        if place(k) not in index:
            for operation in crystal.operations:
                image = numpy.array(operation.image_of(k))
                index.setdefault(place(image), len(kpoints))
                index.setdefault(place(-image), len(kpoints))
            kpoints.append(k)
            weights.append(0)
        weights[index[place(k)]] += 1
    return numpy.array(kpoints), numpy.array(weights) / numpy.prod(mesh)
