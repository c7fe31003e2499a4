# SPDX-License-Identifier: BSD-3-Clause
"""A copy of the checkout, in which one place is changed at a time, and its tests."""
import collections
import contextlib
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

Test = collections.namedtuple("Test", "name program command folder environment")


class Usage(Exception):
    """What the caller can put right."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, text=True).stdout.split("\0")[:-1]


@contextlib.contextmanager
def alone(folder):
    """The folder, which no other run uses meanwhile."""
    (folder / "build").mkdir(parents=True, exist_ok=True)
    with open(folder / "build" / "lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Usage(f"another run uses {folder}; wait for its end") from error
        yield folder


class Copy:
    """The checkout as it is now, in a folder of its own, with a build that is kept from call to call."""

    def __init__(self, root, work):
        self.root, self.tree, self.build_folder = root, work, work / "build" / "mutated"
        self.mutant, self.unchanged = None, b""

    def update(self):
        """Writes what differs, so that the build does no more than it must."""
        wanted = set(git(self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
        for name in sorted(wanted):
            source, target = self.root / name, self.tree / name
            if not source.is_file():
                continue
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
        for folder, _, names in os.walk(self.tree):
            for path in [pathlib.Path(folder, name) for name in names]:
                name = str(path.relative_to(self.tree))
                if not name.startswith("build/") and not (name in wanted and (self.root / name).is_file()):
                    path.unlink()

    def configure(self):
        command = ["cmake", "-S", self.tree, "-B", self.build_folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Mutated",
                   "-DCMAKE_CXX_FLAGS=-O1 -w", "-DSEICHE_TESTS=ON", "-DSEICHE_CHECKS=ON", "-DSEICHE_UNITY=OFF"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Usage("the checkout cannot be configured:\n" + done.stdout[-2000:] + done.stderr[-2000:])

    def build(self, program):
        """Whether it could be built. A mutant is no use to the compiler's cache."""
        environment = {**os.environ, "CCACHE_DISABLE": "1"} if self.mutant else None
        done = subprocess.run(["cmake", "--build", self.build_folder, "--target", program], capture_output=True, text=True,
                              check=False, env=environment)
        self.said = done.stdout + done.stderr
        return done.returncode == 0

    def entries(self):
        """What ctest would run, by name. It says with which command once the program is there."""
        listed = subprocess.run(["ctest", "--test-dir", self.build_folder, "--show-only=json-v1"], check=True,
                                capture_output=True, text=True).stdout
        return {entry["name"]: entry for entry in json.loads(listed)["tests"]}

    def entries_on(self, names, ranks):
        """The names of the entries of these tests on so many ranks, or on the fewest that a test has."""
        chosen, entries = [], self.entries()
        for name in names:
            known = re.compile(re.escape(name) + r"\.(\d+)")
            counts = sorted(int(found[1]) for found in map(known.fullmatch, entries) if found)
            chosen += [f"{name}.{count}" for count in [n for n in counts if n in ranks] or counts[:1]]
        return chosen

    def built_test(self, name):
        """\\throws Usage when its program cannot be built."""
        program = program_of(name)
        say(f"   building {program}")
        if not self.build(program):
            raise Usage(f"{program} cannot be built:\n{self.said[-3000:]}")
        entry = self.entries()[name]
        properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        environment = dict(word.split("=", 1) for word in properties.get("ENVIRONMENT", []))
        return Test(name, program, entry["command"], properties["WORKING_DIRECTORY"], environment)

    def change(self, mutant):
        """Makes this the only change of the copy."""
        if self.mutant == mutant:
            return
        self.restore()
        path = self.tree / mutant.file
        self.unchanged, self.mutant = path.read_bytes(), mutant
        lines = self.unchanged.decode("utf-8").splitlines(keepends=True)
        lines[mutant.line - 1] = mutant.new
        path.write_text("".join(lines), encoding="utf-8")

    def restore(self):
        if self.mutant:
            (self.tree / self.mutant.file).write_bytes(self.unchanged)
            self.mutant = None


def program_of(name):
    """The program of a test's entry such as fft.3."""
    return name.partition(".")[0] + "_test"


def fails(test, limit):
    """How a test fails within so many seconds: "", "killed" or "hung"; it and all that it started are gone afterwards."""
    environment = {**os.environ, **test.environment, "GTEST_FAIL_FAST": "1"}
    with subprocess.Popen(test.command, cwd=test.folder, env=environment, start_new_session=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            return "killed" if process.wait(limit) else ""
        except subprocess.TimeoutExpired:
            return "hung"
        finally:
            for sign in (signal.SIGTERM, signal.SIGKILL):  # mpiexec ends its ranks on the first
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, sign)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(5)
