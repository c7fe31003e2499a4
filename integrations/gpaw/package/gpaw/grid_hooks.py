# SPDX-License-Identifier: BSD-3-Clause
"""Single transforms of GPAW between plane waves and grids that are distributed, or between two such grids."""

import weakref

import numpy
from gpaw.core.plane_waves import PWArray
from gpaw.core.uniform_grid import UGArray
from gpaw.new.pw.pot_calc import PlaneWavePotentialCalculator

import seiche.gpaw
from seiche.gpaw.grid_pair import GridPair
from seiche.gpaw.methods import applies, replaces, warn
from seiche.gpaw.plans import box_of, communicator_of, plan_of


def _holds(pw, grid):
    """Returns whether Seiche has a plan for all waves of `pw`. Warns once if not.

    On an axis of n points, real arrays have no wave with index n / 2. Complex ones have n / 2 or -n / 2.
    """
    low, high = pw.indices_cG.min(axis=1), pw.indices_cG.max(axis=1)
    reach = 2 * numpy.maximum(high, -low) + (pw.dtype == numpy.float64)
    held = (reach <= grid.size_c).all() and (high - low < grid.size_c).all()
    if not held:
        warn("waves at the edge of the grid")
    return held


def _weights(pw, grid):
    """Returns the weights of this rank's waves in GPAW's transform to the grid.

    In the plane z = 0 of real arrays, GPAW adds no -G for waves with index (n - 1) / 2 on an axis of odd n. The result has
    half of such a wave.
    """
    x, y, z = abs(pw.indices_cG[:, pw.ng1 : pw.ng2])
    nx, ny, _ = grid.size_c
    unpaired = (z == 0) & ((2 * x + 1 == nx) | (2 * y + 1 == ny))
    return numpy.where((pw.dtype == numpy.float64) & unpaired, 0.5, 1.0)


def _fields(array):
    """Returns values of a GPAW grid as Seiche's (fields, z, y, x)."""
    return numpy.ascontiguousarray(array.data.reshape((-1, *array.data.shape[-3:])))


@replaces(PWArray, "ifft")
def _ifft(original, self, *, plan=None, grid=None, grid_spacing=None, out=None, periodic=False):
    """Transforms arrays that are distributed; GPAW gathers them on one rank."""
    if out is None and grid is not None:
        out = grid.empty(self.dims, xp=self.xp)
    alone = self.desc.comm.size == 1 or out is None or self.desc.dtype != out.desc.dtype
    if alone or not applies(self, out.desc, None) or not _holds(self.desc, out.desc):
        return original(self, plan=plan, grid=grid, grid_spacing=grid_spacing, out=out, periodic=periodic)
    transform = plan_of(self.desc, out.desc, band_groups=1)
    coefficients = self._arrays() * _weights(self.desc, out.desc)
    out.data[:] = transform.backward_to_boxes(coefficients, box_of(out.desc)).reshape(out.data.shape)
    if not periodic:
        out.multiply_by_eikr()
    return out


@replaces(UGArray, "fft")
def _fft(original, self, plan=None, pw=None, out=None):
    """Transforms arrays that are distributed; GPAW gathers them on one rank."""
    if out is None and pw is not None:
        out = pw.empty(dims=self.dims, xp=self.xp)
    alone = self.desc.comm.size == 1 or out is None or out.desc.dtype != self.desc.dtype
    if alone or not applies(out, self.desc, None) or not _holds(out.desc, self.desc):
        return original(self, plan=plan, pw=pw, out=out)
    transform = plan_of(out.desc, self.desc, band_groups=1)
    out.data[:] = transform.forward_from_boxes(box_of(self.desc), _fields(self)).reshape(out.data.shape)
    return out


_pairs = weakref.WeakKeyDictionary()  # of each coarse UGDesc: {(size of the fine one, options): GridPair}


def _pair(coarse, fine):
    """Returns the GridPair of two arrays, or None where GPAW's own method runs. Collective."""
    grid, sizes = coarse.desc, fine.desc.size_c
    alone = grid.comm.size == 1 or grid.dtype != fine.desc.dtype or (sizes <= grid.size_c).any()
    if alone or not applies(coarse, fine.desc, None) or not applies(fine, grid, None):
        return None
    kept = _pairs.setdefault(grid, {})
    chosen = {**seiche.gpaw.options, "band_groups": 1}
    key = (tuple(sizes), tuple(chosen.items()))
    if key not in kept:
        shapes = (tuple(int(n) for n in of[::-1]) for of in (grid.size_c, sizes))
        kept[key] = GridPair(*shapes, grid.dtype, communicator_of(grid.comm), **chosen)
    return kept[key]


@replaces(UGArray, "interpolate")
def _interpolate(original, self, *, plan1=None, plan2=None, grid=None, out=None):
    """Interpolates arrays that are distributed; GPAW gathers them on one rank."""
    if out is None and grid is not None:
        out = grid.empty(self.dims, xp=self.xp)
    pair = None if out is None else _pair(self, out)
    if pair is None:
        return original(self, plan1=plan1, plan2=plan2, grid=grid, out=out)
    values = _fields(self)
    if self.desc.kpt_c.any():
        values = numpy.ascontiguousarray(values * self.desc.eikr(-self.desc.kpt_c))
    out.data[:] = pair.interpolate(box_of(self.desc), values, box_of(out.desc)).reshape(out.data.shape)
    out.multiply_by_eikr()
    return out


@replaces(UGArray, "fft_restrict")
def _fft_restrict(original, self, plan1=None, plan2=None, grid=None, out=None):
    """Restricts arrays that are distributed; GPAW gathers them on one rank."""
    if out is None and grid is not None:
        out = grid.empty(self.dims, xp=self.xp)
    pair = None if out is None else _pair(out, self)
    if pair is None:
        return original(self, plan1, plan2, grid, out)
    out.data[:] = pair.restrict(box_of(self.desc), _fields(self), box_of(out.desc)).reshape(out.data.shape)
    return out


@replaces(PlaneWavePotentialCalculator, "_interpolate_density")
def _interpolate_density(original, self, nt_sR):
    """Returns the density on the fine grid, and its waves on rank 0.

    GPAW takes the waves from working memory of UGArray.interpolate, which _interpolate does not fill.
    """
    nt_sr = self.fine_grid.empty(nt_sR.dims, xp=self.xp)
    if _pair(nt_sR, nt_sr) is None:
        return original(self, nt_sR)
    nt_sR.interpolate(out=nt_sr)
    densities = nt_sR[: nt_sR.dims[0] % 3]  # four fields: the density and its magnetization
    waves = densities.fft(pw=self.vbar_g.desc)
    total = waves.desc.from_data(waves.data.sum(axis=0) * nt_sR.desc.size_c.prod())
    return nt_sr, total.gather()
