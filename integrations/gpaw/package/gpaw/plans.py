# SPDX-License-Identifier: BSD-3-Clause
"""Plans, communicators and potentials that stay between calls of GPAW, for the hooks of seiche.gpaw."""

import weakref

import gpaw.mpi
import numpy
from mpi4py import MPI

import seiche.gpaw
from seiche import Box, SphereFft

_communicators = {}  # id of GPAW's: (GPAW's, which keeps the id valid, mpi4py's)


def communicator_of(comm):
    """Returns the mpi4py communicator of a GPAW communicator. Collective at the first call for `comm`."""
    if id(comm) not in _communicators:
        inner = comm
        while not isinstance(inner, MPI.Comm) and getattr(inner, "comm", None) is not None:
            inner = inner.comm
        if not isinstance(inner, MPI.Comm):  # GPAW's own backend
            if comm.size == 1:
                inner = MPI.COMM_SELF
            else:
                ranks = comm.translate_ranks(gpaw.mpi.world, numpy.arange(comm.size))
                inner = MPI.COMM_WORLD.Create_group(MPI.COMM_WORLD.group.Incl([int(rank) for rank in ranks]))
        _communicators[id(comm)] = (comm, inner)
    return _communicators[id(comm)][1]


_plans = weakref.WeakKeyDictionary()  # of each PWDesc: {(size, components, options): plan}


def plan_of(pw, grid, components=1, **of_plan):
    """Returns the plan for the waves of `pw` on `grid`. Collective: all ranks of pw.comm have equal descriptions."""
    kept = _plans.setdefault(pw, {})
    chosen = {**seiche.gpaw.options, **of_plan}
    key = (tuple(grid.size_c), components, tuple(chosen.items()))
    if key not in kept:
        millers = numpy.ascontiguousarray(pw.indices_cG[::-1, pw.ng1 : pw.ng2].T, numpy.int32).reshape(-1, 3)
        shape = tuple(int(n) for n in grid.size_c[::-1])
        kept[key] = SphereFft(shape, millers, pw.dtype, communicator_of(pw.comm), components=components, **chosen)
    return kept[key]


def box_of(grid):
    """Returns this rank's part of a GPAW grid."""
    return Box(*((int(low), int(high)) for low, high in zip(grid.start_c[::-1], grid.end_c[::-1])))


class _LastPotentials:
    """The last potentials on the grids of plans. GPAW passes the same potential for each block of bands."""

    most = 4

    def __init__(self):
        self._kept = []  # communicator, box of the plan, values of GPAW, values of the plan

    def on(self, plan, comm, potential):
        """Returns `potential` on the plan's part of the grid. Collective."""
        given, box = potential.data, repr(plan.grid_box)
        same = 0
        for i, (of_comm, of_box, values, _) in enumerate(self._kept):
            if of_comm is comm and of_box == box and values.shape == given.shape and (values == given).all():
                same |= 1 << i
        same = comm.allreduce(same, MPI.BAND)
        if same:
            return self._kept[same.bit_length() - 1][3]
        here = plan.spread(box_of(potential.desc), given)
        self._kept = [*self._kept, (comm, box, given.copy(), here)][-self.most :]
        return here


last_potentials = _LastPotentials()
