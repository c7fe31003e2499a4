// SPDX-License-Identifier: BSD-3-Clause
/// \file  Adds the report of a pipeline during a scope to the report of a plan.
#pragma once

#include "pipeline/pipeline.hpp"

namespace seiche {

class Spent {
 public:
  Spent(const Pipeline& pipeline, ProgressReport& account)
      : pipeline_(pipeline), account_(account), before_(pipeline.report()) {}
  ~Spent() {
    const ProgressReport now = pipeline_.report();
    account_.worked += now.worked - before_.worked;
    account_.waited += now.waited - before_.waited;
    account_.polls += now.polls - before_.polls;
    account_.moves += now.moves - before_.moves;
  }
  Spent(const Spent&) = delete;
  Spent& operator=(const Spent&) = delete;

 private:
  const Pipeline& pipeline_;
  ProgressReport& account_;
  ProgressReport before_;
};

}  // namespace seiche
