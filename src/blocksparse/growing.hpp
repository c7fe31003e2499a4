// SPDX-License-Identifier: BSD-3-Clause
/// \file  C as it comes into being: its structure first, its values when their memory has been announced.
#pragma once

#include <vector>

#include "blocksparse/survey.hpp"

namespace seiche {

/// C as it comes into being: rows and columns are places in the share.
template <class Value>
struct Growing {
  std::vector<std::int64_t> start;    ///< of each row
  std::vector<std::int32_t> columns;  ///< ascending
  std::vector<std::int64_t> offset;   ///< in `values`
  std::vector<char> filled;           ///< block holds values already
  std::vector<float> norms;           ///< of finished blocks, where asked for
  RawVector<Value> values;
};

/// The structure of C: what products make and, where they are added to it, what is there already. \return elements
template <class Value>
std::int64_t lay_out(Growing<Value>& grown, const Forecast& forecast, const Share& share, const BlockMatrix<Value>& c,
                     bool adds_to_old);

/// The old blocks of C times `factor`.
template <class Value>
void copy_old(const BlockMatrix<Value>& c, const Share& share, Value factor, Growing<Value>& grown);

/// Room for n things, whose values are not kept: where there is too little, it is let go before new room is taken.
template <class List>
void renew(List& list, std::int64_t n) {
  const auto size = static_cast<std::size_t>(n);
  if (list.capacity() < size) {
    list = List();
  } else if (list.size() != size) {
    list.clear();
  }
  list.resize(size);
}

}  // namespace seiche
