// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of dense grids. Slabs: x and y lines of planes, one exchange, z lines. Pencils: x, y and z lines
/// with an exchange between each two. Inside a node the slab exchange moves nothing: the z lines run through all ranks'
/// planes.
#include <algorithm>

#include "comm/agree.hpp"
#include "comm/communicator_body.hpp"
#include "fft/field.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "fft/spent.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

template <class Value>
DenseKind kind_of() {
  using Complex = typename ComplexOf<Value>::type;
  return {letter_of<Value>(), !std::is_same_v<Value, Complex>, sizeof(Complex)};
}

/// What handles with the same arguments share.
template <class Value>
struct KeptDense : CachedPlan {
  KeptDense(const Communicator& comm, const GridShape& shape, const FftOptions& options)
      : setup(std::make_shared<DenseSetup<Value>>(comm, shape, options, kind_of<Value>())),
        report(setup->plan.report()) {}
  void close() override { own.reset(); }

  std::shared_ptr<const DenseSetup<Value>> setup;
  FftReport report;
  std::string key;
  std::unique_ptr<Field<Value>> own;  // for callers' own arrays, while one is transformed
};

template <class From, class Into>
void copy(const View<From>& from, const View<Into>& into) {
  for (std::int64_t z = 0; z < from.shape[2]; ++z) {
    for (std::int64_t y = 0; y < from.shape[1]; ++y) {
      std::copy_n(&from(0, y, z), from.shape[0], &into(0, y, z));
    }
  }
}

}  // namespace

template <class Value>
struct DenseFft<Value>::Body {
  std::shared_ptr<KeptDense<Value>> kept;
  ProgressReport spent{};  // in calls of this handle

  const DensePlan& plan() const { return kept->setup->plan; }

  Field<Value> allocate() const { return Field<Value>(std::make_unique<typename Field<Value>::Body>(kept->setup)); }

  void transform(Field<Value>& field, bool forward, const RunOptions& how = {}) {
    auto& memory = field.body();
    require(memory.setup == kept->setup || memory.setup->plan.identity == plan().identity, Fault::bad_argument,
            "fft: the field is another plan's; give one that allocate() of this plan made");
    const Spent time(memory.pipeline, spent);
    memory.transform(forward, how);
  }

  /// Collective.
  Field<Value>& own_field() {
    if (!kept->own) kept->own = std::make_unique<Field<Value>>(allocate());
    plan().comm.body().plan_cache.use(kept, kept->key);
    return *kept->own;
  }

  /// Collective.
  void check_sizes(std::size_t grid, std::size_t spectrum) const {
    together(plan().comm, [&] {
      const auto points = static_cast<std::size_t>(plan().grid_box.volume());
      const auto waves = static_cast<std::size_t>(plan().mine(plan().layouts.columns).volume());
      require(grid == points && spectrum == waves, Fault::bad_argument,
              "fft: this rank has {} grid points and {} of the spectrum; {} and {} were given", points, waves, grid,
              spectrum);
    });
  }
};

template <class Value>
DenseFft<Value>::DenseFft(const Communicator& comm, GridShape shape, FftOptions options) {
  require_sound(shape);
  const auto key = PlanKey().add(std::array{'d', letter_of<Value>()}).add(shape).add(options);
  auto kept = cached_plan<KeptDense<Value>>(comm, key,
                                            [&] { return std::make_shared<KeptDense<Value>>(comm, shape, options); });
  kept->key = key.text();
  body_ = std::make_unique<Body>(Body{std::move(kept)});
}
template <class Value>
DenseFft<Value>::~DenseFft() = default;
template <class Value>
DenseFft<Value>::DenseFft(DenseFft&&) noexcept = default;
template <class Value>
DenseFft<Value>& DenseFft<Value>::operator=(DenseFft&&) noexcept = default;

template <class Value>
typename DenseFft<Value>::Body& DenseFft<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument, "fft: this plan was closed or moved from; make another");
  return *body_;
}

template <class Value>
void DenseFft<Value>::close() {
  if (body_) body_->kept->close();
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
void DenseFft<Value>::forward(std::span<const Value> grid, std::span<Complex> spectrum) {
  body().check_sizes(grid.size(), spectrum.size());
  Field<Value>& field = body().own_field();
  field.become_grid();
  copy(dense_view(grid.data(), grid_box()), field.grid());
  forward(field);
  copy(field.spectrum(), dense_view(spectrum.data(), spectrum_box()));
}
template <class Value>
void DenseFft<Value>::backward(std::span<const Complex> spectrum, std::span<Value> grid) {
  body().check_sizes(grid.size(), spectrum.size());
  Field<Value>& field = body().own_field();
  field.become_spectrum();
  copy(dense_view(spectrum.data(), spectrum_box()), field.spectrum());
  backward(field);
  copy(field.grid(), dense_view(grid.data(), grid_box()));
}

template <class Value>
const Box& DenseFft<Value>::grid_box() const {
  return body().plan().grid_box;
}
template <class Value>
const Box& DenseFft<Value>::spectrum_box() const {
  return body().plan().mine(body().plan().layouts.columns);
}
template <class Value>
void DenseFft<Value>::exchange_only(Field<Value>& field, bool asleep) {
  const RunOptions how{.skip = true, .waiting = asleep ? Waiting::sleeping : Waiting::spinning};
  field.become_grid();
  body().transform(field, true, how);
  body().transform(field, false, how);
}
template <class Value>
ProgressReport DenseFft<Value>::progress() const {
  ProgressReport report = body().spent;
  report.skew = body().plan().comm.body().arrivals.skew();
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
