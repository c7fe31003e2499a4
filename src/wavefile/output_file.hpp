// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files that many ranks write together, and that appear under their names only when they are complete.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "seiche/communicator.hpp"
#include "wavefile/extents.hpp"

namespace seiche {

/// \throws Error(unwritable) when no file could be made at `path`. Leaves nothing behind. For one process.
void require_writable(const std::string& path);

/// A file in the making, beside its final place. Unless committed, it vanishes with the object.
class OutputFile {
 public:
  /// Collective. Makes an empty file of a temporary name in the folder of `path`.
  OutputFile(const Communicator& comm, const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&&) = default;
  OutputFile& operator=(OutputFile&&) = delete;

  const std::string& temporary() const { return temporary_; }
  /// Collective. Gives the file its name. \pre every rank has flushed what it wrote
  void commit();

 private:
  Communicator comm_;
  std::string path_, temporary_;
  std::unique_ptr<bool> pending_;  // null in a moved-from object
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
