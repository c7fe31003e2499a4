// SPDX-License-Identifier: BSD-3-Clause
#include "boxes/box_work.hpp"

#include <algorithm>
#include <utility>

#include "comm/agree.hpp"
#include "space/copy_patch.hpp"

namespace seiche {

namespace {

/// Returns the route of the buffers, with one contiguous patch per rank.
Route route_of(const BoxPieces& pieces, std::int64_t fields) {
  Route route;
  const auto add = [fields](const std::vector<PiecesOfPair>& pairs, std::vector<Patch>& patches, std::int64_t& size) {
    for (const PiecesOfPair& pair : pairs) {
      patches.push_back(pair.elements == 0 ? Patch{} : row_patch(size, fields * pair.elements));
      size += fields * pair.elements;
    }
  };
  add(pieces.source, route.source, route.source_size);
  add(pieces.target, route.target, route.target_size);
  return route;
}

std::vector<Route> routes_of(const BoxPieces& pieces, const BoxSizes& sizes) {
  std::vector<Route> parts;
  for (int slot = 0; slot < sizes.slots; ++slot) {
    parts.push_back(in_slot(route_of(pieces, sizes.fields), slot, sizes.slots));
  }
  return parts;
}

/// Calls visit(patch, its offset in the caller's array, its offset in the buffer) for all pieces of some fields.
/// Offsets are in elements.
template <class Visit>
void each_piece(const PiecesOfPair& pair, const Range& fields, const Visit& visit) {
  std::int64_t at = 0;
  for (std::int64_t field = fields.low; field < fields.high; ++field) {
    for (const Piece& piece : pair.pieces) {
      visit(piece.patch, piece.patch.offset + field * piece.field_stride, at);
      at += piece.patch.size();
    }
  }
}

std::ptrdiff_t bytes_of(std::int64_t elements, std::size_t element) {
  return static_cast<std::ptrdiff_t>(elements) * static_cast<std::ptrdiff_t>(element);
}

/// Adds the elements of a patch to another one, row by row.
void add_patch(const std::byte* values, const Patch& from, std::byte* sums, const Patch& into, std::size_t element,
               AddValues add) {
  for (std::int64_t k = 0; k < from.count[2]; ++k) {
    for (std::int64_t j = 0; j < from.count[1]; ++j) {
      const std::byte* read = values + bytes_of(k * from.stride[2] + j * from.stride[1], element);
      std::byte* write = sums + bytes_of(k * into.stride[2] + j * into.stride[1], element);
      if (from.stride[0] == 1 && into.stride[0] == 1) {
        add(read, write, from.count[0]);
        continue;
      }
      for (std::int64_t i = 0; i < from.count[0]; ++i) {
        add(read + bytes_of(i * from.stride[0], element), write + bytes_of(i * into.stride[0], element), 1);
      }
    }
  }
}

}  // namespace

BoxWork::BoxWork(const Communicator& comm, const BoxPieces& pieces, const Policy& policy, const BoxSizes& sizes)
    : comm_(comm), pieces_(pieces), sizes_(sizes), pipeline_(comm, sizes.slots, policy.progress) {
  const auto parts = made_together(comm, [&] { return routes_of(pieces, sizes); });
  for (const Patch& patch : parts.front().source) source_begin_.push_back(patch.offset);
  const ExchangeRequest request{.algorithm = policy.algorithm, .element = sizes.element};
  bytes_ = memory_of_exchanges(comm, parts, request);
  memory_ = memory_for(comm, parts, request, Fresh::raw);
  exchanges_ = make_exchanges(comm, parts, request, memory_);
  copy_ = stages_of_copy();
  add_ = stages_of_add();
}

std::vector<Stage> BoxWork::stages_of_copy() {
  return {{[this](std::int64_t item, int slot) { pack_source(item, slot); },
           [this](std::int64_t, int slot) {
             return PostedExchanges{{&exchange(slot), Toward::target, Payload::values}};
           }},
          {[this](std::int64_t item, int slot) { unpack_target(item, slot); },
           [this](std::int64_t, int slot) {
             return PostedExchanges{{&exchange(slot), Toward::source, Payload::release}};
           }}};
}

/// The memory at the target may belong to other ranks, which must release it first.
std::vector<Stage> BoxWork::stages_of_add() {
  return {{nullptr,
           [this](std::int64_t, int slot) {
             return PostedExchanges{{&exchange(slot), Toward::target, Payload::release}};
           }},
          {[this](std::int64_t item, int slot) { pack_target(item, slot); },
           [this](std::int64_t, int slot) {
             return PostedExchanges{{&exchange(slot), Toward::source, Payload::values}};
           }},
          {[this](std::int64_t item, int slot) { add_to_source(item, slot); }, nullptr}};
}

void BoxWork::begin(const BoxCall& call) {
  pipeline_.drain();
  call_ = call;
  run_.emplace(pipeline_.start(call.add ? add_ : copy_, {.ending = Ending::own}));
  run_->begin((call.fields + sizes_.fields - 1) / sizes_.fields);
}

void BoxWork::finish() {
  Pipeline::Run last = std::move(*run_);
  run_.reset();
  last.finish();
}

Range BoxWork::fields_of(std::int64_t item) const {
  return {item * sizes_.fields, std::min((item + 1) * sizes_.fields, call_.fields)};
}

/// Calls visit(source, its patch, target, its patch) for the pieces that stay on this rank.
template <class Visit>
void BoxWork::each_own(const Range& fields, const Visit& visit) const {
  for (std::int64_t field = fields.low; field < fields.high; ++field) {
    for (std::size_t i = 0; i < pieces_.own_source.pieces.size(); ++i) {
      const Piece &source = pieces_.own_source.pieces[i], &target = pieces_.own_target.pieces[i];
      visit(call_.source + bytes_of(source.patch.offset + field * source.field_stride, sizes_.element), source.patch,
            call_.target + bytes_of(target.patch.offset + field * target.field_stride, sizes_.element), target.patch);
    }
  }
}

void BoxWork::pack_source(std::int64_t item, int slot) {
  std::byte* buffer = exchange(slot).source();
  for (std::size_t q = 0; q < pieces_.source.size(); ++q) {
    std::byte* message = buffer + bytes_of(source_begin_[q], sizes_.element);
    each_piece(pieces_.source[q], fields_of(item), [&](const Patch& patch, std::int64_t from, std::int64_t into) {
      copy_patch(call_.source + bytes_of(from, sizes_.element), patch, message + bytes_of(into, sizes_.element),
                 packed(patch), sizes_.element);
      pipeline_.poll();
    });
  }
  each_own(fields_of(item), [&](const std::byte* source, const Patch& from, std::byte* target, const Patch& into) {
    copy_patch(source, from, target, into, sizes_.element);
  });
}

void BoxWork::unpack_target(std::int64_t item, int slot) {
  for (std::size_t q = 0; q < pieces_.target.size(); ++q) {
    const std::byte* message = exchange(slot).target(static_cast<int>(q)).data;
    each_piece(pieces_.target[q], fields_of(item), [&](const Patch& patch, std::int64_t into, std::int64_t from) {
      copy_patch(message + bytes_of(from, sizes_.element), packed(patch), call_.target + bytes_of(into, sizes_.element),
                 patch, sizes_.element);
      pipeline_.poll();
    });
  }
}

void BoxWork::pack_target(std::int64_t item, int slot) {
  for (std::size_t q = 0; q < pieces_.target.size(); ++q) {
    std::byte* message = exchange(slot).target(static_cast<int>(q)).data;
    each_piece(pieces_.target[q], fields_of(item), [&](const Patch& patch, std::int64_t from, std::int64_t into) {
      copy_patch(call_.target + bytes_of(from, sizes_.element), patch, message + bytes_of(into, sizes_.element),
                 packed(patch), sizes_.element);
      pipeline_.poll();
    });
  }
}

/// Adds in the order of ranks, so that the sum does not depend on the order of arrival.
void BoxWork::add_to_source(std::int64_t item, int slot) {
  const std::byte* buffer = exchange(slot).source();
  for (std::size_t q = 0; q < pieces_.source.size(); ++q) {
    if (static_cast<int>(q) == comm_.rank()) {
      each_own(fields_of(item), [&](std::byte* source, const Patch& into, const std::byte* target, const Patch& from) {
        add_patch(target, from, source, into, sizes_.element, call_.add);
      });
    }
    const std::byte* message = buffer + bytes_of(source_begin_[q], sizes_.element);
    each_piece(pieces_.source[q], fields_of(item), [&](const Patch& patch, std::int64_t into, std::int64_t from) {
      add_patch(message + bytes_of(from, sizes_.element), packed(patch), call_.source + bytes_of(into, sizes_.element),
                patch, sizes_.element, call_.add);
      pipeline_.poll();
    });
  }
}

}  // namespace seiche
