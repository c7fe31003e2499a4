# SPDX-License-Identifier: BSD-3-Clause
"""Draws the ratios of one node against the size of the grid as SVG."""
import math

PANEL, GAP, TOP, LEFT = (330, 250), 70, 92, 60
COLOURS = {"FFTW-MPI": "#4477aa", "SpFFT": "#228833", "threaded MKL": "#cc6677", "dtFFT": "#aa7722"}
DASHES = {"c2c": "", "sphere": "", "r2c": "6 4"}
LIMIT = 1.2


def curves_of(run):
    """Returns the points (size, ratio, range) of each line: one for each peer and kind."""
    lines = {}
    for row in run.rows:
        shown = row.get("ranks") == 16 if run.topic == "sixteen-cores" else row.get("library") in ("fastest", "mkl")
        if shown and "grid" in row and "ratio" in row:
            lines.setdefault((row["peer"], row["kind"]), []).append((row["grid"], row["ratio"], row.get("range")))
    return {key: sorted(points) for key, points in lines.items()}


def panel(x0, y0, run, last_row):
    width, height = PANEL
    curves = curves_of(run)
    sizes = sorted({point[0] for points in curves.values() for point in points})

    def x_of(n):
        return x0 + 24 + (width - 48) * sizes.index(n) / max(1, len(sizes) - 1)

    def y_of(value):
        return y0 + height * (1 - min(value, LIMIT) / LIMIT)
    title = f"{run.label}: {16 if run.topic == 'sixteen-cores' else 2} ranks"
    parts = [f'<text x="{x0 + width / 2:.1f}" y="{y0 - 10}" class="title">{title}</text>']
    for step in range(0, 7):
        value = step / 5
        kind = "one" if step == 5 else "grid"
        parts.append(f'<line x1="{x0}" x2="{x0 + width}" y1="{y_of(value):.1f}" y2="{y_of(value):.1f}" class="{kind}"/>')
        parts.append(f'<text x="{x0 - 6}" y="{y_of(value) + 4:.1f}" class="left">{value:.1f}</text>')
    for n in sizes:
        parts.append(f'<line x1="{x_of(n):.1f}" x2="{x_of(n):.1f}" y1="{y0 + height}" y2="{y0 + height + 4}" class="one"/>')
        parts.append(f'<text x="{x_of(n):.1f}" y="{y0 + height + 17}" class="below">{n}³</text>')
    if last_row:
        parts.append(f'<text x="{x0 + width / 2:.1f}" y="{y0 + height + 36}" class="below">points of the grid</text>')
    for place, ((peer, kind), points) in enumerate(sorted(curves.items())):
        colour, shift = COLOURS[peer], 3 * (place - 2)
        places = [(x_of(n) + shift, y_of(value), span) for n, value, span in points]
        dash = f' stroke-dasharray="{DASHES[kind]}"' if DASHES[kind] else ""
        parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)}" stroke="{colour}"{dash} class="curve"/>')
        for x, y, span in places:
            if span:
                low, high = y_of(span[0]), y_of(span[1])
                parts.append(f'<path d="M{x:.1f},{low:.1f} V{high:.1f} M{x - 3:.1f},{low:.1f} h6 M{x - 3:.1f},{high:.1f} h6" stroke="{colour}" class="bar"/>')
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
    return parts


def picture(data):
    runs = [*data.of("single-node"), *data.of("sixteen-cores")]
    columns = 2
    lines = math.ceil(len(runs) / columns)
    width = LEFT + columns * PANEL[0] + (columns - 1) * GAP + 20
    height = TOP + lines * PANEL[1] + (lines - 1) * GAP + 46
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
             'font-family="Helvetica, Arial, sans-serif" font-size="12">',
             "<title>Time of Seiche over the time of other libraries, by size of the grid</title>",
             "<style>.grid{stroke:#dddddd}.one{stroke:#444444}.title{text-anchor:middle;font-size:13px}.left{text-anchor:end}"
             ".below{text-anchor:middle}.curve{fill:none;stroke-width:1.8}.bar{fill:none;stroke-width:1}</style>",
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{LEFT}" y="22" font-size="14">Time of Seiche over the time of the other library (below 1: Seiche is faster)</text>']
    shown = sorted({key for run in runs for key in curves_of(run)})
    x, y = LEFT, 42
    for peer, kind in shown:
        words = f"{peer}, {'spheres' if kind == 'sphere' else kind}"
        dash = f' stroke-dasharray="{DASHES[kind]}"' if DASHES[kind] else ""
        if x + 32 + 7 * len(words) > width:
            x, y = LEFT, y + 16
        parts.append(f'<line x1="{x}" x2="{x + 26}" y1="{y}" y2="{y}" stroke="{COLOURS[peer]}"{dash} class="curve"/>')
        parts.append(f'<text x="{x + 32}" y="{y + 4}">{words}</text>')
        x += 48 + 7 * len(words)
    for place, run in enumerate(runs):
        line, column = divmod(place, columns)
        parts += panel(LEFT + column * (PANEL[0] + GAP), TOP + line * (PANEL[1] + GAP), run, line == lines - 1)
    return "\n".join([*parts, "</svg>"]) + "\n"
