// SPDX-License-Identifier: BSD-3-Clause
/// \file  The ends of a way that lie in a file: whole bands are read and written in the background.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "support/worker.hpp"
#include "wavefile/file_order.hpp"
#include "waves/shuttle.hpp"

namespace seiche {

/// What passes between one slot's memory and one freight's consecutive bands in the file: together the loads have all
/// waves of the k-point.
struct Strip {
  std::size_t freight = 0;
  Range bands;
  std::vector<Load> loads;
};

/// What both ends have in common: jobs of strips, one after another.
class FileDock : public Dock {
 public:
  FileDock(const WaveTable& table, const std::vector<Freight>& freights, std::size_t threads)
      : table_(table), freights_(freights), workers_(threads) {}
  void start(int slot, const std::vector<Load>& loads) override;
  void finish(int slot) override;
  void settle() noexcept override {
    for (Worker& worker : workers_) worker.drain();
  }

 protected:
  using Complex = std::complex<double>;
  virtual void move(const Strip& strip) = 0;  ///< in the background; slots go to the threads in turn

  const WaveBlock& block(const Strip& strip) const;
  std::int64_t waves_of(const Strip& strip) const;
  std::int64_t components_of(const Strip& strip) const { return freights_[strip.freight].components; }
  bool checked() const { return !table_.checksums.path.empty(); }
  /// Where the checksums of a strip's bands lie.
  Extent checksums_of(const Strip& strip) const;

  const WaveTable& table_;
  const std::vector<Freight>& freights_;

 private:
  std::map<int, std::int64_t> jobs_;  // by slot, the last one given
  std::vector<Worker> workers_;
};

/// The files that hold a table's bands.
std::set<std::string> files_of(const WaveTable& table);

/// Fills loads with bands of a file. \throws Error from finish() when they are damaged
class FileSource : public FileDock {
 public:
  FileSource(const WaveTable& table, const std::vector<Freight>& freights) : FileDock(table, freights, 2) {}

 private:
  void move(const Strip& strip) override;
  void read_band(const File& file, const Strip& strip, std::int64_t band, std::span<Complex> row) const;
};

/// Writes what loads hold. `table` is the file's, whose waves may be in another order than those of the freights.
class FileTarget : public FileDock {
 public:
  using Order = std::function<FileOrder(int k)>;
  FileTarget(const WaveTable& table, const std::vector<Freight>& freights, const std::vector<KPoint>& given,
             Order order)
      : FileDock(table, freights, 1), given_(given), order_(std::move(order)) {}
  /// Collective. Until all that these ranks wrote is on the disk, and what rank 0 wrote before. \pre all slots are
  /// finished
  void flush(const Communicator& comm) const;

 private:
  void move(const Strip& strip) override;
  const FileOrder& order_of(int k);

  const std::vector<KPoint>& given_;
  Order order_;
  std::map<int, FileOrder> orders_;
  std::set<std::string> written_;
};

}  // namespace seiche
