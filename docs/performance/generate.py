#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of README.md and of pages in docs, and the picture docs/pictures/performance.svg from
docs/performance/data/*.json.

generate.py [--check] [--root FOLDER]

A table stands between the lines `<!-- figures: NAME -->` and `<!-- end -->`. With --check nothing is written, and the
program fails if a table or the picture differs from the data.
"""
import argparse
import difflib
import pathlib
import re
import sys

import programs
import published
from picture import picture
from runs import Data, across, first, number, peer_of, ratio, short, spread, table

PAGES = ["README.md", "docs/performance.md", *(f"docs/performance/{name}.md" for name in ("operations", "programs", "machines")),
         "docs/profile.md", "docs/for-developers.md", "docs/history/performance/one_sided.md", "docs/history/scale.md", published.PAGE]
PICTURE = "docs/pictures/performance.svg"
NOT_FASTER = 0.95  # rows with a ratio above this are listed in "When Seiche is not faster"
BLOCK = re.compile(r"(<!-- figures: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


# ------------------------------------------------------------------------------------------------------------- tables


def library_for(peer):
    """Returns the 1D FFTs of Seiche that are compared with another library."""
    return "mkl" if peer == "threaded MKL" else "fastest"


def compared(run, kind, peer, n, **more):
    """Returns the row of one transform with the default 1D FFT library."""
    return run.row(kind=kind, peer=peer, grid=n, **(more or {"library": library_for(peer)}))


def machines(data):
    rows, by_label = [], {}
    for topic in dict.fromkeys(run.topic for run in data.runs):
        for run in (run for run in data.listed() if run.topic == topic):
            by_label.setdefault(run.label, []).append(run)
    for label in sorted(by_label, key=lambda one: (not any(run.reference for run in by_label[one]), one)):
        runs = by_label[label]
        dates = sorted({run.date for run in runs})
        links = ", ".join(f"[{run.path.stem}](data/{run.path.name})" for run in runs)
        mark = " (reference)" if any(run.reference for run in runs) else ""
        rows.append([label + mark, f"{runs[0].processor}; {runs[0].cores} cores", ", ".join(filter(None, (runs[0].mpi, runs[0].compiler))),
                     dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}", links])
    return table(["machine", "processor", "MPI, compiler", "date", "raw data, with commits and commands"], rows)


def readme(data):
    nodes, sixteen = data.of("single-node"), data.of("sixteen-cores")[0]
    runs = [run for run in nodes if "busy" not in run.label]

    def cells(kind, peer):
        for run in [*runs, sixteen]:
            more = {"ranks": 16} if run is sixteen else {}
            found = [ratio(compared(run, kind, peer, n, **more), with_range=False) for n in (64, 128, 256)]
            yield ", ".join(one or "–" for one in found) if any(found) else ""

    rows = []
    for kind, words, peer in (("c2c", "complex", "FFTW-MPI"), ("r2c", "real", "FFTW-MPI"), ("c2c", "complex", "threaded MKL"), ("c2c", "complex", "dtFFT"),
                              ("r2c", "real", "dtFFT"), ("sphere", "sphere of plane waves in", "SpFFT")):
        shown = next((peer_of(row) for run in runs for row in run.rows if row["peer"] == peer), None)
        if shown:
            rows.append([f"{words} 64³, 128³, 256³", shown, *cells(kind, peer)])
    pw = {run.label: run for run in data.of("pw")}
    places = ("2 ranks", "2 hosts, 1 Gbit/s")
    rows.append(["`pw.x`, 32 atoms, on 2 cores and on two network namespaces at 1 Gbit/s", f"Quantum ESPRESSO {data.of('pw')[0].rows[0]['peer_version']}", *(
        ", ".join(ratio(pw[run.label].row(atoms=32, where=where, routine="pw.x")) for where in places) if run.label in pw else ""
        for run in runs), ""])
    products, case = data.of("products")[0], "1000 x 1000 blocks of 23, 2 %"
    wanted = dict(case=case, peer_version=products.rows[0]["peer_version"])
    cells = {products.label: ratio(products.row(where="2 ranks", kept=True, **wanted)), sixteen.label: ratio(sixteen.row(**wanted))}
    rows.append(["block-sparse product, 1000 x 1000 blocks of 23", peer_of(products.rows[0]), *(cells.get(run.label, "") for run in [*runs, sixteen])])
    return ("Time of Seiche over the time of the other library, on two virtual cores (last\ncolumn: 16). Below 1, Seiche is faster.\n\n"
            + table(["case", "other library", *(run.label for run in runs), sixteen.label], rows))


def left_out(row):
    """Tells whether a row of a single node is in the table of operations only."""
    return row["grid"] not in (64, 256) or row["peer"] == "dtFFT"


def single_node(data, short_list=False):
    runs = data.of("single-node")
    columns = [(run, library) for run in runs for library in ((None, "fftw") if run.reference else (None,))]

    def cells(run_library, key):
        run, library = run_library
        default = library_for(key["peer"])
        if library and default == "mkl":
            return ""
        return ratio(run.row(**key, library=library or default))

    keys = first([row for run in runs for row in run.rows if "grid" in row and not (short_list and left_out(row))], "case", "peer")
    shown = {row["peer"]: peer_of(row) for run in reversed(runs) for row in run.rows}
    rows = [[short(case), shown[peer], *(cells(column, {"case": case, "peer": peer}) for column in columns)] for case, peer in keys]
    head = [run.label + (", only FFTW's 1D FFTs" if library else "") for run, library in columns]
    return table(["case", "other library", *head], rows)


def sixteen_cores(data):
    run = data.of("sixteen-cores")[0]
    ranks = (1, 2, 4, 8, 16)
    rows = []
    for case, peer in first([row for row in run.rows if "peer" in row], "case", "peer"):
        scaling = next((row["speedup"] for row in run.rows if row["case"] == case and "peer" not in row), None)
        found = [ratio(run.row(case=case, peer=peer, ranks=r)) for r in ranks]
        shown = peer_of(next(row for row in run.rows if row["case"] == case and row.get("peer") == peer))
        rows.append([short(case), shown, *found, f"{scaling:.1f}" if scaling else ""])
    return table(["case", "other library", *(f"{r} rank{'s' if r > 1 else ''}" for r in ranks), "speedup of Seiche, 1 to 16 ranks"], rows)


def progress(data):
    run = data.of("progress")[0]
    rows = []
    for setting, in first([row for row in run.rows if row["progress"] != "all"], "progress"):
        rows.append([setting, *(ratio(run.row(progress=setting, algorithm=name)) for name in ("ialltoallv", "pairwise"))])
    return table(["who makes MPI progress", "`ialltoallv`", "`pairwise`"], rows)


def hosts(data):
    """A row for each case and link. Where a run has both, the row of the default 1D FFT library counts."""
    def cells(run, key):
        found = [row for row in run.rows if all(row.get(name) == value for name, value in key.items())]
        row = next((row for row in found if row["library"] == "fastest"), found[0] if found else {})
        span = row.get("alone_range", row.get("ours_range"))
        ours = number(row.get("alone", row.get("ours")), 1) or (spread(span, 1) if span else "")
        times = [number(row.get("blocking"), 1), ours, number(row.get("bound"), 1)]
        return [" / ".join(time or "–" for time in times) if any(times) else "", ratio(row)]

    runs = data.of("hosts")
    peers = {row["case"]: peer_of(row) for run in runs for row in run.rows if "peer" in row}
    head = [text for run in runs for text in (f"{run.label}: blocking / overlapped / bound, ms", "ratio")]
    rows = [[short(case) + (f", {groups} band groups" if groups != "None" else ""), f"{rate} Gbit/s", *found, peers[case]]
            for case, rate, groups, *found in across(runs, ["case", "rate_gbit", "band_groups"], cells)]
    rows.sort(key=lambda row: row[0].startswith("c2c"))
    return table(["case", "link", *head, "other library"], rows)


def topology(data):
    run = data.of("topology")[0]
    rows = [[short(row["case"]), row["order"], f"{row['crossing_ratio']:.2f}", number(row["peer_time"], 1), number(row["ours"], 1), ratio(row)]
            for row in run.rows]
    return table(["case", "hosts of consecutive ranks", "ratio of bytes between groups", "ms, ranks as they come", "ms, ordered", "ratio of times"], rows)


def files(data):
    run = data.of("files")[0]
    rows = [[row["case"], str(row["ranks"]), number(row["ours"], 3), number(row["peer_time"], 3), ratio(row),
             number(row["point_to_point"], 3), number(row["gather"], 3)] for row in sorted(run.rows, key=lambda row: row["case"], reverse=True)]
    return table(["", "processes", "Seiche, s", "one process without MPI, s", "ratio", "through one process, point-to-point, s",
                  "through one process, gather or scatter, s"], rows)


def products(data):
    runs = data.of("products")
    versions = [version for version, in first([row for run in runs for row in run.rows], "peer_version")]
    rows = []
    for run in runs:
        for case, where in first(run.rows, "case", "where"):
            found = [row for row in run.rows if (row["case"], row["where"]) == (case, where)]
            speed = ", ".join(f"{row['gflops']:.1f}" for row in found if "gflops" in row and row["peer_version"] == found[0]["peer_version"])
            cells = [", ".join(ratio(row) for row in found if row["peer_version"] == version) for version in versions]
            rows.append([case, where, run.label, speed, *cells])
    return table(["case", "on", "machine", "Gflop/s", *(f"to DBCSR {version}" for version in versions)], rows)


def many_fields(data):
    runs = data.of("many-fields")
    rows = []
    for case, where in first(runs[0].rows, "case", "where"):
        rows.append([short(case), where, *(ratio(run.row(case=case, where=where, arrays=arrays)) for run in runs
                                           for arrays in ("Seiche's", "FFTW-MPI's"))])
    return table(["case", "where", *(f"{run.label}: {arrays} arrays" for run in runs for arrays in ("Seiche's", "FFTW-MPI's"))], rows)


def boxes(data):
    runs = data.of("boxes")
    rows = [[short(case), where, peer, *(ratio(run.row(case=case, where=where, peer=peer)) for run in runs)]
            for case, where, peer in first([row for run in runs for row in run.rows], "case", "where", "peer")]
    return table(["case", "where", "compared with", *(run.label for run in runs)], rows)


def of_its_bound(row):
    """Returns the ratio of a time to its bound, if the row has one."""
    return f"{row['ours'] / row['bound']:.2f}" if "bound" in row else ""


def exact_exchange(data):
    rows = [[row["case"], f"`{row['routine']}`", row["where"], peer_of(row), number(row["ours"], 2), ratio(row), of_its_bound(row),
             run.label]
            for run in data.of("exact-exchange") for row in run.rows]
    return table(["case", "call", "where", "compared with", "s", "ratio", "of the bound", "machine"], rows)


def pair_densities(data):
    rows = [[short(row["case"]), row["where"], str(row["groups"]), peer_of(row), number(row["ours"], 1), ratio(row), of_its_bound(row),
             run.label]
            for run in data.of("pair-densities") for row in run.rows]
    return table(["case", "where", "band groups", "compared with", "ms", "ratio", "of the bound", "machine"], rows)


def contest(topic):
    """Returns the function that makes the table of a topic of bench/contests.py."""
    def made(data):
        rows = [[short(row["case"]), row["where"], peer_of(row), number(row["ours"], 1), ratio(row), run.label]
                for run in data.of(topic) for row in run.rows]
        return table(["case", "where", "compared with", "ms", "ratio", "machine"], rows)
    return made


def overhead(data):
    runs = data.of("overhead")
    labels = list(dict.fromkeys(run.label for run in runs))
    rows = []
    for case, peer in first([row for run in runs for row in run.rows], "case", "peer"):
        cells = []
        for label in labels:
            found = [run.row(case=case, peer=peer) for run in runs if run.label == label]
            cells.append(next((ratio(row, 2) for row in found if row), ""))
        rows.append([short(case), peer, *cells])
    return table(["case", "relative to", *labels], rows)


def first_call(data):
    rows = [[short(row["case"]), row["library"], *(f"{row[name]:.2f}" for name in ("first_plan", "later_plan", "band")),
             f"{row['bands']:.1f} ({spread(row['bands_range'], 1)})", f"{row['alternating']:.2f}" if row.get("alternating") else "", run.label]
            for run in data.of("first") for row in run.rows]
    return table(["case", "library", "first plan, ms", "later plan, ms", "a band, ms", "a later plan, bands",
                  "12 plans alternately", "machine"], rows)


def bands_per_call(data):
    """A row for each place, with columns for each number of bands in a call."""
    run = data.of("bands-per-call")[0]
    counts = [bands for bands, in first(run.rows, "bands")]
    rows = [[where, *(f"{run.row(where=where, bands=bands)['ours']:.3f}" for bands in counts)] for where, in first(run.rows, "where")]
    return table([f"{short(run.rows[0]['case'])}, ms a band", *(f"{n} band{'s' if n > 1 else ''} a call" for n in counts)], rows)


def of_bound(data):
    rows = [[short(row["case"]), row["where"], number(row["ours"], 2), number(row["gflops"], 1), number(row.get("megabytes"), 1), number(row["bound"], 2),
             f"{row['share']:.2f} ({spread(row['share_range'])})", run.label] for run in data.of("of-bound") for row in run.rows]
    return table(["case", "where", "ms", "Gflop/s", "least MB a rank", "least ms", "of the bound", "machine"], rows)


def memory_bytes(data):
    run = data.of("memory-bytes")[0]
    return table(["case", "ranks", "counted, MB", "least, MB", "ratio"],
                 [[short(row["case"]), str(row["ranks"]), number(row["counted"], 1), number(row["least"], 1), f"{row['ratio']:.2f}"] for row in run.rows])


def profile(data):
    run = data.of("profile")[0]
    return table(["calls", "without, ms", "recorded, ms", "cost of a call, µs"],
                 [[row["case"], number(row["peer_time"], 1), number(row["ours"], 1), f"{row['microseconds_a_call']:.2f}"] for row in run.rows])


def build(data):
    run = data.of("build")[0]
    rows = []
    for case, in first(run.rows, "case"):
        cells = [run.row(case=case, when=when) for when in ("before", "now")]
        rows.append([case, *(number(cell.get(what), 1) for what in ("cpu_minutes", "wall_minutes") for cell in cells)])
    return table(["on a new Debian, 2 cores", "CPU minutes, before", "now", "minutes, before", "now"], rows)


def mechanisms(data):
    """A row for each MPI library, place and size: the time of one mechanism, and the ratios of the others to it."""
    runs, base = data.of("mechanisms"), "point-to-point, pieces"
    names = [name for name, in first([row for run in runs for row in run.rows], "mechanism") if name != base]
    rows = []
    for run in runs:
        for where, size in first(run.rows, "where", "bytes"):
            own = run.row(where=where, bytes=size, mechanism=base)["ours"]
            others = [run.row(where=where, bytes=size, mechanism=name) for name in names]
            rows.append([run.mpi, where, str(size), number(own, 1), *(f"{row['ours'] / own:.2f}" if row else "" for row in others)])
    return table(["MPI", "where", "bytes", f"{base}, µs", *names], rows)


def exchange_trials(data):
    """A row for each MPI library, place and case, with the ratios of all algorithms to pairwise."""
    runs = data.of("exchange-trials")
    names = [name for name, in first([row for run in runs for row in run.rows], "algorithm") if name != "pairwise"]
    rows = []
    for run in runs:
        for where, case in first(run.rows, "where", "case"):
            own = run.row(where=where, case=case, algorithm="pairwise")["ours"]
            rows.append([run.mpi, where, short(case), number(own, 1), *(ratio(run.row(where=where, case=case, algorithm=name)) for name in names)])
    return table(["MPI", "where", "case", "`pairwise`, µs", *(f"`{name}`" for name in names)], rows)


def not_faster(data):
    """Lists rows of all tables whose ratio, or the end of whose range, is above the limit."""
    rows = []
    for topic in ("single-node", "hosts", "files", "many-fields", "mpb", "cp2k"):
        found = []
        for run in data.of(topic):
            for row in run.rows:
                worst = row["ratio"] if "ratio" in row else row.get("range", [0, 0])[1]
                if worst <= NOT_FASTER:
                    continue
                place = row.get("where", f"{row.get('ranks', 2)} processes")
                if "rate_gbit" in row:
                    place = f"2 hosts, {row['rate_gbit']} Gbit/s"
                details = {"fftw": ", only FFTW's 1D FFTs", "mkl": ", only MKL's 1D FFTs"}.get(row.get("library"), "") if topic == "single-node" else ""
                if topic == "many-fields":
                    details = f", {row['arrays']} arrays"
                if topic == "cp2k":
                    details = f", {row['routine']}"
                found.append((short(row["case"]) + details, place, peer_of(row), f"{run.label}: {ratio(row)}"))
        for key in dict.fromkeys(one[:3] for one in found):
            rows.append([*key, "; ".join(one[3] for one in found if one[:3] == key)])
    return table(["case", "where", "compared with", "ratio"], rows)


TABLES = {"readme": readme, "machines": machines, "single-node": single_node, "sixteen-cores": sixteen_cores,
          "single-node-short": lambda data: single_node(data, short_list=True), "not-faster": not_faster,
          "progress": progress, "hosts": hosts, "topology": topology, "files": files, "products": products, "many-fields": many_fields, "boxes": boxes,
          "exact-exchange": exact_exchange, "pair-densities": pair_densities, "grid-operator": contest("grid-operator"),
          "redistribute": contest("redistribute"), "mechanisms": mechanisms, "exchange-trials": exchange_trials, "overhead": overhead,
          "profile": profile, "bands-per-call": bands_per_call, "memory-bytes": memory_bytes, "of-bound": of_bound, "build": build,
          "first": first_call, **programs.TABLES}


# --------------------------------------------------------------------------------------------------------------- main


def generated(root):
    """Returns the path and the new text of each file."""
    data = Data(root / "docs/performance/data")
    tables = {**{name: make(data) for name, make in TABLES.items()}, **published.tables(root)}
    for page in PAGES:
        path = root / page
        text = path.read_text(encoding="utf-8")
        blocks = [name for _, name, _, _ in BLOCK.findall(text)]
        unknown = sorted(set(blocks) - set(tables))
        if unknown or not blocks or len(blocks) != text.count("<!-- figures:"):
            sys.exit(f"{page}: tables without data: {unknown}; {len(blocks)} of {text.count('<!-- figures:')} tables have an end")
        yield path, BLOCK.sub(lambda found: found[1] + tables[found[2]] + found[4], text)
    yield root / PICTURE, picture(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something differs from the data")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent.parent,
                        help="the repository (default: the one of this file)")
    options = parser.parse_args()
    differs = False
    for path, text in generated(options.root):
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old == text:
            continue
        differs = True
        if options.check:
            print("".join(difflib.unified_diff(old.splitlines(True), text.splitlines(True), str(path), "from the data", n=0)), end="")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(options.root)}")
    if differs and options.check:
        print("figures differ from docs/performance/data: run ./dev figures", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
