# SPDX-License-Identifier: BSD-3-Clause
"""Writes FOLDER/build.ninja, which compiles DBCSR, CP2K and ScaLAPACK for SimGrid's MPI: build_file.py FOLDER

All sources are compiled as they come. Files with directives of fypp are expanded into FOLDER/expanded first."""
import pathlib
import re
import sys

import fypp

OURS = pathlib.Path(__file__).resolve().parent
RULES = """ninja_required_version = 1.10
rule fortran
  command = gfortran -c $level -cpp -fPIC -ffree-form -ffree-line-length-none -fallow-argument-mismatch -w $
    -Jmodules -I/usr/include -I$folder -I$root $defines -D__SHORT_FILE__=\\"$short\\" $in -o $out
  description = $out
rule c
  command = gcc -c -O2 -march=native -fPIC -w -I/usr/include/smpi -I$folder -I$root $defines $in -o $out
  description = $out
rule old_fortran
  command = gfortran -c -O1 -fPIC -w -fallow-argument-mismatch -I/usr/include/smpi $in -o $out
  description = $out
rule old_c
  command = gcc -c -O1 -fPIC -w -std=gnu89 -DAdd_ -I/usr/include/smpi $defines $in -o $out
  description = $out
rule archive
  command = rm -f $out && ar rcs $out $in
  description = $out
"""
# There are no threads: SimGrid switches between processes within an MPI call, and libgomp would mix their states. The sources
# require _OPENMP. Only this file also needs the option itself; it does not call MPI within threads.
THREADED = {"task_list_methods"}
COMMON = "-D__parallel -D_OPENMP=201511 -D__NO_STATM_ACCESS"
# Processor time of simulated processes matters where each of them does the same work or where matrices and grids are computed.
FAST = re.compile("""dbcsr_.*|fft.*|pw_(methods|poisson_methods|types|grids|spline_utils)|realspace_grid_types|rs_pw_interface|
    grid_.*|xc|xc_(pade|derivatives|rho_set_types)|mathlib|ai_.*|atom_(?!pseudo|fit|basis|grb|upf).*|input_(section|keyword|val|enumeration|parsing).*|
    cp_(parser|linked|fm|dbcsr|blacs|log|output).*|string_.*|qs_(collocate|integrate|neighbor|overlap|kinetic|core|ot|rho|initial).*|
    task_list_methods|basis_set_types|orbital_.*|memory_utilities|message_passing|timings|list_.*|particle_.*|array_types|util""".replace("\n", "").replace(" ", ""))
EXPANDED = re.compile(r"^\s*#[:!]|\$\{|\$:|#\{", re.M)
USE = re.compile(r"^\s*use\s*(?:,\s*\w+\s*)?(?:::)?\s*(\w+)", re.I | re.M)
MODULE = re.compile(r"^\s*module\s+(?!procedure\b)(\w+)\s*(?:!.*)?$", re.I | re.M)
PROGRAM = re.compile(r"^\s*program\s+\w+\s*$", re.I | re.M)
INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"', re.M)
# Programs and code for devices.
OTHER_C = re.compile("unittest|miniapp|replay|opencl|gpu|fpga|cusolver|/acc/")


def expand(source, root, into):
    """Returns the file that the compiler reads."""
    if not EXPANDED.search(source.read_text(errors="replace")):
        return source
    if not into.exists() or into.stat().st_mtime < source.stat().st_mtime:
        options = fypp.FyppOptions()
        options.includes = [str(source.parent), str(root)]
        into.write_text(fypp.Fypp(options).process_file(str(source)))
    return into


def modules_used(text, source, root):
    """Returns the names of all modules that a file uses, also in files that it includes."""
    used = {name.lower() for name in USE.findall(text)}
    for name in INCLUDE.findall(text):
        for candidate in (source.parent / name, root / name):
            if candidate.exists():
                used |= modules_used(candidate.read_text(errors="replace"), candidate, root)
                break
    return used


def fortran(name, root, defines, made):
    """Returns {module: object} and the parts of a statement of Ninja for each Fortran file."""
    owner, statements = {}, []
    for source in sorted(root.rglob("*.F")):
        text = source.read_text(errors="replace")
        if (PROGRAM.search(text) and source.stem != "cp2k") or source.stem == "dbcsr_api_c":
            continue
        read = expand(source, root, made / "expanded" / f"{name}_{source.stem}.F90")
        text = read.read_text(errors="replace")
        target = f"objects/{name}/{source.stem}.o"
        own = {module.lower() for module in MODULE.findall(text)}
        owner |= {module: target for module in own}
        level = "-O1" if FAST.fullmatch(source.stem) else "-O0"
        if source.stem in THREADED:
            level += " -fopenmp"
        statements.append((target, read, modules_used(text, source, root) - own,
                           {"level": level, "folder": source.parent, "root": root, "defines": defines, "short": source.name}))
    return owner, statements


def statement(target, rule, source, needed, variables):
    lines = [f"build {target}: {rule} {source}" + (f" | {' '.join(needed)}" if needed else "")]
    return "\n".join(lines + [f"  {key} = {value}" for key, value in variables.items()]) + "\n"


def scalapack(root):
    """Yields (object, statement). Each routine of BLACS is compiled for Fortran, and again for C."""
    for folder in ("BLACS/SRC", "PBLAS/SRC", "PBLAS/SRC/PTOOLS", "PBLAS/SRC/PBBLAS", "PBLAS/SRC/PTZBLAS", "REDIST/SRC", "TOOLS", "SRC"):
        for source in sorted((root / folder).glob("*.[cf]")):
            target = f"objects/scalapack/{folder.replace('/', '_')}_{source.stem}"
            rule = "old_c" if source.suffix == ".c" else "old_fortran"
            yield f"{target}.o", statement(f"{target}.o", rule, source, [], {})
            if folder == "BLACS/SRC" and not source.name.startswith("BI_"):
                yield f"{target}_c.o", statement(f"{target}_c.o", rule, source, [], {"defines": "-DCallFromC"})


def main(made):
    (made / "expanded").mkdir(exist_ok=True)
    parts = {
        "dbcsr": (made / "dbcsr-2.8.0/src", f"{COMMON} -DNDEBUG -D__NO_MPI_THREAD_SUPPORT_CHECK"),
        "cp2k": (made / "cp2k-2025.1/src", f"{COMMON} -D__FFTW3 -D__NO_MPI_THREAD_SUPPORT_CHECK " + " ".join(
            rf'-D__COMPILE_{name}=\"simulated\"' for name in ("ARCH", "DATE", "HOST", "REVISION")) +
            rf' -D__DATA_DIR=\"{made}/cp2k-2025.1/data\"'),
    }
    owner, statements, text = {"mpi": "objects/mpi.o"}, {}, [RULES]
    for name, (root, defines) in parts.items():
        modules, statements[name] = fortran(name, root, defines, made)
        owner |= modules
    text.append(statement("objects/mpi.o", "fortran", OURS / "mpi.F90", [], {"level": "-O0", "folder": OURS, "root": OURS, "short": "mpi.F90"}))
    for name, (root, defines) in parts.items():
        objects = [target for target, *_ in statements[name]]
        for target, source, used, variables in statements[name]:
            text.append(statement(target, "fortran", source, sorted({owner[module] for module in used if module in owner} - {target}), variables))
        if name == "cp2k":
            for source in sorted(source for source in root.rglob("*.c") if not OTHER_C.search(str(source))):
                objects.append(f"objects/{name}/{source.stem}_c.o")
                text.append(statement(objects[-1], "c", source, [], {"folder": source.parent, "root": root, "defines": defines}))
        text.append(statement(f"lib{name}.a", "archive", " ".join(objects), [], {}))
    objects, routines = zip(*scalapack(made / "scalapack"))
    text += routines
    text.append(statement("libscalapack.a", "archive", " ".join(objects), [], {}))
    (made / "build.ninja").write_text("\n".join(text))


main(pathlib.Path(sys.argv[1]).resolve())
