#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Collects what run.sh needs on a machine with a CUDA device: programs, libraries, Open MPI. That machine needs the driver
# and cuFFT; it needs no MPI and no network. Packs the folder as FOLDER.tar.xz.
# usage: prepare.sh BUILD FOLDER     BUILD: a build of the library and its tests   FOLDER: is replaced
# CUDA_MODULE, SPHERE_BENCH: the module for devices and the benchmark; the defaults are those that BUILD contains.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
build=${1:?usage: prepare.sh BUILD FOLDER}
out=${2:?usage: prepare.sh BUILD FOLDER}
module=${CUDA_MODULE:-$(find "$build" -name libseiche_cuda.so -not -path '*/cuda_emulated/*' | head -1)}
[[ -e $module ]] || { echo "prepare.sh: $build has no libseiche_cuda.so: configure with -DSEICHE_CUDA=ON" >&2; exit 1; }
system=/usr/lib/$(uname -m)-linux-gnu

rm -rf "$out"
mkdir -p "$out/bin" "$out/lib" "$out/cuda" "$out/mpi/bin" "$out/mpi/lib" "$out/mpi/share"
cp -L "$module" "$out/cuda/"
cp "$here/run.sh" "$here/table.py" "$out/"
# run.sh runs these lines in this order: program, number of ranks, tests.
cat >"$out/tests.txt" <<'TEXT'
cuda_test 1 *
fft_test 1 *Cuda*:Verbs.*
fft_test 2 *Cuda*:Verbs.*
fft_test 4 *Cuda*:Verbs.*
TEXT
for program in $(cut -d' ' -f1 "$out/tests.txt" | sort -u | sed "s:^:$build/bin/:") "$build/bin/seiche" "${SPHERE_BENCH:-$build/bin/sphere_bench}"; do
  if [[ -x $program ]]; then cp -L "$program" "$out/bin/"; else echo "not built: $program" >&2; fi
done

# Open MPI of Debian: its launcher, and the parts that one machine needs. OPAL_PREFIX moves it.
cp -L /usr/bin/orterun "$out/mpi/bin/mpirun"
cp -L /usr/bin/orted "$out/mpi/bin/"
parts=$out/mpi/lib/$(uname -m)-linux-gnu/openmpi/lib/openmpi3
mkdir -p "$parts" "$out/mpi/share/openmpi"
for part in "$system"/openmpi/lib/openmpi3/mca_*.so; do
  case $(basename "$part") in
    *ucx* | *ofi* | *openib* | *psm* | *slurm* | *monitoring* | *oshmem* | *memheap* | *spml* | *sshmem* | *scoll* | *io_* | *fs_* | *fcoll* | *fbtl* | *sharedfp*) ;;
    *) cp "$part" "$parts/" ;;
  esac
done
cp /usr/share/openmpi/*.txt "$out/mpi/share/openmpi/"
cp -r "$system/pmix2" "$out/mpi/lib/pmix2"

# Libraries of all of these, except those of the C library, and those that programs load by name.
cp -L "$system/libfftw3.so.3" "$system/libfftw3f.so.3" "$system"/libpmix.so.2 "$out/lib/"
find "$out" -type f \( -name '*.so*' -o -perm -u+x \) -print0 | { xargs -0 ldd 2>/dev/null || true; } |
  awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u | while read -r name path; do
  case $name in
    libc.so* | libm.so* | libpthread.so* | libdl.so* | librt.so* | libresolv.so* | libutil.so*) ;;
    *) [[ -e $out/lib/$name ]] || cp -L "$path" "$out/lib/" ;;
  esac
done
strip --strip-unneeded "$out"/bin/* 2>/dev/null || true
XZ_OPT=-T0 tar -C "$(dirname "$out")" -cJf "$out.tar.xz" "$(basename "$out")"
du -sh "$out" "$out.tar.xz"
