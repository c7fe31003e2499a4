# SPDX-License-Identifier: BSD-3-Clause
"""Pictures by matplotlib, which `pip install seiche[plot]` brings along.

Functions here are collective: all ranks call them, rank 0 draws and gets the axes, the others get None.
"""

import numpy

import seiche
from seiche.foreign import BOHR, _need

HARTREE = 27.211386245988  # eV, CODATA 2018


def _gathered(density, comm):
    """All values of the total on rank 0, [z, y, x]; None elsewhere."""
    nx, ny, nz = density.grid
    parts = [(density.box.slices, density.components[0])]
    if comm is not None and comm.size > 1:
        parts = comm.gather(parts[0])
        if comm.rank > 0:
            return None
    whole = numpy.empty((nz, ny, nx))
    for where, values in parts:
        whole[where] = values
    return whole


def _cartesian(lattice, plane):
    """Two orthonormal vectors in the plane of two lattice vectors, the first along the first of them."""
    first = lattice[plane[0]] / numpy.linalg.norm(lattice[plane[0]])
    second = lattice[plane[1]] - lattice[plane[1]] @ first * first
    return first, second / numpy.linalg.norm(second)


def _draw_atoms(axes, crystal, at, normal, plane, near):
    """Names of the atoms within `near` angstrom of the slice, in its first cell."""
    lattice = crystal.lattice
    first, second = _cartesian(lattice, plane)
    height = abs(numpy.linalg.det(lattice)) / numpy.linalg.norm(numpy.cross(lattice[plane[0]], lattice[plane[1]]))
    for symbol, position in zip(crystal.symbols, crystal.positions):
        inside = numpy.linalg.solve(lattice.T, position) % 1
        distance = ((inside[normal] - at + 0.5) % 1 - 0.5) * height * BOHR
        if abs(distance) < near:
            inside[normal] = at
            x, y = (inside @ lattice @ axis * BOHR for axis in (first, second))
            axes.annotate(symbol, (x, y), ha="center", va="center", fontweight="bold", color="white")


def density_slice(density, axis="z", at=0.0, comm=None, axes=None, near=0.5):
    """Draws a density on a plane of two lattice vectors, with axes in angstrom, a scale, and the atoms' names.

    Parameters
    ----------
    density : seiche.Density
    axis : str
        x, y or z: the lattice vector along which the plane lies at the fraction `at`; the others span it.
    at : float
        0 to 1; the nearest plane of the grid is drawn.
    comm : mpi4py.MPI.Comm, optional
        The density's. Needed where it is spread over several ranks.
    axes : matplotlib.axes.Axes, optional
        Where to draw. Default: new ones.
    near : float
        Atoms so near to the plane, in angstrom, are named.

    Returns
    -------
    matplotlib.axes.Axes or None
        None on ranks other than 0. Collective.

    """
    if axis not in ("x", "y", "z"):
        raise seiche.BadArgument(f'python: axis cannot be "{axis}"; it is one of x, y, z')
    if comm is None and density.box.volume != density.grid[0] * density.grid[1] * density.grid[2]:
        raise seiche.BadArgument("python: the density is spread over several ranks; give its comm")
    whole = _gathered(density, comm)
    if whole is None:
        return None
    pyplot = _need("matplotlib.pyplot", "matplotlib")
    normal = "xyz".index(axis)
    plane = [other for other in range(3) if other != normal]
    points = density.grid
    index = round(at * points[normal]) % points[normal]
    values = numpy.take(whole, index, axis=2 - normal)  # [second, first]
    values = numpy.pad(values, ((0, 1), (0, 1)), mode="wrap")  # to the cell's far edges
    lattice = density.crystal.lattice
    first, second = _cartesian(lattice, plane)
    u, v = numpy.meshgrid(*(numpy.arange(points[a] + 1) / points[a] for a in plane))
    place = (u[..., None] * lattice[plane[0]] + v[..., None] * lattice[plane[1]]) * BOHR
    axes = axes or pyplot.subplots()[1]
    drawn = axes.pcolormesh(place @ first, place @ second, values, shading="gouraud", cmap="viridis")
    axes.figure.colorbar(drawn, ax=axes, label=density.units)
    _draw_atoms(axes, density.crystal, index / points[normal], normal, plane, near)
    axes.set(xlabel="angstrom", ylabel="angstrom", aspect="equal", title=f"{axis} = {index / points[normal]:.3g}")
    return axes


def _names_of_atoms(axes, crystal, plane, near):
    """Of the atoms, images included, that lie within `near` angstrom of a plane."""
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
    """Colours and their scale: logarithmic for densities, linear with nothing in the middle for what has either sign."""
    colors = _need("matplotlib.colors", "matplotlib")
    least, most = values.min(), values.max()
    if least < -0.01 * most:
        largest = max(-least, most)
        return {"cmap": "RdBu_r", "norm": colors.Normalize(-largest, largest)}
    most = max(most, 1e-300)
    return {"cmap": "viridis", "norm": colors.LogNorm(max(least, 1e-3 * most), most, clip=True)}


def plane(density, plane=None, component=0, pixels=300, comm=None, axes=None, near=0.3):
    """Draws a quantity on a plane: axes in angstrom, a scale with its unit, names of atoms, the plane in the title.

    Parameters
    ----------
    density : seiche.Density
        A density, a band (seiche.orbital), a potential.
    plane : seiche.Plane, optional
        From seiche.plane_of_indices, plane_of_atoms or plane_of_bonds. Default: the last.
    component : int
        0 the total; 1 m_z, or 1, 2, 3 m_x, m_y, m_z.
    pixels : int
        Points along either side.
    comm : mpi4py.MPI.Comm, optional
        The density's. Needed where it is spread over several ranks.
    axes : matplotlib.axes.Axes, optional
        Where to draw. Default: new ones.
    near : float
        Atoms so near to the plane, in angstrom, are named.

    Returns
    -------
    matplotlib.axes.Axes or None
        None on ranks other than 0. Collective.

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


def line(density, start, end, points=201, comm=None, axes=None):
    """Draws a quantity from a point to another (units of the lattice), over angstrom. Collective.

    Parameters
    ----------
    density : seiche.Density
    start, end : three numbers
    points : int
    comm : mpi4py.MPI.Comm, optional
        The density's. Needed where it is spread over several ranks.
    axes : matplotlib.axes.Axes, optional
        Where to draw. Default: new ones.

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
    names = [None] if table.shape[1] == 5 else _names_of_components(density)
    for name, values in zip(names, table[:, 4:].T):
        axes.plot(table[:, 0] * BOHR, values, label=name)
    if len(names) > 1:
        axes.legend()
    place = lambda x: " ".join(f"{part:g}" for part in x)
    axes.set(xlabel="angstrom", ylabel=density.units, title=f"from ({place(start)}) to ({place(end)})")
    return axes


def bands(header, axes=None):
    """Draws the energies of a header over its k-points, in the order of the header. Local.

    Parameters
    ----------
    header : seiche.OrbitalHeader
        E.g. that of a WaveFile.
    axes : matplotlib.axes.Axes, optional
        Where to draw. Default: new ones.

    Returns
    -------
    matplotlib.axes.Axes
        Energies in eV from the Fermi energy, where the header has one; k along the path in 1/angstrom.

    """
    pyplot = _need("matplotlib.pyplot", "matplotlib")
    cartesian = header.kpoints @ header.crystal.reciprocal / BOHR
    along = numpy.concatenate([[0], numpy.linalg.norm(numpy.diff(cartesian, axis=0), axis=1).cumsum()])
    zero = header.fermi_energy or 0.0
    axes = axes or pyplot.subplots()[1]
    for spin, (style, energies) in enumerate(zip(("-", "--"), header.energies)):
        axes.plot(along, (energies - zero) * HARTREE, style, color=f"C{spin}", marker=".")
    axes.set(xlabel="k (1/angstrom)", ylabel="eV" if header.fermi_energy is None else "eV from the Fermi energy")
    return axes
