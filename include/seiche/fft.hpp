// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distributed three-dimensional Fourier transforms: of dense grids, and of spheres of plane waves.
/// Conventions (docs/conventions.md): f(r) = sum_G c(G) exp(+i G.r); forward transforms carry the 1/(nx ny nz),
/// so each is the inverse of backward.
#pragma once

#include <mpi.h>

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "seiche/exchange.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// Which library transforms the lines.
enum class LineLibrary {
  automatic,  ///< what SEICHE_FFT names (fftw, mkl), else MKL on Intel's processors, else FFTW
  fftw,
  mkl
};
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
  Algorithm algorithm = Algorithm::automatic;              ///< who moves the data between ranks
  LineLibrary library = LineLibrary::automatic;            ///< who transforms lines
  Decomposition decomposition = Decomposition::automatic;  ///< how ranks share the grid
  int threads = 1;                                         ///< OpenMP threads of this rank that share the lines
  bool reproducible =
      false;  ///< each line by the same code wherever it lies: results independent of ranks to the last bit
  Progress progress = Progress::automatic;  ///< who drives exchanges while lines are transformed
  /// Bands in flight at once, where many are transformed in one call. 0: 3 where exchanges go on meanwhile, else 1.
  int window = 0;
  /// Parts in which one dense transform goes through its exchanges, by their relative sizes: {3, 1} sends three
  /// quarters while the last is computed. Empty: where exchanges go on meanwhile 4 to 16, by the size of messages, else
  /// one.
  std::vector<int> chunks{};
  /// Groups into which ranks are divided for the bands of one call (spheres only): band b is transformed by group
  /// b % band_groups alone, and between groups only coefficients travel, a fraction of what a transpose moves. A
  /// divisor of the number of ranks. 0: what the tuning file says, else one group of all ranks.
  int band_groups = 1;
  /// Values of double precision travel between ranks in single precision (not where ranks share memory): half the
  /// bytes, and an error of at most 6e-8 of each value at every exchange.
  bool rounded_exchange = false;
};

template <class Value>
struct ComplexOf {
  using type = std::complex<Value>;
};
template <class Real>
struct ComplexOf<std::complex<Real>> {
  using type = std::complex<Real>;
};

/// What a plan does and costs, for reports.
struct FftReport {
  std::string library;        ///< "fftw" or "mkl"
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

/// Values of one dense grid, distributed, in memory that a plan laid out (padded). Holds grid values or a spectrum, one
/// at a time: both may lie in the same memory. Freed collectively: let it go on all ranks alike.
template <class Value>
class Field {
 public:
  using Complex = typename ComplexOf<Value>::type;
  /// Values of this rank's grid_box(). Collective after a forward: waits until all ranks have let go of the
  /// spectrum.
  View<Value> grid();
  View<Complex> spectrum();  ///< Values of this rank's spectrum_box(). \pre the last transform was forward, or none was

  struct Body;
  explicit Field(std::unique_ptr<Body> body);
  ~Field();
  Field(Field&&) noexcept;
  Field& operator=(Field&&) noexcept;
  Body& body() const { return *body_; }

 private:
  std::unique_ptr<Body> body_;
};

/// Plans are kept: a plan made again with the same arguments on all ranks is the one made before (docs/fft.md). At most
/// 16 plans of a communicator have their windows and buffers open, however many there are; others open them again when
/// they are used next.

/// Transforms a dense grid distributed over ranks. Value is std::complex<Real> (c2c) or Real (r2c and c2r, the spectrum
/// then has nx/2+1 points along x); Real is float or double. Any size works on any number of ranks; some may own
/// nothing.
template <class Value>
class DenseFft {
 public:
  using Complex = typename ComplexOf<Value>::type;

  /// Collective over `comm`.
  DenseFft(MPI_Comm comm, GridShape shape, FftOptions options = {});
  ~DenseFft();
  DenseFft(DenseFft&&) noexcept;
  DenseFft& operator=(DenseFft&&) noexcept;

  Field<Value> allocate();  ///< Collective. Memory in the plan's own padded layout; the fastest way to use it.
  void forward(Field<Value>& field);   ///< Collective. In place; scaled by 1/(nx ny nz).
  void backward(Field<Value>& field);  ///< Collective. In place.

  /// Collective. The same for the caller's own dense arrays (x fastest, no padding), at the cost of two copies.
  void forward(std::span<const Value> grid, std::span<Complex> spectrum);
  void backward(std::span<const Complex> spectrum, std::span<Value> grid);

  const Box& grid_box() const noexcept;  ///< the part of the grid held by this rank: rows along x are whole
  /// Collective. Moves what one forward and one backward would move, and computes nothing: what the exchanges cost
  /// alone. `asleep`: sleeps while it waits, so that its CPU time is theirs too. The field's values are lost.
  void exchange_only(Field<Value>& field, bool asleep = false);

  const Box& spectrum_box() const noexcept;  ///< the part of the spectrum held by this rank: columns along z are whole
  const FftReport& report() const noexcept;
  ProgressReport progress() const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

/// Transforms plane-wave coefficients c(G) to values on a grid and back. Value is std::complex<Real> for full spheres,
/// or Real for half spheres, where c(-G) = conj c(G) and either of G and -G is given (real functions; "gamma only").
/// Ranks r with equal r / (ranks / band_groups) are a group. All ranks give and get coefficients of all bands; grid
/// values are those of the bands of their own group.
template <class Value>
class SphereFft {
 public:
  using Complex = typename ComplexOf<Value>::type;
  /// A user's function of real space: called for every band with a part of its grid values, which it may change.
  /// `box` says which points they are; rows along x lie in a row (stride 1). May be called from several threads at
  /// once, for different parts.
  using RealSpace = std::function<void(std::int64_t band, const Box& box, View<Value> values)>;

  /// Collective over `comm`. `mine` are the waves whose coefficients this rank holds, in its own order; a rank may own
  /// none. \throws Error when a wave does not fit the grid or is given twice
  SphereFft(MPI_Comm comm, GridShape shape, std::span<const Miller> mine, FftOptions options = {});
  ~SphereFft();
  SphereFft(SphereFft&&) noexcept;
  SphereFft& operator=(SphereFft&&) noexcept;

  /// Collective. `waves` holds bands x mine.size() coefficients, `grid` bands_here(bands) x grid_box().volume() values
  /// (x fastest, bands slowest). `bands` may change from call to call but not from rank to rank.
  void backward(std::span<const Complex> waves, std::span<Value> grid, std::int64_t bands = 1);
  void forward(std::span<const Value> grid, std::span<Complex> waves, std::int64_t bands = 1);
  /// Collective. For each band: backward, `function`, forward; `in` and `out` may be the same.
  void round_trip(std::span<const Complex> in, std::span<Complex> out, std::int64_t bands, const RealSpace& function);
  /// Collective. Moves what a round_trip would move, and computes nothing: what the exchanges cost alone. `asleep`:
  /// sleeps while it waits, so that its CPU time is theirs too.
  void exchange_only(std::int64_t bands, bool asleep = false);
  const Box& grid_box() const noexcept;  ///< the part of the grid held by this rank: rows along x are whole
  /// How many of `bands` bands this rank's group transforms: first_band_here(), and every band_groups-th after it.
  std::int64_t bands_here(std::int64_t bands) const noexcept;
  std::int64_t first_band_here() const noexcept;
  const FftReport& report() const noexcept;
  ProgressReport progress() const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

extern template class DenseFft<double>;
extern template class DenseFft<float>;
extern template class DenseFft<std::complex<double>>;
extern template class DenseFft<std::complex<float>>;
extern template class SphereFft<double>;
extern template class SphereFft<float>;
extern template class SphereFft<std::complex<double>>;
extern template class SphereFft<std::complex<float>>;

}  // namespace seiche
