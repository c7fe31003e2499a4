#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills pw.x with Seiche at random moments, while it writes its wavefunction files in each step of self-consistency.

kill_test.py PROGRAMS PSEUDOPOTENTIALS SCRATCH SEICHE [--kills 40] [--ranks 2] [--seed 1] [--mpiexec mpiexec]

PROGRAMS: a folder with pw_seiche.x. SEICHE: the command `seiche`. Every second run begins in an empty folder. After each
kill, the folder has to hold the whole files of a checkpoint or of an earlier run: `seiche info --check` reads all
coefficients, and finds orthonormal bands. In an empty folder, there may be no data-file-schema.xml yet. At the end, a run
has to start from the files, and a whole run must leave no temporary files."""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
CASE = "si8_k"


def processes():
    """The parent of each process, by their numbers."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            yield int(folder.name), int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ProcessLookupError):
            continue


def family(root):
    """A process and its descendants."""
    parents, found = dict(processes()), [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def start(options, folder, **electrons):
    text = (HERE / "cases" / f"{CASE}.in").read_text(encoding="utf-8")
    added = "".join(f"  {key} = '{value}'\n" for key, value in electrons.items())
    (folder / "in").write_text(text.replace("&electrons\n", "&electrons\n" + added), encoding="utf-8")
    environment = {**os.environ, "ESPRESSO_PSEUDO": options.pseudo, "ESPRESSO_TMPDIR": str(folder / "tmp"),
                   "SEICHE_QE_CHECKPOINT": "1"}
    with open(folder / "printed", "w", encoding="utf-8") as printed:
        return subprocess.Popen([options.mpiexec, "-n", str(options.ranks), options.programs / "pw_seiche.x", "-i", "in"],
                                cwd=folder, env=environment, stdout=printed, stderr=subprocess.STDOUT)


def finish(run, folder):
    if run.wait(timeout=600):
        sys.exit(f"pw_seiche.x ended with {run.returncode}: see {folder}/printed")
    return (folder / "printed").read_text(encoding="utf-8")


def kill(run):
    for process in reversed(family(run.pid)):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    run.wait()


def sound(options, folder):
    """Whether the files are read, and their bands are orthonormal."""
    save = next(folder.glob("tmp/*.save"), None)
    if save is None or not (save / "data-file-schema.xml").exists():
        return None
    done = subprocess.run([options.seiche, "info", "--check", save], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode or "sound" not in done.stdout.splitlines()[-1]:
        print(done.stdout[-500:] + done.stderr)
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=lambda path: pathlib.Path(path).resolve())
    for name in ("pseudo", "scratch", "seiche"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mpiexec", default="mpiexec")
    options = parser.parse_args()
    if not os.access(options.programs / "pw_seiche.x", os.X_OK):
        print(f"skipped: there is no {options.programs}/pw_seiche.x; run ./dev integrate quantum-espresso")
        sys.exit(77)
    chance, counts = random.Random(options.seed), {True: 0, False: 0, None: 0}
    whole, empty = (pathlib.Path(options.scratch) / name for name in ("whole", "empty"))
    for folder in (whole, empty):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    begin = time.monotonic()
    finish(start(options, whole), whole)
    seconds = time.monotonic() - begin
    for number in range(options.kills):
        folder = (whole, empty)[number % 2]
        if folder == empty:
            shutil.rmtree(empty / "tmp", ignore_errors=True)
        run = start(options, folder)
        time.sleep(chance.uniform(0.1, 1) * seconds)
        kill(run)
        result = sound(options, folder)
        if folder == whole and result is None:
            result = False
        counts[result] += 1
        if result is False:
            print(f"kill {number + 1}: {folder} has no whole files")
    printed = finish(start(options, whole, startingwfc="file"), whole)
    wrong = counts[False]
    if not re.search("Starting wfcs from file", printed):
        wrong += 1
        print("the last run did not start from the files")
    left = [path.name for path in whole.glob("tmp/*.save/*") if re.search("unfinished|seiche-", path.name)]
    if left:
        wrong += 1
        print(f"a whole run leaves {', '.join(left)}")
    print(f"{options.kills} kills of {options.ranks} ranks: {counts[True]} with whole files, {counts[None]} before the first XML "
          f"file, {counts[False]} with damaged files")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
