#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles, runs or compares each block of code in the pages for readers.

blocks_test.py BUILD [--cxx mpicxx] [--cc mpicc] [--fc mpifort] [--python PYTHON] [--pages PAGES]

A block of C++, C or Fortran is a list of lines of an example, or it compiles: as a whole program, or as the body of a
function. Blocks of Python are lines of an example, or the blocks of a page run one after another in an empty folder;
`DATA` is tests/data. Plans on GPUs need SEICHE_CUDA, the folder of the emulated module. `<!-- setup: ... -->` directly
before a block is code that readers do not see. Options of `seiche` in console blocks are compared with --help, verbs of
`./dev` with its usage, names in CMake with the projects in tests/install. A block without a language is a fault. Blocks
that nothing can check have the language `text`.
"""

import argparse
import collections
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import markdown
from markdown import ROOT

EXAMPLES = {"cpp": "examples/cxx/*.*pp", "c": "examples/c/*.[ch]", "fortran": "examples/fortran/*.f90",
            "python": "examples/python/*.py", "bash": "examples/slurm/*.sbatch"}


PEERS = ("fftw3-mpi.h", "spfft/")  # blocks that include these are left out if they are not installed
NO_CALL = {"install", "cd", "-p", "load", "add", "-t", "docker"}  # words before another thing of the name seiche


@functools.cache
def lines_of_examples(language):
    return {" ".join(line.split()) for path in ROOT.glob(EXAMPLES[language]) for line in path.read_text().splitlines()}


def quoted(block):
    return all(" ".join(line.split()) in lines_of_examples(block.language) for line in block.text.splitlines() if line.strip())


class Checks:
    """One method for each language yields faults: (line, text)."""

    def __init__(self, options):
        self.options = options
        self.build = options.build.resolve()

    def page_of_python(self, page, blocks):
        """Runs the blocks that are not quoted, one after another."""
        code = "".join(f"{block.setup}\n#line\nexec(compile({block.text!r}.rjust({len(block.text) + block.line - 1}, '\\n'), "
                       f"{str(page)!r}, 'exec'))\n" for block in blocks if block.setup or not quoted(block))
        if not code or not self.options.python:
            return
        with tempfile.TemporaryDirectory() as folder:
            start = (f"import pathlib\nDATA = pathlib.Path({str(ROOT / 'tests/data')!r})\n" + code)
            environment = {**os.environ, "PYTHONPATH": str(self.build / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run([self.options.python, "-c", start], cwd=folder, env=environment, capture_output=True, text=True,
                                  timeout=300)
        if done.returncode:
            lines = re.findall(rf'"{re.escape(str(page))}", line (\d+)', done.stderr)
            yield int(lines[-1]) if lines else 1, done.stderr.strip().splitlines()[-1]

    def compiled(self, command, text, ending, page):
        """Yields the errors of a compiler, which `#line` gives lines of the page."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / f"blocks{ending}"
            source.write_text(text, encoding="utf-8")
            done = subprocess.run([*command, str(source)], cwd=folder, capture_output=True, text=True, timeout=600)
        if done.returncode:
            found = re.findall(rf"{re.escape(str(page))}:(\d+)[:.].*?(?:error|Error): (.*)", done.stderr, re.DOTALL)
            yield from [(int(line), message.splitlines()[0]) for line, message in found[:5]] or [(1, done.stderr[-600:])]

    def has_peer(self, include, command):
        """Tells whether the header of another library is installed. Headers of the language and of Seiche always are."""
        if not any(peer in include for peer in PEERS):
            return True
        done = subprocess.run([*command, "-x", "c++", "-"], input=include, capture_output=True, text=True, timeout=60)
        return done.returncode == 0

    def page_of_c_like(self, page, blocks, command, ending, start, prefix):
        """Compiles the blocks of a page: each is a program of its own or the body of a function."""
        bodies, includes = [], []
        for number, block in enumerate(one for one in blocks if not quoted(one)):
            if re.search(r"\bint main\(", block.text):
                yield from self.compiled(command, f'#line {block.line} "{page}"\n{block.text}', ending, page)
                continue
            lines = block.text.splitlines()
            includes += [line for line in lines if line.startswith("#include") and self.has_peer(line, command)]
            body = "\n".join("" if line.startswith("#include") else line for line in lines)
            if not all(self.has_peer(line, command) for line in lines if line.startswith("#include")):
                continue
            bodies.append(f'{prefix}void block_{number}(void) {{\n{block.setup}\n#line {block.line} "{page}"\n{body}\n}}\n')
        if bodies:
            yield from self.compiled(command, "\n".join([*includes, start, *bodies]), ending, page)

    def page_of_cpp(self, page, blocks):
        headers = "".join(f"#include <seiche/{path.name}>\n" for path in sorted((ROOT / "include/seiche").glob("*.hpp")))
        command = [self.options.cxx, "-std=c++20", "-fsyntax-only", "-fopenmp", f"-I{ROOT / 'include'}"]
        start = headers + "#include <cmath>\n#include <complex>\n#include <cstdio>\n#include <numeric>\n#include <vector>\n"
        yield from self.page_of_c_like(page, blocks, command, ".cpp", start, "")

    def page_of_c(self, page, blocks):
        command = [self.options.cc, "-std=c99", "-fsyntax-only", f"-I{ROOT / 'include'}", f"-I{self.build / 'interface/include'}"]
        start = ("#include <complex.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <seiche.h>\n"
                 "#include <seiche_files.h>\nvoid check(seiche_status);\n")
        yield from self.page_of_c_like(page, blocks, command, ".c", start, "")

    def page_of_fortran(self, page, blocks):
        if not self.options.fc:
            return
        modules = self.build / "fortran/modules"
        for number, block in enumerate(one for one in blocks if not quoted(one)):
            whole = re.search(r"^\s*(module|program)\s+\w+", block.text, re.MULTILINE)
            before = "" if whole else (f"subroutine block_{number}\nuse, intrinsic :: iso_fortran_env\nuse mpi_f08\nuse seiche\n"
                                       f"use seiche_files\nimplicit none\n{block.setup}\n")
            text = f'{before}# {block.line} "{page}"\n{block.text}{"" if whole else "end subroutine"}\n'
            command = [self.options.fc, "-cpp", "-fsyntax-only", "-ffree-line-length-none", f"-I{modules}"]
            yield from self.compiled(command, text, ".f90", page)

    @functools.cache
    def help_of(self, *names):
        """Returns the help of a subcommand, or None if there is none."""
        done = subprocess.run([self.build / "bin/seiche", *names, "--help"], capture_output=True, text=True, timeout=60)
        return done.stdout if done.returncode == 0 else None

    def faults_of_seiche(self, arguments):
        """Yields options and subcommands that --help does not have."""
        if arguments[:1] in (["help"], ["--version"]):
            return
        names = []
        top = self.help_of()
        for word in arguments:
            subcommands = (self.help_of(*names) or "").partition("Subcommands:")[2]
            if word.startswith("-") or not re.search(rf"^  {re.escape(word)} ", subcommands, re.MULTILINE):
                break
            names.append(word)
        if not names and not all(word.startswith("-") for word in arguments):
            yield f"seiche has no subcommand {arguments[0]}"
            return
        for word in arguments[len(names):]:
            if word == "--":
                return
            option = word.partition("=")[0]
            if option.startswith("-") and not re.match(r"-[\d.]", option):
                known = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", (self.help_of(*names) or "") + (top or "")))
                if option not in known:
                    yield f"seiche {' '.join(names)} has no option {option}"

    def faults_of_command(self, line):
        """Yields faults of a line of a terminal."""
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            yield f"the shell refuses this line: {error}"
            return
        parts, part = [], []
        for word in [*words, ";"]:
            if word in ("|", ";", "&&", "||", ">", "2>"):
                parts.append(part)
                part = []
            else:
                part.append(word)
        for part in parts:
            yield from self.faults_of_part(part)

    def faults_of_part(self, words):
        names = [pathlib.PurePath(word).name for word in words]
        calls = [i for i, name in enumerate(names) if name == "seiche" and (i == 0 or words[i - 1] not in NO_CALL)]
        if calls:
            yield from self.faults_of_seiche(words[calls[-1] + 1:])
        if "./dev" in words[:1]:
            usage = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True, timeout=60).stdout
            if words[1:2] and words[1] not in set(re.findall(r"^\./dev (\w+)", usage, re.MULTILINE)):
                yield f"./dev has no verb {words[1]}"
        for path in (word.split()[0] for word in words if word.strip()):
            if re.match(r"(examples|bench|integrations|packaging|tests|companions)/", path) and not (ROOT / path).exists():
                yield f"no file {path}"

    def page_of_console(self, page, blocks):
        for block in blocks:
            lines = block.text.splitlines()
            if not any(line.startswith(("$ ", "# ")) for line in lines):
                yield block.line, "a console block has lines that begin with '$ '; other text is a block 'text'"
            for number, line in enumerate(lines):
                if line.startswith("$ "):
                    while line.endswith("\\") and number + 1 < len(lines):
                        number += 1
                        line = line[:-1] + lines[number]
                    yield from ((block.line + number, fault) for fault in self.faults_of_command(line[2:]))

    def page_of_cmake(self, page, blocks):
        known = "\n".join(path.read_text() for path in (ROOT / "tests/install").rglob("CMakeLists.txt"))
        build = [ROOT / "CMakeLists.txt", ROOT / "tests/CMakeLists.txt", *ROOT.glob("cmake/*.cmake")]
        own = "\n".join(path.read_text() for path in build)
        for block in blocks:
            for target in re.findall(r"seiche::\w+", block.text):
                if target not in known:
                    yield block.line, f"no project in tests/install links {target}"
            for names in re.findall(r"COMPONENTS ([\w ]+)", block.text):
                for name in names.split():
                    if not re.search(rf"COMPONENTS[^)]*\b{name}\b", known):
                        yield block.line, f"no project in tests/install asks for the component {name}"
            for command in re.findall(r"^\s*(\w+)\(", block.text, re.MULTILINE):
                if not re.search(rf"^\s*{command}\(|\({command}\b", known + own, re.MULTILINE):
                    yield block.line, f"no project in tests/install and no part of the build calls {command}()"

    def page_of_bash(self, page, blocks):
        for block in blocks:
            done = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True)
            if not quoted(block) and done.returncode:
                yield block.line, done.stderr.strip()

    def page_of_json(self, page, blocks):
        for block in blocks:
            try:
                json.loads(block.text)
            except ValueError as error:
                yield block.line, str(error)

    def page(self, path):
        """Returns the faults of a page and how many blocks were checked."""
        by_language, found, count = collections.defaultdict(list), [], 0
        for block in markdown.blocks(path.read_text(encoding="utf-8")):
            if not block.language.startswith("{"):
                by_language[block.language].append(block)
        for language, blocks in by_language.items():
            check = getattr(self, f"page_of_{language or 'none'}", None)
            if check:
                count += len(blocks)
                found += check(path, blocks)
            elif language != "text":
                found += [(block.line, f"'{language}' is no language that is checked; use text") for block in blocks]
        return sorted(found), count


SAMPLE = """
```cpp
const int x = "text";
```
<!-- setup: int y = 1; -->
```cpp
const int x = y;
```
```c
seiche_status status = unknown_function(1, 2)
```
```python
import math
```
```python
assert math.pi < 3
```
```console
$ mpiexec -n 2 seiche info a.save --nonsense
$ seiche nonsense
$ ./dev nonsense
$ ./dev test fft && ls 'a
$ python examples/python/none.py
```
```cmake
target_link_libraries(my_code PRIVATE seiche::nonsense)
find_package(seiche REQUIRED COMPONENTS nonsense)
```
```fortran
x = 1
```
```
no language
```
```bash
if true
```
```json
{"a": }
```
```yaml
a: 1
```
```console
text without a command
```
```text
nothing checks this
```
"""
SAMPLE_FAULTS = {"cpp": [3], "c": [10], "python": [16], "console": [19, 20, 21, 22, 23, 45], "cmake": [26, 26], "fortran": [30],
                 "": [33], "bash": [36], "json": [39], "yaml": [42]}


def faults_of_sample(checks):
    """Each kind of fault in the sample is found, and no other."""
    expected = sorted(line for language, lines in SAMPLE_FAULTS.items() for line in lines
                      if (language != "fortran" or checks.options.fc) and (language != "python" or checks.options.python))
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "sample.md"
        page.write_text(SAMPLE, encoding="utf-8")
        found, _ = checks.page(page)
    lines = sorted(line for line, _ in found)
    return [] if lines == expected else [f"the sample has faults in lines {expected}, and these were found: {found}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a built tree")
    parser.add_argument("--cxx", default="mpicxx")
    parser.add_argument("--cc", default="mpicc")
    parser.add_argument("--fc", default="", help="empty: do not compile Fortran")
    parser.add_argument("--python", default="", help="empty: do not run Python")
    parser.add_argument("--pages", nargs="*", type=pathlib.Path, default=[])
    options = parser.parse_args()
    checks = Checks(options)
    faults, blocks = faults_of_sample(checks), 0
    for page in [page.resolve() for page in options.pages] or markdown.reader_pages():
        found, count = checks.page(page)
        blocks += count
        faults += [f"{page.relative_to(ROOT)}:{line}: {text}" for line, text in found]
    print("\n".join([*faults, f"{len(faults)} faults, {blocks} blocks checked"]))
    return 1 if faults or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
