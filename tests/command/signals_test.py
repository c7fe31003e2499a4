# SPDX-License-Identifier: BSD-3-Clause
"""A command that is told to end leaves nothing unfinished, keeps what was there whole, says one line and exits with 128
and the signal's number. SEICHE_SIGNALS says how often (default 9)."""
import os
import random
import shutil
import signal
import subprocess
import time

from case import SILICON, Case, mpiexec, mtx, ranks, seiche, state_of

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TIMES = int(os.environ.get("SEICHE_SIGNALS", "9"))
ENVIRONMENT = {**os.environ, "OMPI_MCA_odls_base_sigkill_timeout": "3"}  # tests have 0, which leaves no time to end
SENTENCE = "seiche: stopped by a signal; no incomplete file is left, and existing files are unchanged"


def content_of(path):
    return path.read_bytes() if path.is_file() else state_of(path)


class Signals(Case):
    def inputs(self):
        """Of each command the arguments but for the output, and the output's name."""
        beside = [f"{i + 1} {i} 0.01" for i in range(1, 400)]
        ks, overlap = (mtx(self.folder / name, 400, [f"{i} {i} {level ** i}" for i in range(1, 401)] + beside)
                       for name, level in (("ks.mtx", -1), ("s.mtx", 1)))
        return [(["convert", SILICON], "a.h5"), (["convert", SILICON], "b.save"), (["expand", SILICON], "c.save"),
                (["density", SILICON, "-o"], "d.cube"),
                (["purify", ks, overlap, "--electrons", 400, "--blocks", "40x10", "-o"], "p.csr")]

    def expect_nothing_left(self, child, text, target, old):
        self.assertEqual(content_of(target), old, child.args)
        left = [path.name for path in self.folder.iterdir() if ".seiche-" in path.name]
        self.assertEqual(left, [], (child.args, child.returncode, text))

    def test_at_random_moments(self):
        """Under mpiexec, which passes signals on as it likes and has exit codes of its own, and alone."""
        random.seed(int(ranks))
        ended = 0
        usual = {}
        cases = [(*case, launcher) for launcher in (mpiexec, []) for case in self.inputs()]
        for number in range(TIMES):
            arguments, name, launcher = cases[number % len(cases)]
            target = self.folder / name
            command = [*launcher, seiche, *map(str, arguments), str(target)]
            case = (name, bool(launcher))
            if case not in usual:
                began = time.monotonic()
                done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
                usual[case] = time.monotonic() - began
            old = content_of(target)
            one = SIGNALS[(number + number // len(cases)) % len(SIGNALS)]
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                     env=ENVIRONMENT)
            time.sleep(random.uniform(0.02, usual[case]))
            child.send_signal(one)
            _, text = child.communicate(timeout=300)
            self.expect_nothing_left(child, text, target, old)
            self.assertLessEqual(text.count(SENTENCE), 1, text)
            if not launcher:
                # negative: before main() had begun
                self.assertIn(child.returncode, (0, 128 + one, -one), text)
                self.assertEqual(text.count(SENTENCE), child.returncode > 0, text)
            ended += child.returncode != 0
        print(f"ended {ended} of {TIMES} runs")
        self.assertGreater(ended, 0)

    def stopped_while_writing(self, target):
        """A command that has begun to write, and does not go on."""
        for _ in range(200):
            child = subprocess.Popen([seiche, "expand", SILICON, target, "--as-they-are"], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
            while child.poll() is None and not any(".seiche-" in path for path in os.listdir(self.folder)):
                pass
            child.send_signal(signal.SIGSTOP)
            if any(".seiche-" in path for path in os.listdir(self.folder)):
                return child
            child.send_signal(signal.SIGCONT)
            child.communicate(timeout=300)
        self.fail("nothing was seen of a file in the making")

    def test_while_it_writes(self):
        """Some runs are done before the signal is heard."""
        for one in SIGNALS:
            for name in ("a.h5", "a.save"):
                target = self.folder / name
                for attempt in range(40):
                    target.mkdir() if name == "a.save" else target.write_text("old")
                    child = self.stopped_while_writing(target)
                    child.send_signal(one)
                    child.send_signal(signal.SIGCONT)
                    _, text = child.communicate(timeout=300)
                    self.assertIn(child.returncode, (0, 128 + one), text)
                    self.assertEqual([path for path in os.listdir(self.folder) if ".seiche-" in path], [])
                    told = child.returncode > 0
                    old = content_of(target) == {} if name == "a.save" else target.read_bytes() == b"old"
                    shutil.rmtree(target) if target.is_dir() else target.unlink()
                    if told and old:
                        break
                else:
                    self.fail((one, name))
                self.assertEqual([line for line in text.splitlines() if "not kept: " not in line], [SENTENCE])

    def test_a_second_signal_ends_at_once(self):
        """What it leaves is swept by the next run."""
        target = self.folder / "a.h5"
        child = self.stopped_while_writing(target)
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            child.send_signal(one)
        child.communicate(timeout=20)
        self.assertIn(child.returncode, (130, 143))
        self.assertEqual(subprocess.run([seiche, "expand", SILICON, target], capture_output=True).returncode, 0)
        self.assertEqual(os.listdir(self.folder), ["a.h5"])

    def test_signals_that_are_ignored_stay_so(self):
        """As under nohup."""
        target = self.folder / "a.save"
        child = subprocess.Popen([seiche, "convert", SILICON, target], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
                                 preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        while child.poll() is None and not any(".seiche-" in path for path in os.listdir(self.folder)):
            pass
        child.send_signal(signal.SIGHUP)
        _, text = child.communicate(timeout=300)
        self.assertEqual((child.returncode, text.count("stopped by a signal")), (0, 0), text)
