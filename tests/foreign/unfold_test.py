#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""seiche unfold of a perfect supercell that Quantum ESPRESSO computed: weights at each energy add up to the number of the
primitive cell's bands there. Slow, and needs Debian's quantum-espresso: ./dev foreign installs it.
unfold_test.py SEICHE SHARED"""
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

MISSING, HARTREE = 77, 27.211386245988
seiche, pseudo = sys.argv[1], pathlib.Path(sys.argv[2]).resolve() / "pseudo"
INPUT = """&CONTROL
 calculation='scf', prefix='si', outdir='./out', pseudo_dir='{pseudo}' /
&SYSTEM
 ibrav=0, celldm(1)=10.2631, nat={atoms}, ntyp=1, ecutwfc=12, ecutrho=48, nbnd={bands}, occupations='fixed', nosym=.true.,
 noinv=.true., nr1={points}, nr2=20, nr3=20 /
&ELECTRONS
 conv_thr=1.0d-13, diago_full_acc=.true. /
ATOMIC_SPECIES
 Si 28.086 Si_std_PBE_SR.upf
CELL_PARAMETERS alat
 {first}
 0.0 0.5 0.5
 -0.5 0.5 0.0
ATOMIC_POSITIONS crystal
{places}
K_POINTS crystal
{kpoints}
"""


def run(*arguments, folder=None):
    done = subprocess.run([str(a) for a in arguments], cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{arguments} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def computed(folder, times, bands):
    """Silicon, its first vector so many times as long."""
    places = [((x + n) / times, x, x) for n in range(times) for x in (0, 0.25)]
    points = [(a / 2 * times, b / 2, c / 2) for a in range(2 // times) for b in range(2) for c in range(2)]
    folder.mkdir()
    (folder / "pw.in").write_text(INPUT.format(
        pseudo=pseudo, atoms=2 * times, bands=bands, points=20 * times, first=f"{-0.5 * times} 0.0 {0.5 * times}",
        places="\n".join("Si %.10f %.10f %.10f" % p for p in places),
        kpoints="\n".join([str(len(points)), *("%.10f %.10f %.10f 1" % k for k in points)])))
    run("pw.x", "-in", "pw.in", folder=folder)
    return folder / "out" / "si.save"


def main():
    if not shutil.which("pw.x") or not pseudo.is_dir():
        print("skipped: no pw.x or no pseudopotentials; run ./dev foreign, set SEICHE_SHARED")
        return MISSING
    with tempfile.TemporaryDirectory(prefix="seiche-unfold-") as name:
        folder = pathlib.Path(name)
        primitive, supercell = computed(folder / "one", 1, 8), computed(folder / "two", 2, 20)
        run(seiche, "unfold", supercell, "--times", "2,1,1", "-o", folder / "weights.csv")
        header = json.loads(run(seiche, "info", primitive, "--json"))
        rows = list(csv.DictReader((folder / "weights.csv").open()))
    compared, worst = 0, 0.0
    for point, energies in zip(header["kpoint_list"], header["energies"][0], strict=True):
        here = [row for row in rows if all(abs((float(row[f"k{i + 1}"]) - point["k"][i] + 0.5) % 1 - 0.5) < 1e-6 for i in range(3))]
        if not here:
            sys.exit(f"no row has k-point {point['k']}")
        for energy in energies:
            if energy > energies[5] + 1e-3:  # higher ones are mixed by where the supercell's bands end
                continue
            bands = sum(abs(other - energy) < 1e-4 for other in energies)
            weight = sum(float(row["weight"]) for row in here if abs(float(row["energy_hartree"]) - energy) < 1e-4)
            worst, compared = max(worst, abs(weight - bands)), compared + 1
    print(f"{compared} bands compared; weights differ from whole numbers by {worst:.1e} at most")
    return 0 if compared > 40 and worst < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
