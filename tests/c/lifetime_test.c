/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Before MPI starts and after it has ended there are sentences; ten thousand times create and destroy leave the
 * process as large as a thousand did. */
#include <unistd.h>

#include "expect.h"

enum { warm = 1000, times = 10000 };
#ifdef SEICHE_SANITIZED /* sanitizers keep what was freed for a while, and tell of leaks themselves */
enum { sanitized = 1 };
#else
enum { sanitized = 0 };
#endif

/* Bytes of this process that are in memory. */
static long resident(void) {
  long pages = 0, all = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
  if (file != NULL) fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

static void once(int64_t size) {
  const int64_t shape[3] = {4, 3, size};
  const seiche_miller wave = {1, 0, 0};
  int rank;
  seiche_dense_fft* dense = NULL;
  seiche_field* field = NULL;
  seiche_sphere_fft* sphere = NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_OK(seiche_dense_fft_create(&dense, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT_OK(seiche_sphere_fft_create(&sphere, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &wave, rank == 0, NULL));
  if (size == 5) { /* memory that ranks share is dearer */
    EXPECT_OK(seiche_field_create(&field, dense));
    EXPECT_OK(seiche_field_destroy(&field));
  }
  EXPECT_OK(seiche_sphere_fft_destroy(&sphere));
  EXPECT_OK(seiche_dense_fft_destroy(&dense));
}

int main(int argc, char** argv) {
  seiche_dense_fft* fft = NULL;
  const int64_t shape[3] = {4, 4, 4};
  EXPECT_FAULT(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL), SEICHE_MISUSE,
               "MPI is not started; call MPI_Init first");
  EXPECT(strcmp(seiche_version(), "0.1.0") == 0);
  MPI_Init(&argc, &argv);
  long before = 0;
  for (int i = 0; i < times; ++i) {
    if (i == warm) before = resident();
    once(5 + i % 20); /* more plans than are kept */
  }
  EXPECT(sanitized || (before > 0 && resident() - before < 1000000));
  EXPECT(seiche_open_handles() == 0);
  int code = verdict();
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_SELF, SEICHE_DOUBLE, shape, NULL));
  MPI_Finalize();
  failed = 0;
  EXPECT_FAULT(seiche_dense_fft_destroy(&fft), SEICHE_MISUSE, "MPI has ended; destroy all handles before MPI_Finalize");
  return code != 0 || failed != 0;
}
