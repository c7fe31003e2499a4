// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads values on a grid from text: Gaussian's .cube, XCrySDen's .xsf, VASP's CHGCAR and its relatives.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "seiche/crystal.hpp"
#include "seiche/fft.hpp"
#include "seiche/layout.hpp"

namespace seiche {

class TextWords;

/// What such a file says before its values.
struct TextGridHead {
  Crystal crystal;
  GridShape grid;
  std::string units;            ///< of the values that read() returns
  bool complete = false;        ///< all components are in this file, none in files beside it
  std::int64_t components = 1;  ///< of each block of values
};

/// Reads the whole text in any case: values of other programs' text begin at unknown places.
class TextGridReader {
 public:
  /// By its name.
  static bool recognises(const std::string& path);
  /// \throws Error(bad_file) for a damaged file, Error(unsupported) for one without values on a periodic grid that has
  /// a point at the origin
  explicit TextGridReader(const std::string& path);
  ~TextGridReader();

  const TextGridHead& head() const { return head_; }
  /// Returns the values of all components in a box of the grid, x fastest. To be called once, and not after count().
  std::vector<std::vector<double>> read(const Box& box);
  /// Counts the components of all blocks. To be called once, and not after read().
  std::int64_t count();

 private:
  enum class Kind { cube, xsf, vasp };
  /// Where the points lie.
  struct Frame {
    std::array<std::int64_t, 3> points{};  ///< along x, y, z; those beyond the grid repeat its first
    Vector3 origin{};                      ///< the first point
    std::array<Vector3, 3> spans{};        ///< from the first to the last point or, where it is not there, the next one
  };
  void read_cube_head();
  double read_cube_lengths();
  void read_cube_atoms(std::int64_t atoms, double unit);
  void read_xsf_head();
  void read_xsf_atoms();
  Vector3 read_angstrom();
  Frame read_xsf_frame();
  void set_xsf_grid(const std::array<Vector3, 3>& cell);
  void read_vasp_head();
  void settle();
  std::vector<std::int64_t> places_in(const Range& range, std::size_t axis) const;
  void read_block(const Box& box, std::vector<std::vector<double>>& components);
  bool advance();
  bool advance_xsf();
  bool advance_vasp();

  std::string path_;
  Kind kind_ = Kind::cube;
  std::unique_ptr<TextWords> words_;
  TextGridHead head_;
  Frame frame_;
  std::array<std::size_t, 3> order_{};   // axes from the slowest to the fastest
  std::array<std::int64_t, 3> shift_{};  // points from the origin to the first point
  double scale_ = 1;                     // of values, to the head's units
  bool of_spins_ = false;                // two components are a potential of spin up and of spin down
};

}  // namespace seiche
