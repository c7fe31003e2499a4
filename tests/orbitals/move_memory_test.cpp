// SPDX-License-Identifier: BSD-3-Clause
/// \file  The memory that a move between layouts takes beside its result, counted by hooks on all allocations: what is
/// allowed, and not more.
#include "seiche/orbitals.hpp"
#include "support/allocations.hpp"

namespace seiche::testing {
namespace {

constexpr std::int64_t plane_waves = 2000, bands = 480;

/// Bands of one k-point, the waves shared out over the ranks; in two runs each, so that on one rank too they have to
/// move.
Orbitals by_waves(MPI_Comm comm) {
  Orbitals orbitals{Communicator(comm), {}, {}};
  orbitals.header.crystal.lattice = {{{5, 0, 0}, {0, 6, 0}, {0, 0, 7}}};
  orbitals.header.bands = bands;
  orbitals.header.kpoints = {{{}, 1, plane_waves}};
  const Range mine = block(plane_waves, ranks(), rank());
  OrbitalPart part{0, 0, {0, bands}, {{mine.low, mine.low + 1}, {mine.low + 1, mine.high}}, {}, {}};
  for (std::int64_t i = mine.low; i < mine.high; ++i) part.waves.push_back({static_cast<std::int32_t>(i), 0, 0});
  part.coefficients.assign(static_cast<std::size_t>(bands * mine.size()), 1.0);
  orbitals.parts.push_back(std::move(part));
  return orbitals;
}

constexpr std::int64_t steps[] = {600'000, 1'000'000, 2'000'000};

MoveOptions options_of(Algorithm algorithm, std::int64_t memory) {
  MoveOptions options;
  options.policy.algorithm = algorithm;
  options.policy.memory = memory;
  return options;
}

/// On all ranks together.
void expect_within(double used, std::int64_t memory) {
  const auto allowed = static_cast<double>(ranks() * memory);
  EXPECT_LE(used, allowed) << memory;
  EXPECT_GE(used, allowed / 5) << memory << ": most of it was left unused";
  compared(2);
}

/// Both ends of all slots lie within what is allowed; lists, and the result, take the same whatever that is.
TEST(Moves, TakeTheMemoryThatIsAllowed) {
  const Orbitals there = by_waves(MPI_COMM_WORLD);
  constexpr std::int64_t least = 300'000;
  for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::alltoallv}) {
    SCOPED_TRACE(name_of(algorithm));
    const auto taken = [&](std::int64_t memory) {
      return bytes_taken([&] { redistribute(there, {{1, ranks(), 1}}, options_of(algorithm, memory)); });
    };
    taken(least);  // what is made once
    const double base = taken(least) - static_cast<double>(ranks() * least);
    for (const std::int64_t memory : steps) expect_within(taken(memory) - base, memory);
  }
}

/// The same of windows, where there are any; a communicator of its own has none that are kept from before.
TEST(Moves, TakeTheSharedMemoryThatIsAllowed) {
  for (const std::int64_t memory : steps) {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    {
      const Orbitals there = by_waves(own);
      mpi_profile::start_counting();
      redistribute(there, {{1, ranks(), 1}}, options_of(Algorithm::shared, memory));
      expect_within(of_all_ranks(mpi_profile::window_bytes()), memory);
    }
    MPI_Comm_free(&own);
  }
}

}  // namespace
}  // namespace seiche::testing
