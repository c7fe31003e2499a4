#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes manual pages from --help: manual.py COMMAND FOLDER

seiche.1 lists the commands, and seiche-NAME.1 describes one, with its subcommands.
"""

import pathlib
import re
import subprocess
import sys


def help_of(command, *names):
    return subprocess.run([command, *names, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


def subcommands(text):
    return re.findall(r"^  ([a-z]+) ", text.partition("Subcommands:")[2], re.MULTILINE)


def escaped(text):
    return re.sub(r"^(['.])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.MULTILINE)


def section(title, text):
    return f'.SH {title}\n.nf\n{escaped(text.strip(chr(10)))}\n.fi\n'


def page(name, version, texts):
    """Returns a manual page of (title, help) pairs. The first line of a help is the description."""
    summary = texts[0][1].strip().splitlines()[0].rstrip(".")
    return (f'.TH {name.upper()} 1 "" "{version}" "User Commands"\n.SH NAME\n{escaped(name)} \\- {escaped(summary)}\n'
            + "".join(section(title, text.partition("\n")[2]) for title, text in texts)
            + ".SH SEE ALSO\n" + ("seiche(1)" if name != "seiche" else "mpiexec(1)") + "\n")


def write(command, folder):
    folder.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    top = help_of(command)
    for name in subcommands(top):
        text = help_of(command, name)
        parts = [("SYNOPSIS AND OPTIONS", text), *((f"SEICHE {name} {below}".upper(), help_of(command, name, below)) for below in subcommands(text))]
        (folder / f"seiche-{name}.1").write_text(page(f"seiche-{name}", version, parts))
    (folder / "seiche.1").write_text(page("seiche", version, [("SYNOPSIS AND COMMANDS", top)]))


if __name__ == "__main__":
    write(sys.argv[1], pathlib.Path(sys.argv[2]))
