#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Three delays at once on two hosts whose link has a limit: a late rank, the link, and no polls. The split of waiting has to ascribe
each within a tenth, and the link's share has to be what so many bytes take at its rate.

hosts_test.py COMMAND WAITS; skipped (77) without root and network namespaces."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

COMMAND, WAITS = sys.argv[1:]
HOSTS = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "hosts.sh"
RATE = 1e9 / 8
IN_PACKETS = 1448 / 1514  # of a packet on the link, the rest are headers


def sums(data, function, place):
    rows = [row for row in data["rows"] if row["function"] == function and row["place"].startswith(place)]
    assert rows, (function, place, [row["place"] for row in data["rows"]])
    return {cause: sum(row[cause] for row in rows) for cause in ("late", "transport", "missing")}


def main():
    if os.geteuid() != 0 or not shutil.which("tc") or subprocess.run(["ip", "netns", "add", "seiche-probe"], capture_output=True, check=False).returncode:
        print("skipped: two hosts need root, iproute2 and network namespaces")
        return 77
    subprocess.run(["ip", "netns", "del", "seiche-probe"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([COMMAND, "profile", "--json", "--", HOSTS, "2", "1gbit", "-np", "4", "--oversubscribe", "--map-by", "ppr:2:node", "--",
                               WAITS, "link"], capture_output=True, text=True, timeout=280, cwd=folder, check=False)
    if done.returncode != 0:
        print(done.stdout, done.stderr)
        return 1
    late, wire, missing, blocks, messages = map(float, done.stdout.splitlines()[0].split())
    data = json.loads(done.stdout.splitlines()[-1])
    barriers, link, unpolled = sums(data, "MPI_Barrier", "late_barriers"), sums(data, "MPI_Recv", "over_the_link"), sums(data, "MPI_Recv", "unpolled_messages")
    checks = [("late rank", barriers["late"], late), ("link", link["transport"], wire), ("link, by its rate", link["transport"], blocks / RATE / IN_PACKETS),
              ("no polls", unpolled["missing"], missing), ("no polls, then the link", unpolled["transport"], messages / RATE / IN_PACKETS)]
    for name, found, known in checks:
        print(f"{name}: {found:.3f} s found, {known:.3f} s known, {100 * (found / known - 1):+.1f} %")
    return 0 if all(known > 0.1 and abs(found / known - 1) <= 0.1 for _, found, known in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
