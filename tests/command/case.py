# SPDX-License-Identifier: BSD-3-Clause
"""What tests of the command share: how it is called, tables of calls that it refuses, and contents of files read without it.
run.py passes SEICHE DATA RANKS MPIEXEC..."""
import atexit
import contextlib
import hashlib
import json
import os
import pathlib
import pty
import random
import re
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree as ElementTree

from calls import calls

seiche, data, ranks, *mpiexec = sys.argv[1:]
DATA = pathlib.Path(data).resolve()
SILICON, IRON, WATER = (DATA / name / f"{name}.save" for name in ("si_small", "fe_so", "gamma"))
ABINIT = DATA / "abinit"
SHARED = pathlib.Path(os.environ.get("SEICHE_SHARED", DATA.parent.parent.parent / "shared" / "data"))
NAMES = {"qe": "a.save", "qe-hdf5": "b.save", "wfn": "a.h5", "abinit": "a_WFK", "castep": "a.check", "vasp": "WAVECAR"}
HARTREE = 27.211386245988
LIMIT = 300  # seconds that a call may take
LAUNCHER = ("mpiexec", "---", "Primary job", "a non-zero exit code", "the job to be terminated", "Process name", "Exit code",
            "prterun", "=====", "=   ", "YOUR APPLICATION", "[[", "Abort(", "MPI_ABORT", "[warn] Epoll", "PMIX ERROR")
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


def told(done):
    """A call and what it said, for the message of a test that fails."""
    return f"{shlex.join(map(str, done.args))}\nexit code {done.returncode}\n{done.stderr}"


def ours(text):
    """The lines of the command. Launchers say in many lines that a process returned 1."""
    of_launchers = lambda line: line.strip() == "" or any(mark in line for mark in LAUNCHER)
    lines = [line for line in text.splitlines() if line.startswith("seiche:") or not of_launchers(line)]
    return [line for line in lines if "not kept: " not in line]


def state_of(folder):
    """Everything below a folder: names, kinds, contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = stat.S_IFMT(path.lstat().st_mode)
        content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if stat.S_ISREG(kind) else b""
        found[str(path.relative_to(folder))] = (kind, content if len(content) < 100 else hashlib.sha256(content).hexdigest())
    return found


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


def on_terminal(words):
    """What a process prints, and what a terminal sees of its stderr."""
    leader, follower = pty.openpty()
    seen = []

    def look():
        try:
            while part := os.read(leader, 4096):
                seen.append(part)
        except OSError:  # the terminal has no other end any more
            pass

    looking = threading.Thread(target=look)
    looking.start()
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=follower, timeout=LIMIT, check=False)
    os.close(follower)
    looking.join()
    os.close(leader)
    shown = b"".join(seen).decode()
    assert done.returncode == 0, shown
    return done.stdout.decode(), shown


def kill_one_of(child, program="seiche"):
    """Sends SIGKILL to one process of a launcher. Returns whether there was one; the launcher has ended then."""
    try:
        os.kill(random.choice(processes_of(child.pid, program) or [child.pid]), signal.SIGKILL)
        killed = True
    except ProcessLookupError:
        killed = False
    try:
        child.communicate(timeout=20)
    except subprocess.TimeoutExpired:  # launchers may hang when a process dies while MPI starts
        for process in [*processes_of(child.pid, program), child.pid]:
            os.kill(process, signal.SIGKILL)
        child.communicate()
    return killed


def records(path):
    """Of a sequential Fortran file."""
    content, found, at = path.read_bytes(), [], 0
    while at < len(content):
        length = struct.unpack_from("<i", content, at)[0]
        found.append(content[at + 4:at + 4 + length])
        at += length + 8
    return found


def doubles(record):
    return struct.unpack(f"<{len(record) // 8}d", record)


def output_of(save):
    return ElementTree.parse(save / "data-file-schema.xml").getroot().find("output")


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
    numbers, values = struct.unpack(f"<{len(parts[3]) // 4}i", parts[3]), doubles(parts[3 + band])
    triples = [numbers[i:i + 3] for i in range(0, len(numbers), 3)]
    return triples, [complex(*values[i:i + 2]) for i in range(0, len(values), 2)]


def cube(path):
    """Values [x][y][z] in a row, and the number of points along each axis."""
    lines = path.read_text().splitlines()
    atoms = int(lines[2].split()[0])
    shape = [int(lines[3 + i].split()[0]) for i in range(3)]
    return [float(x) for line in lines[6 + atoms:] for x in line.split()], shape


def mtx(path, size, elements):
    """Writes a symmetric matrix; `elements`: lines "i j value" of its lower part."""
    head = ["%%MatrixMarket matrix coordinate real symmetric", f"{size} {size} {len(elements)}"]
    path.write_text("\n".join([*head, *elements, ""]))
    return path


def csr(path, rows):
    """Writes CP2K's binary CSR, one record per element; of complex elements if one is complex."""
    kind = "<iiiddi" if any(isinstance(value, complex) for row in rows for value in row) else "<iiidi"
    length = struct.calcsize(kind) - 8
    parts = lambda value: (value.real, value.imag) if kind == "<iiiddi" else (value,)
    path.write_bytes(b"".join(struct.pack(kind, length, i + 1, j + 1, *parts(value), length) for i, row in enumerate(rows)
                              for j, value in enumerate(row)))
    return path


class Case(unittest.TestCase):
    """A test with a folder of its own. Messages of a failing test have the call."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def text(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, told(done))
        return done.stdout

    def report(self, *arguments, **options):
        return json.loads(self.text(*arguments, "--json", **options))

    def deviation(self, file, reference):
        return self.report("density", file, "--compare", reference)["max_relative_deviation"]

    def assert_close(self, found, expected, delta):
        """Compares numbers one by one."""
        for x, y in zip(found, expected, strict=True):
            self.assertAlmostEqual(x, y, delta=delta)

    def refused(self, *parts, arguments, code=1, **options):
        """One line on stderr has these parts, nothing is on stdout, and no file is made or changed."""
        before = state_of(self.folder)
        self.check_refusal(run(*arguments, **options), *parts, code=code)
        self.assertEqual(state_of(self.folder), before, f"{arguments}: files changed")

    def check_refusal(self, done, *parts, code=1):
        said = ours(done.stderr)
        self.assertEqual((done.returncode, len(said), done.stdout), (code, 1, ""), told(done))
        self.assertTrue(said[0].startswith("seiche: "), told(done))
        for part in parts:
            self.assertIn(part, said[0], told(done))

    def refuse_all(self, table, **places):
        """Each line of a table is a call, with environment variables before it, and parts of its line on stderr:
        NAME=VALUE words => part | part. The exit code is 1, or 2 with =2> as the arrow."""
        places = {"SILICON": SILICON, "IRON": IRON, "WATER": WATER, "DATA": DATA, "folder": self.folder, **places}
        for line in filter(None, map(str.strip, table.splitlines())):
            call, code, parts = re.fullmatch(r"(.*?) ?=(2?)> (.*)", line.format(**places)).groups()
            words = shlex.split(call)
            environment = dict(word.split("=", 1) for word in words if re.match("[A-Z_]+=", word))
            words = words[len(environment):]
            with self.subTest(line):
                self.refused(*parts.split(" | "), arguments=words, code=int(code or 1), environment=environment)

    @contextlib.contextmanager
    def mounted(self, options):
        """The folder of a file system in memory, which only root can mount, and not everywhere."""
        disk = self.folder / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
            self.skipTest("a file system cannot be mounted here")
        try:
            yield disk
        finally:
            subprocess.run(["umount", disk], check=True)

    def same_alone(self, *arguments):
        """Calls the command on one process and on all, and expects the same bytes of the file that is the last argument."""
        *words, path = arguments
        alone = path.with_name("alone-" + path.name)
        self.text(*words, alone, launcher=[])
        self.text(*words, path)
        self.assertEqual(alone.read_bytes(), path.read_bytes(), words)

    def copy(self, save, name="copy.save", xml=lambda text: text):
        to = self.folder / name
        shutil.copytree(save, to)
        for path in [to, *to.iterdir()]:
            path.chmod(0o755)
        schema = to / "data-file-schema.xml"
        schema.write_text(xml(schema.read_text()))
        return to
