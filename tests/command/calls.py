# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the command: each a process of its own, or many under one mpiexec (many_calls.cpp), for sweeps of thousands."""
import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time


class OwnProcesses:
    """Each call starts the command, as users do."""

    def __init__(self, launcher, seiche, timeout, tuning):
        self.command = [*launcher, seiche]
        self.timeout, self.tuning = timeout, str(tuning)

    def __call__(self, *words):
        return subprocess.run([*self.command, *map(str, words)], capture_output=True, text=True, errors="replace",
                              timeout=self.timeout, env={**os.environ, "SEICHE_TUNING": self.tuning})

    def close(self):
        """Nothing lives on."""


class OneMpiexec:
    """All calls go to the same processes, which are started again when a call has ended them, has not ended in time, or
    after `most` calls. What a call prints goes through files, so that it is whole even then."""

    def __init__(self, launcher, many_calls, timeout, tuning, most=200):
        self.command = [*launcher, many_calls]
        self.timeout, self.tuning, self.most = timeout, str(tuning), most
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-calls-"))
        self.server, self.calls = None, 0

    def __call__(self, *words):
        if self.server is None:
            self.start()
        out, err = self.folder / "stdout", self.folder / "stderr"
        out.write_bytes(b"")
        err.write_bytes(b"")
        asked = {"words": [str(word) for word in words], "stdout": str(out), "stderr": str(err)}
        self.server.stdin.write(json.dumps(asked).encode() + b"\n")
        self.server.stdin.flush()
        code = self.answer(words)
        self.calls += 1
        if self.calls == self.most:
            self.end()
        return subprocess.CompletedProcess(words, code, out.read_text(errors="replace"), err.read_text(errors="replace"))

    def start(self):
        self.server = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       start_new_session=True, env={**os.environ, "SEICHE_TUNING": self.tuning})
        self.calls = 0

    def answer(self, words):
        """The exit code: what the processes say, or what they ended with."""
        said, last = b"", time.monotonic() + self.timeout
        while not said.endswith(b"\n"):
            if not select.select([self.server.stdout], [], [], max(0, last - time.monotonic()))[0]:
                self.kill()
                raise subprocess.TimeoutExpired(words, self.timeout)
            part = os.read(self.server.stdout.fileno(), 100)
            if not part:
                return self.leave()
            said += part
        return int(said.split()[-1])

    def kill(self):
        os.killpg(self.server.pid, signal.SIGKILL)
        self.leave()

    def end(self):
        if self.server:
            self.server.stdin.close()
            self.leave()

    def leave(self):
        """What the processes ended with."""
        code = self.server.wait(self.timeout)
        self.server.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self.server.stdin.close()
        self.server = None
        return code

    def close(self):
        self.end()
        shutil.rmtree(self.folder)


def calls(launcher, seiche, timeout, tuning="none"):
    """Of `many_calls` where SEICHE_MANY_CALLS names it, else of the command. What is tuned is kept in the file `tuning`."""
    many_calls = os.environ.get("SEICHE_MANY_CALLS")
    return OneMpiexec(launcher, many_calls, timeout, tuning) if many_calls else OwnProcesses(launcher, seiche, timeout, tuning)
