# SPDX-License-Identifier: BSD-3-Clause
"""Writes measurements as data: one JSON file for each run, in the form that docs/performance/data/README.md describes.

`python3 bench/figures.py` prints the description of the machine.
"""
import datetime
import json
import os
import pathlib
import platform
import re
import shlex
import statistics
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent


def first_line(*command):
    """Returns the first line that a program prints, or None if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PROJECT)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (done.stdout.splitlines() or [None])[0]


def text_of(path):
    """Returns the contents of a file, or "" if it cannot be read."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def processor():
    """Returns the name of the processor and the vector instructions that matter to FFTs."""
    told = text_of("/proc/cpuinfo")
    name = re.search(r"^model name\s*:\s*(.*)$", told, re.M)
    flags = re.search(r"^flags\s*:\s*(.*)$", told, re.M)
    vectors = [shown for flag, shown in (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("avx", "AVX"))
               if flags and flag in flags[1].split()]
    model = re.search(r"^cpu family\s*:\s*(\d+)\n^model\s*:\s*(\d+)", told, re.M)
    parts = [name[1] if name else platform.processor() or platform.machine(), vectors[0] if vectors else None,
             f"family {model[1]}, model {model[2]}" if model else None]
    return ", ".join(part for part in parts if part)


def memory():
    """Returns the size of the main memory, or None."""
    found = re.search(r"^MemTotal:\s*(\d+) kB", text_of("/proc/meminfo"), re.M)
    return f"{int(found[1]) / 2**20:.0f} GiB" if found else None


def package_version(name):
    """Returns the version of an installed Debian package, or None."""
    told = first_line("dpkg-query", "-W", "-f", "${Version}", name)
    return re.sub(r"^\d+:|[-+].*$", "", told) if told else None


def commit():
    """Returns the commit that is checked out, with "+" if files differ from it, or None."""
    here = first_line("git", "rev-parse", "--short=10", "HEAD")
    return f"{here}+" if here and first_line("git", "status", "--porcelain", "--untracked-files=no") else here


def machine():
    """Returns the description of the machine and the build for a file of data."""
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory": memory(),
        "mpi": re.sub(r"^mpi\w+ \((OpenRTE|Open MPI)\)", "Open MPI", first_line("mpiexec", "--version") or "") or None,
        "compiler": first_line(os.environ.get("CXX", "c++"), "--version"),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": commit(),
        "command": shlex.join([os.path.relpath(sys.argv[0], PROJECT), *sys.argv[1:]]),
    }


def one_line(value):
    return json.dumps(value, ensure_ascii=False)


def text(document):
    """Returns the file's text: a line for each entry, and a line for each row."""
    lines = [f"  {one_line(key)}: {one_line(value)}" for key, value in document.items() if key != "rows"]
    rows = ",\n".join(f"    {one_line(row)}" for row in document["rows"])
    return "{\n" + ",\n".join([*lines, f'  "rows": [\n{rows}\n  ]']) + "\n}\n"


def add_options(parser):
    parser.add_argument("--data", metavar="FILE", type=pathlib.Path,
                        help="also write the results to this file, in the form of docs/performance/data")
    parser.add_argument("--label", metavar="TEXT", help="short name of the machine in that file (default: its processor)")


def write(options, topic, rows, unit="ms", path=None, **more):
    """Writes the file of one run to `path` (--data). Does nothing without --data or without rows."""
    if not options.data or not rows:
        return
    path = path or options.data
    here = machine()
    rows = [{name: value for name, value in row.items() if value is not None} for row in rows]
    document = {"topic": topic, "label": options.label or here["processor"].split(",")[0], "reference": False, "unit": unit,
                **here, **more, "rows": rows}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(document), encoding="utf-8")
    print(f"wrote {path}; to publish it, move it to docs/performance/data and run ./dev figures", file=sys.stderr)


def rounded(value, digits=4):
    """Returns a number rounded to some significant digits."""
    return None if value is None else float(f"{value:.{digits}g}")


def place(where):
    """Returns the name of a place in the data: "one" machine, a number of ranks, or HOSTSxRATE."""
    if where == "one":
        return "one machine"
    if "x" not in where:
        return f"{where} rank" if where == "1" else f"{where} ranks"
    return re.sub(r"(\d+)x([\d.]+)(.)bit", lambda found: f"{found[1]} hosts, {found[2]} {found[3].upper()}bit/s", where)


def launcher(where, passed=()):
    """Returns the command that starts a program on a number of ranks, or with one rank on each of HOSTSxRATE.

    `passed`: names of environment variables that the hosts receive."""
    if "x" not in where:
        return ["mpiexec", "-n", where]
    return [PROJECT / "packaging/hosts.sh", *where.split("x"), *(word for name in passed for word in ("-x", name)), "--"]


def compared(times, digits=3):
    """Returns the entries of a row. `times`: the other time and the time of Seiche in each round."""
    ratios = [ours / other for other, ours in times]
    return {"ours": rounded(statistics.median(ours for _, ours in times)),
            "peer_time": rounded(statistics.median(other for other, _ in times)),
            "ratio": rounded(statistics.median(ratios), digits),
            "range": [rounded(min(ratios), digits), rounded(max(ratios), digits)], "rounds": len(times)}


if __name__ == "__main__":
    print(json.dumps(machine(), indent=2, ensure_ascii=False))
