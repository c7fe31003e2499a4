// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads values on a grid from text: Gaussian's .cube, XCrySDen's .xsf.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "seiche/crystal.hpp"
#include "seiche/fft.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// What such a file says before its values.
struct TextGridHead {
  Crystal crystal;
  GridShape grid;
  std::array<std::size_t, 3> order{};    ///< axes from the slowest to the fastest
  std::array<std::int64_t, 3> points{};  ///< along x, y, z; those beyond the grid repeat its first
  bool electrons = false;                ///< it is a density of ours, in electrons per bohr^3
};

/// Values of other programs' text begin nowhere in particular, so that whoever wants some of them reads them all.
class TextGridReader {
 public:
  /// By the ending of its name.
  static bool recognises(const std::string& path);
  /// \throws Error(bad_file) for a damaged file, Error(unsupported) for one without values on a grid
  explicit TextGridReader(const std::string& path);
  ~TextGridReader();

  const TextGridHead& head() const { return head_; }
  /// Those in a box of the grid, x fastest. To be called once.
  std::vector<double> read(const Box& box);

 private:
  class Words;
  void read_cube_head();
  void read_xsf_head();

  std::string path_;
  std::unique_ptr<Words> words_;
  TextGridHead head_;
};

}  // namespace seiche
