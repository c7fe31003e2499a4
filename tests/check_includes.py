#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on an include that goes up the stairs of the house: a room may include only itself and the rooms below it."""
import pathlib
import re
import sys

BELOW = {  # room: the rooms it may look into; everyone may use support, trace and the public headers of its own level
    "support": [],
    "trace": [],
    "layout": [],
    "comm": [],
    "exchange": ["comm", "layout"],
    "pipeline": ["comm", "layout", "exchange"],
    "fft": ["comm", "layout", "exchange", "pipeline"],
    "wavefile": ["comm", "layout", "exchange", "pipeline", "fft", "waves"],
    "waves": ["comm", "layout", "exchange", "pipeline", "fft"],
    "blocksparse": ["comm", "layout", "exchange", "pipeline"],
}
# A public header belongs to a room as its sources do.
ROOM_OF_PUBLIC = {"error": "support", "unfinished": "support", "communicator": "comm", "density": "waves", "symmetry": "waves", "basis": "waves",
                  "block_product": "blocksparse", "block_file": "blocksparse", "purify": "blocksparse",
                  "tuning": "fft", "tuning_file": "pipeline"}
# Waves come from files: the room of waves sees the public face of files, not their insides.
EXTRA_PUBLIC = {"waves": ["wavefile"]}
FACES = ["tools", "capi", "fortran", "python", "examples"]
FACES_MAY = ["trace/mpi_profile.hpp"]  # programs count their MPI calls

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def public_room(name):
    return ROOM_OF_PUBLIC.get(name, name)


def faults_of(path, root, rooms):
    """The includes of one file that it may not have, as sentences."""
    parts = path.relative_to(root).parts
    for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
        first, _, rest = target.partition("/")
        is_public, is_room = first == "seiche", first in rooms and (root / "src" / target).exists()
        if parts[0] in FACES and is_room and target not in FACES_MAY:
            yield f"{path.relative_to(root)}: includes {target}, but {parts[0]} sees only include/"
        if parts[0] == "include" and is_room:
            yield f"{path.relative_to(root)}: a public header includes {target}, which users do not have"
        if parts[0] not in ("src", "include") or not (is_public or is_room):
            continue
        mine = parts[1] if parts[0] == "src" else public_room(path.stem)
        other = public_room(rest.removesuffix(".hpp")) if is_public else first
        allowed = [mine, "support", "trace", *BELOW.get(mine, [])] + (EXTRA_PUBLIC.get(mine, []) if is_public else [])
        if mine not in BELOW:
            yield f"{path.relative_to(root)}: {mine} is no room of the house; add it to {pathlib.Path(__file__).name}"
        elif other not in allowed and other in BELOW:
            yield f"{path.relative_to(root)}: {mine} includes {target}, which is not below it"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    rooms = {folder.name for folder in (root / "src").iterdir() if folder.is_dir()}
    files = [path for top in ["include", "src", *FACES] for path in sorted((root / top).rglob("*.[ch]pp"))]
    faults = [fault for path in files for fault in faults_of(path, root, rooms)]
    print("\n".join(faults) if faults else f"includes of {len(files)} files all go down")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
