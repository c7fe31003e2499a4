// SPDX-License-Identifier: BSD-3-Clause
/// \file  The body of WaveFile, for the implementation.
#pragma once

#include "containers/archive.hpp"
#include "files/wavefile/format.hpp"
#include "seiche/communicator.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {

struct WaveFile::Body {
  Communicator comm;
  WaveTable table;

  static const Body& of(const WaveFile& file) { return *file.body_; }
  /// \throws Error(bad_argument) if there is none
  const WaveBlock& block(int spin, int k) const;
};

/// Pass all members, for found_by_root.
void describe(Archive& archive, WaveTable& table);
void describe(Archive& archive, Crystal& crystal);

}  // namespace seiche
