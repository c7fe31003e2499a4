// SPDX-License-Identifier: BSD-3-Clause
/// \file  Orbitals in memory for C.
#include "c/orbitals.hpp"

#include <algorithm>

#include "c/fft_options.hpp"
#include "c/tuning.hpp"
#include "comm/agree.hpp"
#include "seiche/basis.hpp"
#include "seiche/symmetry.hpp"
#include "support/require.hpp"

namespace seiche::c {

namespace {

static_assert(static_cast<int>(Orthonormal::cholesky) == SEICHE_CHOLESKY);

seiche_orbital_layout layout_defaults() {
  seiche_orbital_layout layout{};
  layout.kpoints = layout.bands = layout.waves = 1;
  return layout;
}

OrbitalLayout orbital_layout(const seiche_orbital_layout* given) {
  const seiche_orbital_layout asked = read_options(given, layout_defaults(), "orbital_layout");
  OrbitalLayout layout{.grid = {asked.kpoints, asked.bands, asked.waves}};
  if (asked.owners == nullptr) return layout;
  layout.owners = [function = asked.owners, user = asked.user](int k, std::span<const Miller> waves) {
    std::vector<int> owners(waves.size());
    const auto count = static_cast<std::int64_t>(waves.size());
    const int code = function(k, reinterpret_cast<const seiche_miller*>(waves.data()), count, owners.data(), user);
    require(code == 0, Fault::bad_argument,
            "orbitals: the function of owners returned {} for k-point {}; it returns 0 where all is well", code, k);
    return owners;
  };
  return layout;
}

BasisRequest basis_request(const seiche_basis_request* given) {
  const seiche_basis_request asked = read_options(given, {}, "basis_request");
  BasisRequest request;
  if (asked.cutoff != 0) request.cutoff = asked.cutoff;
  if (asked.density_cutoff != 0) request.density_cutoff = asked.density_cutoff;
  if (asked.lattice != nullptr) {
    const double* a = asked.lattice;
    request.lattice = {{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}}};
  }
  if (asked.grid != nullptr) request.grid = GridShape{asked.grid[0], asked.grid[1], asked.grid[2]};
  if (asked.bands != 0) request.bands = asked.bands;
  request.orthonormal = enumerator(asked.orthonormal, Orthonormal::cholesky, "basis_request: orthonormal");
  return request;
}

/// Collective. New orbitals made of others: make(orbitals, options).
template <class Make>
seiche_status make_of(seiche_orbitals** into, const seiche_orbitals* of, const seiche_move_options* options,
                      const Make& make) {
  return create(into, [&] {
    const Orbitals& from = behind(of).orbitals;
    MoveOptions asked;
    together(from.comm, [&] { asked = move_options(options); });
    return std::make_shared<OrbitalsObject>(make(from, asked));
  });
}

}  // namespace

}  // namespace seiche::c

using namespace seiche::c;
using seiche::MoveOptions;
using seiche::Orbitals;

seiche_status seiche_orbital_layout_fill(seiche_orbital_layout* layout, std::size_t size) {
  return fill_options(layout, size, layout_defaults(), "orbital_layout");
}

seiche_status seiche_basis_request_fill(seiche_basis_request* request, std::size_t size) {
  return fill_options(request, size, {}, "basis_request");
}

namespace {

/// The waves of each k-point, which lie one after another.
std::vector<std::vector<seiche::Miller>> by_kpoint(const seiche::OrbitalHeader& header,
                                                   std::span<const seiche::Miller> all) {
  std::int64_t sum = 0;
  for (const auto& kpoint : header.kpoints) sum += kpoint.plane_waves;
  seiche::require(sum == static_cast<std::int64_t>(all.size()), seiche::Fault::bad_argument,
                  "orbitals: the k-points of the header have {} plane waves in all; {} were given", sum, all.size());
  std::vector<std::vector<seiche::Miller>> waves;
  auto next = all.begin();
  for (const auto& kpoint : header.kpoints) {
    waves.emplace_back(next, next + kpoint.plane_waves);
    next += kpoint.plane_waves;
  }
  return waves;
}

}  // namespace

seiche_status seiche_orbitals_create(seiche_orbitals** orbitals, MPI_Comm comm, const seiche_header* header,
                                     const seiche_miller* waves, std::int64_t wave_count,
                                     const seiche_orbital_layout* layout) {
  return create(orbitals, [&] {
    const auto ours = communicator(comm, "orbitals");
    const seiche::OrbitalHeader* of = nullptr;
    std::vector<std::vector<seiche::Miller>> all;
    seiche::OrbitalLayout into;
    seiche::together(ours, [&] {
      of = &behind(header).header;
      require_array(waves, wave_count, "orbitals", "waves");
      all = by_kpoint(*of, millers(waves, wave_count));
      into = orbital_layout(layout);
    });
    return std::make_shared<OrbitalsObject>(seiche::make_orbitals(ours, *of, all, into));
  });
}

seiche_status seiche_tune_move(const seiche_orbitals* orbitals, const seiche_orbital_layout* layout,
                               const seiche_tune_request* request, seiche_tune_report* report) {
  return call([&] {
    const Orbitals& from = behind(orbitals).orbitals;
    seiche::OrbitalLayout into;
    seiche::TuneRequest wanted;
    seiche::together(from.comm, [&] {
      into = orbital_layout(layout);
      wanted = tune_request(request);
      require_report(report);
    });
    write_report(report, tuned(seiche::tune_move(from, into, wanted)), "tune_report");
  });
}

seiche_status seiche_orbitals_create_read(seiche_orbitals** orbitals, const seiche_wavefile* file,
                                          const seiche_orbital_layout* layout, const seiche_move_options* options) {
  return create(orbitals, [&] {
    const FileObject& from = behind(file);
    seiche::OrbitalLayout into;
    MoveOptions asked;
    seiche::together(from.comm, [&] {
      into = orbital_layout(layout);
      asked = move_options(options);
    });
    return std::make_shared<OrbitalsObject>(seiche::read_orbitals(from.file, into, asked));
  });
}

seiche_status seiche_orbitals_create_redistributed(seiche_orbitals** orbitals, const seiche_orbitals* of,
                                                   const seiche_orbital_layout* layout,
                                                   const seiche_move_options* options) {
  return make_of(orbitals, of, options, [&](const Orbitals& from, const MoveOptions& asked) {
    seiche::OrbitalLayout into;
    seiche::together(from.comm, [&] { into = orbital_layout(layout); });
    return seiche::redistribute(from, into, asked);
  });
}

seiche_status seiche_orbitals_create_full_zone(seiche_orbitals** orbitals, const seiche_orbitals* of) {
  return make_of(orbitals, of, nullptr, [](const Orbitals& from, const MoveOptions&) {
    return seiche::mapped(from, seiche::full_zone(from.header, from.header.crystal.operations));
  });
}

seiche_status seiche_orbitals_create_symmetric(seiche_orbitals** orbitals, const seiche_orbitals* of,
                                               const seiche_move_options* options) {
  return make_of(orbitals, of, options, [](const Orbitals& from, const MoveOptions& asked) {
    return seiche::symmetric_bands(from, from.header.crystal.operations, asked);
  });
}

seiche_status seiche_orbitals_create_reassigned(seiche_orbitals** orbitals, const seiche_orbitals* of,
                                                const seiche_basis_request* request, const seiche_move_options* options,
                                                double* norm_lost, std::int64_t norm_count) {
  return make_of(orbitals, of, options, [&](const Orbitals& from, const MoveOptions& asked) {
    seiche::BasisRequest wanted;
    seiche::together(from.comm, [&] { wanted = basis_request(request); });
    seiche::Reassigned made = seiche::reassign(from, wanted, asked);
    seiche::together(from.comm, [&] {
      seiche::require(norm_lost == nullptr || norm_count == static_cast<std::int64_t>(made.norm_lost.size()),
                      seiche::Fault::bad_argument, "orbitals: there are {} lost norms, and room for {}",
                      made.norm_lost.size(), norm_count);
    });
    if (norm_lost != nullptr) std::copy(made.norm_lost.begin(), made.norm_lost.end(), norm_lost);
    return std::move(made.orbitals);
  });
}

seiche_status seiche_orbitals_create_orthonormal(seiche_orbitals** orbitals, const seiche_orbitals* of,
                                                 seiche_orthonormal how, const seiche_move_options* options) {
  return make_of(orbitals, of, options, [&](const Orbitals& from, const MoveOptions& asked) {
    return seiche::orthonormalized(from, enumerator(how, seiche::Orthonormal::cholesky, "orbitals: how"), asked);
  });
}

seiche_status seiche_orbitals_destroy(seiche_orbitals** orbitals) { return destroy(orbitals); }

seiche_status seiche_orbitals_part_count(const seiche_orbitals* orbitals, std::int64_t* count) {
  return call([&] {
    const auto parts = behind(orbitals).orbitals.parts.size();
    require_place(count, "orbitals", "the place for the number of parts");
    *count = static_cast<std::int64_t>(parts);
  });
}

seiche_status seiche_orbitals_part(seiche_orbitals* orbitals, std::int64_t number, seiche_orbital_part* part) {
  return call([&] {
    auto& parts = behind(orbitals).orbitals.parts;
    require_place(part, "orbitals", "the place for the part");
    seiche::require(number >= 0 && number < static_cast<std::int64_t>(parts.size()), seiche::Fault::bad_argument,
                    "orbitals: there is no part {}; they are numbered from 0, and this rank has {}", number,
                    parts.size());
    seiche::OrbitalPart& found = parts[static_cast<std::size_t>(number)];
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

seiche_status seiche_orbitals_read_into(seiche_orbitals* orbitals, const seiche_wavefile* file,
                                        const seiche_move_options* options) {
  return call([&] {
    Orbitals& into = behind(orbitals).orbitals;
    const FileObject& from = behind(file);
    MoveOptions asked;
    seiche::together(from.comm, [&] { asked = move_options(options); });
    seiche::read_into(into, from.file, asked);
  });
}

seiche_status seiche_orbitals_write(const seiche_orbitals* orbitals, const char* path, const char* format,
                                    const seiche_move_options* options) {
  return call([&] {
    const Orbitals& from = behind(orbitals).orbitals;
    MoveOptions asked;
    seiche::together(from.comm, [&] {
      require_place(path, "orbitals", "the path");
      asked = move_options(options);
    });
    seiche::write_orbitals(from, path, text_or_none(format), asked);
  });
}

seiche_status seiche_orbitals_overlaps(const seiche_orbitals* a, const seiche_orbitals* b,
                                       const seiche_move_options* options, void* overlaps, std::int64_t count) {
  return call([&] {
    const Orbitals &first = behind(a).orbitals, &second = behind(b).orbitals;
    MoveOptions asked;
    seiche::together(first.comm, [&] { asked = move_options(options); });
    const auto found = seiche::overlaps(first, second, asked);
    std::int64_t all = 0;
    for (const auto& one : found) all += static_cast<std::int64_t>(one.size());
    const auto into = values_at<std::complex<double>>(overlaps, count);
    seiche::together(first.comm, [&] {
      seiche::require(static_cast<std::int64_t>(into.size()) == all, seiche::Fault::bad_argument,
                      "orbitals: there are {} overlaps, and room for {}", all, into.size());
    });
    auto next = into.begin();
    for (const auto& one : found) next = std::copy(one.begin(), one.end(), next);
  });
}
