// SPDX-License-Identifier: BSD-3-Clause
/// \file  Constant data of a dense plan, and memory of its bundles.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "fft/dense/device_steps.hpp"
#include "fft/dense/host_steps.hpp"

namespace seiche {

/// Constant data of a plan.
template <class Value>
struct DenseSetup {
  /// Collective.
  DenseSetup(const Communicator& comm, const GridShape& shape, const FftOptions& asked, const DenseKind& kind,
             const std::optional<DenseArrays>& callers = {})
      : plan(comm, shape, asked, kind, callers),
        ends(callers ? ends_of(*callers) : ends_of(plan)),
        steps(make_steps()) {}
  /// Collective. Creates the data for dense arrays of one field, with the distribution of a plan of fields.
  DenseSetup(const DensePlan& of_fields, const DenseEnds& of_arrays)
      : plan(of_fields), ends(of_arrays), steps(make_steps()) {}
  DenseSetup(const DenseSetup&) = delete;
  DenseSetup& operator=(const DenseSetup&) = delete;
  DensePlan plan;
  DenseEnds ends;
  std::unique_ptr<const DenseSteps<Value>> steps;

 private:
  std::unique_ptr<const DenseSteps<Value>> make_steps() const {
    using Steps = std::unique_ptr<const DenseSteps<Value>>;
    return made_together(plan.comm, [&]() -> Steps {
      if (plan.queue.on_host()) return std::make_unique<HostSteps<Value>>(plan, ends);
      return std::make_unique<DeviceSteps<Value>>(plan, ends);
    });
  }
};

/// Memory of a bundle, which is the memory of its exchanges: the source of the first, and the target of the last. Each
/// exchange has a part for each chunk.
template <class Value>
class DenseMemory {
 public:
  using Complex = typename ComplexOf<Value>::type;

  /// Collective.
  explicit DenseMemory(const DensePlan& plan) : queue_(plan.queue) {
    for (const DenseLeg& leg : plan.legs()) {
      exchanges_.push_back(made_together(plan.comm, [&] {
        const ExchangeRequest request = plan.request(*leg.among);
        memory_.push_back(memory_for(*leg.among, leg.parts, request, Fresh::zero));
        return make_exchanges(*leg.among, leg.parts, request, memory_.back());
      }));
    }
    columns_ = reinterpret_cast<Complex*>(last(0)->target(plan.first_source()).data);
  }
  /// Collective.
  ~DenseMemory() { queue_.drain(); }
  DenseMemory(const DenseMemory&) = delete;
  DenseMemory& operator=(const DenseMemory&) = delete;
  /// Collective. Transfers the memory to the other layout, without values.
  void become(bool spectrum) {
    if (std::exchange(is_spectrum, spectrum) == spectrum) return;
    for (const auto& part : exchanges_.back()) {
      part->start(spectrum ? Toward::target : Toward::source, Payload::release);
      part->finish();
    }
  }
  Exchange* first(std::int64_t chunk) const { return exchange(0, chunk); }
  Exchange* last(std::int64_t chunk) const { return exchange(exchanges_.size() - 1, chunk); }
  /// Returns the first element of a chunk. At the target of the last exchange, chunks are not contiguous; it returns
  /// the first element of all.
  Complex* rows(std::int64_t chunk) const { return reinterpret_cast<Complex*>(first(chunk)->source()); }
  Complex* middle_target(std::int64_t chunk) const { return reinterpret_cast<Complex*>(first(chunk)->target(0).data); }
  Complex* middle_source(std::int64_t chunk) const { return reinterpret_cast<Complex*>(last(chunk)->source()); }
  Complex* columns() const { return columns_; }

  bool is_spectrum = false;  ///< whether the memory contains, or is to contain, a spectrum

 private:
  Exchange* exchange(std::size_t e, std::int64_t chunk) const {
    return exchanges_[e][static_cast<std::size_t>(chunk)].get();
  }
  Queue queue_;
  std::vector<ExchangeMemory> memory_;
  std::vector<std::vector<std::unique_ptr<Exchange>>> exchanges_;  // [exchange][chunk]
  Complex* columns_;
};

}  // namespace seiche
