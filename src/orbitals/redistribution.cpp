// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/redistribution.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "comm/agree.hpp"
#include "exchange/exchange.hpp"
#include "orbitals/schedule.hpp"
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
  void set_up(const Route& route, std::int64_t count, Algorithm algorithm) {
    const bool fits =
        algorithm == algorithm_ && count <= static_cast<std::int64_t>(exchanges_.size()) && same_route(route, route_);
    if (maximum(comm_, std::int64_t{!fits}) == 0) return;
    exchanges_.clear();
    route_ = route;
    algorithm_ = algorithm;
    std::vector<Route> parts;
    for (std::int64_t slot = 0; slot < count; ++slot) parts.push_back(in_slot(route, slot, count));
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
  const Communicator& comm;
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
    return [this, toward, payload](std::int64_t, int slot) {
      return PostedExchanges{{&exchanges[slot], toward, payload}};
    };
  }
  Stage load(Endpoint& source) const {
    return {[&](std::int64_t round, int slot) {
              source.start(slot, source_parts(round, slot));
              pipeline.poll();
            },
            nullptr};
  }
  Stage send(Endpoint& source) const {
    return {[&](std::int64_t, int slot) { source.finish(slot); }, posts(Toward::target, Payload::values)};
  }
};

/// Sleeps while it waits for files. The threads that read and write need the cores.
constexpr RunOptions patient{.waiting = Waiting::sleeping};

/// Collective. Calls run(course, number of tasks done before it) for all tasks.
template <class Run>
void for_each_course(const Communicator& comm, const std::vector<MoveTask>& tasks, Order order,
                     const MoveOptions& options, const Run& run) {
  std::vector<RankBlocks> rank_blocks;
  Policy policy = options.policy;
  together(comm, [&] {
    for (std::size_t f = 0; f < tasks.size(); ++f) rank_blocks.emplace_back(tasks[f], f, comm.rank());
    require_sound(policy);
  });
  policy.memory = bounds(comm, policy.memory == 0 ? usual_memory : policy.memory).first;
  const auto all = schedule_batches(comm, tasks, rank_blocks, policy, order);
  Slots exchanges(comm);
  std::size_t done = 0;
  for (std::size_t next = 0; next < all.size();) {
    const ScheduledBatch& first = all[next];
    TransferSchedule schedule;
    while (next < all.size() && all[next].like(first) && schedule.takes(comm, all[next].batch, first.pace.limit))
      ++next;
    const auto slots =
        static_cast<int>(std::clamp<std::int64_t>(schedule.rounds() + move_stages - 1, 1, first.pace.slots));
    exchanges.set_up(schedule.route(), slots, first.stays ? Algorithm::local : policy.algorithm);
    Pipeline pipeline(comm, slots, policy.progress);
    run(Course{comm, schedule, exchanges, pipeline}, done);
    done += schedule.tasks();
  }
}

}  // namespace

std::int64_t Holding::waves() const {
  std::int64_t sum = 0;
  for (const Range& run : runs) sum += run.size();
  return sum;
}

void carry(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, Endpoint& target,
           const MoveOptions& options) {
  const Order order = source.k_interleaved() || target.k_interleaved() ? Order::side_by_side : Order::spread;
  for_each_course(comm, tasks, order, options, [&](const Course& course, std::size_t done) {
    const Drained reading{source}, writing{target};
    const auto all_rounds = static_cast<double>(course.schedule.rounds());
    const Stage unload{[&](std::int64_t round, int slot) {
                         target.start(slot, course.target_parts(round, slot));
                         course.pipeline.poll();
                       },
                       nullptr};
    const Stage hand_back{
        [&](std::int64_t round, int slot) {
          target.finish(slot);
          const double part = static_cast<double>(round + 1) / all_rounds;
          const double tasks_done = static_cast<double>(course.schedule.tasks()) * part;
          if (!options.on_progress) return;
          const auto paused = course.pipeline.pause_thread();
          options.on_progress((static_cast<double>(done) + tasks_done) / static_cast<double>(tasks.size()));
        },
        course.posts(Toward::source, Payload::release)};
    course.pipeline.run(course.schedule.rounds(), {course.load(source), course.send(source), unload, hand_back},
                        patient);
  });
}

void deliver(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, const Use& use,
             const MoveOptions& options) {
  for_each_course(comm, tasks, Order::as_given, options, [&](const Course& course, std::size_t done) {
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
  });
}

}  // namespace seiche
