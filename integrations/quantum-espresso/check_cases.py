#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs pw.x as it comes and with Seiche on the same inputs, and compares all numbers of physics that they print.

check_cases.py ORIGINAL OURS PSEUDOPOTENTIALS SCRATCH [--ranks 1,2,3,4,6] [--case NAME ...] [--mpiexec mpiexec]

Energies, magnetisations and eigenvalues have to be equal to the last printed digit. Forces and stress are of first order
in what the solver leaves of errors in waves: the original's own differ by 6e-7 and 17e-8 between numbers of ranks. Forces,
and cells and positions that follow them, may differ by the third of that, stress by 1 in the last printed digit, and how
many do is said. Each run of ours has to say that
Seiche served it, or why not, and once; so has each of its images."""
import argparse
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
STEPS_ARE_OVER = 3  # what a relaxation of so many steps ends with
SERVED = "Seiche: local potential and density by Seiche"
EXCHANGE = "Seiche: exact exchange by Seiche"
# name -> input (or one for each image, with + between), options of pw.x, multiple of ranks that these need, what ours says
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
    "images": ("si8_k+fe_spin", ["-ni", "2"], 2, SERVED),
    "cg": ("si8_k", [], 1, SERVED),
    "si_pbe0": ("si_pbe0", [], 1, EXCHANGE),
    "si_hse": ("si_hse", [], 1, EXCHANGE),
    "si_pbe0_noncollinear": ("si_pbe0_noncollinear", [], 1, EXCHANGE),
    "water_hse": ("water_hse", [], 1, EXCHANGE),
    "water_cation_pbe0": ("water_cation_pbe0", [], 1, EXCHANGE),
    "pools_pbe0": ("si_pbe0", ["-nk", "2"], 2, EXCHANGE),
    "bands_hse": ("water_hse", ["-nb", "2"], 2, "Seiche: not used for exact exchange with band groups"),
    "task_groups": ("si8_k", ["-ntg", "2"], 2, "Seiche: not used with"),
    "divided_planes": ("si8_gamma", ["-nyfft", "2"], 2, "Seiche: not used with"),
    "meta": ("c_meta", [], 1, "Seiche: not used for the density of a meta-GGA or XDM"),
}
NUMBER = r"[-+]?\d+\.\d+(?:[EeDd][-+]?\d+)?"
FOLLOWS_FORCES = 2e-7  # Ry/bohr
STRESS = r"^(-?\d+\.\d{8}\s+){3}(-?\d+\.\d\d\s*){3}$"  # Ry/bohr**3, then kbar
LINES = [r"^!.*total energy", r"Fock energy", r"total magnetization", r"absolute magnetization", r"atom.*force =",
         r"Final enthalpy", r"unit-cell volume", r"the Fermi energy", r"highest occupied", r"^\s*(%s\s*){3,}$" % NUMBER,
         r"^\s*[A-Z][a-z]?\s+%s\s+%s\s+%s\s*$" % (NUMBER, NUMBER, NUMBER)]


def numbers(output):
    """All numbers of lines that tell of physics, with their lines: those of converged densities."""
    found, converged = [], False
    for line in output.splitlines():
        if "End of self-consistent" in line or "iteration #" in line:
            converged = "End" in line
        if converged and any(re.search(pattern, line) for pattern in LINES):
            found += [(text, line.strip()) for text in re.findall(NUMBER, line)]
    return found


def as_images(program, images, folder):
    """pw.x by the name that makes it give each image an input and an output of its own, with no output of before."""
    for image in images:
        (folder / f"{image}.out").unlink(missing_ok=True)
    (folder / "stdout").touch()  # GNU Fortran looks for this name when the first image deletes its standard output
    link = folder / "manypw.x"
    link.unlink(missing_ok=True)
    link.symlink_to(pathlib.Path(program).resolve())
    return str(link)


def run(launcher, program, ranks, options, texts, folder, pseudo):
    """What pw.x prints for an input, or, one after another, for those of its images."""
    folder.mkdir(parents=True, exist_ok=True)
    images = [f"in_{image}" for image in range(len(texts))] if len(texts) > 1 else []
    for name, text in zip([f"{image}.in" for image in images] or ["in"], texts):
        (folder / name).write_text(text, encoding="utf-8")
    if images:
        program = as_images(program, images, folder)
    environment = {"ESPRESSO_PSEUDO": pseudo, "ESPRESSO_TMPDIR": str(folder / "tmp")}
    command = [launcher, "-n", str(ranks), program, *options, "-i", "in"]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=900, check=False)
    (folder / "out").write_text(done.stdout + done.stderr, encoding="utf-8")
    printed = "".join((folder / f"{image}.out").read_text(encoding="utf-8") for image in images) or done.stdout
    if done.returncode not in (0, STEPS_ARE_OVER) or "JOB DONE" not in printed:
        raise RuntimeError(f"{program} on {ranks} ranks ended with {done.returncode}: see {folder}/out")
    return printed


def differences(theirs, ours):
    """How many numbers were compared, how many of them forces that differ allowably, and what differs otherwise."""
    a, b = numbers(theirs), numbers(ours)
    if len(a) != len(b):
        return len(a), 0, [f"{len(a)} numbers and {len(b)}"]
    near, wrong = 0, []
    for (x, _), (y, line) in zip(a, b):
        difference = abs(float(x) - float(y))
        follows = "force" in line or re.match(r"^[A-Z]?[a-z]?\s*(-?\d+\.\d{9,}\s*){3}$", line)  # positions and cells have 9
        last_digit = 10.0 ** -len(y.partition(".")[2])
        if 0 < difference < FOLLOWS_FORCES and follows or 0 < difference < 1.5 * last_digit and re.match(STRESS, line):
            near += 1
        elif difference:
            wrong.append(f"{x} is {y} in: {line}")
    return len(a), near, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("original", type=os.path.abspath)  # pw.x runs in folders of its own
    parser.add_argument("ours", type=os.path.abspath)
    parser.add_argument("pseudo", type=os.path.abspath)
    parser.add_argument("scratch", type=os.path.abspath)
    parser.add_argument("--ranks", default="1,2,3,4,6")
    parser.add_argument("--case", action="append")
    parser.add_argument("--mpiexec", default="mpiexec")
    options = parser.parse_args()
    for program in (options.original, options.ours):
        if not os.access(program, os.X_OK):
            print(f"skipped: there is no {program}; run ./dev integrate quantum-espresso")
            sys.exit(77)
    failed = 0
    for name in options.case or CASES:
        source, flags, multiple, says = CASES[name]
        texts = [(HERE / "cases" / f"{part}.in").read_text(encoding="utf-8") for part in source.split("+")]
        if name == "cg":
            texts = [text.replace("&electrons\n", "&electrons\n  diagonalization = 'cg'\n") for text in texts]
        for ranks in map(int, options.ranks.split(",")):
            if ranks % multiple:
                continue
            folder = pathlib.Path(options.scratch) / f"{name}.{ranks}"
            try:
                theirs = run(options.mpiexec, options.original, ranks, flags, texts, folder / "original", options.pseudo)
                ours = run(options.mpiexec, options.ours, ranks, flags, texts, folder / "seiche", options.pseudo)
            except RuntimeError as error:
                failed += 1
                print(f"{name} on {ranks} ranks: FAILED: {error}", flush=True)
                continue
            compared, near, wrong = differences(theirs, ours)
            if compared < 3:
                wrong.append(f"only {compared} numbers were found")
            if ours.count(says) != len(texts):
                wrong.append(f"said {ours.count(says)} times: {says}")
            failed += bool(wrong)
            verdict = "DIFFERENT: " + "; ".join(wrong[:4]) if wrong else "equal"
            if near and not wrong:
                verdict += f" but for {near} forces, cells, positions (by less than {FOLLOWS_FORCES}) or stresses (last digit)"
            print(f"{name} on {ranks} ranks: {compared} numbers, {verdict}", flush=True)
    print(f"{failed} cases failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
