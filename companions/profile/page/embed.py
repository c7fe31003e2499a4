#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""embed.py PAGE OUTPUT: the files of the page as C++ strings."""
import pathlib
import sys

PARTS = {"page_html": "page.html", "page_css": "page.css", "page_js": "page.js", "timeline_js": "timeline.js",
         "uplot_js": "third_party/uPlot/uPlot.iife.min.js", "uplot_css": "third_party/uPlot/uPlot.min.css",
         "uplot_licence": "third_party/uPlot/LICENSE"}


def literal(text):
    """Splits the text, because compilers limit the length of a literal."""
    pieces = [text[i:i + 8000] for i in range(0, max(len(text), 1), 8000)]
    return "\n".join(f'R"seiche~({piece})seiche~"' for piece in pieces)


if __name__ == "__main__":
    folder, output = map(pathlib.Path, sys.argv[1:])
    lines = ["// Made by companions/profile/page/embed.py", '#include "report/page_parts.hpp"', "namespace seiche::profile {"]
    for name, file in PARTS.items():
        lines.append(f"const std::string_view {name} =\n{literal((folder / file).read_text(encoding='utf-8'))};")
    output.write_text("\n".join(lines + ["}", ""]), encoding="utf-8")
