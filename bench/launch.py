# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command `seiche` for the scripts of this folder."""
import json
import os
import shlex
import subprocess
import sys


def add_options(parser):
    parser.add_argument("--launch", default="mpiexec -n 2", help='e.g. "mpiexec -n 4" or "packaging/hosts.sh 2 1gbit --"')
    parser.add_argument("--seiche", default="build/release/bin/seiche")


def run(options, arguments, tuning="none", needed=True):
    """Returns the JSON of `seiche ARGUMENTS --json` with this tuning file. On failure exits, or returns None unless `needed`."""
    command = [*shlex.split(options.launch), options.seiche, *map(str, arguments), "--json"]
    done = subprocess.run(command, env=dict(os.environ, SEICHE_TUNING=tuning), capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode == 0 and lines:
        return json.loads(lines[-1])
    if needed:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return None
