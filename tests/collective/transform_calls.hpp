// SPDX-License-Identifier: BSD-3-Clause
/// \file  Small cases of collective transforms, for tests of errors that one rank has.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "collective/collective_call.hpp"
#include "exact_exchange/case.hpp"
#include "pair_densities/pair_case.hpp"
#include "seiche/boxes.hpp"
#include "seiche/fft.hpp"
#include "seiche/grid_interpolation.hpp"
#include "seiche/grid_operator.hpp"
#include "support/bands.hpp"
#include "support/fresh_communicator.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

/// The box of this rank of a grid that is cut along z.
inline Box planes_of(const GridShape& shape) {
  Box box = whole(shape);
  box.axis[2] = block(shape.nz, ranks(), rank());
  return box;
}

inline std::vector<Miller> moved(std::vector<Miller> waves) {
  for (Miller& wave : waves) wave.z += 1;
  return waves;
}

/// Plans and data of the calls.
struct CallData {
  static constexpr GridShape shape{6, 5, 8};
  static constexpr std::int64_t bands = 3;
  std::vector<Miller> waves = share_of(waves_of_radius(2), true);
  std::vector<Complex> in = coefficients(waves, bands), out = std::vector<Complex>(in.size());
  SphereFft<Complex> sphere{MPI_COMM_WORLD, shape, waves, {.policy = {.algorithm = Algorithm::pairwise}}};
  /// A plan with as many waves, which are others.
  SphereFft<Complex> other{MPI_COMM_WORLD, shape, moved(waves), {.policy = {.algorithm = Algorithm::pairwise}}};
  DenseFft<Complex> dense{MPI_COMM_WORLD, shape, {.policy = {.algorithm = Algorithm::pairwise}}};
  std::vector<double> potential = std::vector<double>(static_cast<std::size_t>(sphere.grid_box().volume()), 0.5);
  std::vector<Complex> perturbation = std::vector<Complex>(potential.size(), Complex(0.5, 0.25)),
                       products = perturbation;
  std::vector<Complex> grid = std::vector<Complex>(static_cast<std::size_t>(bands * sphere.grid_box().volume()));
  Box here = planes_of(shape);
  std::vector<Complex> on_box = std::vector<Complex>(static_cast<std::size_t>(here.volume()), Complex(1, 2));

  std::vector<Complex> on_boxes = std::vector<Complex>(bands * on_box.size());
  std::vector<Complex> field = std::vector<Complex>(static_cast<std::size_t>(shape.volume()), Complex(2, 1)),
                       spectrum = field, slopes{};
  std::vector<double> weights = std::vector<double>(bands, 1.0), density = std::vector<double>(potential.size());
  Complex number = 0;
  /// Returns the potential of a plan with another distribution of the grid.
  std::span<const double> potential_of(const SphereFft<Complex>& fft) const {
    return std::span(everywhere).first(static_cast<std::size_t>(fft.grid_box().volume()));
  }
  std::vector<double> everywhere = std::vector<double>(static_cast<std::size_t>(shape.volume()), 0.5);

  Case exchange_case{};
  Data<> exchange_data{exchange_case};
  PairCase pair_case{.groups = ranks()};
  PairData<Complex> pair_data{pair_case};
  std::vector<Complex> pair_coefficients = std::vector<Complex>(24, Complex(1, 2)),
                       pair_sums = std::vector<Complex>(2 * pair_data.waves.size());
  std::vector<Complex> exchange_occupied = exchange_data.in_occupied(), exchange_targets = exchange_data.in(),
                       exchange_result = exchange_targets;
};

inline std::vector<CollectiveCall> transform_calls(const std::shared_ptr<CallData>& d) {
  using Values = std::span<const Complex>;
  const auto on_grid = [](std::int64_t, const Box&, const View<Complex>&) {};
  return {
      {"communicator",
       [d] {
         d->number = Communicator(FreshCommunicator().raw).size();
         return Values(&d->number, 1);
       }},
      {"sphere_fft",
       [d]() -> Values {
         const FreshCommunicator fresh;
         SphereFft<Complex> fft(fresh.raw, d->shape, d->waves, {});
         fft.apply_potential(d->in, d->out, d->bands, d->potential);
         return d->out;
       }},
      {"backward",
       [d]() -> Values {
         d->sphere.backward(d->in, d->grid, d->bands);
         return d->grid;
       }},
      {"forward",
       [d]() -> Values {
         std::fill(d->grid.begin(), d->grid.end(), Complex(1, 1));
         d->sphere.forward(d->grid, d->out, d->bands);
         return d->out;
       }},
      {"round_trip",
       [d, on_grid]() -> Values {
         d->sphere.round_trip(d->in, d->out, d->bands, on_grid);
         return d->out;
       }},
      {"apply_potential",
       [d]() -> Values {
         d->sphere.apply_potential(d->in, d->out, d->bands, d->potential);
         return d->out;
       }},
      {"start_apply_potential",
       [d]() -> Values {
         Pending call = d->sphere.start_apply_potential(d->in, d->out, d->bands, d->potential);
         call.progress();
         call.finish();
         return d->out;
       }},
      {"add_density",
       [d] {
         std::fill(d->density.begin(), d->density.end(), 0.0);
         d->sphere.add_density(d->in, d->weights, d->bands, d->density);
         d->number = std::accumulate(d->density.begin(), d->density.end(), 0.0);
         return Values(&d->number, 1);
       }},
      {"apply_perturbation",
       [d]() -> Values {
         d->sphere.apply_perturbation(d->other, d->in, d->out, d->bands, d->perturbation);
         return d->out;
       }},
      {"start_apply_perturbation",
       [d]() -> Values {
         const FreshCommunicator fresh;
         const FftOptions options{.policy = {.algorithm = Algorithm::alltoallv}};
         SphereFft<Complex> fft(fresh.raw, d->shape, d->waves, options);
         fft.start_apply_perturbation(fft, d->in, d->out, d->bands, d->perturbation).finish();
         return d->out;
       }},
      {"add_products",
       [d] {
         std::fill(d->products.begin(), d->products.end(), Complex());
         d->sphere.add_products(d->other, d->in, d->in, d->weights, d->bands, d->products);
         d->number = std::accumulate(d->products.begin(), d->products.end(), Complex());
         return Values(&d->number, 1);
       }},
      {"stream",
       [d] {
         d->number = 0;
         auto stream = d->sphere.open_stream(
             [&sum = d->number](std::int64_t, const Box&, const View<Complex>& values) { sum += values(0, 0, 0); });
         stream.add(d->in, d->bands);
         stream.finish();
         return Values(&d->number, 1);
       }},
      {"spread",
       [d]() -> Values {
         d->sphere.spread(d->here, std::span<const Complex>(d->on_box), std::span(d->grid).first(d->potential.size()));
         return std::span(d->grid).first(d->potential.size());
       }},
      {"backward_to_boxes",
       [d]() -> Values {
         d->sphere.backward_to_boxes(d->in, d->here, d->on_boxes, d->bands);
         return d->on_boxes;
       }},
      {"dense_fft",
       [d]() -> Values {
         const FreshCommunicator fresh;
         DenseFft<Complex> fft(fresh.raw, d->shape);
         const auto size = static_cast<std::size_t>(fft.spectrum_box().volume());
         fft.forward(std::span(d->field).first(static_cast<std::size_t>(fft.grid_box().volume())),
                     std::span(d->spectrum).first(size));
         return std::span(d->spectrum).first(size);
       }},
      {"dense_fft of arrays",
       [d]() -> Values {
         const FreshCommunicator fresh;
         DenseFft<Complex> fft(fresh.raw, d->shape,
                               {.grid = consecutive(d->here), .spectrum = consecutive(d->here), .in_place = true});
         std::copy(d->on_box.begin(), d->on_box.end(), d->spectrum.begin());
         const auto values = std::span(d->spectrum).first(d->on_box.size());
         fft.forward(values, values);
         return values;
       }},
      {"alltoallv",
       [d]() -> Values {
         const FreshCommunicator fresh;
         SphereFft<Complex> fft(
             fresh.raw, d->shape, d->waves,
             {.policy = {.algorithm = Algorithm::alltoallv}, .decomposition = Decomposition::pencil});
         fft.apply_potential(d->in, d->out, d->bands, d->potential_of(fft));
         return d->out;
       }},
      {"dense_fft of fields",
       [d] {
         auto field = d->dense.allocate();
         field.become_grid();
         const View<Complex> values = field.grid();
         for (std::int64_t z = 0; z < values.shape[2]; ++z) {
           for (std::int64_t y = 0; y < values.shape[1]; ++y) {
             for (std::int64_t x = 0; x < values.shape[0]; ++x) values(x, y, z) = Complex(1.0 * rank(), 1);
           }
         }
         d->dense.forward(field);
         d->number = field.spectrum().volume() > 0 ? field.spectrum()(0, 0, 0) : 0;
         return Values(&d->number, 1);
       }},
      {"start_forward",
       [d]() -> Values {
         const auto spectrum = std::span(d->spectrum).first(static_cast<std::size_t>(d->dense.spectrum_box().volume()));
         d->dense
             .start_forward(
                 std::span<const Complex>(d->field).first(static_cast<std::size_t>(d->dense.grid_box().volume())),
                 spectrum)
             .finish();
         return spectrum;
       }},
      {"box_exchange",
       [d]() -> Values {
         const std::array source{consecutive(d->here)}, target{consecutive(whole(d->shape))};
         BoxExchange exchange(MPI_COMM_WORLD, d->shape, source, target);
         exchange.copy<Complex>(d->on_box, d->spectrum, 1);
         return d->spectrum;
       }},
      {"exact_exchange",
       [d]() -> Values {
         auto exchange =
             ExactExchange<Complex>(MPI_COMM_WORLD, d->exchange_case.shape, d->exchange_data.targets.mine,
                                    d->exchange_data.mine_density, {.fft = {.band_groups = ranks()}, .batch = 2});
         const auto occupied =
             exchange.occupied(d->exchange_data.occupied.mine, d->exchange_occupied, d->exchange_case.weights);
         exchange.apply(occupied, d->exchange_data.kernel, d->exchange_targets, d->exchange_result,
                        d->exchange_case.targets);
         return d->exchange_result;
       }},
      {"grid_operator",
       [d]() -> Values {
         const FreshCommunicator fresh;
         DenseFft<Complex> fft(fresh.raw, d->shape);
         GridOperator<Complex> gradient(fft, {{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}}, OperatorKernel::gradient);
         const auto points = static_cast<std::size_t>(fft.grid_box().volume());
         d->slopes.resize(3 * points);
         gradient.apply(std::span(d->field).first(points), d->slopes);
         return d->slopes;
       }},
      {"grid_interpolation",
       [d]() -> Values {
         const FreshCommunicator fresh;
         DenseFft<Complex> from(fresh.raw, d->shape), to(fresh.raw, {9, 6, 5});
         GridInterpolation<Complex> interpolation(from, to);
         d->slopes.resize(static_cast<std::size_t>(to.grid_box().volume()));
         interpolation.apply(std::span(d->field).first(static_cast<std::size_t>(from.grid_box().volume())), d->slopes);
         return d->slopes;
       }},
      {"pair_densities",
       [d]() -> Values {
         auto densities = pair_densities(d->pair_case, d->pair_data, {.block = 2});
         const auto left = on_the_grid(densities, d->pair_data.left),
                    right = on_the_grid(densities, d->pair_data.right);
         densities.sum(left, right, d->pair_coefficients, d->pair_sums, 2);
         densities.compute(left, right, [d](const PairBlock<Complex>& block) {
           for (std::size_t g = 0; g < d->pair_sums.size() / 2; ++g) d->pair_sums[g] += block.densities[g];
         });
         return d->pair_sums;
       }},
  };
}

}  // namespace seiche::testing
