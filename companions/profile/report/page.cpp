// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "report/model.hpp"
#include "report/page_parts.hpp"
#include "seiche/error.hpp"

namespace seiche::profile {

namespace {

constexpr const char *opening = "<script type=\"application/json\" id=\"data\">", *closing = "</script>";

void replace(std::string& text, const std::string& word, const std::string& by) {
  const auto at = text.find(word);
  if (at != std::string::npos) text.replace(at, word.size(), by);
}

/// "<" could end a script.
std::string harmless(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

}  // namespace

std::string page_of(const std::string& data) {
  std::string page(page_html);
  replace(page, "/*style*/", std::string(uplot_css) + "\n" + std::string(page_css));
  replace(page, "/*script*/",
          "/*\n" + std::string(uplot_licence) + "*/\n" + std::string(uplot_js) + "\n" + std::string(timeline_js) +
              "\n" + std::string(page_js));
  replace(page, "<!--data-->", opening + harmless(data) + closing);
  return page;
}

std::string data_in(const std::string& page, const std::string& name) {
  const auto begin = page.find(opening), end = begin == std::string::npos ? begin : page.find(closing, begin);
  if (end == std::string::npos) throw Error(Fault::bad_file, name + ": not a page of seiche profile");
  const auto from = begin + std::string(opening).size();
  return page.substr(from, end - from);
}

}  // namespace seiche::profile
