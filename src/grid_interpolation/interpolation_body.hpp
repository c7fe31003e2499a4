// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of GridInterpolation objects, and their started calls.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "fft/dense/dense_body.hpp"
#include "grid_interpolation/interpolation_work.hpp"
#include "pipeline/call_pool.hpp"
#include "pipeline/started_call.hpp"
#include "seiche/grid_interpolation.hpp"

namespace seiche {

/// Data that interpolations with the same arguments share.
template <class Value>
class KeptInterpolation : public CachedPlan {
 public:
  /// Collective.
  KeptInterpolation(const Communicator& comm, const std::array<GridShape, 2>& shapes, std::int64_t fields,
                    const FftOptions& options)
      : grids(std::make_shared<InterpolatedGrids<Value>>(comm, shapes, fields, options, kind_of<Value>())),
        memory_(fields * (grids->from.plan.report().memory + grids->to.plan.report().memory)) {}

  PlanCost cost() const override {
    const DensePlan& plan = grids->from.plan;
    const std::size_t lists = 2 * 4 * plan.layouts.rows.size() * sizeof(Box);
    return {static_cast<std::int64_t>(lists), memory_, 2 * grids->fields * (plan.pencil ? 2 : 1)};
  }
  void close() override {
    open = false;
    calls_.close();
  }
  /// Collective. Returns working data for a call.
  std::shared_ptr<InterpolationWork<Value>> take() {
    return calls_.take([this] { return std::make_unique<InterpolationWork<Value>>(grids); });
  }

  std::shared_ptr<const InterpolatedGrids<Value>> grids;

 private:
  std::int64_t memory_;  // bytes of a call
  CallPool<InterpolationWork<Value>> calls_;
};

template <class Value>
struct GridInterpolation<Value>::Body {
  std::shared_ptr<typename DenseFft<Value>::Body> from;  // its report includes the time of calls
  std::shared_ptr<KeptInterpolation<Value>> kept;

  const InterpolatedGrids<Value>& grids() const { return *kept->grids; }
};

/// A started interpolation. The function that starts it is collective.
template <class Value>
class InterpolationStarted final : public StartedCall {
 public:
  using Body = typename GridInterpolation<Value>::Body;

  InterpolationStarted(std::shared_ptr<Body> body, const RunOptions& how) : body_(std::move(body)), how_(how) {
    how_.account = &body_->from->spent;
  }

  void apply(std::span<const Value> grid, std::span<Value> result) {
    this->start([&] {
      const InterpolatedGrids<Value>& grids = body_->grids();
      const Communicator& comm = grids.from.plan.comm;
      together(comm, "grid_interpolation_apply", [&](EqualArguments& same) {
        same.add("source grid", grids.from.plan.shape).add("target grid", grids.to.plan.shape);
        same.add("fields", grids.fields);
        require_size("source", grid.size(), grids.from.plan);
        require_size("target", result.size(), grids.to.plan);
        const Value *source = grid.data(), *target = result.data();
        require(source + grid.size() <= target || target + result.size() <= source, Fault::bad_argument,
                "grid_interpolation: the arrays overlap: pass separate arrays");
      });
      work_ = body_->kept->take();
      kept_on<PlanCache>(comm).use(body_->kept);
      this->watch(comm, grid, result);
      run_.emplace(work_->begin(const_cast<Value*>(grid.data()), result.data(), how_));
    });
  }

 private:
  void require_size(const char* name, std::size_t size, const DensePlan& plan) const {
    const std::int64_t fields = body_->grids().fields, points = plan.grid_box.volume();
    require(static_cast<std::int64_t>(size) == fields * points, Fault::bad_argument,
            "grid_interpolation: wrong size of the {} array: this rank has {} values, {} fields of {} points (got {})",
            name, fields * points, fields, points, size);
  }
  bool advance() override { return run_->progress(); }
  void complete() override { run_->finish(); }

  std::shared_ptr<Body> body_;
  RunOptions how_;
  std::shared_ptr<InterpolationWork<Value>> work_;
  std::optional<Pipeline::Run> run_;  // last member, because it uses the others
};

}  // namespace seiche
