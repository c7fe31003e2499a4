// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products on several layers of the inner index (2.5D): how many cost least, and adding up what they give.
#pragma once

#include "blocksparse/stacks.hpp"

namespace seiche {

/// What the cost model looks at: bytes and blocks of the whole matrices.
struct Masses {
  double a_bytes = 0, b_bytes = 0, c_bytes = 0;
};

/// Collective. How much there is of each operand; of C as if products fell on its blocks at random.
template <class Value>
Masses masses_of(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c);

/// Bytes that a rank receives for a product on these teams, if blocks are spread evenly and all are needed: of A and B
/// from those who have them, and of C from the other layers.
double bytes_received(const BlockLayout& c, const Teams& teams, const Masses& masses);

/// The teams for `layers` layers, or for as many as cost least where it is 0. More than one layer must save a sixth.
/// \throws Error when the grid cannot be cut into so many
Teams choose_teams(const BlockLayout& c, int layers, const Masses& masses);

/// Blocks of C on their way between layers.
struct LayerMail {
  std::vector<std::vector<BlockPlace>> arriving;  ///< from each rank
  std::vector<std::int64_t> out, in;              ///< bytes to and from each rank
  std::vector<BlockPlace> blocks;                 ///< of the result
  std::int64_t result_bytes = 0;
};

/// Collective. What will pass between layers, from structure alone. \param adds_to_old: C's blocks remain
template <class Value>
LayerMail plan_layers(const Growing<Value>& partial, const Share& share, const BlockMatrix<Value>& c, bool adds_to_old);

/// Collective. Sends the blocks of `partial` to the ranks that own them in C, and adds up what arrives, layer by layer:
/// C = beta * C + alpha * (sum of layers). Values are let go as soon as they have been copied. \return bytes received
template <class Value>
std::int64_t add_layers(LayerMail& mail, Growing<Value>& partial, const Share& share, const Teams& teams,
                        const Product<Value>& product, BlockMatrix<Value>& c);

}  // namespace seiche
