// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of spheres of plane waves for C.
#include "c/sphere_fft.hpp"

#include <complex>

#include "comm/agree.hpp"

namespace seiche::c {

namespace {

/// Runs `work` on the plan, whose grid values are of type Value: work(plan, Value{}).
template <class Work>
seiche_status on_plan(const seiche_sphere_fft* fft, const Work& work) {
  return call([&] {
    std::visit([&]<class Plan>(Plan& plan) { work(plan, typename ValueOf<Plan>::type{}); }, behind(fft).fft);
  });
}

/// Coefficients that a call reads, and where results go.
struct Bands {
  const void* in;
  std::int64_t in_count;
  void* out;
  std::int64_t out_count, number;
};

seiche_status round_trip(seiche_sphere_fft* fft, const Bands& bands, seiche_grid_function function, void* user,
                         Result result) {
  return on_plan(fft, [&]<class Value>(auto& plan, Value) {
    using Complex = typename ComplexOf<Value>::type;
    plan.round_trip_spinors(values_at<Complex>(bands.in, bands.in_count),
                            values_at<Complex>(bands.out, bands.out_count), bands.number,
                            on_grid<Value>(function, user), result);
  });
}

seiche_status potential_on(seiche_sphere_fft* fft, const Bands& bands, std::span<const double> potential,
                           Result result) {
  return on_plan(fft, [&]<class Value>(auto& plan, Value) {
    using Complex = typename ComplexOf<Value>::type;
    plan.apply_potential(values_at<Complex>(bands.in, bands.in_count), values_at<Complex>(bands.out, bands.out_count),
                         bands.number, potential, result);
  });
}

/// NULL is a box without points.
Box box_of(const seiche_box* given) {
  Box box;
  for (std::size_t a = 0; given != nullptr && a < 3; ++a) box.axis[a] = {given->low[a], given->high[a]};
  return box;
}

/// An array of a caller's: `Data` is void or const void.
template <class Data>
struct Given {
  Data* data;
  std::int64_t count;
};

template <class T>
seiche_status spread_values(seiche_sphere_fft* fft, const seiche_box* box, const Given<const void>& values,
                            const Given<void>& here) {
  return on_plan(fft, [&](auto& plan, auto) {
    plan.spread(box_of(box), values_at<T>(values.data, values.count), values_at<T>(here.data, here.count));
  });
}
template <class T>
seiche_status collect_values(seiche_sphere_fft* fft, const Given<const void>& here, const seiche_box* box,
                             const Given<void>& values) {
  return on_plan(fft, [&](auto& plan, auto) {
    plan.collect(values_at<T>(here.data, here.count), box_of(box), values_at<T>(values.data, values.count));
  });
}

}  // namespace

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_sphere_fft_create(seiche_sphere_fft** fft, MPI_Comm comm, seiche_value value,
                                       const std::int64_t* shape, const seiche_miller* waves, std::int64_t wave_count,
                                       const seiche_fft_options* options) {
  return create(fft, [&] {
    seiche::GridShape grid;
    seiche::FftOptions asked;
    const seiche::Communicator ours = communicator(comm, "sphere_fft");
    seiche::together(ours, [&] {
      require_enumerator(value, SEICHE_COMPLEX_DOUBLE, "sphere_fft: value");
      grid = grid_shape(shape, "sphere_fft");
      require_array(waves, wave_count, "sphere_fft", "waves");
      asked = fft_options(options, "sphere_fft");
    });
    return std::make_shared<SphereObject>(
        ours, any_value<seiche::SphereFft>(value, ours, grid, millers(waves, wave_count), asked));
  });
}

seiche_status seiche_sphere_fft_destroy(seiche_sphere_fft** fft) { return destroy(fft); }

seiche_status seiche_sphere_fft_backward(seiche_sphere_fft* fft, const void* coefficients,
                                         std::int64_t coefficient_count, void* grid, std::int64_t grid_count,
                                         std::int64_t bands) {
  return on_plan(fft, [&]<class Value>(auto& plan, Value) {
    using Complex = typename seiche::ComplexOf<Value>::type;
    plan.backward(values_at<Complex>(coefficients, coefficient_count), values_at<Value>(grid, grid_count), bands);
  });
}

seiche_status seiche_sphere_fft_forward(seiche_sphere_fft* fft, const void* grid, std::int64_t grid_count,
                                        void* coefficients, std::int64_t coefficient_count, std::int64_t bands) {
  return on_plan(fft, [&]<class Value>(auto& plan, Value) {
    using Complex = typename seiche::ComplexOf<Value>::type;
    plan.forward(values_at<Value>(grid, grid_count), values_at<Complex>(coefficients, coefficient_count), bands);
  });
}

seiche_status seiche_sphere_fft_round_trip(seiche_sphere_fft* fft, const void* in, std::int64_t in_count, void* out,
                                           std::int64_t out_count, std::int64_t bands, seiche_grid_function function,
                                           void* user) {
  return round_trip(fft, {in, in_count, out, out_count, bands}, function, user, seiche::Result::replaces);
}
seiche_status seiche_sphere_fft_add_round_trip(seiche_sphere_fft* fft, const void* in, std::int64_t in_count, void* out,
                                               std::int64_t out_count, std::int64_t bands,
                                               seiche_grid_function function, void* user) {
  return round_trip(fft, {in, in_count, out, out_count, bands}, function, user, seiche::Result::adds);
}

seiche_status seiche_sphere_fft_to_grid(seiche_sphere_fft* fft, const void* in, std::int64_t in_count,
                                        std::int64_t bands, seiche_grid_function function, void* user) {
  return on_plan(fft, [&]<class Value>(auto& plan, Value) {
    using Complex = typename seiche::ComplexOf<Value>::type;
    plan.to_grid_spinors(values_at<Complex>(in, in_count), bands, on_grid<Value>(function, user));
  });
}

seiche_status seiche_sphere_fft_apply_potential(seiche_sphere_fft* fft, const void* in, std::int64_t in_count,
                                                void* out, std::int64_t out_count, std::int64_t bands,
                                                const double* potential, std::int64_t points) {
  return potential_on(fft, {in, in_count, out, out_count, bands}, values_at<double>(potential, points),
                      seiche::Result::replaces);
}
seiche_status seiche_sphere_fft_add_potential(seiche_sphere_fft* fft, const void* in, std::int64_t in_count, void* out,
                                              std::int64_t out_count, std::int64_t bands, const double* potential,
                                              std::int64_t points) {
  return potential_on(fft, {in, in_count, out, out_count, bands}, values_at<double>(potential, points),
                      seiche::Result::adds);
}

seiche_status seiche_sphere_fft_add_density(seiche_sphere_fft* fft, const void* in, std::int64_t in_count,
                                            std::int64_t bands, const double* weights, std::int64_t weight_count,
                                            double* density, std::int64_t points) {
  return on_plan(fft, [&]<class Value>(auto& plan, Value) {
    using Complex = typename seiche::ComplexOf<Value>::type;
    plan.add_density(values_at<Complex>(in, in_count), values_at<double>(weights, weight_count), bands,
                     values_at<double>(density, points));
  });
}

seiche_status seiche_sphere_fft_refuse(const seiche_sphere_fft* fft, seiche_status status, const char* sentence) {
  return call([&] {
    const seiche::Communicator& comm = behind(fft).comm;
    seiche::agree_on_bands(comm, 0, seiche::fault_of([&] { refuse(status, sentence); }));
  });
}

seiche_status seiche_sphere_fft_spread(seiche_sphere_fft* fft, const seiche_box* box, const double* values,
                                       std::int64_t value_count, double* here, std::int64_t points) {
  return spread_values<double>(fft, box, {values, value_count}, {here, points});
}
seiche_status seiche_sphere_fft_collect(seiche_sphere_fft* fft, const double* here, std::int64_t points,
                                        const seiche_box* box, double* values, std::int64_t value_count) {
  return collect_values<double>(fft, {here, points}, box, {values, value_count});
}
seiche_status seiche_sphere_fft_spread_complex(seiche_sphere_fft* fft, const seiche_box* box, const void* values,
                                               std::int64_t value_count, void* here, std::int64_t points) {
  return spread_values<std::complex<double>>(fft, box, {values, value_count}, {here, points});
}
seiche_status seiche_sphere_fft_collect_complex(seiche_sphere_fft* fft, const void* here, std::int64_t points,
                                                const seiche_box* box, void* values, std::int64_t value_count) {
  return collect_values<std::complex<double>>(fft, {here, points}, box, {values, value_count});
}

seiche_status seiche_sphere_fft_exchange_only(seiche_sphere_fft* fft, std::int64_t bands, int asleep) {
  return on_plan(fft, [&](auto& plan, auto) { plan.exchange_only(bands, asleep != 0); });
}

seiche_status seiche_sphere_fft_grid_box(const seiche_sphere_fft* fft, seiche_box* box) {
  return on_plan(fft, [&](const auto& plan, auto) {
    require_place(box, "sphere_fft", "the place for the box");
    *box = box_for_c(plan.grid_box());
  });
}

seiche_status seiche_sphere_fft_bands_here(const seiche_sphere_fft* fft, std::int64_t bands, std::int64_t* here,
                                           std::int64_t* first) {
  return on_plan(fft, [&](const auto& plan, auto) {
    require_place(here, "sphere_fft", "the place for the number of bands");
    require_place(first, "sphere_fft", "the place for the first band");
    *here = plan.bands_here(bands);
    *first = plan.first_band_here();
  });
}

seiche_status seiche_sphere_fft_value(const seiche_sphere_fft* fft, seiche_value* value) {
  return call([&] {
    const auto kind = behind(fft).fft.index();
    require_place(value, "sphere_fft", "the place for the kind of value");
    *value = static_cast<seiche_value>(kind);
  });
}

seiche_status seiche_sphere_fft_report(const seiche_sphere_fft* fft, seiche_fft_report* report) {
  return on_plan(fft, [&](const auto& plan, auto) { put_report(plan.report(), report, "fft_report"); });
}

seiche_status seiche_sphere_fft_progress(const seiche_sphere_fft* fft, seiche_progress_report* report) {
  return on_plan(fft, [&](const auto& plan, auto) { put_progress(plan.progress(), report, "progress_report"); });
}
