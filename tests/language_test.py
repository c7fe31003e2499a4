#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the language of the pages for readers and of the comments of public headers: language_test.py [FILES]

Rules: no banned word, at most 25 words in a sentence, at most 100 columns in a line of Markdown. Messages of the library
name no option of the command, and advise to copy a file only if it is truncated.
"""

import pathlib
import re
import sys
import unittest

import markdown

MOST_WORDS, MOST_COLUMNS = 25, 100

# A pattern (whole words, any case) and what to write instead.
BANNED = {
    r"ways?": "algorithm, method, or a verb",
    r"wires?": "transport or network",
    r"lent|lend": "zero-copy",
    r"near|far": "source or target",
    r"in turn|turns?": "alternately; slot",
    r"(?<!\d )words?": "name, text, or term",
    r"home(?! director)": "owner",
    r"doors?": "interface",
    r"house": "project",
    r"rooms?": "folder or module",
    r"by and by": "as they become available",
    r"(?:come|comes|came|coming) to": "is",
    r"lets? go|letting go": "release",
    r"faces?": "interface",
    r"those (?:of|that|which|who)": "name the noun again",
    r"(?:of|to|by|from|with|for|in) what": "name the noun",
}


def plain(text):
    """Returns prose without code, addresses, tags and emphasis."""
    text = re.sub(r"``.+?``|`[^`]*`", "code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"https?://\S+|<[^<>]*>", "", text)
    text = re.sub(r"code(?:(?:,| and| or|, and|, or) code)+", "code", text)  # a list of names counts as one
    return re.sub(r"\*{1,2}(\S.*?)\*{1,2}", r"\1", text)


def sentences(paragraph):
    """Splits at full stops before a capital, a digit or code. Abbreviations do not end a sentence."""
    text = re.sub(r"\b(e\.g|i\.e|etc|cf|vs|Fig|No)\.", r"\1", " ".join(paragraph.split()))
    return [one for one in re.split(r"(?<=[.!?])[)\"]?\s+(?=[A-Z0-9(\"]|code)", text) if one]


def paragraphs_of_page(text):
    """Yields (line, is prose, text) for each paragraph, item, heading and table row of a page of Markdown."""
    begun, first = [], 0
    for number, line in enumerate([*markdown.without_code(text).splitlines(), ""], 1):
        bare = line.strip()
        single = bare.startswith(("|", "#", "<"))
        opens = re.match(r"([-*+]|\d+\.)\s", bare)
        if begun and (not bare or single or opens):
            yield first, True, " ".join(begun)
            begun = []
        if single:
            yield number, False, bare
        elif bare:
            first = first if begun else number
            begun.append(re.sub(r"^([-*+]|\d+\.)\s+", "", bare))


def paragraphs_of_source(text):
    """Yields the same for the comments of a header: neighbouring lines of comment make a paragraph."""
    begun, first, inside = [], 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        bare, comment = line.strip(), None
        if inside or bare.startswith("/*"):
            comment = re.sub(r"^/\*+<?|\*+/.*$|^\*+", "", bare)
            inside = "*/" not in bare
        elif bare.startswith("//"):
            comment = re.sub(r"^//[/!<]*", "", bare)
        trailing = None if comment is not None else re.search(r"(?:///?<?|/\*+<?)\s(.*)$", bare)
        fresh = comment is not None and re.match(r"\s*(\\|@|[-*]\s|$)", comment)
        if begun and (comment is None or fresh):
            yield first, True, " ".join(begun)
            begun = []
        if comment is not None and "SPDX-License" not in comment and comment.strip():
            first = first if begun else number
            begun.append(re.sub(r"^\s*([\\@](file|brief)\s*)?", "", comment))
        if trailing:
            yield number, True, trailing[1].replace("*/", "")


def paragraphs_of_description(text):
    """Yields the same for the texts of interface/*.api: after a colon between spaces."""
    begun, first = [], 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        whole, part = re.match(r"\s*: (.*)$", line), re.search(r"\s: (\S.*)$", line)
        if begun and not whole:
            yield first, True, " ".join(begun)
            begun = []
        if whole:
            first = first if begun else number
            begun.append(whole[1])
        elif part and not line.lstrip().startswith(("=", "#")):
            yield number, True, part[1]


PARAGRAPHS = {".md": paragraphs_of_page, ".hpp": paragraphs_of_source, ".h": paragraphs_of_source,
              ".api": paragraphs_of_description}


def faults_of_paragraph(is_prose, text):
    text = plain(text)
    for pattern, remedy in BANNED.items():
        for found in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", text, re.IGNORECASE):
            yield f"'{found[0]}' is banned; write: {remedy}"
    for sentence in sentences(text) if is_prose else ():
        count = len(re.findall(r"(?<![\w/])a(?![\w/])|[^\W\d_][\w'./^+-]+|\d[\w./]*", sentence))  # without letters of formulas
        if count > MOST_WORDS:
            yield f"{count} words in one sentence, {MOST_WORDS} are allowed: {sentence[:60]}..."
        if re.match(r"What\b", sentence) and not sentence.rstrip().endswith("?"):
            yield f"a sentence begins with a clause 'What ...': {sentence[:60]}..."


def faults_of_lines(text):
    """Yields lines that are too long. Tables, links and code may be longer."""
    for number, line in enumerate(markdown.without_code(text).splitlines(), 1):
        if len(line) > MOST_COLUMNS and not line.lstrip().startswith("|") and "](" not in line and "://" not in line:
            yield number, f"{len(line)} columns, {MOST_COLUMNS} are allowed"


def messages_of(text):
    """Yields (line, text) for each string in C++; strings that follow each other are one."""
    text = re.sub(r"(?m)^\s*(//|#).*$", "", text)
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        yield text.count("\n", 0, found.start()) + 1, re.sub(r'"\s*"', "", found[0])[1:-1]


def faults_of_messages(text):
    for line, message in messages_of(text):
        if re.search(r"(?:^|[\s(])--[a-z]|\bseiche (?!trace 1)[a-z]+\b", message):
            yield line, f"a message of the library names the command or its option (see command/hints.cpp): {message[:60]}..."
        if re.search(r"copy (?:it|the file) again", message) and not re.search(
                r"truncated|ends|empty|cannot read|only \{\} bytes|checksum", message):
            yield line, f"only a truncated file is to be copied again: {message[:60]}..."


def faults_of_readers(text):
    """Yields calls that read numbers by the rules of the locale."""
    for found in re.finditer(r"\b(?:strto[a-z]+|sto[dfil]+|ato[fil]+|f?scanf|sscanf)\s*\(", text):
        yield text.count("\n", 0, found.start()) + 1, f"'{found[0]}' depends on the locale: use support/text_number.hpp"


def fragments_of_hints():
    return re.findall(r'Hint\{"([^"]+)"', (markdown.ROOT / "command/hints.cpp").read_text(encoding="utf-8"))


def faults_of_library():
    """Yields (path, line, fault) for the messages in src, and for hints of the command without a message."""
    every = ""
    for path in sorted((markdown.ROOT / "src").rglob("*.?pp")):
        text = path.read_text(encoding="utf-8")
        every += "\n".join(message for _, message in messages_of(text)) + "\n"
        yield from ((path, line, fault) for line, fault in [*faults_of_messages(text), *faults_of_readers(text)])
    for fragment in fragments_of_hints():
        if fragment not in every:
            yield markdown.ROOT / "command/hints.cpp", 1, f"no message of the library has '{fragment}'"


def faults_of(text, ending):
    found = [(line, fault) for line, is_prose, paragraph in PARAGRAPHS[ending](text)
             for fault in faults_of_paragraph(is_prose, paragraph)]
    return sorted([*found, *(faults_of_lines(text) if ending == ".md" else ())])


class Samples(unittest.TestCase):
    """Each check finds its fault, and good text has none."""

    def found(self, text, ending=".md"):
        return [fault for _, fault in faults_of(text, ending)]

    def test_good_text_passes(self):
        good = ("# Ways of code\n\nReturns the grid. `the way` is code. A [link](way.md) is not prose.\n\n"
                "```cpp\nway(wire, lent);\n```\n\n<!-- the way -->\n\n| a | " + "b " * 80 + "|\n")
        self.assertEqual(self.found(good.replace("Ways", "Kinds")), [])

    def test_every_banned_word_is_found(self):
        samples = ("the way", "a wire", "is lent", "the far end", "one turn", "a word", "its home", "a door", "the house",
                   "a room", "by and by", "it comes to", "let go of", "four faces", "those of C", "of what is there")
        self.assertEqual(len(samples), len(BANNED))
        for sample in samples:
            self.assertRegex(" ".join(self.found(f"It is {sample}.")), "is banned")
        self.assertRegex(" ".join(self.found("| a | the way |")), "is banned")

    def test_parts_of_longer_words_pass(self):
        self.assertEqual(self.found("The interface of the transformer is always nearest; a password, too."), [])

    def test_long_sentences_are_found(self):
        long = " ".join(["word%d" % i for i in range(26)]).capitalize() + "."
        self.assertRegex(" ".join(self.found(long)), "26 words")
        self.assertEqual(self.found("One two three. Four.\n" * 20), [])
        self.assertRegex(" ".join(self.found("- item\n- " + long)), "26 words")
        self.assertEqual(self.found("It is " + ", ".join(["`a`"] * 10) + " and " + "x = y + " * 4 + "z."), [])

    def test_clauses_with_what_are_found(self):
        self.assertRegex(" ".join(self.found("What is wrong is in one line.")), "clause")
        self.assertEqual(self.found("What is wrong?"), [])

    def test_long_lines_are_found(self):
        self.assertRegex(" ".join(self.found("a. " * 40)), "columns")
        self.assertEqual(self.found("[a](b.md)" + "/b" * 60), [])

    def test_comments_of_headers_are_read(self):
        self.assertRegex(" ".join(self.found("int way;  ///< the way\n", ".hpp")), "is banned")
        self.assertRegex(" ".join(self.found("/// The\n/// house.\nint house;\n", ".hpp")), "is banned")
        self.assertRegex(" ".join(self.found("/* The first line\n * of the house. */\nint house;\n", ".h")), "is banned")
        self.assertEqual(self.found("int way = wire;\n", ".hpp"), [])

    def test_messages_are_read(self):
        found = lambda text: [fault for _, fault in faults_of_messages(text)]
        for bad in ('"leave it out (--to)"', '"a file: "\n    "--fft"', '"run seiche convert"', '"wrong: copy it again"'):
            self.assertEqual(len(found(f"fail({bad});")), 1, bad)
        for good in ('"x is truncated: "\n  "copy it again"', '"a -- b"', '"-pp"', '"Seiche 1"', '"seiche_fft"'):
            self.assertEqual(found(f"fail({good});"), [], good)
        self.assertEqual(found("// (--to)\n/// --to\n"), [])
        self.assertGreater(len(fragments_of_hints()), 10)

    def test_readers_of_numbers_are_found(self):
        self.assertEqual([line for line, _ in faults_of_readers("int a;\nstd::strtod(x, &end);\nstoi (b); my_stoi(c);")], [2, 3])

    def test_descriptions_are_read(self):
        self.assertRegex(" ".join(self.found("  int threads = 1 : in what is there\n", ".api")), "is banned")
        self.assertRegex(" ".join(self.found("enum a\n  : The house.\n", ".api")), "is banned")
        self.assertEqual(self.found("  = fft.way(house)\n", ".api"), [])


def read_by_users():
    headers = [*markdown.tracked("include/*.hpp"), *markdown.tracked("include/*.h")]
    return [*markdown.reader_pages(), *headers, *markdown.tracked("interface/*.api")]


def main():
    if not unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Samples)).wasSuccessful():
        return 1
    chosen = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or read_by_users()
    count = 0
    for path in chosen:
        for line, fault in faults_of(path.read_text(encoding="utf-8"), path.suffix):
            print(f"{path.relative_to(markdown.ROOT)}:{line}: {fault}")
            count += 1
    for path, line, fault in [] if sys.argv[1:] else faults_of_library():
        print(f"{path.relative_to(markdown.ROOT)}:{line}: {fault}")
        count += 1
    print(f"{count} faults in {len(chosen)} files")
    return 1 if count or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
