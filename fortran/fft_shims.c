/* SPDX-License-Identifier: BSD-3-Clause */
#include "shims.h"

int seiche_fortran_refuse_create(MPI_Fint comm, int status, const char* sentence) {
  return seiche_refuse_create(seiche_comm_of(comm), (seiche_status)status, sentence);
}

int seiche_fortran_dense_fft_create(seiche_dense_fft** fft, MPI_Fint comm, int value, const int64_t* shape,
                                    const seiche_fft_options* options) {
  return seiche_dense_fft_create(fft, seiche_comm_of(comm), (seiche_value)value, shape, options);
}

int seiche_fortran_dense_fft_create_for(seiche_dense_fft** fft, MPI_Fint comm, int value, const int64_t* shape,
                                        const seiche_dense_arrays* arrays, const seiche_fft_options* options) {
  return seiche_dense_fft_create_for(fft, seiche_comm_of(comm), (seiche_value)value, shape, arrays, options);
}

int seiche_fortran_sphere_fft_create(seiche_sphere_fft** fft, MPI_Fint comm, int value, const int64_t* shape,
                                     const void* waves, int64_t wave_count, const seiche_fft_options* options) {
  return seiche_sphere_fft_create(fft, seiche_comm_of(comm), (seiche_value)value, shape, waves, wave_count, options);
}

int seiche_fortran_tune_dense(MPI_Fint comm, int value, const int64_t* shape, const seiche_tune_request* request,
                              seiche_tune_report* report) {
  return seiche_tune_dense(seiche_comm_of(comm), (seiche_value)value, shape, request, report);
}

int seiche_fortran_tune_sphere(MPI_Fint comm, int value, const int64_t* shape, const void* waves, int64_t wave_count,
                               const seiche_tune_request* request, seiche_tune_report* report) {
  return seiche_tune_sphere(seiche_comm_of(comm), (seiche_value)value, shape, waves, wave_count, request, report);
}
