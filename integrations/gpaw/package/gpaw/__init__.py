# SPDX-License-Identifier: BSD-3-Clause
"""Runs GPAW's plane-wave calculations on Seiche. Import it before the calculation starts:

    import seiche.gpaw
    from gpaw.new.ase_interface import GPAW

The import replaces methods of GPAW 26.7 in memory; no file of GPAW changes. Replaced are the application of local
potentials, densities and kinetic energy densities of all bands, and single transforms between plane waves and grids
that are distributed, or between two such grids. Spinors and meta-GGA functionals are included. Ranks share the PAW
corrections of atoms evenly, and compensation charges need one phase for each atom and plane wave. All ranks write and
read the wavefunctions of .gpw files. GPAW's own method runs where Seiche does not apply (GPUs, single precision, spin
spirals, grids with zero boundary conditions), and a warning says so once.

GPAW's arrays are [x, y, z] with z fastest. Seiche's first axis is the fastest one, so that shapes, Miller indices and
boxes are passed in reverse order, and no array is copied.
"""

import copy
import functools
import os
import warnings
import weakref

import gpaw.mpi
import gpaw.new.pot_calc
import numpy
from ase.units import Bohr
from gpaw.core.atom_arrays import AtomDistribution
from gpaw.core.plane_waves import PWArray
from gpaw.core.pwacf import PWLFC
from gpaw.core.uniform_grid import UGArray
from gpaw.new.ibzwfs import IBZWaveFunctions
from gpaw.new.pw.builder import PWDFTComponentsBuilder, check_g_vector_ordering
from gpaw.new.pw.hamiltonian import PWHamiltonian, SpinorPWHamiltonian
from gpaw.new.pw.pot_calc import PlaneWavePotentialCalculator
from gpaw.new.pwfd.builder import PWFDDFTComponentsBuilder
from gpaw.new.pwfd.wave_functions import PWFDWaveFunctions
from mpi4py import MPI

from seiche import BadFile, Box, SphereFft
from seiche.gpaw.atom_functions import AtomFunctions
from seiche.gpaw.gpw_file import BandArray, BandMover, FirstFault
from seiche.gpaw.grid_pair import GridPair

active = os.environ.get("SEICHE_GPAW") != "never"  # False: GPAW's own methods run. Must be equal on all ranks.
atoms = os.environ.get("SEICHE_GPAW_ATOMS") != "never"  # False: GPAW's own methods compute sums over atoms. Equal on all ranks.
files = os.environ.get("SEICHE_GPAW_FILES") != "never"  # False: GPAW's own methods write and read .gpw files
options = {"band_groups": 0}  # of all plans; must be equal on all ranks


# ------------------------------------------------------------------------------------------------------ communicators

_communicators = {}  # id of GPAW's: (GPAW's, which keeps the id valid, mpi4py's)


def _mpi4py(comm):
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


# -------------------------------------------------------------------------------------------------------------- plans

_plans = weakref.WeakKeyDictionary()  # of each PWDesc: {(size, components, options): plan}


def _plan(pw, grid, components=1, **of_plan):
    """Returns the plan for the waves of `pw` on `grid`. Collective: all ranks of pw.comm have equal descriptions."""
    kept = _plans.setdefault(pw, {})
    chosen = {**options, **of_plan}
    key = (tuple(grid.size_c), components, tuple(chosen.items()))
    if key not in kept:
        millers = numpy.ascontiguousarray(pw.indices_cG[::-1, pw.ng1 : pw.ng2].T, numpy.int32).reshape(-1, 3)
        shape = tuple(int(n) for n in grid.size_c[::-1])
        kept[key] = SphereFft(shape, millers, pw.dtype, _mpi4py(pw.comm), components=components, **chosen)
    return kept[key]


def _box(grid):
    """Returns this rank's part of a GPAW grid."""
    return Box(*((int(low), int(high)) for low, high in zip(grid.start_c[::-1], grid.end_c[::-1])))


class _Potentials:
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
        here = plan.spread(_box(potential.desc), given)
        self._kept = [*self._kept, (comm, box, given.copy(), here)][-self.most :]
        return here


_potentials = _Potentials()


# ------------------------------------------------------------------------------------------------------------ methods

_warned = set()


def _applies(waves, grid, dimensions):
    """Returns whether Seiche transforms these arrays. Warns once for each reason why not."""
    return not _warns(_obstacle(waves.xp, waves.desc.dtype) or _obstacle_of(waves, grid, dimensions))


def _obstacle(xp, dtype):
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


def _warns(reason):
    """Returns whether there is a reason. Warns once for each."""
    if reason is not None:
        _warn(reason)
    return reason is not None


def _warn(reason):
    if reason not in _warned and gpaw.mpi.world.rank == 0:
        warnings.warn(f"seiche.gpaw does not support {reason}; GPAW's own method runs", RuntimeWarning, stacklevel=4)
    _warned.add(reason)


def _replaces(owner, name):
    """Makes hook(original, self, ...) the method `name` of a class of GPAW, or the function `name` of a module."""
    original = getattr(owner, name)

    def replace(hook):
        @functools.wraps(original)
        def method(self, *args, **keywords):
            if not active:
                return original(self, *args, **keywords)
            return hook(original, self, *args, **keywords)

        setattr(owner, name, method)
        return hook

    return replace


def _multiply(waves, potential, out, components=1):
    """out += V waves."""
    plan = _plan(waves.desc, potential.desc, components)
    values = _potentials.on(plan, _mpi4py(waves.desc.comm), potential)
    plan.apply_potential(waves.data, values, out, add=True)


@_replaces(PWHamiltonian, "apply_local_potential")
def _apply_local_potential(original, self, vt_R, psit_nG, out):
    if not _applies(psit_nG, vt_R.desc, 1) or numpy.may_share_memory(psit_nG.data, out.data):
        return original(self, vt_R, psit_nG, out)
    numpy.multiply(psit_nG.data, psit_nG.desc.ekin_G, out.data)
    _multiply(psit_nG, vt_R, out.data)


@_replaces(SpinorPWHamiltonian, "apply")
def _apply_spinors(original, self, vt_xR, dedtaut_xR, ibzwfs, D_asii, psit_nsG, out, spin, calculate_energy=False):
    if self.qspiral_v is not None:
        _warn("spin spirals")
    if self.qspiral_v is not None or dedtaut_xR is not None or not _applies(psit_nsG, vt_xR.desc, 2):
        return original(self, vt_xR, dedtaut_xR, ibzwfs, D_asii, psit_nsG, out, spin, calculate_energy)
    numpy.multiply(psit_nsG.data, psit_nsG.desc.ekin_G, out.data)
    _multiply(psit_nsG, vt_xR, out.data, components=2)
    return out


@_replaces(PWHamiltonian, "apply_mgga")
def _apply_mgga(original, self, dedtaut_R, psit_nG, vt_nG):
    """H psi -= 1/2 div(dE/dtau grad psi), one direction at a time."""
    if not _applies(psit_nG, dedtaut_R.desc, 1):
        return original(self, dedtaut_R, psit_nG, vt_nG)
    plan = _plan(psit_nG.desc, dedtaut_R.desc)
    values = _potentials.on(plan, _mpi4py(psit_nG.desc.comm), dedtaut_R)
    result = numpy.empty_like(psit_nG.data)
    for factors, slopes in _slopes(psit_nG):
        plan.apply_potential(slopes, values, result)
        result *= 0.5 * factors.conj()
        vt_nG.data += result


def _slopes(psi):
    """Yields factors and factors * psi for each direction: the gradient of psi, but for a common factor 1j.

    The factor 1j is included for real functions, because only the gradient itself is real.
    """
    slopes = numpy.empty_like(psi.data)
    for G_G in psi.desc.G_plus_k_Gv.T:
        factors = 1j * G_G if psi.desc.dtype == float else numpy.ascontiguousarray(G_G)
        yield factors, numpy.multiply(psi.data, factors, slopes)


def _add_densities(desc, arrays, weights, density, components=1):
    """density += sum of weights |waves|^2 of all arrays of waves; of spinors with the magnetization."""
    plan = _plan(desc, density.desc, components)
    weights = numpy.ascontiguousarray(weights, float)
    here = numpy.zeros(density.data.shape[:-3] + plan.grid_box.shape)
    for waves in arrays:
        plan.add_density(waves, weights, here)
    plan.collect(here, _box(density.desc), density.data)


@_replaces(PWArray, "abs_square")
def _abs_square(original, self, weights, out, *args, **keywords):
    if not _applies(self, out.desc, 1):
        return original(self, weights, out, *args, **keywords)
    _add_densities(self.desc, [self.data], weights, out)


@_replaces(PWFDWaveFunctions, "add_to_density")
def _add_to_density(original, self, nt_sR, D_asii):
    psi = self.psit_nX
    if self.ncomponents < 4 or not isinstance(psi, PWArray) or not _applies(psi, nt_sR.desc, 2):
        return original(self, nt_sR, D_asii)  # which calls abs_square for collinear states
    weights = self.weight * self.spin_degeneracy * self.myocc_n
    self.add_to_atomic_density_matrices(weights, D_asii)
    _add_densities(psi.desc, [psi.data], weights, nt_sR, components=2)


@_replaces(PWArray, "add_ked")
def _add_ked(original, self, occ_n, taut_R):
    """tau += sum of weights |grad psi|^2 / 2, one direction at a time."""
    if not _applies(self, taut_R.desc, 1):
        return original(self, occ_n, taut_R)
    slopes = (of_direction for _, of_direction in _slopes(self))
    _add_densities(self.desc, slopes, 0.5 * numpy.asarray(occ_n), taut_R)


def _holds(pw, grid):
    """Returns whether Seiche has a plan for all waves of `pw`. Warns once if not.

    On an axis of n points, real arrays have no wave with index n / 2. Complex ones have n / 2 or -n / 2.
    """
    low, high = pw.indices_cG.min(axis=1), pw.indices_cG.max(axis=1)
    reach = 2 * numpy.maximum(high, -low) + (pw.dtype == numpy.float64)
    held = (reach <= grid.size_c).all() and (high - low < grid.size_c).all()
    if not held:
        _warn("waves at the edge of the grid")
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


@_replaces(PWArray, "ifft")
def _ifft(original, self, *, plan=None, grid=None, grid_spacing=None, out=None, periodic=False):
    """Transforms arrays that are distributed; GPAW gathers them on one rank."""
    if out is None and grid is not None:
        out = grid.empty(self.dims, xp=self.xp)
    alone = self.desc.comm.size == 1 or out is None or self.desc.dtype != out.desc.dtype
    if alone or not _applies(self, out.desc, None) or not _holds(self.desc, out.desc):
        return original(self, plan=plan, grid=grid, grid_spacing=grid_spacing, out=out, periodic=periodic)
    transform = _plan(self.desc, out.desc, band_groups=1)
    coefficients = self._arrays() * _weights(self.desc, out.desc)
    out.data[:] = transform.backward_to_boxes(coefficients, _box(out.desc)).reshape(out.data.shape)
    if not periodic:
        out.multiply_by_eikr()
    return out


@_replaces(UGArray, "fft")
def _fft(original, self, plan=None, pw=None, out=None):
    """Transforms arrays that are distributed; GPAW gathers them on one rank."""
    if out is None and pw is not None:
        out = pw.empty(dims=self.dims, xp=self.xp)
    alone = self.desc.comm.size == 1 or out is None or out.desc.dtype != self.desc.dtype
    if alone or not _applies(out, self.desc, None) or not _holds(out.desc, self.desc):
        return original(self, plan=plan, pw=pw, out=out)
    transform = _plan(out.desc, self.desc, band_groups=1)
    out.data[:] = transform.forward_from_boxes(_box(self.desc), _fields(self)).reshape(out.data.shape)
    return out


_pairs = weakref.WeakKeyDictionary()  # of each coarse UGDesc: {(size of the fine one, options): GridPair}


def _pair(coarse, fine):
    """Returns the GridPair of two arrays, or None where GPAW's own method runs. Collective."""
    grid, sizes = coarse.desc, fine.desc.size_c
    alone = grid.comm.size == 1 or grid.dtype != fine.desc.dtype or (sizes <= grid.size_c).any()
    if alone or not _applies(coarse, fine.desc, None) or not _applies(fine, grid, None):
        return None
    kept = _pairs.setdefault(grid, {})
    chosen = {**options, "band_groups": 1}
    key = (tuple(sizes), tuple(chosen.items()))
    if key not in kept:
        shapes = (tuple(int(n) for n in of[::-1]) for of in (grid.size_c, sizes))
        kept[key] = GridPair(*shapes, grid.dtype, _mpi4py(grid.comm), **chosen)
    return kept[key]


@_replaces(UGArray, "interpolate")
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
    out.data[:] = pair.interpolate(_box(self.desc), values, _box(out.desc)).reshape(out.data.shape)
    out.multiply_by_eikr()
    return out


@_replaces(UGArray, "fft_restrict")
def _fft_restrict(original, self, plan1=None, plan2=None, grid=None, out=None):
    """Restricts arrays that are distributed; GPAW gathers them on one rank."""
    if out is None and grid is not None:
        out = grid.empty(self.dims, xp=self.xp)
    pair = None if out is None else _pair(out, self)
    if pair is None:
        return original(self, plan1, plan2, grid, out)
    out.data[:] = pair.restrict(_box(self.desc), _fields(self), _box(out.desc)).reshape(out.data.shape)
    return out


@_replaces(PlaneWavePotentialCalculator, "_interpolate_density")
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


# -------------------------------------------------------------------------------------------------------------- atoms


def _even(setups, distribution):
    """Returns atoms divided evenly over ranks, or None if `distribution` is as even. An atom counts by its projectors."""
    costs = numpy.array([setup.ni for setup in setups])
    ranks = numpy.empty(len(costs), int)
    ranks[numpy.argsort(-costs, kind="stable")] = numpy.arange(len(costs)) % distribution.comm.size
    before, after = (numpy.bincount(of, costs).max() for of in (distribution.rank_a, ranks))
    return AtomDistribution(ranks, distribution.comm) if after < before else None


@_replaces(gpaw.new.pot_calc, "calculate_non_local_potential")
def _calculate_non_local_potential(original, setups, density, xc, potentials, soc, extensions, kpt_band_comm):
    """Divides the atoms evenly over ranks; GPAW computes the corrections of an atom on the rank that has its grid points."""
    layout = density.D_asii.layout
    even = _even(setups, layout.atomdist) if atoms and len(setups) else None
    if even is None or _warns(_obstacle(layout.xp, float) or ("extensions" if extensions else None)):
        return original(setups, density, xc, potentials, soc, extensions, kpt_band_comm)
    moved = copy.copy(density)
    moved.D_asii = density.D_asii.moved(even)
    corrections, energies = original(setups, moved, xc, potentials.moved(even), soc, extensions, kpt_band_comm)
    return corrections.moved(layout.atomdist), energies


_functions_of = weakref.WeakKeyDictionary()  # of each PWLFC: its positions, and its AtomFunctions


def _functions(lfc, fields):
    """Returns the AtomFunctions of a GPAW object, or None unless `fields` is one real function in double precision."""
    one = numpy.prod(fields.shape[:-1], dtype=int) == 1 and fields.flags.c_contiguous
    if not (atoms and one and lfc.xp is numpy and lfc.real and fields.dtype == numpy.complex128 and lfc.nI):
        return None
    positions, functions = _functions_of.get(lfc, (None, None))
    if positions is not lfc.pos_av:  # atoms have moved
        of_atoms = [[] for _ in lfc.spline_aj]
        for atom, spline in zip(lfc.a_J, lfc.s_J):
            of_atoms[atom].append((int(spline), int(lfc.l_s[spline])))
        waves = lfc.pw.indices_cG[:, lfc.pw.ng1 : lfc.pw.ng2].T
        functions = AtomFunctions(waves, lfc.f_Gs, lfc.Y_GL, lfc.pos_av @ numpy.linalg.inv(lfc.pw.cell_cv), of_atoms)
        _functions_of[lfc] = lfc.pos_av, functions
    return functions


@_replaces(PWLFC, "add")
def _add_functions(original, self, a_xG, c_axi=1.0, q=None):
    functions = _functions(self, a_xG)
    if functions is None:
        return original(self, a_xG, c_axi, q)
    coefficients = numpy.full(self.nI, c_axi if isinstance(c_axi, float) else 0.0)
    if not isinstance(c_axi, float):
        for atom, first, last in self.my_indices:
            coefficients[first:last] = c_axi[atom].ravel()
        self.comm.sum(coefficients)
    functions.add(coefficients / self.pw.dv, a_xG.reshape(-1))


@_replaces(PWLFC, "integrate")
def _integrate_functions(original, self, a_xG, c_axi=None, q=-1, add_to=False):
    functions = _functions(self, a_xG)
    if functions is None:
        return original(self, a_xG, c_axi, q, add_to)
    field = 2 * a_xG.reshape(-1)  # G and -G
    if self.comm.rank == 0:
        field[0] *= 0.5
    sums = functions.integrate(field)
    self.comm.sum(sums)
    if c_axi is None:
        c_axi = self.dict(a_xG.shape[:-1])
    for atom, first, last in self.my_indices:
        c_axi[atom][:] = sums[first:last] + (c_axi[atom] if add_to else 0)
    return c_axi


# -------------------------------------------------------------------------------------------------------------- files


def _serves_files(comm, xp, dtype):
    """Returns whether Seiche writes and reads wavefunctions. Warns once for each reason why not."""
    return files and comm.size > 1 and not _warns(_obstacle(xp, dtype))


def _mover(psi):
    return BandMover(psi.desc.shape[0], psi.desc.maxmysize, _mpi4py(psi.desc.comm))


def _place(ibzwfs, wfs):
    """Returns the indices of a k-point in arrays of files."""
    return (wfs.spin, wfs.k) if ibzwfs.collinear else (wfs.k,)


def _bands_from(stored, offset):
    """Returns a function that reads bands of a k-point, whose first band here is `offset` in the file."""
    return lambda first, last: stored[offset + first : offset + last]


@_replaces(IBZWaveFunctions, "_write_wave_functions")
def _write_wave_functions(original, self, writer, spin_k_shape, flags):
    """Writes whole bands from all ranks; GPAW gathers them on rank 0."""
    if self.mode != "pw" or not _serves_files(self.comm, self.xp, self.dtype):
        return original(self, writer, spin_k_shape, flags)
    shape = (*spin_k_shape, self.nbands, *self.get_max_shape(global_shape=True))
    array = BandArray(writer, "coefficients", shape, flags.storage_dtype(complex), _mpi4py(self.comm))
    if not array.shared:
        _warn("files that not all ranks can open")
        return original(self, writer, spin_k_shape, flags)

    def stored(bands):
        return flags.to_storage_dtype(bands * Bohr**-1.5)

    for wfs in self:
        for first, bands in _mover(wfs.psit_nX).whole(wfs.psit_nX.data, array.fault):
            array.fill(_place(self, wfs), wfs.n1 + first, bands, stored)
    array.finish()


@_replaces(PWDFTComponentsBuilder, "read_ibz_wave_functions")
def _read_ibz_wave_functions(original, self, reader):
    """Reads whole bands on all ranks; GPAW reads them on one rank of each group that shares the plane waves."""
    group = self.communicators["w"]
    known = "coefficients" in reader.wave_functions and reader.version >= 4  # older files have other units
    if not known or not _serves_files(group, self.xp, self.dtype):
        return original(self, reader)
    ibzwfs = PWFDDFTComponentsBuilder.read_ibz_wave_functions(self, reader)
    dims = (self.nbands, 2) if self.ncomponents == 4 else (self.nbands,)
    fault, indices = FirstFault(_mpi4py(group)), None
    with fault.kept():
        indices = reader.wave_functions.indices
    for wfs in ibzwfs:
        with fault.kept():
            pw = self.wf_desc.new(kpt=wfs.kpt_c, dtype=self.dtype)
            check_g_vector_ordering(self.grid, pw, indices[wfs.k])
            stored = reader.wave_functions.proxy("coefficients", *_place(ibzwfs, wfs))
            stored.scale = reader.bohr**1.5
            stored.length_of_last_dimension = pw.shape[-1]
            wfs.psit_nX = PWArray(pw, dims, comm=self.communicators["b"])
        if fault.among(_mpi4py(self.wf_desc.comm)):
            break
        _mover(wfs.psit_nX).divide(_bands_from(stored, wfs.n1), wfs.psit_nX.data, fault)
    fault.agree(BadFile, "read the wavefunctions", "the file may be incomplete; write it again")
    return ibzwfs
