// SPDX-License-Identifier: BSD-3-Clause
/// \file  The product, from operands to C: survey, forecast, journey, work.
#include "blocksparse/fineness.hpp"
#include "blocksparse/growing.hpp"
#include "blocksparse/kernels.hpp"
#include "blocksparse/layers.hpp"
#include "blocksparse/load.hpp"
#include "blocksparse/needs.hpp"
#include "blocksparse/operand.hpp"
#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "exchange/kinds.hpp"
#include "pipeline/pipeline.hpp"
#include "support/require.hpp"

namespace seiche {

struct Multiplier::Body {
  ProductOptions options;
  ProductReport report;
  CommunicationLoad load;
  Fineness fineness;
  std::vector<std::pair<MPI_Comm, std::shared_ptr<ExchangeMemory>>> memory;  // of panels on their way

  /// Of one communicator's ranks: what they share may only be given back by all of them together.
  std::shared_ptr<ExchangeMemory>& memory_of(const Communicator& comm) {
    const auto found =
        std::find_if(memory.begin(), memory.end(), [&](const auto& one) { return one.first == comm.get(); });
    return found != memory.end() ? found->second : memory.emplace_back(comm.get(), nullptr).second;
  }
};

namespace {

template <class Value>
class Job {
 public:
  Job(const Product<Value>& product, BlockMatrix<Value>& c, Multiplier::Body& body)
      : product_(product),
        c_(c),
        options_(body.options),
        report_(body.report),
        load_(body.load),
        fineness_(body.fineness),
        memory_(body.memory_of(c.layout().comm)),
        a_(product.a, product.op_a, c.layout(), true, [this](std::int64_t bytes) { announce(bytes); }),
        b_(product.b, product.op_b, c.layout(), false, [this](std::int64_t bytes) { announce(a_.held() + bytes); }) {
    require((*a_).layout().column_sizes == (*b_).layout().row_sizes, Fault::bad_argument,
            "the block columns of op(A) and the block rows of op(B) differ in number or size; check the operands");
    require(options_.eps >= 0, Fault::bad_argument, "eps is {}; it must not be negative", options_.eps);
    require(options_.threads >= 1 && options_.window >= 1 && options_.panels >= 0 && options_.layers >= 0,
            Fault::bad_argument,
            "a product needs at least 1 thread and a window of 1; panels and layers are 0 or more");
    require(c.symmetry() == Symmetry::none, Fault::bad_argument,
            "C stores one triangle only, which a product need not have; give a matrix that stores all blocks");
  }

  void run() {
    if (product_.alpha == Value(0)) return only_scale();
    const double start = MPI_Wtime();
    const double inherited = std::abs(product_.beta) * old_bound() + from_operands();
    prepare();
    allocate();
    report_.seconds_plan = MPI_Wtime() - start;
    const double work_start = MPI_Wtime();
    work();
    report_.seconds_work = MPI_Wtime() - work_start;
    if (options_.only_exchange != OnlyExchange::no) {
      c_.reserve({});
    } else if (teams_.layers() > 1) {
      report_.bytes_received += add_layers(mail_, grown_, survey_.share, teams_, product_, c_);
    } else {
      hand_over();
    }
    const double dropped = options_.eps > 0 ? c_.drop_below(options_.eps) : 0;
    sum_up(dropped, inherited);
    report_.seconds_total = MPI_Wtime() - start;
  }

 private:
  const BlockLayout& layout() const { return c_.layout(); }
  const BlockSizes& inner_sizes() const { return (*a_).layout().column_sizes; }

  double old_bound() const {
    return product_.beta == Value(0) ? 0.0 : c_.error + 4 * roundoff<Value> * frobenius_norm(c_);
  }

  /// Without the product, C keeps its own structure.
  void only_scale() {
    const double bound = product_.beta == Value(0) ? 0.0 : std::abs(product_.beta) * old_bound();
    if (product_.beta == Value(0)) {
      c_.reserve({});
    } else {
      scale(c_, product_.beta);
    }
    const double dropped = options_.eps > 0 ? c_.drop_below(options_.eps) : 0;
    report_.filter_error = std::sqrt(exact_sum(layout().comm, std::vector<double>{dropped}));
    report_.error = c_.error = bound + report_.filter_error;
  }

  /// What errors of A and B make of C.
  double from_operands() const {
    const BlockMatrix<Value>&a = *a_, &b = *b_;
    if (a.error <= 0 && b.error <= 0) return 0;
    return std::abs(product_.alpha) * (a.error * frobenius_norm(b) + frobenius_norm(a) * b.error + a.error * b.error);
  }

  void prepare() {
    teams_ = options_.layers == 1 ? Teams{} : choose_teams(layout(), options_.layers, masses_of(*a_, *b_, layout()));
    survey_ = survey(*a_, *b_, layout(), teams_, true);
    ForecastRequest request{&layout().row_sizes, &layout().column_sizes, &inner_sizes()};
    request.eps = options_.eps;
    request.rounding = roundoff<Value>;
    request.layers = teams_.layers();
    request.threads = options_.threads;
    forecast_ = forecast(survey_, nonzero(), request);
    if (options_.whole_panels) {
      std::fill(survey_.a.needed.begin(), survey_.a.needed.end(), char{1});
      std::fill(survey_.b.needed.begin(), survey_.b.needed.end(), char{1});
    }
    journey_ = plan_journey(survey_, *a_, *b_, layout(), {options_.panels, tries_panels() && fineness_.coarse()});
  }

  /// Blocks in each row of A, those of other layers included.
  std::vector<std::int64_t> nonzero() const {
    std::vector<std::int64_t> count(survey_.share.rows.size());
    if (teams_.layers() == 1) {
      for (std::size_t r = 0; r < count.size(); ++r) count[r] = survey_.a.start[r + 1] - survey_.a.start[r];
      return count;
    }
    const BlockMatrix<Value>& a = *a_;
    std::vector<int> all(layout().row_sizes.size(), 0);
    for (std::size_t r = 0; r < a.rows().size(); ++r) {
      all[static_cast<std::size_t>(a.rows()[r])] = static_cast<int>(a.row_start()[r + 1] - a.row_start()[r]);
    }
    check(MPI_Allreduce(MPI_IN_PLACE, all.data(), mpi_count(static_cast<std::int64_t>(all.size())), MPI_INT, MPI_SUM,
                        layout().comm.get()),
          "MPI_Allreduce");
    for (std::size_t r = 0; r < count.size(); ++r) count[r] = all[static_cast<std::size_t>(survey_.share.rows[r])];
    return count;
  }

  bool adds_to_old() const { return product_.beta != Value(0) && teams_.layers() == 1; }

  /// Memory known to be needed: said, and refused where it exceeds the limit. Collective.
  void announce(std::int64_t bytes) {
    report_.memory = std::max(report_.memory, bytes);
    if (options_.memory_needed) options_.memory_needed(report_.memory);
    together(layout().comm, [&] {
      require(options_.memory_limit <= 0 || report_.memory <= options_.memory_limit, Fault::bad_argument,
              "a product needs {} bytes on process {}, more than the limit of {}; use more processes, a larger eps or "
              "a higher limit",
              report_.memory, layout().comm.rank(), options_.memory_limit);
    });
  }

  /// All that is known once blocks have been counted; values take memory after this.
  std::int64_t memory_needed() const {
    Plans<Value> plans{survey_, forecast_, journey_, grown_, mail_};
    plans.elements = elements_;
    plans.slots = slots_;
    plans.threads = options_.threads;
    plans.layers = teams_.layers();
    plans.zero_copy = resolved_algorithm(layout().comm, options_.algorithm) == Algorithm::shared;
    return memory_of(plans) + memory_beside_slots();
  }

  /// Of ways that lay out messages anew, for all panels; what `automatic` takes does not.
  std::int64_t memory_beside_slots() const {
    if (options_.algorithm == Algorithm::automatic || slots_ == 0) return 0;
    const auto parts = routes();
    const bool zero_copy = resolved_algorithm(layout().comm, options_.algorithm) == Algorithm::shared;
    const std::int64_t ends = parts.front().source_size + (zero_copy ? 0 : parts.front().target_size);
    return static_cast<std::int64_t>(memory_of_exchanges(layout().comm, parts, request())) - ends;
  }

  /// Everything that takes memory comes after the forecast of how much.
  void allocate() {
    elements_ = lay_out(grown_, forecast_, survey_.share, c_, adds_to_old());
    if (teams_.layers() > 1) mail_ = plan_layers(grown_, survey_.share, c_, product_.beta != Value(0));
    const bool alone = layout().comm.size() == 1;
    slots_ = alone ? 0 : std::min<int>(options_.window, static_cast<int>(journey_.panels.size()) + 1);
    announce(a_.held() + b_.held() + memory_needed());
    grown_.filled.assign(grown_.columns.size(), 0);
    if (options_.eps > 0 && teams_.layers() == 1) grown_.norms.resize(grown_.columns.size());
    const bool aliased =
        c_.values().data() == product_.a.values().data() || c_.values().data() == product_.b.values().data();
    if (!adds_to_old() && teams_.layers() == 1 && !aliased) {
      MatrixParts<Value> old(c_);
      std::swap(grown_.values, old.values);  // its memory serves again
      old.columns.clear();
    }
    renew(grown_.values, elements_);
    if (adds_to_old()) copy_old(c_, survey_.share, product_.beta / product_.alpha, grown_);
    if (!alone) prepare_slots();
  }

  /// Slots lie beside each other in one memory; each panel's parcel goes through that of its slot.
  std::vector<Route> routes() const {
    std::vector<Route> parts;
    for (std::size_t p = 0; p < journey_.parcels.size(); ++p) {
      parts.push_back(in_slot(route_of(journey_, journey_.parcels[p]), static_cast<std::int64_t>(p) % slots_, slots_));
    }
    return parts;
  }
  ExchangeRequest request() const { return {.algorithm = options_.algorithm, .element = 1, .cleared = false}; }

  void prepare_slots() {
    exchanges_ = make_exchanges(layout().comm, routes(), request(), memory_);
    place_arrivals(survey_, journey_, layout(), inner_sizes(), exchanges_);
  }

  Exchange& exchange(std::int64_t panel) const { return *exchanges_[static_cast<std::size_t>(panel)]; }

  StackWork<Value> stack_work(const KernelTable<Value>& kernels, const Kinds& rows, const Kinds& columns,
                              const Kinds& inner) const {
    StackWork<Value> w;
    w.survey = &survey_;
    w.forecast = &forecast_;
    w.kernels = &kernels;
    w.rows = rows;
    w.columns = columns;
    w.inner = inner;
    w.alpha = teams_.layers() > 1 ? Value(1) : product_.alpha;
    w.filter = options_.eps > 0;
    w.norms = !grown_.norms.empty();
    w.threads = options_.threads;
    w.load = load();
    return w;
  }

  double load() const { return options_.communication_load >= 0 ? options_.communication_load : load_.next(); }

  void work() {
    const Kinds rows = kinds_of(pick(layout().row_sizes, survey_.share.rows)),
                columns = kinds_of(pick(layout().column_sizes, survey_.share.columns)), inner = kinds_of(inner_sizes());
    const KernelTable<Value> kernels(rows.sizes, columns.sizes, inner.sizes);
    StackWork<Value> stacks = stack_work(kernels, rows, columns, inner);
    stacks.c = &grown_;
    StackTimes times;
    if (exchanges_.empty()) {
      multiply_panel(stacks, journey_.panels[0], true, times);
    } else {
      run_pipeline(stacks, times);
    }
    report_.seconds_poll = times.poll;
    report_.communication_load = load();
  }

  void run_pipeline(StackWork<Value>& stacks, StackTimes& times) {
    Pipeline pipeline(layout().comm, slots_, overlapping() ? options_.progress : Progress::none);
    int level = MPI_THREAD_FUNNELED;
    MPI_Query_thread(&level);
    stacks.any_thread_may_poll = level >= MPI_THREAD_SERIALIZED;
    if (overlapping() && options_.progress != Progress::thread) stacks.poll = [&] { pipeline.poll(); };
    const auto panels = static_cast<std::int64_t>(journey_.panels.size());
    const Stage fetch{[&](std::int64_t p, int) {
                        pack_parcel(journey_.parcels[static_cast<std::size_t>(p)], exchange(p).source(),
                                    options_.threads);
                      },
                      [&](std::int64_t p, int) {
                        return PostedExchanges{{&exchange(p), Toward::target, Payload::values}};
                      }};
    const Stage multiply{[&](std::int64_t p, int) {
                           const bool last = journey_.axis != Axis::inner || p + 1 == panels;
                           multiply_panel(stacks, journey_.panels[static_cast<std::size_t>(p)], last, times);
                         },
                         [&](std::int64_t p, int) {
                           return PostedExchanges{{&exchange(p), Toward::source, Payload::release}};
                         }};
    const bool asleep = options_.only_exchange == OnlyExchange::asleep;
    pipeline.run(panels, {fetch, multiply},
                 {.skip = options_.only_exchange != OnlyExchange::no,
                  .waiting = asleep ? Waiting::sleeping : Waiting::spinning});
    pipeline.drain();  // others may still work on what this rank sent, where it lies
    const ProgressReport progress = pipeline.report();
    report_.seconds_wait = progress.waited;
    report_.polls = progress.polls;
    report_.moves = progress.moves;
  }

  /// One layer: what has grown becomes C.
  void hand_over() {
    MatrixParts<Value> c(c_);
    c.columns.resize(grown_.columns.size());
    for (std::size_t n = 0; n < grown_.columns.size(); ++n)
      c.columns[n] = survey_.share.columns[static_cast<std::size_t>(grown_.columns[n])];
    c.row_start = std::move(grown_.start);
    c.offset = std::move(grown_.offset);
    c.values = std::move(grown_.values);
    c.norms = std::move(grown_.norms);
  }

  /// What ranks tell each other at the end.
  struct Sum {
    double squared_error, squared_filter, dropped, operations, work, wait;
  };

  void sum_up(double dropped, double inherited) {
    double operations = 0;
    for (const double row : forecast_.row_operations) operations += row;
    const auto joined =
        join_all(layout().comm, std::vector<double>{forecast_.squared_error, forecast_.squared_filter, dropped,
                                                    operations, report_.seconds_work, report_.seconds_wait});
    std::vector<Sum> all;
    for (std::size_t n = 0; n < joined.size(); n += 6)
      all.push_back({joined[n], joined[n + 1], joined[n + 2], joined[n + 3], joined[n + 4], joined[n + 5]});
    bound(all, inherited);
    if (overlaps()) learn(all);
    report_.products = forecast_.products;
    report_.skipped = forecast_.skipped;
    report_.operations = static_cast<std::int64_t>(operations) * (is_complex<Value> ? 4 : 1);
    report_.bytes_received += journey_.bytes_received;
    report_.bytes_sent = journey_.bytes_sent;
    report_.bytes_index = journey_.bytes_index + survey_.bytes_index;
    report_.bytes_whole_panels = journey_.bytes_whole_panels;
    report_.seconds_index = journey_.seconds_index + survey_.seconds_index;
    report_.panels = static_cast<int>(journey_.panels.size());
    report_.layers = teams_.layers();
    report_.kernels = is_complex<Value> ? "blas" : kernel_library();
  }

  void bound(const std::vector<Sum>& all, double inherited) {
    std::vector<double> layers(static_cast<std::size_t>(teams_.layers()), 0.0), filters = layers;
    double dropped = 0;
    for (std::size_t q = 0; q < all.size(); ++q) {
      const auto layer = static_cast<std::size_t>(teams_.layer_of(layout(), static_cast<int>(q)));
      layers[layer] += all[q].squared_error;
      filters[layer] += all[q].squared_filter;
      dropped += all[q].dropped;
    }
    const double alpha = std::abs(product_.alpha);
    double error = std::sqrt(dropped), filter = error;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      error += alpha * std::sqrt(layers[layer]);
      filter += alpha * std::sqrt(filters[layer]);
    }
    report_.error = c_.error = (error + inherited) * (1 + 1e-9);
    report_.filter_error = filter * (1 + 1e-9);
  }

  bool overlapping() const { return options_.progress != Progress::none && options_.window > 1; }
  bool overlaps() const {
    return overlapping() && layout().comm.size() > 1 && options_.only_exchange == OnlyExchange::no;
  }
  /// Not where a limit of memory holds: coarse panels take more.
  bool tries_panels() const {
    return overlapping() && options_.panels == 0 && options_.memory_limit <= 0 && !layout().comm.on_one_node();
  }
  bool tries_loads() const { return options_.threads > 1 && options_.communication_load < 0; }

  void learn(const std::vector<Sum>& all) {
    double operations = 0, slowest = 0, longest_wait = 0;
    for (const Sum& one : all) {
      operations += one.operations;
      slowest = std::max(slowest, one.work);
      longest_wait = std::max(longest_wait, one.wait);
    }
    if (slowest <= 0) return;
    constexpr double much = 0.05;  // of the time of the work
    const double rate = operations / slowest;
    const bool one_at_a_time = !tries_panels() || fineness_.resolved();
    if (tries_loads() && one_at_a_time) load_.learn(rate, longest_wait > much * slowest);
    if (tries_panels()) fineness_.learn(rate);
  }

  const Product<Value>& product_;
  BlockMatrix<Value>& c_;
  const ProductOptions& options_;
  ProductReport& report_;
  CommunicationLoad& load_;
  Fineness& fineness_;
  std::shared_ptr<ExchangeMemory>& memory_;
  Operand<Value> a_, b_;
  Teams teams_;
  Survey<Value> survey_;
  Forecast forecast_;
  Itinerary journey_;
  Growing<Value> grown_;
  LayerMail mail_;
  std::int64_t elements_ = 0;
  int slots_ = 0;
  std::vector<std::unique_ptr<Exchange>> exchanges_;  // one per panel
};

}  // namespace

Multiplier::Multiplier(ProductOptions options) : body_(std::make_unique<Body>()) {
  body_->options = std::move(options);
}
Multiplier::~Multiplier() = default;
Multiplier::Multiplier(Multiplier&&) noexcept = default;
Multiplier& Multiplier::operator=(Multiplier&&) noexcept = default;
Multiplier::Body& Multiplier::body() const {
  require(body_ != nullptr, Fault::bad_argument, "this multiplier was closed or moved from; make another");
  return *body_;
}
ProductOptions& Multiplier::options() { return body().options; }
const ProductReport& Multiplier::report() const { return body().report; }
void Multiplier::close() { body_.reset(); }

template <class Value>
const ProductReport& Multiplier::operator()(const Product<Value>& product, BlockMatrix<Value>& c) {
  body().report = {};
  Job<Value>(product, c, *body_).run();
  return body_->report;
}

template const ProductReport& Multiplier::operator()(const Product<float>&, BlockMatrix<float>&);
template const ProductReport& Multiplier::operator()(const Product<double>&, BlockMatrix<double>&);
template const ProductReport& Multiplier::operator()(const Product<std::complex<float>>&,
                                                     BlockMatrix<std::complex<float>>&);
template const ProductReport& Multiplier::operator()(const Product<std::complex<double>>&,
                                                     BlockMatrix<std::complex<double>>&);

}  // namespace seiche
