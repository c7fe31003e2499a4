// SPDX-License-Identifier: BSD-3-Clause
/// \file  The product from operands to C: index exchange, symbolic product, communication plan, panels through the
/// pipeline, stacks of small products, accumulator.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "blocksparse/matrix/sums.hpp"
#include "blocksparse/product/error_bound.hpp"
#include "blocksparse/product/kernels.hpp"
#include "blocksparse/product/layers.hpp"
#include "blocksparse/product/multiplier_body.hpp"
#include "blocksparse/product/operand.hpp"
#include "blocksparse/product/panel_transfer.hpp"
#include "blocksparse/product/product_settings.hpp"
#include "comm/equal_arguments.hpp"
#include "interface/product_members.hpp"
#include "seiche/presence.hpp"
#include "support/add_time.hpp"

namespace seiche {

/// A product in steps. Adds up the time of the steps, because the caller works between them.
template <class Value>
class Multiplication {
 public:
  Multiplication(const Product<Value>& product, BlockMatrix<Value>& c, Multiplier::Body& body)
      : product_(product),
        c_(c),
        body_(body),
        options_(agreed_options()),
        reserved_(body),
        operands_(product, c.layout(), [this](std::int64_t bytes) { announce(bytes); }) {}

  /// Collective. Computes up to the first wait for messages.
  void begin() {
    const AddTime timed(report().seconds_total);
    if (product_.alpha == Value(0)) return only_scale();
    inherited_ = error_of_old(c_, product_.beta) + error_of_operands(*operands_.a, *operands_.b, product_.alpha);
    {
      const AddTime planning(report().seconds_plan);
      if (reused_ == nullptr) make_plan();
      take_memory();
    }
    begin_panels();
  }
  /// Local. \return whether complete() would not wait for panels
  bool progress() {
    if (!transfer_) return true;
    const AddTime total(report().seconds_total), work(report().seconds_work);
    return transfer_->progress();
  }
  /// Collective.
  void complete() {
    const AddTime timed(report().seconds_total);
    if (product_.alpha == Value(0)) return;
    complete_panels();
    if (layered()) report().bytes_received += add_layers(plan_, product_, c_);
    std::vector<double> of_ranks;
    const double dropped = made_together(comm(), [&] {
      // a reused plan has the norms of other values
      if (reused_ != nullptr)
        plan_.symbolic.squared_error = symbolic_product(plan_.index, symbolic_request()).squared_error;
      of_ranks.resize(comm().size() * std::tuple_size_v<Statistics>);
      hand_over_result();
      return filter_result();
    });
    sum_up(dropped, of_ranks);
  }

 private:
  /// Squared errors, operations and seconds of one rank.
  using Statistics = std::array<double, 6>;

  const ProductOptions& options() const { return options_; }
  ProductReport& report() const { return body_.report; }
  const Communicator& comm() const { return c_.layout().comm; }
  bool layered() const { return plan_.groups.layers() > 1; }
  /// Returns whether products are added to the existing blocks of C, which the accumulator then includes.
  bool adds_to_old() const { return product_.beta != Value(0) && !layered(); }

  KeptPlans<Value>& plans() const { return std::get<KeptPlans<Value>>(body_.kept(comm()).plans); }

  /// Collective. Returns the options, after all ranks have checked and compared the arguments. Finds the plan to reuse.
  ProductOptions agreed_options() {
    ProductOptions options;
    EqualArguments same("multiply");
    std::int64_t event = -1;
    const auto fault = fault_of([&] {
      options = body_.options;
      require(!body_.busy, Fault::bad_argument,
              "a started product of this multiplier is not finished: finish it, or use another multiplier");
      require_sound(body_.options);
      require_fit(product_, c_.layout());
      same.add("bytes of a value", sizeof(Value));
      same.add("op_a", product_.op_a).add("op_b", product_.op_b).add_options(body_.options);
      same.add("only_exchange", static_cast<int>(body_.options.only_exchange));
      for (const BlockMatrix<Value>* one : {&product_.a, &product_.b, &std::as_const(c_)}) {
        add_layout(same.add("symmetry", one->symmetry()), one->layout());
      }
      event_ = body_.kept(comm()).products;
      key_ = key_of_plan(same);
      reused_ = plans().find(key_);
      if (reused_ != nullptr) event = reused_->event;
      same.add("alpha", product_.alpha).add("beta", product_.beta);
    });
    if (!agree_on(comm(), same, fault, event)) reused_ = nullptr;
    if (reused_ != nullptr && reused_->coarse != body_.tuner.coarse(options, comm())) reused_ = nullptr;
    ++body_.kept(comm()).products;
    return options;
  }

  /// Returns all that the plan depends on, on this rank. Empty: it depends on norms or on a function of the caller.
  std::string key_of_plan(const EqualArguments& same) const {
    const ProductOptions& options = body_.options;
    if (options.eps > 0 || options.wanted) return {};
    Hash hash;
    hash.add(static_cast<std::uint64_t>(options.policy.memory));
    hash.add(static_cast<std::uint64_t>(same.digest()));
    hash.add(static_cast<std::uint64_t>(product_.beta != Value(0)));
    add_structure(hash, product_.a);
    add_structure(hash, product_.b);
    if (product_.beta != Value(0)) add_structure(hash, c_);
    return hash.bytes();
  }

  /// Collective. Announces required memory. \throws Error if it exceeds the limit
  void announce(std::int64_t bytes) {
    together(comm(), [&] { require_allowed(bytes); });
  }
  void require_allowed(std::int64_t bytes) const {
    report().memory = std::max(report().memory, bytes);
    if (options().memory_needed) options().memory_needed(report().memory);
    const std::int64_t limit = options().policy.memory;
    require(limit == 0 || report().memory <= limit, Fault::bad_argument,
            "the product needs {} bytes on rank {}, which exceeds the limit of {}: use more processes, a larger eps "
            "or a higher limit",
            report().memory, comm().rank(), limit);
  }

  /// Collective. Applies settings of the tuning file to open options. Not with a memory limit, because tuned panels and
  /// layers may need more memory than the default ones.
  void settle(const MatrixBytes& whole) {
    auto& tuned = body_.kept(comm()).tuned;
    tuned_case_ = product_case<Value>(c_.layout(), operands_.a->layout().column_sizes, whole);
    if (!tuned.contains(tuned_case_)) {
      Advice advice = tuning_of(comm(), tuned_case(comm(), tuned_case_, options_.threads));
      const RankGrid ranks{c_.layout().grid_rows, c_.layout().grid_columns};
      advised(comm(), options_, advice, [&](const Settings& settings) {
        const ProductOptions merged = with(options_, settings);
        require_sound(merged);
        choose_groups(ranks, merged.layers, whole);  // throws if the grid cannot have these layers
        return merged;
      });
      tuned.emplace(tuned_case_, advice);
      const double share = real_in(advice.settings, "communication_share", -1);
      if (share >= 0) body_.tuner.begin_with(share);
    }
    apply_settings();
  }
  void apply_settings() {
    const Advice& advice = body_.kept(comm()).tuned.at(tuned_case_);
    options_ = with(options_, advice.settings);
    report().tuning = advice.use;
  }

  /// Creates the plan from the norms of the operands, before values are allocated.
  void make_plan() {
    const BlockMatrix<Value>&a = *operands_.a, &b = *operands_.b;
    const BlockLayout& layout = c_.layout();
    if (options().policy.algorithm == Algorithm::automatic || options().layers != 1) {
      const MatrixBytes whole = matrix_bytes(a, b, layout, options().policy.memory > 0);
      if (options().policy.algorithm == Algorithm::automatic && !whole.limited) settle(whole);
      plan_.groups = choose_groups({layout.grid_rows, layout.grid_columns}, options().layers, whole);
    }
    plan_.index = exchange_index(a, b, layout, plan_.groups);
    plan_.order = order_of(plan_.index);
    coarse_ = body_.tuner.coarse(options(), comm());
    const auto fault = fault_of([&] {
      plan_.symbolic = symbolic_product(plan_.index, symbolic_request());
      if (options().whole_panels) need_all();
      plan_.accumulator = lay_out(plan_.symbolic, plan_.index.share, c_, adds_to_old());
    });
    plan_.communication = plan_communication(plan_.index, a, b, {options().panels, coarse_}, fault);
    if (layered()) plan_.layers = plan_layers(plan_, c_, product_.beta != Value(0));
    const auto panels = static_cast<int>(plan_.communication.panels.count());
    plan_.slots = comm().size() == 1 ? 0 : std::min(ProductTuner::window(options()), panels + 1);
    plan_.algorithm = resolved_algorithm(comm(), options().policy.algorithm);
    plan_.beside_slots = memory_beside_slots(comm(), plan_.communication, slots());
  }
  /// Returns the bytes of the copy of the plan for later products.
  std::int64_t bytes_to_keep() const {
    const std::int64_t bytes = held_by(plan_);
    return reused_ != nullptr || key_.empty() || bytes > KeptPlans<Value>::most_bytes ? 0 : bytes;
  }
  void reuse_plan() {
    plan_ = reused_->plan;
    tuned_case_ = reused_->tuned_case;
    if (!tuned_case_.empty()) apply_settings();
  }

  /// Returns the choice of the caller, limited to the triangle that C stores.
  BlockChoice wanted() const {
    if (c_.symmetry() == Symmetry::none) return options().wanted;
    return [chosen = options().wanted](const BlockPlace& at) { return at.row <= at.column && (!chosen || chosen(at)); };
  }

  SymbolicRequest symbolic_request() const {
    return {wanted(), options().eps, roundoff<Value>, plan_.groups.layers(), options().threads};
  }

  PanelSlots slots() const { return {plan_.slots, options().policy.algorithm}; }

  void need_all() {
    for (auto* index : {&plan_.index.a, &plan_.index.b}) std::fill(index->needed.begin(), index->needed.end(), char{1});
  }

  void take_accumulator() {
    Accumulator<Value>& accumulator = plan_.accumulator;
    if (options().eps > 0 && !layered()) accumulator.norms.resize(accumulator.blocks.entries());
    const Value* const old = c_.values().data();
    const bool aliased = old == product_.a.values().data() || old == product_.b.values().data();
    seiche::take_memory(accumulator, c_, !adds_to_old() && !layered() && !aliased);
  }

  /// Collective. Announces and allocates the memory of values.
  void take_memory() {
    const auto routes = made_together(comm(), [&] {
      if (reused_ != nullptr) reuse_plan();
      const std::int64_t kept = bytes_to_keep();
      require_allowed(operands_.held() + kept + memory_estimate(plan_, options().threads) + plan_.beside_slots);
      if (kept > 0) plans().keep({key_, event_, plan_, kept, coarse_, tuned_case_});
      take_accumulator();
      return routes_of(plan_.communication, plan_.slots);
    });
    if (plan_.slots == 0) return;
    transfer_.emplace(comm(), plan_.communication, routes, slots(), body_.kept(comm()).memory);
  }

  void begin_panels() {
    const AddTime timed(report().seconds_work);
    const double share = body_.tuner.thread_share(options());
    report().communication_share = share;
    Scaling<Value> scaling;
    if (!layered()) scaling = {product_.alpha, product_.beta, adds_to_old() ? &c_ : nullptr};
    together(comm(), [&] {
      place_own_blocks(plan_.index.a, *operands_.a);
      place_own_blocks(plan_.index.b, *operands_.b);
      place_departures(plan_.communication, *operands_.a, *operands_.b);
      if (transfer_) {
        place_arrivals<Value>(plan_.index, plan_.communication,
                              [&](std::int64_t panel, int source) { return transfer_->arrivals(panel, source); });
      }
      stacks_.emplace(plan_, scaling, StackOptions{options().threads, share});
    });
    if (!transfer_) return multiply(0, {});
    const Progress progress = ProductTuner::overlaps(options()) ? options().policy.progress : Progress::none;
    transfer_->begin({options().threads, progress, options().only_exchange},
                     [this](std::int64_t panel, const MessageDriver& driver) { multiply(panel, driver); });
  }
  void multiply(std::int64_t panel, const MessageDriver& driver) {
    if (reused_ != nullptr) measure_arrivals(plan_.index, plan_.communication.parcels[panel], options().threads);
    report().seconds_poll += stacks_->multiply(panel, driver);
  }
  void complete_panels() {
    if (!transfer_) return;
    const AddTime timed(report().seconds_work);
    const ProgressReport progress = transfer_->complete();
    report().seconds_wait = progress.waited;
    report().polls = progress.polls;
    report().moves = progress.moves;
  }

  /// Without the product, C keeps its structure.
  void only_scale() {
    const double inherited = error_of_old(c_, product_.beta);
    const double dropped = made_together(comm(), [&] {
      if (product_.beta == Value(0)) {
        c_.reserve({});
      } else {
        scale(c_, product_.beta);
      }
      return filter_result();
    });
    report().filter_error = both_triangles() * std::sqrt(exact_sum(comm(), dropped));
    report().error = inherited + report().filter_error;
    set_error_bound(c_, report().error);
  }

  void hand_over_result() {
    if (options().only_exchange != OnlyExchange::no) {
      c_.reserve({});
    } else if (!layered()) {
      hand_over(std::move(plan_.accumulator), plan_.index.share, c_);
    }
  }

  /// Returns the factor from the error of the computed blocks to the error of C.
  double both_triangles() const { return c_.symmetry() == Symmetry::none ? 1 : std::sqrt(2.0); }
  /// \return the sum of squared norms of dropped blocks on this rank
  double filter_result() { return options().eps > 0 ? c_.drop_below(options().eps) : 0; }

  /// Exchanges statistics between ranks, for the error bound and for the next product.
  void sum_up(double dropped, std::span<double> of_ranks) {
    double operations = 0;
    for (const double row : plan_.symbolic.row_operations) operations += row;
    const Statistics mine{plan_.symbolic.squared_error, plan_.symbolic.squared_filter, dropped, operations,
                          report().seconds_work,        report().seconds_wait};
    gather_each(comm(), mine, of_ranks);
    std::vector<SquaredErrors> errors;
    std::vector<RankCost> costs;
    std::vector<int> layer_of;
    for (std::size_t n = 0; n < of_ranks.size(); n += mine.size()) {
      errors.push_back({of_ranks[n], of_ranks[n + 1], of_ranks[n + 2]});
      costs.push_back({of_ranks[n + 3], of_ranks[n + 4], of_ranks[n + 5]});
      layer_of.push_back(plan_.groups.layer_of(c_.layout(), static_cast<int>(layer_of.size())));
    }
    const auto bounds = error_of_product(errors, layer_of, plan_.groups.layers(), std::abs(product_.alpha));
    report().error = (both_triangles() * bounds.all + inherited_) * (1 + 1e-9);
    report().filter_error = both_triangles() * bounds.filter * (1 + 1e-9);
    set_error_bound(c_, report().error);
    body_.tuner.learn(options(), comm(), costs);
    tell(operations);
  }

  void tell(double operations) const {
    ProductReport& r = report();
    const CommunicationPlan& plan = plan_.communication;
    r.products = plan_.symbolic.products;
    r.skipped = plan_.symbolic.skipped;
    r.operations = static_cast<std::int64_t>(operations) * (is_complex<Value> ? 4 : 1);
    r.bytes_received += plan.bytes_received;
    r.bytes_sent = plan.bytes_sent;
    if (reused_ == nullptr) {
      r.bytes_index = plan.bytes_index + plan_.index.bytes;
      r.seconds_index = plan.seconds_index + plan_.index.seconds;
    }
    r.bytes_whole_panels = plan.bytes_whole_panels;
    r.panels = static_cast<int>(plan.panels.count());
    r.layers = plan_.groups.layers();
    r.window = std::max(plan_.slots, 1);
    r.algorithm = name_of(plan_.algorithm);
    r.kernels = is_complex<Value> ? "blas" : kernel_library();
  }

  const Product<Value> product_;
  BlockMatrix<Value>& c_;
  Multiplier::Body& body_;
  std::string key_;                          // of the plan; empty: it is not kept
  std::int64_t event_ = 0;                   // number of this product
  bool coarse_ = false;                      // panels of the plan
  const KeptPlan<Value>* reused_ = nullptr;  // null: the plan is made
  std::string tuned_case_;                   // empty: the tuning file is not used
  ProductOptions options_;                   // with settings of the tuning file
  Reservation reserved_;
  Operands<Value> operands_;
  double inherited_ = 0;  // error bound from the operands and the old C
  ProductPlan<Value> plan_;
  std::optional<Stacks<Value>> stacks_;
  std::optional<PanelTransfer> transfer_;
};

}  // namespace seiche
