// SPDX-License-Identifier: BSD-3-Clause
/// \file  Methods that are timed side by side, and plain input and output as the reference.
#pragma once

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench_report.hpp"
#include "seiche/error.hpp"

namespace seiche::command {

/// Waits for all ranks without using the processor.
inline void sleep_until_all_are_here(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

/// A file accessed by system calls.
class PlainFile {
 public:
  PlainFile(const std::string& path, int flags)
      : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail();
  }
  ~PlainFile() { ::close(descriptor_); }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  void write(const void* data, std::int64_t bytes) const {
    for (const char* next = static_cast<const char*>(data); bytes > 0;) {
      const ssize_t put = ::write(descriptor_, next, static_cast<std::size_t>(std::min(bytes, piece)));
      if (put <= 0) fail();
      next += put;
      bytes -= put;
    }
  }
  void read(void* data, std::int64_t bytes) const {
    for (char* next = static_cast<char*>(data); bytes > 0;) {
      const ssize_t got = ::read(descriptor_, next, static_cast<std::size_t>(std::min(bytes, piece)));
      if (got <= 0) fail();
      next += got;
      bytes -= got;
    }
  }
  /// Reads the whole file in parts into the same memory.
  void skim(std::vector<char>& memory) const {
    while (::read(descriptor_, memory.data(), memory.size()) > 0) {
    }
  }
  void flush() const {
    if (::fdatasync(descriptor_) != 0) fail();
  }
  /// Drops the file from the page cache. \pre the file is flushed
  void forget() const { ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }

 private:
  static constexpr std::int64_t piece = std::int64_t{4} << 20;  // bytes per plain write or read
  [[noreturn]] void fail() const {
    throw Error(Fault::unwritable, fmt::format("cannot use {}: choose another --path", path_));
  }
  std::string path_;
  int descriptor_;
};

/// Times of several methods, run alternately so that drift of the machine affects all of them.
class Contest {
 public:
  explicit Contest(const Session& session) : session_(session) {}
  void add(std::string name, std::function<void()> prepare, std::function<void()> work) {
    methods_.push_back({std::move(name), std::move(prepare), std::move(work), {}});
  }
  void run(int repeats) {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (Method& method : methods_) {
        method.prepare();
        sleep_until_all_are_here(session_.comm);
        const double start = MPI_Wtime();
        method.work();
        method.seconds.push_back(largest(session_.comm, MPI_Wtime() - start));
      }
    }
  }
  const std::vector<double>& seconds(std::size_t method) const { return methods_[method].seconds; }
  nlohmann::ordered_json json() const {
    nlohmann::ordered_json all;
    for (const Method& method : methods_) all[method.name] = summary(method.seconds);
    return all;
  }
  /// Returns the medians of the ratios of each method's time to the time of the first method in the same round.
  nlohmann::ordered_json ratios() const {
    nlohmann::ordered_json all;
    for (const Method& method : methods_) {
      std::vector<double> ratio;
      for (std::size_t i = 0; i < method.seconds.size(); ++i)
        ratio.push_back(method.seconds[i] / methods_[0].seconds[i]);
      all[method.name] = median_of(ratio);
    }
    return all;
  }

 private:
  struct Method {
    std::string name;
    std::function<void()> prepare, work;
    std::vector<double> seconds;
  };
  static nlohmann::ordered_json summary(const std::vector<double>& seconds) {
    const auto bounds = std::minmax_element(seconds.begin(), seconds.end());
    return {{"min", *bounds.first}, {"median", median_of(seconds)}, {"max", *bounds.second}};
  }
  const Session& session_;
  std::vector<Method> methods_;
};

}  // namespace seiche::command
