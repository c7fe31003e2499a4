#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command on simulated processes: simulate.py PROCESSES -- bench cache --grid 24

The machine is a model, described in docs/history/scale.md; its parameters are in Machine."""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = ROOT / "build/smpi/bin/seiche"


# Collectives with a faulty algorithm in SimGrid for each set of rules (docs/history/scale.md), and their replacements.
STAND_INS = {"mpich": {"smpi/bcast": "binomial_tree"}, "ompi": {"smpi/alltoallv": "ompi_basic_linear", "smpi/bcast": "binomial_tree"}}


@dataclasses.dataclass
class Machine:
    cores: int = 24          # per node
    nic: str = "5GBps"       # per node, in each direction
    latency: str = "0.4us"   # per link; two or four links between nodes
    memory: str = "16GBps"   # of all messages within a node together
    overhead: float = 0.5e-6  # per process and message, for sending and for receiving
    eager: int = 8192        # bytes up to which sends do not wait for their receives
    flops: float = 1e9       # per process in 1D FFTs
    copy: float = 4e9        # bytes per second of packing per process
    disk: float = 144e6      # bytes per second, of all processes together
    queue: float = 0.0       # seconds per unexpected message that a receive checks
    collectives: str = "ompi"  # MPI library whose rules choose the algorithms of collectives
    network: str = "fat_tree"  # or torus
    group: int = 8           # nodes below a switch of the fat tree, or in a row of the torus of three dimensions
    uplinks: int = 2         # switches above each group, with as many links to each
    order: str = "blocks"    # consecutive ranks are on a node; "shuffled": ranks are on nodes at random
    topology: str = ""       # SEICHE_TOPOLOGY: "nodes", or "groups" for a file with the groups


def groups_of(machine, processes):
    """Returns the number of nodes of a group, and of groups."""
    nodes = -(-processes // machine.cores)
    below = min(nodes, machine.group)
    return below, -(-nodes // below)


def hosts(machine, processes):
    """Returns the host of each process."""
    nodes = [rank // machine.cores for rank in range(processes)]
    if machine.order == "shuffled":
        random.Random(1).shuffle(nodes)
    return [f"n{node}" for node in nodes]


def topology(machine, processes):
    """Returns the table of hosts and groups of the network."""
    below, above = groups_of(machine, processes)
    return "host group\n" + "".join(f"n{node} {node // below}\n" for node in range(below * above))


def platform(machine, processes):
    """Returns a fat tree of two levels, or a torus."""
    below, above = groups_of(machine, processes)
    ups = machine.uplinks if above > 1 else 1
    high = next(side for side in range(math.isqrt(above), 0, -1) if above % side == 0)
    sides = [side for side in (below, above // high, high) if side > 1] or [1]
    shape = {"torus": ("TORUS", ",".join(map(str, sides))), "fat_tree": ("FAT_TREE", f"2;{below},{above};1,{ups};1,{machine.uplinks}")}
    kind, parameters = shape[machine.network]
    return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <zone id="world" routing="Full">
  <cluster id="c" prefix="n" suffix="" radical="0-{below * above - 1}" speed="1Gf" core="{machine.cores}" bw="{machine.nic}" lat="{machine.latency}"
   topology="{kind}" topo_parameters="{parameters}" loopback_bw="{machine.memory}" loopback_lat="{machine.latency}"
   sharing_policy="SPLITDUPLEX"/>
 </zone>
</platform>
"""


def options(machine, more):
    cost = f"0:{machine.overhead}:0"
    values = {
        "smpi/simulate-computation": "no", "smpi/host-speed": "1Gf", "smpi/grow-injected-times": "no",
        "smpi/bw-factor": "0:1.0", "smpi/lat-factor": "0:1.0", "network/crosstraffic": "0", "network/TCP-gamma": "0",
        "smpi/os": cost, "smpi/ois": cost, "smpi/or": cost, "smpi/test": "0.5e-6", "smpi/iprobe": "0.5e-6", "smpi/wtime": "1e-8",
        "smpi/async-small-thresh": 0,  # otherwise a short message may overtake a long one with the same tag
        "smpi/send-is-detached-thresh": machine.eager,
        "smpi/coll-selector": machine.collectives, "contexts/stack-size": "1024",
    }
    values |= STAND_INS.get(machine.collectives, {}) | more
    return [f"--cfg={name}:{value}" for name, value in values.items()]


def environment(machine, library):
    own = {name: value for name, value in os.environ.items() if not name.startswith("SEICHE_")}
    rates = f"flops={machine.flops} disk={machine.disk} copy={machine.copy} queue={machine.queue}"
    return own | {"SEICHE_MACHINE": rates, "SEICHE_TUNING": "none", "SEICHE_FFT": "fftw", "OMP_NUM_THREADS": "1",
                  "OPENBLAS_NUM_THREADS": "1", "LD_LIBRARY_PATH": str(library)}


def start(processes, command, machine, settings, folder=None, **more):
    """Runs a command on simulated processes. Returns the finished process, with its output, and seconds of its processor time.

    settings: the environment. folder: where the command runs. more: further options of SimGrid."""
    with tempfile.TemporaryDirectory(prefix="seiche-simulation-") as scratch:
        places, plan, groups = (pathlib.Path(scratch, name) for name in ("hosts", "platform.xml", "groups"))
        places.write_text("".join(f"{host}\n" for host in hosts(machine, processes)))
        plan.write_text(platform(machine, processes))
        groups.write_text(topology(machine, processes))
        if machine.topology:
            settings = settings | {"SEICHE_TOPOLOGY": str(groups) if machine.topology == "groups" else machine.topology}
        run = ["smpirun", "-np", str(processes), "-platform", plan, "-hostfile", places, "--log=root.thres:error", *options(machine, more),
               *map(str, command)]
        before = os.times()
        done = subprocess.run(run, env=settings | {"TMPDIR": scratch}, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        after = os.times()
    return done, after.children_user - before.children_user


def simulate(processes, arguments, machine=Machine(), command=COMMAND, may_fail=False):
    """Returns (output of the command, account of its processes (account.hpp), seconds of processor time of the simulation)."""
    settings = environment(machine, command.parent.parent / "simulation")
    done, seconds = start(processes, [command, *arguments], machine, settings)
    accounts = [line.removeprefix("account ") for line in done.stderr.splitlines() if line.startswith("account {")]
    if (done.returncode != 0 and not may_fail) or not accounts:
        raise RuntimeError(f"seiche {' '.join(map(str, arguments))} on {processes} simulated processes: {done.stderr[-2000:] or done.stdout[-2000:]}")
    return done.stdout, json.loads(accounts[-1]), seconds


def report(processes, arguments, **more):
    """Returns the JSON object of the command, and the account."""
    text, account, seconds = simulate(processes, [*arguments, "--json"], **more)
    return json.loads(text.strip().splitlines()[-1]) | {"account": account, "processor_seconds": seconds}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("processes", type=int)
    parser.add_argument("--command", type=pathlib.Path, default=COMMAND)
    for field in dataclasses.fields(Machine):
        parser.add_argument(f"--{field.name}", type=field.type, default=field.default)
    parser.add_argument("arguments", nargs="+")
    given = parser.parse_args()
    machine = Machine(**{field.name: getattr(given, field.name) for field in dataclasses.fields(Machine)})
    text, account, seconds = simulate(given.processes, given.arguments, machine, given.command.resolve())
    sys.stdout.write(text)
    for name, of in account.items():
        print(f"{name}: {of['most']} on one process at most, {of['sum']} in total", file=sys.stderr)
    print(f"{seconds:.1f} s of processor time of the simulation", file=sys.stderr)
