#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds and installs the core in two folders with names of different lengths. The installed files have the same bytes, and
do not name these folders or that of the sources.

twice_test.py SOURCE FOLDER GENERATOR OPTIONS...     OPTIONS: of CMake
"""

import shutil
import subprocess
import sys
from pathlib import Path

SOURCE, FOLDER, GENERATOR, *OPTIONS = sys.argv[1:]
# without optimisation, which takes longer and adds no path
CORE = ["-DSEICHE_FILES=OFF", "-DSEICHE_BLOCKSPARSE=OFF", "-DSEICHE_TESTS=OFF", "-DSEICHE_DUCC=OFF", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O0"]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command}:\n{done.stdout}{done.stderr}")


def installed(name):
    """Returns the bytes of each file that a build in the folder `name` installs."""
    build = Path(FOLDER, name)
    run("cmake", "-S", SOURCE, "-B", build, "-G", GENERATOR, *CORE, *OPTIONS)
    run("cmake", "--build", build)
    run("cmake", "--install", build, "--prefix", build / "stage")
    return {path.relative_to(build / "stage"): path.read_bytes() for path in sorted((build / "stage").rglob("*")) if path.is_file()}


shutil.rmtree(FOLDER, ignore_errors=True)
one, other = installed("one"), installed("another_name")
faults = [f"only one build installs {path}" for path in sorted(set(one) ^ set(other))]
faults += [f"{path} differs" for path in one if path in other and one[path] != other[path]]
faults += [f"{path} names the folder {folder}" for path, content in one.items() for folder in (FOLDER, SOURCE) if folder.encode() in content]
if len(one) < 50:
    faults.append(f"only {len(one)} files were installed")
print("\n".join(faults) if faults else f"{len(one)} files have the same bytes")
sys.exit(1 if faults else 0)
