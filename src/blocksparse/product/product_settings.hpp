// SPDX-License-Identifier: BSD-3-Clause
/// \file  Settings of products, as the tuning file has them, and what their speed depends on.
#pragma once

#include <string>

#include "blocksparse/product/share.hpp"
#include "seiche/block_product.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche {

/// Local, alike on all ranks. Kind of values, numbers and mean sizes of blocks, the grid of ranks, and the decade of
/// the share of blocks that are there, of A and of B.
template <class Value>
std::string product_case(const BlockLayout& c, const BlockSizes& inner, const MatrixBytes& whole);

Settings settings_of(const ProductOptions& options);
/// What the options leave open, as the settings say; but not the share of the communicating thread, which they only
/// begin with.
ProductOptions with(ProductOptions options, const Settings& settings);

}  // namespace seiche
