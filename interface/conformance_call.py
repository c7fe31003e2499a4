# SPDX-License-Identifier: BSD-3-Clause
"""Reads the cases of tests/conformance/*.case, and words a call of a described function in C, Fortran and Python.

The arrays of a case have the names of the arguments. See interface/README.md.
"""

import dataclasses
import re

import model
from fortran_procedure import KINDS
from fortran_procedure import named as dummy_named
from fortran_types import Names

OF_KINDS = {"value": list(KINDS), "fields": ["real64", "complex64"]}
CXX = {"real32": "float", "real64": "double", "complex32": "std::complex<float>", "complex64": "std::complex<double>",
       "value": "Value", "complex": "Complex", "fields": "Fields", "int32": "std::int32_t", "int64": "std::int64_t",
       "miller": "Miller", "char": "char", **{name: "seiche_" + name for name in ("box", "box_array", "dense_arrays")}}
STRUCTURES = ("box", "box_array", "dense_arrays", "char")
NUMPY = {"real32": "float32", "real64": "float64", "complex32": "complex64", "complex64": "complex128"}
# Arguments of Fortran that are made of the array {0}.
FORTRAN_OF_ARRAY = {"shape": "int({0})", "box": "box_of('{0}')", "text": "text_at('{0}')", "factor": "cmplx({0}(1), {0}(2), real64)",
                    "box_array": "field_arrays('{0}')", "dense_arrays": "dense_arrays_of('{0}')"}
# Arguments that Python finds itself.
FOUND = ("bands", "user", "comm", "value", "kind_of_values", "field_count", "add_flag")


@dataclasses.dataclass(eq=False)
class Step:
    """An array, or a call with the arrays and numbers of its arguments."""

    word: str  # array, new, call
    name: str
    words: list
    code: list = dataclasses.field(default_factory=list)
    python: str = ""
    fortran: str = ""
    options: tuple = ()  # type, members

    @property
    def forms(self):
        """Which functions are called: the usual one (False), the started one (True)."""
        return (True,) if "starting" in self.words else (False, True) if "started" in self.words else (False,)

    @property
    def given(self):
        return dict(word.split("=") for word in self.words if "=" in word)


class Case:
    """`numbers`: of its first line, such as bands=3."""

    def __init__(self, name, numbers, setup, steps):
        self.name, self.numbers, self.setup, self.steps = name, numbers, setup, steps
        self.arrays = {step.name: step.words for step in steps if step.word == "array"}

    @property
    def kinds(self):
        return OF_KINDS.get(self.numbers["kinds"], [self.numbers["kinds"]])

    def axes(self, array):
        """The axes of an array. One band and one component have none."""
        extents = self.arrays[array][1:]
        axes = [i for i, extent in enumerate(extents) if self.numbers.get(re.sub("_here", "", extent)) != "1"]
        return axes or [0]

    def text(self, line):
        """A line with the numbers of the case."""
        return re.sub(r"\{(\w+)\}", lambda match: self.numbers.get(match[1], match[0]), line)


def read(path):
    cases, steps = {}, []
    for line in path.read_text().split("\n"):
        text = line.strip()
        if line.startswith("case "):
            name, *words = text.split()[1:]
            numbers, setup, steps = dict(word.split("=") for word in words), [], []
            if "like" in numbers:
                like = cases[numbers["like"]]
                numbers, setup, steps = {**like.numbers, **numbers}, like.setup, like.steps
            cases[name] = [name, numbers, setup, steps]
            cases[name] = Case(name, numbers, setup, steps)
        elif text.startswith("= "):
            (steps[-1].code if steps else setup).append(text[2:])
        elif text.startswith("python "):
            steps[-1].python = text[7:]
        elif text.startswith("fortran "):
            steps[-1].fortran = text[8:]
        elif text.startswith("options "):
            kind, *members = text.split()[1:]
            steps[-1].options = (kind, members)
        elif text and not text.startswith("#"):
            word, name, *words = text.split()
            steps.append(Step(word, name, words))
    return [Case(one.name, one.numbers, one.setup, one.steps) for one in cases.values()]


def concrete(kind, of):
    """A kind of elements, where the values of the case are `of`."""
    return {"value": of, "complex": "complex" + of[-2:], "fields": of[:-2] + "64"}.get(kind, kind)


class Call:
    """A step that calls a function, for a kind of values."""

    def __init__(self, tables, case, step, kind):
        self.tables, self.case, self.step, self.kind = tables, case, step, kind
        self.base, self.adds = tables.base(step.name)
        self.item = tables.functions[step.name]
        self.given = {**case.numbers, **step.given}

    def handle(self, one):
        return self.given.get(one.name, one.name)

    def array(self, one):
        return self.given.get(one.name, one.name)

    # -------------------------------------------------------------------------------------------------------------- C

    def c_argument(self, one):
        names = self.tables.names
        if one.way in ("new", "free"):
            return "&" + self.handle(one)
        if one.type in names.handles:
            return self.handle(one)
        if one.type == "comm":
            return "MPI_COMM_WORLD"
        if one.type == "value" and one.way != "out":
            return {"32": "SEICHE_FLOAT", "64": "SEICHE_DOUBLE"}[self.kind[-2:]].replace(
                "SEICHE_", "SEICHE_COMPLEX_" if self.kind.startswith("complex") else "SEICHE_")
        if one.type in names.options:
            return f"&asked_{one.type}" if self.step.options and self.step.options[0] == one.type else "NULL"
        if one.type in names.reports and one.type != "dense_arrays":
            return "NULL"
        if one.type == "grid_function":
            return "doubled_" + self.kind
        if one.type == "pair_function":
            return "listed_complex" + self.kind[-2:]
        if one.type == "user":
            return 'case_at("seen")'
        if one.array or one.fixed or one.way == "out" or one.type in ("shape", "box", "factor", "text", "dense_arrays"):
            return f'case_at("{self.array(one)}")'
        return self.given.get(one.name, "0")

    def c(self, start=False):
        item = self.tables.functions[self.c_name(start)]
        passed = []
        for i, one in enumerate(item.rows):
            passed.append("&pending" if one.type == "pending" and one.way == "new" else self.c_argument(one))
            if one.array and all(other.count != one.count for other in item.rows[i + 1:]):
                passed.append(f'case_count("{self.array(one)}")')
            if one.row:
                passed.append(f'case_extent("{self.array(one)}", 0)')
        return f"seiche_{item.name}({', '.join(passed)})"

    def c_name(self, start):
        name = self.step.name
        if "complex" in self.item.about and self.kind.startswith("complex"):
            name = self.item.about["complex"]
        if not start:
            return name
        noun = self.tables.names.self(self.base).type
        return name.replace(noun + "_", noun + "_start_", 1)

    # -------------------------------------------------------------------------------------------------------- Fortran

    def fortran_argument(self, name, one):
        if name == "comm":
            return "MPI_COMM_WORLD"
        if one is None:  # the one array of a short form, or a part of a structure
            return self.given.get("out", "out") if name == self.base.about.get("in_place") else self.given.get(name, "")
        if one.type in self.tables.names.handles:
            return self.handle(one)
        if one.type == "value":
            return KINDS[self.kind]
        if one.type in self.tables.names.options:
            return "options" if self.fortran_options and self.step.options[0] == one.type else ""
        if one.type in ("grid_function", "pair_function"):
            return {"grid_function": "function", "pair_function": "listing"}[one.type]
        if one.count or one.type in FORTRAN_OF_ARRAY:
            return FORTRAN_OF_ARRAY.get(one.type, "{0}").format(self.array(one))
        number = self.given.get(one.name, "")
        if one.type == "double":
            number += "_real64"
        return ".true." if number == "1" and one.type == "flag" else number

    @property
    def fortran_options(self):
        """Whether Fortran has these options as a type."""
        kind = self.step.options[0] if self.step.options and not self.step.fortran else ""
        return kind not in ("", "orbital_layout") and "cxx" in self.tables.names.options[kind].about

    def fortran(self, start=False):
        """The statement, or "" where Fortran has no procedure."""
        if self.step.fortran:
            return self.step.fortran.removeprefix("-")
        if self.base.about.get("fortran") == "no" or not self.tables.names.self(self.base):
            return ""
        names, noun = self.tables.names, self.tables.names.self(self.base).type
        if names.handles[noun].about.get("fortran") == "no":
            return ""
        item = self.tables.functions[self.base.name.replace(noun + "_", noun + "_start_", 1)] if start else self.base
        arguments = {one.name: one for one in item.rows}
        same = "in" in arguments and "out" in arguments and self.array(arguments["in"]) == self.array(arguments["out"])
        short = [one for one in names.procedures(item) if bool(one.in_place) == (same and "in_place" in item.about)]
        procedure = short[0]
        dummies, required = procedure.dummies()
        passed = []
        for i, dummy in enumerate(map(dummy_named, dummies)):
            if dummy in ("status", "add", "pending"):
                adds = self.adds or "add" in self.given
                actual = {"status": "status", "add": ".true." if adds else "", "pending": "pending"}[dummy]
            else:
                actual = self.fortran_argument(dummy, None if dummy == procedure.in_place else arguments.get(dummy))
            if actual:
                passed.append(actual if i < required else f"{dummy}={actual}")
        own = self.handle(names.self(item))
        text = f"{own}%{names.method(item)}({', '.join(passed)})"
        if procedure.results and procedure.results[0][0].type == "box":
            return f"call put_box('{self.array(procedure.results[0][0])}', {text})"
        if procedure.results:
            return f"{self.array(procedure.results[0][0])} = {text}"
        return "call " + text

    # --------------------------------------------------------------------------------------------------------- Python

    def python(self, start=False):
        if self.step.python:
            options = ", ".join(map(self.case.text, self.step.options[1])) if self.step.options else ""
            return self.case.text(self.step.python).replace("{options}", options)
        own = self.tables.names.self(self.base)
        rows = [one for one in self.base.rows if one is not own and (one.role or one.type) not in FOUND]
        outs = [one for one in rows if one.way == "out"]
        passed = [self.python_argument(one) for one in rows if one.way != "out"]
        passed += [f'a["{self.array(one)}"]' for one in outs if one.array]
        passed += ["add=True"] * (self.adds or "add" in self.given)
        method = self.base.name.removeprefix(own.type + "_")
        text = f"{self.handle(own)}.{'start_' if start else ''}{method}({', '.join(passed)})"
        scalars = [one for one in outs if not one.array]
        return f'a["{self.array(scalars[0])}"][...] = {text}' if scalars else text

    def python_argument(self, one):
        if one.type in self.tables.names.handles:
            return self.handle(one)
        if one.type in ("grid_function", "pair_function"):
            return {"grid_function": "a.doubled", "pair_function": "a.listed"}[one.type]
        if one.type == "box":
            return f'a.box("{self.array(one)}")'
        if one.array or one.type in ("shape", "factor"):
            return f'a["{self.array(one)}"]'
        return self.given.get(one.name, "0")


class Tables:
    def __init__(self, headers):
        self.names, self.functions = Names(headers), model.named(headers, "function")
        self.header = {item.name: header.name for header in headers for item in header.items}

    def base(self, name):
        """The function of the description, and whether `name` is the one that adds."""
        for item in self.functions.values():
            if item.about.get("adds") == name and not item.rows[0].type == "pending":
                return item, True
        return self.functions[name], False
