# SPDX-License-Identifier: BSD-3-Clause
"""Runs a sweep under mpiexec: run.py COMMAND ... If it fails, tells which case each rank was in."""

import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    with tempfile.TemporaryDirectory() as folder:
        code = subprocess.run(sys.argv[1:], env=dict(os.environ, SEICHE_SWEEP=folder)).returncode
        if code != 0:
            for file in sorted(pathlib.Path(folder).glob("case.*")):
                print(f"rank {file.suffix[1:]}: last case {file.read_text().strip() or 'none'}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
