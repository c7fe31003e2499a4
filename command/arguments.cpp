// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "seiche/error.hpp"

namespace seiche::command {
namespace {

namespace fs = std::filesystem;

/// Returns the text of rank `root` on all ranks. Collective.
std::string text_from(const Session& session, int root, std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, root, session.comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, root, session.comm);
  return text;
}

std::string command_line(int argc, char** argv) {
  std::string line = "seiche";
  for (int i = 1; i < argc; ++i) line += std::string(" ") + argv[i];
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

/// Returns the variables SEICHE_* as "SEICHE_FFT=fftw ...", sorted by name.
std::string settings() {
  std::vector<std::string> found;
  for (char** variable = environ; *variable; ++variable) {
    if (std::string(*variable).starts_with("SEICHE_")) found.emplace_back(*variable);
  }
  std::sort(found.begin(), found.end());
  std::string text;
  for (const std::string& one : found) text += (text.empty() ? "" : " ") + one;
  return text;
}

/// Collective. Requires that `mine` is the same on all processes. `what`: its name in the message. \throws Error
/// otherwise
void expect_same(const Session& session, const std::string& what, const std::string& mine) {
  const std::string first = text_from(session, 0, mine);
  int other = mine == first ? session.size : session.rank;
  MPI_Allreduce(MPI_IN_PLACE, &other, 1, MPI_INT, MPI_MIN, session.comm);
  if (other == session.size) return;
  throw Error(
      Fault::bad_argument,
      fmt::format("process {} was started with {} '{}', but process 0 with '{}': start all processes with the same",
                  other, what, text_from(session, other, mine), first));
}

bool same(const fs::path& a, const fs::path& b) {
  std::error_code not_there;
  return fs::equivalent(a, b, not_there);
}

/// Returns the .save folder of an input that is one or a file in one, else "".
fs::path folder_of(const fs::path& input) {
  std::error_code unknown;
  const std::string name = input.filename().string();
  const bool part = name == "data-file-schema.xml" || name.starts_with("charge-density.");
  const fs::path folder = part ? fs::absolute(input).parent_path() : input;
  return fs::exists(folder / "data-file-schema.xml", unknown) ? folder : fs::path();
}

/// Returns whether `path` is `folder` or inside it.
bool within(const fs::path& path, const fs::path& folder) {
  std::error_code unknown;
  const fs::path here = fs::absolute(path);
  if (same(here, folder)) return true;
  for (fs::path up = fs::weakly_canonical(here.parent_path(), unknown);; up = up.parent_path()) {
    if (same(up, folder)) return true;
    if (up == up.parent_path()) return false;
  }
}

/// Returns whether writing `output` would overwrite `input`.
bool touches(const fs::path& output, const fs::path& input) {
  if (within(input, output)) return true;
  const fs::path folder = folder_of(input);
  if (folder.empty()) return false;
  std::error_code unknown;
  const fs::path link =
      fs::is_symlink(output, unknown) ? output.parent_path() / fs::read_symlink(output, unknown) : output;
  if (within(link, folder) || within(output, folder)) return true;
  const auto entries = fs::directory_iterator(folder, unknown);
  return std::any_of(begin(entries), end(entries), [&](const auto& entry) { return same(entry.path(), output); });
}

}  // namespace

void expect_same_arguments(const Session& session, int argc, char** argv) {
  expect_same(session, "the arguments", command_line(argc, argv));
  expect_same(session, "the settings", settings());
}

void expect_apart(const Session& session, const std::string& output, const std::vector<std::string>& inputs) {
  std::string sentence;
  for (const std::string& input : inputs) {
    if (session.rank != 0 || output.empty() || input.empty() || !sentence.empty()) continue;
    if (touches(output, input)) {
      sentence =
          fmt::format("writing {} would overwrite the input {}: choose another name for the output", output, input);
    }
  }
  sentence = text_from(session, 0, sentence);
  if (!sentence.empty()) throw Error(Fault::bad_argument, sentence);
}

}  // namespace seiche::command
