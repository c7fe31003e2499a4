// SPDX-License-Identifier: BSD-3-Clause
#include "report/child.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

#include "seiche/error.hpp"

namespace seiche::profile {

namespace {

constexpr std::array<int, 4> noticed{SIGTERM, SIGHUP, SIGINT, SIGCHLD};
std::array<int, 2> channel{-1, -1};  // the signal handler writes a byte to it, so that no signal is missed
std::array<struct sigaction, noticed.size()> old_actions{};
volatile std::sig_atomic_t told = 0;

void handle(int signal, siginfo_t* info, void*) {
  if (signal == SIGINT && info->si_code == SI_KERNEL) return;  // from the keyboard
  const int error = errno;
  if (signal != SIGCHLD) {
    if (told != 0) _exit(128 + signal);
    told = signal;
  }
  [[maybe_unused]] const auto written = write(channel[1], "", 1);  // a full channel wakes the reader as well
  errno = error;
}

/// Waits for a signal, for at most this time; -1: without a limit.
void wait_for_signal(int milliseconds) {
  pollfd end{channel[0], POLLIN, 0};
  poll(&end, 1, milliseconds);
  std::array<char, 64> bytes{};
  while (read(channel[0], bytes.data(), bytes.size()) > 0) {
  }
}

/// \pre all signals are blocked, so that none arrives before the program has started
[[noreturn]] void become(const std::vector<std::string>& command, const sigset_t& mask) {
  for (std::size_t i = 0; i < noticed.size(); ++i) sigaction(noticed[i], &old_actions[i], nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  fmt::print(stderr, "seiche: {}: {}\n", command[0], std::strerror(errno));
  _exit(127);
}

pid_t start(const std::vector<std::string>& command) {
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &mask);
  const pid_t child = fork();
  if (child == 0) become(command, mask);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (child < 0)
    throw Error(Fault::internal, fmt::format("profile: cannot start a process ({})", std::strerror(errno)));
  return child;
}

/// Reaps the children that have ended. \return whether `child` is among them
bool has_ended(pid_t child, int& status) {
  bool found = false;
  int one = 0;
  for (pid_t ended = 0; (ended = waitpid(-1, &one, WNOHANG)) > 0;) {
    if (ended != child) continue;
    status = one;
    found = true;
  }
  return found;
}

std::vector<pid_t> children() {
  std::ifstream list(fmt::format("/proc/self/task/{}/children", getpid()));
  std::vector<pid_t> all;
  for (pid_t one = 0; list >> one;) all.push_back(one);
  return all;
}

/// Sends a signal once to each child, and to processes that become children when their parents end, until none is left.
/// \param ended whether `child` has ended
void end_children(int signal, pid_t child, int& status, bool& ended) {
  constexpr std::chrono::seconds limit(10);
  const auto last = std::chrono::steady_clock::now() + limit;
  std::vector<pid_t> told_to;
  while (std::chrono::steady_clock::now() < last) {
    ended = has_ended(child, status) || ended;
    std::vector<pid_t> rest = children();
    if (!ended && rest.empty()) rest.push_back(child);  // systems without that list
    if (rest.empty()) break;
    for (const pid_t one : rest) {
      if (std::find(told_to.begin(), told_to.end(), one) != told_to.end()) continue;
      kill(one, signal);
      told_to.push_back(one);
    }
    wait_for_signal(50);
  }
}

}  // namespace

EndOnSignals::EndOnSignals() {
  told = 0;
  if (pipe2(channel.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Error(Fault::internal, fmt::format("profile: cannot create a pipe ({})", std::strerror(errno)));
  }
  for (std::size_t i = 0; i < noticed.size(); ++i) {
    sigaction(noticed[i], nullptr, &old_actions[i]);
    if (old_actions[i].sa_handler == SIG_IGN && noticed[i] != SIGCHLD) continue;
    struct sigaction wanted {};
    wanted.sa_sigaction = handle;
    wanted.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(noticed[i], &wanted, nullptr);
  }
}

EndOnSignals::~EndOnSignals() {
  for (std::size_t i = 0; i < noticed.size(); ++i) sigaction(noticed[i], &old_actions[i], nullptr);
  for (int& end : channel) close(end);
}

int EndOnSignals::signal() noexcept { return told; }

int run_child(const std::vector<std::string>& command) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphaned processes become children
  const pid_t child = start(command);
  int status = 0;
  bool ended = has_ended(child, status);
  while (!ended && told == 0) {
    wait_for_signal(-1);
    ended = has_ended(child, status);
  }
  if (told != 0) {
    end_children(SIGTERM, child, status, ended);
    end_children(SIGKILL, child, status, ended);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  if (!ended) return 128 + SIGKILL;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace seiche::profile
