#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times Seiche beside FFTW-MPI, threaded MKL, SpFFT and DBCSR on the same cases: one program at a time, in turn, in rounds.

A ratio is Seiche's time over the peer's of the same round; the table gives the median over rounds (below 1: Seiche is
faster), where there were at least five: fewer say nothing on a noisy machine. Each program's time is the median of its
repeats, each the slowest rank's. All programs check their results.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

GRIDS = [64, 125, 128, 256]
PRODUCTS = [(200, 0.1, [23]), (1000, 0.02, [23]), (200, 0.1, [5, 13]), (1000, 0.02, [5, 13])]  # blocks, fill, sizes
# Fresh pages cost as much as a product: with these, neither side pays for them more than once.
FAIR_MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "100000000000", "MALLOC_ARENA_MAX": "1"}
MAX_ERROR = 1e-9
ROUNDS_FOR_A_VERDICT = 5


def cube(n):
    return f"{n},{n},{n}"


class Case:
    """What all programs do, and the command lines that do it: some of Seiche's, which share the peer's runs."""

    def __init__(self, title, seiche, peer, arguments, peer_ranks=None, environment=None):
        self.title, self.arguments, self.environment = title, arguments, environment or {}
        self.seiche, self.peer, self.peer_ranks = seiche, peer, peer_ranks


def repeats_of(repeat, n):
    """Fewer for large grids, whose times vary less."""
    return max(1 if n > 128 else 3, min(repeat, repeat * 128**3 // n**3))


def bands_of(bands, n):
    """Fewer in large grids, of which SpFFT takes seconds for one."""
    return min(bands, max(2, bands * 128**3 // n**3))


def on_lines(what, libraries):
    return [[what, "--library", library] for library in libraries]


def cases_of(options):
    """Every case asked for, Seiche on the same line library as its peer, and beside those on FFTW also as it is."""
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
            if "mkl" in options.peers:
                threads = ["--threads", str(options.ranks)]
                yield Case(f"{kind} {n}^3", on_lines("fft", ["mkl"]), ["peer_mkl_threads", *threads], arguments, 1)
        if "spfft" in options.peers and options.bands:
            arguments = ["--grid", cube(n), "--radius", str(n / 4), "--bands", str(bands_of(options.bands, n))]
            arguments += ["--repeat", str(repeats_of(options.repeat // 5, n))]
            lines = [*options.lines, "mkl"] if options.mkl else options.lines
            yield Case(f"bands {n}^3", on_lines("bands", lines), ["peer_spfft"], arguments)


def stop(program):
    """Ends a program that was started in a session of its own: mpiexec ends its ranks when it is asked to."""
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
    """Starts programs, one at a time, and lets none of them outlive it."""

    def __init__(self, options):
        self.options = options
        self.until = float("inf")  # when the case's time is over
        self.folder = pathlib.Path(options.build).resolve() / "bin"

    def run(self, name, arguments, ranks, more):
        """The JSON line of one program; None where it is not built or not able."""
        program = self.folder / name
        if not program.exists():
            return None
        threads = "1" if ranks > 1 else str(self.options.ranks)
        environment = dict(os.environ, OMP_NUM_THREADS=threads, MKL_NUM_THREADS=threads, MKL_DYNAMIC="FALSE", **more)
        mpiexec = [self.options.mpiexec, "-n", str(ranks)]
        if ranks == 1:
            mpiexec = []  # alone, so that no launcher pins its threads to one core
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
        """All programs once, the peer's last, or the other way around; None where one of them gives nothing."""
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
    """A row of the table for each of Seiche's command lines, from as many rounds as end within `limit` seconds."""
    runner.until = time.monotonic() + limit
    done = []
    for number in range(rounds):
        results = runner.round(case, number % 2 == 1)
        if results is None:
            break
        done.append(results)
    return [row_of(case, [(results[mine], results[-1]) for results in done]) for mine in range(len(case.seiche)) if done]


def row_of(case, pairs):
    """What rounds say of one of Seiche's command lines and the peer."""
    seconds = [[result["seconds"]["median"] for result in pair] for pair in pairs]
    ratios = sorted(mine / theirs for mine, theirs in seconds)
    return {
        "case": case.title,
        "seiche": statistics.median(mine for mine, _ in seconds),
        "seiche_backend": pairs[0][0]["fft_backend"],
        "seiche_chosen": pairs[0][0]["chosen"],
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
    parser.add_argument("--peers", nargs="+", default=["fftw", "mkl", "spfft", "dbcsr"],
                        choices=["fftw", "mkl", "spfft", "dbcsr"])
    parser.add_argument("--bands", type=int, default=16, help="0 for none")
    parser.add_argument("--patient", action="store_true", help="let FFTW-MPI plan with FFTW_PATIENT")
    parser.add_argument("--json", action="store_true", help="one JSON object on one line instead of the table")
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
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
