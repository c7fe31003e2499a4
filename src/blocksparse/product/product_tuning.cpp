// SPDX-License-Identifier: BSD-3-Clause
/// \file  The candidate settings of tuning for products.
#include <algorithm>
#include <memory>
#include <set>

#include "blocksparse/product/operand.hpp"
#include "blocksparse/product/product_settings.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuner.hpp"

namespace seiche {

namespace {

/// The candidates on one process grid; `usual` are the options with default panels and layers.
struct Candidates {
  const BlockLayout& c;
  ProductOptions usual;

  std::vector<ProductOptions> first() const {
    std::vector<ProductOptions> all;
    for (const Policy& policy : first_policies(c.comm, usual_window)) {
      add(all, usual).policy = policy;
      // neighbours use each other's memory, but panels still wait for each other
      if (policy.algorithm == Algorithm::shared) add(all, all.back()).policy.window = usual_window;
    }
    return all;
  }

  std::vector<ProductOptions> variations(const ProductOptions& winner) const {
    std::vector<ProductOptions> all;
    for (const Policy& policy : varied(winner.policy, {2, 5})) add(all, winner).policy = policy;
    for (const int panels : {winner.panels / 2, 2 * winner.panels}) {
      if (panels > 0) add(all, winner).panels = panels;
    }
    for (const int layers : possible_layers()) {
      if (layers != winner.layers) add(all, winner).layers = layers;
    }
    if (winner.threads == 1 || winner.policy.progress == Progress::none) return all;
    for (const double share : {0.8, 0.5}) add(all, winner).communication_share = share;
    return all;
  }

 private:
  static ProductOptions& add(std::vector<ProductOptions>& all, ProductOptions one) {
    return all.emplace_back(std::move(one));
  }
  /// Returns a few numbers of layers; each layer holds another copy of the blocks of C.
  std::set<int> possible_layers() const {
    constexpr int most = 4;
    std::set<int> layers;
    for (int across = 1; across <= c.grid_rows; ++across) {
      for (int along = 1; along <= c.grid_columns; ++along) {
        const bool fits = c.grid_rows % across == 0 && c.grid_columns % along == 0 && across * along <= most;
        if (fits) layers.insert(across * along);
      }
    }
    return layers;
  }
};

}  // namespace

template <class Value>
TuneReport<ProductOptions> tune_product(const Product<Value>& product, const SharedLayout& layout,
                                        const ProductOptions& options, const TuneRequest& request) {
  const Communicator& comm = layout->comm;
  together(comm, "tune_product", [&](EqualArguments& same) { add_request(same, request); });
  BlockMatrix<Value> c(layout);
  ProductOptions usual = options;
  usual.policy = {Algorithm::pairwise, Progress::none, 1};  // anything but the settings of the file
  usual.panels = usual.layers = 0;
  usual.communication_share = 1;
  {
    Multiplier by_rule(usual);
    const ProductReport& report = by_rule(product, c);
    usual.panels = report.panels;
    usual.layers = report.layers;
  }
  const Operands<Value> operands(product, *layout, [](std::int64_t) {});
  const auto work = product_case<Value>(*layout, operands.a->layout().column_sizes,
                                        matrix_bytes(*operands.a, *operands.b, *layout, false));
  const Candidates some{*layout, usual};
  const auto make_run = [&](const ProductOptions& one) -> std::function<void()> {
    return [&, multiply = std::make_shared<Multiplier>(one)] { (*multiply)(product, c); };
  };
  return tune<ProductOptions>(comm,
                              {tuned_case(comm, work, options.threads), some.first(),
                               [&](const ProductOptions& winner) { return some.variations(winner); }, make_run},
                              request);
}

#define SEICHE_TUNE(Value)                                                                                            \
  template TuneReport<ProductOptions> tune_product(const Product<Value>&, const SharedLayout&, const ProductOptions&, \
                                                   const TuneRequest&)
SEICHE_TUNE(float);
SEICHE_TUNE(double);
SEICHE_TUNE(std::complex<float>);
SEICHE_TUNE(std::complex<double>);

}  // namespace seiche
