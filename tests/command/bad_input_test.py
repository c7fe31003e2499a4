# SPDX-License-Identifier: BSD-3-Clause
"""Every bad input is refused: by exit code 1 and one line that names file, place and remedy. No file is left."""
import json
import math
import os
import re
import struct

from case import SILICON, Case, mpiexec, run, told

OPEN_MPI = "mpich" not in "".join(mpiexec)  # tests/CMakeLists.txt passes the launcher of the build
DENSITY = "a\nb\n0 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1.5\n"  # of one point

# Words in {}: save is a copy of silicon's, out an empty folder.
INPUTS = r"""
density nowhere.save -o {out}/density.cube => cannot find | nowhere.save | check the name
trace {folder}/run => run.0 | cannot find the file | SEICHE_TRACE
density {out} -o {out}/density.cube => not a wavefunction file of a known format | data-file-schema.xml
density {save} -o {out}/density.cube --compare {WATER} => charge-density.dat | another cell | same crystal
"""
OUTPUTS = r"""
density {save} -o {folder}/nowhere/density.cube => nowhere/density.cube | No such file | choose another path
density {save} -o {out}/taken.cube => taken.cube | it is a folder | choose another name
density {save} -o {out}/density.doc => density.doc | .cube, .xsf or .h5
density {save} -o {out}/density.png => is the name of a picture | use --picture
convert {save} {out}/density.cube --to wfn => --to applies to wavefunctions only
convert {cube} {out}/density.save => .cube, .xsf or .h5
expand {save} {out}/full.doc => full.doc | choose one of | --to
density {save} --picture {folder}/a.cube => --picture {folder}/a.cube is not the name of a PNG file | use the ending .png
density {save} --picture {folder}/a.jpg => --picture {folder}/a.jpg is not the name of a PNG file | use the ending .png
density {save} --picture {folder}/a => --picture {folder}/a is not the name of a PNG file | use the ending .png
"""
PLACES_OF_WAVES = r"""
verify {cube} {save} =2> holds a density or potential, not wavefunctions | verify | difference
density {cube} => holds a density or potential, not wavefunctions | verify | difference
info {cube} --check => leave out --table and --check
verify {cube} {cube} --any-zero =2> leave out --lowest, --occupied and --any-zero
"""
BENCHMARKS = r"""
bench blocksparse --deal curve => --distribution curve needs positions | --water
bench wavefile --waves 2 => --waves is too small | at least 100
SEICHE_FFT=fftpack bench fft --grid 8 => SEICHE_FFT ('fftpack') | fftw, mkl, ducc or fastest
SEICHE_FFT=mkl SEICHE_MKL=/nowhere bench fft --grid 8 => mkl cannot be loaded | libfftw3-3
SEICHE_FFT=ducc SEICHE_DUCC=/nowhere bench fft --grid 8 => ducc cannot be loaded | ./dev
"""
TUNING = r"""
tune --grid 8 --budget 0.1 => no path for the tuning file | SEICHE_TUNING
SEICHE_TUNING=/proc/seiche/tuning.json tune --grid 8 --budget 0.1 => cannot write the tuning file | SEICHE_TUNING
SEICHE_TUNING=/proc/seiche/tuning.json tune move --bands 4 --waves 9 --budget 0.1 => cannot write the tuning file
SEICHE_TUNING={folder}/t.json tune => --grid
SEICHE_TUNING={folder}/t.json tune pigeon => unknown command 'seiche tune pigeon' | product, move, boxes
SEICHE_TUNING={folder}/t.json tune product --deal curve => --distribution curve needs positions
SEICHE_TUNING={folder}/t.json tune product --files nowhere.mtx => nowhere.mtx
SEICHE_TUNING={folder}/t.json tune move --to 1,5,7 => ranks
SEICHE_TUNING={folder}/t.json tune move --from 1,5,7 => ranks
SEICHE_TUNING={folder}/t.json tune move --bands 0 => --bands
SEICHE_TUNING={folder}/t.json tune boxes => --grid
SEICHE_TUNING={folder}/t.json tune boxes --grid 8 --to 1,5,7 => a grid of 1 x 5 x 7 boxes does not match | ranks
SEICHE_TUNING={folder}/t.json tune boxes --grid 8 --fields 0 => --fields
"""
CHANGES = r"""
reassign {save} {out}/new.save --cell {WATER} => si.save | another lattice type | choose a cell with the same symmetry
reassign {save} {out}/new.save --ecut -3Ha => got -3 hartree | must be positive
reassign {save} {out}/new.save --like {WATER} => si.save | gamma.save | different k-points | --ecut or --cell
reassign {save} {out}/new.save --lowest 9 => si.save | has 8 bands, but 9 | Cholesky
reassign {save} {out}/new.save --fft 6,20,20 => does not fit a grid of 6 x 20 x 20 | choose a larger grid
reassign {save} {out}/new.save => no change requested | --ecut
expand {IRON} {out}/full.save --operations spglib => fe_so.save | magnetic | use a file that lists its operations
"""
WORDS = r"""
density {save} --nonsense => --nonsense | see seiche density --help
bench fft --grid 8 --nonsense => --nonsense | see seiche bench fft --help
bench first --grid 8 --precision float => has no option --precision
bench cache --grid 8 --skew 3 => has no option --skew
bench fft --grid 8 --of-bound --precision float => --of-bound has no rates for --precision float | use --precision double
bench bands --grid 8 --of-bound --threads 2 => --of-bound has no rates for --threads 2 | use one process for each core
bench fft --grid 8 --of-bound --space cuda => --of-bound has no rates for --space cuda | use --space host
bench bands --grid 8 --density --overlap-report => --overlap-report excludes --density
info --tabel x.csv FILE => did you mean --table?
density FILE --compre=x => did you mean --compare?
bench fft --gird 8 => did you mean --grid?
info FILE --jsno => did you mean --json?
profile mpiexec -n 3 ./program => put -- before the program
frobnicate => unknown command 'seiche frobnicate' | use one of info, density | see seiche --help
dnesity => unknown command 'seiche dnesity': did you mean density?
bench frobnicate --grid 8 => unknown command 'seiche bench frobnicate' | use one of fft, bands | see seiche bench --help
=> seiche --help
"""
# Each option of a kind has the same check, so that one of each is enough.
NUMBERS = r"""
density {save} --energies -2eV:nan => --energies nan is not an energy
density {save} --energies -2:0 => --energies -2 is not an energy
predict fft --per-node 0 => --per-node: the value 0 is invalid: it must be at least 1
purify k.csr s.csr --electrons 2 --max-iterations 0 => --max-iterations: the value 0 is invalid: it must be at least 1
density {save} -o {out}/density.cube --memory 1000000000T => --memory 1000000000T | too large
cut {save} --line 0,0,0:nan,0,0 => is not a line
cut {save} --height nan => --height: the value nan is invalid
"""
SERIES = {
    "reassign {save} {out}/new.save --ecut {value} => --ecut {bare} is not an energy | eV, Ry or Ha":
        "much 9 nanRy '9 Rydberg' 0x10Ry 1e999Ha",
    "bench fft --grid 8 --repeat {value} => --repeat: the value {bare} is invalid: it must be at least 1": "0 -1 nan inf two",
    "verify {save} {save} --tolerance {value} =2> --tolerance: the value {bare} is invalid: it must be above 0": "0 -1 nan inf two",
    "purify k.csr s.csr --electrons 2 --memory-limit {value} => memory | --memory-limit {bare} | 64M or 2G":
        "nan -1 0 1e-9 2X 1000000000T",
    "cut {save} --plane {value} -o {out}/a.png => --plane {bare} is not a plane": "1,0,0@nan 1,0,0@ 1,0,0@2x"}


def overwritten(name, offset, value):
    def change(save):
        with open(save / name, "r+b") as file:
            file.seek(offset)
            file.write(value)
    return change


def shortened(name, length):
    return lambda save: (save / name).write_bytes((save / name).read_bytes()[:length])


def replaced(old, new, after="", times=1):
    """Of data-file-schema.xml, behind the words `after`."""
    def change(save):
        path = save / "data-file-schema.xml"
        head, tail = path.read_text().split(after, 1) if after else ("", path.read_text())
        assert re.search(old, tail, re.S), old
        path.write_text(head + after + re.sub(old, new, tail, count=times, flags=re.S))
    return change


def rotation(rows):
    """The second rotation of the output becomes another."""
    return replaced("(<rotation.*?<rotation[^>]*>)[^<]*", rf"\g<1>{rows}")


def order_three(save):
    """The identity and a threefold rotation stay: the second power is missing."""
    path = save / "data-file-schema.xml"
    head, tail = path.read_text().split("<symmetry>", 1)
    *blocks, last = tail.split("<symmetry>")
    last, rest = last.split("</symmetry>", 1)
    blocks.append(last + "</symmetry>")
    unity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    times = lambda a, b: [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]

    def threefold(block):
        numbers = [round(float(x)) for x in block.split("<rotation", 1)[1].split(">", 1)[1].split("<", 1)[0].split()]
        rows = [numbers[0:3], numbers[3:6], numbers[6:9]]
        return rows != unity and times(rows, times(rows, rows)) == unity

    turn = next(block for block in blocks if threefold(block))
    head = head.replace("<nsym>48</nsym>", "<nsym>2</nsym>")
    path.write_text(head + "<symmetry>" + blocks[0] + "<symmetry>" + turn + rest)


NUMBER, BAND = struct.pack("<i", 77), 52 + 24 + 80 + 12 * 181 + 8  # a wrong marker; where the first band begins
BANDS, DENSITY_OF, EXPAND = "<band_structure>", "density {save} -o {out}/density.cube", "expand {save} {out}/full.save"
# How silicon's .save is damaged, and the call that says so.
DAMAGES = [
    (lambda save: (save / "wfc4.dat").unlink(), DENSITY_OF, "wfc4.dat | rerun the code"),
    (shortened("wfc6.dat", -500), DENSITY_OF, "wfc6.dat | truncated record | copy it again"),
    (shortened("wfc6.dat", 0), DENSITY_OF, "wfc6.dat | truncated record | copy it again"),
    (overwritten("wfc2.dat", 0, NUMBER), DENSITY_OF, "wfc2.dat | wrong marker at byte 0 | rerun the code"),
    (overwritten("wfc2.dat", 0, NUMBER), "info {save}", "wfc2.dat | wrong marker"),
    (overwritten("wfc1.dat", BAND, NUMBER), DENSITY_OF, "wfc1.dat | wrong marker | rerun the code"),
    (overwritten("wfc1.dat", BAND + 4 + 160, struct.pack("<d", math.nan)), DENSITY_OF, "wfc1.dat | band 1 | not finite | rerun"),
    (replaced("<npw>181</npw>", "<npw>180</npw>"), DENSITY_OF,
     "wfc1.dat has 181 plane waves | data-file-schema.xml has 180 | give those of one run"),
    (replaced("<nks>8</nks>", "<nks>9</nks>"), DENSITY_OF, "data-file-schema.xml | 8 k-points | nks is 9 | rerun"),
    (replaced(r"<occupations( size[^>]*>[^<]*)</occupations>", r"<unknown\1</unknown>", BANDS, 0), DENSITY_OF,
     "data-file-schema.xml | occupations | missing | rerun"),
    (replaced(r"1\.000000000000000e0", "", '<occupations size="8">'), DENSITY_OF,
     "data-file-schema.xml | occupations holds 7 numbers instead of 8"),
    (replaced("<nbnd>8</nbnd>", "<nbnd>0</nbnd>", BANDS), DENSITY_OF, "data-file-schema.xml | 0 bands | nbnd"),
    (shortened("data-file-schema.xml", 5000), DENSITY_OF, "data-file-schema.xml | at byte | truncated: copy it again"),
    (shortened("charge-density.dat", -100), DENSITY_OF + " --compare {save}", "charge-density.dat | truncated"),
    (order_three, EXPAND, "si.save | which is not in the list | --operations spglib"),
    (rotation("2 0 0 0 1 0 0 0 1"), EXPAND, "determinant 2 | 1 or -1"),
    (rotation("1 0 0 0 1 0 0 0 -1"), EXPAND, "changes lengths or angles of the lattice")]


class BadInput(Case):
    def setUp(self):
        super().setUp()
        self.save, self.out, self.cube = self.copy(SILICON, "si.save"), self.folder / "out", self.folder / "density.cube"
        (self.out / "taken.cube").mkdir(parents=True)
        self.cube.write_text(DENSITY)
        self.tuning = self.folder / "tuning.json"

    def refuse(self, *tables, **places):
        self.refuse_all("\n".join(tables), save=self.save, out=self.out, cube=self.cube, **places)

    def test_calls_that_cannot_be(self):
        self.refuse(INPUTS, OUTPUTS, PLACES_OF_WAVES, BENCHMARKS, TUNING, CHANGES, WORDS, NUMBERS)

    def test_values_that_are_none(self):
        for call, values in SERIES.items():
            for value in re.findall(r"'[^']*'|\S+", values):
                self.refuse(call, value=value, bare=value.strip("'"))

    def test_not_a_trace(self):
        (self.folder / "run.0").write_text("seiche trace 1\nepoch 0\nwork 1 2 three\n")
        self.refuse("trace {folder}/run => run.0 | not a trace file")

    def test_not_a_tuning_file(self):
        os.mkfifo(self.folder / "pipe")
        for content in ("{", "[1, 2]", '{"dense": 3}', self.folder / "pipe", "/dev/null"):
            name = content if str(content).startswith("/") else self.tuning
            if name == self.tuning:
                self.tuning.write_text(content)
            for words in ("--show", "--grid 8 --budget 0.1"):
                self.refuse(f"SEICHE_TUNING={name} tune {words} => {name} | not a tuning file | SEICHE_TUNING")
            self.text("bench", "fft", "--grid", 8, environment={"SEICHE_TUNING": str(name)})  # plans ignore it

    def test_the_fastest_of_the_libraries_that_are_there(self):
        self.text("bench", "fft", "--grid", 8, environment={"SEICHE_FFT": "fastest", "SEICHE_DUCC": "/nowhere"})

    def test_settings_that_mean_nothing(self):
        file = {"SEICHE_TUNING": str(self.tuning)}
        self.text("tune", "product", "--blocks", 9, "--budget", 0.05, environment=file)
        case, = json.loads(self.tuning.read_text())
        for settings in ({"algorithm": "pigeon"}, {"window": "some"}):  # products ignore them
            self.tuning.write_text(json.dumps({case: settings}))
            self.text("bench", "blocksparse", "--blocks", 9, environment=file)

    def test_damaged_saves(self):
        for number, (damage, call, parts) in enumerate(DAMAGES):
            name = f"{number}/si.save"
            self.save = self.copy(SILICON, name)
            damage(self.save)
            self.refuse(f"{call} => {parts}")

    def test_launcher_of_another_library(self):
        """As an MPICH launcher starts a command of Open MPI, and the other way round: processes that are alone."""
        done = run("info", self.save, launcher=[], environment={"PMI_SIZE": "2", "PMI_RANK": "0"} if OPEN_MPI else
                   {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (1, "", 1), told(done))
        self.assertRegex(done.stderr, r"the launcher started 2 processes \(\w+_SIZE\), but each is alone for the MPI library")

    def test_questions_about_usage_do_not_start_mpi(self):
        """Open MPI does not start without its folder."""
        without = {"OPAL_PREFIX": "/nowhere"}
        for words, code in (("--version", 0), ("info --help", 0), ("info --bnds", 1), ("profile --help", 0)):
            done = run(*words.split(), launcher=[], environment=without)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (code, code), told(done))
        if OPEN_MPI:
            self.assertNotEqual(run("info", self.save, launcher=[], environment=without).returncode, 0)

    def test_profile_is_not_launched(self):
        launched = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
        self.check_refusal(run("profile", "--", "true", launcher=[], environment=launched),
                           "profile starts the program itself: run seiche profile -- mpiexec")
