# SPDX-License-Identifier: BSD-3-Clause
"""Writes what Fortran needs to call the C functions: a module seiche_c_<header> for each C header, with enumerators,
structures and interfaces, and C functions that take Fortran's communicators."""

import textwrap

import c_header
import model

NUMBERS = {"int": "integer(c_int)", "flag": "integer(c_int)", "int32": "integer(c_int32_t)", "int64": "integer(c_int64_t)",
           "size": "integer(c_size_t)", "double": "real(c_double)", "char": "character(kind=c_char)"}
ZEROS = {"char": "c_null_char", "double": "0"}
ANY = {"real_space", "complex", "rows", "complex128", "void"}


class Names:
    def __init__(self, headers):
        self.enums = model.named(headers, "enum")
        self.handles = model.named(headers, "handle")
        self.structures = model.named(headers, "struct", "options", "report")
        self.callbacks = model.named(headers, "callback")
        self.roles, self.none = model.named(headers, "role"), model.Item("role", "")

    def member(self, row):
        """The declaration of a member of a structure."""
        count = f"({row.count})" if row.count else ""
        if row.type.endswith("*"):
            return "type(c_ptr)", count, "c_null_ptr"
        if row.type in self.callbacks:
            return "type(c_funptr)", count, "c_null_funptr"
        if row.type in self.structures:
            return f"type(c_{row.type})", count, ""
        kind = NUMBERS.get(row.type, "integer(c_int)")
        return kind, count, row.default or ZEROS.get(row.type, "0")

    def argument(self, one):
        """Declarations of an argument: of itself, and of the length that follows it."""
        kind = NUMBERS.get(one.type, "integer(c_int)" if one.type in self.enums else "")
        if one.way in ("new", "free"):
            return f"type(c_ptr), intent(inout) :: {one.name}"
        if one.type in self.handles or one.type == "user":
            return f"type(c_ptr), value :: {one.name}"
        if one.type in self.callbacks:
            return f"type(c_funptr), value :: {one.name}"
        if one.type == "comm":
            return f"integer(c_int), value :: {one.name}"
        if one.type in ("text", "optional_text") and not one.way:
            return f"character(kind=c_char), intent(in) :: {one.name}(*)"
        if one.type == "shape":
            return f"integer(c_int64_t), intent(in) :: {one.name}(3)"
        if one.type == "factor":
            return f"real(c_double), intent(in) :: {one.name}(2)"
        intent = "in" if one.way != "out" else "inout"
        if one.type.endswith("*") or one.type == "text":
            return f"type(c_ptr), intent(inout) :: {one.name}"
        optional = ", optional" if one.array else ""  # an absent one is NULL
        if one.array and "kinds" in self.roles.get(one.role, self.none).about:
            return f"type(c_ptr), value :: {one.name}"
        if one.type in ANY:
            return f"type(*){optional} :: {one.name}(*)"
        if one.type == "miller":
            return f"integer(c_int32_t), intent({intent}){optional} :: {one.name}(*)"
        size = f"({one.count})" if one.fixed else "(*)" if one.array or one.way == "in" else ""
        if one.type in self.structures:
            return f"type(c_{one.type}), intent({intent}) :: {one.name}{size}"
        if not one.way:
            return f"{kind}, value :: {one.name}"
        return f"{kind}, intent({intent}){optional} :: {one.name}{size}"


def wrapped(text, before="  ", width=120):
    """A statement in lines that Fortran continues."""
    lines = textwrap.wrap(text, width - len(before) - 6, break_long_words=False, break_on_hyphens=False)
    return [before + ("  " if i else "") + line + (" &" if i + 1 < len(lines) else "") for i, line in enumerate(lines)]


def enumeration(item):
    for row in item.rows:
        yield f"  integer, parameter, public :: seiche_{row.name.lower()} = {row.default}" + (f"  !< {row.text}" if row.text else "")


def structure(item, names):
    yield f"  !> seiche_{item.name}"
    yield f"  type, bind(c), public :: c_{item.name}"
    if item.kind != "struct":
        yield "    integer(c_size_t) :: size = 0"
    for row in item.rows:
        kind, count, zero = names.member(row)
        yield f"    {kind} :: {row.name}{count}" + (f" = {zero}" if zero else "")
    yield "  end type"


FORTRAN = {"int": "integer", "index": "integer", "flag": "logical", "int64": "integer(int64)", "size": "integer(int64)", "double": "real(real64)"}


def is_list(row, item):
    """Whether a member points to numbers whose count is another member."""
    return row.type.endswith("int*") and any(other.name == row.name.rstrip("s") + "_count" for other in item.rows)


def kept(item):
    """The members that Fortran's own type has."""
    return [row for row in item.rows if row.name != "reserved" and not row.name.endswith("_count")]


def own_type(item, names):
    """Options and reports with Fortran's kinds."""
    yield from wrapped_text(item.text)
    yield f"  type, public :: {item.name}"
    for row in kept(item):
        meaning = f"  !< {row.text}" if row.text else ""
        if row.type == "char":
            yield f"    character(:), allocatable :: {row.name}{meaning}"
        elif is_list(row, item):
            yield f"    integer, allocatable :: {row.name}(:){meaning}"
        elif row.type in names.enums:
            first = names.enums[row.type].rows[0].name.lower()
            yield f"    integer :: {row.name} = seiche_{first}{meaning}"
        else:
            zero = {"flag": ".false."}.get(row.type, row.default or "0")
            count = f"({row.count})" if row.count else ""
            yield f"    {FORTRAN[row.type]} :: {row.name}{count} = {zero}{meaning}"
    yield "  end type"


def wrapped_text(text):
    return ["  !> " + line for line in textwrap.wrap(" ".join(text), 112, break_on_hyphens=False)]


def to_c(item, names):
    """The function that makes C's options of Fortran's; the defaults where there are none."""
    lists = [row.name for row in kept(item) if is_list(row, item)]
    yield f"  !> The options as C takes them{'; ' + lists[0] + ' has to live as long as the call' if lists else ''}."
    yield f"  recursive function c_{item.name}_of({', '.join(['options'] + lists)}) result(asked)"
    yield f"    type({item.name}), intent(in), optional :: options"
    for name in lists:
        yield f"    integer(c_int), allocatable, target, intent(out) :: {name}(:)"
    yield f"    type(c_{item.name}) :: asked"
    yield "    asked%size = c_sizeof(asked)"
    yield "    if (.not. present(options)) return"
    for row in kept(item):
        if is_list(row, item):
            yield f"    if (allocated(options%{row.name})) then"
            yield f"      {row.name} = int(options%{row.name}, c_int)"
            yield f"      if (size({row.name}) > 0) asked%{row.name} = c_loc({row.name}(1))"
            yield f"      asked%{row.name.rstrip('s')}_count = size({row.name}, kind=c_int64_t)"
            yield "    end if"
        elif row.type == "flag":
            yield f"    asked%{row.name} = as_integer(options%{row.name})"
        elif row.type in ("int", *names.enums):
            yield f"    asked%{row.name} = int(options%{row.name}, c_int)"
        else:
            yield f"    asked%{row.name} = options%{row.name}"
    yield "  end function"


def from_c(item, names):
    """The function that makes Fortran's report of C's."""
    yield f"  recursive function {item.name}_of(found) result(report)"
    yield f"    type(c_{item.name}), target, intent(in) :: found"
    yield f"    type({item.name}) :: report"
    for row in kept(item):
        if row.type == "char":
            yield f"    report%{row.name} = text_of(c_loc(found%{row.name}))"
        elif row.type in ("int", "index", *names.enums):
            yield f"    report%{row.name} = int(found%{row.name}){' + 1' * (row.type == 'index')}"
        else:
            yield f"    report%{row.name} = found%{row.name}"
    yield "  end function"


def with_comm(item):
    return any(one.type == "comm" for one in item.rows)


def interface(item, names):
    listed = []
    for i, one in enumerate(item.rows):
        listed.append(one.name)
        if one.array and all(other.count != one.count for other in item.rows[i + 1:]):
            listed.append(one.count)
        if one.row:
            listed.append(one.row)
    bound = f"seiche_{'fortran_' if with_comm(item) else ''}{item.name}"
    yield from wrapped(f"function c_{item.name}({', '.join(listed)}) bind(c, name='{bound}')", "    ")
    types = sorted({f"c_{one.type}" for one in item.rows if one.type in names.structures and one.type != "miller"})
    yield from wrapped("import :: " + ", ".join(types + ["c_char", "c_double", "c_funptr", "c_int", "c_int32_t", "c_int64_t",
                                                        "c_ptr"]), "      ")
    for one in item.rows:
        yield "      " + names.argument(one)
    for count in dict.fromkeys(count for one in item.rows if one.array for count in (one.count, one.row) if count):
        yield f"      integer(c_int64_t), value :: {count}"
    yield f"      {result_of(item)} :: c_{item.name}"
    yield "    end function"


def result_of(item):
    return {"const char*": "type(c_ptr)", "int64_t": "integer(c_int64_t)"}.get(item.returns, "integer(c_int)")


def public_module(header, names):
    """Enumerators, options and reports: what users of Fortran see of the header."""
    yield f"!> \\file  Enumerators, options and reports of seiche/c/{header.name}.h."
    yield f"module seiche_{header.name}_types"
    yield "  use, intrinsic :: iso_fortran_env, only: int64, real64"
    for one in header.includes:
        yield f"  use seiche_{one}_types"
    yield "  implicit none"
    yield "  private :: int64, real64"
    for item in header.items:
        if item.kind == "enum":
            yield from wrapped_text(item.text)
            yield from enumeration(item)
        elif item.kind in ("options", "report") and "fortran" in item.about:
            yield from own_type(item, names)
    yield f"end module seiche_{header.name}_types"


def below(header, headers):
    """The headers that it includes, and those that these include, in an order that compiles."""
    found = []
    for name in header.includes:
        inner = next(one for one in headers if one.name == name)
        found += [other for other in [*below(inner, headers), name] if other not in found]
    return found


def private_module(header, headers, names):
    """The C functions and structures, and the conversion of options and reports."""
    functions = [item for item in header.items if item.kind == "function"]
    own = [item for item in header.items if item.kind in ("options", "report") and "fortran" in item.about]
    yield f"!> \\file  The functions and structures of seiche/c/{header.name}.h as Fortran calls them."
    yield f"module seiche_c_{header.name}"
    yield "  use, intrinsic :: iso_c_binding"
    for one in below(header, headers):
        yield f"  use seiche_c_{one}"
    if own:
        yield "  use seiche_base"
        yield f"  use seiche_{header.name}_types"
    yield "  implicit none"
    yield "  private"
    for item in functions:
        yield f"  public :: c_{item.name}"
    for item in own:
        yield f"  public :: {'c_' if item.kind == 'options' else ''}{item.name}_of"
    for item in header.items:
        if item.kind in ("struct", "options", "report"):
            yield from structure(item, names)
    yield "  interface"
    for item in functions:
        yield from interface(item, names)
    yield "  end interface"
    if own:
        yield "contains"
        for item in own:
            yield from (to_c if item.kind == "options" else from_c)(item, names)
    yield f"end module seiche_c_{header.name}"


def file_text(header, lines):
    return "\n".join(["! SPDX-License-Identifier: BSD-3-Clause", f"! Made from interface/{header.name}.api; do not edit.", *lines, ""])


SHIMS = """/* SPDX-License-Identifier: BSD-3-Clause */
/* Made from interface/{name}.api; do not edit. */
/* \\file  Functions of seiche/c/{name}.h with Fortran's communicators. */
#include "seiche/c/{name}.h"
#include "fortran_communicators.h"

"""


def shims_text(header, declarations):
    functions = [item for item in header.items if item.kind == "function" and with_comm(item)]
    if not functions:
        return ""
    text = SHIMS.format(name=header.name)
    for item in functions:
        head = declarations.function(item, " {").replace("seiche_" + item.name, "seiche_fortran_" + item.name, 1).replace("MPI_Comm ", "MPI_Fint ")
        passed = [word.split()[-1].lstrip("*").split("[")[0] for word in declarations.arguments(item.rows)]
        passed = [f"seiche_comm_of({name})" if name == "comm" else name for name in passed]
        text += f"{head}\n  return seiche_{item.name}({', '.join(passed)});\n}}\n\n"
    return text


def write(headers):
    names, declarations = Names(headers), c_header.Declarations(headers)
    texts = {}
    for header in headers:
        texts[f"fortran/seiche_{header.name}_types.f90"] = file_text(header, public_module(header, names))
        texts[f"fortran/seiche_c_{header.name}.f90"] = file_text(header, private_module(header, headers, names))
        shims = shims_text(header, declarations)
        if shims:
            texts[f"fortran/{header.name}_communicators.c"] = shims
    return texts
