#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# pw.x of Debian's source package as it comes, and with Seiche, in build/integrate/quantum-espresso; then the tests of
# label `integration`, which compare the two. Run by ./dev integrate quantum-espresso, from the checkout's root.
# usage: integrate.sh [mpich]      mpich: with the other MPI, in build/integrate/quantum-espresso-mpich
# Ends with 77, and says so, where the sources cannot be had.
set -euo pipefail
source integrations/common.sh
ours=integrations/quantum-espresso made=build/integrate/quantum-espresso seiche=build/integrate/seiche build=build/release
case ${1:-} in
  "") ;;
  mpich) made+=-mpich seiche+=-mpich build=build/mpich; export MPIF90=mpif90.mpich; ./dev build mpich ;;
  *) echo "usage: integrate.sh [mpich]" >&2; exit 2 ;;
esac

cmake --install "$build" --prefix "$seiche" >/dev/null
say "building pw.x of Debian's source package in $made/source (5 minutes)"
get_program "$ours" "$made"
cp "$made/source/PW/src/pw.x" "$made/pw.x"
"$ours/link.sh" "$made/source" "$seiche" "$made/pw_seiche.x"
say "$made/pw.x as it comes, $made/pw_seiche.x with Seiche"
ctest --test-dir "$build" -C integration -L integration --verbose
