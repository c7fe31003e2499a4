// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times redistributions of a complex grid by BoxExchange and by MPI_Alltoallw with subarrays, in turn. usage:
/// bench_boxes --grid NX,NY,NZ --kind slabs|pencils|halo|bricks --bands FIELDS --repeat N
/// slabs: planes of z to planes of y. pencils: planes of z to pencils along z. halo: bricks to planes of z with a
/// periodic halo of one point. bricks: bricks to pencils along x, as peer_dtfft_boxes.
#include <functional>
#include <memory>
#include <seiche/boxes.hpp>
#include <span>
#include <utility>

#include "peer.hpp"

namespace {

using peer::Complex;
using seiche::Box;
using seiche::Range;

/// A method. It copies fields of the source box to the target box: [field][z][y][x].
struct Way {
  std::string name;
  std::function<void(const Complex* source, Complex* target)> copy;
  std::vector<double> seconds{};
};

std::int64_t wrapped(std::int64_t i, std::int64_t n) { return (i % n + n) % n; }

/// Returns the values of a box of a periodic grid.
std::vector<Complex> values_of(const peer::Options& o, const seiche::Box& box) {
  std::vector<Complex> values;
  values.reserve(static_cast<std::size_t>(o.bands * box.volume()));
  for (std::int64_t f = 0; f < o.bands; ++f) {
    for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
      for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
        for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x) {
          const std::ptrdiff_t i = wrapped(x, o.nx), j = wrapped(y, o.ny), k = wrapped(z, o.nz);
          values.emplace_back(peer::value_at(i + f, j, k), peer::value_at(i, j + f, k));
        }
      }
    }
  }
  return values;
}

/// Collective. Times the methods in turn, and compares their results with the values of the grid. `source` and `target`
/// are the boxes of this rank.
void time_in_turn(const peer::Options& o, const seiche::Box& source, const seiche::Box& target,
                  std::vector<Way>& ways) {
  const std::vector<Complex> from = values_of(o, source), expected = values_of(o, target);
  std::vector<std::vector<Complex>> results(ways.size(), std::vector<Complex>(expected.size(), Complex(-1, -1)));
  for (int repeat = -2; repeat < o.repeats; ++repeat) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      ways[w].copy(from.data(), results[w].data());
      double seconds = MPI_Wtime() - start;
      MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (repeat >= 0) ways[w].seconds.push_back(seconds);
    }
  }
  for (std::size_t w = 0; w < ways.size(); ++w) {
    if (results[w] != expected) throw std::runtime_error(ways[w].name + " gives wrong values");
  }
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

/// Prints the time of the first method, and the median of its time over that of the second one.
void print(const peer::Options& o, const std::string& name, const Way& ours, const Way& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.seconds.size(); ++i) ratios.push_back(ours.seconds[i] / theirs.seconds[i]);
  std::printf("%td x %td x %td, %d fields, %s: %s %.4f ms, %.4f of %s\n", o.nx, o.ny, o.nz, o.bands, name.c_str(),
              ours.name.c_str(), 1e3 * median_of(ours.seconds), median_of(ratios), theirs.name.c_str());
}

/// Returns BoxExchange for one source box and one target box on each rank.
Way by_seiche(const peer::Options& o, const seiche::Box& source, const seiche::Box& target) {
  const seiche::FieldArray from = seiche::consecutive(source), into = seiche::consecutive(target);
  const auto exchange = std::make_shared<seiche::BoxExchange>(MPI_COMM_WORLD, seiche::GridShape{o.nx, o.ny, o.nz},
                                                              std::span(&from, 1), std::span(&into, 1));
  const auto before = static_cast<std::size_t>(o.bands * source.volume());
  const auto after = static_cast<std::size_t>(o.bands * target.volume());
  return {"Seiche", [=, fields = o.bands](const Complex* values, Complex* result) {
            exchange->copy<Complex>({values, before}, {result, after}, fields);
          }};
}

/// Returns the factors of `ranks` along the axes whose sizes are not 1 in `wanted`, nearly equal and largest first.
std::array<int, 3> process_grid(int ranks, std::array<int, 3> wanted) {
  MPI_Dims_create(ranks, 3, wanted.data());
  return wanted;
}

/// Returns the boxes of all ranks in a grid of processes.
std::vector<Box> boxes_in(const peer::Options& o, const std::array<int, 3>& processes) {
  const Box grid = seiche::whole({o.nx, o.ny, o.nz});
  std::vector<Box> boxes;
  for (int k = 0; k < processes[2]; ++k) {
    for (int j = 0; j < processes[1]; ++j) {
      for (int i = 0; i < processes[0]; ++i) {
        Box& box = boxes.emplace_back();
        const std::array place{i, j, k};
        for (std::size_t a = 0; a < 3; ++a) box.axis[a] = seiche::block(grid.axis[a].size(), processes[a], place[a]);
      }
    }
  }
  return boxes;
}

/// Source and target boxes of all ranks.
struct Case {
  std::string name;
  std::vector<Box> sources, targets;
};

Case case_of(const peer::Options& o, int ranks) {
  const std::vector<Box> planes = boxes_in(o, {1, 1, ranks});
  if (o.kind == "slabs") return {"slabs of z to slabs of y", planes, boxes_in(o, {1, ranks, 1})};
  if (o.kind == "pencils") return {"slabs of z to pencils", planes, boxes_in(o, process_grid(ranks, {0, 0, 1}))};
  const std::vector<Box> bricks = boxes_in(o, process_grid(ranks, {0, 0, 0}));
  if (o.kind == "bricks") {  // dtFFT divides z first
    const auto [x, z, y] = process_grid(ranks, {1, 0, 0});
    return {"bricks to pencils", bricks, boxes_in(o, {x, y, z})};
  }
  if (o.kind != "halo") throw std::invalid_argument("--kind needs slabs, pencils, halo or bricks");
  Case c{"bricks to slabs of z with halo", bricks, planes};
  for (Box& box : c.targets) {
    for (Range& range : box.axis) range = {range.low - 1, range.high + 1};
  }
  return c;
}

/// Makes a datatype of parts of a box for several fields.
class PartsType {
 public:
  PartsType(const Box& box, int fields) : box_(box), fields_(fields) {}

  void add(const Box& part) {
    int sizes[3], counts[3], first[3];
    for (std::size_t a = 0; a < 3; ++a) {
      sizes[2 - a] = static_cast<int>(box_.axis[a].size());
      counts[2 - a] = static_cast<int>(part.axis[a].size());
      first[2 - a] = static_cast<int>(part.axis[a].low - box_.axis[a].low);
    }
    MPI_Type_create_subarray(3, sizes, counts, first, MPI_ORDER_C, MPI_CXX_DOUBLE_COMPLEX, &parts_.emplace_back());
  }
  bool empty() const { return parts_.empty(); }
  MPI_Datatype type() const {
    MPI_Datatype one = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
    const std::vector<int> counts(parts_.size(), 1);
    const std::vector<MPI_Aint> offsets(parts_.size(), 0);
    MPI_Type_create_struct(static_cast<int>(parts_.size()), counts.data(), offsets.data(), parts_.data(), &one);
    const auto stride = static_cast<MPI_Aint>(static_cast<std::size_t>(box_.volume()) * sizeof(Complex));
    MPI_Type_create_hvector(fields_, 1, stride, one, &all);
    MPI_Type_commit(&all);
    return all;
  }

 private:
  Box box_;
  int fields_;
  std::vector<MPI_Datatype> parts_{};
};

/// Calls visit(common points in the source box, the same points in the target box) for all periodic images.
template <class Visit>
void each_common(const peer::Options& o, const Box& source, const Box& target, const Visit& visit) {
  for (int image = 0; image < 27; ++image) {
    const std::array shift{(image % 3 - 1) * o.nx, (image / 3 % 3 - 1) * o.ny, (image / 9 - 1) * o.nz};
    const auto moved = [&shift](Box box, int sign) {
      for (std::size_t a = 0; a < 3; ++a) {
        box.axis[a] = {box.axis[a].low + sign * shift[a], box.axis[a].high + sign * shift[a]};
      }
      return box;
    };
    const Box common = seiche::intersect(moved(target, 1), source);
    if (!common.empty()) visit(common, moved(common, -1));
  }
}

Way by_alltoallw(const peer::Options& o, const Case& c, std::size_t rank) {
  const std::size_t ranks = c.sources.size();
  std::vector<int> sent(ranks, 1), received(ranks, 1);
  const std::vector<int> offsets(ranks, 0);
  std::vector<MPI_Datatype> out, in;
  const auto add = [](const PartsType& parts, int& count, std::vector<MPI_Datatype>& types) {
    count = parts.empty() ? 0 : 1;
    types.push_back(parts.empty() ? MPI_BYTE : parts.type());
  };
  for (std::size_t q = 0; q < ranks; ++q) {
    PartsType mine(c.sources[rank], o.bands), theirs(c.targets[rank], o.bands);
    each_common(o, c.sources[rank], c.targets[q], [&](const Box& part, const Box&) { mine.add(part); });
    each_common(o, c.sources[q], c.targets[rank], [&](const Box&, const Box& part) { theirs.add(part); });
    add(mine, sent[q], out);
    add(theirs, received[q], in);
  }
  return {"MPI_Alltoallw", [=](const Complex* source, Complex* target) {
            MPI_Alltoallw(source, sent.data(), offsets.data(), out.data(), target, received.data(), offsets.data(),
                          in.data(), MPI_COMM_WORLD);
          }};
}

void run(const peer::Options& o) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Case c = case_of(o, ranks);
  const auto me = static_cast<std::size_t>(rank);
  std::vector<Way> ways{by_seiche(o, c.sources[me], c.targets[me]), by_alltoallw(o, c, me)};
  time_in_turn(o, c.sources[me], c.targets[me], ways);
  if (rank == 0) print(o, c.name, ways[0], ways[1]);
}

}  // namespace

int main(int argc, char** argv) { return peer::main_of(argc, argv, run); }
