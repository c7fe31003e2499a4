// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: arguments of Fourier transforms, waves and their owners.
#include "c/c_fft.hpp"

namespace seiche::c {

namespace {

FieldArray field_array(const seiche_field_array& given) {
  FieldArray array{.box = box_of(&given.box), .field_stride = given.field_stride};
  std::copy_n(given.stride, 3, array.stride.begin());
  return array;
}

}  // namespace

void also_read(const seiche_fft_options& asked, FftOptions& options, const char* where) {
  require_array(asked.chunks, asked.chunk_count, where, "chunks");
  options.chunks.assign(asked.chunks, asked.chunks + asked.chunk_count);
  require_array(asked.slabs, asked.slab_count, where, "slabs");
  options.slabs.assign(asked.slabs, asked.slabs + asked.slab_count);
}

GridShape grid_shape(const std::int64_t* shape, const char* where) {
  require_place(shape, where, "the shape of the grid");
  require(shape[0] > 0 && shape[1] > 0 && shape[2] > 0, Fault::bad_argument,
          "{}: grid dimensions must be positive (got {} x {} x {})", where, shape[0], shape[1], shape[2]);
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

std::vector<seiche_box> boxes_for_c(const std::vector<Box>& boxes) {
  std::vector<seiche_box> same;
  std::transform(boxes.begin(), boxes.end(), std::back_inserter(same), box_for_c);
  return same;
}

Box box_of(const seiche_box* given) {
  Box box;
  for (std::size_t a = 0; given != nullptr && a < 3; ++a) box.axis[a] = {given->low[a], given->high[a]};
  return box;
}

DenseArrays dense_arrays_of(const seiche_dense_arrays* given, const char* where) {
  require_place(given, where, "the description of the arrays");
  const auto arrays = read_options(given, seiche_dense_arrays{}, "dense_arrays");
  return {.fields = arrays.fields,
          .grid = field_array(arrays.grid),
          .spectrum = field_array(arrays.spectrum),
          .in_place = arrays.in_place != 0,
          .plus = arrays.plus != 0,
          .unscaled = arrays.unscaled != 0};
}

}  // namespace seiche::c

using namespace seiche;
using namespace seiche::c;

seiche_status seiche_balanced_owners(const seiche_miller* waves, std::int64_t wave_count, int ranks, int* owners,
                                     std::int64_t owner_count) {
  return call_without_mpi([&] {
    require_array(waves, wave_count, "balanced_owners", "waves");
    require_array(owners, owner_count, "balanced_owners", "owners");
    require(ranks > 0, Fault::bad_argument, "balanced_owners: the number of ranks must be positive (got {})", ranks);
    put_all(values_at<int>(owners, owner_count), balanced_owners(values_at<Miller>(waves, wave_count), ranks),
            "balanced_owners", "waves");
  });
}

seiche_status seiche_sphere_of_waves(const double* b, const double* k, double cutoff, int half, seiche_miller* waves,
                                     std::int64_t capacity, std::int64_t* found) {
  return call_without_mpi([&] {
    require_place(b, "sphere_of_waves", "the reciprocal vectors");
    require_place(k, "sphere_of_waves", "the k-point");
    require_place(found, "sphere_of_waves", "the output argument for the number of waves");
    const auto all = sphere_of_waves({{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}, {b[6], b[7], b[8]}}}, {k[0], k[1], k[2]},
                                     cutoff, half != 0);
    *found = std::ssize(all);
    if (waves == nullptr) return;
    require(
        *found <= capacity, Fault::bad_argument,
        "sphere_of_waves: {} waves are within the cutoff, but the arrays hold {}: request the number of waves first",
        *found, capacity);
    std::copy(all.begin(), all.end(), reinterpret_cast<Miller*>(waves));
  });
}
