#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Quantum ESPRESSO's own test-suite of pw.x, by its own benchmarks and tolerances, with the original and with Seiche.
# usage: test_suite.sh QE ORIGINAL OURS SCRATCH RANKS [category]      category: pw_all, pw_scf, ...
#
# Fails where ours fails and the original passes; some of the original's own need what is not in Debian's package.
set -euo pipefail
(($# == 5 || $# == 6)) || { echo "usage: test_suite.sh QE ORIGINAL OURS SCRATCH RANKS [category]" >&2; exit 2; }
for program in "$2" "$3"; do
  [[ -x $program ]] || { echo "skipped: there is no $program; run ./dev integrate quantum-espresso"; exit 77; }
done
qe=$(readlink -f "$1") scratch=$(readlink -m "$4") ranks=$5 category=${6:-pw_all}
declare -A programs=([original]=$(readlink -f "$2") [seiche]=$(readlink -f "$3"))

# A folder that looks like Quantum ESPRESSO's to its test-suite.
for name in original seiche; do
  root=$scratch/$name
  mkdir -p "$root/bin" "$root/tempdir"
  ln -sfn "$qe/debian/pseudo" "$root/pseudo"
  ln -sfn "${programs[$name]}" "$root/bin/pw.x"
  for other in "$qe"/bin/*.x; do [[ ${other##*/} == pw.x ]] || ln -sfn "$(readlink -f "$other")" "$root/bin/${other##*/}"; done
  rm -rf "$root/test-suite"
  cp -r "$qe/test-suite" "$root/test-suite"
  cd "$root/test-suite"
  sed "s|XXXXXX|$root|g" userconfig.tmp >userconfig
  ESPRESSO_ROOT=$root ESPRESSO_PSEUDO=$root/pseudo ESPRESSO_TMPDIR=$root/tempdir OMP_NUM_THREADS=1 \
    QE_USE_MPI=$((ranks > 1)) TESTCODE_NPROCS=$ranks TESTCODE_DIR=$root/test-suite/testcode \
    testcode/bin/testcode.py --verbose --category="$category" >"$root/log" 2>&1 || true
  grep -oE '^pw_[^ ]+ - [^ ]+ .*(Passed|Skipped)|^pw_[^ ]+ - [^ ]+ .*\*\*FAILED\*\*' "$root/log" | sort >"$root/verdicts" || true
  echo "$name on $ranks ranks: $(grep -c Passed "$root/verdicts") passed, $(grep -c FAILED "$root/verdicts") failed"
done

served=$(grep -lE 'Seiche: local potential' -r "$scratch/seiche/test-suite" --include='test.out*' | wc -l)
echo "Seiche served $served of $(find "$scratch/seiche/test-suite" -name 'test.out*' | wc -l) runs"
lost=$(comm -13 <(sort "$scratch/seiche/verdicts") <(sort "$scratch/original/verdicts") | grep Passed || true)
[[ -z $lost ]] || { printf 'passed by the original alone:\n%s\n' "$lost"; exit 1; }
((served > 0)) || { echo "Seiche served nothing"; exit 1; }
