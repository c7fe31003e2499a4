// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/inputs.hpp"

#ifdef SEICHE_CHECKS

#include <algorithm>
#include <functional>
#include <string_view>

#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

std::uint64_t digest(std::span<const std::byte> array) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(array.data()), array.size()});
}

}  // namespace

void Inputs::watch(const Communicator& comm, std::span<const std::byte> array) {
  comm_ = comm;
  watched_.at(count_++) = {array, digest(array)};
}

void Inputs::require_unchanged() const {
  if (!comm_) return;
  together(*comm_, [this] {
    const auto kept = [](const Watched& one) { return digest(one.array) == one.digest; };
    require(std::all_of(watched_.begin(), watched_.begin() + static_cast<std::ptrdiff_t>(count_), kept),
            Fault::bad_argument,
            "an input array of a started call was changed before finish(): change it after finish()");
  });
}

}  // namespace seiche

#endif
