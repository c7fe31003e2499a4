# SPDX-License-Identifier: BSD-3-Clause
"""Runs GPAW's plane-wave calculations on Seiche. Import it before the calculation starts:

    import seiche.gpaw
    from gpaw.new.ase_interface import GPAW

The import replaces methods of GPAW 26.7 in memory; no file of GPAW changes. Replaced are the application of local
potentials, densities and kinetic energy densities of all bands, and single transforms between plane waves and grids
that are distributed, or between two such grids. Spinors and meta-GGA functionals are included. Ranks share the PAW
corrections of atoms evenly, and compensation charges need one phase for each atom and plane wave. All ranks write and
read the wavefunctions of .gpw files. GPAW's own method runs where Seiche does not apply (GPUs, single precision, spin
spirals, grids with zero boundary conditions), and a warning says so once.

GPAW's arrays are [x, y, z] with z fastest. Seiche's first axis is the fastest one, so that shapes, Miller indices and
boxes are passed in reverse order, and no array is copied.
"""

import os

from seiche.gpaw import atom_hooks, band_hooks, file_hooks, grid_hooks  # noqa: F401 - replace methods

active = os.environ.get("SEICHE_GPAW") != "never"  # False: GPAW's own methods run. Must be equal on all ranks.
atoms = os.environ.get("SEICHE_GPAW_ATOMS") != "never"  # False: GPAW's own methods compute sums over atoms. Equal on all ranks.
files = os.environ.get("SEICHE_GPAW_FILES") != "never"  # False: GPAW's own methods write and read .gpw files
options = {"band_groups": 0}  # of all plans; must be equal on all ranks
