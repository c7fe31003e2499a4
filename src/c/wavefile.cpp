// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunction files for C.
#include <algorithm>

#include "c/fft_options.hpp"
#include "c/orbitals.hpp"
#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche::c {

namespace {

constexpr const char* in_wavefile = "wavefile";

seiche_compare_options compare_defaults() {
  const CompareOptions of{};
  return {sizeof(seiche_compare_options), of.bands,          of.occupied,
          of.tolerance.overlap,           of.tolerance.norm, of.tolerance.energy};
}

CompareOptions compare_options(const seiche_compare_options* given) {
  const seiche_compare_options asked = read_options(given, compare_defaults(), "compare_options");
  CompareOptions options;
  options.bands = asked.bands;
  options.occupied = asked.occupied != 0;
  options.tolerance = {asked.overlap, asked.norm, asked.energy};
  return options;
}

seiche_comparison comparison_for_c(const Comparison& found) {
  seiche_comparison same{};
  same.equal = found.equal();
  same.energy = found.energy;
  same.occupation = found.occupation;
  put_text(found.difference, same.difference);
  if (found.kpoints.empty()) return same;
  const Comparison::Group worst = found.worst();
  same.worst_spin = worst.spin;
  same.worst_k = worst.k;
  same.worst_low = static_cast<int>(worst.bands.low);
  same.worst_high = static_cast<int>(worst.bands.high);
  same.overlap = worst.overlap;
  same.norm = worst.norm;
  return same;
}

/// Copies what C++ gave to where the caller wants it.
template <class Value, class From>
void put_all(const From& from, std::span<Value> into, const char* what, const Communicator& comm) {
  together(comm, [&] {
    require(into.size() == from.size(), Fault::bad_argument, "wavefile: there are {} {}, and room for {}", from.size(),
            what, into.size());
  });
  std::copy(from.begin(), from.end(), into.begin());
}

/// Writes a file of what `file` has, by `write`(options).
template <class Write>
seiche_status write_again(const seiche_wavefile* file, const char* path, const seiche_move_options* options,
                          const Write& write) {
  return call([&] {
    const FileObject& from = behind(file);
    MoveOptions asked;
    together(from.comm, [&] {
      require_place(path, in_wavefile, "the path");
      asked = move_options(options);
    });
    write(from.file, asked);
  });
}

}  // namespace

std::function<void(double)> on_progress(void (*function)(double, void*), void* user) {
  if (function == nullptr) return nullptr;
  return [function, user](double done) { function(done, user); };
}

MoveOptions move_options(const seiche_move_options* given) {
  const seiche_move_options asked = read_options(given, {}, "move_options");
  MoveOptions options;
  options.policy = policy_of(asked);
  options.density = asked.density != 0;
  options.on_progress = on_progress(asked.on_progress, asked.user);
  return options;
}

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_move_options_fill(seiche_move_options* options, std::size_t size) {
  return fill_options(options, size, {}, "move_options");
}

seiche_status seiche_compare_options_fill(seiche_compare_options* options, std::size_t size) {
  return fill_options(options, size, compare_defaults(), "compare_options");
}

seiche_status seiche_wavefile_create(seiche_wavefile** file, MPI_Comm comm, const char* path) {
  return create(file, [&] {
    const auto ours = communicator(comm, in_wavefile);
    seiche::together(ours, [&] { require_place(path, in_wavefile, "the path"); });
    return std::make_shared<FileObject>(ours, path);
  });
}

seiche_status seiche_wavefile_destroy(seiche_wavefile** file) { return destroy(file); }

seiche_status seiche_wavefile_complete(seiche_wavefile* file, const char* atoms, const char* kpoints) {
  return call([&] { behind(file).file.complete(text_or_none(atoms), text_or_none(kpoints)); });
}

seiche_status seiche_wavefile_waves(const seiche_wavefile* file, int spin, int k, std::int64_t low, std::int64_t high,
                                    seiche_miller* waves, std::int64_t wave_count) {
  return call([&] {
    const FileObject& from = behind(file);
    const auto found = from.file.waves(spin, k, {low, high});
    put_all(found, values_at<seiche::Miller>(waves, wave_count), "waves", from.comm);
  });
}

seiche_status seiche_wavefile_coefficients(const seiche_wavefile* file, int spin, int k, const std::int64_t* bands,
                                           const std::int64_t* positions, void* coefficients,
                                           std::int64_t coefficient_count) {
  return call([&] {
    const FileObject& from = behind(file);
    seiche::together(from.comm, [&] {
      require_place(bands, in_wavefile, "the range of bands");
      require_place(positions, in_wavefile, "the range of positions");
    });
    const auto found = from.file.coefficients(spin, k, {bands[0], bands[1]}, {positions[0], positions[1]});
    put_all(found, values_at<std::complex<double>>(coefficients, coefficient_count), "coefficients", from.comm);
  });
}

seiche_status seiche_wavefile_convert(const seiche_wavefile* file, const char* path, const char* format,
                                      const seiche_move_options* options) {
  return write_again(file, path, options, [&](const seiche::WaveFile& from, const seiche::MoveOptions& asked) {
    seiche::convert(from, path, text_or_none(format), asked);
  });
}

seiche_status seiche_wavefile_expand(const seiche_wavefile* file, const char* path, const char* format,
                                     const seiche_move_options* options) {
  return write_again(file, path, options, [&](const seiche::WaveFile& from, const seiche::MoveOptions& asked) {
    seiche::expand(from, seiche::full_zone(from.header(), from.header().crystal.operations), path, text_or_none(format),
                   asked);
  });
}

seiche_status seiche_wavefile_compare(const seiche_wavefile* a, const seiche_wavefile* b,
                                      const seiche_compare_options* options, seiche_comparison* comparison) {
  return call([&] {
    const FileObject &first = behind(a), &second = behind(b);
    seiche::CompareOptions asked;
    seiche::together(first.comm, [&] {
      asked = compare_options(options);
      require_place(comparison, in_wavefile, "the place for the comparison");
      require_size(comparison->size, sizeof *comparison, "comparison");
    });
    write_report(comparison, comparison_for_c(seiche::compare(first.file, second.file, asked)), "comparison");
  });
}
