#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs CP2K with and without Seiche on simulated processes, and compares energies. ./dev integrate cp2k simulate runs this script
# in the root of the checkout. Files are in build/integrate/cp2k-simulated.
# usage: simulate.sh [options of run.py]
# Exits with 77 if the sources cannot be downloaded.
set -euo pipefail
source integrations/common.sh
ours=integrations/cp2k/simulate made=$PWD/build/integrate/cp2k-simulated

say "compiling CP2K for SimGrid in $made (an hour)"
get_program "$ours" "$made"
"$ours/link.sh" "$made" build/smpi
say "energies and timers"
python3 "$ours/run.py" "$made" "$made/runs" "$@"
