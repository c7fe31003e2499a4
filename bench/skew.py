#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds the fastest exchange algorithm for each message size, with and without arrival skew of the ranks. Checks whether
`seiche tune` chooses accordingly.

Prints a table and draws it (SVG). Runs `seiche` through the command of --launch, e.g. "mpiexec -n 4" or
"packaging/hosts.sh 2 4gbit --". Tunes the grid whose exchange moves this number of bytes between each pair of ranks.
"""
import argparse
import math
import os
import tempfile

import launch

COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#e0a100", "#7b4fa3", "#444444", "#00a0a0", "#a0522d"]
WIDTH, HEIGHT, LEFT, TOP = 430, 300, 60, 40


def tuned_way(options, size, skew):
    grid = f"{max(size // 16, 1)},{options.ranks},{options.ranks}"
    with tempfile.TemporaryDirectory() as folder:
        report = launch.run(options, ["tune", "--grid", grid, "--skew", skew, "--budget", options.budget],
                            os.path.join(folder, "tuning.json"))
    return report["chosen"]["algorithm"]


def panel(x0, title, sizes, curves):
    """Returns a plot of microseconds over bytes, both logarithmic."""
    low = math.floor(math.log10(min(min(c) for c in curves.values())))
    high = math.ceil(math.log10(max(max(c) for c in curves.values())))
    x = lambda size: x0 + LEFT + WIDTH * (math.log2(size / sizes[0])) / max(math.log2(sizes[-1] / sizes[0]), 1)
    y = lambda us: TOP + HEIGHT * (high - math.log10(us)) / (high - low)
    parts = [f'<text x="{x0 + LEFT}" y="{TOP - 14}" font-weight="bold">{title}</text>']
    for decade in range(low, high + 1):
        parts.append(f'<line x1="{x0 + LEFT}" x2="{x0 + LEFT + WIDTH}" y1="{y(10**decade)}" y2="{y(10**decade)}" stroke="#ddd"/>'
                     f'<text x="{x0 + LEFT - 6}" y="{y(10**decade) + 4}" text-anchor="end">{10**decade:g}</text>')
    for size in sizes:
        name = f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} kB" if size >= 1 << 10 else f"{size} B"
        parts.append(f'<text x="{x(size)}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{name}</text>')
    for (algorithm, curve), colour in zip(curves.items(), COLOURS):
        points = " ".join(f"{x(s):.1f},{y(t):.1f}" for s, t in zip(sizes, curve))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return "".join(parts)


def draw(path, sizes, together, apart):
    wide = 2 * (WIDTH + LEFT) + 150
    legend = "".join(f'<rect x="{wide - 130}" y="{TOP + 20 * i}" width="14" height="4" fill="{c}"/>'
                     f'<text x="{wide - 110}" y="{TOP + 20 * i + 6}">{algorithm}</text>'
                     for i, (algorithm, c) in enumerate(zip(together, COLOURS)))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{HEIGHT + TOP + 40}" '
                   f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
                   + panel(0, "ranks together: microseconds of one exchange", sizes, together)
                   + panel(WIDTH + LEFT, "ranks apart: counted from the last", sizes, apart) + legend + "</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    launch.add_options(parser)
    parser.add_argument("--ranks", type=int, default=2, help="how many the launcher starts")
    parser.add_argument("--skew", type=float, default=500, help="microseconds")
    parser.add_argument("--sizes", type=int, nargs="+", default=[256 << (3 * i) for i in range(6)])
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--budget", type=float, default=3, help="seconds for tuning each size")
    parser.add_argument("--uneven", action="store_true")
    parser.add_argument("-o", "--output", default="skew.svg")
    options = parser.parse_args()
    sizes = [min(size, 8 << 20) for size in options.sizes]
    measured = launch.run(options, ["bench", "exchange", "--bytes", ",".join(map(str, sizes)), "--skew", options.skew,
                                    "--repeat", options.repeat, *(["--uneven"] if options.uneven else [])])
    curves = {"synchronised": {}, "skewed": {}}
    for cell in measured["table"]:
        for kind, curve in curves.items():
            curve.setdefault(cell["algorithm"], []).append(1e6 * max(cell[kind], 1e-7))
    algorithms = list(curves["synchronised"])
    print("| bytes | " + " | ".join(algorithms) + " | fastest together, apart | tuned together, apart |")
    print("|---|" + "---|" * (len(algorithms) + 2))
    for i, size in enumerate(sizes):
        cells = [f"{curves['synchronised'][w][i]:.0f} / {curves['skewed'][w][i]:.0f}" for w in algorithms]
        best = [min(algorithms, key=lambda w: curve[w][i]) for curve in curves.values()]
        tuned = [tuned_way(options, size, skew) for skew in (0, options.skew)]
        print(f"| {size} | " + " | ".join(cells) + f" | {', '.join(best)} | {', '.join(tuned)} |", flush=True)
    draw(options.output, sizes, curves["synchronised"], curves["skewed"])


if __name__ == "__main__":
    main()
