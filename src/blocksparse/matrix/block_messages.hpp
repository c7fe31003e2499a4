// SPDX-License-Identifier: BSD-3-Clause
/// \file  Messages between all pairs of ranks, contiguous in one buffer at the source and at the target.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "blocksparse/matrix/storage.hpp"
#include "layout/route.hpp"
#include "space/memory.hpp"

namespace seiche {

/// For each rank the bytes sent to it or received from it, and their offset in the buffer.
struct MessageTable {
  std::vector<std::int64_t> bytes, offset;
  std::int64_t total = 0;

  MessageTable() = default;
  explicit MessageTable(std::vector<std::int64_t> bytes_of_each) : bytes(std::move(bytes_of_each)) {
    for (const std::int64_t n : bytes) {
      offset.push_back(total);
      total += n;
    }
  }
  std::vector<Patch> patches() const {
    std::vector<Patch> all;
    for (std::size_t q = 0; q < bytes.size(); ++q) all.push_back(row_patch(offset[q], bytes[q]));
    return all;
  }
};

inline std::int64_t bytes_of(const MessageTable& table) { return bytes_of(table.bytes) + bytes_of(table.offset); }

/// Returns the messages for the items listed for each rank, with `elements(thing)` values each.
template <class Value, class Thing, class Elements>
MessageTable messages_of(const std::vector<std::vector<Thing>>& lists, const Elements& elements) {
  std::vector<std::int64_t> bytes;
  for (const auto& list : lists) {
    bytes.push_back(0);
    for (const Thing& thing : list) bytes.back() += elements(thing) * static_cast<std::int64_t>(sizeof(Value));
  }
  return MessageTable(std::move(bytes));
}
template <class Value>
MessageTable messages_of_blocks(const BlockLayout& layout, const std::vector<std::vector<BlockPlace>>& lists) {
  return messages_of<Value>(lists, [&](const BlockPlace& at) { return block_size(layout, at); });
}

/// Collective. Returns the received messages for the messages that each rank sends.
MessageTable arriving_messages(const Communicator& comm, const MessageTable& out);

/// Collective. `fill` writes the sent data to its offsets in `out`. Memory for the received data is allocated
/// afterwards and returned, with the offsets of `in`.
Memory pass_bytes(const Communicator& comm, const MessageTable& out, const MessageTable& in,
                  const std::function<void(std::byte*)>& fill);

/// Collective. Sends lists of trivially copyable items to each rank, and returns the received ones.
template <class Thing>
std::vector<std::vector<Thing>> pass_lists(const Communicator& comm, const std::vector<std::vector<Thing>>& to) {
  std::vector<std::int64_t> bytes;
  for (const auto& list : to) bytes.push_back(static_cast<std::int64_t>(list.size() * sizeof(Thing)));
  const MessageTable out(std::move(bytes)), in = arriving_messages(comm, out);
  const auto buffer = pass_bytes(comm, out, in, [&to](std::byte* next) {
    for (const auto& list : to) {
      const auto things = std::as_bytes(std::span(list));
      next = std::copy(things.begin(), things.end(), next);
    }
  });
  std::vector<std::vector<Thing>> from;
  const auto* next = reinterpret_cast<const Thing*>(buffer.data());
  for (const std::int64_t arrived : in.bytes) {
    const auto n = static_cast<std::int64_t>(arrived / sizeof(Thing));
    from.emplace_back(next, next + n);
    next += n;
  }
  return from;
}

}  // namespace seiche
