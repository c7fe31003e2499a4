#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the share of the bound of transforms and products: the least time at the rates of this machine over the time.

of_bound.py [--where 1 2 ...] [--grids 64 128 256] [--rounds 5] [--data FILE]

Transforms: `seiche bench --of-bound`. Products of blocks: the rate of the kernel in cache over all cores is the bound.
Each round runs all cases once. A row has medians over the rounds. Nothing else should run meanwhile."""
import argparse
import json
import statistics
import subprocess
import sys

import figures

BANDS = 16
PRODUCTS = [(200, 0.1), (1000, 0.02)]  # blocks of 23, fraction of nonzero blocks


def cases(grids):
    """Returns the arguments of `seiche bench` by the name of the case."""
    found = {}
    for n in grids:
        for kind in ("c2c", "r2c"):
            found[f"pair of {kind} {n}^3"] = ["fft", "--grid", n, "--kind", kind, "--of-bound"]
        bands = ["bands", "--grid", n, "--bands", max(2, BANDS * 128**3 // max(n, 128)**3), "--of-bound"]
        found[f"V psi, sphere in {n}^3"] = bands
        found[f"density, sphere in {n}^3"] = [*bands, "--density"]
    for blocks, fill in PRODUCTS:
        found[f"product of {blocks} x {blocks} blocks of 23, {100 * fill:.0f} %"] = [
            "blocksparse", "--blocks", blocks, "--fill", fill, "--sizes", 23, "--rates"]
    return found


def measured(options, where, arguments):
    """Returns milliseconds, GFlop/s, MB of each rank from and to memory, the least milliseconds, and the share."""
    command = [*figures.launcher(where), options.seiche, "bench", *arguments, "--json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    found = json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])
    if found["max_error"] > 1e-12:
        sys.exit(f"{' '.join(map(str, command))}: the result is wrong by {found['max_error']}")
    row = {"ours": 1e3 * found["seconds"]["median"], "gflops": found["gflops"]}
    if "of_bound" in found:
        least = found["of_bound"]
        return {**row, "megabytes": 1e-6 * least["bytes"], "bound": 1e3 * least["seconds"], "share": least["share"]}
    kernel = found["ranks"] * found["kernel_gflops_per_core"]["23x23x23"]["in_cache"]
    return {**row, "bound": row["ours"] * row["gflops"] / kernel, "share": row["gflops"] / kernel}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seiche", default=figures.PROJECT / "build/release/bin/seiche")
    parser.add_argument("--where", nargs="+", default=["1", "2"])
    parser.add_argument("--grids", type=int, nargs="+", default=[64, 128, 256])
    parser.add_argument("--rounds", type=int, default=5)
    figures.add_options(parser)
    options, rows = parser.parse_args(), []
    chosen = [(where, name, arguments) for where in options.where for name, arguments in cases(options.grids).items()]
    rounds = [[measured(options, where, arguments) for where, _, arguments in chosen] for _ in range(options.rounds)]
    for (where, name, _), found in zip(chosen, zip(*rounds)):
        row = {key: figures.rounded(statistics.median(one[key] for one in found)) for key in found[0]}
        spread = [figures.rounded(end([one["share"] for one in found]), 3) for end in (min, max)]
        rows.append({"case": name, "where": figures.place(where), **row, "share_range": spread})
        print(rows[-1], flush=True)
    figures.write(options, "of-bound", rows)


if __name__ == "__main__":
    main()
