#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Links pw.x once more, with Seiche.
# usage: [MPIF90=mpif90] link.sh QE SEICHE PROGRAM      QE: Quantum ESPRESSO's folder, built; SEICHE: where Seiche is
# installed; both with the same MPI
#
# Nothing of Quantum ESPRESSO is changed. Copies of two of its objects, in which procedures that they call have other
# names, come before its libraries on its own link line, so that the originals stay out.
set -euo pipefail
(($# == 3)) || { echo "usage: link.sh QE SEICHE PROGRAM" >&2; exit 2; }
ours=$(dirname "$(readlink -f "$0")") qe=$(readlink -f "$1") seiche=$(readlink -f "$2") program=$(readlink -m "$3")
export PKG_CONFIG_PATH=$seiche/lib/pkgconfig
objects=${program%.x}_objects
mkdir -p "$objects"

# object of PW/src, and calls in it: ORIGINAL=OURS
copies=(
  "h_psi.o vloc_psi_k_=seiche_vloc_psi_k_ vloc_psi_gamma_=seiche_vloc_psi_gamma_ vloc_psi_nc_=seiche_vloc_psi_nc_
   add_vuspsi_=seiche_add_vuspsi_ __exx_MOD_vexx=seiche_vexx_"
  "sum_band.o weights_=seiche_weights_ invfft_y_=seiche_invfft_"
)
diverted=()
for copy in "${copies[@]}"; do
  read -ra words <<<"${copy//$'\n'/ }"
  renames=()
  for rename in "${words[@]:1}"; do
    nm -u "$qe/PW/src/${words[0]}" | grep -w "${rename%%=*}" >/dev/null ||  # to its end: -q would break the pipe
      { echo "link.sh: ${words[0]} does not call ${rename%%=*}; is this another version of Quantum ESPRESSO?" >&2; exit 1; }
    renames+=(--redefine-sym "$rename")
  done
  objcopy "${renames[@]}" "$qe/PW/src/${words[0]}" "$objects/${words[0]}"
  diverted+=("$objects/${words[0]}")
done

# The module exx calls its own vexx. In the copy of its object that name is also ours, and weaker than ours. The original
# keeps its name.
vexx=$(nm "$qe/PW/src/exx.o" | awk '$3 == "__exx_MOD_vexx" && $2 == "T" { print $1 }')
[[ $vexx ]] || { echo "link.sh: exx.o has no vexx; is this another version of Quantum ESPRESSO?" >&2; exit 1; }
objcopy --redefine-sym __exx_MOD_vexx=seiche_vexx_ "$qe/PW/src/exx.o" "$objects/exx.o"
objcopy --weaken-symbol seiche_vexx_ --add-symbol "__exx_MOD_vexx=.text:0x$vexx,function,global" "$objects/exx.o"
diverted+=("$objects/exx.o")

read -ra cflags <<<"$(pkg-config --cflags seiche_fortran)"
read -ra libraries <<<"$(pkg-config --static --libs seiche_fortran)"
for folder in Modules FFTXlib UtilXlib upflib LAXlib PW/src; do cflags+=("-I$qe/$folder"); done
cd "$objects"
for source in qe_names seiche_on_waves seiche_on_exchange hooks; do
  "${MPIF90:-mpif90}" -O2 -g -std=f2008 -fPIC "${cflags[@]}" -c "$ours/$source.f90" -o "$source.o"
  diverted+=("$objects/$source.o")
done

# Quantum ESPRESSO's own link line, as make would run it.
cd "$qe/PW/src"
line=$(make -n -W pwscf.o pw.x 2>/dev/null | sed -e ':next;/\\$/{N;s/\\\n//;bnext}' | grep -e '-o pw.x')
eval "${line/-o pw.x/-o $program ${diverted[*]}} ${libraries[*]}"
