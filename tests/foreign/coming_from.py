#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program from the lines of docs/coming_from.md: coming_from.py PEER OUTPUT.cpp

The program runs the lines of the other library and of Seiche on the same values. It fails if the results differ.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import markdown  # noqa: E402

START = """
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <span>
#include <vector>

#include <seiche/fft.hpp>

using Complex = std::complex<double>;
const int nx = 12, ny = 10, nz = 9;
Complex value(std::int64_t i) { return {std::sin(1.0 + 3 * i), std::cos(2.0 + 5 * i)}; }
"""

END = """
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double worst = difference(MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  std::printf("largest difference %.1e\\n", worst);
  MPI_Finalize();
  return worst < 1e-11 ? 0 : 1;
}
"""

PARTS = {
    "FFTW-MPI": """
void ours(MPI_Comm comm, std::int64_t planes, std::int64_t first, Complex* data) {
OURS
}
double difference(MPI_Comm comm) {
THEIRS_BEFORE(fftw_execute)
  const std::int64_t count = planes * ny * nx, from = first * ny * nx;
  std::vector<Complex> mine(count + 1);
  auto* const values = reinterpret_cast<Complex*>(data);
  for (std::int64_t i = 0; i < count; ++i) values[i] = mine[i] = value(from + i);
THEIRS_FROM(fftw_execute)
  ours(comm, planes, first, mine.data());
  double worst = 0;
  for (std::int64_t i = 0; i < count; ++i) worst = std::max(worst, std::abs(values[i] - mine[i]));
  fftw_destroy_plan(forward);
  fftw_free(data);
  return worst;
}
""",
    "SpFFT": """
std::vector<Complex> ours(MPI_Comm comm, const std::vector<int>& triplets, const std::vector<Complex>& coefficients) {
  std::vector<Complex> result(coefficients.size());
OURS
  return result;
}
double difference(MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<int> triplets;
  for (int x = -3; x <= 3; ++x) {
    for (int y = -2; y <= 2; ++y) {
      if ((x + y + 10) % ranks != rank) continue;
      for (int z = -3; z <= 3; ++z) triplets.insert(triplets.end(), {x, y, z});
    }
  }
  const int planes = nz / ranks + (rank < nz % ranks ? 1 : 0);
  std::vector<double> coefficients(2 * triplets.size() / 3), result(coefficients.size());
  std::vector<Complex> mine;
  for (std::size_t i = 0; i < coefficients.size() / 2; ++i) {
    mine.push_back(value(static_cast<std::int64_t>(i) + 1000 * rank));
    coefficients[2 * i] = mine.back().real();
    coefficients[2 * i + 1] = mine.back().imag();
  }
THEIRS
  const std::vector<Complex> own = ours(comm, triplets, mine);
  double worst = grid == nullptr && planes > 0 ? 1 : 0;
  for (std::size_t i = 0; i < own.size(); ++i) worst = std::max(worst, std::abs(own[i] - Complex(result[2 * i], result[2 * i + 1])));
  return worst;
}
""",
}


def main():
    peer, output = sys.argv[1], pathlib.Path(sys.argv[2])
    page = (markdown.ROOT / "docs/coming_from.md").read_text(encoding="utf-8").partition(f"\n## {peer}\n")[2].partition("\n## ")[0]
    theirs, ours = (block.text.splitlines() for block in markdown.blocks(page) if block.language == "cpp")
    includes = [line for line in theirs if line.startswith("#include")]
    theirs = [line for line in theirs if line not in includes]
    text = PARTS[peer].replace("OURS", "\n".join(ours))
    if "THEIRS_BEFORE" in text:
        at = next(i for i, line in enumerate(theirs) if "fftw_execute" in line)
        text = text.replace("THEIRS_BEFORE(fftw_execute)", "\n".join(theirs[:at])).replace("THEIRS_FROM(fftw_execute)", "\n".join(theirs[at:]))
    text = text.replace("THEIRS", "\n".join(theirs))
    output.write_text("\n".join([*includes, START, text, END]), encoding="utf-8")


if __name__ == "__main__":
    main()
