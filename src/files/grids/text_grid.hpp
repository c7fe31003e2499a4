// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads values on a grid from text: Gaussian's .cube, XCrySDen's .xsf, VASP's CHGCAR, PARCHG and LOCPOT.
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
  bool electrons = false;                ///< it is a density in electrons per bohr^3
  bool blocks = false;  ///< further components may follow in the same file, each after the grid's shape
  double scale = 1;     ///< of values, to those units
};

/// Values of other programs' text begin nowhere in particular, so that whoever wants some of them reads them all.
class TextGridReader {
 public:
  /// By its name.
  static bool recognises(const std::string& path);
  /// \throws Error(bad_file) for a damaged file, Error(unsupported) for one without values on a grid
  explicit TextGridReader(const std::string& path);
  ~TextGridReader();

  const TextGridHead& head() const { return head_; }
  /// Those in a box of the grid, x fastest; of the first component, then of the next.
  std::vector<double> read(const Box& box);
  /// Goes on to the next component, where there is one in this file.
  bool advance();

 private:
  class Words;
  void read_cube_head();
  void read_xsf_head();
  void read_vasp_head();

  std::string path_;
  std::unique_ptr<Words> words_;
  TextGridHead head_;
};

}  // namespace seiche
