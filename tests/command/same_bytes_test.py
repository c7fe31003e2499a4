# SPDX-License-Identifier: BSD-3-Clause
"""Each command that answers a question gives the same bytes on any number of ranks, on sets of several codes: those of the
tests, or, where SEICHE_SETS says all, those beside the project too. RANKS is a list of
numbers, which replace the word RANKS of MPIEXEC."""
import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import tempfile
import unittest

from calls import calls
from case import DATA, SHARED, mpiexec, ranks, seiche

BOHR = 0.529177210903  # angstrom


@dataclasses.dataclass(frozen=True)
class Set:
    code: str
    path: pathlib.Path
    norm_conserving: bool = True  # others have no overlaps for wannier90


SETS = [Set("Quantum ESPRESSO", DATA / "si_small" / "si_small.save"), Set("Quantum ESPRESSO, HDF5", DATA / "si_small" / "hdf5" / "si_small.save"),
        Set("Quantum ESPRESSO, spinors", DATA / "fe_so" / "fe_so.save"), Set("ABINIT, two spins", DATA / "abinit" / "spin" / "WFK"),
        Set("ABINIT, spinors, NetCDF", DATA / "abinit" / "spinor" / "WFK.nc"), Set("ABINIT, half a sphere", DATA / "abinit" / "gamma" / "WFK"),
        Set("BerkeleyGW, binary", DATA / "berkeleygw" / "WFN")]
BESIDE = [Set("Quantum ESPRESSO, half a sphere", SHARED / "gamma" / "gamma.save"), Set("Quantum ESPRESSO, two spins", SHARED / "fe" / "fe.save"),
          Set("Quantum ESPRESSO, corundum", SHARED / "al2o3_prim" / "al2o3_prim.save"), Set("ABINIT", SHARED / "abinit_si_psp8" / "sio_WFK"),
          Set("ABINIT, NetCDF", SHARED / "abinit_si_psp8_nc" / "sio_WFK.nc"), Set("BerkeleyGW, binary, real", SHARED / "al2o3_prim" / "WFN"),
          Set("BerkeleyGW, HDF5", SHARED / "foreign" / "WFN_in.h5"), Set("CASTEP", SHARED / "foreign" / "GaAs.check", False),
          Set("VASP", SHARED / "foreign" / "WAVECAR.wfc_r", False), Set("VASP, gamma only", SHARED / "foreign" / "WAVECAR.co2", False)]


def nnkp_of(info):
    """What wannier90 would ask, in little: for each k-point its images one reciprocal vector above and below, and one s orbital."""
    rows = lambda vectors, unit: "".join(" ".join(repr(x * unit) for x in vector) + "\n" for vector in vectors)
    points = [point["k"] for point in info["kpoint_list"]]
    word, more = ("spinor_projections", "1 0 0 1\n") if info["spinor_components"] == 2 else ("projections", "")
    neighbours = "".join(f"{k} {k} 0 0 1\n{k} {k} 0 0 -1\n" for k in range(1, len(points) + 1))
    return (f"begin real_lattice\n{rows(info['cell'], BOHR)}end real_lattice\nbegin kpoints\n{len(points)}\n{rows(points, 1)}end kpoints\n"
            f"begin {word}\n1\n0.1 0.2 0.3 0 1 1\n0 0 1 1 0 0 1.0\n{more}end {word}\nbegin nnkpts\n2\n{neighbours}end nnkpts\n")


def commands(one, info, folder):
    """Each call's words, and what it leaves in `folder` and says beside."""
    source, cut = one.path, folder / "d.h5"
    weights = () if info["weighted"] else ("--kpoints", folder / "IBZKPT")  # a WAVECAR has none
    if weights:
        points = "".join(" ".join(map(repr, point["k"])) + " 1\n" for point in info["kpoint_list"])
        (folder / "IBZKPT").write_text(f"by hand\n{info['kpoints']}\nReciprocal lattice\n{points}")
    found = [("info", source, "--check"), ("info", source, "--table", folder / "bands.csv"),
             ("density", source, *weights, "--as-they-are", "-o", cut), ("density", source, *weights, "--bands", "1", "--no-symmetry", "--as-they-are", "-o", folder / "p.cube"),
             ("average", cut, "--axis", "a", "--macroscopic", 2.5, "-o", folder / "a.csv"), ("average", cut, "--minus", folder / "p.cube", "-o", folder / "m.csv"),
             ("difference", cut, folder / "p.cube", "-o", folder / "difference.h5"),
             ("cut", cut, "--line", "0,0,0:0.4,0.3,0.9", "--points", 20, "-o", folder / "l.csv"), ("cut", cut, "--height", 1.3, "-o", folder / "h.csv"),
             ("cut", cut, "--plane", "1,1,0@0.7", "-o", folder / "picture.png"),
             ("orbital", source, "--bands", "1-2", "--kpoint", 1, "-o", folder / "o.xsf"), ("unfold", source, "--times", "2,1,1", "-o", folder / "u.csv"),
             ("convert", source, folder / "some.h5", "--bands", "1-2", "--kpoint", 1), ("convert", source, folder / "WAVECAR", "--bands", "2")]
    if info["spins"] * info["density_components"] in (2, 4):  # a magnetisation beside the total: its file is another
        found = [words for words in found if "--minus" not in words and words[0] != "difference"]
    if info["spinor_components"] == 1:
        found.append(("orbital", source, "--band", 2, "--part", "real", "-o", folder / "r.h5"))
        found.append(("convert", source, folder / "WFN", "--kpoint", 1))
    if one.norm_conserving:
        (folder / "w.nnkp").write_text(nnkp_of(info))
        found.append(("wannier", source, folder / "w.nnkp", "-o", folder / "w", "--unk"))
    return found


class SameBytes(unittest.TestCase):
    sets = SETS + (BESIDE if os.environ.get("SEICHE_SETS") == "all" else [])
    commands = staticmethod(commands)

    def made(self, one, call):
        """What was said, but for what may differ, and names and checksums of all files."""
        folder = self.folder()
        info = json.loads(call("info", one.path, "--json").stdout)
        said = {}
        for words in self.commands(one, info, folder):
            done = call(*words, "--json")
            self.assertIn(done.returncode, (0, 1) if words[0] == "verify" else (0,), (words, done.stderr))
            said[words[:1] + words[2:]] = json.dumps(self.promised(one, words, json.loads(done.stdout)))
        said = {str(words).replace(str(folder), ""): text.replace(str(folder), "") for words, text in said.items()}
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        return said, {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def promised(self, one, words, found):
        """Of what was said, what is the same on any number of ranks."""
        for field in ("ranks", "seconds"):
            found.pop(field, None)
        if "--check" in words:  # norms and overlaps are rounding, summed in the order of ranks
            self.assertLess(found.pop("norm_deviation") if one.norm_conserving else 0, 1e-5)
            for field in ("norm_deviation", "largest_overlap"):
                found.pop(field, None)
        return found

    def test_bytes_are_those_of_one_process(self):
        here = [one for one in self.sets if one.path.exists()]
        with self.started([]) as alone:
            expected = {one.code: self.made(one, alone) for one in here}
        for number in ranks.split(","):
            with self.started(self.launcher(number)) as call:
                for one in here:
                    with self.subTest(code=one.code, ranks=number):
                        self.compare(self.made(one, call), expected[one.code])
        self.assertGreaterEqual(len({code.split(",")[0] for code in expected}), 3)
        absent = [one.code for one in self.sets if one not in here]
        print(f"{ranks} ranks: files of {({code: len(files) for code, (_, files) in expected.items()})}" + (f"; not here: {absent}, set SEICHE_SHARED" if absent else ""))

    def compare(self, made, expected):
        (said, files), (said_alone, files_alone) = made, expected
        self.assertEqual(list(files), list(files_alone))
        for name, checksum in files.items():
            self.assertEqual(checksum, files_alone[name], name)
        self.assertEqual(list(said), list(said_alone))
        for words, text in said.items():
            self.assertEqual(text, said_alone[words], words)

    def folder(self):
        made = pathlib.Path(tempfile.mkdtemp(prefix="seiche-same-"))
        self.addCleanup(shutil.rmtree, made)
        return made

    def launcher(self, number):
        return [str(number) if word == "RANKS" else word for word in mpiexec]

    def started(self, launcher, tuning="none"):
        """Ends with its block."""
        return contextlib.closing(calls(launcher, seiche, 300, tuning))
