// SPDX-License-Identifier: BSD-3-Clause
#include "support/unfinished_output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <string_view>
#include <thread>

#include "seiche/unfinished.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

namespace fs = std::filesystem;

constexpr const char* mark = ".seiche-";  // between the final name and six random letters

/// All temporary files of this process. The lock is held while names change, and forever after remove_unfinished().
struct Register {
  std::mutex mutex;
  std::set<std::string> temporaries;
  static Register& get() {
    static auto* one = new Register;  // never destroyed: a thread may exit the process while others use it
    return *one;
  }
};

const char* remedy_for(int error) {
  switch (error) {
    case ENOENT:
      return "create the folder first or choose another path";
    case EACCES:
    case EPERM:
      return "choose a folder with write permission";
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another path";
    default:
      return "choose another path";
  }
}

[[noreturn]] void cannot_write(const std::string& path) {
  const int error = errno;
  fail(Fault::unwritable, "cannot write {} ({}): {}", path, std::strerror(error), remedy_for(error));
}

fs::path folder_of(const std::string& path) { return fs::absolute(path).parent_path(); }

/// Exchanges two paths atomically if the system supports it.
bool exchange(const std::string& a, const std::string& b) {
#ifdef RENAME_EXCHANGE
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
#else
  return false;
#endif
}

/// Keeps the space of a file while another file takes its name. The destructor frees it in the background. Otherwise
/// rename() frees it, which takes milliseconds for a large file.
class Replaced {
 public:
#ifdef O_PATH
  explicit Replaced(const std::string& path) : descriptor_(::open(path.c_str(), O_PATH | O_CLOEXEC)) {}
#else
  explicit Replaced(const std::string&) {}
#endif
  ~Replaced() {
    constexpr off_t small = 1 << 20;  // bytes; a thread takes longer
    struct stat status {};
    if (descriptor_ < 0) return;
    const bool at_once = ::fstat(descriptor_, &status) != 0 || status.st_size < small;
    if (at_once || !started()) ::close(descriptor_);
  }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

 private:
  bool started() const noexcept {
    try {
      std::thread([descriptor = descriptor_] { ::close(descriptor); }).detach();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }
  int descriptor_ = -1;
};

/// Replaces a directory by another one. \pre both exist
void replace_directory(const std::string& by, const std::string& path) {
  std::string old = by;
  if (!exchange(by, path)) {
    old = by + ".old";
    if (std::rename(path.c_str(), old.c_str()) != 0) cannot_write(path);
    if (std::rename(by.c_str(), path.c_str()) != 0) {
      const int error = errno;
      std::rename(old.c_str(), path.c_str());
      errno = error;
      cannot_write(path);
    }
  }
  std::error_code ignored;  // the new directory is complete; the next run removes remains of the old one
  fs::remove_all(old, ignored);
}

/// Creates an empty file.
void make_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) cannot_write(path);
  ::close(descriptor);
}

/// Returns six random letters.
std::string random_letters() {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::random_device source;
  std::uniform_int_distribution<std::size_t> any(0, letters.size() - 1);
  std::string chosen;
  while (chosen.size() < 6) chosen += letters[any(source)];
  return chosen;
}

/// Creates an empty file or directory with default permissions. The umask of the process is not changed, because
/// threads share it. \return whether it did not exist before; otherwise errno is set
bool make_new(const std::string& name, OutputKind kind) {
  if (kind == OutputKind::directory) return ::mkdir(name.c_str(), 0777) == 0;
  const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

/// Creates an empty file or directory next to `path`, with default permissions.
std::string make_temporary(const std::string& path, OutputKind kind) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored), there = fs::exists(path, ignored);
  require(kind == OutputKind::directory || !folder, Fault::unwritable,
          "cannot write {} (it is a folder): choose another name", path);
  require(kind == OutputKind::file || !there || folder, Fault::unwritable,
          "cannot write {} (it is a file, not a folder): choose another name", path);
  std::string name = path + mark + random_letters();
  while (!make_new(name, kind)) {
    if (errno != EEXIST) cannot_write(path);
    name = path + mark + random_letters();
  }
  return name;
}

}  // namespace

std::string place_of_output(const std::string& path) {
  constexpr int most_links = 40;  // limit of the system
  fs::path place(path);
  std::error_code unknown;
  for (int links = 0; fs::is_symlink(fs::symlink_status(place, unknown)); ++links) {
    require(links < most_links, Fault::unwritable,
            "cannot write {} (its symbolic links form a loop): choose another name", path);
    place = place.parent_path() / fs::read_symlink(place, unknown);
  }
  const fs::file_status status = fs::status(place, unknown);
  require(!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status), Fault::unwritable,
          "cannot write {} (it is a device, a pipe or a socket): choose another name", path);
  std::string name = place.string();
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  return name;
}

void flush_to_disk(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  const bool done = ::fsync(descriptor) == 0 || errno == EINVAL;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (!done) cannot_write(path);
}

/// Lock on a temporary during the lifetime of its writer. Files use fcntl(), because HDF5 uses flock().
struct Unfinished::Lock {
  explicit Lock(const std::string& path) {
    std::error_code ignored;
    const bool folder = fs::is_directory(path, ignored);
    descriptor = ::open(path.c_str(), (folder ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK);
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

  /// Removes temporaries of `path` whose writers have exited.
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
};

Unfinished::Unfinished(const std::string& path, OutputKind kind) : path_(place_of_output(path)), kind_(kind) {
  Register& known = Register::get();
  const std::lock_guard guard(known.mutex);
  if (kind == OutputKind::file && known.temporaries.count(fs::path(path_).parent_path().string()) > 0) {
    make_file(path_);
    temporary_ = path_;
    return;
  }
  Lock::sweep(path_);
  std::error_code ignored;
  do {  // another process may remove a new temporary before it is locked
    temporary_ = make_temporary(path_, kind_);
    lock_ = std::make_unique<Lock>(temporary_);
  } while (lock_->held && !fs::exists(temporary_, ignored));
  known.temporaries.insert(temporary_);
}

Unfinished::~Unfinished() {
  Register& known = Register::get();
  const std::lock_guard guard(known.mutex);
  if (known.temporaries.erase(temporary_) == 0) return;
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

void Unfinished::finish() {
  if (temporary_ == path_) return;
  Register& known = Register::get();
  const std::lock_guard guard(known.mutex);
  std::error_code ignored;
  const Replaced old(path_);
  if (kind_ == OutputKind::directory && fs::exists(path_, ignored)) {
    replace_directory(temporary_, path_);
  } else if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    cannot_write(path_);
  }
  known.temporaries.erase(temporary_);
  flush_to_disk(folder_of(path_).string());
}

void before_removal(const std::function<void()>& create) {
  const std::lock_guard guard(Register::get().mutex);
  create();
}

void remove_unfinished() noexcept {
  Register& known = Register::get();
  known.mutex.lock();  // never unlocked
  for (const std::string& temporary : known.temporaries) {
    // other threads may still add files to the folder
    for (int attempt = 0; attempt < 1000; ++attempt) {
      std::error_code failed;
      fs::remove_all(temporary, failed);
      if (!failed) break;
    }
  }
}

}  // namespace seiche
