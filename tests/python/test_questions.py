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


def test_a_selection_of_a_selection(silicon, comm, data, scratch):
    seiche.convert(silicon, scratch / "a.h5")  # whose bands have checksums
    for path in (data / "si_small/si_small.save", scratch / "a.h5"):
        with seiche.WaveFile(path, comm) as file:
            file.select(bands=[2, 4, 6], kpoints=[1, 5])
            file.select(bands=[1, 2], kpoints=[1])
            numpy.testing.assert_array_equal(file.coefficients(0, 0), silicon.coefficients(0, 5)[[4, 6]])
            numpy.testing.assert_array_equal(file.energies[0, 0], silicon.energies[0, 5, [4, 6]])
            assert seiche.soundness(file).norm < 1e-12  # reads all, and verifies the checksums


def test_tables_and_planes_have_names(silicon):
    """tests/conformance compares their numbers."""
    density, done = seiche.density_of(silicon), []
    assert seiche.line_cut(density, (0, 0, 0), (1, 1, 1), 6).columns == ["distance_bohr", "x", "y", "z", "value"]
    assert seiche.height_cut(density, 2, 2.0).columns == ["x_bohr", "y_bohr", "value"]
    assert seiche.planar_average(density, 0).columns == ["distance_bohr", "average"]
    table = seiche.unfold(silicon, [[2, 0, 0], [0, 1, 0], [0, 0, 1]], on_progress=done.append)
    assert table.values.shape == (128, 10) and table.columns[-1] == "weight" and done[-1] == 1
    plane = seiche.plane_of_indices(silicon.crystal, (1, 1, 0), 1.5)
    assert abs((plane.centre @ numpy.cross(plane.right, plane.up)) - 1.5) < 1e-12 and plane.name.startswith("(1 1 0), 0.794")
    found = seiche.plane_values(density, plane, 9)
    assert found.values.shape == (9, 9) and not found.is_noise
    phase = seiche.orbital(silicon, 3, part="phase")
    assert phase.units == "radians" and abs(phase.components[0]).max(initial=0) <= numpy.pi


WRONG = [
    ("part has the unknown value \"colour\": use one of density, real", lambda s, d: seiche.orbital(s, 0, part="colour")),
    ("has 8 bands, but no band 9", lambda s, d: seiche.orbital(s, 8)),
    ("no axis 3", lambda s, d: seiche.planar_average(d, 3)),
    ("no component 1", lambda s, d: seiche.plane_values(d, seiche.plane_of_bonds(s.crystal), 9, component=1)),
    ("no atom 3 among 2", lambda s, d: seiche.plane_of_atoms(s.crystal, (0, 1, 2))),
    ("is not a lattice plane", lambda s, d: seiche.plane_of_indices(s.crystal, (0, 0, 0))),
    ("a supercell of 0 cells", lambda s, d: seiche.unfold(s, [[1, 0, 0], [1, 0, 0], [0, 0, 1]])),
]


@pytest.mark.parametrize("text, call", WRONG)
def test_what_cannot_be_is_said(silicon, text, call):
    with pytest.raises(seiche.BadArgument, match=text):
        call(silicon, seiche.read_density(silicon))


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
