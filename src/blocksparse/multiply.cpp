// SPDX-License-Identifier: BSD-3-Clause
/// \file  The product, from operands to C: survey, forecast, journey, work.
#include "blocksparse/kernels.hpp"
#include "blocksparse/layers.hpp"
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
  double load = -1;                               // of thread 0, measured; below 0: not yet
  std::vector<std::shared_ptr<EndMemory>> slots;  // memory of panels on their way
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
        slots_(body.slots),
        a_(product.a, product.op_a, c.layout(), true),
        b_(product.b, product.op_b, c.layout(), false) {
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
      report_.bytes_received += add_layers(grown_, survey_.share, teams_, product_.alpha, product_.beta, c_, c_);
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
    journey_ = plan_journey(survey_, *a_, *b_, layout(), options_.panels);
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

  /// C's structure: what products make, and what is there already.
  void structure() {
    const Share& share = survey_.share;
    grown_.start.assign(1, 0);
    std::int64_t end = 0;
    for (std::size_t r = 0; r < share.rows.size(); ++r) {
      const auto first = forecast_.columns.begin() + forecast_.start[r],
                 last = forecast_.columns.begin() + forecast_.start[r + 1];
      if (adds_to_old()) {
        std::vector<std::int32_t> old;
        for (std::int64_t n = c_.row_start()[r]; n < c_.row_start()[r + 1]; ++n) {
          old.push_back(share.column_at[static_cast<std::size_t>(c_.columns()[static_cast<std::size_t>(n)])]);
        }
        std::set_union(first, last, old.begin(), old.end(), std::back_inserter(grown_.columns));
      } else {
        grown_.columns.insert(grown_.columns.end(), first, last);
      }
      const std::int64_t row_size = layout().row_sizes[static_cast<std::size_t>(share.rows[r])];
      for (auto n = static_cast<std::size_t>(grown_.start.back()); n < grown_.columns.size(); ++n) {
        grown_.offset.push_back(end);
        end +=
            row_size *
            layout().column_sizes[static_cast<std::size_t>(share.columns[static_cast<std::size_t>(grown_.columns[n])])];
      }
      grown_.start.push_back(static_cast<std::int64_t>(grown_.columns.size()));
    }
    elements_ = end;
  }

  /// Everything that takes memory comes after the forecast of how much.
  void allocate() {
    structure();
    const bool alone = layout().comm.size() == 1;
    const int slots = alone ? 0 : std::min<int>(options_.window, static_cast<int>(journey_.panels.size()) + 1);
    const auto index = static_cast<std::int64_t>(survey_.a.index.size() + survey_.b.index.size()) * 25 +
                       static_cast<std::int64_t>(grown_.columns.size()) * 21;
    const std::int64_t c_bytes = elements_ * static_cast<std::int64_t>(sizeof(Value));
    report_.memory =
        c_bytes * (teams_.layers() > 1 ? 4 : 1) + index + slots * (journey_.largest_send + journey_.largest_receive);
    if (options_.memory_needed) options_.memory_needed(report_.memory);
    together(layout().comm, [&] {
      require(options_.memory_limit <= 0 || report_.memory <= options_.memory_limit, Fault::bad_argument,
              "a product needs {} bytes on process {}, more than the limit of {}; use more processes, a larger eps or "
              "a higher limit",
              report_.memory, layout().comm.rank(), options_.memory_limit);
    });
    grown_.filled.assign(grown_.columns.size(), 0);
    if (options_.eps > 0 && teams_.layers() == 1) grown_.norms.resize(grown_.columns.size());
    const bool aliased =
        c_.values().data() == product_.a.values().data() || c_.values().data() == product_.b.values().data();
    if (!adds_to_old() && teams_.layers() == 1 && !aliased) {
      MatrixParts<Value> old(c_);
      std::swap(grown_.values, old.values);  // its memory serves again
      grown_.values.clear();
      old.columns.clear();
    }
    grown_.values.resize(static_cast<std::size_t>(elements_));
    if (adds_to_old()) copy_old();
    if (!alone) prepare_slots(slots);
  }

  void prepare_slots(int slots) {
    slots_.resize(static_cast<std::size_t>(slots));
    std::vector<std::byte*> arrivals;
    for (auto& slot : slots_) {
      if (!slot) slot = std::make_shared<EndMemory>();
      const auto room = [](Bytes& bytes, std::int64_t needed) {
        if (static_cast<std::int64_t>(bytes.size()) < needed) bytes.resize(static_cast<std::size_t>(needed));
      };
      room(slot->near, journey_.largest_send);
      room(slot->far, journey_.largest_receive);
      arrivals.push_back(slot->far.data());
    }
    for (std::size_t p = 0; p < journey_.parcels.size(); ++p) {
      exchanges_.push_back(
          make_pairwise_exchange(layout().comm, route_of(journey_.parcels[p]), Form{1}, slots_[p % slots_.size()]));
    }
    place_arrivals(survey_, journey_, layout(), inner_sizes(), arrivals);
  }

  /// Old blocks of C, so scaled that alpha makes beta of it.
  void copy_old() {
    const Value factor = product_.beta / product_.alpha;
    for (std::size_t r = 0; r < survey_.share.rows.size(); ++r) {
      std::int64_t target = grown_.start[r];
      for (std::int64_t n = c_.row_start()[r]; n < c_.row_start()[r + 1]; ++n) {
        const std::int32_t column =
            survey_.share.column_at[static_cast<std::size_t>(c_.columns()[static_cast<std::size_t>(n)])];
        while (grown_.columns[static_cast<std::size_t>(target)] != column) ++target;
        const Value* from = c_.values().data() + c_.offset()[static_cast<std::size_t>(n)];
        Value* const to = grown_.values.data() + grown_.offset[static_cast<std::size_t>(target)];
        for (std::int64_t k = 0; k < block_size(c_, r, n); ++k) to[k] = factor * from[k];
        grown_.filled[static_cast<std::size_t>(target)] = 1;
      }
    }
  }

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

  double load() const {
    if (options_.communication_load >= 0) return options_.communication_load;
    return load_ < 0 ? 1.0 : load_;
  }

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
    learn(times);
  }

  void run_pipeline(StackWork<Value>& stacks, StackTimes& times) {
    Pipeline pipeline(static_cast<int>(slots_.size()),
                      options_.poll && options_.window > 1 ? Progress::poll : Progress::none);
    int level = MPI_THREAD_FUNNELED;
    MPI_Query_thread(&level);
    stacks.any_thread_may_tick = level >= MPI_THREAD_SERIALIZED;
    if (options_.poll && options_.window > 1) stacks.tick = [&] { pipeline.tick(); };
    const auto panels = static_cast<std::int64_t>(journey_.panels.size());
    std::int64_t leaving = 0;  // the panel that departs next
    const Stage fetch{
        [&](std::int64_t p, int slot) {
          pack_parcel(journey_.parcels[static_cast<std::size_t>(p)],
                      slots_[static_cast<std::size_t>(slot)]->near.data(), options_.threads);
        },
        [&](int) {
          return Departures{{exchanges_[static_cast<std::size_t>(leaving++)].get(), Toward::far, Cargo::values}};
        }};
    const Stage multiply{[&](std::int64_t p, int) {
                           const bool last = journey_.axis != Axis::inner || p + 1 == panels;
                           multiply_panel(stacks, journey_.panels[static_cast<std::size_t>(p)], last, times);
                         },
                         [](int) { return Departures{}; }};
    const auto work = options_.only_exchange == OnlyExchange::no      ? Pipeline::Work::all
                      : options_.only_exchange == OnlyExchange::awake ? Pipeline::Work::skip
                                                                      : Pipeline::Work::asleep;
    agree(layout().comm, pipeline.run(panels, {fetch, multiply}, work));
    const ProgressReport progress = pipeline.report();
    report_.seconds_wait = progress.waited;
    report_.polls = progress.polls;
    report_.moves = progress.moves;
  }

  /// Thread 0's share for the next product: what it managed beside polling, less while the others' work still waited.
  void learn(const StackTimes& times) {
    report_.seconds_poll = times.poll;
    report_.communication_load = load();
    if (options_.threads < 2 || exchanges_.empty() || times.operations <= 0) return;
    const double others = (times.operations - times.operations_first) / (options_.threads - 1);
    const double managed = others > 0 ? times.operations_first / others : 1;
    constexpr double much_waiting = 0.05, less = 0.8;  // of the time of the work
    const bool waited = report_.seconds_wait > much_waiting * report_.seconds_work;
    load_ = std::clamp(0.5 * load() + 0.5 * std::min(1.0, managed), 0.0, 1.0) * (waited ? less : 1.0);
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

  void sum_up(double dropped, double inherited) {
    const auto all =
        join_all(layout().comm, std::vector<double>{forecast_.squared_error, forecast_.squared_filter, dropped});
    std::vector<double> layers(static_cast<std::size_t>(teams_.layers()), 0.0), filters = layers;
    double all_dropped = 0;
    for (std::size_t q = 0; q < all.size() / 3; ++q) {
      const auto layer = static_cast<std::size_t>(teams_.layer_of(layout(), static_cast<int>(q)));
      layers[layer] += all[3 * q];
      filters[layer] += all[3 * q + 1];
      all_dropped += all[3 * q + 2];
    }
    const double alpha = std::abs(product_.alpha);
    double error = std::sqrt(all_dropped), filter = error;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      error += alpha * std::sqrt(layers[layer]);
      filter += alpha * std::sqrt(filters[layer]);
    }
    error += inherited;
    report_.error = c_.error = error * (1 + 1e-9);
    report_.filter_error = filter * (1 + 1e-9);
    report_.products = forecast_.products;
    report_.skipped = forecast_.skipped;
    double operations = 0;
    for (const double row : forecast_.row_operations) operations += row;
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

  const Product<Value>& product_;
  BlockMatrix<Value>& c_;
  const ProductOptions& options_;
  ProductReport& report_;
  double& load_;
  std::vector<std::shared_ptr<EndMemory>>& slots_;
  Operand<Value> a_, b_;
  Teams teams_;
  Survey<Value> survey_;
  Forecast forecast_;
  Itinerary journey_;
  Growing<Value> grown_;
  std::int64_t elements_ = 0;
  std::vector<std::unique_ptr<Exchange>> exchanges_;  // one per panel
};

}  // namespace

Multiplier::Multiplier(ProductOptions options) : body_(std::make_unique<Body>()) {
  body_->options = std::move(options);
}
Multiplier::~Multiplier() = default;
Multiplier::Multiplier(Multiplier&&) noexcept = default;
Multiplier& Multiplier::operator=(Multiplier&&) noexcept = default;
ProductOptions& Multiplier::options() { return body_->options; }
const ProductReport& Multiplier::report() const { return body_->report; }

template <class Value>
const ProductReport& Multiplier::operator()(const Product<Value>& product, BlockMatrix<Value>& c) {
  body_->report = {};
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
