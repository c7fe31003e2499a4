// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes wavefunctions from memory to files, and from file to file.
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
#include "files/quantum_espresso/wfc_file_body.hpp"
#include "files/wavefile/choose_format.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "interface/orbitals_members.hpp"
#include "interface/wavefile_members.hpp"
#include "orbitals/holdings.hpp"
#include "orbitals/symmetry/k_star_map.hpp"
#include "pipeline/started_call.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"
#include "seiche/wfc_file.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

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

/// Collective. Returns a file of one spin and k-point, after all ranks have compared its name and label.
FormatChoice agreed_choice(const Orbitals& orbitals, const std::string& path, const WfcLabel& label,
                           std::optional<WaveWriting>& writing) {
  together(orbitals.comm, "write_wfc", [&](EqualArguments& same) {
    same.add("path", path).add("k", label.k).add("spin", label.spin).add("last_wave", label.last_wave);
    same.add("position", label.position).add("reciprocal", label.reciprocal);
    require_one_kpoint(orbitals.header);
    writing = writing_wfc(label);
  });
  return {nullptr, &*writing};
}

/// A file that is written by all ranks: its waves are set first, then it is created, then bands are written.
class Output {
 public:
  Output(const Communicator& comm, const OrbitalHeader& given, const std::string& path, const FormatChoice& choice,
         bool density = false)
      : comm_(comm), given_(given), format_(choice.format), writing_(*choice.writing), path_(path) {
    together(comm, [&] { header_ = header_in_file(writing_, given); });
    if (!density) header_.density_components = 0;
    on_root(comm_, [&] {
      losses_of(given, writing_, density);
      const bool taken = writing_.directory && std::filesystem::is_directory(path);
      require(!taken || std::filesystem::is_empty(path) || format_->recognises(path), Fault::unwritable,
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
    std::vector<std::int64_t> counts;
    together(comm_, [&] {
      for (std::size_t k = 0; k < header_.kpoints.size(); ++k) {
        counts.push_back(writes(static_cast<int>(k)) ? header_.kpoints[k].plane_waves : 0);
      }
    });
    reduce_each(comm_, counts, MPI_SUM);
    for (std::size_t k = 0; k < counts.size(); ++k) set_count(static_cast<int>(k), counts[k]);
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
    std::optional<FileWriter> target;
    together(comm_, [&] { target.emplace(table_, tasks, given_.kpoints, order); });
    carry(comm_, tasks, source, *target, options);
    target->flush(comm_);
  }
  const WaveTable& table() const { return table_; }
  /// Collective.
  void add(const Density& density) { writing_.add_density(file_->temporary(), density); }
  /// Collective. Renames the file to its final name.
  void commit() { file_->commit(); }

 private:
  Communicator comm_;
  const OrbitalHeader& given_;
  const Format* format_;
  WaveWriting writing_;
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
  Output output(comm, h, to.path, agreed_choice(comm, to.path, to.format), flow.density != nullptr);
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
  std::vector<MoveTask> tasks;
  std::unique_ptr<Endpoint> source;
  together(comm, [&] {
    tasks = all_tasks(h, comm.size());
    const std::vector<std::size_t> everyone = all_ranks(comm);
    for (MoveTask& task : tasks) task.from = task.to = whole_bands(task, everyone, h);
    source = flow.source(tasks);
  });
  output.fill(
      tasks, *source, [&](int k) { return arrangements.of(k).order; }, options);
  if (flow.density) output.add(read_density(*flow.density));
  output.commit();
}

/// Orbitals in memory that are written to a file, in steps.
class OrbitalWriting {
 public:
  /// Collective. Creates the file, and starts to write. `orbitals` must outlive it.
  OrbitalWriting(const Orbitals& orbitals, const std::string& path, const FormatChoice& choice,
                 const MoveOptions& options)
      : comm_(orbitals.comm), tasks_(writing_tasks(orbitals)), output_(orbitals.comm, orbitals.header, path, choice) {
    const auto waves = create(orbitals);
    together(comm_, [&] {
      options_ = options;
      for (const auto& [k, in_file] : waves) output_.write_waves_of(k, in_file);
      source_ = memory_reader(parts_by_task(tasks_, std::span(orbitals.parts)));
      target_.emplace(output_.table(), tasks_, orbitals.header.kpoints, [this](int k) { return orders_.at(k); });
    });
    carrier_.emplace(comm_, tasks_, *source_, *target_, options_);
    carrier_->begin(true);
  }
  OrbitalWriting(const OrbitalWriting&) = delete;
  OrbitalWriting& operator=(const OrbitalWriting&) = delete;

  /// Local. Makes progress without waiting. Returns true if complete() would not wait for the tasks of one route.
  bool progress() { return carrier_->progress() && target_->flush_mine(); }
  /// Collective. Completes the file and renames it.
  void complete() {
    carrier_->complete();
    target_->flush(comm_);
    output_.commit();
  }

 private:
  /// Collective. Returns the tasks with the ranks that write.
  static std::vector<MoveTask> writing_tasks(const Orbitals& orbitals) {
    auto tasks = tasks_of(orbitals);
    const auto nodes = nodes_of(orbitals.comm);
    together(orbitals.comm, [&] {
      for (MoveTask& task : tasks) {
        task.to = whole_bands_beside(task, task.from, orbitals.header, nodes, AtFiles::writers);
      }
    });
    return tasks;
  }
  /// Collective. Creates the file, and the orders of waves. Only ranks that write waves or bands of a k-point need
  /// them. Returns the waves in the file of each k-point whose waves this rank writes.
  std::map<int, std::vector<Miller>> create(const Orbitals& orbitals) {
    const OrbitalHeader& h = orbitals.header;
    const auto me = size_of(comm_.rank());
    std::map<int, std::vector<Miller>> waves;
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const bool wanted = output_.writes(k) || std::any_of(tasks_.begin(), tasks_.end(), [&](const MoveTask& task) {
                            return task.k == k && !task.to[me].empty();
                          });
      const auto given = all_waves(orbitals, k, tasks_[size_of(k)].from, wanted);
      together(comm_, [&] {
        if (!wanted) return;
        auto in_file = output_.waves_for(k, given);
        orders_.emplace(k, FileOrder(given, in_file, h.half_sphere)).first->second.require_complete(given);
        output_.set_count(k, std::ssize(in_file));
        if (output_.writes(k)) waves.emplace(k, std::move(in_file));
      });
    }
    output_.create();
    return waves;
  }

  Communicator comm_;
  MoveOptions options_;
  std::vector<MoveTask> tasks_;
  Output output_;
  std::map<int, FileOrder> orders_;
  std::unique_ptr<Endpoint> source_;
  std::optional<FileWriter> target_;
  std::optional<Carrier> carrier_;
};

class StartedWriting final : public StartedCall {
 public:
  /// Collective.
  void begin(const Orbitals& orbitals, const std::string& path, const std::function<FormatChoice()>& choice,
             const MoveOptions& options) {
    start([&] { writing_.emplace(orbitals, path, choice(), options); });
    const auto& parts = orbitals.parts;
    watch(orbitals.comm,
          parts.empty() ? std::span<const std::byte>() : std::as_bytes(std::span(parts[0].coefficients)));
  }

 private:
  bool advance() override { return writing_->progress(); }
  void complete() override { writing_->complete(); }

  std::optional<OrbitalWriting> writing_;
};

}  // namespace

std::vector<std::string> losses(const OrbitalHeader& header, const std::string& path, const std::string& format,
                                bool density) {
  return losses_of(header, *format_for(path, format).writing, density);
}

void write_orbitals(const Orbitals& orbitals, const std::string& path, const std::string& format,
                    const MoveOptions& options) {
  OrbitalWriting(orbitals, path, agreed_choice(orbitals.comm, path, format), options).complete();
}

Pending start_write_orbitals(const Orbitals& orbitals, const std::string& path, const std::string& format,
                             const MoveOptions& options) {
  const auto choice = [&] { return agreed_choice(orbitals.comm, path, format); };
  return started<StartedWriting>(orbitals.comm, [&](auto& call) { call.begin(orbitals, path, choice, options); });
}

Pending start_write_wfc(const Orbitals& orbitals, const std::string& path, const WfcLabel& label,
                        const MoveOptions& options) {
  std::optional<WaveWriting> writing;
  const auto choice = [&] { return agreed_choice(orbitals, path, label, writing); };
  return started<StartedWriting>(orbitals.comm, [&](auto& call) { call.begin(orbitals, path, choice, options); });
}

void convert(const WaveFile& file, const std::string& path, const std::string& format, const MoveOptions& options) {
  const WaveTable& table = WaveFile::Body::of(file).table;
  const OrbitalHeader& h = table.header;
  const auto waves = [&](int k) { return read_plane_waves(table, 0, k, {0, h.kpoints[size_of(k)].plane_waves}); };
  const auto source = [&](const std::vector<MoveTask>& tasks) { return std::make_unique<FileReader>(table, tasks); };
  stream(WaveFile::Body::of(file).comm, {h, waves, source, options.density ? &file : nullptr}, {path, format}, options);
}

void expand(const WaveFile& file, const KStarMap& map, const std::string& path, const std::string& format,
            const MoveOptions& options) {
  const WaveTable& table = WaveFile::Body::of(file).table;
  const auto waves = [&](int k) { return image_of_kpoint(table, map, size_of(k)).waves; };
  const auto source = [&](const std::vector<MoveTask>& tasks) {
    return std::make_unique<StarReader>(table, map, tasks);
  };
  together(WaveFile::Body::of(file).comm, [&] { require_map_of(table.header, map); });
  stream(WaveFile::Body::of(file).comm, {map.header, waves, source}, {path, format}, options);
}

}  // namespace seiche
