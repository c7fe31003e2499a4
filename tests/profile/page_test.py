#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page in headless Chromium: no error in its console, a table that sorts and filters, a timeline that zooms, at the width of
a desk and of a phone. page_test.py COMMAND PROGRAM LAUNCHER... Skipped (77) where Chromium is not installed."""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

COMMAND, PROGRAM, *LAUNCHER = sys.argv[1:]
MPI = "mpich" if "mpich" in LAUNCHER[0] else "openmpi"
HOSTS = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "hosts.sh"
BROWSER = next((b for b in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if b), None)
# What a reader would do. It runs in the page, and leaves what it saw in the document.
READER = """
<script>
addEventListener("load", () => setTimeout(() => {
  const seen = {}, column = (table, i) => [...document.querySelectorAll(`#${table} tbody tr`)].map(row => row.children[i].textContent);
  const heads = document.querySelectorAll("#calls th"), canvas = document.getElementById("timeline");
  seen.rows = column("calls", 0).length;
  heads[2].click(); seen.down = column("calls", 2);
  heads[2].click(); seen.up = column("calls", 2);
  heads[0].click(); seen.names = column("calls", 0);
  const filter = document.getElementById("filter");
  filter.value = "alltoallv"; filter.dispatchEvent(new Event("input")); seen.filtered = column("calls", 0);
  filter.value = ""; filter.dispatchEvent(new Event("input"));
  const whole = timeline.right - timeline.left;
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -900, clientX: canvas.getBoundingClientRect().left + 300, bubbles: true, cancelable: true }));
  seen.zoomed = (timeline.right - timeline.left) / whole;
  const left = timeline.left; canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" })); seen.moved = timeline.left > left;
  for (let i = 0; i < 8; ++i) timeline.zoom(0.5);
  setTimeout(() => {
    seen.near = timeline.near(timeline.run.by_rank[0]);
    document.getElementById("whole").click(); seen.back = (timeline.right - timeline.left) / whole;
    setTimeout(() => {
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, 10).data;
      seen.colours = new Set(Array.from({ length: canvas.width }, (_, x) => pixels.slice(4 * (x + 4 * canvas.width), 4 * (x + 4 * canvas.width) + 3).join())).size;
      seen.charts = document.querySelectorAll(".uplot canvas").length;
      seen.facts = document.getElementById("facts").textContent;
      seen.tooWide = document.documentElement.scrollWidth > innerWidth;
      document.body.append(Object.assign(document.createElement("pre"), { id: "seen", textContent: JSON.stringify(seen) }));
    }, 200);
  }, 200);
}, 300));
</script>
"""


def visit(page, size):
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={size}", "--virtual-time-budget=5000", "--enable-logging=stderr",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", page.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout)
    if not found:
        sys.exit(f"the page did not come to its end: {errors}")
    return json.loads(html.unescape(found[1])), errors


def number(text):
    return int(text.replace(",", ""))


def check_hosts(page, size):
    """A program on two hosts that sends while it computes."""
    seen, errors = visit(page, size)
    share = re.search(r"(\d+) % of what was under way, overlapped", seen["facts"])
    expect = {
        "no error in the console": not errors,
        "two hosts are counted": "2 hosts" in seen["facts"],
        "overlap is shown": share is not None and 1 <= int(share[1]) <= 99,
        "zooms in by the wheel": 0.1 < seen["zoomed"] < 0.5,
        "sorts by name": seen["names"] == sorted(seen["names"]),
        "the timeline is drawn": seen["colours"] > 1,
        "nothing is wider than the window": not seen["tooWide"],
    }
    return all_hold(expect, seen, errors, size)


def all_hold(expect, seen, errors, size):
    for sentence, holds in expect.items():
        if not holds:
            print(f"{size}: not so: {sentence}\n{json.dumps(seen)}\n{errors}")
    return all(expect.values())


def check(page, size):
    seen, errors = visit(page, size)
    expect = {
        "no error in the console": not errors,
        "all rows are there": seen["rows"] >= 15,
        "sorts by calls, most first": [number(t) for t in seen["down"]] == sorted(map(number, seen["down"]), reverse=True) and len(set(seen["down"])) > 3,
        "sorts by calls, least first": [number(t) for t in seen["up"]] == sorted(map(number, seen["up"])),
        "sorts by name": seen["names"] == sorted(seen["names"]),
        "filters": seen["filtered"] == ["MPI_Alltoallv"] * 2,
        "zooms in by the wheel": 0.1 < seen["zoomed"] < 0.5,
        "moves by keys": seen["moved"],
        "draws single calls when near": seen["near"],
        "zooms out again": abs(seen["back"] - 1) < 1e-9,
        "the timeline is drawn": seen["colours"] > 1,
        "three charts are drawn": seen["charts"] == 3,
        "nothing is wider than the window": not seen["tooWide"],
    }
    return all_hold(expect, seen, errors, size)


def page_of(folder, *words):
    page = pathlib.Path(folder, "run.html")
    subprocess.run([COMMAND, "profile", "--mpi", MPI, "-o", page, "--", *words], check=True, capture_output=True, timeout=200)
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", READER + "</body>"), encoding="utf-8")
    return page


def main():
    if not BROWSER:
        print("skipped: Chromium is not installed")
        return 77
    sizes = ("1280,800", "500,900")
    with tempfile.TemporaryDirectory() as folder:
        page = page_of(folder, *LAUNCHER, PROGRAM)
        good = [check(page, size) for size in sizes]
        if os.geteuid() == 0 and shutil.which("tc") and MPI == "openmpi":
            page = page_of(folder, HOSTS, "2", "4gbit", "--", COMMAND, "bench", "bands", "--grid", "64", "--bands", "32", "--repeat", "4")
            good += [check_hosts(page, size) for size in sizes]
        else:
            print("two hosts: skipped, they need root, iproute2 and Open MPI")
        return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
