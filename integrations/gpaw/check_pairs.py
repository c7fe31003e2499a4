#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares pair densities of silicon with those of GPAW's response code, for wave vectors q between k-points. GPAW's
corrections inside the PAW spheres are left out."""
import sys

import numpy
from ase.build import bulk
from gpaw import GPAW, PW
from gpaw.response import ResponseContext, ResponseGroundStateAdapter
from gpaw.response.pair import KPointPairFactory
from gpaw.response.qpd import SingleQPWDescriptor

import seiche

FILLED, BANDS, CUTOFF = 4, 8, 3.0  # filled and all bands; cutoff of the densities, hartree


class NoCorrections:
    """Corrections that are zero."""

    def __init__(self, waves):
        self.waves = waves

    def multiply(self, projections, band):
        return [numpy.zeros((self.waves, of_atom.shape[1]), complex) for of_atom in projections]


def indices(places, shape):
    """Returns the Miller indices of places in the spectrum of a grid."""
    shape = numpy.array(shape)
    here = (numpy.array(numpy.unravel_index(places, shape)).T + shape // 2) % shape - shape // 2
    return numpy.ascontiguousarray(here, "int32")


def coefficients(waves, k, bands):
    """Returns the Miller indices and the coefficients of bands at a k-point. The sum of squares is the norm."""
    orbitals, grid = waves.kpt_u[k], waves.pd.gd
    points = numpy.prod(grid.N_c)
    return indices(waves.pd.Q_qG[orbitals.q], grid.N_c), orbitals.psit_nG[bands] * numpy.sqrt(grid.dv / points)


def main():
    silicon = bulk("Si")
    silicon.calc = GPAW(mode=PW(200), kpts={"size": (2, 2, 2), "gamma": True}, symmetry="off", nbands=BANDS + 2, txt=None,
                        convergence={"density": 1e-3, "eigenstates": 1e-4, "energy": 1e-2})
    silicon.get_potential_energy()
    ground_state = ResponseGroundStateAdapter(silicon.calc)
    factory = KPointPairFactory(ground_state, ResponseContext(txt=None))
    kpoints, worst, largest = silicon.calc.wfs.kd.bzk_kc, 0.0, 0.0
    for q in ([0, 0, 0], [0.5, 0, 0], [0.5, 0.5, 0]):
        theirs_of = SingleQPWDescriptor.from_q(numpy.array(q, float), CUTOFF, ground_state.gd)
        shape = tuple(map(int, theirs_of.gd.N_c))
        waves = indices(theirs_of.Q_qG[0], shape)
        with seiche.PairDensities(shape, waves) as densities:
            for k in range(len(kpoints)):
                pair = factory.get_kpoint_pair(theirs_of, 0, k, 0, FILLED, FILLED, BANDS)
                theirs = factory.pair_calculator().get_pair_density(theirs_of, pair, range(FILLED), range(FILLED, BANDS),
                                                                    pawcorr=NoCorrections(len(waves)))
                g0 = numpy.round(kpoints[pair.kpt2.K] - kpoints[k] - q).astype("int32")
                g, psi = coefficients(silicon.calc.wfs, k, slice(FILLED))
                left = densities.orbitals(g, psi)
                g, psi = coefficients(silicon.calc.wfs, pair.kpt2.K, slice(FILLED, BANDS))
                right = densities.orbitals(g + g0, psi)
                ours = numpy.zeros_like(theirs)

                def put(pairs, values, ours=ours):
                    ours[tuple(pairs.T)] = values

                densities.compute(left, right, put)
                worst, largest = max(worst, abs(ours - theirs).max()), max(largest, abs(theirs).max())
    print(f"pair densities: largest {largest:.3f}, largest difference from GPAW {worst:.1e}")
    return 0 if worst < 1e-13 else 1


if __name__ == "__main__":
    sys.exit(main())
