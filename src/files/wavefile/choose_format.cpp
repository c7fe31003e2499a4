// SPDX-License-Identifier: BSD-3-Clause
#include "files/wavefile/choose_format.hpp"

#include "support/require.hpp"
#include "support/small_letters.hpp"

namespace seiche {

namespace {

/// Converts common names of a format to its word.
std::string word_for(const std::string& said) {
  const std::string word = in_small_letters(said);
  for (const auto& [other, ours] :
       {std::pair("bgw", "wfn"), std::pair("berkeleygw", "wfn"), std::pair("espresso", "qe"), std::pair("save", "qe"),
        std::pair("wavecar", "vasp"), std::pair("wfk", "abinit"), std::pair("check", "castep")}) {
    if (word == other) return ours;
  }
  return word;
}

}  // namespace

FormatChoice format_for(const std::string& path, const std::string& said) {
  const std::string name = in_small_letters(path), word = word_for(said);
  std::string known;
  for (const Format& format : wave_formats()) {
    for (const WaveWriting& writing : format.writing) {
      if (word.empty() ? writing.named && writing.named(name) : word == writing.word) return {&format, &writing};
      known += (known.empty() ? "" : ", ") + std::string(writing.word);
    }
  }
  require(word.empty(), Fault::bad_argument, "unknown format '{}': use one of {}", said, known);
  fail(Fault::bad_argument, "the name {} does not determine the format: choose one of {}", path, known);
}

}  // namespace seiche
