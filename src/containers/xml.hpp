// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads values from an XML file, with errors that name the file and the element.
#pragma once

#include <pugixml.hpp>

#include <string>
#include <vector>

namespace seiche {

/// One element and its path.
class XmlElement {
 public:
  XmlElement(pugi::xml_node node, std::string place) : node_(node), place_(std::move(place)) {}

  /// Returns the element at `path` below this one ("a/b"). \throws Error(bad_file) if it is missing
  XmlElement at(const std::string& path) const;
  bool has(const std::string& path) const { return static_cast<bool>(node_.first_element_by_path(path.c_str())); }
  std::vector<XmlElement> all(const std::string& name) const;  ///< its children of that name, in order

  std::string text() const;
  bool flag() const;
  double number() const;
  int integer() const;
  std::vector<double> numbers(std::size_t count) const;  ///< \throws Error unless there are exactly `count`

  std::string attribute(const std::string& name, const std::string& otherwise) const;
  double number_attribute(const std::string& name) const;
  int integer_attribute(const std::string& name) const;
  const std::string& place() const { return place_; }

 private:
  pugi::xml_node node_;
  std::string place_;
};

}  // namespace seiche
