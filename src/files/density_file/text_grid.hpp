// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads values on a grid from text: .cube of Gaussian, .xsf of XCrySDen, CHGCAR and similar files of VASP,
/// .den_fmt and similar files of CASTEP.
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

/// The header of such a file.
struct TextGridHead {
  Crystal crystal;
  GridShape grid;
  std::string units;            ///< of the values that read() returns
  bool complete = false;        ///< all components are in this file
  std::int64_t components = 1;  ///< of each block of values
};

/// Reads the text from the start in all cases, because values of other programs are at unknown positions.
class TextGridReader {
 public:
  /// Whether the name is one of these formats.
  static bool recognises(const std::string& path);
  /// \throws Error(bad_file) for a damaged file, Error(unsupported) for a file without values on a periodic grid with a
  /// point at the origin
  explicit TextGridReader(const std::string& path);
  ~TextGridReader();

  const TextGridHead& head() const { return head_; }
  /// Returns the values of all components in a box of the grid, x fastest. Call it once, and not after count().
  std::vector<std::vector<double>> read(const Box& box);
  /// Counts the components of all blocks. Call it once, and not after read().
  std::int64_t count();

 private:
  enum class Kind { cube, xsf, vasp, castep };
  /// The positions of the points.
  struct Frame {
    std::array<std::int64_t, 3> points{};  ///< along x, y, z; points beyond the grid repeat its first ones
    Vector3 origin{};                      ///< the first point
    std::array<Vector3, 3> spans{};        ///< from the first to the last point or, if it is missing, to the next one
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
  void read_castep_head();
  void skip_to_line_with(const std::string& text);
  void settle();
  std::vector<std::int64_t> places_in(const Range& range, std::size_t axis) const;
  void read_block(const Box& box, std::vector<std::vector<double>>& components);
  void read_points(const Box& box, std::vector<std::vector<double>>& components);
  std::array<std::int64_t, 3> read_point();
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
  double scale_ = 1;                     // of values, to the units of the header
  bool of_spins_ = false;                // two components are a potential of spin up and of spin down
};

}  // namespace seiche
