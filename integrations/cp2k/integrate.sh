#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares CP2K with and without Seiche. ./dev integrate cp2k runs this script in the root of the checkout. Files are in
# build/integrate/cp2k.
# usage: integrate.sh [simulate [options]]
# simulate: on simulated processes (simulate/simulate.sh)
# Exits with 77 if the sources cannot be downloaded.
set -euo pipefail
source integrations/common.sh
if [[ ${1:-} == simulate ]]; then exec integrations/cp2k/simulate/simulate.sh "${@:2}"; fi
(($# == 0)) || { echo "usage: integrate.sh [simulate [options]]" >&2; exit 2; }
ours=integrations/cp2k made=$PWD/build/integrate/cp2k seiche=$PWD/build/integrate/seiche

say "building CP2K in $made (an hour)"
get_program "$ours" "$made"
cmake --install build/release --prefix "$seiche" >/dev/null
"$ours/link.sh" "$made" "$seiche" "$made/seiche"
say "mpiexec -x LD_PRELOAD=$made/seiche/libseiche_cp2k.so $made/bin/cp2k.psmp runs CP2K with Seiche"
failed=0
say "products of all types of matrices"
for ranks in 1 2 4; do OMP_NUM_THREADS=1 mpiexec -n "$ranks" "$made/seiche/check_products" || failed=1; done
say "transforms"
for ranks in 1 2 3 4; do SEICHE_CP2K=always OMP_NUM_THREADS=1 mpiexec -n "$ranks" "$made/seiche/check_transforms" || failed=1; done
say "energies, forces and charges (an hour)"
python3 "$ours/check_cases.py" "$made" "$made/seiche/libseiche_cp2k.so" "$made/cases" || failed=1
say "CP2K's own regression tests of linear scaling (half an hour)"
python3 "$ours/check_regtests.py" "$made" "$made/seiche/libseiche_cp2k.so" "$made/regtests" || failed=1
exit $failed
