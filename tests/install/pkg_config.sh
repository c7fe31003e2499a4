#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the examples against the installed tree by pkg-config and MPI's wrappers, as makefiles do, and runs them.
# pkg_config.sh STAGE EXAMPLES FOLDER WAVEFILE CC CXX FC     (FC: "" without the Fortran face)
set -eu
stage=$1 examples=$2 folder=$3 wavefile=$4 cc=$5 cxx=$6 fc=$7
PKG_CONFIG_PATH=$(dirname "$(find "$stage" -name seiche.pc)")
export PKG_CONFIG_PATH
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
flags() { pkg-config --cflags --libs "$1"; }
if [ -n "$fc" ] && [ ! -f "$(pkg-config --variable=fmoddir seiche_fortran)/seiche.mod" ]; then
  echo "fmoddir of seiche_fortran.pc has no seiche.mod"
  exit 1
fi
# shellcheck disable=SC2046  # flags are several words
{
  "$cc" -std=c99 -o c_one_fft "$examples/c/one_fft.c" $(flags seiche) -lm
  "$cc" -std=c99 -o c_purification "$examples/c/purification.c" $(flags seiche_blocksparse) -lm
  "$cc" -std=c99 -o c_density "$examples/c/density.c" $(flags seiche_files) -lm
  "$cxx" -std=c++20 -o cxx_one_fft "$examples/cxx/one_fft.cpp" $(flags seiche)
  "$cxx" -std=c++20 -o cxx_density "$examples/cxx/density.cpp" $(flags seiche_files)
  if [ -n "$fc" ]; then
    "$fc" -c "$examples/fortran/answer.f90"
    for name in one_fft purification; do "$fc" -o "f_$name" "$examples/fortran/$name.f90" answer.o $(flags seiche_fortran); done
    "$fc" -o f_density "$examples/fortran/density.f90" answer.o $(flags seiche_fortran_files)
  fi
}
for program in c_* cxx_* f_*; do
  [ -x "$program" ] || continue
  case $program in *_density) "./$program" "$wavefile" ;; *) "./$program" ;; esac
done
echo "all examples were built by pkg-config and found their answers right"
