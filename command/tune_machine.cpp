// SPDX-License-Identifier: BSD-3-Clause
#include "tune_machine.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "bench_wavefile.hpp"
#include "contest.hpp"
#include "kernel.hpp"
#include "measured_links.hpp"
#include "predict/line_rates.hpp"
#include "predict/model.hpp"
#include "report.hpp"
#include "seiche/block_product.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche::command {

namespace {

double mean_of(const Session& session, double mine, bool counts) {
  double both[2] = {counts ? mine : 0.0, counts ? 1.0 : 0.0};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_SUM, session.comm);
  return both[0] / both[1];
}

/// Measures 1D FFTs and copies while `working` cores of each machine compute and the others sleep.
predict::Computing computing_of(const Session& session, const RankPlace& place, int working, double budget) {
  const bool works = place.kernel.me < working;
  predict::Computing all{working / place.hosts_of_kernel, 0, 0, {}};
  const auto together = [&](const auto& measure) {
    sleep_until_all_are_here(session.comm);
    decltype(measure()) mine{};
    if (works) mine = measure();
    sleep_until_all_are_here(session.comm);
    return mine;
  };
  for (const std::int64_t n : predict::line_sizes(budget)) {
    predict::LineRates mine = together([&] { return predict::measured_lines(n, working, budget); });
    for (double predict::LineRates::*rate : {&predict::LineRates::cached_rows, &predict::LineRates::cached_columns,
                                             &predict::LineRates::rows, &predict::LineRates::columns}) {
      mine.*rate = mean_of(session, mine.*rate, works);
    }
    mine.n = n;
    all.lines.push_back(mine);
  }
  all.cached_copy = mean_of(session, together([&] { return predict::measured_cached_copy(budget); }), works);
  all.copy = mean_of(session, together([&] { return predict::measured_copy(budget); }), works);
  return all;
}

predict::Disk disk_of(const Session& session, const std::string& path, double budget) {
  WaveBenchRequest request;
  request.bands = static_cast<int>(std::clamp(6 * budget, 2.0, 60.0));  // 192 MB in ten seconds
  request.repeats = 3;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  request.path = folder.empty() ? "." : folder;
  const FileSeconds seconds = files_alone(session, request);
  const predict::FileCase file{request.kpoints, request.bands, request.waves};
  return {file.bytes() / seconds.write, file.bytes() / seconds.read};
}

std::string name_of_processor() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

void say(const Session& session, const predict::Machine& machine, const std::string& path) {
  Report report(session);
  report.add("file", path, "written", path);
  report.add("machine", machine.name, "machine", machine.name);
  report.add("cores", machine.cores, "cores of a node");
  nlohmann::ordered_json rates;
  for (const predict::Computing& of : machine.computing) {
    const auto lines = predict::rates_of(of, 64);
    rates.push_back(
        {{"busy", of.busy}, {"copy", of.copy}, {"cached_rows", lines.cached_rows}, {"columns", lines.columns}});
    report.add("rates_of_64", nullptr, fmt::format("{:g} busy", of.busy),
               fmt::format("1D FFTs of 64: {:.1f} to {:.1f} Gflop/s, copies {:.1f} GB/s", lines.columns * 1e-9,
                           lines.cached_rows * 1e-9, of.copy * 1e-9));
  }
  report.add("rates_of_64", rates);
  const auto link = [&](const char* field, const std::optional<predict::Link>& of, const char* label) {
    if (!of) return report.add(field, nullptr, label, "not measured (needs two ranks)");
    report.add(field,
               {{"latency", of->latency}, {"message", of->message}, {"bandwidth", of->bandwidth}, {"cpu", of->cpu}},
               label,
               fmt::format("latency {:.1f} us, {:.2f} us per message, {:.2f} GB/s, {:.2f} ms of CPU time per MB",
                           of->latency * 1e6, of->message * 1e6, of->bandwidth * 1e-9, of->cpu * 1e9));
  };
  link("inside", machine.inside, "inside a node");
  link("between", machine.between, "between nodes");
  report.add("disk", {{"write", machine.disk->write}, {"read", machine.disk->read}}, "disk",
             fmt::format("{:.2f} GB/s write, {:.2f} GB/s read", machine.disk->write * 1e-9, machine.disk->read * 1e-9));
  report.say();
}

/// \throws Error before any measurement if the folder of the file is missing
void expect_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code hidden;
  if (folder.empty() || std::filesystem::is_directory(folder, hidden)) return;
  throw Error(Fault::unwritable, fmt::format("cannot write {}: create the folder {} first", path, folder.string()));
}

/// Returns the file of an assumed machine that is installed or built with this command, or "". Files of this name in
/// the working directory come first.
std::string assumed_machine(const std::string& name) {
  namespace fs = std::filesystem;
  if (fs::exists(name) || name.find('/') != std::string::npos) return "";
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& machines :
       {folder.parent_path() / SEICHE_DATA_FOLDER / "seiche/machines", folder / "machines"}) {
    const fs::path file = machines / (name + ".json");
    if (fs::exists(file)) return file.string();
  }
  return "";
}

}  // namespace

std::string machine_path(const std::string& given) {
  if (!given.empty()) {
    const std::string installed = assumed_machine(given);
    return installed.empty() ? given : installed;
  }
  const std::filesystem::path tuning = tuning_path();
  if (tuning.empty()) {
    throw Error(Fault::bad_argument, "no path for the machine file: give --machine FILE");
  }
  return (tuning.parent_path() / "machine.json").string();
}

void tune_machine(const Session& session, const std::string& path, double budget) {
  expect_folder(path);
  const RankPlace place(session);
  const double each = std::max(budget / 100, 0.01);
  predict::Machine machine;
  std::optional<ProgressBar> bar(std::in_place, session, "tune");
  machine.cores = place.cores;
  machine.cache = predict::own_cache();
  const int most = place.working_at_most;
  for (int working = 1; working <= most; working = working < most ? most : most + 1) {
    machine.computing.push_back(computing_of(session, place, working, each));
    bar->show(0.3 * static_cast<double>(machine.computing.size()));
  }
  const double copy = machine.computing.back().copy;
  machine.inside = link_inside(session, place, copy, 10 * each);
  bar->show(0.7);
  machine.between = link_between(session, place, copy, 10 * each);
  bar->show(0.8);
  machine.wake = measured_wake();
  machine.disk = disk_of(session, path, budget);
  bar->show(0.95);
  for (const int size : {5, 13, 23, 32}) {
    machine.products.push_back({size, 1e9 * small_product_rate({size, size, size}, 16 << 20)});
  }
  machine.name = fmt::format("{}, {} ranks on {} nodes, 1D FFTs by {}", name_of_processor(), session.size, place.nodes,
                             name_of(line_library()));
  bar.reset();
  predict::write_text(session.comm, predict::text_of(machine), path);
  say(session, machine, path);
}

}  // namespace seiche::command
