// SPDX-License-Identifier: BSD-3-Clause
/// \file  Adding up what the layers of a product found (2.5D).
#pragma once

#include "blocksparse/product/plan.hpp"
#include "seiche/block_product.hpp"

namespace seiche {

/// Collective. What will pass between layers, from structure alone. \param adds_to_old C's blocks remain
template <class Value>
LayerMessages plan_layers(const ProductPlan<Value>& plan, const BlockMatrix<Value>& c, bool adds_to_old);

/// Collective. Sends the accumulated blocks to the ranks that own them in C, and adds up what arrives, layer by layer:
/// C = beta * C + alpha * (sum of layers). Values are let go as soon as they have been copied. \return bytes received
template <class Value>
std::int64_t add_layers(ProductPlan<Value>& plan, const Product<Value>& product, BlockMatrix<Value>& c);

}  // namespace seiche
