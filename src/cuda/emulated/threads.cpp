// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/emulated/threads.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "cuda/emulated/fibre.hpp"
#include "seiche/error.hpp"
#include "support/aligned_memory.hpp"

namespace seiche::emulated {

namespace {

constexpr unsigned warp_size = 32;
constexpr std::size_t stack_size = 128 << 10, slots_size = 16 * warp_size;

/// Memory whose end is followed by a page without access.
class Fenced {
 public:
  explicit Fenced(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), bytes_(bytes) {
    size_ = rounded_up(bytes, page_);
    void* mapped =
        mmap(nullptr, size_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    mapped_ = static_cast<std::byte*>(mapped);
    mprotect(mapped_ + size_, page_, PROT_NONE);
  }
  ~Fenced() { munmap(mapped_, size_ + page_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  std::byte* data() const { return mapped_ + size_ - bytes_; }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t page_, bytes_, size_;
  std::byte* mapped_;
};

/// Runs one cluster of blocks after another.
class Cluster {
 public:
  Cluster(unsigned threads, std::size_t shared, unsigned blocks, const std::function<void()>& kernel)
      : kernel_(kernel),
        threads_(threads),
        blocks_(blocks),
        warps_((threads + warp_size - 1) / warp_size),
        fibres_(threads * blocks),
        waits_(fibres_.size()),
        slots_(warps_ * blocks * slots_size),
        waiting_(blocks),
        at_cluster_(blocks),
        ended_(blocks),
        started_(blocks) {
    constexpr std::size_t alignment = 128;
    for (unsigned b = 0; b < blocks; ++b) {
      memory_.push_back(std::make_unique<Fenced>(rounded_up(shared, alignment)));
      shared_.push_back(memory_.back()->data());
    }
    if (!stacks || stacks->size() < fibres_.size() * stack_size)
      stacks = std::make_unique<Fenced>(fibres_.size() * stack_size);
  }

  /// `first`: index of the first block of the cluster
  void run(const dim3& first) {
    first_ = first;
    running = this;
    for (unsigned b = 0; b < blocks_; ++b) poison(b);
    std::fill(started_.begin(), started_.end(), false);
    for (std::size_t f = 0; f < fibres_.size(); ++f) fibres_[f].set(stacks->data() + f * stack_size, stack_size, start);
    std::fill(waiting_.begin(), waiting_.end(), 0);
    std::fill(at_cluster_.begin(), at_cluster_.end(), 0);
    std::fill(ended_.begin(), ended_.end(), 0);
    std::fill(waits_.begin(), waits_.end(), Wait::none);
    const unsigned late = random() % (blocks_ + 1);  // a block that starts when the others cannot continue, or none
    for (const bool second : {false, true}) {
      for (unsigned w = 0; w < warps_ * blocks_; ++w)
        if ((w / warps_ == late) == second) ready_.push_back(w);
      while (!ready_.empty()) run_one_warp();
    }
    for (const unsigned ended : ended_) require_progress(ended == warps_);
  }

  void suspend(Wait others) {
    waits_[current_] = others;
    fibres_[current_].run(caller_);
  }

  static inline thread_local Cluster* running = nullptr;

 private:
  static void start() {
    running->kernel_();
    running->suspend(Wait::end);
  }
  static void require_progress(bool progress) {
    if (!progress)
      throw Error(Fault::internal, "threads of a block wait at different barriers: correct the CUDA kernel");
  }

  /// One warp at a time is slow: it runs only if no other warp can.
  void run_one_warp() {
    if (random() % 64 == 0) slow_ = random() % (warps_ * blocks_);
    std::size_t drawn = random() % ready_.size();
    if (ready_[drawn] == slow_) drawn = (drawn + 1) % ready_.size();
    const unsigned warp = ready_[drawn], block = warp / warps_;
    ready_[drawn] = ready_.back();
    ready_.pop_back();
    switch (run_lanes(warp)) {
      case Wait::none:
        break;
      case Wait::warp:
        ready_.push_back(warp);
        return;
      case Wait::block:
        ++waiting_[block];
        break;
      case Wait::cluster:
        ++at_cluster_[block];
        break;
      case Wait::end:
        if (++ended_[block] == warps_) poison(block);
        break;
    }
    if (waiting_[block] > 0 && waiting_[block] + ended_[block] == warps_) release(block, waiting_);
    for (unsigned b = 0; b < blocks_; ++b)
      if (at_cluster_[b] + ended_[b] < warps_) return;
    for (unsigned b = 0; b < blocks_; ++b) release(b, at_cluster_);
  }

  /// Fills the shared memory of a block with NaN: before it starts, when it starts, and when it ends. Other blocks of
  /// the cluster must use the memory between.
  void poison(unsigned block) { std::memset(memory_[block]->data(), 0xff, memory_[block]->size()); }

  /// Runs the threads of a warp until they wait, and returns what they wait for.
  Wait run_lanes(unsigned warp) {
    const unsigned block = warp / warps_, first = warp % warps_ * warp_size;
    const unsigned lanes = std::min(warp_size, threads_ - first);
    const bool backwards = random() % 2 == 0;
    Wait all = Wait::end;
    if (!started_[block]) poison(block);
    started_[block] = true;
    blockIdx = {first_.x + block, first_.y, first_.z};
    here.cluster_rank = block;
    here.shared = shared_.data();
    here.slots = slots_.data() + warp * slots_size;
    for (unsigned i = 0; i < lanes; ++i) {
      const unsigned thread = first + (backwards ? lanes - 1 - i : i);
      current_ = block * threads_ + thread;
      if (waits_[current_] == Wait::end) continue;
      threadIdx = {thread, 0, 0};
      caller_.run(fibres_[current_]);
      const Wait mine = waits_[current_];
      require_progress(mine == Wait::end || all == Wait::end || mine == all);
      if (mine != Wait::end) all = mine;
    }
    return all;
  }

  /// Continues the warps of a block that wait at a barrier.
  void release(unsigned block, std::vector<unsigned>& at_barrier) {
    at_barrier[block] = 0;
    for (unsigned w = block * warps_; w < (block + 1) * warps_; ++w) {
      const auto lanes = waits_.begin() + block * threads_ + w % warps_ * warp_size;
      const auto end = lanes + std::min(warp_size, threads_ - w % warps_ * warp_size);
      if (std::any_of(lanes, end, [](Wait wait) { return wait != Wait::end; })) ready_.push_back(w);
    }
  }

  unsigned random() { return static_cast<unsigned>(numbers()) >> 8; }

  static inline thread_local std::minstd_rand numbers{20261127};
  static inline thread_local std::unique_ptr<Fenced> stacks;
  const std::function<void()>& kernel_;
  unsigned threads_, blocks_, warps_;  // threads and warps of a block
  std::vector<Fibre> fibres_;
  std::vector<Wait> waits_;
  std::vector<std::byte> slots_;
  std::vector<unsigned> waiting_, at_cluster_, ended_;  // numbers of warps of each block
  std::vector<bool> started_;
  std::vector<std::unique_ptr<Fenced>> memory_;
  std::vector<std::byte*> shared_;
  std::vector<unsigned> ready_;
  unsigned slow_ = 0;
  Fibre caller_;
  std::size_t current_ = 0;
  dim3 first_;
};

}  // namespace

void wait_for(Wait others) { Cluster::running->suspend(others); }

void run_blocks(const dim3& grid, unsigned threads, std::size_t shared, unsigned cluster,
                const std::function<void()>& kernel) {
  Cluster blocks(threads, shared, cluster, kernel);
  blockDim = {threads, 1, 1};
  gridDim = grid;
  here.cluster_size = cluster;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; x += cluster) blocks.run({x, y, z});
}

}  // namespace seiche::emulated
