/* SPDX-License-Identifier: BSD-3-Clause */
/* Undoes the macros of SimGrid's compiler that rename functions of C: member functions have these names, too (CLI11's
   App::exit), and time is given to sleeps when programs are linked. */
#pragma once
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef exit
#undef getopt
#undef getopt_long
#undef getopt_long_only
#undef sleep
#undef usleep
#undef nanosleep
#undef clock_gettime
#undef gettimeofday
