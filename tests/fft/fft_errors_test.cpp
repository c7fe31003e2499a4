// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that wrong waves, arrays, callbacks and boxes give an error on all ranks, also if one rank passes them,
/// and that plans work afterwards.
#include <memory>
#include <stdexcept>

#include "collective/one_rank_differs.hpp"
#include "fft/dense_case.hpp"
#include "fft/exchange_only.hpp"
#include "fft/sphere_case.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

template <class Work>
void refused(const std::string& part, Work&& work) {
  expect_error(Fault::bad_argument, part, std::forward<Work>(work));
}

/// Two bands, a plan, and arrays for its results.
class SphereErrors : public ::testing::Test {
 protected:
  using Rows = Coefficients<const Complex>;
  const Bands<Complex> of_{{.spread = Spread::cyclic, .bands = 2}};
  SphereFft<Complex> fft_ = of_.plan();
  const std::size_t points_ = static_cast<std::size_t>(fft_.grid_box().volume());
  const std::vector<Complex>& in_ = of_.in;
  std::vector<Complex> out_ = in_, grid_ = std::vector<Complex>(2 * points_);
  std::vector<double> potential_ = std::vector<double>(points_, 2);
  const std::int64_t waves_ = std::ssize(of_.mine);
  void TearDown() override { expect_works(fft_, of_); }
};

TEST(SphereWaves, MustFitAndDiffer) {
  const GridShape shape{6, 6, 6};
  std::vector<Miller> mine;
  const auto make = [&] { SphereFft<Wide>(MPI_COMM_WORLD, shape, mine); };
  if (is_last()) mine = {{0, 0, 0}, {4, 0, 0}};
  refused("(4,0,0) does not fit a grid of 6 x 6 x 6", make);
  mine.clear();
  if (rank() == 0) mine = {{1, 0, -2}, {1, 0, 1}};
  if (is_last()) mine.push_back({1, 0, -2});
  refused("duplicate wave (1,0,-2)", make);
  mine.clear();
  if (rank() == 0) mine = {{3, 1, 0}, {-3, 1, 0}};
  refused("has one place for the waves n/2 and -n/2", make);
  mine.clear();
  if (rank() == 0) mine = {{1, 2, 0}};
  if (is_last()) mine.push_back({-1, -2, 0});
  refused("duplicate wave (", [&] { SphereFft<double>(MPI_COMM_WORLD, shape, mine); });
}

/// Checks one wave of index `i` along one axis of a grid of n points. Half spheres require 2 |i| < n, because G and -G
/// must be different points of the grid. Whole spheres require 2 |i| <= n.
template <class Value>
void check_edge(std::size_t axis, std::int64_t n, std::int32_t i) {
  Point points{3, 3, 3};
  std::array<std::int32_t, 3> index{};
  points[axis] = n;
  index[axis] = i;
  const GridShape shape{points[0], points[1], points[2]};
  std::vector<Miller> mine;
  if (is_last()) mine = {{index[0], index[1], index[2]}};
  const bool half = std::is_floating_point_v<Value>;
  if (half ? 2 * std::abs(i) >= n : 2 * std::abs(i) > n) {
    return refused("does not fit a grid", [&] { SphereFft<Value>(MPI_COMM_WORLD, shape, mine); });
  }
  SphereFft<Value> fft(MPI_COMM_WORLD, shape, mine);
  std::vector<Value> grid(static_cast<std::size_t>(fft.grid_box().volume()));
  fft.backward(std::vector<Wide>(mine.size(), Wide(0.6, -0.8)), grid, 1);
  std::vector<Value> want;
  each_point(fft.grid_box(), [&](const Point& p, std::size_t) {
    const Wide wave = Wide(0.6, -0.8) * std::polar(1.0, 2 * M_PI * static_cast<double>(i * p[axis]) / double(n));
    want.push_back(as_value<Value>(half ? 2 * wave.real() : wave));
  });
  expect_close<Value>(grid, want, 1e-14);
}

TEST(SphereWaves, MayBeAtTheEdgeOfTheGrid) {
  for (const std::size_t axis : {0U, 1U, 2U}) {
    for (const std::int32_t i : {2, 3, 4, -2, -3, -4}) {
      for (const std::int64_t n : {6, 7}) {
        check_edge<double>(axis, n, i);
        check_edge<Wide>(axis, n, i);
      }
    }
  }
}

TEST_F(SphereErrors, OfArrays) {
  refused("values (got 5)", [&] { fft_.backward(in_, std::span(grid_).first(5), 2); });
  for (const std::int64_t row : {std::int64_t{-1}, waves_ - 1, std::int64_t{1} << 62}) {
    if (row == 0) continue;
    const std::int64_t mine = is_last() ? row : 0;
    refused("fft: wrong row length of the input coefficients (", [&] {
      fft_.apply_potential({in_, mine}, out_, 2, potential_);
    });
    refused("fft: wrong row length of the output coefficients (", [&] {
      fft_.apply_potential(in_, {out_, mine}, 2, potential_);
    });
  }
  refused("fft: the array of input coefficients is too short (", [&] {
    fft_.apply_potential({in_, waves_ + (is_last() ? 1 : 0)}, out_, 2, potential_);
  });
  refused("fft: the array of output coefficients is too short (",
          [&] { fft_.apply_potential(in_, std::span(out_).first(out_.size() - (is_last() ? 1 : 0)), 2, potential_); });
  refused(" need ", [&] { fft_.apply_potential(in_, out_, 3, potential_); });
  refused("with magnetism (got 0 values)", [&] { fft_.apply_potential(in_, out_, 2, {}); });
  refused("or 4 for complex spinors with magnetism",
          [&] { fft_.apply_potential(in_, out_, 2, std::vector<double>(4 * points_)); });
  SphereFft<double> real(MPI_COMM_WORLD, of_.shape, std::vector<Miller>{}, {.components = 2});
  std::vector<double> rho(4 * static_cast<std::size_t>(real.grid_box().volume()));
  refused("or 4 for complex spinors with magnetism", [&] { real.add_density({}, weights(0), 0, rho); });
  refused("fft: the number of bands must not be negative (got -1)", [&] { exchange_only(fft_, is_last() ? -1 : 2); });
  exchange_only(fft_, 0);
}

TEST_F(SphereErrors, OfArraysThatOverlap) {
  const std::string overlap = "fft: the input and output arrays overlap: pass separate arrays";
  std::vector<Complex> both = in_;
  both.resize(in_.size() + of_.mine.size() + 1);
  const std::span<Complex> first = std::span(both).first(in_.size()), later = std::span(both).last(in_.size());
  refused(overlap, [&] { fft_.apply_potential(later, first, 2, potential_); });
  refused(overlap, [&] { fft_.apply_potential(first, later, 2, potential_); });
  std::vector<Complex> grid(grid_.size() + in_.size());
  refused(overlap, [&] { fft_.backward(std::span(grid).first(in_.size()), std::span(grid).first(grid_.size()), 2); });
}

using Callback = GridCallback<std::complex<double>>;
static_assert(std::is_constructible_v<Callback, void (*)(std::int64_t, const Box&, View<std::complex<double>>)>);
static_assert(std::is_constructible_v<Callback, Callback::SpinorSpace>);
static_assert(std::is_constructible_v<Callback, Callback::OnDevice>);
static_assert(!std::is_constructible_v<Callback, int>);
static_assert(!std::is_constructible_v<Callback, void (*)(const Box&)>);

TEST_F(SphereErrors, OfEmptyCallbacks) {
  const std::string empty = "fft: the callback is empty: pass a function";
  for (const bool everywhere : {true, false}) {
    SphereFft<Complex>::RealSpace function = [](std::int64_t, const Box&, View<Complex>) {};
    SphereFft<Complex>::SpinorSpace of_spinors = [](std::int64_t, const Box&, std::span<const View<Complex>>) {};
    if (everywhere || is_last()) function = {}, of_spinors = {};
    refused(empty, [&] { fft_.round_trip(in_, out_, 2, function); });
    refused(empty, [&] { fft_.round_trip(in_, out_, 2, of_spinors); });
    refused(empty, [&] { fft_.start_round_trip(in_, out_, 2, function).finish(); });
    refused(empty, [&] { fft_.to_grid(in_, 2, function); });
    refused(empty, [&] { fft_.to_grid(in_, 2, of_spinors); });
    refused(empty, [&] {
      auto stream = fft_.open_stream(function);
      stream.add(in_, 2);
      stream.finish();
    });
  }
}

TEST_F(SphereErrors, OfCallbacksOnOneRank) {
  for (const Algorithm algorithm : ways_here()) {
    SphereFft<Complex> fft = of_.plan({.policy = {.algorithm = algorithm, .window = 3}});
    expect_error(Fault::internal, "the potential of band 1 is missing", [&] {
      fft.round_trip(in_, out_, 2, [&](std::int64_t band, const Box& box, const View<Complex>&) {
        if (band == 1 && box.axis[2].low == 0) throw std::runtime_error("the potential of band 1 is missing");
      });
    });
    expect_works(fft, of_);
  }
  auto alike = of_.plan();
  for (SphereFft<Complex>* plan : {&fft_, &alike}) {
    refused("a callback used the plan that called it", [&] {
      fft_.round_trip(in_, out_, 2, [&](std::int64_t, const Box&, const View<Complex>&) { exchange_only(*plan, 1); });
    });
  }
  const Bands<Complex> spinors({.bands = 1, .components = 2});
  auto of_spinors = spinors.plan();
  out_ = spinors.in;
  refused("have 2 components: pass a callback that receives all components (SpinorSpace)",
          [&] { of_spinors.round_trip(spinors.in, out_, 1, [](std::int64_t, const Box&, const View<Complex>&) {}); });
}

TEST_F(SphereErrors, OfStreams) {
  const auto nothing = [](std::int64_t, const Box&, const View<Complex>&) {};
  auto stream = fft_.open_stream(nothing);
  stream.add(in_, 2);
  if (rank() == 0) stream.fail(Error(Fault::bad_file, "band 2 is unreadable"));
  stream.add(in_, 2);
  expect_error(Fault::bad_file, "band 2 is unreadable", [&] { stream.finish(); });
  auto short_of = fft_.open_stream(nothing);
  short_of.add({in_, is_last() ? -1 : 0}, 2);
  refused("wrong row length of the input coefficients (-1)", [&] { short_of.finish(); });
  {
    auto dropped = fft_.open_stream(nothing);
    dropped.add(in_, 2);
  }
#ifdef SEICHE_CHECKS
  auto other = fft_.open_stream(nothing);
  if (ranks() > 1) refused(": bands is ", [&] { other.add(in_, rank() == 0 ? 1 : 2); });
#endif
}

TEST_F(SphereErrors, OfStartedCalls) {
  const std::span<const double> values(potential_.data(), rank() == 0 ? 0 : points_);
  Pending wrong = fft_.start_apply_potential(in_, out_, 2, values);
  EXPECT_TRUE(wrong.progress());
  refused("points: pass one value per point", [&] { wrong.finish(); });
  refused("this started call is finished: start another", [&] { wrong.finish(); });
  refused("this started call is finished: start another", [&] { wrong.progress(); });
  Pending failing = fft_.start_round_trip(in_, out_, 2, [](std::int64_t band, const Box&, View<Complex>) {
    if (is_last() && band == 1) throw Error(Fault::bad_argument, "band 1 is bad");
  });
  refused("band 1 is bad", [&] { finished(std::move(failing)); });
#ifdef SEICHE_CHECKS
  const std::string changed = "an input array of a started call was changed before finish()";
  auto in = in_;
  Pending first = fft_.start_apply_potential(in, out_, 2, potential_);
  if (is_last()) potential_[0] += 1;
  refused(changed, [&] { first.finish(); });
  Pending second = fft_.start_apply_potential(in, out_, 2, potential_);
  if (!in.empty()) in[0] = 0;
  refused(changed, [&] { second.finish(); });
  fft_.start_apply_potential(in, in, 2, potential_).finish();
#endif
}

TEST_F(SphereErrors, OfClosedPlans) {
  auto closed = of_.plan();
  expect_works(closed, of_);
  for (int twice = 0; twice < 2; ++twice) closed.close();
  refused("fft: this plan is closed", [&] { exchange_only(closed, 1); });
  refused("fft: this plan is closed", [&] { closed.report(); });
}

TEST_F(SphereErrors, OfCallersBoxes) {
  Box box = whole(of_.shape);
  box.axis[2] = block(of_.shape.nz, ranks(), rank());
  std::vector<double> values(2 * static_cast<std::size_t>(box.volume())), here(2 * points_);
  const auto fields = [](auto& array) {  // one field on rank 0, otherwise two
    return std::span(array).first(array.size() / (rank() == 0 ? 2 : 1));
  };
  if (ranks() > 1) {
    const std::string sentence =
        "ranks passed different numbers of fields (1 to 2) to a collective call: pass the same";
    refused(sentence, [&] { fft_.spread(box, std::span<const double>(fields(values)), fields(here)); });
    refused(sentence, [&] { fft_.collect(std::span<const double>(fields(here)), box, fields(values)); });
    Box both;  // total size of the grid, but planes 6 and 7 occur twice and 13 and 14 are missing
    if (rank() < 2) both = whole(of_.shape);
    if (rank() == 0) both.axis[2] = {0, 8};
    if (rank() == 1) both.axis[2] = {6, 13};
    std::vector<double> twice(static_cast<std::size_t>(both.volume()));
    const std::string overlap = "boxes: the source boxes of ranks 0 (x [0, 12), y [0, 10), z [0, 8)) and 1 (x [0, 12)";
    const std::span<double> one = std::span(here).first(points_);
    refused(overlap, [&] { fft_.spread(both, std::span<const double>(twice), one); });
    refused(overlap, [&] { fft_.collect(std::span<const double>(one), both, twice); });
  }
  const auto spread = [&](const Box& of, std::span<const double> from, std::span<double> into) {
    fft_.spread(of, from, into);
  };
  refused("pass one value per point and field", [&] { spread(box, values, {}); });
  const Box outside{{Range{0, 13}, Range{0, 1}, Range{0, 1}}};
  values.resize(13);
  refused("points of a target box (x [0, 12), y [0, 10), z [0, ",
          [&] { spread({}, {}, std::span(here).first(points_)); });
  refused("extends beyond the grid of 12 x 10 x 15 points",
          [&] { spread(outside, values, std::span(here).first(points_)); });
  refused("the caller's box has 13 points",
          [&] { fft_.collect(std::span<const double>(here).first(points_), outside, std::span<double>()); });
  refused("the 13 points of the caller's box with 1 components need 0 values",
          [&] { fft_.backward_to_boxes({}, outside, std::span(grid_).first(1), 0); });
}

TEST(DenseErrors, OfArrays) {
  const GridShape shape{4, 6, 5};
  const auto make = [&](const DenseArrays& arrays) { DenseFft<Wide>(MPI_COMM_WORLD, shape, arrays); };
  const auto good = arrays_of<Wide>(shape, {2, true});
  auto bad = good;
  bad.fields = 0;
  refused("the number of fields must be positive (got 0)", [&] { make(bad); });
  bad = good;
  bad.grid.box.axis[2] = {1, 5};
  refused("do not split 4 x 6 x 5 points into whole planes", [&] { make(bad); });
  bad = good;
  bad.spectrum.box.axis[0] = {0, 3};
  refused("split 4 x 6 x 5 points neither into whole columns", [&] { make(bad); });
  bad = arrays_of<Wide>(shape, {2, true, false, false, Sharing::one_has_all, Sharing::one_has_all});
  bad.grid.stride[1] = 0;
  refused("array strides must be positive (got 0)", [&] { make(bad); });
  bad = arrays_of<double>(shape, {2, true});
  bad.plus = true;
  refused("leave out 'plus'", [&] { DenseFft<double>(MPI_COMM_WORLD, shape, bad); });

  DenseFft<Wide> fft(MPI_COMM_WORLD, shape, good), own(MPI_COMM_WORLD, shape);
  std::vector<Wide> none, memory(500), wrong(3);
  refused("wrong array sizes: this rank has ", [&] { fft.forward(none, none); });
  refused("wrong array sizes: this rank has ", [&] { own.forward(wrong, wrong); });
  refused("overlap: create the plan with in_place", [&] { fft.forward(memory, memory); });
  refused("this plan transforms the caller's arrays", [&] { fft.allocate(); });
  fft.close();
  refused("this plan is closed", [&] { fft.forward(memory, memory); });
  memory.resize(static_cast<std::size_t>(own.grid_box().volume()) + (rank() == 0 ? 1 : 0));
  std::vector<Wide> spectrum(static_cast<std::size_t>(own.spectrum_box().volume()));
  Pending sizes = own.start_forward(memory, spectrum);
  EXPECT_TRUE(sizes.progress());
  refused("fft: wrong array sizes", [&] { sizes.finish(); });
#ifdef SEICHE_CHECKS
  memory.resize(static_cast<std::size_t>(own.grid_box().volume()));
  Pending changed = own.start_forward(std::span<const Wide>(memory), spectrum);
  if (rank() == 0) memory[0] += 1;
  refused("an input array of a started call was changed before finish()", [&] { changed.finish(); });
#endif
}

TEST(DenseErrors, OfFields) {
  const GridShape shape{4, 4, 4};
  DenseFft<Wide> fft(MPI_COMM_WORLD, shape), other(MPI_COMM_WORLD, {4, 4, 6}), same(MPI_COMM_WORLD, shape);
  auto field = fft.allocate(), foreign = other.allocate();
  refused("call become_spectrum() and fill spectrum() first", [&] { fft.backward(field); });
  refused("transform it with forward(), or call become_spectrum()", [&] { field.spectrum(); });
  fft.forward(field);
  refused("call become_grid() and fill grid() first", [&] { fft.forward(field); });
  refused("transform it with backward(), or call become_grid()", [&] { field.grid(); });
  refused("the field belongs to another plan", [&] { other.backward(field); });
  same.backward(field);  // a plan with the same arguments accepts the field
  refused("the field belongs to another plan", [&] { fft.forward(is_last() ? foreign : field); });
  refused("the field belongs to another plan", [&] { exchange_only(fft, is_last() ? foreign : field); });
  fft.forward(field);
  for (int twice = 0; twice < 2; ++twice) {
    field.close();
    fft.close();
  }
  refused("fft: this field is closed", [&] { field.grid(); });
  refused("fft: this field is closed", [&] { same.forward(field); });
  refused("fft: this plan is closed", [&] { fft.grid_box(); });
  refused("fft: this plan is closed", [&] { fft.allocate(); });
  field = same.allocate();
  same.forward(field);
}

TEST(DenseErrors, OfFieldsOnADevice) {
  DenseFft<Wide> fft(MPI_COMM_WORLD, {5, 6, 7}, {.space = Space::cuda});
  auto field = fft.allocate();
  const char* sentence =
      "fft: values of a field on a device are not accessible from the host: pass arrays to forward() and backward()";
  expect_error(Fault::unsupported, sentence, [&] { field.grid(); });
  exchange_only(fft, field);
  fft.forward(field);
  expect_error(Fault::unsupported, sentence, [&] { field.spectrum(); });
}

}  // namespace
}  // namespace seiche::testing
