// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: tuning and recordings.
#include "c/c_tuning.hpp"

#include <type_traits>

#include "c/c_fft.hpp"

namespace seiche::c {

static_assert(sizeof(timeline::Work) == sizeof(seiche_timeline_work) && std::is_standard_layout_v<timeline::Work>);
static_assert(offsetof(timeline::Work, begin) == offsetof(seiche_timeline_work, begin));
static_assert(sizeof(timeline::Transfer) == sizeof(seiche_timeline_transfer));

namespace {

/// Tunes a transform with tune(Value{}, comm, shape, request).
template <class Checks, class Tune>
seiche_status tune_transform(MPI_Comm comm, seiche_value value, const std::int64_t* shape,
                             const seiche_tune_request* request, seiche_tune_report* report, const Checks& checks,
                             const Tune& tune) {
  return call([&] {
    const auto ours = communicator(comm, "tune");
    GridShape grid;
    TuneRequest asked;
    together(ours, [&] {
      require(value == SEICHE_DOUBLE || value == SEICHE_COMPLEX_DOUBLE, Fault::unsupported,
              "tune: values of type {} cannot be tuned: use doubles or complex doubles", static_cast<int>(value));
      require_report(report);
      grid = grid_shape(shape, "tune");
      checks();
      asked = tune_request_of(request, "tune_request");
    });
    const auto found =
        value == SEICHE_DOUBLE ? tune(double{}, ours, grid, asked) : tune(std::complex<double>{}, ours, grid, asked);
    seiche_tune_report same = tuned(found);
    same.decomposition = static_cast<seiche_decomposition>(found.options.decomposition);
    same.band_groups = found.options.band_groups;
    ReportPlace{report} = same;
  });
}

/// Returns the C++ entries as C entries, which have the same layout.
template <class Entry, class Ours>
seiche_status put_entries(const seiche_timeline* timeline, std::vector<Ours> timeline::Timeline::*entries,
                          const Entry** into, std::int64_t* count) {
  return call([&] {
    const auto& all = behind(timeline).recorded.*entries;
    require_place(into, "timeline", "the output argument for the entries");
    require_place(count, "timeline", "the output argument for the number of entries");
    *into = reinterpret_cast<const Entry*>(all.data());
    *count = std::ssize(all);
  });
}

}  // namespace

void also_read(const seiche_tune_request& asked, TuneRequest& request, const char*) {
  if (asked.skew >= 0) request.skew = asked.skew;
}

void require_report(const seiche_tune_report* report) {
  require_place(report, "tune", "the output argument for the report");
  require_size(report->size, sizeof *report, "tune_report");
}

}  // namespace seiche::c

using namespace seiche;
using namespace seiche::c;

seiche_status seiche_tune_dense(MPI_Comm comm, seiche_value value, const std::int64_t* shape,
                                const seiche_tune_request* request, seiche_tune_report* report) {
  return tune_transform(
      comm, value, shape, request, report, [] {},
      []<class Value>(Value, const auto&... what) { return tune_dense<Value>(what...); });
}

seiche_status seiche_tune_sphere(MPI_Comm comm, seiche_value value, const std::int64_t* shape,
                                 const seiche_miller* waves, std::int64_t wave_count,
                                 const seiche_tune_request* request, seiche_tune_report* report) {
  return tune_transform(
      comm, value, shape, request, report, [&] { require_array(waves, wave_count, "tune", "waves"); },
      [&]<class Value>(Value, const Communicator& ours, const GridShape& grid, const TuneRequest& asked) {
        return tune_sphere<Value>(ours, grid, values_at<Miller>(waves, wave_count), asked);
      });
}

seiche_status seiche_timeline_get_work(const seiche_timeline* timeline, const seiche_timeline_work** work,
                                       std::int64_t* count) {
  return put_entries(timeline, &timeline::Timeline::work, work, count);
}

seiche_status seiche_timeline_get_transfers(const seiche_timeline* timeline, const seiche_timeline_transfer** transfers,
                                            std::int64_t* count) {
  return put_entries(timeline, &timeline::Timeline::transfers, transfers, count);
}
