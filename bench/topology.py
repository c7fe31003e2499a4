#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times plans with and without SEICHE_TOPOLOGY on four emulated hosts in two groups with a slow link between them
(packaging/hosts.sh), as root. Runs with and without it are in turn.

topology.py [--rate 1gbit/100mbit] [--rounds 5] [--only CASE ...] [--data FILE]
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import figures

HOSTS = figures.PROJECT / "packaging" / "hosts.sh"
SPHERE = ["bench", "bands", "--grid", "64", "--bands", "8", "--repeat", "3"]
CASES = {
    "sphere in 64^3, 8 bands, 2 band groups": [*SPHERE, "--band-groups", "2"],
    "sphere in 64^3, 8 bands, 1 band group": [*SPHERE, "--band-groups", "1"],
    "c2c 64^3, pencils, a pair": ["bench", "fft", "--grid", "64", "--decomposition", "pencil", "--repeat", "3"],
}
# the group of the host of each rank
ORDERS = {"abab": "in turn", "abba": "crossed", "aabb": "in order"}


def run(options, groups, case, topology):
    """Returns the JSON line of the command. `topology`: the value of SEICHE_TOPOLOGY."""
    done = subprocess.run([HOSTS, groups, options.rate, "--", options.build / "bin/seiche", *CASES[case], "--json"], text=True,
                          env=os.environ | {"SEICHE_TOPOLOGY": topology, "SEICHE_TUNING": "none"}, capture_output=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        sys.exit(f"{case}, {groups}: {done.stderr.strip()}")
    return json.loads(lines[-1])


def measure(options, groups, case, scratch):
    """Returns the row of a case and an order, in milliseconds."""
    table = pathlib.Path(scratch, groups)
    table.write_text("host group\n" + "".join(f"host{host} {group}\n" for host, group in enumerate(groups)))
    times = []
    for _ in range(options.rounds):
        without, ordered = (run(options, groups, case, topology) for topology in ("", str(table)))
        times.append([1e3 * report["seconds"]["median"] for report in (without, ordered)])
    sent, before = map(int, re.search(r"group (\d+) \((\d+)\)", ordered["levels"]).groups())
    return {"case": case, "hosts": len(groups), "where": f"4 hosts, {options.rate}", "order": ORDERS[groups], **figures.compared(times),
            "crossing": sent, "crossing_peer": before, "crossing_ratio": figures.rounded(sent / before)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--rate", default="1gbit/100mbit", help="of the links of hosts, and of the link between the groups")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES), help="some of the cases")
    figures.add_options(parser)
    options = parser.parse_args()
    rows = []
    print(f"{'case':<42}{'ranks':>10}{'without':>10}{'with':>10} ms{'ratio':>8}{'bytes':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        for case in options.only:
            for groups in ORDERS:
                rows.append(measure(options, groups, case, scratch))
                row = rows[-1]
                print(f"{case:<42}{row['order']:>10}{row['peer_time']:>10.1f}{row['ours']:>10.1f}   {row['ratio']:>8.2f}{row['crossing_ratio']:>8.2f}", flush=True)
    figures.write(options, "topology", rows)


if __name__ == "__main__":
    main()
