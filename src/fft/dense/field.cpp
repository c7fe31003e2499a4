// SPDX-License-Identifier: BSD-3-Clause
#include "fft/dense/field.hpp"

#include "seiche/presence.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

void require_seen(const DensePlan& plan) {
  require(
      plan.queue.on_host(), Fault::unsupported,
      "fft: values of a field on a device are not accessible from the host: pass arrays to forward() and backward()");
}

}  // namespace

template <class Value>
void Field<Value>::Body::require_ready(bool forward) const {
  require(memory().is_spectrum != forward, Fault::bad_argument, "fft: the field holds {}",
          forward ? "a spectrum: call become_grid() and fill grid() first"
                  : "grid values: call become_spectrum() and fill spectrum() first");
}

template <class Value>
Field<Value>::Field(std::shared_ptr<Body> body) : body_(std::move(body)) {}
template <class Value>
Field<Value>::~Field() = default;
template <class Value>
Field<Value>::Field(Field&&) noexcept = default;
template <class Value>
Field<Value>& Field<Value>::operator=(Field&&) noexcept = default;

template <class Value>
typename Field<Value>::Body& Field<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument,
          "fft: this field is closed or moved from: call allocate() for another");
  return *body_;
}

template <class Value>
View<Value> Field<Value>::grid() const {
  require_seen(body().setup()->plan);
  require(!body().memory().is_spectrum, Fault::bad_argument,
          "fft: the field holds a spectrum: transform it with backward(), or call become_grid() and fill it");
  const DensePlan& plan = body_->setup()->plan;
  const Box& box = plan.grid_box;
  constexpr std::int64_t values = sizeof(Complex) / sizeof(Value);
  const Strides& stride = plan.rows_stride;
  return {reinterpret_cast<Value*>(body_->memory().rows(0)),
          {box.size(0), box.size(1), box.size(2)},
          {1, values * stride[1], values * stride[2]}};
}

template <class Value>
View<typename Field<Value>::Complex> Field<Value>::spectrum() const {
  require_seen(body().setup()->plan);
  require(body().memory().is_spectrum, Fault::bad_argument,
          "fft: the field holds grid values: transform it with forward(), or call become_spectrum() and fill it");
  const DensePlan& plan = body_->setup()->plan;
  const Box& box = plan.mine(plan.layouts.columns);
  return {body_->memory().columns(), {box.size(0), box.size(1), box.size(2)}, plan.columns_stride};
}

template <class Value>
void Field<Value>::become_grid() {
  body().memory().become(false);
}
template <class Value>
void Field<Value>::become_spectrum() {
  body().memory().become(true);
}
template <class Value>
void Field<Value>::close() {
  body_.reset();
}

template class Field<double>;
template class Field<float>;
template class Field<std::complex<double>>;
template class Field<std::complex<float>>;

}  // namespace seiche
