// SPDX-License-Identifier: BSD-3-Clause
#include "boxes/box_work.hpp"

#include <algorithm>
#include <utility>

#include "comm/agree.hpp"
#include "space/copy_patch.hpp"
#include "support/aligned_memory.hpp"

namespace seiche {

namespace {

/// Returns the route of the buffers, with one contiguous patch per rank.
Route route_of(const BoxPieces& pieces, const BoxSizes& sizes) {
  Route route;
  const auto add = [&sizes](const std::vector<PiecesOfPair>& pairs, std::vector<Patch>& patches, std::int64_t& size) {
    for (const PiecesOfPair& pair : pairs) {
      const std::int64_t elements = sizes.fields * block(pair.elements, sizes.parts, 0).size();
      patches.push_back(elements == 0 ? Patch{} : row_patch(size, elements));
      size += elements;
    }
  };
  add(pieces.source, route.source, route.source_size);
  add(pieces.target, route.target, route.target_size);
  return route;
}

std::vector<Route> routes_of(const BoxPieces& pieces, const BoxSizes& sizes) {
  std::vector<Route> parts;
  for (int slot = 0; slot < sizes.slots; ++slot) {
    parts.push_back(in_slot(route_of(pieces, sizes), slot, sizes.slots));
  }
  return parts;
}

std::ptrdiff_t bytes_of(std::int64_t elements, std::size_t element) {
  return static_cast<std::ptrdiff_t>(elements) * static_cast<std::ptrdiff_t>(element);
}

}  // namespace

BoxWork::BoxWork(const Communicator& comm, const BoxPieces& pieces, const Policy& policy, const BoxSizes& sizes,
                 const Queue& queue)
    : comm_(comm),
      pieces_(pieces),
      policy_(policy),
      sizes_(sizes),
      queue_(queue),
      written_(pieces.own_target.elements),
      pipeline_(comm, sizes.slots, policy.progress) {
  const auto parts = made_together(comm, [&] { return routes_of(pieces, sizes); });
  for (const Patch& patch : parts.front().source) source_begin_.push_back(patch.offset);
  for (const PiecesOfPair& pair : pieces.target) written_ += pair.elements;
  const auto request = in_space({.algorithm = policy.algorithm, .element = sizes.element, .queue = queue}, comm);
  messages_ = place_of_messages(comm, request);
  bytes_ = memory_of_exchanges(comm, parts, request);
  memory_ = memory_for(comm, parts, request, Fresh::raw);
  exchanges_ = make_exchanges(comm, parts, request, memory_);
  copy_ = stages_of_copy();
  add_ = stages_of_add();
}

/// Elements that stay on this rank are copied when the messages of their item are on the way. The item after the last
/// one has no messages.
std::vector<Stage> BoxWork::stages_of_copy() {
  return {{[this](std::int64_t item, int slot) {
             if (item < items()) pack_source(item, slot);
             if (item > 0) copy_own(item - 1);
             return queue_.record();
           },
           [this](std::int64_t item, int slot) {
             return item < items() ? PostedExchanges{{&exchange(slot), Toward::target, Payload::values}}
                                   : PostedExchanges();
           }},
          {[this](std::int64_t item, int slot) {
             if (item < items()) unpack_target(item, slot);
             return queue_.record();
           },
           [this](std::int64_t item, int slot) {
             return item < items() ? PostedExchanges{{&exchange(slot), Toward::source, Payload::release}}
                                   : PostedExchanges();
           }}};
}

/// The memory at the target may belong to other ranks, which must release it first.
std::vector<Stage> BoxWork::stages_of_add() {
  return {{nullptr,
           [this](std::int64_t, int slot) {
             return PostedExchanges{{&exchange(slot), Toward::target, Payload::release}};
           }},
          {[this](std::int64_t item, int slot) {
             pack_target(item, slot);
             return queue_.record();
           },
           [this](std::int64_t, int slot) {
             return PostedExchanges{{&exchange(slot), Toward::source, Payload::values}};
           }},
          {[this](std::int64_t item, int slot) {
             add_to_source(item, slot);
             return queue_.record();
           },
           nullptr}};
}

Pipeline::Run BoxWork::begin(const BoxCall& call, ProgressReport& account) {
  pipeline_.drain();
  call_ = call;
  mode_ = call.fields * bytes_of(written_, sizes_.element) > 4 * core_cache() ? Write::streamed : Write::cached;
  Pipeline::Run run = pipeline_.start(call.adds ? add_ : copy_, {.account = &account});
  run.begin(call.adds ? items() : items() + 1);
  return run;
}

std::int64_t BoxWork::items() const { return (call_.fields + sizes_.fields - 1) / sizes_.fields * sizes_.parts; }

Range BoxWork::fields_of(std::int64_t item) const {
  const std::int64_t group = item / sizes_.parts;
  return {group * sizes_.fields, std::min((group + 1) * sizes_.fields, call_.fields)};
}

/// Returns the elements of an item, which are the same at both ends of a pair.
Range BoxWork::part_of(const PiecesOfPair& pair, std::int64_t item) const {
  return block(pair.elements, sizes_.parts, static_cast<int>(item % sizes_.parts));
}

/// Calls visit(array, its patch, message, its patch) for the elements of an item that another rank has at the other
/// end.
template <class Visit>
void BoxWork::each_sent(const PiecesOfPair& pair, std::int64_t item, std::byte* array, std::byte* message,
                        const Visit& visit) {
  const Range part = part_of(pair, item), fields = fields_of(item);
  for (std::int64_t field = fields.low; field < fields.high;
       ++field, message += bytes_of(part.size(), sizes_.element)) {
    each_piece(pair, part, [&](const BoxPiece& piece, const Range& wanted) {
      std::byte* first = array + bytes_of(field * piece.field_stride, sizes_.element);
      Patch in_message = packed(piece.patch);
      in_message.offset = piece.begin - part.low;
      each_part(piece.patch, in_message, wanted, [&](const Patch& here, const Patch& there) {
        visit(first + bytes_of(here.offset, sizes_.element), here, message + bytes_of(there.offset, sizes_.element),
              there);
        pipeline_.poll();
      });
    });
  }
}

/// Calls visit(source, its patch, target, its patch) for the elements of an item that stay on this rank.
template <class Visit>
void BoxWork::each_own(std::int64_t item, const Visit& visit) {
  const PiecesOfPair &sources = pieces_.own_source, &targets = pieces_.own_target;
  const Range fields = fields_of(item);
  for (std::int64_t field = fields.low; field < fields.high; ++field) {
    each_piece(sources, part_of(sources, item), [&](const BoxPiece& source, const Range& wanted) {
      const BoxPiece& target = targets.pieces[static_cast<std::size_t>(&source - sources.pieces.data())];
      each_part(source.patch, target.patch, wanted, [&](const Patch& from, const Patch& into) {
        visit(call_.source.data() + bytes_of(from.offset + field * source.field_stride, sizes_.element), from,
              call_.target.data() + bytes_of(into.offset + field * target.field_stride, sizes_.element), into);
        pipeline_.poll();
      });
    });
  }
}

/// On the host, copies at once. On a device, adds the copy to the queue.
void BoxWork::copy(const std::byte* from, const Patch& source, std::byte* into, const Patch& target, Write mode) const {
  if (queue_.on_host()) return copy_patch(from, source, into, target, sizes_.element, mode);
  queue_.copy_patch(from, source, into, target, sizes_.element);
}

void BoxWork::pack_source(std::int64_t item, int slot) {
  std::byte* buffer = exchange(slot).source();
  for (std::size_t q = 0; q < pieces_.source.size(); ++q) {
    each_sent(pieces_.source[q], item, call_.source.data(), buffer + bytes_of(source_begin_[q], sizes_.element),
              [&](const std::byte* source, const Patch& from, std::byte* message, const Patch& into) {
                copy(source, from, message, into);
              });
  }
}

void BoxWork::copy_own(std::int64_t item) {
  each_own(item, [&](const std::byte* source, const Patch& from, std::byte* target, const Patch& into) {
    copy(source, from, target, into, mode_);
  });
  complete_streams();
}

void BoxWork::unpack_target(std::int64_t item, int slot) {
  for (std::size_t q = 0; q < pieces_.target.size(); ++q) {
    each_sent(pieces_.target[q], item, call_.target.data(), exchange(slot).target(static_cast<int>(q)).data,
              [&](std::byte* target, const Patch& into, const std::byte* message, const Patch& from) {
                copy(message, from, target, into, mode_);
              });
  }
  complete_streams();
}

void BoxWork::pack_target(std::int64_t item, int slot) {
  for (std::size_t q = 0; q < pieces_.target.size(); ++q) {
    each_sent(pieces_.target[q], item, call_.target.data(), exchange(slot).target(static_cast<int>(q)).data,
              [&](const std::byte* target, const Patch& from, std::byte* message, const Patch& into) {
                copy(target, from, message, into);
              });
  }
}

/// Adds in the order of ranks, so that the sum does not depend on the order of arrival.
void BoxWork::add_to_source(std::int64_t item, int slot) {
  std::byte* buffer = exchange(slot).source();
  for (std::size_t q = 0; q < pieces_.source.size(); ++q) {
    if (static_cast<int>(q) == comm_.rank()) {
      each_own(item, [&](std::byte* source, const Patch& into, const std::byte* target, const Patch& from) {
        queue_.add_patch(target, from, source, into, sizes_.element, call_.single);
      });
    }
    each_sent(pieces_.source[q], item, call_.source.data(), buffer + bytes_of(source_begin_[q], sizes_.element),
              [&](std::byte* source, const Patch& into, const std::byte* message, const Patch& from) {
                queue_.add_patch(message, from, source, into, sizes_.element, call_.single);
              });
  }
}

}  // namespace seiche
