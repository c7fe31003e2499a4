// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: products of block-sparse matrices, and density matrices.
#include "c/c_product.hpp"

#include <memory>
#include <optional>

#include "c/c_fft.hpp"
#include "c/c_tuning.hpp"

namespace seiche::c {

namespace {

seiche_product product_default() {
  seiche_product product{};
  product.alpha[0] = 1;
  return product;
}

/// Collective. Calls work(multiplier, product, c) with the matrices of the handles.
template <class Work>
void with_product(seiche_multiplier* multiplier, const seiche_product* product, seiche_block_matrix* c,
                  const Work& work) {
  Multiplier& multiply = behind(multiplier).multiply;
  on_value(behind(c).matrix, [&]<class Value>(auto& typed, Value) {
    std::optional<Product<Value>> asked;
    together(typed.layout().comm, [&] { asked.emplace(product_of<Value>(read_product(product))); });
    work(multiply, *asked, typed);
  });
}

}  // namespace

seiche_purify_report report_for_c(const PurifyReport& found);
PurifyOptions purify_options_of(const seiche_purify_options* given, const char* where);

seiche_product read_product(const seiche_product* given) {
  require_place(given, "product", "the product");
  return read_options(given, product_default(), "product");
}

void also_read(const seiche_purify_options& asked, PurifyOptions& options, const char* where) {
  if (asked.product != nullptr) options.product = product_options_of(asked.product, where);
  if (asked.on_progress == nullptr) return;
  options.on_progress = [function = asked.on_progress, user = asked.user](PurifyStage stage, int iteration,
                                                                          double residual) {
    function(static_cast<int>(stage), iteration, residual, user);
  };
}

namespace {

/// Calls make(Value{}) with the type of the elements, double or complex double.
template <class Make>
auto in_double_precision(const seiche_block_matrix* matrix, const Make& make) {
  if (std::holds_alternative<BlockMatrix<std::complex<double>>>(behind(matrix).matrix))
    return make(std::complex<double>{});
  return make(double{});
}

/// Collective. \param report may be null
template <class Value>
auto purified(const seiche_block_matrix* k, const seiche_block_matrix* s, double electrons,
              const seiche_purify_options* options, seiche_purify_report* report) {
  const auto& kohn_sham = matrix_of<Value>(k);
  const auto& overlap = matrix_of<Value>(s);
  PurifyOptions asked;
  together(kohn_sham.layout().comm, [&] {
    asked = purify_options_of(options, "purify_options");
    if (report != nullptr) require_size(report->size, sizeof *report, "purify_report");
  });
  auto found = purify(kohn_sham, overlap, electrons, asked);
  if (report != nullptr) ReportPlace{report} = report_for_c(found);
  return make<MatrixObject>(std::move(found.p));
}

}  // namespace

}  // namespace seiche::c

using namespace seiche;
using namespace seiche::c;

seiche_status seiche_product_fill(seiche_product* product, std::size_t size) {
  return fill_options(product, size, product_default(), "product");
}

seiche_status seiche_multiplier_multiply(seiche_multiplier* multiplier, const seiche_product* product,
                                         seiche_block_matrix* c) {
  return call([&] {
    with_product(multiplier, product, c,
                 [](Multiplier& multiply, const auto& asked, auto& into) { multiply(asked, into); });
  });
}

seiche_status seiche_multiplier_start_multiply(seiche_pending** pending, seiche_multiplier* multiplier,
                                               const seiche_product* product, seiche_block_matrix* c) {
  return create(pending, [&] {
    std::shared_ptr<PendingObject> started;
    with_product(multiplier, product, c, [&](Multiplier& multiply, const auto& asked, auto& into) {
      started = make<PendingObject>(multiply.start(asked, into));
    });
    return started;
  });
}

seiche_status seiche_purify(seiche_block_matrix** p, const seiche_block_matrix* k, const seiche_block_matrix* s,
                            double electrons, const seiche_purify_options* options, seiche_purify_report* report) {
  return create(p, [&] {
    return in_double_precision(k,
                               [&]<class Value>(Value) { return purified<Value>(k, s, electrons, options, report); });
  });
}

seiche_status seiche_inverse_square_root(seiche_block_matrix** root, const seiche_block_matrix* s,
                                         seiche_multiplier* multiplier, int max_iterations) {
  return create(root, [&] {
    return in_double_precision(s, [&]<class Value>(Value) {
      return make<MatrixObject>(inverse_square_root(matrix_of<Value>(s), behind(multiplier).multiply, max_iterations));
    });
  });
}

seiche_status seiche_tune_product(const seiche_product* product, const seiche_block_layout* c,
                                  const seiche_product_options* options, const seiche_tune_request* request,
                                  seiche_tune_report* report) {
  return call([&] {
    const SharedLayout& layout = behind(c).layout;
    seiche_product read{};
    together(layout->comm, [&] { read = read_product(product); });
    on_value(behind(read.a).matrix, [&]<class Value>(auto&, Value) {
      std::optional<Product<Value>> asked;
      ProductOptions how;
      TuneRequest wanted;
      together(layout->comm, [&] {
        asked.emplace(product_of<Value>(read));
        how = product_options_of(options, "product_options");
        wanted = tune_request_of(request, "tune_request");
        require_report(report);
      });
      const auto found = tune_product(*asked, layout, how, wanted);
      seiche_tune_report same = tuned(found);
      same.panels = found.options.panels;
      same.layers = found.options.layers;
      ReportPlace{report} = same;
    });
  });
}
