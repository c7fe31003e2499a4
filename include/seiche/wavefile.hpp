// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of wavefunctions and densities, read in parallel by any number of processes.
/// Units: hartree and bohr; k-points and translations in units of the lattice (docs/conventions.md).
#pragma once

#include <mpi.h>

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

using Vector3 = std::array<double, 3>;

struct Atom {
  std::string symbol;  ///< element symbol, e.g. "Si"
  Vector3 position{};  ///< cartesian, bohr
};

/// {R|t}: a point x (in units of the lattice vectors) goes to R x + t; with `time_reversal`, followed by it.
struct SymmetryOperation {
  std::array<std::array<int, 3>, 3> rotation{};
  Vector3 translation{};
  bool time_reversal = false;
};

struct Crystal {
  std::array<Vector3, 3> lattice{};  ///< a1, a2, a3, bohr
  std::vector<Atom> atoms;
  std::vector<SymmetryOperation> operations;  ///< those the density has; the identity first

  std::array<Vector3, 3> reciprocal() const;  ///< b1, b2, b3 with a_i . b_j = 2 pi delta_ij, bohr^-1
  double volume() const;                      ///< bohr^3, positive
};

struct KPoint {
  Vector3 k{};        ///< in units of b1, b2, b3
  double weight = 0;  ///< all weights sum to 1
  std::int64_t plane_waves = 0;
};

enum class Magnetism { none, collinear, vector };

/// Of a density: the total, and the magnetisation's.
constexpr int components_of(Magnetism magnetism) {
  return magnetism == Magnetism::none ? 1 : magnetism == Magnetism::collinear ? 2 : 4;
}

/// Everything a wavefunction file says but its coefficients.
struct OrbitalHeader {
  std::string format;  ///< e.g. "Quantum ESPRESSO .save (dat)"
  std::string path;
  Crystal crystal;
  GridShape grid;                  ///< the density's FFT grid
  double cutoff = 0;               ///< of the wavefunctions, hartree
  double density_cutoff = 0;       ///< of the density, hartree
  std::int64_t density_waves = 0;  ///< within that cut-off, as the code counted them; 0 when the file does not say
  int spins = 1;                   ///< 1 or 2 sets of bands
  int spinor = 1;                  ///< components of one wavefunction, 1 or 2
  bool half_sphere = false;        ///< of each pair G, -G one is kept: c(-G) = conj c(G)
  bool norm_conserving = true;     ///< false: bands are not orthonormal, and densities lack augmentation charges
  bool averaged = true;            ///< whether the code averages its density over the operations
  Magnetism magnetism = Magnetism::none;
  int density_components = 0;  ///< of the density beside the waves (total, magnetisation); 0: there is none
  int bands = 0;               ///< of each spin
  double electrons = 0;        ///< in the cell
  bool weighted = true;        ///< false: the file has no weights of k-points, and those here are equal
  std::vector<KPoint> kpoints;
  std::vector<double> occupations;  ///< [spin][k][band], electrons of one spin state: 0 to 1 (smearing may exceed both)
  std::vector<double> energies;     ///< [spin][k][band], hartree

  std::size_t state(int spin, int k, int band) const {
    return (static_cast<std::size_t>(spin) * kpoints.size() + static_cast<std::size_t>(k)) *
               static_cast<std::size_t>(bands) +
           static_cast<std::size_t>(band);
  }
  /// Electrons that one fully occupied band of weight 1 holds: 2 without spin, else 1.
  double degeneracy() const { return spins == 1 && spinor == 1 ? 2.0 : 1.0; }
};

/// A wavefunction file or directory, opened by all ranks of a communicator together. The format is found from content.
class WaveFile {
 public:
  /// Collective. \throws Error on every rank alike when the file is missing, damaged or of no known format
  WaveFile(MPI_Comm comm, const std::string& path);
  ~WaveFile();
  WaveFile(WaveFile&&) noexcept;
  WaveFile& operator=(WaveFile&&) noexcept;

  const OrbitalHeader& header() const noexcept;

  /// Collective. The waves of k-point `k` whose file positions lie in `mine` (0 .. plane_waves), in the file's order.
  std::vector<Miller> waves(int spin, int k, Range mine) const;
  /// Collective. Coefficients [band][component][wave] of `bands` at positions `mine`; each rank reads only its own
  /// part.
  std::vector<std::complex<double>> coefficients(int spin, int k, Range bands, Range mine) const;

  struct Body;
  const Body& body() const noexcept { return *body_; }

 private:
  std::unique_ptr<Body> body_;
};

/// What differs by no more is the same.
struct Tolerance {
  double overlap = 1e-9;  ///< of 1
  double norm = 1e-6;     ///< relative
  double energy = 1e-6;   ///< hartree
};

struct CompareOptions {
  int bands = 0;          ///< the first so many of each file; 0: all
  bool occupied = false;  ///< of each k-point only those up to the last that holds electrons in one of the files
  Tolerance tolerance;
};

/// How alike two sets of wavefunctions are, whatever unitary mixing of degenerate bands lies between them.
struct Comparison {
  /// One group of degenerate bands.
  struct Group {
    int spin = 0, k = 0;
    Range bands;
    double overlap = 1;  ///< smallest singular value of the overlap between the two subspaces, 0 to 1
    double norm = 0;     ///< relative difference of the sums of their norms
  };
  std::string difference;      ///< what keeps them from being compared at all, in a sentence; empty: nothing
  double energy = 0;           ///< largest difference, hartree
  double occupation = 0;       ///< largest difference
  std::vector<Group> kpoints;  ///< the worst group of each, in the order [spin][k] of the first file
  /// Groups that the last band cuts: a file holds some bands of each only, and files may hold different ones. They are
  /// left out of all that is above. Such is a last group of the same energy, norm and kinetic energy in both files
  /// whose bands yet span different spaces, and one whose next band is in a file but was not asked for.
  std::vector<Group> cut;
  Tolerance tolerance;
  Group worst() const;  ///< of all
  bool equal() const;   ///< no difference, and all within the tolerance
};

/// Collective. Compares two files opened on the same ranks, a group of degenerate bands at a time. k-points may be in
/// another order and differ by reciprocal lattice vectors, spheres may be halves, waves may be in any order.
Comparison compare(const WaveFile& a, const WaveFile& b, const CompareOptions& options = {});

}  // namespace seiche
