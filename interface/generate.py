#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the interfaces of other languages from their description.

generate.py FOLDER    FOLDER/include/seiche/c (C headers), FOLDER/c (C functions), FOLDER/fortran
                       (modules), FOLDER/interface (members of options for C++), FOLDER/conformance (tests)
"""

import pathlib
import sys

import c_glue
import c_header
import conformance
import fortran
import fortran_types
import members
import model

WRITERS = (c_header.write, c_glue.write, fortran.write, fortran_types.write, members.write, conformance.write)


def main():
    folder = pathlib.Path(sys.argv[1])
    headers = model.read_all()
    texts = {folder / path: text for writer in WRITERS for path, text in writer(headers).items()}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:  # what did not change is not built again
            path.write_text(text)


if __name__ == "__main__":
    main()
