# SPDX-License-Identifier: BSD-3-Clause
"""The topics of the API reference, and the names of each in the four languages."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Noun:
    name: str
    title: str
    guide: str = ""
    cpp: tuple = ()  # headers
    c: tuple = ()
    fortran: tuple = ()  # modules
    python: tuple = ()  # names in the package


NOUNS = (
    Noun("fft", "Transforms", "sphere_fft", ("fft.hpp", "coefficients.hpp", "fft_options.hpp", "grid_callback.hpp", "dense_arrays.hpp", "space.hpp",
          "pending.hpp"), ("fft.h",),
         ("seiche_dense_fft", "seiche_dense_arrays", "seiche_sphere_fft", "seiche_fft_types", "seiche_grid_function",
          "seiche_pending_calls"),
         ("DenseFft", "Field", "SphereFft", "SphereStream", "Pending", "FftReport", "ProgressReport", "line_library", "dense_grid_boxes",
          "sphere_grid_boxes")),
    Noun("grid_operator", "Operators on grids", "grid_operators", ("grid_operator.hpp", "grid_interpolation.hpp"), ("grid_operator.h",),
         ("seiche_grid_operator", "seiche_grid_operator_types"), ("GridOperator", "GridInterpolation")),
    Noun("boxes", "Redistribution of boxes", "boxes", ("boxes.hpp", "field_array.hpp"), ("boxes.h",), ("seiche_boxes", "seiche_boxes_types"),
         ("BoxExchange", "BoxReport")),
    Noun("device_memory", "Device memory", "gpu", ("device_memory.hpp",), (), (), ("DeviceArray",)),
    Noun("exact_exchange", "Exact exchange", "exact_exchange", ("exact_exchange.hpp",), ("exact_exchange.h",),
         ("seiche_exact_exchange", "seiche_exact_exchange_types"), ("ExactExchange", "OccupiedOrbitals", "ExactExchangeReport")),
    Noun("pair_densities", "Pair densities", "pair_densities", ("pair_densities.hpp",), ("pair_densities.h",),
         ("seiche_pair_densities", "seiche_pair_densities_types", "seiche_pair_function"),
         ("PairDensities", "GridOrbitals", "PairDensityReport")),
    Noun("layout", "Layouts and waves", "conventions", ("layout.hpp", "communicator.hpp", "topology.hpp", "presence.hpp"), (), ("seiche_layout",),
         ("Box", "sphere_of_waves", "balanced_owners", "order_ranks")),
    Noun("exchange", "Exchange algorithms", "communication", ("exchange.hpp",), (), (), ("algorithms",)),
    Noun("crystal", "Crystals", "conventions", ("crystal.hpp",), (), (), ("Crystal", "SymmetryOperation", "fft_grid")),
    Noun("orbitals", "Orbitals", "wavefunctions", ("orbital_header.hpp", "orbitals.hpp"), ("orbitals.h",), ("seiche_orbital_sets", "seiche_orbitals_types", "seiche_headers", "seiche_moves"),
         ("OrbitalHeader", "OrbitalPart", "OrbitalLayout", "Orbitals", "make_orbitals", "redistribute", "start_redistribute", "overlaps")),
    Noun("wavefile", "Wavefunction files", "files", ("wavefile.hpp", "wfc_file.hpp", "unfinished.hpp"), ("wavefile.h",),
         ("seiche_files", "seiche_wavefiles", "seiche_wavefile_types"),
         ("WaveFile", "read_orbitals", "read_into", "start_read_into", "write_orbitals", "start_write_orbitals", "convert",
          "expand", "losses", "write_beside_wavecar", "Comparison",
          "BandGroup", "soundness", "Soundness")),
    Noun("density", "Densities", "wavefunctions", ("density.hpp", "density_file.hpp"), ("density.h",), ("seiche_densities", "seiche_density_types"),
         ("Density", "density_of", "symmetrize", "integrals", "compare", "Deviation", "read_density", "write_density",
          "draw_density", "holds_density_only", "names_density", "set_unit", "expect_output")),
    Noun("analysis", "Analysis of a file", "cookbook", ("band_edges.hpp", "selection.hpp", "orbital_grid.hpp", "averages.hpp", "table.hpp", "wannier.hpp", "wannier_file.hpp", "unfold.hpp", "cut.hpp"), (), (),
         ("BandState", "BandEdges", "band_edges", "energy_zero", "Table", "table_of_bands", "write_table", "left_out",
          "filled", "orbital", "planar_average", "macroscopic_average", "difference", "line_cut", "height_cut", "Plane", "PlaneValues",
          "plane_of_bonds", "plane_of_atoms", "plane_of_indices", "plane_values", "unfold", "WannierRequest", "WannierMatrices",
          "read_nnkp", "wanted_states", "wannier_matrices", "write_wannier")),
    Noun("symmetry", "Symmetry", "wavefunctions", ("symmetry.hpp",), ("symmetry.h",), (),
         ("KStarMap", "ParentState", "full_zone", "moved", "mapped", "symmetric_bands")),
    Noun("basis", "Change of basis", "wavefunctions", ("basis.hpp",), (), (), ("reassign", "Reassigned", "orthonormalized")),
    Noun("blocksparse", "Block-sparse matrices", "blocksparse", ("blocksparse.hpp", "block_file.hpp"), ("blocksparse.h",),
         ("seiche_blocksparse", "seiche_blocksparse_types"),
         ("BlockLayout", "BlockMatrix", "product_layout", "distribute_cyclic", "distribute_random", "distribute_along_curve",
          "from_function", "from_dense", "to_dense", "add", "scale", "add_to_diagonal", "trace", "trace_of_product",
          "frobenius_norm", "read_blocks", "write_blocks", "holds_complex", "expect_block_file")),
    Noun("product", "Products and purification", "blocksparse", ("block_product.hpp", "purify.hpp"), ("product.h",),
         ("seiche_product", "seiche_product_types", "seiche_product_tuning", "seiche_purification"),
         ("Multiplier", "ProductReport", "purify", "DensityMatrix", "inverse_square_root", "spectrum")),
    Noun("tuning", "Tuning", "communication", ("tuning.hpp", "tuning_file.hpp"), ("tuning.h",), ("seiche_tuning", "seiche_tuning_types"),
         ("tune_dense", "tune_sphere", "tune_product", "tune_move", "tune_boxes", "TuneReport", "ProductTuneReport", "MoveTuneReport", "BoxTuneReport",
          "Trial", "tuning_path", "tuned_cases")),
    Noun("trace", "Timelines", "communication", ("trace.hpp",), (), ("seiche_timeline",), ("start_recording", "stop_recording", "Timeline", "Work", "Transfer")),
    Noun("errors", "Errors", "errors_and_threads", ("error.hpp", "cxx20.hpp"), ("status.h",), ("seiche_base", "seiche_status_types"),
         ("Error", "Fault", "BadArgument", "BadFile", "Unwritable", "MpiError", "Unsupported", "InternalError", "WrongType",
          "mpi_library")),
)
