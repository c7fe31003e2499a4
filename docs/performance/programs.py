# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of programs that run with and without Seiche."""
from runs import across, first, number, ratio, short, table


def pw(data, atoms=None):
    runs = data.of("pw")

    def cells(run, key):
        def of(routine):
            return run.row(**key, routine=routine, library="fastest")
        whole, potential = of("pw.x"), of("vloc_psi")
        times = [number(whole.get("peer_time"), 2), number(whole.get("ours"), 2)] if run.reference else []
        return [*times, ratio(whole), ratio(potential)]

    head = []
    for run in runs:
        times = ["original, s", "with Seiche, s"] if run.reference else []
        head += [f"{run.label}: {name}" for name in [*times, "`pw.x`", "`vloc_psi`"]]
    order = [where for where, in first(runs[0].rows, "where")]
    rows = sorted(across(runs, ["atoms", "where"], cells), key=lambda row: (int(row[0]), order.index(row[1])))
    rows = [[f"{row[0]} atoms", *row[1:]] for row in rows if atoms in (None, int(row[0]))]
    return table(["case", "where", *head], rows)


def with_and_without(topic, digits):
    """Returns the function that makes the table of a program with and without Seiche."""
    def made(data):
        rows = [[row["case"], row["routine"], row["where"], number(row["peer_time"], digits), number(row["ours"], digits), ratio(row),
                 run.label] for run in data.of(topic) for row in run.rows]
        return table(["case", "part", "where", "original, s", "with Seiche, s", "ratio", "machine"], rows)
    return made


def gpaw_calls(data):
    return table(["case", "part", "where", "bands", "calls of a rank, original", "with Seiche"],
                 [[row["case"], row["routine"], row["where"], str(row["bands"]), number(row["counted_peer"], 0), number(row["counted"], 0)]
                  for run in data.of("gpaw-calls") for row in run.rows])


def gpaw_potential(data):
    """A row for each run: shares of the parts of the potential step, and whole runs without and with sums over atoms."""
    parts = {"paw": "PAW corrections", "compensation": "compensation charges", "xc": "exchange and correlation", "grids": "interpolation",
             "collected": "collected on rank 0", "poisson": "Poisson equation"}
    rows = []
    for run in data.of("gpaw-potential"):
        for row in run.rows:
            shares = [row["shares"].get(part, 0) for part in parts]
            timed = [number(row["peer_time"], 1), number(row["ours"], 1), ratio(row), str(row["rounds"])] if "ratio" in row else [""] * 4
            rows.append([row["case"], row["where"], *(f"{100 * share:.1f} %" for share in [sum(shares), *shares]), *timed])
    return table(["case", "where", "potential step", *parts.values(), "run without sums, s", "with sums, s", "ratio", "rounds"], rows)


def percent(value):
    return f"{100 * value:.0f} %"


def cp2k_patterns(data):
    names = ("occupancy", "multiplied")
    rows = [[row["case"], str(row["atoms"]), *(percent(row[name + source]) if name + source in row else "" for name in names
                                               for source in ("", "_by_distance"))]
            for row in data.of("cp2k-predicted")[0].rows if "atoms" in row]
    return table(["`H2O-dft-ls`", "atoms", "nonzero blocks", "from distances", "products of blocks not skipped", "from distances"], rows)


def cp2k_predicted(data):
    """A row for each number of cores, with columns for each number of threads."""
    run = data.of("cp2k-predicted")[0]
    threads = [each for each, in first(run.rows, "threads") if each]
    rows = []
    for cores, published in first([{**row, "published": tuple(row["published_gain"])} for row in run.rows if "cores" in row], "cores", "published"):
        found = [run.row(cores=cores, threads=each) for each in threads]
        cells = [text for row in found for text in (f"{number(row['alternating'], 2)} / {number(row['ours'], 2)}",
                                                    percent(row["communication"]), percent(row["gain"]))]
        rows.append([str(cores), *cells, f"{percent(published[0])} to {percent(published[1])}"])
    head = [text for each in threads for text in (f"{each} core{'s' if each > 1 else ''} a process: alternating / hidden, s",
                                                  "communication", "gain")]
    return table(["cores", *head, "published gain of the step"], rows)


def split_phase(data):
    rows = [[row["case"], row["where"], f"`{row['routine']}`", number(row["peer_time"], 2), number(row["ours"], 2), ratio(row), run.label]
            for run in data.of("split-phase") for row in run.rows]
    return table(["case", "where", "clock", "ordinary, s", "started, s", "ratio", "machine"], rows)


def pw_files(data):
    rows = [[row["part"], row["where"], str(row["megabytes"]), number(row["peer_time"], 3), number(row["ours"], 3), ratio(row),
             f"{100 * row['share']:.1f} %" if "share" in row else "", run.label] for run in data.of("pw-files") for row in run.rows]
    return table(["part", "where", "files, MB", "original, s", "with Seiche, s", "ratio", "calls of checkpoints", "machine"], rows)


def cp2k_simulated(data):
    """A row for each case, number of processes and machine, with ratios of all programs to CP2K as it comes."""
    run = data.of("cp2k-simulated")[0]
    others = [name for name in ("cp2k_uncached", "cp2k_padded", "cp2k_seiche", "cp2k_blocking") if any(row["program"] == name for row in run.rows)]
    rows = []
    for case, processes, machine, rules in first(run.rows, "case", "processes", "machine", "collectives"):
        of = {"case": case, "processes": processes, "machine": machine, "collectives": rules}
        own = run.row(program="cp2k", **of)
        ratios = [run.row(program=name, **of).get("ratio") for name in others]
        waits = own.get("share_of_waits")
        rows.append([case, str(processes), machine, rules, number(own.get("seconds"), 4), number(own.get("predicted"), 4),
                     *(number(one, 3) for one in ratios), percent(waits) if waits is not None else ""])
    return table(["case", "processes", "machine", "rules", "`cp2k`, s", "predicted, s", *(f"`{name}`" for name in others), "waits in products"], rows)


def cp2k_profile(data):
    """A row for each function, with columns for each number of ranks."""
    run = data.of("cp2k-profile")[0]
    places = [where for where, in first(run.rows, "where")]
    rows = []
    for function, in first(run.rows, "function"):
        cells = []
        for where in places:
            row = run.row(where=where, function=function)
            cells += [str(row.get("calls", "")), number(row.get("ours"), 4), percent(row["imbalance"]) if "imbalance" in row else ""]
        rows.append([function if " " in function else f"`{function}`", *cells])
    return table([short(run.rows[0]["case"]), *(f"{where}: {what}" for where in places for what in ("calls of a rank", "s", "imbalance"))], rows)


TABLES = {"pw": pw, "pw-short": lambda data: pw(data, 32), "pw-files": pw_files, "split-phase": split_phase,
          "gpaw": with_and_without("gpaw", 3), "gpaw-calls": gpaw_calls, "gpaw-potential": gpaw_potential,
          "cp2k": with_and_without("cp2k", 2), "cp2k-patterns": cp2k_patterns, "cp2k-predicted": cp2k_predicted, "cp2k-simulated": cp2k_simulated,
          "cp2k-profile": cp2k_profile}
