// SPDX-License-Identifier: BSD-3-Clause
/// \file  Endpoints of redistribution in a file: whole bands are read and written in the background.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "containers/extents.hpp"
#include "files/bands/file_order.hpp"
#include "orbitals/redistribution.hpp"
#include "support/worker.hpp"

namespace seiche {

/// The transfer between the memory of one slot and consecutive bands of one task in the file. Together the loads have
/// all waves of the k-point.
struct Strip {
  std::size_t task = 0;
  Range bands;
  std::vector<BlockPart> block_parts;
};

/// Contiguous bytes in a file, and their memory.
struct Stretch {
  const File* file = nullptr;
  std::int64_t offset = 0, bytes = 0;
  std::vector<std::span<std::byte>> pieces;
};

/// Common parts of both endpoints: two background threads. If the file has the format of memory, the first thread reads
/// or writes in the order of the file, and the second computes checksums. Conversions use both threads.
class FileEndpoint : public Endpoint {
 public:
  FileEndpoint(const WaveTable& table, const std::vector<MoveTask>& tasks, File::Mode mode)
      : table_(table), tasks_(tasks), mode_(mode), workers_(2) {}
  ~FileEndpoint() override { FileEndpoint::drain(); }
  void finish(int slot) override { wait(jobs_[slot]); }
  bool ready(int slot) override { return done(jobs_[slot]); }
  bool k_interleaved() const override;
  void drain() noexcept override {
    for (Worker& worker : workers_) worker.drain();
  }

 protected:
  using Complex = std::complex<double>;
  struct Job {
    std::size_t thread = 0;
    std::int64_t number = 0;
  };
  /// Adds work for one of the threads, which runs its jobs in order. finish() of the slot waits for the last one.
  Job add(int slot, std::size_t thread, std::function<void()> work);
  Job add(std::size_t thread, std::function<void()> work) { return {thread, workers_[thread].add(std::move(work))}; }
  void wait(const Job& job) { workers_[job.thread].wait(job.number); }
  bool done(const Job& job) { return workers_[job.thread].done(job.number); }

  const WaveBlock& block(const Strip& strip) const;
  std::int64_t waves_of(const Strip& strip) const;
  std::int64_t components_of(const Strip& strip) const { return tasks_[strip.task].components; }
  bool checked() const { return !table_.checksums.path.empty(); }
  /// Opens the file of checksums; called by start(), and open from the first call on.
  void open_sums();
  const File& sums_file() const { return *sums_; }
  /// Returns the position of the checksum of a strip's band in its file; in a file that is written, the following ones
  /// are consecutive.
  std::int64_t checksum_place(const Strip& strip, std::int64_t band) const;
  /// Opens a file, which stays open until another one is opened: the system reads ahead only in a file that stays open.
  std::shared_ptr<const File> open(const std::string& path);

  /// A strip in transfer, and its file.
  struct Transfer;
  using Transfers = std::shared_ptr<const std::vector<Transfer>>;
  static bool all_in_place(const std::vector<Transfer>& transfers);
  /// Returns contiguous stretches in the order of the file. \pre all transfers are in place
  std::vector<Stretch> stretches_of(const std::vector<Transfer>& transfers) const;

  const WaveTable& table_;
  const std::vector<MoveTask>& tasks_;

 private:
  File::Mode mode_;
  std::shared_ptr<const File> file_, sums_;
  std::map<int, Job> jobs_;  // by slot, the last job
  std::vector<Worker> workers_;
};

/// Returns the files with the bands of a table.
std::set<std::string> files_of(const WaveTable& table);

/// Fills loads with bands of a file. \throws Error from finish() if they are damaged
class FileReader : public FileEndpoint {
 public:
  FileReader(const WaveTable& table, const std::vector<MoveTask>& tasks)
      : FileEndpoint(table, tasks, File::Mode::read) {}
  void start(int slot, const std::vector<BlockPart>& block_parts) override;

 private:
  void convert(const Transfer& transfer) const;
  void check(const Transfer& transfer) const;
  void check_band(const Transfer& transfer, std::int64_t band, std::uint64_t sum) const;
};

/// Writes the contents of loads. `table` belongs to the file, whose waves may have another order than the tasks.
class FileWriter : public FileEndpoint {
 public:
  using Order = std::function<FileOrder(int k)>;
  FileWriter(const WaveTable& table, const std::vector<MoveTask>& tasks, const std::vector<KPoint>& given, Order order)
      : FileEndpoint(table, tasks, File::Mode::write), given_(given), order_(std::move(order)) {}
  void start(int slot, const std::vector<BlockPart>& block_parts) override;
  /// Local. Starts to write all data of this rank to disk, in the background. Returns whether it is there. \pre all
  /// slots are finished
  bool flush_mine();
  /// Collective. Waits until all data written by these ranks, and earlier by rank 0, is on disk. \pre all slots are
  /// finished
  void flush(const Communicator& comm);

 private:
  using Sums = std::vector<std::uint64_t>;  ///< one per band
  Sums sums_of(const Transfer& transfer) const;
  Sums convert(const Transfer& transfer) const;
  void write_sums(const Strip& strip, const Sums& sums) const;
  std::shared_ptr<const FileOrder> order_of(int k);

  const std::vector<KPoint>& given_;
  Order order_;
  std::map<int, std::shared_ptr<const FileOrder>> orders_;
  std::set<std::string> written_;
  std::optional<Job> flush_;  // of flush_mine()
};

}  // namespace seiche
