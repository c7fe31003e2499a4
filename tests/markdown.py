# SPDX-License-Identifier: BSD-3-Clause
"""Reads the Markdown pages of the repository for the checks of the documentation."""

import dataclasses
import fnmatch
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^( *)(`{3,}|:{3,})(.*)$")
COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)


@dataclasses.dataclass
class Block:
    """A block of code: its language, its text, its first line, and the hidden setup before it."""

    language: str
    text: str
    line: int
    setup: str = ""


def tracked(pattern):
    """Returns the files of the repository whose path matches `pattern`, where * also stands for folders."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return sorted(path for path in (ROOT / name for name in listed.stdout.split("\n") if name) if path.exists())
    hidden = {"build", ".venv", ".git"}
    files = {path.relative_to(ROOT).as_posix(): path for path in ROOT.rglob("*") if path.is_file()}  # without git
    return sorted(path for name, path in files.items() if not hidden & set(name.split("/")) and
                  fnmatch.fnmatch(name, pattern if "*" in pattern else "*" + pattern))


def reader_pages():
    """Returns the pages for readers: README, docs and the READMEs of folders, but not the history."""
    skipped = ("docs/history/", "docs/performance/", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", ".github/",
               "companions/profile/page/third_party/")
    return [path for path in tracked("*.md") if not str(path.relative_to(ROOT)).startswith(skipped)]


def blocks(text):
    """Yields each fenced block of code of a page. `<!-- setup: ... -->` directly before a block belongs to it."""
    lines = text.splitlines()
    at, setup = 0, ""
    while at < len(lines):
        line = lines[at]
        if line.lstrip().startswith("<!--"):
            end = next(i for i in range(at, len(lines)) if "-->" in lines[i])
            said = re.search(r"<!--\s*setup:\n?(.*?)-->", "\n".join(lines[at:end + 1]), re.DOTALL)
            setup, at = (said[1] if said else ""), end + 1
            continue
        fence = re.match(r"^( *)(`{3,})\s*(\S*)", line)
        if fence:
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() == fence[2]), len(lines))
            indent = len(fence[1])
            yield Block(fence[3], "\n".join(one[indent:] for one in lines[at + 1:end]) + "\n", at + 2, setup)
            at, setup = end + 1, ""
            continue
        if line.strip():
            setup = ""
        at += 1


def without_code(text):
    """Returns the page with fenced blocks, HTML comments and directives replaced by empty lines."""
    text = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    kept, fence = [], None
    for line in text.splitlines():
        found = re.match(r"^ *(`{3,})", line)
        if fence:
            if line.strip() == fence:
                fence = None
            kept.append("")
        elif found:
            fence = found[1]
            kept.append("")
        else:
            kept.append("" if re.match(r"^ *:{3,}", line) else line)
    return "\n".join(kept)
