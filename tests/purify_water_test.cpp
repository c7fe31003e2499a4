// SPDX-License-Identifier: BSD-3-Clause
/// \file  The density matrix of 64 water molecules, against the orbitals and the energy that CP2K found.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "seiche/block_file.hpp"
#include "seiche/purify.hpp"
#include "support/mpi_test.hpp"

namespace seiche {
namespace {

using testing::compared;

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

TEST(PurifyWater, IsAsCp2kFoundIt) {
  const char* shared = std::getenv("SEICHE_SHARED");
  const std::filesystem::path folder = std::filesystem::path(shared ? shared : "../../shared/data") / "h2o64";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "h2o64 is not here; set SEICHE_SHARED";
  const testing::ScratchDirectory scratch;
  MatrixFileOptions options;
  options.blocks = parse_block_sizes("64x13,128x5");
  const auto s =
      read_blocks<double>(MPI_COMM_WORLD, unpacked(folder / "h2o64-Sbin-S_SPIN_1-1_0.csr.xz", scratch), options);
  options.layout = s.shared_layout();
  const auto k =
      read_blocks<double>(MPI_COMM_WORLD, unpacked(folder / "h2o64-KSbin-KS_SPIN_1-1_0.csr.xz", scratch), options);
  PurifyOptions tight;
  tight.product.eps = 1e-12;
  const auto found = purify(k, s, 512, tight);
  EXPECT_NEAR(found.trace, 512, 1e-8);
  EXPECT_NEAR(found.energy, -191.6810532574, 1e-7);
  EXPECT_LE(found.idempotency, found.error_bound);
  const auto c = orbitals(unpacked(folder / "h2o64.wfn.xz", scratch));
  EXPECT_EQ(c.size(), 256U * 1472U);
  const auto p = to_dense(found.p);
  double square = 0;
  for (std::size_t j = 0; j < 1472; ++j) {
    for (std::size_t i = static_cast<std::size_t>(testing::rank()); i < 1472;
         i += static_cast<std::size_t>(testing::ranks())) {
      double sum = 0;
      for (std::size_t orbital = 0; orbital < 256; ++orbital) sum += c[orbital * 1472 + i] * c[orbital * 1472 + j];
      square += (p[j * 1472 + i] - 2 * sum) * (p[j * 1472 + i] - 2 * sum);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &square, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_LE(std::sqrt(square), found.error_bound);
  EXPECT_LE(std::sqrt(square), 1e-4);  // the orbitals themselves are converged to 1e-7
  compared(5);
}

}  // namespace
}  // namespace seiche
