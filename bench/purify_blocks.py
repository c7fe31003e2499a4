#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times one purification with many block sizes: 256 water molecules in a minimal basis, with random couplings that decay
with distance (1536 functions, 12 % of the elements). purify_blocks.py SEICHE [SEICHE_BEFORE] ; needs numpy.

The commands alternate on 2 ranks. Prints the median, minimum and maximum of five rounds, in seconds without reading."""
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy as np

BLOCKS = {"24 rows (4 waters)": "64x24", "96": "16x96", "6 (a water)": "256x6",
          "4, 1, 1 (atoms)": ",".join(["4,1,1"] * 256), "1": "1536x1"}


def waters():
    """Returns Kohn-Sham and overlap matrices. O has four functions, H has one. Molecules are ordered with z fastest."""
    random = np.random.default_rng(1)
    spacing, cutoff = 3.1, 6.2  # angstrom
    grid = np.array([(x, y, z) for x in range(8) for y in range(8) for z in range(4)], float)
    places, levels = [], []
    for oxygen in grid * spacing + random.normal(0, 0.25, grid.shape):
        bonds = random.normal(size=(2, 3))
        bonds *= 0.96 / np.linalg.norm(bonds, axis=1)[:, None]
        places += [oxygen] * 4 + list(oxygen + bonds)
        levels += [*random.normal(-1.2, 0.15, 4), *random.normal(0.6, 0.1, 2)]
    apart = np.array(places)[:, None] - np.array(places)[None]
    box = np.array([8, 8, 4]) * spacing
    apart = np.linalg.norm(apart - box * np.round(apart / box), axis=2)
    noise = random.normal(size=apart.shape)
    noise = (noise + noise.T) / 2
    near = np.where(apart <= cutoff, np.exp(-(apart / 2.2) ** 2), 0)
    overlap, kohn_sham = 0.08 * near * np.tanh(noise), 0.12 * near * noise
    np.fill_diagonal(overlap, 1)
    np.fill_diagonal(kohn_sham, levels)
    return kohn_sham, overlap


def write(path, matrix):
    rows, columns = np.nonzero(matrix)
    with open(path, "w", encoding="ascii") as out:
        out.write(f"%%MatrixMarket matrix coordinate real general\n{len(matrix)} {len(matrix)} {len(rows)}\n")
        for row, column in zip(rows, columns):
            out.write(f"{row + 1} {column + 1} {matrix[row, column]:.17g}\n")


def seconds(command, folder, blocks):
    """Returns the time in seconds without reading, or None above a time limit of 100 seconds."""
    try:
        done = subprocess.run(["mpiexec", "-n", "2", command, "purify", folder / "K.mtx", folder / "S.mtx", "--electrons",
                               "2048", "--eps", "1e-7", "--blocks", blocks], capture_output=True, text=True, check=True,
                              timeout=100)
    except subprocess.TimeoutExpired:
        return None
    read, total = re.search(r"seconds +read ([\d.]+), total ([\d.]+)", done.stdout).groups()
    return float(total) - float(read)


def main():
    commands = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, matrix in zip("KS", waters()):
            write(folder / f"{name}.mtx", matrix)
        times = {(b, c): [] for b in BLOCKS for c in commands}
        for _ in range(5):
            for (name, command), taken in times.items():
                if None not in taken:
                    taken.append(seconds(command, folder, BLOCKS[name]))
    for name in BLOCKS:
        shown = []
        for command in commands:
            taken = times[name, command]
            shown.append("more than 100" if None in taken else
                         f"{statistics.median(taken):.2f} ({min(taken):.2f}-{max(taken):.2f})")
        print(f"{name:20}", *shown, sep=" | ")


main()
