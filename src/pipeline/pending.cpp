// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/started_call.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "support/require.hpp"

namespace seiche {

#ifdef SEICHE_CHECKS

namespace {

std::uint64_t digest(std::span<const std::byte> array) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(array.data()), array.size()});
}

}  // namespace

void StartedCall::watch(const Communicator& comm, std::span<const std::byte> input) {
  comm_ = comm;
  watched_.at(count_++) = {input, digest(input)};
}

void StartedCall::finish() {
  if (comm_) {
    together(*comm_, [this] {
      const auto kept = [](const Watched& one) { return digest(one.array) == one.digest; };
      require(std::all_of(watched_.begin(), watched_.begin() + static_cast<std::ptrdiff_t>(count_), kept),
              Fault::bad_argument,
              "an input array of a started call was changed before finish(): change it after finish()");
    });
  }
  if (fault_) throw Error(*fault_);
  complete();
}

#else

void StartedCall::watch(const Communicator&, std::span<const std::byte>) {}
void StartedCall::finish() {
  if (fault_) throw Error(*fault_);
  complete();
}

#endif

Pending::Pending(std::unique_ptr<StartedCall> call) : call_(std::move(call)) {}
Pending::~Pending() = default;
Pending::Pending(Pending&&) noexcept = default;
Pending& Pending::operator=(Pending&&) noexcept = default;

StartedCall& Pending::call() const {
  require(call_ != nullptr, Fault::bad_argument, "this started call is finished: start another");
  return *call_;
}

bool Pending::progress() { return call().progress(); }

void Pending::finish() {
  call();
  std::exchange(call_, nullptr)->finish();
}

}  // namespace seiche
