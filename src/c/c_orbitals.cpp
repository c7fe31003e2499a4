// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: orbitals in memory.
#include "c/c_orbitals.hpp"

#include <algorithm>

namespace seiche::c {

void also_read(const seiche_orbital_layout& asked, OrbitalLayout& layout, const char*) {
  if (asked.owners == nullptr) return;
  layout.owners = [function = asked.owners, user = asked.user](int k, std::span<const Miller> waves) {
    std::vector<int> owners(waves.size());
    const auto count = static_cast<std::int64_t>(waves.size());
    const int code = function(k, reinterpret_cast<const seiche_miller*>(waves.data()), count, owners.data(), user);
    require(code == 0, Fault::bad_argument,
            "orbitals: the callback for owners returned {} for k-point {}: return 0 on success", code, k);
    return owners;
  };
}

void also_read(const seiche_basis_request& asked, BasisRequest& request, const char*) {
  if (asked.cutoff != 0) request.cutoff = asked.cutoff;
  if (asked.density_cutoff != 0) request.density_cutoff = asked.density_cutoff;
  if (asked.lattice != nullptr) {
    const double* a = asked.lattice;
    request.lattice = {{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}}};
  }
  if (asked.grid != nullptr) request.grid = GridShape{asked.grid[0], asked.grid[1], asked.grid[2]};
  if (asked.bands != 0) request.bands = asked.bands;
}

std::vector<std::vector<Miller>> by_kpoint(const OrbitalHeader& header, std::span<const Miller> all) {
  std::int64_t sum = 0;
  for (const auto& kpoint : header.kpoints) sum += kpoint.plane_waves;
  require(sum == static_cast<std::int64_t>(all.size()), Fault::bad_argument,
          "orbitals: the k-points of the header have {} plane waves in total (got {})", sum, all.size());
  std::vector<std::vector<Miller>> waves;
  auto next = all.begin();
  for (const auto& kpoint : header.kpoints) {
    waves.emplace_back(next, next + kpoint.plane_waves);
    next += kpoint.plane_waves;
  }
  return waves;
}

}  // namespace seiche::c

using namespace seiche;
using namespace seiche::c;

seiche_status seiche_orbitals_create_reassigned(seiche_orbitals** orbitals, const seiche_orbitals* of,
                                                const seiche_basis_request* request, const seiche_move_options* options,
                                                double* norm_lost, std::int64_t norm_count) {
  return create(orbitals, [&] {
    const Orbitals& from = behind(of).orbitals;
    BasisRequest wanted;
    MoveOptions asked;
    together(from.comm, [&] {
      asked = move_options_of(options, "move_options");
      wanted = basis_request_of(request, "basis_request");
    });
    Reassigned made = reassign(from, wanted, asked);
    const auto into = values_at<double>(norm_lost, norm_count);
    if (norm_lost != nullptr) norm_count = std::ssize(into);
    together(from.comm, [&] {
      if (norm_lost != nullptr) require_room(made.norm_lost.size(), into.size(), "orbitals", "lost norms");
    });
    if (norm_lost != nullptr) std::copy(made.norm_lost.begin(), made.norm_lost.end(), into.begin());
    return make<OrbitalsObject>(std::move(made.orbitals));
  });
}

seiche_status seiche_orbitals_part(seiche_orbitals* orbitals, std::int64_t number, seiche_orbital_part* part) {
  return call([&] {
    auto& parts = behind(orbitals).orbitals.parts;
    require_place(part, "orbitals", "the output argument for the part");
    require(number >= 0 && number < static_cast<std::int64_t>(parts.size()), Fault::bad_argument,
            "orbitals: no part {} (numbered from 0, {} on this rank)", number, parts.size());
    OrbitalPart& found = parts[static_cast<std::size_t>(number)];
    *part = {found.spin,
             found.k,
             found.bands.low,
             found.bands.high,
             reinterpret_cast<const seiche_miller*>(found.waves.data()),
             static_cast<std::int64_t>(found.waves.size()),
             found.coefficients.data(),
             static_cast<std::int64_t>(found.coefficients.size())};
  });
}

seiche_status seiche_orbitals_overlaps(const seiche_orbitals* a, const seiche_orbitals* b,
                                       const seiche_move_options* options, void* overlaps, std::int64_t count) {
  return call([&] {
    const Orbitals &first = behind(a).orbitals, &second = behind(b).orbitals;
    MoveOptions asked;
    together(first.comm, [&] { asked = move_options_of(options, "move_options"); });
    std::vector<std::complex<double>> all;
    for (const auto& one : seiche::overlaps(first, second, asked)) all.insert(all.end(), one.begin(), one.end());
    put_all(first.comm, values_at<std::complex<double>>(overlaps, count), all, "orbitals", "overlaps");
  });
}
