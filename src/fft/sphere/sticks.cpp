// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/sticks.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "support/require.hpp"

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

/// Returns the images of the waves. The sticks of half spheres have x >= 0. Those with x = 0 contain both G and -G.
std::vector<Image> images_of(const GridShape& shape, std::span<const Miller> waves, bool half) {
  std::vector<Image> images;
  images.reserve(waves.size());
  const auto add = [&](std::int64_t wave, const Miller& g, bool conjugate, bool mirror) {
    images.push_back({{wave, conjugate, mirror},
                      wrapped(g.x, shape.nx) * shape.ny + wrapped(g.y, shape.ny),
                      static_cast<std::int32_t>(wrapped(g.z, shape.nz))});
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

/// Number of values of each stick on each rank.
struct Holdings {
  struct Part {
    int rank;
    std::int64_t count;
  };
  std::map<Key, std::vector<Part>> parts;
};

Holdings gather_holdings(const Communicator& comm, const std::vector<Image>& images) {
  std::map<Key, std::int64_t> mine;
  for (const Image& image : images) ++mine[image.key];
  std::vector<std::int64_t> flat;
  for (const auto& [key, count] : mine) flat.insert(flat.end(), {key, count});
  const auto sizes = gather_all(comm, static_cast<std::int64_t>(flat.size()));
  const auto all = join_all(comm, flat);
  Holdings holdings;
  std::size_t at = 0;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const std::size_t end = at + static_cast<std::size_t>(sizes[static_cast<std::size_t>(rank)]);
    for (; at < end; at += 2) holdings.parts[all[at]].push_back({rank, all[at + 1]});
  }
  return holdings;
}

/// Returns the member that transforms each stick. All ranks compute the same result. If all values of a stick are on
/// one rank, it is the member number of this rank. Other sticks are assigned to the least loaded members.
std::map<Key, int> share_out(const Holdings& holdings, const BandGroups& band_groups) {
  std::vector<std::int64_t> load(static_cast<std::size_t>(band_groups.members), 0);
  std::map<Key, int> owner;
  std::vector<std::pair<std::int64_t, Key>> divided;  // (-values, key): sorted by decreasing number of values
  for (const auto& [key, parts] : holdings.parts) {
    std::int64_t total = 0;
    for (const auto& part : parts) total += part.count;
    if (parts.size() == 1) {
      const int member = band_groups.member_of(parts[0].rank);
      owner[key] = member;
      load[static_cast<std::size_t>(member)] += total;
    } else {
      divided.emplace_back(-total, key);
    }
  }
  std::sort(divided.begin(), divided.end());
  for (const auto& [minus_total, key] : divided) {
    const auto least = std::min_element(load.begin(), load.end());
    *least -= minus_total;
    owner[key] = static_cast<int>(least - load.begin());
  }
  return owner;
}

/// Data of each stick by its key: its member, and its position among the sticks of the member.
struct StickPlaces {
  const std::map<Key, int>& owner;
  const std::map<Key, std::int32_t>& position;
};

/// Lists the values that leave this rank, in the order of members, and sorts `images` in this order. For each value of
/// each band group, returns stick * nz + z.
std::vector<std::int64_t> list_departures(StickMap& map, std::vector<Image>& images, const StickPlaces& of,
                                          const BandGroups& band_groups, std::int64_t nz) {
  std::sort(images.begin(), images.end(), [&](const Image& a, const Image& b) {
    return std::tuple(of.owner.at(a.key), a.placed.wave, a.placed.mirror) <
           std::tuple(of.owner.at(b.key), b.placed.wave, b.placed.mirror);
  });
  map.leaving_to.assign(static_cast<std::size_t>(band_groups.count * band_groups.members), 0);
  map.arriving_from.resize(map.leaving_to.size());
  std::vector<std::int64_t> places;
  map.leaving.reserve(images.size());
  places.reserve(images.size() * static_cast<std::size_t>(band_groups.count));
  for (int group = 0; group < band_groups.count; ++group) {
    for (const Image& image : images) {
      if (group == 0) map.leaving.push_back(image.placed);
      ++map.leaving_to[static_cast<std::size_t>(band_groups.rank_of(group, of.owner.at(image.key)))];
      places.push_back(of.position.at(image.key) * nz + image.z);
    }
  }
  return places;
}

/// Collective. Sends stick * nz + z of each value to the rank that transforms it. Returns the received numbers.
std::vector<std::int64_t> send_places(const Communicator& comm, const StickMap& map,
                                      const std::vector<std::int64_t>& places) {
  std::vector<int> send, receive, send_at, receive_at;
  std::vector<std::int64_t> arrived;
  together(comm, [&] {
    std::transform(map.leaving_to.begin(), map.leaving_to.end(), std::back_inserter(send), mpi_count);
    std::transform(map.arriving_from.begin(), map.arriving_from.end(), std::back_inserter(receive), mpi_count);
    send_at = mpi_starts(send);
    receive_at = mpi_starts(receive);
    arrived.resize(static_cast<std::size_t>(receive_at.back()) + static_cast<std::size_t>(receive.back()));
  });
  check(MPI_Alltoallv(places.data(), send.data(), send_at.data(), MPI_INT64_T, arrived.data(), receive.data(),
                      receive_at.data(), MPI_INT64_T, comm.get()),
        "MPI_Alltoallv");
  return arrived;
}

/// Fills the list of arrivals from stick * nz + z of each arriving value.
void list_arrivals(StickMap& map, const std::vector<std::int64_t>& arrived, std::int64_t nz) {
  map.arrivals.reserve(arrived.size());
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    Arrival arrival{static_cast<std::int64_t>(i), static_cast<std::int32_t>(arrived[i] / nz),
                    static_cast<std::int32_t>(arrived[i] % nz), false, false};
    if (!map.routed) {  // the values are this rank's own coefficients
      const Placed& placed = map.leaving[i];
      arrival = {placed.wave, arrival.stick, arrival.z, placed.conjugate, placed.mirror};
    }
    map.arrivals.push_back(arrival);
  }
  std::sort(map.arrivals.begin(), map.arrivals.end(), [](const Arrival& a, const Arrival& b) {
    return std::tie(a.stick, a.z, a.source) < std::tie(b.stick, b.z, b.source);
  });
}

/// Checks this rank's sticks. \throws Error if a wave occurs twice
void reject_twins(const StickMap& map, const std::vector<Stick>& sticks, const GridShape& shape) {
  for (std::size_t i = 1; i < map.arrivals.size(); ++i) {
    const Arrival &a = map.arrivals[i - 1], &b = map.arrivals[i];
    if (a.stick != b.stick || a.z != b.z) continue;
    const Stick& stick = sticks[static_cast<std::size_t>(a.stick)];
    const auto centred = [](std::int64_t at, std::int64_t n) { return 2 * at > n ? at - n : at; };
    fail(Fault::bad_argument,
         "fft: duplicate wave ({},{},{}): pass each wave on one rank only, and only one of G and -G for a half sphere",
         centred(stick.x, shape.nx), centred(stick.y, shape.ny), centred(a.z, shape.nz));
  }
}

}  // namespace

std::map<std::int64_t, std::int32_t> arrange_sticks(StickMap& map, const std::map<std::int64_t, int>& owner,
                                                    std::int64_t ny, const ProcessGrid& grid, int members) {
  std::map<Key, std::int32_t> position;
  map.sticks.resize(static_cast<std::size_t>(members));
  for (const auto& [key, member] : owner) {  // ascending in x, then y
    const auto x = static_cast<std::int32_t>(key / ny);
    if (map.columns.empty() || map.columns.back() != x) map.columns.push_back(x);
    auto& sticks = map.sticks[static_cast<std::size_t>(member)];
    position[key] = static_cast<std::int32_t>(sticks.size());
    sticks.push_back({x, static_cast<std::int32_t>(key % ny), static_cast<std::int32_t>(map.columns.size()) - 1});
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
  return position;
}

std::size_t StickMap::bytes() const {
  std::size_t total = leaving.capacity() * sizeof(Placed) + arrivals.capacity() * sizeof(Arrival);
  for (const auto& of_member : sticks) total += of_member.capacity() * sizeof(Stick);
  return total;
}

StickMap map_sticks(const Communicator& comm, const GridShape& shape, std::span<const Miller> mine, bool half,
                    const BandGroups& band_groups, const ProcessGrid& ranks) {
  std::vector<Image> images;
  together(comm, [&] { images = images_of(shape, mine, half); });
  const Holdings holdings = gather_holdings(comm, images);
  StickMap map;
  std::vector<std::int64_t> places;
  together(comm, [&] {
    const auto owner = share_out(holdings, band_groups);
    const auto position = arrange_sticks(map, owner, shape.ny, ranks, band_groups.members);
    map.routed = band_groups.count > 1 || std::any_of(holdings.parts.begin(), holdings.parts.end(),
                                                      [](const auto& stick) { return stick.second.size() > 1; });
    places = list_departures(map, images, {owner, position}, band_groups, shape.nz);
  });
  check(MPI_Alltoall(map.leaving_to.data(), 1, MPI_INT64_T, map.arriving_from.data(), 1, MPI_INT64_T, comm.get()),
        "MPI_Alltoall");
  images = std::vector<Image>();  // frees lists with an entry per wave as early as possible
  const auto arrived = send_places(comm, map, std::exchange(places, {}));
  together(comm, [&] {
    list_arrivals(map, arrived, shape.nz);
    reject_twins(map, map.sticks[static_cast<std::size_t>(band_groups.member_of(comm.rank()))], shape);
  });
  return map;
}

}  // namespace seiche
