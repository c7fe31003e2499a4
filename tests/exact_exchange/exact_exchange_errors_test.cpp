// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that wrong arguments of exact exchange give an error on all ranks, also if one rank passes them.
#include <limits>

#include "collective/one_rank_differs.hpp"
#include "exact_exchange/case.hpp"

namespace seiche::testing {
namespace {

template <class Work>
void refused(const std::string& part, Work&& work) {
  expect_error(Fault::bad_argument, part, std::forward<Work>(work));
}

class ExactExchangeErrors : public ::testing::Test {
 protected:
  const Case of_{};
  Data<> data_{of_};
  std::vector<Complex> in_ = data_.in(), out_ = in_;
  std::vector<double> kernel_ = data_.kernel, weights_ = of_.weights, weights_of_targets_ = std::vector<double>(5, 1);
  ExactExchange<Complex> exchange_ = make(of_, data_, {});
  OccupiedOrbitals<Complex> occupied_ = make_occupied(exchange_, of_, data_);

  void TearDown() override {
    auto exchange = make(of_, data_, {});
    exchange.apply(make_occupied(exchange, of_, data_), kernel_, in_, out_, 5);
    expect_close<Complex>(out_, data_.expected(), 2e-11);
  }
  /// Checks that each call with these occupied orbitals gives an error.
  void refuse_all(const OccupiedOrbitals<Complex>& occupied, std::span<const double> kernel, const std::string& part) {
    refused(part, [&] { exchange_.apply(occupied, kernel, in_, out_, 5); });
    refused(part, [&] { exchange_.start_apply(occupied, kernel, in_, out_, 5).finish(); });
    refused(part, [&] { exchange_.energy(occupied, kernel, in_, weights_of_targets_); });
    refused(part, [&] { exchange_.apply_to_occupied(occupied, kernel, out_); });
  }
};

TEST_F(ExactExchangeErrors, OfOptionsAndWaves) {
  refused("exact exchange: the batch must not be negative (got -1)", [&] { make(of_, data_, {.batch = -1}); });
  Case triple = of_;
  triple.components = 3;
  refused("fft: the number of components must be 1, or 2 for spinors (got 3)", [&] { make(triple, data_, {}); });
  expect_error(Fault::unsupported, "the space 'cuda' supports slabs only (got decomposition pencil)",
               [&] { make(of_, data_, {.fft = {.decomposition = Decomposition::pencil, .space = Space::cuda}}); });
  auto wrong = data_;
  if (is_last()) wrong.mine_density.push_back({4, 0, 0});
  refused("fft: wave (4,0,0) does not fit a grid of 6 x 5 x 8 points", [&] { make(of_, wrong, {}); });
  wrong = data_;
  if (is_last()) wrong.mine_density.push_back(data_.mine_density.front());
  refused("fft: duplicate wave", [&] { make(of_, wrong, {}); });
}

TEST_F(ExactExchangeErrors, OfArrays) {
  auto longer = kernel_;
  if (is_last()) longer.push_back(1);
  refuse_all(occupied_, longer, "exact exchange: the kernel needs one value for each of the ");
  auto shorter = out_;
  if (is_last()) shorter.pop_back();
  auto fewer = data_.in_occupied();
  if (is_last()) fewer.pop_back();
  const std::string of_rows = "coefficients is too short (";
  refused(of_rows, [&] { exchange_.apply(occupied_, kernel_, shorter, out_, 5); });
  refused(of_rows, [&] { exchange_.apply(occupied_, kernel_, in_, shorter, 5); });
  refused(of_rows, [&] { exchange_.energy(occupied_, kernel_, shorter, weights_of_targets_); });
  refused(of_rows, [&] { exchange_.apply_to_occupied(occupied_, kernel_, fewer); });
  refused(of_rows, [&] { exchange_.occupied(fewer, weights_); });
  refused("fft: wrong number of bands (-1): pass 0 to ", [&] { exchange_.apply(occupied_, kernel_, in_, out_, -1); });
  std::vector<Complex> grid(static_cast<std::size_t>(exchange_.bands_here(4) * exchange_.grid_box().volume()) +
                            (is_last() ? 1 : 0));
  refused(" values (got ", [&] { exchange_.occupied_on_grid(grid, weights_); });
  auto both = in_;
  both.resize(in_.size() + data_.targets.mine.size());
  refused("fft: the input and output arrays overlap", [&] {
    const std::span all(both);
    exchange_.apply(occupied_, kernel_, all.first(in_.size()), all.last(in_.size()), 5);
  });
}

TEST_F(ExactExchangeErrors, OfKernelsOfAnotherKPoint) {
  auto kernel = kernel_;
  for (std::size_t i = 0; i < kernel.size(); ++i) kernel[i] *= 1 + 0.1 * data_.mine_density[i].x;
  refused("exact exchange: the kernel differs between G and -G: use apply() for orbitals of another k-point",
          [&] { exchange_.apply_to_occupied(occupied_, kernel, out_); });
}

TEST_F(ExactExchangeErrors, OfWeights) {
  if (is_last()) weights_[3] = std::numeric_limits<double>::infinity();
  if (is_last()) weights_of_targets_[3] = std::numeric_limits<double>::infinity();
  const std::string sentence = "exact exchange: weight 3 is not a finite number (inf)";
  std::vector<Complex> grid(static_cast<std::size_t>(exchange_.bands_here(4) * exchange_.grid_box().volume()));
  refused(sentence, [&] { exchange_.occupied(data_.in_occupied(), weights_); });
  refused(sentence, [&] { exchange_.occupied(data_.occupied.mine, data_.in_occupied(), weights_); });
  refused(sentence, [&] { exchange_.occupied_on_grid(grid, weights_); });
  refused(sentence, [&] { exchange_.energy(occupied_, kernel_, in_, weights_of_targets_); });
}

TEST_F(ExactExchangeErrors, OfOrbitalsOfOtherObjects) {
  const auto foreign = [&](const OccupiedOrbitals<Complex>& occupied) {
    refuse_all(occupied, kernel_, "exact exchange: the occupied orbitals have another communicator, grid, ");
  };
  ExactExchange<Complex> larger(MPI_COMM_WORLD, {6, 6, 8}, data_.targets.mine, data_.mine_density);
  foreign(larger.occupied(in_, weights_of_targets_));
  const Case of_spinors{.components = 2};
  const Data<> spinors(of_spinors);
  auto exchange = make(of_spinors, spinors, {});
  foreign(make_occupied(exchange, of_spinors, spinors));
  auto device = make(of_, data_, {.fft = {.space = Space::cuda}});
  foreign(make_occupied(device, of_, data_));
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  {
    ExactExchange<Complex> same(other, of_.shape, data_.targets.mine, data_.mine_density);
    foreign(make_occupied(same, of_, data_));
  }
  MPI_Comm_free(&other);
  if (ranks() == 1) return;
  auto grouped = make(of_, data_, {.fft = {.band_groups = ranks()}});
  foreign(make_occupied(grouped, of_, data_));
}

TEST_F(ExactExchangeErrors, OfClosedObjects) {
  const auto kept = std::move(occupied_);
  refused("exact exchange: these occupied orbitals are moved from",
          [&] { exchange_.apply(occupied_, kernel_, in_, out_, 5); });
  for (int twice = 0; twice < 2; ++twice) exchange_.close();
  const std::string closed = "exact exchange: this object is closed or moved from: create another";
  refused(closed, [&] { exchange_.apply(kept, kernel_, in_, out_, 5); });
  refused(closed, [&] { exchange_.grid_box(); });
}

#ifdef SEICHE_CHECKS
TEST_F(ExactExchangeErrors, OfChangedInputs) {
  for (const bool changes_kernel : {false, true}) {
    auto in = in_;
    auto kernel = kernel_;
    Pending call = exchange_.start_apply(occupied_, kernel, in, out_, 5);
    if (rank() == 0) (changes_kernel ? kernel[0] : reinterpret_cast<double*>(in.data())[0]) += 1;
    refused("an input array of a started call was changed before finish()", [&] { call.finish(); });
  }
}
#endif

}  // namespace
}  // namespace seiche::testing
