# SPDX-License-Identifier: BSD-3-Clause
"""Two crystals with a face-centred cubic lattice, and their irreducible k-points of a mesh."""

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
    """Returns the irreducible k-points i / mesh, including time reversal, and their weights."""
    index = {}  # point of the mesh -> index of the k-point of its star
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
