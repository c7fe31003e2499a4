// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tuning for C.
#include "c/tuning.hpp"

#include "c/fft_options.hpp"
#include "comm/agree.hpp"
#include "seiche/fft.hpp"
#include "support/require.hpp"

namespace seiche::c {

namespace {

seiche_tune_request tune_defaults() {
  const TuneRequest of{};
  return {sizeof(seiche_tune_request), of.budget, -1, of.bands, of.band_groups, of.threads};
}

void put_tuned(const TuneReport<FftOptions>& found, seiche_tune_report* into) {
  seiche_tune_report report = tuned(found);
  report.decomposition = static_cast<seiche_decomposition>(found.options.decomposition);
  report.band_groups = found.options.band_groups;
  write_report(into, report, "tune_report");
}

/// What all ranks must have right before they tune.
void require_tunable(seiche_value value, const seiche_tune_report* report) {
  require(value == SEICHE_DOUBLE || value == SEICHE_COMPLEX_DOUBLE, Fault::unsupported,
          "tune: value {} cannot be tuned; plans of doubles and of complex doubles can", static_cast<int>(value));
  require_report(report);
}

}  // namespace

TuneRequest tune_request(const seiche_tune_request* given) {
  const seiche_tune_request asked = read_options(given, tune_defaults(), "tune_request");
  TuneRequest request;
  request.budget = asked.budget;
  if (asked.skew >= 0) request.skew = asked.skew;
  request.bands = asked.bands;
  request.band_groups = asked.band_groups;
  request.threads = asked.threads;
  return request;
}

void require_report(const seiche_tune_report* report) {
  require_place(report, "tune", "the place for the report");
  require_size(report->size, sizeof *report, "tune_report");
}

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_tune_request_fill(seiche_tune_request* request, std::size_t size) {
  return fill_options(request, size, tune_defaults(), "tune_request");
}

seiche_status seiche_tune_dense(MPI_Comm comm, seiche_value value, const std::int64_t* shape,
                                const seiche_tune_request* request, seiche_tune_report* report) {
  return call([&] {
    const auto ours = communicator(comm, "tune");
    seiche::GridShape grid;
    seiche::TuneRequest asked;
    seiche::together(ours, [&] {
      require_tunable(value, report);
      grid = grid_shape(shape, "tune");
      asked = tune_request(request);
    });
    put_tuned(value == SEICHE_DOUBLE ? seiche::tune_dense<double>(ours, grid, asked)
                                     : seiche::tune_dense<std::complex<double>>(ours, grid, asked),
              report);
  });
}

seiche_status seiche_tune_sphere(MPI_Comm comm, seiche_value value, const std::int64_t* shape,
                                 const seiche_miller* waves, std::int64_t wave_count,
                                 const seiche_tune_request* request, seiche_tune_report* report) {
  return call([&] {
    const auto ours = communicator(comm, "tune");
    seiche::GridShape grid;
    seiche::TuneRequest asked;
    seiche::together(ours, [&] {
      require_tunable(value, report);
      grid = grid_shape(shape, "tune");
      require_array(waves, wave_count, "tune", "waves");
      asked = tune_request(request);
    });
    const auto mine = millers(waves, wave_count);
    put_tuned(value == SEICHE_DOUBLE ? seiche::tune_sphere<double>(ours, grid, mine, asked)
                                     : seiche::tune_sphere<std::complex<double>>(ours, grid, mine, asked),
              report);
  });
}
