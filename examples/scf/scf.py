# SPDX-License-Identifier: BSD-3-Clause
"""Self-consistent loop for a crystal with a gap. Orbitals are distributed over ranks by plane waves."""

import numpy
import seiche
from crystals import irreducible
from eigensolver import lowest
from ewald import ewald_energy
from fields import Fields
from gth import PARAMETERS
from hamiltonian import Hamiltonian
from mixing import Mixer


def header_of(crystal, cutoff, kpoints, weights, bands):
    """Creates the header of new orbitals, and the waves of each k-point."""
    b = crystal.reciprocal
    waves = [seiche.sphere_of_waves(b, cutoff, k) for k in kpoints]
    header = seiche.OrbitalHeader()
    header.crystal, header.bands = crystal, bands
    header.set_kpoints(kpoints, weights, [len(w) for w in waves])
    header.cutoff, header.density_cutoff = cutoff, 4 * cutoff
    header.grid = seiche.fft_grid(crystal, header.density_cutoff)
    header.electrons = sum(PARAMETERS[symbol].charge for symbol in crystal.symbols)
    header.norm_conserving, header.averaged = "yes", True
    occupations = numpy.zeros((1, len(kpoints), bands))
    occupations[:, :, : round(header.electrons) // 2] = 1
    header.occupations = occupations
    return header, waves


def layout_of(comm):
    """Returns a layout in which each rank has whole sticks of waves of every k-point, for all bands."""
    return seiche.OrbitalLayout(waves=comm.size, owners=lambda k, waves: seiche.balanced_owners(waves, comm.size))


def first_guess(header, waves, comm):
    """Returns random orbitals, damped at high kinetic energy, equal on any number of ranks."""
    orbitals = seiche.make_orbitals(header, waves, layout_of(comm), comm)
    for part in orbitals.parts:
        every = waves[part.k]
        random = numpy.random.default_rng(part.k).normal(size=(header.bands, len(every), 2)) @ [1, 1j]
        kinetic = (((every + header.kpoints[part.k]) @ header.crystal.reciprocal) ** 2).sum(axis=1) / 2
        mine = numpy.concatenate([numpy.arange(*run) for run in part.positions])
        part.coefficients[...] = (random / (1 + kinetic**2))[:, mine]
    return orbitals


def start(crystal, cutoff, mesh, bands, comm):
    """Returns initial orbitals on the irreducible k-points of a mesh."""
    kpoints, weights = irreducible(crystal, mesh)
    header, waves = header_of(crystal, cutoff, kpoints, weights, bands)
    header.mesh = mesh
    return first_guess(header, waves, comm)


def restart(path, comm):
    """Reads orbitals from a file of any code in our layout. Returns them and their density."""
    with seiche.WaveFile(path, comm) as file:
        orbitals = seiche.read_orbitals(file, layout_of(comm))
    return orbitals, seiche.density_of(orbitals)


def save(loop, path):
    """Writes orbitals and density in the format of Quantum ESPRESSO."""
    seiche.write_orbitals(loop.orbitals, path, "qe")
    seiche.write_density(loop.density, f"{path}/charge-density.dat")


def ionic_density(fields, header):
    """Returns an initial density: the charge of the ions, smeared by a Gaussian."""
    charge = -fields.ions / (fields.coulomb + (fields.g2 == 0)) * numpy.exp(-fields.g2)
    charge[fields.g2 == 0] = header.electrons / fields.volume
    return charge


class Loop:
    """Orbitals, their Hamiltonians and their density. It is a context manager; leaving it is collective."""

    def __init__(self, orbitals, comm):
        self.orbitals, self.header, self.comm = orbitals, orbitals.header, comm
        h = self.header
        self.fields = Fields(h.crystal, h.grid, h.density_cutoff, comm)
        self.states = {part.k: part.coefficients for part in orbitals.parts}  # in place
        self.waves = {part.k: part.waves for part in orbitals.parts}
        nothing = numpy.empty((0, 3), numpy.int32)
        self.hamiltonians = [
            Hamiltonian(h.crystal, k, self.waves.get(i, nothing), h.grid, comm) for i, k in enumerate(h.kpoints)
        ]
        self.density = seiche.Density(h.crystal, h.grid, comm=comm)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        for plan in [self.fields.fft, *(hamiltonian.fft for hamiltonian in self.hamiltonians)]:
            plan.close()

    def psi(self, k):
        """Returns coefficients (bands, n); n may be 0."""
        return self.states.get(k, numpy.empty((self.header.bands, 0), complex))

    def improve_bands(self, potential, steps, tolerance):
        """Improves the bands and the energies in the header. Returns the largest residual of an occupied band."""
        energies, worst = self.header.energies, 0.0
        for k, hamiltonian in enumerate(self.hamiltonians):
            hamiltonian.potential = potential
            energies[0, k], residuals = lowest(hamiltonian, self.psi(k), steps, tolerance, self.comm)
            worst = max(worst, residuals[self.header.occupations[0, k] > 0].max())
        self.header.energies = energies
        return worst

    def sum_density(self):
        """Returns the coefficients of the symmetrized density of the bands."""
        (values,) = self.density.components
        values[...] = 0
        for k, hamiltonian in enumerate(self.hamiltonians):
            electrons = 2 * self.header.weights[k] * self.header.occupations[0, k] / self.fields.volume
            hamiltonian.fft.add_density(self.psi(k), electrons, values)
        seiche.symmetrize(self.density, self.header)
        return self.fields.coefficients(values)

    def energies(self, density):
        """Returns the terms of the total energy, with the names of ABINIT's output."""
        parts = {"kinetic": 0.0, "separable": 0.0, **self.fields.energies(density)}
        for k, hamiltonian in enumerate(self.hamiltonians):
            electrons = 2 * self.header.weights[k] * self.header.occupations[0, k]
            parts["kinetic"] += float(electrons @ hamiltonian.kinetic_energies(self.psi(k)))
            parts["separable"] += float(electrons @ hamiltonian.separable_energies(self.psi(k)))
        crystal = self.header.crystal
        parts["ewald"] = ewald_energy(crystal, [PARAMETERS[symbol].charge for symbol in crystal.symbols])
        parts["core"] = self.header.electrons * self.fields.core
        return parts

    def run(self, before=None, tolerance=1e-14, most=60, say=print):
        """Iterates until the energy of the residual is below `tolerance` (hartree). Returns the terms of the energy."""
        density = self.fields.coefficients(before.components[0]) if before else ionic_density(self.fields, self.header)
        mixer = Mixer(self.fields.g2, self.fields.pairs, self.comm)
        for cycle in range(most):
            residual = self.improve_bands(self.fields.potential(density), 4, tolerance**0.5 / 10)
            made = self.sum_density()
            change = made - density
            error = self.fields.product(change, self.fields.coulomb * change) / 2
            parts = self.energies(made)
            total = self.header.total_energy = sum(parts.values())
            say(f"{cycle + 1:3}  {total:16.9f} hartree, density off by {error:.1e}, bands by {residual:.1e}")
            if error < tolerance and residual < tolerance**0.5:
                return parts
            density = mixer.next(density, change)
        raise RuntimeError(f"not converged in {most} cycles")
