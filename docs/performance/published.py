# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables of docs/history/published.md from docs/history/published.json. The figures of a row are read from docs/performance/data
and from tables of other pages."""
import json
import re
import sys

from runs import Run, table

SOURCE = "docs/history/published.json"
PAGE = "docs/history/published.md"
HOW = ["real", "simulated", "predicted", "not yet measured", "not available"]
WITHOUT_FIGURES = HOW[3:]


def tables_of(text):
    """Yields the head and the rows of each table of a page."""
    lines = [[cell.strip().replace("**", "") for cell in line.strip()[1:-1].split("|")] if line.startswith("|") else None
             for line in text.splitlines()]
    for number, cells in enumerate(lines):
        if cells and lines[number - 1] is None:
            end = next((i for i in range(number, len(lines)) if lines[i] is None), len(lines))
            yield cells, lines[number + 2:end]


def from_page(root, page, row, column, head=None):
    """Returns the cell of the only table of a page that has this row and this column. `head`: the first cell of its head."""
    found = [cells[titles.index(column)] for titles, rows in tables_of((root / page).read_text(encoding="utf-8"))
             if column in titles and head in (None, titles[0]) for cells in rows if cells[0] == row]
    if len(found) != 1:
        sys.exit(f"{SOURCE}: {page} has {len(found)} cells '{row}', '{column}'")
    return found[0]


def from_data(root, data, row, entry, **form):
    """Returns an entry of a row as text. `percent`: as a percentage; `digits`: after the point."""
    found = Run(root / "docs/performance/data" / data).row(**row)
    if entry not in found:
        sys.exit(f"{SOURCE}: {data} has no '{entry}' in the row {row}")
    value = found[entry]
    if isinstance(value, str):
        return value
    return f"{100 * value if form.get('percent') else value:.{form.get('digits', 2)}f}"


def value(root, of):
    return from_page(root, **of) if "page" in of else from_data(root, **of)


def check(row):
    """Exits if a row lacks an entry, or has a figure in its text."""
    name = row.get("measurement", row)
    wanted = {"measurement", "published", "how"} | ({"why"} if row.get("how") in WITHOUT_FIGURES else {"here", "where", "command"})
    allowed = wanted | {"values", "published_values", "command"}
    if row.get("how") not in HOW or wanted - set(row) or set(row) - allowed:
        sys.exit(f"{SOURCE}: '{name}': missing entries: {sorted(wanted - set(row))}; unknown entries: {sorted(set(row) - allowed)}")
    texts = [(row.get("here", ""), row.get("values", [])), (row["published"], row.get("published_values", []))]
    if any(text.count("{}") != len(values) for text, values in texts) or re.search(r"\d", row.get("here", "")):
        sys.exit(f"{SOURCE}: '{name}': each figure of 'here' is {{}} with an entry of 'values'")


def cells(root, row):
    check(row)

    def filled(text, values):
        return text.format(*(value(root, of) for of in row.get(values, [])))

    command = ", ".join(f"`{one if isinstance(one, str) else value(root, one)}`" for one in row.get("command", []))
    here = row.get("why") or filled(row["here"], "values")
    return [row["measurement"], filled(row["published"], "published_values"), here, row.get("where", ""), row["how"], command]


def reports(root):
    return json.loads((root / SOURCE).read_text(encoding="utf-8"))["reports"]


def sources(root):
    """Returns the pages that figures are read from."""
    every = [of for report in reports(root) for row in report["rows"] for of in [*row.get("values", []), *row.get("published_values", [])]]
    return sorted({of["page"] for of in every if "page" in of})


def summary(root):
    rows = [[report["title"], *(str(sum(row["how"] == how for row in report["rows"])) for how in HOW)] for report in reports(root)]
    return table(["report", *HOW], rows)


def tables(root):
    """Returns the table of each report by the name of its block, and the summary."""
    head = ["measurement", "published", "here", "where", "how", "command"]
    made = {f"published-{report['name']}": table(head, [cells(root, row) for row in report["rows"]]) for report in reports(root)}
    return {"published": summary(root), **made}
