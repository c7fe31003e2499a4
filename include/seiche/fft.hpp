// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distributed three-dimensional Fourier transforms of dense grids and of spheres of plane waves.
///
/// Convention: f(r) = sum_G c(G) exp(+i G.r). Forward transforms (grid to coefficients) scale by 1/(nx ny nz), so that
/// backward is the inverse of forward.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "seiche/coefficients.hpp"
#include "seiche/communicator.hpp"
#include "seiche/dense_arrays.hpp"
#include "seiche/error.hpp"
#include "seiche/exchange.hpp"
#include "seiche/fft_options.hpp"
#include "seiche/grid_callback.hpp"
#include "seiche/layout.hpp"
#include "seiche/pending.hpp"
#include "seiche/tuning.hpp"

namespace seiche {

/// The type of the coefficients for grid values of type Value.
template <class Value>
struct ComplexOf {
  using type = std::complex<Value>;
};
/// Specialization for complex grid values.
template <class Real>
struct ComplexOf<std::complex<Real>> {
  using type = std::complex<Real>;
};

/// Values of one distributed dense grid, in padded memory of a plan. A field contains either grid values or a spectrum,
/// because both may share the same memory. The destructor is collective. One thread at a time may use a field (see
/// communicator.hpp).
template <class Value>
class Field {
 public:
  using Complex = typename ComplexOf<Value>::type;  ///< Type of the spectrum.
  /// Local. Returns a view of the grid values of this rank, DenseFft::grid_box(). Rows along x are contiguous, and rows
  /// and planes are padded (View::padded_shape).
  /// \throws Error if the field contains a spectrum, or is on a device
  View<Value> grid() const;
  /// Local. Returns a view of the spectrum of this rank, DenseFft::spectrum_box(), with the same memory layout.
  /// \throws Error if the field contains grid values, or is on a device
  View<Complex> spectrum() const;
  /// Collective. Makes the field contain grid values, which the caller must fill in. A spectrum is lost. Has no effect
  /// if the field contains grid values already.
  void become_grid();
  /// Collective. Makes the field contain a spectrum, which the caller must fill in. Grid values are lost. Has no effect
  /// if the field contains a spectrum already.
  void become_spectrum();
  void close();  ///< Collective. Frees the memory. Afterwards the field can only be assigned to.

  struct Body;
  /// For internal use; see DenseFft::allocate().
  explicit Field(std::shared_ptr<Body> body);
  ~Field();
  Field(Field&&) noexcept;
  Field& operator=(Field&&) noexcept;

 private:
  Body& body() const;
  std::shared_ptr<Body> body_;
};

/// Transforms a dense grid that is distributed over ranks. Value is std::complex<Real> (c2c) or Real (r2c and c2r);
/// Real is float or double. For real values the spectrum has nx/2+1 points along x. Any grid size works on any number
/// of ranks; some ranks may own nothing.
///
/// With Space::cuda, arrays of the caller may be in device memory, and are used in place. Fields have no views.
///
/// Plans are cached: constructing a plan with the same arguments on all ranks reuses the existing one. Such plans share
/// memory, but each has its own progress(). At most 16 plans of a communicator have open windows and buffers. Other
/// plans reopen them at their next use. One thread at a time may use a plan (see communicator.hpp).
template <class Value>
class DenseFft {
 public:
  using Complex = typename ComplexOf<Value>::type;  ///< Type of the spectrum.

  /// Collective over `comm`. Creates a plan for fields (allocate()) and for dense arrays of one field.
  /// \throws Error for invalid options, or if more memory is needed than `options.policy.memory`
  DenseFft(const Communicator& comm, GridShape shape, FftOptions options = {});
  /// Collective over `comm`. Creates a plan for many fields in the caller's arrays. forward() and backward() transform
  /// all of them without a copy. Several are in flight, and small ones are combined. allocate() is not available.
  /// \throws Error if the boxes of all ranks do not form the grid and its spectrum
  DenseFft(const Communicator& comm, GridShape shape, const DenseArrays& arrays, FftOptions options = {});
  ~DenseFft();
  DenseFft(DenseFft&&) noexcept;
  DenseFft& operator=(DenseFft&&) noexcept;

  /// Collective. Frees the memory for the caller's arrays, but no fields. The plan cannot be used afterwards. Other
  /// plans with the same arguments are not affected.
  void close();

  /// Collective. Creates a field in padded memory of the plan. Fields give the best performance.
  Field<Value> allocate();
  /// Collective. Transforms grid values to a spectrum, in place. Scales by 1/(nx ny nz).
  /// \throws Error if the field belongs to another plan, or does not contain grid values
  void forward(Field<Value>& field);
  /// Collective. Transforms a spectrum to grid values, in place.
  /// \throws Error if the field belongs to another plan, or does not contain a spectrum
  void backward(Field<Value>& field);
  /// Collective. Transforms many fields forward, in place. Communication of some overlaps with computation of others.
  void forward(std::span<Field<Value>> fields);
  /// Collective. Transforms many fields backward, in place.
  void backward(std::span<Field<Value>> fields);

  /// Collective. Transforms grid values in the caller's array to a spectrum in another one. The arrays have the layout
  /// of the plan's DenseArrays, or are dense: x fastest, without padding.
  /// \throws Error if the size of an array does not fit its box
  void forward(std::span<const Value> grid, std::span<Complex> spectrum);
  /// Collective. Transforms a spectrum in the caller's array to grid values in another one. Layouts as for forward().
  /// \throws Error if the size of an array does not fit its box
  void backward(std::span<const Complex> spectrum, std::span<Value> grid);

  /// Collective. Starts forward(). finish() of the result completes it and throws its errors (see pending.hpp). The
  /// arrays and fields must exist until then.
  Pending start_forward(std::span<const Value> grid, std::span<Complex> spectrum);
  /// Collective. Starts backward().
  Pending start_backward(std::span<const Complex> spectrum, std::span<Value> grid);
  /// Collective. Starts the forward transform of many fields.
  Pending start_forward(std::span<Field<Value>> fields);
  /// Collective. Starts the backward transform of many fields.
  Pending start_backward(std::span<Field<Value>> fields);

  const Box& grid_box() const;      ///< Local. This rank's part of the grid. Rows along x are whole.
  const Box& spectrum_box() const;  ///< Local. This rank's part of the spectrum. Columns along z are whole.

  const FftReport& report() const;  ///< Local. Settings and costs of the plan.
  ProgressReport progress() const;  ///< Local. Use of time in calls of this object.

  struct Body;  ///< For internal use.

 private:
  Body& body() const;
  std::shared_ptr<Body> body_;
};

/// Transforms plane-wave coefficients c(G) to values on a grid and back. Value is std::complex<Real> for full spheres,
/// or Real for half spheres ("gamma only"). A half sphere has one of each pair G and -G, with c(-G) = conj c(G).
///
/// Coefficients are stored as [band][component][wave]; see Coefficients for padded rows. Grid values are stored as
/// [band][component][z][y][x]. The number of bands may differ between calls. It must be equal on all ranks; otherwise
/// all ranks throw an Error.
///
/// Band groups: ranks r with equal r / (ranks / band_groups) form a group, which transforms every band_groups-th band.
/// All ranks pass and receive coefficients of all bands, and grid values of the bands of their own group.
///
/// Callbacks: do not call the plan, or any collective operation, from inside a callback, because ranks reach it at
/// different times. Collective calls on MPI_COMM_SELF are safe. With options.threads = 1 the callback may call MPI; a
/// progress thread pauses meanwhile. With more threads that requires MPI_THREAD_MULTIPLE.
///
/// Plans are cached as for DenseFft. One thread at a time may use a plan (see communicator.hpp).
template <class Value>
class SphereFft {
 public:
  using Complex = typename ComplexOf<Value>::type;  ///< Type of the coefficients.
  using Callback = GridCallback<Value>;
  using RealSpace = typename Callback::RealSpace;      ///< Function of one component.
  using SpinorSpace = typename Callback::SpinorSpace;  ///< Function of all components.
  using OnDevice = typename Callback::OnDevice;        ///< Function that starts kernels.

  /// Collective over `comm`. Creates a plan. `mine` are the waves of this rank, in any order; a rank may have none.
  /// \throws Error if a wave does not fit the grid or occurs twice, for invalid options, or if more memory is needed
  /// than `options.policy.memory`
  SphereFft(const Communicator& comm, GridShape shape, std::span<const Miller> mine, FftOptions options = {});
  ~SphereFft();
  SphereFft(SphereFft&&) noexcept;
  SphereFft& operator=(SphereFft&&) noexcept;
  /// Collective. Frees windows and buffers. The plan cannot be used afterwards. Other plans with the same arguments are
  /// not affected.
  void close();

  /// Collective. Transforms coefficients to grid values. `grid` has the shape [bands_here(bands)][components][z][y][x],
  /// with the points of grid_box().
  /// \throws Error if the size of an array does not fit
  void backward(Coefficients<const Complex> coefficients, std::span<Value> grid, std::int64_t bands = 1);
  /// Collective. Transforms grid values to coefficients and scales by 1/(nx ny nz). Shapes as for backward().
  /// \throws Error if the size of an array does not fit
  void forward(std::span<const Value> grid, Coefficients<Complex> coefficients, std::int64_t bands = 1);

  /// Collective. Transforms each band to the grid and calls `function`. The grid is not stored. RealSpace needs a plan
  /// with one component. OnDevice needs a plan on a device.
  /// \throws Error if the size of an array does not fit, or with the error of a callback on any rank
  void to_grid(Coefficients<const Complex> in, std::int64_t bands, const Callback& function);
  /// Collective. Transforms each band to the grid, calls `function`, and transforms the values back, on a device after
  /// the kernels that it starts. `in` and `out` may be the same array. Callbacks and errors as for to_grid().
  void round_trip(Coefficients<const Complex> in, Coefficients<Complex> out, std::int64_t bands,
                  const Callback& function, Result result = Result::replaces);

  /// Collective. Multiplies each component of each band by a real potential on the grid and transforms it back.
  /// `potential` has one value per point of grid_box(), x fastest. For complex spinors it may have four such arrays
  /// (v, bx, by, bz), which apply v + b.sigma.
  /// \throws Error if the size of an array does not fit
  void apply_potential(Coefficients<const Complex> in, Coefficients<Complex> out, std::int64_t bands,
                       std::span<const double> potential, Result result = Result::replaces);
  /// Collective. Adds sum_b weights[b] |psi_b(r)|^2 to `density`, summed over components. `density` has one value per
  /// point of grid_box(), x fastest. For complex spinors it may have four such arrays (n, mx, my, mz). Only bands of
  /// this rank's group contribute; collect() sums over groups. Weights are equal on all ranks. Bands with weight 0 are
  /// not transformed.
  /// \throws Error if the size of an array does not fit
  void add_density(Coefficients<const Complex> in, std::span<const double> weights, std::int64_t bands,
                   std::span<double> density);

  /// Collective. Multiplies bands by a complex potential and transforms them to the waves of the plan `target`: dpsi =
  /// dV psi. Linear response needs it with spheres of k and k + q. `in` are on the waves of this plan, `out` on the
  /// waves of `target`. `potential` as for apply_potential(). Both plans have full spheres on the host, and the same
  /// communicator, grid and options. They may be the same plan. Messages of both are in flight at the same time.
  /// \throws Error if the plans or the size of an array do not fit, or if `in` and `out` overlap
  void apply_perturbation(SphereFft& target, Coefficients<const Complex> in, Coefficients<Complex> out,
                          std::int64_t bands, std::span<const std::complex<double>> potential,
                          Result result = Result::replaces);
  /// Collective. Adds sum_b weights[b] conj(psi_b(r)) phi_b(r) to `density`, summed over components. The bands psi are
  /// `left` on the waves of this plan, and phi are `right` on the waves of `other`. Plans as for apply_perturbation().
  /// For spinors `density` may have four arrays (n, mx, my, mz), the sums with 1, sigma_x, sigma_y and sigma_z between
  /// both bands. Groups and weights as for add_density().
  /// \throws Error if the plans or the size of an array do not fit
  void add_products(SphereFft& other, Coefficients<const Complex> left, Coefficients<const Complex> right,
                    std::span<const double> weights, std::int64_t bands, std::span<std::complex<double>> density);

  /// Collective. Functions start_...() start the call of the same name without `start_`. finish() of the result
  /// completes it and throws its errors (see pending.hpp). The caller's arrays must exist until then.
  Pending start_backward(Coefficients<const Complex> coefficients, std::span<Value> grid, std::int64_t bands = 1);
  /// Collective. Starts forward().
  Pending start_forward(std::span<const Value> grid, Coefficients<Complex> coefficients, std::int64_t bands = 1);
  /// Collective. Starts round_trip(). The result contains a copy of the function.
  Pending start_round_trip(Coefficients<const Complex> in, Coefficients<Complex> out, std::int64_t bands,
                           Callback function, Result result = Result::replaces);
  /// Collective. Starts apply_potential().
  Pending start_apply_potential(Coefficients<const Complex> in, Coefficients<Complex> out, std::int64_t bands,
                                std::span<const double> potential, Result result = Result::replaces);
  /// Collective. Starts add_density().
  Pending start_add_density(Coefficients<const Complex> in, std::span<const double> weights, std::int64_t bands,
                            std::span<double> density);
  /// Collective. Starts apply_perturbation().
  Pending start_apply_perturbation(SphereFft& target, Coefficients<const Complex> in, Coefficients<Complex> out,
                                   std::int64_t bands, std::span<const std::complex<double>> potential,
                                   Result result = Result::replaces);
  /// Collective. Starts add_products().
  Pending start_add_products(SphereFft& other, Coefficients<const Complex> left, Coefficients<const Complex> right,
                             std::span<const double> weights, std::int64_t bands,
                             std::span<std::complex<double>> density);

  /// Collective. Redistributes a potential from the caller's layout to the plan's. `values` are on `box` of this rank,
  /// `here` on grid_box(); x is fastest in both. The boxes of all ranks must cover each grid point once; some may be
  /// empty. Arrays may contain several fields, [field][z][y][x], the same number on all ranks. The exchange is cached
  /// for later calls with the same boxes.
  /// \throws Error if boxes overlap or do not cover the grid
  void spread(const Box& box, std::span<const double> values, std::span<double> here);
  /// Collective. Redistributes complex values.
  void spread(const Box& box, std::span<const std::complex<double>> values, std::span<std::complex<double>> here);
  /// Collective. Redistributes densities in `here` to the caller's layout, sums them over band groups, and adds them to
  /// `values`. Arguments and errors are the same as for spread().
  void collect(std::span<const double> here, const Box& box, std::span<double> values);
  /// Collective. Redistributes, sums and adds complex values.
  void collect(std::span<const std::complex<double>> here, const Box& box, std::span<std::complex<double>> values);
  /// Collective. Transforms coefficients to grid values in the caller's boxes, as backward() and a redistribution.
  /// `values` has the shape [bands][components][z][y][x], with the points of `box` of this rank and all bands. The
  /// boxes of all ranks must cover each grid point once; some may be empty.
  /// \throws Error if the size of an array does not fit, or if boxes overlap or do not cover the grid
  void backward_to_boxes(Coefficients<const Complex> coefficients, const Box& box, std::span<Value> values,
                         std::int64_t bands = 1);
  /// Collective. Transforms grid values in the caller's boxes to coefficients, as a redistribution and forward().
  /// Arguments and errors are the same as for backward_to_boxes().
  void forward_from_boxes(const Box& box, std::span<const Value> values, Coefficients<Complex> coefficients,
                          std::int64_t bands = 1);

  /// Transforms bands to the grid as they become available. Band numbers continue across add() calls. Bands are
  /// exchanged while the caller prepares the next ones.
  ///
  /// If destroyed without finish(), it completes the pending exchanges and does not call the function again. The
  /// destructor is collective. Builds with SEICHE_CHECKS verify that every rank passes the same number of bands. One
  /// thread at a time may use a stream.
  class Stream {
   public:
    ~Stream();
    Stream(Stream&&) noexcept;
    Stream& operator=(Stream&&) noexcept;
    /// Collective. Adds bands. `in` may be changed when the call returns. The callback may be called later, until
    /// finish() returns.
    void add(Coefficients<const Complex> in, std::int64_t bands);
    /// Local. Reports an error on this rank; finish() will throw it on all ranks. Keep calling add() with the same
    /// number of bands (any values) and then finish().
    void fail(const Error& fault);
    /// Collective. Completes all bands. \throws the first error of any rank since the beginning
    void finish();

    struct Flowing;
    /// For internal use; see SphereFft::open_stream().
    explicit Stream(std::unique_ptr<Flowing> flowing);

   private:
    Flowing& flowing() const;
    std::unique_ptr<Flowing> flowing_;
  };
  /// Collective. Opens a stream. The plan can be used for other bands meanwhile. Callbacks as for to_grid().
  Stream open_stream(Callback function);

  const Box& grid_box() const;  ///< Local. This rank's part of the grid. Rows along x are whole.
  /// Local. Returns how many of `bands` bands this rank's group transforms: first_band_here(), and every band_groups-th
  /// band after it.
  std::int64_t bands_here(std::int64_t bands) const;
  std::int64_t first_band_here() const;  ///< Local. First band that this rank's group transforms, from 0.
  const FftReport& report() const;       ///< Local. Settings and costs of the plan.
  ProgressReport progress() const;       ///< Local. Use of time in calls of this object.

  // Names of version 0.2.
  [[deprecated("use to_grid")]] void backward(Coefficients<const Complex> in, std::int64_t bands, const Callback& f) {
    to_grid(in, bands, f);
  }
  [[deprecated("use to_grid")]] void to_grid_spinors(Coefficients<const Complex> in, std::int64_t bands,
                                                     const SpinorSpace& f) {
    to_grid(in, bands, f);
  }
  [[deprecated("use round_trip")]] void round_trip_spinors(Coefficients<const Complex> in, Coefficients<Complex> out,
                                                           std::int64_t bands, const SpinorSpace& f,
                                                           Result result = Result::replaces) {
    round_trip(in, out, bands, f, result);
  }
  [[deprecated("use start_round_trip")]] Pending start_round_trip_spinors(Coefficients<const Complex> in,
                                                                          Coefficients<Complex> out, std::int64_t bands,
                                                                          SpinorSpace f,
                                                                          Result result = Result::replaces) {
    return start_round_trip(in, out, bands, std::move(f), result);
  }
  [[deprecated("use open_stream")]] Stream stream(RealSpace f) { return open_stream(std::move(f)); }
  [[deprecated("use open_stream")]] Stream stream_spinors(SpinorSpace f) { return open_stream(std::move(f)); }

  struct Body;  ///< For internal use.

 private:
  Body& body() const;
  std::shared_ptr<Body> body_;
};

/// Collective. Times forward and backward transforms of a dense grid with different settings and writes the fastest to
/// the tuning file. Later plans of the same case with `automatic` algorithm use it. Value is double or
/// std::complex<double>.
/// \throws Error(unwritable) if the file cannot be written
template <class Value>
TuneReport<FftOptions> tune_dense(const Communicator& comm, GridShape shape, const TuneRequest& request = {});
/// Collective. Times round trips of bands of the waves `mine` with different settings. Otherwise same as tune_dense().
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
