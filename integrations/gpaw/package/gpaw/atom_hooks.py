# SPDX-License-Identifier: BSD-3-Clause
"""PAW corrections of atoms, and functions that are centered on atoms, of GPAW."""

import copy
import weakref

import gpaw.new.pot_calc
import numpy
from gpaw.core.atom_arrays import AtomDistribution
from gpaw.core.pwacf import PWLFC

import seiche.gpaw
from seiche.gpaw.atom_functions import AtomFunctions
from seiche.gpaw.methods import obstacle, replaces, warns


def _even(setups, distribution):
    """Returns atoms divided evenly over ranks, or None if `distribution` is as even. An atom counts by its projectors."""
    costs = numpy.array([setup.ni for setup in setups])
    ranks = numpy.empty(len(costs), int)
    ranks[numpy.argsort(-costs, kind="stable")] = numpy.arange(len(costs)) % distribution.comm.size
    before, after = (numpy.bincount(of, costs).max() for of in (distribution.rank_a, ranks))
    return AtomDistribution(ranks, distribution.comm) if after < before else None


@replaces(gpaw.new.pot_calc, "calculate_non_local_potential")
def _calculate_non_local_potential(original, setups, density, xc, potentials, soc, extensions, kpt_band_comm):
    """Divides the atoms evenly over ranks; GPAW computes the corrections of an atom on the rank that has its grid points."""
    layout = density.D_asii.layout
    even = _even(setups, layout.atomdist) if seiche.gpaw.atoms and len(setups) else None
    if even is None or warns(obstacle(layout.xp, float) or ("extensions" if extensions else None)):
        return original(setups, density, xc, potentials, soc, extensions, kpt_band_comm)
    moved = copy.copy(density)
    moved.D_asii = density.D_asii.moved(even)
    corrections, energies = original(setups, moved, xc, potentials.moved(even), soc, extensions, kpt_band_comm)
    return corrections.moved(layout.atomdist), energies


_functions_of = weakref.WeakKeyDictionary()  # of each PWLFC: its positions, and its AtomFunctions


def _functions(lfc, fields):
    """Returns the AtomFunctions of a GPAW object, or None unless `fields` is one real function in double precision."""
    one = numpy.prod(fields.shape[:-1], dtype=int) == 1 and fields.flags.c_contiguous
    if not (seiche.gpaw.atoms and one and lfc.xp is numpy and lfc.real and fields.dtype == numpy.complex128 and lfc.nI):
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


@replaces(PWLFC, "add")
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


@replaces(PWLFC, "integrate")
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
