#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that links lead to files and headings that exist: links_test.py [FILES]

These are relative links of Markdown files, and names such as docs/files.md in sources.
"""

import pathlib
import re
import sys
import tempfile
import unittest

import markdown

sys.path.append(str(markdown.ROOT / "docs/site"))
from nouns import NOUNS  # noqa: E402

GENERATED = {"command", *(noun.name for noun in NOUNS)}  # pages that only the site has
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|(?:href|src)=\"([^\"]+)\"")


def slug(heading):
    """Returns the anchor that GitHub and MyST give a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(path):
    seen, found = {}, set()
    text = path.read_text(encoding="utf-8")
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", markdown.without_code(text), re.MULTILINE):
        name = slug(heading)
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text)) | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


def faults(path):
    text = re.sub(r"`[^`\n]*`", "code", markdown.without_code(path.read_text(encoding="utf-8")))
    for number, line in enumerate(text.splitlines(), 1):
        for found in LINK.finditer(line):
            address = found[1] or found[2]
            if re.match(r"[a-z]+:", address):
                continue
            name, _, anchor = address.partition("#")
            folder = markdown.ROOT / "docs" if path.parent == markdown.ROOT / "docs/site" else path.parent  # where it is copied
            target = (folder / name).resolve() if name else path
            if target.parent == markdown.ROOT / "docs/reference" and target.stem in GENERATED:
                continue
            if not target.exists():
                yield f"{number}: no file {name}"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{number}: {name or path.name} has no heading #{anchor}"


def faults_of_source(path):
    """Yields names of pages in comments and messages that do not exist."""
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        for name in re.findall(r"(?<![\w/])docs/[\w/-]+\.md", line):
            if not (markdown.ROOT / name).exists():
                yield f"{number}: no file {name}"


SOURCES = ("*.hpp", "*.h", "*.cpp", "*.c", "*.py", "*.f90", "*.inc", "*.api", "*.sh", "*.cmake", "CMakeLists.txt", "dev")


class Samples(unittest.TestCase):
    def found(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            (page.parent / "other.md").write_text("# Title\n## Two `words`, here\n```\n# code\n```\n## Title\n", encoding="utf-8")
            page.write_text(text, encoding="utf-8")
            return list(faults(page))

    def test_good_links_pass(self):
        self.assertEqual(self.found("# Here\n[a](other.md) [b](other.md#two-words-here) [c](#here) [d](https://x.org/y#z)\n"
                                    "[e](other.md#title-1) `[f](g.md)`\n```\n[g](h.md)\n```\n"), [])

    def test_missing_files_and_headings_are_found(self):
        self.assertEqual(self.found("[a](none.md)\n![b](none.png)"), ["1: no file none.md", "2: no file none.png"])
        self.assertEqual(self.found("[a](other.md#code)\n[b](#here)"),
                         ["1: other.md has no heading #code", "2: page.md has no heading #here"])

    def test_names_in_sources_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.hpp"
            source.write_text("/// See docs/tutorial.md and\n/// docs/no_such_page.md.\n", encoding="utf-8")
            self.assertEqual(list(faults_of_source(source)), ["2: no file docs/no_such_page.md"])


def main():
    if not unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Samples)).wasSuccessful():
        return 1
    pages = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or markdown.tracked("*.md")
    found = [f"{page.relative_to(markdown.ROOT)}:{fault}" for page in pages for fault in faults(page)]
    own = pathlib.Path(__file__).resolve()
    for path in [] if sys.argv[1:] else sorted({path for pattern in SOURCES for path in markdown.tracked(pattern)} - {own}):
        found += [f"{path.relative_to(markdown.ROOT)}:{fault}" for fault in faults_of_source(path)]
    print("\n".join([*found, f"{len(found)} faults in {len(pages)} pages"]))
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
