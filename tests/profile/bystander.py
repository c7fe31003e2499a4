#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A second recorder, to judge the first by: it stands before every function that the MPI library exports, whatever its arguments, and
counts calls and seconds. It knows nothing of MPI but names: each stub notes the clock, calls what would have been called, notes it again.

bystander.py LIBRARY.so SHARED_LIBRARIES...: makes LIBRARY.so. Preloaded first, it writes $BYSTANDER/PID: function, calls, seconds.
x86-64 only; no function of MPI takes its arguments in vector registers."""
import pathlib
import re
import subprocess
import sys

ASSEMBLY = """
.text
stub:                                  # r11 = what is noted of the function
  pop %r10                             # where the caller goes on
  push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9; push %rax; sub $8, %rsp
  mov %r11, %rdi; mov %r10, %rsi
  call enter
  mov %rax, %r11
  add $8, %rsp; pop %rax; pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi
  call *%r11                           # arguments on the stack are where they were
  push %rax; push %rdx
  call leave
  mov %rax, %r11
  pop %rdx; pop %rax
  push %r11
  ret
"""
STUB = """
.globl {name}
.type {name}, @function
{name}: lea functions+{offset}(%rip), %r11; jmp stub
"""
NOTES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct function { const char* name; void* real; long calls, nanoseconds; };
__attribute__((visibility("hidden"))) struct function functions[] = {
%s};
enum { count = sizeof functions / sizeof functions[0], deepest = 64 };

static __thread struct { struct function* of; void* back; long began; } calls[deepest];
static __thread int depth = 0;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1000000000L * time.tv_sec + time.tv_nsec;
}

__attribute__((visibility("hidden"))) void* enter(struct function* of, void* back) {
  if (of->real == NULL) of->real = dlsym(RTLD_NEXT, of->name);
  if (depth == deepest) abort();
  calls[depth].of = of;
  calls[depth].back = back;
  calls[depth++].began = now();
  return of->real;
}

/* Within a call, what the program's own callbacks call counts too; what MPI calls is its own affair. */
static int called_by_program(void) {
  Dl_info caller;
  return depth == 0 || !dladdr(calls[depth].back, &caller) || !strstr(caller.dli_fname, "/libmpi");
}

__attribute__((visibility("hidden"))) void* leave(void) {
  const long end = now();
  --depth;
  if (called_by_program()) {
    __atomic_add_fetch(&calls[depth].of->calls, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&calls[depth].of->nanoseconds, end - calls[depth].began, __ATOMIC_RELAXED);
  }
  return calls[depth].back;
}

__attribute__((destructor)) static void tell(void) {
  const char* folder = getenv("BYSTANDER");
  char path[4096];
  long all = 0;
  for (int i = 0; i < count; ++i) all += functions[i].calls;
  if (folder == NULL || all == 0) return;
  snprintf(path, sizeof path, "%%s/%%ld", folder, (long)getpid());
  FILE* file = fopen(path, "w");
  for (int i = 0; file && i < count; ++i)
    if (functions[i].calls) fprintf(file, "%%s %%ld %%.9f\n", functions[i].name, functions[i].calls, 1e-9 * functions[i].nanoseconds);
  if (file) fclose(file);
}
"""


def names_in(libraries):
    """Functions of MPI, in C and in all of Fortran's spellings."""
    names = set()
    for library in libraries:
        listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        names |= {line.split()[2].split("@")[0] for line in listed.splitlines() if line.split()[1] in "TtWwi"}
    return sorted(n for n in names if re.fullmatch(r"MPI_\w+|mpi_\w+", n) and not n.lower().startswith(("mpi_t_", "mpi_wtime", "mpi_wtick")))


def main(made, *libraries):
    names = names_in(libraries)
    source = pathlib.Path(made).with_suffix("")
    source.with_suffix(".s").write_text(ASSEMBLY + "".join(STUB.format(name=n, offset=32 * i) for i, n in enumerate(names))
                                        + '.section .note.GNU-stack,"",@progbits\n', encoding="utf-8")
    source.with_suffix(".c").write_text(NOTES % "".join(f'{{"{n}", 0, 0, 0}},\n' for n in names), encoding="utf-8")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", made, source.with_suffix(".s"), source.with_suffix(".c"), "-Wl,--no-as-needed",
                    *libraries, "-ldl"], check=True)  # which Python would load after the stubs have looked for them


if __name__ == "__main__":
    main(*sys.argv[1:])
