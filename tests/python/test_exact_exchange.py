# SPDX-License-Identifier: BSD-3-Clause
"""What the generated calls of tests/conformance do not have: arrays that calls allocate, reports and errors of exact exchange."""

import numpy
import pytest
from conftest import random_values, raises_alike

import seiche

SHAPE = (9, 8, 10)
WAVES = seiche.sphere_of_waves(numpy.eye(3), 1.5)
DENSITY_WAVES = seiche.sphere_of_waves(numpy.eye(3), 4.5)


@pytest.mark.parametrize("components", [1, 2])
def test_calls_allocate_their_results(comm, rng, components):
    mine, mine_of_density = (seiche.balanced_owners(waves, comm.size) == comm.rank for waves in (WAVES, DENSITY_WAVES))
    axis = () if components == 1 else (components,)
    psi, weights = random_values(rng, (3, *axis, int(mine.sum())), complex), numpy.array([1.0, 0.0, 0.5])
    k = numpy.ones(int(mine_of_density.sum()))
    with seiche.ExactExchange(SHAPE, WAVES[mine], DENSITY_WAVES[mine_of_density], comm=comm, batch=1, components=components) as exchange:
        orbitals = exchange.occupied(psi, weights)
        assert orbitals.count == 2 and orbitals.memory > 0
        result = exchange.apply(orbitals, k, psi)
        pending = exchange.start_apply(orbitals, k, psi)
        for _ in range(3 * comm.rank):
            assert pending.progress() in (True, False)
        numpy.testing.assert_array_equal(pending.finish(), result)
        numpy.testing.assert_allclose(exchange.apply_to_occupied(orbitals, k), result[::2], atol=1e-11)
        assert exchange.energy(orbitals, k, psi, weights) < 0
        assert exchange.bands_here(2) == 2 and exchange.grid_box.volume > 0
        assert exchange.report.batch == 1 and exchange.report.memory > 0
        assert exchange.progress.worked > 0
        assert "density waves>" in repr(exchange)
        wrong = numpy.zeros(k.size + 1)
        raises_alike(comm, seiche.BadArgument, "kernel has shape", lambda: exchange.start_apply(orbitals, wrong, psi))
        raises_alike(comm, seiche.BadArgument, "kernel has shape", lambda: exchange.apply(orbitals, wrong, psi))
        raises_alike(comm, seiche.BadArgument, "add needs an array", lambda: exchange.apply(orbitals, k, psi, add=True))
        raises_alike(comm, seiche.BadArgument, "add needs an array", lambda: exchange.apply_to_occupied(orbitals, k, add=True))
    assert repr(exchange) == "<seiche.ExactExchange, closed>"


def test_kinds_of_values_are_checked(comm):
    none, half = numpy.zeros((0, 3), numpy.int32), numpy.zeros((int(comm.rank == 0), 3), numpy.int32)
    psi, weights = numpy.ones((1, len(half)), complex), numpy.ones(1)
    with seiche.ExactExchange(SHAPE, half, half, "float64", comm=comm) as real, seiche.ExactExchange(SHAPE, half, half, comm=comm) as other:
        raises_alike(comm, seiche.BadArgument, "the occupied orbitals have another dtype",
                     lambda: other.apply(real.occupied(psi, weights), numpy.ones(len(half)), psi))
    raises_alike(comm, seiche.BadArgument, "exact exchange does not support float32",
                 lambda: seiche.ExactExchange(SHAPE, none, none, "float32", comm=comm))
