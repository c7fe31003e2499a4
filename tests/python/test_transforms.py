# SPDX-License-Identifier: BSD-3-Clause
"""What the generated calls of tests/conformance do not have: fields, many fields, arrays that calls allocate, padded rows,
streams, started calls that fail, and lists of boxes."""

import gc

import numpy
import pytest
from conftest import random_values, raises_alike, tolerance

import seiche

DTYPES = ["complex128", "complex64", "float64", "float32"]
SHAPE = (6, 5, 7)
WAVES = seiche.sphere_of_waves(numpy.eye(3), 2.0)


def spectrum_of(whole):
    """By numpy.fft: forward transforms carry 1/N, and real values have half a spectrum along x."""
    transform = numpy.fft.fftn if whole.dtype.kind == "c" else numpy.fft.rfftn
    return transform(whole) / whole.size


@pytest.fixture
def owned(comm):
    return seiche.balanced_owners(WAVES, comm.size) == comm.rank


@pytest.fixture
def plan(comm, owned):
    with seiche.SphereFft(SHAPE, WAVES[owned], comm=comm, algorithm="pairwise") as fft:
        yield fft


@pytest.mark.parametrize("dtype", DTYPES)
def test_fields_hold_what_numpy_finds(comm, rng, dtype):
    shape = (5, 6, 7)
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
        field.become_spectrum()
        assert field.spectrum.shape == fft.spectrum_box.shape
        field.become_grid()


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("as_the_grid", [True, False])
def test_many_fields_in_callers_arrays(comm, rng, interleaved, as_the_grid):
    dtype, fields, (nx, ny, nz) = "float64", 3, (6, 8, 9)
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


def test_slabs_have_the_planes_of_the_caller(comm, rng):
    slabs = [2] * (comm.size - 1) + [12 - 2 * (comm.size - 1)]
    waves = numpy.array([(0, 0, z) for z in range(-5, 6)] if comm.rank == 0 else numpy.empty((0, 3)), numpy.int32).reshape(-1, 3)
    with seiche.SphereFft((4, 5, 12), waves, comm=comm, band_groups=1, slabs=slabs) as fft:
        assert fft.grid_box.shape == (slabs[comm.rank], 5, 4)
        coefficients = random_values(rng, (1, len(waves)), "complex128")
        numpy.testing.assert_allclose(fft.forward(fft.backward(coefficients)), coefficients, atol=1e-14)


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


def test_boxes_are_known_without_a_plan(comm):
    with seiche.DenseFft((5, 6, 7), comm=comm) as fft:
        assert seiche.dense_grid_boxes(comm.size, (5, 6, 7))[comm.rank] == fft.grid_box
    boxes = seiche.dense_grid_boxes(3, (5, 6, 7))
    assert [len(box.x) for box in boxes] == [5, 5, 5]
    assert sum(box.volume for box in boxes) == 5 * 6 * 7
    assert repr(boxes[0]) == "<seiche.Box x 0:5 y 0:6 z 0:3>"


@pytest.mark.parametrize("groups", [1, 2])
def test_calls_allocate_their_results(comm, rng, owned, groups):
    if comm.size % groups:
        pytest.skip("groups divide ranks")
    with seiche.SphereFft(SHAPE, WAVES[owned], comm=comm, band_groups=groups) as fft:
        psi, v = random_values(rng, (3, fft.waves_here), complex), numpy.full(fft.grid_box.shape, 2.0)
        grid, bands = fft.backward(psi), range(fft.first_band_here, 3, groups)
        assert grid.shape == (len(bands), *fft.grid_box.shape) and fft.bands_here(3) == len(bands)
        assert fft.backward(psi[0].copy()).shape[-3:] == fft.grid_box.shape
        numpy.testing.assert_allclose(fft.forward(grid, bands=3), psi, atol=1e-13)
        numpy.testing.assert_allclose(fft.apply_potential(psi, v), 2 * psi, atol=1e-13)
        assert fft.round_trip(psi, lambda band, box, values: None).shape == psi.shape
        out = numpy.empty_like(psi)
        assert fft.apply_potential(psi, v, out) is out and fft.start_apply_potential(psi, v, out).finish() is out
        numpy.testing.assert_allclose(fft.start_round_trip(psi, lambda band, box, values: None).finish(), psi, atol=1e-13)
        for call in (fft.apply_potential, fft.start_apply_potential):
            raises_alike(comm, seiche.BadArgument, "add needs an array to add to: pass out", lambda: call(psi, v, add=True))
        raises_alike(comm, seiche.BadArgument, "add needs an array to add to", lambda: fft.round_trip(psi, print, add=True))
        with pytest.raises(TypeError):
            fft.apply_potential(psi, v, out, True)
        assert fft.report.library == seiche.line_library()


def on_whole_grid(comm, waves, psi):
    """Values of bands (..., wave) on the whole grid, by the definition, from the waves of all ranks."""
    waves, psi = numpy.concatenate(comm.allgather(waves)), numpy.concatenate(comm.allgather(psi), axis=-1)
    x, y, z = (numpy.exp(2j * numpy.pi * numpy.outer(waves[:, axis], numpy.arange(SHAPE[axis])) / SHAPE[axis]) for axis in range(3))
    return numpy.einsum("...g,gx,gy,gz->...zyx", psi, x, y, z, optimize=True)


def on_waves(waves, grid):
    """Coefficients of values on the whole grid, by the definition."""
    x, y, z = (numpy.exp(-2j * numpy.pi * numpy.outer(waves[:, axis], numpy.arange(SHAPE[axis])) / SHAPE[axis]) for axis in range(3))
    return numpy.einsum("...zyx,gx,gy,gz->...g", grid, x, y, z, optimize=True) / numpy.prod(SHAPE)


@pytest.mark.parametrize("components", [1, 2])
def test_two_plans_are_joined_on_the_grid(comm, rng, owned, components):
    unit, sx, sy, sz = numpy.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]])
    waves, others = WAVES[owned], WAVES[owned][::2] + numpy.array([1, 0, 0], "int32")
    axis, weights = () if components == 1 else (2,), numpy.array([0.5, 0, 2])
    with seiche.SphereFft(SHAPE, waves, comm=comm, components=components) as k, \
            seiche.SphereFft(SHAPE, others, comm=comm, components=components) as kq:
        here = k.grid_box.slices
        psi, phi = random_values(rng, (3, *axis, len(waves)), complex), random_values(rng, (3, *axis, len(others)), complex)
        v = comm.bcast(random_values(rng, (4, *SHAPE[::-1]), complex))
        psi_r, phi_r = on_whole_grid(comm, waves, psi), on_whole_grid(comm, others, phi)
        if components == 1:
            dv, expected = v[0], v[0] * psi_r
            products = numpy.einsum("b,bzyx,bzyx->zyx", weights, psi_r.conj(), phi_r)
        else:
            dv, expected = v, numpy.einsum("fzyx,fcd,bdzyx->bczyx", v, [unit, sx, sy, sz], psi_r)
            products = numpy.einsum("b,bczyx,fcd,bdzyx->fzyx", weights, psi_r.conj(), [unit, sx, sy, sz], phi_r)
        dv, expected, products = dv[(..., *here)].copy(), on_waves(others, expected), products[(..., *here)]
        result = k.apply_perturbation(kq, psi, dv)
        numpy.testing.assert_allclose(result, expected, atol=1e-11)
        out = phi.copy()
        assert k.apply_perturbation(kq, psi, dv, out, add=True) is out
        numpy.testing.assert_allclose(out, phi + expected, atol=1e-11)
        assert k.start_apply_perturbation(kq, psi, dv, out).finish() is out
        numpy.testing.assert_allclose(out, expected, atol=1e-11)
        density = numpy.ones_like(products)
        assert k.add_products(kq, psi, phi, weights, density) is density
        numpy.testing.assert_allclose(density, 1 + products, atol=1e-10)
        k.start_add_products(kq, psi, phi, weights, density).finish()
        numpy.testing.assert_allclose(density, 1 + 2 * products, atol=1e-10)
        raises_alike(comm, seiche.BadArgument, "add needs an array to add to: pass out", lambda: k.apply_perturbation(kq, psi, dv, add=True))
        raises_alike(comm, seiche.BadArgument, "right has shape", lambda: k.add_products(kq, psi, phi[:2], weights, density))
        raises_alike(comm, seiche.WrongType, "potential has dtype float64", lambda: k.apply_perturbation(kq, psi, dv.real.copy()))
        with seiche.SphereFft(SHAPE, others, "complex64", comm, components=components) as single:
            text = "the plans have different dtypes: create both with one dtype"
            raises_alike(comm, seiche.BadArgument, text, lambda: k.apply_perturbation(single, psi, dv))
            raises_alike(comm, seiche.BadArgument, text, lambda: k.add_products(single, psi, phi, weights, density))
    raises_alike(comm, seiche.BadArgument, "this SphereFft is closed", lambda: k.apply_perturbation(kq, psi, dv))


@pytest.mark.parametrize("components", [1, 2])
def test_padded_rows_are_slices(comm, rng, owned, components):
    waves = WAVES[owned]
    axis = () if components == 1 else (components,)
    with seiche.SphereFft(SHAPE, waves, comm=comm, components=components) as fft:
        n, v = len(waves), rng.normal(size=fft.grid_box.shape)
        psi = random_values(rng, (3, *axis, n), complex)
        expected, density = fft.apply_potential(psi, v), fft.add_density(psi, numpy.ones(3), numpy.zeros_like(v))
        large, out = numpy.full((5, *axis, n + 4), 7 + 0j), numpy.full((5, *axis, n + 2), 9 + 0j)
        large[1:4, ..., 2 : n + 2] = psi
        given, result = large[1:4, ..., 2 : n + 2], out[:3, ..., :n]
        assert fft.apply_potential(given, v, out=result) is result
        numpy.testing.assert_allclose(result, expected, atol=1e-12)
        assert (out[:3, ..., n:] == 9).all() and (out[3:] == 9).all()
        numpy.testing.assert_allclose(fft.add_density(given, numpy.ones(3), numpy.zeros_like(v)), density, atol=1e-12)
        numpy.testing.assert_allclose(fft.forward(fft.backward(given), psi=result), psi, atol=1e-12)
        assert (out[:3, ..., n:] == 9).all() and (out[3:] == 9).all()
        fft.start_apply_potential(given, v, out=result).finish()
        numpy.testing.assert_allclose(result, expected, atol=1e-12)
        raises_alike(comm, seiche.BadArgument, "is not contiguous", lambda: fft.apply_potential(large[3:0:-1, ..., :n], v))


def test_streams_show_bands_in_boxes(comm, plan):
    psi, weights, box = numpy.ones((3, plan.waves_here), complex), numpy.array([2.0, 1.0, 0.5]), plan.grid_box
    expected, seen = plan.add_density(psi, weights, numpy.zeros(box.shape)), numpy.zeros(box.shape)

    def add(band, part, values):
        where = tuple(slice(p.start - b.start, p.stop - b.start) for p, b in zip((part.z, part.y, part.x), (box.z, box.y, box.x)))
        assert values.shape == part.shape and values.flags.writeable
        seen[where] += weights[band] * abs(values) ** 2

    with plan.stream(add) as stream:
        stream.add(psi[:1])
        stream.add(psi[1:])
    numpy.testing.assert_allclose(seen, expected, rtol=1e-12)
    seen[...] = 0
    plan.to_grid(psi, add)
    numpy.testing.assert_allclose(seen, expected, rtol=1e-12)


def test_fields_of_spinors_and_boxes_are_checked(comm, owned):
    last = comm.rank == comm.size - 1  # has all of it, others nothing
    box = seiche.Box(*((0, n if last else 0) for n in SHAPE))
    values, nowhere = numpy.zeros(box.shape), seiche.Box((0, 0), (0, 0), (0, 0))
    with seiche.SphereFft(SHAPE, WAVES[owned], comm=comm, components=2) as fft:
        psi, weights = numpy.ones((1, 2, fft.waves_here), complex), numpy.ones(1)
        assert fft.apply_potential(psi, numpy.ones((4, *fft.grid_box.shape))).shape == psi.shape
        raises_alike(comm, seiche.BadArgument, "potential has shape", lambda: fft.apply_potential(psi, numpy.zeros((3, *fft.grid_box.shape))))
        raises_alike(comm, seiche.BadArgument, "density has shape", lambda: fft.add_density(psi, weights, numpy.zeros((2, *fft.grid_box.shape))))
        here = fft.spread(box, values)
        assert here.shape == fft.grid_box.shape and fft.spread(box, numpy.zeros((2, *box.shape), complex)).shape == (2, *here.shape)
        assert fft.backward_to_boxes(psi, box).shape == (1, 2, *box.shape)
        if comm.size > 1:
            some = values.astype(complex) if last else values
            raises_alike(comm, seiche.BadArgument, "real and complex values", lambda: fft.spread(box, some))
        raises_alike(comm, seiche.BadArgument, "values has shape", lambda: fft.spread(box, numpy.zeros((1, 2, 3))))
        raises_alike(comm, seiche.WrongType, "here has dtype float32", lambda: fft.collect(here.astype("float32"), box, values))
        raises_alike(comm, seiche.BadArgument, "points of a target box", lambda: fft.spread(nowhere, numpy.zeros((0, 0, 0))))
        raises_alike(comm, seiche.BadArgument, "values has shape",
                     lambda: fft.backward_to_boxes(psi, box, numpy.zeros((3, *box.shape), complex)))
    raises_alike(comm, seiche.BadArgument, "this SphereFft is closed", lambda: fft.spread(box, values))
    with seiche.SphereFft(SHAPE, WAVES[owned], comm=comm) as fft:
        raises_alike(comm, seiche.BadArgument, "potential has shape", lambda: fft.apply_potential(
            numpy.ones((1, fft.waves_here), complex), numpy.zeros((4, *fft.grid_box.shape))))


def test_started_calls_fail_at_their_end(comm, rng, plan):
    psi = random_values(rng, (2, plan.waves_here), complex)

    def fail(band, box, values):
        if comm.rank == comm.size - 1:
            raise ValueError("no luck")

    with plan.start_backward(psi) as pending:
        for _ in range(3 * comm.rank):
            assert pending.progress() in (True, False)
    pending = plan.start_round_trip(psi, fail)
    with pytest.raises(seiche.BadArgument, match="no luck") as raised:
        pending.finish()
    assert comm.rank < comm.size - 1 or isinstance(raised.value.__cause__, ValueError)
    assert repr(pending) == "<seiche.Pending, finished>"
    with pytest.raises(seiche.BadArgument, match="this Pending is closed"):
        pending.progress()
    raises_alike(comm, seiche.BadArgument, "this Pending is closed", pending.finish)
    raises_alike(comm, seiche.BadArgument, "potential has shape", lambda: plan.start_apply_potential(psi, numpy.zeros((1, 1, 1))))
    seiche_pending = plan.start_backward(psi)
    assert repr(seiche_pending) == "<seiche.Pending>"
    del seiche_pending  # dropped: completes with the next collective call
    gc.collect()
    plan.backward(psi)


@pytest.mark.parametrize("space", ["host", "cuda"])
def test_boxes_are_reported(comm, space):
    mine, halo = (seiche.Box((0, 4), (0, 3), (2 * comm.rank - n, 2 * comm.rank + 2 + n)) for n in (0, 1))
    with seiche.BoxExchange((4, 3, 2 * comm.size), mine, halo, comm=comm, algorithm="pairwise", space=space) as exchange:
        values = numpy.full(mine.shape, comm.rank + 1.0)
        found = exchange.copy(values)
        assert found.shape == halo.shape and (found[1:3] == values).all() and (found[3] == (comm.rank + 1) % comm.size + 1).all()
        numpy.testing.assert_array_equal(exchange.start_copy(values).finish(), found)
        assert exchange.report.algorithm == "pairwise"
        assert exchange.report.messages == ("host" if comm.size > 1 else "none")
        assert exchange.report.own + exchange.report.received == halo.volume
        assert exchange.progress.worked >= 0
        assert "here 1 source boxes and 1 target boxes" in repr(exchange)
    assert repr(exchange) == "<seiche.BoxExchange, closed>"


def test_lists_of_boxes(comm):
    """Every other plane, in reverse order, from the last rank."""
    whole = numpy.arange(60.0).reshape(5, 4, 3)
    source = [seiche.Box((0, 3), (0, 4), (0, 5))] if comm.rank == comm.size - 1 else []
    target = [seiche.Box((0, 3), (0, 4), (z, z + 1)) for z in (4, 2, 0)]
    with seiche.BoxExchange((3, 4, 5), source, target, comm=comm) as exchange:
        values = whole.reshape(1, 60) if source else numpy.zeros((1, 0))
        numpy.testing.assert_array_equal(exchange.copy(values), whole[[4, 2, 0]].reshape(1, 36))
        raises_alike(comm, seiche.BadArgument, "out has shape", lambda: exchange.copy(values, numpy.zeros(35)))
        raises_alike(comm, seiche.WrongType, "values must be a NumPy array, not list", lambda: exchange.copy([1.0]))
    raises_alike(comm, seiche.BadArgument, "are in no source box", lambda: seiche.BoxExchange((3, 4, 5), [], target, comm=comm))
    raises_alike(comm, seiche.WrongType, "a box has an invalid value 1", lambda: seiche.BoxExchange((3, 4, 5), [1], target, comm=comm))
