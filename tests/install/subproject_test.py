#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seiche as a subproject, only configured: subproject_test.py FOLDER GENERATOR OPTIONS...

The project in subproject/ checks settings and targets. This test reads the files that CMake generated for it.
"""

import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER, GENERATOR, *OPTIONS = sys.argv[1:]
BUILD = Path(FOLDER)
ROOT = Path(__file__).resolve().parents[2]


def configured(*options, source=ROOT / "tests/install/subproject"):
    """Returns the compile commands by the name of the source."""
    shutil.rmtree(BUILD, ignore_errors=True)
    done = subprocess.run(["cmake", "-S", source, "-B", BUILD, "-G", GENERATOR, f"-DSEICHE_SOURCE={ROOT}", *OPTIONS,
                           *options], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return {Path(one["file"]).name: one["command"] for one in json.loads((BUILD / "compile_commands.json").read_text())}


class Subproject(unittest.TestCase):
    def test_only_libraries_and_no_package(self):
        commands = configured()
        library = next(command for command in commands.values() if "seiche.dir" in command)
        self.assertRegex(library, r" -O3 ", "a build without a build type has no optimisation")
        self.assertIn("whole", re.search(r'CPACK_PACKAGE_NAME "(.*)"', (BUILD / "CPackConfig.cmake").read_text())[1])
        done = subprocess.run(["cmake", "--install", BUILD, "--prefix", BUILD / "installed"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((BUILD / "installed").exists(), "Seiche installs itself with the other project")

    def test_flags_of_the_project(self):
        commands = configured("-DCMAKE_CXX_FLAGS=-Og", "-DSEICHE_INSTALL=ON")
        library = next(command for command in commands.values() if "seiche.dir" in command)
        self.assertEqual(re.findall(r" (-O\w+)", library), ["-Og"])
        self.assertIn("seicheTargets.cmake", (BUILD / "_deps/seiche-build/cmake_install.cmake").read_text())
        commands = configured("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DCMAKE_POSITION_INDEPENDENT_CODE=OFF")
        for target in ("seiche.dir", "seiche_files.dir"):
            command = next(command for command in commands.values() if target in command)
            self.assertEqual(re.findall(r" (-O\w+|-fPIC)", command), ["-O1"])

    def test_switches_leave_out_everything(self):
        """Without tools and tests, nothing of them is even configured."""
        commands = configured("-DSEICHE_TOOLS=OFF", "-DSEICHE_TESTS=OFF", "-DSEICHE_FORTRAN=OFF", source=ROOT)
        folders = sorted({target.split("CMakeFiles/")[0] for command in commands.values() for target in re.findall(r" -o (\S+)", command)})
        self.assertEqual(folders, ["integrations/fftw-mpi/", "src/"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
