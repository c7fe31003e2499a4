// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of wavefunctions and densities, read in parallel by any number of processes.
/// Units: hartree and bohr; k-points and translations in units of the lattice (docs/conventions.md).
#pragma once

#include <mpi.h>

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "seiche/density.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/selection.hpp"
#include "seiche/symmetry.hpp"

namespace seiche {

/// A wavefunction file or directory, opened by all ranks of a communicator together. The format is found from content.
/// For one thread at a time: see communicator.hpp.
class WaveFile {
 public:
  /// Collective. \throws Error on every rank alike when the file is missing, damaged or of no known format
  WaveFile(const Communicator& comm, const std::string& path);
  ~WaveFile();
  WaveFile(WaveFile&&) noexcept;
  WaveFile& operator=(WaveFile&&) noexcept;

  const OrbitalHeader& header() const noexcept;
  const Communicator& communicator() const noexcept;

  /// Collective. What a WAVECAR leaves out, from the files that VASP keeps beside it: atoms and, by spglib, their
  /// operations from a POSCAR or CONTCAR (`atoms`), weights of k-points from an IBZKPT, KPOINTS or vasprun.xml
  /// (`kpoints`); "": nothing. \throws Error when they are of another cell or other k-points
  void complete(const std::string& atoms, const std::string& kpoints);

  /// Collective. Says along which axis the sphere of a gamma-only WAVECAR is halved. The constructor finds it by the
  /// kinetic energies of the bands. \throws Error for any other file
  void halve_along(HalfAxis axis);
  HalfAxis half_axis() const noexcept;  ///< of half spheres

  /// Collective. From here on the file has only these bands, k-points and spins, counted anew; see left_out().
  /// \throws Error for what it does not have
  void select(const Selection& selection);

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

/// What of two sets of wavefunctions is compared.
struct CompareOptions {
  int bands = 0;          ///< the first so many of each file; 0: all
  bool occupied = false;  ///< of each k-point only those up to the last that holds electrons in one of the files
  Tolerance tolerance;
  std::function<void(double done)> on_progress{};  ///< called on every rank with the fraction done, 0 to 1
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

/// How far the bands of a file are from orthonormal, as those of norm-conserving pseudopotentials are.
struct Soundness {
  double norm = 0;     ///< largest | <n|n> - 1 |
  double overlap = 0;  ///< largest | <m|n> |, m other than n
  int odd_counts = 0;  ///< k-points whose number of waves is not that of the sphere of the cut-off
};

/// Collective. Reads all coefficients of `file`, a k-point's at a time in memory. \throws Error when numbers are not
/// finite or checksums wrong
Soundness soundness(const WaveFile& file, const MoveOptions& options = {});

/// Collective. A whole file, spread out: each band is read in one piece by one rank, while others are on their way.
Orbitals read_orbitals(const WaveFile& file, const OrbitalLayout& layout, const MoveOptions& options = {});

/// Collective. The same into memory that is there already, spread out as it is: a restart. \throws Error when the file
/// has other spins, k-points, bands or waves than `waves`
void read_into(Orbitals& orbitals, const WaveFile& file, const MoveOptions& options = {});

/// Local, the same on every rank. What a file of format `format` ("qe", "qe-hdf5", "wfn", ...; "": by the name `path`)
/// cannot say of `header`, in sentences; nothing is written. `density`: whether its density goes along. \throws Error
/// when such a file cannot hold these wavefunctions at all, or not that density
std::vector<std::string> losses(const OrbitalHeader& header, const std::string& path, const std::string& format = "",
                                bool density = false);

/// Collective. Writes a file, or a directory, that appears under its name only when it is complete; until then what was
/// there stays whole. The file's bytes do not depend on the number of ranks and the layout.
void write_orbitals(const Orbitals& orbitals, const std::string& path, const std::string& format = "",
                    const MoveOptions& options = {});

/// Collective. Writes `file` again in another format, a few bands at a time.
void convert(const WaveFile& file, const std::string& path, const std::string& format = "",
             const MoveOptions& options = {});

/// Collective. Writes the wavefunctions of `map`, made of those of `file`, to a file (see write_orbitals), a few bands
/// at a time: each is read, turned and written by one rank.
void expand(const WaveFile& file, const KStarMap& map, const std::string& path, const std::string& format = "",
            const MoveOptions& options = {});

/// Collective. The density of the orbitals in `file` (see density_of() of orbitals), whose bands are read ahead while
/// others are transformed and added; none is kept.
Density density_of(const WaveFile& file, const DensityOptions& options = {});

/// Collective. The density beside the waves of `file`, on its header's grid. \throws Error when there is none
Density read_density(const WaveFile& file);

}  // namespace seiche
