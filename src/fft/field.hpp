// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a field of a dense grid is made of.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "exchange/exchange.hpp"
#include "seiche/fft.hpp"

namespace seiche {

using Strides = std::array<std::int64_t, 3>;

/// The memory of a field is that of its exchanges: the source of the first, the target of the last. Each exchange
/// has one part for each chunk of the grid.
template <class Value>
struct Field<Value>::Body {
  std::vector<std::vector<std::unique_ptr<Exchange>>> exchanges;  // [exchange][chunk]
  Box grid_box, spectrum_box;
  Strides grid_stride{}, spectrum_stride{};
  bool is_spectrum = false;

  Exchange* first(std::int64_t chunk) const { return exchanges.front()[static_cast<std::size_t>(chunk)].get(); }
  Exchange* last(std::int64_t chunk) const { return exchanges.back()[static_cast<std::size_t>(chunk)].get(); }
  Complex* source(std::size_t e) const { return reinterpret_cast<Complex*>(exchanges[e].front()->source()); }
  Complex* target(std::size_t e) const { return reinterpret_cast<Complex*>(exchanges[e].front()->target(0).data); }

  /// Hands the memory over to the other layout, without values.
  void become(bool spectrum) {
    if (is_spectrum == spectrum) return;
    for (const auto& part : exchanges.back()) {
      part->start(spectrum ? Toward::target : Toward::source, Payload::release);
      part->finish();
    }
    is_spectrum = spectrum;
  }
};

}  // namespace seiche
