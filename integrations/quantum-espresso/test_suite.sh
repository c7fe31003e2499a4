#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Quantum ESPRESSO's own test-suite of pw.x with Seiche, by its own benchmarks and tolerances.
# usage: test_suite.sh QE ORIGINAL OURS SCRATCH RANKS [category ...]      category: pw_all, pw_scf/, ...
#
# Some of its cases need what is not in Debian's package. So folders in which ours fails are run with the original too,
# and what the original passes there is a failure of ours.
set -euo pipefail
(($# >= 5)) || { echo "usage: test_suite.sh QE ORIGINAL OURS SCRATCH RANKS [category ...]" >&2; exit 2; }
for program in "$2" "$3"; do
  [[ -x $program ]] || { echo "skipped: there is no $program; run ./dev integrate quantum-espresso"; exit 77; }
done
qe=$(readlink -f "$1") original=$(readlink -f "$2") ours=$(readlink -f "$3") scratch=$(readlink -m "$4") ranks=$5
categories=("${@:6}")
((${#categories[@]})) || categories=(pw_all)

# suite NAME PROGRAM CATEGORY...: verdicts, one a line, in SCRATCH/NAME/verdicts. In a folder that looks like Quantum ESPRESSO's.
suite() {
  local root=$scratch/$1 program=$2 other
  mkdir -p "$root/bin" "$root/tempdir" "$root/pseudo"
  ln -sfn "$qe"/pseudo/* "$qe"/debian/pseudo/* "$root/pseudo/"
  for other in "$qe"/bin/*.x; do ln -sfn "$(readlink -f "$other")" "$root/bin/${other##*/}"; done
  ln -sfn "$program" "$root/bin/pw.x"
  rm -rf "$root/test-suite"
  cp -r "$qe/test-suite" "$root/test-suite"
  sed "s|XXXXXX|$root|g" "$root/test-suite/userconfig.tmp" >"$root/test-suite/userconfig"
  (cd "$root/test-suite" && ESPRESSO_ROOT=$root ESPRESSO_PSEUDO=$root/pseudo ESPRESSO_TMPDIR=$root/tempdir OMP_NUM_THREADS=1 \
    QE_USE_MPI=$((ranks > 1)) TESTCODE_NPROCS=$ranks TESTCODE_DIR=$root/test-suite/testcode \
    testcode/bin/testcode.py --verbose "${@:3}") >"$root/log" 2>&1 || true
  sed -nE 's/^(pw_[^ ]+ - [^:]+): (Passed|\*\*FAILED\*\*|Skipped).*/\2 \1/p' "$root/log" | sort -u >"$root/verdicts"
  echo "$1 on $ranks ranks: $(grep -c Passed "$root/verdicts" || true) passed, $(grep -c FAILED "$root/verdicts" || true) failed"
}

suite seiche "$ours" "${categories[@]/#/--category=}"
runs=$(find "$scratch/seiche/test-suite" -name 'test.out*' | wc -l)
served=$(grep -rl --include='test.out*' 'Seiche: local potential' "$scratch/seiche/test-suite" | wc -l)
echo "Seiche served $served of $runs runs"
((served > 0)) || { echo "Seiche served nothing"; exit 1; }
mapfile -t folders < <(sed -nE 's/^\*\*FAILED\*\* (pw_[^ /]+).*/--category=\1\//p' "$scratch/seiche/verdicts" | sort -u)
((${#folders[@]})) || exit 0
suite original "$original" "${folders[@]}"
verdicts() { grep "$1" "$scratch/$2/verdicts" | cut -d' ' -f2- | sort; }
lost=$(comm -12 <(verdicts FAILED seiche) <(verdicts Passed original))
[[ $lost ]] || exit 0
# Version 6.7 reads unset memory when it reads inputs of DFT+U, so that some runs of both programs end there.
mapfile -t folders < <(sed -E 's/^(pw_[^ ]+).*/--category=\1\//' <<<"$lost" | sort -u)
suite again "$ours" "${folders[@]}"
lost=$(comm -12 <(echo "$lost") <(verdicts FAILED again))
[[ -z $lost ]] || { printf 'passed by the original alone:\n%s\n' "$lost"; exit 1; }
