// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of dense grids. Slabs: 1D FFTs along x and y in planes, one exchange, 1D FFTs along z. Pencils: 1D
/// FFTs along x, y and z, with an exchange between each two. Inside a node the exchange of slabs moves no data: 1D FFTs
/// along z use the planes of all ranks.
#include <algorithm>

#include "comm/agree.hpp"
#include "fft/dense/field.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "fft/spent.hpp"
#include "pipeline/arrival_skew.hpp"
#include "seiche/presence.hpp"
#include "space/kernel_array.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

template <class Value>
DenseKind kind_of() {
  using Complex = typename ComplexOf<Value>::type;
  return {letter_of<Value>(), !std::is_same_v<Value, Complex>, sizeof(Complex)};
}

DenseArrays dense_arrays(const DensePlan& plan) {
  return {.grid = consecutive(plan.grid_box), .spectrum = consecutive(plan.spectrum_box)};
}

/// Returns the number of elements that an array must have.
std::size_t extent(const FieldArray& array, std::int64_t fields) {
  if (array.box.empty() || fields == 0) return 0;
  std::int64_t last = (fields - 1) * array.field_stride;
  for (int a = 0; a < 3; ++a) last += (array.box.size(a) - 1) * array.stride[static_cast<std::size_t>(a)];
  return static_cast<std::size_t>(last) + 1;
}

void require_sound(const DenseArrays& arrays, bool real) {
  require(arrays.fields > 0, Fault::bad_argument, "fft: the number of fields must be positive (got {})", arrays.fields);
  require(!real || !arrays.plus, Fault::bad_argument,
          "fft: real fields use exp(-i G.r) in the forward transform: leave out 'plus', or conjugate the spectrum");
  for (const FieldArray* array : {&arrays.grid, &arrays.spectrum}) {
    std::int64_t least = std::min({array->stride[0], array->stride[1], array->stride[2]});
    if (arrays.fields > 1) least = std::min(least, array->field_stride);
    require(array->box.empty() || least > 0, Fault::bad_argument,
            "fft: array strides must be positive (got {}): use for example interleaved() or consecutive()", least);
  }
}

PlanKey& add(PlanKey& key, const FieldArray& array) {
  return key.add(array.box).add(array.stride).add(array.field_stride);
}
PlanKey& add(PlanKey& key, const DenseArrays& arrays) {
  add(add(key.add(arrays.fields), arrays.grid), arrays.spectrum);
  return key.add(arrays.in_place).add(arrays.plus).add(arrays.unscaled);
}

/// Data that plans with the same arguments share.
template <class Value>
struct KeptDense : CachedPlan {
  KeptDense(const Communicator& comm, const GridShape& shape, const FftOptions& options,
            const std::optional<DenseArrays>& callers)
      : setup(std::make_shared<DenseSetup<Value>>(comm, shape, options, kind_of<Value>(), callers)),
        of_callers(callers.has_value()),
        arrays(callers ? *callers : dense_arrays(setup->plan)),
        report(setup->plan.report()) {}
  void close() override { array_work.reset(); }
  /// Collective. Returns the working memory. It exists while the plan is in the cache.
  DenseArrayWork<Value>& open() {
    if (!array_work) {
      if (!array_setup) {
        array_setup = of_callers ? setup : std::make_shared<DenseSetup<Value>>(setup->plan, ends_of(arrays));
      }
      array_work = std::make_unique<DenseArrayWork<Value>>(array_setup);
    }
    return *array_work;
  }

  std::shared_ptr<const DenseSetup<Value>> setup;
  bool of_callers;     // plan for the caller's arrays, without fields
  DenseArrays arrays;  // the caller's arrays, or dense arrays of one field
  FftReport report;
  std::string key;
  std::shared_ptr<const DenseSetup<Value>> array_setup;
  std::unique_ptr<DenseArrayWork<Value>> array_work;
  std::unique_ptr<DenseWork<Value>> many_fields;
};

}  // namespace

template <class Value>
struct DenseFft<Value>::Body {
  std::shared_ptr<KeptDense<Value>> kept;
  std::int64_t number = 0;  // number of the object on the communicator
  ProgressReport spent{};   // time in calls of this object

  /// Collective.
  static std::unique_ptr<Body> make(const Communicator& comm, const GridShape& shape, const FftOptions& options,
                                    const std::optional<DenseArrays>& callers) {
    PlanKey key, common;
    for (PlanKey* one : {&key, &common}) one->add(std::array{'d', letter_of<Value>()}).add(shape);
    key.add(options);
    add_common(common, options).add(callers.has_value());
    if (callers) {
      add(key, *callers);
      common.add(callers->fields).add(callers->in_place).add(callers->plus).add(callers->unscaled);
    }
    const PlanRequest request{key.text(), common.digest(), fault_of([&] {
                                require_sound(shape);
                                if (callers) require_sound(*callers, std::is_floating_point_v<Value>);
                              })};
    auto kept = cached_plan<KeptDense<Value>>(
        comm, request, [&] { return std::make_shared<KeptDense<Value>>(comm, shape, options, callers); });
    return std::make_unique<Body>(Body{std::move(kept), fresh_number(comm)});
  }

  const DensePlan& plan() const { return kept->setup->plan; }

  Field<Value> allocate() const {
    require(!kept->of_callers, Fault::bad_argument,
            "fft: this plan transforms the caller's arrays and allocates no fields: create a plan without arrays");
    return Field<Value>(std::make_unique<typename Field<Value>::Body>(kept->setup));
  }

  void require_own(const Field<Value>& field) const {
    const auto& setup = field.body().setup;
    require(setup == kept->setup || setup->plan.identity == plan().identity, Fault::bad_argument,
            "fft: the field belongs to another plan: pass a field from allocate() of this plan");
  }
  /// Collective. Checks that all ranks pass the same number of valid fields.
  void check(std::span<const Field<Value>> fields, bool forward) const {
    const auto fault = fault_of([&] {
      for (const Field<Value>& field : fields) {
        require_own(field);
        field.body().require_ready(forward);
      }
    });
    agree_on(plan().comm, static_cast<std::int64_t>(fields.size()),
             "fft: ranks passed different numbers of fields ({} to {}) to a collective call: pass the same number on "
             "all ranks",
             fault);
  }
  /// Collective.
  void transform(Field<Value>& field, bool forward, const RunOptions& how = {}) {
    check({&field, 1}, forward);
    const Spent time(field.body().work.pipeline, spent);
    field.body().transform(forward, how);
  }

  /// Collective. Transforms all fields in one pipeline.
  void transform(std::span<Field<Value>> fields, bool forward) {
    check(fields, forward);
    auto& work = kept->many_fields;
    if (!work) work = std::make_unique<DenseWork<Value>>(*kept->setup, plan().options.policy.window);
    for (Field<Value>& field : fields) work->call.memory.push_back(&field.body().memory);
    const Spent time(work->pipeline, spent);
    const auto fault = fault_of([&] { work->run(static_cast<std::int64_t>(fields.size()), forward); });
    work->pipeline.drain();
    work->call.memory.clear();
    if (fault) throw Error(*fault);
  }

  /// Collective.
  void transform(std::span<const Value> grid, std::span<const Complex> spectrum, bool forward) {
    std::optional<Ends> ends;
    check_arrays(grid, spectrum, ends);
    auto& work = kept->open().work;
    kept_on<PlanCache>(plan().comm).use(kept, kept->key);
    work.call.grid = ends->grid.data();
    work.call.spectrum = ends->spectrum.data();
    const Spent time(work.pipeline, spent);
    work.run(plan().bundles, forward);
    forward ? ends->spectrum.take_back() : ends->grid.take_back();
  }

  /// The caller's arrays for a transform, which writes one of them. Elements between the values stay unchanged.
  struct Ends {
    Ends(const Queue& queue, std::span<const Value> of_grid, std::span<const Complex> of_spectrum)
        : grid(queue, {const_cast<Value*>(of_grid.data()), of_grid.size()}),
          spectrum(queue, {const_cast<Complex*>(of_spectrum.data()), of_spectrum.size()}) {}
    KernelArray<Value> grid;
    KernelArray<Complex> spectrum;
  };
  /// Collective.
  void check_arrays(std::span<const Value> grid, std::span<const Complex> spectrum, std::optional<Ends>& ends) const {
    together(plan().comm, [&] {
      const DenseArrays& arrays = kept->arrays;
      const std::size_t points = extent(arrays.grid, arrays.fields), waves = extent(arrays.spectrum, arrays.fields);
      const bool longer = kept->of_callers && grid.size() >= points && spectrum.size() >= waves;
      require(longer || (grid.size() == points && spectrum.size() == waves), Fault::bad_argument,
              "fft: wrong array sizes: this rank has {} grid points and {} spectrum values (got {} and {})", points,
              waves, grid.size(), spectrum.size());
      const auto* begin = reinterpret_cast<const std::byte*>(grid.data());
      const auto* other = reinterpret_cast<const std::byte*>(spectrum.data());
      const bool apart = begin + points * sizeof(Value) <= other || other + waves * sizeof(Complex) <= begin;
      require(apart || arrays.in_place || arrays.fields == 1, Fault::bad_argument,
              "fft: the grid and spectrum arrays overlap: create the plan with in_place, or pass separate arrays");
      ends.emplace(plan().queue, grid, spectrum);
    });
  }
};

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
  require_all_close(body_->plan().comm, body_->number);
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
void DenseFft<Value>::forward(std::span<Field<Value>> fields) {
  body().transform(fields, true);
}
template <class Value>
void DenseFft<Value>::backward(std::span<Field<Value>> fields) {
  body().transform(fields, false);
}

template <class Value>
void DenseFft<Value>::forward(std::span<const Value> grid, std::span<Complex> spectrum) {
  body().transform(grid, spectrum, true);
}
template <class Value>
void DenseFft<Value>::backward(std::span<const Complex> spectrum, std::span<Value> grid) {
  body().transform(grid, spectrum, false);
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
void DenseFft<Value>::exchange_only(Field<Value>& field, bool asleep) {
  const RunOptions how{.skip = true, .waiting = asleep ? Waiting::sleeping : Waiting::spinning};
  together(body().plan().comm, [&] { body().require_own(field); });
  field.become_grid();
  body().transform(field, true, how);
  body().transform(field, false, how);
}
template <class Value>
ProgressReport DenseFft<Value>::progress() const {
  ProgressReport report = body().spent;
  report.skew = kept_on<ArrivalSkew>(body().plan().comm).skew();
  return report;
}
template <class Value>
const FftReport& DenseFft<Value>::report() const {
  return body().kept->report;
}

template class DenseFft<double>;
template class DenseFft<float>;
template class DenseFft<std::complex<double>>;
template class DenseFft<std::complex<float>>;

}  // namespace seiche
