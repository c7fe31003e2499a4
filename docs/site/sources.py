#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The sources of the site: sources.py PROJECT STUB TARGET.

Copies the pages of docs/ without the history. Writes one page of API reference for each topic, with a tab for each
language: C++ and C by Doxygen, Fortran from the comments of its modules, Python from the stub of the package. The build has
made C headers and some Fortran modules from interface/. Writes the options of the command from its --help. Fails if
something public is on no page or has no description.
"""

import ast
import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

from nouns import NOUNS

MADE = "build/release/interface"


def outside_links(text):
    """Replaces links to files that the site does not have by their names."""
    text = text.replace("](../examples/scf/README.md)", "](scf.md)")
    text = re.sub(r"\[([^\]]+)\]\((history/[^)#]+)(#[^)]*)?\)", r"\1 (`docs/\2`)", text)
    return re.sub(r"\[([^\]]+)\]\((\.\./)+([^)#]+)(#[^)]*)?\)",
                  lambda found: f"`{found[3]}`" if found[1].strip("`") in found[3] else f"{found[1]} (`{found[3]}`)", text)


# ------------------------------------------------------------------------------------------------------------- Python


def described(docstring):
    """Converts sections and parameters of a NumPy docstring to Markdown."""
    docstring = re.sub(r"^(\w+)\n-+$", r"**\1**\n", docstring or "", flags=re.MULTILINE)
    docstring = re.sub(r"^(\w[\w, *]*) : (.*)\n((?:    .*(?:\n|$))*)",
                       lambda found: f"- `{found[1]}` : {found[2]}{'. ' if found[3] else ''}{' '.join(found[3].split())}\n",
                       docstring, flags=re.MULTILINE)
    return re.sub(r":meth:`([^`]+)`", r"`\1`", docstring)


def signature(node):
    arguments = ast.unparse(node.args).replace("self, ", "").replace("self", "")
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){returns}"


def is_property(node):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def members(node):
    """Yields public methods and properties of a class, without setters."""
    for one in node.body:
        setter = isinstance(one, ast.FunctionDef) and any(isinstance(d, ast.Attribute) for d in one.decorator_list)
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("_") and not setter:
            yield one


class PythonPages:
    def __init__(self, stub, errors):
        self.things, self.seen = {}, set()
        for path in (stub, errors):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
                    self.things.setdefault(node.name, []).append(node)

    def directive(self, kind, text, said, depth, options=""):
        """Returns a directive. A name that is in the index already gets no second entry."""
        name = text.split("(")[0]
        options += ":no-index:\n" if name in self.seen else ""
        self.seen.add(name)
        fence = ":" * depth
        return f"{fence}{{py:{kind}}} {text}\n{options}\n{said}\n{fence}\n"

    def functions(self, kind, place, nodes, depth):
        """Returns one directive for each overload."""
        return "\n".join(
            self.directive(kind, place + signature(node), described(ast.get_docstring(node)), depth) for node in nodes
        )

    def page(self, names):
        of_kind = {ast.FunctionDef: lambda nodes: self.functions("function", "seiche.", nodes, 3),
                   ast.ClassDef: lambda nodes: self.of_class(nodes[0])}
        return "\n".join(of_kind[type(self.things[name][0])](self.things[name]) for name in names)

    def of_class(self, node):
        place, text = f"seiche.{node.name}.", [described(ast.get_docstring(node))]
        grouped = {}
        for one in members(node):
            grouped.setdefault(one.name, []).append(one)
        for name, nodes in grouped.items():
            if is_property(nodes[0]):
                kind = f":type: {ast.unparse(nodes[0].returns)}\n" if nodes[0].returns else ""
                text.append(self.directive("attribute", place + name, described(ast.get_docstring(nodes[0])), 4, kind))
            else:
                text.append(self.functions("method", place, nodes, 4))
        begins = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
        made = [signature(one).removesuffix(" -> None").replace("__init__", node.name) for one in begins]
        return self.directive("class", f"seiche.{made[-1] if made else node.name}", "\n".join(text), 5)


# ------------------------------------------------------------------------------------------------------------ Fortran


PLACE = re.compile(r"\s*(module(?! procedure)|type(?:, ?[\w()]+)* ::|generic ::|procedure(?:, nopass)? ::|.*\bfunction|.*\bsubroutine)"
                   r"\s+(\w+)(?: => (\w+))?(?:\s*\(([^)]*)\))?")


def said_of(text):
    """Yields (comment, keyword, name, name of the bound procedure, arguments) for each `!>` comment of a module."""
    comment = []
    for line in re.sub(r"&\n\s*", "", text).splitlines():
        said, thing = re.match(r"\s*!> ?(.*)", line), PLACE.match(line)
        if said:
            comment.append(re.sub(r"([<*])", r"\\\1", said[1].replace("\\file  ", "")))
            continue
        if thing and "private" not in line:
            yield " ".join(comment), *thing.groups()
        comment = []


def fortran_text(path, project):
    """Returns the text of a module with the files that it includes."""
    return re.sub(r"^  include '(\w+_(?:own|types)\.inc)'$", lambda found: (project / "fortran" / found[1]).read_text(),
                  path.read_text(), flags=re.MULTILINE)


def fortran_page(path, project):
    """Describes the types of a module with their procedures, and its functions, by the names that users call."""
    place, bound, said = "", {}, {"": []}  # by type
    for comment, keyword, name, target, arguments in said_of(fortran_text(path, project)):
        if keyword.startswith("type"):
            place, said[name] = name, [f"**`{name}`** {comment}"]
        elif keyword.startswith("procedure"):
            bound[target or name] = place, name
        if not comment or keyword.startswith("type"):
            continue
        if keyword == "module":
            said[""].append(comment)
        elif keyword.startswith(("generic", "procedure")):
            said[place].append(f"- **`{place}%{name}`** {comment}")
        else:
            of, public = bound.get(name, ("", name))
            if not of and not comment.startswith(("Collective", "Local")):
                continue  # between modules
            given = ", ".join(a.strip() for a in (arguments or "").split(",") if a.strip() not in ("self", "this"))
            said[of].append(f"- **`{of}{'%' if of else ''}{public}({given})`** {comment}")
    return "\n\n".join(line for lines in said.values() for line in lines)


# -------------------------------------------------------------------------------------------------------------- pages


def tab(language, text):
    return f"::::::{{tab-item}} {language}\n:sync: {language}\n\n{text}\n::::::\n" if text else ""


def files_of(headers):
    return "\n".join(f"```{{doxygenfile}} {name}\n:sections: briefdescription detaileddescription define enum var func "
                     "innerclass innernamespace typedef public-attrib public-func public-slot public-static-func public-type "
                     "user-defined friend\n```\n" for name in headers)


def fortran_modules(project):
    """Returns the files of public modules by name: handwritten, and generated by the build."""
    made = [path for path in (project / MADE / "fortran").glob("seiche_*.f90")
            if not path.name.startswith("seiche_c_") and re.search("public ::|, public", path.read_text())]
    return {path.stem: path for path in [*(project / "fortran").glob("seiche_*.f90"), *made]}


def reference_page(noun, project, python):
    modules = fortran_modules(project)
    tabs = (tab("C++", files_of(noun.cpp)) + tab("C", files_of(noun.c))
            + tab("Fortran", "\n".join(fortran_page(modules[name], project) for name in noun.fortran))
            + tab("Python", python.page(noun.python)))
    guide = f"Guide: [{noun.guide}](../{noun.guide}.md).\n\n" if noun.guide else ""
    return f"# {noun.title}\n\n{guide}:::::::{{tab-set}}\n{tabs}:::::::\n"


def help_of(command, names=()):
    """Yields (subcommand, help) of the command and of all its subcommands."""
    text = subprocess.run([command, *names, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    yield " ".join(names), text
    for name in re.findall(r"^  ([a-z]+) ", text.partition("Subcommands:")[2], re.MULTILINE):
        yield from help_of(command, (*names, name))


def command_page(command):
    sections = (f"## seiche {names}\n\n```text\n{text.strip()}\n```\n" for names, text in help_of(command))
    return "# Options of the command\n\nGuide: [command](../command.md).\n\n" + "\n".join(sections)


def missing(project, python):
    """Returns public names that no page contains."""
    told = {language: {name for noun in NOUNS for name in getattr(noun, language)} for language in ("cpp", "c", "fortran", "python")}
    there = {
        "cpp": {path.name for path in (project / "include/seiche").glob("*.hpp")},
        "c": {path.name for path in (project / MADE / "include/seiche/c").glob("*.h")},
        "fortran": set(fortran_modules(project)),
        "python": set(python.things),
    }
    return [f"{language}: {name}" for language in there for name in sorted(there[language] ^ told[language])]


def undescribed(xml):
    """Returns types and functions without a comment. Members need none; C functions may share a comment."""
    def silent(node):
        return not any("".join(node.find(part).itertext()).strip() for part in ("briefdescription", "detaileddescription"))

    names = []
    for path in sorted(xml.glob("*.xml")):
        for compound in ElementTree.parse(path).iter("compounddef"):
            if compound.get("kind") in ("struct", "class") and silent(compound):
                names.append(compound.findtext("compoundname"))
            if compound.get("kind") in ("namespace", "file"):
                names += [member.findtext("name") for member in compound.iter("memberdef")
                          if (member.get("kind") == "enum" or member.get("kind") == "function"
                              and not member.findtext("name").startswith("seiche_")) and silent(member)]
    return sorted(set(names))


def main():
    project, stub, target = map(pathlib.Path, sys.argv[1:])
    python = PythonPages(stub, project / "python/seiche/errors.py")
    xml = target.parent / "xml"
    silent = undescribed(xml)
    if silent:
        sys.exit("no comment in include/seiche describes these; add one:\n  " + "\n  ".join(silent))
    lost = missing(project, python)
    if lost:
        sys.exit("docs/site/nouns.py and the public names differ in:\n  " + "\n  ".join(lost))
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(project / "docs", target, ignore=shutil.ignore_patterns("site", "history", "generate.py", "Doxyfile"))
    for path in project.glob("docs/site/*.md"):
        shutil.copy(path, target)
    for name in ("conf.py", "site.css"):
        shutil.copy(project / "docs/site" / name, target)
    (target / "changelog.md").write_text((project / "CHANGELOG.md").read_text().replace("](docs/", "]("))
    shutil.copy(project / "examples/scf/README.md", target / "scf.md")
    for path in target.rglob("*.md"):
        path.write_text(outside_links(path.read_text()))
    (target / "reference").mkdir()
    for noun in NOUNS:
        (target / "reference" / f"{noun.name}.md").write_text(reference_page(noun, project, python))
    (target / "reference/command.md").write_text(command_page(project / "build/release/bin/seiche"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
