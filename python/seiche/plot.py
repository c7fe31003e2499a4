# SPDX-License-Identifier: BSD-3-Clause
"""Plots with matplotlib (`pip install seiche[plot]`).

Functions are collective unless they are marked as local. All ranks call them. Rank 0 draws and returns the axes; other
ranks return None.
"""

import numpy

import seiche
from seiche.foreign import BOHR, _need

HARTREE = 27.211386245988  # eV, CODATA 2018


def _names_of_atoms(axes, crystal, plane, near):
    """Draws the symbols of atoms, including periodic images, within a distance of `near` angstrom from a plane."""
    lattice, half = crystal.lattice, plane.side / 2
    normal = numpy.cross(plane.right, plane.up)
    middle = numpy.linalg.solve(lattice.T, plane.centre)
    reach = int(numpy.ceil(plane.side * numpy.linalg.norm(numpy.linalg.inv(lattice), axis=0).max())) + 1
    shifts = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(-reach, reach + 1)]), -1).reshape(-1, 3)
    for symbol, position in zip(crystal.symbols, crystal.positions):
        inside = numpy.linalg.solve(lattice.T, position) - middle
        away = (inside - numpy.rint(inside) + shifts) @ lattice
        u, v = away @ plane.right, away @ plane.up
        for x, y in zip(*(w[(abs(away @ normal) * BOHR < near) & (abs(u) < half) & (abs(v) < half)] * BOHR for w in (u, v))):
            axes.annotate(symbol, (x, y), ha="center", va="center", fontweight="bold", fontsize="small",
                          bbox={"boxstyle": "circle,pad=0.25", "facecolor": "white", "alpha": 0.8, "linewidth": 0.5})


def _scale_of(values):
    """Returns colours and scale: logarithmic for densities, linear and symmetric for quantities with both signs."""
    colors = _need("matplotlib.colors", "matplotlib")
    least, most = values.min(), values.max()
    if least < -0.01 * most:
        largest = max(-least, most)
        return {"cmap": "RdBu_r", "norm": colors.Normalize(-largest, largest)}
    most = max(most, 1e-300)
    return {"cmap": "viridis", "norm": colors.LogNorm(max(least, 1e-3 * most), most, clip=True)}


def plane(density, plane=None, component=0, pixels=300, comm=None, axes=None, near=0.3):
    """Draws a quantity on a plane, with a colour scale and names of atoms. Axes are in angstrom. Collective.

    Parameters
    ----------
    density : seiche.Density
        A density, a band (seiche.orbital) or a potential.
    plane : seiche.Plane, optional
        From seiche.plane_of_indices, plane_of_atoms or plane_of_bonds (default).
    component : int
        0: total; 1: m_z, or 1, 2, 3: m_x, m_y, m_z.
    pixels : int
        Number of pixels along each side.
    comm : mpi4py.MPI.Comm, optional
        Communicator of the density. Required for several ranks.
    axes : matplotlib.axes.Axes, optional
        Axes to draw in. Default: new axes.
    near : float
        Atoms within this distance from the plane (angstrom) are labelled.

    Returns
    -------
    matplotlib.axes.Axes or None
        None on ranks other than 0.

    """
    plane = plane or seiche.plane_of_bonds(density.crystal)
    found = seiche.plane_values(density, plane, pixels, component)
    if comm is not None and comm.rank > 0:
        return None
    pyplot = _need("matplotlib.pyplot", "matplotlib")
    axes = axes or pyplot.subplots(layout="constrained")[1]
    half, values = plane.side / 2 * BOHR, found.values
    drawn = axes.imshow(values, extent=(-half, half, -half, half), interpolation="bilinear", **_scale_of(values))
    word = "" if len(density.components) == 1 else f"{_names_of_components(density)[component]}, "
    axes.figure.colorbar(drawn, ax=axes, label=word + density.units)
    _names_of_atoms(axes, density.crystal, plane, near)
    axes.set(xlabel="angstrom", ylabel="angstrom", title=f"plane {plane.name}")
    if found.is_noise:
        axes.text(0.5, 0.03, f"may be noise: there is {found.largest_anywhere:.2g} elsewhere", transform=axes.transAxes, ha="center",
                  bbox={"facecolor": "white", "alpha": 0.8})
    return axes


def _names_of_components(density):
    return ("total", "m_z") if len(density.components) == 2 else ("total", "m_x", "m_y", "m_z")


def _curves(axes, distance, columns, names):
    """Draws curves over a distance in bohr, with a legend for several curves."""
    for name, values in zip(names, columns):
        axes.plot(distance * BOHR, values, label=name)
    if len(columns) > 1:
        axes.legend()


def _path(reciprocal, kpoints):
    """Returns the path length of each k-point (1/angstrom)."""
    cartesian = kpoints @ reciprocal / BOHR
    return numpy.concatenate([[0], numpy.linalg.norm(numpy.diff(cartesian, axis=0), axis=1).cumsum()])


def line(density, start, end, points=201, comm=None, axes=None):
    """Draws a quantity on a line between two points (units of the lattice vectors), over angstrom. Collective.

    Parameters
    ----------
    density : seiche.Density
    start, end : three numbers
    points : int
    comm : mpi4py.MPI.Comm, optional
        Communicator of the density. Required for several ranks.
    axes : matplotlib.axes.Axes, optional
        Axes to draw in. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes or None
        None on ranks other than 0.

    """
    table = seiche.line_cut(density, start, end, points).values
    if comm is not None and comm.rank > 0:
        return None
    pyplot = _need("matplotlib.pyplot", "matplotlib")
    axes = axes or pyplot.subplots(layout="constrained")[1]
    _curves(axes, table[:, 0], table[:, 4:].T, _names_of_components(density))
    place = lambda x: " ".join(f"{part:g}" for part in x)
    axes.set(xlabel="angstrom", ylabel=density.units, title=f"from ({place(start)}) to ({place(end)})")
    return axes


def averages(density, axis=2, length=None, comm=None, axes=None):
    """Draws the averages of a quantity over planes of two lattice vectors, along the third one. Collective.

    Parameters
    ----------
    density : seiche.Density
    axis : int
        Index of the third lattice vector: 0, 1 or 2.
    length : float, optional
        Draw macroscopic averages over this length (bohr), too.
    comm : mpi4py.MPI.Comm, optional
        Communicator of the density. Required for several ranks.
    axes : matplotlib.axes.Axes, optional
        Axes to draw in. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes or None
        None on ranks other than 0.

    """
    table = seiche.planar_average(density, axis)
    if length is not None:
        table = seiche.macroscopic_average(table, length)
    if comm is not None and comm.rank > 0:
        return None
    pyplot = _need("matplotlib.pyplot", "matplotlib")
    axes = axes or pyplot.subplots(layout="constrained")[1]
    _curves(axes, table.values[:, 0], table.values[:, 1:].T, [name.replace("_", " ") for name in table.columns[1:]])
    axes.set(xlabel="angstrom", ylabel=density.units, title=f"means over planes, along {'abc'[axis]}")
    return axes


def unfolded(file, times, comm=None, axes=None):
    """Draws unfolded bands of a supercell. The size and colour of points show the spectral weights. Collective.

    Parameters
    ----------
    file : seiche.WaveFile
    times : 3 x 3 integers
        Lattice vectors of the supercell in terms of the primitive ones, as for seiche.unfold.
    comm : mpi4py.MPI.Comm, optional
        Communicator of the file. Required for several ranks.
    axes : matplotlib.axes.Axes, optional
        Axes to draw in. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes or None
        None on ranks other than 0. Energies are in eV, relative to seiche.energy_zero. The path length is in 1/angstrom,
        with k-points in the order of the table.

    """
    table = seiche.unfold(file, times)
    if comm is not None and comm.rank > 0:
        return None
    pyplot = _need("matplotlib.pyplot", "matplotlib")
    column = dict(zip(table.columns, table.values.T))
    primitive = numpy.linalg.solve(times, file.crystal.lattice)
    points = numpy.stack([column["k1"], column["k2"], column["k3"]], axis=1)
    _, first, which = numpy.unique(points.round(9), axis=0, return_index=True, return_inverse=True)
    order = numpy.argsort(first)
    along = numpy.empty(len(first))
    along[order] = _path(2 * numpy.pi * numpy.linalg.inv(primitive).T, points[first[order]])
    zero, name = seiche.energy_zero(file.header)
    axes = axes or pyplot.subplots(layout="constrained")[1]
    drawn = axes.scatter(along[which.ravel()], (column["energy_hartree"] - zero) * HARTREE, s=40 * column["weight"], c=column["weight"],
                         cmap="viridis_r", vmin=0, vmax=1)
    axes.figure.colorbar(drawn, ax=axes, label="weight")
    axes.set(xlabel="k (1/angstrom)", ylabel=f"eV from {name}")
    return axes


def bands(header, axes=None):
    """Draws the energies of a header over its k-points. Local.

    Parameters
    ----------
    header : seiche.OrbitalHeader
        E.g. the header of a WaveFile.
    axes : matplotlib.axes.Axes, optional
        Axes to draw in. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes
        Energies are in eV, relative to the Fermi energy if the header has one. The path length is in 1/angstrom.

    """
    pyplot = _need("matplotlib.pyplot", "matplotlib")
    along = _path(header.crystal.reciprocal, header.kpoints)
    zero = header.fermi_energy or 0.0
    axes = axes or pyplot.subplots()[1]
    for spin, (style, energies) in enumerate(zip(("-", "--"), header.energies)):
        axes.plot(along, (energies - zero) * HARTREE, style, color=f"C{spin}", marker=".")
    axes.set(xlabel="k (1/angstrom)", ylabel="eV" if header.fermi_energy is None else "eV from the Fermi energy")
    return axes
