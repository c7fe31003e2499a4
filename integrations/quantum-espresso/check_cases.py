#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs pw.x as it comes and with Seiche on the same inputs, and compares all numbers of physics that they print.

check_cases.py ORIGINAL OURS PSEUDOPOTENTIALS SCRATCH [--ranks 1,2,3,4,6] [--case NAME ...]

Energies, forces, stress, magnetisations, eigenvalues, cells and positions have to be equal to the last printed digit; a
case may allow some of them a step of it. Each run of ours has to say that Seiche served it, or why not, and once."""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SERVED = "Seiche: local potential and density by Seiche"
# name -> input, options of pw.x, multiple of ranks that these need, what ours says
CASES = {
    "si8_k": ("si8_k", [], 1, SERVED),
    "si8_gamma": ("si8_gamma", [], 1, SERVED),
    "si32": ("si32", [], 1, SERVED),
    "fe_spin": ("fe_spin", [], 1, SERVED),
    "fe_spinorbit": ("fe_spinorbit", [], 1, SERVED),
    "cu_ultrasoft": ("cu_ultrasoft", [], 1, SERVED),
    "cu_paw": ("cu_paw", [], 1, SERVED),
    "o2_paw_gamma": ("o2_paw_gamma", [], 1, SERVED),
    "si_vc_relax": ("si_vc_relax", [], 1, SERVED),
    "pools": ("si8_k", ["-nk", "2"], 2, SERVED),
    "pools_spin": ("fe_spin", ["-nk", "2"], 2, SERVED),
    "bands": ("si8_k", ["-nb", "2"], 2, SERVED),
    "bands_gamma": ("si8_gamma", ["-nb", "2"], 2, SERVED),
    "cg": ("si8_k", [], 1, SERVED),
    "task_groups": ("si8_k", ["-ntg", "2"], 2, "Seiche: not used with"),
    "divided_planes": ("si8_gamma", ["-nyfft", "2"], 2, "Seiche: not used with"),
    "meta": ("c_meta", [], 1, "Seiche: not used for the density of a meta-GGA or XDM"),
}
NUMBER = r"[-+]?\d+\.\d+(?:[EeDd][-+]?\d+)?"
LINES = [r"^!.*total energy", r"total magnetization", r"absolute magnetization", r"atom.*force =", r"Total force =",
         r"Final enthalpy", r"unit-cell volume", r"the Fermi energy", r"highest occupied", r"^\s*(%s\s*){3,}$" % NUMBER,
         r"^\s*[A-Z][a-z]?\s+%s\s+%s\s+%s\s*$" % (NUMBER, NUMBER, NUMBER)]


def numbers(output):
    """All numbers of lines that tell of physics, with their lines."""
    found = []
    for line in output.splitlines():
        if any(re.search(pattern, line) for pattern in LINES):
            found += [(text, line.strip()) for text in re.findall(NUMBER, line)]
    return found


def run(program, ranks, options, text, folder, pseudo):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "in").write_text(text, encoding="utf-8")
    environment = {"ESPRESSO_PSEUDO": pseudo, "ESPRESSO_TMPDIR": str(folder / "tmp")}
    command = ["mpiexec", "-n", str(ranks), program, *options, "-i", "in"]
    done = subprocess.run(command, cwd=folder, env={**__import__("os").environ, **environment}, capture_output=True,
                          text=True, timeout=900, check=False)
    (folder / "out").write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode != 0 or "JOB DONE" not in done.stdout:
        raise RuntimeError(f"{program} on {ranks} ranks ended with {done.returncode}: see {folder}/out")
    return done.stdout


def differences(theirs, ours):
    """How many numbers were compared, and what differs."""
    a, b = numbers(theirs), numbers(ours)
    if len(a) != len(b):
        return len(a), [f"{len(a)} numbers and {len(b)}"]
    return len(a), [f"{x} is {y} in: {line}" for (x, _), (y, line) in zip(a, b) if float(x) != float(y)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("original")
    parser.add_argument("ours")
    parser.add_argument("pseudo")
    parser.add_argument("scratch")
    parser.add_argument("--ranks", default="1,2,3,4,6")
    parser.add_argument("--case", action="append")
    options = parser.parse_args()
    failed = 0
    for name in options.case or CASES:
        source, flags, multiple, says = CASES[name]
        text = (HERE / "cases" / f"{source}.in").read_text(encoding="utf-8")
        if name == "cg":
            text = text.replace("&electrons\n", "&electrons\n  diagonalization = 'cg'\n")
        for ranks in map(int, options.ranks.split(",")):
            if ranks % multiple:
                continue
            folder = pathlib.Path(options.scratch) / f"{name}.{ranks}"
            try:
                theirs = run(options.original, ranks, flags, text, folder / "original", options.pseudo)
                ours = run(options.ours, ranks, flags, text, folder / "seiche", options.pseudo)
            except RuntimeError as error:
                failed += 1
                print(f"{name} on {ranks} ranks: FAILED: {error}", flush=True)
                continue
            compared, wrong = differences(theirs, ours)
            if compared < 3:
                wrong.append(f"only {compared} numbers were found")
            if ours.count(says) != 1:
                wrong.append(f"said {ours.count(says)} times: {says}")
            failed += bool(wrong)
            print(f"{name} on {ranks} ranks: {compared} numbers, " + ("equal" if not wrong else "DIFFERENT: " + "; ".join(wrong[:4])), flush=True)
    print(f"{failed} cases failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
