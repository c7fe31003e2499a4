#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds V psi and the density by Seiche to a tree of Quantum ESPRESSO 7.5, in the form that could be merged: one new module,
calls in h_psi and sum_band, and one line of a makefile, all behind the switch __SEICHE. Lines are only added.

merge.py TREE      TREE: unpacked sources, built or not; they are changed"""
import pathlib
import re
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
MODULE = "PW/src/seiche_on_waves.f90"


class Addition(NamedTuple):
    file: str
    anchor: str  # a line of the file, without blanks at its ends
    texts: list  # what is added before each of these lines


def switched(lines):
    return f"#if defined(__SEICHE)\n{lines}#endif\n"


def density(k):
    return switched(f"""\
          IF ( .NOT. ( xclib_dft_is('meta') .OR. lxdm .OR. dmft .OR. sic ) .AND. can_serve( 'density' ) ) THEN
             CALL add_density( {k}, npw, npwx, npol, this_bgrp_nbnd, evc(:,ibnd_start:ibnd_end), &
                               wg(ibnd_start:ibnd_end,ik) / omega, rho%of_r(:,current_spin:) )
          ELSE
""")


END_IF = switched("          END IF\n")
ADDITIONS = [
    Addition("PW/src/h_psi.f90", "USE fft_helper_subroutines", [switched("""\
  USE seiche_on_waves,         ONLY: add_potential, can_serve
  USE wvfct,                   ONLY: current_k
""")]),
    Addition("PW/src/h_psi.f90", "! ... Here the product with the local potential V_loc psi", [switched("""\
  IF ( .NOT. ( real_space .AND. nkb > 0 .AND. .NOT. noncolin ) .AND. can_serve( 'local potential' ) ) THEN
     CALL start_clock( 'vloc_psi' )
     CALL add_potential( MERGE( 1, current_k, gamma_only ), n, lda, npol, m, psi, vrs(1,current_spin), &
                         SIZE( vrs, 1 ), hpsi )
     CALL stop_clock( 'vloc_psi' )
  ELSE
""")]),
    Addition("PW/src/h_psi.f90", "! ... Here the product with the non local potential V_NL psi", [switched("  END IF\n")]),
    Addition("PW/src/sum_band.f90", "USE add_dmft_occ,         ONLY : dmft, dmft_updated, v_dmft", [switched("""\
  USE seiche_on_waves,      ONLY : add_density, can_serve
""")]),
    # at gamma, and at k-points
    Addition("PW/src/sum_band.f90", "DO ibnd = ibnd_start, ibnd_end, incr", [density("1"), density("ik"), "", ""]),
    Addition("PW/src/sum_band.f90", "! ... If we have a US pseudopotential we compute here the becsum term", [END_IF, END_IF, "", ""]),
    Addition("PW/src/Makefile", "h_psi.o \\", ["seiche_on_waves.o \\\n"]),
]


def merged(text):
    """Returns a source in which QE_MERGED is defined, without the conditions that name it."""
    kept, shown = [], [True]
    for line in text.splitlines(keepends=True):
        if re.match(r"#ifn?def QE_MERGED", line):
            shown.append(line.startswith("#ifdef"))
        elif len(shown) > 1 and line.startswith("#else"):
            shown[-1] = not shown[-1]
        elif len(shown) > 1 and line.startswith("#endif"):
            shown.pop()
        elif all(shown):
            kept.append(line)
    return re.sub(r"\n{3,}", "\n\n", "".join(kept))


def module():
    """Returns the new file: the module of the hooks."""
    text = merged((HERE / "seiche_on_waves.f90").read_text(encoding="utf-8"))
    return switched(re.sub(r"merge\.py\n!> defines QE_MERGED.*\n", "\n", text).replace(" \n", "\n"))


def added():
    """Returns {file: lines that are added}, as text."""
    texts = {MODULE: module()}
    for addition in ADDITIONS:
        texts[addition.file] = texts.get(addition.file, "") + "".join(addition.texts)
    return texts


def inserted(text, addition):
    lines = text.splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if line.strip() == addition.anchor]
    if len(places) != len(addition.texts):
        raise ValueError(f"{addition.file} has {len(places)} lines `{addition.anchor}` instead of {len(addition.texts)}; "
                         "use the sources of version 7.5, without earlier changes")
    for place, text in reversed(list(zip(places, addition.texts))):
        lines.insert(place, text)
    return "".join(lines)


def merge(tree):
    """Changes a tree. It stays as it is if a line is not found."""
    if (tree / MODULE).exists():
        raise ValueError(f"{tree / MODULE} exists; use a tree that was not merged before")
    texts = {addition.file: (tree / addition.file).read_text(encoding="utf-8") for addition in ADDITIONS}
    for addition in ADDITIONS:
        texts[addition.file] = inserted(texts[addition.file], addition)
    for file, text in {**texts, MODULE: module()}.items():
        (tree / file).write_text(text, encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        merge(pathlib.Path(sys.argv[1]))
    except (OSError, ValueError) as error:
        sys.exit(f"merge.py: {error}")


if __name__ == "__main__":
    main()
