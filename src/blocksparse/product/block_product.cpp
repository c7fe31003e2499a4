// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>

#include "blocksparse/product/multiplication.hpp"
#include "pipeline/started_call.hpp"

namespace seiche {

namespace {

template <class Value>
class StartedProduct final : public StartedCall {
 public:
  explicit StartedProduct(std::shared_ptr<Multiplier::Body> body) : body_(std::move(body)) {}
  /// Collective.
  void begin(const Product<Value>& product, BlockMatrix<Value>& c) {
    start([&] {
      multiplication_.emplace(product, c, *body_);
      multiplication_->begin();
      for (const BlockMatrix<Value>* one : {&product.a, &product.b}) {
        watch(c.layout().comm, std::as_bytes(std::span<const Value>(one->values())));
      }
    });
  }

 private:
  bool advance() override { return multiplication_->progress(); }
  void complete() override { multiplication_->complete(); }

  std::shared_ptr<Multiplier::Body> body_;
  std::optional<Multiplication<Value>> multiplication_;
};

}  // namespace

Multiplier::Multiplier(ProductOptions options) : body_(std::make_shared<Body>()) {
  body_->options = std::move(options);
}
Multiplier::~Multiplier() = default;
Multiplier::Multiplier(Multiplier&&) noexcept = default;
Multiplier& Multiplier::operator=(Multiplier&&) noexcept = default;
Multiplier::Body& Multiplier::body() const {
  require(body_ != nullptr, Fault::bad_argument, "this multiplier is closed or moved from: create another");
  return *body_;
}
ProductOptions& Multiplier::options() { return body().options; }
const ProductReport& Multiplier::report() const { return body().report; }
void Multiplier::close() { body_.reset(); }

template <class Value>
const ProductReport& Multiplier::operator()(const Product<Value>& product, BlockMatrix<Value>& c) {
  Multiplication<Value> multiplication(product, c, body());
  multiplication.begin();
  multiplication.complete();
  return body_->report;
}

template <class Value>
Pending Multiplier::start(const Product<Value>& product, BlockMatrix<Value>& c) {
  body();
  return started<StartedProduct<Value>>(
      c.layout().comm, [&](auto& call) { call.begin(product, c); }, body_);
}

#define SEICHE_MULTIPLIER(Value)                                                                    \
  template const ProductReport& Multiplier::operator()(const Product<Value>&, BlockMatrix<Value>&); \
  template Pending Multiplier::start(const Product<Value>&, BlockMatrix<Value>&);
SEICHE_MULTIPLIER(float)
SEICHE_MULTIPLIER(double)
SEICHE_MULTIPLIER(std::complex<float>)
SEICHE_MULTIPLIER(std::complex<double>)
#undef SEICHE_MULTIPLIER

}  // namespace seiche
