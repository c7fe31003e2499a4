// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench wavefile`: writes and reads generated wavefunctions with this library, and band by band through
/// the root process as in older codes, compared with a plain write and a cold read of the same bytes by one process.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "bench_wavefile.hpp"
#include "contest.hpp"
#include "made_orbitals.hpp"
#include "seiche/error.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"

namespace seiche::command {
namespace {

using Complex = std::complex<double>;

/// The method of older codes: the root process collects and writes band after band. Plane waves are distributed in
/// equal parts.
class OldWay {
 public:
  OldWay(const Session& session, const WaveBenchRequest& request, bool collective)
      : session_(session), waves_(request.waves), collective_(collective), parts_(session, waves_) {
    if (session.rank == 0) band_.resize(size_of(waves_));
  }

  void write(const Orbitals& all, const std::string& path) {
    std::unique_ptr<PlainFile> file;
    if (session_.rank == 0) file = std::make_unique<PlainFile>(path, O_WRONLY | O_CREAT | O_TRUNC);
    for_each_band(all, [&](const Complex* mine) {
      gather(mine);
      if (file) file->write(band_.data(), waves_ * static_cast<std::int64_t>(sizeof(Complex)));
    });
    if (file) file->flush();
    sleep_until_all_are_here(session_.comm);
  }
  void read(Orbitals& all, const std::string& path) {
    std::unique_ptr<PlainFile> file;
    if (session_.rank == 0) file = std::make_unique<PlainFile>(path, O_RDONLY);
    for_each_band(all, [&](const Complex* mine) {
      if (file) file->read(band_.data(), waves_ * static_cast<std::int64_t>(sizeof(Complex)));
      scatter(const_cast<Complex*>(mine));
    });
  }

 private:
  template <class Work>
  void for_each_band(const Orbitals& all, const Work& work) const {
    for (const OrbitalPart& part : all.parts) {
      for (std::int64_t band = part.bands.low; band < part.bands.high; ++band) {
        work(part.coefficients.data() + (band - part.bands.low) * static_cast<std::int64_t>(part.waves.size()));
      }
    }
  }
  void gather(const Complex* mine) {
    const int count = parts_.counts[size_of(session_.rank)];
    if (collective_) {
      MPI_Gatherv(mine, count, MPI_C_DOUBLE_COMPLEX, band_.data(), parts_.counts.data(), parts_.starts.data(),
                  MPI_C_DOUBLE_COMPLEX, 0, session_.comm);
      return;
    }
    if (session_.rank > 0) {
      MPI_Send(mine, count, MPI_C_DOUBLE_COMPLEX, 0, 0, session_.comm);
      return;
    }
    std::copy_n(mine, count, band_.begin());
    for (int rank = 1; rank < session_.size; ++rank) {
      MPI_Recv(band_.data() + parts_.starts[size_of(rank)], parts_.counts[size_of(rank)], MPI_C_DOUBLE_COMPLEX, rank, 0,
               session_.comm, MPI_STATUS_IGNORE);
    }
  }
  void scatter(Complex* mine) {
    const int count = parts_.counts[size_of(session_.rank)];
    if (collective_) {
      MPI_Scatterv(band_.data(), parts_.counts.data(), parts_.starts.data(), MPI_C_DOUBLE_COMPLEX, mine, count,
                   MPI_C_DOUBLE_COMPLEX, 0, session_.comm);
      return;
    }
    if (session_.rank > 0) {
      MPI_Recv(mine, count, MPI_C_DOUBLE_COMPLEX, 0, 0, session_.comm, MPI_STATUS_IGNORE);
      return;
    }
    std::copy_n(band_.begin(), count, mine);
    for (int rank = 1; rank < session_.size; ++rank) {
      MPI_Send(band_.data() + parts_.starts[size_of(rank)], parts_.counts[size_of(rank)], MPI_C_DOUBLE_COMPLEX, rank, 0,
               session_.comm);
    }
  }

  const Session& session_;
  std::int64_t waves_;
  bool collective_;
  WaveParts parts_;
  std::vector<Complex> band_;
};

/// A temporary folder, removed at the end.
class Place {
 public:
  Place(const Session& session, const std::string& parent) : session_(session) {
    int id = session.rank == 0 ? ::getpid() : 0;
    MPI_Bcast(&id, 1, MPI_INT, 0, session.comm);
    path_ = parent + "/seiche-bench-" + std::to_string(id);
    std::error_code ignored;
    if (session.rank == 0) std::filesystem::create_directory(path_, ignored);
    sleep_until_all_are_here(session.comm);
    if (!std::filesystem::is_directory(path_)) {
      throw Error(Fault::unwritable, fmt::format("cannot create a folder in {}: choose another --path", parent));
    }
  }
  ~Place() {
    sleep_until_all_are_here(session_.comm);
    std::error_code ignored;
    if (session_.rank == 0) std::filesystem::remove_all(path_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  const Session& session_;
  std::string path_;
};

/// Returns a function that drops a file from the page cache.
std::function<void()> cold(const Session& session, const std::string& path) {
  return [&session, path] {
    if (session.rank == 0) PlainFile(path, O_RDONLY).forget();
  };
}

}  // namespace

FileSeconds files_alone(const Session& session, const WaveBenchRequest& request) {
  const Place place(session, request.path);
  Orbitals orbitals = made_orbitals(session, request);
  const std::string path = place.file("ours.h5");
  write_orbitals(orbitals, path, "wfn");
  Contest writing(session), reading(session);
  writing.add(
      "seiche", [] {}, [&] { write_orbitals(orbitals, path, "wfn"); });
  writing.run(request.repeats);
  reading.add("seiche", cold(session, path), [&] { read_into(orbitals, WaveFile(session.comm, path)); });
  reading.run(request.repeats);
  return {median_of(writing.seconds(0)), median_of(reading.seconds(0))};
}

namespace {

/// Computation of this rank, in steps.
class Computation {
 public:
  void step() {
    for (double& value : values_) {
      for (int i = 0; i < 200; ++i) value = 0.5 * value + 1;
    }
  }
  /// Collective. Returns the number of steps that take these seconds on rank 0.
  int steps_in(const Session& session, double seconds) {
    int steps = 0;
    const double start = MPI_Wtime();
    for (; MPI_Wtime() - start < seconds; ++steps) step();
    MPI_Bcast(&steps, 1, MPI_INT, 0, session.comm);
    return steps;
  }

 private:
  std::vector<double> values_ = std::vector<double>(4096, 1.0);
};

/// One set of orbitals, and the methods of writing and reading that are compared.
class WaveFileBench {
 public:
  WaveFileBench(const Session& session, const WaveBenchRequest& request)
      : session_(session),
        request_(request),
        place_(session, request.path),
        orbitals_(made_orbitals(session, request)),
        one_by_one_(session, request, false),
        gathered_(session, request, true) {
    options_.policy.algorithm = algorithm_named(request.algorithm);
    options_.policy.memory = request.memory << 20;
    write_orbitals(orbitals_, ours_, "wfn", options_);
    bytes_ = static_cast<std::int64_t>(std::filesystem::file_size(ours_));
    if (session.rank > 0) return;
    content_.resize(size_of(bytes_));
    PlainFile(ours_, O_RDONLY).read(content_.data(), bytes_);
  }

  void run() {
    Contest writing(session_), hiding(session_), reading(session_);
    time_writing(writing);
    if (request_.started) time_hiding(hiding, median_of(writing.seconds(1)));
    for (OrbitalPart& part : orbitals_.parts) std::fill(part.coefficients.begin(), part.coefficients.end(), 0.0);
    time_reading(reading);
    const double error = error_of_made(orbitals_);
    if (!request_.keep.empty()) write_orbitals(orbitals_, request_.keep, "wfn", options_);

    BenchResult result;
    result.name =
        fmt::format("wavefile {} k-points x {} bands x {} waves", request_.kpoints, request_.bands, request_.waves);
    result.timing.seconds = writing.seconds(1);
    result.plan.algorithm = request_.algorithm;
    result.max_error = error;
    result.more = {{"bytes", bytes_},
                   {"write", writing.json()},
                   {"read", reading.json()},
                   {"write_ratio", writing.ratios()},
                   {"read_ratio", reading.ratios()}};
    if (request_.started) {
      result.more["started"] = hiding.json();
      result.more["hidden"] = hidden(hiding);
    }
    print(session_, result);
  }

 private:
  void time_writing(Contest& contest) {
    contest.add("plain", gone(plain_), [&] {
      if (session_.rank == 0) {
        const PlainFile file(plain_, O_WRONLY | O_CREAT | O_TRUNC);
        file.write(content_.data(), bytes_);
        file.flush();
      }
      sleep_until_all_are_here(session_.comm);
    });
    contest.add("seiche", gone(ours_), [&] { write_orbitals(orbitals_, ours_, "wfn", options_); });
    if (request_.old) {
      contest.add("point-to-point", gone(old_), [&] { one_by_one_.write(orbitals_, old_); });
      contest.add("gather", gone(old_), [&] { gathered_.write(orbitals_, old_); });
    }
    contest.run(request_.repeats);
  }
  /// Times a write, a computation of the given length, and both at the same time.
  void time_hiding(Contest& contest, double seconds) {
    const int steps = computation_.steps_in(session_, seconds);
    contest.add("write", gone(ours_), [&] { write_orbitals(orbitals_, ours_, "wfn", options_); });
    contest.add(
        "compute", [] {},
        [this, steps] {
          for (int i = 0; i < steps; ++i) computation_.step();
        });
    contest.add("both", gone(ours_), [this, steps] {
      Pending writing = start_write_orbitals(orbitals_, ours_, "wfn", options_);
      for (int i = 0; i < steps; ++i) {
        computation_.step();
        writing.progress();
      }
      writing.finish();
    });
    contest.run(request_.repeats);
  }
  /// Returns the median of the part of a write that a computation hides.
  static double hidden(const Contest& contest) {
    const auto &write = contest.seconds(0), &compute = contest.seconds(1), &both = contest.seconds(2);
    std::vector<double> parts;
    for (std::size_t i = 0; i < write.size(); ++i) parts.push_back((write[i] + compute[i] - both[i]) / write[i]);
    return median_of(parts);
  }
  void time_reading(Contest& contest) {
    contest.add("plain", cold(session_, plain_), [&] {
      if (session_.rank == 0) PlainFile(plain_, O_RDONLY).read(content_.data(), bytes_);
      sleep_until_all_are_here(session_.comm);
    });
    contest.add("seiche", cold(session_, ours_),
                [&] { read_into(orbitals_, WaveFile(session_.comm, ours_), options_); });
    if (request_.old) {
      contest.add("point-to-point", cold(session_, old_), [&] { one_by_one_.read(orbitals_, old_); });
      contest.add("gather", cold(session_, old_), [&] { gathered_.read(orbitals_, old_); });
    }
    contest.run(request_.repeats);
  }
  std::function<void()> gone(const std::string& path) const {
    return [this, path] {
      if (session_.rank == 0) ::unlink(path.c_str());
    };
  }

  const Session& session_;
  const WaveBenchRequest& request_;
  const Place place_;
  const std::string ours_ = place_.file("ours.h5"), old_ = place_.file("old"), plain_ = place_.file("plain");
  Orbitals orbitals_;
  MoveOptions options_;
  std::int64_t bytes_ = 0;
  std::vector<char> content_;
  OldWay one_by_one_, gathered_;
  Computation computation_;
};

}  // namespace

void bench_wavefile(const Session& session, const WaveBenchRequest& request) { WaveFileBench(session, request).run(); }

}  // namespace seiche::command
