#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows check_includes.py projects with and without a fault, and expects it to tell them apart."""
import pathlib
import subprocess
import sys
import tempfile

CASES = [  # file, its include, whether the check should pass
    ("src/fft/plan.cpp", '#include "comm/check.hpp"', True),
    ("src/comm/check.cpp", '#include "fft/plan.hpp"', False),
    ("src/comm/agree.cpp", '#include "seiche/fft.hpp"', False),
    ("src/layout/box.cpp", '#include "comm/check.hpp"', False),
    ("src/layout/box.cpp", '#include "support/require.hpp"', True),
    ("src/files/density.cpp", '#include "seiche/orbitals.hpp"', True),
    ("src/orbitals/basis.cpp", '#include "seiche/wavefile.hpp"', False),
    ("src/orbitals/basis.cpp", '#include "containers/extents.hpp"', False),
    ("src/crystal/cell.cpp", '#include "orbitals/a.hpp"', False),
    ("src/blocksparse/product/a.cpp", '#include "blocksparse/matrix/a.hpp"', True),
    ("src/blocksparse/matrix/a.cpp", '#include "blocksparse/product/a.hpp"', False),
    ("src/blocksparse/matrix/a.cpp", '#include "seiche/block_product.hpp"', False),
    ("src/blocksparse/matrix/a.cpp", '#include "pipeline/pipeline.hpp"', False),
    ("src/blocksparse/product/a.cpp", '#include "seiche/purify.hpp"', False),
    ("src/blocksparse/a.cpp", '#include "support/require.hpp"', False),
    ("include/seiche/blocksparse.hpp", '#include "seiche/block_product.hpp"', False),
    ("include/seiche/fft.hpp", '#include "fft/plan.hpp"', False),
    ("include/seiche/layout.hpp", '#include "seiche/fft.hpp"', False),
    ("src/analysis/compare.cpp", '#include "files/bands/kpoint_bands.hpp"', True),
    ("src/analysis/compare.cpp", '#include "files/castep/castep.hpp"', False),
    ("src/density/cut.cpp", '#include "files/bands/file_bands.hpp"', False),
    ("src/c/c_fft.cpp", '#include "seiche/wavefile.hpp"', True),
    ("src/c/c_fft.cpp", '#include "comm/check.hpp"', True),
    ("src/c/c_fft.cpp", '#include "fft/plan.hpp"', False),
    ("src/fft/dense/dense_fft.cpp", '#include "c/c_call.hpp"', False),
    ("command/main.cpp", '#include "fft/plan.hpp"', False),
    ("command/main.cpp", '#include "seiche/fft.hpp"', True),
    ("command/predict_command.cpp", '#include "predict/model.hpp"', True),
    ("examples/cxx/a.cpp", '#include "predict/model.hpp"', False),
    ("src/fft/dense/dense_fft.cpp", '#include "predict/model.hpp"', False),
    ("companions/profile/recorder/call.cpp", '#include "record.hpp"', True),
    ("companions/profile/recorder/call.cpp", '#include "seiche/error.hpp"', False),
    ("companions/profile/recorder/call.cpp", '#include "report/model.hpp"', False),
    ("companions/profile/recorder/call.cpp", '#include "comm/check.hpp"', False),
    ("companions/profile/report/read.cpp", '#include "seiche/error.hpp"', True),
    ("companions/profile/report/read.cpp", '#include "seiche/fft.hpp"', False),
    ("companions/profile/report/read.cpp", '#include "replay/replay_plan.hpp"', True),
    ("companions/profile/report/read.cpp", '#include "recorder/call.hpp"', False),
    ("companions/profile/replay/replay.cpp", '#include "exchange/exchange_interface.hpp"', True),
    ("companions/profile/replay/replay.cpp", '#include "fft/plan.hpp"', False),
    ("companions/profile/new/a.cpp", '#include <vector>', False),
]
HEADERS = ["files/castep/castep.hpp", "files/bands/file_bands.hpp", "files/bands/kpoint_bands.hpp",
           "c/c_call.hpp", "fft/plan.hpp", "comm/check.hpp", "support/require.hpp", "containers/extents.hpp", "orbitals/a.hpp",
           "layout/b.hpp", "exchange/exchange_interface.hpp", "pipeline/pipeline.hpp", "predict/model.hpp", "blocksparse/matrix/a.hpp", "blocksparse/product/a.hpp"]

PROFILE_HEADERS = ["record.hpp", "report/model.hpp", "recorder/call.hpp", "replay/replay_plan.hpp"]


def passes(name, text):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for header in HEADERS:
            (root / "src" / header).parent.mkdir(parents=True, exist_ok=True)
            (root / "src" / header).write_text("")
        for header in PROFILE_HEADERS:
            (root / "companions" / "profile" / header).parent.mkdir(parents=True, exist_ok=True)
            (root / "companions" / "profile" / header).write_text("")
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
        checker = pathlib.Path(__file__).with_name("check_includes.py")
        return subprocess.run([sys.executable, checker, root], stdout=subprocess.DEVNULL, check=False).returncode == 0


wrong = [case for case in CASES if passes(*case[:2]) != case[2]]
for case in wrong:
    print("misjudged:", *case)
print(f"{len(CASES)} cases, {len(wrong)} misjudged")
sys.exit(1 if wrong else 0)
