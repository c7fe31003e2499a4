#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks what is here for other people's programs with those programs, or with what they check it with; ./dev recipes fetches
them. Exit 77: not one is here."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SCRIPTS = ["dev", ".ci/run", *sorted(str(path.relative_to(PROJECT)) for folder in ("packaging", "tests/install") for path in (PROJECT / folder).glob("*.sh"))]
SPACK_NAMES = "--ignore=F403,F405,F821,E501"  # its recipes take all names from spack.package, and it knows longer lines


def program(name, *arguments):
    """Runs it; None where it is not to be had."""
    found = shutil.which(name)
    if not found:
        return None
    done = subprocess.run([found, *arguments], cwd=PROJECT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def conda():
    """Renders the recipe for each MPI library, as rattler-build does before it builds."""
    try:
        import rattler_build
    except ImportError:
        return None
    folder = PROJECT / "packaging/conda"
    try:
        recipe = rattler_build.Stage0Recipe.from_file(str(folder / "recipe.yaml"))
        rendered = recipe.render(rattler_build.VariantConfig.from_file(str(folder / "variants.yaml")))
    except rattler_build.RattlerBuildError as error:
        return str(error)
    found = sorted(str(each.variant.get("mpi")) if hasattr(each, "variant") else "" for each in rendered)
    return "" if len(rendered) == 2 else f"rendered for {found}, expected mpich and openmpi"


def presets():
    """Every preset that can be tested is in both workflows."""
    names = {each["name"] for each in json.loads((PROJECT / "CMakePresets.json").read_text())["testPresets"]}
    github, gitlab = (PROJECT / ".github/workflows/test.yml").read_text(), (PROJECT / ".gitlab-ci.yml").read_text()
    listed = {"GitHub's": set(re.findall(r"preset: (\w+),", github)),
              "GitLab's": set(re.search(r"PRESET: \[(.*)\]", gitlab)[1].split(", "))}
    return "\n".join(f"{whose} and CMake's presets differ by {sorted(names ^ found)}" for whose, found in listed.items() if names != found)


CHECKS = {
    "GitHub's workflow, by actionlint": lambda: program("actionlint", ".github/workflows/test.yml"),
    "GitHub's workflow, by its schema": lambda: program("check-jsonschema", "--builtin-schema", "vendor.github-workflows", ".github/workflows/test.yml"),
    "GitLab's workflow, by its schema": lambda: program("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", ".gitlab-ci.yml"),
    "the workflows have all presets": presets,
    "Docker's file, by hadolint": lambda: program("hadolint", "--ignore=DL3008", "packaging/container/Dockerfile"),
    "scripts, by shellcheck": lambda: program("shellcheck", "--exclude=SC2015", *SCRIPTS),
    "Spack's recipe, by ruff": lambda: program("ruff", "check", "--select=E,F,W", SPACK_NAMES, "packaging/spack/package.py"),
    "conda's recipe, by rattler-build": conda,
}


def main():
    faults, skipped = 0, 0
    for what, check in CHECKS.items():
        fault = check()
        word = "skipped: not here" if fault is None else "wrong" if fault else "right"
        print(f"{what + ':':40} {word}")
        if fault:
            print(fault)
        faults += bool(fault)
        skipped += fault is None
    if faults:
        return 1
    return 77 if skipped == len(CHECKS) - 1 else 0


if __name__ == "__main__":
    sys.exit(main())
