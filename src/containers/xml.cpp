// SPDX-License-Identifier: BSD-3-Clause
#include "containers/xml.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "support/require.hpp"
#include "support/text_number.hpp"

namespace seiche {

namespace {

std::vector<double> parse(std::string_view text, const std::string& place) {
  constexpr const char* blanks = " \t\r\n";
  std::vector<double> values;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.empty()) return values;
    const auto value = take_number(text);
    require(value.has_value(), Fault::bad_file,
            "{} holds '{}' instead of a finite number: rerun the code that wrote the file", place,
            shortened(text.substr(0, text.find_first_of(blanks))));
    values.push_back(*value);
  }
}

int whole(double value, const std::string& place) {
  require(value == std::floor(value), Fault::bad_file,
          "{} must be an integer (got {}): rerun the code that wrote the file", place, value);
  require(std::abs(value) < 2e9, Fault::bad_file, "{} is too large ({}): rerun the code that wrote the file", place,
          value);
  return static_cast<int>(value);
}

}  // namespace

XmlElement XmlElement::at(const std::string& path) const {
  const pugi::xml_node found = node_.first_element_by_path(path.c_str());
  require(static_cast<bool>(found), Fault::bad_file, "{}/{} is missing: rerun the code that wrote the file", place_,
          path);
  return {found, place_ + "/" + path};
}

std::vector<XmlElement> XmlElement::all(const std::string& name) const {
  std::vector<XmlElement> found;
  for (const pugi::xml_node child : node_.children(name.c_str())) {
    found.emplace_back(child, place_ + "/" + name + "[" + std::to_string(found.size() + 1) + "]");
  }
  return found;
}

std::string XmlElement::text() const {
  const std::string raw = node_.text().get();
  const auto begin = raw.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return raw.substr(begin, raw.find_last_not_of(" \t\r\n") - begin + 1);
}

bool XmlElement::flag() const {
  const std::string value = text();
  require(value == "true" || value == "false", Fault::bad_file,
          "{} must be true or false (got '{}'): rerun the code that wrote the file", place_, value);
  return value == "true";
}

double XmlElement::number() const { return numbers(1)[0]; }

int XmlElement::integer() const { return whole(number(), place_); }

std::vector<double> XmlElement::numbers(std::size_t count) const {
  std::vector<double> values = parse(text(), place_);
  require(values.size() == count, Fault::bad_file,
          "{} holds {} numbers instead of {}: rerun the code that wrote the file", place_, values.size(), count);
  return values;
}

std::string XmlElement::attribute(const std::string& name, const std::string& otherwise) const {
  return node_.attribute(name.c_str()).as_string(otherwise.c_str());
}

double XmlElement::number_attribute(const std::string& name) const {
  const std::string place = place_ + "@" + name;
  const auto values = parse(attribute(name, ""), place);
  require(values.size() == 1, Fault::bad_file, "{} is missing: rerun the code that wrote the file", place);
  return values[0];
}

int XmlElement::integer_attribute(const std::string& name) const {
  return whole(number_attribute(name), place_ + "@" + name);
}

}  // namespace seiche
