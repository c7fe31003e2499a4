# SPDX-License-Identifier: BSD-3-Clause
"""Entry point of the command `seiche`. Runs the build that fits the MPI library."""

import os
import sys

from seiche import builds


def main():
    """Runs the command. Does not return."""
    if builds.of_a_wheel():
        library, _ = builds.mpi_library()
        paths = [str(builds.file_of(library).parent), os.environ.get("LD_LIBRARY_PATH")]
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, paths))
    os.execv(builds.folder() / "seiche", ["seiche", *sys.argv[1:]])
