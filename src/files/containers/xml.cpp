// SPDX-License-Identifier: BSD-3-Clause
#include "files/containers/xml.hpp"

#include <cmath>
#include <cstdlib>

#include "support/require.hpp"

namespace seiche {

namespace {

std::vector<double> parse(const std::string& text, const std::string& place) {
  std::vector<double> values;
  const char* next = text.c_str();
  for (;;) {
    char* end = nullptr;
    const double value = std::strtod(next, &end);
    if (end == next) break;
    require(std::isfinite(value), Fault::bad_file, "{} holds a value that is not finite: rerun the code that wrote it",
            place);
    values.push_back(value);
    next = end;
  }
  const std::string rest(next);
  require(rest.find_first_not_of(" \t\r\n") == std::string::npos, Fault::bad_file,
          "{} holds '{}' instead of a number: copy the file again", place,
          rest.substr(0, rest.find_first_of(" \t\r\n")));
  return values;
}

int whole(double value, const std::string& place) {
  require(value == std::floor(value), Fault::bad_file,
          "{} must be an integer (got {}): copy the file again or rerun the code that wrote it", place, value);
  require(std::abs(value) < 2e9, Fault::bad_file,
          "{} is too large ({}): copy the file again or rerun the code that wrote it", place, value);
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
          "{} must be true or false (got '{}'): copy the file again", place_, value);
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
