// SPDX-License-Identifier: BSD-3-Clause
/// \file  The density matrix of 64 water molecules, against the orbitals and the energy that CP2K found.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

#include "seiche/block_file.hpp"
#include "seiche/purify.hpp"
#include "support/mpi_test.hpp"

namespace seiche {
namespace {

using testing::compared;

constexpr std::size_t functions = 1472;

/// CP2K's orbitals, from its restart file: 1472 functions, 256 orbitals, function fastest (Fortran records).
std::vector<double> orbitals(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  std::vector<double> c;
  for (std::size_t at = 0; at + 8 <= all.size();) {
    std::int32_t length = 0;
    std::memcpy(&length, all.data() + at, 4);
    if (length == 1472 * 8) {
      const auto n = c.size();
      c.resize(n + 1472);
      std::memcpy(c.data() + n, all.data() + at + 4, 1472 * 8);
    }
    at += static_cast<std::size_t>(length) + 8;
  }
  return c;
}

std::string unpacked(const std::filesystem::path& packed, const testing::ScratchDirectory& scratch) {
  const std::string name = scratch.file(packed.stem().string());
  if (testing::rank() == 0) {
    EXPECT_EQ(std::system(("xz -dc " + packed.string() + " > " + name).c_str()), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return name;
}

/// K and S on the ranks there are, and 2 C C^T: the density matrix of CP2K's own orbitals.
struct Water {
  BlockMatrix<double> k, s;
  std::vector<double> c;

  /// |P - 2 C C^T|
  double distance(const std::vector<double>& p) const {
    double square = 0;
    std::vector<double> column(functions);
    for (auto j = static_cast<std::size_t>(testing::rank()); j < functions;
         j += static_cast<std::size_t>(testing::ranks())) {
      std::fill(column.begin(), column.end(), 0.0);
      for (std::size_t orbital = 0; orbital < 256; ++orbital) {
        const double* of = &c[orbital * functions];
        for (std::size_t i = 0; i < functions; ++i) column[i] += 2 * of[i] * of[j];
      }
      for (std::size_t i = 0; i < functions; ++i) {
        const double off = p[j * functions + i] - column[i];
        square += off * off;
      }
    }
    MPI_Allreduce(MPI_IN_PLACE, &square, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    compared(static_cast<std::int64_t>(p.size()));
    return std::sqrt(square);
  }
};

Water read_water(const std::filesystem::path& folder) {
  const testing::ScratchDirectory scratch;
  MatrixFileOptions options;
  options.blocks = parse_block_sizes("64x13,128x5");
  auto s = read_blocks<double>(MPI_COMM_WORLD, unpacked(folder / "h2o64-Sbin-S_SPIN_1-1_0.csr.xz", scratch), options);
  options.layout = s.shared_layout();
  auto k = read_blocks<double>(MPI_COMM_WORLD, unpacked(folder / "h2o64-KSbin-KS_SPIN_1-1_0.csr.xz", scratch), options);
  Water water{std::move(k), std::move(s), orbitals(unpacked(folder / "h2o64.wfn.xz", scratch))};
  EXPECT_EQ(water.c.size(), 256U * functions);
  return water;
}

/// One purification against what CP2K found. \return P, all of it
std::vector<double> check_against_cp2k(const Water& water, Purifier purifier, int threads) {
  PurifyOptions tight;
  tight.product.eps = 1e-12;
  tight.product.layers = 1;  // the same bits on any ranks
  tight.product.threads = threads;
  tight.purifier = purifier;
  const double start = MPI_Wtime();
  const auto found = purify(water.k, water.s, 512, tight);
  const double seconds = MPI_Wtime() - start;
  EXPECT_NEAR(found.trace, 512, 1e-8);
  EXPECT_NEAR(found.energy, -191.6810532574, 1e-7);
  EXPECT_LE(found.idempotency, found.error_bound);
  EXPECT_LE(found.error_bound, 1e-2);
  auto p = to_dense(found.p);
  const double off = water.distance(p);
  EXPECT_LE(off, found.error_bound);
  EXPECT_LE(off, 1e-4);  // the orbitals themselves are converged to 1e-7
  if (testing::rank() == 0) {
    std::printf("| %d x %d | %s | %.0e | %.10f | %.0e | %.1e | %.1e | %d + %d | %.1f | %016zx |\n", testing::ranks(),
                threads, name_of(purifier).c_str(), found.trace - 512, found.energy, found.idempotency, off,
                found.error_bound, found.iterations, found.root_iterations, seconds,
                std::hash<std::string_view>()({reinterpret_cast<const char*>(p.data()), p.size() * sizeof(double)}));
    std::fflush(stdout);
  }
  return p;
}

/// By all purifiers, on one thread and on two, with the same bits on either.
TEST(PurifyWater, IsAsCp2kFoundIt) {
  const char* shared = std::getenv("SEICHE_SHARED");
  const std::filesystem::path folder = std::filesystem::path(shared ? shared : "../../shared/data") / "h2o64";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "h2o64 is not here; set SEICHE_SHARED";
  const Water water = read_water(folder);
  const auto first = check_against_cp2k(water, Purifier::trs4, 1);
  for (const Purifier purifier : {Purifier::trs4, Purifier::tc2, Purifier::mcweeny, Purifier::sign}) {
    const auto one = purifier == Purifier::trs4 ? first : check_against_cp2k(water, purifier, 1);
    const auto two = check_against_cp2k(water, purifier, 2);
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(double)), 0) << name_of(purifier);
    double square = 0;
    for (std::size_t n = 0; n < one.size(); ++n) square += (one[n] - first[n]) * (one[n] - first[n]);
    EXPECT_LE(std::sqrt(square), 1e-8) << name_of(purifier) << " and trs4 disagree";
    compared(2 * static_cast<std::int64_t>(one.size()));
  }
}

}  // namespace
}  // namespace seiche
