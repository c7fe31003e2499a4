# SPDX-License-Identifier: BSD-3-Clause
"""The first questions to a wavefunction file, against numpy."""

import numpy
import pytest

import seiche


@pytest.fixture
def silicon(comm, data):
    with seiche.WaveFile(data / "si_small/si_small.save", comm) as file:
        yield file


def test_edges_and_tables(silicon, scratch, comm):
    edges = seiche.band_edges(silicon.header)
    energies = silicon.energies
    assert edges.highest_occupied.energy == energies[..., :4].max() and edges.lowest_empty.energy == energies[..., 4:].min()
    numpy.testing.assert_allclose(edges.gap, energies[..., 4:].min() - energies[..., :4].max())
    numpy.testing.assert_allclose(edges.direct_gap, (energies[..., 4] - energies[..., 3]).min())
    assert not edges.metallic and (edges.direct_empty.k, edges.direct_empty.band) == (0, 4)
    assert seiche.energy_zero(silicon.header) == (energies[..., :4].max(), "the highest occupied state")
    with pytest.raises(seiche.BadArgument, match="there is no spin 2"):
        seiche.band_edges(silicon.header, 1)
    table = seiche.table_of_bands(silicon.header)
    assert table.columns[-1] == "occupation" and table.values.shape == (64, 11)
    numpy.testing.assert_array_equal(table.values[:, 8], energies.ravel())
    seiche.write_table(table, scratch / "bands.csv", comm)
    numpy.testing.assert_array_equal(numpy.loadtxt(scratch / "bands.csv", delimiter=",", skiprows=1), table.values)


def on_grid(header, k, waves, coefficients):
    nx, ny, nz = header.grid
    grid = numpy.zeros((nz, ny, nx), complex)
    grid[waves[:, 2] % nz, waves[:, 1] % ny, waves[:, 0] % nx] = coefficients
    return numpy.fft.ifftn(grid) * grid.size / numpy.sqrt(header.crystal.volume)


def mine(values, box):
    return values[box.z.start:box.z.stop, box.y.start:box.y.stop, box.x.start:box.x.stop]


def test_orbitals_against_numpy(silicon):
    header = silicon.header
    for k, band in ((0, 3), (4, 6)):
        u = on_grid(header, k, silicon.waves(0, k), silicon.coefficients(0, k, (band, band + 1))[0])
        found = seiche.orbital(silicon, band, k)
        numpy.testing.assert_allclose(found.components[0], mine(abs(u) ** 2, found.box), atol=1e-14)
        re, im = (seiche.orbital(silicon, band, k, part=part, periodic=True) for part in ("real", "imaginary"))
        turned = u * numpy.exp(-0.5j * numpy.angle((u * u).sum()))
        here, psi = mine(turned, re.box), re.components[0] + 1j * im.components[0]
        sign = numpy.sign((here.conj() * psi).real.sum()) if here.size else 1
        if abs((u * u).sum()) > 1e-3 * (abs(u) ** 2).sum():
            numpy.testing.assert_allclose(psi, sign * here, atol=1e-12)
    with pytest.raises(seiche.BadArgument, match="part cannot be"):
        seiche.orbital(silicon, 0, part="colour")


def test_selections_and_partial_densities(silicon, comm, data):
    header = silicon.header
    states = seiche.filled(header, bands=[4], kpoints=[1])
    assert sum(states) == 1
    part = seiche.density_of(silicon, occupations=states, symmetric=False)
    one = seiche.orbital(silicon, 4, 1)
    numpy.testing.assert_allclose(part.components[0], 2 * header.weights[1] * one.components[0], atol=1e-14)
    top, name = seiche.energy_zero(header)
    assert sum(seiche.filled(header, highest=top + 1e-7)) == 32
    assert seiche.left_out(header, bands=[0, 1]) == ["2 occupied bands of 4, and with them 4 of 8 electrons"]
    with seiche.WaveFile(data / "si_small/si_small.save", comm) as file:
        file.select(bands=[2, 6], kpoints=[5])
        assert file.header.bands == 2 and file.energies.shape == (1, 1, 2)
        numpy.testing.assert_array_equal(file.energies[0, 0], silicon.energies[0, 5, [2, 6]])
        numpy.testing.assert_array_equal(file.coefficients(0, 0), silicon.coefficients(0, 5)[[2, 6]])
        with pytest.raises(seiche.BadArgument, match="has 2 bands, and no band 6"):
            file.select(bands=[5])
        with pytest.raises(seiche.BadArgument, match="are to ascend"):
            file.select(bands=[1, 0])


def test_averages(silicon, comm):
    density = seiche.density_of(silicon)
    whole = comm.allreduce(_scattered(density))
    for axis in range(3):
        table = seiche.planar_average(density, axis)
        others = tuple(a for a in range(3) if a != 2 - axis)
        numpy.testing.assert_allclose(table.values[:, 1], whole.mean(axis=others), rtol=1e-12)
        wide = seiche.macroscopic_average(table, 20 * table.values[1, 0])
        numpy.testing.assert_allclose(wide.values[:, 2], whole.mean(), rtol=1e-12)
    nothing = seiche.difference(density, density)
    assert all((part == 0).all() for part in nothing.components)
    with pytest.raises(seiche.BadArgument, match="there is no axis 3"):
        seiche.planar_average(density, 3)


def _scattered(density):
    """This rank's values where they belong in the whole grid, zeros elsewhere."""
    nx, ny, nz = density.grid
    values = numpy.zeros((nz, ny, nx))
    mine(values, density.box)[...] = density.components[0]
    return values


def test_a_selection_of_a_selection(silicon, comm, data, scratch):
    seiche.convert(silicon, scratch / "a.h5")  # whose bands have checksums
    for path in (data / "si_small/si_small.save", scratch / "a.h5"):
        with seiche.WaveFile(path, comm) as file:
            file.select(bands=[2, 4, 6], kpoints=[1, 5])
            file.select(bands=[1, 2], kpoints=[1])
            numpy.testing.assert_array_equal(file.coefficients(0, 0), silicon.coefficients(0, 5)[[4, 6]])
            numpy.testing.assert_array_equal(file.energies[0, 0], silicon.energies[0, 5, [4, 6]])
            assert seiche.soundness(file).norm < 1e-12  # reads all, and verifies the checksums
