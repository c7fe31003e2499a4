# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are centered on atoms, and one field of plane waves, for seiche.gpaw.

A function is f(|G|) (-i)^l Y_lm(G) exp(-i G r) for an atom at r. GPAW computes each function of each atom in all waves.
Here, atoms of one kind share f and Y_lm, and exp(-i G r) is the product of a factor for (x, y) and a factor for z. So
sums over atoms are products of matrices, for columns of waves with the same (x, y).
"""

import numpy

BLOCK = 2**18  # numbers of a matrix


class AtomFunctions:
    """Functions of all atoms in this rank's waves. Coefficients are ordered by atoms, their splines, and m."""

    def __init__(self, waves, radial, angular, positions, functions):
        """Local. Arrays are (waves, x y z), (waves, splines), (waves, lm) and (atoms, x y z) in units of the cell.

        `functions` has the pairs (spline, l) of each atom. Waves of a column should be consecutive.
        """
        self._radial, self._angular, self._positions = radial, angular, positions
        starts = numpy.diff(waves[:, :2], axis=0, prepend=waves[:1, :2] - 1).any(axis=1)
        self._column = numpy.cumsum(starts) - 1  # of each wave
        self._first = numpy.append(numpy.flatnonzero(starts), len(waves))  # wave of each column
        self._across = waves[starts, :2]
        self._along, self._row = numpy.unique(waves[:, 2], return_inverse=True)
        self._kinds = {}  # functions of a kind: atoms, and places of their coefficients (atom, function)
        self.size = 0
        for atom, of_atom in enumerate(map(tuple, functions)):
            number = sum(2 * l + 1 for _, l in of_atom)
            if number:
                atoms, places = self._kinds.setdefault(of_atom, ([], []))
                atoms.append(atom)
                places.append(range(self.size, self.size + number))
            self.size += number

    def add(self, coefficients, field):
        """field += sum of coefficients times functions. Local."""
        for form, places, across, along, waves, column in self._blocks():
            of_columns = across[:, None] * coefficients[places].T
            sums = (of_columns.reshape(-1, len(along)) @ along).reshape(*of_columns.shape[:2], -1)
            field[waves] += (form * sums[column, :, self._row[waves]]).sum(axis=1)

    def integrate(self, field):
        """Returns the real part of the sum of conj(function) times `field`, for each function. Local."""
        result = numpy.zeros(self.size)
        for form, places, across, along, waves, column in self._blocks():
            of_columns = numpy.zeros((len(across), form.shape[1], along.shape[1]), complex)
            of_columns[column, :, self._row[waves]] = field[waves, None] * form.conj()
            sums = of_columns.reshape(-1, along.shape[1]) @ along.conj().T
            result[places] += numpy.einsum("ca,cfa->af", across.conj(), sums.reshape(*of_columns.shape[:2], -1)).real
        return result

    def _blocks(self):
        """Yields, for columns of each kind: f (-i)^l Y_lm, places, factors of (x, y) and z, waves and their columns."""
        for functions, (atoms, places) in self._kinds.items():
            splines = [spline for spline, l in functions for _ in range(2 * l + 1)]
            harmonics = [l * l + m for _, l in functions for m in range(2 * l + 1)]
            turns = numpy.array([(-1j) ** l for _, l in functions for _ in range(2 * l + 1)])
            along = _phases(self._positions[atoms, 2:], self._along[:, None])
            step = 1 + BLOCK // (1 + len(turns) * max(along.shape))
            for low in range(0, len(self._across), step):
                columns = slice(low, low + step)
                waves = slice(self._first[low], self._first[low : low + step + 1][-1])
                form = self._radial[waves, splines] * self._angular[waves, harmonics] * turns
                across = _phases(self._across[columns], self._positions[atoms, :2])
                yield form, numpy.array(places), across, along, waves, self._column[waves] - low


def _phases(one, other):
    """Returns exp(-2 pi i a b) for the rows a and b of two arrays."""
    return numpy.exp(-2j * numpy.pi * (one @ other.T))
