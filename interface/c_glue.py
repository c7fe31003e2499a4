# SPDX-License-Identifier: BSD-3-Clause
"""Writes the C functions: the conversion of arguments around the C++ code that the description gives for a function.

A function without code is written by hand in src/c. Its prototype and its entries in other languages come from the
description all the same.
"""

import c_header
import model

SPANS = {"real_space": "Value", "complex": "Complex", "rows": "Complex", "complex128": "std::complex<double>", "double": "double", "int": "int",
         "int32": "std::int32_t", "int64": "std::int64_t", "miller": "Miller", "box": "seiche_box",
         "box_array": "seiche_box_array"}


def noun_of(item, handles):
    """The name that messages begin with."""
    first = next((one for one in item.rows if one.type != "pending" or one.way != "new"), None)
    return first.type if first and first.type in handles else item.name


class Function:
    """The text of one function."""

    def __init__(self, item, tables):
        self.item, self.tables = item, tables
        self.noun = noun_of(item, tables.handles)
        self.before, self.checked, self.after = [], [], []  # lines: of handles, of checks that ranks agree on, of spans
        self.visited = None  # the handle whose kind of value decides
        self.communicator = ""
        for one in item.rows:
            self.convert(one)

    def convert(self, one):
        kind, name = one.type, one.name
        if one.way in ("new", "free"):
            return
        if kind in self.tables.handles:
            return self.handle(one, self.tables.handles[kind].about)
        if kind == "comm":
            self.before.append(f'const Communicator {name} = communicator({name}_, "{self.noun}");')
            self.communicator = name
        elif kind in SPANS and one.array:
            self.span(one)
        elif kind == "void":
            self.before.append(f"auto* const {name} = {name}_;")
        elif one.way == "out":
            self.checked.append(f'require_place({name}_, "{self.noun}", "{name}");')
            if kind in self.tables.reports:
                self.checked.append(f'require_size({name}_->size, sizeof *{name}_, "{kind}");')
                self.before.append(f"ReportPlace {name}({name}_);")
            else:
                self.after.append(f"auto* const {name} = {name}_;" if one.fixed else f"auto& {name} = *{name}_;")
        elif kind in self.tables.read:
            about = self.tables.read[kind].about
            self.before.append(f"{about['cxx']} {name};")
            self.checked.append(f'{name} = {kind}_of({name}_, "{self.noun}");')
        elif kind in self.tables.enums and "cxx" in self.tables.enums[kind].about and kind != "status":
            cxx = self.tables.enums[kind].about["cxx"]
            last = self.tables.enums[kind].rows[-1].name
            self.before.append(f"{cxx} {name}{{}};")
            self.checked.append(f'{name} = enumerator<{cxx}>({name}_, SEICHE_{last}, "{self.noun}: {name}");')
        else:
            self.value(one)

    def handle(self, one, about):
        name = one.name
        if "typed" in about and self.visited is None:
            self.visited = one
        elif "same" in about:
            self.after.insert(0, f"auto& {name} = {about['same']}<Value>({name}_);")
            return
        else:
            self.before.append(f"auto& {name} = behind({name}_).{about['member']};")
        if "comm" in about and not self.communicator:
            self.communicator = about["comm"].replace("object.", f"behind({name}_).").replace(about["member"] + ".", name + ".", 1) \
                if about["comm"].startswith(about["member"] + ".") else about["comm"].replace("object.", f"behind({name}_).")

    def span(self, one):
        first = self.item.rows[0]
        tells = one.type == "double" and first.way == "new" and first.type != "pending"  # how many weights there are
        if one.type in ("miller", "box_array") or one.way == "in" and (tells or one.type.startswith("int")):
            self.checked.append(f'require_array({one.name}_, {one.count}, "{self.noun}", "{one.name}");')
        values = f"values_at<{SPANS[one.type]}>({one.name}_, {one.count})"
        if one.row:
            constant = "const " if one.way == "in" else ""
            self.after.append(f"const Coefficients<{constant}Complex> {one.name}({values}, {one.row});")
        else:
            self.after.append(f"const auto {one.name} = {values};")

    def value(self, one):
        kind, name = one.type, one.name
        if kind == "shape":
            self.before.append(f"GridShape {name};")
            self.checked.append(f'{name} = grid_shape({name}_, "{self.noun}");')
        elif kind == "value":
            self.before.append(f"const seiche_value {name} = {name}_;")
            self.checked.append(f'require_enumerator({name}_, SEICHE_COMPLEX_DOUBLE, "{self.noun}: {name}");')
        elif kind == "factor":
            self.after.append(f"const Value {name} = factor_of<Value>({name}_);")
        elif kind == "text":
            self.before.append(f"const char* const {name} = {name}_;")
            self.checked.append(f'require_place({name}_, "{self.noun}", "{name}");')
        elif kind == "optional_text":
            self.before.append(f"const std::string {name} = text_or_none({name}_);")
        elif kind == "flag":
            self.before.append(f"const bool {name} = {name}_ != 0;")
        elif kind == "box":
            self.before.append(f"const Box {name} = box_of({name}_);")
        elif one.fixed:
            self.before.append(f"const auto* const {name} = {name}_;")
            self.checked.append(f'require_place({name}_, "{self.noun}", "{name}");')
        else:
            self.before.append(f"const auto {name} = {name}_;")

    def body(self):
        item = self.item
        returns = any(one.way == "new" for one in item.rows)
        agreed = [] if "unchecked" in item.flags else self.checked
        if agreed and "collective" in item.flags and self.communicator:
            agreed = [f"together({self.communicator}, [&] {{"] + ["  " + line for line in agreed] + ["});"]
        lines = self.before + agreed + self.after
        code = [line.replace("{comm}", self.communicator) for line in item.code]
        if any("Complex" in line for line in self.after) or any("Complex" in line for line in code):
            lines.insert(0, "using Complex = typename ComplexOf<Value>::type;")
        *steps, last = code
        lines += [step if step.endswith(";") or "//" in step else step + ";" for step in steps]
        lines.append(f"return {last};" if returns else f"{last};")
        return lines

    def text(self):
        item = self.item
        if item.rows and item.rows[0].way == "free":
            inner = [f"return destroy({item.rows[0].name}_);"]
            return self.around(inner)
        made = next((one for one in item.rows if one.way == "new"), None)
        lines = self.body()
        if self.visited:
            value = "<class Value>" if any("Value" in line for line in lines) else ""
            second = "Value" if value else "auto"
            lines = [f"return on_value(behind({self.visited.name}_).{self.tables.handles[self.visited.type].about['member']}, "
                     f"[&]{value}([[maybe_unused]] auto& {self.visited.name}, {second}) {{"] + ["  " + line for line in lines] + ["});"]
        opening = f"return create({made.name}_, [&] {{" if made else "return call_without_mpi([&] {" if "anywhere" in item.flags else "return call([&] {"
        return self.around([opening] + ["  " + line for line in lines] + ["});"])

    def around(self, inner):
        declarations = self.tables.declarations
        renamed = [model.Argument(one.way, one.type, one.name + "_", one.count, one.constant) for one in self.item.rows]
        head = f"seiche_status seiche_{self.item.name}({', '.join(declarations.arguments(renamed)) or 'void'}) {{"
        return "\n".join([head] + ["  " + line for line in inner] + ["}"])


class Tables:
    def __init__(self, headers):
        self.handles = model.named(headers, "handle")
        self.enums = model.named(headers, "enum")
        self.reports = {name: item for name, item in model.named(headers, "report").items() if "read" not in item.about}
        self.options = model.named(headers, "options")
        structures = model.named(headers, "options", "report", "struct")
        self.read = {name: item for name, item in structures.items()
                     if "cxx" in item.about and (item.kind == "options" or "read" in item.about)}
        self.declarations = c_header.Declarations(headers)


# ------------------------------------------------------------------------------------------------- options and reports


def regular(row, tables):
    """Whether a member is a number, a flag or an enumerator."""
    return not row.count and row.member != "-" and (
        row.type in ("int", "int64", "double", "flag", "size") or row.type in tables.enums)


def member_of(row, item):
    if item.about.get("policy") and row.name in ("algorithm", "progress", "window", "memory"):
        return "policy." + row.name
    return row.member or row.name


def options_text(item, tables):
    """From C's structure to C++'s, and the defaults of C's."""
    name, cxx = item.name, item.about["cxx"]
    rows = [row for row in item.rows if regular(row, tables) and row.name != "reserved"]
    yield f"seiche_{name} {name}_defaults() {{"
    yield f"  seiche_{name} options{{}};"
    for row in item.rows:
        if row.default and not row.count:
            yield f"  options.{row.name} = {row.default};"
    if "default" in item.about.get("also", ""):
        yield "  also_default(options);"
    yield "  return options;"
    yield "}"
    yield f"{cxx} {name}_of(const seiche_{name}* given, const char* where) {{"
    yield f'  const seiche_{name} asked = read_options(given, {name}_defaults(), where);'
    yield f"  {cxx} options;"
    for row in rows:
        if row.type in tables.enums:
            enum = tables.enums[row.type]
            value = f'enumerator<{enum.about["cxx"]}>(asked.{row.name}, SEICHE_{enum.rows[-1].name}, "{name}: {row.name}")'
        else:
            value = f"asked.{row.name}" + (" != 0" if row.type == "flag" else "")
        yield f"  options.{member_of(row, item)} = {value};"
    if "read" in item.about.get("also", ""):
        yield "  also_read(asked, options, where);"
    yield "  return options;"
    yield "}"


def fill_text(item):
    return [f"seiche_status seiche_{item.name}_fill(seiche_{item.name}* options, std::size_t size) {{",
            f'  return fill_options(options, size, {item.name}_defaults(), "{item.name}");', "}"]


def report_text(item, tables):
    yield f"seiche_{item.name} report_for_c(const {item.about['cxx']}& report) {{"
    yield f"  seiche_{item.name} same{{}};"
    for row in item.rows:
        if row.name == "reserved":
            continue
        if row.type == "char":
            yield f"  put_text(report.{row.member or row.name}, same.{row.name});"
        else:
            yield f"  same.{row.name} = report.{row.member or row.name};"
    yield "  return same;"
    yield "}"


def enumerators_text(item):
    """Checks that the enumerators of C and C++ have the same numbers."""
    for row in item.rows:
        name = row.name.removeprefix(item.about.get("prefix", "")).lower()
        if row.member == "former" or item.name == "status" and name in ("ok", "misuse"):
            continue
        name = {"mpi_failed": "mpi"}.get(name, name)
        yield f"static_assert(static_cast<int>({item.about['cxx']}::{name}) == SEICHE_{row.name});"


HEAD = """// SPDX-License-Identifier: BSD-3-Clause
// Made from interface/{name}.api; do not edit.
#include "c/c_{name}.hpp"
"""


def text_of(header, tables):
    inner, outer = [], []
    for item in header.items:
        if item.kind == "enum" and "cxx" in item.about:
            inner.append("\n".join(enumerators_text(item)))
        if item.kind in ("options", "report") and "cxx" in item.about and item.kind == "options":
            inner.append("\n".join(options_text(item, tables)))
            outer.append("\n".join(fill_text(item)))
        if item.kind == "report" and "cxx" in item.about and "read" not in item.about:
            inner.append("\n".join(report_text(item, tables)))
        if item.kind == "function" and (item.code or item.rows and item.rows[0].way == "free"):
            outer.append(Function(item, tables).text())
    return (HEAD.format(name=header.name) + "\nnamespace seiche::c {\n\n" + "\n\n".join(inner) +
            "\n\n}  // namespace seiche::c\n\nusing namespace seiche;\nusing namespace seiche::c;\n\n" + "\n\n".join(outer) + "\n")


HANDLES = """// SPDX-License-Identifier: BSD-3-Clause
// Made from interface/*.api; do not edit.
/// \\file  Which object is behind which handle.
#pragma once

#include "c/c_handles.hpp"
{includes}
namespace seiche::c {{

{objects}

{traits}

}}  // namespace seiche::c
"""
TRAIT = """template <>
struct BehindHandle<seiche_{name}> {{
  using type = {object};
  static constexpr const char* noun = "{name}";
}};"""


def handles_text(headers, tables):
    """The table of handles, which C++ looks up by their types."""
    handles = tables.handles.values()
    includes = sorted(header.name for header in headers if any(item.kind == "handle" for item in header.items))
    return HANDLES.format(includes="".join(f'#include "seiche/c/{name}.h"\n' for name in includes),
                          objects="\n".join(f"struct {item.about['object']};" for item in handles),
                          traits="\n".join(TRAIT.format(name=item.name, object=item.about["object"]) for item in handles))


def write(headers):
    tables = Tables(headers)
    texts = {f"c/{header.name}_functions.cpp": text_of(header, tables) for header in headers
             if header.name != "status"}
    texts["c/handle_types.hpp"] = handles_text(headers, tables)
    return texts
