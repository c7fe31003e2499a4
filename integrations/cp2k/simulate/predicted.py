# SPDX-License-Identifier: BSD-3-Clause
"""Predicts the time of CP2K's test of transforms with `seiche predict`, for a machine of machines.json."""
import json
import pathlib
import re
import tempfile

import simulate

POINTS = 125  # along each axis
UNITS = {"GBps": 1e9, "us": 1e-6}


def value(text):
    """Returns "2GBps" in bytes per second, "2us" in seconds."""
    number, unit = re.fullmatch(r"([\d.]+)(\w+)", text).groups()
    return float(number) * UNITS[unit]


def machine_file(name, own, cores):
    """Returns a machine file of `seiche predict`. Only lines, messages and their bytes take time."""
    network, lines = own["network"], own["rates"]["lines_flops"]
    latency, both_ends = value(network["latency"]), 2 * network["overhead"]

    def link(links, bandwidth):
        return {"latency": both_ends + links * latency, "message": both_ends, "bandwidth": value(bandwidth), "cpu": 0}

    rates = {"n": POINTS, "cached_rows": lines, "cached_columns": lines, "rows": lines, "columns": lines}
    return {"machine": name, "cores": cores, "cache": 0, "wake": 0,
            "computing": [{"busy": cores, "cached_copy": 1e12, "copy": 1e12, "lines": [rates]}],
            "inside": link(1, network["memory"]), "between": link(2, network["nic"]), "disk": {"write": 1e9, "read": 1e9}}


def seconds(build, name, own, cores, processes):
    """Returns the predicted seconds of a pair of transforms of 125^3 with MPI_Alltoallv: in slabs while planes suffice, else in pencils."""
    decomposition = "slab" if processes <= POINTS else "pencil"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "machine.json")
        path.write_text(json.dumps(machine_file(name, own, cores)), encoding="utf-8")
        arguments = ["--json", "predict", "fft", "--grid", str(POINTS), "--decomposition", decomposition, "--algorithm", "alltoallv",
                     "--ranks", str(processes), "--per-node", str(min(processes, cores)), "--machine", path]
        output, _, _ = simulate.simulate(1, arguments, command=build / "bin/seiche")
    return json.loads(output)["predictions"][0]["seconds"]
