#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""examples/scf against ABINIT: the same crystal, pseudopotentials (ABINIT's own files), cut-off and k-points.

abinit_scf_test.py STORED [--store] -- LAUNCHER... PYTHON examples/scf

STORED has the arguments of each case and what ABINIT said; --store writes what it says now. Exits with 77 without ABINIT.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

POTENTIALS = pathlib.Path("/usr/share/abinit/psp")  # where Debian's abinit-data has them
INPUT = """acell 3*{constant}
rprim 0 .5 .5 .5 0 .5 .5 .5 0
pp_dirpath "{potentials}"
ixc 1 ecut {cutoff} ngkpt {mesh} nshiftk 1 shiftk 0 0 0
nband 8 nbdbuf 2 nstep 100 tolwfr 1d-22 nline 8 prtwf 0 prtden 0 enunit 1 prtvol 2
"""
CRYSTALS = {
    "silicon": (10.2, 'ntypat 1 znucl 14 natom 2 typat 1 1 xred 0 0 0 3*.25\npseudos "14si.4.hgh"\n'),
    "salt": (10.66, 'ntypat 2 znucl 11 17 natom 2 typat 1 2 xred 0 0 0 3*.5\npseudos "11na.1.hgh, 17cl.7.hgh"\n'),
}
NAMES = {"kinetic": "kinetic", "hartree": "hartree", "xc": "xc", "Ewald energy": "ewald", "psp_core": "core",
         "local_psp": "local", "non_local_psp": "separable", "total_energy": "total"}


def option(arguments, name, count):
    at = arguments.index(name)
    return " ".join(arguments[at + 1 : at + 1 + count])


def abinit(arguments):
    """What ABINIT finds for the case of these arguments of examples/scf."""
    constant, atoms = CRYSTALS[arguments[0]]
    text = atoms + INPUT.format(constant=constant, potentials=POTENTIALS, cutoff=option(arguments, "--cutoff", 1),
                                mesh=option(arguments, "--mesh", 3))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "case.abi").write_text(text)
        done = subprocess.run(["abinit", "case.abi"], cwd=folder, capture_output=True, text=True, check=False)
        output = pathlib.Path(folder) / "case.abo"
        if done.returncode or not output.exists():
            sys.exit(f"abinit failed:\n{done.stdout[-2000:]}\n{done.stderr}")
        return parsed(output.read_text())


def parsed(text):
    terms = re.search(r"--- !EnergyTerms(.*?)\n\.\.\.", text, re.DOTALL).group(1)
    found = dict(re.findall(r"^(\S[^:\n]*?)\s*:\s*([-+.\dE]+)$", terms, re.MULTILINE))
    blocks = re.findall(r"kpt#\s*\d+, nband=\s*\d+, wtk=\s*([\d.]+), kpt=\s*(\S+)\s+(\S+)\s+(\S+) \(reduced coord\)\n((?:[ \d.E+-]+\n)+)",
                        text[text.index("Eigenvalues (   eV  )"):])
    volts = float(found["total_energy_eV"]) / float(found["total_energy"])  # bands are printed with more digits so
    return {
        "energies": {ours: float(found[theirs]) for theirs, ours in NAMES.items()},
        "kpoints": [[float(x) for x in block[1:4]] for block in blocks],
        "weights": [float(block[0]) for block in blocks],
        "bands": [[float(e) / volts for e in block[4].split()] for block in blocks],
    }


def main():
    at = sys.argv.index("--")
    stored, launcher = pathlib.Path(sys.argv[1]), sys.argv[at + 1 :]
    if not shutil.which("abinit") or not POTENTIALS.is_dir():
        print("skipped: ABINIT and its pseudopotentials are not here; ./dev foreign installs them")
        return 77
    cases, worst = json.loads(stored.read_text()), 0.0
    for name, case in cases.items():
        found = abinit(case["arguments"])
        if "--store" in sys.argv:
            case.update(found)
            continue
        pairs = zip(sum(found["bands"], []), sum(case["bands"], []), strict=True)  # ours: tests/python/test_scf.py
        worst = max([worst, *(abs(now - then) for now, then in pairs)])
        done = subprocess.run([*launcher, *case["arguments"], "--json"], capture_output=True, text=True, check=False)
        if done.returncode == 77:
            print(done.stdout)
            return 77
        if done.returncode:
            sys.exit(f"examples/scf failed:\n{done.stdout}\n{done.stderr}")
        ours = json.loads(done.stdout)
        print(f"{name:>10} {'examples/scf':>16} {'ABINIT':>16}")
        for part, energy in ours["energies"].items():
            print(f"{part:>10} {energy:16.9f} {found['energies'][part]:16.9f}")
            worst = max(worst, abs(energy - found["energies"][part]), abs(energy - case["energies"][part]))
    if "--store" in sys.argv:
        stored.write_text(json.dumps(cases, indent=1) + "\n")
    print(f"largest difference {worst:.1e} hartree")
    return 0 if worst < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
