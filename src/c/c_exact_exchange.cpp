// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: creation of exact exchange.
#include "c/c_exact_exchange.hpp"

namespace seiche::c {

RealOrComplex<ExactExchange> any_exchange(seiche_value value, const Communicator& comm, const GridShape& shape,
                                          std::span<const Miller> waves, std::span<const Miller> density_waves,
                                          const FftOptions& options, int batch) {
  const ExactExchangeOptions all{.fft = options, .batch = batch};
  together(comm, [&] {
    require(value == SEICHE_DOUBLE || value == SEICHE_COMPLEX_DOUBLE, Fault::unsupported,
            "exact_exchange: single precision is not supported: use double or complex double");
  });
  if (value == SEICHE_DOUBLE) return ExactExchange<double>(comm, shape, waves, density_waves, all);
  return ExactExchange<std::complex<double>>(comm, shape, waves, density_waves, all);
}

}  // namespace seiche::c
