#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks recipes, workflows, scripts and metadata with the programs that read them, which ./dev recipes installs.

A check is skipped if its program is missing. Exit code 77: every check that needs a program was skipped.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import version

PROJECT = Path(__file__).resolve().parent.parent
SCRIPTS = ["dev", ".ci/run", *sorted(str(path.relative_to(PROJECT)) for folder in ("packaging", "packaging/device_check", "tests/install") for path in (PROJECT / folder).glob("*.sh"))]
CONDA_PYTHONS = {11: "cpython", 12: "cpython", 13: "cp313"}
SPACK_NAMES = "--ignore=F403,F405,F821,E501"  # recipes import all names from spack.package, and Spack allows longer lines


def program(name, *arguments):
    """Runs the program and returns its complaints; None if it is missing."""
    found = shutil.which(name)
    if not found:
        return None
    done = subprocess.run([found, *arguments], cwd=PROJECT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def conda():
    """Renders the recipe for each MPI library and Python, as rattler-build does before a build."""
    try:
        import rattler_build
    except ImportError:
        return None
    folder = PROJECT / "packaging/conda"
    try:
        recipe = rattler_build.Stage0Recipe.from_file(str(folder / "recipe.yaml"))
        variants = rattler_build.VariantConfig.from_file(str(folder / "variants.yaml"))
        rendered = recipe.render(variants)
    except rattler_build.RattlerBuildError as error:
        return str(error)
    found = {(each.recipe.package.name, each.variant["mpi"], str(each.variant.get("python"))) for each in rendered}
    expected = {(name, mpi, python) for mpi in ("mpich", "openmpi") for name, python in
                [("seiche", "None"), *(("seiche-python", f"3.{minor}.* *_{build}") for minor, build in CONDA_PYTHONS.items())]}
    return "" if found == expected else f"rendered {sorted(found)}, expected {sorted(expected)}"


def presets():
    """Compares the test presets of CMake with those of both workflows."""
    names = {each["name"] for each in json.loads((PROJECT / "CMakePresets.json").read_text())["testPresets"]}
    github, gitlab = (PROJECT / ".github/workflows/test.yml").read_text(), (PROJECT / ".gitlab-ci.yml").read_text()
    listed = {"GitHub": set(re.findall(r"preset: (\w+),", github)),
              "GitLab": set(re.search(r"PRESET: \[(.*)\]", gitlab)[1].split(", "))}
    return "\n".join(f"the presets of {whose} and of CMake differ by {sorted(names ^ found)}" for whose, found in listed.items() if names != found)


def addresses():
    """Finds homepages in package metadata. Seiche has none, and an invented one misleads."""
    pattern = r"^\s*(?:homepage|home-page|url|repository(?:-code)?|git|doi|dev_url|doc_url)\s*[:=].*|\S*\.example\b\S*"
    files = [PROJECT / "pyproject.toml", PROJECT / "CITATION.cff", PROJECT / "cmake/SeichePackage.cmake",
             PROJECT / "packaging/spack/package.py", PROJECT / "packaging/conda/recipe.yaml"]
    return "\n".join(f"{path.relative_to(PROJECT)}: {line}" for path in files
                     for line in re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE | re.IGNORECASE))


WITHOUT_PROGRAMS = {
    "the version in all files": lambda: "\n".join(version.faults()),
    "presets in the workflows": presets,
    "no invented addresses": addresses,
}
CHECKS = {
    **WITHOUT_PROGRAMS,
    "GitHub workflow, by actionlint": lambda: program("actionlint", ".github/workflows/test.yml"),
    "GitHub workflow, by its schema": lambda: program("check-jsonschema", "--builtin-schema", "vendor.github-workflows", ".github/workflows/test.yml"),
    "GitLab workflow, by its schema": lambda: program("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", ".gitlab-ci.yml"),
    "Dockerfile, by hadolint": lambda: program("hadolint", "--ignore=DL3008", "packaging/container/Dockerfile"),
    "scripts, by shellcheck": lambda: program("shellcheck", "--severity=warning", *SCRIPTS),
    "Spack recipe, by ruff": lambda: program("ruff", "check", "--select=E,F,W", SPACK_NAMES, "packaging/spack/package.py"),
    "conda recipe, by rattler-build": conda,
    "CITATION.cff, by cffconvert": lambda: program("cffconvert", "--validate"),
    "licences, by reuse": lambda: program("reuse", "lint", "--quiet") and program("reuse", "lint", "--lines"),
}


def main():
    faults, skipped = 0, 0
    for what, check in CHECKS.items():
        fault = check()
        word = "skipped: not installed" if fault is None else "wrong" if fault else "right"
        print(f"{what + ':':40} {word}")
        if fault:
            print(fault)
        faults += bool(fault)
        skipped += fault is None
    if faults:
        return 1
    return 77 if skipped == len(CHECKS) - len(WITHOUT_PROGRAMS) else 0


if __name__ == "__main__":
    sys.exit(main())
