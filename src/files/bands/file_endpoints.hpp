// SPDX-License-Identifier: BSD-3-Clause
/// \file  The ends of a way that lie in a file: whole bands are read and written in the background.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "files/bands/file_order.hpp"
#include "files/containers/extents.hpp"
#include "orbitals/redistribution.hpp"
#include "support/worker.hpp"

namespace seiche {

/// What passes between one slot's memory and one task's consecutive bands in the file: together the loads have all
/// waves of the k-point.
struct Strip {
  std::size_t task = 0;
  Range bands;
  std::vector<BlockPart> block_parts;
};

/// Bytes that lie in a row in a file, and where they are in memory.
struct Stretch {
  const File* file = nullptr;
  std::int64_t offset = 0, bytes = 0;
  std::vector<std::span<std::byte>> pieces;
};

/// What both ends have in common: two threads that work in the background. The first one reads or writes, in the order
/// of the file, where numbers are in the file as they are wanted; the second makes checksums. What has to be converted
/// keeps both busy.
class FileEndpoint : public Endpoint {
 public:
  FileEndpoint(const WaveTable& table, const std::vector<MoveTask>& tasks, File::Mode mode)
      : table_(table), tasks_(tasks), mode_(mode), workers_(2) {}
  ~FileEndpoint() override { FileEndpoint::drain(); }
  void finish(int slot) override { wait(jobs_[slot]); }
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
  /// Work for one of the threads, which does its jobs in the order in which they come. finish() of the slot waits for
  /// the last.
  Job add(int slot, std::size_t thread, std::function<void()> work);
  void wait(const Job& job) { workers_[job.thread].wait(job.number); }

  const WaveBlock& block(const Strip& strip) const;
  std::int64_t waves_of(const Strip& strip) const;
  std::int64_t components_of(const Strip& strip) const { return tasks_[strip.task].components; }
  bool checked() const { return !table_.checksums.path.empty(); }
  /// Of checksums; open from the first call on, and to be called by start().
  void open_sums();
  const File& sums_file() const { return *sums_; }
  /// Where in its file the checksum of a strip's band lies; in a file that is written, those of the next ones follow.
  std::int64_t checksum_place(const Strip& strip, std::int64_t band) const;
  /// Stays open until another is asked for: the system reads ahead only where a file is read on and on.
  std::shared_ptr<const File> open(const std::string& path);

  /// A strip on its way, and the file at its other end.
  struct Transfer;
  using Transfers = std::shared_ptr<const std::vector<Transfer>>;
  static bool all_in_place(const std::vector<Transfer>& transfers);
  /// What lies in a row in a file, in the order of the file. \pre all are in place
  std::vector<Stretch> stretches_of(const std::vector<Transfer>& transfers) const;

  const WaveTable& table_;
  const std::vector<MoveTask>& tasks_;

 private:
  File::Mode mode_;
  std::shared_ptr<const File> file_, sums_;
  std::map<int, Job> jobs_;  // by slot, the last one given
  std::vector<Worker> workers_;
};

/// The files that hold a table's bands.
std::set<std::string> files_of(const WaveTable& table);

/// Fills loads with bands of a file. \throws Error from finish() when they are damaged
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

/// Writes what loads hold. `table` is the file's, whose waves may be in another order than those of the tasks.
class FileWriter : public FileEndpoint {
 public:
  using Order = std::function<FileOrder(int k)>;
  FileWriter(const WaveTable& table, const std::vector<MoveTask>& tasks, const std::vector<KPoint>& given, Order order)
      : FileEndpoint(table, tasks, File::Mode::write), given_(given), order_(std::move(order)) {}
  void start(int slot, const std::vector<BlockPart>& block_parts) override;
  /// Collective. Until all that these ranks wrote is on the disk, and what rank 0 wrote before. \pre all slots are
  /// finished
  void flush(const Communicator& comm) const;

 private:
  using Sums = std::vector<std::uint64_t>;  ///< of bands
  Sums sums_of(const Transfer& transfer) const;
  Sums convert(const Transfer& transfer) const;
  void write_sums(const Strip& strip, const Sums& sums) const;
  std::shared_ptr<const FileOrder> order_of(int k);

  const std::vector<KPoint>& given_;
  Order order_;
  std::map<int, std::shared_ptr<const FileOrder>> orders_;
  std::set<std::string> written_;
};

}  // namespace seiche
