# SPDX-License-Identifier: BSD-3-Clause
"""Each command gives what one process gives: on several hosts, with two processes on each, without eager sends.
RANKS is a list of numbers, which replace the word RANKS of the launcher.

SEICHE_EAGER, "PROGRAM BYTES", lets PROGRAM (support/eager_limit.cpp) measure under the same launcher that no message of more than
BYTES ends before it is received. Where the launcher makes hosts and this machine cannot, the test is skipped."""
import json
import os
import shutil
import subprocess

import same_bytes_test
from case import NAMES, mpiexec, ranks, seiche

SETS = [one for one in same_bytes_test.SETS if one.code in ("Quantum ESPRESSO", "Quantum ESPRESSO, spinors", "ABINIT, two spins", "BerkeleyGW, binary")]
WAYS = ["alltoallv", "alltoall", "pairwise", "ialltoallv", "two_level"]
MACHINE = same_bytes_test.DATA.parent.parent / "docs" / "machines" / "simulated.json"
ALONE = {"profile", "trace"}  # starts processes itself; reads what processes left


def matrices(folder):
    """A chain of 30 functions: each feels its neighbours, and overlaps with them."""
    for name, here, beside in (("ks", lambda i: (-1) ** i - 0.01 * i, -0.3), ("s", lambda i: 1, 0.1)):
        rows = [f"{i + 1} {j + 1} {here(i) if i == j else beside!r}" for i in range(30) for j in (i - 1, i) if j >= 0]
        (folder / f"{name}.mtx").write_text("%%MatrixMarket matrix coordinate real symmetric\n" + f"30 30 {len(rows)}\n" + "\n".join(rows) + "\n")
    return folder / "ks.mtx", folder / "s.mtx"


def commands(one, info, folder):
    """All calls of the other test, and those whose files are wavefunctions or matrices."""
    source = one.path
    found = same_bytes_test.commands(one, info, folder)
    found += [("convert", source, folder / name, "--to", word) for word, name in NAMES.items()]
    found += [("verify", source, folder / NAMES["castep"]), ("convert", folder / "d.h5", folder / "other.xsf"),
              ("expand", source, folder / "full.save"), ("expand", source, folder / "full.h5", "--as-they-are"),
              ("reassign", source, folder / "low.save", "--ecut", "5Ha", "--orthonormal", "loewdin")]
    found += [("density", source, "--way", way, "-o", folder / f"{way}.cube") for way in WAYS]
    found += [("convert", source, folder / f"{way}.h5", "--way", way) for way in WAYS]
    if one == SETS[0]:
        found.append(("predict", "fft", "--grid", 20, "--ranks", "1:8", "--machine", MACHINE))
        found += [("purify", *matrices(folder), "--electrons", 30, "--blocks", "3,2,5,3,2,5,3,2,5", "--purifier", purifier, "-o", folder / f"{purifier}.mtx")
                  for purifier in ("trs4", "tc2", "mcweeny", "sign")]
    return found


def measurements(folder):
    """Calls that say how long something took, and whether its result was right."""
    dense = ["--grid", "20,18,15", "--repeat", 1]
    return [*(["bench", "fft", *dense, "--way", way] for way in WAYS), ["bench", "fft", *dense, "--kind", "r2c", "--overlap-report"],
            ["bench", "bands", *dense, "--radius", 4, "--bands", 5], ["bench", "pairs", *dense, "--radius", 3, "--orbitals", 3],
            ["bench", "operator", *dense], ["bench", "interpolation", *dense],
            ["bench", "redistribute", "--kpoints", 2, "--bands", 5, "--waves", 300, "--repeat", 1],
            ["bench", "exchange", "--bytes", "64,4096", "--repeat", 1],
            ["bench", "cache", "--grid", 12, "--repeat", 1], ["bench", "density", SETS[0].path, "--repeat", 1],
            ["bench", "blocksparse", "--blocks", 24, "--sizes", "5,13", "--fill", 0.4, "--repeat", 1],
            ["bench", "blocksparse", "--water", 3, "--sizes", 6, "--eps", 1e-6, "--deal", "curve", "--repeat", 1],
            ["bench", "wavefile", "--kpoints", 1, "--bands", 5, "--waves", 2000, "--old", "--started", "--repeat", 1, "--path", folder],
            ["tune", "--grid", 12, "--budget", 1], ["tune", "--grid", 12, "--radius", 3, "--bands", 4, "--budget", 1],
            ["tune", "product", "--blocks", 12, "--sizes", 5, "--fill", 0.4, "--budget", 1],
            ["tune", "move", "--bands", 8, "--waves", 500, "--budget", 1],
            ["tune", "boxes", "--grid", 12, "--halo", 1, "--fields", 3, "--budget", 1], ["tune", "--machine", folder / "machine.json", "--budget", 0.1],
            ["tune", "--topology", folder / "groups"]]


class Everywhere(same_bytes_test.SameBytes):
    sets = SETS
    commands = staticmethod(commands)

    def promised(self, one, words, found):
        if words[0] == "verify":  # overlaps and norms are rounding, as above
            self.assertGreater(found["min_overlap"], 1 - 1e-12)
            found = {"equal": found["equal"]}
        if words[0] == "reassign":  # so are norms
            self.assertEqual(max(found.pop("norm_lost")), found["max_norm_lost"])
            self.assertLess(found.pop("max_norm_lost"), 1)
        if words[0] == "purify":  # the error bound is rounding, too; what a process needs is less on more of them
            self.assertLess(found.pop("error_bound"), 1e-6)
            found.pop("memory_predicted")
        return super().promised(one, words, found)

    def test_all_commands_are_called(self):
        said = subprocess.run([seiche, "--help"], capture_output=True, text=True, check=True).stdout
        there = {line.split()[0] for line in said.split("Subcommands:")[1].splitlines() if line.strip()}
        info = json.loads(subprocess.run([seiche, "info", SETS[0].path, "--json"], capture_output=True, text=True, check=True).stdout)
        folder = self.folder()
        called = {words[0] for words in [*commands(SETS[0], info, folder), *measurements(folder)]}
        self.assertEqual(there - ALONE, called)

    def test_measurements_are_right(self):
        folder = self.folder()
        for number in map(int, ranks.split(",")):
            with self.started(self.launcher(number), tuning=folder / f"tuning{number}.json") as call:
                for words in measurements(folder):
                    with self.subTest(words=words, ranks=number):
                        self.expect_right(json.loads(self.said(call, *words, "--json")), words, number)
                self.assertEqual(len(json.loads(self.said(call, "tune", "--show", "--json"))["cases"]), 5)

    def said(self, call, *words):
        done = call(*words)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done.stdout

    def expect_right(self, found, words, number):
        if "--machine" in words:
            link = found["between"] or found["inside"]
            self.assertTrue(link["latency"] > 0 and link["bandwidth"] > 0, link)
        elif "--topology" in words:
            self.assertTrue(1 <= found["groups"] <= found["nodes"] <= number, found)
        elif words[0] == "tune":
            self.assertGreater(len(found["trials"]), 1)
        else:
            self.assertEqual(found["ranks"], number)
            self.assertLess(found["max_error"], 1e-9)

    def test_no_message_is_sent_ahead(self):
        if "SEICHE_EAGER" not in os.environ:
            return
        for number in map(int, ranks.split(",")):
            done = subprocess.run([*self.launcher(number), *os.environ["SEICHE_EAGER"].split()], capture_output=True, text=True, timeout=300)
            print(number, "ranks:", done.stdout.strip())
            self.assertEqual(done.returncode, 0, done.stderr)


def obstacle():
    """Why this machine has no hosts for the launcher; None where it has."""
    if not any("hosts.sh" in word for word in mpiexec):
        return None
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not shutil.which("tc") or not shutil.which("ip"):
        return "tc or ip is missing: apt-get install iproute2"
    return None if subprocess.run(["unshare", "--net", "true"], check=False).returncode == 0 else "network namespaces cannot be made here"
