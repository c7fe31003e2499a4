// SPDX-License-Identifier: BSD-3-Clause
/// \file  The record of one process of a profiled program in a file: written through shared memory during the run, and
/// read by `seiche profile` afterwards. All tables have fixed sizes. The record of a killed process holds its calls
/// until then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace seiche::profile {

constexpr std::uint64_t record_mark = 0x35656c69666f7270;  // "profile5"

/// MPI functions by number, and their classes.
enum class Class : std::uint8_t { point_to_point, completion, collective, one_sided, file, setup, other, query };
constexpr std::size_t classes = 7;  ///< whose time is measured: all but queries

enum Function : std::uint32_t {
#define FUNCTION(name, class) F_##name,
#include "functions.inc"
#undef FUNCTION
  function_count
};

/// A call site of the program.
struct Site {
  std::uint64_t address;  ///< 0: this entry is free
  std::uint64_t offset;   ///< relative to the module
  std::uint32_t function, module;
  std::int64_t calls, bytes, nanoseconds, longest;
  std::int64_t largest_block,
      blocks;            ///< of collectives with a count per rank: the largest count, and the number of counts
  std::int64_t results;  ///< set-up functions: number of different results, up to results_kept
  char symbol[112];
};

struct Module {
  char path[256];
};

constexpr std::size_t results_kept = 64;
struct Results {
  std::uint32_t site, used;
  std::array<std::uint64_t, results_kept> seen;
};

struct Bin {
  std::array<std::int64_t, classes> nanoseconds;
  std::int64_t resident;  ///< bytes, the largest value observed
};

/// Sizes in powers of two of bytes: sizes[0] counts empty ones, sizes[k] counts 2^(k-1) ... 2^k - 1.
struct Sizes {
  std::array<std::int64_t, 44> calls;
};

struct Communicator {
  std::uint64_t id;  ///< the same on all its ranks
  std::int32_t size, rank;
};

struct Peer {
  std::int64_t messages, bytes;
};

/// The bytes that a rank sends to each rank of a group in an all-to-all.
struct Gift {
  std::uint64_t hash;   ///< 0: this entry is free
  std::uint64_t group;  ///< the same for communicators of the same ranks in the same order
  std::uint32_t first;  ///< index of its first byte count
  std::int32_t size, rank;
};

/// The partners that a call waits for.
enum class Role : std::uint8_t { none, send, receive, all, from_root, to_root, prefix };

/// A call, or a message or collective started by one call and completed by another.
struct Event {
  std::int64_t start, enter, leave;  ///< times of the start, and of the entry and return of the completing call
  std::uint64_t key;                 ///< the same on the partners; 0: no partners, or unknown ones
  std::int64_t bytes;
  std::uint32_t site, wait_site;
  std::uint32_t wait;  ///< number of the completing call on this process; 0: the call itself
  std::int32_t
      peer;  ///< world rank; the root's rank in the communicator; for an all-to-all the index of its Gift, or -1
  std::uint32_t communicator;
  std::uint16_t visits;  ///< MPI calls between the start and the completing call
  Role role;
  std::uint8_t thread;
};

constexpr std::size_t site_capacity = 4096, module_capacity = 128, results_capacity = 256, bin_capacity = 1024,
                      communicator_capacity = 4096, peer_capacity = 4096, gift_capacity = 512,
                      gift_bytes_capacity = 65536;
constexpr const char* sessions_file = "sessions";  ///< in the folder of the records, if the program uses sessions
constexpr int kept_window_bits = 29;  ///< events are kept or dropped in windows of 2^29 ns, the same on all ranks

struct Record {
  std::uint64_t mark;
  std::int32_t rank, size, thread_level, finished;
  std::int64_t begin, end,
      last;  ///< nanoseconds on this process's clock: return of MPI_Init, entry of MPI_Finalize, last call
  std::int64_t offset_begin, offset_end;  ///< offset to the clock of rank 0, at begin and at end
  std::int64_t calls, lost_sites, lost_events;
  std::int64_t spawned;  ///< processes started by MPI_Comm_spawn and similar calls with this process as root
  std::int64_t off;      ///< nanoseconds without recording, between calls of MPI_Pcontrol
  std::int64_t bin_width;
  std::uint64_t windows_mask;  ///< windows are kept if these bits of their hash are 0
  std::uint32_t sites, modules, results, communicators, peers;
  std::uint32_t threads;  ///< number of threads that called MPI at the same time
  std::uint32_t gift_bytes_used;
  std::uint64_t events, event_capacity;
  char host[64];
  char library[128];
  char program[256];
  char before[256];  ///< module that intercepts functions before the recorder: a profiling layer of the program
  std::array<std::uint8_t, function_count> shadowed;  ///< whether it intercepts this function
  std::array<Site, site_capacity> site;
  std::array<Module, module_capacity> module;
  std::array<Results, results_capacity> result;
  std::array<Bin, bin_capacity> bin;
  std::array<Sizes, function_count> sizes;
  std::array<Communicator, communicator_capacity> communicator;
  std::array<Peer, peer_capacity> peer;
  std::array<Gift, gift_capacity> gift;
  std::array<std::int64_t, gift_bytes_capacity> gift_bytes;
  Event event[1];  // event_capacity entries
};

inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return mixed(a * 0x9e3779b97f4a7c15 + b + 1); }

}  // namespace seiche::profile
