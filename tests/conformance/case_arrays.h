/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Arrays of a case that all languages share. C++ runs a case first and keeps what each call leaves in the
 * arrays. */
#ifndef SEICHE_TESTS_CASE_ARRAYS_H
#define SEICHE_TESTS_CASE_ARRAYS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a case of a language with the same values in all arrays. */
void case_begin(const char* language, const char* name);
/* Returns the memory of an array, the number of its elements, and its extent along an axis (from 0). */
void* case_at(const char* array);
int64_t case_count(const char* array);
int64_t case_extent(const char* array, int axis);
/* Sets all arrays to their first values. */
void case_reset(void);
/* Compares all bits of all arrays with those after the same call in C++. */
void case_same(const char* call);
/* Expects that a call succeeded. */
void case_tried(int status, const char* call);
/* Expects that a call failed with a message that contains `text`. */
void case_refused(int status, const char* text, const char* call);
/* Collective. Returns 0 if calls were compared, and nothing failed on any rank. */
int case_verdict(void);

#ifdef __cplusplus
}
#endif

#endif
