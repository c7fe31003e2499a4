// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files and folders under temporary names until they are complete.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace seiche {

enum class OutputKind { file, directory };

/// Returns the final path of an output after resolving symbolic links. \throws Error(unwritable) if it is a special
/// file, such as a device
std::string place_of_output(const std::string& path);

/// Flushes a file, or the entries of a folder. A rename is persistent only after its folder is flushed.
void flush_to_disk(const std::string& path);

/// Runs a call that may create a temporary again, such as H5Fcreate(). remove_unfinished() waits until it has returned.
/// A call that begins later blocks forever.
void before_removal(const std::function<void()>& create);

/// An unfinished file or folder of one process. The destructor removes it unless finish() was called. Temporaries of
/// killed processes are removed by the next process that writes to the same path. A file in an unfinished folder of
/// this process has its final name from the beginning.
class Unfinished {
 public:
  /// Creates an empty file or folder. \throws Error(unwritable) if that fails
  Unfinished(const std::string& path, OutputKind kind);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  const std::string& temporary() const noexcept { return temporary_; }
  /// Renames it to its final name and replaces an existing file.
  void finish();

 private:
  struct Lock;

  std::string path_, temporary_;
  OutputKind kind_;
  std::unique_ptr<Lock> lock_;  // marks the temporary as in use
};

}  // namespace seiche
