/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Prevents the unloading of plugins of MPI, for programs in C and Fortran with AddressSanitizer. Suppressions of
 * leaks need the name of a loaded library. */

int dlclose(void* handle);
int dlclose(void* handle) {
  (void)handle;
  return 0;
}
