# SPDX-License-Identifier: BSD-3-Clause
"""Draws curves over the number of processes with logarithmic axes, as an SVG, without a library."""
import math

COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 320, 64, 170, 34, 40


def nice(low, high):
    """Returns 1, 2 and 5 times powers of ten in [low, high]."""
    tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [m * 10.0**e for e in tens for m in (1, 2, 5) if low <= m * 10.0**e <= high]


def drawn(title, unit, lines):
    """lines: {label: {processes: value}}; curves with a label that ends in "published" are dashed."""
    xs = sorted({x for points in lines.values() for x in points})
    ys = [y for points in lines.values() for y in points.values() if y > 0]
    low, high = min(ys) / 1.3, max(ys) * 1.3

    def place(x, y):
        across = (math.log(x) - math.log(xs[0])) / (math.log(xs[-1]) - math.log(xs[0]))
        up = (math.log(y) - math.log(low)) / (math.log(high) - math.log(low))
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', f'<text x="{LEFT}" y="18" font-size="13">{title}</text>']
    for y in nice(low, high):
        at = place(xs[0], y)[1]
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#dddddd"/>'
                   f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{y:g}</text>')
    for x in xs:
        at = place(x, low)[0]
        out.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">processes</text>'
               f'<text x="{LEFT - 6}" y="{TOP - 4}" text-anchor="end">{unit}</text>')
    for number, (label, points) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        dashes = ' stroke-dasharray="5 4"' if label.endswith("published") else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(p, v) for p, v in sorted(points.items()) if v > 0))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        across, down = WIDTH - RIGHT + 10, TOP + 10 + 17 * number
        out.append(f'<line x1="{across}" x2="{across + 18}" y1="{down}" y2="{down}" stroke="{colour}" stroke-width="2"{dashes}/>'
                   f'<text x="{across + 23}" y="{down + 4}">{label}</text>')
    return "\n".join([*out, "</svg>", ""])
