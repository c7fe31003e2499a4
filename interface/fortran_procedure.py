# SPDX-License-Identifier: BSD-3-Clause
"""Writes one Fortran procedure: a function of the description, for one kind of value.

How Fortran declares, checks and passes an argument is in the item `role` that its type names.
"""

import re

import fortran
import model

KINDS = {"real32": "seiche_float", "real64": "seiche_double", "complex32": "seiche_complex_float",
         "complex64": "seiche_complex_double"}
STATUS = "integer, intent(out), optional :: status"


def held_kind(kinds, kind):
    """The kind of the values of a role, where the procedure is for `kind`."""
    return {"value": kind, "fields": kind, "complex": "complex" + kind[-2:]}.get(kinds, kinds)


def type_of(kind):
    return f"{kind[:-2]}(real{kind[-2:]})" if kind else ""


def named(declaration):
    """The name of a dummy argument."""
    return re.sub(r"\(.*", "", declaration.rpartition(":: ")[2])


def conditional(condition, lines):
    """The lines, if the condition holds."""
    if len(lines) == 1 and not lines[0].startswith("if "):
        return [f"if ({condition}) {lines[0]}"]
    return [f"if ({condition}) then", *("  " + line for line in lines), "end if"] if lines else []


class Procedure:
    """`in_place`: the name of the one array that is passed for `in` and `out`."""

    def __init__(self, names, item, kind="", in_place=""):
        self.names, self.item, self.kind, self.in_place = names, item, kind, in_place
        self.start = item.rows[0].type == "pending" and item.rows[0].way == "new"
        self.self = names.self(item)
        self.noun, self.method = self.self.type, names.method(item)
        self.name = "_".join(filter(None, [item.name, "in_place" * bool(in_place), kind]))
        self.adds = item.about.get("adds", "") if not in_place else ""
        self.said = {word: [] for word in model.FORTRAN_WORDS}  # lines
        self.passed, self.results, self.sections = [], [], []
        arrays = [one for one in item.rows if one.array and one.role]
        self.by_values = any(names.about(one).get("kinds") == "value" for one in arrays)
        several = [one for one in arrays if names.about(one).get("kinds", "").startswith("complex")]
        self.first = self.dummy((several or arrays or [self.self])[0])  # tells the number of bands
        self.bands = dict(item.fortran).get("bands", f"bands_of(shape({self.first}))")
        self.plan = next((one for one in item.rows if one.type in names.handles and not one.constant), self.self)  # tells shapes
        for one in item.rows:
            self.convert(one)
        for word, text in item.fortran:
            self.said[word].append(text.format(**self.places({})))

    def dummy(self, one):
        return self.in_place if self.in_place and one.name in ("in", "out") else one.name

    def places(self, about, one=None):
        """What the lines of a role refer to in braces."""
        kind = held_kind(about.get("kinds", ""), self.kind)
        intent = "in" if one and one.way != "out" and self.dummy(one) == one.name else "inout"
        attributes = "target, asynchronous" if self.start else "contiguous, target"
        about = {key: text.format(first=self.first) for key, text in about.items()}
        of = "self" if self.plan in (self.self, None) else self.plan.name
        return {"noun": self.noun, "of": of, "first": self.first, "bands": self.bands, "values": type_of(kind), "code": KINDS.get(kind, ""),
                "held": f"{type_of(kind)}, {attributes}, intent({intent})", "name": self.dummy(one) if one else "",
                "found": "found" if not self.results else f"{one.name}_found" if one else "", **about}

    def convert(self, one):
        """Adds an argument of C."""
        if one is self.self or one.type == "pending":
            self.passed.append("self%handle" if one is self.self else "pending%handle")
            if one is not self.self:
                self.said["argument"].append("type(seiche_pending), intent(inout) :: pending")
            return
        role = self.names.role(one)
        if one.array and not any(word == "count" for word, _ in role.fortran):
            raise SystemExit(f"{self.item.name}: Fortran needs a role with a line `count` for the array {one.name}")
        places = self.places(role.about, one)
        later = any(other.count == one.count for other in self.item.rows[self.item.rows.index(one) + 1:])
        for word, text in role.fortran:
            if word == "refuse" and role.about.get("kinds") == "complex" and self.by_values:
                continue  # the kind of other values tells that of these
            self.add(word if word != "argument" or not one.default else "optional", self.line(one, text, places), later and one.array)
        if self.start and any("{held}" in text for _, text in role.fortran):
            self.sections.append(places["name"])
        if any(word == "result" for word, _ in role.fortran):
            self.results.append((one, places["found"]))

    def line(self, one, text, places):
        """A line of a role. An optional argument has its default where it is absent."""
        if not one.default:
            return text.format(**places)
        if "::" in text:
            return text.format(**places).replace("intent(in)", "intent(in), optional", 1)
        return text.format(**{**places, "name": f"given_or({one.name}, {one.default})"})

    def add(self, word, line, later):
        """`later`: another array has the same length."""
        if word == "count" and self.start and not self.names.refuses(self.noun):  # no values, if one is not contiguous
            line = f"merge({line}, 0_c_int64_t, all(whole))"
        if word in ("pass", "count", "row"):
            if word != "count" or not later:
                self.passed.append(line)
        elif word in ("result", "found", "returns") or line not in self.said[word]:
            self.said[word].append(line)

    # ------------------------------------------------------------------------------------------------------------ text

    def outs(self):
        """Declarations of results after the first."""
        return [f"{kind.partition(' = ')[0]}, intent(out), optional :: {one.name}"
                for kind, (one, _) in [*zip(self.said["result"], self.results)][1:]]

    def dummies(self):
        """Declarations of all arguments in their order, and the number of those that must be there."""
        listed = [*self.said["argument"], *self.said["optional"], *self.outs(), STATUS,
                  *["logical, intent(in), optional :: add"] * bool(self.adds), *self.said["trailing"]]
        return listed, len(self.said["argument"])

    def declarations(self):
        founds = [f"{kind} :: {found}" for kind, (_, found) in zip(self.said["found"], self.results)]
        kept = [line.replace(" ::", ", pointer ::" if self.start else ", target ::") for line in self.said["keep"]]
        whole = [f"logical :: whole({len(self.sections)})"] * bool(self.sections)
        return ["class({}), intent({}) :: self".format(self.names.type(self.noun), "inout" if self.self.way else "in"),
                *self.dummies()[0], *founds, *self.said["local"], *kept, *whole, "integer(c_int) :: code"]

    def refusals(self):
        """Checks before the call."""
        about = self.names.handles[self.noun].about
        exists = [f"already_exists(self%handle, '{self.noun}', '{about.get('word', 'object')}', status)"] * (self.self.way == "new")
        return [f"if ({line}) return" for line in exists + self.said["refuse"] + ([] if self.start else self.said["refuse_blocking"])]

    def section(self):
        """The sentence on an array of a started call that is not contiguous."""
        words = ", ".join(f"'{name}'" for name in self.sections)
        return f"c_text(section_among('{self.noun}', [character({max(map(len, self.sections))}) :: {words}], whole))"

    def section_before(self):
        if not self.sections:
            return []
        refuse = self.names.refuses(self.noun)
        return ["whole = [" + ", ".join(f"is_contiguous({name}) .or. size({name}) == 0" for name in self.sections) + "]"] + (
            ["if (.not. all(whole)) then", f"  call settle({refuse}(self%handle, int(seiche_misuse, c_int), {self.section()}), status)",
             "  return", "end if"] if refuse else [])

    def section_after(self):
        if not self.sections or self.names.refuses(self.noun):
            return []
        return [f"if (code == seiche_ok .and. .not. all(whole)) code = c_refuse(int(seiche_misuse, c_int), {self.section()})"]

    def call(self):
        passed = ", ".join(self.passed)
        name = self.item.about.get("complex", self.item.name) if self.kind.startswith("complex") else self.item.name
        usual = f"code = c_{name}({passed})"
        return ["if (asked(add)) then", f"  code = c_{self.adds}({passed})", "else", "  " + usual, "end if"] if self.adds else [usual]

    def after(self):
        """What follows a call without an error."""
        returned = [f"result = {line}" if i == 0 else f"if (present({one.name})) {one.name} = {line}"
                    for i, (line, (one, _)) in enumerate(zip(self.said["returns"], self.results))]
        forgets = [f"call {self.noun}_forget(self)"] * (self.self.way == "free" and self.names.has_members(self.noun))
        kept = [f"pending%kept => {named(line)}" for line in self.said["keep"] if self.start]
        return conditional("code == seiche_ok", returned + self.said["after"] + forgets + kept)

    def lines(self):
        kind, _, zero = self.said["result"][0].partition(" = ") if self.results else ("", "", "")
        kept = [named(line) for line in self.said["keep"] if self.start]
        listed = ", ".join(["self", *map(named, self.dummies()[0])])
        what = "function" if kind else "subroutine"
        yield from fortran.wrapped(f"recursive {what} {self.name}({listed})" + " result(result)" * bool(kind))
        body = [*self.declarations(), *[f"{kind} :: result"] * bool(kind), *[f"result = {zero}"] * bool(zero), *self.said["begin"], *self.refusals(),
                *self.section_before(), *(f"allocate ({name})" for name in kept), *self.said["before"], *self.call(), *self.after(),
                *self.section_after(), *(f"if (code /= seiche_ok) deallocate ({name})" for name in kept),
                *self.said["finally"], "call settle(code, status)"]
        for line in body:
            yield from fortran.wrapped(line.lstrip(), " " * (4 + len(line) - len(line.lstrip())))
        yield f"  end {what}"

    def lines_for_mpi_f08(self):
        """The same procedure for type(MPI_Comm)."""
        dummies, required = self.dummies()
        passed = [named(line) if i < required else f"{named(line)}={named(line)}" for i, line in enumerate(dummies)]
        yield from fortran.wrapped(f"recursive subroutine {self.name}_f08({', '.join(['self', *map(named, dummies)])})")
        for line in [f"class({self.names.type(self.noun)}), intent(inout) :: self",
                     *(line.replace("integer, intent(in) :: comm", "type(MPI_Comm), intent(in) :: comm") for line in dummies),
                     f"call {self.name}(self, {', '.join(passed).replace('comm', 'comm%MPI_VAL', 1)})"]:
            yield from fortran.wrapped(line, "    ")
        yield "  end subroutine"

    def signature(self):
        """How the documentation writes a call."""
        dummies, required = self.dummies()
        listed = [named(line) for line in dummies]
        return f"({', '.join(listed[:required])}{' [, ' if required else '['}{', '.join(listed[required:])}])"
