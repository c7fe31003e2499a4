// SPDX-License-Identifier: BSD-3-Clause
#include "usage_error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace seiche::command {
namespace {

/// The subcommand in the command line, and its full name.
struct Reached {
  const CLI::App* app;
  std::string name = "seiche";
};

Reached reached(const CLI::App& app) {
  Reached at{&app};
  for (auto below = app.get_subcommands(); !below.empty(); below = at.app->get_subcommands()) {
    at.app = below.back();
    at.name += " " + at.app->get_name();
  }
  return at;
}

/// Returns the number of letters to insert, remove, replace or exchange with the next one (Damerau and Levenshtein).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> earlier, before(b.size() + 1), here(b.size() + 1);
  std::iota(before.begin(), before.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    here[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      here[j] = std::min({before[j] + 1, here[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        here[j] = std::min(here[j], earlier[j - 2] + 1);
    }
    earlier = before;
    before = here;
  }
  return before.back();
}

/// Returns the closest name, or "" if none differs in at most a third of its letters.
std::string closest(const std::string& word, const std::vector<std::string>& names) {
  std::string found;
  std::size_t least = word.size();
  for (const std::string& name : names) {
    const std::size_t letters = distance(word, name);
    if (letters < least && 3 * letters <= std::max<std::size_t>(word.size(), 3)) {
      least = letters;
      found = name;
    }
  }
  return found;
}

std::string meant(const std::string& name) { return name.empty() ? "" : ": did you mean " + name + "?"; }

/// Returns "unknown command 'frobnicate': use one of info, density", or "" if no word is in the position of a
/// subcommand.
std::string unknown_command(const Reached& at, const std::vector<std::string>& words) {
  const auto all = at.app->get_subcommands([](const CLI::App*) { return true; });
  if (all.empty() || words.empty() || words.front().starts_with("-")) return "";
  std::vector<std::string> names;
  for (const CLI::App* one : all) names.push_back(one->get_name());
  const std::string name = closest(words.front(), names);
  std::string known;
  for (const std::string& one : names) known += (known.empty() ? "" : ", ") + one;
  return fmt::format("unknown command '{} {}'{}", at.name, words.front(),
                     name.empty() ? ": use one of " + known : meant(name));
}

/// Returns "seiche info has no option --bnds: did you mean --bands?", or "" if all words that begin with - are options.
std::string unknown_option(const Reached& at, const std::vector<std::string>& words) {
  const auto wrong = std::find_if(words.begin(), words.end(),
                                  [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
  if (wrong == words.end()) return "";
  if (at.name == "seiche profile")
    return fmt::format("{} has no option {}: put -- before the program, as in seiche profile -- mpiexec -n 4 PROGRAM",
                       at.name, *wrong);
  std::vector<std::string> names;
  for (const CLI::App* app = at.app; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
  }
  const std::string option = wrong->substr(0, wrong->find('='));
  return fmt::format("{} has no option {}{}", at.name, option, meant(closest(option, names)));
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const Reached at = reached(app);
  const std::vector<std::string> words = app.remaining(true);
  std::string sentence = unknown_command(at, words);
  if (sentence.empty()) sentence = unknown_option(at, words);
  if (sentence.empty()) sentence = error.what();
  return sentence + (sentence.ends_with("?") ? " See " : "; see ") + at.name + " --help";
}

}  // namespace seiche::command
