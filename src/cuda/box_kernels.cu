// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels that copy, add and scale boxes of elements. A thread works on one element of each plane.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "cuda/arithmetic.cuh"
#include "cuda/stream.hpp"

namespace seiche::cuda {

namespace {

constexpr unsigned box_threads = 256;
constexpr std::int64_t most_in_y = 1024;  // blocks of a grid; each block works on several planes of large boxes

/// Shape of a box, and strides of both arrays. Axis 0 is the fastest.
struct BoxPair {
  std::int64_t shape[3], from[3], into[3];
};

/// Calls work(source piece, target piece) for the pieces of the elements of this thread. `pieces`: number of Piece in
/// an element
template <class Piece, class Work>
SEICHE_DEVICE void each_piece(const Piece* from, Piece* into, const BoxPair& box, int pieces, const Work& work) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= box.shape[0] * box.shape[1]) return;
  const unsigned j = static_cast<unsigned>(at) / static_cast<unsigned>(box.shape[0]);
  const unsigned i = static_cast<unsigned>(at) % static_cast<unsigned>(box.shape[0]);
  for (std::int64_t k = blockIdx.y; k < box.shape[2]; k += gridDim.y) {
    const Piece* source = from + (i * box.from[0] + j * box.from[1] + k * box.from[2]) * pieces;
    Piece* target = into + (i * box.into[0] + j * box.into[1] + k * box.into[2]) * pieces;
    for (int p = 0; p < pieces; ++p) work(source[p], target[p]);
  }
}

template <class Piece>
__global__ void copy_elements(const Piece* from, Piece* into, BoxPair box, int pieces) {
  each_piece(from, into, box, pieces, [](const Piece& source, Piece& target) { target = source; });
}

template <class Real>
__global__ void add_elements(const Real* from, Real* into, BoxPair box, int pieces) {
  each_piece(from, into, box, pieces, [](Real source, Real& target) { target += source; });
}

template <class Real>
__global__ void scale_elements(Real* values, BoxPair box, int pieces, double factor) {
  each_piece(values, values, box, pieces,
             [factor](Real source, Real& target) { target = source * static_cast<Real>(factor); });
}

/// Fields, factors, and their strides for an axis of the box.
template <class Real>
struct Combination {
  Complex<Real>* fields[CombinedBoxes::most];
  const Complex<Real>* factors;
  int inputs, outputs;
  std::int64_t next_factor;
};

template <class Real>
__global__ void combine_elements(Combination<Real> all, BoxPair box) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= box.shape[0] * box.shape[1]) return;
  const unsigned j = static_cast<unsigned>(at) / static_cast<unsigned>(box.shape[0]);
  const unsigned i = static_cast<unsigned>(at) % static_cast<unsigned>(box.shape[0]);
  for (std::int64_t k = blockIdx.y; k < box.shape[2]; k += gridDim.y) {
    const std::int64_t point = i * box.into[0] + j * box.into[1] + k * box.into[2];
    const Complex<Real>* factor = all.factors + (i * box.from[0] + j * box.from[1] + k * box.from[2]);
    Complex<Real> inputs[CombinedBoxes::most];
    for (int f = 0; f < all.inputs; ++f) inputs[f] = all.fields[f][point];
    for (int o = 0; o < all.outputs; ++o) {
      Complex<Real> sum{};
      for (int f = 0; f < all.inputs; ++f, factor += all.next_factor) sum = sum + *factor * inputs[f];
      all.fields[o][point] = sum;
    }
  }
}

/// Sorts axes, so that neighbouring threads write neighbouring elements.
BoxPair sorted(const DeviceBox& of_from, const DeviceBox& of_into) {
  std::array<int, 3> axes{0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return of_into.stride[a] < of_into.stride[b]; });
  BoxPair box{};
  for (int i = 0; i < 3; ++i) {
    box.shape[i] = of_into.shape[axes[i]];
    box.from[i] = of_from.stride[axes[i]];
    box.into[i] = of_into.stride[axes[i]];
  }
  return box;
}

/// Arrays of a kernel.
struct BoxArrays {
  const void* from;
  void* into;
  std::size_t element;  // bytes
};

LaunchShape shape_of(const BoxPair& box) {
  const std::int64_t plane = box.shape[0] * box.shape[1];
  return {dim3(static_cast<unsigned>((plane + box_threads - 1) / box_threads),
               static_cast<unsigned>(std::min(box.shape[2], most_in_y))),
          box_threads};
}
bool empty(const BoxPair& box) { return box.shape[0] * box.shape[1] * box.shape[2] == 0; }

/// Calls visit(part, offsets of its first element in both arrays) for parts of a box whose planes have at most 2^31
/// elements. Kernels compute positions in a plane with 32 bits.
template <class Visit>
void each_part(const BoxPair& box, const Visit& visit) {
  if (empty(box)) return;
  constexpr std::int64_t most = std::int64_t{1} << 31;
  const int axis = box.shape[0] > box.shape[1] ? 0 : 1;
  const std::int64_t length = std::max<std::int64_t>(most / box.shape[1 - axis], 1);
  for (std::int64_t first = 0; first < box.shape[axis]; first += length) {
    BoxPair part = box;
    part.shape[axis] = std::min(length, box.shape[axis] - first);
    visit(part, first * box.from[axis], first * box.into[axis]);
  }
}

template <class Piece>
void start(void (*kernel)(const Piece*, Piece*, BoxPair, int), const BoxArrays& arrays, const BoxPair& box,
           cudaStream_t stream) {
  const Current current;
  const auto pieces = static_cast<int>(arrays.element / sizeof(Piece));
  each_part(box, [&](const BoxPair& part, std::int64_t from, std::int64_t into) {
    launch(kernel, shape_of(part), stream, static_cast<const Piece*>(arrays.from) + from * pieces,
           static_cast<Piece*>(arrays.into) + into * pieces, part, pieces);
  });
}

}  // namespace

void Stream::copy_box(const void* from, const DeviceBox& of_from, void* into, const DeviceBox& of_into,
                      std::size_t element) {
  const BoxPair box = sorted(of_from, of_into);
  const BoxArrays arrays{from, into, element};
  const auto bits = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(into) | element;
  if (bits % sizeof(int4) == 0) return start(copy_elements<int4>, arrays, box, handle_);
  if (bits % sizeof(int2) == 0) return start(copy_elements<int2>, arrays, box, handle_);
  start(copy_elements<int>, arrays, box, handle_);
}

void Stream::add_box(const void* from, const DeviceBox& of_from, void* into, const DeviceBox& of_into,
                     std::size_t element, bool single) {
  const BoxPair box = sorted(of_from, of_into);
  const BoxArrays arrays{from, into, element};
  single ? start(add_elements<float>, arrays, box, handle_) : start(add_elements<double>, arrays, box, handle_);
}

void Stream::scale_box(void* values, const DeviceBox& of_values, std::size_t element, bool single, double factor) {
  const BoxPair box = sorted(of_values, of_values);
  const Current current;
  const auto scale = [&]<class Real>(Real* numbers) {
    const auto reals = static_cast<int>(element / sizeof(Real));
    each_part(box, [&](const BoxPair& part, std::int64_t at, std::int64_t) {
      launch(scale_elements<Real>, shape_of(part), handle_, numbers + at * reals, part, reals, factor);
    });
  };
  single ? scale(static_cast<float*>(values)) : scale(static_cast<double*>(values));
}

void Stream::combine_boxes(const CombinedBoxes& boxes, bool single) {
  const auto& of_factors = boxes.of_factors;
  const DeviceBox factors{{boxes.box.shape[0], boxes.box.shape[1], boxes.box.shape[2]},
                          {of_factors[0], of_factors[1], of_factors[2]}};
  const BoxPair box = sorted(factors, boxes.box);
  const Current current;
  const auto combine = [&]<class Real>(const Complex<Real>* values) {
    each_part(box, [&](const BoxPair& part, std::int64_t factor, std::int64_t point) {
      Combination<Real> all{{}, values + factor, boxes.inputs, boxes.outputs, boxes.next_factor};
      for (int f = 0; f < CombinedBoxes::most; ++f)
        all.fields[f] = static_cast<Complex<Real>*>(boxes.fields[f]) + point;
      launch(combine_elements<Real>, shape_of(part), handle_, all, part);
    });
  };
  single ? combine(static_cast<const Complex<float>*>(boxes.factors))
         : combine(static_cast<const Complex<double>*>(boxes.factors));
}

}  // namespace seiche::cuda
