#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `seiche profile` says of programs that are not ours, beside what a second recorder saw in the same run (bystander.py): as
many calls of each function, and as many seconds within 2 %; and the program's output is what it is without. 1, 2, 4 and 24 ranks.

bystander_test.py COMMAND SHARED_DATA KNOWN_C MPIEXEC [OTHER_KNOWN_C OTHER_MPIEXEC]; a program that is not installed is skipped."""
import collections
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

COMMAND, SHARED, KNOWN, MPIEXEC, *OTHER = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent
POTENTIALS = pathlib.Path(SHARED) / "pseudo"
OF_ABINIT = pathlib.Path("/usr/share/abinit/psp")  # where Debian's abinit-data has them
RANKS = [int(word) for word in os.environ.get("SEICHE_BYSTANDER_RANKS", "1 2 4 24").split()]
QUERIES = r"comm_(rank|size|test_inter|delete_attr|get_\w+|c2f|f2c|compare|set_\w+|group|create_keyval|free_keyval)|initialized|finalized|finalize|get_\w+|\w+_c2f|" \
          r"\w+_f2c|query_thread|is_thread_main|type_(size|size_x|get_\w+|extent|match_size)|op_\w+|error_\w+|errhandler_\w+|address|" \
          r"info_\w+|group_(rank|size|translate_ranks|compare)|topo_test|cart_(coords|rank|get|shift)|cartdim_get|" \
          r"file_(get|set)_\w+|sizeof|buffer_\w+|attr_\w+|keyval_\w+|test_cancelled|dims_create|win_get_\w+|abort|pcontrol"
EACH_CALL, FIRST_CALL = 2e-6, 1e-3  # seconds that the recorder itself takes, of which it does not tell
OF_THE_RUN = r"CPU|WALL|starts on|terminated on|time|secs|elapsed|Elapsed|\d\d:\d\d:\d\d|Date|date|Starting|pid|[Mm]emory|\bMB\b|processors|host"

Program = collections.namedtuple("Program", "name words folder_of libraries mpi launcher")
Seen = collections.namedtuple("Seen", "calls seconds")


def linked(program):
    """Shared libraries of MPI that a program uses."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"=> (\S*lib(?:mpi|mpich)\w*\.so\S*)", listed)


def silicon_of_pw(folder):
    text = """&CONTROL calculation='scf', prefix='si', outdir='{0}', pseudo_dir='{1}', disk_io='none' /
&SYSTEM ibrav=2, celldm(1)=10.2631, nat=2, ntyp=1, ecutwfc=12 /
&ELECTRONS /
ATOMIC_SPECIES
 Si 28.086 Si_std_PBE_SR.upf
ATOMIC_POSITIONS crystal
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 0 0 0
"""
    (folder / "case").write_text(text.format(folder, POTENTIALS), encoding="utf-8")


def silicon_of_abinit(folder):
    text = """acell 3*10.2 rprim 0 .5 .5 .5 0 .5 .5 .5 0
ntypat 1 znucl 14 natom 2 typat 1 1 xred 0 0 0 3*.25
pp_dirpath "{}" pseudos "14si.4.hgh" ixc 1 ecut 6 ngkpt 4 4 4 nshiftk 1 shiftk 0 0 0
nband 8 nstep 8 toldfe 1d-8 prtwf 0 prtden 0 prteig 0 prtebands 0 paral_kgb 0
"""
    (folder / "case.abi").write_text(text.format(OF_ABINIT), encoding="utf-8")


def holes_of_mpb(folder):
    (folder / "case.ctl").write_text("""(set! geometry-lattice (make lattice (size 1 1 1)))
(set! geometry (list (make sphere (center 0) (radius 0.3) (material (make dielectric (epsilon 12))))))
(set! k-points (list (vector3 0.5 0 0) (vector3 0.5 0.5 0)))
(set! resolution 16) (set! num-bands 4)
(run)
""", encoding="utf-8")


def programs():
    def of_debian(name, words, prepare, needs=True):
        path = shutil.which(words[0])
        return Program(name, words, prepare, linked(path) if path and needs else [], "openmpi", [MPIEXEC])

    plain = lambda folder: None
    yield Program("known.c", [KNOWN], plain, linked(KNOWN), "openmpi", [MPIEXEC])
    yield of_debian("pw.x", ["pw.x", "-in", "case"], silicon_of_pw, POTENTIALS.is_dir())
    yield of_debian("mpb-mpi", ["mpb-mpi", "case.ctl"], holes_of_mpb)
    yield of_debian("abinit", ["abinit", "case.abi"], silicon_of_abinit, OF_ABINIT.is_dir())
    has_mpi4py = importlib.util.find_spec("mpi4py")
    module = importlib.util.find_spec("mpi4py.MPI").origin if has_mpi4py else ""  # not loaded: that would start MPI here
    yield Program("mpi4py", [sys.executable, str(HERE / "known.py")], plain, linked(module) if module else [], "openmpi", [MPIEXEC])
    if OTHER:
        yield Program("known.c, MPICH", [OTHER[0]], plain, linked(OTHER[0]), "mpich", [OTHER[1]])


def seen_by_bystander(folder):
    seen = collections.defaultdict(lambda: [0, 0.0])
    for path in folder.iterdir():
        for line in path.read_text(encoding="utf-8").splitlines():
            name, calls, seconds = line.split()
            name = re.sub(r"(_f08|_f)?_*$", "", name.lower())
            seen[name][0] += int(calls)
            seen[name][1] += float(seconds)
    return {name: Seen(*both) for name, both in seen.items()}


def seen_by_profile(data, ranks):
    seen = collections.defaultdict(lambda: [0, 0.0])
    for row in data["rows"]:
        if row["function"] == "MPI_Wtime":  # which the bystander does not stand before
            continue
        seen[row["function"].lower()][0] += row["calls"]
        seen[row["function"].lower()][1] += (row["mean"] or 0) * ranks
    return {name: Seen(*both) for name, both in seen.items()}


def physics(output):
    """Lines that do not tell of the run's time and place, in order of the alphabet: ranks write when they like."""
    return sorted(line for line in output.splitlines() if not re.search(OF_THE_RUN, line) and not line.startswith('{"'))


def frequencies(output):
    return [float(x) for line in output.splitlines() if re.match(r"freqs:, \d", line) for x in line.split(",")[6:]]


class Bystander(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-bystander-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_in(self, name, words, prepare):
        folder = self.folder / name
        folder.mkdir()
        prepare(folder)
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=1000, errors="replace", check=False)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout[-500:]} {done.stderr[-1000:]}")
        return done.stdout

    def compare_calls(self, program, ranks):
        library = self.folder / "bystander.so"
        subprocess.run([sys.executable, HERE / "bystander.py", library, *program.libraries], check=True)
        counts = self.folder / "counts"
        counts.mkdir()
        watched = ["sh", "-c", f"BYSTANDER={counts} LD_PRELOAD={library}:$LD_PRELOAD exec {shlex.join(program.words)}"]
        launch = [*program.launcher, "-n", str(ranks)]
        plain = self.run_in("plain", [*launch, *program.words], program.folder_of)
        output = self.run_in("watched", [COMMAND, "profile", "--json", "--mpi", program.mpi, "--", *launch, *watched], program.folder_of)
        ours, theirs = seen_by_profile(json.loads(output.splitlines()[-1]), ranks), seen_by_bystander(counts)
        if program.name == "mpb-mpi":  # which begins with random fields
            self.assertEqual([round(x - y, 4) for x, y in zip(frequencies(output), frequencies(plain), strict=True)], [0] * 8)
        else:
            self.assertEqual(physics(output), physics(plain))
        self.assertGreater(len(ours), 3)
        noted = {name: seen for name, seen in theirs.items() if not re.fullmatch(f"mpi_({QUERIES})", name) or name in ours}
        self.assertEqual({name: seen.calls for name, seen in ours.items()}, {name: seen.calls for name, seen in noted.items()})
        return ours, noted

    def compare_seconds(self, ours, noted, ranks):
        worst, wrong = 0, []
        timed = {name for name in ours if not re.fullmatch(f"mpi_({QUERIES})", name)}
        for name in timed - {"mpi_init", "mpi_init_thread"}:  # they hold the making of the record
            apart = abs(ours[name].seconds - noted[name].seconds)
            allowed = 0.02 * noted[name].seconds + EACH_CALL * noted[name].calls + FIRST_CALL * ranks
            if apart > allowed:
                wrong.append(f"{name}: {ours[name]} {noted[name]}")
            if noted[name].seconds > 1e-4 * noted[name].calls + 0.1 * ranks:
                worst = max(worst, apart / noted[name].seconds)
        return worst, wrong

    def judge(self, program, ranks):
        """Where ranks share cores, one may lose its core between the two recorders' readings of the clock: what is wrong has to be
        so in each of three runs. Calls have to be equal in each."""
        for run in range(1, 4 if ranks > os.cpu_count() else 2):
            self.clear()
            ours, noted = self.compare_calls(program, ranks)
            worst, wrong = self.compare_seconds(ours, noted, ranks)
            if not wrong:
                break
        self.assertEqual(wrong, [])
        calls = sum(seen.calls for seen in ours.values())
        print(f"{program.name} on {ranks}: {len(ours)} functions, {calls} calls, all equal; seconds within {100 * worst:.2f} %"
              + (f", in run {run}" if run > 1 else ""), flush=True)

    def clear(self):
        for rest in self.folder.iterdir():
            shutil.rmtree(rest) if rest.is_dir() else rest.unlink()

    def test_counts_and_seconds(self):
        for program in programs():
            if not program.libraries:
                print(f"{program.name}: skipped, not installed", flush=True)
                continue
            for ranks in RANKS:
                with self.subTest(program.name, ranks=ranks):
                    self.judge(program, ranks)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
