// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of wavefunctions and densities, read and written in parallel by any number of processes.
///
/// Units are hartree and bohr. k-points and translations are in units of the (reciprocal) lattice vectors.
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

/// A wavefunction file or directory that all ranks of a communicator open together. One thread at a time may use it
/// (see communicator.hpp).
class WaveFile {
 public:
  /// Collective. Opens a file. The format is detected from the content.
  /// \throws Error if the file is missing, damaged or of unknown format
  WaveFile(const Communicator& comm, const std::string& path);
  ~WaveFile();
  WaveFile(WaveFile&&) noexcept;
  WaveFile& operator=(WaveFile&&) noexcept;

  const OrbitalHeader& header() const noexcept;       ///< Local. Metadata of the file.
  const Communicator& communicator() const noexcept;  ///< Local. Communicator of the file.

  /// Collective. Adds data that a WAVECAR lacks. `atoms` is a POSCAR or CONTCAR; symmetry operations are determined
  /// with spglib. `kpoints` is an IBZKPT, KPOINTS or vasprun.xml with the weights of k-points. Empty names are ignored.
  /// \throws Error if a file has another cell or other k-points, or the data is not missing
  void complete(const std::string& atoms, const std::string& kpoints);

  /// Collective. Sets the axis along which the sphere of a gamma-only WAVECAR is halved. By default the kinetic
  /// energies of the bands decide.
  /// \throws Error for any other file
  void halve_along(HalfAxis axis);
  HalfAxis half_axis() const noexcept;  ///< Local. Axis of a half sphere.

  /// Collective. Restricts the file to some bands, k-points and spins, which are then numbered from 0. See left_out().
  /// \throws Error for an index out of range
  void select(const Selection& selection);

  /// Collective. Returns the waves of k-point `k` at positions `mine` (within 0 to plane_waves), in the file's order.
  /// `mine` may differ between ranks.
  std::vector<Miller> waves(int spin, int k, Range mine) const;
  /// Collective. Reads coefficients [band][component][wave] of `bands` at positions `mine`. Each rank reads its own
  /// part.
  /// \throws Error for states that the file does not have, and if the file is damaged
  std::vector<std::complex<double>> coefficients(int spin, int k, Range bands, Range mine) const;

  struct Body;  ///< For internal use.

 private:
  std::unique_ptr<Body> body_;
};

/// Tolerances of a comparison. Smaller differences are ignored.
struct Tolerance {
  double overlap = 1e-9;  ///< deviation of overlaps from 1
  double norm = 1e-6;     ///< relative difference of norms
  double energy = 1e-6;   ///< difference of energies, hartree
};

/// Options of compare().
struct CompareOptions {
  int bands = 0;          ///< number of bands to compare, from the first (0: all)
  bool occupied = false;  ///< skip bands of each k-point above the last one that is occupied in either file
  bool any_zero = false;  ///< subtract the constant by which the energies of both files differ (Comparison::constant)
  Tolerance tolerance;
  std::function<void(double done)> on_progress{};  ///< called on every rank with the completed fraction, 0 to 1
};

/// Result of compare(). It does not depend on unitary mixing of degenerate bands.
struct Comparison {
  /// A group of degenerate bands.
  struct Group {
    int spin = 0, k = 0;
    Range bands;
    double overlap = 1;  ///< smallest singular value of the overlap between both subspaces, 0 to 1
    double norm = 0;     ///< relative difference of the sums of their norms
  };
  std::string difference;      ///< reason why the files cannot be compared; empty if there is none
  double energy = 0;           ///< largest difference of energies, hartree
  double constant = 0;         ///< constant between the energies: second minus first file, hartree
  double beyond_constant = 0;  ///< largest difference of energies after this constant is subtracted, hartree
  bool any_zero = false;       ///< whether the constant is ignored (CompareOptions::any_zero)
  double occupation = 0;       ///< largest difference of occupations
  double norm = 0;             ///< largest relative difference of norms
  std::vector<Group> kpoints;  ///< group of smallest overlap of each spin and k-point, [spin][k] of the first file
  /// Groups of degenerate bands that are incomplete, because they contain the last band. They are excluded from all
  /// other results. A last group counts as incomplete if it spans different spaces in both files, with equal energies,
  /// norms and kinetic energies. It also does if its next band is in a file but was not requested.
  std::vector<Group> cut;
  Tolerance tolerance;
  Group worst() const;  ///< Returns the group of smallest overlap of all k-points.
  bool equal() const;   ///< Tells whether all differences are within the tolerance.
};

/// Collective. Compares two files of the same communicator by groups of degenerate bands. The order of k-points and
/// waves may differ. k-points may differ by reciprocal lattice vectors. Either file may have half spheres.
Comparison compare(const WaveFile& a, const WaveFile& b, const CompareOptions& options = {});

/// Deviation of the bands of a file from orthonormality. Only norm-conserving bands are orthonormal.
struct Soundness {
  double norm = 0;     ///< largest | <n|n> - 1 |
  double overlap = 0;  ///< largest | <m|n> | for m != n
  int odd_counts = 0;  ///< number of k-points whose number of waves does not match the cutoff
};

/// Collective. Reads all coefficients of `file` and checks them, with one k-point at a time in memory.
/// \throws Error if numbers are not finite or checksums are wrong
Soundness soundness(const WaveFile& file, const MoveOptions& options = {});

/// Collective. Reads a file into a layout. One rank reads each band; reading overlaps with communication.
/// \throws Error if the layout does not fit the number of ranks, or the file is damaged
Orbitals read_orbitals(const WaveFile& file, const OrbitalLayout& layout, const MoveOptions& options = {});

/// Collective. Reads a file into existing orbitals, whose layout does not change (restart).
/// \throws Error if the file has other spins, k-points, bands or waves than `orbitals`
void read_into(Orbitals& orbitals, const WaveFile& file, const MoveOptions& options = {});
/// Collective. Starts read_into() (see pending.hpp), with its arguments and errors. Threads read bands ahead and do not
/// call MPI. progress() sends them to their ranks. The memory of a rank is at most `options.policy.memory`. `orbitals`
/// must outlive the call. After an error of finish(), its coefficients are undefined.
[[nodiscard]] Pending start_read_into(Orbitals& orbitals, const WaveFile& file, const MoveOptions& options = {});

/// Local. Returns sentences that describe which data of `header` a format cannot store. Nothing is written. `format` is
/// e.g. "qe", "qe-hdf5" or "wfn"; "" selects it by the name `path`. `density`: the density is written, too.
/// \throws Error if the format cannot store these wavefunctions, or the density
std::vector<std::string> losses(const OrbitalHeader& header, const std::string& path, const std::string& format = "",
                                bool density = false);

/// Collective. Writes orbitals to a file or directory. It appears under its name only when it is complete; an existing
/// file stays unchanged until then. The contents do not depend on the number of ranks or the layout. `format` as for
/// losses().
/// \throws Error if the format cannot store the orbitals, or the file cannot be written
void write_orbitals(const Orbitals& orbitals, const std::string& path, const std::string& format = "",
                    const MoveOptions& options = {});

/// Collective. Starts to write orbitals (see pending.hpp), with the arguments and errors of write_orbitals(). It
/// creates the file under a temporary name, and sends the first bands to the ranks that write. progress() sends further
/// bands. One thread of each writing rank writes to disk; it does not call MPI. The memory of a rank is at most
/// `options.policy.memory`. The file gets its name in finish(). Any failure, also of the disk, is an error of finish()
/// on all ranks. An existing file stays unchanged after a failure, or if the call is destroyed without finish().
/// `orbitals` must outlive the call.
[[nodiscard]] Pending start_write_orbitals(const Orbitals& orbitals, const std::string& path,
                                           const std::string& format = "", const MoveOptions& options = {});

/// Collective. Writes text files that VASP needs beside the WAVECAR `path`: the cell and the atoms as POSCAR, and the
/// k-points with their weights as KPOINTS. Existing files stay unchanged. Unknown atoms or weights are not written.
/// \return names of the files written
std::vector<std::string> write_beside_wavecar(const Communicator& comm, const OrbitalHeader& header,
                                              const std::string& path);

/// Collective. Writes `file` in another format, with a few bands at a time in memory. Arguments and errors as for
/// write_orbitals().
void convert(const WaveFile& file, const std::string& path, const std::string& format = "",
             const MoveOptions& options = {});

/// Collective. Writes the wavefunctions of `map`, generated from `file`, to a file, with a few bands at a time in
/// memory. One rank reads, maps and writes each band. Other arguments and errors as for write_orbitals().
void expand(const WaveFile& file, const KStarMap& map, const std::string& path, const std::string& format = "",
            const MoveOptions& options = {});

/// Collective. Computes the density of the orbitals in `file`, same as density_of() of orbitals. Bands are read ahead
/// while others are transformed.
Density density_of(const WaveFile& file, const DensityOptions& options = {});

/// Collective. Reads the density that is stored with the wavefunctions, on the grid of the header.
/// \throws Error if there is none
Density read_density(const WaveFile& file);

}  // namespace seiche
