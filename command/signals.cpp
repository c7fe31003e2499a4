// SPDX-License-Identifier: BSD-3-Clause
#include "signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <system_error>
#include <thread>

#include "seiche/unfinished.hpp"

namespace seiche::command {
namespace {

constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};
std::array<int, 2> channel{
    -1, -1};  // from the signal handler, which may call almost nothing, to a thread without this limit
volatile std::sig_atomic_t signals_seen = 0;

void handle(int signal) {
  signals_seen = signals_seen + 1;
  if (signals_seen > 1) _exit(128 + signal);
  const auto number = static_cast<unsigned char>(signal);
  if (write(channel[1], &number, 1) != 1) _exit(128 + signal);
}

void wait_for_signal(const Course& course) {
  unsigned char signal = 0;
  while (read(channel[0], &signal, 1) != 1) {
  }
  remove_unfinished();
  const char* bar = isatty(STDERR_FILENO) ? "\r\033[K" : "";
  if (course.code != 0) _exit(course.code);
  if (course.speaks)
    std::fprintf(stderr,
                 "%sseiche: stopped by a signal; no incomplete file is left, and existing files are unchanged\n", bar);
  _exit(128 + signal);
}

}  // namespace

void clear_away_on_signals(const Course& course) {
  if (pipe2(channel.data(), O_CLOEXEC) != 0) return;
  try {
    std::thread(wait_for_signal, std::cref(course)).detach();
  } catch (const std::system_error&) {
    return;  // without the thread a signal ends the process immediately, and the next run removes its files
  }
  for (const int signal : signals) {
    struct sigaction now {
    }, wanted{};
    if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    wanted.sa_handler = handle;
    wanted.sa_flags = SA_RESTART;
    sigaction(signal, &wanted, nullptr);
  }
}

}  // namespace seiche::command
