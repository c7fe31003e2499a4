#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares GPAW with and without Seiche: transforms, pair densities, twelve systems, files, and GPAW's own
# tests of plane waves.
# ./dev integrate gpaw runs this script in the root of the checkout. Files are in build/integrate/gpaw.
# usage: integrate.sh [bench]      bench: only time both alternately; results are in build/integrate/gpaw/bench.json
#                                  and bench_files.json
# Exits with 77 if GPAW cannot be downloaded.
set -euo pipefail
source integrations/common.sh
ours=integrations/gpaw made=$PWD/build/integrate/gpaw
case ${1:-} in "" | bench) ;; *) echo "usage: integrate.sh [bench]" >&2; exit 2 ;; esac

say "installing GPAW in $made/venv"
get_program "$ours" "$made"
export PYTHONPATH=$PWD/build/release/python PATH=$made/venv/bin:$PATH GPAW_MPI_BACKEND=mpi4py OMP_NUM_THREADS=1
if [[ ${1:-} == bench ]]; then
  python3 "$ours/bench.py" --data "$made/bench.json"
  python3 "$ours/bench_files.py" --data "$made/bench_files.json"
else
  python3 "$ours/check_transforms.py"
  python3 "$ours/check_pairs.py"
  python3 "$ours/check_cases.py" "$made/cases"
  python3 "$ours/check_files.py" "$made/files"
  python3 "$ours/check_upstream.py" "$made/upstream"
fi
