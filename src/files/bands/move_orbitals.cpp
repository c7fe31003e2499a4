// SPDX-License-Identifier: BSD-3-Clause
/// \file  Moves wavefunctions from files to memory, from memory to files, and from file to file.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "comm/equal_arguments.hpp"
#include "containers/output_file.hpp"
#include "crystal/complete_header.hpp"
#include "files/bands/file_endpoints.hpp"
#include "files/bands/file_ranks.hpp"
#include "files/bands/star_reader.hpp"
#include "files/density_file/grid_file.hpp"
#include "files/wavefile/choose_format.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "interface/orbitals_members.hpp"
#include "interface/wavefile_members.hpp"
#include "orbitals/holdings.hpp"
#include "orbitals/symmetry/k_star_map.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

std::vector<MoveTask> all_tasks(const OrbitalHeader& h, int ranks) {
  std::vector<MoveTask> tasks;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
      const std::vector<Holding> nobody(size_of(ranks));
      tasks.push_back({spin, static_cast<int>(k), h.spinor, nobody, nobody});
    }
  }
  return tasks;
}

/// Returns whole bands, distributed over `ranks`. Each task starts with another rank, so that a few bands use many
/// ranks.
std::vector<Holding> whole_bands(const MoveTask& task, const std::vector<std::size_t>& ranks, const OrbitalHeader& h) {
  const Range waves{0, h.kpoints[size_of(task.k)].plane_waves};
  const auto parts = static_cast<int>(std::min<std::int64_t>(h.bands, static_cast<std::int64_t>(ranks.size())));
  std::vector<Holding> holdings(task.from.size());
  for (int part = 0; part < parts; ++part) {
    const std::size_t rank = ranks[size_of(part + task.k * parts) % ranks.size()];
    holdings[rank] = {block(h.bands, parts, part), {waves}};
  }
  return holdings;
}

/// Returns whole bands on some of the ranks that hold the task at the other endpoint.
std::vector<Holding> whole_bands_beside(const MoveTask& task, const std::vector<Holding>& other, const OrbitalHeader& h,
                                        const std::vector<std::int64_t>& nodes, AtFiles most) {
  std::vector<std::size_t> able;
  for (std::size_t rank = 0; rank < other.size(); ++rank) {
    if (!other[rank].empty()) able.push_back(rank);
  }
  return whole_bands(task, file_ranks(able, nodes, most), h);
}

std::vector<std::string> losses_of(OrbitalHeader header, const WaveWriting& writing, bool density) {
  require_sound(header);
  if (density) {
    require_density(header);
    require(writing.add_density, Fault::bad_argument,
            "files of format '{}' cannot hold a density: write it to a file of its own", writing.word);
  } else {
    header.density_components = 0;
  }
  auto lost = writing.losses ? writing.losses(header) : std::vector<std::string>{};
  const bool xml = std::string_view(writing.word).starts_with("qe");  // holds all of these
  if (header.fermi_energy_down && !xml) lost.emplace_back("the Fermi energy of spin down");
  if (header.on_path && !xml) lost.emplace_back("that the k-points are those of a band structure");
  return lost;
}

/// Collective. Returns the format of an output, after all ranks have compared its name.
FormatChoice agreed_choice(const Communicator& comm, const std::string& path, const std::string& word) {
  FormatChoice choice;
  together(comm, "write", [&](EqualArguments& same) {
    same.add("path", path).add("format", word);
    choice = format_for(path, word);
  });
  return choice;
}

/// A file that is written by all ranks: its waves are set first, then it is created, then bands are written.
class Output {
 public:
  Output(const Communicator& comm, const OrbitalHeader& given, const std::string& path, const std::string& word,
         bool density = false)
      : comm_(comm), given_(given), choice_(agreed_choice(comm, path, word)), writing_(*choice_.writing), path_(path) {
    together(comm, [&] { header_ = header_in_file(writing_, given); });
    if (!density) header_.density_components = 0;
    on_root(comm_, [&] {
      losses_of(given, writing_, density);
      const bool taken = writing_.directory && std::filesystem::is_directory(path);
      require(!taken || std::filesystem::is_empty(path) || choice_.format->recognises(path), Fault::unwritable,
              "cannot write {} (a folder with other contents): choose another name", path);
    });
  }

  /// Returns the waves of k-point `k` in the file for the given ones; called on the rank that writes them, and on
  /// others that need them.
  std::vector<Miller> waves_for(int k, const std::vector<Miller>& given) const {
    return waves_in_file(writing_, header_, k, given, given_.half_sphere);
  }
  bool writes(int k) const { return k % comm_.size() == comm_.rank(); }
  void set_count(int k, std::int64_t waves) { header_.kpoints[size_of(k)].plane_waves = waves; }

  /// Collective. Exchanges the counts that each rank has set for its k-points, and creates the file.
  void create() {
    std::vector<std::int64_t> mine;
    for (std::size_t k = 0; k < header_.kpoints.size(); ++k) {
      mine.push_back(writes(static_cast<int>(k)) ? header_.kpoints[k].plane_waves : 0);
    }
    const auto all = sum_each(comm_, mine);
    for (std::size_t k = 0; k < all.size(); ++k) set_count(static_cast<int>(k), all[k]);
    using Kind = OutputFile::Kind;
    file_ = std::make_unique<OutputFile>(comm_, path_, writing_.directory ? Kind::directory : Kind::file);
    found_by_root(comm_, table_, [&] {
      table_ = writing_.create(file_->temporary(), header_);
      table_.header = header_;
      const auto paths = files_of(table_);
      for (const std::string& path : paths) File(path, File::Mode::write).reserve();
      if (writing_.directory) file_->begin_flush(paths);
    });
  }
  void write_waves_of(int k, const std::vector<Miller>& in_file) const {
    for (int spin = 0; spin < header_.spins; ++spin) write_plane_waves(table_.block(spin, k), in_file);
  }

  /// Collective. Writes all bands from `source`.
  void fill(const std::vector<MoveTask>& tasks, Endpoint& source, const FileWriter::Order& order,
            const MoveOptions& options) {
    FileWriter target(table_, tasks, given_.kpoints, order);
    carry(comm_, tasks, source, target, options);
    target.flush(comm_);
  }
  /// Collective.
  void add(const Density& density) { writing_.add_density(file_->temporary(), density); }
  /// Collective. Renames the file to its final name.
  void commit() { file_->commit(); }

 private:
  Communicator comm_;
  const OrbitalHeader& given_;
  FormatChoice choice_;
  const WaveWriting& writing_;
  std::string path_;
  OrbitalHeader header_;
  WaveTable table_;
  std::unique_ptr<OutputFile> file_;
};

/// The transfer of whole bands from file to file: their header, the waves of each k-point, and the source of the bands.
struct Flow {
  const OrbitalHeader& header;
  std::function<std::vector<Miller>(int k)> waves;
  std::function<std::unique_ptr<Endpoint>(const std::vector<MoveTask>&)> source;
  const WaveFile* density = nullptr;  ///< the file whose density is included
};
struct Destination {
  const std::string &path, &format;
};

/// Collective. Returns all waves of a task's k-point on the ranks with `wanted`. One rank reads and sends them, because
/// reading the list on hundreds of ranks would take longer than reading the bands. A communicator for each set of ranks
/// would exceed the limit of MPI.
std::vector<Miller> told_plane_waves(const Communicator& comm, const WaveTable& table, const MoveTask& task,
                                     bool wanted) {
  const auto wants = gather_all(comm, wanted ? 1 : 0);
  std::vector<int> members;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (wants[size_of(rank)] == 1) members.push_back(rank);
  }
  const bool reads = wanted && members.front() == comm.rank();
  std::vector<Miller> waves;
  const auto fault = fault_of([&] {
    waves.resize(size_of(wanted ? table.header.kpoints[size_of(task.k)].plane_waves : 0));
    if (reads) waves = read_plane_waves(table, task.spin, task.k, {0, std::ssize(waves)});
  });
  agree_asleep(comm, fault);
  broadcast_among(comm, members, std::as_writable_bytes(std::span(waves)));
  return waves;
}

/// Whether a part has the expected waves of this list at its positions.
bool has_waves(const OrbitalPart& part, std::span<const Miller> all, std::int64_t count) {
  if (std::ssize(all) != count) return false;
  auto next = part.waves.begin();
  return std::all_of(part.positions.begin(), part.positions.end(), [&](const Range& run) {
    const auto first = next;
    next += run.size();
    return std::equal(all.begin() + run.low, all.begin() + run.high, first);
  });
}

/// The order of the waves of k-points in the output, computed once per k-point while they are few, since sorting them
/// takes as long as reading one or two bands.
class Arrangements {
 public:
  struct Arrangement {
    std::vector<Miller> in_file;
    FileOrder order;
  };
  Arrangements(const Flow& flow, const Output& output) : flow_(flow), output_(output) {}

  /// Valid until the next call.
  const Arrangement& of(int k) {
    const auto found = found_.find(k);
    if (found != found_.end()) return found->second;
    const auto given = flow_.waves(k);
    auto in_file = output_.waves_for(k, given);
    FileOrder order(given, in_file, flow_.header.half_sphere);
    order.require_complete(given);
    kept_ += std::ssize(in_file);
    if (kept_ > most_kept) {
      found_.clear();
      kept_ = std::ssize(in_file);
    }
    return found_.emplace(k, Arrangement{std::move(in_file), std::move(order)}).first->second;
  }

 private:
  static constexpr std::int64_t most_kept = 1 << 18;  // waves: 4 MB
  const Flow& flow_;
  const Output& output_;
  std::map<int, Arrangement> found_;
  std::int64_t kept_ = 0;
};

/// Collective.
void stream(const Communicator& comm, const Flow& flow, const Destination& to, const MoveOptions& options) {
  const OrbitalHeader& h = flow.header;
  Output output(comm, h, to.path, to.format, flow.density != nullptr);
  Arrangements arrangements(flow, output);
  const auto for_mine = [&](const auto& work) {
    together(comm, [&] {
      for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
        if (output.writes(k)) work(k, arrangements.of(k).in_file);
      }
    });
  };
  for_mine([&](int k, const std::vector<Miller>& waves) { output.set_count(k, std::ssize(waves)); });
  output.create();
  for_mine([&](int k, const std::vector<Miller>& waves) { output.write_waves_of(k, waves); });
  auto tasks = all_tasks(h, comm.size());
  const std::vector<std::size_t> everyone = all_ranks(comm);
  for (MoveTask& task : tasks) task.from = task.to = whole_bands(task, everyone, h);
  const auto source = flow.source(tasks);
  output.fill(
      tasks, *source, [&](int k) { return arrangements.of(k).order; }, options);
  if (flow.density) output.add(read_density(*flow.density));
  output.commit();
}

}  // namespace

std::vector<std::string> losses(const OrbitalHeader& header, const std::string& path, const std::string& format,
                                bool density) {
  return losses_of(header, *format_for(path, format).writing, density);
}

Orbitals read_orbitals(const WaveFile& file, const OrbitalLayout& layout, const MoveOptions& options) {
  const Communicator& comm = file.body().comm;
  const WaveTable& table = file.body().table;
  const OrbitalHeader& h = table.header;
  Orbitals orbitals{comm, {}, {}};
  std::vector<MoveTask> tasks;
  together(comm, "read_orbitals", [&](EqualArguments& same) {
    require_fits(layout.grid, comm.size());
    same.add_options(layout).add_options(options);
    orbitals.header = h;
    tasks = all_tasks(h, comm.size());
  });
  const auto nodes = nodes_of(comm);
  const auto me = size_of(comm.rank());
  std::vector<std::optional<OrbitalPart>> parts(tasks.size());
  for (std::size_t k = 0; k < h.kpoints.size(); ++k) {  // both spins have the same waves
    std::vector<Miller> all;
    if (layout.owners) all = told_plane_waves(comm, table, tasks[k], true);
    bool mine = false;
    together(comm, [&] {
      for (std::size_t t = k; t < tasks.size(); t += h.kpoints.size()) {
        tasks[t].to = holdings_of(layout, h, tasks[t].k, all);
        tasks[t].from = whole_bands_beside(tasks[t], tasks[t].to, h, nodes, AtFiles::readers);
        mine = mine || !tasks[t].to[me].empty();
      }
    });
    if (!layout.owners) all = told_plane_waves(comm, table, tasks[k], mine);
    together(comm, [&] {
      for (std::size_t t = k; t < tasks.size(); t += h.kpoints.size()) {
        if (!tasks[t].to[me].empty()) parts[t] = part_for(tasks[t], tasks[t].to[me], all);
      }
    });
  }
  for (auto& part : parts) {
    if (part) orbitals.parts.push_back(std::move(*part));
  }
  FileReader source(table, tasks);
  const auto target = memory_writer(parts_by_task(tasks, std::span(orbitals.parts)));
  carry(comm, tasks, source, *target, options);
  return orbitals;
}

void read_into(Orbitals& orbitals, const WaveFile& file, const MoveOptions& options) {
  const WaveTable& table = file.body().table;
  const OrbitalHeader &h = orbitals.header, &found = table.header;
  together(orbitals.comm, "read_into", [&](EqualArguments& same) {
    same.add_options(options);
    require(h.spins == found.spins && h.spinor == found.spinor && h.bands == found.bands &&
                h.kpoints.size() == found.kpoints.size(),
            Fault::bad_argument,
            "{} has {} spins, {} k-points and {} bands, but {}, {} and {} are requested: use the header of the file",
            found.path, found.spins, found.kpoints.size(), found.bands, h.spins, h.kpoints.size(), h.bands);
  });
  auto tasks = tasks_of(orbitals);
  const auto nodes = nodes_of(orbitals.comm);
  for (MoveTask& task : tasks) {
    task.to = task.from;
    task.from = whole_bands_beside(task, task.to, h, nodes, AtFiles::readers);
  }
  const auto parts = parts_by_task(tasks, std::span(orbitals.parts));
  for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
    bool mine = false;
    for (std::size_t t = k; t < tasks.size(); t += h.kpoints.size()) mine = mine || parts[t] != nullptr;
    const auto all = told_plane_waves(orbitals.comm, table, tasks[k], mine);
    together(orbitals.comm, [&] {
      for (std::size_t t = k; t < tasks.size(); t += h.kpoints.size()) {
        require(!parts[t] || has_waves(*parts[t], all, h.kpoints[k].plane_waves), Fault::bad_argument,
                "{}: k-point {} has other waves or another order of waves: use read_orbitals", found.path, k + 1);
      }
    });
  }
  FileReader source(table, tasks);
  const auto target = memory_writer(parts);
  carry(orbitals.comm, tasks, source, *target, options);
}

void write_orbitals(const Orbitals& orbitals, const std::string& path, const std::string& format,
                    const MoveOptions& options) {
  const OrbitalHeader& h = orbitals.header;
  auto tasks = tasks_of(orbitals);
  const auto nodes = nodes_of(orbitals.comm);
  for (MoveTask& task : tasks) task.to = whole_bands_beside(task, task.from, h, nodes, AtFiles::writers);
  Output output(orbitals.comm, h, path, format);
  // only ranks that write waves or bands of a k-point need them
  const auto me = size_of(orbitals.comm.rank());
  std::map<int, FileOrder> orders;
  std::vector<std::vector<Miller>> in_file(h.kpoints.size());
  for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
    const bool wanted = output.writes(k) || std::any_of(tasks.begin(), tasks.end(), [&](const MoveTask& task) {
                          return task.k == k && !task.to[me].empty();
                        });
    const auto given = all_waves(orbitals, k, tasks[size_of(k)].from, wanted);
    together(orbitals.comm, [&] {
      if (!wanted) return;
      auto in_order = output.waves_for(k, given);
      orders.emplace(k, FileOrder(given, in_order, h.half_sphere)).first->second.require_complete(given);
      output.set_count(k, static_cast<std::int64_t>(in_order.size()));
      if (output.writes(k)) in_file[size_of(k)] = std::move(in_order);
    });
  }
  output.create();
  together(orbitals.comm, [&] {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      if (output.writes(k)) output.write_waves_of(k, in_file[size_of(k)]);
    }
  });
  const auto source = memory_reader(parts_by_task(tasks, std::span(orbitals.parts)));
  output.fill(
      tasks, *source, [&](int k) { return orders.at(k); }, options);
  output.commit();
}

void convert(const WaveFile& file, const std::string& path, const std::string& format, const MoveOptions& options) {
  const WaveTable& table = file.body().table;
  const OrbitalHeader& h = table.header;
  const auto waves = [&](int k) { return read_plane_waves(table, 0, k, {0, h.kpoints[size_of(k)].plane_waves}); };
  const auto source = [&](const std::vector<MoveTask>& tasks) { return std::make_unique<FileReader>(table, tasks); };
  stream(file.body().comm, {h, waves, source, options.density ? &file : nullptr}, {path, format}, options);
}

void expand(const WaveFile& file, const KStarMap& map, const std::string& path, const std::string& format,
            const MoveOptions& options) {
  const WaveTable& table = file.body().table;
  const auto waves = [&](int k) { return image_of_kpoint(table, map, size_of(k)).waves; };
  const auto source = [&](const std::vector<MoveTask>& tasks) {
    return std::make_unique<StarReader>(table, map, tasks);
  };
  together(file.body().comm, [&] { require_map_of(table.header, map); });
  stream(file.body().comm, {map.header, waves, source}, {path, format}, options);
}

}  // namespace seiche
