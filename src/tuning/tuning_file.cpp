// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/tuning_entries.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>

#include "comm/agree.hpp"
#include "support/environment.hpp"
#include "support/require.hpp"
#include "tuning/settings_text.hpp"

namespace seiche {

namespace {

namespace fs = std::filesystem;

/// Cached contents of the file on rank 0, until it is written. Threads on different communicators share it.
class Memory {
 public:
  void forget() {
    const std::lock_guard lock(mutex_);
    path_.reset();
  }
  Advice find(const std::string& path, const std::string& tuned_case) {
    const std::lock_guard lock(mutex_);
    if (path_ != path) {
      cases_.clear();
      fault_ = fault_of([&] { cases_ = read_tuning(path); });
      path_ = path;
    }
    if (fault_) return ignored(fault_->what());
    const auto found = cases_.find(tuned_case);
    return found == cases_.end() ? Advice{} : Advice{found->second};
  }

 private:
  std::mutex mutex_;
  std::optional<std::string> path_;
  std::optional<Error> fault_;  // of a damaged file
  std::map<std::string, Settings> cases_;
};
Memory& remembered() {
  static Memory only;
  return only;
}

/// Returns a name for a temporary file that no other process uses. Processes of other hosts, and of containers with the
/// same host name, may write to the same folder.
std::string temporary_name(const std::string& path) {
  constexpr std::size_t most = 256;
  std::array<char, most> host{};
  if (gethostname(host.data(), most - 1) != 0) host[0] = '\0';
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return formatted("{}.{}.{}.{}", path, host.data(), getpid(), now);
}

/// Keeps other processes of this host from writing to files in a folder. Does nothing on file systems without locks, or
/// if another process holds the lock for seconds.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int attempts = 300;
    const auto taken = [this] { return ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; };
    for (int attempt = 0; file_ >= 0 && !taken() && attempt < attempts; ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~FolderLock() {
    if (file_ >= 0) ::close(file_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace

std::string tuning_path() {
  const std::string named = environment("SEICHE_TUNING");
  if (!named.empty()) return named == "none" ? "" : named;
  const std::string cache = environment("XDG_CACHE_HOME"), home = environment("HOME");
  if (!cache.empty()) return cache + "/seiche/tuning.json";
  return home.empty() ? "" : home + "/.cache/seiche/tuning.json";
}

std::map<std::string, Settings> read_tuning(const std::string& path) {
  constexpr const char* refused = "{} is not a tuning file: remove it, or set SEICHE_TUNING to another file";
  std::error_code hidden;
  if (path.empty() || !fs::exists(path, hidden)) return {};
  // opening a pipe would block, and a device must not be overwritten
  require(fs::is_regular_file(path, hidden), Fault::bad_file, refused, path);
  std::ifstream file(path);
  if (!file) return {};
  const auto cases = cases_of(std::string(std::istreambuf_iterator<char>(file), {}));
  require(cases.has_value(), Fault::bad_file, refused, path);
  return *cases;
}

void write_tuning(const std::string& path, const std::string& tuned_case, const Settings& settings) {
  require(!path.empty(), Fault::unwritable, "no path for the tuning file: set SEICHE_TUNING to one");
  static std::mutex one_writer;  // of this process's threads, which share the name of the temporary file
  const std::lock_guard lock(one_writer);
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  const FolderLock alone(folder);
  auto cases = read_tuning(path);
  cases[tuned_case] = settings;
  const std::string temporary = temporary_name(path);
  std::ofstream file(temporary);
  file << text_of(cases);
  file.close();
  std::error_code failed;
  if (file) fs::rename(temporary, path, failed);
  if (!file || failed) {
    fs::remove(temporary, ignored);
    fail(Fault::unwritable, "cannot write the tuning file {}: set SEICHE_TUNING to another path", path);
  }
  remembered().forget();
}

std::map<std::string, Settings> tuned_cases() { return read_tuning(tuning_path()); }

Advice ignored(const std::string& reason) { return {{}, "ignored: " + reason}; }

Advice tuning_of(const Communicator& comm, const std::string& tuned_case) {
  std::string text;
  on_root(comm, [&] {
    const Advice found = remembered().find(tuning_path(), tuned_case);
    text = text_of({{"settings", found.settings}, {"use", {{"", found.use}}}});
  });
  broadcast(comm, text);
  const auto cases = cases_of(text);  // equal on all ranks
  return {cases->at("settings"), cases->at("use").at("")};
}

}  // namespace seiche
