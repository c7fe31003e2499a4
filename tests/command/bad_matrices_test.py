#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that cannot be purified or multiplied are refused, as refused.py says. bad_matrices_test.py SEICHE DATA RANKS MPIEXEC..."""
import math
import struct
import sys
import unittest

from refused import Refused


class BadMatrices(Refused):
    """CP2K's binary CSR, one record per element."""
    OVERLAP = [[1.0, 0.2, 0, 0], [0.2, 1.0, 0.1, 0], [0, 0.1, 1.0, 0.3], [0, 0, 0.3, 1.0]]
    KOHN_SHAM = [[-1.0, 0.1, 0, 0], [0.1, 0.5, 0.1, 0], [0, 0.1, -0.8, 0], [0, 0, 0, 1.0]]

    def matrix(self, name, rows, drop=0, extra=b""):
        records = b"".join(struct.pack("<iiidi", 16, i + 1, j + 1, value, 16)
                           for i, row in enumerate(rows) for j, value in enumerate(row))
        path = self.folder / name
        path.write_bytes(records[:len(records) - drop] + extra)
        return str(path)

    def purify(self, *parts, ks=None, s=None, electrons="4", more=()):
        ks = ks or self.matrix("ks.csr", self.KOHN_SHAM)
        s = s or self.matrix("s.csr", self.OVERLAP)
        self.refused(*parts, arguments=["purify", ks, s, "--electrons", electrons, *more])

    def test_purify_without_file(self):
        self.purify("cannot find", "nowhere.csr", "check the name", s="nowhere.csr")

    def test_purify_asymmetric_overlap(self):
        rows = [row[:] for row in self.OVERLAP]
        rows[0][1] = 0.25
        self.purify("S is not symmetric", "the right one", s=self.matrix("skew.csr", rows))

    def test_purify_asymmetric_kohn_sham(self):
        rows = [row[:] for row in self.KOHN_SHAM]
        rows[3][0] = 0.01
        self.purify("K is not symmetric", "the right one", ks=self.matrix("skew.csr", rows))

    def test_purify_no_electrons(self):
        self.purify("-4 electrons do not fill states in pairs", "positive", electrons="-4")

    def test_purify_electrons_that_no_gap_separates(self):
        rows = [[float(i == j) for j in range(4)] for i in range(4)]  # four equal levels: two of them cannot be told
        unit = self.matrix("unit.csr", rows)
        self.purify("check the number of electrons", "or give a temperature (--temperature)", ks=unit, s=unit)

    def test_purify_odd_electrons(self):
        self.purify("3 electrons do not fill states in pairs", "even", electrons="3")

    def test_purify_too_many_electrons(self):
        self.purify("10 electrons", "4 functions", "check the number", electrons="10")

    def test_purify_truncated(self):
        self.purify("cut.csr", "truncated", "copy it again", ks=self.matrix("cut.csr", self.KOHN_SHAM, drop=11))

    def test_purify_wrong_marker(self):
        self.purify("mark.csr", "wrong record marker", "rerun the code",
                    ks=self.matrix("mark.csr", self.KOHN_SHAM, drop=24, extra=struct.pack("<iiidi", 16, 4, 4, 1.0, 17)))

    def test_purify_block_sizes(self):
        self.purify("the block sizes sum to 5 x 5", "4 x 4", "give sizes", more=["--blocks", "2,3"])

    def test_purify_block_sizes_no_list(self):
        self.purify("not a list of block sizes", "13,13,5", more=["--blocks", "2,zwei"])

    def test_purify_not_a_number(self):
        rows = [row[:] for row in self.KOHN_SHAM]
        rows[2][2] = math.nan
        self.purify("nan.csr", "element (3, 3)", "not finite", "rerun", ks=self.matrix("nan.csr", rows))

    def test_purify_overlap_not_a_number(self):
        for value in (math.nan, math.inf):
            rows = [row[:] for row in self.OVERLAP]
            rows[0][1] = value
            self.purify("wrong.csr", "element (1, 2)", "not finite", "rerun", s=self.matrix("wrong.csr", rows))

    def test_purify_truncated_overlap(self):
        for drop in (1, 20):  # inside the last record; a whole one would be a zero
            self.purify("cut.csr", "truncated", "copy it again", s=self.matrix("cut.csr", self.OVERLAP, drop=drop))

    def test_bench_blocksparse_of_files(self):
        cut = self.matrix("cut.csr", self.OVERLAP, drop=11)
        self.refused("cut.csr", "truncated", "copy it again", arguments=["bench", "blocksparse", "--files", cut])
        whole = self.matrix("s.csr", self.OVERLAP)
        self.refused("the block sizes sum to 5 x 5", "4 x 4", "give sizes",
                     arguments=["bench", "blocksparse", "--files", whole, "--file-blocks", "2,3"])

    def test_bench_blocksparse_memory_limit(self):
        self.refused("exceeds the limit of 1000000", "use more processes",
                     arguments=["bench", "blocksparse", "--blocks", "100", "--fill", "0.5", "--memory-limit", "1"])

    def test_purify_not_converged(self):
        self.purify("not converged in 3 iterations", more=["--iterations", "3"])

    def test_purify_indefinite_overlap(self):
        rows = [row[:] for row in self.OVERLAP]
        rows[3][3] = -1.0
        self.purify("not positive definite", s=self.matrix("bad.csr", rows))

    def test_purify_memory_limit(self):
        self.purify("exceeds the limit of 100", "use more processes", more=["--memory-limit", "0.0001"])

    def test_purify_unknown_ending(self):
        self.purify("p.doc", ".csr, .mtx", more=["-o", str(self.folder / "p.doc")])

    def test_purify_unwritable(self):
        self.purify("cannot write", "choose another path", more=["-o", str(self.folder / "nowhere" / "p.csr")])

    def test_bench_blocksparse_layers(self):
        self.refused("cannot be split into 5 layers", "give a number",
                     arguments=["bench", "blocksparse", "--blocks", "8", "--layers", "5"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
