// SPDX-License-Identifier: BSD-3-Clause
#include "wavefile/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::size_t largest_run = std::size_t{8} << 20;

/// A new empty file beside `path`, with the permissions of any other new file.
std::string make_temporary(const std::string& path) {
  require(!std::filesystem::is_directory(path), Fault::unwritable,
          "cannot write {}: it is a folder; choose another name", path);
  std::string name = path + ".XXXXXX";
  const int descriptor = ::mkstemp(name.data());
  require(descriptor >= 0, Fault::unwritable, "cannot write {}: {}; make the folder first or choose another place",
          path, std::strerror(errno));
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor, 0666 & ~mask);
  ::close(descriptor);
  return name;
}

/// A rename is on the disk only when its folder is.
void flush_folder(const std::string& path) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void require_writable(const std::string& path) { ::unlink(make_temporary(path).c_str()); }

OutputFile::OutputFile(const Communicator& comm, const std::string& path) : comm_(comm), path_(path) {
  on_root(comm_, [&] { temporary_ = make_temporary(path); });
  broadcast(comm_, temporary_);
  pending_ = std::make_unique<bool>(true);
}

OutputFile::~OutputFile() {
  if (pending_ && *pending_ && comm_.rank() == 0) ::unlink(temporary_.c_str());
}

void OutputFile::commit() {
  on_root(comm_, [&] {
    require(std::rename(temporary_.c_str(), path_.c_str()) == 0, Fault::unwritable,
            "cannot write {}: {}; choose another place", path_, std::strerror(errno));
    flush_folder(path_);
  });
  *pending_ = false;
}

void RunWriter::add(std::int64_t offset, std::string_view bytes) {
  if (offset != begin_ + static_cast<std::int64_t>(run_.size()) || run_.size() > largest_run) {
    flush();
    begin_ = offset;
  }
  run_ += bytes;
}

void RunWriter::flush() {
  file_.write(begin_, std::as_bytes(std::span(run_)));
  begin_ += static_cast<std::int64_t>(run_.size());
  run_.clear();
}

}  // namespace seiche
