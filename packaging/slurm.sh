#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Starts a Slurm cluster of two nodes on this machine, runs a command that may call srun and sbatch, and stops the cluster.
# It uses slurmctld, slurmd and munged of Debian.
#   slurm.sh FOLDER command...     logs are in FOLDER; exit code 77: the cluster cannot run on this machine
set -euo pipefail
folder=$(mkdir -p "$1" && readlink -f "$1")
shift
export PATH=$PATH:/usr/sbin:/sbin
for daemon in slurmctld slurmd srun munged; do
  command -v "$daemon" >/dev/null || { echo "skipped: there is no $daemon; apt-get install slurmctld slurmd slurm-client munge" >&2; exit 77; }
done
unshare --mount --uts mount -t tmpfs tmpfs /tmp 2>/dev/null || { echo "skipped: nodes require root and namespaces" >&2; exit 77; }

host=$(hostname -s) user=$(id -un)
port=$((20000 + RANDOM % 10000))
rm -rf "$folder"
mkdir -p "$folder/state"
head -c 128 /dev/urandom >"$folder/munge.key"
chmod 400 "$folder/munge.key"

cat >"$folder/slurm.conf" <<CONF
ClusterName=seiche
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=pmix
ReturnToService=2
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$(nproc)
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=$(nproc)
PartitionName=all Nodes=node1,node2 Default=YES State=UP
CONF
export SLURM_CONF=$folder/slurm.conf

pids=()
end() {  # munged ends last, as the other daemons sign their last messages
  local last
  for ((last = ${#pids[@]} - 1; last >= 0; last--)); do
    kill "${pids[last]}" 2>/dev/null || true
    wait "${pids[last]}" 2>/dev/null || true
  done
}
trap end EXIT
start() { "$@" >>"$folder/start.log" 2>&1 & pids+=($!); }

start munged --foreground --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
start slurmctld -D
# Each node has its own name and its own /tmp, as the PMIx plugin of Slurm requires.
for node in node1 node2; do
  start unshare --mount --uts sh -c "hostname $node && mount -t tmpfs tmpfs /tmp && exec slurmd -D -N $node"
done

for ((second = 0; second < 60; second++)); do
  [[ $(sinfo --noheader --format %D --states=idle 2>/dev/null) != 2 ]] || break
  sleep 1
done
[[ $(sinfo --noheader --format %D --states=idle) == 2 ]] || { echo "the nodes did not start; see the logs in $folder" >&2; tail -n 5 "$folder"/*.log >&2; exit 1; }
"$@"
