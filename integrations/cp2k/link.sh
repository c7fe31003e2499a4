#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the library that CP2K preloads, FOLDER/libseiche_cp2k.so, and the programs FOLDER/check_products and
# FOLDER/check_transforms.
# usage: link.sh CP2K SEICHE FOLDER      CP2K: the folder of get.sh; SEICHE: where Seiche is installed; both with the same MPI
set -euo pipefail
(($# == 3)) || { echo "usage: link.sh CP2K SEICHE FOLDER" >&2; exit 2; }
ours=$(dirname "$(readlink -f "$0")") cp2k=$(readlink -f "$1") seiche=$(readlink -f "$2")
export PKG_CONFIG_PATH=$seiche/lib/pkgconfig
read -ra cflags <<<"$(pkg-config --cflags seiche_blocksparse)"
read -ra libraries <<<"$(pkg-config --static --libs seiche_blocksparse)"
mkdir -p "$3"
cd "$3"
for source in dbcsr_matrix product ray_transform original; do
  mpicxx -std=c++20 -O2 -march=native -Wall -Wextra -DOMPI_SKIP_MPICXX -fPIC -fopenmp -fvisibility=hidden "${cflags[@]}" \
    -c "$ours/$source.cpp"
done
for source in dbcsr_blocks multiply cp_dbcsr_api; do
  mpif90 -O2 -std=f2018 -Wall -fPIC -I"$cp2k/include" -c "$ours/$source.f90"
done
cp -p "$cp2k"/cp2k-build/src/mod_files/message_passing.mod .  # the others would replace those of this folder
mpif90 -O2 -std=f2018 -Wall -fPIC -c "$ours/fft_tools.f90"
dbcsr=("-L$cp2k/lib" -ldbcsr "-Wl,-rpath,$cp2k/lib")
cp2k_library=("-L$cp2k/cp2k-build/src" -lcp2k "-Wl,-rpath,$cp2k/cp2k-build/src")
# Symbols of Seiche's libraries must not replace those of the program's.
mpif90 -shared -o libseiche_cp2k.so cp_dbcsr_api.o multiply.o dbcsr_blocks.o product.o dbcsr_matrix.o \
  fft_tools.o ray_transform.o original.o "${libraries[@]}" \
  -Wl,--exclude-libs,ALL "${dbcsr[@]}" "${cp2k_library[@]}"
for check in check_products check_transforms; do
  mpif90 -O1 -std=f2018 -Wall -fopenmp -I"$cp2k/include" -I. "$ours/$check.f90" -o "$check" \
    -L. -lseiche_cp2k "-Wl,-rpath,$PWD" "${dbcsr[@]}" "${cp2k_library[@]}"
done
