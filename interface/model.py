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
    default: str = ""  # of Fortran's optional arguments
    role: str = ""  # the name of its role, whose C type it has

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
    """An enumeration, a structure, a handle, a callback, a function, C code, or how Fortran has these."""

    kind: str
    name: str
    text: list = dataclasses.field(default_factory=list)
    code: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)  # Field of structures and enumerations, Argument of functions
    returns: str = ""
    flags: tuple = ()
    about: dict = dataclasses.field(default_factory=dict)
    words: dict = dataclasses.field(default_factory=dict)  # text for c, fortran, or the started function
    fortran: list = dataclasses.field(default_factory=list)  # (word, text): see interface/README.md

    @property
    def sentence(self):
        return " ".join(self.text)

    def text_for(self, language):
        return self.text + self.words.get(language, [])


@dataclasses.dataclass
class Header:
    name: str
    text: list
    includes: list
    items: list


class Mistake(Exception):
    """A line that cannot be read."""


FORTRAN_WORDS = ("use", "public", "declare", "include", "member", "private", "procedure", "argument", "optional", "trailing", "local", "keep", "begin", "refuse",
                 "refuse_blocking", "bands", "before", "pass", "count", "row", "after", "finally", "result", "found", "returns")

ARGUMENT = re.compile(r"(?:(in|out|new|free) )?(const )?([\w.]+)(\*|&)? (\w+)(?:\[(\w+)\])?(?: = ([\w.]+))?$")
NAME = r" \*?\w+(?:\[\w+\])?"
FIELD = re.compile(rf"(?P<type>(?:const )?\w+\*?)(?P<names>{NAME}(?:,{NAME})*)(?: -> (?P<member>[\w.-]+))?(?: = (?P<default>\S+))?"
                   r"(?P<differs> differs)?$")
FUNCTION = re.compile(r"(?:(?P<returns>[\w* ]+?) )?(?P<name>\w+)\((?P<arguments>.*)\)(?P<flags>(?: [\w=]+)*)$")


def argument(text):
    match = ARGUMENT.match(text.strip())
    if not match:
        raise Mistake(f"'{text}' is no argument")
    way, constant, kind, mark, name, count, default = match.groups()
    kind = (constant or "") + kind + ("*" if mark == "*" else "")
    return Argument(way or "", kind, name, count or "", mark != "&", default or "")


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
        flags = match["flags"].split()
        return Item(kind, match["name"], rows=listed, returns=match["returns"] or "", about=attributes(flags), flags=tuple(flags))
    name, *words = rest.split()
    return Item(kind, name, about=attributes(words))


def attributes(words):
    return dict(word.split("=", 1) for word in words if "=" in word)


def add_row(item, line):
    text = line.strip()
    if text == ":" or text.startswith(": "):
        item.text.append(text[2:])
    elif re.match(r":(c|fortran|start) ", text):
        language, _, words = text[1:].partition(" ")
        item.words.setdefault(language, []).append(words)
    elif text.startswith("= "):
        item.code.append(text[2:])
    elif item.kind in ("role", "module") or text.startswith("fortran "):
        word, _, rest = text.removeprefix("fortran ").partition(" ")
        if word not in FORTRAN_WORDS:
            raise Mistake(f"'{word}' is no word of Fortran")
        item.fortran.append((word, rest))
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
            elif items[-1].kind == "header" and line.strip().startswith(("include ", "part ")):
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


def derived(item, name, **changed):
    """A function that a mark of `item` asks for. It has no such marks of its own."""
    about = {key: value for key, value in item.about.items() if key not in ("adds", "complex", "method")}
    return dataclasses.replace(item, name=name, about={**about, "fortran": "no"}, words={}, **changed)


def started(code, noun):
    """The C++ code that starts the call of `noun.method(...)`, or of a started call that is finished."""
    if code.endswith(".finish()"):
        return f"make<PendingObject>({code.removesuffix('.finish()')})"
    return f"make<PendingObject>({re.sub(rf'{noun}[.]', f'{noun}.start_', code, count=1)})"


def variants(item, handles):
    """The C functions of an item of the description: itself, and what its marks `adds`, `complex` and `starts` ask for."""
    same = f"Same as seiche_{item.name}()"
    found = [dataclasses.replace(item, code=[line.replace("{result}", "Result::replaces") for line in item.code])]
    if "adds" in item.about:
        found.append(derived(item, item.about["adds"], text=[f"Collective. {same}, but adds the result to `out`."],
                             code=[line.replace("{result}", "Result::adds") for line in item.code]))
    if "complex" in item.about:
        rows = [dataclasses.replace(one, type="complex128") if one.role and one.type == "double" else one for one in item.rows]
        found.append(derived(item, item.about["complex"], rows=rows, text=[f"Collective. {same} for complex values of two doubles.",
                                                                           "Lengths count complex values."]))
    for one in found[:] if "starts" in item.flags else []:
        self = next(row for row in item.rows if row.type in handles)
        start = derived(one, one.name.replace(f"{self.type}_", f"{self.type}_start_", 1),
                        rows=[Argument("new", "pending", "pending"), *one.rows], text=[f"Collective. Starts seiche_{one.name}().", *item.words.get("start", [])],
                        code=[started(one.code[0], self.name)])
        if one is found[0]:
            start.about = {**item.about, "adds": item.about["adds"].replace(f"{self.type}_", f"{self.type}_start_", 1)} \
                if "adds" in item.about else dict(item.about)
            start.about.pop("in_place", None)
        found.append(start)
    return found


def with_roles(headers):
    """Gives arguments the C types of their roles, and adds the functions that marks ask for after each function."""
    roles, handles = named(headers, "role"), named(headers, "handle")
    for header in headers:
        items = []
        for item in header.items:
            if item.kind == "function":
                item.rows = [dataclasses.replace(one, type=roles[one.type].about.get("type", one.type), role=one.type)
                             if one.type in roles else one for one in item.rows]
                items += variants(item, handles)
            else:
                items.append(item)
        header.items = items
    return headers


ORDER = ("status", "fft", "boxes", "grid_operator", "exact_exchange", "pair_densities", "blocksparse", "product", "tuning", "wavefile", "orbitals", "density", "symmetry")


def read_all():
    return with_roles([read_header(HERE / f"{name}.api") for name in ORDER])


def named(headers, *kinds):
    return {item.name: item for header in headers for item in header.items if item.kind in kinds}
