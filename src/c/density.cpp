// SPDX-License-Identifier: BSD-3-Clause
/// \file  Densities for C.
#include "seiche/density.hpp"

#include <algorithm>
#include <limits>

#include "c/fft_options.hpp"
#include "c/orbitals.hpp"
#include "comm/agree.hpp"
#include "seiche/c/density.h"
#include "seiche/density_file.hpp"
#include "support/require.hpp"

namespace seiche::c {

struct DensityObject : Object {
  static constexpr const char* name = "density";
  const char* noun() const override { return name; }
  explicit DensityObject(Density of) : density(std::move(of)) {}
  void close() {}
  Density density;
};

template <>
struct BehindHandle<seiche_density> {
  using type = DensityObject;
};

namespace {

constexpr const char* in_density = "density";

DensityOptions density_options(const seiche_density_options* given) {
  const seiche_density_options asked = read_options(given, {}, "density_options");
  DensityOptions options;
  if (asked.fft != nullptr) options.fft = fft_options(asked.fft, in_density);
  options.policy = policy_of(asked);
  options.as_they_are = asked.as_they_are != 0;
  options.on_progress = on_progress(asked.on_progress, asked.user);
  return options;
}

std::shared_ptr<DensityObject> object_of(Density density) {
  return std::make_shared<DensityObject>(std::move(density));
}

/// Runs `work` on the density and a path that has to be one.
template <class Work>
seiche_status with_path(const seiche_density* density, const char* path, const Work& work) {
  return call([&] {
    const Density& of = behind(density).density;
    together(of.comm, [&] { require_place(path, in_density, "the path"); });
    work(of);
  });
}

}  // namespace

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_density_options_fill(seiche_density_options* options, std::size_t size) {
  return fill_options(options, size, {}, "density_options");
}

seiche_status seiche_density_create_of_file(seiche_density** density, const seiche_wavefile* file,
                                            const seiche_density_options* options) {
  return create(density, [&] {
    const FileObject& from = behind(file);
    seiche::DensityOptions asked;
    seiche::together(from.comm, [&] { asked = density_options(options); });
    return object_of(seiche::density_of(from.file, asked));
  });
}

seiche_status seiche_density_create_of_orbitals(seiche_density** density, const seiche_orbitals* orbitals,
                                                const seiche_density_options* options) {
  return create(density, [&] {
    const seiche::Orbitals& from = behind(orbitals).orbitals;
    seiche::DensityOptions asked;
    seiche::together(from.comm, [&] { asked = density_options(options); });
    return object_of(seiche::density_of(from, asked));
  });
}

seiche_status seiche_density_create_beside(seiche_density** density, const seiche_wavefile* file) {
  return create(density, [&] { return object_of(seiche::read_density(behind(file).file)); });
}

seiche_status seiche_density_create_read(seiche_density** density, MPI_Comm comm, const char* path) {
  return create(density, [&] {
    const auto ours = communicator(comm, in_density);
    seiche::together(ours, [&] { require_place(path, in_density, "the path"); });
    return object_of(seiche::read_density(ours, path));
  });
}

seiche_status seiche_density_create_read_like(seiche_density** density, const char* path, const seiche_density* like) {
  return create(density, [&] {
    const seiche::Density& of = behind(like).density;
    seiche::together(of.comm, [&] { require_place(path, in_density, "the path"); });
    return object_of(seiche::read_density(path, of));
  });
}

seiche_status seiche_density_destroy(seiche_density** density) { return destroy(density); }

seiche_status seiche_density_grid(const seiche_density* density, std::int64_t* shape, seiche_box* box,
                                  int* components) {
  return call([&] {
    const seiche::Density& of = behind(density).density;
    require_place(shape, in_density, "the place for the shape");
    require_place(box, in_density, "the place for the box");
    require_place(components, in_density, "the place for the number of components");
    shape[0] = of.grid.nx;
    shape[1] = of.grid.ny;
    shape[2] = of.grid.nz;
    *box = box_for_c(of.box);
    *components = static_cast<int>(of.components.size());
  });
}

seiche_status seiche_density_values(seiche_density* density, int component, double** values, std::int64_t* count) {
  return call([&] {
    seiche::Density& of = behind(density).density;
    require_place(values, in_density, "the place for the values");
    require_place(count, in_density, "the place for their number");
    seiche::require(component >= 0 && component < static_cast<int>(of.components.size()), seiche::Fault::bad_argument,
                    "density: there is no component {}; they are numbered from 0, and there are {}", component,
                    of.components.size());
    auto& found = of.components[static_cast<std::size_t>(component)];
    *values = found.data();
    *count = static_cast<std::int64_t>(found.size());
  });
}

seiche_status seiche_density_integrals(const seiche_density* density, double* integrals, std::int64_t count) {
  return call([&] {
    const seiche::Density& of = behind(density).density;
    const auto into = values_at<double>(integrals, count);
    seiche::together(of.comm, [&] {
      seiche::require(into.size() == of.components.size(), seiche::Fault::bad_argument,
                      "density: there are {} integrals, and room for {}", of.components.size(), into.size());
    });
    const auto found = seiche::integrals(of);
    std::copy(found.begin(), found.end(), into.begin());
  });
}

seiche_status seiche_density_compare(const seiche_density* a, const seiche_density* b, double* total,
                                     double* magnetisation) {
  return call([&] {
    const seiche::Density &first = behind(a).density, &second = behind(b).density;
    seiche::together(first.comm, [&] {
      require_place(total, in_density, "the place for the total's deviation");
      require_place(magnetisation, in_density, "the place for the magnetisation's deviation");
    });
    const seiche::Deviation found = seiche::compare(first, second);
    *total = found.density;
    *magnetisation = found.magnetisation.value_or(std::numeric_limits<double>::quiet_NaN());
  });
}

seiche_status seiche_density_write(const seiche_density* density, const char* path) {
  return with_path(density, path, [&](const seiche::Density& of) { seiche::write_density(of, path); });
}

seiche_status seiche_density_draw(const seiche_density* density, const char* path) {
  return with_path(density, path, [&](const seiche::Density& of) { seiche::draw_density(of, path); });
}
