/* SPDX-License-Identifier: BSD-3-Clause */
/* Injects the time of collocation and integration of Gaussians (--wrap). */
#include <math.h>

#include "charge.h"
#include "grid_cpu_collocate.h"
#include "grid_cpu_integrate.h"

/* A constant for each product of Gaussians, and one for each point of its sphere. */
static void charge_sphere(double radius, const double dh[3][3]) {
  static double of_one = -1, of_point = -1;
  if (of_one < 0) {
    of_one = rate("gaussian");
    of_point = rate("gaussian_point");
  }
  const double cell = fabs(dh[0][0] * (dh[1][1] * dh[2][2] - dh[1][2] * dh[2][1]) -
                           dh[0][1] * (dh[1][0] * dh[2][2] - dh[1][2] * dh[2][0]) +
                           dh[0][2] * (dh[1][0] * dh[2][1] - dh[1][1] * dh[2][0]));
  charge(of_one + of_point * 4.18879 * radius * radius * radius / cell);
}

#define COLLOCATE(name)                                                                                             \
  void name(const bool orthorhombic, const int border_mask, const enum grid_func func, const int la_max,            \
            const int la_min, const int lb_max, const int lb_min, const double zeta, const double zetb,             \
            const double rscale, const double dh[3][3], const double dh_inv[3][3], const double ra[3],              \
            const double rab[3], const int npts_global[3], const int npts_local[3], const int shift_local[3],       \
            const int border_width[3], const double radius, const int o1, const int o2, const int n1, const int n2, \
            const double pab[n2][n1], double* grid)
COLLOCATE(__real_grid_cpu_collocate_pgf_product);
COLLOCATE(__wrap_grid_cpu_collocate_pgf_product);
COLLOCATE(__wrap_grid_cpu_collocate_pgf_product) {
  __real_grid_cpu_collocate_pgf_product(orthorhombic, border_mask, func, la_max, la_min, lb_max, lb_min, zeta, zetb,
                                        rscale, dh, dh_inv, ra, rab, npts_global, npts_local, shift_local, border_width,
                                        radius, o1, o2, n1, n2, pab, grid);
  charge_sphere(radius, dh);
}

#define INTEGRATE(name)                                                                                             \
  void name(const bool orthorhombic, const bool compute_tau, const int border_mask, const int la_max,               \
            const int la_min, const int lb_max, const int lb_min, const double zeta, const double zetb,             \
            const double dh[3][3], const double dh_inv[3][3], const double ra[3], const double rab[3],              \
            const int npts_global[3], const int npts_local[3], const int shift_local[3], const int border_width[3], \
            const double radius, const int o1, const int o2, const int n1, const int n2, const double* grid,        \
            double hab[n2][n1], const double pab[n2][n1], double forces[2][3], double virials[2][3][3],             \
            double hdab[n2][n1][3], double hadb[n2][n1][3], double a_hdab[n2][n1][3][3])
INTEGRATE(__real_grid_cpu_integrate_pgf_product);
INTEGRATE(__wrap_grid_cpu_integrate_pgf_product);
INTEGRATE(__wrap_grid_cpu_integrate_pgf_product) {
  __real_grid_cpu_integrate_pgf_product(orthorhombic, compute_tau, border_mask, la_max, la_min, lb_max, lb_min, zeta,
                                        zetb, dh, dh_inv, ra, rab, npts_global, npts_local, shift_local, border_width,
                                        radius, o1, o2, n1, n2, grid, hab, pab, forces, virials, hdab, hadb, a_hdab);
  charge_sphere(radius, dh);
}
