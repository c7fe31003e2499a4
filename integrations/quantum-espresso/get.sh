#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fetches Debian's source package of Quantum ESPRESSO into FOLDER, and builds pw.x as it comes in FOLDER/source.
# usage: [MPIF90=mpif90] get.sh FOLDER      needs dpkg-dev, make, gfortran, an MPI, libfftw3-dev and a BLAS; 77: no sources here
#
# Its list of packages is its own: the machine's lists stay as they are.
set -euo pipefail
(($# == 1)) || { echo "usage: get.sh FOLDER" >&2; exit 2; }
mkdir -p "$1/lists/partial"
cd "$1"
if [[ ! -d source ]]; then
  . /etc/os-release
  echo "deb-src http://deb.debian.org/debian ${VERSION_CODENAME:-stable} main" >sources.list
  apt_here=(apt-get -q -o "Dir::Etc::sourcelist=$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$PWD/lists")
  "${apt_here[@]}" update && "${apt_here[@]}" source --download-only quantum-espresso ||
    { echo "get.sh: Debian's source package quantum-espresso cannot be had here" >&2; exit 77; }
  dpkg-source --no-check -x espresso_*.dsc source
fi
cd source
if [[ ! -f make.inc ]]; then
  F90FLAGS="-O2 -g -cpp -fallow-argument-mismatch -fPIC" FFLAGS="-O2 -g -fallow-argument-mismatch" \
    ./configure MPIF90="${MPIF90:-mpif90}" --enable-parallel --without-scalapack
fi
make -j"$(nproc)" pw
