// SPDX-License-Identifier: BSD-3-Clause
#include "py_options.hpp"

namespace seiche::python {

GridShape grid_shape_of(nb::handle given) {
  const auto shape = value_of<std::array<std::int64_t, 3>>("shape", given, "three integers (nx, ny, nz)");
  for (const std::int64_t points : shape) {
    if (points < 1) throw BadArgument("shape (nx, ny, nz) must be positive along each axis");
  }
  return {shape[0], shape[1], shape[2]};
}

std::string signature_with(const char* name, const nb::object& probe, const std::string& keywords) {
  std::string text = signature_from(name, probe);
  const std::string placeholder = "**options";
  const std::size_t at = text.find(placeholder);
  const bool after_star = text.find("*, ") < at;
  text.replace(at, placeholder.size(), (after_star ? "" : "*, ") + keywords);
  return text;
}

template <>
Keywords<MoveOptions> keywords_of() {
  auto all = described_keywords<MoveOptions>();
  all.push_back(keyword<MoveOptions>("on_progress", "called with the completed fraction", &MoveOptions::on_progress));
  return all;
}

template <>
Keywords<ProductOptions> keywords_of() {
  static constexpr std::array<std::pair<std::string_view, OnlyExchange>, 3> words{
      {{"no", OnlyExchange::no},
       {"busy_wait", OnlyExchange::busy_wait},
       {"blocking_wait", OnlyExchange::blocking_wait}}};
  auto all = described_keywords<ProductOptions>();
  all.push_back({"only_exchange",
                 "benchmark only: exchange blocks without multiplying, busy_wait or blocking_wait while waiting", "str",
                 [](const ProductOptions& o) { return nb::cast(word_of(o.only_exchange, words)); },
                 [](ProductOptions& o, nb::handle given) {
                   const auto word = value_of<std::string>("only_exchange", given);
                   o.only_exchange = named<OnlyExchange>("only_exchange", word, words);
                 }});
  all.push_back(keyword<ProductOptions>("memory_needed", "called with the bytes of memory that a product will need",
                                        &ProductOptions::memory_needed));
  return all;
}

template <>
Keywords<TuneRequest> keywords_of() {
  auto all = described_keywords<TuneRequest>();
  all.push_back(keyword<TuneRequest>(
      "skew", "spread of the ranks' arrival times in the program, seconds; None: as measured by plans",
      &TuneRequest::skew));
  return all;
}

template <>
Keywords<DensityOptions> keywords_of() {
  using Options = DensityOptions;
  Keywords<Options> all{
      keyword<Options>("as_they_are", "do not check the number of electrons", &Options::as_they_are),
      keyword<Options>("symmetric", "average over the symmetry operations of the crystal", &Options::symmetric),
      keyword<Options>("occupations", "occupations [spin][k][band], flat, instead of the header's",
                       &Options::occupations),
      keyword<Options>("on_progress", "called with the completed fraction", &Options::on_progress),
      keyword<Options>(
          "memory", "bytes that bands in flight may take on this rank (0: automatic)",
          [](auto& of) -> auto& { return of.policy.memory; })};
  nest(all, &Options::fft);
  return all;
}

}  // namespace seiche::python
