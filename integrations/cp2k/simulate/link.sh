#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Links CP2K for simulated processes: FOLDER/cp2k as it comes, FOLDER/cp2k_seiche with Seiche, and FOLDER/cp2k_uncached,
# which creates the scratch of a transform anew if FFT_POOL_SCRATCH_LIMIT is 1. FOLDER/cp2k_padded has the messages of transforms padded,
# and FOLDER/cp2k_blocking has Seiche's products without hidden communication.
# usage: link.sh FOLDER BUILD      FOLDER: of get.sh; BUILD: the folder of the preset smpi
set -euo pipefail
(($# == 2)) || { echo "usage: link.sh FOLDER BUILD" >&2; exit 2; }
ours=$(dirname "$(readlink -f "$0")") build=$(readlink -f "$2")
root=$ours/../../..
cd "$1"
mkdir -p linked
cxx=(g++ -std=c++20 -O1 -Wall -Wextra -fPIC -fno-gnu-unique -fvisibility=hidden -I"$root/companions/simulation" -I/usr/include/smpi
  -include "$root/companions/simulation/smpi_names.h")
fortran=(gfortran -O1 -std=f2018 -w -fPIC -fallow-argument-mismatch -Imodules -Jlinked)
cc=(gcc -O1 -Wall -Wextra -fPIC -Icp2k-2025.1/src/grid/cpu -I/usr/include/smpi)

# SimGrid loads the program once for each process.
link() { g++ -shared -Wl,-Bsymbolic -Wl,-z,defs -Wl,-s -Wl,-u,main -o "$@" libcp2k.a libdbcsr.a libscalapack.a -lopenblas -lfftw3_threads -lfftw3 -lsimgrid \
  -lgfortran -lgomp -lm -ldl; }
# Changes lines of a file: changed FROM INTO EXPRESSION
changed() {
  sed "$3" "$1" >"$2"
  if cmp -s "$1" "$2"; then echo "link.sh: ${1##*/} is another version" >&2; exit 1; fi
}
wrapped() { printf -- '-Wl,--wrap=%s\n' "$@"; }

for source in substitutes gaussians padded; do "${cc[@]}" -c "$ours/$source.c" -o "linked/$source.o"; done
"${cxx[@]}" -c "$ours/charge.cpp" -o linked/charge.o
for source in time machine; do "${cxx[@]}" -c "$root/companions/simulation/$source.cpp" -o "linked/$source.o"; done
common=(linked/substitutes.o linked/gaussians.o linked/charge.o)
mapfile -t charged < <(wrapped dgemm_ dsyrk_ dtrsm_ dtrmm_ dfftw_plan_many_dft_ dfftw_execute_dft_ pdsyevd_ \
  grid_cpu_collocate_pgf_product grid_cpu_integrate_pgf_product)
link cp2k "${common[@]}" linked/time.o linked/machine.o "${charged[@]}"
link cp2k_padded linked/padded.o "${common[@]}" linked/time.o linked/machine.o "${charged[@]}" -Wl,--wrap=mpi_alltoallv_

# As it comes, the limit makes CP2K release one scratch in each transform. Here it releases all that are not in use.
changed cp2k-2025.1/src/pw/fft_tools.F linked/fft_tools_uncached.F90 \
  '/SUBROUTINE get_fft_scratch/,/END SUBROUTINE get_fft_scratch/s/CALL resize_fft_scratch_pool()/DO i = 1, 100; &; END DO/'
gfortran -c -O1 -cpp -fPIC -ffree-form -ffree-line-length-none -fallow-argument-mismatch -w -Jlinked -Imodules -Icp2k-2025.1/src/pw \
  -D__parallel -D_OPENMP=201511 -D__FFTW3 -D__SHORT_FILE__='"fft_tools.F"' linked/fft_tools_uncached.F90 -o linked/fft_tools_uncached.o
link cp2k_uncached linked/fft_tools_uncached.o "${common[@]}" linked/time.o linked/machine.o "${charged[@]}"

changed "$ours/../product.cpp" linked/product_blocking.cpp 's/now.multiply.options().eps = .*/& now.multiply.options().policy.window = 1;/'
for source in "$ours"/../{dbcsr_matrix,product,ray_transform}.cpp "$ours/original.cpp" linked/product_blocking.cpp; do
  object=${source##*/}
  "${cxx[@]}" -I"$ours/.." -I"$root/include" -I"$build/include" -c "$source" -o "linked/${object%.cpp}.o"
done
for source in dbcsr_blocks multiply cp_dbcsr_api fft_tools; do "${fortran[@]}" -c "$ours/../$source.f90" -o "linked/$source.o"; done
# Calls of these procedures in other files reach Seiche.
replaced=(__cp_dbcsr_api_MOD_dbcsr_multiply_d __fft_tools_MOD_fft3d_ps __fft_tools_MOD_fft3d_pb)
for name in "${replaced[@]}"; do objcopy --redefine-sym "$name=__wrap_$name" linked/cp_dbcsr_api.o; objcopy --redefine-sym "$name=__wrap_$name" linked/fft_tools.o; done
mapfile -t wraps < <(wrapped "${replaced[@]}")
seiche=(linked/{cp_dbcsr_api,multiply,dbcsr_blocks,dbcsr_matrix,fft_tools,ray_transform,original}.o "${common[@]}"
  "${charged[@]}" "${wraps[@]}" "@$build/simulation/link.txt")
link cp2k_seiche linked/product.o "${seiche[@]}"
link cp2k_blocking linked/product_blocking.o "${seiche[@]}"
