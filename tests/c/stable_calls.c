/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations of the stable calls (docs/support.md). They must stay compatible with the headers: the compiler refuses
 * a declaration that differs. */
#include <seiche.h>
#include <seiche_files.h>

seiche_status seiche_dense_fft_create(seiche_dense_fft** fft, MPI_Comm comm, seiche_value value, const int64_t shape[3],
                                      const seiche_fft_options* options);
seiche_status seiche_dense_fft_forward(seiche_dense_fft* fft, const void* grid, int64_t grid_count, void* spectrum,
                                       int64_t spectrum_count);
seiche_status seiche_dense_fft_backward(seiche_dense_fft* fft, const void* spectrum, int64_t spectrum_count, void* grid,
                                        int64_t grid_count);
seiche_status seiche_sphere_fft_create(seiche_sphere_fft** fft, MPI_Comm comm, seiche_value value,
                                       const int64_t shape[3], const seiche_miller* waves, int64_t wave_count,
                                       const seiche_fft_options* options);
seiche_status seiche_sphere_fft_forward(seiche_sphere_fft* fft, const void* grid, int64_t grid_count,
                                        void* coefficients, int64_t coefficient_count, int64_t coefficients_row,
                                        int64_t bands);
seiche_status seiche_sphere_fft_backward(seiche_sphere_fft* fft, const void* coefficients, int64_t coefficient_count,
                                         int64_t coefficients_row, void* grid, int64_t grid_count, int64_t bands);
seiche_status seiche_sphere_fft_apply_potential(seiche_sphere_fft* fft, const void* in, int64_t in_count,
                                                int64_t in_row, void* out, int64_t out_count, int64_t out_row,
                                                int64_t bands, const double* potential, int64_t points);
seiche_status seiche_sphere_fft_add_density(seiche_sphere_fft* fft, const void* in, int64_t in_count, int64_t in_row,
                                            int64_t bands, const double* weights, int64_t weight_count, double* density,
                                            int64_t points);
seiche_status seiche_wavefile_create(seiche_wavefile** file, MPI_Comm comm, const char* path);
seiche_status seiche_orbitals_create_read(seiche_orbitals** orbitals, const seiche_wavefile* file,
                                          const seiche_orbital_layout* layout, const seiche_move_options* options);
seiche_status seiche_orbitals_write(const seiche_orbitals* orbitals, const char* path, const char* format,
                                    const seiche_move_options* options);
seiche_status seiche_density_create_of_file(seiche_density** density, const seiche_wavefile* file,
                                            const seiche_density_options* options);
