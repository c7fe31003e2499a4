#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The installed tree: what a new user's project gets from it, and which files its binaries load.

installed_test.py STAGE BUILD GENERATOR CXX     STAGE: the installed tree of the build folder BUILD; CXX: the compiler wrapper of MPI
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

STAGE, BUILD, GENERATOR, CXX = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
ROOT = Path(__file__).resolve().parents[2]
COMPILER = [CXX, "-I", str(STAGE / "include")]


def done(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, check=False, **options)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()


class Project(InFolder):
    """The lines of the pages, in a project that sets nothing else."""

    def blocks(self):
        """Returns the CMake blocks for C++ programs."""
        for page in ("README.md", "docs/languages.md"):
            for block in re.findall(r"^```cmake\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
                if "fortran" not in block and "seiche m)" not in block:
                    yield block

    def test_lines_of_the_pages(self):
        headers = sorted(path.name for path in (STAGE / "include/seiche").glob("*.hpp"))
        (self.folder / "my_code.cpp").write_text("".join(f"#include <seiche/{name}>\n" for name in headers) + "int main() {}\n")
        blocks = list(self.blocks())
        self.assertEqual(len(blocks), 2)
        for number, block in enumerate(blocks):
            part = self.folder / str(number)
            part.mkdir()
            lines = f"add_executable(my_code ../my_code.cpp)\n{block}"
            (part / "CMakeLists.txt").write_text(lines.replace("my_code ", f"my_code{number} "))
        parts = "".join(f"add_subdirectory({number})\n" for number in range(len(blocks)))
        (self.folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES CXX)\n{parts}")
        made = done("cmake", "-S", self.folder, "-B", self.folder / "build", "-G", GENERATOR, f"-DCMAKE_PREFIX_PATH={STAGE}", f"-DMPI_CXX_COMPILER={CXX}")
        self.assertEqual(made.returncode, 0, made.stderr)
        made = done("cmake", "--build", self.folder / "build")
        self.assertEqual(made.returncode, 0, made.stdout)

    def test_program_of_the_readme(self):
        """Builds the program with the lines for CMake, and compares what it prints."""
        program, lines, said = re.findall(r"^```(?:cpp|cmake|console)\n(.*?)^```", re.split("^## Use it$", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1], re.DOTALL | re.MULTILINE)
        (self.folder / "my_code.cpp").write_text(program)
        (self.folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES CXX)\nadd_executable(my_code my_code.cpp)\n{lines}")
        made = done("cmake", "-S", self.folder, "-B", self.folder / "build", "-G", GENERATOR, f"-DCMAKE_PREFIX_PATH={STAGE}", f"-DMPI_CXX_COMPILER={CXX}")
        self.assertEqual(made.returncode, 0, made.stderr)
        made = done("cmake", "--build", self.folder / "build")
        self.assertEqual(made.returncode, 0, made.stdout)
        command, _, expected = said.partition("\n")
        ran = done(*command.removeprefix("$ ").split(), cwd=self.folder / "build", env={**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1"})
        self.assertEqual((ran.returncode, ran.stdout), (0, expected), ran.stderr)

    def test_manual_pages(self):
        commands = re.findall(r"^  ([a-z]+) ", done(STAGE / "bin/seiche", "--help").stdout.partition("Subcommands:")[2], re.MULTILINE)
        self.assertGreater(len(commands), 10)
        for name in ["seiche", *(f"seiche-{command}" for command in commands)]:
            text = (STAGE / f"share/man/man1/{name}.1").read_text(encoding="utf-8")
            self.assertTrue(text.startswith(f".TH {name.upper()} 1"), name)
            self.assertIn(".SH NAME", text)
        self.assertTrue((STAGE / "share/seiche/machines/cluster.json").exists())

    def test_an_older_standard_is_refused_by_every_header(self):
        headers = sorted((STAGE / "include/seiche").glob("*.hpp"))
        self.assertGreater(len(headers), 20)
        for header in headers:
            said = done(*COMPILER, "-std=c++17", "-E", "-x", "c++", "-o", os.devnull, header)
            errors = [line for line in said.stderr.splitlines() if "error: " in line]
            self.assertNotEqual(said.returncode, 0, header)
            self.assertIn("Seiche needs C++20: compile with -std=c++20", errors[0], header)


class Loaded(InFolder):
    """Binaries load nothing from the build folder or from the working directory."""

    def test_no_file_names_the_build_folder(self):
        checked = 0
        for path in sorted(STAGE.rglob("*")):
            if not path.is_file() or path.is_symlink():
                continue
            content = path.read_bytes()
            if content[:4] == b"\x7fELF" or content[:7] == b"!<arch>":  # debug information names sources
                bare = self.folder / path.name
                self.assertEqual(done("strip", "--strip-debug", "-o", bare, path).returncode, 0, path)
                content = bare.read_bytes()
            checked += 1
            self.assertNotIn(BUILD.encode(), content, path)
        self.assertGreater(checked, 50)

    def test_nothing_is_loaded_from_the_working_directory(self):
        beside = [self.folder, self.folder / "seiche", self.folder.parent / "lib/seiche", self.folder / "lib/seiche"]
        (self.folder / "here").symlink_to(STAGE / "bin/seiche")
        for command in ("./here", os.path.relpath(STAGE / "bin/seiche", self.folder)):
            said = done(command, "bench", "fft", "--grid", "5,5,5", cwd=self.folder, env={**os.environ, "LD_DEBUG": "files,libs"})
            self.assertEqual(said.returncode, 0, said.stderr[-500:])
            files = set(re.findall(r"(?:trying file|file)=(\S*libseiche\S*)", said.stderr))
            self.assertTrue(any("libseiche_ducc_" in file for file in files), "the test sees no file of DUCC")
            for file in files:
                self.assertTrue(os.path.isabs(file) or "/" not in file, file)
                self.assertFalse(file.startswith(BUILD + "/") and not file.startswith(str(STAGE)), file)
                self.assertNotIn(Path(file).parent, beside, file)

    @unittest.skipUnless(shutil.which("readelf"), "there is no readelf")
    def test_search_paths_of_binaries_are_absolute(self):
        """RPATH and RUNPATH of programs and libraries. Paths from $ORIGIN are absolute."""
        seen = 0
        for path in [*(STAGE / "bin").iterdir(), *STAGE.rglob("*.so*")]:
            said = done("readelf", "-d", path).stdout
            seen += "NEEDED" in said
            for folders in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", said):
                for folder in folders.split(":"):
                    self.assertTrue(folder.startswith(("/", "$ORIGIN")), (path, folders))
                    self.assertFalse(folder.startswith(BUILD), (path, folders))
        self.assertGreater(seen, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
