# SPDX-License-Identifier: BSD-3-Clause
"""Fourier interpolation between two distributed grids, for seiche.gpaw."""

import numpy

from seiche import SphereFft


def _waves(shape, half, comm):
    """Returns this rank's waves (x, y, z) with 2 |G| <= n on each axis; with `half` one of each pair G and -G.

    A rank has whole columns along z, and those of x, y with all signs. Only this rank's columns are extended along z.
    """
    nx, ny, nz = (n // 2 for n in shape)
    x, y = (of.ravel() for of in numpy.mgrid[0 if half else -nx : nx + 1, -ny : ny + 1])
    owner = (abs(x) * (ny + 1) + abs(y)) * comm.size // ((nx + 1) * (ny + 1))
    mine = numpy.flatnonzero(owner == comm.rank)
    z = numpy.arange(-nz, nz + 1)
    waves = numpy.stack([x[mine].repeat(z.size), y[mine].repeat(z.size), numpy.tile(z, mine.size)], axis=1)
    if half:
        x, y, z = waves.T
        waves = waves[(x > 0) | (x == 0) & ((y > 0) | (y == 0) & (z >= 0))]
    return waves


class GridPair:
    """Copies fields between a coarse and a fine grid by the plane waves that both have.

    A wave with index n / 2 on the coarse grid of n points is also the wave with index -n / 2. On the fine grid, both
    get half of its coefficient. On the way back, the coefficient is the mean of both. Fields are arrays
    (fields, z, y, x) on a box of each rank.
    """

    def __init__(self, coarse, fine, dtype, comm, **options):
        """Collective. `fine` has more points than `coarse` on each axis; `dtype` is float64 or complex128."""
        self._real = numpy.dtype(dtype) == numpy.float64
        waves = _waves(coarse, self._real, comm)
        places = numpy.ravel_multi_index((waves % coarse).T, coarse)
        _, first, self._coarse_wave = numpy.unique(places, return_index=True, return_inverse=True)
        self._weights = numpy.prod(numpy.where(2 * abs(waves) == coarse, 0.5, 1.0), axis=1)
        self._counts = numpy.where(self._real & waves.any(axis=1), 2.0, 1.0)  # of G and -G
        # half spheres have no waves with index n / 2, so that the coarse plan is complex
        self._coarse = SphereFft(coarse, waves[first].astype(numpy.int32), "complex128", comm, **options)
        self._fine = SphereFft(fine, waves.astype(numpy.int32), dtype, comm, **options)

    def interpolate(self, box, values, fine_box):
        """Returns fields of the coarse grid on `fine_box` of the fine grid. Collective."""
        coefficients = self._coarse.forward_from_boxes(box, values.astype(complex, copy=False))
        fine = coefficients.take(self._coarse_wave, axis=1) * self._weights
        return self._fine.backward_to_boxes(fine, fine_box)

    def restrict(self, fine_box, values, box):
        """Returns fields of the fine grid on `box` of the coarse grid. Collective."""
        fine = self._fine.forward_from_boxes(fine_box, values) * (self._weights * self._counts)
        coefficients = numpy.zeros((len(fine), self._coarse.waves_here), complex)
        numpy.add.at(coefficients, (slice(None), self._coarse_wave), fine)
        result = self._coarse.backward_to_boxes(coefficients, box)
        return result.real if self._real else result
