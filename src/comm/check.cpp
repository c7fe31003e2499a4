// SPDX-License-Identifier: BSD-3-Clause
#include "comm/check.hpp"

#include <array>
#include <limits>
#include <string>

#include "support/require.hpp"

namespace seiche {

namespace {
std::int64_t limit_of_counts = std::numeric_limits<int>::max();
}

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  fail(Fault::mpi, "{} failed: {}", call, std::string(text.data(), static_cast<std::size_t>(length)));
}

std::int64_t count_limit() noexcept { return limit_of_counts; }
void set_count_limit(std::int64_t limit) noexcept { limit_of_counts = limit; }

int mpi_count(std::int64_t n) {
  require(n >= 0 && n <= limit_of_counts, Fault::internal, "{} elements exceed the limit of one MPI call ({})", n,
          limit_of_counts);
  return static_cast<int>(n);
}

std::vector<int> mpi_starts(const std::vector<int>& counts) {
  std::vector<int> starts;
  std::int64_t total = 0;
  for (const int count : counts) {
    starts.push_back(mpi_count(total));
    total += count;
  }
  mpi_count(total);
  return starts;
}

}  // namespace seiche
