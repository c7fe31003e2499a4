// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche profile`: a time profile of any MPI program.
#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/advise.hpp"
#include "report/child.hpp"
#include "report/compare_runs.hpp"
#include "report/launch_program.hpp"
#include "report/model.hpp"
#include "seiche/error.hpp"
#include "session.hpp"

namespace seiche::command {

namespace fs = std::filesystem;

namespace {

struct WantedProfile {
  profile::Launch launch;
  std::string output;
  std::size_t rows = 20;
  bool compare = false, advise = false;
};

/// A temporary folder for the records, beside the report and visible to all hosts of the program. Removed at the end.
class Records {
 public:
  explicit Records(const fs::path& beside) : path_((fs::absolute(beside) / "seiche-profile-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw Error(Fault::unwritable, beside.string() + ": cannot be written: choose another folder with -o");
  }
  ~Records() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Writes a file under a temporary name, which replaces `path` when it is complete.
void write(const fs::path& path, const std::function<void(std::ostream& file)>& fill) {
  const std::string temporary = fmt::format("{}.seiche-{}", path.string(), getpid());
  std::ofstream file(temporary);
  fill(file);
  file.close();
  std::error_code fault, ignored;
  if (file) fs::rename(temporary, path, fault);
  if (file && !fault) return;
  fs::remove(temporary, ignored);
  throw Error(Fault::unwritable, path.string() + ": cannot be written: choose another file with -o");
}

void write(const fs::path& path, const std::string& text) {
  write(path, [&](std::ostream& file) { file << text; });
}

/// \throws Error for an output that the other files of a report would replace
void expect_page(const fs::path& output) {
  if (output.empty() || output.extension() == ".html" || output.extension() == ".htm") return;
  throw Error(Fault::bad_argument, output.string() + " is not the name of a page: use the ending .html");
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(Fault::bad_file, path + ": cannot find the file: check the name");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

void write_reports(const profile::Run& run, const std::string& data, const fs::path& output) {
  write(output, profile::page_of(data));
  write(fs::path(output).replace_extension(".csv"), profile::csv_of(run));
  write(fs::path(output).replace_extension(".trace.json"),
        [&](std::ostream& file) { profile::write_events(run, file); });
}

/// The output of the program is unchanged, so that the table goes to stderr; --json goes to stdout, after the output.
void report_run(const Session& session, const WantedProfile& wanted) {
  const profile::Run run = profile::read_run(wanted.launch.directory);
  std::string data = profile::data_of(run, joined(wanted.launch.command));
  std::vector<profile::Advice> advice;
  if (wanted.advise) {
    advice = profile::advise(run, wanted.launch);
    data = profile::with_advice(data, run, advice);
  }
  if (!wanted.output.empty()) write_reports(run, data, wanted.output);
  if (session.json) {
    auto json = nlohmann::ordered_json::parse(data);
    for (auto& rank : json["by_rank"]) {
      for (const char* drawn : {"bins", "memory", "events"}) rank.erase(drawn);
    }
    return fmt::print("{}\n", json.dump());
  }
  fmt::print(stderr, "\n{}", profile::table(run, wanted.rows));
  if (wanted.advise) fmt::print(stderr, "\n{}", profile::table(run, advice));
  if (!wanted.output.empty()) fmt::print(stderr, "{}\n", wanted.output);
}

bool is_told_to_end() { return profile::EndOnSignals::signal() != 0; }

/// Reports what was recorded before the signal, without a replay, which would start programs again.
void report_at_signal(const Session& session, WantedProfile& wanted) {
  fmt::print(stderr,
             "seiche: received a signal; the program was terminated, and the report covers the time until then\n");
  wanted.advise = false;
  try {
    report_run(session, wanted);
  } catch (const Error& error) {
    fmt::print(stderr, "seiche: {}\n", error.what());
  }
}

void record(Session& session, WantedProfile& wanted) {
  const profile::EndOnSignals signals;
  const Records records(wanted.output.empty() ? fs::path(".") : fs::absolute(wanted.output).parent_path());
  wanted.launch.directory = records.path();
  if (wanted.advise) profile::expect_replay(wanted.launch);
  session.status = profile::run_recorded(wanted.launch);
  if (profile::only_sessions(wanted.launch.directory)) {
    return fmt::print(stderr, "seiche: the program uses sessions of MPI 4 without MPI_Init, which are not recorded\n");
  }
  bool is_reported = false;
  try {
    if (!is_told_to_end()) {
      report_run(session, wanted);
      is_reported = true;
    }
  } catch (const Error&) {
    if (!is_told_to_end()) throw;  // otherwise the signal ended the replay
  }
  if (!is_reported) report_at_signal(session, wanted);
  if (is_told_to_end()) session.status = 128 + profile::EndOnSignals::signal();
}

void compare(const Session& session, const WantedProfile& wanted) {
  const auto& files = wanted.launch.command;
  if (files.size() != 2)
    throw Error(Fault::bad_argument, "profile --compare needs two pages (got another number): give both");
  const std::string before = profile::data_in(read_text(files[0]), files[0]),
                    after = profile::data_in(read_text(files[1]), files[1]);
  if (!wanted.output.empty()) write(wanted.output, profile::page_of(profile::both(before, after)));
  fmt::print("{}", session.json ? profile::differences_as_json(before, after)
                                : profile::differences(before, after, wanted.rows));
}

}  // namespace

void add_profile(CLI::App& app, Session& session) {
  const auto wanted = std::make_shared<WantedProfile>();
  auto* command = app.add_subcommand(
      "profile", "time profile of any MPI program: profile -o REPORT.html -- mpiexec -n 4 PROGRAM ...");
  command
      ->add_option("COMMAND", wanted->launch.command,
                   "command that runs the program, after --; or two pages with --compare")
      ->required();
  command->add_option("-o,--output", wanted->output,
                      "output page (.html); .csv and .trace.json (for Perfetto) are written beside it");
  command->add_option("--mpi", wanted->launch.mpi, "MPI library of the program: openmpi or mpich [detected]")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  command
      ->add_option("--events", wanted->launch.events, "number of calls stored for the timeline per rank, 64 bytes each")
      ->check(CLI::Range(std::int64_t{1024}, std::int64_t{1} << 26))
      ->capture_default_str();
  command->add_option("--rows", wanted->rows, "number of rows of the table on the terminal")->capture_default_str();
  command->add_flag(
      "--advise", wanted->advise,
      "afterwards, replay of the all-to-alls of the program on its ranks, with the time of each exchange algorithm");
  command->add_flag("--compare", wanted->compare, "comparison of two pages from earlier runs");
  command->callback([wanted, &session] {
    expect_page(wanted->output);
    wanted->compare ? compare(session, *wanted) : record(session, *wanted);
  });
}

}  // namespace seiche::command
