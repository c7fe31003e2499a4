// SPDX-License-Identifier: BSD-3-Clause
/// \file  Messages between all pairs of ranks, contiguous in one buffer at the source and at the target.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "blocksparse/matrix/storage.hpp"
#include "comm/agree.hpp"
#include "exchange/exchange_interface.hpp"
#include "layout/route.hpp"

namespace seiche {

/// For each rank the bytes sent to it or received from it, and their offset in the buffer.
struct MessageTable {
  std::vector<std::int64_t> bytes, offset;
  std::int64_t total = 0;

  MessageTable() = default;
  explicit MessageTable(std::vector<std::int64_t> bytes_of_each)
      : bytes(std::move(bytes_of_each)), offset(bytes.size()) {
    find_offsets();
  }
  void find_offsets() {
    std::exclusive_scan(bytes.begin(), bytes.end(), offset.begin(), std::int64_t{0});
    total = bytes.empty() ? 0 : offset.back() + bytes.back();
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

/// The messages that a rank sends and receives.
struct Messages {
  MessageTable out, in;
  /// Returns the route of their bytes, at the offsets of the tables.
  Route route() const { return {out.total, in.total, out.patches(), in.patches()}; }
};

/// Collective. Returns the messages between all ranks. `of_mine` returns those that this rank sends. \throws its error
/// on all ranks
Messages announced(const Communicator& comm, const std::function<MessageTable()>& of_mine);

/// Collective. Sends lists of trivially copyable items to each rank. `make` returns those that this rank sends. `take`
/// gets the received ones. \throws the error of either on all ranks
template <class Make, class Take>
void pass_lists(const Communicator& comm, const Make& make, const Take& take) {
  using Lists = std::invoke_result_t<Make>;
  using Thing = typename Lists::value_type::value_type;
  if (comm.size() == 1) return together(comm, [&] { take(make()); });
  Lists to;
  const Messages messages = announced(comm, [&] {
    to = make();
    std::vector<std::int64_t> bytes;
    for (const auto& list : to) bytes.push_back(static_cast<std::int64_t>(list.size() * sizeof(Thing)));
    return MessageTable(std::move(bytes));
  });
  const auto fill = [&to](std::byte* next) {
    for (const auto& list : to) {
      const auto things = std::as_bytes(std::span(list));
      next = std::copy(things.begin(), things.end(), next);
    }
    to = {};
  };
  pass_once(
      comm, [&] { return messages.route(); }, fill,
      [&](const std::byte* arrived) {
        Lists from;
        const auto* next = reinterpret_cast<const Thing*>(arrived);
        for (const std::int64_t bytes : messages.in.bytes) {
          const auto n = static_cast<std::int64_t>(bytes / sizeof(Thing));
          from.emplace_back(next, next + n);
          next += n;
        }
        take(std::move(from));
      });
}

}  // namespace seiche
