// SPDX-License-Identifier: BSD-3-Clause
#include "fft/field.hpp"

#include "support/require.hpp"

namespace seiche {

template <class Value>
Field<Value>::Body::Body(std::shared_ptr<const DenseSetup<Value>> of)
    : setup(std::move(of)),
      pipeline(setup->plan.comm, static_cast<int>(setup->plan.chunks.size()), setup->plan.options.policy.progress) {
  for (const DenseLeg& leg : setup->plan.legs()) {
    exchanges.push_back(make_exchanges(*leg.among, leg.parts, setup->plan.request(*leg.among)));
  }
  to_spectrum_stages = stages_to_spectrum();
  to_grid_stages = stages_to_grid();
}

template <class Value>
void Field<Value>::Body::transform(bool forward, RunOptions how) {
  require(is_spectrum != forward, Fault::bad_argument, "fft: the field holds {}",
          forward ? "a spectrum; call become_grid() and fill its grid() first"
                  : "grid values; call become_spectrum() and fill its spectrum() first");
  if (setup->plan.in_place) how.ending = Ending::own;  // nothing but a defect can fail without messages
  is_spectrum = forward;
  pipeline.run(chunks(), forward ? to_spectrum_stages : to_grid_stages, how);
}

template <class Value>
void Field<Value>::Body::become(bool spectrum) {
  if (is_spectrum == spectrum) return;
  for (const auto& part : exchanges.back()) {
    part->start(spectrum ? Toward::target : Toward::source, Payload::release);
    part->finish();
  }
  is_spectrum = spectrum;
}

template <class Value>
std::vector<Stage> Field<Value>::Body::stages_to_spectrum() {
  const DensePlan& plan = setup->plan;
  const DenseLines<Value>& lines = setup->lines;
  std::vector<Stage> stages;
  stages.push_back({[this, &plan, &lines](std::int64_t c, int) {
                      lines.rows_from_grid(source(0, c), planes(plan.layouts.rows, c), between());
                    },
                    [this](std::int64_t c, int) {
                      return PostedExchanges{{first(c), Toward::target, Payload::values}};
                    }});
  if (plan.pencil) {
    stages.push_back({[this, &plan, &lines](std::int64_t c, int) {
                        lines.middle_lines(false, target(0, c), source(1, c), planes(plan.layouts.middle, c),
                                           between());
                      },
                      [this](std::int64_t c, int) {
                        return PostedExchanges{{first(c), Toward::source, Payload::release},
                                               {last(c), Toward::target, Payload::values}};
                      }});
  }
  stages.push_back({[this, &lines](std::int64_t c, int) {
                      if (c + 1 == chunks()) lines.column_lines(false, spectrum_memory(), between());
                    },
                    nullptr});
  return stages;
}

template <class Value>
std::vector<Stage> Field<Value>::Body::stages_to_grid() {
  const DensePlan& plan = setup->plan;
  const DenseLines<Value>& lines = setup->lines;
  std::vector<Stage> stages;
  stages.push_back({[this, &lines](std::int64_t c, int) {
                      if (c == 0) lines.column_lines(true, spectrum_memory(), between());
                    },
                    [this, &plan](std::int64_t c, int) {
                      PostedExchanges posted{{last(c), Toward::source, Payload::values}};
                      if (plan.pencil) posted.add({first(c), Toward::target, Payload::release});
                      return posted;
                    }});
  if (plan.pencil) {
    stages.push_back({[this, &plan, &lines](std::int64_t c, int) {
                        lines.middle_lines(true, source(1, c), target(0, c), planes(plan.layouts.middle, c), between());
                      },
                      [this](std::int64_t c, int) {
                        return PostedExchanges{{first(c), Toward::source, Payload::values}};
                      }});
  }
  stages.push_back({[this, &plan, &lines](std::int64_t c, int) {
                      lines.rows_to_grid(source(0, c), planes(plan.layouts.rows, c), between());
                    },
                    nullptr});
  return stages;
}

template <class Value>
Field<Value>::Field(std::unique_ptr<Body> body) : body_(std::move(body)) {}
template <class Value>
Field<Value>::~Field() = default;
template <class Value>
Field<Value>::Field(Field&&) noexcept = default;
template <class Value>
Field<Value>& Field<Value>::operator=(Field&&) noexcept = default;

template <class Value>
typename Field<Value>::Body& Field<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument, "fft: this field was closed or moved from; allocate() another");
  return *body_;
}

template <class Value>
View<Value> Field<Value>::grid() const {
  require(!body().is_spectrum, Fault::bad_argument,
          "fft: the field holds a spectrum; transform it backward(), or call become_grid() and fill it anew");
  const DensePlan& plan = body_->setup->plan;
  const Box& box = plan.grid_box;
  constexpr std::int64_t values = sizeof(Complex) / sizeof(Value);
  const Strides& stride = plan.rows_stride;
  return {reinterpret_cast<Value*>(body_->grid_memory()),
          {box.size(0), box.size(1), box.size(2)},
          {1, values * stride[1], values * stride[2]}};
}

template <class Value>
View<typename Field<Value>::Complex> Field<Value>::spectrum() const {
  require(body().is_spectrum, Fault::bad_argument,
          "fft: the field holds grid values; transform it forward(), or call become_spectrum() and fill it anew");
  const DensePlan& plan = body_->setup->plan;
  const Box& box = plan.mine(plan.layouts.columns);
  return {body_->spectrum_memory(), {box.size(0), box.size(1), box.size(2)}, plan.columns_stride};
}

template <class Value>
void Field<Value>::become_grid() {
  body().become(false);
}
template <class Value>
void Field<Value>::become_spectrum() {
  body().become(true);
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
