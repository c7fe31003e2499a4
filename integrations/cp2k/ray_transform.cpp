// SPDX-License-Identifier: BSD-3-Clause
/// \file  CP2K's transforms between grids and lines along x, by sphere plans of Seiche. fft_tools.f90 calls the
/// function at the end.
///
/// Seiche transforms along z first, and the rows of its grids are contiguous along x. A plan therefore has the axes
/// y, z, x of CP2K.
#include "ray_transform.hpp"

#include <mpi.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../trial.hpp"
#include "or_abort.hpp"
#include "seiche/fft.hpp"

namespace {

using Complex = std::complex<double>;

/// Writes the transposed matrix: to[column][row] = from[row][column].
void transpose(const Complex* from, std::int64_t rows, std::int64_t columns, Complex* to) {
  constexpr std::int64_t block = 16;
  for (std::int64_t row = 0; row < rows; row += block) {
    const std::int64_t last_row = std::min(row + block, rows);
    for (std::int64_t column = 0; column < columns; column += block) {
      const std::int64_t last_column = std::min(column + block, columns);
      for (std::int64_t j = column; j < last_column; ++j) {
        for (std::int64_t i = row; i < last_row; ++i) to[j * rows + i] = from[i * columns + j];
      }
    }
  }
}

/// Calls visit(first, count) for all lists that distinguish transforms. They are the same on all ranks.
template <class Visit>
void for_each_list(const RayTransform& t, const Visit& visit) {
  visit(t.shape, 3);
  visit(t.count, t.ranks);
  visit(t.boxes, 6 * t.ranks);
  for (int rank = 0; rank < t.ranks; ++rank) {
    visit(t.lines + 2 * static_cast<std::int64_t>(t.most) * rank, 2 * t.count[rank]);
  }
}

std::vector<int> key_of(const RayTransform& t) {
  std::vector<int> key;
  for_each_list(t, [&](const int* first, int count) { key.insert(key.end(), first, first + count); });
  return key;
}

/// Tells whether `key` is key_of(t).
bool is_key_of(const std::vector<int>& key, const RayTransform& t) {
  bool same = true;
  auto at = key.begin();
  for_each_list(t, [&](const int* first, int count) {
    same = same && key.end() - at >= count && std::equal(first, first + count, at);
    if (same) at += count;
  });
  return same && at == key.end();
}

/// Returns the Miller index of a place from 1 on an axis of n points.
std::int32_t miller(int place, int n) { return place - 1 > n / 2 ? place - 1 - n : place - 1; }

std::vector<seiche::Miller> waves_of(const RayTransform& t, int rank) {
  std::vector<seiche::Miller> waves;
  const int* line = t.lines + 2 * static_cast<std::int64_t>(t.most) * rank;
  for (int n = 0; n < t.count[rank]; ++n, line += 2) {
    for (int x = 1; x <= t.shape[0]; ++x) {
      waves.push_back({miller(line[0], t.shape[1]), miller(line[1], t.shape[2]), miller(x, t.shape[0])});
    }
  }
  return waves;
}

seiche::Box box_of(const RayTransform& t, int rank) {
  const int* ends = t.boxes + 6 * static_cast<std::int64_t>(rank);
  const auto along = [&](int axis) { return seiche::Range{ends[2 * axis] - 1, ends[2 * axis + 1]}; };
  return {{along(1), along(2), along(0)}};
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// Returns the number of planes of each rank if the boxes are consecutive planes, else nothing.
std::vector<int> slabs_of(const RayTransform& t) {
  std::vector<int> planes;
  std::int64_t next = 0;
  for (int rank = 0; rank < t.ranks; ++rank) {
    const seiche::Box box = box_of(t, rank);
    planes.push_back(box.empty() ? 0 : static_cast<int>(box.size(2)));
    if (box.empty()) continue;
    const bool whole = box.size(0) == t.shape[1] && box.size(1) == t.shape[2];
    if (!whole || box.axis[2].low != next) return {};
    next = box.axis[2].high;
  }
  return planes;
}

seiche::FftOptions options_of_plan(const RayTransform& t) {
  seiche::FftOptions options;
  options.band_groups = 1;      // a call transforms one field
  options.reproducible = true;  // as the plans of CP2K
  options.slabs = slabs_of(t);
  return options;
}

class Plan {
 public:
  Plan(const RayTransform& t, MPI_Comm comm)
      : box_(box_of(t, rank_in(comm))),
        waves_(waves_of(t, rank_in(comm))),
        options_(options_of_plan(t)),
        fft_(comm, {t.shape[1], t.shape[2], t.shape[0]}, waves_, options_),
        values_(static_cast<std::size_t>(box_.volume())) {}
  void to_grid(const Complex* lines, Complex* grid) {
    const std::span coefficients(lines, waves_.size());
    in_boxes() ? fft_.backward_to_boxes(coefficients, box_, values_) : fft_.backward(coefficients, values_);
    transpose(values_.data(), box_.size(2), box_.size(0) * box_.size(1), grid);
  }
  void to_lines(const Complex* grid, Complex* lines) {
    transpose(grid, box_.size(0) * box_.size(1), box_.size(2), values_.data());
    const std::span coefficients(lines, waves_.size());
    in_boxes() ? fft_.forward_from_boxes(box_, values_, coefficients) : fft_.forward(values_, coefficients);
  }

 private:
  /// Tells whether the boxes of CP2K are not those of the plan.
  bool in_boxes() const { return options_.slabs.empty(); }

  seiche::Box box_;
  std::vector<seiche::Miller> waves_;
  seiche::FftOptions options_;
  seiche::SphereFft<Complex> fft_;
  std::vector<Complex> values_;  // of the box: [x][z][y]
};

using seiche::integrations::Trial, seiche::integrations::Use, seiche::integrations::use_of;

/// All transforms with one distribution of grid and lines. They use the faster of Seiche and CP2K.
class Distribution {
 public:
  /// Collective.
  explicit Distribution(const RayTransform& t) : key_(key_of(t)) {
    MPI_Comm_dup(MPI_Comm_f2c(t.comm), &comm_);
    const Use use = use_of("SEICHE_CP2K", comm_);
    if (use == Use::always) plan_.emplace(t, comm_);
    if (use == Use::trial) trial_.emplace();
  }
  bool has(const RayTransform& t) const {
    if (!is_key_of(key_, t)) return false;
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(MPI_Comm_f2c(t.comm), comm_, &relation);
    return relation == MPI_IDENT || relation == MPI_CONGRUENT;
  }
  bool ours() const { return plan_ && (!trial_ || trial_->ours()); }
  /// Collective. Transforms by Seiche.
  void run(const RayTransform& t, Complex* grid, Complex* lines) {
    const double start = MPI_Wtime();
    t.forward ? plan_->to_lines(grid, lines) : plan_->to_grid(lines, grid);
    took(MPI_Wtime() - start);
  }
  /// Collective. Notes the time of a transform by CP2K, and creates the plan of Seiche when it is worth a trial.
  void original_took(const RayTransform& t, double seconds) {
    if (plan_) return took(seconds);
    if (trial_ && !trial_->over() && trial_->begins(seconds, comm_)) plan_.emplace(t, comm_);
  }

 private:
  void took(double seconds) {
    if (!trial_ || trial_->over()) return;
    trial_->took(seconds, comm_);
    if (trial_->over() && !trial_->ours()) plan_.reset();
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> key_;
  std::optional<Plan> plan_;
  std::optional<Trial> trial_;  // none: Seiche always runs if there is a plan, else never
};

/// Collective if the distribution is new. Distributions are not destroyed, because MPI may have ended.
Distribution& distribution_of(const RayTransform& t) {
  static std::vector<Distribution*>& all = *new std::vector<Distribution*>;
  const auto found = std::find_if(all.begin(), all.end(), [&](Distribution* some) { return some->has(t); });
  return found != all.end() ? **found : *all.emplace_back(new Distribution(t));
}

void say_once() {
  static bool said = false;
  if (!std::exchange(said, true) && rank_in(MPI_COMM_WORLD) == 0) {
    std::printf("Seiche: transforms between grids and plane waves\n");
    std::fflush(stdout);
  }
}

}  // namespace

extern "C" {

/// Collective. Computes a transform if Seiche is faster. `grid` is the box of this rank, x fastest. `lines` are its
/// lines, x fastest. \return 0 if CP2K computes this transform
int seiche_cp2k_transform(const RayTransform* t, Complex* grid, Complex* lines) {
  bool ours = false;
  or_abort("a transform of CP2K", [&] {
    Distribution& distribution = distribution_of(*t);
    ours = distribution.ours();
    if (!ours) return;
    say_once();
    distribution.run(*t, grid, lines);
  });
  return ours ? 1 : 0;
}

/// Collective. Notes the time of a transform by CP2K. It may create a plan.
void seiche_cp2k_original_took(const RayTransform* t, double seconds) {
  or_abort("a transform of CP2K", [&] { distribution_of(*t).original_took(*t, seconds); });
}
}
