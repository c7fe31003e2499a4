// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>

#include "blocksparse/product/multiplication.hpp"
#include "pipeline/pending_work.hpp"

namespace seiche {

namespace {

/// A started product. It keeps an error for finish(), which throws it on all ranks.
template <class Value>
class StartedProduct final : public Pending::Work {
 public:
  explicit StartedProduct(std::shared_ptr<Multiplier::Body> body) : body_(std::move(body)) {}
  /// Collective.
  void begin(const Product<Value>& product, BlockMatrix<Value>& c) {
    fault_ = fault_of([&] {
      multiplication_.emplace(product, c, *body_);
      multiplication_->begin();
      for (const BlockMatrix<Value>* one : {&product.a, &product.b}) {
        inputs.watch(c.layout().comm, std::as_bytes(std::span<const Value>(one->values())));
      }
    });
  }
  bool progress() override { return fault_ || multiplication_->progress(); }
  void finish() override {
    if (fault_) throw Error(*fault_);
    multiplication_->complete();
  }

 private:
  std::shared_ptr<Multiplier::Body> body_;
  std::optional<Error> fault_;
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
  auto started = made_together(c.layout().comm, [&] { return std::make_unique<StartedProduct<Value>>(body_); });
  started->begin(product, c);
  return Pending(std::move(started));
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
