#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the modules: their includes have no cycle, and no two have a file of the same name. Prints the graph."""
import collections
import pathlib
import sys

import check_includes

FACES = ["companions", "fortran", "python", "command", "integrations", "bench"]
# From low to high. A module may include lower ones. The lowest describes options for all.
ORDER = ["interface"] + list(dict.fromkeys(room.split("/")[0] for room in check_includes.BELOW if room != "predict")) + FACES
# An include from a lower to a higher module, and the reason. Public and generated headers belong to the module that
# implements them.
MOST_UPWARD = 5
UPWARD = {
    ("boxes", "fft"): ("src/boxes/box_exchange.cpp",
                       "interface/fft.api describes Space, whose words the messages of BoxExchange contain"),
    ("orbitals", "files"): ("src/orbitals/redistribute.cpp",
                            "interface/wavefile.api describes MoveOptions, because C converts files with them, too"),
}
# Public headers whose functions are all inline.
INLINE = ["coefficients", "cxx20", "dense_arrays", "error", "grid_callback", "orbital_header"]
DESCRIBED = {"status": "exchange", "product": "block_product"}  # public header of interface/NAME_members.hpp, if not NAME
C_HEADERS = ["seiche.h", "seiche_files.h"]
REPLACED = "companions/simulation/instead"  # headers that replace a header of src of the same path
LANGUAGES = {"cpp": "C++", "hpp": "C++", "c": "C++", "h": "C++", "cu": "C++", "cuh": "C++", "f90": "Fortran", "py": "Python",
             "api": "description"}


def module_of(path):
    """The module of a file, by its path below the root; None outside of modules."""
    first, *rest = path.parts
    if first == "src":
        return rest[0] if len(rest) > 1 else None
    if first == "include":
        return "include"
    return first if first in ["interface", *FACES] else None


def owner(header):
    """The module of src that implements a public header."""
    return check_includes.public_room(header).split("/")[0]


def language_of(path):
    """The language of a source file: files of several languages may have the same name."""
    suffix = path.name.removesuffix(".in").rpartition(".")[2]
    if suffix == "inc":
        return "Fortran" if path.parts[0] == "fortran" else "C++"
    return LANGUAGES.get(suffix)


def targets_of(file, path, root):
    """For each include of a file: the module in whose folder the header is, and the module that implements it."""
    for target in check_includes.INCLUDE.findall(file.read_text(encoding="utf-8")):
        first, _, rest = target.partition("/")
        if first == "seiche" or first in C_HEADERS:
            yield "include", owner(rest.removesuffix(".hpp")) if rest.endswith(".hpp") else "c"
        elif first == "interface" and rest.endswith("_members.hpp"):
            name = rest.removesuffix("_members.hpp")
            yield "interface", owner(DESCRIBED.get(name, name))
        elif first == "interface":
            yield first, first
        elif (root / "src" / target).is_file() and not (file.parent / target).is_file():
            yield first, first
        else:
            for folder in (file.parent, root / "companions", root / "companions" / "profile", root / path.parts[0]):
                if (folder / target).is_file():
                    other = module_of((folder / target).resolve().relative_to(root))
                    if other:
                        yield other, other
                    break


def graphs_of(root, files):
    """Edges of the graph by folders, and edges of the graph by implementing modules with the files that have them."""
    folders, modules = collections.defaultdict(set), collections.defaultdict(set)
    folders["interface"].add("include")  # generated headers describe types of public headers
    for path in files:
        if language_of(path) != "C++":
            continue
        mine = module_of(path)
        implementing = mine if mine != "include" else owner(path.stem) if path.suffix == ".hpp" else "c"
        for folder, module in targets_of(root / path, path, root):
            if folder != mine:
                folders[mine].add(folder)
            if module != implementing:
                modules[implementing, module].add(str(path))
    return folders, modules


def cycle_in(graph):
    """The modules of a cycle in order, or None."""
    done, way = set(), []

    def visit(module):
        if module in way:
            return [*way[way.index(module):], module]
        if module in done:
            return None
        way.append(module)
        for other in sorted(graph.get(module, ())):
            found = visit(other)
            if found:
                return found
        done.add(way.pop())
        return None

    return next(filter(None, map(visit, sorted(graph))), None)


def faults_of_order(root, modules):
    """Edges from a lower to a higher module that are not explained, and explanations without an edge."""
    upward = {edge for edge in modules if all(module in ORDER for module in edge) and ORDER.index(edge[0]) < ORDER.index(edge[1])}
    for low, high in sorted(upward - set(UPWARD)):
        yield f"{low} includes the higher module {high}: {', '.join(sorted(modules[low, high]))}"
    for edge in sorted(set(UPWARD) - upward):
        if (root / UPWARD[edge][0]).is_file():
            yield f"{edge[0]} no longer includes {edge[1]}: remove its explanation"
    if len(upward) > MOST_UPWARD:
        yield f"{len(upward)} edges go to a higher module; the limit is {MOST_UPWARD}"
    unknown = {module for edge in modules for module in edge} - set(ORDER)
    for module in sorted(unknown):
        yield f"{module} is not in the order of modules"


def faults_of_names(root, files):
    """Files of different modules with the same name, and public headers without a file or folder of their name."""
    named = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in files:
        if str(path).startswith(REPLACED):
            if not (root / "src" / path.relative_to(REPLACED)).is_file():
                yield f"{path} replaces no file of src"
            continue
        mine = module_of(path)
        stem = path.name.split(".")[0]
        public = path.parts[:2] == ("include", "seiche")
        named[language_of(path), stem][owner(stem) if public else mine].append(str(path))
        if public and stem not in INLINE and not any(True for _ in (root / "src").rglob(stem)) and not any(
                True for _ in (root / "src").rglob(stem + ".*")):
            yield f"{path} has its implementation in no file or folder of its name"
        if path.suffix == ".hpp" and mine != "include" and (root / "include" / "seiche" / path.name).is_file():
            yield f"{path} has the name of a public header"
    for (language, stem), places in sorted(named.items()):
        if language and len(places) > 1 and stem != "__init__":  # each package of Python has one
            yield f"{stem} names files of several modules: {', '.join(sorted(sum(places.values(), [])))}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files = [file.relative_to(root) for top in ["include", "src", "interface", *FACES] for file in sorted((root / top).rglob("*")) if file.is_file()]
    files = [path for path in files if language_of(path) and module_of(path)]
    folders, modules = graphs_of(root, files)
    faults = [*faults_of_order(root, modules), *faults_of_names(root, files)]
    cycle = cycle_in(folders)
    if cycle:
        faults.append(f"modules include each other: {' -> '.join(cycle)}")
    if "--print" in sys.argv:
        for module in ["include", *ORDER]:
            print(f"{module}: {', '.join(sorted(folders.get(module, ()))) or '-'}")
    edges = sum(map(len, folders.values()))
    print("\n".join(faults) if faults else f"{len(files)} files, {edges} edges between modules: no cycle, "
          f"{sum(edge in modules for edge in UPWARD)} to a higher module, no name twice")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
