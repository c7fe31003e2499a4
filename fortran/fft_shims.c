/* SPDX-License-Identifier: BSD-3-Clause */
#include "shims.h"

/* Options as Fortran's numbers have them, in the order of type(fft_options). */
enum { algorithm, library, decomposition, progress, threads, reproducible, window, band_groups, rounded, components };

static seiche_fft_options options_of(const int* numbers, int64_t memory, const int* chunks, int64_t chunk_count) {
  seiche_fft_options options;
  seiche_fft_options_init(&options);
  options.algorithm = (seiche_algorithm)numbers[algorithm];
  options.library = (seiche_line_library)numbers[library];
  options.decomposition = (seiche_decomposition)numbers[decomposition];
  options.progress = (seiche_progress)numbers[progress];
  options.threads = numbers[threads];
  options.reproducible = numbers[reproducible];
  options.window = numbers[window];
  options.band_groups = numbers[band_groups];
  options.rounded_exchange = numbers[rounded];
  options.components = numbers[components];
  options.memory = memory;
  options.chunks = chunks;
  options.chunk_count = chunk_count;
  return options;
}

int seiche_fortran_dense_fft_create(seiche_dense_fft** fft, MPI_Fint comm, int value, const int64_t* shape,
                                    const int* numbers, int64_t memory, const int* chunks, int64_t chunk_count) {
  const seiche_fft_options options = options_of(numbers, memory, chunks, chunk_count);
  return seiche_dense_fft_create(fft, seiche_comm_of(comm), (seiche_value)value, shape, &options);
}

int seiche_fortran_dense_fft_create_for(seiche_dense_fft** fft, MPI_Fint comm, int value, const int64_t* shape,
                                        const seiche_dense_arrays* arrays, const int* numbers, int64_t memory,
                                        const int* chunks, int64_t chunk_count) {
  const seiche_fft_options options = options_of(numbers, memory, chunks, chunk_count);
  return seiche_dense_fft_create_for(fft, seiche_comm_of(comm), (seiche_value)value, shape, arrays, &options);
}

int seiche_fortran_sphere_fft_create(seiche_sphere_fft** fft, MPI_Fint comm, int value, const int64_t* shape,
                                     const void* waves, int64_t wave_count, const int* numbers, int64_t memory,
                                     const int* chunks, int64_t chunk_count) {
  const seiche_fft_options options = options_of(numbers, memory, chunks, chunk_count);
  return seiche_sphere_fft_create(fft, seiche_comm_of(comm), (seiche_value)value, shape, waves, wave_count, &options);
}
