#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates the wrappers of the MPI functions, in C and Fortran, from the table functions.txt.

generate_wrappers.py names FUNCTIONS OUTPUT       the functions' names and classes, for those who read records
generate_wrappers.py wrappers FUNCTIONS OUTPUT    the wrappers
"""
import re
import string
import sys

# Classes of functions in tables and timelines.
CLASSES = {
    "point_to_point": "send isend recv irecv mrecv imrecv sendrecv sendrecv_replace probe send_init recv_init start startall",
    "completion": "wait waitall test testall some completion request_free",
    "setup": "comm_new comm_new_local comm_free spawn setup type_new win_new win_free cart_new cart_sub init finalize",
    "one_sided": "one_sided put",
    "file": "file",
    "other": "other",
    "query": "query",
}
CLASS_OF = {kind: name for name, kinds in CLASSES.items() for kind in kinds.split()}  # the rest are collectives

# Bytes that a rank sends in a collective, the roles of waiting, and the bytes for each rank (nothing if MPI chooses the messages).
# $name is the value of a parameter in either language.
COLLECTIVES = {
    "barrier": ("Sync::all", "0", ""),
    "bcast": ("Sync::from($root)", "call.is($comm, $root) ? size($count, $datatype) : 0", "call.to_all($comm, bytes);"),
    "reduce": ("Sync::to($root)", "size($count, $datatype)", "call.to_one($comm, $root, bytes);"),
    "allreduce": ("Sync::all", "size($count, $datatype)", ""),
    "scan": ("Sync::prefix", "size($count, $datatype)", ""),
    "reduce_scatter": ("Sync::all", "sum(call.ranks($comm), $recvcounts, $datatype)", ""),
    "reduce_scatter_block": ("Sync::all", "call.ranks($comm) * size($recvcount, $datatype)", ""),
    "gather": ("Sync::to($root)", "in_place($sendbuf) ? 0 : size($sendcount, $sendtype)", "call.to_one($comm, $root, bytes);"),
    "scatter": ("Sync::from($root)", "call.is($comm, $root) ? call.ranks($comm) * size($sendcount, $sendtype) : 0",
                "call.to_all($comm, bytes / call.ranks($comm));"),
    "scatterv": ("Sync::from($root)", "call.is($comm, $root) ? sum(call.ranks($comm), $sendcounts, $sendtype) : 0",
                 "if (bytes > 0) call.to_each($comm, blocks($sendcounts, $sendtype));"),
    "allgather": ("Sync::all", "in_place($sendbuf) ? size($recvcount, $recvtype) : size($sendcount, $sendtype)",
                  "call.to_all($comm, bytes);"),
    "allgatherv": ("Sync::all", "in_place($sendbuf) ? block($recvcounts, $recvtype, call.rank($comm)) : size($sendcount, $sendtype)",
                   "call.to_all($comm, bytes); call.pads($comm, blocks($recvcounts, $recvtype));"),
    "alltoall": ("Sync::all", "call.ranks($comm) * (in_place($sendbuf) ? size($recvcount, $recvtype) : size($sendcount, $sendtype))",
                 "call.to_all($comm, bytes / call.ranks($comm));"),
    "alltoallv": ("Sync::all", "in_place($sendbuf) ? sum(call.ranks($comm), $recvcounts, $recvtype) : sum(call.ranks($comm), $sendcounts, $sendtype)",
                  "call.to_each($comm, each); call.pads($comm, each);"),
    "alltoallw": ("Sync::all", "in_place($sendbuf) ? sum(call.ranks($comm), $recvcounts, $recvtypes) : sum(call.ranks($comm), $sendcounts, $sendtypes)",
                  "call.to_each($comm, each);"),
    "neighbor": ("Sync::none", "0", ""),
}
COLLECTIVES["gatherv"] = COLLECTIVES["gather"]
# Bytes from each rank to each, for --advise, before the call itself is recorded.
SHAPES = {
    "alltoall": "call.gives_alike($comm, bytes / call.ranks($comm));",
    "alltoallv": "const auto each = in_place($sendbuf) ? blocks($recvcounts, $recvtype) : blocks($sendcounts, $sendtype); call.gives($comm, each);",
    "alltoallw": "const auto each = in_place($sendbuf) ? blocks($recvcounts, $recvtypes) : blocks($sendcounts, $sendtypes); call.gives($comm, each);",
}

# Records after a call of the other kinds.
NOTES = {
    "init": "call.begins();",
    "finalize": "",
    "send": "call.message(Way::out, $comm, $dest, $tag, size($count, $datatype));",
    "recv": "call.message(Way::in, $comm, source_of(seen, $source), tag_of(seen, $tag), size($count, $datatype));",
    "isend": "call.starts(Way::out, $comm, $dest, $tag, size($count, $datatype), $request);",
    "irecv": "call.starts(Way::in, $comm, $source, $tag, size($count, $datatype), $request);",
    "mrecv": "call.plain(size($count, $datatype));",
    "imrecv": "call.plain(size($count, $datatype));",
    "sendrecv": "call.message(Way::out, $comm, $dest, $sendtag, size($sendcount, $sendtype)); "
                "call.also(Way::in, $comm, source_of(seen, $source), tag_of(seen, $recvtag), size($recvcount, $recvtype));",
    "sendrecv_replace": "call.message(Way::out, $comm, $dest, $sendtag, size($count, $datatype)); "
                        "call.also(Way::in, $comm, source_of(seen, $source), tag_of(seen, $recvtag), size($count, $datatype));",
    "send_init": "call.prepares(Way::out, $comm, $dest, $tag, size($count, $datatype), $request);",
    "recv_init": "call.prepares(Way::in, $comm, $source, $tag, size($count, $datatype), $request);",
    "start": "call.restarts(1, all_of($request));",
    "startall": "call.restarts($count, all_of($array_of_requests));",
    "wait": "waiting.ends(true, all_of($request), seen);",
    "test": "waiting.ends(*flag != 0, all_of($request), seen);",
    "waitall": "waiting.ends(true, all_of($array_of_requests), nullptr);",
    "testall": "waiting.ends(*flag != 0, all_of($array_of_requests), nullptr);",
    "some": "waiting.ends(false, all_of($array_of_requests), nullptr);",
    "request_free": "waiting.forgets();",
    "comm_new": "call.makes($comm, $newcomm);",
    "comm_new_local": "call.makes_some($newcomm);",
    "spawn": "call.spawns($comm, $root, $intercomm);",
    "cart_new": "call.makes($comm_old, $new);",
    "cart_sub": "call.makes($comm, $newcomm);",
    "type_new": "call.makes_type(Hash()$hash);",
    "win_new": "call.makes_window($comm, Hash()$hash);",
    "put": "call.puts($win, $target_rank, size($origin_count, $origin_datatype));",
}
# Records before a call.
BEFORE = {kind: "Waiting waiting(call, %s, all_of(%s));" % (n, requests) for kind, n, requests in [
    ("wait", "1", "$request"), ("test", "1", "$request"), ("request_free", "1", "$request"),
    ("waitall", "$count", "$array_of_requests"), ("testall", "$count", "$array_of_requests"), ("some", "$n", "$array_of_requests")]}
BEFORE["comm_free"] = "call.frees($comm);"
BEFORE["finalize"] = "call.finishes();"
HANDLES = {"MPI_Comm": "comm", "MPI_Datatype": "type", "MPI_Request": "request"}
# Types of parameters of the functions of MPI 4 with large counts, whose names end in _c.
LARGE = {
    "MPI_Count": "count sendcount recvcount origin_count target_count result_count incount outcount insize outsize position blocklength stride "
                 "sendcounts recvcounts array_of_blocklengths array_of_displacements array_of_sizes array_of_subsizes array_of_starts "
                 "array_of_gsizes",
    "MPI_Aint": "displs sdispls rdispls disp_unit",
}
LARGE_TYPE_OF = {name: kind for kind, names in LARGE.items() for name in names.split()}


class Parameter:
    def __init__(self, text):
        self.array = text.endswith("[]") or "[][3]" in text
        self.declaration = text
        bare = re.sub(r"\[.*", "", text)
        self.type, self.name = re.fullmatch(r"(.*?)(\w+)", bare).groups()
        self.type = self.type.strip()
        self.element = self.type.replace("const ", "").rstrip("*").strip()
        self.pointer = self.array or self.type.endswith("*")

    def large(self):
        """Returns the same parameter of the function with large counts."""
        size = self.name == "size" and self.type == "int*"  # of MPI_Pack_size
        wanted = "MPI_Count" if size else LARGE_TYPE_OF.get(self.name, self.element)
        return Parameter(re.sub(rf"\b{self.element}\b", wanted, self.declaration))

    def in_c(self):
        return self.name

    def in_fortran(self):
        if self.element in HANDLES:
            constant = "const " if self.array and self.element == "MPI_Datatype" else ""  # an array of types
            return f"Fortran<{constant}{self.element}>{{{self.name}}}"
        if self.name == "sendbuf":
            return f"Buffer{{{self.name}, described}}"
        return self.name if self.pointer else f"(*{self.name})"

    def fortran_type(self):
        integer = self.element in ("int",) or self.element.startswith("MPI_") and self.element not in ("MPI_Aint", "MPI_Offset")
        return f"{'MPI_Fint' if integer else self.element}*"

    def hashed(self, fortran):
        """Returns the arguments of the hash that detects repeated creation of the same object."""
        value = self.in_fortran() if fortran else self.in_c()
        if self.array:
            return f".all(hashed_count, {value})"
        if self.pointer:
            return ""
        return f".one({value})"


class Function:
    def __init__(self, line):
        self.kind, self.name, inner = re.fullmatch(r"(\w+)\s+(\w+)\((.*)\)", line).groups()
        self.parameters = [Parameter(one.strip()) for one in inner.split(",") if one != "void"]
        self.blocking_kind = self.kind[1:] if self.kind[1:] in COLLECTIVES and self.kind.startswith("i") else self.kind

    def large(self):
        """Returns the function with large counts, or None. It is recorded under the name of this one."""
        large = Function(f"{self.kind} {self.name}({', '.join(p.large().declaration for p in self.parameters) or 'void'})")
        counts = any(p.element == "MPI_Datatype" for p in self.parameters) or self.kind == "win_new"
        changed = [p.declaration for p in large.parameters] != [p.declaration for p in self.parameters]
        return large if counts and changed else None

    def names(self):
        return [p.name for p in self.parameters]

    def values(self, fortran):
        found = {p.name: p.in_fortran() if fortran else p.in_c() for p in self.parameters}
        found["n"] = found.get("count", found.get("incount", "0"))
        found["new"] = next((found[p.name] for p in self.parameters if p.type == "MPI_Comm*"), "0")
        found["hash"] = "".join(p.hashed(fortran) for p in self.parameters if p.element not in ("MPI_Info", "MPI_Comm"))
        return found

    def note(self, fortran):
        values = self.values(fortran)
        if self.blocking_kind in COLLECTIVES:
            text = self.collective()
        else:
            text = NOTES.get(self.kind, "call.plain(0);")
        count = next((n for n in ("count", "ndims", "size") if n in self.names()), None)
        if "hashed_count" in string.Template(text).safe_substitute(values):
            text = f"const std::int64_t hashed_count = ${count}; " + text
        return string.Template(text).substitute(values)

    def collective(self):
        sync, size, spread = COLLECTIVES[self.blocking_kind]
        shape = SHAPES.get(self.blocking_kind, "")
        verb = "call.starts_all(%s, $comm, bytes, $request);" if self.kind != self.blocking_kind else "call.collective(%s, $comm, bytes);"
        return f"const std::int64_t bytes = {size}; {shape} {verb % sync} {spread}" + (" (void)bytes;" if not spread else "")

    def before(self, fortran):
        return string.Template(BEFORE.get(self.kind, "")).substitute(self.values(fortran))

    def sees(self):
        """Returns whether the status of a call is read afterwards, so that a call with MPI_STATUS_IGNORE gets a local one."""
        return self.kind in ("recv", "sendrecv", "sendrecv_replace", "wait", "test")

    def c(self, suffix=""):
        """Returns the wrapper. `suffix`: _c for the function with large counts."""
        arguments = ", ".join("seen" if self.sees() and n == "status" else n for n in self.names())
        if self.kind == "query":
            return f"""{self.returns()} MPI_{self.name}({', '.join(p.declaration for p in self.parameters)}) {{
  const Query query(F_{self.name}, __builtin_return_address(0));
  return REAL({self.name})({arguments});
}}
"""
        seen = "MPI_Status own; MPI_Status* seen = status == MPI_STATUS_IGNORE ? &own : status;\n  " if self.sees() else ""
        return f"""int MPI_{self.name}{suffix}({', '.join(p.declaration for p in self.parameters)}) {{
  Call call(F_{self.name}, __builtin_return_address(0));
  {seen}{self.before(False)}
  call.goes();
  const int code = REAL({self.name}{suffix})({arguments});
  if (call.ends()) {{ {self.note(False)} }}
  return code;
}}
"""

    def returns(self):
        return "double" if self.name == "Wtime" else "int"

    def fortran_query(self, symbol):
        """Returns the wrapper of a query. MPI_Wtime is a function without arguments in Fortran."""
        returned = "double" if self.name == "Wtime" else "void"
        declared = [f"{p.fortran_type()} {p.name}" for p in self.parameters] + ["MPI_Fint* ierror"] * (returned == "void")
        return f"""{returned} {symbol}({', '.join(declared)}) {{
  static Symbol real("{symbol}");
  const Query query(F_{self.name}, __builtin_return_address(0));
  return reinterpret_cast<{returned} (*)({', '.join(d.rsplit(' ', 1)[0] for d in declared)})>(real.get())({', '.join(d.rsplit(' ', 1)[1] for d in declared)});
}}
"""

    def fortran(self):
        parameters = [p for p in self.parameters if self.kind != "init" or p.name not in ("argc", "argv")]
        declared = [f"{p.fortran_type()} {p.name}" for p in parameters] + ["MPI_Fint* ierror"]
        given = [p.name for p in parameters] + ["ierror"]
        characters = [p.name for p in parameters if p.element == "char"]  # their lengths are the last arguments
        declared += [f"std::size_t length_{n}" for n in characters]
        given += [f"length_{n}" for n in characters]
        seen = "const MPI_Status* seen = fortran_status(status); (void)seen;\n  " if self.sees() else ""
        lower = self.name.lower()
        if self.kind == "query":
            return "".join(self.fortran_query(f"mpi_{lower}{suffix}") for suffix in ("_", "_f08_"))
        text = f"""static void note_{lower}(void* caller, void* real, [[maybe_unused]] bool described, {', '.join(declared)}) {{
  Call call(F_{self.name}, caller);
  {self.before(True)}
  call.goes();
  reinterpret_cast<void (*)({', '.join(d.rsplit(' ', 1)[0] for d in declared)})>(real)({', '.join(given)});
  {seen}if (call.ends()) {{ {self.note(True)} }}
}}
"""
        suffixes = ["_", "_f08_", "_f08ts_"] + (["_cptr_"] if self.name in ("Alloc_mem", "Win_allocate", "Win_allocate_shared") else [])
        for suffix in suffixes:
            symbol = f"mpi_{lower}{suffix}"
            text += f"""void {symbol}({', '.join(declared)}) {{
  static Symbol real("{symbol}");
  note_{lower}(__builtin_return_address(0), real.get(), {str(suffix == "_f08ts_").lower()}, {', '.join(given)});
}}
"""
        return text


def table(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return [Function(line) for line in lines if line and not line.startswith("#")]


def names(functions):
    text = "// Made by companions/profile/generate_wrappers.py: FUNCTION(name, class), in the order of their numbers in records.\n"
    return text + "".join(f"FUNCTION({f.name}, {CLASS_OF.get(f.kind, 'collective')})\n" for f in functions)


def wrappers(functions):
    text = "// Made by companions/profile/generate_wrappers.py\n#include \"recorder/wrapping.hpp\"\nusing namespace seiche::profile;\nextern \"C\" {\n"
    large = "".join(f.large().c("_c") for f in functions if f.large())
    return text + "".join(f.c() + f.fortran() for f in functions) + f"#if MPI_VERSION >= 4\n{large}#endif\n}}\n"


if __name__ == "__main__":
    what, source, output = sys.argv[1:]
    with open(output, "w", encoding="utf-8") as made:
        made.write({"names": names, "wrappers": wrappers}[what](table(source)))
