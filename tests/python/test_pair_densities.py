# SPDX-License-Identifier: BSD-3-Clause
"""What the generated calls of tests/conformance do not have: arrays that calls allocate, callbacks, reports and errors of
pair densities."""

import numpy
import pytest
from conftest import random_values, raises_alike

import seiche

SHAPE = (9, 8, 10)
WAVES = seiche.sphere_of_waves(numpy.eye(3), 1.5)
DENSITY_WAVES = seiche.sphere_of_waves(numpy.eye(3), 3.5)


def on_whole_grid(coefficients):
    """Returns orbitals on the grid [orbital][component][x][y][z], by NumPy."""
    values = numpy.zeros((*coefficients.shape[:2], *SHAPE), complex)
    values[(..., *WAVES.T)] = coefficients
    return numpy.fft.ifftn(values, axes=(2, 3, 4), norm="forward")


@pytest.mark.parametrize("components", [1, 2])
@pytest.mark.parametrize("grouped", [False, True])
def test_densities_are_those_of_numpy(comm, rng, components, grouped):
    psi = random_values(rng, (3, components, len(WAVES)), complex)
    phi = random_values(rng, (4, components, len(WAVES)), complex)
    expected = (on_whole_grid(psi).conj()[:, None] * on_whole_grid(phi)).sum(axis=2)
    expected = numpy.fft.fftn(expected, axes=(2, 3, 4), norm="forward")[(..., *DENSITY_WAVES.T)]
    mine = seiche.balanced_owners(WAVES, comm.size) == comm.rank
    groups = comm.size if grouped else 1
    here = slice(None) if grouped else seiche.balanced_owners(DENSITY_WAVES, comm.size) == comm.rank
    waves = DENSITY_WAVES[here]
    found = numpy.zeros((3, 4, len(waves)), complex)

    def put(pairs, densities):
        assert pairs.shape == (len(densities), 2) and len(pairs) <= 5 and not densities.flags.writeable
        found[tuple(pairs.T)] = densities

    def part(coefficients):
        return numpy.ascontiguousarray(coefficients[:, 0, mine] if components == 1 else coefficients[:, :, mine])

    with seiche.PairDensities(SHAPE, waves, comm=comm, block=5, components=components, band_groups=groups) as densities:
        left, right = densities.orbitals(WAVES[mine], part(psi)), densities.orbitals(WAVES[mine], part(phi))
        assert left.count == 3 and left.memory >= 0 and right.count == 4
        for started in (False, True):
            found[:] = 0
            if started:
                pending = densities.start_compute(left, right, put)
                for _ in range(3 * comm.rank):
                    assert pending.progress() in (True, False)
                assert pending.finish() is None
            else:
                densities.compute(left, right, put)
            numpy.testing.assert_allclose(comm.allreduce(found) if grouped else found, expected[:, :, here], atol=1e-12)
        factors = random_values(numpy.random.default_rng(4), (2, 3, 4), complex)
        sums = numpy.einsum("sij,ijg->sg", factors, expected[:, :, here])
        numpy.testing.assert_allclose(densities.sum(left, right, factors), sums, atol=1e-11)
        out = numpy.zeros(len(waves), complex)
        assert densities.sum(left, right, factors[1], out) is out
        numpy.testing.assert_allclose(out, sums[1], atol=1e-11)
        assert densities.report.block == 5 and densities.report.band_groups == groups and densities.report.memory > 0
        assert densities.progress.worked > 0 and "density waves>" in repr(densities)
    assert repr(densities) == "<seiche.PairDensities, closed>"


def test_errors_of_functions_have_their_cause(comm):
    mine = WAVES[seiche.balanced_owners(WAVES, comm.size) == comm.rank]
    kept = []

    def fail(pairs, densities):
        raise ZeroDivisionError("no gap")

    def keep(pairs, densities):
        kept.append(densities)

    with seiche.PairDensities(SHAPE, mine, comm=comm) as densities:
        orbitals = densities.orbitals(mine, numpy.ones((2, len(mine)), complex))
        for call in (lambda f: densities.compute(orbitals, orbitals, f),
                     lambda f: densities.start_compute(orbitals, orbitals, f).finish()):
            with pytest.raises(seiche.BadArgument, match="the callback raised ZeroDivisionError: no gap") as raised:
                call(fail)
            assert isinstance(raised.value.__cause__, ZeroDivisionError)
            raises_alike(comm, seiche.BadArgument, "kept a reference to its values", lambda: call(keep))
        raises_alike(comm, seiche.BadArgument, "is in use",
                     lambda: densities.compute(orbitals, orbitals, lambda pairs, values: densities.sum(orbitals, orbitals, None)))


def test_arguments_are_checked(comm):
    none = numpy.zeros((0, 3), numpy.int32)
    coefficients = numpy.ones((1, 0), complex)
    with seiche.PairDensities(SHAPE, none, "float64", comm) as real, seiche.PairDensities(SHAPE, none, comm=comm) as other:
        left, right = real.orbitals(none, coefficients), other.orbitals(none, coefficients)
        message = "the orbitals have another dtype: create them with a PairDensities of the same dtype"
        for pair in ((left, right), (right, left)):
            raises_alike(comm, seiche.BadArgument, message, lambda: other.compute(*pair, print))
            raises_alike(comm, seiche.BadArgument, message, lambda: other.sum(*pair, numpy.ones((1, 1), complex)))
        raises_alike(comm, seiche.BadArgument, "coefficients has shape", lambda: other.orbitals(none, numpy.ones((1, 1), complex)))
        raises_alike(comm, seiche.BadArgument, "coefficients has shape", lambda: other.sum(right, right, numpy.ones((2, 1), complex)))
        raises_alike(comm, seiche.BadArgument, "out has shape",
                     lambda: other.sum(right, right, numpy.ones((1, 1), complex), numpy.ones(3, complex)))
    raises_alike(comm, seiche.BadArgument, "the block must not be negative", lambda: seiche.PairDensities(SHAPE, none, comm=comm, block=-1))
