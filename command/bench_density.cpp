// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench density`: the density of a file, compared with two lower bounds: a cold read of its bytes, and
/// the transforms of its bands.
#include <fmt/core.h>

#include <filesystem>
#include <functional>
#include <memory>

#include "bench_report.hpp"
#include "contest.hpp"
#include "memory_option.hpp"
#include "seiche/wavefile.hpp"

namespace seiche::command {
namespace {

using Complex = std::complex<double>;

/// Returns the file, or all files of the folder.
std::vector<std::string> files_of(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  return files;
}

/// Transforms all occupied bands, with plans and coefficients in memory, and an empty callback.
template <class Value>
class Transforms {
 public:
  Transforms(const Session& session, const WaveFile& file, FftOptions options) : header_(file.header()) {
    options.components = header_.spinor;
    options.band_groups = 1;  // as for densities
    std::size_t longest = 0;
    for (int k = 0; k < static_cast<int>(header_.kpoints.size()); ++k) {
      const Range mine = block(header_.kpoints[static_cast<std::size_t>(k)].plane_waves, session.size, session.rank);
      const auto waves = file.waves(0, k, mine);
      plans_.emplace_back(session.comm, header_.grid, waves, options);
      sizes_.push_back(waves.size() * static_cast<std::size_t>(header_.spinor));
      longest = std::max(longest, sizes_.back());
    }
    waves_.assign(static_cast<std::size_t>(header_.bands) * longest, Complex(1, 1));
  }
  void operator()() {
    for (int spin = 0; spin < header_.spins; ++spin) {
      for (std::size_t k = 0; k < plans_.size(); ++k) {
        int bands = header_.bands;
        while (bands > 0 && header_.occupations[header_.state(spin, static_cast<int>(k), bands - 1)] == 0) --bands;
        const std::span<const Complex> mine(waves_.data(), static_cast<std::size_t>(bands) * sizes_[k]);
        plans_[k].to_grid(mine, bands, [](std::int64_t, const Box&, std::span<const View<Value>>) {});
      }
    }
  }

 private:
  const OrbitalHeader& header_;
  std::vector<SphereFft<Value>> plans_;
  std::vector<std::size_t> sizes_;  // number of coefficients of one band, by k-point
  std::vector<Complex> waves_;
};

template <class Value>
std::function<void()> transforms_of(const Session& session, const WaveFile& file, const FftOptions& options) {
  return [all = std::make_shared<Transforms<Value>>(session, file, options)] { (*all)(); };
}

}  // namespace

void bench_density(const Session& session, const DensityBenchRequest& request) {
  const WaveFile file(session.comm, request.path);
  DensityOptions options;
  options.as_they_are = true;  // for any file; transforms and bytes are the same
  options.policy.memory = memory_left(session, request.memory);
  const std::vector<std::string> files = files_of(request.path);
  const auto warm = [] {};
  const auto cold = [&] {
    for (const std::string& path : files) {
      if (session.rank == 0) PlainFile(path, O_RDONLY).forget();
    }
  };
  std::int64_t bytes = 0;
  for (const std::string& path : files) bytes += static_cast<std::int64_t>(std::filesystem::file_size(path));
  std::vector<char> content(std::size_t{4} << 20);
  const auto transforms = file.header().half_sphere ? transforms_of<double>(session, file, options.fft)
                                                    : transforms_of<Complex>(session, file, options.fft);

  Contest contest(session);
  contest.add("read", cold, [&] {
    for (const std::string& path : files) {
      if (session.rank == 0) PlainFile(path, O_RDONLY).skim(content);
    }
    sleep_until_all_are_here(session.comm);
  });
  contest.add("transforms", warm, transforms);
  std::vector<double> electrons;
  const auto density = [&] { electrons = integrals(density_of(file, options)); };
  contest.add("cold", cold, density);
  contest.add("warm", warm, density);
  contest.run(request.repeats);

  BenchResult result;
  result.name = fmt::format("density of {}", request.path);
  result.timing.seconds = contest.seconds(2);
  result.more = {{"bytes", bytes}, {"electrons", electrons[0]}, {"methods", contest.json()}};
  for (const auto& [name, method] : {std::pair{"cold_ratio", 2}, std::pair{"warm_ratio", 3}}) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < contest.seconds(0).size(); ++round) {
      const double bound = std::max(contest.seconds(0)[round], contest.seconds(1)[round]);
      ratios.push_back(contest.seconds(static_cast<std::size_t>(method))[round] / bound);
    }
    result.more[name] = median_of(ratios);
  }
  print(session, result);
}

}  // namespace seiche::command
