/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated time of computing. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Adds computing time to this process. Sums of small times are charged together. */
void charge(double seconds);
/* Returns a constant of SEICHE_CP2K_RATES by its name. */
double rate(const char* name);

#ifdef __cplusplus
}
#endif
