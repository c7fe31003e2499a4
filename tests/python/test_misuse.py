# SPDX-License-Identifier: BSD-3-Clause
"""What users do wrong is said in a sentence, the same on all ranks, and hangs none."""

import ctypes
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
from conftest import raises_alike, run_alone
from mpi4py import MPI

import seiche

SHAPE = (6, 5, 7)


@pytest.fixture
def waves():
    return seiche.sphere_of_waves(numpy.eye(3), 2.0)


@pytest.fixture
def fft(comm, waves):
    mine = seiche.balanced_owners(waves, comm.size) == comm.rank
    with seiche.SphereFft(SHAPE, waves[mine], comm=comm) as plan:
        yield plan


def psi_of(fft, bands=2):
    return numpy.ones((bands, fft.waves_here), complex)


def test_every_error_is_of_its_kind():
    assert issubclass(seiche.BadArgument, ValueError) and issubclass(seiche.BadFile, OSError)
    assert issubclass(seiche.WrongType, TypeError) and issubclass(seiche.Error, Exception)
    assert [fault.value for fault in seiche.Fault] == [1, 2, 3, 4, 5, 6]


WRONG = [
    (lambda a: a.astype("complex64"), seiche.WrongType, "psi has dtype complex64: convert it to complex128"),
    (lambda a: a.real.copy(), seiche.WrongType, "psi has dtype float64"),
    (lambda a: a.astype(">c16"), seiche.WrongType, "psi has dtype >c16"),
    (lambda a: a.tolist(), seiche.WrongType, "must be a NumPy array, not list"),
    (lambda a: None, seiche.WrongType, "must be a NumPy array, not NoneType"),
    (lambda a: numpy.ones((2, a.shape[1] + 1), complex), seiche.BadArgument, r"psi has shape .* is expected: pass padded rows as psi\[..., :"),
    (lambda a: numpy.ones((2, 1, a.shape[1]), complex), seiche.BadArgument, "psi has shape"),
    (lambda a: numpy.ones((a.shape[1], 2), complex).T, seiche.BadArgument, "not contiguous in C order"),
    (lambda a: numpy.ones((2, 2 * a.shape[1]), complex)[:, ::2], seiche.BadArgument, "not contiguous in C order"),
]


@pytest.mark.parametrize("spoil, kind, text", WRONG)
def test_arrays_are_refused_on_all_ranks(comm, fft, spoil, kind, text):
    psi = psi_of(fft)
    given = spoil(psi) if comm.rank == comm.size - 1 else psi
    v = numpy.ones(fft.grid_box.shape)
    error = raises_alike(comm, kind, text, lambda: fft.apply_potential(given, v))
    assert error.fault == seiche.Fault.bad_argument
    numpy.testing.assert_allclose(fft.apply_potential(psi, v), psi, atol=1e-13)  # the plan is as good as before


def test_positional_arguments_are_converted_on_all_ranks(comm, fft):
    def given(wrong, good):
        return wrong if comm.rank == comm.size - 1 else good

    def nothing(band, box, values):
        pass

    psi, v, box = psi_of(fft), numpy.ones(fft.grid_box.shape), fft.grid_box
    grid = fft.backward(psi)
    layout = seiche.BlockLayout([2, 3], comm=comm)
    matrix = seiche.from_dense(layout, numpy.eye(5))
    calls = [
        ("row_sizes", lambda: seiche.BlockLayout(given([2, 2**33], [2, 3]), comm=comm)),
        ("path", lambda: seiche.WaveFile(given(7, "nowhere"), comm=comm)),
        ("y", lambda: seiche.add(1, matrix, 1, given(None, matrix))),
        ("b", lambda: seiche.trace_of_product(matrix, given("matrix", matrix))),
        ("eps", lambda: seiche.from_dense(layout, numpy.eye(5), eps=given("small", 0.0))),
        ("bands", lambda: fft.forward(grid, None, given(2.5, 2))),
        ("bands", lambda: fft.forward(grid, None, given(2**70, 2))),
        ("function", lambda: fft.round_trip(psi, given(7, nothing))),
        ("function", lambda: fft.to_grid(psi, given(None, nothing))),
        ("add", lambda: fft.apply_potential(psi, v, psi, add=given("yes", False))),
        ("box", lambda: fft.spread(given((0, 0, 0), box), v)),
        ("box", lambda: fft.backward_to_boxes(psi, given(None, box))),
        ("components", lambda: seiche.Density(seiche.Crystal(numpy.eye(3), [], numpy.zeros((0, 3))), SHAPE, given("two", 2), comm)),
    ]
    for name, call in calls:
        raises_alike(comm, seiche.WrongType, f"{name} has an invalid value .*: pass ", call)
        numpy.testing.assert_allclose(fft.apply_potential(psi, v), psi, atol=1e-13)
    for call in (lambda: fft.apply_potential(psi), lambda: seiche.trace(None)):  # on all ranks
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call()


def test_signatures_tell_the_types_of_arguments():
    signature = seiche.SphereFft.spread.__doc__.split("\n")[0]
    assert "box: seiche._core.Box, values: numpy.ndarray, here: numpy.ndarray | None = None" in signature, signature


def test_what_is_written_to_must_be_writable(comm, fft):
    psi = psi_of(fft)
    out = psi.copy()
    out.flags.writeable = False
    v = numpy.ones(fft.grid_box.shape)
    raises_alike(comm, seiche.BadArgument, "out is read-only", lambda: fft.apply_potential(psi, v, out))
    psi.flags.writeable = False
    numpy.testing.assert_allclose(fft.apply_potential(psi, v), psi, atol=1e-13)  # only read


def test_ranks_have_the_same_number_of_bands(comm, fft):
    if comm.size == 1:
        pytest.skip("one rank agrees with itself")
    psi = psi_of(fft, bands=2 + (comm.rank == 0))
    raises_alike(comm, seiche.BadArgument, "apply_potential: bands is 2 on rank 1, but 3 on rank 0",
                 lambda: fft.apply_potential(psi, numpy.ones(fft.grid_box.shape)))


def test_options_and_words_are_checked(comm, waves):
    def make(**options):
        return lambda: seiche.SphereFft(SHAPE, waves if comm.rank == 0 else waves[:0], comm=comm, **options)

    raises_alike(comm, seiche.WrongType, "unknown option thread: use one of algorithm", make(thread=2))
    raises_alike(comm, seiche.WrongType, "threads has an invalid value 'two': pass int", make(threads="two"))
    raises_alike(comm, seiche.BadArgument, "decomposition has the unknown value \"plank\": use one of automatic, slab", make(decomposition="plank"))
    raises_alike(comm, seiche.BadArgument, "fftw", make(library="esslfft"))
    raises_alike(comm, seiche.BadArgument, "pairwise", make(algorithm="pigeon"))
    raises_alike(comm, seiche.BadArgument, "poll", make(progress="slow"))
    raises_alike(comm, seiche.BadArgument, "exceeds the limit of 1", make(memory=1))
    raises_alike(comm, seiche.WrongType, "unsupported dtype int64",
                 lambda: seiche.SphereFft(SHAPE, waves[:0], "int64", comm))
    raises_alike(comm, seiche.WrongType, r"shape has an invalid value \(3, 4\): pass three integers \(nx, ny, nz\)", lambda: seiche.DenseFft((3, 4), comm=comm))
    raises_alike(comm, seiche.BadArgument, "must be positive along each axis", lambda: seiche.DenseFft((3, 4, 0), comm=comm))
    raises_alike(comm, seiche.BadArgument, "duplicate wave", lambda: seiche.SphereFft(SHAPE, numpy.zeros((2, 3), "int32"), comm=comm))
    raises_alike(comm, seiche.BadArgument, r"waves has shape \(2, 4\), but \(any, 3\) is expected",
                 lambda: seiche.SphereFft(SHAPE, numpy.zeros((2, 4), "int32"), comm=comm))
    raises_alike(comm, seiche.WrongType, "waves has dtype int64: convert it to int32",
                 lambda: seiche.SphereFft(SHAPE, waves.astype("int64"), comm=comm))


def test_what_was_closed_says_so(comm, fft, waves):
    psi = psi_of(fft)
    fft.close()
    fft.close()
    assert repr(fft) == "<seiche.SphereFft, closed>"
    raises_alike(comm, seiche.BadArgument, "this SphereFft is closed: create another", lambda: fft.backward(psi))
    dense = seiche.DenseFft(SHAPE, comm=comm)
    field = dense.allocate()
    field.close()
    raises_alike(comm, seiche.BadArgument, "this Field is closed", lambda: dense.forward(field))
    raises_alike(comm, seiche.BadArgument, "this Field is closed", lambda: field.grid)
    dense.close()
    raises_alike(comm, seiche.BadArgument, "this DenseFft is closed", dense.allocate)


def test_fields_know_what_they_hold_and_whose_they_are(comm):
    with seiche.DenseFft(SHAPE, comm=comm) as one, seiche.DenseFft(SHAPE, "float64", comm) as other:
        with one.allocate() as field:
            raises_alike(comm, seiche.BadArgument, "holds grid values", lambda: field.spectrum)
            raises_alike(comm, seiche.BadArgument, "holds grid values", lambda: one.backward(field))
            raises_alike(comm, seiche.BadArgument, "the field has dtype complex128, but the plan has float64", lambda: other.forward(field))


def failing(box_has_points):
    def function(band, box, values):
        if band == 1:
            raise KeyError("missing")

    def fine(band, box, values):
        pass

    return function if box_has_points else fine


def test_what_a_function_raises_on_one_rank_all_ranks_raise(comm, fft):
    holders = comm.allgather(fft.grid_box.volume > 0)
    culprit = max(rank for rank, holds in enumerate(holders) if holds)
    for call in (lambda f: fft.round_trip(psi_of(fft), f), lambda f: fft.to_grid(psi_of(fft), f)):
        error = raises_alike(comm, seiche.BadArgument, "the callback raised KeyError: 'missing'",
                             lambda: call(failing(comm.rank == culprit)))
        assert isinstance(error.__cause__, KeyError) == (comm.rank == culprit)

    def streamed():
        with fft.stream(failing(comm.rank == culprit)) as stream:
            stream.add(psi_of(fft))

    error = raises_alike(comm, seiche.BadArgument, "raised KeyError", streamed)
    assert isinstance(error.__cause__, KeyError) == (comm.rank == culprit)
    numpy.testing.assert_allclose(fft.apply_potential(psi_of(fft), numpy.ones(fft.grid_box.shape)), psi_of(fft), atol=1e-13)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_ends_programs_is_no_error_of_the_library(comm, fft, silicon, kind):
    """The rank that it reached raises it as it is; the other ranks get an error."""
    holders = comm.allgather(fft.grid_box.volume > 0)
    culprit = max(rank for rank, holds in enumerate(holders) if holds)

    def end(*values):
        if comm.rank == culprit:
            raise kind

    def owners(k, waves):
        end()
        return [0] * len(waves)

    def streamed():
        with fft.stream(end) as stream:
            stream.add(psi_of(fft))

    layout = seiche.OrbitalLayout(waves=comm.size, owners=owners)
    for call in (lambda: fft.round_trip(psi_of(fft), end), streamed, lambda: seiche.read_orbitals(silicon, layout)):
        with pytest.raises(kind if comm.rank == culprit else seiche.BadArgument) as caught:
            call()
        assert comm.rank == culprit or f"raised {kind.__name__}" in str(caught.value)
        raises_alike(comm, seiche.BadArgument, "psi has shape", lambda: fft.backward(numpy.ones((2, 1, 1, 1), complex)))
    numpy.testing.assert_allclose(fft.apply_potential(psi_of(fft), numpy.ones(fft.grid_box.shape)), psi_of(fft), atol=1e-13)


def test_an_interrupt_in_progress_is_raised_after_the_call(comm, silicon):
    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        seiche.read_orbitals(silicon, on_progress=interrupt)
        for _ in range(1000):
            pass  # Python looks for interrupts between instructions


def test_a_function_keeps_no_values_and_does_not_call_its_plan(comm, fft):
    kept = []
    if fft.grid_box.volume:
        raises_alike(comm, seiche.BadArgument, "keep values.copy\\(\\)", lambda: fft.round_trip(psi_of(fft), lambda b, x, v: kept.append(v[:])))
        kept.clear()
        raises_alike(comm, seiche.BadArgument, "this SphereFft is in use",
                     lambda: fft.round_trip(psi_of(fft), lambda b, x, v: fft.backward(psi_of(fft))))

        def of_itself():
            with fft.stream(lambda b, x, v: stream.add(psi_of(fft))) as stream:
                stream.add(psi_of(fft))

        raises_alike(comm, seiche.BadArgument, "this stream is in use", of_itself)
        raises_alike(comm, seiche.BadArgument, "TypeError", lambda: fft.round_trip(psi_of(fft), lambda b: None))
    assert fft.round_trip(psi_of(fft), lambda b, x, v: kept.append(v.copy())).shape == psi_of(fft).shape
    with pytest.raises(TypeError):
        fft.round_trip(psi_of(fft), "no function")


def test_memory_that_one_rank_lacks_is_told_on_all(comm):
    overcommit = Path("/proc/sys/vm/overcommit_memory")
    if not overcommit.exists() or overcommit.read_text().strip() == "1":
        pytest.skip("this system promises any amount of memory")
    layout = seiche.BlockLayout([500000, 1, 2], comm=comm)  # block (0, 0) would take 2 TB

    def block(i, j):
        return numpy.zeros(1) if (i, j) == (0, 0) else None

    raises_alike(comm, seiche.BadArgument, "not enough memory", lambda: seiche.from_function(layout, block))


def test_an_exception_inside_of_with_is_itself(comm):
    with pytest.raises(ZeroDivisionError):
        with seiche.DenseFft(SHAPE, comm=comm) as plan, plan.allocate():
            1 / 0
    assert "closed" in repr(plan)


def test_communicators_are_checked(comm, monkeypatch):
    raises_alike(comm, seiche.WrongType, "an mpi4py communicator, or None for all processes, not str; others are accepted as .*py2f.*`handle`",
                 lambda: seiche.DenseFft(SHAPE, comm="all"))
    raises_alike(comm, seiche.WrongType, "not SimpleNamespace", lambda: seiche.DenseFft(SHAPE, comm=SimpleNamespace(handle="MPI_COMM_WORLD")))
    for null in (MPI.COMM_NULL, MPI.COMM_NULL.py2f(), ctypes.c_void_p(None)):
        raises_alike(comm, seiche.BadArgument, "COMM_NULL", lambda: seiche.DenseFft(SHAPE, comm=null))
    freed = comm.Dup()
    freed.Free()
    raises_alike(comm, seiche.BadArgument, "COMM_NULL", lambda: seiche.DenseFft(SHAPE, comm=freed))
    monkeypatch.setattr(MPI, "Get_library_version", lambda: "SomeMPI 9.9, a fine library")
    raises_alike(comm, seiche.Unsupported, "comm belongs to SomeMPI 9.9.*but seiche uses", lambda: seiche.DenseFft(SHAPE, comm=comm))


MPI_Comm = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
HANDLES = {
    "py2f": lambda comm: SimpleNamespace(py2f=comm.py2f),
    "handle": lambda comm: SimpleNamespace(handle=MPI._handleof(comm)),
    "integer of Fortran": lambda comm: comm.py2f(),
    "ctypes": lambda comm: MPI_Comm(MPI._handleof(comm)),
    "MPI_Comm as an integer": lambda comm: MPI._handleof(comm) if MPI._handleof(comm) >= 2**31 else comm,
}


@pytest.mark.parametrize("handle_of", HANDLES.values(), ids=HANDLES.keys())
def test_handles_of_other_packages_are_communicators(comm, handle_of):
    part = comm.Split(comm.rank % 2)
    with seiche.DenseFft(SHAPE, comm=handle_of(part)) as fft:
        assert part.allreduce(fft.grid_box.volume) == numpy.prod(SHAPE)
        with seiche.DenseFft(SHAPE, comm=part) as same, fft.allocate() as field:
            field.grid[...] = 2
            same.forward(field)
            assert same.spectrum_box == fft.spectrum_box and part.allreduce(abs(field.spectrum).sum()) == pytest.approx(2)
    part.Free()


def test_two_groups_joined_are_none(comm):
    if comm.size == 1:
        pytest.skip("needs two groups")
    group = comm.Split(comm.rank == 0)
    joined = group.Create_intercomm(0, comm, 1 if comm.rank == 0 else 0)
    raises_alike(comm, seiche.BadArgument, "comm is an intercommunicator", lambda: seiche.DenseFft(SHAPE, comm=joined))
    joined.Free()
    group.Free()


def test_parts_of_ranks_have_plans_of_their_own(comm, rng):
    part = comm.Split(comm.rank % 2)
    whole = rng.normal(size=SHAPE[::-1])
    with seiche.DenseFft(SHAPE, "float64", part) as fft, fft.allocate() as field:
        field.grid[...] = whole[fft.grid_box.slices]
        fft.forward(field)
        numpy.testing.assert_allclose(field.spectrum, (numpy.fft.rfftn(whole) / whole.size)[fft.spectrum_box.slices], atol=1e-14)
    part.Free()


ALONE = """
import numpy, seiche
fft = seiche.DenseFft((4, 4, 4)); field = fft.allocate(); grid = field.grid; grid[...] = 1
sphere = seiche.SphereFft((4, 4, 4), numpy.zeros((1, 3), 'int32'))
{end}
"""
END = """
from mpi4py import MPI
MPI.Finalize()
for call in (lambda: seiche.DenseFft((4, 4, 4)), lambda: fft.forward(field), lambda: seiche.DenseFft((4, 4, 4), comm=MPI.COMM_WORLD),
             lambda: sphere.backward(numpy.ones((1, 1), complex)), fft.allocate):
    try: call()
    except seiche.BadArgument as error: assert 'MPI is already finalized: make this call before MPI_Finalize' in str(error), error
    else: raise SystemExit('no error')
for thing in (fft, field, sphere): thing.close()
"""


@pytest.mark.parametrize("end", ["", "fft.close(); sphere.close()", "from mpi4py import MPI", END])
def test_one_process_needs_no_mpiexec_and_its_end_is_quiet(comm, end):
    if comm.size > 1:
        pytest.skip("once is enough")
    ended = run_alone(ALONE.format(end=end))
    assert (ended.returncode, ended.stderr, ended.stdout) == (0, "", "")
