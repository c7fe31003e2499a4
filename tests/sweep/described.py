# SPDX-License-Identifier: BSD-3-Clause
"""The C interface for ctypes, from its description interface/*.api."""

import ctypes
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "interface"))
import model  # noqa: E402

NUMBERS = {"int": ctypes.c_int, "flag": ctypes.c_int, "int32": ctypes.c_int32, "int64": ctypes.c_int64,
           "size": ctypes.c_size_t, "double": ctypes.c_double, "char": ctypes.c_char}


class Array:
    """Memory of the caller: `count` elements for the call, and room for one more row. `row`: the row length."""

    def __init__(self, values, count=None, row=0, room=8):
        self.type, self.length = type(values[0]) if values else ctypes.c_double, len(values)
        self.good = list(values)
        self.memory = (self.type * (len(values) + room))(*values)
        self.count, self.row = len(values) if count is None else count, row

    def reset(self):
        for i, value in enumerate(self.good):
            self.memory[i] = value

    def values(self):
        return [value.value if hasattr(value, "value") else value for value in self.memory[:self.length]]


def reals(values, count=None, row=0, room=64):
    return Array([ctypes.c_double(value) for value in values], count, row, room)


class Interface:
    """The functions of a library, which take values by the names of their arguments."""

    def __init__(self, library, comm):
        self.library, self.comm = library, comm
        headers = model.read_all()
        self.functions = model.named(headers, "function")
        self.handles, self.enums = model.named(headers, "handle"), model.named(headers, "enum")
        self.callbacks = model.named(headers, "callback")
        self.described = model.named(headers, "struct", "options", "report")
        self.structures = {}
        library.seiche_last_error.restype = ctypes.c_char_p

    def type_of(self, name):
        if name.endswith("*") or name in self.callbacks or name in ("text", "user"):
            return ctypes.c_void_p
        if name in self.described:
            return self.structure(name)
        return NUMBERS.get(name, ctypes.c_int)

    def structure(self, name):
        if name not in self.structures:
            item = self.described[name]
            fields = [] if item.kind == "struct" else [("size", ctypes.c_size_t)]
            for row in item.rows:
                kind = self.type_of(row.type)
                fields.append((row.name, kind * int(row.count) if row.count else kind))
            self.structures[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
        return self.structures[name]

    def options(self, name, **members):
        """Returns options with the defaults and some members."""
        made = self.structure(name)()
        made.size = ctypes.sizeof(made)
        if self.described[name].kind == "options":
            self.check(getattr(self.library, f"seiche_{name}_fill")(ctypes.byref(made), ctypes.c_size_t(made.size)))
        for member, value in members.items():
            setattr(made, member, value)
        return made

    def error(self, status):
        return None if status == 0 else self.library.seiche_last_error().decode(errors="replace")

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.error(status))

    def arguments(self, item, values):
        passed = []
        for i, one in enumerate(item.rows):
            passed.append(self.argument(one, values))
            if one.array and all(other.count != one.count for other in item.rows[i + 1:]):
                passed.append(ctypes.c_int64(values[one.count] if one.count in values else values[one.name].count))
            if one.row:
                passed.append(ctypes.c_int64(values[one.row] if one.row in values else values[one.name].row))
        return passed

    def argument(self, one, values):
        if one.type == "comm":
            return self.comm
        value = values.get(one.name)
        if isinstance(value, ctypes.c_void_p) and not value.value:
            return value
        if isinstance(value, Array):
            return ctypes.byref(value.memory)
        if one.way in ("new", "out") or isinstance(value, (ctypes.Structure, ctypes.Array)):
            if value is None:
                kind = ctypes.c_void_p if one.way == "new" else self.type_of(one.type) * int(one.count if one.fixed else 1)
                value = values[one.name] = kind()
                if one.type in self.described and self.described[one.type].kind == "report":
                    value[0].size = ctypes.sizeof(value[0])
            return ctypes.byref(value)
        if one.type in self.handles or one.type in self.callbacks or one.type in ("text", "optional_text", "user"):
            return value
        if one.type in self.described:
            return None
        return self.type_of(one.type)(value if value is not None else 0)

    def call(self, name, values):
        """Calls a function. Returns its error message, or None."""
        item = self.functions[name]
        return self.error(getattr(self.library, "seiche_" + name)(*self.arguments(item, values)))

    def make(self, name, **values):
        """Calls a function that creates an object, and returns its handle."""
        error = self.call(name, values)
        if error is not None:
            raise RuntimeError(f"{name}: {error}")
        return values[next(one.name for one in self.functions[name].rows if one.way == "new")]

    def destroy(self, kind, handle):
        getattr(self.library, f"seiche_{kind}_destroy")(ctypes.byref(handle))
