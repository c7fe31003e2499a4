// SPDX-License-Identifier: BSD-3-Clause
#include "case_arrays.hpp"

#include <mpi.h>

#include <cstdio>
#include <map>
#include <numeric>

namespace {

using Bytes = std::vector<std::byte>;

struct Array {
  std::vector<std::int64_t> extents;
  Bytes values, first;
};

std::map<std::string, Array> arrays;                        // by name
std::map<std::string, std::map<std::string, Bytes>> after;  // by call and array, in C++
std::string language, name;
int compared = 0, failed = 0;

void fail(const std::string& what) {
  ++failed;
  std::fprintf(stderr, "%s, %s: %s; the last sentence is: %s\n", language.c_str(), name.c_str(), what.c_str(),
               seiche_last_error());
}

Array& find(const char* array) {
  const auto found = arrays.find(array);
  if (found == arrays.end()) std::fprintf(stderr, "the case %s has no array %s\n", name.c_str(), array), std::abort();
  return found->second;
}

}  // namespace

void seiche::conformance::add_array(const std::string& array, std::size_t element,
                                    const std::vector<std::int64_t>& extents) {
  const auto count = std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  arrays[array] = {extents, Bytes(static_cast<std::size_t>(count) * element + 1), {}};  // never NULL
}

void seiche::conformance::keep_first_values(const std::string& array) { arrays[array].first = arrays[array].values; }

void case_begin(const char* of, const char* called) {
  language = of;
  name = called;
  if (language == "c++") arrays.clear(), after.clear();
  case_reset();
}

void* case_at(const char* array) { return find(array).values.data(); }

int64_t case_count(const char* array) {
  const auto& extents = find(array).extents;
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

int64_t case_extent(const char* array, int axis) { return find(array).extents.at(static_cast<std::size_t>(axis)); }

void case_reset() {
  for (auto& [of, array] : arrays) std::copy(array.first.begin(), array.first.end(), array.values.begin());
}

void case_same(const char* call) {
  if (language == "c++") {
    for (const auto& [of, array] : arrays) after[call][of] = array.values;
    return;
  }
  ++compared;
  if (after[call].empty()) fail(std::string(call) + " is not called in C++");
  for (const auto& [of, values] : after[call]) {  // C++ adds arrays between calls
    if (arrays[of].values != values) fail(std::string(call) + " leaves other values in `" + of + "` than in C++");
  }
}

void case_tried(int status, const char* call) {
  if (status != 0) fail(std::string(call) + " returned " + std::to_string(status));
}

void case_refused(int status, const char* text, const char* call) {
  ++compared;
  const std::string said = seiche_last_error();
  if (status == 0) return fail(std::string(call) + " succeeded");
  if (said.empty() || said.find(text) == std::string::npos) fail(std::string(call) + ": '" + text + "' is expected");
}

int case_verdict() {
  int mine[2] = {failed, compared == 0 ? 1 : 0}, all[2] = {1, 1};
  MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all[0] + all[1] == 0 ? 0 : 1;
}
