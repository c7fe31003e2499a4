# SPDX-License-Identifier: BSD-3-Clause
"""What tests of conversions share: calls that have to succeed or to be refused, and copies of a .save to be changed."""
import json
import pathlib
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import case

NAMES = {"wfn": "a.h5", "abinit": "a_WFK", "castep": "a.check", "vasp": "WAVECAR", "qe": "a.save", "qe-hdf5": "b.save"}


def run(*arguments):
    done = case.run("--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def output_of(save):
    return ElementTree.parse(save / "data-file-schema.xml").getroot().find("output")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-losses-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def refused(self, *arguments):
        done = case.run(*arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stderr

    def copy(self, save, name="copy.save", xml=lambda text: text):
        to = self.folder / name
        shutil.copytree(save, to)
        for path in [to, *to.iterdir()]:
            path.chmod(0o755)
        schema = to / "data-file-schema.xml"
        changed = xml(schema.read_text())
        schema.write_text(changed)
        return to
