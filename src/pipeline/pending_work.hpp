// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of started calls.
#pragma once

#include "pipeline/inputs.hpp"
#include "seiche/pending.hpp"

namespace seiche {

/// A started call of a plan. The destructor is collective if finish() was not called.
struct Pending::Work {
  virtual ~Work() = default;
  virtual bool progress() = 0;
  virtual void finish() = 0;
  Inputs inputs;
};

}  // namespace seiche
