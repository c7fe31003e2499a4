# SPDX-License-Identifier: BSD-3-Clause
"""Reads the description of the interfaces: the files *.api beside this one.

An item begins in the first column, and the lines below it are indented. Lines that begin with ": " are its text, lines
that begin with "= " are C++ code. See interface/README.md.
"""

import dataclasses
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument of a function: `in double weights[weight_count]`."""

    way: str  # in, out, new, free, or "" for values and handles
    type: str
    name: str
    count: str = ""  # a number, or the name of the argument that has the length
    constant: bool = True  # of handles

    @property
    def fixed(self):
        return self.count.isdigit()

    @property
    def array(self):
        return bool(self.count) and not self.fixed

    @property
    def row(self):
        """The argument that has the row length, of coefficients."""
        return self.name.rstrip("_") + "_row" if self.type == "rows" else ""


@dataclasses.dataclass(frozen=True)
class Field:
    """A member of a structure."""

    type: str
    name: str
    count: str = ""
    default: str = ""
    member: str = ""  # of the C++ structure, where it is not `name`
    text: str = ""
    differs: bool = False  # between ranks


@dataclasses.dataclass
class Item:
    """An enumeration, a structure, a handle, a callback, a function, or C code."""

    kind: str
    name: str
    text: list = dataclasses.field(default_factory=list)
    code: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)  # Field of structures and enumerations, Argument of functions
    returns: str = ""
    flags: tuple = ()
    about: dict = dataclasses.field(default_factory=dict)

    @property
    def sentence(self):
        return " ".join(self.text)


@dataclasses.dataclass
class Header:
    name: str
    text: list
    includes: list
    items: list


class Mistake(Exception):
    """A line that cannot be read."""


ARGUMENT = re.compile(r"(?:(in|out|new|free) )?(const )?([\w.]+)(\*|&)? (\w+)(?:\[(\w+)\])?$")
NAME = r" \*?\w+(?:\[\w+\])?"
FIELD = re.compile(rf"(?P<type>(?:const )?\w+\*?)(?P<names>{NAME}(?:,{NAME})*)(?: -> (?P<member>[\w.-]+))?(?: = (?P<default>\S+))?"
                   r"(?P<differs> differs)?$")
FUNCTION = re.compile(r"(?:(?P<returns>[\w* ]+?) )?(?P<name>\w+)\((?P<arguments>.*)\)(?P<flags>(?: \w+)*)$")


def argument(text):
    match = ARGUMENT.match(text.strip())
    if not match:
        raise Mistake(f"'{text}' is no argument")
    way, constant, kind, mark, name, count = match.groups()
    kind = (constant or "") + kind + ("*" if mark == "*" else "")
    return Argument(way or "", kind, name, count or "", mark != "&")


def fields(line):
    """Members of a line `int grid_rows, grid_columns = 0 : of the grid of ranks`."""
    declared, _, text = line.partition(" : ")
    match = FIELD.match(declared.strip())
    if not match:
        raise Mistake(f"'{line}' declares no member")
    for name in match["names"].split(","):
        name = name.strip()
        kind = match["type"]
        if name.startswith("*"):
            kind, name = kind + "*", name[1:]
        name, _, count = name.partition("[")
        yield Field(kind, name, count.rstrip("]"), match["default"] or "", match["member"] or "", text.strip(), bool(match["differs"]))


def begin(line):
    kind, _, rest = line.partition(" ")
    if kind in ("function", "callback"):
        match = FUNCTION.match(rest)
        if not match:
            raise Mistake(f"'{line}' is no {kind}")
        listed = [argument(one) for one in match["arguments"].split(",") if one.strip()]
        return Item(kind, match["name"], rows=listed, returns=match["returns"] or "", flags=tuple(match["flags"].split()))
    name, *words = rest.split()
    return Item(kind, name, about=dict(word.split("=", 1) for word in words))


def add_row(item, line):
    text = line.strip()
    if text == ":" or text.startswith(": "):
        item.text.append(text[2:])
    elif text.startswith("= "):
        item.code.append(text[2:])
    elif item.kind == "code":
        item.code.append(line[4:])
    elif item.kind == "enum":
        declared, _, meaning = text.partition(" : ")
        name, _, number = declared.partition(" = ")
        number, _, mark = number.partition(" ")  # "former": kept for programs that use it
        item.rows.append(Field("int", name.strip(), default=number, member=mark.strip(), text=meaning.strip()))
    else:
        item.rows.extend(fields(text))


def require_flag(path, items):
    """A function that is collective by its text has the flag, by which its arguments are checked on all ranks."""
    for item in items:
        destroys = item.rows and getattr(item.rows[0], "way", "") == "free"
        if item.kind == "function" and item.sentence.startswith("Collective") and "collective" not in item.flags and not destroys:
            raise SystemExit(f"{path.name}: {item.name} needs the flag 'collective'")


def read_items(path):
    items = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        try:
            if not line.strip():
                continue
            if line.startswith("# "):
                items.append(Item("section", line[2:]))
            elif not line.startswith(" "):
                items.append(begin(line if line != "code" else "code -"))
            elif line.strip().startswith(("include ", "part ")):
                items[-1].rows.append(line.split())
            else:
                add_row(items[-1], line)
        except Mistake as mistake:
            raise SystemExit(f"{path.name}:{number}: {mistake}") from None
    require_flag(path, items)
    return items


def read_header(path):
    first, *items = read_items(path)
    listed = {"include": [], "part": []}
    for word, name in first.rows:
        listed[word].append(name)
    for part in listed["part"]:
        items += read_items(path.with_name(f"{part}.api"))
    return Header(first.name, first.text, listed["include"], items)


ORDER = ("status", "fft", "boxes", "exact_exchange", "blocksparse", "product", "tuning", "wavefile", "orbitals", "density", "symmetry")


def read_all():
    return [read_header(HERE / f"{name}.api") for name in ORDER]


def named(headers, *kinds):
    return {item.name: item for header in headers for item in header.items if item.kind in kinds}
