#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fetches Debian's source package of Quantum ESPRESSO into FOLDER, and builds pw.x as it comes in FOLDER/source.
# usage: [MPIF90=mpif90] get.sh FOLDER      needs dpkg-dev, make, gfortran, an MPI, libfftw3-dev and a BLAS; 77: no sources here
set -euo pipefail
(($# == 1)) || { echo "usage: get.sh FOLDER" >&2; exit 2; }
packaging=$(dirname "$(readlink -f "$0")")/../../packaging
mkdir -p "$1"
cd "$1"
if [[ ! -d source ]]; then
  "$packaging/debian_source.sh" . quantum-espresso
  dpkg-source --no-check -x espresso_*.dsc source
fi
cd source
if [[ ! -f make.inc ]]; then
  F90FLAGS="-O2 -g -cpp -fallow-argument-mismatch -fPIC" FFLAGS="-O2 -g -fallow-argument-mismatch" \
    ./configure MPIF90="${MPIF90:-mpif90}" --enable-parallel --without-scalapack
fi
make -j"$(nproc)" pw
