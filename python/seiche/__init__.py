# SPDX-License-Identifier: BSD-3-Clause
"""Distributed FFTs, wavefunction files, densities and block-sparse products for electronic-structure codes.

Units are hartree and bohr. Arrays on grids are [z, y, x]. Convention: f(r) = sum_G c(G) exp(+i G.r).
"""

from seiche import builds

__path__.append(str(builds.folder()))  # folder of _core
builds.offer_mkl()
builds.offer_cuda()

from seiche.errors import BadArgument, BadFile, Error, Fault, InternalError, MpiError, Unsupported, Unwritable, WrongType
from seiche._core import *  # noqa: F403
from seiche import _core  # noqa: F401
