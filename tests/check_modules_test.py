#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows check_modules.py projects with and without a fault, and expects the message of each fault."""
import pathlib
import subprocess
import sys
import tempfile

GOOD = {"include/seiche/fft.hpp": "", "src/fft/plan.hpp": '#include "comm/check.hpp"', "src/fft/plan.cpp": '#include "fft/plan.hpp"',
        "src/comm/check.hpp": '#include "interface/visit.hpp"', "interface/visit.hpp": "", "command/fft_command.cpp": '#include "seiche/fft.hpp"',
        "companions/predict/model.hpp": '#include "fft/plan.hpp"', "bench/plan.py": "", "fortran/plan.inc.in": ""}
CASES = [  # files that are added to GOOD, and the message; "": none
    ({}, ""),
    ({"src/comm/plan.cpp": ""}, "plan names files of several modules: src/comm/plan.cpp, src/fft/plan.cpp, src/fft/plan.hpp"),
    ({"command/check.hpp": ""}, "check names files of several modules"),
    ({"bench/peers/check.cu": ""}, "check names files of several modules"),
    ({"src/fft/dense/plan.hpp": ""}, ""),  # in the same module
    ({"integrations/gpaw/plan.py": ""}, "plan names files of several modules: bench/plan.py, integrations/gpaw/plan.py"),
    ({"src/fft/size.cu.in": "", "src/comm/size.hpp": ""}, "size names files of several modules"),
    ({"src/fft/fft.cpp": ""}, ""),  # implements the public header
    ({"src/fft/fft.hpp": ""}, "src/fft/fft.hpp has the name of a public header"),
    ({"src/comm/fft.cpp": ""}, "fft names files of several modules: include/seiche/fft.hpp, src/comm/fft.cpp"),
    ({"include/seiche/basis.hpp": ""}, "include/seiche/basis.hpp has its implementation in no file or folder of its name"),
    ({"include/seiche/basis.hpp": "", "src/orbitals/basis.cpp": ""}, ""),
    ({"companions/simulation/instead/fft/plan.hpp": ""}, ""),
    ({"companions/simulation/instead/comm/plan.hpp": ""}, "companions/simulation/instead/comm/plan.hpp replaces no file of src"),
    ({"src/comm/agree.hpp": '#include "fft/plan.hpp"'}, "comm includes the higher module fft: src/comm/agree.hpp"),
    ({"src/comm/agree.hpp": '#include "fft/plan.hpp"'}, "modules include each other: comm -> fft -> comm"),
    ({"src/comm/agree.hpp": '#include "seiche/fft.hpp"'}, "comm includes the higher module fft: src/comm/agree.hpp"),
    ({"src/comm/agree.hpp": '#include "interface/fft_members.hpp"'}, "comm includes the higher module fft: src/comm/agree.hpp"),
    ({"src/fft/agree.hpp": '#include "predict/model.hpp"'}, "fft includes the higher module companions: src/fft/agree.hpp"),
    ({"interface/agree.hpp": '#include "comm/check.hpp"'}, "modules include each other: comm -> interface -> comm"),
    ({"src/boxes/box_exchange.cpp": '#include "interface/fft_members.hpp"'}, ""),  # explained
    ({"src/boxes/box_exchange.cpp": '#include "comm/check.hpp"'}, "boxes no longer includes fft: remove its explanation"),
    ({"src/new/a.cpp": '#include "comm/check.hpp"'}, "new is not in the order of modules"),
]


def said_of(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text + "\n")
        checker = pathlib.Path(__file__).with_name("check_modules.py")
        done = subprocess.run([sys.executable, checker, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


wrong = 0
for added, message in CASES:
    code, said = said_of({**GOOD, **added})
    if code != bool(message) or message not in said:
        print(f"misjudged: {added}: {code}: {said}")
        wrong += 1
print(f"{len(CASES)} cases, {wrong} misjudged")
sys.exit(1 if wrong else 0)
