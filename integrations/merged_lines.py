#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the lines of the hooks, and the lines of the form that codes could merge, and writes the tables of docs/merging.md.

merged_lines.py [--check]      --check: writes nothing, and fails if the page differs from the sources"""
import ast
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs/merging.md"
BLOCK = re.compile(r"(<!-- merged_lines\.py: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
sys.path.insert(0, str(HERE / "quantum-espresso"))
import merge  # noqa: E402

HOOKS = {
    "Quantum ESPRESSO": "quantum-espresso: hooks.f90 response_hooks.f90 file_hooks.f90 seiche_on_waves.f90 seiche_on_exchange.f90 "
                        "seiche_on_files.f90 qe_names.f90 link.sh",
    "CP2K, transforms": "cp2k: fft_tools.f90 ray_transform.hpp ray_transform.cpp original.cpp or_abort.hpp ../trial.hpp",
    "CP2K, products": "cp2k: cp_dbcsr_api.f90 multiply.f90 dbcsr_blocks.f90 local_blocks.hpp dbcsr_matrix.hpp dbcsr_matrix.cpp "
                      "product.cpp or_abort.hpp",
    "GPAW": "gpaw/package/gpaw: __init__.py methods.py plans.py band_hooks.py grid_hooks.py atom_hooks.py file_hooks.py "
            "grid_pair.py atom_functions.py gpw_file.py",
}
# Lines in the sources of CP2K and GPAW that would call Seiche.
CALLS_OF_TRANSFORMS = """\
#if defined(__SEICHE)
   USE seiche_fft, ONLY: seiche_fft3d_ps, seiche_fft3d_pb
#endif
#if defined(__SEICHE)
      IF (seiche_fft3d_ps(fsign, n, cin, gin, rs_group, yzp, nyzray, bo)) RETURN
#endif
#if defined(__SEICHE)
      IF (seiche_fft3d_pb(fsign, n, zin, gin, group, bo)) RETURN
#endif
"""
CALLS_OF_PRODUCTS = """\
#if defined(__SEICHE)
   USE seiche_dbcsr_product, ONLY: seiche_multiply => multiply
#endif
#if defined(__SEICHE)
#:if nametype1 == 'd'
         CALL seiche_multiply(transa, transb, alpha, matrix_a%prv, matrix_b%prv, beta, matrix_c%prv, first_row, last_row, &
                              first_column, last_column, first_k, last_k, retain_sparsity, filter_eps, flop)
         RETURN
#:endif
#endif
"""
CALLS_OF_GPAW = "import gpaw.new.pw.seiche as seiche\n" + 6 * """\
        if seiche.serves(self):
            return seiche.METHOD(self, ARGUMENTS)
"""
PLUGINS_OF_GPAW = """\
from importlib.metadata import entry_points
for plugin in entry_points(group='gpaw.plugins'):
    plugin.load()
"""


def source(name):
    return (HERE / name).read_text(encoding="utf-8")


def fortran_without(text, names):
    """Returns a source without some procedures, and without the comments before them."""
    for name in names:
        pattern = rf"(?:^ *!>[^\n]*\n(?: *!>?[^\n]*\n)*)?^ *[^!\n]*\b(subroutine|function) {name}\(.*?^ *end \1[^\n]*\n"
        text, found = re.subn(pattern, "", text, count=1, flags=re.MULTILINE | re.DOTALL)
        if not found:
            raise ValueError(f"there is no procedure {name}: correct the names in merged_lines.py")
    return text


def python_without(text, names):
    lines, missing = text.splitlines(keepends=True), set(names)
    for node in ast.parse(text).body:
        if getattr(node, "name", None) in names:
            missing.discard(node.name)
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            lines[first - 1 : node.end_lineno] = [""] * (node.end_lineno - first + 1)
    if missing:
        raise ValueError(f"there is no function {', '.join(sorted(missing))}: correct the names in merged_lines.py")
    return re.sub(r"\n{4,}", "\n\n\n", "".join(lines))


def requests():
    """Returns (code, part, {file: lines as text}) of what could be merged."""
    transforms = fortran_without(source("cp2k/fft_tools.f90"), ["seiche_cp2k_original_took", "seiche_cp2k_original", "timeset", "timestop", "note_time"])
    products = fortran_without(source("cp2k/multiply.f90"), ["timeset", "timestop", "say_once"]) + source("cp2k/dbcsr_blocks.f90")
    package = "gpaw/package/gpaw/"
    bands = "".join([source(package + "__init__.py"), source(package + "plans.py"), source(package + "band_hooks.py"),
                     python_without(source(package + "methods.py"), ["replaces"])])
    return [
        ("Quantum ESPRESSO", "V psi and the density", merge.added()),
        ("CP2K", "transforms", {"a new module": transforms, "src/pw/fft_tools.F": CALLS_OF_TRANSFORMS}),
        ("CP2K", "products", {"two new modules": products, "src/dbx/cp_dbcsr_api.F": CALLS_OF_PRODUCTS}),
        ("GPAW", "V psi and the density", {"a new module": bands, "the classes of plane waves": CALLS_OF_GPAW}),
        ("GPAW", "entry points", {"gpaw/dft.py": PLUGINS_OF_GPAW}),
    ]


def count(text):
    return len(text.splitlines())


def row(cells):
    return f"| {' | '.join(map(str, cells))} |\n"


def hooks():
    text = row(["hooks", "files", "lines"]) + row(["---"] * 3)
    for part, listed in HOOKS.items():
        folder, names = listed.split(": ")
        files = names.split()
        shown = ", ".join(f"`{name.rsplit('/', 1)[-1]}`" for name in files)
        text += row([part, shown, sum(count(source(f"{folder}/{name}")) for name in files)])
    return text


def merged():
    text = row(["code", "part", "lines in its files", "lines"]) + row(["---"] * 4)
    for code, part, files in requests():
        shown = ", ".join(f"{name if ' ' in name else f'`{name}`'}: {count(added)}" for name, added in files.items())
        text += row([code, part, shown, sum(map(count, files.values()))])
    return text


def page():
    tables = {"hooks": hooks, "merged": merged}
    return BLOCK.sub(lambda found: found[1] + tables[found[2]]() + found[3], PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    if sys.argv[1:]:
        differs = page() != PAGE.read_text(encoding="utf-8")
        sys.exit("docs/merging.md differs from the sources of the hooks: run integrations/merged_lines.py" if differs else 0)
    PAGE.write_text(page(), encoding="utf-8")
