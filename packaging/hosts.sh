#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Simulates several hosts on one machine: network namespaces on a bridge. The link of each host is limited to RATE both ways.
# usage: hosts.sh HOSTS RATE [options of mpirun] -- command...      e.g. hosts.sh 2 4gbit -- ./program 128
#        RATE as in tc (1gbit, 400mbit), or "none" for no limit. RATE/SLOW, e.g. 1gbit/200mbit, makes two groups of hosts with a
#        link of rate SLOW between them. The first half of the hosts (host0, host1, ...) is the first group. HOSTS may name the
#        group of each host instead: abab makes four hosts whose groups alternate.
#
# Runs one rank per host, over TCP only, with the Open MPI of Debian or with MPIRUN=/path/to/mpirun of Open MPI or MPICH.
# Requires root and iproute2. For two ranks on each of two hosts add "-np 4 --oversubscribe --map-by ppr:2:node", with MPICH
# "-n 4 -ppn 2". Ranks of a host use TCP, too, or shared memory with OMPI_MCA_btl=tcp,vader,self.
# For reliable measurements (docs/for-developers.md):
#  - the token bucket has 80 kB: a larger one refills during computation, and makes blocking code look overlapped;
#  - each host uses the congestion control reno: BBR sets wrong rates for receivers that poll.
set -euo pipefail

if [[ ${SEICHE_HOSTS_ID:-} ]]; then # the remote shell of mpirun: run the command on the host with this address
  while [[ $1 == -* ]]; do shift; done
  name=seiche-$SEICHE_HOSTS_ID-$((${1##*.} - 1))
  shift
  exec unshare --uts nsenter --net="/var/run/netns/$name" sh -c "hostname host${name##*-}; $*"
fi

stop() { printf 'hosts.sh: %s\n' "$*" >&2; exit 1; }
(($# >= 3)) || stop "usage: hosts.sh HOSTS RATE [mpirun's options] -- command..."
hosts=$1 rate=$2 groups=
shift 2
if [[ $hosts =~ ^[ab]+$ ]]; then groups=$hosts hosts=${#hosts}; fi
[[ $hosts =~ ^[0-9]+$ ]] && ((hosts >= 1 && hosts <= 100)) || stop "HOSTS is $hosts; give a number from 1 to 100, or groups such as abab"
for ((i = ${#groups}; i < hosts; ++i)); do groups+=$([[ $((2 * i)) -lt $hosts ]] && echo a || echo b); done
slow=none between=no
if [[ $rate == */* ]]; then slow=${rate#*/} rate=${rate%/*} between=yes; fi
for one in "$rate" "$slow"; do
  [[ $one == none || $one =~ ^[0-9.]+[kmgt]?bit$ ]] || stop "RATE is $one; give for example 1gbit, 400mbit, none or 1gbit/200mbit"
done
options=()
while (($#)) && [[ $1 != -- ]]; do options+=("$1"); shift; done
(($# >= 2)) || stop "no command after --"
shift
((EUID == 0)) || stop "network namespaces need root"
command -v tc >/dev/null && command -v ip >/dev/null || stop "tc or ip is missing: apt-get install iproute2"
command -v nsenter >/dev/null || stop "nsenter is missing: apt-get install util-linux"
mpirun=${MPIRUN:-$(command -v mpirun.openmpi || command -v mpirun)} || stop "mpirun of Open MPI is missing: apt-get install openmpi-bin"
kind=$("$mpirun" --version)

export SEICHE_HOSTS_ID=$$
net=10.77.$(($$ % 250))
list=$(mktemp)

# Names contain the process id, so that the leftovers of a killed run can be found and removed.
down() {
  local id=$1 name
  for name in $(ip netns list | grep -o "^seiche-$id-[0-9]*"); do
    ip netns del "$name" 2>/dev/null || true
  done
  for name in $(ip -o link show | grep -oE "\\bsv$id-[0-9]+"); do ip link del "$name" 2>/dev/null || true; done
  ip link del "sb$id" 2>/dev/null || true
  ip link del "sc$id" 2>/dev/null || true
  ip link del "su$id" 2>/dev/null || true
}
for id in $(ip netns list | sed -n 's/^seiche-\([0-9]*\)-.*/\1/p' | sort -u); do
  kill -0 "$id" 2>/dev/null || down "$id"
done
running= # process id of mpirun
end() {
  local status=$?
  trap - EXIT
  if [[ -n $running ]]; then
    kill "$running" 2>/dev/null || true
    wait "$running" 2>/dev/null || true
  fi
  down $$
  rm -f "$list"
  exit $status
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

inside() { # inside HOST COMMAND...: as "ip netns exec" and "ip -n", which fail if / is not a mount point
  nsenter --net="/var/run/netns/$1" "${@:2}"
}
limit() { # limit DEVICE RATE [COMMAND...]: runs tc by COMMAND
  [[ $2 == none ]] || "${@:3}" tc qdisc add dev "$1" root tbf rate "$2" burst 80kb latency 50ms
}

bridge=sb$$
ip link add "$bridge" type bridge
ip addr add "$net.254/24" dev "$bridge"
ip link set "$bridge" up
if [[ $between == yes ]]; then # a second bridge, and a cable between both
  ip link add "sc$$" type bridge
  ip link set "sc$$" up
  ip link add "su$$" type veth peer name "sd$$"
  ip link set "su$$" master "$bridge" up
  ip link set "sd$$" master "sc$$" up
  limit "su$$" "$slow"
  limit "sd$$" "$slow"
fi
for ((i = 0; i < hosts; ++i)); do
  host=seiche-$$-$i cable=sv$$-$i bridge=sb$$
  if [[ $between == yes && ${groups:i:1} == b ]]; then bridge=sc$$; fi
  ip netns add "$host"
  ip link add "$cable" type veth peer name eth0 netns "$host"
  ip link set "$cable" master "$bridge" up
  inside "$host" ip addr add "$net.$((i + 1))/24" dev eth0
  inside "$host" ip link set eth0 up
  inside "$host" ip link set lo up
  inside "$host" sh -c 'echo reno >/proc/sys/net/ipv4/tcp_congestion_control'
  limit eth0 "$rate" inside "$host" # sending
  limit "$cable" "$rate"            # receiving
  echo "$net.$((i + 1)) slots=1" >>"$list"
done

enter=$(readlink -f "$0")
if [[ $kind == HYDRA* ]]; then
  export UCX_TLS=tcp,self UCX_NET_DEVICES=eth0
  launch=(-launcher ssh -launcher-exec "$enter" -localhost "$net.254" -hosts "$(cut -d' ' -f1 "$list" | paste -sd,)")
  ((${#options[@]})) || options=(-n "$hosts" -ppn 1)
else
  # With more hosts than cores, ranks that wait inside MPI yield their core.
  ((hosts <= $(nproc))) || options+=(--mca mpi_yield_when_idle 1)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  case $kind in
    *") "[1-4].*) launch=(--mca plm_rsh_agent "$enter" --mca oob_tcp_if_include "$net.0/24") ;;
    *) launch=(--prtemca plm_ssh_agent "$enter" --prtemca prte_if_include "$net.0/24") ;;
  esac
  launch+=(--mca pml ob1 --mca osc ^ucx --mca btl "${OMPI_MCA_btl:-tcp,self}" --mca btl_tcp_if_include "$net.0/24"
    --hostfile "$list" --bind-to none)
  for name in $(compgen -e | grep -E '^(SEICHE|OMP|MKL)_' | grep -v HOSTS_ID); do launch+=(-x "$name"); done
fi
"$mpirun" "${launch[@]}" "${options[@]}" "$@" <&0 & # in the background, so that signals are handled immediately
running=$!
status=0
wait "$running" || status=$?
running=
exit $status
