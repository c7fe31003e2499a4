// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums the results of the layers of a product (2.5D).
#pragma once

#include "blocksparse/product/product_plan.hpp"
#include "seiche/block_product.hpp"

namespace seiche {

/// Collective. Plans the messages between layers from the structure alone. \param adds_to_old existing blocks of C are
/// kept
template <class Value>
LayerMessages plan_layers(const ProductPlan<Value>& plan, const BlockMatrix<Value>& c, bool adds_to_old);

/// Collective. Sends the accumulated blocks to their owners in C, and adds the received blocks layer by layer: C = beta
/// * C + alpha * (sum of layers). Values are released as soon as they are copied. \return bytes received
template <class Value>
std::int64_t add_layers(ProductPlan<Value>& plan, const Product<Value>& product, BlockMatrix<Value>& c);

}  // namespace seiche
