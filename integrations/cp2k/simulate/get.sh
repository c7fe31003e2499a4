#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Downloads the sources of CP2K, DBCSR and ScaLAPACK, and compiles them for SimGrid's MPI in FOLDER (an hour).
# usage: get.sh FOLDER      needs dpkg-dev, gfortran, Ninja, SimGrid, FFTW, a BLAS and Python
# Exits with 77 if the sources cannot be downloaded.
set -euo pipefail
(($# == 1)) || { echo "usage: get.sh FOLDER" >&2; exit 2; }
ours=$(dirname "$(readlink -f "$0")")
mkdir -p "$1"
"$ours/../sources.sh" "$1"
cd "$1"
# Debian's library is built for another MPI. Not all mirrors have its sources.
if [[ ! -d scalapack ]]; then
  RELEASE=trixie "$ours/../../../packaging/debian_source.sh" . scalapack || true
  archives=(scalapack_*.orig.tar.gz)
  [[ -f ${archives[0]} ]] || { echo "get.sh: no sources of ScaLAPACK here: unpack those of version 2.2 as $PWD/scalapack" >&2; exit 77; }
  mkdir scalapack
  tar -xzf "${archives[0]}" -C scalapack --strip-components=1
fi
[[ -x venv/bin/python3 ]] || python3 -m venv venv
venv/bin/python3 -c 'import fypp' 2>/dev/null || venv/bin/pip install -q --disable-pip-version-check fypp || exit 77
mkdir -p modules
venv/bin/python3 "$ours/build_file.py" .
ninja libdbcsr.a libcp2k.a libscalapack.a
