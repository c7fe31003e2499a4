#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predicts what hidden communication gains in the products of CP2K's linear scaling with 6,144 atoms of water.

predict_products.py CP2K SEICHE SCRATCH [--cells 1x1x1 ...] [--data FILE]

CP2K: the folder of get.sh. SEICHE: the command `seiche`. The original program runs H2O-dft-ls on 2 ranks with small
numbers of cells. Its statistics give the occupancy of the matrices, and the fraction of products of blocks that the
filter does not skip. The last number of cells gives the distances up to which blocks are nonzero and are multiplied.
With these distances, `seiche predict blocksparse` predicts a product of 4 x 4 x 4 cells. A run whose output is in
SCRATCH is not repeated. The other numbers of cells check the distances."""
import argparse
import bisect
import itertools
import json
import math
import pathlib
import re
import subprocess
import sys
import typing

import check_cases
import cp2k_run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import figures  # noqa: E402

INPUT = "QS_DM_LS/H2O-dft-ls.inp"
MOLECULES = 32  # in one cell, each a block
SIZE = 23       # of a block: O has 13 functions, H has 5
NOTES = ("Predictions, not measurements, for assumed machines. Seconds are those of one product of 2048 blocks of 23. "
         "The threads of a process share its work evenly. Hidden communication takes no CPU time. The command of a row "
         "gives the alternating time, and with --window 3 the time with hidden communication. Processor, MPI and "
         "compiler are those of the runs that measured occupancies.")
SMALL = [(1, 1, 1), (2, 1, 1), (2, 2, 1), (4, 1, 1), (8, 1, 1)]  # cells
LARGE = (4, 4, 4)
CORES = (144, 288, 576, 1152, 2304)
NODE = 24  # cores
MACHINES = {1: "docs/machines/cluster.json", 6: "docs/machines/cluster-threads.json"}  # by threads of a process
PUBLISHED = (0.13, 0.2)  # gain of a communication thread, of the whole linear-scaling step


class Pattern(typing.NamedTuple):
    """`occupancy`: fraction of nonzero blocks. `multiplied`: fraction of products of blocks that are not skipped."""
    occupancy: float
    multiplied: float


class Reach(typing.NamedTuple):
    """Distances of molecules in angstrom. Blocks are nonzero up to `block`. Of the products of blocks the fraction
    `near` is multiplied up to the sum `product` of the distances of both blocks, and none above: norms fall off
    exponentially."""
    block: float
    product: float
    near: float


def output_of(options, cells):
    """Returns the output of the original program."""
    folder = options.scratch / "x".join(map(str, cells))
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / "output"
    if not output.exists():
        changes = [("${NREP} ${NREP} ${NREP}", " ".join(map(str, cells)))]
        (folder / "water.inp").write_text(check_cases.changed(options.cp2k, INPUT, changes), encoding="utf-8")
        done = cp2k_run.run(options.cp2k, None, ["mpiexec", "-n", 2], "water.inp", folder)
        if done.returncode:
            raise RuntimeError(f"{cells} cells ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
        output.write_text(done.stdout, encoding="utf-8")
    return output.read_text(encoding="utf-8")


def measured(output, blocks):
    """Returns the mean pattern. On 2 ranks DBCSR sends each half of the left operand in one message. Products whose
    left operand has diagonal blocks only do not count."""
    bins = re.findall(r"size <=? *\d* +(\d+) +(\d+)$|< size +(\d+) +(\d+)$", output, re.M)
    sent = [(int(a or c), int(b or d)) for a, b, c, d in bins if int(a or c)]
    block_bytes = 8 * SIZE**2
    heavy = [(count, size) for count, size in sent if size / count > 1.5 * blocks / 2 * block_bytes]
    products = sum(count for count, _ in heavy) / 2
    occupancy = sum(size for _, size in heavy) / products / (blocks**2 * block_bytes)
    multiplications = int(re.search(r"matmuls total +(\d+)", output)[1])
    return Pattern(occupancy, multiplications / products / (occupancy**2 * blocks**3))


def distances(text, cells):
    """Returns for each oxygen atom of one cell the ascending distances of all, in angstrom. Cells are periodic."""
    side = float(re.search(r"ABC ([\d.]+)", text)[1])
    atoms = [tuple(map(float, found)) for found in re.findall(r"^ +O +([\d.]+) +([\d.]+) +([\d.]+) H2O", text, re.M)]

    def along(x, count):
        x %= side * count
        return min(x, side * count - x)
    return [sorted(math.hypot(*(along(b + side * at - a, n) for a, b, at, n in zip(first, second, cell, cells)))
                   for cell in itertools.product(*map(range, cells)) for second in atoms) for first in atoms]


def pattern_of(found, reach):
    """Returns the pattern of molecules at these distances."""
    pairs = left = 0
    for apart in found:
        near = apart[:bisect.bisect(apart, reach.block)]
        pairs += len(near)**2
        left += sum(bisect.bisect(near, reach.product - distance) for distance in near)
    near = sum(bisect.bisect(apart, reach.block) for apart in found)
    return Pattern(near / sum(map(len, found)), reach.near * left / pairs)


def reach_of(found, pattern, near):
    """Returns the reach that leads to a pattern of molecules at these distances."""
    def largest(fits):
        """Returns the largest distance that fits."""
        low, high = 0.0, 2 * max(map(max, found))
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low
    block = largest(lambda x: pattern_of(found, Reach(x, 0, near)).occupancy <= pattern.occupancy)
    product = largest(lambda x: pattern_of(found, Reach(block, x, near)).multiplied <= pattern.multiplied)
    return Reach(block, product, near)


def command_of(pattern, threads, window, numbers):
    """Returns the words of a prediction for these numbers of cores. Paths are relative to the checkout."""
    return ["predict", "blocksparse", "--blocks", str(math.prod(LARGE) * MOLECULES), "--sizes", str(SIZE),
            "--fill", f"{pattern.occupancy:.4g}", "--multiplied", f"{pattern.multiplied:.4g}", "--layers", "1",
            "--window", str(window), "--ranks", ",".join(str(n // threads) for n in numbers),
            "--per-node", str(NODE // threads), "--machine", MACHINES[threads]]


def predicted(options, pattern, threads, window):
    """Returns the predictions for all numbers of cores."""
    command = [options.seiche, *command_of(pattern, threads, window, CORES), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)["predictions"]


def entries_of(pattern, suffix=""):
    return {name + suffix: figures.rounded(value, 3) for name, value in pattern._asdict().items()}


def patterns(options):
    """Returns the pattern of the large case, and rows of all cases: measured, and from distances of molecules."""
    text = check_cases.changed(options.cp2k, INPUT, [])
    found = {cells: measured(output_of(options, cells), MOLECULES * math.prod(cells)) for cells in options.cells}
    near = max(pattern.multiplied for pattern in found.values())  # where all distances are short
    reach = reach_of(distances(text, options.cells[-1]), found[options.cells[-1]], near)
    rows = []
    for cells in (*options.cells, LARGE):
        pattern = pattern_of(distances(text, cells), reach)
        rows.append({"case": f"{' x '.join(map(str, cells))} cells", "atoms": 3 * MOLECULES * math.prod(cells),
                     **(entries_of(found[cells]) if cells in found else {}), **entries_of(pattern, "_by_distance"),
                     "reach_of_blocks": figures.rounded(reach.block, 3),
                     "reach_of_products": figures.rounded(reach.product, 3)})
    return pattern, rows


def rows_of(options):
    """Returns the rows of docs/performance/data: of the patterns, then of the predictions."""
    pattern, rows = patterns(options)
    for threads in MACHINES:
        times = [predicted(options, pattern, threads, window) for window in (1, 3)]
        for cores, apart, hidden in zip(CORES, *times):
            rows.append({"case": "6,144 atoms, predicted", "cores": cores, "threads": threads,
                         "alternating": figures.rounded(apart["seconds"]), "ours": figures.rounded(hidden["seconds"]),
                         "communication": figures.rounded(1 - apart["parts"]["lines"] / apart["seconds"], 3),
                         "gain": figures.rounded(1 - hidden["seconds"] / apart["seconds"], 3),
                         "published_gain": PUBLISHED,
                         "command": " ".join(["seiche", *command_of(pattern, threads, 1, [cores])])})
    return rows


def cells_of(text):
    return tuple(int(count) for count in text.split("x"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cp2k", "seiche", "scratch"):
        parser.add_argument(name, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--cells", nargs="+", type=cells_of, default=SMALL)
    figures.add_options(parser)
    options = parser.parse_args()
    rows = rows_of(options)
    for row in rows:
        print(row)
    figures.write(options, "cp2k-predicted", rows, unit="s", notes=NOTES)


if __name__ == "__main__":
    main()
