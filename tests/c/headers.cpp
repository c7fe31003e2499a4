// SPDX-License-Identifier: BSD-3-Clause
/// \file  The C headers as C++ sees them, each of them first, and twice.
#include "seiche/c/fft.h"
//
#include "seiche.h"
#include "seiche/c/fft.h"
#include "seiche/c/status.h"
#include "seiche_files.h"

extern "C" seiche_status (*const seiche_headers_fill)(seiche_fft_options*, size_t) = &seiche_fft_options_fill;
