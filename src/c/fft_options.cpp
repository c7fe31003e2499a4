// SPDX-License-Identifier: BSD-3-Clause
#include "c/fft_options.hpp"

#include <algorithm>
#include <string>

#include "support/require.hpp"

namespace seiche::c {

namespace {

// The enumerators of C and C++ have the same numbers; a first and a last one are enough to see an insertion.
static_assert(static_cast<int>(Algorithm::automatic) == SEICHE_ALGORITHM_AUTOMATIC);
static_assert(static_cast<int>(Algorithm::pairwise) == SEICHE_ALGORITHM_PAIRWISE);
static_assert(static_cast<int>(Algorithm::local) == SEICHE_ALGORITHM_LOCAL);
static_assert(static_cast<int>(Progress::poll) == SEICHE_PROGRESS_POLL);
static_assert(static_cast<int>(Progress::none) == SEICHE_PROGRESS_NONE);
static_assert(static_cast<int>(LineLibrary::mkl) == SEICHE_LINES_MKL);
static_assert(static_cast<int>(LineLibrary::fastest) == SEICHE_LINES_FASTEST);
static_assert(static_cast<int>(Decomposition::pencil_yz) == SEICHE_DECOMPOSITION_PENCIL_YZ);

seiche_fft_options fft_option_defaults() {
  const FftOptions of{};
  seiche_fft_options options{};
  options.threads = of.threads;
  options.band_groups = of.band_groups;
  options.components = of.components;
  return options;
}

}  // namespace

FftOptions fft_options(const seiche_fft_options* given, const char* where) {
  const seiche_fft_options asked = read_options(given, fft_option_defaults(), where);
  require_array(asked.chunks, asked.chunk_count, where, "chunks");
  FftOptions options;
  options.policy = policy_of(asked);
  options.library = enumerator(asked.library, LineLibrary::fastest, "library");
  options.decomposition = enumerator(asked.decomposition, Decomposition::pencil_yz, "decomposition");
  options.threads = asked.threads;
  options.reproducible = asked.reproducible != 0;
  options.band_groups = asked.band_groups;
  options.rounded_exchange = asked.rounded_exchange != 0;
  options.components = asked.components;
  options.chunks.assign(asked.chunks, asked.chunks + asked.chunk_count);
  return options;
}

GridShape grid_shape(const std::int64_t* shape, const char* where) {
  require_place(shape, where, "the shape of the grid");
  require(shape[0] > 0 && shape[1] > 0 && shape[2] > 0, Fault::bad_argument,
          "{}: a grid of {} x {} x {} points has none; give 1 or more along each axis", where, shape[0], shape[1],
          shape[2]);
  return {shape[0], shape[1], shape[2]};
}

seiche_box box_for_c(const Box& box) {
  seiche_box same{};
  for (std::size_t a = 0; a < 3; ++a) {
    same.low[a] = box.axis[a].low;
    same.high[a] = box.axis[a].high;
  }
  return same;
}

void put_report(const FftReport& report, seiche_fft_report* into, const char* where) {
  seiche_fft_report same{};
  same.bytes_sent = report.bytes_sent;
  same.bytes_lower_bound = report.bytes_lower_bound;
  same.memory = report.memory;
  same.window = report.window;
  same.band_groups = report.band_groups;
  put_text(report.library, same.library);
  put_text(report.algorithm, same.algorithm);
  put_text(report.decomposition, same.decomposition);
  write_report(into, same, where);
}

void put_progress(const ProgressReport& report, seiche_progress_report* into, const char* where) {
  write_report(into, {0, report.worked, report.waited, report.skew, report.polls, report.moves}, where);
}

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_fft_options_fill(seiche_fft_options* options, std::size_t size) {
  return fill_options(options, size, fft_option_defaults(), "fft_options");
}

namespace {

/// Boxes by `boxes_of` of C++ into the caller's array.
template <class BoxesOf>
seiche_status put_boxes(std::span<seiche_box> into, const BoxesOf& boxes_of) {
  return call_without_mpi([&] {
    const std::vector<seiche::Box> boxes = boxes_of();
    if (into.size() != boxes.size()) {
      throw seiche::Error(misuse, "grid_boxes: " + std::to_string(boxes.size()) +
                                      " ranks need as many boxes; there is room for " + std::to_string(into.size()));
    }
    std::transform(boxes.begin(), boxes.end(), into.begin(), box_for_c);
  });
}

}  // namespace

seiche_status seiche_dense_grid_boxes(int ranks, const std::int64_t* shape, const seiche_fft_options* options,
                                      seiche_box* boxes, std::int64_t box_count) {
  return put_boxes(values_at<seiche_box>(boxes, box_count), [&] {
    return seiche::dense_grid_boxes(ranks, grid_shape(shape, "dense_grid_boxes"),
                                    fft_options(options, "dense_grid_boxes"));
  });
}

seiche_status seiche_sphere_grid_boxes(int ranks, const std::int64_t* shape, const seiche_fft_options* options,
                                       seiche_box* boxes, std::int64_t box_count) {
  return put_boxes(values_at<seiche_box>(boxes, box_count), [&] {
    return seiche::sphere_grid_boxes(ranks, grid_shape(shape, "sphere_grid_boxes"),
                                     fft_options(options, "sphere_grid_boxes"));
  });
}
