// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of densities that appear together: created in a folder beside their paths, and moved when all are
/// complete.
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "comm/agree.hpp"
#include "containers/output_file.hpp"
#include "seiche/density_file.hpp"
#include "support/require.hpp"
#include "support/worker.hpp"

namespace seiche {

namespace {

namespace fs = std::filesystem;

/// Renames several files. The destructor undoes the renames, unless keep() was called.
class Renames {
 public:
  Renames() = default;
  ~Renames() {
    for (auto one = done_.rbegin(); one != done_.rend(); ++one) {
      std::error_code ignored;
      fs::rename(one->to, one->from, ignored);
    }
  }
  Renames(const Renames&) = delete;
  Renames& operator=(const Renames&) = delete;

  /// Renames a file, whose former contents at `place` move aside. `path` is the name in messages.
  void add(const std::string& made, const std::string& place, const std::string& path) {
    done_.reserve(done_.size() + 2);
    std::error_code unreadable;
    if (fs::exists(fs::symlink_status(place, unreadable))) rename(place, made + ".earlier", path);
    rename(made, place, path);
  }
  void keep() { done_.clear(); }

 private:
  struct Rename {
    std::string from, to;
  };
  void rename(const std::string& from, const std::string& to, const std::string& path) {
    Rename one{from, to};
    std::error_code fault;
    fs::rename(from, to, fault);
    require(!fault, Fault::unwritable, "cannot write {} ({}): choose another path", path, fault.message());
    done_.push_back(std::move(one));
  }

  std::vector<Rename> done_;
};

}  // namespace

struct DensityFiles::Body {
  explicit Body(const Communicator& given) : comm(given) {}
  Communicator comm;
  std::string folder;                         // of the files
  std::unique_ptr<Unfinished> unfinished;     // on rank 0
  std::map<std::string, std::string> places;  // final path of each file in it
  std::set<std::string> taken;                // all final paths
  int additions = 0;
  Worker flush;  // flushes the data of this rank in the background
  std::int64_t flushes = 0;
};

DensityFiles::DensityFiles(const Communicator& comm, const std::string& path) : body_(std::make_unique<Body>(comm)) {
  on_root(comm, [&] {
    body_->unfinished = std::make_unique<Unfinished>(place_of_output(path) + ".parts", OutputKind::directory);
    body_->folder = body_->unfinished->temporary();
  });
  broadcast(comm, body_->folder);
}
DensityFiles::~DensityFiles() = default;
DensityFiles::DensityFiles(DensityFiles&&) noexcept = default;

std::vector<std::string> DensityFiles::add(const Density& density, const std::string& path) {
  const fs::path folder = fs::path(body_->folder) / std::to_string(body_->additions++);  // for equal names
  on_root(body_->comm, [&] {
    std::error_code fault;
    fs::create_directory(folder, fault);
    require(!fault, Fault::unwritable, "cannot write {} ({}): choose another path", path, fault.message());
  });
  std::vector<std::string> names;
  for (const std::string& made : write_density(density, (folder / fs::path(path).filename()).string())) {
    names.push_back((fs::path(path).parent_path() / fs::path(made).filename()).string());
    const bool added = body_->taken.insert(names.back()).second;
    require(added, Fault::bad_argument, "two outputs have the name {}: choose different names", names.back());
    body_->places[made] = names.back();
    body_->flushes = body_->flush.add([made] { flush_to_disk(made); });
  }
  return names;
}

void DensityFiles::commit() {
  together(body_->comm, [&] { body_->flush.wait(body_->flushes); });
  on_root(body_->comm, [&] {
    Renames renames;
    std::set<std::string> folders;
    for (const auto& [made, path] : body_->places) {
      const std::string place = place_of_output(path);
      renames.add(made, place, path);
      folders.insert(std::filesystem::absolute(place).parent_path().string());
    }
    renames.keep();
    for (const std::string& folder : folders) flush_to_disk(folder);
    body_->unfinished.reset();
  });
}

}  // namespace seiche
