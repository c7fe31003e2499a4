// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files that many ranks write together, and that appear under their names only when they are complete.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "files/containers/extents.hpp"
#include "seiche/communicator.hpp"
#include "support/unfinished.hpp"
#include "support/worker.hpp"

namespace seiche {

/// A file or a directory in the making, beside its final place. Unless committed, it vanishes with the object.
class OutputFile {
 public:
  using Kind = OutputKind;
  /// Collective. Makes an empty file, or directory, of a temporary name beside `path`.
  OutputFile(const Communicator& comm, const std::string& path, Kind kind = Kind::file);
  OutputFile(OutputFile&&) = default;
  OutputFile& operator=(OutputFile&&) = delete;

  /// \throws Error(unwritable) when no file could be made at `path`. Leaves nothing behind. For one process.
  static void expect_writable(const std::string& path) { Unfinished(path, Kind::file); }

  const std::string& temporary() const { return temporary_; }
  /// Flushes what this rank wrote; in an unfinished folder that is left to who makes the folder, for many files at
  /// once.
  void flush(const File& file) const;
  /// For rank 0, of a directory that has all its files by now: begins to flush the names in it and the files that rank
  /// 0 alone has written, all but `others`. A flush takes the disk some ms whatever the size, so it is done beside the
  /// rest.
  void begin_flush(const std::set<std::string>& others);
  /// Collective. Gives it its name, in the place of what was there before. \pre every rank has flushed what it wrote,
  /// but for what begin_flush() is for
  void commit();

 private:
  Communicator comm_;
  std::string temporary_;
  bool in_unfinished_ = false;              // whether it is a file in an unfinished folder
  std::unique_ptr<Unfinished> unfinished_;  // on rank 0, until committed
  std::unique_ptr<Worker> flush_;           // on rank 0, from begin_flush() on; ends before the file does
};

/// Joins writes to neighbouring places into large ones.
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
