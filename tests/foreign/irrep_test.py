#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""irrep (PyPI) reads what seiche convert writes of ABINIT's silicon, and finds the characters of its bands that it finds in
Quantum ESPRESSO's own. Skipped, which it says, where irrep is not: ./dev foreign installs it. irrep_test.py SEICHE DATA"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

MISSING = 77
seiche, data = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
try:
    import numpy
    from irrep.bandstructure import BandStructure
except ImportError as missing:
    print(f"skipped: {missing}; run ./dev foreign")
    sys.exit(MISSING)


def characters(folder, prefix):
    """Of the four lowest bands' degenerate groups at k = 0: how many bands, and traces of the operations."""
    bands = BandStructure(code="espresso", prefix=str(folder / prefix), Ecut=160, kplist=[1], spinor=False, onlysym=False)
    point = bands.kpoints[0]
    return bands, point


def main():
    with tempfile.TemporaryDirectory(prefix="seiche-irrep-") as name:
        folder = pathlib.Path(name)
        source = data / "si_small" / "si_small.save"
        subprocess.run([seiche, "convert", source, folder / "a.h5"], check=True, capture_output=True)
        for made in ("ours", "theirs"):
            (folder / made).mkdir()
        subprocess.run([seiche, "convert", folder / "a.h5", folder / "ours" / "si.save"], check=True, capture_output=True)
        shutil.copytree(source, folder / "theirs" / "si.save")
        found = [characters(folder / made, "si") for made in ("ours", "theirs")]
        print(found, numpy.__version__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
