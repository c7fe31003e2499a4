// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distributed three-dimensional Fourier transforms: of dense grids, and of spheres of plane waves.
/// Conventions (docs/conventions.md): f(r) = sum_G c(G) exp(+i G.r); forward transforms carry the 1/(nx ny nz),
/// so each is the inverse of backward.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>

#include "seiche/communicator.hpp"
#include "seiche/dense_arrays.hpp"
#include "seiche/error.hpp"
#include "seiche/exchange.hpp"
#include "seiche/fft_options.hpp"
#include "seiche/layout.hpp"
#include "seiche/tuning.hpp"

namespace seiche {

/// The type of coefficients of grid values.
template <class Value>
struct ComplexOf {
  using type = std::complex<Value>;
};
/// The same of complex values.
template <class Real>
struct ComplexOf<std::complex<Real>> {
  using type = std::complex<Real>;
};

/// Values of one dense grid, distributed, in memory that a plan laid out (padded). Holds grid values or a spectrum, one
/// at a time: both may lie in the same memory. Freed collectively: close() it or let it go on all ranks alike.
/// For one thread at a time: see communicator.hpp.
template <class Value>
class Field {
 public:
  using Complex = typename ComplexOf<Value>::type;
  /// Values of this rank's grid_box(), and of its spectrum_box(): rows along x lie in a row, planes are whole rows
  /// apart (View::padded_shape). \throws Error while the field holds the other kind
  View<Value> grid() const;
  View<Complex> spectrum() const;
  /// Collective. From here on the field holds values of that kind, which the caller has to fill in; what it held is
  /// lost. Does nothing where it holds them already.
  void become_grid();
  void become_spectrum();
  void close();  ///< Collective. Frees the memory; the field can only be assigned to after that.

  struct Body;
  explicit Field(std::unique_ptr<Body> body);
  ~Field();
  Field(Field&&) noexcept;
  Field& operator=(Field&&) noexcept;
  Body& body() const;  ///< \throws Error after close()

 private:
  std::unique_ptr<Body> body_;
};

/// Plans are kept: what is made again with the same arguments on all ranks is found (docs/fft.md). Such plans have
/// their lists and memory in common, each its own progress(), and can be used in turn. At most 16 plans of a
/// communicator have their windows and buffers open, however many there are; others open them again when they are used
/// next.

/// Transforms a dense grid distributed over ranks. Value is std::complex<Real> (c2c) or Real (r2c and c2r, the spectrum
/// then has nx/2+1 points along x); Real is float or double. Any size works on any number of ranks; some may own
/// nothing.
/// For one thread at a time: see communicator.hpp.
template <class Value>
class DenseFft {
 public:
  using Complex = typename ComplexOf<Value>::type;

  /// Collective over `comm`.
  DenseFft(const Communicator& comm, GridShape shape, FftOptions options = {});
  /// Collective over `comm`. For fields in callers' own arrays, as these lie: forward() and backward() take them all,
  /// several in flight, and small ones together. It has no fields of its own. \throws Error when the boxes of all ranks
  /// are not the grid and its spectrum
  DenseFft(const Communicator& comm, GridShape shape, const DenseArrays& arrays, FftOptions options = {});
  ~DenseFft();
  DenseFft(DenseFft&&) noexcept;
  DenseFft& operator=(DenseFft&&) noexcept;

  /// Collective. Frees the memory that the plan has for callers' own arrays, but no fields. It cannot be used after
  /// that; plans with the same arguments can.
  void close();

  Field<Value> allocate();  ///< Collective. Memory in the plan's own padded layout; the fastest way to use it.
  void forward(Field<Value>& field);   ///< Collective. In place; scaled by 1/(nx ny nz).
  void backward(Field<Value>& field);  ///< Collective. In place.
  /// Collective. The same for many, of which some are on their way while others are worked on.
  void forward(std::span<Field<Value>> fields);
  void backward(std::span<Field<Value>> fields);

  /// Collective. The same for the caller's own arrays, which the first lines read and the last ones write: dense ones
  /// of one field (x fastest, no padding), or what the plan was made for.
  void forward(std::span<const Value> grid, std::span<Complex> spectrum);
  void backward(std::span<const Complex> spectrum, std::span<Value> grid);

  const Box& grid_box() const;      ///< the part of the grid held by this rank: rows along x are whole
  const Box& spectrum_box() const;  ///< the part of the spectrum held by this rank: columns along z are whole
  /// Collective. Moves what one forward and one backward would move, and computes nothing: what the exchanges cost
  /// alone. `asleep`: sleeps while it waits, so that its CPU time is theirs too. The field's values are lost.
  void exchange_only(Field<Value>& field, bool asleep = false);

  const FftReport& report() const;
  ProgressReport progress() const;  ///< of calls of this plan, not of others with the same arguments

 private:
  struct Body;
  Body& body() const;
  std::unique_ptr<Body> body_;
};

/// Transforms plane-wave coefficients c(G) to values on a grid and back. Value is std::complex<Real> for full spheres,
/// or Real for half spheres, where c(-G) = conj c(G) and either of G and -G is given (real functions; "gamma only").
/// Ranks r with equal r / (ranks / band_groups) are a group. All ranks give and get coefficients of all bands; grid
/// values are those of the bands of their own group.
/// Inside of a function on the grid the plan that calls it cannot be used. Ranks call the function at different times:
/// a collective call in it is safe on MPI_COMM_SELF only. With one of options.threads the function may call MPI; a
/// progress thread waits meanwhile. With more threads it needs MPI_THREAD_MULTIPLE for that.
/// For one thread at a time: see communicator.hpp.
template <class Value>
class SphereFft {
 public:
  using Complex = typename ComplexOf<Value>::type;
  /// A user's function of real space: called for every band with a part of its grid values, which it may change.
  /// `box` says which points they are; rows along x lie in a row (stride 1). May be called from several threads at
  /// once, for different parts.
  using RealSpace = std::function<void(std::int64_t band, const Box& box, View<Value> values)>;
  /// The same, with all components of the band.
  using SpinorSpace = std::function<void(std::int64_t band, const Box& box, std::span<const View<Value>> components)>;

  /// Collective over `comm`. `mine` are the waves whose coefficients this rank holds, in its own order; a rank may own
  /// none. \throws Error when a wave does not fit the grid or is given twice
  SphereFft(const Communicator& comm, GridShape shape, std::span<const Miller> mine, FftOptions options = {});
  ~SphereFft();
  SphereFft(SphereFft&&) noexcept;
  SphereFft& operator=(SphereFft&&) noexcept;
  /// Collective. Frees the plan's windows and buffers. It cannot be used after that; plans with the same arguments can.
  void close();

  /// Coefficients are rows [band][component] of mine.size() elements, or longer ones, of which the rest is not touched:
  /// an array's size says their length. `bands` may change from call to call but not from rank to rank, which is seen.

  /// Collective. `grid` holds bands_here(bands) x grid_box().volume() values (x fastest, then components, bands
  /// slowest).
  void backward(std::span<const Complex> waves, std::span<Value> grid, std::int64_t bands = 1);
  void forward(std::span<const Value> grid, std::span<Complex> waves, std::int64_t bands = 1);
  /// Collective. For each band: backward, `function`, forward; `in` and `out` may be the same.
  void round_trip(std::span<const Complex> in, std::span<Complex> out, std::int64_t bands, const RealSpace& function,
                  Result result = Result::replaces);
  void round_trip_spinors(std::span<const Complex> in, std::span<Complex> out, std::int64_t bands,
                          const SpinorSpace& function, Result result = Result::replaces);
  /// Collective. For each band: backward and `function`; no grid is stored, and nothing comes back.
  void backward(std::span<const Complex> in, std::int64_t bands, const RealSpace& function);
  void to_grid_spinors(std::span<const Complex> in, std::int64_t bands, const SpinorSpace& function);

  /// Collective. A round trip in which each band, and each of its components, is multiplied by a real potential: one
  /// value for each point of grid_box(), x fastest. Of complex spinors also by v + b.sigma: four such arrays in a row,
  /// v, bx, by, bz.
  void apply_potential(std::span<const Complex> in, std::span<Complex> out, std::int64_t bands,
                       std::span<const double> potential, Result result = Result::replaces);
  /// Collective. Adds sum_b weights[b] |psi_b(r)|^2 on grid_box() to `density`, components summed, band after band. Of
  /// complex spinors also the magnetisation, to four such arrays in a row: n, mx, my, mz. Of the bands of this rank's
  /// group: collect() sums over groups. Bands whose weight is 0 on all ranks are not transformed.
  void add_density(std::span<const Complex> in, std::span<const double> weights, std::int64_t bands,
                   std::span<double> density);
  /// Collective. Copies a potential from the caller's layout of the grid, `box` on this rank, x fastest, to `here` on
  /// grid_box(). Ranks' boxes make up the grid, each point once; some may be empty. Arrays may hold several fields, one
  /// after another, as many on all ranks. The plan keeps its exchange for later calls with the same boxes. \throws
  /// Error where boxes overlap or leave points out
  void spread(const Box& box, std::span<const double> values, std::span<double> here);
  void spread(const Box& box, std::span<const std::complex<double>> values, std::span<std::complex<double>> here);
  /// Collective. Adds to `values` the densities in `here`, summed over band groups. The way back of spread(), by the
  /// same rules.
  void collect(std::span<const double> here, const Box& box, std::span<double> values);
  void collect(std::span<const std::complex<double>> here, const Box& box, std::span<std::complex<double>> values);

  /// The way to the grid for bands that come by and by, counted through all of them: what add() brings is on its way
  /// while the caller gets more. Let go of without finish(), it takes what is on its way to its end without calling the
  /// function; on all ranks alike. That all bring as many bands is seen where the library has SEICHE_CHECKS. For one
  /// thread at a time, as its plan is.
  class Stream {
   public:
    ~Stream();
    Stream(Stream&&) noexcept;
    Stream& operator=(Stream&&) noexcept;
    /// Collective. `in` has been read when it returns; the function may be called later, until finish() has returned.
    void add(std::span<const Complex> in, std::int64_t bands);
    /// What went wrong on this rank, and finish() is to throw on all: this rank still has to add what the others add,
    /// of any values, and to finish.
    void fail(const Error& fault);
    /// Collective. \throws what went wrong on any rank since the beginning
    void finish();

    struct Flowing;
    explicit Stream(std::unique_ptr<Flowing> flowing);

   private:
    Flowing& flowing() const;
    std::unique_ptr<Flowing> flowing_;
  };
  /// Collective.
  Stream stream(RealSpace function);
  Stream stream_spinors(SpinorSpace function);

  /// Collective. Moves what a round_trip would move, and computes nothing: what the exchanges cost alone. `asleep`:
  /// sleeps while it waits, so that its CPU time is theirs too.
  void exchange_only(std::int64_t bands, bool asleep = false);
  const Box& grid_box() const;  ///< the part of the grid held by this rank: rows along x are whole
  /// How many of `bands` bands this rank's group transforms: first_band_here(), and every band_groups-th after it.
  std::int64_t bands_here(std::int64_t bands) const;
  std::int64_t first_band_here() const;
  const FftReport& report() const;
  ProgressReport progress() const;  ///< of calls of this plan, not of others with the same arguments

 private:
  struct Body;
  Body& body() const;
  std::shared_ptr<Body> body_;
};

/// Collective. Runs forward and backward pairs of a dense grid in all ways that these ranks can use, and writes what
/// won to the tuning file (docs/tuning.md). Plans of the same case whose algorithm is `automatic` use it from then on.
/// Value is double or std::complex<double>. \throws Error(unwritable) when the file cannot be written
template <class Value>
TuneReport<FftOptions> tune_dense(const Communicator& comm, GridShape shape, const TuneRequest& request = {});
/// Collective. The same for round trips of bands of the waves `mine`.
template <class Value>
TuneReport<FftOptions> tune_sphere(const Communicator& comm, GridShape shape, std::span<const Miller> mine,
                                   const TuneRequest& request = {});

extern template class DenseFft<double>;
extern template class DenseFft<float>;
extern template class DenseFft<std::complex<double>>;
extern template class DenseFft<std::complex<float>>;
extern template class SphereFft<double>;
extern template class SphereFft<float>;
extern template class SphereFft<std::complex<double>>;
extern template class SphereFft<std::complex<float>>;

}  // namespace seiche
