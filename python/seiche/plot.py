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
