#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Creates the tables and pictures of docs/history/scale.md from simulated runs: scale.py [--only files,setup,...] [--twice]

Each table is between two comments of the page and is replaced; the text around it is kept. --twice runs each case again
and fails unless all figures are the same."""
import argparse
import itertools
import json
import os
import pathlib
import re
import tempfile

import picture
import simulate

PAGE = simulate.ROOT / "docs/history/scale.md"
PICTURES = simulate.ROOT / "docs/history"
FITTED_QUEUE = 0.25e-6  # to the row "write, point to point" of the published table at 384
PROCESSES = [24, 48, 96, 192, 384]
PUBLISHED = {  # seconds, 5 k-points x 40,000 waves x 288 bands
    "write": {"point to point": [7.09, 7.23, 9.85, 19.49, 70.48], "gathered": [7.63, 7.72, 7.88, 8.13, 8.42]},
    "read": {"point to point": [16.78, None, None, None, 113.47], "gathered": [9.15, None, None, None, 9.60]},
}

twice = False


def figures(report):
    """Returns the results of the simulated machine. The rest depends on this machine, such as the rounding of measured FFTW plans."""
    return {name: value for name, value in report.items() if name not in ("processor_seconds", "peak_memory_bytes", "account", "git", "max_error")}


def alike(call, processes, words, of, **more):
    """Returns the result of call(processes, words, ...). With --twice it is called again, and must return the same `of(found)`. Each run
    has its own folder, FOLDER in its words."""
    def once():
        with tempfile.TemporaryDirectory(prefix="seiche-scale-") as folder:
            found = call(processes, [str(word).replace("FOLDER", folder) for word in words], **more)
        return json.loads(json.dumps(found).replace(folder, "FOLDER"))
    found = once()
    if twice and of(once()) != of(found):
        raise SystemExit(f"{' '.join(map(str, words))} on {processes} processes: two runs differ")
    return found


def run(processes, case, **more):
    """Returns the JSON of a case."""
    report = alike(simulate.report, processes, case, figures, **more)
    print(processes, *case, f"{report['processor_seconds']:.0f} s", flush=True)
    return report


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(head, rows):
    return "\n".join([row(*head), "|" + "---|" * len(head), *(row(*cells) for cells in rows)])


def factor(values):
    return f"{values[-1] / values[0]:.3f}"


# ------------------------------------------------------------------------------------------------------------- tables


def files():
    """Bands written and read."""
    bands = 12
    scale = 5 * 288 / bands
    case = ["bench", "wavefile", "--kpoints", 1, "--bands", bands, "--waves", 40000, "--repeat", 1, "--old", "--path", "FOLDER"]
    fitted = [run(n, case, machine=simulate.Machine(queue=FITTED_QUEUE)) for n in PROCESSES]
    bare = [run(n, case) for n in PROCESSES]
    text, lines = [], {}
    for what in ("write", "read"):
        def seconds(reports, algorithm):
            return [scale * report[what][algorithm]["median"] for report in reports]
        rows = {
            "point to point, published": PUBLISHED[what]["point to point"],
            "point to point, simulated with the fitted queue": seconds(fitted, "point-to-point"),
            "point to point, simulated without": seconds(bare, "point-to-point"),
            "gathered, published": PUBLISHED[what]["gathered"],
            "gathered, simulated": seconds(bare, "gather"),
            "Seiche, simulated": seconds(bare, "seiche"),
        }
        cells = [[name, *(f"{v:.2f}" if v else "-" for v in values), f"{values[2] / values[0]:.3f}" if values[2] else "-", factor(values)]
                 for name, values in rows.items()]
        text += [f"{what.capitalize()}, seconds for the published size ({scale:.0f} times what was simulated):\n",
                 table([what, *PROCESSES, "96 to 24", "384 to 24"], cells), ""]
        lines[what] = {name: {n: v for n, v in zip(PROCESSES, values) if v} for name, values in rows.items() if name != "point to point, simulated without"}
        lines[what] = {name.replace(", simulated with the fitted queue", ", fitted").replace(", simulated", ""): points for name, points in lines[what].items()}
        short = {name.replace("point to point", "one by one"): points for name, points in lines[what].items()}
        (PICTURES / f"scale_{what}.svg").write_text(picture.drawn(f"{what}: simulated, and as published", "s", short))
    account = [report["account"] for report in bare]
    rows = [["bytes read, all", *(f"{a['read']['sum'] / 1e6:.2f} MB" for a in account)],
            ["bytes written, all", *(f"{a['written']['sum'] / 1e6:.2f} MB" for a in account)],
            ["most memory of one process", *(f"{a['allocated']['most'] / 1e6:.1f} MB" for a in account)],
            ["memory of all", *(f"{a['allocated']['sum'] / 1e6:.0f} MB" for a in account)],
            ["most messages in flight of one process", *(a["in_flight"]["most"] for a in account)]]
    text += ["In the whole run of the benchmark (two writes and a read of Seiche, one of each of the others, the root's copies):\n",
             table(["", *PROCESSES], rows)]
    return "\n".join(text)


def redistributions():
    """Orbitals in memory: from waves to bands, and to a larger basis."""
    processes = [24, 48, 96]
    case = ["bench", "redistribute", "--kpoints", 1, "--bands", 384, "--waves", 4000, "--repeat", 1]
    reports = [run(n, case)["methods"] for n in processes]
    rows = [[method, *(f"{1e3 * methods[method]['median']:.2f}" for methods in reports)] for method in reports[0]]
    return table(["ms", *processes], rows)


def setup():
    """The set-up of a transform."""
    processes = [24, 64, 128, 256, 384]
    reports = [run(n, ["bench", "cache", "--grid", 24, "--repeat", 2]) for n in processes]
    rows = [["set-up calls of a pair, made anew", *(f"{r['set_up_calls_anew']:g}" for r in reports)],
            ["set-up calls of a pair, kept", *(f"{r['set_up_calls_kept']:g}" for r in reports)],
            ["a pair made anew, ms", *(f"{1e3 * r['anew']:.3f}" for r in reports)],
            ["a pair kept, ms", *(f"{1e3 * r['kept']:.3f}" for r in reports)],
            ["share of set-up", *(f"{100 * (1 - r['kept'] / r['anew']):.0f} %" for r in reports)],
            ["plan's memory of a process", *(f"{r['plan_memory_bytes'] / 1e3:.0f} kB" for r in reports)]]
    lines = {"anew": {n: 1e3 * r["anew"] for n, r in zip(processes, reports)}, "kept": {n: 1e3 * r["kept"] for n, r in zip(processes, reports)}}
    (PICTURES / "scale_setup.svg").write_text(picture.drawn("a pair of transforms of 24^3, simulated", "ms", lines))
    return table(["", *processes], rows)


def in_flight(text):
    """Returns (bands, messages of Seiche, messages band by band) from the output of seiche_flight."""
    return re.findall(r"(\d+) bands: at most (\d+) messages in flight per process; band by band (\d+)", text)


def symmetry():
    """The full zone of fe_so: messages in flight, and memory."""
    few = [12, 24, 48, 96, 192]
    os.chdir(simulate.ROOT / "tests")
    flights = []
    for n in few:
        text, _, seconds = alike(simulate.simulate, n, [], lambda found: in_flight(found[0]), command=simulate.COMMAND.parent / "seiche_flight", may_fail=True)
        flights.append(in_flight(text))
        print(n, "flight", f"{seconds:.0f} s", flush=True)
    rows = [[f"{flights[0][i][0]} bands, {name}", *(flight[i][at] for flight in flights)]
            for i in range(2) for name, at in (("band by band", 2), ("Seiche", 1))]
    processes = [24, 96, 192, 384]
    accounts = []
    for n in processes:
        words = ["expand", simulate.ROOT / "tests/data/fe_so/fe_so.save", "FOLDER/full.save"]
        _, account, seconds = alike(simulate.simulate, n, words, lambda found: found[1])
        accounts.append(account)
        print(n, "expand", f"{seconds:.0f} s", flush=True)
    more = [["most memory of one process", *(f"{a['allocated']['most'] / 1e6:.1f} MB" for a in accounts)],
            ["memory of all", *(f"{a['allocated']['sum'] / 1e6:.0f} MB" for a in accounts)],
            ["most messages of one process", *(a["messages"]["most"] for a in accounts)],
            ["most messages in flight of one process", *(a["in_flight"]["most"] for a in accounts)],
            ["bytes read, all", *(f"{a['read']['sum'] / 1e6:.2f} MB" for a in accounts)],
            ["bytes written, all", *(f"{a['written']['sum'] / 1e6:.2f} MB" for a in accounts)]]
    return "\n".join(["Messages in flight of one process, at most, when the full zone goes from bands to groups of k-points:\n",
                      table(["", *few], rows), "", "`seiche expand fe_so.save full.save`, whole:\n", table(["", *processes], more)])


def blocks():
    """A product with the pattern of 5832 water molecules."""
    processes = [24, 48, 96, 192]
    case = ["bench", "blocksparse", "--water", 18, "--sizes", 2, "--reach", 1.5, "--eps", 1e-5, "--deal", "curve", "--repeat", 1, "--keep"]
    rows, lines = [], {}
    for name, more in (("2D, whole panels", ["--layers", 1, "--whole-panels"]), ("2D, needed blocks", ["--layers", 1]), ("2.5D (2 layers), needed blocks", ["--layers", 2])):
        reports = [run(n, [*case, *more]) for n in processes]
        received = [r["bytes_received"] / n / 1e6 for n, r in zip(processes, reports)]
        lines[name.replace(" (2 layers)", "")] = dict(zip(processes, received))
        rows += [[f"{name}: received by a process, MB", *(f"{v:.3f}" for v in received)],
                 [f"{name}: messages of a process in three products, most", *(r["account"]["messages"]["most"] for r in reports)],
                 [f"{name}: memory of a process, as predicted, most, MB", *(f"{r['memory_predicted'] / 1e6:.2f}" for r in reports)]]
    (PICTURES / "scale_blocks.svg").write_text(picture.drawn("a product: received by a process, counted", "MB", lines))
    return table(["", *processes], rows)


def lower_bounds(processes, n):
    """Returns the mean bytes of a process for n^3 forward and backward: for slabs, with one transpose and n planes, and for pencils,
    with two transposes, distributed so that the largest share of lines is smallest."""
    def share(parts):
        return -(-n // parts)
    grids = [(slow, min(processes // slow, n)) for slow in range(min(processes // 2, n), 1, -1)]
    slow, fast = min(grids, key=lambda grid: share(grid[0]) * share(grid[1]))
    values = 2 * 16 * n**3
    return values / processes * (1 - 1 / processes), values / (slow * fast) * (2 - 1 / slow - 1 / fast)


def transforms():
    """One transform of the published 125^3, forward and backward."""
    processes, n = [24, 48, 96], 125
    case = ["bench", "fft", "--grid", n, "--repeat", 1]
    rows = []
    for name, more in (("alltoallv", ["--algorithm", "alltoallv"]), ("alltoall (padded)", ["--algorithm", "alltoall"]), ("Seiche's choice", []),
                       ("alltoallv, chunks 3,1 overlapped", ["--algorithm", "ialltoallv", "--chunks", "3,1"])):
        reports = [run(n, [*case, "--decomposition", "pencil", *more]) for n in processes]
        rows.append([f"pencils, {name}: ms", *(f"{1e3 * r['seconds']['median']:.3f}" for r in reports)])
    slabs = [run(n, [*case, "--decomposition", "slab"]) for n in processes[:2]]
    rows.append(["slabs, Seiche's choice: ms", *(f"{1e3 * r['seconds']['median']:.3f}" for r in slabs), "-"])
    bounds = [lower_bounds(n_processes, n) for n_processes in processes]
    sent = [r["bytes_sent_per_rank"] for r in reports]
    rows += [["pencils: kB sent by process 0", *(f"{bytes / 1e3:.1f}" for bytes in sent)],
             ["over the lower bound of two transposes", *(f"{bytes / two:.3f}" for bytes, (_, two) in zip(sent, bounds))],
             ["over that of one, which needs as many planes as processes", *(f"{bytes / one:.3f}" for bytes, (one, _) in zip(sent, bounds))],
             ["slabs: kB sent by process 0", *(f"{r['bytes_sent_per_rank'] / 1e3:.1f}" for r in slabs), "-"],
             ["over the lower bound of one transpose", *(f"{r['bytes_sent_per_rank'] / one:.3f}" for r, (one, _) in zip(slabs, bounds)), "-"]]
    return table(["", *processes], rows)


def exchanges():
    """Exchange algorithms by message size, on 24 processes of four nodes."""
    sizes = [256, 1024, 4096, 16384, 65536]
    case = ["bench", "exchange", "--bytes", ",".join(map(str, sizes)), "--uneven", "--repeat", 1]
    found = run(24, case, machine=simulate.Machine(cores=6))["table"]
    rows = []
    for algorithm in ("alltoallv", "alltoall", "pairwise", "two_level"):
        for when, name in (("synchronised", "together"), ("skewed", "apart")):
            rows.append([f"{algorithm}, {name}: us", *(f"{1e6 * one[when]:.1f}" for size in sizes for one in found if (one["algorithm"], one["bytes"]) == (algorithm, size))])
    return table(["bytes of a message, in the mean", *sizes], rows)


def crossing(report, level):
    """Returns the ratio of bytes that cross a level, in the order of the plan to those in that of the program."""
    ordered, given = map(int, re.search(rf"{level} (\d+) \((\d+)\)", report["levels"]).groups())
    return f"{ordered / given:.2f}" if given else ""


def topologies():
    """Plans and products on 96 processes that order their ranks, and those that do not, where the program's ranks are shuffled and in order."""
    machines = {"2 groups of 4 nodes": 12, "6 groups of 4 nodes": 4}
    cases = {"pencils of 96^3": ["bench", "fft", "--grid", 96, "--decomposition", "pencil", "--repeat", 1],
             "a product of 216 waters": ["bench", "blocksparse", "--water", 6, "--sizes", 4, "--reach", 1.5, "--eps", 1e-5, "--repeat", 1]}
    rows = []
    for (name, case), network in itertools.product(cases.items(), ("fat_tree", "torus")):
        def reports(order, topology):
            return [run(96, case, machine=simulate.Machine(cores=cores, group=4, uplinks=1, flops=4e9, network=network, order=order, topology=topology))
                    for cores in machines.values()]
        for order, title in (("shuffled", "shuffled"), ("blocks", "in order")):
            plain, ordered = reports(order, ""), reports(order, "groups")
            times = [[report["seconds"]["median"] for report in found] for found in (plain, ordered)]
            of = f"{name}, {network.replace('_', ' ')}, ranks {title}"
            rows.append([f"{of}: ms", *(f"{1e3 * time:.3f}" for time in times[0])])
            rows.append([f"{of}: ms, ordered", *(f"{1e3 * time:.3f}" for time in times[1])])
            rows.append([f"{of}: **ratio of times**", *(f"**{b / a:.2f}**" for a, b in zip(*times))])
            for level in ("group", "node"):
                if all(report.get("levels") for report in ordered):
                    rows.append([f"{of}: ratio of bytes between {level}s", *(crossing(report, level) for report in ordered)])
    return table(["96 processes", *machines], rows)


def rules():
    """The same with other rules for collectives, and without eager messages."""
    machines = [simulate.Machine(), simulate.Machine(collectives="mpich"), simulate.Machine(eager=0)]
    files = ["bench", "wavefile", "--kpoints", 1, "--bands", 12, "--waves", 40000, "--repeat", 1, "--old", "--path", "FOLDER"]
    cases = [("bands to a file and back", n, files, lambda r: r["write"]["seiche"]["median"] + r["read"]["seiche"]["median"]) for n in (48, 96)]
    cases += [("a pair of transforms of 24^3, all made anew", n, ["bench", "cache", "--grid", 24, "--repeat", 1], lambda r: r["anew"]) for n in (48, 96)]
    cases += [("expand fe_so", n, ["expand", simulate.ROOT / "tests/data/fe_so/fe_so.save", "FOLDER/full.save"], lambda r: r["seconds"]["total"]) for n in (48, 96)]
    cases += [("a product of 216 waters", 48, ["bench", "blocksparse", "--water", 6, "--sizes", 2, "--reach", 1.5, "--eps", 1e-5, "--repeat", 1],
               lambda r: r["seconds"]["median"])]
    cases += [(f"a transform of 32^3, {algorithm}", 48, ["bench", "fft", "--grid", 32, "--repeat", 1, "--algorithm", algorithm], lambda r: r["seconds"]["median"])
              for algorithm in ("alltoallv", "alltoall", "pairwise", "two_level", "ialltoallv")]
    rows = []
    for name, n, case, seconds in cases:
        times = [f"{1e3 * seconds(run(n, case, machine=machine)):.3f}" for machine in machines]
        rows.append([name, n, *times])
    return table(["ms", "processes", "Open MPI's rules", "MPICH's rules", "nothing sent ahead"], rows)


TABLES = {"files": files, "redistributions": redistributions, "setup": setup, "symmetry": symmetry, "blocks": blocks, "transforms": transforms, "exchanges": exchanges, "topologies": topologies, "rules": rules}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(TABLES))
    parser.add_argument("--twice", action="store_true")
    given = parser.parse_args()
    twice = given.twice
    for name in given.only.split(","):
        made = TABLES[name]()
        page = PAGE.read_text()
        before, rest = page.split(f"<!-- {name} -->\n")
        PAGE.write_text(f"{before}<!-- {name} -->\n{made}\n<!-- end of {name} -->" + rest.split(f"<!-- end of {name} -->", 1)[1])
