#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Downloads the sources of CP2K, DBCSR and ScaLAPACK, and compiles them for SimGrid's MPI in FOLDER (an hour).
# usage: get.sh FOLDER      needs dpkg-dev, git, gfortran, Ninja, SimGrid, FFTW, a BLAS and Python
# Exits with 77 if the sources cannot be downloaded.
set -euo pipefail
(($# == 1)) || { echo "usage: get.sh FOLDER" >&2; exit 2; }
ours=$(dirname "$(readlink -f "$0")")
scalapack_version=v2.2.3
mkdir -p "$1"
"$ours/../sources.sh" "$1"
cd "$1"
# Packages of ScaLAPACK are built for another MPI, and not all machines have its source packages.
[[ -d scalapack ]] || git clone -q --depth 1 --branch "$scalapack_version" https://github.com/Reference-ScaLAPACK/scalapack || exit 77
[[ -x venv/bin/python3 ]] || python3 -m venv venv
venv/bin/python3 -c 'import fypp' 2>/dev/null || venv/bin/pip install -q --disable-pip-version-check fypp || exit 77
mkdir -p modules
venv/bin/python3 "$ours/build_file.py" .
ninja libdbcsr.a libcp2k.a libscalapack.a
