# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share: all ranks run all of them in the same order."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from mpi4py import MPI

import seiche

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def comm():
    return MPI.COMM_WORLD


@pytest.fixture
def data():
    return DATA


@pytest.fixture
def silicon(comm, data):
    with seiche.WaveFile(data / "si_small/si_small.save", comm) as file:
        yield file


@pytest.fixture
def rng():
    """The same numbers on all ranks."""
    return numpy.random.default_rng(20260101)


@pytest.fixture
def scratch(comm, tmp_path_factory):
    """One empty directory for all ranks."""
    made = tmp_path_factory.mktemp("seiche") if comm.rank == 0 else None
    path = comm.bcast(made)
    yield path
    comm.Barrier()


def random_values(rng, shape, dtype):
    values = rng.normal(size=shape)
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * rng.normal(size=shape)
    return values.astype(dtype)


def tolerance(dtype):
    return 1e-13 if numpy.dtype(dtype).itemsize >= (16 if numpy.dtype(dtype).kind == "c" else 8) else 1e-5


def raises_alike(comm, kind, text, call):
    """All ranks raise `kind` with `text` in its sentence: the same sentence."""
    with pytest.raises(kind, match=text) as caught:
        call()
    assert len(set(comm.allgather(str(caught.value)))) == 1
    return caught.value


def run_alone(code, **variables):
    """Runs code in a process of its own, which knows nothing of the ranks of this test."""
    of_ranks = ("OMPI_COMM", "PMI", "PMIX", "OMPI_MCA_ess", "OMPI_MCA_orte")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(of_ranks)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment | variables, check=False)
