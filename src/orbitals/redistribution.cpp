// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/redistribution.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "comm/equal_arguments.hpp"
#include "exchange/exchange_interface.hpp"
#include "interface/wavefile_members.hpp"
#include "orbitals/move_schedule.hpp"
#include "pipeline/pipeline.hpp"
#include "tuning/policy.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

bool same_route(const Route& a, const Route& b) {
  const auto same_patch = [](const Patch& p, const Patch& q) {
    return p.offset == q.offset && p.count == q.count && p.stride == q.stride;
  };
  const auto same_end = [&](const std::vector<Patch>& p, const std::vector<Patch>& q) {
    return std::equal(p.begin(), p.end(), q.begin(), q.end(), same_patch);
  };
  return a.source_size == b.source_size && a.target_size == b.target_size && same_end(a.source, b.source) &&
         same_end(a.target, b.target);
}

/// Exchanges of the slots of a schedule, which share one memory. The next schedule reuses them if its route and
/// algorithm are the same on all ranks. Creating exchanges takes as long as many rounds.
class Slots {
 public:
  explicit Slots(const Communicator& comm) : comm_(comm) {}

  /// Collective.
  void set_up(const TransferSchedule& schedule, std::int64_t count, Algorithm algorithm) {
    Route route;
    std::vector<Route> parts;
    bool fits = false;
    const auto fault = fault_of([&] {
      route = schedule.route();
      fits =
          algorithm == algorithm_ && count <= static_cast<std::int64_t>(exchanges_.size()) && same_route(route, route_);
      for (std::int64_t slot = 0; slot < count; ++slot) parts.push_back(in_slot(route, slot, count));
    });
    if (bounds<1>(comm_, {std::int64_t{!fits}}, fault)[0].second == 0) return;
    exchanges_.clear();
    route_ = std::move(route);
    algorithm_ = algorithm;
    const ExchangeRequest request{.algorithm = algorithm, .element = sizeof(Complex)};
    memory_ = memory_for(comm_, parts, request, Fresh::raw, memory_);
    exchanges_ = make_exchanges(comm_, parts, request, memory_);
  }
  Exchange& operator[](int slot) const { return *exchanges_[static_cast<std::size_t>(slot)]; }

 private:
  const Communicator& comm_;
  Algorithm algorithm_ = Algorithm::automatic;
  Route route_;
  ExchangeMemory memory_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
};

/// Drains an endpoint in the destructor, also after an error. The memory of its background work can then be released.
struct Drained {
  Endpoint& endpoint;
  ~Drained() { endpoint.drain(); }
};

/// Tasks that are moved one after another over one route, with its exchanges.
struct Course {
  const TransferSchedule& schedule;
  const Slots& exchanges;
  Pipeline& pipeline;

  std::vector<BlockPart> source_parts(std::int64_t round, int slot) const {
    return schedule.source_parts(exchanges[slot].source(), round);
  }
  std::vector<BlockPart> target_parts(std::int64_t round, int slot) const {
    return schedule.target_parts(exchanges[slot], round);
  }
  /// Returns the function that posts the exchange of a stage.
  auto posts(Toward toward, Payload payload) const {
    return [&slots = exchanges, toward, payload](std::int64_t, int slot) {
      return PostedExchanges{{&slots[slot], toward, payload}};
    };
  }
  Stage load(Endpoint& source) const {
    return {[course = *this, &source](std::int64_t round, int slot) {
              source.start(slot, course.source_parts(round, slot));
              course.pipeline.poll();
            },
            nullptr};
  }
  Stage send(Endpoint& source) const {
    return {[&source](std::int64_t, int slot) { source.finish(slot); }, posts(Toward::target, Payload::values),
            [&source](int slot) { return source.ready(slot); }};
  }
};

/// Sleeps while it waits for files. The threads that read and write need the cores.
constexpr RunOptions patient{.waiting = Waiting::sleeping};

/// The courses of all tasks, one after another.
class Courses {
 public:
  /// Collective. The arguments must outlive it.
  Courses(const Communicator& comm, const std::vector<MoveTask>& tasks, const MoveRequest& request,
          const MoveOptions& options)
      : comm_(comm), policy_(options.policy), exchanges_(comm) {
    together(comm, "move of bands", [&](EqualArguments& same) {
      same.add_options(options);
      for (std::size_t f = 0; f < tasks.size(); ++f) rank_blocks_.emplace_back(tasks[f], f, comm.rank());
      require_sound(policy_);
    });
    policy_.memory = bounds(comm, policy_.memory == 0 ? usual_memory : policy_.memory).first;
    batches_ = schedule_batches(comm, tasks, rank_blocks_, policy_, request);
  }
  Courses(const Courses&) = delete;
  Courses& operator=(const Courses&) = delete;

  /// Collective. Sets up the next course. Returns false if there is none.
  bool next() {
    pipeline_.reset();
    done_ += schedule_.tasks();
    schedule_ = {};
    if (next_ == batches_.size()) return false;
    const ScheduledBatch& first = batches_[next_];
    while (next_ < batches_.size() && batches_[next_].like(first) &&
           schedule_.takes(comm_, batches_[next_].batch, first.pace.limit))
      ++next_;
    const auto slots =
        static_cast<int>(std::clamp<std::int64_t>(schedule_.rounds() + move_stages - 1, 1, first.pace.slots));
    exchanges_.set_up(schedule_, slots, first.stays ? Algorithm::local : policy_.algorithm);
    pipeline_.emplace(comm_, slots, policy_.progress);
    return true;
  }
  Course course() { return {schedule_, exchanges_, *pipeline_}; }
  std::size_t done() const { return done_; }  ///< number of tasks of the courses before this one

 private:
  const Communicator& comm_;
  Policy policy_;
  std::vector<RankBlocks> rank_blocks_;
  std::vector<ScheduledBatch> batches_;
  Slots exchanges_;
  TransferSchedule schedule_;
  std::optional<Pipeline> pipeline_;
  std::size_t next_ = 0, done_ = 0;
};

}  // namespace

std::int64_t Holding::waves() const {
  std::int64_t sum = 0;
  for (const Range& run : runs) sum += run.size();
  return sum;
}

struct Carrier::Body {
  Body(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source_, Endpoint& target_,
       const MoveOptions& options_)
      : source(source_),
        target(target_),
        options(options_),
        count(tasks.size()),
        courses(comm, tasks,
                {source.k_interleaved() || target.k_interleaved() ? Order::side_by_side : Order::spread,
                 std::max(source.bytes_of_round(), target.bytes_of_round())},
                options_) {}
  ~Body() {
    run.reset();
    source.drain();
    target.drain();
  }

  /// Collective. Begins the next course, if there is one.
  void begin(bool waits = false) {
    run.reset();
    if (!courses.next()) return;
    const Course course = courses.course();
    stages = {course.load(source), course.send(source), unload(course), hand_back(course)};
    run.emplace(course.pipeline.start(stages, patient));
    run->begin(course.schedule.rounds(), waits);
  }
  Stage unload(const Course& course) {
    return {[this, course](std::int64_t round, int slot) {
              target.start(slot, course.target_parts(round, slot));
              course.pipeline.poll();
            },
            nullptr};
  }
  Stage hand_back(const Course& course) {
    const auto tell = [this, course](std::int64_t round) {
      if (!options.on_progress) return;
      const double part = static_cast<double>(round + 1) / static_cast<double>(course.schedule.rounds());
      const double tasks_done = static_cast<double>(course.schedule.tasks()) * part;
      const auto paused = course.pipeline.pause_thread();
      options.on_progress((static_cast<double>(courses.done()) + tasks_done) / static_cast<double>(count));
    };
    return {[this, tell](std::int64_t round, int slot) {
              target.finish(slot);
              tell(round);
            },
            course.posts(Toward::source, Payload::release), [this](int slot) { return target.ready(slot); }};
  }

  Endpoint &source, &target;
  const MoveOptions& options;
  std::size_t count;  // of tasks
  Courses courses;
  std::vector<Stage> stages;
  std::optional<Pipeline::Run> run;
};

Carrier::Carrier(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, Endpoint& target,
                 const MoveOptions& options)
    : body_(std::make_unique<Body>(comm, tasks, source, target, options)) {}
Carrier::~Carrier() = default;
void Carrier::begin(bool waits) { body_->begin(waits); }
bool Carrier::progress() { return !body_->run || body_->run->progress(); }
void Carrier::complete() {
  while (body_->run) {
    body_->run->finish();
    body_->begin();
  }
}

void carry(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, Endpoint& target,
           const MoveOptions& options) {
  Carrier carrier(comm, tasks, source, target, options);
  carrier.begin();
  carrier.complete();
}

void deliver(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, const Use& use,
             const MoveOptions& options) {
  Courses courses(comm, tasks, {Order::as_given, source.bytes_of_round()}, options);
  while (courses.next()) {
    const Course course = courses.course();
    std::size_t done = courses.done();
    const Drained reading{source};
    std::vector<std::pair<std::int64_t, int>> arrived;  // rounds that are not used yet, with their slots
    const Stage arrive{nullptr, [&](std::int64_t round, int slot) {
                         arrived.emplace_back(round, slot);
                         return PostedExchanges{};
                       }};
    const Stage hand_back{nullptr, course.posts(Toward::source, Payload::release)};
    const std::vector<Stage> stages{course.load(source), course.send(source), arrive, hand_back};
    Pipeline::Run run = course.pipeline.start(stages, patient);
    /// Calls a function unless it has thrown before.
    const auto call = [&run](bool& sound, const auto& function) {
      if (!sound) return;
      const auto fault = fault_of(function);
      if (fault) run.fail(*fault);
      sound = !fault;
    };
    bool used = true, told = options.on_progress != nullptr;
    const auto use_arrived = [&] {
      for (const auto& [round, slot] : std::exchange(arrived, {})) {
        const std::vector<std::size_t> some = course.schedule.tasks_in(round);
        call(used, [&, round = round, slot = slot] { use(some, course.target_parts(round, slot)); });
        done += some.size();
        call(told, [&] { options.on_progress(static_cast<double>(done) / static_cast<double>(tasks.size())); });
      }
    };
    for (std::int64_t round = 0; round < course.schedule.rounds(); ++round) {
      run.feed(1);
      use_arrived();
    }
    while (run.advance()) use_arrived();
    run.finish();
  }
}

}  // namespace seiche
