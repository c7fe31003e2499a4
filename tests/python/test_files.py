# SPDX-License-Identifier: BSD-3-Clause
"""Files, orbitals, densities, symmetry and bases: attributes, arrays of parts, files and errors."""

import numpy
import pytest
from conftest import raises_alike
from mpi4py import MPI

import seiche

SAVE = "si_small/si_small.save"


def test_headers_say_what_the_file_says(silicon):
    header = silicon.header
    assert (header.bands, header.spins, header.spinor, header.grid) == (8, 1, 1, (20, 20, 20))
    assert silicon.kpoints.shape == (8, 3) and silicon.energies.shape == silicon.occupations.shape == (1, 8, 8)
    numpy.testing.assert_allclose(header.weights.sum(), 1)
    assert (numpy.diff(silicon.energies) >= -1e-12).all() and header.electrons == 8
    numpy.testing.assert_allclose(silicon.occupations[..., :4], 1)
    crystal = silicon.crystal
    assert crystal.symbols == ["Si", "Si"] and len(crystal.operations) == 48
    numpy.testing.assert_allclose(crystal.lattice @ crystal.reciprocal.T, 2 * numpy.pi * numpy.eye(3), atol=1e-12)
    numpy.testing.assert_allclose(crystal.volume, abs(numpy.linalg.det(crystal.lattice)))
    assert "Si2" in repr(crystal) and "8 k-points" in repr(header) and "8 bands" in repr(silicon)


def test_densities_are_those_of_the_code(comm, silicon, scratch, data):
    heard = []
    density = seiche.density_of(silicon, on_progress=heard.append)
    assert heard and heard[-1] == 1
    written = seiche.read_density(data / SAVE, density)
    assert seiche.compare(density, written).largest < 1e-12
    assert seiche.compare(density, seiche.read_density(silicon)).magnetisation is None
    numpy.testing.assert_allclose(seiche.integrals(density), [8], rtol=1e-12)
    (values,) = density.components
    assert values.shape == density.box.shape and values.flags.writeable and not values.flags.owndata
    values[...] *= 2
    numpy.testing.assert_allclose(seiche.integrals(density), [16], rtol=1e-12)
    assert "1 components" in repr(density)

    seiche.expand(silicon, seiche.full_zone(silicon.header, silicon.crystal.operations), scratch / "full.save", "qe")
    with seiche.WaveFile(scratch / "full.save", comm) as full:
        assert len(full.kpoints) == 64


def test_densities_go_to_files_and_come_back(comm, silicon, scratch):
    density = seiche.density_of(silicon)
    seiche.expect_output(scratch / "rho.cube", comm)
    for name in ("rho.cube", "rho.xsf", "rho.h5"):
        assert seiche.write_density(density, scratch / name) == [str(scratch / name)]
        assert seiche.holds_density_only(scratch / name, comm)
        back = seiche.read_density(scratch / name, comm)
        assert back.grid == density.grid
        assert seiche.compare(seiche.read_density(scratch / name, density), density).largest < 1e-9
    seiche.draw_density(density, scratch / "rho.png")
    assert (scratch / "rho.png").stat().st_size > 1000
    own = seiche.Density(silicon.crystal, (4, 5, 6), comm=comm)
    own.components[0][...] = 3
    numpy.testing.assert_allclose(seiche.integrals(own), [3 * silicon.crystal.volume])
    raises_alike(comm, seiche.BadArgument, "grid, distribution and components are the same", lambda: seiche.compare(own, density))
    raises_alike(comm, seiche.BadArgument, "the file states the unit", lambda: seiche.set_unit(density, "rydberg"))
    own.units = "as in x.cube"
    seiche.set_unit(own, "rydberg")
    numpy.testing.assert_allclose(own.components[0], 1.5)
    assert own.units == "hartree"
    raises_alike(comm, seiche.BadArgument, "1, 2 or 4", lambda: seiche.Density(silicon.crystal, (4, 5, 6), 3, comm))
    raises_alike(comm, seiche.Error, None, lambda: seiche.write_density(density, scratch / "rho.jpeg"))


def test_a_sum_over_bands_becomes_the_crystals_density(comm, silicon, data):
    """By add_density of orbitals that were made here, symmetrised: the density that the code wrote."""
    header = silicon.header
    every = [silicon.waves(0, k) for k in range(len(header.kpoints))]
    layout = seiche.OrbitalLayout(waves=comm.size, owners=lambda k, waves: seiche.balanced_owners(waves, comm.size))
    orbitals = seiche.make_orbitals(header, every, layout, comm)
    assert all(not part.coefficients.any() for part in orbitals.parts)
    seiche.read_into(orbitals, silicon)
    density = seiche.Density(silicon.crystal, header.grid, comm=comm)
    (values,) = density.components
    parts = {part.k: part for part in orbitals.parts}
    for k, weight in enumerate(header.weights):
        mine = parts[k].waves if k in parts else numpy.empty((0, 3), numpy.int32)
        psi = parts[k].coefficients if k in parts else numpy.empty((header.bands, 0), complex)
        with seiche.SphereFft(header.grid, mine, comm=comm) as fft:
            fft.add_density(psi, 2 * weight * header.occupations[0, k] / silicon.crystal.volume, values)
    written = seiche.read_density(silicon)
    assert seiche.compare(density, written).largest > 1e-3, "k-points of the irreducible wedge alone"
    seiche.symmetrize(density, header)
    assert seiche.compare(density, written).largest < 1e-12
    other = seiche.Density(silicon.crystal, (4, 5, 6), comm=comm)
    raises_alike(comm, seiche.BadArgument, "4 x 5 x 6 points, but the grid of the header has 20 x 20 x 20",
                 lambda: seiche.symmetrize(other, header))
    without = seiche.OrbitalHeader(header)
    without.density_cutoff = 0
    raises_alike(comm, seiche.BadArgument, "no density_cutoff", lambda: seiche.symmetrize(density, without))


def test_orbitals_to_be_made_must_have_the_headers_waves(comm, silicon):
    header = silicon.header
    every = [silicon.waves(0, k) for k in range(len(header.kpoints))]
    layout = seiche.OrbitalLayout(kpoints=comm.size)
    orbitals = seiche.make_orbitals(header, every, layout, comm)
    assert comm.allreduce(sum(p.coefficients.size for p in orbitals.parts)) == header.bands * header.plane_waves.sum()

    def make(waves, layout=layout):
        return lambda: seiche.make_orbitals(header, waves, layout, comm)

    raises_alike(comm, seiche.BadArgument, "wrong number of lists of waves \(7 lists, 8 k-points\)", make(every[1:]))
    raises_alike(comm, seiche.BadArgument, "k-point 0: wrong number of waves \(3, but the header has", make([every[0][:3], *every[1:]]))
    raises_alike(comm, seiche.BadArgument, "grid", make(every, seiche.OrbitalLayout(bands=comm.size + 1)))
    raises_alike(comm, seiche.WrongType, "waves", make([wave.astype(float) for wave in every]))


def test_a_file_of_the_code_is_sound(comm, silicon):
    found = seiche.soundness(silicon)
    assert found.norm < 1e-9 and found.overlap < 1e-9 and found.odd_counts == 0
    assert seiche.fft_grid(silicon.crystal, silicon.header.density_cutoff) == silicon.header.grid
    silicon.close()
    raises_alike(comm, seiche.BadArgument, "closed", lambda: seiche.soundness(silicon))


def test_names_tell_what_would_be_written():
    assert seiche.names_density("rho.cube") and seiche.names_density("x.save/charge-density.dat")
    assert not seiche.names_density("x.save")


@pytest.mark.parametrize("axis", ["kpoints", "bands", "waves", None])
def test_orbitals_lie_where_they_should(comm, silicon, axis):
    layout = [seiche.OrbitalLayout(**{axis: comm.size})] if axis else []
    orbitals = seiche.read_orbitals(silicon, *layout)
    held = 0
    for part in orbitals.parts:
        low, high = part.bands
        assert part.coefficients.shape == (high - low, len(part.waves))
        positions = numpy.concatenate([numpy.arange(*run) for run in part.positions])
        held += part.coefficients.size
        expected = read_alone(silicon, part.k)
        numpy.testing.assert_array_equal(part.waves, expected[0][positions])
        numpy.testing.assert_array_equal(part.coefficients, expected[1][low:high, positions])
    assert comm.allreduce(held) == 8 * silicon.header.plane_waves.sum()
    numpy.testing.assert_allclose(seiche.integrals(seiche.density_of(orbitals)), [8], rtol=1e-12)
    assert "8 k-points" in repr(orbitals)


def read_alone(file, k):
    """All of a k-point, read by every rank for itself."""
    with seiche.WaveFile(file.header.path, MPI.COMM_SELF) as alone:
        return alone.waves(0, k), alone.coefficients(0, k)


def test_orbitals_travel_between_memory_and_files(comm, silicon, scratch):
    sticks = seiche.OrbitalLayout(waves=comm.size, owners=lambda k, waves: seiche.balanced_owners(waves, comm.size))
    orbitals = seiche.redistribute(seiche.read_orbitals(silicon, sticks, algorithm="pairwise"), seiche.OrbitalLayout(bands=comm.size))
    seiche.write_orbitals(orbitals, scratch / "silicon.h5")
    seiche.convert(silicon, scratch / "silicon.save", "qe", density=True)
    with seiche.WaveFile(scratch / "silicon.h5", comm) as one, seiche.WaveFile(scratch / "silicon.save", comm) as other:
        for file in (one, other):
            alike = seiche.compare(silicon, file)
            assert alike.equal and alike.difference == "" and alike.worst.overlap > 1 - 1e-9
        orbitals.header.energies = orbitals.header.energies + 0.25
        seiche.write_orbitals(orbitals, scratch / "raised.wavecar", "vasp")
        assert [name.rpartition(".")[2] for name in seiche.write_beside_wavecar(orbitals.header, scratch / "raised.wavecar", comm)] == ["POSCAR", "KPOINTS"]
        assert seiche.write_beside_wavecar(orbitals.header, scratch / "raised.wavecar", comm) == []
        with seiche.WaveFile(scratch / "raised.wavecar", comm) as raised:
            unlike = seiche.compare(silicon, raised, any_zero=True)
            assert unlike.equal and not seiche.compare(silicon, raised).equal
            assert abs(unlike.constant - 0.25) < 1e-9 and unlike.beyond_constant < 1e-9 and abs(unlike.energy - 0.25) < 1e-9
        assert len(seiche.compare(silicon, one, bands=2).kpoints) == 8
        for part in orbitals.parts:
            part.coefficients[...] = 0
        seiche.read_into(orbitals, one)
        numpy.testing.assert_allclose(seiche.integrals(seiche.density_of(orbitals)), [8], rtol=1e-12)
        assert seiche.compare(seiche.density_of(other), seiche.read_density(other)).largest < 1e-12
    assert seiche.losses(silicon.header, "WAVECAR")[1] == "weights of k-points, which a WAVECAR does not hold; keep the KPOINTS with it"


def test_started_redistributions(comm, silicon):
    orbitals = seiche.read_orbitals(silicon, seiche.OrbitalLayout(bands=comm.size))
    layout = seiche.OrbitalLayout(waves=comm.size)
    pending = seiche.start_redistribute(orbitals, layout, algorithm="pairwise")
    for _ in range(comm.rank):
        assert pending.progress() in (True, False)
    for found, expected in zip(pending.finish().parts, seiche.redistribute(orbitals, layout).parts, strict=True):
        numpy.testing.assert_array_equal(found.coefficients, expected.coefficients)
    with pytest.raises(seiche.BadArgument, match="ranks does not match"):
        seiche.start_redistribute(orbitals, seiche.OrbitalLayout(3, 5, 7)).finish()


def test_started_files(comm, silicon, scratch):
    orbitals = seiche.read_orbitals(silicon)
    seiche.write_orbitals(orbitals, scratch / "blocking.h5")
    pending = seiche.start_write_orbitals(orbitals, scratch / "started.h5", memory=10**6)
    for _ in range(10 * comm.rank):
        assert pending.progress() in (True, False)
    assert pending.finish() is None
    assert (scratch / "started.h5").read_bytes() == (scratch / "blocking.h5").read_bytes()
    again = seiche.read_orbitals(silicon)
    for part in again.parts:
        part.coefficients[...] = 0
    with seiche.WaveFile(scratch / "started.h5", comm) as file:
        pending = seiche.start_read_into(again, file)
    assert pending.finish() is again
    for found, expected in zip(again.parts, orbitals.parts, strict=True):
        numpy.testing.assert_array_equal(found.coefficients, expected.coefficients)
    with pytest.raises(seiche.BadArgument, match="unknown format 'word'"):
        seiche.start_write_orbitals(orbitals, scratch / "started.h5", "word").finish()
    raises_alike(comm, seiche.BadArgument, "memory", lambda: seiche.start_write_orbitals(orbitals, scratch / "a.h5", memory="much"))
    del pending
    dropped = seiche.start_write_orbitals(orbitals, scratch / "dropped.h5")
    del dropped
    silicon.waves(0, 0)  # the call is dropped at a collective call
    assert not (scratch / "dropped.h5").exists()


def test_the_half_of_a_gamma_only_wavecar(comm, data, scratch):
    with seiche.WaveFile(data / "gamma/gamma.save", comm) as water:
        seiche.convert(water, scratch / "WAVECAR")
        raises_alike(comm, seiche.BadArgument, "not a gamma-only WAVECAR", lambda: water.halve_along("z"))
    with seiche.WaveFile(scratch / "WAVECAR", comm) as file:
        wanted = seiche.density_of(file)
        file.halve_along("z")
        assert seiche.compare(seiche.density_of(file), wanted).density > 0.1
        file.halve_along("x")
        assert seiche.compare(seiche.density_of(file), wanted).largest < 1e-12
        raises_alike(comm, seiche.BadArgument, "axis must be 'x' or 'z', not 'y'", lambda: file.halve_along("y"))


def test_orbitals_are_made_of_arrays(comm, silicon, scratch):
    header = seiche.OrbitalHeader(silicon.header)
    header.bands = 2
    header.set_kpoints(silicon.kpoints[:1], [1.0], silicon.header.plane_waves[:1])
    header.occupations = numpy.ones((1, 1, 2))
    header.energies = silicon.energies[:, :1, :2].copy()
    header.electrons = 4
    waves, psi = silicon.waves(0, 0), silicon.coefficients(0, 0)
    parts = []
    if comm.rank == 0:
        parts = [seiche.OrbitalPart(0, 0, (0, 2), [(0, len(waves))], waves)]
        parts[0].coefficients[...] = psi[:2]
    orbitals = seiche.Orbitals(header, parts, comm)
    numpy.testing.assert_allclose(seiche.overlaps(orbitals, orbitals), [[numpy.eye(2)]], atol=1e-9)
    doubled = seiche.Orbitals(header, parts, comm)
    for part in doubled.parts:
        part.coefficients[...] *= 2
    numpy.testing.assert_allclose(seiche.overlaps(orbitals, doubled), [[2 * numpy.eye(2)]], atol=1e-9)
    numpy.testing.assert_allclose(seiche.overlaps(seiche.orthonormalized(doubled, "cholesky"), orbitals), [[numpy.eye(2)]], atol=1e-9)
    raises_alike(comm, seiche.BadArgument, "differ in length: pass one weight", lambda: header.set_kpoints([[0, 0, 0]], [], [1]))
    raises_alike(comm, seiche.BadArgument, "has shape", lambda: setattr(header, "energies", numpy.ones((1, 1, 3))))


def test_symmetry_makes_the_full_zone(comm, silicon):
    map_ = seiche.full_zone(silicon.header, silicon.crystal.operations)
    assert len(map_.header.kpoints) == 64 and len(map_.parent_states) == 64
    numpy.testing.assert_allclose(map_.header.weights, 1 / 64)
    state = map_.parent_states[13]
    image = state.operation.image_of(silicon.kpoints[state.k])
    numpy.testing.assert_allclose((image - map_.header.kpoints[13] + 0.5) % 1 - 0.5, 0, atol=1e-9)
    orbitals = seiche.read_orbitals(silicon, seiche.OrbitalLayout(waves=comm.size))
    full = seiche.mapped(seiche.symmetric_bands(orbitals, silicon.crystal.operations), map_)
    assert seiche.compare(seiche.density_of(full), seiche.density_of(silicon)).largest < 1e-6
    operation = silicon.crystal.operations[5]
    identity = operation @ operation.inverse()
    numpy.testing.assert_array_equal(identity.rotation, numpy.eye(3))
    assert len(silicon.crystal.find_operations()) == 48
    assert len(seiche.moved(map_.header, operation).header.kpoints) == 64


def test_bases_change(comm, silicon):
    orbitals = seiche.read_orbitals(silicon, seiche.OrbitalLayout(waves=comm.size))
    small = seiche.reassign(orbitals, cutoff=silicon.header.cutoff * 0.7, bands=6)
    assert small.norm_lost.shape == (1, 8, 6) and (small.norm_lost > 0).all() and sum(small.left_out) > 0
    back = seiche.reassign(small.orbitals, silicon.header)
    assert sum(back.added) == sum(small.left_out) and back.orbitals.header.bands == 6
    raises_alike(comm, seiche.BadArgument, "cutoff has an invalid value 'high'", lambda: seiche.reassign(orbitals, cutoff="high"))
    raises_alike(comm, seiche.WrongType, "unknown option cutof:", lambda: seiche.reassign(orbitals, cutof=1.0))
    raises_alike(comm, seiche.BadArgument, "orthonormal has the unknown value", lambda: seiche.orthonormalized(orbitals, "schmidt"))


def test_a_change_of_the_number_of_bands_shifts_no_energies(comm, scratch, silicon):
    orbitals = seiche.read_orbitals(silicon, seiche.OrbitalLayout(waves=comm.size))
    header = orbitals.header
    header.bands = 12
    raises_alike(comm, seiche.BadArgument, "assign them again", lambda: header.energies)
    wider = []
    for part in orbitals.parts:
        wider.append(seiche.OrbitalPart(part.spin, part.k, (0, 12), part.positions, numpy.ascontiguousarray(part.waves)))
    changed = seiche.Orbitals(header, wider, comm)
    raises_alike(comm, seiche.BadArgument, "64 energies, but 1 spins x 8 k-points x 12 bands",
                 lambda: seiche.write_orbitals(changed, scratch / "a.h5"))
    header.energies = numpy.zeros((1, 8, 12))
    header.occupations = numpy.zeros((1, 8, 12))
    assert header.energies.shape == (1, 8, 12)


def test_files_that_are_not_there_or_damaged_are_named(comm, scratch, silicon):
    error = raises_alike(comm, seiche.BadFile, "cannot find .*nowhere", lambda: seiche.WaveFile(scratch / "nowhere", comm))
    assert error.fault == seiche.Fault.bad_file and isinstance(error, OSError)
    if comm.rank == 0:
        (scratch / "damaged").write_bytes(b"nothing of a wavefunction")
    comm.Barrier()
    raises_alike(comm, seiche.BadFile, "damaged", lambda: seiche.WaveFile(scratch / "damaged", comm))
    raises_alike(comm, seiche.BadArgument, "no k-point 8", lambda: silicon.waves(0, 8))
    raises_alike(comm, seiche.Error, None, lambda: silicon.coefficients(0, 0, (0, 9)))
    raises_alike(comm, seiche.BadArgument, "ranks does not match", lambda: seiche.read_orbitals(silicon, seiche.OrbitalLayout(3, 5, 7)))
    raises_alike(comm, seiche.BadArgument, "owners raised ZeroDivisionError: division by zero",
                 lambda: seiche.read_orbitals(silicon, seiche.OrbitalLayout(waves=comm.size, owners=lambda k, waves: 1 / 0)))
    raises_alike(comm, seiche.BadArgument, "the callback owners must return one integer per wave",
                 lambda: seiche.read_orbitals(silicon, seiche.OrbitalLayout(waves=comm.size, owners=lambda k, waves: "all")))
    raises_alike(comm, seiche.BadArgument, "unknown format", lambda: seiche.convert(silicon, scratch / "x", "papyrus"))
    silicon.close()
    assert repr(silicon) == "<seiche.WaveFile, closed>" and silicon.header.bands == 8
    raises_alike(comm, seiche.BadArgument, "this WaveFile is closed", lambda: seiche.density_of(silicon))


def test_a_file_closed_on_one_rank_is_said_on_all(comm, silicon):
    if comm.rank == comm.size - 1:
        silicon.close()
    for call in (lambda: seiche.density_of(silicon), lambda: silicon.waves(0, 0),
                 lambda: seiche.read_orbitals(silicon, seiche.OrbitalLayout(waves=comm.size))):
        raises_alike(comm, seiche.BadArgument, "this WaveFile is closed", call)


def test_crystals_are_made_of_arrays():
    crystal = seiche.Crystal(10 * numpy.eye(3), ["O", "H"], [[0, 0, 0], [1, 1, 1]])
    numpy.testing.assert_array_equal(crystal.positions, [[0, 0, 0], [1, 1, 1]])
    numpy.testing.assert_allclose(crystal.volume, 1000)
    with pytest.raises(seiche.BadArgument, match="2 symbols and 1 positions"):
        seiche.Crystal(numpy.eye(3), ["O", "H"], [[0, 0, 0]])
