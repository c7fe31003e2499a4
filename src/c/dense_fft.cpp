// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of dense grids for C.
#include "c/dense_fft.hpp"

#include "comm/agree.hpp"
#include "support/require.hpp"

using namespace seiche::c;
using seiche::Fault;

namespace {

/// Runs `work` on the plan, whose grid values are of type Value: work(plan, Value{}).
template <class Work>
seiche_status on_plan(const seiche_dense_fft* fft, const Work& work) {
  return call([&] {
    std::visit([&]<class Plan>(Plan& plan) { work(plan, typename ValueOf<Plan>::type{}); }, behind(fft).fft);
  });
}

/// Runs `work` on a plan and a field of the same kind of value.
template <class Work>
seiche_status on_field(seiche_dense_fft* fft, seiche_field* field, const Work& work) {
  return call([&] {
    DenseObject& plan = behind(fft);
    FieldObject& memory = behind(field);
    seiche::require(
        plan.fft.index() == memory.field.index(), Fault::bad_argument,
        "fft: the field holds another kind of value; give one that seiche_field_create() made for this plan");
    std::visit(
        [&]<class Value>(seiche::DenseFft<Value>& typed) { work(typed, std::get<seiche::Field<Value>>(memory.field)); },
        plan.fft);
  });
}

template <class Value>
seiche_view view_for_c(const seiche::View<Value>& view) {
  seiche_view same{};
  same.data = view.data;
  std::copy(view.shape.begin(), view.shape.end(), same.shape);
  std::copy(view.stride.begin(), view.stride.end(), same.stride);
  return same;
}

}  // namespace

seiche_status seiche_dense_fft_create(seiche_dense_fft** fft, MPI_Comm comm, seiche_value value,
                                      const std::int64_t* shape, const seiche_fft_options* options) {
  return create(fft, [&] {
    seiche::GridShape grid;
    seiche::FftOptions asked;
    const seiche::Communicator ours = communicator(comm, "dense_fft");
    seiche::together(ours, [&] {
      require_enumerator(value, SEICHE_COMPLEX_DOUBLE, "dense_fft: value");
      grid = grid_shape(shape, "dense_fft");
      asked = fft_options(options, "dense_fft");
    });
    return std::make_shared<DenseObject>(ours, any_value<seiche::DenseFft>(value, ours, grid, asked));
  });
}

namespace {

seiche::FieldArray field_array(const seiche_field_array& given) {
  seiche::FieldArray array{.field_stride = given.field_stride};
  for (std::size_t a = 0; a < 3; ++a) {
    array.box.axis[a] = {given.box.low[a], given.box.high[a]};
    array.stride[a] = given.stride[a];
  }
  return array;
}

seiche::DenseArrays dense_arrays(const seiche_dense_arrays* given) {
  require_place(given, "dense_fft", "the description of the arrays");
  const auto arrays = read_options(given, seiche_dense_arrays{}, "dense_arrays");
  return {.fields = arrays.fields,
          .grid = field_array(arrays.grid),
          .spectrum = field_array(arrays.spectrum),
          .in_place = arrays.in_place != 0,
          .plus = arrays.plus != 0,
          .unscaled = arrays.unscaled != 0};
}

}  // namespace

seiche_status seiche_dense_fft_create_for(seiche_dense_fft** fft, MPI_Comm comm, seiche_value value,
                                          const std::int64_t* shape, const seiche_dense_arrays* arrays,
                                          const seiche_fft_options* options) {
  return create(fft, [&] {
    seiche::GridShape grid;
    seiche::FftOptions asked;
    seiche::DenseArrays lying;
    const seiche::Communicator ours = communicator(comm, "dense_fft");
    seiche::together(ours, [&] {
      require_enumerator(value, SEICHE_COMPLEX_DOUBLE, "dense_fft: value");
      grid = grid_shape(shape, "dense_fft");
      lying = dense_arrays(arrays);
      asked = fft_options(options, "dense_fft");
    });
    return std::make_shared<DenseObject>(ours, any_value<seiche::DenseFft>(value, ours, grid, lying, asked));
  });
}

seiche_status seiche_dense_fft_destroy(seiche_dense_fft** fft) { return destroy(fft); }

seiche_status seiche_dense_fft_forward(seiche_dense_fft* fft, const void* grid, std::int64_t grid_count, void* spectrum,
                                       std::int64_t spectrum_count) {
  return on_plan(fft, [&]<class Value>(auto& plan, Value) {
    using Complex = typename seiche::ComplexOf<Value>::type;
    plan.forward(values_at<Value>(grid, grid_count), values_at<Complex>(spectrum, spectrum_count));
  });
}

seiche_status seiche_dense_fft_backward(seiche_dense_fft* fft, const void* spectrum, std::int64_t spectrum_count,
                                        void* grid, std::int64_t grid_count) {
  return on_plan(fft, [&]<class Value>(auto& plan, Value) {
    using Complex = typename seiche::ComplexOf<Value>::type;
    plan.backward(values_at<Complex>(spectrum, spectrum_count), values_at<Value>(grid, grid_count));
  });
}

seiche_status seiche_dense_fft_refuse(const seiche_dense_fft* fft, seiche_status status, const char* sentence) {
  return call([&] { seiche::together(behind(fft).comm, [&] { refuse(status, sentence); }); });
}

seiche_status seiche_dense_fft_forward_field(seiche_dense_fft* fft, seiche_field* field) {
  return on_field(fft, field, [](auto& plan, auto& memory) { plan.forward(memory); });
}

seiche_status seiche_dense_fft_backward_field(seiche_dense_fft* fft, seiche_field* field) {
  return on_field(fft, field, [](auto& plan, auto& memory) { plan.backward(memory); });
}

seiche_status seiche_dense_fft_exchange_only(seiche_dense_fft* fft, seiche_field* field, int asleep) {
  return on_field(fft, field, [&](auto& plan, auto& memory) { plan.exchange_only(memory, asleep != 0); });
}

seiche_status seiche_dense_fft_grid_box(const seiche_dense_fft* fft, seiche_box* box) {
  return on_plan(fft, [&](const auto& plan, auto) {
    require_place(box, "dense_fft", "the place for the box");
    *box = box_for_c(plan.grid_box());
  });
}

seiche_status seiche_dense_fft_spectrum_box(const seiche_dense_fft* fft, seiche_box* box) {
  return on_plan(fft, [&](const auto& plan, auto) {
    require_place(box, "dense_fft", "the place for the box");
    *box = box_for_c(plan.spectrum_box());
  });
}

seiche_status seiche_dense_fft_value(const seiche_dense_fft* fft, seiche_value* value) {
  return call([&] {
    const auto kind = behind(fft).fft.index();
    require_place(value, "dense_fft", "the place for the kind of value");
    *value = static_cast<seiche_value>(kind);
  });
}

seiche_status seiche_dense_fft_report(const seiche_dense_fft* fft, seiche_fft_report* report) {
  return on_plan(fft, [&](const auto& plan, auto) { put_report(plan.report(), report, "fft_report"); });
}

seiche_status seiche_dense_fft_progress(const seiche_dense_fft* fft, seiche_progress_report* report) {
  return on_plan(fft, [&](const auto& plan, auto) { put_progress(plan.progress(), report, "progress_report"); });
}

seiche_status seiche_field_create(seiche_field** field, seiche_dense_fft* fft) {
  return create(field, [&] {
    return std::visit([](auto& plan) { return std::make_shared<FieldObject>(plan.allocate()); }, behind(fft).fft);
  });
}

seiche_status seiche_field_destroy(seiche_field** field) { return destroy(field); }

seiche_status seiche_field_grid(const seiche_field* field, seiche_view* grid) {
  return call([&] {
    FieldObject& memory = behind(field);
    require_place(grid, "field", "the place for the view");
    *grid = std::visit([](const auto& typed) { return view_for_c(typed.grid()); }, memory.field);
  });
}

seiche_status seiche_field_spectrum(const seiche_field* field, seiche_view* spectrum) {
  return call([&] {
    FieldObject& memory = behind(field);
    require_place(spectrum, "field", "the place for the view");
    *spectrum = std::visit([](const auto& typed) { return view_for_c(typed.spectrum()); }, memory.field);
  });
}

seiche_status seiche_field_become_grid(seiche_field* field) {
  return call([&] { std::visit([](auto& typed) { typed.become_grid(); }, behind(field).field); });
}

seiche_status seiche_field_become_spectrum(seiche_field* field) {
  return call([&] { std::visit([](auto& typed) { typed.become_spectrum(); }, behind(field).field); });
}
