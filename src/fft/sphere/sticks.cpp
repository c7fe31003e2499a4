// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/sticks.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Key = std::int64_t;  // key of a stick: x * ny + y, wrapped

/// Position on the grid of one of this rank's waves, or of its opposite -G.
struct Image {
  Placed placed;
  Key key = 0;
  std::int32_t z = 0;
};

bool fits(std::int64_t index, std::int64_t n, bool half) {
  return half ? 2 * std::abs(index) < n : 2 * std::abs(index) <= n;
}

/// Returns the position on the grid of an index that fits.
std::int64_t on_grid(std::int64_t index, std::int64_t n) { return index < 0 ? index + n : index; }

/// Returns the images of the waves. The sticks of half spheres have x >= 0. Those with x = 0 contain both G and -G.
std::vector<Image> images_of(const GridShape& shape, std::span<const Miller> waves, bool half) {
  std::vector<Image> images;
  images.reserve(waves.size());
  const auto add = [&](std::int64_t wave, const Miller& g, bool conjugate, bool mirror) {
    images.push_back({{wave, conjugate, mirror},
                      on_grid(g.x, shape.nx) * shape.ny + on_grid(g.y, shape.ny),
                      static_cast<std::int32_t>(on_grid(g.z, shape.nz))});
  };
  for (std::size_t i = 0; i < waves.size(); ++i) {
    const Miller g = waves[i], opposite{-g.x, -g.y, -g.z};
    require(fits(g.x, shape.nx, half) && fits(g.y, shape.ny, half) && fits(g.z, shape.nz, half), Fault::bad_argument,
            "fft: wave ({},{},{}) does not fit a grid of {} x {} x {} points: use a larger grid", g.x, g.y, g.z,
            shape.nx, shape.ny, shape.nz);
    const auto wave = static_cast<std::int64_t>(i);
    if (!half || g.x > 0) {
      add(wave, g, false, false);
    } else if (g.x < 0) {
      add(wave, opposite, true, false);
    } else {
      add(wave, g, false, false);
      if (!(g == opposite)) add(wave, opposite, true, true);
    }
  }
  return images;
}

/// The values of a stick on all ranks.
struct Held {
  std::int64_t count = 0;
  int rank = 0;  ///< the rank with all values, or `several`
};
constexpr int several = -1;

/// The values of sticks by key. The lists have an entry for each key, for any number of ranks.
struct Holdings {
  Holdings(const std::vector<Image>& images, std::int64_t keys, int rank)
      : held(size_of(keys)), counts(size_of(keys)), ranks(2 * size_of(keys), none) {
    for (const Image& image : images) {
      ++counts[size_of(image.key)];
      ranks[size_of(image.key)] = rank;
      ranks[size_of(keys + image.key)] = -rank;
    }
  }
  /// Collective. Returns the values of the sticks on all ranks.
  const std::vector<Held>& gathered(const Communicator& comm) {
    reduce_each(comm, counts, MPI_SUM);
    reduce_each(comm, ranks, MPI_MAX);
    for (std::size_t key = 0; key < held.size(); ++key) {
      const std::int64_t last = ranks[key], first = -ranks[held.size() + key];
      if (counts[key] > 0) held[key] = {counts[key], first == last ? static_cast<int>(first) : several};
    }
    return held;
  }

 private:
  static constexpr std::int64_t none =
      std::numeric_limits<std::int32_t>::min();  // below all ranks, and its negative is valid
  std::vector<Held> held;
  std::vector<std::int64_t> counts, ranks;  // ranks: the highest with values of each stick, then minus the lowest
};

/// Returns all sticks with the members that transform them. All ranks compute the same result. If all values of a stick
/// are on one rank, it is the member number of this rank. Other sticks are assigned to the least loaded members.
std::vector<OwnedStick> share_out(const std::vector<Held>& held, const BandGroups& band_groups) {
  std::vector<std::int64_t> load(size_of(band_groups.members));
  std::vector<OwnedStick> sticks;
  std::vector<std::pair<std::int64_t, std::size_t>> divided;  // (-values, stick): sorted by decreasing number of values
  for (std::size_t key = 0; key < held.size(); ++key) {
    const Held& stick = held[key];
    if (stick.count == 0) continue;
    if (stick.rank == several) {
      divided.emplace_back(-stick.count, sticks.size());
      sticks.push_back({static_cast<Key>(key), 0});
    } else {
      const int member = band_groups.member_of(stick.rank);
      load[size_of(member)] += stick.count;
      sticks.push_back({static_cast<Key>(key), member});
    }
  }
  std::sort(divided.begin(), divided.end());
  for (const auto& [minus_count, stick] : divided) {
    const auto least = std::min_element(load.begin(), load.end());
    *least -= minus_count;
    sticks[stick].member = static_cast<int>(least - load.begin());
  }
  return sticks;
}

/// The member of each stick, and its position among the sticks of the member. Both are found by the key of a stick.
class StickPlaces {
 public:
  StickPlaces(const std::vector<OwnedStick>& sticks, std::vector<std::int32_t> positions, std::int64_t keys)
      : sticks_(sticks), positions_(std::move(positions)), number_(size_of(keys)) {
    for (std::size_t i = 0; i < sticks.size(); ++i) number_[size_of(sticks[i].key)] = static_cast<std::int32_t>(i);
  }
  std::size_t member(Key key) const { return size_of(sticks_[size_of(number_[size_of(key)])].member); }
  std::int64_t position(Key key) const { return positions_[size_of(number_[size_of(key)])]; }

 private:
  const std::vector<OwnedStick>& sticks_;
  std::vector<std::int32_t> positions_;
  std::vector<std::int32_t> number_;  // of the stick with each key
};

/// The place of a value among the sticks of a rank: the stick and z, as one number.
std::int64_t place_of(std::int64_t stick, std::int32_t z) { return stick << 32 | z; }
std::int32_t stick_of(std::int64_t place) { return static_cast<std::int32_t>(place >> 32); }
std::int32_t z_of(std::int64_t place) { return static_cast<std::int32_t>(place & 0x7fffffff); }

/// Lists the values that leave this rank, in the order of members. Returns the place of each value of each band group.
std::vector<std::int64_t> list_departures(StickMap& map, const std::vector<Image>& images, const StickPlaces& of,
                                          const BandGroups& band_groups) {
  std::vector<std::int64_t> counts(size_of(band_groups.members));
  for (const Image& image : images) ++counts[of.member(image.key)];
  std::vector<std::size_t> next(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::size_t{0});
  map.leaving.resize(images.size());
  std::vector<std::int64_t> places;
  places.reserve(images.size() * size_of(band_groups.count));
  places.resize(images.size());
  for (const Image& image : images) {
    const std::size_t at = next[of.member(image.key)]++;
    map.leaving[at] = image.placed;
    places[at] = place_of(of.position(image.key), image.z);
  }
  map.leaving_to.resize(size_of(band_groups.count * band_groups.members));
  map.arriving_from.resize(map.leaving_to.size());
  for (int group = 0; group < band_groups.count; ++group) {
    for (int member = 0; member < band_groups.members; ++member) {
      map.leaving_to[size_of(band_groups.rank_of(group, member))] = counts[size_of(member)];
    }
    if (group > 0) std::copy_n(places.begin(), images.size(), std::back_inserter(places));
  }
  return places;
}

/// Collective. Sends the place of each value to the rank that transforms it. Returns the received places. `code`:
/// result of MPI. Whole sticks stay on their rank.
std::vector<std::int64_t> exchange_places(const Communicator& comm, StickMap& map, std::vector<std::int64_t> places,
                                          int& code) {
  if (!map.routed) {
    map.arriving_from = map.leaving_to;
    return places;
  }
  check(MPI_Alltoall(map.leaving_to.data(), 1, MPI_INT64_T, map.arriving_from.data(), 1, MPI_INT64_T, comm.get()),
        "MPI_Alltoall");
  std::vector<int> send, receive, send_at, receive_at;
  std::vector<std::int64_t> arrived;
  together(comm, [&] {
    std::transform(map.leaving_to.begin(), map.leaving_to.end(), std::back_inserter(send), mpi_count);
    std::transform(map.arriving_from.begin(), map.arriving_from.end(), std::back_inserter(receive), mpi_count);
    send_at = mpi_starts(send);
    receive_at = mpi_starts(receive);
    arrived.resize(static_cast<std::size_t>(receive_at.back()) + static_cast<std::size_t>(receive.back()));
  });
  code = MPI_Alltoallv(places.data(), send.data(), send_at.data(), MPI_INT64_T, arrived.data(), receive.data(),
                       receive_at.data(), MPI_INT64_T, comm.get());
  return arrived;
}

/// Returns the arriving value number `i`.
Arrival arrival_of(const StickMap& map, std::size_t i, std::int64_t place) {
  const std::int32_t stick = stick_of(place), z = z_of(place);
  if (map.routed) return {static_cast<std::int64_t>(i), stick, z, false, false};
  const Placed& placed = map.leaving[i];  // the values are this rank's own coefficients
  return {placed.wave, stick, z, placed.conjugate, placed.mirror};
}

/// Fills the list of arrivals from their places. `sticks`: number of this rank's sticks.
void list_arrivals(StickMap& map, const std::vector<std::int64_t>& arrived, std::size_t sticks) {
  std::vector<std::size_t> next(sticks + 1);
  for (const std::int64_t place : arrived) ++next[size_of(stick_of(place)) + 1];
  std::inclusive_scan(next.begin(), next.end(), next.begin());
  map.arrivals.resize(arrived.size());
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    const Arrival arrival = arrival_of(map, i, arrived[i]);
    map.arrivals[next[size_of(arrival.stick)]++] = arrival;
  }
  const auto lower = [](const Arrival& a, const Arrival& b) {
    return std::tie(a.z, a.source) < std::tie(b.z, b.source);
  };
  auto first = map.arrivals.begin();
  for (std::size_t stick = 0; stick < sticks; ++stick) {
    const auto last = map.arrivals.begin() + static_cast<std::ptrdiff_t>(next[stick]);
    // waves often come in the order of G, so that those with z < 0, which are last here, come first
    const auto turn = std::is_sorted_until(first, last, lower);
    if (turn != last && std::is_sorted(turn, last, lower) && lower(*(last - 1), *first)) {
      std::rotate(first, turn, last);
    } else if (turn != last) {
      std::sort(first, last, lower);
    }
    first = last;
  }
}

/// Checks this rank's sticks. \throws Error if a wave occurs twice
void reject_twins(const StickMap& map, const std::vector<Stick>& sticks, const GridShape& shape) {
  for (std::size_t i = 1; i < map.arrivals.size(); ++i) {
    const Arrival &a = map.arrivals[i - 1], &b = map.arrivals[i];
    if (a.stick != b.stick || a.z != b.z) continue;
    const Stick& stick = sticks[static_cast<std::size_t>(a.stick)];
    const auto centred = [](std::int64_t at, std::int64_t n) { return 2 * at > n ? at - n : at; };
    const auto on_edge = [](std::int64_t at, std::int64_t n) { return 2 * at == n; };
    require(!on_edge(stick.x, shape.nx) && !on_edge(stick.y, shape.ny) && !on_edge(a.z, shape.nz), Fault::bad_argument,
            "fft: a grid of {} x {} x {} points has one place for the waves n/2 and -n/2 at ({},{},{}): use a larger "
            "grid, or pass one of them",
            shape.nx, shape.ny, shape.nz, stick.x, stick.y, a.z);
    fail(Fault::bad_argument,
         "fft: duplicate wave ({},{},{}): pass each wave on one rank only, and only one of G and -G for a half sphere",
         centred(stick.x, shape.nx), centred(stick.y, shape.ny), centred(a.z, shape.nz));
  }
}

}  // namespace

std::vector<std::int32_t> arrange_sticks(StickMap& map, const std::vector<OwnedStick>& owned, std::int64_t ny,
                                         const ProcessGrid& grid, int members) {
  std::vector<std::int32_t> positions;
  positions.reserve(owned.size());
  map.sticks.resize(size_of(members));
  for (const OwnedStick& stick : owned) {
    const auto x = static_cast<std::int32_t>(stick.key / ny), y = static_cast<std::int32_t>(stick.key % ny);
    if (map.columns.empty() || map.columns.back() != x) map.columns.push_back(x);
    auto& sticks = map.sticks[size_of(stick.member)];
    positions.push_back(static_cast<std::int32_t>(sticks.size()));
    sticks.push_back({x, y, static_cast<std::int32_t>(map.columns.size()) - 1});
  }
  for (int j = 0; j < grid.fast; ++j) {
    map.groups.push_back(block(static_cast<std::int64_t>(map.columns.size()), grid.fast, j));
  }
  for (const auto& sticks : map.sticks) {
    auto& ranges = map.group_sticks.emplace_back();
    for (const Range& group : map.groups) {
      const auto before = [&](std::int64_t column) {
        return std::lower_bound(sticks.begin(), sticks.end(), column,
                                [](const Stick& stick, std::int64_t c) { return stick.column < c; }) -
               sticks.begin();
      };
      ranges.push_back({before(group.low), before(group.high)});
    }
  }
  return positions;
}

std::size_t StickMap::bytes() const {
  std::size_t total = leaving.capacity() * sizeof(Placed) + arrivals.capacity() * sizeof(Arrival);
  for (const auto& of_member : sticks) total += of_member.capacity() * sizeof(Stick);
  return total;
}

StickMap map_sticks(const Communicator& comm, const GridShape& shape, std::span<const Miller> mine, bool half,
                    const BandGroups& band_groups, const ProcessGrid& ranks) {
  const std::int64_t keys = shape.nx * shape.ny;
  std::vector<Image> images;
  std::optional<Holdings> holdings;
  together(comm, [&] {
    images = images_of(shape, mine, half);
    holdings.emplace(images, keys, comm.rank());
  });
  const std::vector<Held>& held = holdings->gathered(comm);
  StickMap map;
  std::vector<std::int64_t> places;
  together(comm, [&] {
    const auto owned = share_out(held, band_groups);
    const StickPlaces of(owned, arrange_sticks(map, owned, shape.ny, ranks, band_groups.members), keys);
    map.routed = band_groups.count > 1 ||
                 std::any_of(held.begin(), held.end(), [](const Held& stick) { return stick.rank == several; });
    places = list_departures(map, images, of, band_groups);
  });
  holdings.reset();
  images = std::vector<Image>();  // frees lists with an entry per wave as early as possible
  int code = MPI_SUCCESS;
  const auto arrived = exchange_places(comm, map, std::exchange(places, {}), code);
  together(comm, [&] {
    check(code, "MPI_Alltoallv");
    const auto& sticks = map.sticks[size_of(band_groups.member_of(comm.rank()))];
    list_arrivals(map, arrived, sticks.size());
    reject_twins(map, sticks, shape);
  });
  return map;
}

}  // namespace seiche
