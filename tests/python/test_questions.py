# SPDX-License-Identifier: BSD-3-Clause
"""The first questions to a wavefunction file, against numpy."""

import numpy
import pytest

import seiche


def test_edges_and_tables(silicon, scratch, comm):
    edges = seiche.band_edges(silicon.header)
    energies = silicon.energies
    assert edges.highest_occupied.energy == energies[..., :4].max() and edges.lowest_empty.energy == energies[..., 4:].min()
    numpy.testing.assert_allclose(edges.gap, energies[..., 4:].min() - energies[..., :4].max())
    numpy.testing.assert_allclose(edges.direct_gap, (energies[..., 4] - energies[..., 3]).min())
    assert not edges.metallic and (edges.direct_empty.k, edges.direct_empty.band) == (0, 4)
    assert seiche.energy_zero(silicon.header) == (energies[..., :4].max(), "the highest occupied state")
    with pytest.raises(seiche.BadArgument, match="no spin 2"):
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
    with pytest.raises(seiche.BadArgument, match="part has the unknown value"):
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
    assert seiche.left_out(header, bands=[0, 1]) == ["2 occupied bands of 4, with 4 of 8 electrons"]
    with seiche.WaveFile(data / "si_small/si_small.save", comm) as file:
        file.select(bands=[2, 6], kpoints=[5])
        assert file.header.bands == 2 and file.energies.shape == (1, 1, 2)
        numpy.testing.assert_array_equal(file.energies[0, 0], silicon.energies[0, 5, [2, 6]])
        numpy.testing.assert_array_equal(file.coefficients(0, 0), silicon.coefficients(0, 5)[[2, 6]])
        with pytest.raises(seiche.BadArgument, match="has 2 bands, but no band 6"):
            file.select(bands=[5])
        with pytest.raises(seiche.BadArgument, match="must ascend"):
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
    with pytest.raises(seiche.BadArgument, match="no axis 3"):
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


def density_function(path):
    """Of a point, units of the lattice: the sum of the plane waves in Quantum ESPRESSO's file."""
    content = path.read_bytes()
    count = int(numpy.frombuffer(content, "<i4", 1, 8)[0])
    waves = numpy.frombuffer(content, "<i4", 3 * count, 104).reshape(count, 3)
    values = numpy.frombuffer(content, "<c16", count, 104 + 12 * count + 8)
    return lambda x: (values * numpy.exp(2j * numpy.pi * waves @ x)).sum().real


def test_cuts_and_planes(silicon, comm, data):
    density = seiche.density_of(silicon)
    at = density_function(data / "si_small/si_small.save/charge-density.dat")
    line = seiche.line_cut(density, (0.1, 0, 0.3), (0.7, 1.2, 0.5), 6)
    assert line.columns == ["distance_bohr", "x", "y", "z", "value"]
    numpy.testing.assert_allclose(line.values[:, 4], [at(x) for x in line.values[:, 1:4]], atol=1e-12)
    rows = seiche.height_cut(density, 2, 2.0).values
    height = 2.0 / (10.2631 / numpy.sqrt(3))
    nx = density.grid[0]
    for row in (0, 7, 3 * nx + 2):
        numpy.testing.assert_allclose(rows[row, 2], at((row % nx / nx, row // nx / density.grid[1], height)), atol=1e-12)
    for plane in (seiche.plane_of_bonds(silicon.crystal), seiche.plane_of_atoms(silicon.crystal, (0, 1, 1)),
                  seiche.plane_of_indices(silicon.crystal, (1, 1, 0), 1.5)):
        found = seiche.plane_values(density, plane, 9)
        assert found.values.shape == (9, 9) and not found.is_noise
        for row, column in ((0, 0), (4, 4), (2, 7)):
            u, v = (column + 0.5) / 9 - 0.5, 0.5 - (row + 0.5) / 9
            place = plane.centre + plane.side * (u * plane.right + v * plane.up)
            x = numpy.linalg.solve(silicon.crystal.lattice.T, place)
            numpy.testing.assert_allclose(found.values[row, column], at(x), atol=3e-5 * found.largest_anywhere)
    assert abs((plane.centre @ numpy.cross(plane.right, plane.up)) - 1.5) < 1e-12 and plane.name.startswith("(1 1 0), 0.794")
    with pytest.raises(seiche.BadArgument, match="no component 1"):
        seiche.plane_values(density, plane, 9, component=1)
    with pytest.raises(seiche.BadArgument, match="is not a lattice plane"):
        seiche.plane_of_indices(silicon.crystal, (0, 0, 0))


def test_unfolded_bands(silicon):
    """As if the cell were two smaller ones along the first vector."""
    done = []
    table = seiche.unfold(silicon, [[2, 0, 0], [0, 1, 0], [0, 0, 1]], on_progress=done.append)
    assert table.values.shape == (128, 10) and table.columns[-1] == "weight" and done[-1] == 1
    k, band = 5, 2
    waves, c = silicon.waves(0, k), silicon.coefficients(0, k, (band, band + 1))[0]
    rows = [row for row in table.values if row[1] == k + 1 and row[5] == band + 1]
    for row in rows:
        belongs = numpy.abs((silicon.kpoints[k, 0] + waves[:, 0]) / 2 % 1 - row[2] + 1e-9) % 1 < 1e-6
        numpy.testing.assert_allclose(row[9], (abs(c[belongs]) ** 2).sum(), atol=1e-9)
    numpy.testing.assert_allclose(sum(row[9] for row in rows), 1)
    with pytest.raises(seiche.BadArgument, match="a supercell of 0 cells"):
        seiche.unfold(silicon, [[1, 0, 0], [1, 0, 0], [0, 0, 1]])


NNKP = """begin real_lattice
{lattice}
end real_lattice
begin kpoints
2
0 0 0
{k}
end kpoints
begin projections
1
0.1 0.2 0.3 0 1 1
0 0 1 1 0 0 1.0
end projections
begin nnkpts
2
1 2 0 0 0
1 1 0 0 1
2 1 0 0 0
2 2 0 0 -1
end nnkpts
begin exclude_bands
1
8
end exclude_bands
"""


def test_wannier_matrices(silicon, comm, data, scratch):
    rows = "\n".join(" ".join(map(repr, (row * 0.529177210903).tolist())) for row in silicon.crystal.lattice)
    if comm.rank == 0:
        (scratch / "si.nnkp").write_text(NNKP.format(lattice=rows, k=" ".join(map(repr, silicon.kpoints[1].tolist()))))
    comm.Barrier()
    request = seiche.read_nnkp(scratch / "si.nnkp", comm)
    assert request.kpoints.shape == (2, 3) and request.automatic is None and request.excluded_bands == [7]
    assert request.neighbours.tolist() == [[[1, 0, 0, 0], [0, 0, 0, 1]], [[0, 0, 0, 0], [1, 0, 0, -1]]]
    wanted = seiche.wanted_states(request, silicon.header)
    assert wanted["bands"] == list(range(7))
    with seiche.WaveFile(data / "si_small/si_small.save", comm) as file:
        file.select(**wanted)
        made = seiche.wannier_matrices(seiche.read_orbitals(file, seiche.OrbitalLayout(1, 1, comm.size)), request)
        files = seiche.write_wannier(file, request, scratch / "si", on_grid=True)
        with pytest.raises(seiche.BadArgument, match="the number of projections"):
            seiche.write_wannier(file, request, scratch / "si", scdm="isolated")
    assert [len(files), made.overlaps.shape, made.projections.shape] == [5, (2, 2, 7, 7), (2, 7, 1)]
    numpy.testing.assert_allclose(made.energies, silicon.energies[0, :2, :7])
    waves, c = ([f(0, k) for k in (0, 1)] for f in (silicon.waves, lambda s, k: silicon.coefficients(s, k, (0, 7))))
    for k, n, other, shift in ((0, 0, 1, 0), (0, 1, 0, 1), (1, 0, 0, 0), (1, 1, 1, -1)):
        place = {tuple(g): i for i, g in enumerate(waves[other])}  # u_k+b at G is that of G + shift at the listed k-point
        both = [(i, place[x, y, z + shift]) for i, (x, y, z) in enumerate(waves[k].tolist()) if (x, y, z + shift) in place]
        here, there = (list(numbers) for numbers in zip(*both))
        numpy.testing.assert_allclose(made.overlaps[k, n], c[k][:, here].conj() @ c[other][:, there].T, atol=1e-12)
    lines = (scratch / "si.mmn").read_text().splitlines()
    table = numpy.array([line.split() for line in lines[3:3 + 49]], float)
    numpy.testing.assert_allclose((table[:, 0] + 1j * table[:, 1]).reshape(7, 7).T, made.overlaps[0, 0], atol=1e-11)
