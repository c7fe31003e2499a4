// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/panels.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <numeric>

#include "comm/agree.hpp"

namespace seiche {

namespace {

constexpr std::int64_t panel_bytes = std::int64_t{1} << 17;  // latency is a small part of its time
constexpr int most_panels = 12;
constexpr int most_inner_panels = 8;  // each of these accesses all of C again
constexpr int most_local_panels = 3;  // inside a node there is no network time to hide, and each accesses A or B again

/// Returns the bytes of A and of B from other ranks.
template <class Value>
std::array<std::int64_t, 2> bytes_to_come(const IndexExchange<Value>& index) {
  std::array<std::int64_t, 2> bytes{};
  each_listed(index, [&](const ListedBlock& block) {
    const OperandIndex<Value>& operand = index.operand(block.operand);
    if (operand.source[block.entry] >= 0 && operand.needed[block.entry]) bytes[block.operand] += block.bytes;
  });
  return bytes;
}

/// Collective.
int number_of_panels(const Communicator& comm, Axis axis, std::int64_t bytes, const PanelCount& count,
                     const std::optional<Error>& fault) {
  const auto [inner, most_bytes] = bounds(comm, std::array{std::int64_t{axis == Axis::inner}, bytes}, fault);
  const bool inner_somewhere = inner.second != 0;
  const int most = comm.on_one_node() ? most_local_panels : inner_somewhere ? most_inner_panels : most_panels;
  const auto usual = static_cast<int>(std::clamp<std::int64_t>(most_bytes.second / panel_bytes, 2, most));
  if (comm.size() == 1) return 1;  // nothing is sent
  if (count.wanted > 0) return count.wanted;
  return count.coarse ? std::max(2, usual / 2) : usual;
}

/// Returns the required bytes at each position along the axis.
template <class Value>
std::vector<double> weights_along(Axis axis, const IndexExchange<Value>& index, std::int64_t places) {
  std::vector<double> weight(places, 0.0);
  each_listed(index, [&](const ListedBlock& block) {
    const bool needed = index.operand(block.operand).needed[block.entry];
    if (needed && block.place[axis] >= 0) weight[block.place[axis]] += static_cast<double>(block.bytes);
  });
  return weight;
}

/// Returns the panel of each position along the axis. All panels have nearly the same weight, but the first and the
/// last one have half of it: nothing overlaps with the arrival of the first, and the last overlaps with no arrival.
std::vector<std::int32_t> cut(const std::vector<double>& weight, int panels) {
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  std::vector<std::int32_t> panel(weight.size());
  double before = 0;
  for (std::size_t n = 0; n < weight.size(); ++n) {
    const double middle = total > 0 ? (before + weight[n] / 2) / total : 0;
    panel[n] = std::min(panels - 1, static_cast<int>(middle * (panels - 1) + 0.5));
    before += weight[n];
  }
  return panel;
}

}  // namespace

template <class Value>
PanelCut agreed_cut(const IndexExchange<Value>& index, const Communicator& comm, const PanelCount& count,
                    const std::optional<Error>& fault) {
  const auto [of_a, of_b] = fault ? std::array<std::int64_t, 2>{} : bytes_to_come(index);
  const Axis axis = of_b == 0 ? Axis::rows : of_a == 0 ? Axis::columns : Axis::inner;
  return {axis, number_of_panels(comm, axis, of_a + of_b, count, fault)};
}

template <class Value>
Panels cut_into_panels(const IndexExchange<Value>& index, const PanelCut& agreed) {
  Panels panels;
  panels.axis = agreed.axis;
  const Panel whole{Range{0, std::ssize(index.share.rows)}, Range{0, std::ssize(index.share.columns)},
                    Range{0, index.share.inner.size()}};
  panels.panel_at = cut(weights_along(panels.axis, index, whole[panels.axis].size()), agreed.panels);
  for (std::int32_t p = 0; p < agreed.panels; ++p) {
    const auto& at = panels.panel_at;
    const auto [first, last] = std::equal_range(at.begin(), at.end(), p);
    panels.all.push_back(whole);
    panels.all.back()[panels.axis] = {first - at.begin(), last - at.begin()};
  }
  return panels;
}

#define SEICHE_PANELS(Value)                                                                        \
  template PanelCut agreed_cut(const IndexExchange<Value>&, const Communicator&, const PanelCount&, \
                               const std::optional<Error>&);                                        \
  template Panels cut_into_panels(const IndexExchange<Value>&, const PanelCut&)
SEICHE_PANELS(float);
SEICHE_PANELS(double);
SEICHE_PANELS(std::complex<float>);
SEICHE_PANELS(std::complex<double>);

}  // namespace seiche
