# SPDX-License-Identifier: BSD-3-Clause
"""Calls functions of the Python package with wrong arguments and options: python_sweep.py DATA [PATTERN]

Parameters come from the signatures, whose options are those of interface/*.api. `good_calls` has a good call of each.
"""

import os
import resource
import sys

import engine
import numpy
import seiche

os.environ.setdefault("MPI4PY_MPIABI", "mpich" if "MPICH" in seiche.mpi_library() else "openmpi")
try:
    from mpi4py import MPI
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

# These calls do as much work as they are asked for.
LONG = ("*_grid_boxes(ranks=2^31-1) *",)
# No other argument has the communicator: the ranks cannot agree, and Python's TypeError is raised.
ALONE = ("start_write_orbitals(orbitals=*) *", "BlockMatrix(layout=*) *", "from_dense(layout=*) *", "*(matrix=*) *",
         "GridOperator(fft=*) *", "GridOperator.of_factors(fft=*) *")
# Parameters that other tests vary.
FIXED = {"self", "comm", "on_progress", "stream", "memory_needed", "only_exchange"}
SHAPE, BANDS = (8, 6, 7), 2


def parameters_of(call):
    """Yields name and type of each parameter, from the signature of a bound function or of a class."""
    text = (call.__init__ if isinstance(call, type) else call).__doc__.split("\n")[0]
    text, depth, part = text[text.index("(") + 1:], 0, ""
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if depth < 0 or letter == "," and depth == 0:
            name, _, kind = part.strip().partition(": ")
            if kind:
                yield name, kind.partition(" = ")[0]
            part = ""
            if depth < 0:
                return
        else:
            part += letter


def default_of(kind):
    """A good value of an option whose default is used otherwise."""
    return {"int": 0, "float": 0.0, "bool": False, "str": ""}.get(kind)


def wrong_values(value):
    """Yields a label, a value, and whether the results must be the same."""
    if isinstance(value, bool):
        yield from (("word", "yes", False), ("None", None, False))
    elif isinstance(value, int):
        for label, other in engine.integers(value).items():
            yield label, other, other == value
        yield from (("2^70", 2**70, False), ("2.5", 2.5, False), ("word", "two", False), ("None", None, False))
    elif isinstance(value, float):
        yield from ((label, other, False) for label, other in engine.REALS.items())
        yield "word", "two", False
    elif isinstance(value, str):
        yield from (("word", "nonsense", False), ("7", 7, False))
    elif isinstance(value, numpy.ndarray):
        large = numpy.zeros((*value.shape[:-1], value.shape[-1] + 3), value.dtype)
        large[..., :value.shape[-1]] = value
        yield "fewer", numpy.ascontiguousarray(value[..., :-1]), False
        yield "more", large, False
        yield "padded", large[..., :value.shape[-1]], False
        yield "dtype", numpy.zeros(value.shape, "int8"), False
        yield from (("list", value.tolist(), False), ("None", None, False))
    elif isinstance(value, tuple) and all(isinstance(one, int) for one in value):
        for place in range(len(value)):
            for label, other in engine.integers(value[place]).items():
                yield f"[{place}]{label}", (*value[:place], other, *value[place + 1:]), other == value[place]
        yield "short", value[:-1], False
    else:
        yield "7", 7, False
        yield "None", None, False


def nothing(band, box, values):
    pass


def nothing_of_pairs(pairs, densities):
    pass


def good_calls(comm, data):
    """Yields a name, a function, and its good arguments by name. Options without an argument are varied from defaults."""
    rank, ranks = comm.rank, comm.size
    everything = numpy.array([(1, 0, 2), (0, 1, -1), (2, -1, 1), (1, 1, 0)], "int32")
    mine = everything if ranks == 1 else everything[:2] if rank == 0 else everything[2:] if rank == ranks - 1 else everything[:0]
    even = numpy.zeros((1 if rank == 0 else 0, 3), "int32")
    psi = numpy.ones((BANDS, len(mine)), complex)
    sphere = seiche.SphereFft(SHAPE, mine, comm=comm)
    box, v = sphere.grid_box, numpy.full(sphere.grid_box.shape, 2.0)
    grid, weights = sphere.backward(psi), numpy.ones(BANDS)
    plan = dict(shape=SHAPE, comm=comm)
    yield "SphereFft", seiche.SphereFft, dict(plan, waves=mine)
    arguments = dict(psi=psi, grid=grid, function=nothing, potential=v, weights=weights, density=v.copy(), box=box, add=False,
                     out=numpy.zeros_like(psi), bands=BANDS)
    for name in ("backward", "forward", "round_trip", "to_grid", "apply_potential", "add_density", "start_backward", "start_forward",
                 "start_round_trip", "start_apply_potential", "start_add_density", "bands_here"):
        yield f"SphereFft.{name}", getattr(sphere, name), arguments
    response = dict(arguments, target=sphere, other=sphere, potential=v.astype(complex), left=psi, right=psi,
                    density=v.astype(complex))
    for name in ("apply_perturbation", "add_products", "start_apply_perturbation", "start_add_products"):
        yield f"SphereFft.{name}", getattr(sphere, name), response
    yield "SphereFft.spread", sphere.spread, dict(box=box, values=v, here=v.copy())
    yield "SphereFft.collect", sphere.collect, dict(box=box, here=v, values=v.copy())
    yield "SphereFft.backward_to_boxes", sphere.backward_to_boxes, dict(psi=psi, box=box, values=grid.copy())
    yield "SphereFft.forward_from_boxes", sphere.forward_from_boxes, dict(psi=numpy.zeros_like(psi), box=box, values=grid)

    dense = seiche.DenseFft(SHAPE, comm=comm)
    arrays = dict(grid=numpy.ones(dense.grid_box.shape, complex), spectrum=numpy.ones(dense.spectrum_box.shape, complex))
    yield "DenseFft", seiche.DenseFft, plan
    planes = range(SHAPE[2] * rank // ranks, SHAPE[2] * (rank + 1) // ranks)
    yield "DenseFft.for_arrays", seiche.DenseFft.for_arrays, dict(plan, fields=1, planes=planes)
    for name in ("start_forward", "start_backward"):
        yield f"DenseFft.{name}", getattr(dense, name), arrays

    yield "GridOperator", seiche.GridOperator, dict(fft=dense, lattice=numpy.eye(3), kernel="screened", parameter=1.0)
    yield "GridOperator.of_factors", seiche.GridOperator.of_factors, dict(
        fft=dense, factors=numpy.ones((1, 1, *dense.spectrum_box.shape), complex))
    laplacian = seiche.GridOperator(dense, numpy.eye(3), "laplacian")
    for name in ("apply", "start_apply"):
        yield f"GridOperator.{name}", getattr(laplacian, name), dict(grid=arrays["grid"], out=arrays["grid"].copy())

    fine = seiche.DenseFft((9, 8, 7), comm=comm)
    yield "GridInterpolation", seiche.GridInterpolation, dict(from_fft=dense, to_fft=fine, fields=1)
    finer = seiche.GridInterpolation(dense, fine)
    for name in ("apply", "start_apply"):
        yield f"GridInterpolation.{name}", getattr(finer, name), dict(
            grid=arrays["grid"], out=numpy.zeros(fine.grid_box.shape, complex))

    slab = seiche.Box((0, 4), (0, 3), (rank, rank + 1))
    boxes = seiche.BoxExchange((4, 3, ranks), slab, slab, comm=comm)
    yield "BoxExchange", seiche.BoxExchange, dict(shape=(4, 3, ranks), source=slab, target=slab, comm=comm)
    for name in ("copy", "add_back", "start_copy", "start_add_back"):
        yield f"BoxExchange.{name}", getattr(boxes, name), dict(values=numpy.ones((1, 3, 4)), out=numpy.zeros((1, 3, 4)))

    exchange = seiche.ExactExchange(SHAPE, mine, even, comm=comm)
    occupied = exchange.occupied(psi, weights)
    yield "ExactExchange", seiche.ExactExchange, dict(plan, waves=mine, density_waves=even, batch=1)
    for name in ("occupied", "occupied_on_grid", "apply", "start_apply", "apply_to_occupied", "energy", "bands_here"):
        yield f"ExactExchange.{name}", getattr(exchange, name), dict(
            orbitals=psi, psi=psi, weights=weights, values=grid, occupied=occupied, kernel=numpy.ones(len(even)), bands=BANDS,
            add=False, out=numpy.zeros_like(psi))

    densities = seiche.PairDensities(SHAPE, even, comm=comm)
    both = densities.orbitals(mine, psi)
    yield "PairDensities", seiche.PairDensities, dict(plan, density_waves=even, block=1)
    yield "PairDensities.orbitals", densities.orbitals, dict(waves=mine, coefficients=psi)
    for name in ("compute", "start_compute"):
        yield f"PairDensities.{name}", getattr(densities, name), dict(left=both, right=both, function=nothing_of_pairs)
    yield "PairDensities.sum", densities.sum, dict(left=both, right=both, coefficients=numpy.ones((BANDS, BANDS), complex),
                                                   out=numpy.zeros(len(even), complex))

    layout = seiche.BlockLayout([2, 1, 3], comm=comm)
    s, k = seiche.from_dense(layout, numpy.eye(6)), seiche.from_dense(layout, numpy.diag([-1.0, -1, 0, 0, 0, 0]))
    multiplier = seiche.Multiplier(comm=comm)
    yield "BlockMatrix", seiche.BlockMatrix, dict(layout=layout, dtype="float64", symmetry="none")
    yield "from_dense", seiche.from_dense, dict(layout=layout, dense=numpy.eye(6), eps=0.0)
    yield "add", seiche.add, dict(a=1.0, x=s, b=1.0, y=k)
    for name in ("trace", "frobenius_norm", "to_dense", "spectrum"):
        yield name, getattr(seiche, name), dict(matrix=s)
    yield "trace_of_product", seiche.trace_of_product, dict(a=s, b=k)
    yield "Multiplier", seiche.Multiplier, dict(comm=comm)
    for name in ("__call__", "start"):
        yield f"Multiplier.{name}", getattr(multiplier, name), dict(a=s, b=k, alpha=1.0, beta=0.0, op_a="no", op_b="no")
    yield "purify", seiche.purify, dict(k=k, s=s, electrons=4.0, max_iterations=50, temperature=0.0, electrons_per_state=2)
    yield "inverse_square_root", seiche.inverse_square_root, dict(s=s, multiplier=multiplier, max_iterations=20)

    file = seiche.WaveFile(data, comm=comm)
    waves = int(file.header.plane_waves[0])
    yield "WaveFile.waves", file.waves, dict(spin=0, k=0, positions=(0, waves))
    yield "WaveFile.coefficients", file.coefficients, dict(spin=0, k=0, bands=(0, 2), positions=(0, waves))
    orbitals = seiche.read_orbitals(file)
    yield "start_read_into", seiche.start_read_into, dict(orbitals=orbitals, file=file)
    yield "start_write_orbitals", seiche.start_write_orbitals, dict(
        orbitals=orbitals, path=os.path.join(os.environ["SEICHE_SWEEP"], "started.h5"), format="")
    yield "sphere_of_waves", seiche.sphere_of_waves, dict(b=numpy.eye(3), cutoff=1.0, half=False)
    yield "balanced_owners", seiche.balanced_owners, dict(waves=everything, ranks=2)
    for name in ("dense_grid_boxes", "sphere_grid_boxes"):
        yield name, getattr(seiche, name), dict(ranks=3, shape=SHAPE)


def use(made):
    """Finishes a started call, and uses and closes a new plan. Returns what to compare."""
    if isinstance(made, seiche.Pending):
        made = made.finish()
    if isinstance(made, seiche.SphereFft):
        with made:
            made.to_grid(numpy.zeros((1, *((made.components,) if made.components > 1 else ()), made.waves_here),
                                     "complex64" if made.dtype in ("float32", "complex64") else complex), nothing)
    elif isinstance(made, (seiche.DenseFft, seiche.BoxExchange, seiche.ExactExchange, seiche.PairDensities, seiche.Multiplier)):
        made.close()
    return made.copy() if isinstance(made, numpy.ndarray) else None


def is_local(function):
    return "Local." in (function.__doc__ or "")


def run(function, arguments):
    """Calls a function with copies of its arrays. Returns the error message or None, and the result. Local functions may
    raise Python's TypeError."""
    copies = {name: value.copy() if isinstance(value, numpy.ndarray) and value.flags.c_contiguous else value
              for name, value in arguments.items()}
    try:
        return None, use(function(**copies))
    except seiche.Error as error:
        return str(error), None
    except Exception as error:
        if is_local(function) and isinstance(error, TypeError):
            return str(error), None
        return f"wrong: {type(error).__name__} is no seiche.Error: {error}", None


def sweep_function(sweep, name, function, good):
    kinds = dict(parameters_of(function))
    known = {key: value for key, value in good.items() if key in kinds}
    sweep.begin(name)
    error, best = run(function, known)
    if error is not None:
        sweep.failures.append(f"{name}: the good call fails: {error}")
        return
    for parameter, kind in kinds.items():
        value = known.get(parameter, default_of(kind))
        if parameter in FIXED or value is None and parameter not in known:
            continue
        for label, other, same in wrong_values(value):
            def call(is_changed, other=other, same=same, parameter=parameter):
                problem, result = run(function, dict(known, **{parameter: other}) if is_changed else known)
                if problem is None and same and best is not None and not numpy.allclose(result, best, atol=1e-10):
                    return "wrong: other results for the same arguments"
                return problem
            sweep.case(f"{name}({parameter}={label})", call, collective=not is_local(function))


def main():
    limit = 3 << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # requests of too much memory fail at once
    comm = MPI.COMM_WORLD
    own = comm.Dup()
    waves = numpy.array([(1, 2, 3)] if comm.rank == 0 else [], "int32").reshape(-1, 3)
    plan = seiche.SphereFft(SHAPE, waves, comm=comm)
    potential, psi = numpy.full(plan.grid_box.shape, 3.0), numpy.ones((BANDS, len(waves)), complex)

    def extremes(number):
        return own.allreduce(number, MPI.MIN), own.allreduce(number, MPI.MAX)

    def is_right():
        return numpy.allclose(plan.apply_potential(psi, potential), 3 * psi, atol=1e-12)

    sweep = engine.Sweep(comm.rank, comm.size, extremes, is_right, LONG + ALONE, sys.argv[2] if len(sys.argv) > 2 else "")
    for name, function, good in good_calls(comm, sys.argv[1]):
        sweep_function(sweep, name, function, good)
    return sweep.verdict()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    MPI.Finalize() if code == 0 else None
    os._exit(code)
