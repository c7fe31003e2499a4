// SPDX-License-Identifier: BSD-3-Clause
#include "files/containers/output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
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

namespace fs = std::filesystem;

constexpr const char* mark = ".seiche-";  // between the final name and six letters

[[noreturn]] void cannot_write(const std::string& path, const char* remedy) {
  fail(Fault::unwritable, "cannot write {}: {}; {}", path, std::strerror(errno), remedy);
}

/// Flushes a file, or the names in a folder: a rename is on the disk only when its folder is.
void flush(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  const bool done = ::fsync(descriptor) == 0 || errno == EINVAL;
  ::close(descriptor);
  if (!done) cannot_write(path.string(), "free some space or choose another place");
}

fs::path folder_of(const std::string& path) { return fs::absolute(path).parent_path(); }

/// Two paths change places where the system can do so in one step.
bool exchange(const std::string& a, const std::string& b) {
#ifdef RENAME_EXCHANGE
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
#else
  return false;
#endif
}

/// Puts a directory in the place of another. \pre both exist
void replace_directory(const std::string& by, const std::string& path) {
  std::string old = by;
  if (!exchange(by, path)) {
    old = by + ".old";
    if (std::rename(path.c_str(), old.c_str()) != 0) cannot_write(path, "choose another place");
    if (std::rename(by.c_str(), path.c_str()) != 0) {
      std::rename(old.c_str(), path.c_str());
      cannot_write(path, "choose another place");
    }
  }
  fs::remove_all(old);
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

/// Held on a temporary while its writer lives. HDF5 has flock() for itself, so files are locked in the other way.
struct OutputFile::Lock {
  explicit Lock(const std::string& path) {
    std::error_code ignored;
    const bool folder = fs::is_directory(path, ignored);
    descriptor = ::open(path.c_str(), (folder ? O_RDONLY : O_RDWR) | O_CLOEXEC);
    if (descriptor < 0) return;
#ifdef F_OFD_SETLK
    struct flock whole {};
    whole.l_type = F_WRLCK;
    held = folder ? ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 : ::fcntl(descriptor, F_OFD_SETLK, &whole) == 0;
#endif
  }
  ~Lock() {
    if (descriptor >= 0) ::close(descriptor);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  int descriptor = -1;
  bool held = false;

  /// Removes temporaries of `path` whose writers are gone.
  static void sweep(const std::string& path) {
    const std::string prefix = fs::path(path).filename().string() + mark;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_of(path), ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.size() < prefix.size() + 6 || name.compare(0, prefix.size(), prefix) != 0) continue;
      const Lock lock(entry.path().string());
      if (lock.held) fs::remove_all(entry.path(), ignored);
    }
  }

  /// A new empty file or directory beside `path`, with the permissions of any other new one.
  static std::string make(const std::string& path, Kind kind) {
    require(kind == Kind::directory || !fs::is_directory(path), Fault::unwritable,
            "cannot write {}: it is a folder; choose another name", path);
    require(kind == Kind::file || !fs::exists(path) || fs::is_directory(path), Fault::unwritable,
            "cannot write {}: it is a file, not a folder; choose another name", path);
    std::string name = path + mark + "XXXXXX";
    const mode_t mask = ::umask(0);
    ::umask(mask);
    constexpr const char* remedy = "make the folder first or choose another place";
    if (kind == Kind::directory) {
      if (!::mkdtemp(name.data())) cannot_write(path, remedy);
      ::chmod(name.c_str(), 0777 & ~mask);
      return name;
    }
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0) cannot_write(path, remedy);
    ::fchmod(descriptor, 0666 & ~mask);
    ::close(descriptor);
    return name;
  }
};

void OutputFile::expect_writable(const std::string& path) { ::unlink(Lock::make(path, Kind::file).c_str()); }

OutputFile::OutputFile(const Communicator& comm, const std::string& path, Kind kind)
    : comm_(comm), path_(without_slash(path)), kind_(kind) {
  on_root(comm_, [&] {
    Lock::sweep(path_);
    do {  // another process may sweep a new temporary away before it is locked
      temporary_ = Lock::make(path_, kind_);
      lock_ = std::make_shared<Lock>(temporary_);
    } while (lock_->held && !fs::exists(temporary_));
  });
  broadcast(comm_, temporary_);
  pending_ = std::make_unique<bool>(true);
}

OutputFile::~OutputFile() {
  flush_.reset();
  if (!pending_ || !*pending_ || comm_.rank() != 0) return;
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

void OutputFile::begin_flush(const std::set<std::string>& others) {
  flush_ = std::make_unique<Worker>();
  flush_->add([folder = fs::path(temporary_), others] {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (others.find(entry.path().string()) == others.end()) flush(entry.path());
    }
    flush(folder);
  });
}

void OutputFile::commit() {
  on_root(comm_, [&] {
    if (flush_) flush_->wait(1);
    if (kind_ == Kind::directory && fs::exists(path_)) {
      replace_directory(temporary_, path_);
    } else if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
      cannot_write(path_, "choose another place");
    }
    flush(folder_of(path_));
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
