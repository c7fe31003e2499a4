#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints the rates of one core of this machine for machines.json. No other program may run meanwhile.
# usage: calibrate.sh FOLDER      FOLDER: of get.sh
set -euo pipefail
(($# == 1)) || { echo "usage: calibrate.sh FOLDER" >&2; exit 2; }
ours=$(dirname "$(readlink -f "$0")") grid=$1/cp2k-2025.1/src/grid
cc=(gcc -O2 -march=native -w -fopenmp -I"$grid/cpu")
"${cc[@]}" "$ours/calibrate.c" "$grid"/cpu/grid_cpu_{collocate,integrate,prepare_pab}.c "$grid"/common/grid_{library,sphere_cache}.c \
  -o "$1/calibrate" -lxsmm -lopenblas -lfftw3 -lm -ldl -lpthread
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$1/calibrate"
