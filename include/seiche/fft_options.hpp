// SPDX-License-Identifier: BSD-3-Clause
/// \file  What plans of Fourier transforms can be asked for, what they report, and how they share out a grid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "seiche/exchange.hpp"
#include "seiche/layout.hpp"
#include "seiche/space.hpp"

namespace seiche {

/// Which library transforms the lines.
enum class LineLibrary {
  automatic,  ///< what SEICHE_FFT names (fftw, mkl, ducc, fastest), else the last, else MKL on Intel's processors, else
              ///< FFTW
  fftw,
  mkl,
  ducc,    ///< DUCC's transforms, where they were built in
  fastest  ///< the faster of MKL on Intel's processors, else FFTW, and DUCC, measured for each kind of lines that a
           ///< plan has
};
/// The word for it.
std::string name_of(LineLibrary library);
/// The library that `automatic` stands for here. \throws Error when none can be loaded
LineLibrary line_library(LineLibrary wanted = LineLibrary::automatic);

/// How ranks share the grid.
enum class Decomposition {
  automatic,  ///< slab while every rank can have a plane, pencil beyond
  slab,       ///< planes of constant z
  pencil,     ///< rows along x; neighbouring ranks, as a node has them, exchange x for y lines among themselves
  pencil_yz   ///< the same, but neighbouring ranks exchange y for z lines among themselves
};
std::string name_of(Decomposition decomposition);  ///< "automatic", "slab", "pencil", "pencil_yz"

/// All can stay as they are: where the tuning file knows the case (docs/tuning.md), plans take from it what is
/// automatic.
struct FftOptions {
  /// Its window: bands in flight, where many are transformed in one call; 0: 3 where exchanges go on meanwhile, else 1.
  /// Its memory: what FftReport::memory may come to.
  Policy policy{};
  LineLibrary library = LineLibrary::automatic;            ///< who transforms lines
  Decomposition decomposition = Decomposition::automatic;  ///< how ranks share the grid
  int threads = 1;                                         ///< OpenMP threads of this rank that share the lines
  bool reproducible =
      false;  ///< each line by the same code wherever it lies: results independent of ranks to the last bit
  /// Parts in which one dense transform goes through its exchanges, by their relative sizes: {3, 1} sends three
  /// quarters while the last is computed. Empty: where exchanges go on meanwhile 4 to 16, by the size of messages, else
  /// one.
  std::vector<int> chunks{};
  /// Groups into which ranks are divided for the bands of one call (spheres only): band b is transformed by group
  /// b % band_groups alone, and between groups only coefficients travel, a fraction of what a transpose moves. A
  /// divisor of the number of ranks. 0: what the tuning file says, else one for each node where nodes have as many
  /// ranks each, neighbours in `comm`, else 1.
  int band_groups = 0;
  /// Values of double precision travel between ranks in single precision (not where ranks share memory): half the
  /// bytes, and an error of at most 6e-8 of each value at every exchange.
  bool rounded_exchange = false;
  /// Of a band, 1 or 2: what a function on the grid sees together; 2 for spinors. Coefficients are [band][component]
  /// [wave], grid values [band][component][point] (spheres only).
  int components = 1;
  /// Where transforms compute. Callers' arrays are in host memory. A plan on a device copies them, and calls functions
  /// of the user with copies of the values on the host.
  Space space = Space::host;
};

/// Whether what comes back from the grid replaces the coefficients that lie where it goes, or is added to them, as in
/// h_psi += V psi.
enum class Result { replaces, adds };

/// What a plan does and costs, for reports.
struct FftReport {
  std::string library;        ///< "fftw", "mkl", "ducc" or "fastest"
  std::string algorithm;      ///< the exchange algorithm that is used
  std::string decomposition;  ///< "slab" or "pencil"
  int window = 1;
  int band_groups = 1;
  std::int64_t bytes_sent = 0;         ///< by this rank to others, for one transform
  std::int64_t bytes_lower_bound = 0;  ///< of values that this rank must give away in any case, for one transform
  /// Bytes of this rank's memory that transforms need: known before any of the large buffers is made, and the same for
  /// any number of bands. For dense grids, of one field.
  std::int64_t memory = 0;
};

/// Which box of the grid each of `ranks` ranks holds, by rank, without making a plan: the grid_box() of a plan with
/// these options. Where they leave the decomposition open and the tuning file knows the case, a plan may differ.
std::vector<Box> dense_grid_boxes(int ranks, GridShape shape, const FftOptions& options = {});
/// The same of a SphereFft; with band_groups 0, of one with 1.
std::vector<Box> sphere_grid_boxes(int ranks, GridShape shape, const FftOptions& options = {});

}  // namespace seiche
