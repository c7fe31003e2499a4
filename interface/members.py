# SPDX-License-Identifier: BSD-3-Clause
"""Writes the members of options and reports as C++ can visit them, and the words of enumerators."""

import model

HEAD = """// SPDX-License-Identifier: BSD-3-Clause
// Made from interface/{name}.api; do not edit.
/// \\file  The members of options and reports, one by one, and the words of enumerators.
#pragma once

#include "interface/visit.hpp"
#include "seiche/{cxx_header}"

namespace seiche {{

"""
HEADERS = {"status": "exchange.hpp", "fft": "fft.hpp", "boxes": "boxes.hpp", "blocksparse": "block_file.hpp",
           "product": "purify.hpp", "tuning": "tuning.hpp", "wavefile": "wavefile.hpp", "orbitals": "basis.hpp", "density": "density.hpp"}


def visited(item, enums):
    """The rows that are one member of the C++ structure."""
    for row in item.rows:
        one = row.type in ("int", "int64", "double", "flag", "char") or row.type in enums
        listed = row.type == "const int*" and any(other.name == row.name.rstrip("s") + "_count" for other in item.rows)
        if row.member != "-" and row.name != "reserved" and (listed or one and (not row.count or row.type == "char")):
            yield row


def member_of(row, item):
    if item.about.get("policy") and row.name in ("algorithm", "progress", "window", "memory"):
        return "policy." + row.name
    return row.member or row.name


def members(item, enums):
    yield "template <>"
    yield f"struct Members<{item.about['cxx']}> {{"
    yield "  template <class Visit>"
    yield "  static void each(const Visit& visit) {"
    for row in visited(item, enums):
        text = row.text.replace('"', '\\"')
        same = "false" if row.differs else "true"
        yield (f'    visit(Member{{"{row.name}", "{text}", {same}}}, [](auto& of) -> auto& {{ return of.{member_of(row, item)}; }});')
    yield "  }"
    yield "};"


def words(item):
    yield "template <>"
    yield f"struct WordsOf<{item.about['cxx']}> {{"
    rows = [row for row in item.rows if row.member != "former"]
    yield f"  static constexpr std::array<std::pair<std::string_view, {item.about['cxx']}>, {len(rows)}> all{{{{"
    for row in rows:
        name = row.name.removeprefix(item.about.get("prefix", "")).lower()
        yield f'      {{"{name}", {item.about["cxx"]}::{name}}},'
    yield "  }};"
    yield "};"


def text_of(header, enums):
    parts = []
    for item in header.items:
        if item.kind == "enum" and "cxx" in item.about and item.name != "status":
            parts.append("\n".join(words(item)))
        elif item.kind in ("options", "report") and "cxx" in item.about and "read" not in item.about:
            parts.append("\n".join(members(item, enums)))
    if not parts:
        return ""
    return HEAD.format(name=header.name, cxx_header=HEADERS[header.name]) + "\n\n".join(parts) + "\n\n}  // namespace seiche\n"


def write(headers):
    enums = {item.name for header in headers for item in header.items if item.kind == "enum"}
    texts = {f"interface/{header.name}_members.hpp": text_of(header, enums) for header in headers if header.name in HEADERS}
    texts["interface/visit.hpp"] = (model.HERE / "visit.hpp").read_text()
    return {path: text for path, text in texts.items() if text}
