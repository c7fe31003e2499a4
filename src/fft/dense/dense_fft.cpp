// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of dense grids. Slabs: 1D FFTs along x and y in planes, one exchange, 1D FFTs along z. Pencils: 1D
/// FFTs along x, y and z, with an exchange between each two. Inside a node the exchange of slabs moves no data: 1D FFTs
/// along z use the planes of all ranks.
#include <memory>

#include "fft/dense/dense_started.hpp"
#include "pipeline/arrival_skew.hpp"

namespace seiche {

template <class Value>
DenseFft<Value>::DenseFft(const Communicator& comm, GridShape shape, FftOptions options) {
  body_ = Body::make(comm, shape, options, {});
}
template <class Value>
DenseFft<Value>::DenseFft(const Communicator& comm, GridShape shape, const DenseArrays& arrays, FftOptions options) {
  body_ = Body::make(comm, shape, options, arrays);
}
template <class Value>
DenseFft<Value>::~DenseFft() = default;
template <class Value>
DenseFft<Value>::DenseFft(DenseFft&&) noexcept = default;
template <class Value>
DenseFft<Value>& DenseFft<Value>::operator=(DenseFft&&) noexcept = default;

template <class Value>
typename DenseFft<Value>::Body& DenseFft<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument, "fft: this plan is closed or moved from: create another");
  return *body_;
}

template <class Value>
void DenseFft<Value>::close() {
  if (!body_) return;
  body_->kept->close();
  body_.reset();
}

template <class Value>
Field<Value> DenseFft<Value>::allocate() {
  return body().allocate();
}
template <class Value>
void DenseFft<Value>::forward(Field<Value>& field) {
  body().transform(field, true);
}
template <class Value>
void DenseFft<Value>::backward(Field<Value>& field) {
  body().transform(field, false);
}

template <class Value>
Pending DenseFft<Value>::start_forward(std::span<Field<Value>> fields) {
  return body().start(fields, true, {.started = true});
}
template <class Value>
void DenseFft<Value>::forward(std::span<Field<Value>> fields) {
  body().start(fields, true).finish();
}
template <class Value>
Pending DenseFft<Value>::start_backward(std::span<Field<Value>> fields) {
  return body().start(fields, false, {.started = true});
}
template <class Value>
void DenseFft<Value>::backward(std::span<Field<Value>> fields) {
  body().start(fields, false).finish();
}

template <class Value>
Pending DenseFft<Value>::start_forward(std::span<const Value> grid, std::span<Complex> spectrum) {
  return body().start(grid, spectrum, true, {.started = true});
}
template <class Value>
void DenseFft<Value>::forward(std::span<const Value> grid, std::span<Complex> spectrum) {
  body().start(grid, spectrum, true).finish();
}
template <class Value>
Pending DenseFft<Value>::start_backward(std::span<const Complex> spectrum, std::span<Value> grid) {
  return body().start(grid, spectrum, false, {.started = true});
}
template <class Value>
void DenseFft<Value>::backward(std::span<const Complex> spectrum, std::span<Value> grid) {
  body().start(grid, spectrum, false).finish();
}

template <class Value>
const Box& DenseFft<Value>::grid_box() const {
  return body().plan().grid_box;
}
template <class Value>
const Box& DenseFft<Value>::spectrum_box() const {
  return body().plan().spectrum_box;
}
template <class Value>
ProgressReport DenseFft<Value>::progress() const {
  ProgressReport report = body().spent;
  report.skew = kept_on<ArrivalSkew>(body().plan().comm).skew();
  return report;
}
template <class Value>
const FftReport& DenseFft<Value>::report() const {
  FftReport& report = body().kept->report;
  report.kept_memory = kept_on<PlanCache>(body().plan().comm).memory();
  return report;
}

template class DenseFft<double>;
template class DenseFft<float>;
template class DenseFft<std::complex<double>>;
template class DenseFft<std::complex<float>>;

}  // namespace seiche
