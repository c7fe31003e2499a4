# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests that call the described functions in C++, C, Fortran and Python with the same arrays: tests/conformance.

C++ has the calls that the cases give. The other calls follow from the description.
"""

import conformance_refused
import fortran
import model
from conformance_call import CXX, NUMPY, STRUCTURES, Call, Tables, concrete, read
from fortran_procedure import type_of

FOLDER = model.HERE.parent / "tests" / "conformance"
INTEGERS = {"int32": "integer(int32)", "int64": "integer(int64)", "miller": "integer(int32)"}
NOTE = "made from tests/conformance/{}.case; do not edit."


class Texts:
    """The texts of one case file."""

    def __init__(self, tables, noun, cases):
        self.tables, self.noun, self.cases = tables, noun, cases
        self.functions = {step.name for case in cases for step in case.steps if step.word != "array"}
        for name in self.functions - set(tables.functions):
            raise SystemExit(f"{noun}.case: the description has no function {name}")
        self.headers = sorted({tables.header[name] for name in self.functions})

    def each(self):
        for case in self.cases:
            for kind in case.kinds:
                calls = [(step, Call(self.tables, case, step, kind)) for step in case.steps if step.word != "array"]
                yield f"{case.name}_{kind}", case, kind, calls

    @staticmethod
    def before(step):
        """Whether the arrays have their first values before the call, and are compared after it."""
        return "continued" not in step.words, "unfinished" not in step.words

    @staticmethod
    def label(step, calls):
        """The name of a call in the results."""
        return f"{[one for one, _ in calls].index(step)} {step.name}"

    def cxx(self):
        yield f"// {NOTE.format(self.noun)}"
        yield '#include "case_arrays.hpp"'
        yield f'#include "{self.noun}_case.hpp"' if (FOLDER / f"{self.noun}_case.hpp").exists() else ""
        yield "namespace seiche::conformance {"
        for case in self.cases:
            yield f"template <class Value>\nvoid {case.name}() {{"
            yield "using Complex = typename ComplexOf<Value>::type;"
            yield "using Fields = std::conditional_t<std::is_floating_point_v<Value>, double, std::complex<double>>;"
            for key, number in case.numbers.items():
                if number.isdigit():
                    yield f"[[maybe_unused]] constexpr std::int64_t {key} = {number};"
            yield from (line + ";" for line in case.setup)
            at = [step for step in case.steps if step.word != "array"]
            declared = set()
            for step in case.steps:
                if step.word == "array":
                    kind, *extents = step.words
                    row = f", {extents[0]}" if kind == "complex" and extents[0].startswith("waves") else ""
                    made = step.code[0] if step.code else f'numbered<{CXX[kind]}>("{step.name}", {{{", ".join(extents)}}})'
                    yield f"[[maybe_unused]] const auto {step.name}_values = {made};"
                    yield f"[[maybe_unused]] const auto {step.name} = " + (
                        f"Coefficients<Complex>({step.name}_values{row});" if row else f"{step.name}_values;")
                    continue
                resets, compares = self.before(step)
                yield "case_reset();" * resets
                about = self.tables.names.options[step.options[0]].about if step.options else {}
                if any("options" in line for line in step.code) and "cxx" in about:
                    yield "options = {};" if about["cxx"] in declared else f"{about['cxx']} options{{}};"
                    declared.add(about["cxx"])
                    yield from (f"options.{case.text(one).replace('True', 'true')};" for one in step.options[1])
                yield from (line + ";" for line in step.code)
                yield f'case_same("{at.index(step)} {step.name}");' * compares
            yield "}"
        for name, case, kind, _ in self.each():
            yield f'extern "C" __attribute__((visibility("default"))) void cxx_{name}() {{'
            yield f'case_begin("c++", "{name}");\n{case.name}<{CXX[kind]}>();\n}}'
        yield "}  // namespace seiche::conformance"

    def c(self):
        yield f"/* {NOTE.format(self.noun)} */"
        yield '#include <stddef.h>\n#include "case_arrays.h"'
        yield from (f'#include "seiche/c/{header}.h"' for header in self.headers)
        yield '#include "doubled.h"\n#include "listed.h"'
        for name, case, kind, calls in self.each():
            yield f"void c_{name}(void);\nvoid c_{name}(void) {{"
            handles = {}
            for step, call in calls:
                if step.word == "new":
                    one = call.item.rows[0]
                    handles[call.handle(one)] = one.type
            for kind_of in {step.options[0]: 1 for step, _ in calls if step.options}:
                yield f"seiche_{kind_of} asked_{kind_of};"
            yield from (f"seiche_{kind_of}* {own} = NULL;" for own, kind_of in handles.items())
            yield "seiche_pending* pending = NULL; (void)pending;"
            yield f'case_begin("C", "{name}");'
            for step, call in calls:
                label = self.label(step, calls)
                if step.options:
                    asked = f"asked_{step.options[0]}"
                    yield f'case_tried(seiche_{step.options[0]}_init(&{asked}), "{label}");'
                    yield from (f"{asked}.{case.text(one).replace('True', '1')};" for one in step.options[1])
                for start in step.forms:
                    resets, compares = self.before(step)
                    yield "case_reset();" * resets + f' case_tried({call.c(start)}, "{label}");'
                    if start:
                        yield f'case_tried(seiche_pending_finish(pending), "started {label}");'
                        yield "seiche_pending_destroy(&pending);"
                    yield f'case_same("{label}");' * compares
            for own, kind_of in reversed(handles.items()):
                yield f'case_tried(seiche_{kind_of}_destroy(&{own}), "destroy");'
            yield "}"

    def fortran_module(self, name, routines):
        yield f"! {NOTE.format(self.noun)}"
        yield f"module {name}_{self.noun}"
        yield "use, intrinsic :: iso_c_binding\nuse, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64"
        yield "use mpi_f08, only: MPI_COMM_WORLD\nuse seiche\n" + "use seiche_files\n" * self.of_files
        yield "use case_arrays\nimplicit none\ncontains"
        yield from routines
        yield "end module"

    def fortran_routine(self, routine, case, kind, calls, lines, declared=(), begin=()):
        """A subroutine with the objects and arrays of a case."""
        name = routine.partition("_")[2]
        yield f"subroutine {routine}() bind(c, name='{routine}')"
        handles = {}
        for step, call in calls:
            if step.word == "new" and step.fortran != "-":
                one = call.item.rows[0]
                handles[call.handle(one)] = "seiche_header" if one.type == "header" else self.tables.names.type(one.type)
        for kind_of in {step.options[0]: 1 for step, call in calls if call.fortran_options}:
            yield f"type({kind_of}) :: options"
        yield from (f"type({kind_of}) :: {own}" for own, kind_of in handles.items())
        yield from declared
        yield "type(seiche_pending) :: pending\ntype(doubled), target :: function\ntype(listed), target :: listing\ninteger :: status, late"
        arrays = {array: concrete(words[0], kind) for array, words in case.arrays.items() if words[0] not in STRUCTURES}
        for array, of in arrays.items():
            places = ["3", *case.axes(array)] if of == "miller" else case.axes(array)
            declared_as = INTEGERS.get(of) or type_of(of)
            yield f"{declared_as}, pointer, contiguous :: {array}({', '.join(':' for _ in places)})"
        yield f"call begin('{name}')"
        for array, of in arrays.items():
            axes = ", ".join(map(str, case.axes(array)))
            first = "3_int64, " if of == "miller" else ""
            yield f"call c_f_pointer(at('{array}'), {array}, [{first}extents('{array}', [{axes}])])"
        yield from begin
        yield from lines
        yield from (f"call {own}%close()" for own, kind_of in reversed(handles.items()) if kind_of != "seiche_header")
        yield "end subroutine"

    def fortran_options(self, step, call):
        if call.fortran_options:
            kind_of = self.tables.names.options[step.options[0]]
            for one in step.options[1]:
                member, _, value = call.case.text(one).partition("=")
                flag = next(row for row in kind_of.rows if row.name == member).type == "flag"
                yield f"options%{member} = {'.true.' if flag else value}"

    def fortran_steps(self, calls):
        for step, call in calls:
            label = self.label(step, calls)
            yield from self.fortran_options(step, call)
            for start in step.forms:
                text = call.fortran(start)
                if not text:
                    continue
                resets, compares = self.before(step)
                yield "call reset()" * resets
                yield from fortran.wrapped(text, "")
                if start:
                    yield "if (status == 0) call pending%finish(status)"
                yield f"call {'same' if compares else 'tried'}(status, '{label}')"

    def fortran(self):
        yield from self.fortran_module("conformance", (line for name, case, kind, calls in self.each() for line in self.fortran_routine(
            f"fortran_{name}", case, kind, calls, self.fortran_steps(calls))))

    def refused(self):
        """Wrong calls of each case, for one kind of value."""
        yield from self.fortran_module("refused", (line for one in self.last_kinds() for line in self.refused_routine(*one)))

    def last_kinds(self):
        """The cases, for their last kind of double precision: wrong arrays are of single precision."""
        doubles = {case.name: kind for _, case, kind, _ in self.each() if kind.endswith("64")}
        return [one for one in self.each() if one[2] == doubles.get(one[1].name)]

    def refused_routine(self, name, case, kind, calls):
        lines, spares, singles = conformance_refused.body(self.tables, case, calls, self.label)
        options = [line for step, call in calls for line in self.fortran_options(step, call)]
        return self.fortran_routine(
            f"refused_{name}", case, kind, calls, [one for line in lines for one in fortran.wrapped(line, "")],
            [*(f"type({kind_of}) :: {own}" for own, kind_of in spares.items()), *conformance_refused.declared(singles, case)],
            [*(one for line in conformance_refused.allocated(singles, case) for one in fortran.wrapped(line, "")), *options])

    def python(self):
        yield f'"""{NOTE.format(self.noun)[0].upper()}{NOTE.format(self.noun)[1:]}"""'
        yield "import numpy\nimport seiche"
        listed = [one for one in self.each() if one[1].numbers.get("python") != "no"]
        for name, case, kind, calls in listed:
            yield f"\n\ndef {name}(a, comm):"
            yield f'    dtype = "{NUMPY[kind]}"'
            for array, words in case.arrays.items():
                of = concrete(words[0], kind)
                pad = int(case.numbers.get("pad", 0)) if words[1:] and words[1].endswith("+pad") else 0
                yield f'    a.add("{array}", "{NUMPY.get(of, of)}", {case.axes(array)}, {pad})'
            made = []
            for step, call in calls:
                if step.python == "-":
                    continue
                resets, compares = self.before(step)
                made += [call.handle(call.item.rows[0])] * (step.word == "new")
                for start in step.forms:
                    target = f"{made[-1]} = " if step.word == "new" else ""
                    yield "    a.reset()" * resets + f"\n    {target}{call.python(start)}{'.finish()' if start else ''}"
                    yield f'    a.same("{self.label(step, calls)}")' * compares
            yield from (f"    a.close({own})" for own in reversed(made))
        yield "\n\nCASES = {" + ", ".join(f'"{name}": {name}' for name, *_ in listed) + "}"

    @property
    def of_files(self):
        return bool({"wavefile", "orbitals", "density", "symmetry"} & set(self.headers))


def called():
    """The names of the C functions that the cases call."""
    tables, names = Tables(model.read_all()), set()
    for path in FOLDER.glob("*.case"):
        for _, _, _, calls in Texts(tables, path.stem, read(path)).each():
            names |= {call.c_name(start) for step, call in calls for start in step.forms}
    return names


def write(headers):
    tables = Tables(headers)
    texts, listed = {}, {False: "", True: ""}
    for path in sorted(FOLDER.glob("*.case")):
        one = Texts(tables, path.stem, read(path))
        files = {f"cxx_{path.stem}.cpp": one.cxx(), f"c_{path.stem}.c": one.c(), f"fortran_{path.stem}.f90": one.fortran(),
                 f"refused_{path.stem}.f90": one.refused(), f"{path.stem}_calls.py": one.python()}
        for name, lines in files.items():
            texts[f"conformance/{name}"] = "\n".join(lines) + "\n"
        listed[one.of_files] += "".join(f"CASE({name})\n" for name, *_ in one.each())
        listed[one.of_files] += "".join(f"REFUSED({name})\n" for name, *_ in one.last_kinds())
    texts["conformance/cases.inc"], texts["conformance/cases_of_files.inc"] = listed[False], listed[True]
    return texts
