# SPDX-License-Identifier: BSD-3-Clause
"""Wavefunctions of .gpw files, which all ranks of GPAW write and read."""

from ase.units import Bohr
from gpaw.core.plane_waves import PWArray
from gpaw.new.ibzwfs import IBZWaveFunctions
from gpaw.new.pw.builder import PWDFTComponentsBuilder, check_g_vector_ordering
from gpaw.new.pwfd.builder import PWFDDFTComponentsBuilder

import seiche.gpaw
from seiche import BadFile
from seiche.gpaw.gpw_file import BandArray, BandMover, FirstFault
from seiche.gpaw.methods import obstacle, replaces, warn, warns
from seiche.gpaw.plans import communicator_of


def _serves_files(comm, xp, dtype):
    """Returns whether Seiche writes and reads wavefunctions. Warns once for each reason why not."""
    return seiche.gpaw.files and comm.size > 1 and not warns(obstacle(xp, dtype))


def _mover(psi):
    return BandMover(psi.desc.shape[0], psi.desc.maxmysize, communicator_of(psi.desc.comm))


def _place(ibzwfs, wfs):
    """Returns the indices of a k-point in arrays of files."""
    return (wfs.spin, wfs.k) if ibzwfs.collinear else (wfs.k,)


def _bands_from(stored, offset):
    """Returns a function that reads bands of a k-point, whose first band here is `offset` in the file."""
    return lambda first, last: stored[offset + first : offset + last]


@replaces(IBZWaveFunctions, "_write_wave_functions")
def _write_wave_functions(original, self, writer, spin_k_shape, flags):
    """Writes whole bands from all ranks; GPAW gathers them on rank 0."""
    if self.mode != "pw" or not _serves_files(self.comm, self.xp, self.dtype):
        return original(self, writer, spin_k_shape, flags)
    shape = (*spin_k_shape, self.nbands, *self.get_max_shape(global_shape=True))
    array = BandArray(writer, "coefficients", shape, flags.storage_dtype(complex), communicator_of(self.comm))
    if not array.shared:
        warn("files that not all ranks can open")
        return original(self, writer, spin_k_shape, flags)

    def stored(bands):
        return flags.to_storage_dtype(bands * Bohr**-1.5)

    for wfs in self:
        for first, bands in _mover(wfs.psit_nX).whole(wfs.psit_nX.data, array.fault):
            array.fill(_place(self, wfs), wfs.n1 + first, bands, stored)
    array.finish()


@replaces(PWDFTComponentsBuilder, "read_ibz_wave_functions")
def _read_ibz_wave_functions(original, self, reader):
    """Reads whole bands on all ranks; GPAW reads them on one rank of each group that shares the plane waves."""
    group = self.communicators["w"]
    known = "coefficients" in reader.wave_functions and reader.version >= 4  # older files have other units
    if not known or not _serves_files(group, self.xp, self.dtype):
        return original(self, reader)
    ibzwfs = PWFDDFTComponentsBuilder.read_ibz_wave_functions(self, reader)
    dims = (self.nbands, 2) if self.ncomponents == 4 else (self.nbands,)
    fault, indices = FirstFault(communicator_of(group)), None
    with fault.kept():
        indices = reader.wave_functions.indices
    for wfs in ibzwfs:
        with fault.kept():
            pw = self.wf_desc.new(kpt=wfs.kpt_c, dtype=self.dtype)
            check_g_vector_ordering(self.grid, pw, indices[wfs.k])
            stored = reader.wave_functions.proxy("coefficients", *_place(ibzwfs, wfs))
            stored.scale = reader.bohr**1.5
            stored.length_of_last_dimension = pw.shape[-1]
            wfs.psit_nX = PWArray(pw, dims, comm=self.communicators["b"])
        if fault.among(communicator_of(self.wf_desc.comm)):
            break
        _mover(wfs.psit_nX).divide(_bands_from(stored, wfs.n1), wfs.psit_nX.data, fault)
    fault.agree(BadFile, "read the wavefunctions", "the file may be incomplete; write it again")
    return ibzwfs
