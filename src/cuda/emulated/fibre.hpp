// SPDX-License-Identifier: BSD-3-Clause
/// \file  Fibres: functions with their own stacks, which run alternately in one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __x86_64__

// Saves the registers that a function must preserve, stores the stack pointer, and continues with another stack.
extern "C" void seiche_switch_stack(void** mine, void* other);
asm(R"(
  .text
  .local seiche_switch_stack
  .type seiche_switch_stack, @function
seiche_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size seiche_switch_stack, .-seiche_switch_stack
)");

namespace seiche::emulated {

class Fibre {
 public:
  Fibre() = default;  ///< the caller
  /// `start` must not return.
  void set(std::byte* stack, std::size_t bytes, void (*start)()) {
    auto* top = reinterpret_cast<void**>(stack + bytes);
    top[-2] = reinterpret_cast<void*>(start);  // with the alignment that a called function expects
    stack_ = top - 8;                          // below: six registers
  }
  void run(Fibre& next) { seiche_switch_stack(&stack_, next.stack_); }

 private:
  void* stack_ = nullptr;
};

}  // namespace seiche::emulated

#else

#include <ucontext.h>

namespace seiche::emulated {

class Fibre {
 public:
  Fibre() = default;  ///< the caller
  /// `start` must not return.
  void set(std::byte* stack, std::size_t bytes, void (*start)()) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack;
    context_.uc_stack.ss_size = bytes;
    makecontext(&context_, start, 0);
  }
  void run(Fibre& next) { swapcontext(&context_, &next.context_); }

 private:
  ucontext_t context_;
};

}  // namespace seiche::emulated

#endif
