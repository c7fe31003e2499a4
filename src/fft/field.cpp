// SPDX-License-Identifier: BSD-3-Clause
#include "fft/field.hpp"

namespace seiche {

template <class Value>
Field<Value>::Field(std::unique_ptr<Body> body) : body_(std::move(body)) {}
template <class Value>
Field<Value>::~Field() = default;
template <class Value>
Field<Value>::Field(Field&&) noexcept = default;
template <class Value>
Field<Value>& Field<Value>::operator=(Field&&) noexcept = default;

template <class Value>
View<Value> Field<Value>::grid() {
  body_->become(false);
  const Box& box = body_->grid_box;
  constexpr std::int64_t values = sizeof(Complex) / sizeof(Value);
  const Strides& stride = body_->grid_stride;
  return {reinterpret_cast<Value*>(body_->source(0)),
          {box.size(0), box.size(1), box.size(2)},
          {1, values * stride[1], values * stride[2]}};
}

template <class Value>
View<typename Field<Value>::Complex> Field<Value>::spectrum() {
  body_->become(true);
  const Box& box = body_->spectrum_box;
  return {body_->target(body_->exchanges.size() - 1), {box.size(0), box.size(1), box.size(2)}, body_->spectrum_stride};
}

template class Field<double>;
template class Field<float>;
template class Field<std::complex<double>>;
template class Field<std::complex<float>>;

}  // namespace seiche
