# SPDX-License-Identifier: BSD-3-Clause
"""Writes the C headers."""

import textwrap

import model

NUMBERS = {"index": "int", "int64": "int64_t", "int32": "int32_t", "size": "size_t", "text": "const char*", "optional_text": "const char*",
           "user": "void*", "comm": "MPI_Comm", "flag": "int", "real_space": "void", "complex": "void", "rows": "void", "complex128": "void"}
TRIPLES = {"shape": "const int64_t {}[3]", "factor": "const double {}[2]"}
PLAIN = {"int", "double", "char", "void"}
CALLED_WITH_USER = "user"


def c_type(name):
    """The C type of a type of the description."""
    if name.startswith("const "):
        return "const " + c_type(name[6:])
    if name.endswith("*"):
        return c_type(name[:-1]) + "*"
    if name in NUMBERS:
        return NUMBERS[name]
    return name if name in PLAIN else f"seiche_{name}"


class Declarations:
    """How arguments are written, which depends on what their types are."""

    def __init__(self, headers):
        self.handles = model.named(headers, "handle")
        self.structures = model.named(headers, "struct", "options", "report")

    def argument(self, one):
        kind = c_type(one.type)
        if one.way in ("new", "free"):
            return f"{kind}** {one.name}"
        if one.type in self.handles:
            return f"{'const ' if one.constant else ''}{kind}* {one.name}"
        if one.type in TRIPLES:
            return TRIPLES[one.type].format(one.name)
        if not one.way:
            return f"const {kind}* {one.name}" if one.type in self.structures else f"{kind} {one.name}"
        constant = "const " if one.way == "in" else ""
        if one.fixed:
            return f"{constant}{kind} {one.name}[{one.count}]"
        return f"{constant}{kind}* {one.name}"

    def arguments(self, listed):
        """The declarations; the length of an array follows the last array that has it."""
        written = []
        for i, one in enumerate(listed):
            written.append(self.argument(one))
            if one.array and all(other.count != one.count for other in listed[i + 1:]):
                written.append(f"int64_t {one.count}")
            if one.row:
                written.append(f"int64_t {one.row}")
        return written

    def function(self, item, ends=";"):
        returned = item.returns and c_type(item.returns.replace("int64_t", "int64")) or "seiche_status"
        listed = ", ".join(self.arguments(item.rows)) or "void"
        return f"{returned} seiche_{item.name}({listed}){ends}"


def comment(lines, before=""):
    if not lines:
        return []
    text = textwrap.wrap(" ".join(lines).replace(" : ", " : "), 114 - len(before), break_on_hyphens=False)
    written = [f"{before}/** {text[0]}"] + [f"{before} * {line}" for line in text[1:]]
    written[-1] += " */"
    return written


def wrapped(declaration, before="SEICHE_API "):
    return textwrap.wrap(before + declaration, 118, subsequent_indent="    ", break_on_hyphens=False)


def structure(item):
    rows = item.rows
    if item.kind != "struct":
        how = f"set by seiche_{item.name}_init()" if item.kind == "options" else f"set it to sizeof(seiche_{item.name})"
        rows = [model.Field("size", "size", text=how)] + rows
    yield from comment(item.text)
    yield f"typedef struct seiche_{item.name} {{"
    for row in rows:
        count = f"[{row.count}]" if row.count else ""
        meaning = f" /**< {row.text} */" if row.text else ""
        yield f"  {c_type(row.type)} {row.name}{count};{meaning}"
    yield f"}} seiche_{item.name};"
    if item.kind == "options":
        yield "/** Sets the first `size` bytes to the defaults. For internal use. */"
        yield f"SEICHE_API seiche_status seiche_{item.name}_fill(seiche_{item.name}* options, size_t size);"
        yield "/** Sets all members to the defaults. */"
        yield f"static inline seiche_status seiche_{item.name}_init(seiche_{item.name}* options) {{"
        yield f"  return seiche_{item.name}_fill(options, sizeof *options);"
        yield "}"


def enumeration(item):
    yield from comment(item.text)
    yield f"typedef enum seiche_{item.name} SEICHE_INT {{"
    for row in item.rows:
        last = "" if row is item.rows[-1] else ","
        meaning = f" /**< {row.text} */" if row.text else ""
        yield f"  SEICHE_{row.name} = {row.default}{last}{meaning}"
    yield f"}} seiche_{item.name};"


def item_lines(item, declarations):
    if item.kind == "section":
        return [f"/* {item.name} */"]
    if item.kind == "enum":
        return enumeration(item)
    if item.kind == "handle":
        return comment(item.text_for("c")) + [f"typedef struct seiche_{item.name} seiche_{item.name};"]
    if item.kind == "callback":
        listed = ", ".join(declarations.arguments(item.rows))
        return comment(item.text) + wrapped(f"typedef {item.returns} (*seiche_{item.name})({listed});", "")
    if item.kind == "code":
        return comment(item.text) + item.code
    if item.kind == "function":
        return comment(item.text_for("c")) + wrapped(declarations.function(item))
    return structure(item)


OPENING = """/* SPDX-License-Identifier: BSD-3-Clause */
{text}
/* Made from interface/{name}.api; do not edit. */
#ifndef SEICHE_C_{guard}_H
#define SEICHE_C_{guard}_H

{includes}
{first}#ifdef __cplusplus
extern "C" {{
#endif
"""
CLOSING = """
#ifdef __cplusplus
}
#endif

#endif
"""
BASE_INCLUDES = "#include <mpi.h>\n#include <stddef.h>\n#include <stdint.h>\n"
BASE = """#if defined(__GNUC__)
#define SEICHE_API __attribute__((visibility("default")))
#else
#define SEICHE_API
#endif

/* In C++ an enumeration also holds any int: a number without a meaning is reported to the caller. */
#ifdef __cplusplus
#define SEICHE_INT : int
#else
#define SEICHE_INT
#endif

"""


def text_of(header, declarations):
    base = not header.includes
    opening = OPENING.format(
        name=header.name, guard=header.name.upper(), text="\n".join(comment(["\\file "] + header.text)),
        includes=BASE_INCLUDES if base else "".join(f'#include "seiche/c/{one}.h"\n' for one in header.includes),
        first=BASE if base else "")
    body = ["\n".join(item_lines(item, declarations)) for item in header.items if item.kind not in ("role", "module")]
    return opening + "\n" + "\n\n".join(body) + "\n" + CLOSING


def write(headers):
    declarations = Declarations(headers)
    return {f"include/seiche/c/{header.name}.h": text_of(header, declarations) for header in headers}
