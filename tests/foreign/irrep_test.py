#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""irrep (PyPI) reads the WFK that seiche convert makes of Quantum ESPRESSO's silicon, and finds in it the energies, degeneracies,
irreducible representations and characters that it finds in Quantum ESPRESSO's own files. Skipped, which it says, where irrep is not:
./dev foreign installs it. irrep_test.py SEICHE DATA IRREP"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MISSING, KPOINTS = 77, 8
seiche, data, irrep = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]


def bands(folder, *words):
    """Of each degenerate group: energy, number of bands, representation, then the characters."""
    done = subprocess.run([irrep, "-Ecut=100", "-IBend=8", *words], cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"irrep {words} failed:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
    rows = re.findall(r"^\s*(-?\d+\.\d+)\s+\|\s+(\d+)\s+\|([^|]*)\|(.*)$", done.stdout, re.MULTILINE)
    return [(float(energy), int(count), name.strip(), [complex(x.replace("i", "j")) for x in characters.split()])
            for energy, count, name, characters in rows]


def main():
    if not shutil.which(irrep):
        print(f"skipped: no {irrep}; run ./dev foreign")
        return MISSING
    with tempfile.TemporaryDirectory(prefix="seiche-irrep-") as name:
        folder = pathlib.Path(name)
        save = data / "si_small" / "si_small.save"
        shutil.copytree(save, folder / "si.save")
        subprocess.run([seiche, "convert", save, folder / "si_WFK"], check=True, capture_output=True)
        compared = 0
        for words in (["-kpoints=1", "-kpnames=GM"], *([f"-kpoints={k}"] for k in range(1, KPOINTS + 1))):
            theirs, ours = bands(folder, "-code=espresso", "-prefix=./si", *words), bands(folder, "-code=abinit", "-fWFK=si_WFK", *words)
            if len(theirs) != len(ours) or len(theirs) < 3:
                sys.exit(f"{words}: {len(theirs)} and {len(ours)} groups of bands")
            for (energy, count, said, characters), found in zip(theirs, ours):
                if abs(energy - found[0]) > 1e-4 or (count, said) != found[1:3] or len(characters) != len(found[3]):
                    sys.exit(f"{words}: {found[:3]}, where Quantum ESPRESSO's files have {(energy, count, said)}")
                if max(abs(x - y) for x, y in zip(characters, found[3])) > 2e-4:
                    sys.exit(f"{words}: characters {found[3]}, not {characters}")
                compared += len(characters)
        names = [said for _, _, said, _ in bands(folder, "-code=abinit", "-fWFK=si_WFK", "-kpoints=1", "-kpnames=GM")]
    print(f"{compared} characters compared; at k = 0: {', '.join(names)}")
    expected = ["GM1+(1.0)", "GM5+(1.0)", "GM4-(1.0)", "GM2-(1.0)"]  # Gamma 1, 25', 15, 2' of the textbooks
    return 0 if compared > 100 and names == expected else 1


if __name__ == "__main__":
    sys.exit(main())
