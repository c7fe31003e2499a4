// SPDX-License-Identifier: BSD-3-Clause
#include "boxes/boxes_of_ranks.hpp"

#include "comm/agree.hpp"

namespace seiche {

std::vector<BoxList> boxes_of_ranks(const Communicator& comm, std::span<const FieldArray> mine) {
  std::vector<std::int64_t> numbers{std::ssize(mine)};
  for (const FieldArray& array : mine) {
    for (const Range& range : array.box.axis) numbers.insert(numbers.end(), {range.low, range.high});
  }
  const auto all = join_all(comm, numbers);
  std::vector<BoxList> boxes(static_cast<std::size_t>(comm.size()));
  auto next = all.begin();
  for (BoxList& list : boxes) {
    list.resize(static_cast<std::size_t>(*next++));
    for (Box& box : list) {
      for (Range& range : box.axis) {
        range.low = *next++;
        range.high = *next++;
      }
    }
  }
  return boxes;
}

}  // namespace seiche
