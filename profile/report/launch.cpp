// SPDX-License-Identifier: BSD-3-Clause
#include "report/launch.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

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

/// The program that a word of a command names, or "".
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

/// openmpi, mpich, or "" where the text names neither.
std::string mpi_in(const std::string& text) {
  for (const char* word : {"libmpi.so.40", "Open MPI", "OpenRTE", "open-mpi"}) {
    if (text.find(word) != std::string::npos) return "openmpi";
  }
  for (const char* word : {"libmpich", "libmpi.so.12", "HYDRA", "MPICH", "Intel(R) MPI"}) {
    if (text.find(word) != std::string::npos) return "mpich";
  }
  return "";
}

std::string mpi_of(const std::vector<std::string>& command) {
  for (std::size_t i = is_launcher(command[0]) ? 1 : 0; i < command.size(); ++i) {
    const std::string file = program(command[i]);
    if (file.empty()) continue;
    const std::string mpi = mpi_in(output_of({"ldd", file}));
    if (!mpi.empty()) return mpi;
  }
  const std::string mpi = is_launcher(command[0]) ? mpi_in(output_of({command[0], "--version"})) : "";
  if (mpi.empty()) {
    throw Error(Fault::bad_argument,
                "profile: which MPI library the program uses is not to be seen from the command; say --mpi openmpi or "
                "--mpi mpich");
  }
  return mpi;
}

/// Beside the command: in the place where both are installed, or built.
std::string recorder_of(const std::string& mpi) {
  const fs::path home = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  for (const char* folder : {SEICHE_LIBRARY_DIRECTORY, "lib"}) {
    const fs::path file = home / folder / "seiche" / fmt::format("libseiche_profile_{}.so", mpi);
    if (fs::exists(file)) return file;
  }
  throw Error(
      Fault::unsupported,
      fmt::format(
          "profile: programs of {} cannot be recorded: libseiche_profile_{}.so is not installed beside this command; "
          "build Seiche where mpicc.{} is",
          mpi, mpi, mpi));
}

using Variables = std::vector<std::pair<std::string, std::string>>;

/// The command with words that set variables for the ranks only; where the launcher is not known, they are set for all.
std::vector<std::string> with_variables(std::vector<std::string> command, const Variables& variables) {
  const std::string launcher = is_launcher(command[0]) ? mpi_in(output_of({command[0], "--version"})) : "";
  std::vector<std::string> words;
  for (const auto& [name, value] : variables) {
    if (launcher == "openmpi")
      words.insert(words.end(), {"-x", fmt::format("{}={}", name, value)});
    else if (launcher == "mpich")
      words.insert(words.end(), {"-genv", name, value});
    else
      setenv(name.c_str(), value.c_str(), 1);
  }
  command.insert(command.begin() + 1, words.begin(), words.end());
  return command;
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  fmt::print(stderr, "seiche: {}: {}\n", command[0], std::strerror(errno));
  _exit(127);
}

}  // namespace

int run_recorded(const Launch& launch) {
  const std::string mpi = launch.mpi.empty() ? mpi_of(launch.command) : launch.mpi;
  const char* already = std::getenv("LD_PRELOAD");
  const auto command = with_variables(
      launch.command,
      {{"LD_PRELOAD", already != nullptr ? fmt::format("{}:{}", recorder_of(mpi), already) : recorder_of(mpi)},
       {"SEICHE_PROFILE_DIRECTORY", fs::absolute(launch.directory)},
       {"SEICHE_PROFILE_EVENTS", std::to_string(launch.events)}});
  const pid_t child = fork();
  if (child == 0) become(command);
  // The interrupt is for the program; what it had done until then is reported.
  std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace seiche::profile
