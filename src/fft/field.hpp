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

/// The memory of a field is that of its exchanges: the near end of the first, the far end of the last.
template <class Value>
struct Field<Value>::Body {
  std::vector<std::unique_ptr<Exchange>> exchanges;
  Box grid_box, spectrum_box;
  Strides grid_stride{}, spectrum_stride{};
  bool is_spectrum = false;

  Exchange& first() const { return *exchanges.front(); }
  Exchange& last() const { return *exchanges.back(); }
  Complex* near(std::size_t e) const { return reinterpret_cast<Complex*>(exchanges[e]->near()); }
  Complex* far(std::size_t e) const { return reinterpret_cast<Complex*>(exchanges[e]->far(0).data); }

  /// Hands the memory over to the other layout, without values.
  void become(bool spectrum) {
    if (is_spectrum == spectrum) return;
    last().start(spectrum ? Toward::far : Toward::near, Cargo::nothing);
    last().finish();
    is_spectrum = spectrum;
  }
};

}  // namespace seiche
