# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that would destroy something, inputs that are no files, and processes that were not asked for the same: all
refused in one line, exit code 1, before anything is touched."""
import os
import socket
import stat
import subprocess
import unittest

from case import SILICON, Case, mpiexec, ranks, seiche, state_of

OVERWRITE = r"""
convert {save} {save}/wfc1.dat --to vasp => would overwrite the input | choose another name
expand {save} {save}/new.h5 => would overwrite the input
reassign {save} {save}/x/../new.h5 --bands 3 => would overwrite the input
density {save} -o {save}/charge-density.dat => would overwrite the input
density {save} --picture {save}/a.png => would overwrite the input
convert {save}/data-file-schema.xml {save}/new.h5 => would overwrite the input
convert {save}/data-file-schema.xml {save} => would overwrite the input
density {save} -o {folder}/a.cube --compare {folder}/a.cube => would overwrite the input
reassign {save} {folder}/a.h5 --like {folder}/a.h5 => would overwrite the input
reassign {save} {folder}/a.h5 --cell {folder}/a.h5 => would overwrite the input
purify {matrix} {matrix} --electrons 2 -o {folder}/p.mtx => would overwrite the input
"""
LINKS = r"""
convert {save} {folder}/a.h5 => links
info {folder}/a.h5 => a.h5 | symbolic links
density {folder}/a.h5 => a.h5 | symbolic links
convert {folder}/a.h5 {folder}/c.cube => a.h5 | symbolic links
"""


class Outputs(Case):
    def setUp(self):
        super().setUp()
        self.save = self.copy(SILICON, "q.save")
        self.matrix = self.folder / "s.mtx"
        self.matrix.write_text("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n")

    def refuse(self, *tables, **places):
        self.refuse_all("\n".join(tables), save=self.save, matrix=self.matrix, **places)

    def test_inputs_are_not_overwritten(self):
        self.text("density", self.save, "-o", self.folder / "a.cube")
        self.text("convert", self.save, self.folder / "a.h5")
        os.link(self.matrix, self.folder / "p.mtx")
        self.refuse(OVERWRITE)

    def test_the_input_by_another_name(self):
        (self.folder / "link").symlink_to(self.save)
        os.link(self.save / "wfc2.dat", self.folder / "hard.h5")
        (self.folder / "soft.h5").symlink_to("q.save/wfc3.dat")
        (self.folder / "new.h5").symlink_to("q.save/new.h5")
        for name in ("link", "link/wfc1.dat", "hard.h5", "soft.h5", "new.h5", "../" + self.folder.name + "/q.save"):
            self.refuse(f"convert {{save}} {{folder}}/{name} --to wfn => would overwrite the input")

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
        for name in names:
            self.refuse(f"convert {{save}} {{folder}}/{name} --to wfn => a device, a pipe or a socket | choose another name")
        self.refuse("purify {matrix} {matrix} --electrons 2 -o {folder}/pipe.mtx => a device, a pipe or a socket")

    def test_a_link_is_followed(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for name in ("a.h5", "a.save"):
            (self.folder / name).symlink_to(f"elsewhere/{name}")
            for _ in range(2):  # first it leads to nothing, then to a file or folder
                self.text("convert", self.save, self.folder / name)
                self.assertTrue((self.folder / name).is_symlink())
                self.assertTrue(self.report("verify", self.save, elsewhere / name)["equal"])
        self.assertEqual(sorted(path.name for path in elsewhere.iterdir()), ["a.h5", "a.save"])

    def test_links_in_a_circle(self):
        (self.folder / "a.h5").symlink_to("b.h5")
        (self.folder / "b.h5").symlink_to("a.h5")
        self.refuse(LINKS)

    def test_an_input_that_is_no_file(self):
        path = self.save / "wfc4.dat"
        for make, remove in ((os.mkfifo, os.unlink), (os.mkdir, os.rmdir)):
            path.unlink(missing_ok=True)
            make(path)
            self.refuse("info {save} => wfc4.dat | a folder, a device or a pipe | give a file")
            remove(path)
        os.mkfifo(self.folder / "run.0")
        self.refuse("trace {folder}/run => run.0 | cannot find the file")

    @unittest.skipIf(ranks == "1", "one process only")
    def test_processes_that_were_not_asked_for_the_same(self):
        at = mpiexec.index(ranks)

        def both(first, second, environment=()):
            before = state_of(self.folder)
            head = [*mpiexec[:at], "1", *mpiexec[at + 1:], seiche, *map(str, first)]
            tail = [*mpiexec[1:at], str(int(ranks) - 1), *mpiexec[at + 1:], *environment, seiche, *map(str, second)]
            done = subprocess.run([*head, ":", *tail], capture_output=True, text=True, timeout=300)
            self.check_refusal(done, "process 1 was started with", "start all processes with the same")
            self.assertEqual(state_of(self.folder), before)

        good = ["reassign", self.save, self.folder / "a.h5", "--bands", 3]
        for other in (["reassign", self.save, self.folder / "a.h5", "--bands", 4], ["reassign", "--help"], [],
                      ["info", self.save], ["nonsense"], ["density", self.save, "--bad"]):
            both(good, other)
            both(other, good)
        both(["info", self.save], ["info", self.save], environment=["env", "SEICHE_FFT=other"])
