#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the bytes that come from memory to the last-level cache, with valgrind's cachegrind, and the least possible ones.

memory_bytes.py [--cache 2M] [--ranks 1 2] [--data FILE]

The count does not depend on the load of the machine. cachegrind simulates a last-level cache of one rank, and counts its
misses: each miss brings 64 bytes. Bytes that go back to memory are not counted. The bytes of one call are the difference
between two runs with different numbers of repeats.

The least bytes: arrays that are together larger than the cache come once for each stage that uses them. For a band these are
the coefficients, the potential or the density, and the columns along z between the 1D FFTs along z and the planes; a plane
stays in the cache. For a dense transform these are the grid in the stage along x and y and in the stage along z. A ratio below
one means that a part of the arrays stays in the cache."""
import argparse
import itertools
import json
import math
import os
import re
import subprocess

import figures

LINE = 64  # bytes
COMPLEX, REAL = 16, 8
MISSES = re.compile(r"LLd misses:\s+([\d,]+)")


def sphere(n):
    """Returns the waves |G| <= n / 4, and their columns along z."""
    radius = n / 4
    reach = range(-math.floor(radius), math.floor(radius) + 1)
    room = [radius * radius - x * x - y * y for x, y in itertools.product(reach, reach)]
    heights = [math.floor(math.sqrt(one)) for one in room if one >= 0]
    return sum(2 * height + 1 for height in heights), len(heights)


def least_of_bands(n, uses, ranks, cache):
    """Returns the least bytes of a rank; None if the arrays of a band fit into the cache. `uses`: how often the coefficients,
    the columns and the grid of real numbers are used."""
    waves, columns = sphere(n)
    sizes = [size / ranks for size in (COMPLEX * waves, COMPLEX * columns * n, REAL * n**3)]
    return sum(times * size for times, size in zip(uses, sizes)) if sum(sizes) > cache else None


def least_of_pair(n, points, ranks, cache):
    size = COMPLEX * points * n * n / ranks
    return 4 * size if size > cache else None


def cases(bands):
    """Returns the name of each case, its arguments, the calls of a repeat, and a function for the least bytes."""
    for n in (64, 128):
        arguments = ["bands", "--grid", n, "--bands", bands, "--library", "fftw"]
        yield f"V psi, sphere in {n}^3", arguments, bands, lambda *where, n=n: least_of_bands(n, (2, 3, 1), *where)
        yield f"density, sphere in {n}^3", [*arguments, "--density"], bands, lambda *where, n=n: least_of_bands(n, (1, 2, 1), *where)
        for kind, points in (("c2c", n), ("r2c", n // 2 + 1)):
            yield (f"pair of {kind} {n}^3", ["fft", "--grid", n, "--kind", kind, "--library", "fftw"], 1,
                   lambda *where, n=n, points=points: least_of_pair(n, points, *where))


def misses(options, ranks, arguments, repeats):
    """Returns the misses of the rank with the most."""
    launcher = ["mpiexec", "-n", ranks] if ranks > 1 else []
    command = [*launcher, "valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--LL={options.cache},16,{LINE}",
               "--cachegrind-out-file=/dev/null", options.seiche, "bench", *arguments, "--repeat", repeats, "--json"]
    environment = dict(os.environ, HWLOC_COMPONENTS="-x86", SEICHE_TUNING="none")
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, env=environment)
    error = json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])["max_error"]
    if error > 1e-12:
        raise SystemExit(f"{arguments}: the result is wrong by {error}")
    return max(int(found.replace(",", "")) for found in MISSES.findall(done.stderr))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seiche", default=figures.PROJECT / "build/release/bin/seiche")
    parser.add_argument("--cache", type=lambda text: int(float(text.removesuffix("M")) * 2**20), default=2 << 20, help="of a rank, in MB (default: 2M)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1])
    parser.add_argument("--bands", type=int, default=4)
    figures.add_options(parser)
    options, rows = parser.parse_args(), []
    for ranks, (name, arguments, calls, least) in itertools.product(options.ranks, list(cases(options.bands))):
        smallest = least(ranks, options.cache)
        if smallest is None:
            continue
        few, many = (misses(options, ranks, arguments, repeats) for repeats in (1, 3))
        counted = LINE * (many - few) / 2 / calls
        rows.append({"case": name, "ranks": ranks, "cache": options.cache, "counted": figures.rounded(counted / 1e6),
                     "least": figures.rounded(smallest / 1e6), "ratio": figures.rounded(counted / smallest)})
        print(rows[-1], flush=True)
    figures.write(options, "memory-bytes", rows, unit="MB")


if __name__ == "__main__":
    main()
