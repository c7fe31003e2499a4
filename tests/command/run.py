#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests THEME_test.py, or some of them: run.py THEME[.CLASS[.TEST]] SEICHE DATA RANKS MPIEXEC..."""
import importlib
import sys
import unittest

theme, *names = sys.argv.pop(1).split(".")
module = importlib.import_module(f"{theme}_test")
if reason := getattr(module, "obstacle", lambda: None)():
    print("skipped:", reason)
    sys.exit(77)
unittest.main(module=module, argv=[sys.argv[0], *[".".join(names)] * bool(names)])
