// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/policy.hpp"

#include "pipeline/pipeline.hpp"
#include "support/require.hpp"

namespace seiche {

void require_sound(const Policy& policy) {
  require(policy.window >= 0, Fault::bad_argument, "a policy has a window of {}; give 0 or more", policy.window);
  require_possible(policy.progress);
}

}  // namespace seiche
