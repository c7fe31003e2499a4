# SPDX-License-Identifier: BSD-3-Clause
"""Each set of data through each pair of formats: is it sound, is it the same physics, has it all its electrons, does its header
say what the source's says or is the loss told, and is the source untouched?
With SEICHE_SWEEP=all (or part of the names of sets) over all pairs of formats and the sets beside the project too (SEICHE_SHARED);
else a short form, in which each format becomes the next. SEICHE_MANY_CALLS: see calls.py."""
import hashlib
import json
import os
import re
import shutil
import time

from calls import calls
from case import DATA, NAMES, SHARED, Case, run

CHOICE = os.environ.get("SEICHE_SWEEP", "")
ALL = CHOICE != ""
SHORT = ("si_small/si_small.save", "fe_so/fe_so.save", "gamma/gamma.save", "abinit/time_reversal/WFK")

# What is not kept has to be told: fields of `info`, and the words of a loss that excuse a difference.
EXCUSES = {"atoms": "atoms, symmetry", "symmetries": "symmetry|operation", "grid": "grid", "density_cutoff_hartree": "cutoff|atoms, symmetry",
           "magnetism": "magneti", "half_sphere": "reality", "mesh": "mesh|atoms, symmetry", "mesh_shift": "mesh|atoms, symmetry",
           "total_energy": "total energy|the density|XML", "fermi_energy": "Fermi|atoms, symmetry", "averaged": "average|atoms, symmetry|operations",
           "norm_conserving": "orthonormal", "weighted": "weights"}
ALWAYS = ("kpoints", "spins", "spinor_components", "bands", "volume", "cutoff_hartree")


def sets():
    """The name of each, and where it is."""
    roots = [SHARED, DATA] if ALL else [DATA]
    found = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            wfk = path.is_file() and re.search(r"WFK(\.nc)?$|^WAVECAR|\.check$|^WFN.*\.h5$", path.name)
            save = path.suffix == ".save" and any(path.glob("wfc*.dat")) or any(path.glob("wfc*.hdf5"))
            if save or wfk:
                found.setdefault("/".join(path.relative_to(root).parts), path)
    wanted = (lambda name: CHOICE == "all" or CHOICE in name) if ALL else SHORT.__contains__
    return {name: path for name, path in found.items() if wanted(name)}


def checksums(root):
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(root.rglob("*")) if path.is_file()}


def call(*arguments):
    return run("--json", *arguments)


class Sweep(Case):
    def expect_kept(self, before, after, losses, what):
        said = " ; ".join(losses)
        if "weights" not in said:
            self.assertAlmostEqual(before["electrons"], after["electrons"], delta=1e-9 * before["electrons"], msg=what)
        for name in ALWAYS:
            self.assertAlmostEqual(before[name], after[name], delta=3e-8 * abs(before[name]), msg=f"{what}: {name}")
        for name, words in EXCUSES.items():
            a, b = before[name], after[name]
            if name == "norm_conserving" and (a, b) == (None, False):
                continue  # what is not known to be whole is taken for what its norms say
            if name == "averaged" and before["symmetries"] < 2:
                continue  # nothing to average over
            same = abs(a - b) <= 1e-12 * abs(a) if isinstance(a, float) and isinstance(b, float) else a == b
            self.assertTrue(same or re.search(words, said), f"{what}: {name} {a} became {b}, and the losses are: {said}")
        weights = [max(abs(p["weight"] - q["weight"]) for p, q in zip(before["kpoint_list"], after["kpoint_list"]))]
        self.assertTrue(weights[0] < 1e-12 or "weights" in said, f"{what}: weights, {said}")

    def expect_sound(self, info, what):
        """Orthonormal bands, where they have to be."""
        self.assertIs(info["sound"], True if info["norm_conserving"] else None, what)

    def expect_density(self, path, info, what):
        """All electrons, or a refusal. A refusal has one of few reasons."""
        done = call("density", path)
        if done.returncode == 0:
            found = json.loads(done.stdout)["electrons"]
            self.assertAlmostEqual(found, info["electrons"], delta=1e-6 * info["electrons"], msg=what)
            self.assertTrue(info["weighted"], what)
            self.assertNotEqual(info["norm_conserving"], False, what)
        else:
            self.assertEqual(done.returncode, 1, f"{what}: {done.stderr}")
            allowed = info["norm_conserving"] is not True or not info["weighted"]
            self.assertTrue(allowed, f"{what}: {done.stderr}")
        return done.returncode == 0

    def expect_maps(self, path, info, what):
        full, low = self.folder / "full.save", self.folder / "low.save"
        done = call("expand", path, full, "--as-they-are")
        if done.returncode == 0:
            self.assertTrue(info["weighted"], what)
            after = self.report("info", full)
            self.assertAlmostEqual(sum(p["weight"] for p in after["kpoint_list"]), 1, delta=1e-9)
            self.assertAlmostEqual(after["electrons"], info["electrons"], delta=1e-6 * info["electrons"], msg=what)
            self.expect_density(full, after, f"{what}, expanded")
            self.assertEqual(list(full.glob("charge-density*")), [])
            shutil.rmtree(full)
        else:
            self.assertEqual(done.returncode, 1, f"{what}: {done.stderr}")
            self.assertRegex(done.stderr, r"--atoms|--kpoints|form no group|list each once", what)
        said = self.report("reassign", path, low, "--ecut", f"{0.8 * info['cutoff_hartree']}Ha", "--bands", "1")
        after = self.report("info", low)
        self.assertEqual((after["bands"], after["density_components"], after["electrons"]), (1, 0, info["electrons"]), what)
        self.assertTrue([s for s in said["losses"] if "occupied band" in s] or info["bands"] == 1, what)
        self.assertEqual(call("density", low).returncode, 1, what)
        shutil.rmtree(low)

    def convert(self, source, before, word, folder):
        """Converts, and expects that all is kept or told. \\return what `info` says of the result"""
        made = folder / NAMES[word]
        what = f"{source} as {word}"
        losses = self.report("convert", source, made, "--to", word)["losses"]
        after = self.report("info", made, "--check")
        self.expect_sound(after, what)
        self.expect_kept(before, after, losses, what)
        alike = self.report("verify", source, made)
        self.assertTrue(alike["equal"], f"{what}: {alike}")
        return made, after

    def sweep(self, source, maps):
        before = self.report("info", source, "--check")
        self.expect_sound(before, f"{source}")
        self.expect_density(source, before, f"{source}")
        maps(source, before, f"{source}")
        for place, word in enumerate(NAMES):
            first = self.folder / word
            first.mkdir()
            made, after = self.convert(source, before, word, first)
            self.expect_density(made, after, f"{source} as {word}")
            maps(made, after, f"{source} as {word}")
            others = list(NAMES) if ALL else [list(NAMES)[(place + 1) % len(NAMES)]]
            for other in others:
                second = self.folder / f"{word}-{other}"
                second.mkdir()
                again, end = self.convert(made, after, other, second)
                if not ALL:
                    self.expect_density(again, end, f"{source} as {word}, then {other}")
                shutil.rmtree(second)
            shutil.rmtree(first)

    def test_all_pairs_of_formats(self):
        if ALL and not SHARED.is_dir():
            self.skipTest(f"{SHARED} is not here; set SEICHE_SHARED")
        roots = [DATA] + ([SHARED] if ALL else [])
        before = {root: checksums(root) for root in roots}
        chosen = sets()
        self.assertGreaterEqual(len(chosen), 20 if CHOICE == "all" else 1 if ALL else len(SHORT))
        for name, path in chosen.items():
            began = time.monotonic()
            with self.subTest(name):
                self.sweep(path, self.expect_maps if ALL else lambda *_: None)
            if ALL:
                print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
            for rest in self.folder.iterdir():
                shutil.rmtree(rest) if rest.is_dir() else rest.unlink()
        if not ALL:
            self.expect_maps(DATA / "si_small" / "si_small.save", self.report("info", DATA / "si_small" / "si_small.save"), "si_small")
        for root in roots:
            self.assertEqual(checksums(root), before[root], "a source was touched")
