# SPDX-License-Identifier: BSD-3-Clause
"""Exact exchange against sums over pairs with numpy.fft."""

import numpy
import pytest
from conftest import random_values, raises_alike

import seiche

SHAPE = (9, 8, 10)
WAVES = seiche.sphere_of_waves(numpy.eye(3), 1.5)
DENSITY_WAVES = seiche.sphere_of_waves(numpy.eye(3), 4.5)


def on_grid(psi, waves):
    values = numpy.zeros((*psi.shape[:-1], *SHAPE[::-1]), complex)
    values[..., waves[:, 2], waves[:, 1], waves[:, 0]] = psi
    return numpy.fft.ifftn(values, axes=(-3, -2, -1), norm="forward")


def to_waves(values, waves):
    return numpy.fft.fftn(values, axes=(-3, -2, -1), norm="forward")[..., waves[:, 2], waves[:, 1], waves[:, 0]]


def exchange_by_sums(occupied, weights, targets, kernel):
    """V_x of targets (n, components, waves) for occupied orbitals (m, components, waves)."""
    j, i = on_grid(occupied, WAVES), on_grid(targets, WAVES)
    values = numpy.zeros_like(i)
    for b, target in enumerate(i):
        for weight, orbital in zip(weights, j):
            pair = to_waves((orbital.conj() * target).sum(0), DENSITY_WAVES) * kernel
            values[b] -= weight * orbital * on_grid(pair, DENSITY_WAVES)
    return to_waves(values, WAVES)


def shares(comm):
    return seiche.balanced_owners(WAVES, comm.size) == comm.rank, seiche.balanced_owners(DENSITY_WAVES, comm.size) == comm.rank


@pytest.mark.parametrize("components", [1, 2])
def test_full_spheres(comm, rng, components):
    mine, mine_of_density = shares(comm)
    occupied = random_values(rng, (3, components, len(WAVES)), complex)
    targets = random_values(rng, (2, components, len(WAVES)), complex)
    weights, of_targets = numpy.array([1.0, 0.0, 0.5]), numpy.array([2.0, 1.0])
    kernel = 1 / (1 + (DENSITY_WAVES**2).sum(1))
    expected = exchange_by_sums(occupied, weights, targets, kernel)
    energy = 0.5 * numpy.einsum("i,icg,icg", of_targets, targets.conj(), expected).real
    with seiche.ExactExchange(SHAPE, WAVES[mine], DENSITY_WAVES[mine_of_density], comm=comm, batch=1, components=components) as exchange:
        def here(psi):
            part = numpy.ascontiguousarray(psi[:, :, mine])
            return part if components == 2 else part[:, 0]

        orbitals = exchange.occupied(here(occupied), weights)
        assert orbitals.count == 2 and orbitals.memory > 0
        k = numpy.ascontiguousarray(kernel[mine_of_density])
        result = exchange.apply(orbitals, k, here(targets))
        numpy.testing.assert_allclose(result, here(expected), atol=1e-11)
        pending = exchange.start_apply(orbitals, k, here(targets))
        for _ in range(3 * comm.rank):
            assert pending.progress() in (True, False)
        numpy.testing.assert_array_equal(pending.finish(), result)
        with exchange.start_apply(orbitals, k, here(targets), out := here(targets).copy(), add=True):
            pass
        numpy.testing.assert_allclose(out, here(targets) + here(expected), atol=1e-11)
        raises_alike(comm, seiche.BadArgument, "kernel has shape",
                     lambda: exchange.start_apply(orbitals, numpy.zeros(k.size + 1), here(targets)))
        again = exchange.occupied(here(occupied), weights, WAVES[mine])
        numpy.testing.assert_allclose(exchange.apply(again, k, here(targets), result, add=True), 2 * here(expected), atol=1e-11)
        own = exchange_by_sums(occupied[::2], weights[::2], occupied[::2], kernel)
        result = exchange.apply_to_occupied(orbitals, k)
        numpy.testing.assert_allclose(result, here(own), atol=1e-11)
        numpy.testing.assert_allclose(exchange.apply_to_occupied(orbitals, k, result, add=True), 2 * here(own), atol=1e-11)
        raises_alike(comm, seiche.BadArgument, "add needs an array", lambda: exchange.apply_to_occupied(orbitals, k, add=True))
        assert exchange.energy(orbitals, k, here(targets), of_targets) == pytest.approx(energy, rel=1e-12)
        assert exchange.bands_here(2) == 2 and exchange.grid_box.volume > 0
        assert exchange.report.batch == 1 and exchange.report.memory > 0
        assert exchange.progress.worked > 0
        assert "density waves>" in repr(exchange)
        whole = on_grid(occupied, WAVES)
        z, y, x = exchange.grid_box.slices
        values = numpy.ascontiguousarray(whole[:, :, z, y, x] if components == 2 else whole[:, 0, z, y, x])
        third = exchange.occupied_on_grid(values, weights)
        numpy.testing.assert_allclose(exchange.apply(third, k, here(targets)), here(expected), atol=1e-11)
        raises_alike(comm, seiche.BadArgument, "kernel has shape", lambda: exchange.apply(orbitals, numpy.zeros(k.size + 1), here(targets)))
        raises_alike(comm, seiche.BadArgument, "add needs an array", lambda: exchange.apply(orbitals, k, here(targets), add=True))
    assert repr(exchange) == "<seiche.ExactExchange, closed>"


def test_half_spheres(comm, rng):
    """A real orbital has conjugate coefficients at G and -G."""
    in_half = [(x, y, z) > (0, 0, 0) for x, y, z in WAVES.tolist()]
    zero = (WAVES == 0).all(1)
    opposite = [WAVES.tolist().index([-x, -y, -z]) for x, y, z in WAVES.tolist()]
    psi = random_values(rng, (2, 1, len(WAVES)), complex)
    psi = psi + psi[:, :, opposite].conj()
    weights = numpy.array([1.0, 2.0])
    kernel = numpy.exp(-(DENSITY_WAVES**2).sum(1) / 4.0)
    expected = exchange_by_sums(psi, weights, psi, kernel)
    mine, mine_of_density = shares(comm)
    mine &= numpy.array(in_half) | zero
    mine_of_density &= numpy.array([(x, y, z) >= (0, 0, 0) for x, y, z in DENSITY_WAVES.tolist()])
    with seiche.ExactExchange(SHAPE, WAVES[mine], DENSITY_WAVES[mine_of_density], "float64", comm=comm) as exchange:
        here = numpy.ascontiguousarray(psi[:, 0, mine])
        k = numpy.ascontiguousarray(kernel[mine_of_density])
        orbitals = exchange.occupied(here, weights)
        numpy.testing.assert_allclose(exchange.apply(orbitals, k, here), expected[:, 0, mine], atol=1e-11)
        with seiche.ExactExchange(SHAPE, WAVES[mine], DENSITY_WAVES[mine_of_density], comm=comm) as other:
            raises_alike(comm, seiche.BadArgument, "the occupied orbitals have another dtype", lambda: other.apply(orbitals, k, here))
    raises_alike(comm, seiche.BadArgument, "exact exchange does not support float32",
                 lambda: seiche.ExactExchange(SHAPE, WAVES[mine], DENSITY_WAVES[mine_of_density], "float32", comm=comm))
