# SPDX-License-Identifier: BSD-3-Clause
"""Replaces methods of GPAW, and tells where GPAW's own method runs, for the hooks of seiche.gpaw."""

import functools
import warnings

import gpaw.mpi
import numpy

import seiche.gpaw

warned = set()


def applies(waves, grid, dimensions):
    """Returns whether Seiche transforms these arrays. Warns once for each reason why not."""
    return not warns(obstacle(waves.xp, waves.desc.dtype) or _obstacle_of(waves, grid, dimensions))


def obstacle(xp, dtype):
    """Returns why Seiche does not support such arrays, or None."""
    if xp is not numpy:
        return "arrays in GPU memory"
    return None if numpy.dtype(dtype) in (numpy.float64, numpy.complex128) else "single precision"


def _obstacle_of(waves, grid, dimensions):
    """Returns why Seiche does not transform these arrays, or None."""
    if dimensions is not None and len(waves.dims) != dimensions:
        return f"arrays with {len(waves.dims)} dimensions beside the plane waves"
    if grid.zerobc_c.any():
        return "zero boundary conditions"
    return "arrays on different numbers of ranks" if grid.comm.size != waves.desc.comm.size else None


def warns(reason):
    """Returns whether there is a reason. Warns once for each."""
    if reason is not None:
        warn(reason)
    return reason is not None


def warn(reason):
    if reason not in warned and gpaw.mpi.world.rank == 0:
        warnings.warn(f"seiche.gpaw does not support {reason}; GPAW's own method runs", RuntimeWarning, stacklevel=4)
    warned.add(reason)


def replaces(owner, name):
    """Makes hook(original, self, ...) the method `name` of a class of GPAW, or the function `name` of a module."""
    original = getattr(owner, name)

    def replace(hook):
        @functools.wraps(original)
        def method(self, *args, **keywords):
            if not seiche.gpaw.active:
                return original(self, *args, **keywords)
            return hook(original, self, *args, **keywords)

        setattr(owner, name, method)
        return hook

    return replace
