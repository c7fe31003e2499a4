// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/pending_work.hpp"

#include <utility>

#include "support/require.hpp"

namespace seiche {

Pending::Pending(std::unique_ptr<Work> work) : work_(std::move(work)) {}
Pending::~Pending() = default;
Pending::Pending(Pending&&) noexcept = default;
Pending& Pending::operator=(Pending&&) noexcept = default;

Pending::Work& Pending::work() const {
  require(work_ != nullptr, Fault::bad_argument, "this started call is finished: start another");
  return *work_;
}

bool Pending::progress() { return work().progress(); }

void Pending::finish() {
  work().inputs.require_unchanged();
  std::exchange(work_, nullptr)->finish();
}

}  // namespace seiche
