// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: densities.
#include "c/c_density.hpp"

namespace seiche::c {

void also_read(const seiche_density_options& asked, DensityOptions& options, const char* where) {
  if (asked.fft != nullptr) options.fft = fft_options_of(asked.fft, where);
  options.on_progress = on_progress(asked.on_progress, asked.user);
}

}  // namespace seiche::c

using namespace seiche;
using namespace seiche::c;

seiche_status seiche_density_grid(const seiche_density* density, std::int64_t* shape, seiche_box* box,
                                  int* components) {
  return call([&] {
    const Density& of = behind(density).density;
    require_place(shape, "density", "the output argument for the shape");
    require_place(box, "density", "the output argument for the box");
    require_place(components, "density", "the output argument for the number of components");
    shape[0] = of.grid.nx;
    shape[1] = of.grid.ny;
    shape[2] = of.grid.nz;
    *box = box_for_c(of.box);
    *components = static_cast<int>(of.components.size());
  });
}

seiche_status seiche_density_values(seiche_density* density, int component, double** values, std::int64_t* count) {
  return call([&] {
    Density& of = behind(density).density;
    require_place(values, "density", "the output argument for the values");
    require_place(count, "density", "the output argument for the number of values");
    require(component >= 0 && component < static_cast<int>(of.components.size()), Fault::bad_argument,
            "density: no component {} (numbered from 0, {} in total)", component, of.components.size());
    auto& found = of.components[static_cast<std::size_t>(component)];
    *values = found.data();
    *count = static_cast<std::int64_t>(found.size());
  });
}
