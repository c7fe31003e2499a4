#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds pw.x, ph.x, hp.x and turbo_*.x as they come in FOLDER/source: of SOURCE, an unpacked tree, or without it of
# Debian's source package of Quantum ESPRESSO 6.7. The pseudopotentials of Debian's package are in
# FOLDER/source/debian/pseudo.
# usage: [MPIF90=mpif90] get.sh FOLDER [SOURCE]
# It needs dpkg-dev, make, gfortran, an MPI, libfftw3-dev and a BLAS. Exit code 77: Debian's package is not available.
set -euo pipefail
(($# == 1 || $# == 2)) || { echo "usage: get.sh FOLDER [SOURCE]" >&2; exit 2; }
ours=$(dirname "$(readlink -f "$0")") tree=${2:+$(readlink -e "$2")}
mkdir -p "$1"
cd "$1"
if [[ ! -d source/debian ]]; then
  "$ours/../../packaging/debian_source.sh" . quantum-espresso
  if [[ $tree ]]; then
    mkdir -p source
    tar -C "$tree" --exclude=./.git -cf - . | tar -C source -xf -
    tar -C source -xf espresso_*.debian.tar.xz debian/pseudo
  else
    dpkg-source --no-check -x espresso_*.dsc source
  fi
fi
cd source
if [[ ! -f make.inc ]]; then
  F90FLAGS="-O2 -g -cpp -fallow-argument-mismatch -fPIC" FFLAGS="-O2 -g -fallow-argument-mismatch" \
    ./configure MPIF90="${MPIF90:-mpif90}" --enable-parallel --without-scalapack
fi

# A tree without submodules lacks these. A file .git keeps Quantum ESPRESSO's makefiles from downloads.
if grep -q devxlib make.inc && [[ ! -f external/devxlib/src/Makefile ]]; then
  echo "get.sh: this tree lacks devxlib; integrations/quantum-espresso/devxlib.f90 replaces it (without GPUs)"
  mkdir -p external/devxlib/src
  (cd external/devxlib/src && "${MPIF90:-mpif90}" -O2 -g -fPIC -c "$ours/devxlib.f90" && ar rc libdevXlib.a devxlib.o)
  printf 'all clean distclean:\n' >external/devxlib/src/Makefile
  touch external/devxlib/.git
fi
if grep -q MBD make.inc && [[ ! -d external/mbd/src && ! -d MBD ]]; then
  echo "get.sh: this tree lacks mbd; programs are built without many-body dispersion"
  sed -i 's/^MANUAL_DFLAGS *=.*/& -D__NOMBD/' make.inc
  mkdir -p MBD external/mbd
  ar rc MBD/libmbd.a
  touch external/mbd/.git
fi
for target in pw ph hp tddfpt; do make -j"$(nproc)" "$target"; done  # one after another: they share libraries
