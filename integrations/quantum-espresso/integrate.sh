#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs of Quantum ESPRESSO as they come, and with Seiche, and the tests that compare the two. Without SOURCE: of Debian's
# source package, in build/integrate/quantum-espresso, with the tests of label `integration`. With SOURCE, an unpacked tree
# of another version: in build/integrate/quantum-espresso-NAME, with check_cases.py. Run by ./dev integrate
# quantum-espresso, from the checkout's root.
# usage: integrate.sh [mpich] [SOURCE]      mpich: with the other MPI, in build/integrate/quantum-espresso-mpich
# Ends with 77, and says so, where the sources cannot be had.
set -euo pipefail
source integrations/common.sh
ours=integrations/quantum-espresso made=build/integrate/quantum-espresso seiche=build/integrate/seiche build=build/release
launcher=mpiexec
if [[ ${1:-} == mpich ]]; then
  made+=-mpich seiche+=-mpich build=build/mpich launcher=mpiexec.mpich
  export MPIF90=mpif90.mpich
  ./dev build mpich
  shift
fi
(($# == 0)) || [[ $# == 1 && -x $1/configure ]] || { echo "usage: integrate.sh [mpich] [SOURCE]" >&2; exit 2; }
(($# == 0)) || made+=-$(basename "$(readlink -e "$1")")

cmake --install "$build" --prefix "$seiche" >/dev/null
say "building ${1:-the source package of Debian} in $made/source (20 minutes)"
get_program "$ours" "$made" "$@"
grep '^get.sh: ' "$made/get.log" || true  # what the tree lacks
"$ours/link.sh" "$made/source" "$seiche" "$made"
for program in "$made"/*_seiche.x; do
  program=${program##*/}
  cp -L "$made/source/bin/${program/_seiche/}" "$made"
done
say "$made: programs as they come, and with Seiche: NAME_seiche.x"
if (($#)); then
  "$ours/check_cases.py" "$made" "$made/source/debian/pseudo" "$made/cases" --ranks 1,2,3,4 --mpiexec "$launcher"
else
  ctest --test-dir "$build" -C integration -L integration --verbose
fi
