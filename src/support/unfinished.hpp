// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files and folders in the making: under a temporary name beside their place until they are complete.
#pragma once

#include <memory>
#include <string>

namespace seiche {

enum class OutputKind { file, directory };

/// Where an output called `path` goes: where symbolic links lead. \throws Error(unwritable) where there is something
/// that is neither a file nor a folder, such as a device
std::string place_of_output(const std::string& path);

/// Flushes a file, or the names in a folder: a rename is on the disk only when its folder is.
void flush_to_disk(const std::string& path);

/// One of them, of one process. Unless finished, it vanishes with the object; what a killed process left behind is
/// swept away by the next that writes to the same place. A file right in an unfinished folder of this process has its
/// own name at once: it is the folder that appears or vanishes, with all that is in it.
class Unfinished {
 public:
  /// Makes an empty file, or folder. \throws Error(unwritable) with the remedy when there can be none
  Unfinished(const std::string& path, OutputKind kind);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  const std::string& temporary() const noexcept { return temporary_; }
  /// Gives it its name, in the place of what was there before.
  void finish();

 private:
  struct Lock;

  std::string path_, temporary_;
  OutputKind kind_;
  std::unique_ptr<Lock> lock_;  // tells others that the temporary is in use
};

}  // namespace seiche
