// SPDX-License-Identifier: BSD-3-Clause
#include "comm/equal_arguments.hpp"

#include <algorithm>
#include <array>

#include "comm/check.hpp"
#include "support/hash.hpp"
#include "support/require.hpp"

namespace seiche {

EqualArguments& EqualArguments::put(const Argument& argument) {
  require(count_ < most, Fault::internal, "{}: more than {} arguments are compared: raise the limit", call_, most);
  arguments_[count_++] = argument;
  return *this;
}

EqualArguments& EqualArguments::add_bytes(const char* name, std::span<const std::byte> bytes) {
  Argument* const last = count_ > 0 ? &arguments_[count_ - 1] : nullptr;
  const bool more = last != nullptr && last->text == nullptr && last->name == std::string_view(name);
  Hash hash;
  if (more) hash.add(last->bits);
  hash.add(bytes);
  if (!more) return put({name, hash.short_value(), nullptr});
  last->bits = hash.short_value();
  return *this;
}

std::int64_t EqualArguments::digest() const {
  Hash hash;
  hash.add(std::as_bytes(std::span(std::string_view(call_))));
  for (std::size_t i = 0; i < count_; ++i) hash.add(arguments_[i].bits);
  return static_cast<std::int64_t>(hash.short_value());
}

std::string EqualArguments::text_of_integer(std::uint64_t bits) {
  return formatted("{}", static_cast<std::int64_t>(bits));
}
std::string EqualArguments::text_of_real(std::uint64_t bits) { return formatted("{}", std::bit_cast<double>(bits)); }

std::string EqualArguments::text() const {
  std::string lines = call_;
  for (std::size_t i = 0; i < count_; ++i) {
    const Argument& one = arguments_[i];
    lines += formatted("\n{}\t{}{}", one.name, one.text ? "" : "#",
                       one.text ? one.text(one.bits) : formatted("{}", one.bits));
  }
  return lines;
}

namespace {

std::string_view first_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// \throws Error that names the first difference between the arguments of rank 0 and of this rank
void require_equal(std::string_view of_root, std::string_view mine, int rank) {
  const std::string_view call = first_line(mine), call_of_root = first_line(of_root);
  const auto named = [](std::string_view name) { return name.empty() ? "another function" : name; };
  require(call == call_of_root, Fault::bad_argument,
          "rank {} calls {}, but rank 0 calls {}: make the same collective calls in the same order on all ranks", rank,
          named(call), named(call_of_root));
  while (!mine.empty() || !of_root.empty()) {
    const std::string_view one = first_line(mine), other = first_line(of_root);
    if (one == other) continue;
    const std::string_view name = one.substr(0, one.find('\t'));
    const std::string_view value = one.substr(std::min(name.size() + 1, one.size()));
    const std::string_view value_of_root = other.substr(std::min(name.size() + 1, other.size()));
    const bool shown = !value.starts_with('#') && !value_of_root.starts_with('#') && other.starts_with(name);
    require(!shown, Fault::bad_argument, "{}: {} is {} on rank {}, but {} on rank 0: pass the same value on all ranks",
            call, name, value, rank, value_of_root);
    fail(Fault::bad_argument, "{}: {} differs between rank {} and rank 0: pass the same value on all ranks", call, name,
         rank);
  }
}

}  // namespace

bool agree_on(const Communicator& comm, const EqualArguments& arguments, const std::optional<Error>& fault,
              std::int64_t number) {
  const auto [digests, numbers] = bounds(comm, std::array{fault ? 0 : arguments.digest(), number}, fault);
  if (digests.first == digests.second) return numbers.first == numbers.second;
  std::string of_root = arguments.text();
  broadcast(comm, of_root);
  together(comm, [&] { require_equal(of_root, arguments.text(), comm.rank()); });
  return false;
}

void agree(const Communicator& comm, const std::optional<Error>& mine) { agree_on(comm, EqualArguments(""), mine); }

void agree_on_bands(const Communicator& comm, std::int64_t bands, const std::optional<Error>& mine) {
  agree_on(comm, EqualArguments("add").add("bands", bands), mine);
}

}  // namespace seiche
