# SPDX-License-Identifier: BSD-3-Clause
"""What tests of the command share: how it is called, and numbers out of files without it. A test is called as TEST SEICHE DATA RANKS MPIEXEC..."""
import atexit
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from calls import calls

seiche, data, ranks, *mpiexec = sys.argv[1:]
DATA = pathlib.Path(data).resolve()
SILICON, IRON, WATER = (DATA / name / f"{name}.save" for name in ("si_small", "fe_so", "gamma"))
HARTREE = 27.211386245988


LIMIT = 300  # seconds that a call may take
servers = {}


def run(*arguments, launcher=mpiexec, environment=None, **options):
    """Calls the command. Calls share the processes of their launcher (calls.py), except where the environment, or an
    option of subprocess.run, is for one call alone."""
    if environment or options:
        return subprocess.run([*launcher, seiche, *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, **(environment or {})}, **{"timeout": LIMIT, **options})
    key = tuple(launcher)
    if key not in servers:
        servers[key] = calls(launcher, seiche, LIMIT)
        atexit.register(servers[key].close)
    return servers[key](*arguments)


def processes_of(parent, program="seiche"):
    """The processes of a program below `parent`, by what the system says."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == parent:
                name = (entry / "exe").resolve().name
                found += [int(entry.name)] if name == program else processes_of(int(entry.name), program)
        except OSError:
            pass
    return found


def records(path):
    """Of a sequential Fortran file."""
    content, found, at = path.read_bytes(), [], 0
    while at < len(content):
        length = struct.unpack_from("<i", content, at)[0]
        found.append(content[at + 4:at + 4 + length])
        at += length + 8
    return found


def without_weight(save, k, copy):
    """A copy of a .save whose k-point k, counted from 1, has weight 0 and occupations 0, as pw.x writes them."""
    shutil.copytree(save, copy)
    schema = copy / "data-file-schema.xml"
    parts = schema.read_text().split("<ks_energies>")
    part = re.sub('weight="[^"]*"', 'weight="0.0"', parts[k])
    zeros = lambda found: found[1] + " ".join("0.0" for _ in found[2].split()) + found[3]
    parts[k] = re.sub("(<occupations[^>]*>)(.*?)(</occupations>)", zeros, part, flags=re.S)
    schema.write_text("<ks_energies>".join(parts))
    return copy


def waves_and_band(save, k, band, name="wfc"):
    """Miller indices and coefficients (of spinors up, then down) as they lie in Quantum ESPRESSO's file, counted from 1."""
    parts = records(save / f"{name}{k}.dat")
    numbers = struct.unpack(f"<{len(parts[3]) // 4}i", parts[3])
    values = struct.unpack(f"<{len(parts[3 + band]) // 8}d", parts[3 + band])
    return [numbers[i:i + 3] for i in range(0, len(numbers), 3)], [complex(*values[i:i + 2]) for i in range(0, len(values), 2)]


def cube(path):
    """Values [x][y][z] in a row, and the number of points along each axis."""
    lines = path.read_text().splitlines()
    atoms = int(lines[2].split()[0])
    shape = [int(lines[3 + i].split()[0]) for i in range(3)]
    return [float(x) for line in lines[6 + atoms:] for x in line.split()], shape


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def text(self, *arguments, launcher=mpiexec):
        done = run(*arguments, launcher=launcher)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def report(self, *arguments, launcher=mpiexec):
        return json.loads(self.text(*arguments, "--json", launcher=launcher))

    def refused(self, *parts, arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
