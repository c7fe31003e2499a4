// SPDX-License-Identifier: BSD-3-Clause
/// \file  Options and reports of Fourier transforms, and the distribution of grids. All functions are local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "seiche/exchange.hpp"
#include "seiche/layout.hpp"
#include "seiche/space.hpp"

namespace seiche {

/// Library of the 1D FFTs.
enum class LineLibrary {
  /// SEICHE_FFT (fftw, mkl, ducc, fastest) if set; else the tuning file; else `fastest` if available, else MKL or FFTW
  automatic,
  fftw,    ///< FFTW
  mkl,     ///< Intel MKL
  ducc,    ///< DUCC, if built in
  fastest  ///< the faster of DUCC and MKL (Intel processors) or FFTW (others), measured for each kind of 1D FFT
};
/// Returns the name of a library: "fftw", "mkl", "ducc" or "fastest".
std::string name_of(LineLibrary library);
/// Returns the library that a plan would use. \throws Error(unsupported) if it cannot be loaded
LineLibrary line_library(LineLibrary wanted = LineLibrary::automatic);

/// Distribution of the grid over ranks.
enum class Decomposition {
  automatic,  ///< `slab` if every rank can have a plane, else `pencil`
  slab,       ///< planes of constant z
  pencil,     ///< rows along x; the exchange between x and y is among neighbouring ranks, e.g. of one node
  pencil_yz   ///< rows along x; the exchange between y and z is among neighbouring ranks
};
/// Returns the name of a decomposition: "automatic", "slab", "pencil" or "pencil_yz".
std::string name_of(Decomposition decomposition);

/// Options of a plan. Must be equal on all ranks, except `policy.memory`, `policy.progress`, `library` and `threads`.
/// Plans take automatic settings from the tuning file if it has a usable entry for the case. The distribution of the
/// grid and of bands is never taken from the file. Options of the other kind of plan must have their defaults.
struct FftOptions {
  /// `policy.window`: number of bands in flight (0: 3 for non-blocking algorithms, else 1). `policy.memory`: upper
  /// limit for FftReport::memory.
  Policy policy{};
  LineLibrary library = LineLibrary::automatic;            ///< library of the 1D FFTs
  Decomposition decomposition = Decomposition::automatic;  ///< distribution of the grid over ranks
  int threads = 1;                                         ///< number of OpenMP threads of this rank, at least 1
  bool reproducible = false;  ///< results are bitwise identical on any number of ranks and threads
  /// Measure 1D FFTs when the plan is created, if the library can. By default they are measured after some calls, which
  /// may change the last bits of results.
  bool measured = false;
  /// Relative sizes of the chunks into which a dense transform is split to overlap communication. With
  /// {3, 1}, the first three quarters are exchanged while the rest is computed. Empty: by message size for non-blocking
  /// algorithms, else one chunk.
  std::vector<int> chunks{};
  /// Groups of ranks that share the bands of a call (spheres only). Group b % band_groups transforms band b. Only
  /// coefficients are exchanged between groups. Must divide the number of ranks. 0: one group per node if all nodes
  /// have equally many ranks, numbered consecutively; else 1.
  int band_groups = 0;
  /// Exchange doubles as floats, except in shared memory. This halves the bytes. The relative error of each value is at
  /// most 6e-8 per exchange.
  bool rounded_exchange = false;
  /// Components of a band: 1, or 2 for spinors (spheres only).
  int components = 1;
  /// Where transforms are computed. A plan on a device copies the caller's arrays if they are in host memory. Callbacks
  /// receive copies in host memory, except in callbacks on a device (GridCallback).
  Space space = Space::host;
  /// With Space::cuda: handle of the caller's stream (a cudaStream_t as integer) in which kernels run. 0: a stream of
  /// the plan, whose kernels wait for the work that the default stream has when a call begins. Calls return when their
  /// results are complete.
  std::int64_t stream = 0;
  /// Number of planes of constant z of each rank of a band group (spheres only), in the order of ranks. The grid is
  /// then distributed like that of the caller, without the order of SEICHE_TOPOLOGY. A rank may have none. Empty:
  /// nearly equal numbers.
  std::vector<int> slabs{};
};

/// Whether a result replaces the coefficients in the output array or is added to them, as in h_psi += V psi.
enum class Result { replaces, adds };

/// Settings and costs of a plan.
struct FftReport {
  /// "fftw", "mkl", "ducc" or "fastest"; with Space::cuda the kernels: "fused", "five kernels" or "cuFFT"
  std::string library;
  std::string algorithm;  ///< name of the exchange algorithm
  /// Memory from which this rank sends messages: "host", "device" (GPU-aware MPI), or "none" without messages.
  std::string messages = "none";
  std::string decomposition;  ///< "slab", "pencil" or "pencil_yz"
  int window = 1;             ///< number of bands in flight
  int band_groups = 1;        ///< number of band groups
  /// Use of the tuning file: "none" (no entry, or an algorithm that was given), "used", or "ignored: " and the reason.
  std::string tuning = "none";
  std::int64_t bytes_sent = 0;         ///< bytes that this rank sends to others in one transform
  std::int64_t bytes_lower_bound = 0;  ///< bytes that this rank must send with any algorithm
  /// Bytes of memory that transforms need on this rank, for any number of bands. For dense grids: for one field.
  std::int64_t memory = 0;
  /// Bytes of all plans on this rank that the communicator keeps, also of plans that were destroyed without close(). It
  /// keeps the plans that were used last, up to a quarter of the memory of a rank.
  std::int64_t kept_memory = 0;
  /// With SEICHE_TOPOLOGY: bytes of all ranks that cross each level in one transform, and in brackets those without
  /// order_ranks(): "node 1200 (2400), group 600 (1200)". Else "".
  std::string levels;
};

/// Returns the grid_box() of each of `ranks` ranks, in the order of order_ranks(), without creating a plan.
std::vector<Box> dense_grid_boxes(int ranks, GridShape shape, const FftOptions& options = {});
/// Returns the grid_box() of each of `ranks` ranks for a SphereFft, in the same order. `band_groups` = 0 counts as 1,
/// or as `ranks` with Space::cuda.
std::vector<Box> sphere_grid_boxes(int ranks, GridShape shape, const FftOptions& options = {});

}  // namespace seiche
