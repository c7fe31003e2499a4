#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`seiche tune --topology` on hosts in two groups with a slow link between them, and a plan that reads its file.

groups_of_hosts_test.py COMMAND; skipped (77) without root and network namespaces."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HOSTS = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "hosts.sh"


def run(groups, *words, topology=""):
    """Returns the JSON of the command on hosts of these groups."""
    done = subprocess.run([HOSTS, groups, "1gbit/100mbit", "--", *words, "--json"], capture_output=True, text=True, timeout=280, check=False,
                          env=os.environ | {"SEICHE_TOPOLOGY": topology, "SEICHE_TUNING": "none"})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def main():
    if os.geteuid() != 0 or not shutil.which("tc") or subprocess.run(["ip", "netns", "add", "seiche-probe"], capture_output=True, check=False).returncode:
        print("skipped: hosts need root, iproute2 and network namespaces")
        return 77
    subprocess.run(["ip", "netns", "del", "seiche-probe"], check=True)
    command = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "groups")
        for groups, numbers in (("abba", "0110"), ("aabab", "00101"), ("aaa", "000")):
            found = run(groups, command, "tune", "--topology", file)
            assert found == {"file": str(file), "nodes": len(groups), "groups": len(set(groups))}, found
            lines = [f"host{host} {number}" for host, number in enumerate(numbers)]
            assert file.read_text() == "\n".join(["host group", *lines, ""]), file.read_text()
        run("abba", command, "tune", "--topology", file)
        levels = run("abba", command, "bench", "fft", "--grid", "8", "--decomposition", "pencil", "--repeat", "1", topology=str(file))["levels"]
        assert levels.endswith("group 4096 (8192)"), levels
    return 0


if __name__ == "__main__":
    sys.exit(main())
