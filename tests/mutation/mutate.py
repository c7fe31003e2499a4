#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Changes one place of a source at a time, and says which changes no test notices (docs/for-developers.md).

universalmutator makes the changes, by the rules beside this file; here they are built and tested in a copy of the checkout."""
import argparse
import collections
import contextlib
import fcntl
import io
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

from record import Mutant, judge_record, read_record, record

# Programs of tests that concern a room besides those with sources in a folder named like it, quick ones first.
TESTS = {
    "support": "base",
    "trace": "base",
    "comm": "base exchange",
    "layout": "base exchange fft orbitals",
    "exchange": "exchange orbitals fft",
    "pipeline": "exchange fft orbitals",
    "tuning": "base fft blocksparse orbitals",
    "fft": "line_fft fft",
    "crystal": "orbitals files",
    "orbitals": "orbitals move_memory files",
    "density": "orbitals files",
    "files": "files reading durable orbitals",
    "blocksparse": "blocksparse block_memory",
    "predict": "predict",
}
RULES = pathlib.Path(__file__).resolve().with_name("cpp.rules")

Test = collections.namedtuple("Test", "name program command folder environment")
Verdict = collections.namedtuple("Verdict", "mutant fate by")


class Usage(Exception):
    """What the caller can put right."""


def say(text):
    print(text, file=sys.stderr, flush=True)


# ------------------------------------------------------------------------------------------------------------ mutants


def mutants_of(root, file):
    """All that the tool makes of a file, but for changes inside of strings."""
    try:
        from universalmutator.mutator import mutants_regexp
    except ImportError as error:
        raise Usage("universalmutator is not installed; run ./dev mutate, which installs it") from error
    lines = (root / file).read_text(encoding="utf-8").splitlines(keepends=True)
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutants_regexp(lines, ruleFiles=[str(RULES)], ignorePatterns=[], ignoreStringOnly=True)
    return [Mutant(file, line, lines[line - 1], new) for line, new, *_ in made]


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, text=True).stdout.split("\0")[:-1]


def sources(root, named):
    """The named files, or those that differ from HEAD, which are sources of the library."""
    named = [os.path.relpath(os.path.abspath(name), root) for name in named]
    for name in named:
        if not (root / name).is_file() or not re.fullmatch(r"(src/.+|include/seiche/.+)\.[ch]pp", name):
            raise Usage(f"{name} is no source of the library; name files below src or include/seiche")
    if named:
        return sorted(set(named))
    changed = git(root, "diff", "--name-only", "-z", "HEAD") + git(root, "ls-files", "-z", "-o", "--exclude-standard")
    found = sorted(n for n in changed if re.fullmatch(r"(src|include)/.+\.[ch]pp", n) and (root / n).is_file())
    if not found:
        raise Usage("no source differs from HEAD; name the files, e.g. ./dev mutate src/layout/*.cpp")
    return found


def sample(root, files, most, seed):
    """So many mutants at random, those of one file in a row, so that each is built once more than it has mutants."""
    everything = [mutant for file in files for mutant in mutants_of(root, file)]
    chosen = random.Random(seed).sample(everything, min(most, len(everything)))
    return sorted(chosen, key=lambda m: (m.file, m.line, m.new)), len(everything)


# -------------------------------------------------------------------------------------------------- the copy and tests


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

    def build(self, target, environment=None):
        """Whether it could be built. Mutants are no use to the compiler's cache."""
        done = subprocess.run(["cmake", "--build", self.build_folder, "--target", target], capture_output=True, text=True,
                              check=False, env={**os.environ, **(environment or {})})
        self.said = done.stdout + done.stderr
        return done.returncode == 0

    def entries(self):
        """What ctest would run, by name. It says with which command once the program is there."""
        listed = subprocess.run(["ctest", "--test-dir", self.build_folder, "--show-only=json-v1"], check=True,
                                capture_output=True, text=True).stdout
        return {entry["name"]: entry for entry in json.loads(listed)["tests"]}

    def tests(self, names, ranks):
        """These tests on so many ranks, or on the fewest that a test has; their programs are built."""
        chosen = []
        for name in names:
            known = re.compile(re.escape(name) + r"\.(\d+)")
            counts = sorted(int(found[1]) for found in map(known.fullmatch, self.entries()) if found)
            chosen += [(name, f"{name}.{count}") for count in [n for n in counts if n in ranks] or counts[:1]]
        for name in dict.fromkeys(name for name, _ in chosen):
            say(f"   building {name}_test")
            if not self.build(name + "_test"):
                raise Usage(f"{name}_test cannot be built:\n{self.said[-3000:]}")
        entries = self.entries()
        return [test_of(entries[full], name) for name, full in chosen]

    @contextlib.contextmanager
    def changed(self, mutant):
        path = self.tree / mutant.file
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        mutated = [*lines]
        mutated[mutant.line - 1] = mutant.new
        try:
            path.write_text("".join(mutated), encoding="utf-8")
            yield
        finally:
            path.write_text("".join(lines), encoding="utf-8")


def test_of(entry, name):
    properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
    environment = dict(word.split("=", 1) for word in properties.get("ENVIRONMENT", []))
    return Test(entry["name"], name + "_test", entry["command"], properties["WORKING_DIRECTORY"], environment)


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


def names_of_tests(root, file):
    """The tests that concern a file: named like it, in a folder named like its room, and those of the table."""
    room = pathlib.Path(file).parts[1] if file.startswith("src/") else pathlib.Path(file).stem
    words = pathlib.Path(file).stem.split("_")
    stems = {"_".join(words[:n]) + "_test" for n in range(1, len(words) + 1)}
    like, beside = [], []
    for listed in sorted((root / "tests").rglob("CMakeLists.txt")):
        text = listed.read_text(encoding="utf-8")
        for name, written in re.findall(r"seiche_add_test\(\s*NAME\s+(\S+)\s+([^)]*)", text):
            paths = [pathlib.Path(word) for word in written.split() if word.endswith(".cpp")]
            if stems & {path.stem for path in paths}:
                like.append(name)
            folder = listed.parent.relative_to(root / "tests")
            if any((folder / path).parts[0] == room for path in paths):
                beside.append(name)
    return list(dict.fromkeys(like + beside + TESTS.get(room, "").split()))


# ----------------------------------------------------------------------------------------------------------- judgement


class Judge:
    """Builds and tests mutants; knows how long each test takes where nothing is changed."""

    def __init__(self, copy, options):
        self.copy, self.options, self.took = copy, options, {}

    def tests_for(self, file):
        names = names_of_tests(self.copy.root, file)
        if self.options.tests:
            asked = self.options.tests.split(",")
            names = [name for name in names if name in asked] + [name for name in asked if name not in names]
        tests = self.copy.tests(names, self.options.ranks)
        if not tests:
            raise Usage(f"no test is known to concern {file}; name them: --tests a,b")
        for test in tests:
            self.expect_pass(test)
        return tests

    def expect_pass(self, test):
        """\\throws Usage when a test fails without any change; takes its time."""
        if test.name in self.took:
            return
        start = time.monotonic()
        if fails(test, self.options.limit):
            raise Usage(f"{test.name} fails, or takes more than {self.options.limit} s, without any change")
        self.took[test.name] = time.monotonic() - start
        say(f"   {test.name} passes as it is, in {self.took[test.name]:.1f} s")

    def __call__(self, mutant, tests):
        uncached = {"CCACHE_DISABLE": "1"}
        with self.copy.changed(mutant):
            for test in tests:
                if not self.copy.build(test.program, uncached):
                    return Verdict(mutant, "did not compile", "")
                fate = fails(test, 30 + 10 * self.took[test.name])  # others may use the machine too
                if fate:
                    return Verdict(mutant, fate, test.name)
        return Verdict(mutant, "survived", "")


def judge_all(judge, mutants):
    """Verdicts one by one, until all are judged or the user has had enough."""
    tests = {}
    try:
        for number, mutant in enumerate(mutants, 1):
            if mutant.file not in tests:
                tests[mutant.file] = judge.tests_for(mutant.file)
            verdict = judge(mutant, tests[mutant.file])
            say(f"{number:4}/{len(mutants)} {mutant.file}:{mutant.line} {verdict.fate} {verdict.by}")
            yield verdict
    except KeyboardInterrupt:
        say("interrupted; so far:")


def report(verdicts):
    fates = collections.Counter(verdict.fate for verdict in verdicts)
    rooms = collections.defaultdict(collections.Counter)
    for verdict in verdicts:
        rooms[str(pathlib.Path(verdict.mutant.file).parent)][verdict.fate] += 1
        if verdict.fate == "survived":
            old, new = verdict.mutant.old.strip(), verdict.mutant.new.strip()
            print(f"{verdict.mutant.file}:{verdict.mutant.line}\n  - {old}\n  + {new}")
    for room, counts in sorted(rooms.items()):
        print(f"{room}: {counts['killed']} killed, {counts['hung']} hung, {counts['survived']} survived, "
              f"{counts['did not compile']} did not compile")
    seen = fates["killed"] + fates["hung"]
    judged = seen + fates["survived"]
    print(f"all: {seen} of {judged} noticed" + (f" ({seen / judged:.0%}), {fates['hung']} of them by a test's end that never came"
                                                if judged else ""))


def parse(words):
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="*", help="sources of the library (default: those that differ from HEAD)")
    parser.add_argument("--most", type=int, default=40, help="mutants, drawn at random from all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default: %(default)s)")
    parser.add_argument("--ranks", default="1,3,4", help="numbers of ranks that tests run on (default: %(default)s)")
    parser.add_argument("--tests", default="", help="tests to run instead of those that concern the file: a,b")
    parser.add_argument("--limit", type=float, default=300, help="seconds for a test as it is (default: %(default)s)")
    parser.add_argument("--recorded", action="store_true", help="the recorded mutants, which the short suite has to notice")
    parser.add_argument("--record", choices=("short", "long"), help="add those that are noticed to the record, as of this suite")
    parser.add_argument("--list", action="store_true", help="only show the mutants")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2],
                        help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    options.ranks = [int(n) for n in options.ranks.split(",")]
    options.root = options.root.resolve()
    return options


def main(words):
    options = parse(words)
    try:
        suites, gone = read_record(options.root) if options.recorded else ([], [])
    except FileNotFoundError as error:
        raise Usage(f"nothing is recorded in {error.filename}; run ./dev mutate FILES --record short first") from error
    if options.recorded:
        mutants = sorted((mutant for mutant, suite in suites if suite == "short"), key=lambda m: (m.file, m.line, m.new))
        say(f"== {len(mutants)} recorded mutants")
    else:
        files = sources(options.root, options.files)
        mutants, total = sample(options.root, files, options.most, options.seed)
        say(f"== {len(mutants)} of {total} mutants of {len(files)} files, seed {options.seed}")
    if options.list:
        for mutant in mutants:
            print(f"{mutant.file}:{mutant.line}\n  - {mutant.old.strip()}\n  + {mutant.new.strip()}")
        return True
    shared = options.root.parent / "shared" / "data"  # the copy lies elsewhere
    if shared.is_dir():
        os.environ.setdefault("SEICHE_SHARED", str(shared))
    for sign in (signal.SIGINT, signal.SIGTERM):  # in the background the first is ignored unless asked for
        signal.signal(sign, signal.default_int_handler)
    with alone(options.root / "build" / "mutate") as folder:
        copy = Copy(options.root, folder)
        copy.update()
        copy.configure()
        verdicts = list(judge_all(Judge(copy, options), mutants))
    report(verdicts)
    noticed = {verdict.mutant for verdict in verdicts if verdict.fate in ("killed", "hung")}
    if options.record:
        record(options.root, noticed, options.record)
    return judge_record(noticed, suites, gone) if options.recorded else True


if __name__ == "__main__":
    try:
        sys.exit(0 if main(sys.argv[1:]) else 1)
    except Usage as error:
        sys.exit(f"./dev mutate: {error}")
