#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs GPAW from PyPI, built with the machine's compiler and MPI, in the virtual environment FOLDER/venv.
# usage: get.sh FOLDER      needs a C compiler, MPI, libxc, ScaLAPACK, FFTW and a BLAS
# Exits with 77 if GPAW or a package that it needs cannot be downloaded.
set -euo pipefail
(($# == 1)) || { echo "usage: get.sh FOLDER" >&2; exit 2; }
version=26.7.0
mkdir -p "$1"
cd "$1"
python=venv/bin/python3
[[ -x $python ]] || python3 -m venv venv
if [[ $("$python" -c 'import gpaw; print(gpaw.__version__)' 2>/dev/null) == "$version" ]]; then exit 0; fi
cat >siteconfig.py <<'TEXT'
compiler = 'mpicc'
mpi = True
libraries = ['xc', 'fftw3', 'scalapack-openmpi', 'openblas']
fftw = True
scalapack = True
TEXT
pip=("$python" -m pip --disable-pip-version-check)
"${pip[@]}" install numpy scipy ase mpi4py pytest gpaw-data || exit 77
"${pip[@]}" download --no-deps --no-binary gpaw "gpaw==$version" || exit 77
GPAW_CONFIG=$PWD/siteconfig.py "${pip[@]}" install --no-deps "gpaw-$version.tar.gz"
