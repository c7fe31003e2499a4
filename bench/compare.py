#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times Seiche, FFTW-MPI, dtFFT, threaded MKL, SpFFT and DBCSR on the same cases. Programs run one at a time, in rounds.

A ratio is the time of Seiche over the time of the peer in the same round. The table gives the median over the rounds
(below 1: Seiche is faster) if there are at least five, because fewer are unreliable on a noisy machine. The time of a
program is the median of its repeats. The time of a repeat is the time of the slowest rank. All programs check their results.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time

import figures

GRIDS = [64, 125, 128, 256]
PEERS = ["fftw", "dtfft", "mkl", "spfft", "dbcsr"]
PRODUCTS = [(200, 0.1, [23]), (1000, 0.02, [23]), (200, 0.1, [5, 13]), (1000, 0.02, [5, 13])]  # blocks, fill, sizes
# New memory pages cost as much as a product. With these settings each program allocates them only once.
FAIR_MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "100000000000", "MALLOC_ARENA_MAX": "1"}
NAMES = {"fftw_mpi": "FFTW-MPI", "dtfft": "dtFFT", "mkl_threads": "threaded MKL", "spfft": "SpFFT", "dbcsr": "DBCSR"}
MAX_ERROR = 1e-9
ROUNDS_FOR_A_VERDICT = 5


def cube(n):
    return f"{n},{n},{n}"


class Case:
    """Command lines of Seiche and of a peer for one case. Each is compared with the same runs of the peer."""

    def __init__(self, title, seiche, peer, arguments, peer_ranks=None, environment=None):
        self.title, self.arguments, self.environment = title, arguments, environment or {}
        self.seiche, self.peer, self.peer_ranks = seiche, peer, peer_ranks


def repeats_of(repeat, n):
    """Returns the number of repeats. Large grids need fewer, because their times vary less."""
    return max(1 if n > 128 else 3, min(repeat, repeat * 128**3 // n**3))


def bands_of(bands, n):
    """Returns the number of bands. Large grids have fewer, because SpFFT takes seconds per band there."""
    return min(bands, max(2, bands * 128**3 // n**3))


def on_lines(what, libraries):
    return [[what, "--library", library] for library in libraries]


def cases_of(options):
    """Yields the requested cases. Seiche runs with each of the requested libraries of 1D FFTs."""
    for n, fill, sizes in PRODUCTS if "dbcsr" in options.peers else []:
        repeats = str(min(5 if n < 1000 else 3, options.repeat))
        for keep in [False, True]:
            mine = ["blocksparse", "--blocks", str(n), "--fill", str(fill), "--sizes", ",".join(map(str, sizes)),
                    "--repeat", repeats, *(["--keep"] if keep else [])]
            peer = ["peer_dbcsr", str(n), str(fill), repeats, str(int(keep)), *map(str, sizes)]
            title = f"{n} of {','.join(map(str, sizes))}{' kept' if keep else ''}"
            yield Case(title, [mine], peer, [], environment=FAIR_MALLOC)
    for n in options.grids:
        for kind in options.kinds:
            arguments = ["--grid", cube(n), "--kind", kind, "--repeat", str(repeats_of(options.repeat, n))]
            patient = ["--patient"] if options.patient else []
            if "fftw" in options.peers:
                yield Case(f"{kind} {n}^3", on_lines("fft", options.lines), ["peer_fftw_mpi", *patient], arguments)
            if "dtfft" in options.peers:
                yield Case(f"{kind} {n}^3", on_lines("fft", options.lines), ["peer_dtfft", *patient], arguments)
            if "mkl" in options.peers:
                threads = ["--threads", str(options.ranks)]
                yield Case(f"{kind} {n}^3", on_lines("fft", ["mkl"]), ["peer_mkl_threads", *threads], arguments, 1)
        if "spfft" in options.peers and options.bands:
            arguments = ["--grid", cube(n), "--radius", str(n / 4), "--bands", str(bands_of(options.bands, n))]
            arguments += ["--repeat", str(repeats_of(options.repeat // 5, n))]
            lines = [*options.lines, "mkl"] if options.mkl else options.lines
            yield Case(f"bands {n}^3", on_lines("bands", lines), ["peer_spfft"], arguments)


def stop(program):
    """Ends a program that has its own session. mpiexec ends its ranks after SIGTERM."""
    for asked in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(program.pid, asked)
            program.communicate(timeout=10)
            return
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


class Runner:
    """Runs programs one at a time, and ends each before it returns."""

    def __init__(self, options):
        self.options = options
        self.until = float("inf")  # end of the time limit of the case
        self.folder = pathlib.Path(options.build).resolve() / "bin"

    def run(self, name, arguments, ranks, more):
        """Returns the JSON line of one program, or None if it is not built or fails."""
        program = self.folder / name
        if not program.exists():
            return None
        threads = "1" if ranks > 1 else str(self.options.ranks)
        environment = dict(os.environ, OMP_NUM_THREADS=threads, MKL_NUM_THREADS=threads, MKL_DYNAMIC="FALSE", **more)
        mpiexec = [self.options.mpiexec, "-n", str(ranks)]
        if ranks == 1:
            mpiexec = []  # no launcher, which could pin all threads to one core
        started = subprocess.Popen([*mpiexec, str(program), *arguments], env=environment, text=True,
                                   start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            printed, complaints = started.communicate(timeout=max(0.0, self.until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return None
        finally:
            if started.returncode is None:
                stop(started)
        lines = [line for line in printed.splitlines() if line.startswith("{")]
        if started.returncode != 0 or not lines:
            print(f"{name} {' '.join(arguments)}: {complaints.strip() or 'nothing said'}", file=sys.stderr)
            return None
        result = json.loads(lines[-1])
        if not result["max_error"] <= MAX_ERROR:
            sys.exit(f"{name} {' '.join(arguments)} is wrong: max_error {result['max_error']}")
        return result

    def round(self, case, backwards):
        """Runs all programs once, the peer last, or first if `backwards`. Returns None if one of them fails."""
        ranks = self.options.ranks
        commands = [("seiche", ["bench", *mine, *case.arguments, "--json"], ranks) for mine in case.seiche]
        commands.append((case.peer[0], [*case.peer[1:], *case.arguments], case.peer_ranks or ranks))
        results = []
        for name, arguments, on in reversed(commands) if backwards else commands:
            results.append(self.run(name, arguments, on, case.environment))
            if results[-1] is None:
                return None
        return results[::-1] if backwards else results


def measure(runner, case, rounds, limit):
    """Returns a table row for each command line of Seiche, from the rounds that end within `limit` seconds."""
    runner.until = time.monotonic() + limit
    done = []
    for number in range(rounds):
        results = runner.round(case, number % 2 == 1)
        if results is None:
            break
        done.append(results)
    return [row_of(case, command, [(results[mine], results[-1]) for results in done])
            for mine, command in enumerate(case.seiche) if done]


def row_of(case, command, pairs):
    """Returns the result of all rounds for one command line of Seiche and the peer."""
    seconds = [[result["seconds"]["median"] for result in pair] for pair in pairs]
    ratios = sorted(mine / theirs for mine, theirs in seconds)
    return {
        "case": case.title,
        "library": command[command.index("--library") + 1] if "--library" in command else None,
        "seiche": statistics.median(mine for mine, _ in seconds),
        "seiche_backend": pairs[0][0]["fft_backend"],
        "seiche_chosen": pairs[0][0]["chosen"],
        "seiche_gflops": statistics.median(mine.get("gflops", 0) for mine, _ in pairs),
        "peer": case.peer[0].removeprefix("peer_"),
        "peer_seconds": statistics.median(theirs for _, theirs in seconds),
        "peer_backend": pairs[0][1]["fft_backend"],
        "peer_chosen": pairs[-1][1]["chosen"],
        "rounds": len(pairs),
        "ratio": statistics.median(ratios) if len(pairs) >= ROUNDS_FOR_A_VERDICT else None,
        "ratio_range": [ratios[0], ratios[-1]],
        "max_error": max(result["max_error"] for pair in pairs for result in pair),
    }


HEAD = f"{'case':<13}{'Seiche':>10}  {'on':<8}{'peer':>10}  {'which':<42}{'ratio':>6}  {'rounds':<12}{'error':>8}"


def line_of(row):
    peer = f"{row['peer']}: {row['peer_backend']}, {row['peer_chosen']}"
    spread = f"{row['ratio_range'][0]:.2f}-{row['ratio_range'][1]:.2f}"
    ratio = f"{row['ratio']:>6.2f}" if row["ratio"] else f"{'-':>6}"
    return (f"{row['case']:<13}{row['seiche'] * 1e3:>7.2f} ms  {row['seiche_backend']:<8}{row['peer_seconds'] * 1e3:>7.2f} ms"
            f"  {peer[:41]:<42}{ratio}  {spread:<12}{row['max_error']:>8.0e}")


def version_of(row):
    """Returns the version of a peer from its output, or from its package."""
    told = re.search(r"\d+\.\d+(\.\d+)?", row["peer_backend"])
    if told:
        return told[0]
    if row["peer"] == "mkl_threads":
        found = sorted(pathlib.Path(os.environ.get("SEICHE_MKL", ".")).glob("python*/site-packages/mkl-*.dist-info"))
        return found[-1].name.removeprefix("mkl-").removesuffix(".dist-info") if found else None
    package = {"spfft": "libspfft-dev", "dbcsr": "libdbcsr-dev"}.get(row["peer"])
    return figures.package_version(package) if package else None


def data_of(row, options):
    """Returns a row of a transform or of a product in the form of docs/performance/data."""
    sized = re.fullmatch(r"(c2c|r2c|bands) (\d+)\^3", row["case"])
    product = re.fullmatch(r"(\d+) of ([\d,]+)( kept)?", row["case"])
    named = {}
    if sized:
        kind = {"bands": "sphere"}.get(sized[1], sized[1])
        named = {"case": f"{'sphere in' if kind == 'sphere' else kind} {sized[2]}^3", "kind": kind, "grid": int(sized[2]),
                 "library": row["library"], "ranks": options.ranks}
    elif product:
        fill = next(fill for n, fill, _ in PRODUCTS if n == int(product[1]))
        named = {"case": f"{product[1]} x {product[1]} blocks of {product[2].replace(',', ' and ')}, {100 * fill:.0f} %",
                 "where": f"{options.ranks} ranks", "kept": bool(product[3]), "gflops": figures.rounded(row["seiche_gflops"])}
    return {
        **named,
        "peer": NAMES.get(row["peer"], row["peer"]),
        "peer_version": version_of(row),
        "peer_settings": row["peer_chosen"] or None,
        "ours": figures.rounded(1e3 * row["seiche"]),
        "peer_time": figures.rounded(1e3 * row["peer_seconds"]),
        "ratio": figures.rounded(row["ratio"], 3),
        "range": [figures.rounded(end, 3) for end in row["ratio_range"]],
        "rounds": row["rounds"],
    }


def write_data(options, rows):
    """Writes transforms to the file of --data and products to FILE-products."""
    if not options.data:
        return
    for topic, name in (("single-node", options.data.stem), ("products", f"{options.data.stem}-products")):
        chosen = [row for row in rows if (row["peer"] == "dbcsr") == (topic == "products")]
        figures.write(options, topic, [data_of(row, options) for row in chosen], path=options.data.with_stem(name))


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="where ./dev bench built the programs")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--ranks", type=int, default=2, help="of MPI, and threads of a peer without MPI")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=180, help="seconds that the rounds of a case may take together")
    parser.add_argument("--repeat", type=int, default=20, help="in one program")
    parser.add_argument("--grids", type=int, nargs="+", default=GRIDS)
    parser.add_argument("--kinds", nargs="+", default=["c2c", "r2c"], choices=["c2c", "r2c"])
    parser.add_argument("--peers", nargs="+", default=PEERS, choices=PEERS)
    parser.add_argument("--bands", type=int, default=16, help="0 for none")
    parser.add_argument("--patient", action="store_true", help="let FFTW-MPI plan with FFTW_PATIENT")
    parser.add_argument("--json", action="store_true", help="one JSON object on one line instead of the table")
    figures.add_options(parser)
    options = parser.parse_args(arguments)
    options.mkl = bool(os.environ.get("SEICHE_MKL")) and "mkl" in options.peers
    has_ducc = any(pathlib.Path(options.build).glob("lib/**/libseiche_ducc_*.so"))
    options.lines = ["fftw", "fastest"] if has_ducc else ["fftw"]
    if not options.mkl:
        options.peers = [peer for peer in options.peers if peer != "mkl"]
    return options


def main():
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    options = options_of(sys.argv[1:])
    runner, rows = Runner(options), []
    if not options.json:
        print(HEAD)
    for case in cases_of(options):
        measured = measure(runner, case, options.rounds, options.limit)
        if not measured:
            print(f"{case.title} beside {case.peer[0]}: not measured", file=sys.stderr)
        for row in measured:
            rows.append(row)
            if not options.json:
                print(line_of(row), flush=True)
    if options.json:
        print(json.dumps({"ranks": options.ranks, "rounds": options.rounds, "cases": rows}))
    write_data(options, rows)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
