#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Inside packaging/slurm.sh: submits the job of examples/slurm and looks at what it wrote.
# slurm_job.sh BIN JOB SAVE FOLDER     BIN: where the command is
set -eu
PATH=$1:$PATH
export PATH
job=$2 save=$3
mkdir -p "$4"
cd "$4"
sbatch --wait --quiet "$job" "$save" || { cat density.out; exit 1; }
cat density.out
grep -q '^on node\[1-2\]$' density.out
grep -Eq '^electrons +8\.0000000000$' density.out
grep -Eq '^deviation of density +[0-9.]+e-1[4-9] ' density.out
[ -s density.cube ]
[ "$(srun --ntasks=2 --nodes=2 hostname | sort | tr '\n' ' ')" = "node1 node2 " ]
echo "the job ran on two nodes, and its density is right"
