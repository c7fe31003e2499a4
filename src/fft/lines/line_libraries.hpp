// SPDX-License-Identifier: BSD-3-Clause
/// \file  Libraries of 1D FFTs, which are loaded at first use. Each has its own file.
#pragma once

#include <array>
#include <memory>

#include "fft/lines/line_fft.hpp"

namespace seiche {

bool fftw_is_there();
std::unique_ptr<LineFft> make_fftw(const Lines& lines);

bool mkl_is_there();
/// Tells whether MKL has optimized kernels for this processor, i.e. an Intel processor. Its generic kernels are slower
/// than FFTW.
bool mkl_is_optimized_here();
std::unique_ptr<LineFft> make_mkl(const Lines& lines);

/// Tells whether the DUCC module for this processor was built.
bool ducc_is_there();
std::unique_ptr<LineFft> make_ducc(const Lines& lines);

/// All libraries that can be selected by name.
inline constexpr std::array all_line_libraries{LineLibrary::fftw, LineLibrary::mkl, LineLibrary::ducc,
                                               LineLibrary::fastest};

/// Returns `other` if it takes less than `worth_it` of the time of `usual`, else `usual`. Both run on zeroed memory
/// with the layout of the lines.
std::unique_ptr<LineFft> faster_of(std::unique_ptr<LineFft> usual, std::unique_ptr<LineFft> other, const Lines& lines,
                                   double worth_it);
/// Returns the faster of DUCC and the classic library for these lines, measured on memory with the same layout. For
/// reproducible lines it always returns the classic library.
std::unique_ptr<LineFft> make_fastest(const Lines& lines);
/// Returns the classic library: MKL on Intel processors, else FFTW. If that one is not available, it returns the other
/// one.
LineLibrary classic_library();

}  // namespace seiche
