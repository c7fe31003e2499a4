// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products of block-sparse matrices, for C.
#include "c/block_product.hpp"

#include <optional>

#include "c/block_matrix.hpp"
#include "c/fft_options.hpp"
#include "c/tuning.hpp"
#include "comm/agree.hpp"

namespace seiche::c {

namespace {

seiche_product_options product_defaults() {
  const ProductOptions of{};
  seiche_product_options options{};
  options.threads = of.threads;
  options.communication_share = of.communication_share;
  return options;
}

seiche_product product_default() {
  seiche_product product{};
  product.size = sizeof product;
  product.alpha[0] = 1;
  return product;
}

template <class Value>
Product<Value> product_of(const seiche_product& read) {
  return {matrix_of<Value>(read.a),
          matrix_of<Value>(read.b),
          factor_of<Value>(read.alpha),
          factor_of<Value>(read.beta),
          enumerator(read.op_a, Transpose::conjugate, "product: op_a"),
          enumerator(read.op_b, Transpose::conjugate, "product: op_b")};
}

}  // namespace

ProductOptions product_options(const seiche_product_options* given) {
  const seiche_product_options asked = read_options(given, product_defaults(), "product_options");
  ProductOptions options;
  options.policy = policy_of(asked);
  options.threads = asked.threads;
  options.panels = asked.panels;
  options.layers = asked.layers;
  options.whole_panels = asked.whole_panels != 0;
  options.eps = asked.eps;
  options.communication_share = asked.communication_share;
  return options;
}

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_product_options_fill(seiche_product_options* options, std::size_t size) {
  return fill_options(options, size, product_defaults(), "product_options");
}

seiche_status seiche_product_fill(seiche_product* product, std::size_t size) {
  return fill_options(product, size, product_default(), "product");
}

seiche_status seiche_tune_product(const seiche_product* product, const seiche_block_layout* c,
                                  const seiche_product_options* options, const seiche_tune_request* request,
                                  seiche_tune_report* report) {
  return call([&] {
    const seiche::SharedLayout& layout = behind(c).layout;
    seiche_product read{};
    seiche::together(layout->comm, [&] {
      require_place(product, "product", "the product");
      read = read_options(product, product_default(), "product");
    });
    on_matrix(read.a, [&]<class Value>(auto&, Value) {
      std::optional<seiche::Product<Value>> asked;
      seiche::ProductOptions how;
      seiche::TuneRequest wanted;
      seiche::together(layout->comm, [&] {
        asked.emplace(product_of<Value>(read));
        how = product_options(options);
        wanted = tune_request(request);
        require_report(report);
      });
      const auto found = seiche::tune_product(*asked, layout, how, wanted);
      seiche_tune_report same = tuned(found);
      same.panels = found.options.panels;
      same.layers = found.options.layers;
      write_report(report, same, "tune_report");
    });
  });
}

seiche_status seiche_multiplier_create(seiche_multiplier** multiplier, const seiche_product_options* options) {
  return create(multiplier, [&] { return std::make_shared<MultiplierObject>(product_options(options)); });
}

seiche_status seiche_multiplier_destroy(seiche_multiplier** multiplier) { return destroy(multiplier); }

seiche_status seiche_multiplier_multiply(seiche_multiplier* multiplier, const seiche_product* product,
                                         seiche_block_matrix* c) {
  return call([&] {
    seiche::Multiplier& multiply = behind(multiplier).multiply;
    on_matrix(c, [&]<class Value>(auto& typed, Value) {
      std::optional<seiche::Product<Value>> asked;
      seiche::together(typed.layout().comm, [&] {
        require_place(product, "product", "the product");
        const seiche_product read = read_options(product, product_default(), "product");
        asked.emplace(product_of<Value>(read));
      });
      multiply(*asked, typed);
    });
  });
}

seiche_status seiche_multiplier_report(const seiche_multiplier* multiplier, seiche_product_report* report) {
  return call([&] {
    const seiche::ProductReport& done = behind(multiplier).multiply.report();
    seiche_product_report same{};
    same.error = done.error;
    same.filter_error = done.filter_error;
    same.products = done.products;
    same.skipped = done.skipped;
    same.operations = done.operations;
    same.bytes_received = done.bytes_received;
    same.bytes_sent = done.bytes_sent;
    same.memory = done.memory;
    same.panels = done.panels;
    same.layers = done.layers;
    same.window = done.window;
    same.seconds_work = done.seconds_work;
    same.seconds_wait = done.seconds_wait;
    same.seconds_total = done.seconds_total;
    put_text(done.algorithm, same.algorithm);
    put_text(done.kernels, same.kernels);
    write_report(report, same, "product_report");
  });
}
