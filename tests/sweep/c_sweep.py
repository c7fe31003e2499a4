# SPDX-License-Identifier: BSD-3-Clause
"""Calls each function of the C interface with wrong scalars, options, lengths and pointers: c_sweep.py LIBRARY DATA [PATTERN]

The functions, their arguments and their options are those of interface/*.api. c_calls.py has a good call of each.
"""

import ctypes
import os
import resource
import sys

import c_messages
import described
import engine
from c_calls import DOUBLE, NOTHING, NULL, World, good_calls, good_calls_of_files
from described import Array, reals

# Cases that are left out. These calls do as much work as they are asked for.
# Functions without arguments to vary, or that only other interfaces call.
WITHOUT = ("*_destroy", "*_refuse", "refuse", "refuse_create", "timeline_*", "last_error", "version", "open_handles",
           "pending_*", "field_*", "wavefile_create", "sphere_stream_*")
# Functions that take long, or write files.
SLOW = ("tune_*", "density_write", "orbitals_write", "*_draw", "wavefile_complete", "wavefile_convert", "wavefile_expand", "header_losses",
        "header_set_operation", "orbitals_create", "orbitals_create_full_zone", "orbitals_create_symmetric",
        "orbitals_create_reassigned", "orbitals_read_into", "orbitals_*_wfc*", "read_wfc", "orbitals_overlaps", "density_create_of_file",
        "density_create_beside", "density_create_read*", "density_set_unit")

# Handles and places that may be NULL.
NULLABLE = ("block_matrix_read.layout", "purify.report")


def members_of(c, name, good):
    """Yields the numbers in a structure: name, value, bits (0: real), and how to set it."""
    for row in c.described[name].rows:
        kind = c.type_of(row.type)
        if row.count or row.name == "reserved" or kind in (ctypes.c_void_p, ctypes.c_char) or row.name.endswith("_count"):
            continue
        if issubclass(kind, ctypes.Structure):
            continue
        bits = 0 if kind is ctypes.c_double else 8 * ctypes.sizeof(kind)
        yield row.name, getattr(good, row.name), bits


def variations(c, item, good):
    """Yields name, changed arguments, and whether the results must be the same, for each scalar, option and length."""

    def changed(name, value):
        values = dict(good)
        values[name] = value
        return values

    def values_of(value, bits):
        return engine.integers(value, bits) if bits else engine.REALS

    for one in item.rows:
        value = good.get(one.name)
        if isinstance(value, Array) and one.array:
            for label, count in (("-1", -1), ("0", 0), ("n-1", value.count - 1), ("n+1", value.count + 1)):
                yield f"{one.count}={label}", changed(one.count, count), one.row and count >= value.count
            for label, row in engine.integers(value.row).items() if one.row else ():
                yield f"{one.row}={label}", changed(one.row, row), row == value.row or row == 0
        elif isinstance(value, ctypes.Array):
            bits = 0 if value._type_ is ctypes.c_double else 8 * ctypes.sizeof(value._type_)
            for place in range(min(len(value), 3)):
                for label, other in values_of(value[place], bits).items():
                    values = type(value)(*value)
                    values[place] = other
                    yield f"{one.name}[{place}]={label}", changed(one.name, values), other == value[place]
        elif isinstance(value, ctypes.Structure) and one.type in c.described and one.way != "out":
            for name, member, bits in members_of(c, one.type, value):
                for label, other in values_of(member, bits).items():
                    options = type(value).from_buffer_copy(value)
                    setattr(options, name, other)
                    yield f"{one.name}.{name}={label}", changed(one.name, options), other == member
        elif isinstance(value, (int, float)) and one.name in good and not one.way:
            kind = c.type_of(one.type)
            for label, other in values_of(value, 0 if kind is ctypes.c_double else 8 * ctypes.sizeof(kind)).items():
                yield f"{one.name}={label}", changed(one.name, other), other == value


def use_sphere(c, values):
    """Makes a round trip of one band with a new plan, whose options may be any."""
    waves = 2 * max(values["waves"].count, 0)
    bands = reals([1.0] * max(2 * waves, 1), waves)
    return c.call("sphere_fft_round_trip", {"fft": values["fft"], "in": bands, "out": bands, "bands": 1, "function": NOTHING})


def use_dense(c, values):
    """Transforms a field with a new plan."""
    field = {"fft": values["fft"]}
    error = c.call("field_create", field)
    if error is None:
        error = c.call("dense_fft_forward_field", field)
        c.destroy("field", field["field"])
    return error


def use_boxes(c, values):
    """Copies a field with a new exchange."""
    return c.call("box_exchange_copy", {"exchange": values["exchange"], "value": DOUBLE, "source": reals([1.0] * 12),
                                        "target": reals([2.0] * 12), "fields": 1})


USES = {"sphere_fft_create": use_sphere, "dense_fft_create": use_dense, "box_exchange_create": use_boxes}


def run(w, name, given):
    """Calls a function, finishes a started call, and frees what was made. Returns the error message or None."""
    c, item, values = w.c, w.c.functions[name], dict(given)
    for one in item.rows:
        if isinstance(values.get(one.name), Array):
            values[one.name].reset()
        elif one.way in ("new", "out") and values.get(one.name) is not NULL:
            values.pop(one.name, None)
    error = c.call(name, values)
    for one in item.rows:
        if one.way != "new" or error is not None or values[one.name] is NULL:
            continue
        if name in USES:
            error = USES[name](c, values)
        if one.type == "pending":
            error = c.error(c.library.seiche_pending_finish(values[one.name]))
        c.destroy(one.type, values[one.name])
    return error


def results(item, given):
    return [given[one.name].values() for one in item.rows if one.way == "out" and isinstance(given.get(one.name), Array)
            and given[one.name].type is ctypes.c_double]


def close(a, b):
    return all(len(x) == len(y) and all(abs(p - q) <= 1e-10 for p, q in zip(x, y)) for x, y in zip(a, b))


class Told:
    """Expected parts of messages by patterns of cases. `left`: patterns that no case had."""

    def __init__(self, parts):
        self.parts, self.left = parts, set(parts)

    def of(self, case):
        found = [pattern for pattern in self.parts if engine.matches(case, pattern)]
        self.left -= set(found)
        return [self.parts[pattern] for pattern in found]


def sweep_function(w, sweep, name, good, told):
    item = w.c.functions[name]
    sweep.begin(name)
    error = run(w, name, good)
    if error is not None and not name.endswith("on_device"):
        sweep.failures.append(f"{name}: the good call fails: {error}")
        return
    best = results(item, good)
    for text, values, same in variations(w.c, item, good):
        parts = told.of(f"{name}({text})")

        def call(is_changed, values=values, same=same, parts=parts):
            problem = run(w, name, values if is_changed else good)
            if is_changed or "collective" in item.flags:
                for part in parts:
                    if problem is None or part not in problem:
                        return f"wrong: '{part}' is expected, not '{problem}'"
            if problem is None and same and not close(results(item, good), best):
                return "wrong: other results for the same arguments"
            return problem
        sweep.case(f"{name}({text})", call, collective="collective" in item.flags)


def pointers(c, w, item, good):
    """Yields a name, changed arguments and a part of the message, for NULL in place of each pointer, and for handles that
    were destroyed or are of another type."""
    for one in item.rows:
        nullable = f"{item.name}.{one.name}" in NULLABLE
        if one.type in c.handles and not one.way:
            other = w.field if one.type != "field" else w.dense
            for label, value, text in (("NULL", None, f"{one.type}: the handle is NULL"),
                                       ("gone", w.gone, "this handle was destroyed"),
                                       ("other", other, f"{one.type}: this handle is a seiche_")):
                if value is not None or not nullable:
                    yield f"{one.name}={label}", dict(good, **{one.name: value}), text
        elif one.way == "new" or one.way == "out" and not one.array or one.fixed or one.type in ("shape", "factor", "text"):
            if not nullable:
                yield f"{one.name}=NULL", dict(good, **{one.name: NULL}), "must not be NULL"
        elif one.array and isinstance(good.get(one.name), Array):
            changed = dict(good, **{one.name: NULL, one.count: good[one.name].count})
            yield f"{one.name}=NULL", dict(changed, **({one.row: good[one.name].row} if one.row else {})), ""


def sweep_pointers(w, sweep, name, good, told):
    """Ranks cannot agree without a handle: all have the same wrong pointer."""
    for text, values, message in pointers(w.c, w, w.c.functions[name], good):
        problem = run(w, name, values)
        sweep.begin(f"{name}({text})")
        sweep.count += 1
        for part in [message] * bool(message) + told.of(f"{name}({text})"):
            if problem is None or part not in problem:
                sweep.failures.append(f"{name}({text}): '{part}' is expected, not '{problem}'")
    if not w.is_right():
        sweep.failures.append(f"{name}: the call after wrong pointers gives wrong values")


def main():
    library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
    limit = 3 << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # requests of too much memory fail at once
    rank, ranks, handle = ctypes.c_int(), ctypes.c_int(), ctypes.c_uint64()
    library.sweep_begin(ctypes.byref(rank), ctypes.byref(ranks))
    size = library.sweep_world(ctypes.byref(handle))
    comm = ctypes.c_void_p(handle.value) if size == 8 else ctypes.c_int(handle.value)
    c = described.Interface(library, comm)

    def extremes(number):
        both = (ctypes.c_long * 2)()
        library.sweep_extremes(ctypes.c_long(number), both)
        return both[0], both[1]

    w = World(c, rank.value, ranks.value, sys.argv[2])
    sweep = engine.Sweep(rank.value, ranks.value, extremes, w.is_right, (), sys.argv[3] if len(sys.argv) > 3 else "")
    calls = dict(good_calls(w), **(good_calls_of_files(w) if w.files else {}))
    for name in c.functions:
        in_library = hasattr(library, "seiche_" + name)
        if in_library and name not in calls and not any(engine.matches(name, one) for one in WITHOUT + SLOW):
            sweep.failures.append(f"{name} has no good call in c_calls.py")
    told = Told({pattern: part for pattern, part in {**c_messages.TOLD, **dict(c_messages.of_enumerators(c))}.items()
                 if any(engine.matches(name, pattern.partition("(")[0]) for name in calls)})
    for name in calls:
        sweep_function(w, sweep, name, calls[name], told)
        sweep_pointers(w, sweep, name, calls[name], told)
    sweep.failures += [f"no case is {pattern}" for pattern in sorted(told.left)]
    failed = sweep.verdict()
    library.sweep_end()
    return failed


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
