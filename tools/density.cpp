// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche density`: the density of a wavefunction file, compared with that which its code wrote.
#include "seiche/density_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report.hpp"
#include "seiche/error.hpp"
#include "seiche/wavefile.hpp"
#include "transfer.hpp"

namespace seiche::tools {
namespace {

struct DensityRequest {
  std::string input, output, reference, picture;
  std::string atoms, kpoints;  // files that say what a WAVECAR leaves out
  std::string algorithm = "automatic";
  int threads = 1;
  bool as_they_are = false;
};

double now() { return MPI_Wtime(); }

/// Where the time went: of each stage the longest on any rank.
class Times {
 public:
  explicit Times(MPI_Comm comm) : comm_(comm) {}
  std::map<std::string, double>& stages() { return seconds_; }
  template <class Work>
  void stage(const char* name, const Work& work) {
    const double start = now();
    work();
    seconds_[name] += now() - start;
  }
  std::map<std::string, double> longest() const {
    std::map<std::string, double> all = seconds_;
    all["total"] = now() - start_;
    for (auto& entry : all) MPI_Allreduce(MPI_IN_PLACE, &entry.second, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return all;
  }

 private:
  MPI_Comm comm_;
  double start_ = now();
  std::map<std::string, double> seconds_{{"read", 0}, {"symmetrise", 0}, {"transform", 0}, {"write", 0}};
};

void add_integrals(Report& report, const std::vector<double>& integrals) {
  report.add("electrons", integrals[0], "electrons", fmt::format("{:.10f}", integrals[0]));
  const std::vector<double> moments(integrals.begin() + 1, integrals.end());
  if (moments.empty()) return;
  std::string text;
  for (const double moment : moments) text += fmt::format("{:.6f} ", moment);
  report.add("magnetisation", moments, "magnetisation", text + "Bohr magnetons");
}

void add_deviation(Report& report, const Deviation& deviation, const std::string& reference) {
  report.add("max_relative_deviation", deviation.largest(), "largest deviation",
             fmt::format("{:.1e} of the largest value, from {}", deviation.largest(), reference));
  nlohmann::ordered_json parts{{"density", deviation.density}};
  if (deviation.magnetisation) parts["magnetisation"] = *deviation.magnetisation;
  report.add("deviations", parts);
}

void add_seconds(Report& report, const std::map<std::string, double>& seconds) {
  std::string text;
  for (const auto& [name, value] : seconds) text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", name, value);
  report.add("seconds", seconds, "seconds", text);
}

DensityOptions options_of(const DensityRequest& request) {
  DensityOptions options;
  options.fft.algorithm = algorithm_named(request.algorithm);
  options.fft.threads = request.threads;
  options.as_they_are = request.as_they_are;
  return options;
}

Density compute(const Session& session, const DensityRequest& request, DensityOptions options) {
  WaveFile file(session.comm, request.input);
  file.complete(request.atoms, request.kpoints);
  ProgressBar bar(session, "density");
  options.progress = [&bar](double done) { bar.show(done); };
  return density_of(file, options);
}

void density(const Session& session, const DensityRequest& request) {
  DensityOptions options = options_of(request);
  for (const std::string& path : {request.output, request.picture}) {
    if (!path.empty()) expect_output(session.comm, path);
  }
  Times times(session.comm);
  options.seconds = &times.stages();
  const Density result = compute(session, request, options);

  Report report(session);
  add_integrals(report, integrals(session.comm, result));
  if (!request.reference.empty()) {
    times.stage("compare", [&] {
      const Density reference = read_density(session.comm, request.reference, result, options.fft);
      add_deviation(report, compare(session.comm, result, reference), request.reference);
    });
  }
  std::vector<std::string> files;
  if (!request.output.empty()) {
    times.stage("write", [&] { files = write_density(session.comm, result, request.output); });
  }
  if (!request.picture.empty()) {
    times.stage("picture", [&] { draw_density(session.comm, result, request.picture); });
    files.push_back(request.picture);
  }
  report.add("files", files);
  for (const std::string& written : files) report.add("files", files, "written", written);
  report.add("ranks", session.size);
  add_seconds(report, times.longest());
  report.say();
}

}  // namespace

void add_density(CLI::App& app, Session& session) {
  auto request = std::make_shared<DensityRequest>();
  CLI::App* command = app.add_subcommand("density", "the electron density of a wavefunction file");
  command->add_option("IN", request->input, "a Quantum ESPRESSO .save, or its data-file-schema.xml")->required();
  command->add_option("-o,--output", request->output,
                      "where to write it: .cube, .xsf, .h5, or charge-density.dat or .hdf5");
  command->add_option("--compare", request->reference,
                      "a density to compare with: a .save, its charge-density, a .cube");
  command->add_option("--picture", request->picture, "draw it as a .png");
  add_beside(*command, request->atoms, request->kpoints);
  command->add_flag("--as-they-are", request->as_they_are,
                    "the bands' own sum, whether or not it holds all electrons (ultrasoft, PAW, bands left out)");
  command->add_option("--threads", request->threads, "threads of each process")->check(CLI::Range(1, 1024));
  command->add_option("--way", request->algorithm,
                      "how data move between processes: automatic, or one of docs/exchange.md");
  command->callback([request, &session] { density(session, *request); });
}

}  // namespace seiche::tools
