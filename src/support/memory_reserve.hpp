// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reserve of memory for small allocations between collective calls, which may not fail on one rank only.
#pragma once

#include <cstddef>
#include <optional>

#include "seiche/error.hpp"

namespace seiche {

/// Allocates the reserve, unless this process holds it. Installs a handler of std::set_new_handler() at the first call.
/// If an allocation fails, the handler frees the reserve, and operator new tries again. Without a reserve it calls the
/// handler that was installed before, or throws std::bad_alloc. Any thread may call it.
void hold_memory_reserve() noexcept;

/// Allocates the reserve again if it has been used. Returns an error if there is no memory for it. Each agreement of
/// ranks (comm/agree.hpp) begins with this call, so that all ranks throw this error.
std::optional<Error> memory_fault() noexcept;

}  // namespace seiche
