// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/settings_text.hpp"

#include "support/printable.hpp"

namespace seiche {

namespace {

std::string in_quotes(std::string_view text) {
  std::string all = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

/// Reads JSON from the start of a text. A function that finds something else returns false.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() {
    skip_blanks();
    return text_.empty();
  }
  bool read(std::string& value) {
    if (!take('"')) return false;
    for (value.clear(); !text_.empty() && text_[0] != '"'; text_.remove_prefix(1)) {
      if (text_[0] == '\\') {
        text_.remove_prefix(1);
        if (text_.empty() || (text_[0] != '"' && text_[0] != '\\')) return false;
      }
      value += text_[0];
    }
    return take('"');
  }
  template <class Value>
  bool read(std::map<std::string, Value>& members) {
    members.clear();
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      std::string name;
      if (!read(name) || !take(':') || !read(members[name])) return false;
    } while (take(','));
    return take('}');
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }
  /// Skips blanks and one character, if it is there.
  bool take(char wanted) {
    skip_blanks();
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string_view text_;
};

}  // namespace

std::string text_of(const std::map<std::string, Settings>& cases) {
  std::string text = "{";
  const char* before = "\n ";
  for (const auto& [name, settings] : cases) {
    text += before + in_quotes(name) + ": {";
    const char* gap = "\n  ";
    for (const auto& [setting, value] : settings) {
      text += gap + in_quotes(setting) + ": " + in_quotes(value);
      gap = ",\n  ";
    }
    text += settings.empty() ? "}" : "\n }";
    before = ",\n ";
  }
  return text + (cases.empty() ? "}\n" : "\n}\n");
}

std::optional<std::map<std::string, Settings>> cases_of(std::string_view text) {
  Reader reader(text);
  std::map<std::string, Settings> cases;
  if (!reader.read(cases) || !reader.at_end()) return std::nullopt;
  return cases;
}

}  // namespace seiche
