// SPDX-License-Identifier: BSD-3-Clause
/// \file  How C++ visits the members of options and reports that interface/*.api describes.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace seiche {

/// What the description says of a member.
struct Member {
  const char* name;
  const char* text;
  bool same_on_all_ranks;
};

/// Members<Options>::each(visit) calls visit(member, place) for each member; place(options) is a reference to its
/// value.
template <class Options>
struct Members;

/// WordsOf<Enum>::all are the words of the enumerators, with their values.
template <class Enum>
struct WordsOf;

/// Tells whether a value is one of the enumerators of its type.
template <class Enum>
constexpr bool is_enumerator(Enum value) {
  for (const auto& [word, known] : WordsOf<Enum>::all) {
    if (known == value) return true;
  }
  return false;
}

}  // namespace seiche
