// SPDX-License-Identifier: BSD-3-Clause
#include "seiche/boxes.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "boxes/box_traffic.hpp"
#include "boxes/box_work.hpp"
#include "boxes/boxes_of_ranks.hpp"
#include "comm/equal_arguments.hpp"
#include "interface/boxes_members.hpp"
#include "interface/fft_members.hpp"
#include "layout/extent.hpp"
#include "layout/sound_shape.hpp"
#include "pipeline/arrival_skew.hpp"
#include "pipeline/call_pool.hpp"
#include "pipeline/started_call.hpp"
#include "space/kernel_array.hpp"
#include "support/require.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuning_entries.hpp"

namespace seiche {

namespace {

/// Checks that sizes of a box do not overflow.
void require_sound(const Box& box, const GridShape& shape) {
  if (box.empty()) return;
  constexpr double most_points = 0x1p53, most_periods = 0x1p20;
  const std::array<std::int64_t, 3> n{shape.nx, shape.ny, shape.nz};
  double points = 1, periods = 1;
  bool sound = true;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto low = static_cast<double>(box.axis[a].low), high = static_cast<double>(box.axis[a].high);
    sound = sound && low >= -most_points && high <= most_points;
    points *= high - low;
    periods *= 1 + (high - low) / static_cast<double>(n[a]);
  }
  require(sound && points <= most_points && periods <= most_periods, Fault::bad_argument,
          "boxes: a box is too large, or too far from the grid ({} points, {} periods of the grid): pass smaller boxes",
          points, periods);
}

void require_sound(std::span<const FieldArray> arrays, const GridShape& shape) {
  for (const FieldArray& array : arrays) {
    require_sound(array.box, shape);
    const std::int64_t least = std::min({array.stride[0], array.stride[1], array.stride[2]});
    require(
        array.box.empty() || (least > 0 && array.field_stride >= 0 && array.offset >= 0), Fault::bad_argument,
        "boxes: strides must be positive and offsets not negative (got {} and {}): use for example interleaved() or "
        "consecutive()",
        std::min(least, array.field_stride), array.offset);
  }
}

}  // namespace

struct BoxExchange::Body {
  static Body& of(const BoxExchange& exchange) { return exchange.body(); }

  Communicator comm;
  Policy asked;   // policy of the caller; on a device with a known algorithm
  Policy latest;  // policy of the last call
  std::vector<FieldArray> source, target;
  BoxPieces pieces;
  Queue queue;
  BoxTraffic traffic{};                                      // maximum over ranks
  std::map<std::pair<std::size_t, int>, Policy> policies{};  // by bytes of a value and decade of the number of fields
  CallPool<BoxWork> works{};
  ProgressReport spent{};
  std::string_view messages = "none";  // see BoxReport
  std::string tuning = "none";         // see BoxReport

  /// Checks the arrays of a call. \throws Error if they are too short or overlap
  void require_arrays(const BoxCall& call) const {
    require(call.fields >= 0, Fault::bad_argument, "boxes: the number of fields must not be negative (got {})",
            call.fields);
    const std::size_t from = extent(source, call.fields), into = extent(target, call.fields);
    const std::size_t from_given = call.source.size() / call.element, into_given = call.target.size() / call.element;
    require(from_given >= from && into_given >= into, Fault::bad_argument,
            "boxes: arrays are too short: {} fields need {} source and {} target values (got {} and {})", call.fields,
            from, into, from_given, into_given);
    const std::byte *from_end = call.source.data() + call.source.size(),
                    *into_end = call.target.data() + call.target.size();
    require(from_end <= call.target.data() || into_end <= call.source.data(), Fault::bad_argument,
            "boxes: the source and target arrays overlap: pass separate arrays");
  }

  /// Returns the sizes of the buffers. Items of at most one megabyte stay in the cache between packing and unpacking.
  /// This limit is the same on all machines, because the order of sums depends on it.
  BoxSizes sizes(std::int64_t fields, std::size_t element, const Policy& policy) const {
    constexpr std::int64_t good_item = 1 << 20, usual_memory = 64 << 20;
    const auto quotient = [](std::int64_t n, std::int64_t size) { return (n + size - 1) / size; };
    const std::int64_t field = std::max<std::int64_t>(traffic.elements, 1) * static_cast<std::int64_t>(element);
    const std::int64_t memory = policy.memory > 0 ? policy.memory : usual_memory;
    const std::int64_t good = std::min(good_item, memory), all = std::max<std::int64_t>(fields, 1);
    const std::int64_t parts = std::min<std::int64_t>(
        {quotient(field, good), std::max<std::int64_t>(traffic.elements, 1), std::numeric_limits<int>::max()});
    const std::int64_t groups = quotient(all, std::clamp<std::int64_t>(good / field, 1, all));
    const std::int64_t group = quotient(all, groups), items = groups * parts;
    const std::int64_t window = policy.window > 0 ? policy.window : usual_window;
    const std::int64_t fit = std::max<std::int64_t>(memory / quotient(group * field, parts), 1);
    return {element, group, static_cast<int>(parts), static_cast<int>(std::min({items + 1, window, fit}))};
  }

  /// Collective. Returns the policy of a call. An automatic one is completed from the tuning file.
  const Policy& policy_of(std::int64_t fields, std::size_t element) {
    if (asked.algorithm != Algorithm::automatic) return asked;
    const std::pair kind{element, decade(fields)};
    const auto known = policies.find(kind);
    if (known != policies.end()) return known->second;
    Advice advice = tuning_of(comm, tuned_case(comm, in_words(traffic, fields, element), 1));
    Policy policy = advised(comm, asked, advice, [this](const Settings& settings) {
      const Policy merged = with(asked, settings);
      require_sound(merged);
      return merged;
    });
    policy.algorithm = resolved_algorithm(comm, policy.algorithm);
    tuning = advice.use;
    return policies.emplace(kind, policy).first->second;
  }

  /// Collective. Returns data for a call. Data of calls of other sizes are freed.
  std::shared_ptr<BoxWork> take(std::int64_t fields, std::size_t element) {
    latest = policy_of(fields, element);
    const BoxSizes wanted = sizes(fields, element, latest);
    works.keep([&](const BoxWork& work) { return work.sizes() == wanted && work.policy() == latest; });
    auto work = works.take([&] { return std::make_unique<BoxWork>(comm, pieces, latest, wanted, queue); });
    messages = work->messages();
    return work;
  }
};

namespace {

class BoxStarted final : public StartedCall {
 public:
  explicit BoxStarted(std::shared_ptr<BoxExchange::Body> body) : body_(std::move(body)) {}
  /// Collective.
  void begin(BoxCall call) {
    start([&] {
      together(body_->comm, call.adds ? "add_back" : "copy", [&](EqualArguments& same) {
        body_->require_arrays(call);
        source_.emplace(body_->queue, call.source);
        target_.emplace(body_->queue, call.target);
        same.add("fields", call.fields).add("bytes of a value", call.element).add("single precision", call.single);
      });
      if (body_->queue.on_host()) watch(body_->comm, call.adds ? call.target : call.source);
      adds_ = call.adds;
      work_ = body_->take(call.fields, call.element);
      call.source = {source_->data(), call.source.size()};
      call.target = {target_->data(), call.target.size()};
      run_.emplace(work_->begin(call, body_->spent));
    });
  }

 private:
  bool advance() override { return run_->progress(); }
  void complete() override {
    run_->finish();
    adds_ ? source_->take_back() : target_->take_back();
  }

  std::shared_ptr<BoxExchange::Body> body_;
  bool adds_ = false;
  std::optional<KernelArray<std::byte>> source_, target_;
  std::shared_ptr<BoxWork> work_;
  std::optional<Pipeline::Run> run_;  // last member, because it uses the others
};

Pending start(const std::shared_ptr<BoxExchange::Body>& body, const BoxCall& call) {
  return started<BoxStarted>(
      body->comm, [&](BoxStarted& made) { made.begin(call); }, body);
}

}  // namespace

std::string work_of(const BoxExchange& exchange, std::int64_t fields, std::size_t element) {
  return in_words(BoxExchange::Body::of(exchange).traffic, fields, element);
}

void run_agreed(const BoxExchange& exchange, const BoxCall& call) {
  BoxExchange::Body& body = BoxExchange::Body::of(exchange);
  body.take(call.fields, call.element)->begin(call, body.spent).finish();
}

BoxExchange::BoxExchange(const Communicator& comm, GridShape shape, std::span<const FieldArray> source,
                         std::span<const FieldArray> target, const BoxOptions& options) {
  Queue queue;
  together(comm, "box_exchange", [&](EqualArguments& same) {
    require_sound(shape);
    require_sound(options.policy);
    require_sound(source, shape);
    require_sound(target, shape);
    queue = Queue(options.space, options.stream);
    same.add("shape", shape).add_options(options);
  });
  const auto source_lists = boxes_of_ranks(comm, source), targets = boxes_of_ranks(comm, target);
  const SourceBoxes sources = made_together(comm, [&] {
    SourceBoxes all(source_lists);
    require_sound_sources(shape, comm.rank(), all);
    return all;
  });
  body_ = made_together(comm, [&] {
    require_covered(shape, targets[static_cast<std::size_t>(comm.rank())], sources);
    return std::make_shared<Body>(Body{.comm = comm,
                                       .asked = options.policy,
                                       .latest = options.policy,
                                       .source = {source.begin(), source.end()},
                                       .target = {target.begin(), target.end()},
                                       .pieces = pieces_of(shape, comm.rank(), sources, targets, source, target),
                                       .queue = std::move(queue)});
  });
  const ExchangeRequest request =
      in_space({.algorithm = resolved_algorithm(comm, options.policy.algorithm), .queue = body_->queue}, comm);
  body_->latest.algorithm = request.algorithm;
  body_->messages = place_of_messages(comm, request);
  if (!body_->queue.on_host()) body_->asked = body_->latest;  // the tuning file has settings of the host
  body_->traffic = largest(comm, traffic_of(body_->pieces));
}
BoxExchange::~BoxExchange() = default;
BoxExchange::BoxExchange(BoxExchange&&) noexcept = default;
BoxExchange& BoxExchange::operator=(BoxExchange&&) noexcept = default;

BoxExchange::Body& BoxExchange::body() const {
  require(body_ != nullptr, Fault::bad_argument, "boxes: this exchange is closed or moved from: create another");
  return *body_;
}
void BoxExchange::close() { body_.reset(); }

template <class T>
Pending BoxExchange::start_copy(std::span<const T> source, std::span<T> target, std::int64_t fields) {
  body();
  return start(body_, box_call<T>(source, target, fields, false));
}
template <class T>
void BoxExchange::copy(std::span<const T> source, std::span<T> target, std::int64_t fields) {
  start_copy(source, target, fields).finish();
}
template <class T>
Pending BoxExchange::start_add_back(std::span<const T> target, std::span<T> source, std::int64_t fields) {
  body();
  return start(body_, box_call<T>(source, target, fields, true));
}
template <class T>
void BoxExchange::add_back(std::span<const T> target, std::span<T> source, std::int64_t fields) {
  start_add_back(target, source, fields).finish();
}

BoxReport BoxExchange::report() const {
  const Body& b = body();
  std::size_t memory = 0;
  for (const auto& work : b.works.all()) memory += work->bytes();
  return {std::string(name_of(b.latest.algorithm)),
          sum_of(b.pieces.source),
          sum_of(b.pieces.target),
          b.pieces.own_source.elements,
          static_cast<std::int64_t>(memory),
          std::string(b.messages),
          b.tuning};
}
ProgressReport BoxExchange::progress() const {
  ProgressReport report = body().spent;
  report.skew = kept_on<ArrivalSkew>(body().comm).skew();
  return report;
}

#define SEICHE_VALUES_IN_BOXES(T)                                                           \
  template void BoxExchange::copy(std::span<const T>, std::span<T>, std::int64_t);          \
  template void BoxExchange::add_back(std::span<const T>, std::span<T>, std::int64_t);      \
  template Pending BoxExchange::start_copy(std::span<const T>, std::span<T>, std::int64_t); \
  template Pending BoxExchange::start_add_back(std::span<const T>, std::span<T>, std::int64_t);
SEICHE_VALUES_IN_BOXES(float)
SEICHE_VALUES_IN_BOXES(double)
SEICHE_VALUES_IN_BOXES(std::complex<float>)
SEICHE_VALUES_IN_BOXES(std::complex<double>)

}  // namespace seiche
