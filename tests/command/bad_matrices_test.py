# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that cannot be purified or multiplied are refused: by exit code 1 and one line with a remedy. No file is left."""
import math
import struct

from case import Case, csr

OVERLAP = [[1.0, 0.2, 0, 0], [0.2, 1.0, 0.1, 0], [0, 0.1, 1.0, 0.3], [0, 0, 0.3, 1.0]]
KOHN_SHAM = [[-1.0, 0.1, 0, 0], [0.1, 0.5, 0.1, 0], [0, 0.1, -0.8, 0], [0, 0, 0, 1.0]]
UNITY = [[float(i == j) for j in range(4)] for i in range(4)]  # four equal levels: two of them cannot be told


def changed(rows, i, j, value):
    return [[value if (i, j) == (row, column) else one for column, one in enumerate(line)] for row, line in enumerate(rows)]


# Name: elements, bytes to drop at the end, bytes to add. A whole record that is missing would be a zero.
FILES = {"ks": (KOHN_SHAM, 0), "s": (OVERLAP, 0), "unit": (UNITY, 0), "skew_s": (changed(OVERLAP, 0, 1, 0.25), 0),
         "skew_ks": (changed(KOHN_SHAM, 3, 0, 0.01), 0), "nan": (changed(KOHN_SHAM, 2, 2, math.nan), 0),
         "nan_s": (changed(OVERLAP, 0, 1, math.nan), 0), "inf_s": (changed(OVERLAP, 0, 1, math.inf), 0),
         "indefinite": (changed(OVERLAP, 3, 3, -1.0), 0), "cut_ks": (KOHN_SHAM, 11), "cut_1": (OVERLAP, 1),
         "cut_20": (OVERLAP, 20), "cut_11": (OVERLAP, 11),
         "mark": (KOHN_SHAM, 24, struct.pack("<iiidi", 16, 4, 4, 1.0, 17))}
CALLS = r"""
purify {ks} nowhere.csr --electrons 4 => cannot find | nowhere.csr | check the name
purify {ks} {skew_s} --electrons 4 => S is not symmetric | the right one
purify {skew_ks} {s} --electrons 4 => K is not symmetric | the right one
purify {ks} {s} --electrons -4 => -4 electrons do not fill states in pairs | positive
purify {unit} {unit} --electrons 4 => check the number of electrons | or give a temperature (--temperature)
purify {ks} {s} --electrons 3 => 3 electrons do not fill states in pairs | even
purify {ks} {s} --electrons 10 => 10 electrons | 4 functions | check the number
purify {cut_ks} {s} --electrons 4 => cut_ks.csr | truncated | copy it again
purify {mark} {s} --electrons 4 => mark.csr | wrong record marker | rerun the code
purify {ks} {s} --electrons 4 --blocks 2,3 => the block sizes sum to 5 x 5 | 4 x 4 | give sizes
purify {ks} {s} --electrons 4 --blocks 2,zwei => not a list of block sizes | 13,13,5
purify {nan} {s} --electrons 4 => nan.csr | element (3, 3) | not finite | rerun
purify {ks} {nan_s} --electrons 4 => nan_s.csr | element (1, 2) | not finite | rerun
purify {ks} {inf_s} --electrons 4 => inf_s.csr | element (1, 2) | not finite | rerun
purify {ks} {cut_1} --electrons 4 => cut_1.csr | truncated | copy it again
purify {ks} {cut_20} --electrons 4 => cut_20.csr | truncated | copy it again
purify {ks} {s} --electrons 4 --iterations 3 => not converged in 3 iterations
purify {ks} {indefinite} --electrons 4 => not positive definite
purify {ks} {s} --electrons 4 --memory-limit 0.0001 => exceeds the limit of 100 | use more processes
purify {ks} {s} --electrons 4 -o {folder}/p.doc => p.doc | .csr, .mtx
purify {ks} {s} --electrons 4 -o {folder}/nowhere/p.csr => cannot write | choose another path
bench blocksparse --files {cut_11} => cut_11.csr | truncated | copy it again
bench blocksparse --files {s} --file-blocks 2,3 => the block sizes sum to 5 x 5 | 4 x 4 | give sizes
bench blocksparse --blocks 100 --fill 0.5 --memory-limit 1 => exceeds the limit of 1000000 | use more processes
bench blocksparse --blocks 8 --layers 5 => cannot be split into 5 layers | give a number
"""


class BadMatrices(Case):
    def test_calls_that_cannot_be(self):
        paths = {}
        for name, (rows, drop, *extra) in FILES.items():
            paths[name] = csr(self.folder / f"{name}.csr", rows)
            content = paths[name].read_bytes()
            paths[name].write_bytes(content[:len(content) - drop] + b"".join(extra))
        self.refuse_all(CALLS, **paths)
