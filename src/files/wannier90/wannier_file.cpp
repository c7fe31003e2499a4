// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes the input of wannier90: .mmn, .amn and .eig as text with lines of equal length, so that the position
/// of each k-point is known and each rank writes its own; and UNK files in Fortran records.
#include <cmath>
#include <filesystem>
#include <memory>

#include "containers/archive.hpp"
#include "containers/fortran_writer.hpp"
#include "containers/output_file.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "orbitals/holdings.hpp"
#include "orbitals/wannier_bands.hpp"
#include "seiche/band_edges.hpp"
#include "seiche/fft.hpp"
#include "seiche/wannier_file.hpp"
#include "support/columns.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;
constexpr Columns number_columns{18, 12};

/// Avoids "-0.000000000000" from rounding.
double without_sign_of_zero(double x) { return std::abs(x) < 5e-13 ? 0 : x; }
void put(std::string& text, const Complex& value) {
  append(text, without_sign_of_zero(value.real()), number_columns);
  append(text, without_sign_of_zero(value.imag()), number_columns);
  text += '\n';
}

/// A text file written by several ranks: a header, then parts of equal length.
class PartedText {
 public:
  /// Collective.
  PartedText(const Communicator& comm, std::string path, std::string head)
      : comm_(comm), path_(std::move(path)), head_(std::move(head)), output_(comm, path_) {
    on_root(comm_, [&] { write_at(0, head_); });
  }
  /// Collective. Writes `count` of the parts: part i has the text text(i) and the number number(i) among all parts,
  /// and is written by one rank.
  template <class Number, class MakeText>
  void add(std::int64_t count, const Number& number, const MakeText& text) {
    together(comm_, [&] {
      for (std::int64_t i = 0; i < count; ++i) {
        if (number(i) % comm_.size() != comm_.rank()) continue;
        const std::string part = text(i);
        write_at(std::ssize(head_) + number(i) * std::ssize(part), part);
      }
    });
  }
  /// Collective.
  const std::string& commit() {
    together(comm_, [&] { File(output_.temporary(), File::Mode::write).flush(); });
    output_.commit();
    return path_;
  }

 private:
  void write_at(std::int64_t place, std::span<const char> text) const {
    File(output_.temporary(), File::Mode::write).write(place, std::as_bytes(text));
  }

  Communicator comm_;
  std::string path_, head_;
  OutputFile output_;
};

std::string text_of_overlap(const WannierRequest& request, const NeighbourOverlap& overlap, int bands) {
  const NeighbourStep& step = overlap.step;
  const auto& [there, shift] = request.neighbours[size_of(step.k)][size_of(step.neighbour)];
  std::string text = formatted("{:5d}{:5d}{:5d}{:5d}{:5d}\n", step.k + 1, there + 1, shift.x, shift.y, shift.z);
  for (int n = 0; n < bands; ++n) {
    for (int m = 0; m < bands; ++m) put(text, overlap.matrix[size_of(m * bands + n)]);
  }
  return text;
}

std::string text_of_projections(int k, const Matrix& projections, int bands, int functions) {
  std::string text;
  for (int n = 0; n < functions; ++n) {
    for (int m = 0; m < bands; ++m) {
      text += formatted("{:5d}{:5d}{:5d}", m + 1, n + 1, k + 1);
      put(text, projections[size_of(m * functions + n)]);
    }
  }
  return text;
}

std::string text_of_energies(const WannierBands& bands, int k) {
  std::string text;
  for (int band = 0; band < bands.bands(); ++band) {
    text += formatted("{:5d}{:5d}{:18.12f}\n", band + 1, k + 1,
                      without_sign_of_zero(bands.energy(k, band) * hartree_in_electronvolt));
  }
  return text;
}

/// The positions of the bands in an UNK file.
struct GridRecords {
  Extent first;
  std::int64_t stride = 0;
};
void describe(Archive& archive, GridRecords& records) { archive(records.first, records.stride); }

/// Collective. Writes the periodic parts of all bands of k-point `k` on the grid; `at` is bands.at(k).
std::string write_on_grid(const WannierBands& bands, int k, const Orbitals& at, const std::filesystem::path& path) {
  const OrbitalHeader& h = bands.header();
  const Communicator& comm = at.comm;
  OutputFile output(comm, path.string());
  GridRecords records;
  found_by_root(comm, records, [&] {
    FortranWriter writer(output.temporary(), false);
    using Numbers = std::array<std::int32_t, 5>;
    writer.write(Numbers{static_cast<std::int32_t>(h.grid.nx), static_cast<std::int32_t>(h.grid.ny),
                         static_cast<std::int32_t>(h.grid.nz), k + 1, bands.bands()});
    records.first = writer.leave_room(2 * h.grid.volume(), Element::float64, std::int64_t{bands.bands()} * h.spinor,
                                      records.stride);
    writer.close();
  });
  const OrbitalPart* const part = part_of(at, 0, 0);
  const auto waves = part ? std::span<const Miller>(part->waves) : std::span<const Miller>();
  SphereFft<Complex> fft(comm, h.grid, waves, {.reproducible = true, .band_groups = 1, .components = h.spinor});
  const Box& box = fft.grid_box();
  std::vector<Complex> grid(size_of(box.volume() * h.spinor));
  const std::size_t row = waves.size() * size_of(h.spinor);
  for (int band = 0; band < bands.bands(); ++band) {
    fft.backward(part ? std::span(part->coefficients).subspan(size_of(band) * row, row) : std::span<const Complex>(),
                 grid);
    together(comm, [&] {
      const File file(output.temporary(), File::Mode::write);
      const std::int64_t nx = h.grid.nx, run = nx * box.size(1);  // rows along x are complete
      auto next = reinterpret_cast<const double*>(grid.data());
      for (int component = 0; component < h.spinor; ++component) {
        Extent extent = records.first;
        extent.offset += (std::int64_t{band} * h.spinor + component) * records.stride;
        for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z, next += 2 * run) {
          const std::int64_t first = 2 * nx * (z * h.grid.ny + box.axis[1].low);
          write_extent(file, extent, {first, first + 2 * run}, std::span(next, size_of(2 * run)));
        }
      }
    });
  }
  together(comm, [&] { File(output.temporary(), File::Mode::write).flush(); });
  output.commit();
  return path.string();
}

std::filesystem::path name_on_grid(const std::string& seed, int k, const OrbitalHeader& header, int spin) {
  const std::string name =
      header.spinor == 2 ? formatted("UNK{:05d}.NC", k + 1) : formatted("UNK{:05d}.{}", k + 1, spin + 1);
  return std::filesystem::path(seed).parent_path() / name;
}

}  // namespace

std::vector<std::string> write_wannier(const WaveFile& file, const WannierRequest& request, const std::string& seed,
                                       const WannierOptions& options) {
  const Communicator& comm = WaveFile::Body::of(file).comm;
  together(comm, [&] { require_answerable(file.header(), request); });
  constexpr std::size_t most = 9999;  // wannier90 needs a blank between numbers in columns of five characters
  require(request.kpoints.size() <= most && file.header().bands <= static_cast<int>(most), Fault::unsupported,
          "files of wannier90 cannot hold {} k-points and {} bands: use fewer", request.kpoints.size(),
          file.header().bands);
  const WannierBands bands(read_orbitals(file, by_blocks(comm.size()), options.move), request, options.move);
  const Projections projections(bands, request, options.columns);
  const int functions = projections.functions();
  const std::string title = formatted("{} by Seiche\n", std::filesystem::path(request.path).filename().string());
  const auto counts = [&](int last) { return formatted("{:12d}{:12d}{:12d}\n", bands.bands(), bands.kpoints(), last); };
  const auto neighbours = std::ssize(request.neighbours[0]);
  const auto place_of = [&](const NeighbourStep& step) { return step.k * neighbours + step.neighbour; };
  PartedText mmn(comm, seed + ".mmn", title + counts(static_cast<int>(neighbours)));
  PartedText eig(comm, seed + ".eig", "");
  std::unique_ptr<PartedText> amn;
  if (functions > 0) amn = std::make_unique<PartedText>(comm, seed + ".amn", title + counts(functions));
  std::vector<std::string> files;
  for (int k = 0; k < bands.kpoints(); ++k) {
    const Orbitals at = bands.at(k);
    const auto overlaps = bands.overlaps(k, at);
    const auto this_k = [&](std::int64_t) { return std::int64_t{k}; };
    mmn.add(
        std::ssize(overlaps), [&](std::int64_t i) { return place_of(overlaps[size_of(i)].step); },
        [&](std::int64_t i) { return text_of_overlap(request, overlaps[size_of(i)], bands.bands()); });
    eig.add(1, this_k, [&](std::int64_t) { return text_of_energies(bands, k); });
    if (amn) {
      const Matrix found = projections.at(k, at);
      amn->add(1, this_k, [&](std::int64_t) { return text_of_projections(k, found, bands.bands(), functions); });
    }
    if (options.on_grid) {
      files.push_back(write_on_grid(bands, k, at, name_on_grid(seed, k, bands.header(), options.spin)));
    }
    if (options.move.on_progress) options.move.on_progress((k + 1.0) / bands.kpoints());
  }
  if (amn) files.insert(files.begin(), amn->commit());
  files.insert(files.begin(), eig.commit());
  files.insert(files.begin(), mmn.commit());
  return files;
}

}  // namespace seiche
