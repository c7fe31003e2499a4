// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <deque>

namespace seiche::python {

GridShape grid_shape_of(nb::handle given) {
  const auto shape = value_of<std::array<std::int64_t, 3>>("shape", given);
  for (const std::int64_t points : shape) {
    if (points < 1) throw BadArgument("shape (nx, ny, nz) must be positive along each axis");
  }
  return {shape[0], shape[1], shape[2]};
}

const char* kept_text(std::string text) {
  static std::deque<std::string> all;  // whose elements stay where they are
  return all.emplace_back(std::move(text)).c_str();
}

nb::sig sig_with(const char* name, const nb::object& probe, const std::string& keywords) {
  auto text = nb::cast<std::string>(probe.attr("__doc__"));
  text = text.substr(text.find('('), text.find('\n') - text.find('('));
  const std::string placeholder = "**options";
  const std::size_t at = text.find(placeholder);
  const bool after_star = text.find("*, ") < at;
  text.replace(at, placeholder.size(), (after_star ? "" : "*, ") + keywords);
  return nb::sig(kept_text("def " + std::string(name) + text));
}

template <>
Keywords<MoveOptions> keywords_of() {
  auto all = described_keywords<MoveOptions>();
  all.push_back(keyword<MoveOptions>("on_progress", "called with the fraction done", &MoveOptions::on_progress));
  return all;
}

template <>
Keywords<ProductOptions> keywords_of() {
  static constexpr std::array<std::pair<std::string_view, OnlyExchange>, 3> words{
      {{"no", OnlyExchange::no}, {"awake", OnlyExchange::awake}, {"asleep", OnlyExchange::asleep}}};
  auto all = described_keywords<ProductOptions>();
  all.push_back({"only_exchange", "awake or asleep: moves what a product would move, and computes nothing", "str",
                 [](const ProductOptions& o) { return nb::cast(word_of(o.only_exchange, words)); },
                 [](ProductOptions& o, nb::handle given) {
                   const auto word = value_of<std::string>("only_exchange", given);
                   o.only_exchange = named<OnlyExchange>("only_exchange", word, words);
                 }});
  all.push_back(keyword<ProductOptions>("memory_needed", "called with the bytes that a product will take",
                                        &ProductOptions::memory_needed));
  return all;
}

template <>
Keywords<TuneRequest> keywords_of() {
  auto all = described_keywords<TuneRequest>();
  all.push_back(keyword<TuneRequest>(
      "skew", "seconds by which the program's ranks arrive apart; None: as plans have seen", &TuneRequest::skew));
  return all;
}

template <>
Keywords<DensityOptions> keywords_of() {
  using Options = DensityOptions;
  Keywords<Options> all{
      keyword<Options>("as_they_are", "the bands' own sum, whether or not it holds the header's electrons",
                       &Options::as_they_are),
      keyword<Options>("symmetric", "averaged over the crystal's operations", &Options::symmetric),
      keyword<Options>("occupations", "[spin][k][band] in a row, in place of the header's", &Options::occupations),
      keyword<Options>("on_progress", "called with the fraction done", &Options::on_progress),
      keyword<Options>(
          "memory", "bytes that bands on their way may take on this rank; 0: by rule",
          [](auto& of) -> auto& { return of.policy.memory; })};
  nest(all, &Options::fft);
  return all;
}

}  // namespace seiche::python
