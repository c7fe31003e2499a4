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
