# SPDX-License-Identifier: BSD-3-Clause
"""Files damaged at random, of every format, given to every command that reads it: exit code 0 or 1, and then one line
that begins as ours do; nothing on stdout, no file left, no end without an end. SEICHE_DAMAGE says how many files of each
format (default 3), SEICHE_DAMAGE_KEEP where to keep those that fail, SEICHE_MANY_CALLS what makes many calls in the same
processes (calls.py)."""
import os
import pathlib
import random
import shutil
import subprocess
import time
import unittest

from calls import calls
from case import DATA, SILICON, Case, mpiexec, ranks, seiche

WANNIER = DATA / "wannier90"
COUNT = int(os.environ.get("SEICHE_DAMAGE", "3"))
KEEP = os.environ.get("SEICHE_DAMAGE_KEEP", "")
LONGEST = 10 if "SEICHE_MANY_CALLS" in os.environ else 30  # seconds: a busy machine may need some for mpiexec alone
WAVES = {"qe": "a.save", "qe-hdf5": "a.save", "wfn": "a.h5", "vasp": "WAVECAR", "castep": "a.check", "abinit": "a_WFK"}
NUMBERS = [b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\x7f\xff\xff\xff",
           b"\x01\x00\x00\x00", b"\x00\x00\x00\x01"]
TEXT = (".xml", ".cube", ".xsf", ".mtx", ".txt")
WORDS = [b"0", b"-1", b"1e308", b"nan", b"99999999999", b"", b"true", b"<", b">", b"\0", b"\xff", b"1e-320"]


run = calls(mpiexec, seiche, LONGEST)
unittest.addModuleCleanup(run.close)


def damaged(content, text):
    """One to three faults of the kinds that disks, transfers and editors make."""
    content = bytearray(content)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        if not content:
            break
        # what a file says of itself stands at its beginning more often than not
        at = random.randrange(min(len(content), random.choice((200, 2000, len(content)))))
        kind = random.choice(("bit", "byte", "number", "cut", "hole", "gone", "twice", "word" if text else "number"))
        if kind == "bit":
            content[at] ^= 1 << random.randrange(8)
        elif kind == "byte":
            content[at] = random.randrange(256)
        elif kind == "number":
            content[at // 4 * 4:at // 4 * 4 + 4] = random.choice(NUMBERS)
        elif kind == "cut":
            del content[at:]
        elif kind == "hole":
            length = min(random.choice((1, 16, 512, 4096)), len(content) - at)
            content[at:at + length] = bytes(length)
        elif kind == "gone":
            del content[at:at + random.choice((1, 4, 8, 100))]
        elif kind == "twice":
            content[at:at] = content[at:at + random.choice((1, 4, 100))]
        else:
            begin = content.find(b">" if content[:1] == b"<" else b" ", at) + 1
            end = begin
            while end < len(content) and content[end:end + 1] not in b" <\n":
                end += 1
            content[begin:end] = random.choice(WORDS)
    return bytes(content)


class Damage(Case):
    def command(self, name, path, good):
        """Arguments of a command for a damaged file, and for one that is not."""
        out = self.folder / "out"
        return {"info": ["info", path], "check": ["info", path, "--check"], "density": ["density", path],
                "cube": ["density", path, "-o", out / "d.cube"], "convert": ["convert", path, out / "b.h5"],
                "save": ["convert", path, out / "b.save"], "verify": ["verify", path, good],
                "against": ["verify", good, path], "expand": ["expand", path, out / "b.h5"],
                "reassign": ["reassign", path, out / "b.h5", "--ecut", "5Ha"],
                "like": ["reassign", good, out / "b.h5", "--like", path],
                "compare": ["density", SILICON, "--compare", path], "to_cube": ["convert", path, out / "d.cube"],
                "to_xsf": ["convert", path, out / "d.xsf"], "average": ["average", path, "-o", out / "a.csv"],
                "unfold": ["unfold", path, "--times", "1,1,1", "-o", out / "u.csv"],
                "wannier": ["wannier", path, WANNIER / "si_small.nnkp", "-o", out / "si"],
                "orbital": ["orbital", path, "--bands", "2", "--kpoint", "1", "-o", out / "o.cube"]}[name]

    def expect_answer(self, arguments, kept):
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        what = f"{' '.join(map(str, arguments))} ({kept})"
        try:
            done = run(*arguments)
        except subprocess.TimeoutExpired:
            self.fail(what + ": it does not end")
        ours = [line for line in done.stderr.splitlines() if line.startswith("seiche: ") and "not kept: " not in line]
        answers, error = ((0, 1), 2) if arguments[0] == "verify" else ((0,), 1)  # files that differ are an answer
        self.assertIn(done.returncode, (*answers, error), what + done.stderr)
        refused = done.returncode == error
        self.assertEqual(len(ours), refused, what + done.stderr)
        if refused:
            self.assertEqual(done.stdout, "", what)
            self.assertEqual(list(out.iterdir()), [], what)
        return refused

    def sweep(self, original, names, commands, count=COUNT):
        """Damages one of `names` in a copy of `original`, a file or a folder, `count` times."""
        random.seed(f"{original.name} {ranks}")
        refused, began = 0, time.monotonic()
        for number in range(count):
            case = self.folder / "case"
            shutil.rmtree(case, ignore_errors=True)
            case.mkdir()
            path = case / original.name
            shutil.copytree(original, path) if original.is_dir() else shutil.copy(original, path)
            for name in random.sample(names, k=random.choice((1, 1, min(2, len(names))))):
                victim = path / name if name else path
                victim.write_bytes(damaged(victim.read_bytes(), victim.suffix in TEXT or victim.name in ("POSCAR", "IBZKPT")))
            arguments = commands[number % len(commands)]
            if isinstance(arguments, str):
                arguments = self.command(arguments, path, original)
            else:
                arguments = [path if word is None else word for word in arguments]
            try:
                refused += self.expect_answer(arguments, f"file {number}")
            except AssertionError:
                if KEEP:
                    shutil.copytree(case, pathlib.Path(KEEP) / f"{original.name}_{ranks}_{number}", dirs_exist_ok=True)
                with self.subTest(file=number):
                    raise
        print(f"{original.name}: {refused} of {count} refused, in {time.monotonic() - began:.0f} s", flush=True)

    def sweep_format(self, originals, commands):
        """Shares the count of one format between several of its files."""
        for original in originals:
            self.sweep(original, [""], commands, -(-COUNT // len(originals)))

    def test_waves(self):
        for word, name in WAVES.items():
            with self.subTest(word):
                original = self.folder / word / name
                original.parent.mkdir()
                arguments = ["convert", SILICON, original, "--to", word]
                self.assertEqual(run(*arguments, *(["--density"] if word in ("qe", "qe-hdf5", "castep") else [])).returncode, 0)
                names = sorted(path.name for path in original.iterdir()) if original.is_dir() else [""]
                names += ["data-file-schema.xml"] * 3 if original.is_dir() else []
                commands = ["info", "check", "density", "convert", "verify", "expand", "reassign", "against", "like", "save",
                            "cube", "orbital", "unfold", "wannier"]
                self.sweep(original, names, commands + (["compare"] if word in ("qe", "castep") else []))

    def test_spinors(self):
        iron = DATA / "fe_so" / "fe_so.save"
        self.sweep(iron, sorted(path.name for path in iron.iterdir()), ["check", "cube", "convert"])

    def test_densities(self):
        for name in ("a.cube", "a.xsf", "a.h5", "a.chgcar"):
            with self.subTest(name):
                original = self.folder / "density" / name
                original.parent.mkdir(exist_ok=True)
                self.text("density", SILICON, "-o", original)
                self.sweep(original, [""], ["compare", "to_xsf", "to_cube", "info", "average"])
        for pattern in ("*DEN", "*DEN.nc"):
            self.sweep_format(sorted((DATA / "abinit").rglob(pattern)), ["to_xsf", "info", "to_cube", "average"])

    def test_files_of_abinit(self):
        for pattern in ("*WFK", "*WFK.nc"):
            self.sweep_format(sorted((DATA / "abinit").rglob(pattern)), ["check", "density", "convert", "expand"])

    def test_files_beside_a_wavecar(self):
        folder = self.folder / "beside"
        folder.mkdir()
        self.text("convert", SILICON, folder / "WAVECAR")
        info = self.report("info", SILICON)
        rows = lambda vectors: [" ".join(str(0.529177210903 * x) for x in vector) for vector in vectors]
        atoms = rows(atom["position"] for atom in info["atom_list"])
        (folder / "POSCAR").write_text("\n".join(["silicon", "1.0", *rows(info["cell"]), "Si", "2", "Cartesian", *atoms]) + "\n")
        points = [" ".join(map(str, [*point["k"], point["weight"]])) for point in info["kpoint_list"]]
        (folder / "IBZKPT").write_text("\n".join(["mesh", str(len(points)), "Reciprocal lattice", *points]) + "\n")
        rows = lambda name, values: f'<varray name="{name}">' + "".join(f"<v>{value}</v>" for value in values) + "</varray>"
        (folder / "vasprun.xml").write_text('<?xml version="1.0"?><modeling><kpoints>'
                                            + rows("kpointlist", [" ".join(map(str, point["k"])) for point in info["kpoint_list"]])
                                            + rows("weights", [point["weight"] for point in info["kpoint_list"]])
                                            + "</kpoints></modeling>")
        for damaged_one, kpoints in (("POSCAR", "IBZKPT"), ("IBZKPT", "IBZKPT"), ("vasprun.xml", "vasprun.xml")):
            with self.subTest(damaged_one):
                case = self.folder / "case" / "beside"  # where the copy is that is damaged
                beside = ["--atoms", case / "POSCAR", "--kpoints", case / kpoints]
                self.sweep(folder, [damaged_one], [["density", case / "WAVECAR", *beside],
                                                   ["expand", case / "WAVECAR", self.folder / "out" / "b.save", *beside]])

    def test_neighbours_of_wannier90(self):
        nnkp = WANNIER / "si_small.nnkp"
        self.sweep(nnkp, [""], [["wannier", SILICON, None, "-o", self.folder / "out" / "si"]])

    def test_records_of_berkeleygw(self):
        self.sweep(DATA / "berkeleygw" / "WFN", [""], ["check", "density", "convert", "expand", "orbital", "reassign"])

    def test_matrices(self):
        rows = ["%%MatrixMarket matrix coordinate real symmetric", "6 6 11"]
        rows += [f"{i} {i} {1 if i % 2 else -1}" for i in range(1, 7)] + [f"{i + 1} {i} 0.1" for i in range(1, 6)]
        overlap = self.folder / "s.mtx"
        overlap.write_text("%%MatrixMarket matrix coordinate real symmetric\n6 6 6\n"
                           + "\n".join(f"{i} {i} 1" for i in range(1, 7)) + "\n")
        first = self.folder / "ks.mtx"
        first.write_text("\n".join(rows) + "\n")
        for name in ("p.mtx", "p.csr", "p.txt", "p.dbcsr"):
            with self.subTest(name):
                original = self.folder / name
                purify = ["--electrons", 6, "--blocks", "2,2,2"]
                self.text("purify", first, overlap, *purify, "-o", original)
                self.sweep(original, [""], [["purify", None, overlap, *purify], ["purify", first, None, *purify]])
