#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows mutate.py a small checkout whose test is weak in one place, and expects it to find that place and no other."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = """\
#include "clamp.hpp"
struct Least {
  int low;
};
int clamp(int x, int low, int high) {
  const Least least{low};
  if (x < least.low) {
    return low;
  }
  return x > high ? high : x + 0;
}
"""
TEST = """\
#include "../src/layout/clamp.hpp"
int main() { return clamp(1, 2, 5) == 2 && clamp(3, 2, 5) == 3 && clamp(7, 2, 5) == 5 ? 0 : 1; }
"""
UPPER_TEST = """\
#include "../src/layout/clamp.hpp"
int main() { return clamp(3, 2, 5) == 3 && clamp(7, 2, 5) == 5 ? 0 : 1; }
"""
FILES = {
    "src/layout/clamp.hpp": "#pragma once\nint clamp(int x, int low, int high);\n",
    "src/layout/clamp.cpp": SOURCE,
    "tests/clamp_test.cpp": TEST,
    "tests/base_test.cpp": UPPER_TEST,
    "tests/CMakeLists.txt": """\
seiche_add_test(NAME clamp SOURCES clamp_test.cpp RANKS 1)
seiche_add_test(NAME base SOURCES base_test.cpp RANKS 1)
""",
    ".gitignore": "build/\n",
    "CMakeLists.txt": """\
cmake_minimum_required(VERSION 3.25)
project(made_up CXX)
enable_testing()
function(seiche_add_test NAME name)
  add_executable(${name}_test tests/${name}_test.cpp src/layout/clamp.cpp)
  add_test(NAME ${name}.1 COMMAND ${name}_test WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
include(tests/CMakeLists.txt)
""",
}
DRIVER = pathlib.Path(__file__).with_name("mutate.py")
wrong = []


def expect(truth, what):
    if not truth:
        wrong.append(what)


def checkout(folder):
    root = pathlib.Path(folder)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "."]):
        subprocess.run(["git", "-C", root, *words], check=True)
    return root


def command(root, *words):
    return [sys.executable, DRIVER, "--root", root, *map(str, words)]


def mutate(root, *words):
    return subprocess.run(command(root, *words), capture_output=True, text=True, check=False)


def bytes_of(root):
    return {p: p.read_bytes() for p in root.rglob("*") if p.is_file() and not {"build", ".git"} & {*p.parts}}


def survivors(said):
    return {line.strip() for line in said.splitlines() if line.startswith("  + ")}


def check_recorded_tests(root, entries):
    """The test that is recorded is run first, and others only where it does not notice."""
    recorded = root / "tests/mutation/recorded.json"
    upper = next(e for e in entries if "x <= high" in e["new"])
    lower = next(e for e in entries if "if (false)" in e["new"])
    source = root / upper["file"]

    recorded.write_text(json.dumps([upper | {"test": "base.1"}]))
    said = mutate(root, "--recorded").stderr
    expect("killed base.1" in said and "clamp.1" not in said, f"no test but the recorded one is run:\n{said}")
    recorded.write_text(json.dumps([lower | {"test": "base.1"}]))
    said = mutate(root, "--recorded").stderr
    both = 0 <= said.find("base.1 passes as it is") < said.find("clamp.1 passes as it is")
    expect(both and "killed clamp.1" in said, f"the recorded test is run first, then the other:\n{said}")
    recorded.write_text(json.dumps([upper | {"test": "base.3"}]))
    said = mutate(root, "--recorded").stderr
    expect("killed clamp.1" in said, f"the recorded test exists no more:\n{said}")

    recorded.write_text(json.dumps([{k: e[k] for k in e if k != "test"} for e in entries]))
    done = mutate(root, "--recorded", "--record", "short")
    expect(done.returncode == 0 and json.loads(recorded.read_text()) == entries, f"tests are added:\n{recorded.read_text()}")

    no_program = {"file": "src/layout/clamp.hpp", "old": "#pragma once\n", "nth": 0, "new": "#error\n", "suite": "short"}
    recorded.write_text(json.dumps([*entries, no_program, no_program | {"old": "#pragma twice\n"}]))
    done = mutate(root, "--recorded", source)
    expect(done.returncode == 0 and "notices 6 of 6" in done.stdout, f"of the named file:\n{done.stdout}{done.stderr}")
    done = mutate(root, "--recorded")
    expect(done.returncode == 1 and "notices 6 of 8" in done.stdout, f"of all files:\n{done.stdout}{done.stderr}")
    recorded.write_text(json.dumps(entries))
    done = mutate(root, "--recorded", root / no_program["file"])
    expect(done.returncode == 1 and "nothing is recorded of src/layout/clamp.hpp" in done.stderr, f"no entry:\n{done.stderr}")


with tempfile.TemporaryDirectory() as folder:
    root = checkout(folder)
    before, source = bytes_of(root), root / "src/layout/clamp.cpp"
    if "universalmutator is not installed" in mutate(root, "--list", source).stderr:
        print("skipped: universalmutator is not installed; run ./dev mutate --list src/layout/blocks.cpp once")
        sys.exit(77)

    done = mutate(root, source)
    expect(done.returncode == 0, "survivors are no error:\n" + done.stderr)
    # at the limits themselves both branches give the same
    equal = {"+ if (x <= least.low) {", "+ return x >= high ? high : x + 0;", "+ return x > high ? high : x - 0;"}
    expect(survivors(done.stdout) == equal, f"a good test leaves what changes nothing:\n{done.stdout}")
    expect("all: 6 of 9 noticed" in done.stdout and "1 did not compile" in done.stdout, f"the sums:\n{done.stdout}")

    missing = mutate(root, "--recorded")
    expect(missing.returncode == 1 and "nothing is recorded" in missing.stderr, f"without a record:\n{missing.stderr}")
    (root / "tests/mutation").mkdir()
    kept = mutate(root, source, "--record", "short")
    recorded = root / "tests/mutation/recorded.json"
    entries = json.loads(recorded.read_text())
    expect(kept.returncode == 0 and len(entries) == 6, f"what is noticed is recorded:\n{entries}")
    expect({entry["test"] for entry in entries} == {"clamp.1"}, f"with the test that notices it:\n{entries}")
    mutate(root, source, "--record", "short")
    expect(json.loads(recorded.read_text()) == entries, "nothing is recorded twice")
    check_recorded_tests(root, entries)
    source.write_text("// a line more\n" + SOURCE)
    again = mutate(root, "--recorded")
    expect(again.returncode == 0 and "notices 6 of 6" in again.stdout, f"lines may move:\n{again.stdout}{again.stderr}")
    source.write_text(SOURCE.replace("x + 0", "0 + x"))
    gone = mutate(root, "--recorded")
    expect(gone.returncode == 1 and "has no line any more: return x" in gone.stdout, f"a line that is gone:\n{gone.stdout}")
    source.write_text(SOURCE)
    (root / "tests/clamp_test.cpp").write_text(TEST.replace("clamp(1, 2, 5) == 2 && ", ""))
    lost = mutate(root, "--recorded")
    expect(lost.returncode == 1 and "not noticed any more: src/layout/clamp.cpp:7" in lost.stdout, f"a weaker test:\n{lost.stdout}")
    recorded.write_text(recorded.read_text().replace('"short"', '"long"'))
    long_only = mutate(root, "--recorded")
    expect(long_only.returncode == 0 and "only the long suite notices" in long_only.stdout, f"of the long suite:\n{long_only.stdout}")
    recorded.unlink()
    recorded.parent.rmdir()

    (root / "tests/clamp_test.cpp").write_text(TEST.replace("clamp(1, 2, 5) == 2 && ", ""))
    weak = mutate(root, source).stdout
    expect(survivors(weak) == equal | {"+ if (false) {"}, f"the lower limit is tested no more:\n{weak}")

    source.write_text(SOURCE.replace("x + 0", "x + 1"))
    changed = mutate(root, "--list")
    expect(changed.returncode == 0 and "+ return x > high ? high : x - 1;" in changed.stdout, "without names, what differs from HEAD")
    source.write_text(SOURCE)

    for words, part in ((("src/layout/none.cpp",), "is no source"), ((), "no source differs"),
                        ((source, "--tests", "none"), "no test is known")):
        refused = mutate(root, *words)
        expect(refused.returncode == 1 and part in refused.stderr, f"{words} is refused:\n{refused.stderr}")
    (root / "tests/clamp_test.cpp").write_text("int main() { return 1; }\n")
    refused = mutate(root, source)
    expect(refused.returncode == 1 and "without any change" in refused.stderr, "a test that fails by itself")

    (root / "tests/clamp_test.cpp").write_text(TEST)
    with subprocess.Popen(command(root, source), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while "killed" not in process.stderr.readline() and process.poll() is None:
            time.sleep(0.01)
        second = mutate(root, source)
        expect(second.returncode == 1 and "another run uses" in second.stderr, f"two at once:\n{second.stderr}")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=300)
    expect("interrupted; so far:" in said[1] and "killed" in said[0], f"interrupted, it reports:\n{said}")
    expect(process.returncode == 0, "interrupted, it ends in order")
    expect(bytes_of(root) == before, "the checkout is as it was")
    expect((root / "build/mutate/src/layout/clamp.cpp").read_text() == SOURCE, "the copy is as it was")

for what in wrong:
    print("not as expected:", what)
print(f"{len(wrong)} not as expected")
sys.exit(1 if wrong else 0)
