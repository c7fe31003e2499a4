// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/product_settings.hpp"

#include <cmath>

#include "blocksparse/matrix/scalar.hpp"
#include "support/formatted.hpp"
#include "tuning/policy.hpp"

namespace seiche {

namespace {

std::string decade(double share) {
  return share > 0 ? formatted("1e{}", static_cast<int>(std::floor(std::log10(share)))) : "0";
}

double rounded_mean(const BlockSizes& sizes) { return std::round(mean_size(sizes)); }

}  // namespace

template <class Value>
std::string product_case(const BlockLayout& c, const BlockSizes& inner, const MatrixBytes& whole) {
  const BlockSizes &rows = c.row_sizes, &columns = c.column_sizes;
  return formatted("product {}{} {}x{}x{} blocks of {}x{}x{}, fill {} and {}, on {}x{}", is_complex<Value> ? 'c' : 'r',
                   sizeof(Real<Value>), rows.size(), columns.size(), inner.size(), rounded_mean(rows),
                   rounded_mean(columns), rounded_mean(inner), decade(whole.fill_a), decade(whole.fill_b), c.grid_rows,
                   c.grid_columns);
}

Settings settings_of(const ProductOptions& options) {
  Settings settings = settings_of(options.policy);
  settings["panels"] = std::to_string(options.panels);
  settings["layers"] = std::to_string(options.layers);
  settings["communication_share"] = formatted("{}", options.communication_share);
  return settings;
}

ProductOptions with(ProductOptions options, const Settings& settings) {
  options.policy = with(options.policy, settings);
  if (options.panels == 0) options.panels = small_number_in(settings, "panels");
  if (options.layers == 0) options.layers = small_number_in(settings, "layers");
  real_in(settings, "communication_share", -1);  // read later, see there
  return options;
}

template std::string product_case<float>(const BlockLayout&, const BlockSizes&, const MatrixBytes&);
template std::string product_case<double>(const BlockLayout&, const BlockSizes&, const MatrixBytes&);
template std::string product_case<std::complex<float>>(const BlockLayout&, const BlockSizes&, const MatrixBytes&);
template std::string product_case<std::complex<double>>(const BlockLayout&, const BlockSizes&, const MatrixBytes&);

}  // namespace seiche
