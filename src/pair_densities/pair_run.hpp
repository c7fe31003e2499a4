// SPDX-License-Identifier: BSD-3-Clause
/// \file  All pairs of two sets of orbitals: one run of a pipeline, which may be started and finished later.
#pragma once

#include <algorithm>
#include <vector>

#include "fft/sphere/sphere_run.hpp"
#include "pair_densities/orbital_stream.hpp"
#include "seiche/presence.hpp"

namespace seiche {

/// Feeds the pairs of each orbital of a stream to a run, in the order of the orbitals. The destructor is collective.
/// Without finish(), it completes the messages without work.
template <class Value>
class PairRun {
 public:
  /// Collective. Starts a run whose bands are pairs. `of_orbital`: the pairs of one orbital.
  PairRun(KeptSphere<Value>& pairs, OrbitalStream<Value>& orbitals, const SphereBatch<Value>& of_orbital, Flow flow,
          const GridFunction<Value>& function, ProgressReport& spent)
      : plan_(pairs.plan()),
        orbitals_(orbitals),
        of_orbital_(of_orbital),
        run_(pairs, flow, function, spent, {.open = true}) {}
  ~PairRun() {
    if (!begun_ || finished_ || mpi_state() != MpiState::running) return;
    leave();
    static_cast<void>(fault_of([this] { finish(); }));
  }
  PairRun(const PairRun&) = delete;
  PairRun& operator=(const PairRun&) = delete;

  void fail(const Error& fault) { run_.fail(fault); }
  void leave() { run_.leave(); }  ///< see Pipeline::Run
  /// Collective. Starts the pairs of the first round. \pre the first round of the stream has started
  void begin() {
    begun_ = true;
    if (rounds_left()) await_round();
    run_.begin(next_round());
  }
  /// Local. Makes progress. Returns true if finish() would not wait.
  bool progress() {
    bool there = run_.progress();
    const bool arrived = orbitals_.poll();
    if (rounds_left() && arrived && there) {
      run_.add(next_round());
      there = run_.progress();
    }
    return there && !rounds_left() && arrived;
  }
  /// Collective. Completes all pairs.
  void finish() {
    finished_ = true;
    run_.catch_up([this] { orbitals_.poll(); });
    while (rounds_left()) {
      await_round();
      for (const SphereBatch<Value>& batch : next_round()) feed(batch.bands);
    }
    if (orbitals_.fault()) run_.fail(*orbitals_.fault());
    run_.finish();
  }

 private:
  bool rounds_left() const { return round_ * orbitals_.groups() < orbitals_.count(); }
  void await_round() {
    orbitals_.wait([this] { run_.poll(); });
  }
  /// Returns the pairs of the next round, one batch for each orbital, and starts to pass on the round after it. \pre
  /// the next round has arrived, and the pairs before it have entered the pipeline
  std::vector<SphereBatch<Value>> next_round() {
    const std::int64_t groups = orbitals_.groups(), left = orbitals_.count() - round_ * groups;
    if (left > 0) orbitals_.start(++round_);
    return std::vector<SphereBatch<Value>>(static_cast<std::size_t>(std::clamp<std::int64_t>(left, 0, groups)),
                                           of_orbital_);
  }
  /// Adds the pairs of one orbital, one bundle at a time.
  void feed(std::int64_t pairs) {
    SphereBatch<Value> some = of_orbital_;
    for (std::int64_t first = 0; first < pairs; first += some.bands) {
      some.bands = std::min(plan_.band_groups.bands_of_bundle(), pairs - first);
      run_.feed(some);
      orbitals_.poll();
    }
  }

  const SpherePlan& plan_;
  OrbitalStream<Value>& orbitals_;
  SphereBatch<Value> of_orbital_;
  std::int64_t round_ = 0;  // number of the next round
  bool begun_ = false, finished_ = false;
  SphereRun<Value> run_;  // last member, because it uses the others
};

}  // namespace seiche
