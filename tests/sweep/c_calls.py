# SPDX-License-Identifier: BSD-3-Clause
"""Good calls of the C interface, and the objects and arrays that they need."""

import ctypes
import os

from described import Array, reals

NULL = ctypes.c_void_p(None)

SHAPE, BANDS, DOUBLE, COMPLEX = (8, 6, 7), 2, 1, 3


def numbers(kind, values):
    return (kind * len(values))(*values)


class World:
    """Objects and arrays of good calls."""

    def __init__(self, c, rank, ranks, data):
        self.c, self.rank, self.ranks = c, rank, ranks
        self.shape = numbers(ctypes.c_int64, SHAPE)
        everything = [(1, 0, 2), (0, 1, -1), (2, -1, 1), (1, 1, 0)]
        mine = everything if ranks == 1 else everything[:2] if rank == 0 else everything[2:] if rank == ranks - 1 else []
        miller = c.structure("miller")
        self.waves = Array([miller(*wave) for wave in mine] or [miller()], len(mine))
        self.count = len(mine)
        self.sphere = c.make("sphere_fft_create", value=COMPLEX, shape=self.shape, waves=self.waves)
        self.box = self.box_of("sphere_fft_grid_box", self.sphere)
        self.points = self.volume(self.box)
        self.dense = c.make("dense_fft_create", value=COMPLEX, shape=self.shape)
        self.field = c.make("field_create", fft=self.dense)
        self.cube = numbers(ctypes.c_double, (1, 0, 0, 0, 1, 0, 0, 0, 1))
        self.laplacian = c.make("grid_operator_create", fft=self.dense, lattice=self.cube, kernel=8)
        self.fine = c.make("dense_fft_create", value=COMPLEX, shape=numbers(ctypes.c_int64, (9, 8, 7)))
        self.interpolation = c.make("grid_interpolation_create", to=self.fine, fields=1, **{"from": self.dense})
        self.even = Array([miller()], 1 if rank == 0 else 0)  # K(G) = K(-G)
        self.exchange = c.make("exact_exchange_create", value=COMPLEX, shape=self.shape, waves=self.waves,
                               density_waves=self.even)
        self.occupied = c.make("exact_exchange_occupied", exchange=self.exchange, orbitals=self.rows(), weights=reals([1, 1]))
        self.densities = c.make("pair_densities_create", value=COMPLEX, shape=self.shape, density_waves=self.even)
        self.on_grid = c.make("pair_densities_orbitals", densities=self.densities, waves=self.waves,
                              coefficients=self.rows(), count=BANDS)
        self.blocks = c.make("box_exchange_create", shape=numbers(ctypes.c_int64, (4, 3, ranks)), source=self.slab(),
                             target=self.slab())
        self.make_matrices()
        self.gone = c.make("dense_fft_create", value=COMPLEX, shape=self.shape)
        c.destroy("dense_fft", ctypes.c_void_p(self.gone.value))
        self.files = self.make_files(data) if hasattr(c.library, "seiche_wavefile_create") else {}

    def box_of(self, function, plan):
        values = {"fft": plan}
        self.c.check(0 if self.c.call(function, values) is None else 1)
        return values["box"][0]

    @staticmethod
    def volume(box):
        low, high = list(box.low), list(box.high)
        return max(high[0] - low[0], 0) * max(high[1] - low[1], 0) * max(high[2] - low[2], 0)

    def slab(self):
        array = self.c.structure("box_array")()
        array.box.low[2], array.box.high[0], array.box.high[1], array.box.high[2] = self.rank, 4, 3, self.rank + 1
        array.stride[0], array.stride[1], array.stride[2], array.field_stride = 1, 4, 12, 12
        return Array([array])

    def rows(self, value=1.0):
        """Coefficients of both bands: complex numbers with a real part that depends on the band."""
        values = [value * (1 + i // max(2 * self.count, 1)) * ((i + 1) % 2) for i in range(2 * BANDS * self.count)]
        return reals(values or [0.0], BANDS * self.count, self.count)

    def grid(self, values_of_point=2, bands=BANDS):
        return reals([1.0] * max(values_of_point * bands * self.points, 1), bands * self.points)

    def make_matrices(self):
        c, sizes = self.c, Array([ctypes.c_int32(2), ctypes.c_int32(1), ctypes.c_int32(3)])
        self.sizes = sizes
        self.layout = c.make("block_layout_create", row_sizes=sizes, column_sizes=sizes)
        self.k, self.s, self.p = (c.make("block_matrix_create", layout=self.layout, value=DOUBLE) for _ in range(3))
        own = [i for i in range(3) if self.owner_of(i) == self.rank]
        places = Array([ctypes.c_int32(i) for i in own] or [ctypes.c_int32(0)], len(own))
        for matrix in (self.k, self.s):
            c.call("block_matrix_reserve", {"matrix": matrix, "rows": places, "columns": places})
        c.call("block_matrix_add_to_diagonal", {"matrix": self.s, "factor": numbers(ctypes.c_double, (1, 0))})
        if 0 in own:  # two occupied states, and four at 0
            found = {"matrix": self.k, "row": 0, "column": 0}
            c.call("block_matrix_block", found)
            values = ctypes.cast(found["block"][0].data, ctypes.POINTER(ctypes.c_double))
            values[0] = values[3] = -1.0
        self.multiplier = c.make("multiplier_create")

    def owner_of(self, block):
        values = {"layout": self.layout, "row": block, "column": block}
        self.c.call("block_layout_owner", values)
        return values["rank"][0]

    def make_files(self, data):
        made = {"path": data.encode()}
        made["file"] = self.c.make("wavefile_create", path=made["path"])
        made["header"] = self.c.make("header_create_of_file", file=made["file"])
        made["layout"] = self.c.options("orbital_layout", kpoints=1, bands=1, waves=self.ranks)
        made["orbitals"] = self.c.make("orbitals_create_read", file=made["file"], layout=made["layout"])
        made["density"] = self.c.make("density_create_of_orbitals", orbitals=made["orbitals"],
                                      options=self.c.options("density_options", as_they_are=1))
        return made

    def is_right(self):
        """Collective. Applies the potential 3 to both bands, and compares."""
        into, bands = self.rows(0.0), self.rows()
        error = self.c.call("sphere_fft_apply_potential", {
            "fft": self.sphere, "in": bands, "out": into, "bands": BANDS, "potential": reals([3.0] * max(self.points, 1), self.points)})
        return error is None and all(abs(a - 3 * b) < 1e-12 for a, b in zip(into.values(), bands.values()))


NOTHING = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda part, user: 0)


def good_calls(w):
    """Returns good arguments of each function, by its name."""
    c = w.c
    call = {}
    fft = c.options("fft_options")
    sphere = dict(fft=w.sphere, bands=BANDS, weights=reals([1.0, 0.5]), function=NOTHING, box=w.box)
    for name in ("in", "out", "coefficients"):
        sphere[name] = w.rows()
    for name in ("grid", "values"):
        sphere[name] = w.grid()
    for name in ("potential", "density", "here"):
        sphere[name] = reals([1.0] * max(w.points, 1), w.points)
    call["sphere_fft_create"] = dict(value=COMPLEX, shape=w.shape, waves=w.waves, options=fft)
    call["order_ranks"] = {}
    for name in ("backward", "forward", "round_trip", "add_round_trip", "to_grid", "apply_potential", "add_potential",
                 "add_density", "backward_to_boxes", "forward_from_boxes", "bands_here", "grid_box", "value",
                 "report", "progress", "round_trip_on_device", "add_round_trip_on_device", "to_grid_on_device"):
        call["sphere_fft_" + name] = sphere
    for name in ("backward", "forward", "round_trip", "add_round_trip", "apply_potential", "add_potential", "add_density"):
        call["sphere_fft_start_" + name] = sphere
    response = dict(sphere, target=w.sphere, other=w.sphere, left=w.rows(), right=w.rows(), potential=w.grid(bands=1),
                    density=w.grid(bands=1))
    for name in ("apply_perturbation", "add_perturbation", "add_products"):
        call["sphere_fft_" + name] = call["sphere_fft_start_" + name] = response
    for name, values in (("", 1), ("_complex", 2)):
        call["sphere_fft_spread" + name] = call["sphere_fft_collect" + name] = dict(
            fft=w.sphere, box=w.box, **{array: w.grid(values, 1) for array in ("values", "here")})

    arrays = c.options("dense_arrays", fields=1)
    whole = c.structure("box")()
    for axis, points in enumerate(SHAPE):
        whole.high[axis] = points
    low, high = SHAPE[2] * w.rank // w.ranks, SHAPE[2] * (w.rank + 1) // w.ranks
    for part in (arrays.grid, arrays.spectrum):
        part.box = whole
        part.box.low[2], part.box.high[2] = low, high
        part.stride[0], part.stride[1], part.stride[2], part.field_stride = 1, SHAPE[0], SHAPE[0] * SHAPE[1], 1
    dense_points = World.volume(w.box_of("dense_fft_grid_box", w.dense))
    spectrum_points = World.volume(w.box_of("dense_fft_spectrum_box", w.dense))
    dense = dict(fft=w.dense, field=w.field, grid=reals([1.0] * max(2 * dense_points, 1), dense_points),
                 spectrum=reals([1.0] * max(2 * spectrum_points, 1), spectrum_points))
    call["dense_fft_create"] = dict(value=COMPLEX, shape=w.shape, options=fft)
    call["dense_fft_create_for"] = dict(value=COMPLEX, shape=w.shape, arrays=arrays, options=fft)
    for name in ("forward", "backward", "start_forward", "start_backward", "forward_field", "backward_field",
                 "grid_box", "spectrum_box", "value", "report", "progress"):
        call["dense_fft_" + name] = dense
    call["field_create"] = dense
    for name in ("dense", "sphere"):
        call[name + "_grid_boxes"] = dict(ranks=3, shape=w.shape, options=fft, boxes=Array([c.structure("box")()] * 3))
    call["balanced_owners"] = dict(waves=w.waves, ranks=2, owners=Array([ctypes.c_int(0)] * max(w.count, 1), w.count))
    call["sphere_of_waves"] = dict(b=numbers(ctypes.c_double, (1, 0, 0, 0, 1, 0, 0, 0, 1)), k=numbers(ctypes.c_double, (0, 0, 0)),
                                   cutoff=1.0, waves=Array([c.structure("miller")()] * 40), half=0)

    exchange = dict(exchange=w.exchange, occupied=w.occupied, orbitals=w.rows(), weights=reals([1.0, 1.0]), waves=w.waves,
                    kernel=reals([1.0], w.even.count), values=w.grid(), bands=BANDS, add=0, **{"in": w.rows(), "out": w.rows()})
    call["exact_exchange_create"] = dict(value=COMPLEX, shape=w.shape, waves=w.waves, density_waves=w.even, options=fft, batch=1)
    for name in ("occupied", "occupied_of", "occupied_on_grid", "apply", "add", "start_apply", "start_add", "apply_to_occupied",
                 "energy", "grid_box", "bands_here", "report", "progress"):
        call["exact_exchange_" + name] = exchange
    call["occupied_orbitals_count"] = exchange

    here, waves_here = (w.volume(w.box_of(f"dense_fft_{end}_box", w.dense)) for end in ("grid", "spectrum"))
    operator = dict(op=w.laplacian, grid=reals([1.0] * max(2 * here, 1), here), result=reals([2.0] * max(2 * here, 1), here))
    call["grid_operator_create"] = dict(fft=w.dense, lattice=w.cube, kernel=1, parameter=1.0)
    call["grid_operator_create_from"] = dict(fft=w.dense, inputs=1, outputs=1,
                                             factors=reals([1.0] * max(2 * waves_here, 1), waves_here))
    for name in ("apply", "start_apply", "fields", "memory"):
        call["grid_operator_" + name] = operator

    fine = w.volume(w.box_of("dense_fft_grid_box", w.fine))
    interpolation = dict(interpolation=w.interpolation, grid=reals([1.0] * max(2 * here, 1), here),
                         result=reals([2.0] * max(2 * fine, 1), fine))
    call["grid_interpolation_create"] = dict(to=w.fine, fields=1, **{"from": w.dense})
    for name in ("apply", "start_apply", "fields"):
        call["grid_interpolation_" + name] = interpolation

    pairs = dict(densities=w.densities, orbitals=w.on_grid, left=w.on_grid, right=w.on_grid, waves=w.waves, coefficients=w.rows(),
                 count=BANDS, function=NOTHING, user=NULL)
    call["pair_densities_create"] = dict(value=COMPLEX, shape=w.shape, density_waves=w.even, options=fft, block=1)
    for name in ("orbitals", "compute", "start_compute", "report", "progress"):
        call["pair_densities_" + name] = pairs
    call["pair_densities_sum"] = dict(pairs, coefficients=reals([1.0] * 8, 4), out=reals([0.0] * 2, w.even.count, w.even.count), sums=1)
    call["grid_orbitals_count"] = dict(orbitals=w.on_grid)

    boxes = dict(exchange=w.blocks, value=DOUBLE, source=reals([1.0] * 12), target=reals([2.0] * 12), fields=1)
    call["box_exchange_create"] = dict(shape=numbers(ctypes.c_int64, (4, 3, w.ranks)), source=w.slab(), target=w.slab(),
                                       options=c.options("box_options"))
    for name in ("copy", "add_back", "start_copy", "start_add_back", "report", "progress"):
        call["box_exchange_" + name] = boxes

    call["block_layout_create"] = dict(row_sizes=w.sizes, column_sizes=w.sizes, owners=c.options("block_owners"))
    call["block_layout_create_product"] = dict(rows_of=w.layout, columns_of=w.layout)
    call["block_layout_owner"] = dict(layout=w.layout, row=1, column=1)
    one, nought = numbers(ctypes.c_double, (1, 0)), numbers(ctypes.c_double, (0, 0))
    matrix = dict(matrix=w.p, of=w.s, layout=w.layout, value=DOUBLE, symmetry=0, op=0, a=one, b=one, x=w.s, y=w.s, factor=one, row=1,
                  column=1, eps=0.0, elements=reals([0.0] * 36), rows=Array([ctypes.c_int32(0)], 0), columns=Array([ctypes.c_int32(0)], 0))
    for name in ("create", "create_copy", "create_redistributed", "create_sum", "reserve", "block", "local", "value", "scale",
                 "add_to_diagonal", "drop_below", "error_bound", "trace", "norm", "spectrum", "to_dense"):
        call["block_matrix_" + name] = matrix
    call["block_matrix_trace_of_product"] = dict(matrix=w.s, other=w.s)
    scratch = os.path.join(os.environ["SEICHE_SWEEP"], "matrix")
    call["block_matrix_write"] = dict(matrix=w.s, path=scratch.encode(), format=2)
    c.check(0 if c.call("block_matrix_write", dict(call["block_matrix_write"])) is None else 1)
    call["block_matrix_read"] = dict(path=scratch.encode(), value=DOUBLE, block_sizes=w.sizes)
    product = c.options("product", a=w.k, b=w.s)
    call["multiplier_create"] = dict(options=c.options("product_options"))
    for name in ("multiply", "start_multiply", "report"):
        call["multiplier_" + name] = dict(multiplier=w.multiplier, product=product, c=w.p)
    call["purify"] = dict(k=w.k, s=w.s, electrons=4.0, options=c.options("purify_options", electrons_per_state=2))
    call["inverse_square_root"] = dict(s=w.s, multiplier=w.multiplier, max_iterations=20)
    return call


def good_calls_of_files(w):
    """Same for files, orbitals and densities. The calls that write files are not swept: they take long."""
    c, f = w.c, w.files
    info = {"header": f["header"]}
    c.call("header_get_info", info)
    info = info["info"][0]
    states = info.spins * info.kpoint_count * info.bands
    first = {"header": f["header"], "k": reals([0.0] * 3 * info.kpoint_count, info.kpoint_count),
             "weights": reals([0.0] * info.kpoint_count), "plane_waves": Array([ctypes.c_int64(0)] * info.kpoint_count)}
    c.call("header_get_kpoints", first)
    waves = first["plane_waves"].memory[0]
    triple, pair = numbers(ctypes.c_double, (0, 0, 0)), numbers(ctypes.c_int64, (0, 2))
    move, miller = c.options("move_options"), c.structure("miller")
    header = dict(header=f["header"], atom=0, operation=0, symbol=b"Si", position=triple, translation=triple,
                  rotation=numbers(ctypes.c_int, (1, 0, 0, 0, 1, 0, 0, 0, 1)), time_reversal=0,
                  energies=reals([0.0] * states), occupations=reals([0.0] * states), **{
                      key: first[key] for key in ("k", "weights", "plane_waves")})
    own = dict(header, header=c.make("header_create_of_file", file=f["file"]))  # to change
    call = {"wavefile_waves": dict(file=f["file"], spin=0, k=0, low=0, high=waves, waves=Array([miller()] * waves)),
            "wavefile_coefficients": dict(file=f["file"], spin=0, k=0, bands=pair, positions=numbers(ctypes.c_int64, (0, waves)),
                                          coefficients=reals([0.0] * 4 * waves, 2 * waves)),
            "wavefile_compare": dict(a=f["file"], b=f["file"], options=c.options("compare_options")),
            "wavefile_unfold": dict(file=f["file"], options=move, weights=reals([0.0] * 640), multiples=header["rotation"]),
            "header_create": dict(info=info), "header_create_of_file": f, "header_create_of_orbitals": f}
    call["header_band_edges"] = dict(f, spin=-1)
    call["header_table_of_bands"] = dict(f, values=reals([0.0] * 11 * states))
    for name in ("info", "kpoints", "states", "atom"):
        call["header_get_" + name] = dict(header)
    for name in ("kpoints", "states", "atom"):
        call["header_set_" + name] = own
    for name in ("get_atom", "get_operation"):
        for out in ("position", "rotation", "translation", "time_reversal", "symbol"):
            call.setdefault("header_" + name, dict(header)).pop(out)
    orbitals = dict(f, of=f["orbitals"], a=f["orbitals"], b=f["orbitals"], options=move, how=0, number=0,
                    request=c.options("basis_request"))
    for name in ("create_read", "create_redistributed", "create_orthonormal", "start_redistribute", "start_read_into", "part",
                 "part_count"):
        call["orbitals_" + name] = orbitals
    scratch = os.path.join(os.environ["SEICHE_SWEEP"], "started.h5")
    call["orbitals_start_write"] = dict(orbitals, path=scratch.encode())
    call["density_create_of_orbitals"] = dict(f, options=c.options("density_options", as_they_are=1))
    call["density_values"] = dict(density=f["density"], component=0)
    call["density_grid"] = call["density_values"]
    call["density_integrals"] = dict(density=f["density"], integrals=reals([0.0]))
    for name, columns in (("planar", 2), ("macroscopic", 3)):
        call[f"density_{name}_average"] = dict(density=f["density"], axis=1, length=3.0, averages=reals([0.0] * 20 * columns))
    end = numbers(ctypes.c_double, (1, 0, 0.5))
    call["density_line_cut"] = {"density": f["density"], "from": triple, "to": end, "points": 6, "values": reals([0.0] * 30)}
    call["density_height_cut"] = dict(density=f["density"], axis=1, height=2.0, values=reals([0.0] * 1200))
    call["density_plane_values"] = dict(density=f["density"], centre=triple, right=numbers(ctypes.c_double, (1, 0, 0)), up=end,
                                        side=2.0, pixels=3, component=0, values=reals([0.0] * 9))
    for name in ("bonds", "atoms", "indices"):
        call["density_plane_of_" + name] = dict(density=f["density"], atoms=numbers(ctypes.c_int, (0, 1, 1)),
                                                hkl=numbers(ctypes.c_int, (1, 1, 0)), distance=1.5)
    call["density_create_of_orbital"] = dict(file=f["file"], spin=0, k=0, band=0, options=c.options("orbital_grid_options"))
    call["density_create_difference"] = dict(a=f["density"], b=f["density"])
    call["density_compare"] = dict(density=f["density"], other=f["density"])
    request = c.options("image_request")
    image = c.make("image_create", header=f["header"], request=request, waves=w.waves)
    call["image_create"] = dict(header=f["header"], request=request, waves=w.waves)
    call["image_get_waves"] = dict(image=image, waves=Array([miller()] * max(w.count, 1), w.count))
    call["image_apply"] = {"image": image, "bands": BANDS, "from": w.rows(), "to": w.rows()}
    return call
