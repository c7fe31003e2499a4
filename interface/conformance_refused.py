# SPDX-License-Identifier: BSD-3-Clause
"""Writes wrong calls of Fortran, from the calls of tests/conformance: refused_<noun>.f90.

Wrong are objects that are closed or exist already, and arrays that are too small, not contiguous, or of another kind. A wrong
array is on all ranks, then on the first one only: all ranks get an error.
"""

import re

from conformance_call import concrete
from fortran_procedure import type_of

NULLABLE = ("block_matrix_read.layout",)  # may be closed


class Wrong:
    """The wrong calls of a step. `spares`: closed objects by their types."""

    def __init__(self, tables, case, step, call, spares):
        self.tables, self.names, self.case, self.step, self.call, self.spares = tables, tables.names, case, step, call, spares
        self.text = call.fortran()
        self.own = self.names.self(call.base) if self.text else None
        self.pad = int(case.numbers.get("pad", 0))

    def spare(self, one, text):
        """The text with a closed object in place of an argument."""
        kind = self.names.type(one.type)
        self.spares[f"closed_{kind}"] = kind
        return re.sub(rf"\b{self.call.handle(one)}\b(?= *[%,)])", f"closed_{kind}", text)

    def closed(self):
        """Yields statements with a closed object, and the message."""
        for one in self.call.base.rows if self.own else ():
            known = one.type in self.names.handles and one.type not in ("pending", "header") and not one.way
            known = known and f"{self.step.name}.{one.name}" not in NULLABLE
            if known and self.call.handle(one) not in self.case.arrays and self.names.handles[one.type].about.get("fortran") != "no":
                yield self.spare(one, self.text), f"{one.type}: the handle is NULL"

    def exists(self):
        if self.step.word == "new" and self.own and self.own.way == "new" and not self.step.fortran:
            yield self.text, "already exists"

    def about(self, one):
        return self.names.about(one).get("kinds", "") if one.array else ""

    def arrays(self):
        """The arrays of a usual call whose shape or kind Fortran checks."""
        usual = self.own and not self.step.fortran and not {"continued", "unfinished"} & set(self.step.words)
        return [one for one in self.call.base.rows if usual and self.about(one)]

    def shorter(self, name):
        """A part of an array, which lacks an element along the first axis."""
        axes = len(self.case.axes(name))
        less = 1 + self.pad * self.case.arrays[name][1].endswith("+pad")
        return f"{name}(:size({name}, 1) - {less}{', :' * (axes - 1)})"

    def good(self, start):
        text = self.call.fortran(start)
        return self.spare(self.own, text) if self.step.word == "new" else text

    def parts(self, start):
        """Yields statements with an array that is too small, or of a started call not contiguous, and the message."""
        told = "is not contiguous" if start and self.names.refuses(self.own.type) else ""
        for name in dict.fromkeys(self.call.array(one) for one in self.arrays()):
            if not start or len(self.case.axes(name)) > 1:
                yield re.sub(rf"(?<=[(, =]){name}(?=[,)])", self.shorter(name), self.good(start)), told

    def waves(self):
        """Yields statements with waves of two numbers each, and the message. The ranks agree on the caller's communicator."""
        usual = self.step.word == "new" and self.own and not self.step.fortran
        for one in self.call.base.rows if usual else ():
            if one.type == "miller" and one.way != "out":
                name = self.call.array(one)
                yield re.sub(rf"(?<=[(, =]){name}(?=[,)])", f"{name}(:2, :)", self.good(False)), f"{one.name} must have shape (3, number)"

    def kinds(self):
        """Yields a statement with arrays of single precision, and the message."""
        checked = [one for one in self.arrays() if self.about(one) in ("value", "complex")]
        if not any(word == "refuse" and "{code}" in text for one in checked for word, text in self.names.role(one).fortran):
            return
        text = self.good(False)
        for name in dict.fromkeys(self.call.array(one) for one in checked):
            text = re.sub(rf"(?<=[(, =]){name}(?=[,)])", f"single_{name}", text)
        yield text, "(real32)"

    def singles(self):
        return {self.call.array(one): concrete(self.about(one), self.call.kind)[:-2] + "32" for one in self.arrays()
                if self.about(one) in ("value", "complex")}


def attempts(statement, good, told, label, start=False, finish=False):
    """The lines of a wrong call on all ranks, and on the first one."""
    end = ["if (status == 0) call pending%finish(status)"] * start
    late = ["if (status /= 0) call pending%finish(late)"] * finish
    for on in ("all", "one") if good else ("all",):
        yield f"! {label} on {on}"
        yield from [statement] if on == "all" else ["if (is_first()) then", statement, "else", good, "end if"]
        yield from [*late, *end, f"call refused(status, '{told}', '{label} on {on}')"]


def before(wrong, of):
    """The wrong calls before the good one."""
    lines, collective = [], "collective" in wrong.call.base.flags
    for statement, told in wrong.closed():
        lines += attempts(statement, "", told, f"{of}, closed")
    for start in wrong.step.forms:
        late = start and not wrong.names.refuses(wrong.own.type)
        for number, (statement, told) in enumerate(wrong.parts(start)):
            lines += attempts(statement, wrong.good(start) if collective else "", told, f"{'started ' * start}{of}, part {number}", start, late)
    for statement, told in [*wrong.kinds(), *wrong.waves()]:
        lines += attempts(statement, wrong.good(False) if collective else "", told, f"{of}, kind")
    return lines


def body(tables, case, calls, label):
    """The wrong calls between the good ones that create objects. Returns lines, closed objects, and arrays of single precision."""
    lines, spares, singles, done = [], {}, {}, set()
    for step, call in calls:
        wrong, of = Wrong(tables, case, step, call, spares), label(step, calls)
        if not wrong.text:
            continue
        first = step.name not in done
        done.add(step.name)
        if first and not (step.fortran and step.word == "call"):
            lines += before(wrong, of)
            singles.update(wrong.singles())
        end = ["if (status == 0) call pending%finish(status)"] * ("starting" in step.words)
        lines += ["call reset()", wrong.text, *end, f"call tried(status, '{of}')"]
        for statement, told in wrong.exists() if first else ():
            lines += attempts(statement, "", told, f"{of}, again")
    return lines, spares, singles


def declared(singles, case):
    """Declarations of arrays of single precision, and their allocations."""
    for name, kind in singles.items():
        yield f"{type_of(kind)}, allocatable, target, asynchronous :: single_{name}({', '.join(':' for _ in case.axes(name))})"


def allocated(singles, case):
    for name, kind in singles.items():
        zero = "0.0" if kind.startswith("real") else "(0.0, 0.0)"
        yield f"allocate (single_{name}({', '.join(f'size({name}, {i + 1})' for i, _ in enumerate(case.axes(name)))}), source={zero})"
