# SPDX-License-Identifier: BSD-3-Clause
"""The package around the extension: demo, names, documentation, stubs, other packages' objects, pictures."""

import ast
import inspect
import re
import runpy
from pathlib import Path

import numpy
import pytest
from conftest import raises_alike

import seiche
from seiche import demo


@pytest.fixture
def silicon(comm):
    with seiche.WaveFile(demo.DATA, comm) as file:
        yield file


def test_the_demo_finds_the_density_of_the_code(comm, capsys):
    assert demo.main() == 0
    said = capsys.readouterr().out
    assert (re.search(r"electrons +8\.0000000000\n", said) is not None) == (comm.rank == 0)
    assert (re.search(r"deviation +\d\.\de-1[5-9] of the largest value", said) is not None) == (comm.rank == 0)


def test_the_page_quotes_the_examples():
    project = Path(__file__).parent.parent.parent
    quoted = re.findall(r"```python\n(.*?)```", (project / "docs/languages.md").read_text(), re.DOTALL)
    marked = [text for path in sorted((project / "examples/python").glob("*.py"))
              for text in re.findall(r"# \[plan\]\n(.*?)# \[/plan\]", path.read_text(), re.DOTALL)]
    assert len(marked) == 5 and len(quoted) == 4
    assert [text for text in quoted if text not in marked] == []


def test_arrays_xyz_need_no_copy():
    runpy.run_path(str(Path(__file__).parent.parent.parent / "examples/python/xyz.py"))  # which compares with numpy.fft


def public_things():
    for name, thing in vars(seiche).items():
        if not name.startswith("_") and (inspect.isclass(thing) or callable(thing)):
            yield name, thing
            if inspect.isclass(thing) and thing.__module__ == "seiche._core":
                yield from ((f"{name}.{member}", value) for member, value in vars(thing).items() if not member.startswith("_"))


def test_everything_public_is_described():
    things = list(public_things())
    assert len(things) > 150
    assert [name for name, thing in things if not inspect.getdoc(thing)] == []


def collective_or_local(text):
    return "ollective" in text or "ocal" in text


def test_functions_say_whether_they_are_collective():
    silent = [name for name, thing in public_things()
              if callable(thing) and not inspect.isclass(thing) and thing.__module__ == "seiche._core"
              and not collective_or_local(inspect.getdoc(thing))]
    assert silent == []


@pytest.mark.parametrize("thing, option", [
    (seiche.DenseFft, "window : int = 0\n    number of bands in flight"), (seiche.DenseFft.for_arrays, "chunks : collections.abc.Sequence[int] = ()"),
    (seiche.SphereFft, "reproducible : bool = False\n    results are bitwise independent"), (seiche.Multiplier, "eps : float = 0.0\n    A_ik B_kj is skipped"),
    (seiche.purify, "eps : float = 1e-10"), (seiche.density_of, "as_they_are : bool = False\n    do not check"),
    (seiche.tune_dense, "budget : float = 10.0\n    seconds for all trials"), (seiche.reassign, "cutoff : float | None = None\n    wavefunction cutoff"),
    (seiche.convert, "memory : int = 0\n    bytes that this rank may take"), (seiche.compare, "overlap : float = 1e-09")])
def test_help_lists_options_with_their_meaning(thing, option):
    options = inspect.getdoc(thing).partition("Options\n-------\n")[2]
    assert option in options and options.endswith(".") and "\n    ." not in options


def test_reports_print_what_they_say(comm, silicon):
    density = seiche.density_of(silicon)
    assert repr(seiche.compare(density, density)) == "<seiche.Deviation: density=0.0, magnetisation=None, largest=0.0>"
    same = seiche.compare(silicon, silicon)
    assert repr(same).startswith("<seiche.Comparison: equal=True, difference='', energy=0.0, ") and "kpoints=<8 entries>" in repr(same)
    assert repr(same.worst) in repr(same) and repr(same.worst).startswith("<seiche.BandGroup: spin=0, k=")
    assert "highest_occupied=<seiche.BandState: spin=0, k=" in repr(seiche.band_edges(silicon.header))
    with seiche.DenseFft((4, 4, 4), comm=comm) as fft:
        assert "decomposition='slab'" in repr(fft.report) and repr(fft.progress).startswith("<seiche.ProgressReport: worked=0.0")


def test_stubs_name_all_that_there_is():
    stub = Path(seiche._core.__file__).parent / "_core.pyi"
    if not stub.exists():
        pytest.skip("stubs were not built")
    named = {node.name for node in ast.parse(stub.read_text()).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    public = {name for name in vars(seiche._core) if not name.startswith("_")}
    assert public - named == set() and len(named) > 50


def test_crystals_become_other_packages_objects(silicon):
    ase = pytest.importorskip("ase")
    atoms = silicon.crystal.to_ase()
    assert isinstance(atoms, ase.Atoms) and atoms.get_chemical_formula() == "Si2"
    numpy.testing.assert_allclose(atoms.get_volume(), silicon.crystal.volume * 0.529177210903**3, rtol=1e-9)
    numpy.testing.assert_allclose(atoms.get_distance(0, 1, mic=True), 2.35, atol=0.02)


def test_crystals_become_pymatgen_structures(silicon):
    pytest.importorskip("pymatgen.core")
    structure = silicon.crystal.to_pymatgen()
    assert structure.composition.reduced_formula == "Si" and len(structure) == 2
    numpy.testing.assert_allclose(structure.get_distance(0, 1), 2.35, atol=0.02)


def test_packages_that_are_missing_are_named(silicon, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ase", None)
    with pytest.raises(ImportError, match="needs ase, which is not installed: pip install ase"):
        silicon.crystal.to_ase()


def test_bands_are_drawn_from_the_fermi_energy(silicon):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from seiche import plot

    axes = plot.bands(silicon.header)
    drawn = numpy.array([line.get_ydata() for line in axes.lines])
    zero = silicon.header.fermi_energy or 0
    numpy.testing.assert_allclose(drawn.T, (silicon.energies[0] - zero) * 27.211386245988)


def test_planes_and_lines_are_drawn_with_scale_units_and_names(comm, silicon):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from seiche import plot

    density, angstrom = seiche.density_of(silicon), 0.529177210903
    plane = seiche.plane_of_bonds(silicon.crystal)
    values = seiche.plane_values(density, plane, 30).values
    axes = plot.plane(density, pixels=30, comm=comm)
    assert (axes is not None) == (comm.rank == 0)
    cut = seiche.line_cut(density, (0, 0, 0), (0.25, 0.25, 0.25), 11).values
    line = plot.line(density, (0, 0, 0), (0.25, 0.25, 0.25), 11, comm=comm)
    assert (line is not None) == (comm.rank == 0)
    if comm.rank > 0:
        return
    drawn = axes.images[0]
    numpy.testing.assert_allclose(drawn.get_array(), values)
    numpy.testing.assert_allclose(drawn.get_extent(), numpy.array([-1, 1, -1, 1]) * plane.side / 2 * angstrom)
    assert axes.get_title() == f"plane {plane.name}" and axes.get_xlabel() == axes.get_ylabel() == "angstrom"
    assert drawn.colorbar.ax.get_ylabel() == density.units
    assert {text.get_text() for text in axes.texts} == {"Si"}
    names = numpy.array([text.xy for text in axes.texts])
    bonds = numpy.linalg.norm(names - names[abs(names).sum(axis=1).argmin()], axis=1)
    assert (abs(bonds - 10.2631 * numpy.sqrt(3) / 4 * angstrom) < 1e-3).sum() == 2  # the two neighbours that span it
    numpy.testing.assert_allclose(line.lines[0].get_xydata(), numpy.stack([cut[:, 0] * angstrom, cut[:, 4]], axis=1))
    assert line.get_ylabel() == density.units and line.get_title() == "from (0 0 0) to (0.25 0.25 0.25)"


def test_tuning_finds_options_that_plans_take(comm, scratch, monkeypatch):
    monkeypatch.setenv("SEICHE_TUNING", str(scratch / "tuning.json"))
    waves = seiche.sphere_of_waves(numpy.eye(3), 2.0)[comm.rank :: comm.size].copy()
    for report, make in ((seiche.tune_dense((8, 6, 7), comm=comm, budget=0.1), lambda **o: seiche.DenseFft((8, 6, 7), comm=comm, **o)),
                         (seiche.tune_sphere((8, 6, 7), waves, comm=comm, budget=0.1, bands=2),
                          lambda **o: seiche.SphereFft((8, 6, 7), waves, comm=comm, **o))):
        assert report.trials and all(trial.seconds > 0 and trial.rounds > 0 for trial in report.trials)
        assert report.tuned_case in seiche.tuned_cases()
        with make(**report.options):
            pass
    assert seiche.tuning_path() == str(scratch / "tuning.json")
    raises_alike(comm, seiche.WrongType, "unknown option seconds", lambda: seiche.tune_dense((8, 6, 7), comm=comm, seconds=1))
    raises_alike(comm, seiche.WrongType, "use float64 or complex128", lambda: seiche.tune_dense((8, 6, 7), "complex64", comm))


def test_ranks_are_in_the_order_of_the_topology(comm, monkeypatch):
    backward = comm.Split(0, -comm.rank)
    assert seiche.order_ranks(backward) == comm.size - 1 - comm.rank  # there is no topology
    backward.Free()
    for setting in ("/nowhere", "nodes"):
        monkeypatch.setenv("SEICHE_TOPOLOGY", setting)
        same = comm.Dup()
        if setting == "nodes" or comm.size == 1:
            assert seiche.order_ranks(same) == comm.rank  # all ranks are on one node
        else:
            raises_alike(same, seiche.BadFile, "cannot read the topology file /nowhere", lambda: seiche.order_ranks(same))
        same.Free()


def test_recordings_hold_what_plans_did(comm):
    assert seiche.stop_recording().work == []
    seiche.start_recording()
    with seiche.DenseFft((8, 6, 7), comm=comm) as fft, fft.allocate() as field:
        fft.forward(field)
    recorded = seiche.stop_recording()
    assert recorded.work and all(work.begin <= work.end for work in recorded.work)
    assert all(sent.started <= sent.arrived for sent in recorded.transfers)


def test_products_and_moves_are_tuned(comm, data, scratch, monkeypatch):
    monkeypatch.setenv("SEICHE_TUNING", str(scratch / "tuning.json"))
    one = seiche.from_dense(seiche.BlockLayout([2, 1, 3], comm=comm), numpy.eye(6))
    products = seiche.tune_product(one, one, eps=1e-9, budget=0.05)
    assert products.trials and {"panels", "layers", "algorithm"} <= set(products.options)
    with seiche.Multiplier(comm, **products.options) as multiply:
        numpy.testing.assert_array_equal(seiche.to_dense(multiply(one, one)), numpy.eye(6))
    with seiche.WaveFile(str(data / "si_small" / "si_small.save"), comm) as file:
        orbitals = seiche.read_orbitals(file, seiche.OrbitalLayout(waves=comm.size))
    layout = seiche.OrbitalLayout(bands=comm.size)
    moves = seiche.tune_move(orbitals, layout, budget=0.05)
    assert moves.trials and {"memory", "algorithm"} <= set(moves.options)
    assert len(seiche.redistribute(orbitals, layout, **moves.options).parts) == len(orbitals.parts)
    raises_alike(comm, seiche.WrongType, "unknown option seconds: use one of .*eps", lambda: seiche.tune_product(one, one, seconds=1))
    raises_alike(comm, seiche.WrongType, "unknown option eps", lambda: seiche.tune_move(orbitals, layout, eps=1))
    single = seiche.from_dense(seiche.BlockLayout([2, 1, 3], comm=comm), numpy.eye(6, dtype="float32"))
    raises_alike(comm, seiche.BadArgument, "different dtypes: float64 and float32", lambda: seiche.tune_product(one, single, budget=0.05))


def test_exchanges_of_boxes_are_tuned(comm, scratch, monkeypatch):
    monkeypatch.setenv("SEICHE_TUNING", str(scratch / "tuning.json"))
    low, high = (7 * r // comm.size for r in (comm.rank, comm.rank + 1))
    mine, wider = seiche.Box((0, 8), (0, 6), (low, high)), seiche.Box((0, 8), (0, 6), (low - 1, high + 1))
    report = seiche.tune_boxes((8, 6, 7), mine, wider, "float32", fields=2, comm=comm, budget=0.05)
    assert report.trials and set(report.options) == {"algorithm", "progress", "window"}
    assert report.tuned_case in seiche.tuned_cases() and "1e0 fields of 4-byte values" in report.tuned_case
    values = numpy.ones((2, *mine.shape), "float32")
    with seiche.BoxExchange((8, 6, 7), mine, wider, comm) as exchange:
        assert (exchange.copy(values) == 1).all()
        assert exchange.report.algorithm == report.options["algorithm"]
    with seiche.BoxExchange((8, 6, 7), [mine], [wider], comm, **report.options):
        pass
    raises_alike(comm, seiche.WrongType, "unknown option seconds", lambda: seiche.tune_boxes((8, 6, 7), mine, wider, comm=comm, seconds=1))
    raises_alike(comm, seiche.BadArgument, "at least one field", lambda: seiche.tune_boxes((8, 6, 7), mine, wider, fields=0, comm=comm))


def test_averages_and_unfolded_bands_are_drawn(comm, silicon):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from seiche import plot

    density, angstrom, times = seiche.density_of(silicon), 0.529177210903, [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    means = seiche.macroscopic_average(seiche.planar_average(density, 1), 3.0).values
    weights = seiche.unfold(silicon, times)
    axes, points = plot.averages(density, 1, 3.0, comm=comm), plot.unfolded(silicon, times, comm=comm)
    assert (axes is not None) == (points is not None) == (comm.rank == 0)
    if comm.rank > 0:
        return
    for drawn, values in zip(axes.lines, means[:, 1:].T, strict=True):
        numpy.testing.assert_allclose(drawn.get_xydata(), numpy.stack([means[:, 0] * angstrom, values], axis=1))
    assert axes.get_ylabel() == density.units and axes.get_title() == "means over planes, along b"
    column = dict(zip(weights.columns, weights.values.T))
    drawn = points.collections[0]
    zero, name = seiche.energy_zero(silicon.header)
    numpy.testing.assert_allclose(drawn.get_offsets()[:, 1], (column["energy_hartree"] - zero) * 27.211386245988)
    numpy.testing.assert_allclose(drawn.get_array(), column["weight"])
    assert points.get_ylabel() == f"eV from {name}"
    # eight k-points, each of all bands at one place; from the first to the second as far as in the header
    places = numpy.unique(drawn.get_offsets()[:, 0])
    assert len(places) == len(silicon.header.kpoints)
    k = silicon.header.kpoints @ silicon.header.crystal.reciprocal / angstrom
    numpy.testing.assert_allclose(places[:2], [0, numpy.linalg.norm(k[1] - k[0])], atol=1e-9)
