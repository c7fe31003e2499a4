#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks and times Seiche on the CUDA device of this machine, in a folder that prepare.sh made. The last output is a table.
# usage: run.sh [SECONDS]     at most so long, 230 by default
# OUT: folder for logs     BENCH: arguments of sphere_bench     GRIDS: sizes of dense grids
set -u
here=$(dirname "$(readlink -f "$0")")
began=$(date +%s)
limit=${1:-230}
logs=${OUT:-$here/logs}
mkdir -p "$logs"
left() { echo $((limit - $(date +%s) + began)); }

# cuFFT is in the toolkit or in a package of PyPI.
cufft=$(ldconfig -p 2>/dev/null | awk '/libcufft.so.1[12] / { print $NF; exit }')
for folder in /usr/local/cuda/lib64 /usr/local/cuda/targets/*/lib /usr/local/lib/python3*/*-packages/nvidia/c*/lib; do
  [[ $cufft ]] || cufft=$(find "$folder" -maxdepth 1 -name 'libcufft.so.1[12]' 2>/dev/null | head -1)
done
[[ $cufft ]] || cufft=$(find / -xdev -name 'libcufft.so.1[12]' 2>/dev/null | head -1)
libraries=$here/lib${cufft:+:$(dirname "$cufft")}

export OPAL_PREFIX=$here/mpi PMIX_PREFIX=$here/mpi/lib/pmix2 PMIX_MCA_mca_base_component_path=$here/mpi/lib/pmix2/lib/pmix
export PMIX_MCA_pcompress_base_silence_warning=1 PMIX_MCA_mca_base_component_show_load_errors=0 HWLOC_COMPONENTS=-gl,-cuda,-nvml,-opencl,-rsmi,-levelzero
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=^ucx,pt2pt OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_plm_rsh_agent=/bin/false OMPI_MCA_orte_tmpdir_base=/tmp OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1
export OMP_NUM_THREADS=1 SEICHE_TUNING=none SEICHE_CUDA=${SEICHE_CUDA:-$here/cuda}

# go LOG SECONDS RANKS COMMAND...: runs a command on ranks, and adds its result and time to the log.
go() {
  local log=$logs/$1 seconds=$2 ranks=$3 start
  shift 3
  if (($(left) < seconds)); then seconds=$(left); fi
  if ((seconds < 3)); then
    echo "no time was left" >"$log"
    return
  fi
  start=$(date +%s%N)
  LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH:-} timeout -k 2 "$seconds" \
    "$here/mpi/bin/mpirun" -n "$ranks" "$@" </dev/null >"$log" 2>&1
  echo "exit status $?, $((($(date +%s%N) - start) / 1000000)) ms" >>"$log"
}

chmod -f +x "$here"/bin/* "$here"/mpi/bin/*
{
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader
  echo "cuFFT: ${cufft:-not found}"
  lscpu | grep 'Model name'
} >"$logs/machine.txt" 2>&1
while read -r program ranks filter; do
  go "$program.$ranks.log" 75 "$ranks" "$here/bin/$program" "--ranks=$ranks" "--gtest_filter=$filter"
done <"$here/tests.txt"
if [[ -x $here/bin/seiche ]]; then
  for grid in ${GRIDS:-64 100 128 256}; do
    for kind in c2c r2c; do
      go "dense.$grid.$kind.log" 20 1 "$here/bin/seiche" bench fft --json --grid "$grid" --kind "$kind" --space cuda --repeat 50
    done
  done
fi
if [[ -x $here/bin/sphere_bench ]]; then
  # shellcheck disable=SC2086  # a list of words
  go bench.log 110 1 "$here/bin/sphere_bench" ${BENCH:-64 96 100 128 192 256 single 64 128}
fi
echo "run.sh took $(($(date +%s) - began)) s" >>"$logs/machine.txt"
python3 "$here/table.py" "$logs"
