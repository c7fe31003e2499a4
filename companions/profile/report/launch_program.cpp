// SPDX-License-Identifier: BSD-3-Clause
#include "report/launch_program.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "report/child.hpp"
#include "report/shell.hpp"
#include "seiche/error.hpp"

namespace seiche::profile {

namespace fs = std::filesystem;

namespace {

std::string output_of(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) line += in_quotes(word) + " ";
  std::string text;
  std::FILE* from = popen((line + "2>&1 </dev/null").c_str(), "r");
  if (from == nullptr) return text;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), from) != nullptr) text += part.data();
  pclose(from);
  return text;
}

/// Returns the program named by a word of a command, or "".
std::string program(const std::string& word) {
  if (word.find('/') != std::string::npos)
    return access(word.c_str(), X_OK) == 0 && fs::is_regular_file(word) ? word : "";
  std::istringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');) {
    const std::string file = fmt::format("{}/{}", folder, word);
    if (access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file)) return file;
  }
  return "";
}

bool is_launcher(const std::string& word) {
  const std::string name = fs::path(word).filename();
  for (const char* known : {"mpiexec", "mpirun", "orterun", "prterun"}) {
    if (name.starts_with(known)) return true;
  }
  return false;
}

/// Returns openmpi, mpich, or "" if the text names neither.
std::string mpi_in(const std::string& text) {
  for (const char* word : {"libmpi.so.40", "Open MPI", "OpenRTE", "open-mpi"}) {
    if (text.find(word) != std::string::npos) return "openmpi";
  }
  for (const char* word : {"libmpich", "libmpi.so.12", "HYDRA", "MPICH", "Intel(R) MPI"}) {
    if (text.find(word) != std::string::npos) return "mpich";
  }
  return "";
}

/// Returns the first word of a command that is a program linked to MPI, and the library; else the size of the command
/// and "".
std::pair<std::size_t, std::string> linked_word(const std::vector<std::string>& command) {
  for (std::size_t i = is_launcher(command[0]) ? 1 : 0; i < command.size(); ++i) {
    const std::string file = program(command[i]);
    if (file.empty()) continue;
    const std::string mpi = mpi_in(output_of({"ldd", file}));
    if (!mpi.empty()) return {i, mpi};
  }
  return {command.size(), ""};
}

std::string mpi_of(const std::vector<std::string>& command) {
  if (const std::string mpi = linked_word(command).second; !mpi.empty()) return mpi;
  const std::string mpi = is_launcher(command[0]) ? mpi_in(output_of({command[0], "--version"})) : "";
  if (mpi.empty()) {
    throw Error(Fault::bad_argument,
                "profile: the MPI library of the program cannot be detected from the command: give --mpi openmpi or "
                "--mpi mpich");
  }
  return mpi;
}

/// Returns the parts that a launcher starts as one program, separated by ":"; the launcher itself is in the first part.
std::vector<std::vector<std::string>> parts_of(const std::vector<std::string>& command) {
  std::vector<std::vector<std::string>> parts(1);
  for (const std::string& word : command) {
    if (word == ":" && is_launcher(command[0])) {
      parts.emplace_back();
    } else {
      parts.back().push_back(word);
    }
  }
  return parts;
}

std::vector<std::string> joined(const std::vector<std::vector<std::string>>& parts) {
  std::vector<std::string> command = parts[0];
  for (std::size_t n = 1; n < parts.size(); ++n) {
    command.emplace_back(":");
    command.insert(command.end(), parts[n].begin(), parts[n].end());
  }
  return command;
}

/// Returns the launcher's words of a part, up to the program: the first word linked to MPI, else the first program.
std::vector<std::string> launcher_of(const std::vector<std::string>& part) {
  std::size_t at = part.empty() ? 0 : linked_word(part).first;
  for (std::size_t i = !part.empty() && is_launcher(part[0]) ? 1 : 0; at == part.size() && i < part.size(); ++i) {
    if (!program(part[i]).empty()) at = i;
  }
  return {part.begin(), part.begin() + static_cast<std::ptrdiff_t>(at)};
}

/// Returns the path of a file installed or built beside the command, or "".
std::string beside_the_command(const std::string& name) {
  const fs::path home = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  for (const char* folder : {SEICHE_LIBRARY_DIRECTORY, "lib"}) {
    const fs::path file = home / folder / "seiche" / name;
    if (fs::exists(file)) return file;
  }
  return "";
}

std::string recorder_of(const std::string& mpi) {
  const std::string file = beside_the_command(fmt::format("libseiche_profile_{}.so", mpi));
  if (!file.empty()) return file;
  const std::string compiler = mpi == SEICHE_MPI ? "" : fmt::format(" where mpicc.{} is available", mpi);
  throw Error(Fault::unsupported,
              fmt::format("profile: programs of {} cannot be recorded, because libseiche_profile_{}.so is missing "
                          "beside this command: build the target seiche_profile_{}{}",
                          mpi, mpi, mpi, compiler));
}

/// Returns whether LD_PRELOAD accepts a path: blanks and colons separate libraries.
bool can_be_preloaded(const fs::path& path) { return path.string().find_first_of(" \t\n:") == std::string::npos; }

/// A path of the recorder for LD_PRELOAD: a link in the folder of the records or of temporary files, if needed.
class Preloaded {
 public:
  Preloaded(const std::string& recorder, const fs::path& records) : path_(recorder) {
    if (can_be_preloaded(recorder)) return;
    std::error_code fault;
    for (const fs::path& folder : {records, fs::temp_directory_path(fault)}) {
      const fs::path link = folder / fmt::format("seiche-recorder-{}.so", getpid());
      if (!can_be_preloaded(link)) continue;
      fs::create_symlink(recorder, link, fault);
      if (fault) continue;
      path_ = link;
      is_link_ = true;
      return;
    }
    throw Error(Fault::unsupported,
                fmt::format("profile: {} cannot be preloaded, because its path has a blank or a colon: set TMPDIR to a "
                            "folder without them",
                            recorder));
  }
  ~Preloaded() {
    std::error_code ignored;
    if (is_link_) fs::remove(path_, ignored);
  }
  Preloaded(const Preloaded&) = delete;
  Preloaded& operator=(const Preloaded&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool is_link_ = false;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view preload = "LD_PRELOAD";

/// Prepends the recorder to libraries that the words behind the launcher preload. \return whether there are such words
bool add_to_preloaded(std::vector<std::string>& part, const std::string& recorder) {
  bool found = false;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool sets = part[i].starts_with(fmt::format("{}=", preload));
    const std::string option = i > 0 && part[i] == preload ? part[i - 1] : "";
    const bool names = option == "-x" || option == "-env" || option == "-genv";
    if (!sets && !names) continue;
    found = true;
    if (sets) {
      part[i].insert(preload.size() + 1, recorder + ":");
    } else if (option == "-x") {  // exports the variable of this process
      part[i] += "=" + recorder;
    } else if (i + 1 < part.size()) {
      part[i + 1] = recorder + ":" + part[i + 1];
    }
  }
  return found;
}

/// The launcher of Open MPI accepts variables for the parts on its command line only.
void expect_no_file_of_parts(const std::vector<std::string>& launcher) {
  for (const std::string& word : launcher) {
    if (word != "--app" && word != "-app") continue;
    throw Error(Fault::unsupported, fmt::format("profile: programs listed in a file ({}) cannot be recorded: give them "
                                                "on the command line, separated by ':'",
                                                word));
  }
}

/// Adds words that set variables, of which LD_PRELOAD is the first, for the ranks of all parts; with an unknown
/// launcher, the variables are set for all processes.
std::vector<std::string> with_variables(const std::vector<std::string>& command, const Variables& variables) {
  const std::string launcher = is_launcher(command[0]) ? mpi_in(output_of({command[0], "--version"})) : "";
  auto parts = parts_of(command);
  if (launcher == "openmpi") expect_no_file_of_parts(launcher_of(parts[0]));
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const bool preloads = add_to_preloaded(parts[n], variables.front().second);
    if (n > 0 && launcher != "openmpi") continue;
    std::vector<std::string> words;
    for (const auto& [name, value] : variables) {
      if (launcher == "openmpi" && preloads && name == preload) continue;
      if (launcher == "openmpi")
        words.insert(words.end(), {"-x", fmt::format("{}={}", name, value)});
      else if (launcher == "mpich")
        words.insert(words.end(), {"-genv", name, value});
      else
        setenv(name.c_str(), value.c_str(), 1);
    }
    parts[n].insert(parts[n].begin() + (n == 0 ? 1 : 0), words.begin(), words.end());
  }
  return joined(parts);
}

std::string mpi_of(const Launch& launch) { return launch.mpi.empty() ? mpi_of(launch.command) : launch.mpi; }

/// Variables of this process, set temporarily.
class Set {
 public:
  explicit Set(const char* name)
      : name_(name), was_(std::getenv(name) ? std::getenv(name) : ""), had_(std::getenv(name)) {}
  ~Set() { had_ ? setenv(name_, was_.c_str(), 1) : unsetenv(name_); }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

 private:
  const char* name_;
  std::string was_;
  bool had_;
};

}  // namespace

int run_recorded(const Launch& launch) {
  const std::string mpi = mpi_of(launch);
  const Preloaded recorder(recorder_of(mpi), launch.directory);
  const Set libraries("LD_PRELOAD"), directory("SEICHE_PROFILE_DIRECTORY"), events("SEICHE_PROFILE_EVENTS");
  const char* already = std::getenv("LD_PRELOAD");
  const auto command = with_variables(
      launch.command,
      {{"LD_PRELOAD", already != nullptr ? fmt::format("{}:{}", recorder.path(), already) : recorder.path()},
       {"SEICHE_PROFILE_DIRECTORY", fs::absolute(launch.directory)},
       {"SEICHE_PROFILE_EVENTS", std::to_string(launch.events)}});
  return run_child(command);
}

void expect_replay(const Launch& launch) {
  const std::string mpi = mpi_of(launch);
  if (mpi != SEICHE_MPI) {
    throw Error(
        Fault::unsupported,
        fmt::format("profile --advise: the program uses {}, but this command can replay only programs of " SEICHE_MPI
                    ": build Seiche with the MPI library of the program",
                    mpi));
  }
  if (beside_the_command("seiche_replay").empty())
    throw Error(Fault::unsupported, "profile --advise: seiche_replay is missing beside this command: install it");
}

int run_replay(const Launch& launch, const std::string& plan, const std::string& result) {
  auto parts = parts_of(launch.command);
  for (auto& part : parts) {
    part = launcher_of(part);
    for (const std::string& word : {beside_the_command("seiche_replay"), plan, result}) part.push_back(word);
  }
  return run_child(joined(parts));
}

}  // namespace seiche::profile
