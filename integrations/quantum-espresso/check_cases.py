#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs of Quantum ESPRESSO as they come and with Seiche on the same inputs, and compares numbers that they print.

check_cases.py PROGRAMS PSEUDOPOTENTIALS SCRATCH [--ranks 1,2,3,4,6] [--case NAME ...] [--mpiexec mpiexec] [--record TREE] [--merged]

PROGRAMS: a folder with pw.x and pw_seiche.x, ph.x and ph_seiche.x, and so on.
Energies, magnetisations and eigenvalues have to be equal to the last printed digit. Forces and stress are of first order
in what the solver leaves of errors in waves: the original's own differ by 6e-7 and 17e-8 between numbers of ranks. Forces,
and cells and positions that follow them, may differ by the third of that, stress by 1 in the last printed digit, and how
many do is said. Results of linear response may differ by what its solvers leave. Each run of ours has to say that
Seiche served it, or why not, and once; so has each of its images.
--merged: pw_seiche.x is of a tree that merge.py changed, and computes V psi and the density only.
--record adds the results to checked.json and to README.md. TREE names the sources, for example "tag qe-7.5, commit 770a0b2"."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

import versions

HERE = pathlib.Path(__file__).resolve().parent
ATTEMPTS = 4  # to write the same files in two runs, and to run a program
# What mpiexec of Open MPI 4 may also say on a machine with much load, if it learns late that ranks called MPI_Finalize.
EXITED_EARLY = "exiting improperly"
STEPS_ARE_OVER = 3  # what a relaxation of so many steps ends with
# zgemv of OpenBLAS 0.3.21 reads beyond the vector in its kernels for AVX2 and AVX-512, and some runs end with a
# segmentation fault. These kernels do not.
ENVIRONMENT = {"OPENBLAS_CORETYPE": "Prescott"}
FILES = "wavefunction files by Seiche"
POTENTIAL = "local potential by Seiche"
SERVED = (POTENTIAL, "density by Seiche", FILES)
EXCHANGE = (*SERVED, "exact exchange by Seiche")
RESPONDS = (POTENTIAL, FILES)
JOINS = (*RESPONDS, "linear response by Seiche")
NO_DENSITY = "not used for the density of "
NO_EXCHANGE = "not used for exact exchange with "
NOT_MERGED = (FILES, EXCHANGE[-1], NO_EXCHANGE, NO_DENSITY)  # how sentences begin
DIVIDED = ("not used with planes divided along y (-ntg or -nyfft)", FILES)


class Case(NamedTuple):
    inputs: str  # for each image one, with + between
    options: tuple = ()  # of the program
    multiple: int = 1  # of ranks that these need
    says: tuple = SERVED  # what ours says, each once, after "Seiche: "
    since: str = "6.7"  # the first version that has what is computed
    then: str = ""  # the program of linear response that runs after pw.x, and is compared
    files: bool = False  # the wavefunction files are compared, and read by other numbers of ranks


CASES = {
    "si8_k": Case("si8_k"),
    "si8_gamma": Case("si8_gamma"),
    "si32": Case("si32"),
    "fe_spin": Case("fe_spin"),
    "fe_spinorbit": Case("fe_spinorbit"),
    "cu_ultrasoft": Case("cu_ultrasoft"),
    "cu_paw": Case("cu_paw"),
    "o2_paw_gamma": Case("o2_paw_gamma"),
    "si_vc_relax": Case("si_vc_relax"),
    "pools": Case("si8_k", ("-nk", "2"), 2),
    "pools_spin": Case("fe_spin", ("-nk", "2"), 2),
    "bands": Case("si8_k", ("-nb", "2"), 2),
    "bands_gamma": Case("si8_gamma", ("-nb", "2"), 2),
    "images": Case("si8_k+fe_spin", ("-ni", "2"), 2),
    "cg": Case("si8_k"),
    "many": Case("si8_k", ("-nh", "2")),
    "pencils": Case("si8_gamma", ("-pd", "true"), since="7.1"),
    "si_pbe0": Case("si_pbe0", says=EXCHANGE),
    "si_hse": Case("si_hse", says=EXCHANGE),
    "si_pbe0_noncollinear": Case("si_pbe0_noncollinear", says=EXCHANGE),
    "water_hse": Case("water_hse", says=EXCHANGE),
    "water_cation_pbe0": Case("water_cation_pbe0", says=EXCHANGE),
    "pools_pbe0": Case("si_pbe0", ("-nk", "2"), 2, EXCHANGE),
    "bands_hse": Case("water_hse", ("-nb", "2"), 2, (*SERVED, NO_EXCHANGE + "band groups")),
    "task_groups": Case("si8_k", ("-ntg", "2"), 2, DIVIDED),
    "divided_planes": Case("si8_gamma", ("-nyfft", "2"), 2, DIVIDED),
    "meta": Case("c_meta", says=(*RESPONDS, NO_DENSITY + "a meta-GGA or XDM")),
    "self_interaction": Case("si_polaron", says=(*RESPONDS, NO_DENSITY + "a self-interaction correction"), since="7.2"),
    "files": Case("si8_k", files=True),
    "files_gamma": Case("si8_gamma", files=True),
    "files_spin": Case("fe_spin", files=True),
    "files_spinorbit": Case("fe_spinorbit", files=True),
    "files_paw": Case("o2_paw_gamma", files=True),
    "files_pbe0": Case("si_pbe0", says=EXCHANGE, files=True),
    "pools_files": Case("fe_spin", ("-nk", "2"), 2, files=True),
    "bands_files": Case("si8_k", ("-nb", "2"), 2, files=True),
    "phonons": Case("si_phonons", says=JOINS, then="ph"),
    "phonons_q0": Case("si_phonons_q0", says=JOINS, then="ph"),
    "phonons_metal": Case("al_phonons", says=JOINS, then="ph"),
    "phonons_spin": Case("ni_phonons", says=JOINS, then="ph"),
    "phonons_noncollinear": Case("ni_phonons_noncollinear", says=JOINS, then="ph"),
    "phonons_spinorbit": Case("pt_phonons", says=JOINS, then="ph"),
    "pools_phonons": Case("si_phonons", ("-nk", "2"), 2, JOINS, then="ph"),
    "task_groups_phonons": Case("si_phonons", ("-ntg", "2"), 2, DIVIDED, then="ph"),
    "hubbard": Case("si_hubbard", says=JOINS, since="7.1", then="hp"),
    "spectrum": Case("water_spectrum", says=RESPONDS, then="turbo_lanczos"),
    "excitations": Case("water_spectrum", says=RESPONDS, then="turbo_davidson"),
    "energy_loss": Case("al_phonons", says=JOINS, then="turbo_eels"),
    "magnons": Case("fe_magnons", says=RESPONDS, since="7.2", then="turbo_magnon"),
}
NUMBER = r"[-+]?\d+\.\d+(?:[EeDd][-+]?\d+)?"
FOLLOWS_FORCES = 2e-7  # Ry/bohr
# Stress in Ry/bohr**3 and kbar, and the volume after steps that follow it: their last digit may differ.
ROUNDED = r"^(-?\d+\.\d{8}\s+){3}(-?\d+\.\d\d\s*){3}$|^(new )?unit-cell volume"
LINES = [r"^!.*total energy", r"Fock energy", r"total magnetization", r"absolute magnetization", r"atom.*force =",
         r"Final enthalpy", r"unit-cell volume", r"the Fermi energy", r"highest occupied", r"^\s*(%s\s*){3,}$" % NUMBER,
         r"^\s*[A-Z][a-z]?\s+%s\s+%s\s+%s\s*$" % (NUMBER, NUMBER, NUMBER)]
RESPONSE = [r"freq .*THz", r"^\s*\(\s*(%s\s*){3}\)" % NUMBER, r"chi: +\d", r"^\s*(alpha|beta|gamma) ?\(",
            r"transition energy is", r"Components: X"]
STEPS = re.compile(r"convergence has been achieved in +\d+ iterations")
SOLVERS_LEAVE = 1e-4  # of linear response: THz, and other units


def numbers(output, response):
    """All numbers of lines that tell of physics, with their lines: those of converged densities, or of linear response.
    Contributions to forces, which some versions print, are left out."""
    found, converged, contributions = [], response, False
    for line in output.splitlines():
        if not response and ("End of self-consistent" in line or "iteration #" in line):
            converged = "End" in line
        if "contrib" in line and "to forces" in line or "Total force" in line:
            contributions = "contrib" in line
        if converged and not contributions and any(re.search(pattern, line) for pattern in (RESPONSE if response else LINES)):
            told = re.sub(r"THz.*", "THz", line)  # the same frequency in cm-1 follows
            found += [(text, line.strip()) for text in re.findall(NUMBER, told)]
    return found


def differences(theirs, ours, response):
    """How many numbers were compared, how many of them differ allowably, and what differs otherwise."""
    a, b = numbers(theirs, response), numbers(ours, response)
    if len(a) != len(b) or len(a) < 3:
        return len(a), 0, [f"{len(a)} numbers and {len(b)}"]
    near, wrong = 0, []
    for (x, _), (y, line) in zip(a, b):
        difference = abs(float(x) - float(y))
        follows = "force" in line or re.match(r"^[A-Z]?[a-z]?\s*(-?\d+\.\d{9,}\s*){3}$", line)  # positions and cells have 9
        last_digit = 10.0 ** -len(y.partition(".")[2])
        if response and 0 < difference < SOLVERS_LEAVE:
            near += 1
        elif 0 < difference < FOLLOWS_FORCES and follows or 0 < difference < 1.5 * last_digit and re.match(ROUNDED, line):
            near += 1
        elif difference:
            wrong.append(f"{x} is {y} in: {line}")
    return len(a), near, wrong


def run(options, program, ranks, flags, name, folder, **settings):
    """What a program prints for an input file, or, one after another, for those of its images: NAME_0.in and so on."""
    images = sorted(path.stem for path in folder.glob(f"{name}_*.in"))
    if images:  # a name by which pw.x gives each image an input and an output of its own
        link = folder / "manypw.x"
        link.symlink_to(program)
        program = link
        (folder / "stdout").touch()  # GNU Fortran looks for this name when the first image deletes its standard output
    environment = {"ESPRESSO_PSEUDO": options.pseudo, "ESPRESSO_TMPDIR": str(folder / "tmp"), **ENVIRONMENT, **settings}
    for _ in range(ATTEMPTS):
        done = subprocess.run([options.mpiexec, "-n", str(ranks), program, *flags, "-i", name], cwd=folder,
                              env={**os.environ, **environment}, capture_output=True, text=True, timeout=900, check=False)
        if EXITED_EARLY not in done.stderr:
            break
    (folder / f"{name}.printed").write_text(done.stdout + done.stderr, encoding="utf-8")
    outputs_of_images = [folder / f"{image}.out" for image in images]
    printed = "".join(path.read_text(encoding="utf-8") for path in outputs_of_images if path.exists()) or done.stdout
    if done.returncode not in (0, STEPS_ARE_OVER) or "JOB DONE" not in printed:
        raise RuntimeError(f"{program} on {ranks} ranks ended with {done.returncode}: see {folder}/{name}.printed")
    return printed


def new_folder(options, name, ranks, kind, **electrons):
    """A folder with the inputs of a case. electrons: what is added to this namelist."""
    case = CASES[name]
    folder = pathlib.Path(options.scratch) / f"{name}.{ranks}" / kind
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parts = case.inputs.split("+")
    if name == "cg":
        electrons["diagonalization"] = "cg"
    added = "".join(f"  {key} = '{value}'\n" for key, value in electrons.items())
    for image, part in enumerate(parts):
        text = (HERE / "cases" / f"{part}.in").read_text(encoding="utf-8").replace("&electrons\n", "&electrons\n" + added)
        (folder / (f"in_{image}.in" if len(parts) > 1 else "in")).write_text(text, encoding="utf-8")
    return folder


def outputs(options, name, ranks, suffix):
    """What the last program of a case prints."""
    case = CASES[name]
    folder = new_folder(options, name, ranks, suffix or "original")
    printed = run(options, options.programs / f"pw{suffix}.x", ranks, case.options, "in", folder)
    if case.then:
        shutil.copy(HERE / "cases" / f"{case.inputs}.{case.then}.in", folder / case.then)
        printed = run(options, options.programs / f"{case.then}{suffix}.x", ranks, case.options, case.then, folder)
    return printed


def written_files(folder):
    """The wavefunction files of a run, with those of ACE, and their contents."""
    return {path.name: path.read_bytes() for path in folder.glob("tmp/*.save/*.dat") if re.match("wfc|ace", path.name)}


def outputs_after_reading(options, name, ranks):
    """What ours prints that starts on `ranks` ranks from files, which it wrote on another number of ranks: read by pw.x's own
    procedure, and by Seiche. The files have to be those that pw.x's own procedure writes in the same run. FFTs are those of
    FFTW, because the choice of the fastest ones, and so rounding, depends on times. Rounding of some cases also differs
    between runs of one program, so that there are several attempts."""
    case = CASES[name]
    possible = [n for n in range(1, 5) if n % case.multiple == 0]
    writing = next((n for n in possible if n > ranks), possible[0])
    program = options.programs / "pw_seiche.x"
    for _ in range(ATTEMPTS):
        theirs, ours = (new_folder(options, name, ranks, kind) for kind in ("own_files", "files"))
        run(options, program, writing, case.options, "in", theirs, SEICHE_FFT="fftw", SEICHE_QE_FILES="never")
        run(options, program, writing, case.options, "in", ours, SEICHE_FFT="fftw", SEICHE_QE_CHECKPOINT="2")
        expected, found = written_files(theirs), written_files(ours)
        if expected == found:
            break
    if not expected or expected != found:
        wrong = sorted(file for file in expected.keys() | found.keys() if expected.get(file) != found.get(file))
        raise RuntimeError(f"files of {writing} ranks differ from pw.x's own: {', '.join(wrong) or 'there are none'}")
    for kind in ("never", "use"):
        folder = new_folder(options, name, ranks, f"read_{kind}", startingwfc="file", startingpot="file")
        shutil.copytree(ours / "tmp", folder / "tmp")
        yield run(options, program, ranks, case.options, "in", folder, SEICHE_FFT="fftw", SEICHE_QE_FILES=kind)


def check(options, name, ranks):
    """Whether a case is as it has to be. Says so."""
    case = CASES[name]
    try:
        if case.files:
            theirs, ours = outputs_after_reading(options, name, ranks)
        else:
            theirs, ours = (outputs(options, name, ranks, suffix) for suffix in ("", "_seiche"))
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        print(f"{name} on {ranks} ranks: FAILED: {error}", flush=True)
        return False
    compared, near, wrong = differences(theirs, ours, bool(case.then))
    says = [sentence for sentence in case.says if not (options.merged and sentence.startswith(NOT_MERGED))]
    wrong += [f"said {ours.count(sentence)} times: {sentence}" for sentence in says
              if ours.count("Seiche: " + sentence) != len(case.inputs.split("+"))]
    if len(says) * len(case.inputs.split("+")) != ours.count("Seiche: "):
        wrong.append(f"{ours.count('Seiche: ')} messages")
    if case.files and STEPS.search(ours)[0] != STEPS.search(theirs)[0]:
        wrong.append(f"{STEPS.search(ours)[0]} instead of {STEPS.search(theirs)[0]}")
    verdict = "DIFFERENT: " + "; ".join(wrong[:4]) if wrong else "equal"
    if near and not wrong:
        verdict += f" but for {near} which differ allowably"
    print(f"{name} on {ranks} ranks: {compared} numbers, {verdict}", flush=True)
    return not wrong


def version_of(program):
    """The version that a program prints when it starts, for example "7.3.1"."""
    with tempfile.TemporaryDirectory() as folder:  # for the file in which it says that the input is empty
        done = subprocess.run([program, "-i", os.devnull], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    return re.search(r"Program PWSCF v\.([\d.]+)", done.stdout)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=lambda path: pathlib.Path(path).resolve())  # which run in folders of their own
    parser.add_argument("pseudo", type=os.path.abspath)
    parser.add_argument("scratch", type=os.path.abspath)
    parser.add_argument("--ranks", default="1,2,3,4,6")
    parser.add_argument("--case", action="append", choices=CASES)
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--record")
    parser.add_argument("--merged", action="store_true")
    options = parser.parse_args()
    if not os.access(options.programs / "pw_seiche.x", os.X_OK):
        print(f"skipped: there is no {options.programs}/pw_seiche.x; run ./dev integrate quantum-espresso")
        sys.exit(77)
    version, failed = version_of(options.programs / "pw.x"), 0
    for name in options.case or CASES:
        case = CASES[name]
        if options.merged and (case.files or case.then):
            continue
        if versions.key(version) < versions.key(case.since):
            print(f"{name}: not in version {version}")
            continue
        numbers_of_ranks = [ranks for ranks in map(int, options.ranks.split(",")) if ranks % case.multiple == 0]
        results = {ranks: check(options, name, ranks) for ranks in numbers_of_ranks}
        failed += list(results.values()).count(False)
        if options.record:
            versions.record(version, options.record, f"{case.then or 'pw'}.x", name, results)
    print(f"version {version}: {failed} cases failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
