# SPDX-License-Identifier: BSD-3-Clause
"""Messages of wrong calls of the sweep: a pattern of cases, and a part of the message of each."""

TOLD = {
    "*_create(shape[*]=0)": "grid dimensions must be positive (got ",
    "sphere_fft_create(wave_count=-1)": "the number of waves must not be negative (got -1)",
    "dense_fft_*ward(*_count=*1)": "wrong array sizes: this rank has ",
    "dense_fft_create_for(arrays.fields=0)": "the number of fields must be positive (got 0)",
    "sphere_fft_apply_potential(in_count=n-1)": "fft: the array of input coefficients is too short (",
    "sphere_fft_*add_density(weight_count=0)": "bands need one weight each (got 0 weights)",
    "sphere_fft_start_backward(grid_count=n+1)": "grid points with 1 components need",
    "*_grid_boxes(box_count=*1)": "there are 3 boxes, but the array holds",
    "balanced_owners(ranks=0)": "the number of ranks must be positive (got 0)",
    "balanced_owners(owner_count=n+1)": "waves, but the array holds",
    "sphere_of_waves(capacity=0)": "the arrays hold ",
    "box_exchange_*copy(source_count=n-1)": "arrays are too short",
    "box_exchange_*(fields=-1)": "the number of fields must not be negative (got -1)",
    "exact_exchange_occupied*(weights=NULL)": "the array of 2 weights must not be NULL",
    "sphere_fft_create(waves=NULL)": " waves must not be NULL",
    "exact_exchange_*apply(kernel_count=n+1)": "the kernel needs one value for each",
    "pair_densities_create(block=-1)": "pair densities: the block must not be negative (got -1)",
    "pair_densities_sum(coefficient_count=n-1)": "need 4 coefficients (got 3)",
    "grid_interpolation_create(fields=0)": "the number of fields must be 1 to 65536 (got 0)",
    "grid_interpolation_*apply(result_count=n-1)": "wrong size of the target array: this rank has ",
    "block_layout_owner(row=2^31-1)": "is outside 3 x ",
    "block_layout_create(owners.grid_columns=-1)": "give 0 and 0",
    "block_matrix_scale(factor[1]=1e300)": "factors of a real matrix must be real",
    "block_matrix_to_dense(count=n-1)": "there are 36 elements, but the array holds 35",
    "purify(electrons=nan)": "electrons",
    "purify(options.temperature=nan)": "invalid temperature (nan)",
    "header_get_kpoints(count=n-1)": "k-points, but the array holds ",
    "header_get_atom(atom=2^31-1)": "no atom 2147483647 (numbered from 0, ",
    "header_set_kpoints(count=n-1)": "k-points (got ",
    "header_set_states(count=n-1)": "states (got ",
    "header_create(info.spins=2^31-1)": "(got 2147483647, 1 and ",
    "header_band_edges(spin=n-1)": "no spin -1 (spins in the file: 1)",
    "wavefile_coefficients(coefficient_count=n+1)": "coefficients, but the array holds ",
    "wavefile_unfold(count=n-1)": "the array holds 639",
    "density_values(component=1)": "no component 1 ",
    "density_*(axis=-1)": "no axis -1",
    "density_planar_average(count=n-1)": "there are 40 averages, but the array holds 39",
    "density_integrals(count=n+1)": "the array holds 2",
    "density_height_cut(count=n-1)": "but the array holds 1199",
    "density_plane_values(component=1)": "no component 1 of 1",
    "density_plane_values(side=inf)": "must be finite",
    "image_get_waves(wave_count=n+1)": "waves, but the array holds ",
    "image_apply(coefficient_count=n+1)": "wrong number of coefficients (",
    "image_create(request.spinor=2^31-1)": "must be 1 or 2 (got 2147483647)",
}


def of_enumerators(c):
    """The messages of numbers that no enumerator has."""
    for name, item in c.functions.items():
        for one in item.rows:
            if one.type in c.enums and not one.way:
                yield f"{name}({one.name}=-1)", f"{one.name} is -1, but must be 0 to "
            rows = c.described[one.type].rows if one.type in c.described and one.way != "out" else ()
            yield from ((f"{name}({one.name}.{row.name}=-1)", f"{row.name} is -1, but must be 0 to ") for row in rows if row.type in c.enums)
