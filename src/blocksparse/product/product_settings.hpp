// SPDX-License-Identifier: BSD-3-Clause
/// \file  Settings of products in the tuning file, and the cases that they apply to.
#pragma once

#include <string>

#include "blocksparse/product/share.hpp"
#include "seiche/block_product.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche {

/// Local, the same on all ranks. Returns the case: type of values, numbers and mean sizes of blocks, process grid, and
/// the decade of the fraction of nonzero blocks of A and B.
template <class Value>
std::string product_case(const BlockLayout& c, const BlockSizes& inner, const MatrixBytes& whole);

Settings settings_of(const ProductOptions& options);
/// Applies the settings to open options, except the share of the communicating thread, for which they are only the
/// initial value.
ProductOptions with(ProductOptions options, const Settings& settings);

}  // namespace seiche
