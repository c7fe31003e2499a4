// SPDX-License-Identifier: BSD-3-Clause
/// \file  Resolves addresses to functions, files and lines with addr2line of binutils, if installed.
#include <elf.h>
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "report/model.hpp"
#include "report/shell.hpp"

namespace seiche::profile {

namespace {

std::string line_of(std::FILE* from) {
  char text[4096];
  if (std::fgets(text, sizeof text, from) == nullptr) return "";
  std::string line(text);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

/// Parses "file:line" or "??:0", optionally followed by " (discriminator 3)".
void set_file(Row& row, std::string text) {
  text = text.substr(0, text.find(" (disc"));
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || text.starts_with("??")) return;
  row.file = text.substr(0, colon);
  row.line = std::atoi(text.c_str() + colon + 1);
}

/// Returns whether a file has a table of all its functions. Without it, addr2line returns the nearest exported
/// function.
bool names_functions(const std::string& module) {
  std::ifstream file(module, std::ios::binary);
  Elf64_Ehdr head{};
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!file || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) return false;
  for (int i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section{};
    file.seekg(static_cast<std::streamoff>(head.e_shoff) + i * head.e_shentsize);
    file.read(reinterpret_cast<char*>(&section), sizeof section);
    if (file && section.sh_type == SHT_SYMTAB) return true;
  }
  return false;
}

void ask(const std::string& module, const std::vector<Row*>& rows) {
  std::string command = "addr2line -f -C -e " + in_quotes(module);
  // The call precedes its return address.
  for (const Row* row : rows) command += fmt::format(" {:#x}", row->offset - 1);
  std::FILE* answer = popen((command + " 2>/dev/null").c_str(), "r");
  if (answer == nullptr) return;
  const bool names = names_functions(module);
  for (Row* row : rows) {
    const std::string symbol = line_of(answer);
    if (names && !symbol.empty() && symbol != "??") row->symbol = symbol;
    set_file(*row, line_of(answer));
  }
  pclose(answer);
}

}  // namespace

void name_places(std::vector<Row>& rows) {
  std::map<std::string, std::vector<Row*>> by_module;
  for (Row& row : rows) {
    if (std::filesystem::is_regular_file(row.module)) by_module[row.module].push_back(&row);
  }
  for (const auto& [module, places] : by_module) {
    constexpr std::size_t at_once = 500;  // the length of a command line is limited
    for (std::size_t i = 0; i < places.size(); i += at_once) {
      const auto first = places.begin() + static_cast<std::ptrdiff_t>(i);
      ask(module, {first, first + static_cast<std::ptrdiff_t>(std::min(at_once, places.size() - i))});
    }
  }
}

std::string place_of(const Row& row) {
  const auto base = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  std::string text = row.symbol.empty() ? fmt::format("{:#x}", row.offset) : row.symbol;
  if (row.line > 0) return text + " (" + base(row.file) + ":" + std::to_string(row.line) + ")";
  return text + " (" + base(row.module) + ")";
}

}  // namespace seiche::profile
