// SPDX-License-Identifier: BSD-3-Clause
#include "recorder/recorder.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "recorder/symbols.hpp"

namespace seiche::profile {

namespace {

Record* mapping = nullptr;
bool is_on = true;
std::int64_t switched = 0;  // when recording was last switched on or off

constexpr Class class_of[] = {
#define FUNCTION(name, class) Class::class,
#include "functions.inc"
#undef FUNCTION
};

constexpr const char* name_of[] = {
#define FUNCTION(name, class) "MPI_" #name,
#include "functions.inc"
#undef FUNCTION
};

template <std::size_t n>
void copy(char (&into)[n], const char* from) {
  const std::size_t length = std::min(std::strlen(from), n - 1);
  std::memcpy(into, from, length);
  into[length] = 0;
}

void* map_file(int rank, std::size_t bytes) {
  const std::string path = std::string(std::getenv("SEICHE_PROFILE_DIRECTORY")) + "/rank." + std::to_string(rank);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0 && errno == EEXIST) {
    if (rank == 0)
      std::fprintf(stderr,
                   "seiche profile: a program is already recorded, so that this one is not: profile one program at a "
                   "time, and start all processes of a program with the launcher of its MPI\n");
    return nullptr;
  }
  void* memory = MAP_FAILED;
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (file >= 0) close(file);
  if (memory != MAP_FAILED) return memory;
  std::fprintf(stderr, "seiche profile: cannot write %s: rank %d is not recorded\n", path.c_str(), rank);
  unlink(path.c_str());  // the other processes count the files
  return nullptr;
}

std::int64_t resident_bytes() {
  static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[64] = {};
  if (file < 0 || pread(file, text, sizeof text - 1, 0) <= 0) return 0;
  long total = 0, resident = 0;
  std::sscanf(text, "%ld %ld", &total, &resident);
  return resident * sysconf(_SC_PAGESIZE);
}

std::uint32_t module_of(const char* path) {
  for (std::uint32_t i = 0; i < mapping->modules; ++i) {
    if (std::strncmp(mapping->module[i].path, path, sizeof(Module) - 1) == 0) return i;
  }
  if (mapping->modules == module_capacity) return module_capacity - 1;
  copy(mapping->module[mapping->modules].path, path);
  return mapping->modules++;
}

void name_site(Site& site) {
  Dl_info info{};
  ElfW(Sym)* symbol = nullptr;
  if (dladdr1(reinterpret_cast<void*>(site.address), &info, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0)
    return;
  if (info.dli_fname == nullptr) return;
  // The name of the program itself may have no path.
  site.module = module_of(info.dli_fname[0] == '/' ? info.dli_fname : mapping->program);
  site.offset = site.address - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  // The nearest exported symbol may belong to a function far before this one.
  const bool is_inside =
      symbol != nullptr && site.address - reinterpret_cast<std::uint64_t>(info.dli_saddr) <= symbol->st_size;
  if (is_inside && info.dli_sname != nullptr) copy(site.symbol, info.dli_sname);
}

/// Doubles the width of the bins, so that the run fits.
void widen_bins() {
  for (std::size_t i = 0; i < bin_capacity; ++i) {
    Bin sum{};
    for (std::size_t half = 2 * i; half < std::min(2 * i + 2, bin_capacity); ++half) {
      for (std::size_t c = 0; c < classes; ++c) sum.nanoseconds[c] += mapping->bin[half].nanoseconds[c];
      sum.resident = std::max(sum.resident, mapping->bin[half].resident);
    }
    mapping->bin[i] = sum;
  }
  mapping->bin_width *= 2;
}

void add_to_bins(std::size_t which, std::int64_t start, std::int64_t end) {
  start = std::max(start, mapping->begin) - mapping->begin;
  end = std::max(end - mapping->begin, start);
  while (end >= mapping->bin_width * static_cast<std::int64_t>(bin_capacity)) widen_bins();
  const std::int64_t width = mapping->bin_width;
  for (std::int64_t at = start; at < end;) {
    const std::int64_t bin = at / width, until = std::min(end, (bin + 1) * width);
    mapping->bin[static_cast<std::size_t>(bin)].nanoseconds[which] += until - at;
    at = until;
  }
}

void look_at_memory(std::int64_t time) {
  static std::int64_t next = 0;
  if (time < next) return;
  next = time + 20'000'000;
  auto& most = mapping->bin[static_cast<std::size_t>((time - mapping->begin) / mapping->bin_width)].resident;
  most = std::max(most, resident_bytes());
}

bool is_kept(std::int64_t time) {
  const std::int64_t shared = time + mapping->offset_begin;  // the same window on all ranks
  return (mixed(static_cast<std::uint64_t>(shared >> kept_window_bits)) & mapping->windows_mask) == 0;
}

/// Drops the events of every second window. The current window alone may not fit: its remainder is dropped and counted.
void thin_events() {
  mapping->windows_mask = mapping->windows_mask * 2 + 1;
  std::uint64_t kept = 0;
  for (std::uint64_t i = 0; i < mapping->events; ++i) {
    if (is_kept(mapping->event[i].enter)) mapping->event[kept++] = mapping->event[i];
  }
  mapping->lost_events += static_cast<std::int64_t>(mapping->events - kept);
  mapping->events = kept;
}

/// Finds functions that another module intercepts first; it may forward calls past the recorder.
void look_for_other_layers() {
  Dl_info own{}, first{};
  if (dladdr(reinterpret_cast<void*>(&record), &own) == 0) return;
  for (std::size_t f = 0; f < function_count; ++f) {
    const void* reached = dlsym(RTLD_DEFAULT, name_of[f]);
    if (reached == nullptr || dladdr(reached, &first) == 0 || first.dli_fbase == own.dli_fbase) continue;
    copy(mapping->before, first.dli_fname[0] == '/' ? first.dli_fname : mapping->program);
    mapping->shadowed[f] = 1;
  }
}

}  // namespace

Record* record() noexcept { return mapping; }

void begin_record() {
  MPI_Comm parent = no_communicator();
  REAL(Comm_get_parent)(&parent);
  if (std::getenv("SEICHE_PROFILE_DIRECTORY") == nullptr || parent != no_communicator()) return;
  int rank = 0, size = 1;
  REAL(Comm_rank)(world(), &rank);
  REAL(Comm_size)(world(), &size);
  const char* wish = std::getenv("SEICHE_PROFILE_EVENTS");
  const std::uint64_t events = std::max(1024LL, wish != nullptr ? std::atoll(wish) : 131072LL);
  auto* made = static_cast<Record*>(map_file(rank, sizeof(Record) + events * sizeof(Event)));
  if (made == nullptr) return;
  const std::int64_t offset = clock_offset();
  made->rank = rank;
  made->size = size;
  REAL(Query_thread)(&made->thread_level);
  made->bin_width = 1'000'000;
  made->event_capacity = events;
  made->communicators = 1;  // 0 means none
  made->peers = static_cast<std::uint32_t>(size) <= peer_capacity ? static_cast<std::uint32_t>(size) : 0;
  made->offset_begin = made->offset_end = offset;
  gethostname(made->host, sizeof made->host - 1);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  REAL(Get_library_version)(text, &length);
  text[std::strcspn(text, "\n,")] = 0;
  copy(made->library, text);
  if (readlink("/proc/self/exe", made->program, sizeof made->program - 1) < 0) made->program[0] = 0;
  made->begin = made->last = now();
  made->mark = record_mark;
  mapping = made;
  look_for_other_layers();
  look_at_memory(made->begin);
}

void switch_recording(bool on) {
  if (on == is_on) return;
  const std::int64_t time = now();
  if (on) mapping->off += time - switched;
  is_on = on;
  switched = time;
}

bool is_recording() noexcept { return is_on; }

void finish_record() {
  switch_recording(true);
  mapping->end = now();
  mapping
      ->bin[static_cast<std::size_t>(
          std::min<std::int64_t>((mapping->end - mapping->begin) / mapping->bin_width, bin_capacity - 1))]
      .resident = resident_bytes();
  mapping->offset_end = clock_offset();
  mapping->finished = 1;
  mapping = nullptr;
}

std::uint32_t site_of(Function function, const void* address) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  std::size_t i = mixed(at, function) % site_capacity;
  for (std::size_t tries = 0; tries < 64; ++tries, i = (i + 1) % site_capacity) {
    Site& site = mapping->site[i];
    if (site.address == at && site.function == function) return static_cast<std::uint32_t>(i);
    if (site.address != 0) continue;
    site.address = at;
    site.function = function;
    site.module = module_capacity;
    name_site(site);
    ++mapping->sites;
    return static_cast<std::uint32_t>(i);
  }
  ++mapping->lost_sites;
  return static_cast<std::uint32_t>(i);
}

void add_query(std::uint32_t index) {
  if (is_on) ++mapping->site[index].calls;
}

void add_call(std::uint32_t index, std::int64_t start, std::int64_t end, std::int64_t bytes) {
  if (!is_on) return;
  Site& site = mapping->site[index];
  ++site.calls;
  ++mapping->calls;
  site.bytes += bytes;
  site.nanoseconds += end - start;
  site.longest = std::max(site.longest, end - start);
  const int bits = bytes > 0 ? 64 - __builtin_clzll(static_cast<unsigned long long>(bytes)) : 0;
  ++mapping->sizes[site.function].calls[static_cast<std::size_t>(std::min(bits, 43))];
  add_to_bins(static_cast<std::size_t>(class_of[site.function]), start, end);
  look_at_memory(end);
  mapping->last = end;
}

void add_event(const Event& event) {
  if (!is_on || event.start < switched) return;
  if (!is_kept(event.enter)) {
    ++mapping->lost_events;
    return;
  }
  if (mapping->events == mapping->event_capacity) thin_events();
  if (mapping->events == mapping->event_capacity || !is_kept(event.enter)) {
    ++mapping->lost_events;
    return;
  }
  mapping->event[mapping->events++] = event;
}

std::int32_t gift_of(std::uint32_t site, std::uint64_t group, int rank, const std::vector<std::int64_t>& bytes) {
  std::uint64_t hash = mixed(mixed(site, group), bytes.size());
  for (const std::int64_t one : bytes) hash = mixed(hash, static_cast<std::uint64_t>(one));
  hash |= 1;
  for (std::size_t tries = 0, i = hash % gift_capacity; tries < 16; ++tries, i = (i + 1) % gift_capacity) {
    Gift& gift = mapping->gift[i];
    if (gift.hash == hash) return static_cast<std::int32_t>(i);
    if (gift.hash != 0) continue;
    if (mapping->gift_bytes_used + bytes.size() > gift_bytes_capacity) break;
    gift = {hash, group, mapping->gift_bytes_used, static_cast<std::int32_t>(bytes.size()), rank};
    std::copy(bytes.begin(), bytes.end(), mapping->gift_bytes.begin() + mapping->gift_bytes_used);
    mapping->gift_bytes_used += static_cast<std::uint32_t>(bytes.size());
    return static_cast<std::int32_t>(i);
  }
  return -1;
}

void add_result(std::uint32_t index, std::uint64_t result) {
  if (!is_on) return;
  Results* mine = nullptr;
  for (std::uint32_t i = 0; i < mapping->results && mine == nullptr; ++i) {
    if (mapping->result[i].site == index) mine = &mapping->result[i];
  }
  if (mine == nullptr) {
    if (mapping->results == results_capacity) return;
    mine = &mapping->result[mapping->results++];
    mine->site = index;
  }
  const std::uint64_t *begin = mine->seen.data(), *end = begin + mine->used;
  if (mine->used == results_kept || std::find(begin, end, result) != end) return;
  mine->seen[mine->used++] = result;
  mapping->site[index].results = mine->used;
}

}  // namespace seiche::profile
