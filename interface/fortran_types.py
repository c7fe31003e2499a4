# SPDX-License-Identifier: BSD-3-Clause
"""Writes Fortran's types of handles, and their procedures: a file for each item `module` of the description.

There is one procedure for each kind of value. Arrays have any rank. A module includes a file with its handwritten part.
"""

import re

import fortran
import model
from fortran_procedure import KINDS, Procedure

OF_ROLE = {"value": list(KINDS), "complex": ["complex32", "complex64"], "fields": ["real64", "complex64"]}  # the first decides


class Names:
    """What types and names of the description are in Fortran."""

    def __init__(self, headers):
        self.handles, self.roles = model.named(headers, "handle"), model.named(headers, "role")
        self.functions = model.named(headers, "function")
        self.enums, self.options, self.reports = (model.named(headers, kind) for kind in ("enum", "options", "report"))

    def self(self, item):
        """The argument that is the object of a procedure."""
        return next((one for one in item.rows if one.type in self.handles and one.type != "pending"), None)

    def type(self, noun):
        return self.handles[noun].about.get("type", noun)

    def method(self, item):
        return item.about.get("method") or ("close" if item.rows[0].way == "free" else item.name.removeprefix(self.self(item).type + "_"))

    def refuses(self, noun):
        """The C function that replaces a call on a rank that cannot make it."""
        return f"c_{noun}_refuse" if f"{noun}_refuse" in self.functions else ""

    def has_members(self, noun):
        return any(word == "member" for word, _ in self.handles[noun].fortran)

    def about(self, one):
        return self.roles[one.role].about if one.role in self.roles else {}

    def role(self, one):
        """How Fortran has an argument."""
        name = one.role or one.type
        if one.way == "out" and f"out_{name}" in self.roles:
            name = f"out_{name}"
        if name in self.roles:
            role = self.roles[name]
            return model.Item("role", name, about=role.about, fortran=role.fortran or self.roles[role.about["as"]].fortran)
        if name in self.options:
            return model.Item("role", name, fortran=self.of_options(self.options[name]))
        if name in self.reports:
            return model.Item("role", name, fortran=[
                ("result", f"type({name})"), ("found", f"type(c_{name})"), ("before", "{found}%size = c_sizeof({found})"),
                ("pass", "{found}"), ("returns", name + "_of({found})")])
        if name in self.handles:
            return model.Item("role", name, fortran=[("argument", f"class({self.type(name)}), intent(in) :: {{name}}"), ("pass", "{name}%handle")])
        if name in self.enums:
            return self.roles["int"]
        raise SystemExit(f"{name}: Fortran needs a role for arguments of this type")

    @staticmethod
    def of_options(item):
        lists = [row.name for row in fortran.kept(item) if fortran.is_list(row, item)]
        return [("optional", f"type({item.name}), intent(in), optional :: {{name}}"),
                *(("local", f"integer(c_int), allocatable, target :: {name}(:)") for name in lists),
                ("pass", f"c_{item.name}_of({', '.join(['{name}', *lists])})")]

    def procedures(self, item):
        asked = {self.about(one).get("kinds") for one in item.rows}
        kinds = next((kinds for role, kinds in OF_ROLE.items() if role in asked), [""])
        places = ["", item.about["in_place"]] if "in_place" in item.about else [""]
        return [Procedure(self, item, kind, place) for place in places for kind in kinds]


def text_of(item, noun):
    """The text of an item in the words of Fortran."""
    text = " ".join(item.text_for("fortran")).replace("seiche_pending_finish()", "pending%finish()")
    text = re.sub(rf"`?seiche_(?:{noun}_)?(\w+?)\(\)`?", r"\1", text)
    return text.replace("Destroying NULL has no effect.", "Closing a closed object has no effect.")


def said_of(item, noun):
    """The text of a function: whether it is collective, and the rest."""
    mark, text = re.match(r"(?:(Collective|Local)[^.]*\. )?(.*)", text_of(item, noun)).groups()
    text += " add=.true.: the result is added to `out`." * ("adds" in item.about)
    return mark or ("Collective" if "collective" in item.flags else "Local"), text


def bound(name, listed, names):
    """The lines of a type for a public name with its procedures."""
    items = list({one.item.name: one.item for one in listed}.values())
    said = [said_of(item, listed[0].noun) for item in items]
    forms = " or ".join(dict.fromkeys(name + one.signature() for one in listed))
    text = fortran.wrapped_text([f"{said[0][0]}. {forms}: {' '.join(text for _, text in said)}"])
    specific = [one.name + suffix for one in listed for suffix in (["", "_f08"] if with_comm(one) else [""])]
    if len(specific) == 1:
        return ["  " + line for line in text] + [f"    procedure :: {name} => {specific[0]}"]
    return [*fortran.wrapped("procedure, private :: " + ", ".join(specific), "    "), *("  " + line for line in text),
            *fortran.wrapped(f"generic :: {name} => " + ", ".join(specific), "    ")]


def with_comm(procedure):
    return any(one.type == "comm" for one in procedure.item.rows)


def derived_type(item, functions, names):
    """The lines of the type of a handle, and the procedures of it."""
    methods = {}
    for one in (one for function in functions for one in names.procedures(function)):
        methods.setdefault(one.method, []).append(one)
    kind = names.type(item.name)
    lines = ["", *fortran.wrapped_text([text_of(item, item.name)]), f"  type, public :: {kind}", "    private",
             "    type(c_ptr), public :: handle = c_null_ptr  !< for the library only"]
    lines += ["    " + text for word, text in item.fortran if word == "member"] + ["  contains"]
    lines += [line for key, text in item.fortran if key == "private" for line in fortran.wrapped("procedure, private :: " + text, "    ")]
    lines += ["    procedure :: " + one for key, text in item.fortran if key == "procedure" for one in text.split(", ")]
    lines += [line for name, listed in methods.items() for line in bound(name, listed, names)] + ["  end type"]
    bodies = [[*one.lines()] for listed in methods.values() for one in listed]
    bodies += [[*one.lines_for_mpi_f08()] for listed in methods.values() for one in listed if with_comm(one)]
    if names.has_members(item.name):
        bodies.append([f"  recursive subroutine {item.name}_forget(self)", f"    type({kind}), intent(out) :: self",
                       "    self%handle = c_null_ptr", "  end subroutine"])
    return lines, bodies


def module(header, item, items, names):
    """The text of a module."""
    words = {word: [text for key, text in item.fortran if key == word] for word in ("use", "public", "declare", "include")}
    yield from [f"!> \\file  {line}" if i == 0 else f"!> {line}".rstrip() for i, line in enumerate(item.text)]
    yield f"module {item.name}"
    yield "  use, intrinsic :: iso_c_binding"
    described = ["status", *header.includes, header.name]
    uses = ["mpi_f08, only: MPI_Comm", "seiche_base", *(f"seiche_{one}_types" for one in described), *(f"seiche_c_{one}" for one in described)]
    yield from (f"  use {one}" for one in dict.fromkeys(uses + words["use"]))
    yield from ["  implicit none", "  private"]
    yield from (f"  public :: {name}" for name in words["public"])
    yield from (f"  include '{name}'" for name in words["declare"])
    bodies = []
    for handle in (one for one in items if one.kind == "handle" and one.about.get("fortran") != "no"):
        own = [one for one in items if one.kind == "function" and (self := names.self(one)) and self.type == handle.name
               and one.about.get("fortran") != "no"]
        lines, procedures = derived_type(handle, own, names)
        yield from lines
        bodies += procedures
    yield from ["", "contains"]
    yield from (f"  include '{name}'" for name in words["include"])
    for lines in bodies:
        yield ""
        yield from lines
    yield f"end module {item.name}"


def write(headers):
    names, texts = Names(headers), {}
    for header in headers:
        begins = [i for i, item in enumerate(header.items) if item.kind == "module"]
        for i, end in zip(begins, [*begins[1:], len(header.items)]):
            item = header.items[i]
            texts[f"fortran/{item.name}.f90"] = fortran.file_text(header, [*module(header, item, header.items[i + 1:end], names)])
    return texts
