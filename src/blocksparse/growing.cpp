// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/growing.hpp"

namespace seiche {

template <class Value>
std::int64_t lay_out(Growing<Value>& grown, const Forecast& forecast, const Share& share, const BlockMatrix<Value>& c,
                     bool adds_to_old) {
  const std::size_t most = forecast.columns.size() + (adds_to_old ? c.columns().size() : 0);
  grown.start.reserve(share.rows.size() + 1);
  grown.start.assign(1, 0);
  grown.columns.reserve(most);
  grown.offset.reserve(most);
  std::vector<std::int32_t> old;
  std::int64_t end = 0;
  for (std::size_t r = 0; r < share.rows.size(); ++r) {
    const auto first = forecast.columns.begin() + forecast.start[r],
               last = forecast.columns.begin() + forecast.start[r + 1];
    old.clear();
    for (std::int64_t n = adds_to_old ? c.row_start()[r] : 0; adds_to_old && n < c.row_start()[r + 1]; ++n) {
      old.push_back(share.column_at[static_cast<std::size_t>(c.columns()[static_cast<std::size_t>(n)])]);
    }
    std::set_union(first, last, old.begin(), old.end(), std::back_inserter(grown.columns));
    const std::int64_t row_size = c.layout().row_sizes[static_cast<std::size_t>(share.rows[r])];
    for (auto n = static_cast<std::size_t>(grown.start.back()); n < grown.columns.size(); ++n) {
      grown.offset.push_back(end);
      const auto column = static_cast<std::size_t>(share.columns[static_cast<std::size_t>(grown.columns[n])]);
      end += row_size * c.layout().column_sizes[column];
    }
    grown.start.push_back(static_cast<std::int64_t>(grown.columns.size()));
  }
  return end;
}

template <class Value>
void copy_old(const BlockMatrix<Value>& c, const Share& share, Value factor, Growing<Value>& grown) {
  for (std::size_t r = 0; r < share.rows.size(); ++r) {
    std::int64_t target = grown.start[r];
    for (std::int64_t n = c.row_start()[r]; n < c.row_start()[r + 1]; ++n) {
      const std::int32_t column = share.column_at[static_cast<std::size_t>(c.columns()[static_cast<std::size_t>(n)])];
      while (grown.columns[static_cast<std::size_t>(target)] != column) ++target;
      const Value* from = c.values().data() + c.offset()[static_cast<std::size_t>(n)];
      Value* const to = grown.values.data() + grown.offset[static_cast<std::size_t>(target)];
      for (std::int64_t k = 0; k < block_size(c, r, n); ++k) to[k] = factor * from[k];
      grown.filled[static_cast<std::size_t>(target)] = 1;
    }
  }
}

#define SEICHE_GROWING(Value)                                                                                     \
  template std::int64_t lay_out(Growing<Value>&, const Forecast&, const Share&, const BlockMatrix<Value>&, bool); \
  template void copy_old(const BlockMatrix<Value>&, const Share&, Value, Growing<Value>&)
SEICHE_GROWING(float);
SEICHE_GROWING(double);
SEICHE_GROWING(std::complex<float>);
SEICHE_GROWING(std::complex<double>);

}  // namespace seiche
