#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs of FFTW-MPI that nobody here wrote, with libseiche_fftw_mpi.so before them: FFTW's own mpi-bench with its
# random checker, mpb-mpi with its own examples, PETSc's MATFFTW, and fluidfft. Run by ./dev integrate fftw-mpi, from the checkout's root.
# usage: integrate.sh [--problems N] [--ranks "1 2 3 4"] [--resolution N]
# Ends with 77, and says so, where Debian's source package cannot be had.
set -euo pipefail
source integrations/common.sh

problems=1000 ranks="1 2 3 4" resolution=16
while (($#)); do
  case $1 in
    --problems) problems=$2; shift 2 ;;
    --ranks) ranks=$2; shift 2 ;;
    --resolution) resolution=$2; shift 2 ;;
    *) echo "usage: integrate.sh [--problems N] [--ranks \"1 2 3 4\"] [--resolution N]" >&2; exit 2 ;;
  esac
done
made=$PWD/build/integrate/fftw-mpi shim=$PWD/build/release/lib/libseiche_fftw_mpi.so here=$PWD/integrations/fftw-mpi
mkdir -p "$made"
[[ -e $shim ]] || { echo "integrate.sh: no $shim; run ./dev build release" >&2; exit 1; }

# ------------------------------------------------------------------------------------------------------ FFTW's checker

get_sources() {
  : >"$made/get.log"
  get() { # get PACKAGE FOLDER
    [[ -d $made/$2 ]] || ("$here/../../packaging/debian_source.sh" "$made" "$1" && cd "$made" &&
      dpkg-source --no-check -x "$1"_*.dsc "$2") >>"$made/get.log" 2>&1
  }
  get fftw3 fftw || { say "skipped: Debian's source package fftw3 cannot be had here, see $made/get.log"; exit 77; }
  get mpb mpb || true
}

# The program of the source package on the machine's own FFTW: only what tests need is built.
build_bench() { # build_bench double|single
  local options=(--enable-mpi --disable-doc --disable-fortran) f="" flags=""
  [[ $1 == double ]] || { options+=(--enable-single); f=f; flags=-DBENCHFFT_SINGLE; }
  [[ ! -x $made/mpi-bench-$1 ]] || return 0
  say "building mpi-bench, $1"
  mkdir -p "$made/$1"
  (cd "$made/$1" && ../fftw/configure -q "${options[@]}" && make -s -C libbench2 &&
    mpicc -O2 $flags -DHAVE_CONFIG_H -I. -I../fftw -I../fftw/api -o "../mpi-bench-$1" ../fftw/mpi/mpi-bench.c \
      ../fftw/tests/fftw-bench.c ../fftw/tests/hook.c libbench2/libbench2.a "-lfftw3${f}_mpi" "-lfftw3$f" -lm) \
    >"$made/$1.log" 2>&1 || { tail -5 "$made/$1.log" >&2; exit 1; }
}

# Random problems of the checker until there were `problems`; the share that was served is printed by the library.
check_bench() { # check_bench double|single RANKS [more environment]
  local program="mpirun -np $2 -x LD_PRELOAD=$shim -x SEICHE_FFTW_MPI_REPORT=1 -x SEICHE_FFTW_MPI=always ${3:-} $made/mpi-bench-$1"
  local log=$made/check-$1-$2.log status=0 line='^[][a-z0-9*]+ [0-9.e+-]+ [0-9.e+-]+ [0-9.e+-]+$'
  : >"$log"
  while ((status == 0 && $(grep -cE "$line" "$log" || true) < problems)); do
    perl -w "$made/fftw/tests/check.pl" --verbose --random --maxsize=10000 -c=10 --estimate --mpi "$program" \
      >>"$log" 2>&1 || status=$?
  done
  awk -v what="$1, $2 ranks" -v problems="$(grep -cE "$line" "$log" || true)" '
    /^seiche_fftw_mpi: plans/ { gsub(/[,;]/, ""); served += $4; left += $6; ran += $9; ran_left += $11 }
    END { printf "%s: %d problems checked; plans served %d, forwarded %d; executions served %d, forwarded %d\n",
          what, problems, served, left, ran, ran_left }' "$log"
  return $status
}

# ------------------------------------------------------------------------------------------------------------- mpb-mpi

# The frequencies of its own examples, to the last digit that it prints.
frequencies() { grep -E '^(te|tm|zeven|zodd|)freqs:' "$1"; }
check_mpb() { # check_mpb EXAMPLE RANKS
  local example=$made/mpb/examples/$1.ctl plain=$made/mpb-$1-$2.out ours=$made/mpb-$1-$2-seiche.out
  local run=(mpirun -np "$2")
  (cd "$made" && "${run[@]}" mpb-mpi "resolution=$resolution" "$example" >"$plain" 2>&1 &&
    "${run[@]}" -x "LD_PRELOAD=$shim" -x SEICHE_FFTW_MPI_REPORT=1 -x SEICHE_FFTW_MPI=always mpb-mpi \
      "resolution=$resolution" "$example" >"$ours" 2>&1) || { tail -3 "$plain" "$ours"; return 1; }
  frequencies "$plain" >"$plain.freqs"
  frequencies "$ours" >"$ours.freqs"
  [[ -s $plain.freqs ]] || { echo "mpb-mpi $1 printed no frequencies"; return 1; }
  cmp "$plain.freqs" "$ours.freqs" || return 1
  echo "mpb-mpi $1, $2 ranks: $(wc -l <"$plain.freqs") lines of frequencies are equal; $(grep -h 'plans served' "$ours")"
}

# --------------------------------------------------------------------------------------------------- PETSc and fluidfft

petsc_folder() { find /usr/lib/petscdir -path '*complex/lib/pkgconfig' 2>/dev/null | head -1; }
make_fluidfft() {
  [[ -x $made/fluidfft/bin/python3 ]] || python3 -m venv "$made/fluidfft"
  "$made/fluidfft/bin/pip" install -q --disable-pip-version-check fluidfft fluidfft-fftwmpi mpi4py >"$made/fluidfft.log" 2>&1
}
# check_known RANKS SERVED PROGRAM ...: a program that knows the spectrum; SERVED: executions that have to be ours
check_known() {
  local printed
  printed=$(mpirun -np "$1" -x "LD_PRELOAD=$shim" -x SEICHE_FFTW_MPI_REPORT=1 -x SEICHE_FFTW_MPI=always "${@:3}" 2>&1) || { echo "$printed"; return 1; }
  echo "$1 ranks: $(tr '\n' ' ' <<<"$printed")"
  (($2 == 0)) || grep -q "executions served $2, forwarded 0" <<<"$printed"
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMP_NUM_THREADS=1 SEICHE_TUNING=none
failed=0
get_sources
for precision in double single; do build_bench $precision; done
mpicc -O1 -shared -fPIC -o "$made/canary.so" "$here/canary.c" -ldl

say "the canary, which has to be caught"
if mpirun -np 2 -x "LD_PRELOAD=$made/canary.so:$shim" -x SEICHE_FFTW_MPI=always "$made/mpi-bench-double" --verify-rounds=2 --verify ic6x5x7 \
  >"$made/canary.log" 2>&1; then
  say "FAILED: a broken value was not noticed"
  failed=1
else
  grep -iE "error|differ|verify" "$made/canary.log" | head -2
fi
say "$problems random problems on each number of ranks"
for count in $ranks; do
  check_bench double "$count" || { say "FAILED: see $made/check-double-$count.log"; failed=1; }
done
check_bench single 2 || { say "FAILED: see $made/check-single-2.log"; failed=1; }

if command -v mpb-mpi >/dev/null && [[ -d $made/mpb ]]; then
  say "examples of mpb-mpi, with and without"
  for example in diamond tri-rods; do
    check_mpb $example 2 || { say "FAILED: mpb-mpi $example"; failed=1; }
  done
else
  say "skipped: mpb-mpi is not installed, or its source package, which has the examples, cannot be had"
fi

known=()  # programs, each with how many executions it has
if [[ -n $(petsc_folder) ]]; then
  flags=$(PKG_CONFIG_PATH=$(petsc_folder) pkg-config --cflags --libs PETSc)
  mpicc -O2 -o "$made/petsc" "$here/check_petsc.c" $flags -lm
  known+=("6 $made/petsc")
else
  say "skipped: PETSc for complex numbers (libpetsc-complex-dev) is not installed"
fi
if make_fluidfft; then
  known+=("2 $made/fluidfft/bin/python3 $here/check_fluidfft.py")
else
  say "skipped: fluidfft cannot be installed from PyPI, see $made/fluidfft.log"
fi
say "PETSc's MATFFTW and fluidfft: spectra that are known, and back"
for program in "${known[@]}"; do
  read -ra words <<<"$program"
  for count in $ranks; do
    served=${words[0]}
    [[ $count != 1 || $program != */petsc ]] || served=0  # on one rank PETSc calls FFTW without MPI
    for sizes in "12 10 9" "24 20 18" "64 48 90"; do
      check_known "$count" "$served" "${words[@]:1}" $sizes || { say "FAILED: $program on $count ranks, $sizes"; failed=1; }
    done
  done
done
exit $failed
