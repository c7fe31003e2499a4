#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Changes one place of a source at a time, and says which changes no test notices (docs/for-developers.md).

universalmutator makes the changes, by the rules beside this file; here they are built and tested in a copy of the checkout."""
import argparse
import collections
import contextlib
import io
import os
import pathlib
import random
import re
import signal
import sys
import time

from checkout_copy import Copy, Usage, alone, fails, git, say
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
    "containers": "files reading durable",
    "files": "files reading durable orbitals",
    "blocksparse": "blocksparse block_memory",
    "predict": "predict",
    "c": "conformance",
    "interface": "conformance",
}
RULES = pathlib.Path(__file__).resolve().with_name("cpp.rules")


class Verdict(collections.namedtuple("Verdict", "mutant fate by")):
    """What became of a mutant, and by which test."""

    @property
    def noticed(self):
        return self.fate in ("killed", "hung")


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


def sources(root, named):
    """The named files, or those that differ from HEAD, which are sources of the library."""
    named = [os.path.relpath(os.path.abspath(name), root) for name in named]
    for name in named:
        if not (root / name).is_file() or not re.fullmatch(r"(src/.+|include/seiche/.+)\.[ch]pp|interface/\w+\.(api|py)", name):
            raise Usage(f"{name} is no source of the library; name files below src, include/seiche or interface")
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


def names_of_tests(root, file):
    """The tests that concern a file: named like it, in a folder named like its room, and those of the table."""
    folder = pathlib.Path(file).parts[0]
    room = {"src": pathlib.Path(file).parts[1], "interface": "interface"}.get(folder, pathlib.Path(file).stem)
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
    """Builds and tests mutants. Each test that it uses has passed before where nothing is changed."""

    def __init__(self, copy, options):
        self.copy, self.options, self.entries = copy, options, set(copy.entries())
        self.tests, self.took, self.concerned = {}, {}, {}

    def concern(self, file):
        """The names of the tests that concern a file, of those that the options name first where they name some."""
        if file not in self.concerned:
            names = names_of_tests(self.copy.root, file)
            if self.options.tests:
                asked = self.options.tests.split(",")
                names = [name for name in names if name in asked] + [name for name in asked if name not in names]
            self.concerned[file] = self.copy.entries_on(names, self.options.ranks)
        if not self.concerned[file]:
            raise Usage(f"no test is known to concern {file}; name them: --tests a,b")
        return self.concerned[file]

    def test(self, name):
        """\\throws Usage when it fails without any change, which the first use shows."""
        if name not in self.tests:
            self.copy.restore()
            test, start = self.copy.built_test(name), time.monotonic()
            if fails(test, self.options.limit):
                raise Usage(f"{name} fails, or takes more than {self.options.limit} s, without any change")
            self.tests[name], self.took[name] = test, time.monotonic() - start
            say(f"   {name} passes as it is, in {self.took[name]:.1f} s")
        return self.tests[name]

    def __call__(self, mutant, noticed_by):
        """The verdict of the test that has noticed the mutant before, if there is one, and then of the others."""
        names = self.concern(mutant.file)
        first = [noticed_by] if noticed_by in self.entries else []
        try:
            for test in map(self.test, dict.fromkeys(first + names)):
                self.copy.change(mutant)
                if not self.copy.build(test.program):
                    return Verdict(mutant, "did not compile", "")
                fate = fails(test, 30 + 10 * self.took[test.name])  # others may use the machine too
                if fate:
                    return Verdict(mutant, fate, test.name)
        finally:
            self.copy.restore()
        return Verdict(mutant, "survived", "")


def judge_all(judge, mutants, keep):
    """Verdicts one by one, each of which is kept at once, until all are judged or the user has had enough."""
    try:
        for number, (mutant, noticed_by) in enumerate(mutants.items(), 1):
            verdict = judge(mutant, noticed_by)
            say(f"{number:4}/{len(mutants)} {mutant.file}:{mutant.line} {verdict.fate} {verdict.by}")
            keep(verdict)
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
    parser.add_argument("--recorded", action="store_true",
                        help="the recorded mutants (of the named files), which the short suite has to notice")
    parser.add_argument("--record", choices=("short", "long"),
                        help="keep those that a test fails for in the record, as of this suite, each with its test")
    parser.add_argument("--list", action="store_true", help="only show the mutants")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2],
                        help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    options.ranks = [int(n) for n in options.ranks.split(",")]
    options.root = options.root.resolve()
    return options


def recorded_of(options):
    """What is recorded of the named files, or of all."""
    try:
        recorded, gone = read_record(options.root)
    except FileNotFoundError as error:
        raise Usage(f"nothing is recorded in {error.filename}; run ./dev mutate FILES --record short first") from error
    if options.files:
        files = sources(options.root, options.files)
        recorded = [r for r in recorded if r.mutant.file in files]
        gone = [entry for entry in gone if entry["file"] in files]
        if not recorded and not gone:
            raise Usage(f"nothing is recorded of {', '.join(files)}; run ./dev mutate FILES --record short first")
    return recorded, gone


def judged(options, mutants):
    """The verdicts on mutants, each of which may come with the test that has noticed it before."""
    def keep(verdict):
        if options.record and verdict.fate == "killed":  # a busy machine may look like one that hangs
            record(options.root, verdict.mutant, options.record, verdict.by)

    shared = options.root.parent / "shared" / "data"  # the copy lies elsewhere
    if shared.is_dir():
        os.environ.setdefault("SEICHE_SHARED", str(shared))
    for sign in (signal.SIGINT, signal.SIGTERM):  # in the background the first is ignored unless asked for
        signal.signal(sign, signal.default_int_handler)
    with alone(options.root / "build" / "mutate") as folder:
        copy = Copy(options.root, folder)
        copy.update()
        copy.configure()
        return list(judge_all(Judge(copy, options), mutants, keep))


def main(words):
    options = parse(words)
    recorded, gone = recorded_of(options) if options.recorded else ([], [])
    if options.recorded:
        short = sorted((r for r in recorded if r.suite == "short"), key=lambda r: (r.mutant.file, r.mutant.line, r.mutant.new))
        mutants = {r.mutant: r.test for r in short}
        say(f"== {len(mutants)} recorded mutants")
    else:
        files = sources(options.root, options.files)
        drawn, total = sample(options.root, files, options.most, options.seed)
        mutants = dict.fromkeys(drawn)
        say(f"== {len(mutants)} of {total} mutants of {len(files)} files, seed {options.seed}")
    if options.list:
        for mutant in mutants:
            print(f"{mutant.file}:{mutant.line}\n  - {mutant.old.strip()}\n  + {mutant.new.strip()}")
        return True
    verdicts = judged(options, mutants)
    report(verdicts)
    return judge_record(verdicts, recorded, gone) if options.recorded else True


if __name__ == "__main__":
    try:
        sys.exit(0 if main(sys.argv[1:]) else 1)
    except Usage as error:
        sys.exit(f"./dev mutate: {error}")
