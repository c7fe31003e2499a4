// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times SpFFT: transforms plane waves |G| <= R to the grid, multiplies with V(r), and transforms back, for each
/// band. All exchange types are tried with one band, with one and with two transforms at once. The two fastest variants
/// are timed with all bands, and the faster one is reported. With --plans, creation is timed instead.
#include <cstdint>
#include <map>
#include <spfft/spfft.hpp>

#include "peer.hpp"

namespace {

using peer::Complex;
constexpr int shift[3] = {1, 2, -1};  // V = 2 cos(shift . r) maps c(G) to c(G - shift) + c(G + shift)

double coefficient(int x, int y, int z, double radius) {
  return x * x + y * y + z * z <= radius * radius ? peer::value_at(x, y, z) : 0.0;
}

/// Returns the indices x, y, z of this rank's waves. Whole sticks, longest first, are assigned to the rank with the
/// fewest waves.
std::vector<int> my_waves(double radius) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int reach = static_cast<int>(radius);
  std::multimap<int, std::pair<int, int>> sticks;  // key: minus the highest z
  for (int x = -reach; x <= reach; ++x) {
    for (int y = -reach; y <= reach; ++y) {
      const double rest = radius * radius - x * x - y * y;
      if (rest >= 0) sticks.insert({-static_cast<int>(std::sqrt(rest)), {x, y}});
    }
  }
  std::vector<std::int64_t> load(static_cast<std::size_t>(ranks));
  std::vector<int> mine;
  for (const auto& stick : sticks) {
    const auto owner = std::min_element(load.begin(), load.end()) - load.begin();
    load[static_cast<std::size_t>(owner)] += 1 - 2 * stick.first;
    if (owner != rank) continue;
    for (int z = stick.first; z <= -stick.first; ++z)
      mine.insert(mine.end(), {stick.second.first, stick.second.second, z});
  }
  return mine;
}

struct Case {
  peer::Options o;
  std::vector<int> waves;
  std::vector<double> v;  ///< values on this rank's planes
  std::vector<Complex> in, out;
  int planes = 0, first = 0;
  Case(const peer::Options& options, int rank, int ranks) : o(options), waves(my_waves(options.radius)) {
    const int nz = static_cast<int>(o.nz);
    first = nz / ranks * rank + std::min(rank, nz % ranks);
    planes = nz / ranks + (rank < nz % ranks);
    for (std::size_t i = 0; i < waves.size(); i += 3) {
      in.emplace_back(coefficient(waves[i], waves[i + 1], waves[i + 2], o.radius));
    }
    out.resize(in.size());
    for (int z = first; z < first + planes; ++z) {
      for (int y = 0; y < o.ny; ++y) {
        for (int x = 0; x < o.nx; ++x) {
          const double turns = static_cast<double>(shift[0] * x) / static_cast<double>(o.nx) +
                               static_cast<double>(shift[1] * y) / static_cast<double>(o.ny) +
                               static_cast<double>(shift[2] * z) / static_cast<double>(o.nz);
          v.push_back(2 * std::cos(2 * std::numbers::pi * turns));
        }
      }
    }
  }

  double error() const {
    const double scale = 1.0 / static_cast<double>(o.nx * o.ny * o.nz);
    double worst = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const int *g = &waves[3 * i], *s = shift;
      const double expected = coefficient(g[0] - s[0], g[1] - s[1], g[2] - s[2], o.radius) +
                              coefficient(g[0] + s[0], g[1] + s[1], g[2] + s[2], o.radius);
      worst = std::max(worst, std::abs(out[i] * scale - expected));
    }
    return worst;
  }
};

spfft::Transform make(const Case& c, SpfftExchangeType exchange) {
  return {1,
          MPI_COMM_WORLD,
          exchange,
          SPFFT_PU_HOST,
          SPFFT_TRANS_C2C,
          static_cast<int>(c.o.nx),
          static_cast<int>(c.o.ny),
          static_cast<int>(c.o.nz),
          c.planes,
          static_cast<int>(c.in.size()),
          SPFFT_INDEX_TRIPLETS,
          c.waves.data()};
}

/// A variant of SpFFT. With several transforms, it interleaves their work and exchanges.
struct Way {
  std::string name;
  std::vector<spfft::Transform> transforms;
};
/// Returns all variants. They are created once, because the planning of SpFFT takes seconds.
std::vector<Way> all_ways(const Case& c) {
  const std::pair<SpfftExchangeType, const char*> exchanges[] = {{SPFFT_EXCH_BUFFERED, "buffered"},
                                                                 {SPFFT_EXCH_COMPACT_BUFFERED, "compact"},
                                                                 {SPFFT_EXCH_UNBUFFERED, "unbuffered"}};
  std::vector<Way> ways;
  for (const auto& [exchange, label] : exchanges) {
    const auto one = make(c, exchange), other = make(c, exchange);
    ways.push_back({std::string(label) + ", 1 at once", {one}});
    ways.push_back({std::string(label) + ", 2 at once", {one, other}});
  }
  return ways;
}

/// Applies V to bands, `rounds` times as many as the variant transforms at once.
void apply(Case& c, Way& way, int rounds) {
  auto& transforms = way.transforms;
  const int together = static_cast<int>(transforms.size());
  const auto* in = reinterpret_cast<const double*>(c.in.data());
  const std::vector<const double*> ins(transforms.size(), in);
  std::vector<std::vector<Complex>> room(transforms.size() - 1, std::vector<Complex>(c.out.size()));
  std::vector<double*> outs{reinterpret_cast<double*>(c.out.data())};
  for (auto& one : room) outs.push_back(reinterpret_cast<double*>(one.data()));
  const std::vector<SpfftProcessingUnitType> host(transforms.size(), SPFFT_PU_HOST);
  const std::vector<SpfftScalingType> scaling(transforms.size(), SPFFT_NO_SCALING);
  for (int round = 0; round < rounds; ++round) {
    spfft::multi_transform_backward(together, transforms.data(), ins.data(), host.data());
    for (auto& transform : transforms) {
      auto* grid = reinterpret_cast<Complex*>(transform.space_domain_data(SPFFT_PU_HOST));
      for (std::size_t i = 0; i < c.v.size(); ++i) grid[i] *= c.v[i];
    }
    spfft::multi_transform_forward(together, transforms.data(), host.data(), outs.data(), scaling.data());
  }
}

/// Returns the seconds per band of `bands` bands.
peer::Times time(Case& c, Way& way, int bands, int repeats) {
  const int together = static_cast<int>(way.transforms.size());
  const int rounds = std::max(1, bands / together);
  auto times = peer::time_repeats(
      repeats, [] {}, [&] { apply(c, way, rounds); });
  for (double& seconds : times.seconds) seconds /= rounds * together;
  return times;
}

/// Keeps the two fastest variants, timed with as many bands as each transforms at once.
void leave_fastest(std::vector<Way>& ways, Case& c) {
  constexpr int repeats = 1;
  std::map<std::string, double> seconds;
  for (Way& way : ways) seconds[way.name] = time(c, way, 1, repeats).median();
  std::sort(ways.begin(), ways.end(), [&](const Way& a, const Way& b) { return seconds[a.name] < seconds[b.name]; });
  ways.erase(ways.begin() + 2, ways.end());
}

/// Times the creation of transforms of spheres with different radii, and calls of one band.
void run_plans(const peer::Options& o, int rank, int ranks) {
  std::vector<Case> cases;
  for (int i = 0; i < o.plans; ++i) {
    auto smaller = o;
    smaller.radius -= 0.5 * i / o.plans;
    cases.emplace_back(smaller, rank, ranks);
  }
  Way way{"default", {}};
  std::vector<spfft::Transform> others;
  const auto create = [&](int i) {
    auto& kept = i == 0 ? way.transforms : others;
    kept.push_back(make(cases[static_cast<std::size_t>(i)], SPFFT_EXCH_DEFAULT));
  };
  peer::time_plans(o, create, [&] { apply(cases.front(), way, 1); });
}

void run(const peer::Options& given) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto o = given;
  if (o.radius <= 0) o.radius = static_cast<double>(std::min({o.nx, o.ny, o.nz})) / 4;
  if (o.plans > 0) return run_plans(o, rank, ranks);
  Case c(o, rank, ranks);
  char name[160];
  std::snprintf(name, sizeof name, "bands %tdx%tdx%td radius %g bands %d double", o.nx, o.ny, o.nz, o.radius, o.bands);
  peer::Line line{name, "SpFFT (FFTW)", "", 1, 0, peer::gflops_of_pair(o)};
  peer::Times best;
  auto ways = all_ways(c);
  leave_fastest(ways, c);
  for (Way& way : ways) {
    const auto times = time(c, way, o.bands, o.repeats);
    line.max_error = std::max(line.max_error, c.error());
    if (!best.seconds.empty() && best.median() <= times.median()) continue;
    best = times;
    line.chosen = way.name;
  }
  peer::print(line, best);
}

}  // namespace

int main(int argc, char** argv) { return peer::main_of(argc, argv, run); }
