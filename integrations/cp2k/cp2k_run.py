# SPDX-License-Identifier: BSD-3-Clause
"""Runs CP2K as it comes and with Seiche, and reads its timing report. Shared by the programs of this folder."""
import re
import subprocess

SERVED = "Seiche: products of DBCSR matrices"


def run(cp2k, library, launcher, name, folder, **settings):
    """Runs the input `name` in a folder. Returns the finished process with its output.

    cp2k: the folder of get.sh. library: libseiche_cp2k.so, or None for the original program. launcher: the command that
    starts ranks. settings: further environment variables."""
    settings |= {"CP2K_DATA_DIR": cp2k / "cp2k-2025.1/data", "OMP_NUM_THREADS": 1}
    if library:
        settings["LD_PRELOAD"] = library
    command = [*launcher, "env", *(f"{key}={value}" for key, value in settings.items()), cp2k / "bin/cp2k.psmp",
               "-i", name]
    return subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, errors="replace",
                          check=False)


def timing(output, routine):
    """Returns the calls of a routine and its largest total seconds over ranks: zeros if the timing report does not
    have it."""
    found = re.search(rf"^ {routine}\s+(\d+)\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+([\d.]+)$", output, re.M)
    return (int(found[1]), float(found[2])) if found else (0, 0.0)
