#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page in headless Chromium, driven by Selenium: no error in its console, a table that sorts and filters, a timeline that zooms,
on a desk and on a phone; of a program, of one on two hosts, with advice, of a recorded run, and of 512 ranks that made a million
calls each. page_test.py COMMAND PROGRAMS_FOLDER LAUNCHER...; skipped (77) without Selenium, Chromium and its driver.
SEICHE_SCREENSHOTS=FOLDER keeps pictures of what was seen."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

COMMAND, PROGRAMS, *LAUNCHER = sys.argv[1:]
MPI = "mpich" if "mpich" in LAUNCHER[0] else "openmpi"
ROOT = pathlib.Path(__file__).resolve().parents[2]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
DESK, PHONE = (1280, 800), (390, 844)
# Moves something a little in each frame, for so many frames; the seconds of each.
FRAMES = """
const done = arguments[arguments.length - 1], move = new Function(arguments[0]), times = [];
const step = time => { times.push(time); move(); times.length <= arguments[1] ? requestAnimationFrame(step) : done(times.slice(1).map((t, i) => (t - times[i]) / 1000)); };
requestAnimationFrame(step);
"""
try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
except ImportError:
    webdriver = None


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


def number(text):
    return int(text.replace(",", ""))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)
        cls.driver.set_script_timeout(60)

    def seiche(self, *words, **environment):
        done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, timeout=250, check=False, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stderr)

    def profiled(self, name, *words, options=()):
        page = self.folder / f"{name}.html"
        self.seiche("profile", "--mpi", MPI, *options, "-o", page, "--", *words)
        return page

    def program(self, name):
        return str(pathlib.Path(PROGRAMS) / f"profile_{name}")

    def visit(self, page, size, dark=False):
        """Seconds until the page is loaded and drawn."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        start = time.monotonic()
        self.driver.get(page.as_uri())
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));")
        seconds = time.monotonic() - start
        if os.environ.get("SEICHE_SCREENSHOTS"):
            self.driver.save_screenshot(str(pathlib.Path(os.environ["SEICHE_SCREENSHOTS"], f"{page.stem}_{size[0]}{'_dark' if dark else ''}.png")))
        return seconds

    def expect_sound(self):
        self.assertEqual([entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")], [])
        self.assertFalse(self.driver.execute_script("return document.documentElement.scrollWidth > innerWidth"), "something is wider than the window")

    def column(self, table, i):
        return self.driver.execute_script("return [...document.querySelectorAll(`#${arguments[0]} tbody tr`)].map(row => row.children[arguments[1]].textContent)", table, i)

    def heads(self, table):
        return self.driver.find_elements(By.CSS_SELECTOR, f"#{table} th")

    def span(self):
        return self.driver.execute_script("return (timeline.right - timeline.left) / timeline.run.seconds")

    def colours(self):
        """How many colours the first rank's row has."""
        return self.driver.execute_script("""const canvas = timeline.canvas, pixels = canvas.getContext("2d").getImageData(60, 2, canvas.width - 60, 1).data;
            return new Set(Array.from({ length: canvas.width - 60 }, (_, x) => pixels.slice(4 * x, 4 * x + 3).join())).size""")

    def zoom_by_wheel(self):
        canvas = self.driver.find_element(By.ID, "timeline")
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", canvas)
        ActionChains(self.driver).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -600).pause(0.1).perform()
        self.assertLess(self.span(), 0.6)
        self.driver.find_element(By.ID, "whole").click()
        self.assertAlmostEqual(self.span(), 1)

    def test_table(self):
        page = self.profiled("known", *LAUNCHER, self.program("known"))
        for size in (DESK, PHONE):
            self.visit(page, size)
            self.expect_sound()
            self.assertGreaterEqual(len(self.column("calls", 0)), 15)
            heads = self.heads("calls")
            self.driver.execute_script("arguments[0].click()", heads[2])
            down = [number(text) for text in self.column("calls", 2)]
            self.assertEqual(down, sorted(down, reverse=True))
            self.assertGreater(len(set(down)), 3)
            self.driver.execute_script("arguments[0].click()", heads[2])
            self.assertEqual([number(text) for text in self.column("calls", 2)], sorted(down))
            self.driver.execute_script("arguments[0].click()", heads[0])
            names = self.column("calls", 0)
            self.assertEqual(names, sorted(names))
            self.driver.find_element(By.ID, "filter").send_keys("alltoallv")
            self.assertEqual(self.column("calls", 0), ["MPI_Alltoallv"] * 2)
            self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, ".uplot canvas")), 3)

    def test_timeline(self):
        page = self.profiled("moves", *LAUNCHER, self.program("known"))
        for size in (DESK, PHONE):
            self.visit(page, size, dark=size == PHONE)
            self.zoom_by_wheel()
            canvas = self.driver.find_element(By.ID, "timeline")
            self.driver.find_element(By.ID, "closer").click()
            self.assertAlmostEqual(self.span(), 0.5)
            left = self.driver.execute_script("return timeline.left")
            ActionChains(self.driver).drag_and_drop_by_offset(canvas, -60, 0).perform()
            self.assertGreater(self.driver.execute_script("return timeline.left"), left)
            canvas.send_keys(Keys.ARROW_LEFT, "+", "-")
            self.assertAlmostEqual(self.span(), 0.5)
            self.driver.execute_script("for (let i = 0; i < 8; ++i) timeline.zoom(0.5)")
            self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            self.assertTrue(self.driver.execute_script("return timeline.isNear"))
            self.driver.find_element(By.ID, "whole").click()
            self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            self.assertGreater(self.colours(), 1)
            where = self.driver.execute_script("const call = timeline.run.by_rank[0].events; return timeline.x(call.start[5] + call.seconds[5] / 2)")
            ActionChains(self.driver).move_to_element_with_offset(canvas, int(where) - size_of(canvas)[0] // 2, 5 - size_of(canvas)[1] // 2).perform()
            self.assertRegex(self.driver.find_element(By.ID, "tip").text, r"^(MPI_\w+, |rank 0 at )")
            self.expect_sound()

    def test_two_hosts(self):
        if os.geteuid() != 0 or not shutil.which("tc") or MPI != "openmpi":
            self.skipTest("two hosts need root, iproute2 and Open MPI")
        hosts = ROOT / "packaging" / "hosts.sh"
        page = self.profiled("hosts", hosts, "2", "4gbit", "--", COMMAND, "bench", "bands", "--grid", "64", "--bands", "32", "--repeat", "4")
        for size in (DESK, PHONE):
            self.visit(page, size)
            facts = self.driver.find_element(By.ID, "facts").text
            self.assertIn("2 hosts", facts)
            self.assertRegex(facts, r"[1-9]\d? % of the time in flight overlapped")
            self.zoom_by_wheel()
            self.assertGreater(self.colours(), 1)
            self.expect_sound()

    def test_advice(self):
        page = self.profiled("advised", *LAUNCHER, self.program("exchanges"), options=["--advise"])
        for size in (DESK, PHONE):
            self.visit(page, size, dark=size == DESK)
            ways = [head.text for head in self.heads("advice")]
            self.assertEqual(ways[0], "function")
            self.assertIn("alltoall", ways)
            self.assertEqual(sorted(set(self.column("advice", 0))), ["MPI_Alltoall", "MPI_Alltoallv"])
            self.expect_sound()

    def test_recorded_run(self):
        name = self.folder / "trace"
        subprocess.run([*LAUNCHER, COMMAND, "bench", "bands", "--grid", "32", "--bands", "16", "--repeat", "3", "--window", "3"], check=True, capture_output=True,
                       timeout=200, env={**os.environ, "SEICHE_TRACE": str(name)})
        self.seiche("trace", name, "-o", self.folder / "trace.html")
        for size in (DESK, PHONE):
            self.visit(self.folder / "trace.html", size)
            self.assertIn("in flight", self.column("calls", 0))
            self.assertGreater(self.colours(), 2)
            self.assertRegex(self.driver.find_element(By.ID, "facts").text, "overlapped")
            self.zoom_by_wheel()
            self.expect_sound()

    def test_512_ranks_of_a_million_calls(self):
        if MPI != "openmpi":
            self.skipTest("once is enough")
        page = self.profiled("many", self.program("many"), "512", "1000000", options=["--events", "16384"])
        opened = self.visit(page, DESK)
        self.assertIn("all 512,000,000 calls", self.driver.find_element(By.ID, "sentences").text)
        self.driver.execute_script("timeline.canvas.scrollIntoView()")
        frames = {what: self.driver.execute_async_script(FRAMES, move, 90) for what, move in [
            ("scroll", "scrollBy(0, 25)"), ("zoom", "timeline.zoom(0.95)"), ("pan", "timeline.move(timeline.run.seconds / 5000)")]}
        print(f"{page.stat().st_size / 1e6:.0f} MB, opens in {opened:.2f} s; " + "; ".join(
            f"{what}: {1000 * statistics.median(t):.0f} ms a frame, one of twenty {1000 * statistics.quantiles(t, n=20)[-1]:.0f}" for what, t in frames.items()), flush=True)
        self.expect_sound()  # seconds are told, not expected: whose machine is this?


def size_of(element):
    return element.size["width"], element.size["height"]


if __name__ == "__main__":
    if webdriver is None or not BROWSER or not DRIVER:
        print("skipped: Selenium, Chromium and its driver are not all installed")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *filter(None, [os.environ.get("SEICHE_PAGES")])])
