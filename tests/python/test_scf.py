# SPDX-License-Identifier: BSD-3-Clause
"""examples/scf: against ABINIT's stored results, Madelung's constant, itself on other ranks and after a restart."""

import json
import sys

import numpy
import pytest
from conftest import DATA
from mpi4py import MPI

import seiche

sys.path.insert(0, str(DATA.parent.parent / "examples" / "scf"))
import lda  # noqa: E402
from crystals import crystal_named, irreducible  # noqa: E402
from ewald import ewald_energy  # noqa: E402
from scf import Loop, restart, save, start  # noqa: E402

ABINIT = json.loads((DATA / "scf" / "abinit.json").read_text())
KEPT = 6  # bands that ABINIT converged; the last two are its buffer, and ours


def numbers(arguments, name, count):
    at = arguments.index(name) + 1
    return [float(word) for word in arguments[at : at + count]]


def begun(name, comm):
    arguments = ABINIT[name]["arguments"]
    mesh = [int(n) for n in numbers(arguments, "--mesh", 3)]
    return start(crystal_named(name), *numbers(arguments, "--cutoff", 1), mesh, 8, comm)


def solved(orbitals, comm, density=None, path=None):
    with Loop(orbitals, comm) as loop:
        heard = []
        parts = loop.run(density, say=heard.append)
        if path:
            save(loop, path)
    return {**parts, "total": sum(parts.values())}, len(heard)


def star(crystal, k):
    """All images of a k-point, folded back, in whole thousandths."""
    images = [sign * numpy.array(s.image_of(k)) for s in crystal.operations for sign in (1, -1)]
    return {tuple(numpy.round(1000 * image).astype(int) % 1000) for image in images}


@pytest.mark.parametrize("name", sorted(ABINIT))
def test_energies_and_bands_are_those_of_abinit(comm, name):
    orbitals, expected = begun(name, comm), ABINIT[name]
    found, _ = solved(orbitals, comm)
    for part, energy in expected["energies"].items():
        assert abs(found[part] - energy) < 1e-6, (part, found[part], energy)
    header, left = orbitals.header, list(range(len(expected["kpoints"])))
    for k, weight, bands in zip(header.kpoints, header.weights, header.energies[0]):
        (same,) = [i for i in left if star(header.crystal, expected["kpoints"][i]) & star(header.crystal, k)]
        left.remove(same)
        assert abs(weight - expected["weights"][same]) < 1e-5
        numpy.testing.assert_allclose(bands[:KEPT], expected["bands"][same][:KEPT], atol=1e-6)
    assert not left


def test_any_number_of_ranks_finds_the_same_and_goes_on_from_a_file(comm, scratch):
    path = scratch / "silicon.save"
    found, cycles = solved(begun("silicon", comm), comm, path=path)
    (groups := comm.Split(comm.rank == 0)).Barrier()  # the first rank alone, and the others together
    alone, _ = solved(begun("silicon", groups), groups)
    assert abs(alone["total"] - found["total"]) < 1e-9
    orbitals, density = restart(path, groups)
    again, fewer = solved(orbitals, groups, density)
    assert abs(again["total"] - found["total"]) < 1e-9 and fewer < cycles / 2
    groups.Free()
    with seiche.WaveFile(path, comm) as file:  # its density is that of its orbitals
        assert seiche.compare(seiche.density_of(file), seiche.read_density(file)).largest < 1e-10


def test_meshes_are_reduced_as_crystallography_says(comm):
    silicon = crystal_named("silicon")
    assert len(silicon.operations) == 48
    for n, count in ((1, 1), (2, 3), (4, 8), (6, 16), (8, 29)):  # H. Monkhorst, J. Pack, Phys. Rev. B 13, 5188 (1976)
        kpoints, weights = irreducible(silicon, (n, n, n))
        assert len(kpoints) == count and abs(weights.sum() - 1) < 1e-14
    with pytest.raises(ValueError, match="lacks the symmetry"):
        irreducible(silicon, (2, 3, 4))


def test_point_charges_have_madelungs_energy():
    salt = crystal_named("salt")
    distance = numpy.linalg.norm(salt.lattice[0]) / numpy.sqrt(2)  # of neighbours
    numpy.testing.assert_allclose(ewald_energy(salt, [1, -1]), -1.747564594633182 / distance, rtol=1e-12)


def test_the_potential_is_the_slope_of_the_energy():
    density = numpy.geomspace(1e-6, 10, 50)
    step = 1e-5 * density
    energy = [n * lda.exchange_correlation(n)[0] for n in (density - step, density + step)]
    numpy.testing.assert_allclose(lda.exchange_correlation(density)[1], (energy[1] - energy[0]) / (2 * step), rtol=1e-8)
