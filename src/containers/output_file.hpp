// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files that several ranks write together, and that appear under their names when they are complete.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "containers/extents.hpp"
#include "seiche/communicator.hpp"
#include "support/unfinished_output.hpp"
#include "support/worker.hpp"

namespace seiche {

/// An unfinished file or folder beside its final path. It is removed with the object unless committed.
class OutputFile {
 public:
  using Kind = OutputKind;
  /// Collective. Creates an empty file or folder with a temporary name beside `path`.
  OutputFile(const Communicator& comm, const std::string& path, Kind kind = Kind::file);
  OutputFile(OutputFile&&) = default;
  OutputFile& operator=(OutputFile&&) = delete;

  /// \throws Error(unwritable) if no file can be created at `path`. Leaves no file behind. For one process.
  static void expect_writable(const std::string& path) { Unfinished(path, Kind::file); }

  const std::string& temporary() const { return temporary_; }
  /// Flushes what this rank wrote. In an unfinished folder this is left to the creator of the folder, for many files at
  /// once.
  void flush(const File& file) const;
  /// For rank 0, of a folder with all its files: starts to flush its entries and the files written by rank 0 alone,
  /// except `others`. A flush takes milliseconds for any size, so that it runs in the background.
  void begin_flush(const std::set<std::string>& others);
  /// Collective. Renames it to its final name, replacing an existing file. \pre every rank has flushed its data, except
  /// the data of begin_flush()
  void commit();

 private:
  Communicator comm_;
  std::string temporary_;
  bool in_unfinished_ = false;              // whether it is a file in an unfinished folder
  std::unique_ptr<Unfinished> unfinished_;  // on rank 0, until committed
  std::unique_ptr<Worker> flush_;           // on rank 0, from begin_flush() on; ends before the file does
};

/// Merges adjacent writes into large ones.
class RunWriter {
 public:
  explicit RunWriter(const File& file) : file_(file) {}
  void add(std::int64_t offset, std::string_view bytes);
  void flush();

 private:
  const File& file_;
  std::int64_t begin_ = 0;
  std::string run_;
};

}  // namespace seiche
