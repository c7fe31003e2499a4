// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that a collective call with another argument on one rank gives an error on all ranks, and that a rank
/// may leave a started call.
#include "collective/one_rank_differs.hpp"

#include "collective/transform_calls.hpp"
#include "interface/boxes_members.hpp"
#include "interface/fft_members.hpp"
#include "interface/tuning_members.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

TEST(OneRankDiffers, InTransforms) {
  CallData d;
  const auto sphere_with = [&](const FftOptions& options) {
    SphereFft<Complex>(MPI_COMM_WORLD, d.shape, d.waves, options);
  };
  const auto dense_with = [&](const FftOptions& options) { DenseFft<Complex>(MPI_COMM_WORLD, d.shape, options); };
  change_each_option("sphere_fft", FftOptions{}, sphere_with);
  change_each_option("dense_fft", FftOptions{}, dense_with);
  expect_refused("sphere_fft: window is 4 on rank", [&] { sphere_with({.policy = {.window = on_last(4, 3)}}); });
  expect_refused("dense_fft: shape differs between rank", [&] {
    DenseFft<Complex>(MPI_COMM_WORLD, {6, 5, on_last(7, 8)});
  });
  expect_refused("dense_fft: algorithm is pairwise on rank",
                 [&] { dense_with({.policy = {.algorithm = on_last(Algorithm::pairwise, Algorithm::alltoallv)}}); });
  const std::int64_t bands = on_last<std::int64_t>(2, 3);
  expect_refused("apply_potential: bands is 2 on rank", [&] {
    d.sphere.apply_potential(std::span(d.in).first(d.waves.size() * static_cast<std::size_t>(bands)),
                             std::span(d.out).first(d.waves.size() * static_cast<std::size_t>(bands)), bands,
                             d.potential);
  });
  expect_refused("apply_potential: adds is true on rank", [&] {
    d.sphere.apply_potential(d.in, d.out, d.bands, d.potential, on_last(Result::adds, Result::replaces));
  });
  expect_refused("add_density: weights differs between rank", [&] {
    d.weights[1] = on_last(0.5, 1.0);
    d.sphere.add_density(d.in, d.weights, d.bands, d.density);
  });
  expect_refused("calls add_density, but rank 0 calls apply_potential", [&] {
    if (is_last()) return d.sphere.add_density(d.in, d.weights, d.bands, d.density);
    d.sphere.apply_potential(d.in, d.out, d.bands, d.potential);
  });
  expect_refused("apply_perturbation: bands is 2 on rank", [&] {
    const std::size_t some = d.waves.size() * static_cast<std::size_t>(bands);
    d.sphere.apply_perturbation(d.other, std::span(d.in).first(some), std::span(d.out).first(some), bands,
                                d.perturbation);
  });
  expect_refused("apply_perturbation: adds is true on rank", [&] {
    d.sphere.apply_perturbation(d.other, d.in, d.out, d.bands, d.perturbation, on_last(Result::adds, Result::replaces));
  });
  expect_refused("add_products: weights differs between rank",
                 [&] { d.sphere.add_products(d.other, d.in, d.in, d.weights, d.bands, d.products); });
  expect_refused("calls add_products, but rank 0 calls apply_perturbation", [&] {
    if (is_last()) return d.sphere.add_products(d.other, d.in, d.in, d.weights, d.bands, d.products);
    d.sphere.apply_perturbation(d.other, d.in, d.out, d.bands, d.perturbation);
  });
  std::vector<Field<Complex>> fields;
  fields.push_back(d.dense.allocate());
  fields.push_back(d.dense.allocate());
  for (auto& field : fields) field.become_grid();
  expect_refused("forward: fields is 1 on rank", [&] { d.dense.forward(std::span(fields).first(on_last(1U, 2U))); });
  std::vector<Complex> out(d.in.size());
  d.sphere.apply_potential(d.in, out, d.bands, d.potential);  // the plan works afterwards
  std::vector<Complex> half = d.in;
  for (Complex& value : half) value *= 0.5;
  expect_close<Complex>(out, half, 1e-13);
}

TEST(OneRankDiffers, InBoxes) {
  CallData d;
  const std::array source{consecutive(d.here)}, target{consecutive(d.here)};
  change_each_option("box_exchange", BoxOptions{},
                     [&](const BoxOptions& options) { BoxExchange(MPI_COMM_WORLD, d.shape, source, target, options); });
  expect_refused("box_exchange: shape differs", [&] {
    const GridShape larger{d.shape.nx, d.shape.ny, d.shape.nz + 1};
    BoxExchange(MPI_COMM_WORLD, on_last(larger, d.shape), source, target);
  });
  BoxExchange exchange(MPI_COMM_WORLD, d.shape, source, target);
  const std::vector<Complex> from(d.on_box.size(), Complex(rank(), 3));
  std::vector<Complex> into(from.size());
  expect_refused("copy: fields is 0 on rank", [&] { exchange.copy<Complex>(from, into, on_last<std::int64_t>(0, 1)); });
  expect_refused("calls add_back, but rank 0 calls copy", [&] {
    std::vector<Complex> other = from;
    if (is_last()) return exchange.add_back<Complex>(from, into, 1);
    exchange.copy<Complex>(other, into, 1);
  });
  exchange.copy<Complex>(from, into, 1);
  expect_close<Complex>(into, from, 0);
}

TEST(OneRankDiffers, InExactExchange) {
  const Case of;
  const Data data(of);
  expect_refused("exact_exchange: batch is 3 on rank", [&] { make<Complex>(of, data, {.batch = on_last(3, 2)}); });
  auto exchange = make<Complex>(of, data, {});
  Case other = of;
  other.weights[0] = on_last(0.5, 1.0);
  expect_refused("occupied: weights differs", [&] { make_occupied(exchange, other, data); });
}

TEST(OneRankDiffers, InPairDensities) {
  const CallData d;
  change_each_option("pair_densities", FftOptions{}, [&](const FftOptions& options) {
    PairDensities<Complex>(MPI_COMM_WORLD, d.shape, d.pair_data.waves, {.fft = options});
  });
  const PairCase of;
  const PairData<Complex> data(of);
  expect_refused("pair_densities: block is 3 on rank", [&] { pair_densities(of, data, {.block = on_last(3, 2)}); });
}

TEST(OneRankDiffers, InGridOperators) {
  const CallData d;
  const auto with = [&](double edge, OperatorKernel kernel, double parameter) {
    GridOperator<Complex>(d.dense, {{{edge, 0, 0}, {0, 2, 0}, {0, 0, 3}}}, kernel, parameter);
  };
  expect_refused("grid_operator: lattice differs", [&] { with(on_last(1.0, 2.0), OperatorKernel::coulomb, 0); });
  expect_refused("grid_operator: kernel is coulomb on rank",
                 [&] { with(1, on_last(OperatorKernel::coulomb, OperatorKernel::laplacian), 0); });
  expect_refused("grid_operator: parameter is 3 on rank",
                 [&] { with(1, OperatorKernel::screened, on_last(3.0, 2.0)); });
  const auto waves = static_cast<std::size_t>(d.dense.spectrum_box().volume());
  const std::vector<Complex> factors(2 * waves, 1.0);
  expect_refused("grid_operator: outputs is 2 on rank", [&] {
    const std::int64_t outputs = on_last(2, 1);
    GridOperator<Complex>(d.dense, 1, outputs, std::span(factors).first(static_cast<std::size_t>(outputs) * waves));
  });
  GridOperator<Complex> laplacian(d.dense, {{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}}, OperatorKernel::laplacian);
  GridOperator<Complex> gradient(d.dense, {{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}}, OperatorKernel::gradient);
  const auto points = static_cast<std::size_t>(d.dense.grid_box().volume());
  std::vector<Complex> field(points), fields(3 * points);
  expect_refused("grid_operator_apply: outputs is 3 on rank",
                 [&] { on_last(true, false) ? gradient.apply(field, fields) : laplacian.apply(field, field); });
}

TEST(OneRankDiffers, InGridInterpolations) {
  const CallData d;
  DenseFft<Complex> fine(MPI_COMM_WORLD, {9, 8, 7}), finer(MPI_COMM_WORLD, {9, 9, 7});
  expect_refused("grid_interpolation: target grid differs",
                 [&] { GridInterpolation<Complex>(d.dense, on_last(true, false) ? finer : fine); });
  expect_refused("grid_interpolation: fields is 3 on rank",
                 [&] { GridInterpolation<Complex>(d.dense, fine, on_last(3, 2)); });
  GridInterpolation<Complex> one(d.dense, fine), three(d.dense, fine, 3);
  std::vector<Complex> field(3 * static_cast<std::size_t>(d.dense.grid_box().volume()));
  std::vector<Complex> result(3 * static_cast<std::size_t>(fine.grid_box().volume()));
  expect_refused("grid_interpolation_apply: fields is 3 on rank", [&] {
    on_last(true, false)
        ? three.apply(field, result)
        : one.apply(std::span(field).first(field.size() / 3), std::span(result).first(result.size() / 3));
  });
}

TEST(OneRankDiffers, InTuning) {
  CallData d;
  change_each_option("tune_dense", TuneRequest{.budget = 0.001},
                     [&](const TuneRequest& request) { tune_dense<Complex>(MPI_COMM_WORLD, d.shape, request); });
}

TEST(OneRankLeaves, AStartedCall) {
  const auto data = std::make_shared<CallData>();
  CallData& d = *data;
  leave("sphere", [&] { return d.sphere.start_apply_potential(d.in, d.out, d.bands, d.potential); });
  leave("two spheres",
        [&] { return d.sphere.start_apply_perturbation(d.other, d.in, d.out, d.bands, d.perturbation); });
  for (const Algorithm algorithm : ways_here()) {
    DenseFft<Complex> dense(MPI_COMM_WORLD, d.shape, {.policy = {.algorithm = algorithm}});
    const std::vector<Complex> grid(static_cast<std::size_t>(dense.grid_box().volume()), Complex(1));
    std::vector<Complex> spectrum(static_cast<std::size_t>(dense.spectrum_box().volume()));
    leave("dense, " + std::string(name_of(algorithm)), [&] { return dense.start_forward(grid, spectrum); });
  }
  const std::array source{consecutive(d.here)}, target{consecutive(whole(d.shape))};
  std::vector<Complex> all(static_cast<std::size_t>(d.shape.volume()));
  BoxExchange exchange(MPI_COMM_WORLD, d.shape, source, target);
  leave("boxes", [&] { return exchange.start_copy<Complex>(d.on_box, all, 1); });
  auto exact = make<Complex>(d.exchange_case, d.exchange_data, {.batch = 2});
  const auto occupied = make_occupied(exact, d.exchange_case, d.exchange_data);
  const auto targets = d.exchange_data.in();
  std::vector<Complex> result(targets.size());
  leave("exact exchange",
        [&] { return exact.start_apply(occupied, d.exchange_data.kernel, targets, result, d.exchange_case.targets); });
  GridOperator<Complex> laplacian(d.dense, {{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}}, OperatorKernel::laplacian);
  std::vector<Complex> points(static_cast<std::size_t>(d.dense.grid_box().volume()));
  leave("grid operator", [&] { return laplacian.start_apply(points, points); });
  auto densities = pair_densities(d.pair_case, d.pair_data, {});
  const auto left = on_the_grid(densities, d.pair_data.left);
  leave("pair densities", [&] { return densities.start_compute(left, left, [](const PairBlock<Complex>&) {}); });
  if (ranks() > 1) {
    auto stream = std::make_unique<SphereFft<Complex>::Stream>(
        d.sphere.open_stream([](std::int64_t, const Box&, const View<Complex>&) {}));
    stream->add(d.in, d.bands);
    if (is_last()) {
      stream.reset();
    } else {
      expect_error(Fault::bad_argument, "left a started call or stream", [&] { stream->finish(); });
    }
  }
  for (const CollectiveCall& call : transform_calls(data)) call.run();  // later calls are not disturbed
  exchange.copy<Complex>(d.on_box, all, 1);
  expect_close<Complex>(all, std::vector<Complex>(all.size(), Complex(1, 2)), 0);
}

TEST(OneRankLeaves, AFieldThatIsClosedIsUsedUntilTheEnd) {
  CallData d;
  std::vector<Field<Complex>> fields;
  fields.push_back(d.dense.allocate());
  fields[0].become_grid();
  Pending call = d.dense.start_forward(fields);
  fields.clear();
  call.finish();
  compared();
}

}  // namespace
}  // namespace seiche::testing
