#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# GPAW of PyPI as it comes and on Seiche, in build/integrate/gpaw: eight systems and GPAW's own tests of plane waves are
# compared. Run by ./dev integrate gpaw, from the checkout's root.
# usage: integrate.sh [bench]      bench: only the times of both, in turn, to build/integrate/gpaw/*.json
# Ends with 77, and says so, where GPAW cannot be had.
set -euo pipefail
ours=integrations/gpaw made=$PWD/build/integrate/gpaw status=0
case ${1:-} in "" | bench) ;; *) echo "usage: integrate.sh [bench]" >&2; exit 2 ;; esac
say() { printf '== %s\n' "$*"; }

say "installing GPAW in $made/venv"
mkdir -p "$made"
"$ours/get.sh" "$made" >"$made/get.log" 2>&1 || status=$?
case $status in
  0) ;;
  77) say "skipped: GPAW cannot be had here, see $made/get.log"; exit 77 ;;
  *) tail -5 "$made/get.log" >&2; echo "integrate.sh: see $made/get.log" >&2; exit 1 ;;
esac
export PYTHONPATH=$PWD/build/release/python PATH=$made/venv/bin:$PATH GPAW_MPI_BACKEND=mpi4py OMP_NUM_THREADS=1
if [[ ${1:-} == bench ]]; then
  for kind in real complex spinor mgga; do
    for ranks in 1 2; do mpiexec -n "$ranks" python3 "$ours/bench.py" --kind "$kind" --data "$made/$kind.$ranks.json"; done
  done
else
  python3 "$ours/check_cases.py" "$made/cases"
  python3 "$ours/check_upstream.py" "$made/upstream"
fi
