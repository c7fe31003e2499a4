// SPDX-License-Identifier: BSD-3-Clause
/// \file  Density matrices and inverse square roots, for C.
#include "seiche/purify.hpp"

#include "c/block_matrix.hpp"
#include "c/block_product.hpp"
#include "c/fft_options.hpp"
#include "comm/agree.hpp"

namespace seiche::c {

namespace {

static_assert(static_cast<int>(Purifier::sign) == SEICHE_SIGN);

seiche_purify_options purify_defaults() {
  seiche_purify_options options{};
  options.max_iterations = PurifyOptions{}.max_iterations;
  options.electrons_per_state = PurifyOptions{}.electrons_per_state;
  return options;
}

PurifyOptions purify_options(const seiche_purify_options* given) {
  const seiche_purify_options asked = read_options(given, purify_defaults(), "purify_options");
  PurifyOptions options;
  options.purifier = enumerator(asked.purifier, Purifier::sign, "purifier");
  options.max_iterations = asked.max_iterations;
  options.electrons_per_state = asked.electrons_per_state;
  if (asked.product != nullptr) options.product = product_options(asked.product);
  if (asked.on_progress != nullptr) {
    options.on_progress = [function = asked.on_progress, user = asked.user](PurifyStage stage, int iteration,
                                                                            double residual) {
      function(static_cast<int>(stage), iteration, residual, user);
    };
  }
  return options;
}

void put_report(const DensityMatrix& found, seiche_purify_report* into) {
  seiche_purify_report report{};
  report.trace = found.trace;
  report.energy = found.energy;
  report.idempotency = found.idempotency;
  report.norm = found.norm;
  report.error_bound = found.error_bound;
  report.homo = found.homo;
  report.lumo = found.lumo;
  report.chemical_potential = found.chemical_potential;
  report.iterations = found.iterations;
  report.root_iterations = found.root_iterations;
  report.products = found.products;
  report.memory = found.memory;
  write_report(into, report, "purify_report");
}

}  // namespace

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_purify_options_fill(seiche_purify_options* options, std::size_t size) {
  return fill_options(options, size, purify_defaults(), "purify_options");
}

seiche_status seiche_purify(seiche_block_matrix** p, const seiche_block_matrix* k, const seiche_block_matrix* s,
                            double electrons, const seiche_purify_options* options, seiche_purify_report* report) {
  return create(p, [&] {
    const auto& kohn_sham = matrix_of<double>(k);
    const auto& overlap = matrix_of<double>(s);
    seiche::PurifyOptions asked;
    seiche::together(kohn_sham.layout().comm, [&] {
      asked = purify_options(options);
      if (report != nullptr) require_size(report->size, sizeof *report, "purify_report");
    });
    seiche::DensityMatrix found = seiche::purify(kohn_sham, overlap, electrons, asked);
    if (report != nullptr) put_report(found, report);
    return object_of(std::move(found.p));
  });
}

seiche_status seiche_inverse_square_root(seiche_block_matrix** root, const seiche_block_matrix* s,
                                         seiche_multiplier* multiplier, int max_iterations) {
  return create(root, [&] {
    return object_of(seiche::inverse_square_root(matrix_of<double>(s), behind(multiplier).multiply, max_iterations));
  });
}
