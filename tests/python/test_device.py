# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in memory of a CUDA device, here the emulated one: DeviceArray, and arrays of another library with DLPack."""

import ctypes
import os
import re
import sys
import types
from pathlib import Path

import numpy
import pytest
from mpi4py import MPI
from conftest import raises_alike, random_values, run_alone

import seiche

pytestmark = pytest.mark.skipif("SEICHE_CUDA" not in os.environ, reason="the emulated CUDA module is not built")
SHAPE, BANDS = (12, 10, 15), 5


class Tensor:
    """Array of a library that knows only DLPack."""

    def __init__(self, values):
        self.values = values
        self.shape, self.dtype = values.shape, values.dtype

    def __dlpack__(self, **kwargs):
        return self.values.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.fixture(params=[("tensors", "tensors"), ("jaxlib._jax", "jax.numpy")], ids=["tensors", "jax"])
def tensors(request, monkeypatch):
    """Makes arrays of a library. Types of JAX name another module than the one with from_dlpack()."""
    module_of_type, module_of_library = request.param
    module = types.ModuleType(module_of_library)
    module.from_dlpack = Tensor
    top = module_of_library.partition(".")[0]
    monkeypatch.setitem(sys.modules, top, module if top == module_of_library else types.ModuleType(top))
    monkeypatch.setitem(sys.modules, module_of_library, module)
    monkeypatch.setattr(Tensor, "__module__", module_of_type)
    return lambda values: Tensor(seiche.DeviceArray(values))


def waves_of(comm):
    axis = numpy.arange(-2, 3)
    waves = numpy.array(numpy.meshgrid(axis, axis, axis), "int32").reshape(3, -1).T
    return numpy.ascontiguousarray(waves[comm.rank :: comm.size])


def test_device_arrays_are_copies(rng):
    for dtype in ("float64", "float32", "complex128", "complex64", "int32"):
        values = random_values(rng, (3, 4), dtype)
        array = seiche.DeviceArray(values)
        assert array.shape == (3, 4) and array.dtype == values.dtype
        assert numpy.array_equal(array.numpy(), values)
    with pytest.raises(TypeError, match="needs a NumPy array in C order, not list"):
        seiche.DeviceArray([1, 2])
    with pytest.raises(TypeError, match="needs a NumPy array in C order, not"):
        seiche.DeviceArray(numpy.zeros((3, 4)).T)


@pytest.mark.parametrize("dtype", ["complex128", "complex64", "float64"])
def test_plans_use_arrays_on_the_device(comm, rng, tensors, dtype):
    weights = rng.uniform(size=BANDS)  # first, while the generators of all ranks agree
    waves = waves_of(comm)
    if dtype == "float64":
        waves = numpy.array([w for w in waves if tuple(w) >= (0, 0, 0)], "int32").reshape(-1, 3)
    complex_type = "complex64" if dtype == "complex64" else "complex128"
    psi = random_values(rng, (BANDS, len(waves)), complex_type)
    close = 1e-5 if dtype == "complex64" else 1e-12
    with seiche.SphereFft(SHAPE, waves, dtype, comm, band_groups=comm.size) as host, seiche.SphereFft(
        SHAPE, waves, dtype, comm, space="cuda"
    ) as fft:
        potential = rng.normal(size=fft.grid_box.shape)
        density = numpy.zeros(fft.grid_box.shape)
        host.add_density(psi, weights, density)
        wanted = host.apply_potential(psi, potential)
        for on_device in (seiche.DeviceArray, tensors):
            there, v = on_device(psi), on_device(potential)
            result = fft.apply_potential(there, v)
            assert type(result) is type(there) and result.shape == psi.shape
            numpy.testing.assert_allclose(numbers(result), wanted, atol=close)
            out = on_device(psi)
            assert fft.apply_potential(there, potential, out, add=True) is out
            numpy.testing.assert_allclose(numbers(out), wanted + psi, atol=close)
            grid = fft.backward(there)
            assert type(grid) is type(there)
            numpy.testing.assert_allclose(numbers(grid), host.backward(psi), atol=100 * close)
            numpy.testing.assert_allclose(numbers(fft.forward(grid, on_device(psi))), host.forward(host.backward(psi), psi.copy()), atol=close)
            sums = on_device(numpy.zeros(fft.grid_box.shape))
            fft.add_density(there, weights, sums)
            numpy.testing.assert_allclose(numbers(sums), density, atol=1000 * close)


def test_exact_exchange_uses_arrays_on_the_device(comm, rng, tensors):
    waves = waves_of(comm)
    axis = numpy.arange(-4, 5)
    density_waves = numpy.array(numpy.meshgrid(axis, axis, axis), "int32").reshape(3, -1).T
    density_waves = numpy.ascontiguousarray(density_waves[comm.rank :: comm.size])
    psi, weights = random_values(rng, (3, len(waves)), "complex128"), numpy.array([1.0, 0.0, 0.5])
    kernel = 1 / (1 + (density_waves**2).sum(1))
    with seiche.ExactExchange(SHAPE, waves, density_waves, comm=comm) as host, seiche.ExactExchange(
        SHAPE, waves, density_waves, comm=comm, space="cuda"
    ) as exchange:
        occupied = host.occupied(psi, weights)
        wanted = host.apply(occupied, kernel, psi)
        energy = host.energy(occupied, kernel, psi, weights)
        for on_device in (seiche.DeviceArray, tensors):
            there, k = on_device(psi), on_device(kernel)
            orbitals = exchange.occupied(there, weights)
            result = exchange.apply(orbitals, k, there)
            assert type(result) is type(there)
            numpy.testing.assert_allclose(numbers(result), wanted, atol=1e-11)
            numpy.testing.assert_allclose(numbers(exchange.start_apply(orbitals, k, there).finish()), wanted, atol=1e-11)
            assert exchange.energy(orbitals, k, there, weights) == pytest.approx(energy, rel=1e-11)
        raises_alike(comm, seiche.Error, "psi must be a NumPy array, not DeviceArray",
                     lambda: host.apply(occupied, kernel, seiche.DeviceArray(psi)))


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64"])
def test_boxes_are_exchanged_on_the_device(comm, rng, tensors, dtype):
    shape = (4, 3, 2 * comm.size)
    mine = seiche.Box((0, 4), (0, 3), (2 * comm.rank, 2 * comm.rank + 2))
    wider = seiche.Box((0, 4), (0, 3), (2 * comm.rank - 1, 2 * comm.rank + 3))
    values = random_values(rng, (2, *mine.shape), dtype)
    with seiche.BoxExchange(shape, mine, wider, comm) as host, seiche.BoxExchange(shape, mine, wider, comm, space="cuda") as exchange:
        wanted = host.copy(values)
        sums = host.add_back(wanted, values.copy())
        assert numpy.array_equal(exchange.copy(values), wanted)
        for on_device in (seiche.DeviceArray, tensors):
            there = on_device(values)
            result = exchange.copy(there)
            assert type(result) is type(there) and numpy.array_equal(numbers(result), wanted)
            assert numpy.array_equal(numbers(exchange.start_copy(there).finish()), wanted)
            assert numpy.array_equal(exchange.copy(there, numpy.empty_like(wanted)), wanted)
            assert exchange.add_back(result, there) is there and numpy.array_equal(numbers(there), sums)
            assert numpy.array_equal(numbers(exchange.start_add_back(wanted, on_device(values)).finish()), sums)
            raises_alike(comm, seiche.Error, "out has shape", lambda: exchange.copy(there, on_device(values)))
        raises_alike(comm, seiche.Error, "unsupported dtype int32",
                     lambda: exchange.copy(seiche.DeviceArray(numpy.zeros((2, *mine.shape), "int32"))))
        raises_alike(comm, seiche.Error, "values must be a NumPy array or an array on the device, not list", lambda: exchange.copy([1]))


@pytest.mark.parametrize("dtype", ["complex128", "complex64", "float64", "float32"])
def test_dense_grids_are_transformed_on_the_device(comm, rng, tensors, dtype):
    spectrum_type = "complex64" if dtype in ("complex64", "float32") else "complex128"
    close = {"rtol": 0, "atol": 1e-5 if spectrum_type == "complex64" else 1e-12}
    with seiche.DenseFft(SHAPE, dtype, comm) as host, seiche.DenseFft(SHAPE, dtype, comm, space="cuda") as fft:
        grid = random_values(rng, fft.grid_box.shape, dtype)
        spectrum, zeros = numpy.zeros(fft.spectrum_box.shape, spectrum_type), numpy.zeros(grid.shape, dtype)
        host.forward(grid, spectrum)
        for on_device in (seiche.DeviceArray, tensors):
            out, back = on_device(numpy.zeros_like(spectrum)), on_device(zeros)
            fft.forward(on_device(grid), out)
            numpy.testing.assert_allclose(numbers(out), spectrum, **close)
            fft.start_backward(out, back).finish()
            numpy.testing.assert_allclose(numbers(back), grid, **close)
            mixed = zeros.copy()
            fft.backward(out, mixed)
            numpy.testing.assert_allclose(mixed, grid, **close)
        raises_alike(comm, seiche.Error, "grid must be a NumPy array, not DeviceArray", lambda: host.forward(seiche.DeviceArray(grid), spectrum))
        raises_alike(comm, seiche.Error, "spectrum must be a NumPy array or an array on the device, not list", lambda: fft.forward(grid, [1]))
    planes, columns = (range(n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size) for n in (SHAPE[2], SHAPE[1]))
    waves = SHAPE[0] // 2 + 1 if dtype.startswith("float") else SHAPE[0]
    values = random_values(rng, (3, len(planes), SHAPE[1], SHAPE[0]), dtype)
    expected = numpy.zeros((3, SHAPE[2], len(columns), waves), spectrum_type)
    options = {"dtype": dtype, "comm": comm, "interleaved": False}
    with seiche.DenseFft.for_arrays(SHAPE, 3, planes, columns, **options) as host, seiche.DenseFft.for_arrays(
        SHAPE, 3, planes, columns, space="cuda", **options
    ) as fft:
        host.forward(values, expected)
        out = tensors(numpy.zeros_like(expected))
        fft.forward(tensors(values), out)
        numpy.testing.assert_allclose(numbers(out), expected, **close)


def factors_of(plan, bands):
    """Factors on the grid of a rank, which differ between bands."""
    z, y, x = (numpy.arange(extent.start, extent.stop) for extent in plan.grid_box.slices)
    return numpy.array([1 + 0.1 * band + 0.01 * ((z[:, None, None] + 2 * y[:, None] + 3 * x) % 7) for band in bands])


def test_functions_start_kernels(comm, rng):
    waves = waves_of(comm)
    psi = random_values(rng, (BANDS, len(waves)), "complex128")
    seen = []
    with seiche.SphereFft(SHAPE, waves, comm=comm) as host, seiche.SphereFft(SHAPE, waves, comm=comm, space="cuda") as fft:

        def multiply(bands, box, values, stream):
            assert box == fft.grid_box and isinstance(bands, range) and values.dtype == "complex128"
            assert values.shape == (len(bands), *box.shape)
            seen.extend(bands)
            described = values.__cuda_array_interface__
            assert described["shape"] == values.shape and described["typestr"] == "<c16" and described["data"][0] > 0
            local = seiche.Box(*((0, extent) for extent in reversed(box.shape)))
            with seiche.BoxExchange(box.shape[::-1], local, local, MPI.COMM_SELF, space="cuda", stream=stream) as exchange:
                exchange.copy(values.numpy() * factors_of(fft, bands), values)  # by a kernel in the stream

        def on_host(band, box, values):
            everywhere = factors_of(host, [band])[0]
            values *= everywhere[tuple(slice(part.start - all.start, part.stop - all.start)
                                       for part, all in zip(box.slices, host.grid_box.slices))]

        wanted = host.round_trip(psi, on_host)
        numpy.testing.assert_allclose(fft.round_trip_on_device(psi, multiply), wanted, atol=1e-12)
        here = range(fft.first_band_here, BANDS, fft.report.band_groups) if fft.grid_box.volume else ()
        assert sorted(seen) == list(here)
        out = psi.copy()
        assert fft.round_trip_on_device(psi, multiply, out, add=True) is out
        numpy.testing.assert_allclose(out, wanted + psi, atol=1e-12)
        there = fft.round_trip_on_device(seiche.DeviceArray(psi), multiply)
        numpy.testing.assert_allclose(there.numpy(), wanted, atol=1e-12)


@pytest.mark.parametrize("components", [1, 2])
def test_functions_read_values_on_the_device(comm, rng, components):
    waves = waves_of(comm)
    psi, read = random_values(rng, (BANDS, *((2,) if components == 2 else ()), len(waves)), "complex128"), {}
    with seiche.SphereFft(SHAPE, waves, comm=comm, components=components, space="cuda") as fft:
        fft.to_grid_on_device(psi, lambda bands, box, values, stream: read.update(zip(bands, values.numpy())))
        for band, values in zip(range(fft.first_band_here, BANDS, fft.report.band_groups), fft.backward(psi)):
            numpy.testing.assert_allclose(read[band], values, atol=1e-12)


def test_functions_that_fail(comm, rng):
    waves = waves_of(comm)
    psi = random_values(rng, (BANDS, len(waves)), "complex128")
    with seiche.SphereFft(SHAPE, waves, comm=comm) as host, seiche.SphereFft(SHAPE, waves, comm=comm, space="cuda") as fft:

        def fails(bands, box, values, stream):
            if comm.rank == comm.size - 1:
                raise KeyError(3)

        error = raises_alike(comm, seiche.BadArgument, "raised KeyError", lambda: fft.round_trip_on_device(psi, fails))
        assert isinstance(error.__cause__, KeyError) == (comm.rank == comm.size - 1)
        raises_alike(comm, seiche.BadArgument, "raised KeyError", lambda: fft.to_grid_on_device(psi, fails))
        kept = []
        raises_alike(comm, seiche.BadArgument, "kept a reference to its values, whose memory belongs to the plan: keep a copy",
                     lambda: fft.to_grid_on_device(psi, lambda bands, box, values, stream: kept.append(values)))
        kept.clear()
        raises_alike(comm, seiche.Error, "fft: round_trip with a callback on a device needs a plan on a device", lambda: host.round_trip_on_device(psi, fails))


def said_of_module(folder):
    """The last line of the error of a process that uses the module in the folder."""
    done = run_alone("import numpy, seiche; seiche.DeviceArray(numpy.zeros(3))", SEICHE_CUDA=str(folder))
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


def test_modules_are_of_the_same_version(comm, tmp_path):
    if comm.size > 1:
        pytest.skip("once is enough")
    module = Path(os.environ["SEICHE_CUDA"], "libseiche_cuda.so")
    assert said_of_module(module.parent) == ""
    assert "the space 'cuda' needs the module libseiche_cuda.so: install the package seiche-cuda" in said_of_module(tmp_path)
    version = ctypes.CDLL(str(module)).seiche_device_version
    version.restype = ctypes.c_char_p
    (tmp_path / module.name).write_bytes(module.read_bytes().replace(version() + b"\0", b"9.9.9\0"))
    assert re.search(r"libseiche_cuda.so belongs to Seiche 9.9.9, but this library is Seiche \d+\.\d+\.\d+: install the module of this version",
                     said_of_module(tmp_path))


def numbers(array):
    return (array.values if isinstance(array, Tensor) else array).numpy()


def test_other_arrays_are_refused(comm, rng):
    waves = waves_of(comm)
    psi = random_values(rng, (BANDS, len(waves)), "complex128")
    with seiche.SphereFft(SHAPE, waves, comm=comm) as host, seiche.SphereFft(SHAPE, waves, comm=comm, space="cuda") as fft:
        potential = numpy.zeros(host.grid_box.shape)
        raises_alike(
            comm, seiche.Error, "psi must be a NumPy array, not DeviceArray", lambda: host.apply_potential(seiche.DeviceArray(psi), potential)
        )
        raises_alike(
            comm, seiche.Error, "psi must be a NumPy array or an array on the device, not list", lambda: fft.apply_potential([1], potential)
        )
        raises_alike(comm, seiche.Error, "psi has dtype float64", lambda: fft.apply_potential(seiche.DeviceArray(psi.real.copy()), potential))
    box, values = seiche.Box((0, 2), (0, 2), (0, 2 if comm.rank == 0 else 0)), numpy.zeros((2 if comm.rank == 0 else 0, 2, 2))
    with seiche.BoxExchange((2, 2, 2), box, box, comm) as exchange:
        on_device = seiche.DeviceArray(numpy.zeros((2, 2, 2)))
        raises_alike(comm, seiche.Error, "values must be a NumPy array, not DeviceArray", lambda: exchange.copy(on_device))
        raises_alike(comm, seiche.Error, "out must be a NumPy array, not DeviceArray", lambda: exchange.copy(values, on_device))
