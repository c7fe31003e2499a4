# SPDX-License-Identifier: BSD-3-Clause
"""Transforms against numpy.fft and direct sums."""

import numpy
import pytest
from conftest import random_values, tolerance

import seiche

DTYPES = ["complex128", "complex64", "float64", "float32"]


def spectrum_of(whole):
    """By numpy.fft: forward transforms carry 1/N, and real values have half a spectrum along x."""
    transform = numpy.fft.fftn if whole.dtype.kind == "c" else numpy.fft.rfftn
    return transform(whole) / whole.size


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5, 6, 7), (16, 21, 10), (1, 2, 3)])
def test_fields_hold_what_numpy_finds(comm, rng, dtype, shape):
    whole = random_values(rng, shape[::-1], dtype)
    expected = spectrum_of(whole)
    with seiche.DenseFft(shape, dtype, comm) as fft, fft.allocate() as field:
        field.grid[...] = whole[fft.grid_box.slices]
        fft.forward(field)
        assert field.spectrum.dtype == numpy.result_type(dtype, "complex64")
        numpy.testing.assert_allclose(field.spectrum, expected[fft.spectrum_box.slices], atol=tolerance(dtype) * abs(expected).max())
        fft.backward(field)
        numpy.testing.assert_allclose(field.grid, whole[fft.grid_box.slices], atol=tolerance(dtype) * abs(whole).max())
        assert comm.allreduce(field.grid.size) == whole.size


@pytest.mark.parametrize("dtype", DTYPES)
def test_dense_arrays_are_transformed_as_fields_are(comm, rng, dtype):
    whole = random_values(rng, (9, 8, 6), dtype)
    expected = spectrum_of(whole)
    with seiche.DenseFft((6, 8, 9), dtype, comm) as fft:
        grid = numpy.ascontiguousarray(whole[fft.grid_box.slices])
        spectrum = numpy.empty(fft.spectrum_box.shape, expected.astype(numpy.result_type(dtype, "complex64")).dtype)
        fft.forward(grid, spectrum)
        numpy.testing.assert_allclose(spectrum, expected[fft.spectrum_box.slices], atol=tolerance(dtype) * abs(expected).max())
        back = numpy.empty_like(grid)
        fft.backward(spectrum, back)
        numpy.testing.assert_allclose(back, grid, atol=tolerance(dtype) * abs(whole).max())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("as_the_grid", [True, False])
def test_many_fields_in_callers_arrays(comm, rng, dtype, interleaved, as_the_grid):
    fields, (nx, ny, nz) = 3, (6, 8, 9)
    wholes = [random_values(rng, (nz, ny, nx), dtype) for _ in range(fields)]
    expected = [spectrum_of(whole) for whole in wholes]
    axis = -1 if interleaved else 0
    planes = range(0, nz) if comm.rank == comm.size - 1 else range(0)  # all on the last rank
    columns = None if as_the_grid else (range(0, ny) if comm.rank == 0 else range(0))
    with seiche.DenseFft.for_arrays((nx, ny, nz), fields, planes, columns, dtype, comm, interleaved=interleaved) as fft:
        assert fft.grid_box.shape[0] == len(planes)
        grid = numpy.ascontiguousarray(numpy.stack([w[planes.start : planes.stop] for w in wholes], axis))
        mine = [e[planes.start : planes.stop] if as_the_grid else e[:, columns.start : columns.stop] for e in expected]
        wanted = numpy.stack(mine, axis)
        spectrum = numpy.empty(wanted.shape, numpy.result_type(dtype, "complex64"))
        fft.forward(grid, spectrum)
        numpy.testing.assert_allclose(spectrum, wanted, atol=tolerance(dtype))
        back = numpy.zeros_like(grid)
        fft.backward(spectrum, back)
        numpy.testing.assert_allclose(back, grid, atol=tolerance(dtype) * 10)


def test_ranges_are_ranges(comm):
    with pytest.raises(TypeError, match="planes must be a range"):
        seiche.DenseFft.for_arrays((4, 4, 4), 2, 3, None, comm=comm)


@pytest.mark.parametrize("options", [
    {"decomposition": "pencil", "algorithm": "pairwise"}, {"decomposition": "slab", "algorithm": "alltoallv"},
    {"threads": 2, "chunks": [3, 1]}, {"reproducible": True, "progress": "poll", "library": "fftw"}])
def test_options_change_no_result(comm, rng, options):
    whole = random_values(rng, (12, 8, 10), "complex128")
    with seiche.DenseFft((10, 8, 12), comm=comm, **options) as fft, fft.allocate() as field:
        field.grid[...] = whole[fft.grid_box.slices]
        fft.forward(field)
        numpy.testing.assert_allclose(field.spectrum, spectrum_of(whole)[fft.spectrum_box.slices], atol=1e-13)
        if options.get("algorithm") and comm.size > 1:
            assert fft.report.algorithm == options["algorithm"]


def test_a_field_turned_into_the_other_kind_is_filled_anew(comm, rng):
    whole = random_values(rng, (7, 6, 5), "complex128")
    with seiche.DenseFft((5, 6, 7), comm=comm) as fft, fft.allocate() as field:
        field.become_spectrum()
        field.spectrum[...] = whole[fft.spectrum_box.slices]
        fft.backward(field)
        numpy.testing.assert_allclose(field.grid, (numpy.fft.ifftn(whole) * whole.size)[fft.grid_box.slices], atol=1e-12)
        field.become_grid()


def test_boxes_are_known_without_a_plan(comm):
    with seiche.DenseFft((5, 6, 7), comm=comm) as fft:
        assert seiche.dense_grid_boxes(comm.size, (5, 6, 7))[comm.rank] == fft.grid_box
    boxes = seiche.dense_grid_boxes(3, (5, 6, 7))
    assert [len(box.x) for box in boxes] == [5, 5, 5]
    assert sum(box.volume for box in boxes) == 5 * 6 * 7
    assert repr(boxes[0]) == "<seiche.Box x 0:5 y 0:6 z 0:3>"


# ------------------------------------------------------------------------------------------------------------ spheres

SHAPE = (8, 9, 10)


def my_waves(comm, half=False):
    """This rank's part of a sphere, in an order of its own, and where it lies in the whole."""
    waves = seiche.sphere_of_waves(numpy.eye(3), 4.0, half=half)
    mine = numpy.flatnonzero(seiche.balanced_owners(waves, comm.size) == comm.rank)[::-1]
    return waves, mine


def on_grid(waves, coefficients, half):
    """By the definition: the sum over waves, on all points; [band, z, y, x]."""
    x, y, z = (numpy.exp(2j * numpy.pi * numpy.outer(waves[:, a], numpy.arange(SHAPE[a])) / SHAPE[a]) for a in range(3))
    values = numpy.einsum("bg,gz,gy,gx->bzyx", coefficients, z, y, x, optimize=True)
    if not half:
        return values
    centre = coefficients[:, ~waves.any(axis=1)].real.reshape(-1, 1, 1, 1)
    return 2 * values.real - centre


def coefficients_of(rng, waves, bands, half):
    values = random_values(rng, (bands, len(waves)), "complex128")
    if half:
        values[:, ~waves.any(axis=1)] = values[:, ~waves.any(axis=1)].real
    return values


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("groups", [1, 2])
def test_spheres_become_sums_of_waves(comm, rng, half, groups):
    if comm.size % groups:
        pytest.skip("groups divide ranks")
    waves, mine = my_waves(comm, half)
    whole = coefficients_of(rng, waves, 3, half)
    expected = on_grid(waves, whole, half)
    psi = numpy.ascontiguousarray(whole[:, mine])
    dtype = "float64" if half else "complex128"
    with seiche.SphereFft(SHAPE, waves[mine], dtype, comm, band_groups=groups) as fft:
        grid = fft.backward(psi)
        bands = range(fft.first_band_here, 3, groups)
        assert grid.shape == (len(bands), *fft.grid_box.shape)
        numpy.testing.assert_allclose(grid, expected[(slice(fft.first_band_here, 3, groups), *fft.grid_box.slices)], atol=1e-12)
        numpy.testing.assert_allclose(fft.forward(grid, bands=3), psi, atol=1e-12)
        assert fft.bands_here(3) == len(bands)
        assert comm.allreduce(grid.size) > 0


def test_one_band_needs_no_axis(comm, rng):
    waves, mine = my_waves(comm)
    whole = coefficients_of(rng, waves, 1, False)
    with seiche.SphereFft(SHAPE, waves[mine], comm=comm) as fft:
        psi = numpy.ascontiguousarray(whole[0, mine])
        grid = fft.backward(psi)
        assert grid.shape == fft.grid_box.shape
        numpy.testing.assert_allclose(grid, on_grid(waves, whole, False)[(0, *fft.grid_box.slices)], atol=1e-12)
        assert fft.forward(grid).shape == psi.shape


def potential_on(box):
    z, y, x = numpy.meshgrid(box.z, box.y, box.x, indexing="ij")
    return numpy.cos(2 * numpy.pi * x / SHAPE[0]) + 0.25 * y + 0.5 * z


def times_potential(waves, whole, half):
    """V psi by the definition."""
    v = potential_on(seiche.dense_grid_boxes(1, SHAPE)[0])
    values = on_grid(waves, whole, half) * v
    phases = [numpy.exp(-2j * numpy.pi * numpy.outer(waves[:, a], numpy.arange(SHAPE[a])) / SHAPE[a]) for a in range(3)]
    return numpy.einsum("bzyx,gz,gy,gx->bg", values, phases[2], phases[1], phases[0], optimize=True) / v.size


@pytest.mark.parametrize("half", [False, True])
def test_a_function_on_the_grid_multiplies_by_a_potential(comm, rng, half):
    waves, mine = my_waves(comm, half)
    whole = coefficients_of(rng, waves, 4, half)
    expected = times_potential(waves, whole, half)[:, mine]
    psi = numpy.ascontiguousarray(whole[:, mine])
    seen = set()

    def multiply(band, box, values):
        assert values.shape == box.shape and values.flags.writeable
        seen.add(band)
        values *= potential_on(box)

    with seiche.SphereFft(SHAPE, waves[mine], "float64" if half else "complex128", comm, threads=2) as fft:
        numpy.testing.assert_allclose(fft.round_trip(psi, multiply), expected, atol=1e-12)
        assert seen == ({0, 1, 2, 3} if fft.grid_box.volume else set())
        v = potential_on(fft.grid_box)
        numpy.testing.assert_allclose(fft.apply_potential(psi, v), expected, atol=1e-12)
        out = numpy.empty_like(psi)
        assert fft.apply_potential(psi, v, out) is out
        numpy.testing.assert_allclose(out, expected, atol=1e-12)
        assert fft.apply_potential(psi, v, psi) is psi
        numpy.testing.assert_allclose(psi, expected, atol=1e-12)


def test_densities_add_up(comm, rng):
    waves, mine = my_waves(comm)
    whole = coefficients_of(rng, waves, 3, False)
    weights = numpy.array([2.0, 1.0, 0.5])
    expected = numpy.einsum("b,bzyx->zyx", weights, abs(on_grid(waves, whole, False)) ** 2)
    psi = numpy.ascontiguousarray(whole[:, mine])
    with seiche.SphereFft(SHAPE, waves[mine], comm=comm) as fft:
        density = numpy.ones(fft.grid_box.shape)
        assert fft.add_density(psi, weights, density) is density
        numpy.testing.assert_allclose(density, 1 + expected[fft.grid_box.slices], rtol=1e-12)

        streamed = numpy.zeros(fft.grid_box.shape)
        box = fft.grid_box

        def add(band, part, values):
            where = tuple(slice(p.start - b.start, p.stop - b.start) for p, b in zip((part.z, part.y, part.x), (box.z, box.y, box.x)))
            streamed[where] += weights[band] * abs(values) ** 2

        with fft.stream(add) as stream:
            stream.add(psi[:1])
            stream.add(psi[1:])
        numpy.testing.assert_allclose(streamed, expected[box.slices], rtol=1e-12)
        streamed[...] = 0
        fft.to_grid(psi, add)
        numpy.testing.assert_allclose(streamed, expected[box.slices], rtol=1e-12)


def test_spinors_show_both_components(comm, rng):
    waves, mine = my_waves(comm)
    whole = random_values(rng, (2, 2, len(waves)), "complex128")
    psi = numpy.ascontiguousarray(whole[:, :, mine])

    def turn(band, box, values):
        up = values[0].copy()
        values[0] = values[1]
        values[1] = up

    with seiche.SphereFft(SHAPE, waves[mine], comm=comm, components=2) as fft:
        numpy.testing.assert_allclose(fft.round_trip(psi, turn), psi[:, ::-1], atol=1e-13)
        grid = fft.backward(psi)
        assert grid.shape == (2, 2, *fft.grid_box.shape)
        up = on_grid(waves, whole[:, 0], False)
        numpy.testing.assert_allclose(grid[:, 0], up[(slice(None), *fft.grid_box.slices)], atol=1e-12)


def test_lines_are_of_the_library_that_plans_take(comm):
    with seiche.SphereFft((6, 6, 6), numpy.zeros((0, 3), numpy.int32), comm=comm) as fft:
        assert fft.report.library == seiche.line_library()
