# SPDX-License-Identifier: BSD-3-Clause
"""Local potentials, densities and kinetic energy densities of all bands of GPAW."""

import numpy
from gpaw.core.plane_waves import PWArray
from gpaw.new.pw.hamiltonian import PWHamiltonian, SpinorPWHamiltonian
from gpaw.new.pwfd.wave_functions import PWFDWaveFunctions

from seiche.gpaw.methods import applies, replaces, warn
from seiche.gpaw.plans import box_of, communicator_of, last_potentials, plan_of


def _multiply(waves, potential, out, components=1):
    """out += V waves."""
    plan = plan_of(waves.desc, potential.desc, components)
    values = last_potentials.on(plan, communicator_of(waves.desc.comm), potential)
    plan.apply_potential(waves.data, values, out, add=True)


@replaces(PWHamiltonian, "apply_local_potential")
def _apply_local_potential(original, self, vt_R, psit_nG, out):
    if not applies(psit_nG, vt_R.desc, 1) or numpy.may_share_memory(psit_nG.data, out.data):
        return original(self, vt_R, psit_nG, out)
    numpy.multiply(psit_nG.data, psit_nG.desc.ekin_G, out.data)
    _multiply(psit_nG, vt_R, out.data)


@replaces(SpinorPWHamiltonian, "apply")
def _apply_spinors(original, self, vt_xR, dedtaut_xR, ibzwfs, D_asii, psit_nsG, out, spin, calculate_energy=False):
    if self.qspiral_v is not None:
        warn("spin spirals")
    if self.qspiral_v is not None or dedtaut_xR is not None or not applies(psit_nsG, vt_xR.desc, 2):
        return original(self, vt_xR, dedtaut_xR, ibzwfs, D_asii, psit_nsG, out, spin, calculate_energy)
    numpy.multiply(psit_nsG.data, psit_nsG.desc.ekin_G, out.data)
    _multiply(psit_nsG, vt_xR, out.data, components=2)
    return out


@replaces(PWHamiltonian, "apply_mgga")
def _apply_mgga(original, self, dedtaut_R, psit_nG, vt_nG):
    """H psi -= 1/2 div(dE/dtau grad psi), one direction at a time."""
    if not applies(psit_nG, dedtaut_R.desc, 1):
        return original(self, dedtaut_R, psit_nG, vt_nG)
    plan = plan_of(psit_nG.desc, dedtaut_R.desc)
    values = last_potentials.on(plan, communicator_of(psit_nG.desc.comm), dedtaut_R)
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
    plan = plan_of(desc, density.desc, components)
    weights = numpy.ascontiguousarray(weights, float)
    here = numpy.zeros(density.data.shape[:-3] + plan.grid_box.shape)
    for waves in arrays:
        plan.add_density(waves, weights, here)
    plan.collect(here, box_of(density.desc), density.data)


@replaces(PWArray, "abs_square")
def _abs_square(original, self, weights, out, *args, **keywords):
    if not applies(self, out.desc, 1):
        return original(self, weights, out, *args, **keywords)
    _add_densities(self.desc, [self.data], weights, out)


@replaces(PWFDWaveFunctions, "add_to_density")
def _add_to_density(original, self, nt_sR, D_asii):
    psi = self.psit_nX
    if self.ncomponents < 4 or not isinstance(psi, PWArray) or not applies(psi, nt_sR.desc, 2):
        return original(self, nt_sR, D_asii)  # which calls abs_square for collinear states
    weights = self.weight * self.spin_degeneracy * self.myocc_n
    self.add_to_atomic_density_matrices(weights, D_asii)
    _add_densities(psi.desc, [psi.data], weights, nt_sR, components=2)


@replaces(PWArray, "add_ked")
def _add_ked(original, self, occ_n, taut_R):
    """tau += sum of weights |grad psi|^2 / 2, one direction at a time."""
    if not applies(self, taut_R.desc, 1):
        return original(self, occ_n, taut_R)
    slopes = (of_direction for _, of_direction in _slopes(self))
    _add_densities(self.desc, slopes, 0.5 * numpy.asarray(occ_n), taut_R)
