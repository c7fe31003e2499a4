// SPDX-License-Identifier: BSD-3-Clause
/// \file  The language standard of all headers. Headers that include no other header of the library include this one.
#pragma once

#if __cplusplus < 202002L
#error "Seiche needs C++20: compile with -std=c++20 (g++ 12 or clang 14, or later)"
#endif
