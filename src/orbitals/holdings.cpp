// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/holdings.hpp"

#include <algorithm>
#include <set>

#include "comm/agree.hpp"
#include "crystal/complete_header.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// Packs three indices into one number, for gathering.
std::int64_t packed(const Miller& g) {
  constexpr std::int64_t half = 1 << 20;
  return ((g.x + half) << 42) | ((g.y + half) << 21) | (g.z + half);
}
Miller unpacked(std::int64_t bits) {
  constexpr std::int64_t half = 1 << 20, mask = 2 * half - 1;
  const auto index = [&](int shift) { return static_cast<std::int32_t>(((bits >> shift) & mask) - half); };
  return {index(42), index(21), index(0)};
}

void require_sound(const Orbitals& orbitals) {
  const OrbitalHeader& h = orbitals.header;
  require_movable(h);
  std::pair<int, int> last{-1, -1};
  for (const OrbitalPart& part : orbitals.parts) {
    const std::pair<int, int> here{part.spin, part.k};
    require(here > last && part.spin < h.spins && part.k < static_cast<int>(h.kpoints.size()), Fault::bad_argument,
            "parts of wavefunctions must ascend in spin, then k-point (spin {}, k-point {} does not): pass each part "
            "once, in this order",
            part.spin, part.k);
    last = here;
    const Holding holding{part.bands, part.positions};
    const std::int64_t n = holding.waves();
    require(
        n == static_cast<std::int64_t>(part.waves.size()) &&
            n * part.bands.size() * h.spinor == static_cast<std::int64_t>(part.coefficients.size()),
        Fault::bad_argument,
        "spin {}, k-point {}: the sizes of a part do not match ({} positions, {} waves, {} coefficients of {} bands)",
        part.spin, part.k, n, part.waves.size(), part.coefficients.size(), part.bands.size());
  }
}

/// Checks that the runs of all ranks cover the waves of each band exactly once.
void require_covered(const OrbitalHeader& h, const MoveTask& task) {
  std::set<std::int64_t> borders{0, h.bands};
  for (const Holding& holding : task.from) {
    if (!holding.empty()) borders.insert({holding.bands.low, holding.bands.high});
  }
  const std::int64_t all = h.kpoints[size_of(task.k)].plane_waves;
  for (auto low = borders.begin(); std::next(low) != borders.end(); ++low) {
    std::vector<std::pair<std::int64_t, std::int64_t>> runs;
    for (const Holding& holding : task.from) {
      if (holding.bands.low > *low || holding.bands.high <= *low) continue;
      for (const Range& run : holding.runs) runs.emplace_back(run.low, run.high);
    }
    std::sort(runs.begin(), runs.end());
    std::int64_t covered = 0;
    for (const auto& run : runs) {
      if (run.first != covered) break;
      covered = run.second;
    }
    require(*borders.begin() == 0 && *borders.rbegin() == h.bands && covered == all &&
                (runs.empty() || runs.back().second == all),
            Fault::bad_argument,
            "spin {}, k-point {}: the ranks do not hold each of the {} waves of band {} exactly once: check the "
            "positions of the parts",
            task.spin, task.k, all, *low);
  }
}

class MemoryEndpoint : public Endpoint {
 public:
  /// New memory is expensive, so that rounds are small.
  std::int64_t bytes_of_round() const override { return std::int64_t{1} << 20; }
  explicit MemoryEndpoint(std::vector<const OrbitalPart*> parts, bool fills)
      : parts_(std::move(parts)), fills_(fills) {}

  void start(int, const std::vector<BlockPart>& block_parts) override {
    for (const BlockPart& load : block_parts) move(load);
  }
  void finish(int) override {}

 private:
  void move(const BlockPart& load) const {
    const OrbitalPart& part = *parts_[load.rank_block->task];
    const auto n = static_cast<std::int64_t>(part.waves.size());
    const std::int64_t components =
        n == 0 ? 1 : static_cast<std::int64_t>(part.coefficients.size()) / (n * part.bands.size());
    Complex* there = load.data;
    for (std::int64_t row = (load.bands.low - part.bands.low) * components;
         row < (load.bands.high - part.bands.low) * components; ++row) {
      for (const Fragment& fragment : load.rank_block->fragments) {
        const Complex* here = part.coefficients.data() + row * n + fragment.first;
        if (fills_) {
          std::copy_n(here, fragment.count, there);
        } else {
          std::copy_n(there, fragment.count, const_cast<Complex*>(here));  // memory_writer() received it as non-const
        }
        there += fragment.count;
      }
    }
  }

  std::vector<const OrbitalPart*> parts_;
  bool fills_;
};

}  // namespace

void require_fits(const OrbitalGrid& grid, int ranks) {
  require(grid.kpoints > 0 && grid.bands > 0 && grid.waves > 0 && grid.ranks() == ranks, Fault::bad_argument,
          "a grid of {} x {} x {} ranks does not match {} ranks: the product must equal the number of ranks",
          grid.kpoints, grid.bands, grid.waves, ranks);
}

std::vector<Range> runs_of(const std::vector<std::int64_t>& positions) {
  std::vector<Range> runs;
  for (const std::int64_t p : positions) {
    if (!runs.empty() && runs.back().high == p) {
      ++runs.back().high;
    } else {
      runs.push_back({p, p + 1});
    }
  }
  return runs;
}

std::vector<Holding> holdings_of(const OrbitalLayout& layout, const OrbitalHeader& header, int k,
                                 std::span<const Miller> waves) {
  const OrbitalGrid& grid = layout.grid;
  const std::int64_t all = header.kpoints[size_of(k)].plane_waves;
  std::vector<std::vector<Range>> runs(size_of(grid.waves));
  if (layout.owners) {
    const std::vector<int> owners = layout.owners(k, waves);
    require(static_cast<std::int64_t>(owners.size()) == all, Fault::bad_argument,
            "k-point {}: wrong number of owners ({} owners, {} waves): give one owner per wave", k, owners.size(), all);
    std::vector<std::vector<std::int64_t>> positions(size_of(grid.waves));
    for (std::int64_t i = 0; i < all; ++i) {
      const int owner = owners[size_of(i)];
      require(owner >= 0 && owner < grid.waves, Fault::bad_argument,
              "k-point {}: wave {} is assigned to group {}, but there are only {} groups of waves", k, i, owner,
              grid.waves);
      positions[size_of(owner)].push_back(i);
    }
    for (std::size_t g = 0; g < runs.size(); ++g) runs[g] = runs_of(positions[g]);
  } else {
    for (int g = 0; g < grid.waves; ++g) {
      const Range mine = block(all, grid.waves, g);
      if (!mine.empty()) runs[size_of(g)] = {mine};
    }
  }
  std::vector<Holding> holdings(size_of(grid.ranks()));
  const int group = block_owner(static_cast<std::int64_t>(header.kpoints.size()), grid.kpoints, k);
  for (int b = 0; b < grid.bands; ++b) {
    for (int g = 0; g < grid.waves; ++g) {
      const int rank = (group * grid.bands + b) * grid.waves + g;
      holdings[size_of(rank)] = {block(header.bands, grid.bands, b), runs[size_of(g)]};
    }
  }
  return holdings;
}

std::vector<MoveTask> tasks_of(const Orbitals& orbitals) {
  together(orbitals.comm, [&] { require_sound(orbitals); });
  return tasks_of(orbitals.comm, orbitals.header, orbitals.parts);
}

std::vector<MoveTask> tasks_of(const Communicator& comm, const OrbitalHeader& h, std::span<const OrbitalPart> parts) {
  std::vector<std::int64_t> mine;  // for each part: rank, spin, k, bands, number of runs, runs
  together(comm, [&] {
    for (const OrbitalPart& part : parts) {
      mine.insert(mine.end(), {comm.rank(), part.spin, part.k, part.bands.low, part.bands.high,
                               static_cast<std::int64_t>(part.positions.size())});
      for (const Range& run : part.positions) mine.insert(mine.end(), {run.low, run.high});
    }
  });
  const auto all = join_all(comm, mine);
  std::vector<MoveTask> tasks;
  together(comm, [&] {
    for (int spin = 0; spin < h.spins; ++spin) {
      for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
        tasks.push_back({spin, static_cast<int>(k), h.spinor, std::vector<Holding>(size_of(comm.size())), {}});
      }
    }
    for (std::size_t at = 0; at < all.size();) {
      const std::int64_t* part = all.data() + at;
      Holding& holding = tasks[size_of(part[1]) * h.kpoints.size() + size_of(part[2])].from[size_of(part[0])];
      holding.bands = {part[3], part[4]};
      for (std::int64_t i = 0; i < part[5]; ++i) holding.runs.push_back({part[6 + 2 * i], part[7 + 2 * i]});
      at += size_of(6 + 2 * part[5]);
    }
    for (const MoveTask& task : tasks) require_covered(h, task);
  });
  return tasks;
}

std::vector<Miller> all_waves(const Orbitals& orbitals, int k, const std::vector<Holding>& holdings, bool wanted) {
  std::vector<std::int64_t> mine;
  const auto contributes = [&](std::size_t rank) {  // ranks with the first band together hold all waves
    return !holdings[rank].empty() && holdings[rank].bands.low == 0;
  };
  together(orbitals.comm, [&] {
    if (!contributes(size_of(orbitals.comm.rank()))) return;
    const auto part =
        std::find_if(orbitals.parts.begin(), orbitals.parts.end(), [&](const OrbitalPart& p) { return p.k == k; });
    for (const Miller& g : part->waves) mine.push_back(packed(g));
  });
  const auto gathered = join_all(orbitals.comm, mine);
  std::vector<Miller> all;
  together(orbitals.comm, [&] {
    if (!wanted) return;
    all.resize(gathered.size());
    std::size_t next = 0;
    for (std::size_t rank = 0; rank < holdings.size(); ++rank) {
      if (!contributes(rank)) continue;
      for (const Range& run : holdings[rank].runs) {
        for (std::int64_t i = run.low; i < run.high; ++i) all[size_of(i)] = unpacked(gathered[next++]);
      }
    }
  });
  return all;
}

OrbitalPart part_for(const MoveTask& task, const Holding& holding, std::span<const Miller> waves) {
  OrbitalPart part{task.spin, task.k, holding.bands, holding.runs, {}, {}};
  for (const Range& run : holding.runs) {
    part.waves.insert(part.waves.end(), waves.begin() + run.low, waves.begin() + run.high);
  }
  part.coefficients.resize(size_of(holding.bands.size() * task.components) * part.waves.size());
  return part;
}

std::vector<OrbitalPart> present(std::vector<std::optional<OrbitalPart>> parts) {
  std::vector<OrbitalPart> all;
  for (auto& part : parts) {
    if (part) all.push_back(std::move(*part));
  }
  return all;
}

std::unique_ptr<Endpoint> memory_reader(std::vector<const OrbitalPart*> parts) {
  return std::make_unique<MemoryEndpoint>(std::move(parts), true);
}
std::unique_ptr<Endpoint> memory_writer(std::vector<OrbitalPart*> parts) {
  return std::make_unique<MemoryEndpoint>(std::vector<const OrbitalPart*>(parts.begin(), parts.end()), false);
}

}  // namespace seiche
