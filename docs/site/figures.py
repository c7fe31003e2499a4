#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/pictures/who_owns_what.svg and pipeline_timeline.svg from results of the library: figures.py PICTURES

Needs the Python package and matplotlib: PYTHONPATH=build/release/python. Runs itself again on two ranks for the timeline.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

RANKS, SHAPE = 4, (12, 12, 12)
COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44"]


def draw_boxes(axes, boxes, title):
    """Draws the box of each rank."""
    for box, colour in zip(boxes, COLOURS):
        low, size = [r.start for r in (box.x, box.y, box.z)], [len(r) for r in (box.x, box.y, box.z)]
        axes.bar3d(*low, *(0.96 * s for s in size), color=colour, edgecolor="white", linewidth=0.3, shade=True)
    dress(axes, title)


def dress(axes, title):
    axes.set_title(title, fontsize=11, y=1.0)
    axes.set(xticks=[], yticks=[], zticks=[])
    for name in "xyz":
        getattr(axes, f"set_{name}label")(name, labelpad=-14)
    axes.set_box_aspect((1, 1, 1))


def who_owns_what(path):
    import matplotlib.pyplot as plt
    import numpy
    import seiche

    figure = plt.figure(figsize=(10, 3.5))
    for place, decomposition in ((1, "slab"), (2, "pencil")):
        boxes = seiche.sphere_grid_boxes(RANKS, SHAPE, decomposition=decomposition)
        words = {"slab": "slabs: planes of constant z", "pencil": "pencils: rows along x"}[decomposition]
        draw_boxes(figure.add_subplot(1, 3, place, projection="3d", proj_type="ortho"), boxes, words)
    waves = seiche.sphere_of_waves(numpy.eye(3), cutoff=0.5 * 4.6**2)
    owners = seiche.balanced_owners(waves, RANKS)
    axes = figure.add_subplot(1, 3, 3, projection="3d", proj_type="ortho")
    for rank, colour in enumerate(COLOURS):
        sticks = {(x, y): 0 for x, y, z in waves[owners == rank]}
        for x, y in sticks:
            along = waves[(waves[:, 0] == x) & (waves[:, 1] == y)][:, 2]
            axes.plot([x, x], [y, y], [along.min(), along.max()], color=colour, linewidth=4, solid_capstyle="round")
    dress(axes, "spheres: sticks of waves along z")
    figure.subplots_adjust(left=0, right=1, bottom=0.04, top=0.92, wspace=0.02)
    save(figure, path)


def recorded(fft, psi, v, comm):
    """Returns the seconds of a call on the slowest rank, and the timeline of this rank."""
    import seiche
    from mpi4py import MPI

    comm.Barrier()
    seiche.start_recording()
    fft.apply_potential(psi, v)
    seen = seiche.stop_recording()
    return comm.allreduce(seen.work[-1].end - seen.work[0].begin, MPI.MAX), seen


def record(path, shape=(64, 64, 64), bands=8):
    """Writes the timelines of all ranks in a call of apply_potential to `path` as JSON."""
    import numpy
    import seiche
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    waves = seiche.sphere_of_waves(numpy.eye(3), cutoff=0.5 * (shape[0] / 4) ** 2)
    mine = waves[seiche.balanced_owners(waves, comm.size) == comm.rank]
    psi = numpy.ones((bands, len(mine)), complex)
    # pairwise sends messages, as between hosts; the default inside a host would send none
    with seiche.SphereFft(shape, mine, comm=comm, window=3, algorithm="pairwise") as fft:
        v = numpy.ones(fft.grid_box.shape)
        seen = min((recorded(fft, psi, v, comm) for _ in range(50)), key=lambda one: one[0])[1]
    told = {"work": [(w.stage, w.item, w.begin, w.end) for w in seen.work],
            "transfers": [(t.started, t.arrived) for t in seen.transfers]}
    everything = comm.gather(told)
    if comm.rank == 0:
        pathlib.Path(path).write_text(json.dumps(everything))


def pipeline_timeline(path):
    import matplotlib.pyplot as plt

    with tempfile.TemporaryDirectory() as folder:
        found = pathlib.Path(folder) / "timeline.json"
        subprocess.run(["mpiexec", "-n", "2", sys.executable, __file__, "--record", str(found)], check=True)
        ranks = json.loads(found.read_text())
    figure, axes = plt.subplots(figsize=(9, 2.6), layout="constrained")
    names = ["lines along z", "planes, V, planes", "lines along z, back"]
    first = min(w[2] for w in ranks[0]["work"])
    for rank, seen in enumerate(ranks[:1]):
        for stage, item, begin, end in seen["work"]:
            begin, end = (1e3 * (t - first) for t in (begin, end))
            axes.broken_barh([(begin, end - begin)], (1.1, 0.8), color=COLOURS[stage % 3], edgecolor="white", linewidth=0.4)
            if end - begin > 0.05:
                axes.text((begin + end) / 2, 1.5, str(item), ha="center", va="center", fontsize=6, color="white")
        for n, (begin, end) in enumerate(seen["transfers"]):
            begin, end = (1e3 * (t - first) for t in (begin, end))
            axes.broken_barh([(begin, end - begin)], (0.7 - 0.22 * (n % 4), 0.16), color="#888888")
    for stage, name in enumerate(names):
        axes.barh(0, 0, color=COLOURS[stage], label=name)
    axes.barh(0, 0, color="#888888", label="exchanges in flight")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.25), ncols=4, frameon=False, fontsize=8)
    axes.set(xlabel="milliseconds; numbers are bands", yticks=[1.5, 0.4], yticklabels=["work", "exchanges"], ylim=(-0.05, 2))
    axes.set_xlim(left=0)
    save(figure, path)


def save(figure, path):
    figure.savefig(path, metadata={"Date": None})
    print(path)


def main():
    if sys.argv[1] == "--record":
        record(sys.argv[2])
        return
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "seiche"
    pictures = pathlib.Path(sys.argv[1])
    who_owns_what(pictures / "who_owns_what.svg")
    if "OMPI_COMM_WORLD_SIZE" not in os.environ:
        pipeline_timeline(pictures / "pipeline_timeline.svg")


main()
