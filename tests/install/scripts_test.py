#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of packaging: hosts.sh where something fails, and sources from the machine's own apt. scripts_test.py"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Script(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def run_script(self, *words, **variables):
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **variables})


class Hosts(Script):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "tc", "mpirun", "nsenter"))):
            self.skipTest("needs root, iproute2 and Open MPI")
        probe = f"seiche-probe-{os.getpid()}"
        self.has_namespaces = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode == 0
        if self.has_namespaces:
            subprocess.run(["ip", "netns", "del", probe], check=True)

    def with_tools(self, **refusals):
        """PATH with tools of these names that refuse some words, and pass others on."""
        for name, words in refusals.items():
            real = shutil.which(name)
            self.put(f"bin/{name}", f'#!/bin/sh\ncase "$*" in {words}) echo "{name}: not here" >&2; exit 9 ;; esac\nexec {real} "$@"\n')
        return f"{self.folder / 'bin'}:{os.environ['PATH']}"

    def test_the_cause_is_shown_where_mpirun_never_starts(self):
        done = self.run_script(ROOT / "packaging/hosts.sh", 1, "none", "--", "true", PATH=self.with_tools(ip='"link add"*'))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (9, "", "ip: not here\n"))

    def test_hosts_where_ip_cannot_mount(self):
        if not self.has_namespaces:
            self.skipTest("needs network namespaces")
        path = self.with_tools(ip='"netns exec"*|-n*', tc="-n*")
        done = self.run_script(ROOT / "packaging/hosts.sh", 2, "1gbit", "--", "sh", "-c", "hostname; ip -o -4 addr show eth0; tc qdisc show dev eth0", PATH=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(re.findall(r"^host[01]$", done.stdout, re.M)), ["host0", "host1"])
        self.assertEqual(len(set(re.findall(r"inet (10\.77\.[0-9.]+)/24", done.stdout))), 2, done.stdout)
        self.assertEqual(done.stdout.count("tbf"), 2, done.stdout)

    def test_groups_of_hosts(self):
        if not self.has_namespaces:
            self.skipTest("needs network namespaces")
        links = f"test $(hostname) != host0 || nsenter --net=/proc/{os.getpid()}/ns/net ip -o link show type veth"
        for hosts, groups in ((4, "bbcc"), (3, "bbc"), ("abba", "bccb")):
            done = self.run_script(ROOT / "packaging/hosts.sh", hosts, "1gbit/100mbit", "--", "sh", "-c", links)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = dict(re.findall(r"sv\d+-(\d)@.* master s([bc])\d+", done.stdout))
            self.assertEqual("".join(found[host] for host in sorted(found)), groups, done.stdout)
        done = self.run_script(ROOT / "packaging/hosts.sh", "abc", "1gbit/100mbit", "--", "true")
        self.assertEqual(done.stderr, "hosts.sh: HOSTS is abc; give a number from 1 to 100, or groups such as abab\n")

    def test_hosts_with_mpich(self):
        if not self.has_namespaces or not shutil.which("mpiexec.mpich"):
            self.skipTest("needs network namespaces and MPICH")
        for options, each in (((), 1), (("-n", 4, "-ppn", 2), 2)):
            done = self.run_script(ROOT / "packaging/hosts.sh", 2, "1gbit", *options, "--", "sh", "-c", "hostname; tc qdisc show dev eth0; exit 3",
                                   MPIRUN="mpiexec.mpich")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(sorted(re.findall(r"^host[01]$", done.stdout, re.M)), sorted(each * ["host0", "host1"]))
            self.assertEqual(done.stdout.count("tbf"), 2 * each, done.stdout)


class Sources(Script):
    def setUp(self):
        super().setUp()
        if not shutil.which("apt-get"):
            self.skipTest("there is no apt-get")

    def repository(self):
        """A package `wave` as a place of apt has it."""
        data = b"waves"
        digest = hashlib.sha256(data).hexdigest()
        (self.folder / "place").mkdir()
        (self.folder / "place/wave_1.tar.xz").write_bytes(data)
        dsc = f"Format: 3.0 (native)\nSource: wave\nVersion: 1\nMaintainer: nobody <nobody@example>\nChecksums-Sha256:\n {digest} {len(data)} wave_1.tar.xz\n"
        (self.folder / "place/wave_1.dsc").write_text(dsc, encoding="utf-8")
        own = hashlib.sha256(dsc.encode()).hexdigest()
        index = dsc.replace("Source:", "Package:").replace("Checksums-Sha256:\n", f"Directory: .\nChecksums-Sha256:\n {own} {len(dsc)} wave_1.dsc\n")
        (self.folder / "place/Sources").write_text(index, encoding="utf-8")

    def configured(self, name, text):
        """Of an apt whose only place is in a file of this name."""
        self.put(f"etc/parts/{name}", text)
        return str(self.put("apt.conf", f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{self.folder}/etc/parts";\n'))

    def test_they_come_from_the_machines_own_places(self):
        self.repository()
        place = f"file:{self.folder}/place"
        for name, text in (("a.list", f"deb [trusted=yes] {place} ./\n# deb nowhere:/ ./\n"),
                           ("a.sources", f"Types: deb\nURIs: {place}\nSuites: ./\nTrusted: yes\n")):
            made = self.folder / f"made-{name}"
            done = self.run_script(ROOT / "packaging/debian_source.sh", made, "wave", APT_CONFIG=self.configured(name, text))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((made / "wave_1.tar.xz").read_bytes(), b"waves")
            self.assertTrue((made / "wave_1.dsc").exists())
            shutil.rmtree(self.folder / "etc")

    def test_what_cannot_be_had_is_said(self):
        nowhere = self.configured("a.list", "# no place\n")
        for script in ([ROOT / "packaging/debian_source.sh", self.folder / "made", "quantum-espresso"], [ROOT / "integrations/quantum-espresso/get.sh", self.folder / "made"]):
            done = self.run_script(*script, APT_CONFIG=nowhere)
            self.assertEqual(done.returncode, 77, done.stderr)
            self.assertIn("the machine's apt has no sources of quantum-espresso", done.stderr)

    def test_no_place_of_packages_is_named(self):
        """Scripts name no address at all; other texts none of a registry's page of a package."""
        seen = 0
        for path in sorted(ROOT.rglob("*")):
            name = path.relative_to(ROOT)
            if not path.is_file() or name.parts[0] in ("build", ".git", ".venv") or path.suffix not in (".sh", ".md", ".py", ".cpp", ".hpp", ".txt", ".cmake"):
                continue
            seen += 1
            address = r"\w+://\w[^\s\"'$]*" if path.suffix == ".sh" else r"https?://[^/\s]+/(?:project|simple|debian|ubuntu)\b[^\s\"']*"
            self.assertEqual(re.findall(address, path.read_text(encoding="utf-8", errors="replace")), [], name)
        self.assertGreater(seen, 300)


if __name__ == "__main__":
    unittest.main()
