# SPDX-License-Identifier: BSD-3-Clause
"""Writes the table of options that may differ between ranks in docs/errors_and_threads.md. `--check` only compares."""

import pathlib
import sys

import model

PAGE = model.HERE.parent / "docs" / "errors_and_threads.md"
BEGIN, END = "<!-- differs -->\n", "<!-- end -->"


def table(headers):
    lines = ["| options | may differ between ranks |", "|---|---|"]
    for header in headers:
        for item in header.items:
            names = [row.name for row in item.rows if row.differs] if item.kind == "options" else []
            if names:
                lines.append(f"| `{item.about.get('cxx', item.name)}` | {', '.join(f'`{name}`' for name in names)} |")
    return "\n".join(lines) + "\n"


def with_table(text, headers):
    begin = text.index(BEGIN) + len(BEGIN)
    return text[:begin] + table(headers) + text[text.index(END, begin):]


def main():
    text = PAGE.read_text()
    made = with_table(text, model.read_all())
    if "--check" not in sys.argv:
        PAGE.write_text(made)
    elif made != text:
        sys.exit(f"{PAGE.name} lists other options than interface/*.api: run python3 interface/differs.py")


if __name__ == "__main__":
    main()
