#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Links programs of Quantum ESPRESSO once more, with Seiche: pw.x, ph.x, hp.x and turbo_*.x, if they are built.
# usage: [MPIF90=mpif90] link.sh QE SEICHE FOLDER      QE: Quantum ESPRESSO's folder, built; SEICHE: where Seiche is
# installed; both with the same MPI; FOLDER: for pw_seiche.x and the others
#
# Nothing of Quantum ESPRESSO is changed. Copies of some of its objects, in which procedures that they call have other
# names, come before its libraries on its own link lines, so that the originals stay out.
set -euo pipefail
(($# == 3)) || { echo "usage: link.sh QE SEICHE FOLDER" >&2; exit 2; }
ours=$(dirname "$(readlink -f "$0")") qe=$(readlink -f "$1") seiche=$(readlink -f "$2") folder=$(readlink -m "$3")
export PKG_CONFIG_PATH=$seiche/lib/pkgconfig
objects=$folder/objects
mkdir -p "$objects"
stop() { echo "link.sh: $*; is this another version of Quantum ESPRESSO?" >&2; exit 1; }
uses() { nm -u "$qe/PW/src/$1" | grep -w -e "$2" >/dev/null; }  # to its end: -q would break the pipe

# object of PW/src, and calls in it: ORIGINAL=OURS. Where versions call differently named procedures, ORIGINAL has all
# names: the first one that the object calls is renamed. hooks.f90 calls originals by the first name.
copies=(
  "h_psi.o vloc_psi_k_|vloc_psi_k_acc_=seiche_vloc_psi_k_ vloc_psi_gamma_|vloc_psi_gamma_acc_=seiche_vloc_psi_gamma_
   vloc_psi_nc_|vloc_psi_nc_acc_=seiche_vloc_psi_nc_ add_vuspsi_=seiche_add_vuspsi_ __exx_MOD_vexx=seiche_vexx_"
  "sum_band.o weights_=seiche_weights_ __fft_wave_MOD_wave_g2r|invfft_y_=seiche_wave_to_grid_"
  "pw_restart_new.o __io_base_MOD_write_wfc=seiche_write_wfc_ __io_base_MOD_read_wfc=seiche_read_wfc_
   __io_files_MOD_xmlfile=seiche_xmlfile_"
  "punch.o __pw_restart_new_MOD_write_collected_wfc|__pw_restart_new_MOD_pw_write_binaries=seiche_write_collected_
   __pw_restart_new_MOD_pw_write_schema=seiche_write_schema_"
)
linked=() originals=()
for copy in "${copies[@]}"; do
  read -ra words <<<"${copy//$'\n'/ }"
  renames=()
  for rename in "${words[@]:1}"; do
    found=
    IFS='|' read -ra names <<<"${rename%%=*}"
    for name in "${names[@]}"; do ! uses "${words[0]}" "$name" || { found=$name; break; }; done
    [[ $found ]] || stop "${words[0]} does not call ${names[*]}"
    renames+=(--redefine-sym "$found=${rename#*=}")
    [[ $found == "${names[0]}" ]] || originals+=(--redefine-sym "${names[0]}=$found")
  done
  objcopy "${renames[@]}" "$qe/PW/src/${words[0]}" "$objects/${words[0]}"
  linked+=("$objects/${words[0]}")
done

# The module exx calls its own vexx. In the copy of its object that name is also ours, and weaker than ours. The original
# keeps its name.
vexx=$(nm "$qe/PW/src/exx.o" | awk '$3 == "__exx_MOD_vexx" && $2 == "T" { print $1 }')
[[ $vexx ]] || stop "exx.o has no vexx"
objcopy --redefine-sym __exx_MOD_vexx=seiche_vexx_ "$qe/PW/src/exx.o" "$objects/exx.o"
objcopy --weaken-symbol seiche_vexx_ --add-symbol "__exx_MOD_vexx=.text:0x$vexx,function,global" "$objects/exx.o"
linked+=("$objects/exx.o")

# Names that only some versions have: qe_names.f90 and hooks.f90 use those that sum_band.o uses.
macros=(-cpp)
for name in funct:dft_is_meta spin_orb:domag fft_wave:wave_g2r control_flags:sic add_dmft_occ:dmft; do
  ! uses sum_band.o "__${name/:/_MOD_}" || macros+=("-DQE_HAS_${name#*:}")
done
! uses punch.o __pw_restart_new_MOD_pw_write_binaries || macros+=(-DQE_HAS_pw_write_binaries)
! nm "$qe/Modules/io_base.o" | grep -w __qeh5_base_module_MOD_qeh5_openfile >/dev/null || macros+=(-DQE_HAS_hdf5)

# Programs of linear response call procedures of LR_Modules from many objects. Ours have these names. Copies of the
# objects give other names to the originals.
response=()
for rename in incdrhoscf_=original_incdrhoscf_ incdrhoscf_nc_=original_incdrhoscf_nc_ \
  __apply_dpot_mod_MOD_apply_dpot_bands=original_apply_dpot_bands_; do
  object=${rename%%=*} object=${object#__} object=${object%_MOD_*} object=${object%_}.o
  [[ -f $qe/LR_Modules/$object ]] || continue
  objcopy --redefine-sym "$rename" "$qe/LR_Modules/$object" "$objects/$object"
  response+=("$objects/$object")
done

read -ra cflags <<<"$(pkg-config --cflags seiche_fortran_files)"
[[ ! -f $objects/apply_dpot_mod.o ]] || macros+=(-DQE_HAS_apply_dpot_bands)
# The grid that sets the rows of a response of the density.
[[ ! -f $objects/incdrhoscf_nc.o ]] || ! nm -u "$objects/incdrhoscf_nc.o" | grep -w __fft_base_MOD_dfftp >/dev/null ||
  macros+=(-DQE_RESPONSE_ON_DENSE_GRID)
read -ra libraries <<<"$(pkg-config --static --libs seiche_fortran_files)"
for modules in Modules FFTXlib FFTXlib/src UtilXlib upflib XClib LAXlib external/devxlib/src PW/src LR_Modules; do
  [[ ! -d $qe/$modules ]] || cflags+=("-I$qe/$modules")
done
cd "$objects"
compile() {
  "${MPIF90:-mpif90}" -O2 -g -std=f2008 -fPIC "${macros[@]}" "${cflags[@]}" -c "$ours/$1.f90" -o "$1.o"
}
for source in qe_names seiche_on_waves seiche_on_exchange seiche_on_files file_hooks hooks; do
  compile "$source"
  linked+=("$objects/$source.o")
done
((!${#originals[@]})) || objcopy "${originals[@]}" hooks.o
if ((${#response[@]})); then
  compile response_hooks
  objcopy --redefine-sym seiche_apply_dpot_bands_=__apply_dpot_mod_MOD_apply_dpot_bands response_hooks.o
  response+=("$objects/response_hooks.o")
fi

# Quantum ESPRESSO's own link lines, as make would run them: PROGRAM FOLDER MAIN, with the object of the main program.
while read -r program source main; do
  [[ -x $qe/$source/$program.x ]] || continue
  cd "$qe/$source"
  line=$(make -n -W "$main.o" "$program.x" 2>/dev/null | sed -e ':next;/\\$/{N;s/\\\n//;bnext}' | grep -e "-o $program.x")
  ours_of_program=("${linked[@]}")
  [[ $program == pw ]] || ours_of_program+=("${response[@]}")
  eval "${line/-o $program.x/-o $folder/${program}_seiche.x ${ours_of_program[*]}} ${libraries[*]}"
  echo "link.sh: $folder/${program}_seiche.x"
done <<'PROGRAMS'
pw PW/src pwscf
ph PHonon/PH phonon
hp HP/src hp_main
turbo_lanczos TDDFPT/src lr_main
turbo_davidson TDDFPT/src lr_dav_main
turbo_eels TDDFPT/src lr_eels_main
turbo_magnon TDDFPT/src lr_magnons_main
PROGRAMS
