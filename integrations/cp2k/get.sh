#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Downloads the sources of CP2K 2025.1 and DBCSR 2.8.0 from Debian 13, and builds both in FOLDER. CP2K is FOLDER/bin/cp2k.psmp.
# usage: get.sh FOLDER      needs dpkg-dev, CMake, gfortran, an MPI, ScaLAPACK, FFTW, a BLAS and Python; LIBXSMM is optional
# Exits with 77 if the sources cannot be downloaded.
set -euo pipefail
(($# == 1)) || { echo "usage: get.sh FOLDER" >&2; exit 2; }
ours=$(dirname "$(readlink -f "$0")")
mkdir -p "$1"
cd "$1"
[[ ! -x bin/cp2k.psmp ]] || exit 0
if [[ -e /usr/include/dbcsr_api.mod ]]; then
  echo "get.sh: the compiler would use the DBCSR of the system: remove the package libdbcsr-dev" >&2
  exit 1
fi

"$ours/sources.sh" .
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check fypp || exit 77
export PATH=$PWD/venv/bin:$PATH

kernels=blas
if pkg-config --exists libxsmmf libxsmmext; then kernels=libxsmm; fi
# libxsmm.mod is in /usr/include, where the compiler does not search for modules.
cmake -S dbcsr-2.8.0 -B dbcsr-build -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PWD" -DCMAKE_INSTALL_LIBDIR=lib \
  -DCMAKE_Fortran_FLAGS="-march=native -I/usr/include" -DBUILD_SHARED_LIBS=ON -DUSE_SMM=$kernels -DWITH_EXAMPLES=OFF \
  -DWITH_C_API=OFF -DBUILD_TESTING=OFF
cmake --build dbcsr-build -j"$(nproc)"
cmake --install dbcsr-build
cmake -S cp2k-2025.1 -B cp2k-build -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$PWD" -DCMAKE_Fortran_FLAGS=-march=native \
  -DCMAKE_C_FLAGS=-march=native -DCP2K_USE_MPI=ON -DCP2K_USE_MPI_F08=OFF -DCP2K_USE_FFTW3=ON -DCP2K_USE_LIBXC=OFF \
  -DCP2K_USE_LIBINT2=OFF -DCP2K_USE_SPGLIB=OFF
cmake --build cp2k-build -j"$(nproc)" --target cp2k-bin
mkdir -p bin
ln -sf ../cp2k-build/bin/cp2k.psmp bin/cp2k.psmp
