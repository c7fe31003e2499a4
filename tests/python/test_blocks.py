# SPDX-License-Identifier: BSD-3-Clause
"""What the generated calls of tests/conformance do not have: arrays of blocks, lifetime, reports, files and errors."""

import gc

import numpy
import pytest
from conftest import raises_alike, random_values

import seiche

ROWS, COLUMNS = [3, 5, 2, 4, 1], [2, 2, 6, 5]


def sparse(rng, rows, columns, dtype):
    """A dense array in which about half of the blocks are zero."""
    present = rng.random((len(rows), len(columns))) < 0.5
    return random_values(rng, (sum(rows), sum(columns)), dtype) * numpy.repeat(numpy.repeat(present, rows, 0), columns, 1)


def test_started_products(comm, rng):
    a, c = sparse(rng, ROWS, ROWS, "float64"), sparse(rng, ROWS, ROWS, "float64")
    layout = seiche.BlockLayout(ROWS, comm=comm)
    left, old = seiche.from_dense(layout, a), seiche.from_dense(layout, c)
    with seiche.Multiplier(comm) as multiply, seiche.Multiplier(comm) as other:
        expected = seiche.to_dense(multiply(left, left, old.copy(), alpha=2, beta=-1))
        into = old.copy()
        pending, second = multiply.start(left, left, into, alpha=2, beta=-1), other.start(left, left)
        del left  # the calls keep their operands
        gc.collect()
        assert not seiche.to_dense(into).any()
        assert pending.progress() in (True, False)
        raises_alike(comm, seiche.BadArgument, "a started product of this multiplier is not finished", multiply.start(old, old).finish)
        assert pending.finish() is into
        numpy.testing.assert_array_equal(seiche.to_dense(into), expected)
        assert multiply.report.products > 0
        numpy.testing.assert_allclose(seiche.to_dense(second.finish()), a @ a, atol=1e-13)
    with seiche.Multiplier(comm, eps=30.0) as filtered:
        product = filtered(old, old)
        error = numpy.linalg.norm(seiche.to_dense(product) - c @ c)
        assert error <= filtered.report.error == product.error_bound and comm.allreduce(filtered.report.skipped) > 0


def test_blocks_are_arrays_in_the_matrix(comm, rng):
    layout = seiche.BlockLayout(ROWS, COLUMNS, comm)
    matrix = seiche.BlockMatrix(layout)
    mine = [(i, j) for i in range(5) for j in range(4) if layout.owner(i, j) == comm.rank and (i + j) % 2 == 0]
    matrix.reserve(numpy.array(mine, numpy.int32).reshape(-1, 2))
    assert matrix.local_blocks == len(mine) and matrix.symmetry == "none"
    whole = numpy.zeros((15, 15))
    first_row, first_column = numpy.cumsum([0, *ROWS]), numpy.cumsum([0, *COLUMNS])
    for i in range(5):
        for j in range(4):
            values = rng.normal(size=(ROWS[i], COLUMNS[j]))
            block = matrix.block(i, j)
            assert (block is not None) == ((i, j) in mine)
            if (i + j) % 2 == 0:
                whole[first_row[i]:first_row[i + 1], first_column[j]:first_column[j + 1]] = values
            if block is not None:
                block[...] = values
                assert not block.flags.owndata and block.shape == values.shape
    numpy.testing.assert_array_equal(seiche.to_dense(matrix), whole)
    numpy.testing.assert_allclose(seiche.frobenius_norm(matrix), numpy.linalg.norm(whole), rtol=1e-12)
    assert comm.allreduce(matrix.values.size) == sum(ROWS[i] * COLUMNS[j] for i in range(5) for j in range(4) if (i + j) % 2 == 0)
    numpy.testing.assert_allclose(comm.allreduce((matrix.norms.astype(float) ** 2).sum()), (whole**2).sum(), rtol=1e-5)
    assert len(matrix.row_start) == len(matrix.rows) + 1 and len(matrix.offset) >= len(matrix.columns)


def test_arrays_stay_when_the_matrix_changes_its_blocks(comm, rng):
    a = rng.normal(size=(15, 15))
    layout = seiche.BlockLayout(ROWS, comm=comm)
    matrix = seiche.from_dense(layout, a)
    kept, copied = matrix.values, matrix.values.copy()
    matrix.reserve(numpy.zeros((0, 2), numpy.int32))
    numpy.testing.assert_array_equal(kept, copied)
    assert not seiche.to_dense(matrix).any()
    matrix = seiche.from_dense(layout, a)
    kept, copied = matrix.values, matrix.values.copy()
    with seiche.Multiplier(comm) as multiply:
        multiply(seiche.from_dense(layout, a), seiche.from_dense(layout, a), matrix)
    numpy.testing.assert_array_equal(kept, copied)
    numpy.testing.assert_allclose(seiche.to_dense(matrix), a @ a, atol=1e-12)


def test_files_hold_matrices(comm, rng, scratch):
    a = sparse(rng, ROWS, ROWS, "float64")
    matrix = seiche.from_dense(seiche.BlockLayout(ROWS, comm=comm), a)
    for form in ("csr_binary", "matrix_market", "dbcsr"):
        seiche.write_blocks(matrix, scratch / form, form)
        numpy.testing.assert_array_equal(seiche.to_dense(seiche.read_blocks(scratch / form, blocks=ROWS, comm=comm)), a)
        assert not seiche.holds_complex(scratch / form, comm)
    waves = seiche.from_dense(matrix.layout, sparse(rng, ROWS, ROWS, "complex128"))
    seiche.write_blocks(waves, scratch / "waves.mtx", "matrix_market")
    assert seiche.holds_complex(scratch / "waves.mtx", comm)
    raises_alike(comm, seiche.BadFile, None, lambda: seiche.holds_complex(scratch / "nowhere", comm))
    raises_alike(comm, seiche.BadArgument, "format has the unknown value \"stone\"", lambda: seiche.write_blocks(matrix, scratch / "x", "stone"))
    raises_alike(comm, seiche.BadFile, None, lambda: seiche.read_blocks(scratch / "nowhere", comm=comm))


def test_misuse_is_said_on_all_ranks(comm, rng):
    layout = seiche.BlockLayout(ROWS, comm=comm)
    one = seiche.from_dense(layout, sparse(rng, ROWS, ROWS, "float64"))
    single = seiche.from_dense(layout, sparse(rng, ROWS, ROWS, "float32"))
    wave = seiche.from_dense(layout, sparse(rng, ROWS, ROWS, "complex128"))
    multiply = seiche.Multiplier(comm)
    wrong = [(lambda: multiply(one, single), "different dtypes: float64 and float32"),
             (lambda: multiply(one, one, one), "an operand of its own product"),
             (lambda: multiply(one, one, alpha=1j), "factors of real matrices must be real"),
             (lambda: multiply(one, one, op_a="flip"), "op has the unknown value \"flip\": use one of no, transpose, conjugate"),
             (lambda: seiche.from_dense(layout, numpy.ones((3, 3))), r"dense has shape \(3, 3\), but \(15, 15\) is expected"),
             (lambda: seiche.BlockMatrix(layout, symmetry="round"), "symmetry has the unknown value"),
             (lambda: seiche.BlockMatrix(layout, "int8"), "unsupported dtype int8"),
             (lambda: seiche.BlockLayout(ROWS, comm=comm, grid=(comm.size, 2)), ""),
             (lambda: seiche.Multiplier(comm, epsilon=1), "unknown option epsilon: use one of"),
             (lambda: seiche.purify(single, single, 2), "purify does not support float32: use float64 or complex128"),
             (lambda: seiche.purify(one, wave, 2), "different dtypes: float64 and complex128"),
             (lambda: seiche.purify(wave, wave, 2), "K is not hermitian"),
             (lambda: seiche.inverse_square_root(single, multiply), "inverse_square_root does not support float32"),
             (lambda: seiche.purify(one, one, 3), ""),
             (lambda: seiche.purify(one, one, 3, temperature=-2), r"invalid temperature \(-2"),
             (lambda: layout.owner(5, 0), r"no block \(5, 0\)"),
             (lambda: one.block(7, 7), ""),
             (lambda: one.reserve(numpy.zeros((1, 2))), "places has dtype float64: convert it to int32")]
    for call, text in wrong:
        raises_alike(comm, seiche.BadArgument, text or None, call)
    multiply.close()
    raises_alike(comm, seiche.BadArgument, "this Multiplier is closed", lambda: multiply(one, one))
    part = comm.Dup()
    with seiche.Multiplier(part) as other:
        raises_alike(comm, seiche.BadArgument, "another communicator", lambda: other(one, one))
    part.Free()


def test_a_callback_that_fails_is_reported_and_changes_nothing(comm, rng, monkeypatch):
    import sys

    said = []
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: said.append(raised.exc_value))
    matrix = seiche.from_dense(seiche.BlockLayout(ROWS, comm=comm), sparse(rng, ROWS, ROWS, "float64"))
    with seiche.Multiplier(comm, memory_needed=lambda bytes_: 1 / 0) as multiply:
        multiply(matrix, matrix)
    assert said and isinstance(said[0], ZeroDivisionError)


@pytest.mark.parametrize("purifier, temperature", [("tc2", 0.0), ("trs4", 0.2)])
def test_purifications_are_reported(comm, purifier, temperature):
    layout = seiche.BlockLayout(ROWS, comm=comm)
    k, s = (seiche.from_dense(layout, numpy.diag(values)) for values in (numpy.arange(15) - 3.5, numpy.ones(15)))
    stages = []
    found = seiche.purify(k, s, 8, purifier, eps=1e-12, temperature=temperature, on_progress=lambda *of: stages.append(of))
    energies = numpy.arange(15) - 3.5
    f = 1 / (1 + numpy.exp((energies - found.chemical_potential) / temperature)) if temperature else energies < 0
    numpy.testing.assert_allclose(seiche.to_dense(found.p), numpy.diag(2.0 * f), atol=1e-7)
    numpy.testing.assert_allclose([found.energy, found.trace], [2 * (f * energies).sum(), 8], rtol=1e-7)
    assert found.homo <= found.chemical_potential <= found.lumo and (found.entropy > 0) == (temperature > 0)
    assert stages[0][0] == "overlap_root" and stages[-1][0] == "purification" and found.is_useful
    assert seiche.purify(k, s, 4, electrons_per_state=1).trace == pytest.approx(4)


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_matrices_are_made_of_a_function_of_blocks(comm, rng, dtype):
    layout = seiche.BlockLayout(ROWS, COLUMNS, comm)
    dense, called = sparse(rng, ROWS, COLUMNS, dtype), []
    row, column = numpy.cumsum([0, *ROWS]), numpy.cumsum([0, *COLUMNS])

    def block(i, j):
        called.append((i, j))
        values = dense[row[i] : row[i + 1], column[j] : column[j + 1]]
        return values if values.any() else None

    matrix = seiche.from_function(layout, block, dtype)
    numpy.testing.assert_array_equal(seiche.to_dense(matrix), dense)
    assert matrix.dtype == dtype and all(layout.owner(i, j) == comm.rank for i, j in called)
    assert len({place for places in comm.allgather(called) for place in places}) == len(ROWS) * len(COLUMNS)
    assert comm.allreduce(matrix.local_blocks) < len(ROWS) * len(COLUMNS)

    def wrong(i, j):
        return numpy.zeros((2, 9)) if (i, j) == (1, 1) else None

    raises_alike(comm, seiche.BadArgument, "ValueError: could not broadcast", lambda: seiche.from_function(layout, wrong))


def test_places_where_no_matrix_can_be_written_are_known_beforehand(comm, scratch):
    seiche.expect_block_file(scratch / "matrix.csr", comm)
    raises_alike(comm, seiche.Unwritable, "nowhere", lambda: seiche.expect_block_file(scratch / "nowhere" / "m.csr", comm))
