#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that would destroy something, inputs that are no files, and processes that were not asked for the same: all
refused in one line, exit code 1, before anything is touched. outputs_test.py SEICHE DATA RANKS MPIEXEC..."""
import hashlib
import json
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

from case import SILICON, mpiexec, ranks, run, seiche

OURS = "seiche: "


def state_of(folder):
    """Everything below a folder: names, kinds, contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = stat.S_IFMT(path.lstat().st_mode)
        content = os.readlink(path) if path.is_symlink() else (
            hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(kind) else "")
        found[str(path.relative_to(folder))] = (kind, content)
    return found


class Outputs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-out-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.save = self.folder / "q.save"
        shutil.copytree(SILICON, self.save)

    def refused(self, *parts, arguments):
        before = state_of(self.folder)
        done = run(*arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        ours = [line for line in done.stderr.splitlines() if line.startswith(OURS) and "not kept: " not in line]
        self.assertEqual(len(ours), 1, done.stderr)
        for part in parts:
            self.assertIn(part, ours[0])
        self.assertEqual(state_of(self.folder), before, arguments)

    def test_inside_the_input(self):
        inside = self.save / "wfc1.dat"
        self.refused("would overwrite the input", "choose another name",
                     arguments=["convert", self.save, inside, "--to", "vasp"])
        self.refused("would overwrite the input", arguments=["expand", self.save, self.save / "new.h5"])
        self.refused("would overwrite the input", arguments=["reassign", self.save, self.save / "x" / ".." / "new.h5",
                                                          "--bands", 3])
        self.refused("would overwrite the input", arguments=["density", self.save, "-o", self.save / "charge-density.dat"])
        self.refused("would overwrite the input", arguments=["density", self.save, "--picture", self.save / "a.png"])
        self.refused("would overwrite the input",
                     arguments=["convert", self.save / "data-file-schema.xml", self.save / "new.h5"])

    def test_around_the_input(self):
        self.refused("would overwrite the input", arguments=["convert", self.save / "data-file-schema.xml", self.save])

    def test_the_input_by_another_name(self):
        (self.folder / "link").symlink_to(self.save)
        os.link(self.save / "wfc2.dat", self.folder / "hard.h5")
        (self.folder / "soft.h5").symlink_to("q.save/wfc3.dat")
        (self.folder / "new.h5").symlink_to("q.save/new.h5")
        for name in ("link", "link/wfc1.dat", "hard.h5", "soft.h5", "new.h5", "../" + self.folder.name + "/q.save"):
            self.refused("would overwrite the input",
                         arguments=["convert", self.save, self.folder / name, "--to", "wfn"])

    def test_other_inputs(self):
        cube = self.folder / "a.cube"
        self.assertEqual(run("density", self.save, "-o", cube).returncode, 0)
        self.refused("would overwrite the input", arguments=["density", self.save, "-o", cube, "--compare", cube])
        waves = self.folder / "a.h5"
        self.assertEqual(run("convert", self.save, waves).returncode, 0)
        for option in ("--like", "--cell"):
            self.refused("would overwrite the input", arguments=["reassign", self.save, waves, option, waves])
        matrix = self.folder / "s.mtx"
        matrix.write_text("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n")
        os.link(matrix, self.folder / "p.mtx")
        self.refused("would overwrite the input", arguments=["purify", matrix, matrix, "--electrons", 2, "-o",
                                                          self.folder / "p.mtx"])

    def test_devices_pipes_and_sockets(self):
        os.mkfifo(self.folder / "pipe.h5")
        os.mkfifo(self.folder / "pipe.mtx")
        connection = socket.socket(socket.AF_UNIX)
        self.addCleanup(connection.close)
        connection.bind(str(self.folder / "socket.h5"))
        names = ["pipe.h5", "socket.h5"]
        try:  # a device of our own: where this fails, the machine must keep its own
            os.mknod(self.folder / "device", stat.S_IFCHR | 0o666, os.makedev(1, 3))
            (self.folder / "null").symlink_to("device")
            names += ["device", "null"]
        except OSError as error:
            print(f"no device can be made here: {error}")
        matrix = self.folder / "s.mtx"
        matrix.write_text("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n")
        for name in names:
            self.refused("a device, a pipe or a socket", "choose another name",
                         arguments=["convert", self.save, self.folder / name, "--to", "wfn"])
        self.refused("a device, a pipe or a socket",
                     arguments=["purify", matrix, matrix, "--electrons", 2, "-o", self.folder / "pipe.mtx"])

    def test_a_link_is_followed(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for name in ("a.h5", "a.save"):
            (self.folder / name).symlink_to(f"elsewhere/{name}")
            for _ in range(2):  # first it leads to nothing, then to a file or folder
                self.assertEqual(run("convert", self.save, self.folder / name).returncode, 0)
                self.assertTrue((self.folder / name).is_symlink())
                self.assertTrue(json.loads(run("verify", self.save, elsewhere / name, "--json").stdout)["equal"])
        self.assertEqual(sorted(path.name for path in elsewhere.iterdir()), ["a.h5", "a.save"])

    def test_links_in_a_circle(self):
        (self.folder / "a.h5").symlink_to("b.h5")
        (self.folder / "b.h5").symlink_to("a.h5")
        self.refused("links", arguments=["convert", self.save, self.folder / "a.h5"])
        for command in ("info", "density", "convert"):
            more = [self.folder / "c.cube"] if command == "convert" else []
            self.refused("a.h5", "symbolic links", arguments=[command, self.folder / "a.h5", *more])

    def test_an_input_that_is_no_file(self):
        for make in (os.mkfifo, os.mkdir):
            path = self.save / "wfc4.dat"
            path.unlink() if path.is_file() else None
            make(path)
            self.refused("wfc4.dat", "a folder, a device or a pipe", "give a file", arguments=["info", self.save])
            os.rmdir(path) if make is os.mkdir else path.unlink()
        os.mkfifo(self.folder / "run.0")
        self.refused("run.0", "cannot find the file", arguments=["trace", self.folder / "run"])

    def test_processes_that_were_not_asked_for_the_same(self):
        if int(ranks) < 2:
            self.skipTest("one process only")
        at = mpiexec.index(ranks)

        def both(first, second, environment=()):
            before = state_of(self.folder)
            head = [*mpiexec[:at], "1", *mpiexec[at + 1:], seiche, *map(str, first)]
            tail = [*mpiexec[1:at], str(int(ranks) - 1), *mpiexec[at + 1:], *environment, seiche, *map(str, second)]
            done = subprocess.run([*head, ":", *tail], capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 1, done.stderr)
            ours = [line for line in done.stderr.splitlines() if line.startswith(OURS)]
            self.assertEqual(len(ours), 1, done.stderr)
            self.assertIn("process 1 was started with", ours[0])
            self.assertIn("start all processes with the same", ours[0])
            self.assertEqual(done.stdout, "")
            self.assertEqual(state_of(self.folder), before)

        good = ["reassign", self.save, self.folder / "a.h5", "--bands", 3]
        for other in (["reassign", self.save, self.folder / "a.h5", "--bands", 4], ["reassign", "--help"], [],
                      ["info", self.save], ["nonsense"], ["density", self.save, "--bad"]):
            both(good, other)
            both(other, good)
        both(["info", self.save], ["info", self.save], environment=["env", "SEICHE_FFT=other"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
