# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are centered on atoms, compared with direct sums over atoms and waves."""

import pathlib
import sys

import numpy
import pytest
from conftest import random_values

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integrations/gpaw/package/gpaw"))  # not seiche.gpaw, which needs GPAW
import atom_functions  # noqa: E402

# pairs (spline, l) of atoms: three kinds, one of them without functions
KINDS = [((0, 0), (1, 1), (2, 2)), (), ((3, 1),), ((0, 0), (1, 1), (2, 2)), ((3, 3), (1, 0)), ((3, 1),)]


def columns(rng, number):
    """Returns waves of columns along z with different lengths. Some have one wave."""
    waves = [(x, y, z) for x in range(-2, 3) for y in range(-3, 2) for z in sorted(rng.integers(-4, 5, 6))]
    return numpy.array(list(dict.fromkeys(waves))[:number], int).reshape(-1, 3)


def expanded(waves, radial, angular, positions):
    """Returns all functions (wave, function), one after another."""
    functions = []
    for atom, of_atom in enumerate(KINDS):
        phases = numpy.array([numpy.exp(-2j * numpy.pi * sum(g * x for g, x in zip(wave, positions[atom]))) for wave in waves])
        for spline, l in of_atom:
            for m in range(2 * l + 1):
                functions.append(radial[:, spline] * angular[:, l * l + m] * (-1j) ** l * phases)
    return numpy.array(functions).reshape(-1, len(waves)).T if len(waves) else numpy.zeros((0, 32))


@pytest.mark.parametrize("block", [1, 100, 2**18])
@pytest.mark.parametrize("number", [0, 1, 2, 37, 101])
def test_adds_and_integrates(comm, rng, monkeypatch, number, block):
    monkeypatch.setattr(atom_functions, "BLOCK", block)
    waves = columns(rng, number)
    waves = waves[len(waves) * comm.rank // comm.size : len(waves) * (comm.rank + 1) // comm.size]
    radial, angular = random_values(rng, (len(waves), 4), float), random_values(rng, (len(waves), 16), float)
    positions = random_values(rng, (len(KINDS), 3), float)
    functions = atom_functions.AtomFunctions(waves, radial, angular, positions, KINDS)
    matrix = expanded(waves, radial, angular, positions)
    assert functions.size == 32
    coefficients = random_values(rng, 32, float)
    field = random_values(rng, len(waves), complex)
    result = field.copy()
    functions.add(coefficients, result)
    numpy.testing.assert_allclose(result, field + matrix @ coefficients, atol=1e-13)
    expected = (matrix.conj().T @ field).real
    numpy.testing.assert_allclose(functions.integrate(field), expected, atol=1e-12)


def test_takes_waves_in_any_order(rng):
    waves = rng.permutation(columns(rng, 60))
    radial, angular = random_values(rng, (len(waves), 4), float), random_values(rng, (len(waves), 16), float)
    positions = random_values(rng, (len(KINDS), 3), float)
    functions = atom_functions.AtomFunctions(waves, radial, angular, positions, KINDS)
    field = random_values(rng, len(waves), complex)
    expected = (expanded(waves, radial, angular, positions).conj().T @ field).real
    numpy.testing.assert_allclose(functions.integrate(field), expected, atol=1e-12)
