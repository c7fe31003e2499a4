# SPDX-License-Identifier: BSD-3-Clause
"""What tests of `seiche profile` share. A test is called as TEST COMMAND PROGRAM LANGUAGE RANKS LAUNCHER..., PROGRAM being of known.c, known.F90 or Python."""
import json
import pathlib
import subprocess
import sys

COMMAND, PROGRAM, LANGUAGE, RANKS, *LAUNCHER = sys.argv[1:]
RANKS = int(RANKS)
WAITS = str(pathlib.Path(PROGRAM).parent / pathlib.Path(PROGRAM).name.replace("known", "waits"))
PYTHON, MPICH = LANGUAGE == "python", "mpich" in LAUNCHER[0]
MANY = 150  # communicators that the programs make
# Calls of each rank.
QUERIES = {"MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Cart_rank": 3, "MPI_Cart_get": 2, "MPI_Cart_coords": 4, "MPI_Wtime": 20}
EXPECTED = {
    "c": {"MPI_Init_thread": 1, "MPI_Allreduce": 7, "MPI_Bcast": 3, "MPI_Alltoallv": 12, "MPI_Iallreduce": 1, "MPI_Wait": 1, "MPI_Isend": 5,
          "MPI_Irecv": 5, "MPI_Waitall": 9, "MPI_Sendrecv": 1, "MPI_Send_init": 1, "MPI_Recv_init": 1, "MPI_Startall": 4, "MPI_Request_free": 2,
          "MPI_Comm_split": MANY, "MPI_Barrier": MANY, "MPI_Comm_free": MANY + 1, "MPI_Cart_create": 1, **QUERIES},
    "fortran": {"MPI_Init": 1, "MPI_Allreduce": 8, "MPI_Bcast": 3, "MPI_Alltoallv": 11, "MPI_Allgather": 1, "MPI_Isend": 5, "MPI_Irecv": 5,
                "MPI_Waitall": 5, "MPI_Sendrecv": 1, "MPI_Comm_split": MANY, "MPI_Barrier": MANY, "MPI_Comm_free": MANY + 1, "MPI_Cart_create": 1, **QUERIES},
}


def run(*words, launcher=None, options=()):
    launcher = LAUNCHER if launcher is None else launcher
    return subprocess.run([COMMAND, "profile", "--json", *options, "--", *launcher, *words], capture_output=True, text=True, timeout=300, check=False)


def data_of(done):
    """The last line of the output, after the program's own."""
    return json.loads(done.stdout.splitlines()[-1])


def sums(data, what):
    found = {}
    for row in data["rows"]:
        found[row["function"]] = found.get(row["function"], 0) + row[what]
    return found


def sibling(name):
    """Another program that is built beside this one."""
    return str(pathlib.Path(PROGRAM).with_name(pathlib.Path(PROGRAM).name.replace("known", name)))
