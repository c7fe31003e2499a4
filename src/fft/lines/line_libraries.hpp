// SPDX-License-Identifier: BSD-3-Clause
/// \file  The libraries that can transform lines; each is loaded at run time, when it is first wanted. One file per
/// library.
#pragma once

#include <array>
#include <memory>

#include "fft/lines/line_fft.hpp"

namespace seiche {

bool fftw_is_there();
std::unique_ptr<LineFft> make_fftw(const Lines& lines);

bool mkl_is_there();
/// Whether MKL has kernels made for this processor, as it has for Intel's; where it runs its generic ones FFTW is
/// 1.2 to 2.7 times faster (docs/performance/transforms.md).
bool mkl_is_at_home();
std::unique_ptr<LineFft> make_mkl(const Lines& lines);

/// Whether a module of DUCC's transforms for this processor was built.
bool ducc_is_there();
std::unique_ptr<LineFft> make_ducc(const Lines& lines);

/// All that can be asked for by name.
inline constexpr std::array all_line_libraries{LineLibrary::fftw, LineLibrary::mkl, LineLibrary::ducc,
                                               LineLibrary::fastest};

/// Whichever of FFTW (or MKL, where that is at home) and DUCC takes less time for these lines, measured on memory laid
/// out alike; of lines that have to be reproducible the former, on every process.
std::unique_ptr<LineFft> make_fastest(const Lines& lines);
/// MKL where it is at home, else FFTW; the other where that one is not there.
LineLibrary classic_library();

}  // namespace seiche
