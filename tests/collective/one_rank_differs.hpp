// SPDX-License-Identifier: BSD-3-Clause
/// \file  Collective calls in which the last rank passes another argument than the others.
#pragma once

#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "interface/visit.hpp"
#include "seiche/pending.hpp"
#include "seiche/presence.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

inline std::string now_running;  // for the message of the watchdog

/// Ends the program with a message if a case takes longer than 20 s.
class Watchdog {
 public:
  explicit Watchdog(std::string what) {
    now_running = std::move(what);
    std::signal(SIGALRM, [](int) {
      const std::string line = "no end within 20 s: " + now_running + "\n";
      static_cast<void>(!::write(2, line.data(), line.size()));
      ::_exit(3);
    });
    ::alarm(20);
  }
  ~Watchdog() { ::alarm(0); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

inline bool is_last() { return rank() == ranks() - 1; }
/// Returns the value of this rank.
template <class T>
T on_last(const T& mine, const T& usual) {
  return is_last() ? mine : usual;
}

inline std::int64_t number_of_ranks_with(bool condition) {
  std::int64_t mine = condition, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// Checks that all ranks throw the same error. Returns its message.
template <class Work>
std::string common_error(const std::string& what, const Work& work) {
  const Watchdog watchdog(what);
  const auto fault = fault_of(work);
  EXPECT_EQ(number_of_ranks_with(fault.has_value()), ranks()) << what << ": " << (fault ? fault->what() : "no error");
  compared();
  return fault ? fault->what() : "";
}

/// Checks that a call with another argument on the last rank gives an error on all ranks that contains `part`.
template <class Work>
void expect_refused(const std::string& part, const Work& work) {
  if (ranks() == 1) return compared();
  const std::string sentence = common_error(part, work);
  EXPECT_NE(sentence.find(part), std::string::npos) << "it says: " << sentence;
}

template <class T>
void change(T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = !value;
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(value == static_cast<T>(1) ? 2 : 1);
  } else if constexpr (std::is_floating_point_v<T>) {
    value = value == 0 ? 0.25 : value / 2;
  } else if constexpr (std::is_integral_v<T>) {
    value = value == 1 ? 2 : 1;
  } else {
    value.push_back(2);
  }
}

/// Calls call(options) with each option changed on the last rank. All ranks throw the same error if the description
/// says that the option must be equal; otherwise none.
template <class Options, class Call>
void change_each_option(const std::string& name, const Options& usual, const Call& call) {
  Members<Options>::each([&](const Member& member, const auto& place) {
    const std::string what = name + ", " + member.name;
    Options mine = usual;
    if (is_last()) change(place(mine));
    if (member.same_on_all_ranks && ranks() > 1) {
      common_error(what, [&] { call(mine); });
    } else {
      const Watchdog watchdog(what);
      const auto fault = fault_of([&] { call(mine); });
      EXPECT_TRUE(!fault || std::string(fault->what()).find("pass the same") == std::string::npos)
          << what << ": " << fault->what();
      compared();
    }
  });
}

/// Starts a call and finishes it on all ranks except the last one.
template <class Start>
void leave(const std::string& what, const Start& start) {
  if (ranks() == 1) return;
  const Watchdog watchdog(what);
  const std::string sentence = "rank " + std::to_string(ranks() - 1) + " left a started call";
  std::optional<Pending> call(start());
  if (is_last()) {
    call.reset();
    compared();
  } else {
    expect_error(Fault::bad_argument, sentence, [&] { call->finish(); });
  }
}

}  // namespace seiche::testing
