// SPDX-License-Identifier: BSD-3-Clause
/// \file  Injects the time of dense products, transforms of lines and diagonalisation of CP2K and Seiche (--wrap).
/// Nothing else of them takes time but Gaussians (gaussians.c).
#include "charge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "time.hpp"

extern "C" {

void charge(double seconds) {
  constexpr double least = 5e-6;
  static double owed = 0;
  owed += seconds;
  if (owed < least) return;
  seiche::simulation::compute(owed);
  owed = 0;
}

double rate(const char* name) {
  const char* given = std::getenv("SEICHE_CP2K_RATES");
  for (const char* at = given ? given : ""; (at = std::strstr(at, name)) != nullptr; ++at) {
    const std::size_t length = std::strlen(name);
    if ((at == given || at[-1] == ' ') && at[length] == '=') return std::strtod(at + length + 1, nullptr);
  }
  std::fprintf(stderr, "SEICHE_CP2K_RATES has no %s: start CP2K by integrations/cp2k/simulate/run.py\n", name);
  std::abort();
}
}

namespace {

bool as_a_whole = false;  // within a procedure whose time is charged at its end

void charge_product(double operations, bool of_blocks = false) {
  static const double flops = rate("product_flops"), call = rate("product_call"), block_call = rate("block_call");
  if (!as_a_whole) charge(operations / flops + (of_blocks ? block_call : call));
}

double side(const char* letter, int m, int n) { return *letter == 'L' || *letter == 'l' ? m : n; }

std::map<void*, double>& seconds_of_plans() {
  static std::map<void*, double> all;
  return all;
}

}  // namespace

extern "C" {

#define GEMM                                                                                                       \
  (const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* alpha, const double* a, \
   const int* la, const double* b, const int* lb, const double* beta, double* c, const int* lc)
void __real_dgemm_ GEMM;
void __wrap_dgemm_ GEMM;
void __wrap_dgemm_ GEMM {
  constexpr int largest_block = 80;  // of DBCSR and Seiche, which LIBXSMM multiplies in real runs
  __real_dgemm_(ta, tb, m, n, k, alpha, a, la, b, lb, beta, c, lc);
  charge_product(2.0 * *m * *n * *k, std::max({*m, *n, *k}) <= largest_block);
}

#define SYRK                                                                                                          \
  (const char* half, const char* op, const int* n, const int* k, const double* alpha, const double* a, const int* la, \
   const double* beta, double* c, const int* lc)
void __real_dsyrk_ SYRK;
void __wrap_dsyrk_ SYRK;
void __wrap_dsyrk_ SYRK {
  __real_dsyrk_(half, op, n, k, alpha, a, la, beta, c, lc);
  charge_product(1.0 * *n * *n * *k);
}

#define TRIANGLE                                                                                     \
  (const char* left, const char* half, const char* op, const char* unit, const int* m, const int* n, \
   const double* alpha, const double* a, const int* la, double* b, const int* lb)
void __real_dtrsm_ TRIANGLE;
void __wrap_dtrsm_ TRIANGLE;
void __wrap_dtrsm_ TRIANGLE {
  __real_dtrsm_(left, half, op, unit, m, n, alpha, a, la, b, lb);
  charge_product(1.0 * *m * *n * side(left, *m, *n));
}
void __real_dtrmm_ TRIANGLE;
void __wrap_dtrmm_ TRIANGLE;
void __wrap_dtrmm_ TRIANGLE {
  __real_dtrmm_(left, half, op, unit, m, n, alpha, a, la, b, lb);
  charge_product(1.0 * *m * *n * side(left, *m, *n));
}

/// LIBXSMM has no code for any shape here, so that all products of Seiche reach the function above.
void* libxsmm_dmmdispatch();
void* libxsmm_smmdispatch();
void* libxsmm_dmmdispatch() { return nullptr; }
void* libxsmm_smmdispatch() { return nullptr; }

#define PLAN                                                                                                       \
  (void** plan, const int* rank, const int* n, const int* count, void* in, const int* inembed, const int* istride, \
   const int* idist, void* out, const int* onembed, const int* ostride, const int* odist, const int* sign,         \
   const int* flags)
void __real_dfftw_plan_many_dft_ PLAN;
void __wrap_dfftw_plan_many_dft_ PLAN;
void __wrap_dfftw_plan_many_dft_ PLAN {
  __real_dfftw_plan_many_dft_(plan, rank, n, count, in, inembed, istride, idist, out, onembed, ostride, odist, sign,
                              flags);
  seconds_of_plans()[*plan] = 5.0 * *n * std::log2(*n) * *count / rate("lines_flops");
}
void __real_dfftw_execute_dft_(void** plan, void* in, void* out);
void __wrap_dfftw_execute_dft_(void** plan, void* in, void* out);
void __wrap_dfftw_execute_dft_(void** plan, void* in, void* out) {
  __real_dfftw_execute_dft_(plan, in, out);
  charge(seconds_of_plans()[*plan]);
}

void blacs_gridinfo_(const int* context, int* rows, int* columns, int* row, int* column);

/// Charges 6 n^3 operations, shared by the processes of the matrix.
#define SYEVD                                                                                                  \
  (const char* job, const char* half, const int* n, double* a, const int* ia, const int* ja, const int* da,    \
   double* values, double* z, const int* iz, const int* jz, const int* dz, double* work, const int* work_size, \
   int* integers, const int* integers_size, int* info)
void __real_pdsyevd_ SYEVD;
void __wrap_pdsyevd_ SYEVD;
void __wrap_pdsyevd_ SYEVD {
  as_a_whole = true;
  __real_pdsyevd_(job, half, n, a, ia, ja, da, values, z, iz, jz, dz, work, work_size, integers, integers_size, info);
  as_a_whole = false;
  if (*work_size < 0) return;  // a query
  int rows = 1, columns = 1, row = 0, column = 0;
  blacs_gridinfo_(&da[1], &rows, &columns, &row, &column);
  charge(6.0 * std::pow(*n, 3) / (rows * columns) / rate("diagonal_flops"));
}
}
