// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/tuning_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "comm/agree.hpp"
#include "support/environment.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Cached contents of the file on rank 0, until it is written. Threads on different communicators share it.
class Memory {
 public:
  void forget() {
    const std::lock_guard lock(mutex_);
    path_.reset();
  }
  std::optional<Settings> find(const std::string& path, const std::string& tuned_case) {
    const std::lock_guard lock(mutex_);
    if (path_ != path) {
      cases_ = read_tuning(path);
      path_ = path;
    }
    const auto found = cases_.find(tuned_case);
    return found == cases_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::mutex mutex_;
  std::optional<std::string> path_;
  std::map<std::string, Settings> cases_;
};
Memory& remembered() {
  static Memory only;
  return only;
}

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
  std::map<std::string, Settings> cases;
  std::error_code hidden;
  if (path.empty() || !fs::exists(path, hidden)) return cases;
  // opening a pipe would block, and a device must not be overwritten
  require(fs::is_regular_file(path, hidden), Fault::bad_file, refused, path);
  std::ifstream file(path);
  if (!file) return cases;
  try {
    const Json json = Json::parse(file);
    for (const auto& [name, settings] : json.items()) cases[name] = settings.get<Settings>();
  } catch (const Json::exception&) {
    fail(Fault::bad_file, refused, path);
  }
  return cases;
}

void write_tuning(const std::string& path, const std::string& tuned_case, const Settings& settings) {
  require(!path.empty(), Fault::unwritable, "no path for the tuning file: set SEICHE_TUNING to one");
  static std::mutex one_writer;  // of this process's threads, which share the name of the temporary file
  const std::lock_guard lock(one_writer);
  auto cases = read_tuning(path);
  cases[tuned_case] = settings;
  const std::string temporary = fmt::format("{}.{}", path, getpid());
  std::error_code ignored;
  if (fs::path(path).has_parent_path()) fs::create_directories(fs::path(path).parent_path(), ignored);
  std::ofstream file(temporary);
  file << Json(cases).dump(1) << '\n';
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

Settings tuning_of(const Communicator& comm, const std::string& tuned_case) {
  std::string text;
  on_root(comm, [&] {
    const auto found = remembered().find(tuning_path(), tuned_case);
    if (found) text = Json(*found).dump();
  });
  broadcast(comm, text);
  return text.empty() ? Settings{} : Json::parse(text).get<Settings>();
}

}  // namespace seiche
