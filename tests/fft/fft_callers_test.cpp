// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests data in the layout of the caller: padded rows, results that are added, and grids in the caller's boxes.
/// Compares potentials and densities of spinors with the definition.
#include <array>
#include <memory>

#include "comm/node.hpp"
#include "fft/known_bands.hpp"

namespace seiche::testing {
namespace {

constexpr Complex untouched(1e9, -1e9);

/// Rows with padding at the end, of a different length on each rank, in an array with room for another band.
struct Rows {
  std::size_t waves, length;
  explicit Rows(std::size_t n) : waves(n), length(n + 2 + static_cast<std::size_t>(rank())) {}
  std::vector<Complex> longer(const std::vector<Complex>& dense) const {
    std::vector<Complex> all;
    const std::size_t rows = waves == 0 ? 4 : dense.size() / waves;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < length; ++i) all.push_back(i < waves ? dense[row * waves + i] : untouched);
    }
    all.insert(all.end(), length, untouched);
    return all;
  }
  template <class Array>
  auto of(Array& array) const {
    return Coefficients<std::remove_reference_t<decltype(array[0])>>(array, static_cast<std::int64_t>(length));
  }
};

std::vector<Complex> scaled(std::vector<Complex> values, double factor) {
  for (Complex& value : values) value *= factor;
  return values;
}

TEST(Callers, RowsMayBeLongerThanThereAreWaves) {
  for (const bool sticks : {true, false}) {
    const Known known(sticks, 4);
    const Rows rows(known.mine.size());
    const auto in = rows.longer(known.in);
    for (FftOptions options : some_options()) {
      for (const int components : {1, 2}) {
        options.components = components;
        const std::int64_t bands = 4 / components;
        SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
        const auto points = static_cast<std::size_t>(fft.grid_box().volume());
        std::vector<double> rho(points), expected(points);
        fft.add_density(known.in, weights(static_cast<std::size_t>(bands)), bands, expected);
        fft.add_density(rows.of(in), weights(static_cast<std::size_t>(bands)), bands, rho);
        expect_close<double>(rho, expected, 1e-12);
        auto out = rows.longer(scaled(known.in, 0));
        fft.apply_potential(rows.of(in), rows.of(out), bands, std::vector<double>(points, 3));
        expect_close<Complex>(out, rows.longer(scaled(known.in, 3)), 1e-11);
        std::vector<Complex> grid(static_cast<std::size_t>(bands == 0 ? 0 : fft.bands_here(bands) * components) *
                                  points);
        fft.backward(rows.of(in), grid, bands);
        fft.forward(grid, rows.of(out), bands);
        expect_close<Complex>(out, in, 1e-11);
      }
    }
  }
}

TEST(Callers, ResultsAreAddedWhereAsked) {
  for (const bool sticks : {true, false}) {
    const Known known(sticks, 4);
    const Rows rows(known.mine.size());
    for (const FftOptions& options : some_options()) {
      SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
      const std::vector<double> potential(static_cast<std::size_t>(fft.grid_box().volume()), 3);
      auto out = rows.longer(known.in);
      fft.apply_potential(known.in, rows.of(out), 4, potential, Result::adds);
      expect_close<Complex>(out, rows.longer(scaled(known.in, 4)), 1e-11);
      fft.round_trip(known.in, rows.of(out), 4, double_values, Result::adds);
      expect_close<Complex>(out, rows.longer(scaled(known.in, 6)), 1e-11);
      fft.round_trip_spinors(
          known.in, rows.of(out), 4, [](auto, const Box&, const auto&) {}, Result::adds);
      expect_close<Complex>(out, rows.longer(scaled(known.in, 7)), 1e-11);
      auto same = known.in;
      fft.apply_potential(same, same, 4, potential, Result::adds);
      expect_close<Complex>(same, scaled(known.in, 4), 1e-11);
    }
  }
}

TEST(Callers, HalfSpheresAddEachWaveOnce) {
  std::vector<Miller> half;
  for (const Miller& g : waves_of_radius(3)) {
    if (in_half(g)) half.push_back(g);
  }
  const auto mine = share_of(half, false);
  const auto in = coefficients(mine, 3);
  std::vector<Complex> real = in;  // c(0) of a real function is real
  for (std::size_t i = 0; i < real.size(); ++i) {
    if (mine[i % mine.size()] == Miller{}) real[i] = real[i].real();
  }
  for (const FftOptions& options : some_options()) {
    SphereFft<double> fft(MPI_COMM_WORLD, shape, mine, options);
    auto out = real;
    fft.apply_potential(real, out, 3, std::vector<double>(static_cast<std::size_t>(fft.grid_box().volume()), 3),
                        Result::adds);
    expect_close<Complex>(out, scaled(real, 4), 1e-11);
  }
}

/// The unit matrix and the Pauli matrices x, y, z.
constexpr std::array<std::array<Complex, 4>, 4> pauli{
    {{1, 0, 0, 1}, {0, 1, 1, 0}, {0, Complex(0, -1), Complex(0, 1), 0}, {1, 0, 0, -1}}};

/// Returns four fields on the whole grid.
std::vector<std::vector<double>> four_fields() {
  std::vector<std::vector<double>> fields;
  for (unsigned k = 0; k < 4; ++k) {
    fields.emplace_back();
    for (const Wide& value : random_values(shape.volume(), 90 + k)) fields.back().push_back(value.real());
  }
  return fields;
}

TEST(Callers, PotentialsOfSpinorsTurnThem) {
  constexpr std::size_t bands = 2;
  const auto fields = four_fields();
  for (const bool sticks : {true, false}) {
    const Known known(sticks, 2 * bands);
    std::vector<Complex> want;
    for (std::size_t row = 0; row < 2 * bands; ++row) {
      const std::size_t band = row / 2, to = row % 2;
      std::vector<Wide> product(static_cast<std::size_t>(shape.volume()));
      for (std::size_t r = 0; r < product.size(); ++r) {
        for (std::size_t k = 0; k < 4; ++k) {
          for (std::size_t from : {0, 1})
            product[r] += fields[k][r] * pauli[k][2 * to + from] * known.values[2 * band + from][r];
        }
      }
      const auto spectrum = shared_fourier_sum(product, shape, -1);
      for (const Miller& g : known.mine)
        want.push_back(spectrum[Known::place(g)] / static_cast<double>(shape.volume()));
    }
    for (FftOptions options : some_options()) {
      options.components = 2;
      SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
      const auto points = static_cast<std::size_t>(fft.grid_box().volume());
      std::vector<double> potential(4 * points);
      each_point(fft.grid_box(), [&](std::size_t point, std::size_t at) {
        for (std::size_t k = 0; k < 4; ++k) potential[k * points + at] = fields[k][point];
      });
      std::vector<Complex> out(known.in.size());
      fft.apply_potential(known.in, out, bands, potential);
      expect_close<Complex>(out, want, 1e-10);
    }
  }
}

TEST(Callers, DensitiesOfSpinorsHaveAMagnetisation) {
  constexpr std::size_t bands = 3;
  const Known known(false, 2 * bands);
  for (FftOptions options : some_options()) {
    options.components = 2;
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
    const auto points = static_cast<std::size_t>(fft.grid_box().volume());
    std::vector<double> rho(4 * points, 0.5), want(4 * points, 0.5);
    fft.add_density(known.in, weights(bands), bands, rho);
    const auto groups = static_cast<std::size_t>(fft.report().band_groups);
    for (auto b = static_cast<std::size_t>(fft.first_band_here()); b < bands; b += groups) {
      each_point(fft.grid_box(), [&](std::size_t point, std::size_t at) {
        for (std::size_t k = 0; k < 4; ++k) {
          for (std::size_t element = 0; element < 4; ++element) {
            const Complex left = known.values[2 * b + element / 2][point],
                          right = known.values[2 * b + element % 2][point];
            want[k * points + at] += weight_of(b) * (std::conj(left) * pauli[k][element] * right).real();
          }
        }
      });
    }
    expect_close<double>(rho, want, 1e-9);
  }
}

TEST(Callers, MagnetismNeedsComplexSpinors) {
  const Known known(true, 2);
  SphereFft<Complex> collinear(MPI_COMM_WORLD, shape, known.mine);
  const auto points = static_cast<std::size_t>(collinear.grid_box().volume());
  std::vector<Complex> out(known.in.size());
  expect_error(Fault::bad_argument, "or 4 for complex spinors with magnetism",
               [&] { collinear.apply_potential(known.in, out, 2, std::vector<double>(4 * points)); });
  SphereFft<double> real(MPI_COMM_WORLD, shape, std::vector<Miller>{}, {.components = 2});
  std::vector<double> rho(4 * static_cast<std::size_t>(real.grid_box().volume()));
  expect_error(Fault::bad_argument, "or 4 for complex spinors with magnetism",
               [&] { real.add_density({}, weights(0), 0, rho); });
}

/// A copy of values in memory that begins at 8 mod 16 bytes.
template <class T>
class OffAlignment {
 public:
  explicit OffAlignment(const std::vector<T>& values)
      : reals_(values.size() * (sizeof(T) / sizeof(double)) + 1), size_(values.size()) {
    std::copy(values.begin(), values.end(), all().begin());
  }
  std::span<T> all() { return {reinterpret_cast<T*>(reals_.data() + 1), size_}; }

 private:
  std::vector<double> reals_;
  std::size_t size_;
};

/// Checks that arrays with and without alignment to 16 bytes give the same results. Rows of the grid have an odd number
/// of points.
template <class Value>
void expect_dense_at_any_place(LineLibrary library) {
  DenseFft<Value> fft(MPI_COMM_WORLD, {15, 10, 12}, {.library = library});
  using Spectrum = std::vector<Complex>;
  std::vector<Value> grid(static_cast<std::size_t>(fft.grid_box().volume()));
  for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = Value(static_cast<double>(i % 7) + rank());
  Spectrum spectrum(static_cast<std::size_t>(fft.spectrum_box().volume()));
  fft.forward(grid, spectrum);
  OffAlignment<Value> grid_there(grid), back(std::vector<Value>(grid.size()));
  OffAlignment<Complex> spectrum_there(Spectrum(spectrum.size()));
  fft.forward(grid_there.all(), spectrum_there.all());
  expect_close<Complex>(spectrum_there.all(), spectrum, 1e-13);
  fft.backward(spectrum_there.all(), back.all());
  expect_close<Value>(back.all(), grid, 1e-12);
}

TEST(Callers, ArraysMayBeginAtAnyReal) {
  const Known known(true, 3);
  for (const LineLibrary library : line_libraries_here()) {
    expect_dense_at_any_place<Complex>(library);
    expect_dense_at_any_place<double>(library);
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, {.library = library});
    std::vector<Complex> grid(static_cast<std::size_t>(fft.bands_here(3) * fft.grid_box().volume()));
    fft.backward(known.in, grid, 3);
    OffAlignment<Complex> in(known.in), grid_there(std::vector<Complex>(grid.size()));
    fft.backward(in.all(), grid_there.all(), 3);
    expect_close<Complex>(grid_there.all(), grid, 1e-12);
    OffAlignment<Complex> out(std::vector<Complex>(known.in.size()));
    fft.forward(grid_there.all(), out.all(), 3);
    expect_close<Complex>(out.all(), known.in, 1e-12);
  }
}

/// Returns boxes of other shapes than in the plan: rows along y, where some ranks have none, and columns along x.
std::vector<Box> callers_box_of_this_rank() {
  const Box all = whole(shape);
  Box rows = all, columns = all;
  const int owners = (ranks() + 1) / 2;
  rows.axis[1] = rank() < owners ? block(shape.ny, owners, owners - 1 - rank()) : Range{};
  columns.axis[0] = block(shape.nx, ranks(), rank());
  return {rows, columns};
}

TEST(Callers, BoxesOfTheirOwnAreSpreadAndCollected) {
  const auto fields = four_fields();
  for (const FftOptions& options : some_options()) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, share_of(Known::all(), true), options);
    const int groups = fft.report().band_groups;
    const auto factor = static_cast<double>(fft.first_band_here() + 1);
    std::vector<double> here(static_cast<std::size_t>(fft.grid_box().volume())), on_mine(here.size());
    each_point(fft.grid_box(), [&](std::size_t point, std::size_t at) { on_mine[at] = fields[0][point]; });
    for (const Box& box : callers_box_of_this_rank()) {
      std::vector<double> values(static_cast<std::size_t>(box.volume())), sums(values.size(), 0.5), want(values.size());
      each_point(box, [&](std::size_t point, std::size_t at) {
        values[at] = fields[0][point];
        want[at] = 0.5 + 0.5 * groups * (groups + 1) * fields[0][point];
      });
      fft.spread(box, values, here);
      expect_close<double>(here, on_mine, 0);
      for (double& value : here) value *= factor;  // each group has another part of the sum
      fft.collect(here, box, sums);
      expect_close<double>(sums, want, 1e-13);
    }
  }
}

TEST(Callers, SeveralComplexFieldsAreSpreadAndCollected) {
  constexpr std::size_t several = 3;
  const auto fields = four_fields();
  const auto value = [&](std::size_t field, std::size_t point) {
    return Complex(fields[field][point], fields[3][point]);
  };
  const auto mine = share_of(Known::all(), true);
  for (const FftOptions& options : some_options()) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, mine, options);
    const auto points = static_cast<std::size_t>(fft.grid_box().volume());
    std::vector<Complex> here(several * points), on_mine(here.size());
    for (const Box& box : callers_box_of_this_rank()) {
      const auto volume = static_cast<std::size_t>(box.volume());
      std::vector<Complex> values(several * volume), sums(values.size(), Complex(0.5, 1)), want(values.size());
      for (std::size_t f = 0; f < several; ++f) {
        each_point(fft.grid_box(),
                   [&](std::size_t point, std::size_t at) { on_mine[f * points + at] = value(f, point); });
        each_point(box, [&](std::size_t point, std::size_t at) {
          values[f * volume + at] = value(f, point);
          want[f * volume + at] = Complex(0.5, 1) + static_cast<double>(fft.report().band_groups) * value(f, point);
        });
      }
      fft.spread(box, values, here);
      expect_close<Complex>(here, on_mine, 0);
      fft.collect(here, box, sums);
      expect_close<Complex>(sums, want, 1e-13);
    }
  }
}

TEST(Callers, FieldsAreAsManyOnAllRanks) {
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, share_of(Known::all(), true));
  Box box = whole(shape);
  box.axis[2] = block(shape.nz, ranks(), rank());
  const std::size_t fields = rank() == 0 ? 1 : 2;
  std::vector<double> values(fields * static_cast<std::size_t>(box.volume())),
      here(fields * static_cast<std::size_t>(fft.grid_box().volume()));
  if (ranks() > 1) {
    const std::string sentence =
        "ranks passed different numbers of fields (1 to 2) to a collective call: pass the same";
    expect_error(Fault::bad_argument, sentence, [&] { fft.spread(box, values, here); });
    expect_error(Fault::bad_argument, sentence, [&] { fft.collect(here, box, values); });
  }
  expect_error(Fault::bad_argument, "pass one value per point and field", [&] { fft.spread(box, values, {}); });
}

TEST(Callers, BoxesMayNotOverlap) {
  if (ranks() == 1) GTEST_SKIP() << "one box overlaps with none";
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, share_of(Known::all(), true));
  Box box;  // total size of the grid, but planes 6 and 7 occur twice and 13 and 14 are missing
  if (rank() < 2) box = whole(shape);
  if (rank() == 0) box.axis[2] = {0, 8};
  if (rank() == 1) box.axis[2] = {6, 13};
  std::vector<double> values(static_cast<std::size_t>(box.volume())),
      here(static_cast<std::size_t>(fft.grid_box().volume()));
  const std::string sentence = "boxes: the source boxes of ranks 0 (x [0, 12), y [0, 10), z [0, 8)) and 1 (x [0, 12)";
  expect_error(Fault::bad_argument, sentence, [&] { fft.spread(box, values, here); });
  expect_error(Fault::bad_argument, sentence, [&] { fft.collect(here, box, values); });
}

TEST(Callers, BandsAreTransformedInBoxesOfTheirOwn) {
  constexpr std::size_t bands = 5;
  const Known known(false, 2 * bands);
  for (FftOptions options : some_options()) {
    for (const int components : {1, 2}) {
      options.components = components;
      const std::size_t rows = bands * static_cast<std::size_t>(components);
      const std::span<const Complex> in(known.in.data(), rows * known.mine.size());
      SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
      for (const Box& box : callers_box_of_this_rank()) {
        const auto points = static_cast<std::size_t>(box.volume());
        std::vector<Complex> values(rows * points), want(values.size()), out(in.size());
        for (std::size_t row = 0; row < rows; ++row) {
          each_point(box, [&](std::size_t point, std::size_t at) {
            want[row * points + at] = static_cast<Complex>(known.values[row][point]);
          });
        }
        fft.backward_to_boxes(in, box, values, bands);
        expect_close<Complex>(values, want, 1e-10);
        fft.forward_from_boxes(box, values, out, bands);
        expect_close<Complex>(out, std::vector(in.begin(), in.end()), 1e-12);
      }
    }
  }
}

TEST(Callers, BoxesMakeUpTheGrid) {
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, share_of(Known::all(), true));
  std::vector<double> here(static_cast<std::size_t>(fft.grid_box().volume()));
  expect_error(Fault::bad_argument, "points of a target box (x [0, 12), y [0, 10), z [0, ",
               [&] { fft.spread(Box{}, {}, here); });
  const Box outside{{Range{0, 13}, Range{0, 1}, Range{0, 1}}};
  std::vector<double> values(13);
  std::vector<Complex> complex_values(1);
  expect_error(Fault::bad_argument, "extends beyond the grid of 12 x 10 x 15 points",
               [&] { fft.spread(outside, values, here); });
  expect_error(Fault::bad_argument, "the caller's box has 13 points", [&] { fft.collect(here, outside, {}); });
  expect_error(Fault::bad_argument, "the 13 points of the caller's box with 1 components need 0 values",
               [&] { fft.backward_to_boxes({}, outside, complex_values, 0); });
}

TEST(Callers, WrongRowLengthsAndShortArraysAreRefusedOnAllRanks) {
  const Known known(true, 3);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine);
  std::vector<Complex> out(known.in.size());
  const std::vector<double> potential(static_cast<std::size_t>(fft.grid_box().volume()));
  const std::int64_t waves = std::ssize(known.mine);
  const bool last = rank() == ranks() - 1;
  for (const std::int64_t row : {std::int64_t{-1}, waves - 1, std::int64_t{1} << 62}) {
    if (row == 0) continue;
    expect_error(Fault::bad_argument, "fft: wrong row length of the input coefficients (", [&] {
      fft.apply_potential({known.in, last ? row : 0}, out, 3, potential);
    });
    expect_error(Fault::bad_argument, "fft: wrong row length of the output coefficients (", [&] {
      fft.apply_potential(known.in, {out, last ? row : 0}, 3, potential);
    });
  }
  expect_error(Fault::bad_argument, "fft: the array of input coefficients is too short (", [&] {
    fft.apply_potential({known.in, waves + (last ? 1 : 0)}, out, 3, potential);
  });
  const std::span<Complex> less(out.data(), last ? out.size() - 1 : out.size());
  expect_error(Fault::bad_argument, "fft: the array of output coefficients is too short (",
               [&] { fft.apply_potential(known.in, less, 3, potential); });
  expect_error(Fault::bad_argument, " need ", [&] { fft.apply_potential(known.in, out, 4, potential); });
}

TEST(Callers, GroupsThatAreLeftOpenFollowNodes) {
  const auto mine = share_of(Known::all(), true);
  for (const int of_node : {1, 2}) {
    set_ranks_per_node(of_node);
    const Communicator comm(MPI_COMM_WORLD);
    const GridShape another{shape.nx, shape.ny, shape.nz + of_node};  // avoids the cached plan of the other node size
    const SphereFft<Complex> fft(comm, another, mine);
    const int nodes = (ranks() + of_node - 1) / of_node;
    EXPECT_EQ(fft.report().band_groups, ranks() % nodes == 0 && ranks() / nodes == of_node ? nodes : 1);
    compared(1);
  }
  set_ranks_per_node(0);
}

}  // namespace
}  // namespace seiche::testing
