#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on an include of a higher room: a room (folder) may include only itself and lower rooms."""
import pathlib
import re
import sys

BELOW = {  # room: the rooms it may look into; everyone may use support, trace and the public headers of its own level
    "support": [],
    "trace": [],
    "layout": [],
    "comm": [],
    "device": [],
    "space": ["comm", "layout", "device"],
    "cuda": ["device"],
    "exchange": ["comm", "layout", "space"],
    "pipeline": ["comm", "layout", "device", "space", "exchange"],
    "tuning": ["comm", "layout", "space", "exchange", "pipeline"],
    "boxes": ["comm", "layout", "space", "exchange", "pipeline", "tuning"],
    "fft": ["comm", "layout", "device", "space", "exchange", "pipeline", "tuning", "boxes"],
    "grid_operator": ["comm", "layout", "device", "space", "exchange", "pipeline", "tuning", "boxes", "fft"],
    "grid_interpolation": ["comm", "layout", "device", "space", "exchange", "pipeline", "tuning", "boxes", "fft"],
    "pair_densities": ["comm", "layout", "device", "space", "exchange", "pipeline", "tuning", "boxes", "fft"],
    "exact_exchange": ["comm", "layout", "device", "space", "exchange", "pipeline", "tuning", "boxes", "fft", "pair_densities"],
    "blocksparse/matrix": ["comm", "layout", "space", "exchange"],
    "blocksparse/product": ["comm", "layout", "exchange", "pipeline", "tuning", "blocksparse/matrix"],
    "blocksparse/solve": ["comm", "layout", "blocksparse/matrix", "blocksparse/product"],
    "crystal": ["layout"],
    "containers": ["comm", "layout", "crystal"],
    "orbitals": ["comm", "layout", "exchange", "pipeline", "tuning", "fft", "crystal"],
    "density": ["comm", "layout", "exchange", "pipeline", "tuning", "fft", "crystal", "orbitals", "containers"],
    "predict": ["comm", "layout", "exchange", "pipeline", "tuning", "fft", "blocksparse/matrix", "blocksparse/product"],
    "files": ["comm", "layout", "exchange", "pipeline", "tuning", "fft", "crystal", "orbitals", "density", "containers"],
    "analysis": ["comm", "layout", "crystal", "orbitals", "density", "files", "containers"],
}
BELOW["c"] = [room for room in BELOW if room != "c"]  # all public headers
INSIDES_FOR_C = ["c", "comm", "support"]  # of the rooms' own headers, only what makes faults collective
FILES_FOR_ANALYSIS = ["files/bands/"]  # bands by k-point, but no format
# A public header belongs to a room as its sources do.
ROOM_OF_PUBLIC = {"error": "support", "cxx20": "support", "coefficients": "fft", "device_memory": "space", "unfinished": "support", "communicator": "comm", "topology": "comm", "presence": "comm", "fft_options": "fft", "grid_callback": "fft", "dense_arrays": "fft", "field_array": "layout", "pending": "pipeline", "tuning_file": "tuning",
                  "orbital_header": "crystal", "band_edges": "crystal", "selection": "crystal", "symmetry": "orbitals", "basis": "orbitals",
                  "wannier": "orbitals", "wannier_file": "files", "unfold": "analysis", "cut": "density", "wavefile": "files", "wfc_file": "files", "table": "density", "averages": "density", "orbital_grid": "density", "density_file": "files",
                  "blocksparse": "blocksparse/matrix", "block_file": "blocksparse/matrix",
                  "block_product": "blocksparse/product", "purify": "blocksparse/solve"}
# The rooms of companions/profile/: the recorder is preloaded into other people's programs and knows MPI alone; the report reads its
# records; the replayer measures the engine below plans.
PROFILE = {  # room: its own headers, public headers, rooms of src
    "recorder": (["recorder", "record.hpp", "functions.inc"], [], []),
    "report": (["report", "record.hpp", "functions.inc", "replay/replay_plan.hpp"], ["error.hpp"], []),
    "replay": (["replay"], ["error.hpp", "exchange.hpp", "communicator.hpp", "layout.hpp"], ["exchange", "layout", "space"]),
    "record.hpp": (["functions.inc"], [], []),
}
FACES = ["command", "fortran", "python", "examples"]
FACES_MAY = ["trace/mpi_profile.hpp", "support/joined.hpp"]  # programs count their MPI calls, and print lists
PREDICT = ("companions", "predict")
# What the command alone tells of machines, from the library's own layouts, and what only its benchmarks call.
COMMAND_MAY = ("predict/", "fft/exchange_only.hpp")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def public_room(name):
    return ROOM_OF_PUBLIC.get(name, name)


def inner_room(first, *rest):
    """Large rooms are divided: the room of a path below src or of an include is then `room/part`."""
    part = f"{first}/{rest[0]}" if rest else first
    return part if part in BELOW else first


def faults_of_profile(path, root, rooms):
    """The includes of one file of companions/profile/ that it may not have, as sentences."""
    room = path.relative_to(root).parts[2]
    if room not in PROFILE:
        yield f"{path.relative_to(root)}: {room} is no room of companions/profile/; add it to {pathlib.Path(__file__).name}"
        return
    own, public, inner = PROFILE[room]
    for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
        first, _, rest = target.partition("/")
        if first == "seiche":
            allowed = rest in public
        elif first in rooms and (root / "src" / target).exists():
            allowed = first in inner
        elif (root / "companions" / "profile" / target).exists():
            allowed = first in own or target in own
        else:
            continue
        if not allowed:
            yield f"{path.relative_to(root)}: includes {target}, which profile/{room} may not see"


def faults_of(path, root, rooms):
    """The includes of one file that it may not have, as sentences."""
    parts = path.relative_to(root).parts
    if parts[:2] == PREDICT:  # reads layouts and schedules of the library
        parts = ("src", *parts[1:])
    for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
        first, _, rest = target.partition("/")
        is_public, is_room = first == "seiche", first in rooms and any((root / top / target).exists() for top in ("src", "companions"))
        may = target in FACES_MAY or (parts[0] == "command" and target.startswith(COMMAND_MAY))
        if parts[0] in FACES and is_room and not may:
            yield f"{path.relative_to(root)}: includes {target}, but {parts[0]} sees only include/"
        if parts[0] == "include" and is_room:
            yield f"{path.relative_to(root)}: a public header includes {target}, which users do not have"
        if parts[0] not in ("src", "include") or not (is_public or is_room):
            continue
        if parts[:2] == ("src", "c") and is_room and first not in INSIDES_FOR_C:
            yield f"{path.relative_to(root)}: includes {target}, but the C interface sees only include/"
        if parts[:3] == ("src", "fft", "lines") and first == "fft" and not target.startswith("fft/lines/"):
            yield f"{path.relative_to(root)}: includes {target}, but fft/lines knows no plans"
        if parts[:2] == ("src", "analysis") and first == "files" and not target.startswith(tuple(FILES_FOR_ANALYSIS)):
            yield f"{path.relative_to(root)}: includes {target}, but analysis sees only {' and '.join(FILES_FOR_ANALYSIS)}"
        mine = inner_room(*parts[1:]) if parts[0] == "src" else public_room(path.stem)
        other = public_room(rest.removesuffix(".hpp")) if is_public else inner_room(first, *rest.split("/"))
        allowed = [mine, "support", "trace", *BELOW.get(mine, [])]
        if mine not in BELOW:
            yield f"{path.relative_to(root)}: {mine} is no known room; add it to {pathlib.Path(__file__).name}"
        elif other not in allowed and other in BELOW:
            yield f"{path.relative_to(root)}: {mine} includes {target}, which is not below it"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    rooms = {folder.name for folder in (root / "src").iterdir() if folder.is_dir()} | {PREDICT[1]}
    files = [path for top in ["include", "src", "companions/predict", *FACES] for pattern in ("*.[ch]pp", "*.cu*")
             for path in sorted((root / top).rglob(pattern))]
    faults = [fault for path in files for fault in faults_of(path, root, rooms)]
    profile = sorted((root / "companions" / "profile").rglob("*.[ch]pp"))
    faults += [fault for path in profile for fault in faults_of_profile(path, root, rooms)]
    files += profile
    print("\n".join(faults) if faults else f"includes of {len(files)} files all go down")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
