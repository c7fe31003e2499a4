/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces functions that a simulated process cannot use: functions of MPI that SimGrid 3.32 lacks or has with faults,
   clocks, and threads. */
#include <mpi.h>
#include <stdint.h>

void mpi_file_set_errhandler_(const int* file, const int* handler, int* error);
void mpi_file_set_errhandler_(const int* file, const int* handler, int* error) {
  (void)file;
  (void)handler;
  *error = MPI_SUCCESS;
}

/* SimGrid ends the program: not implemented. BLACS asks for the types of Fortran's numbers. */
int MPI_Type_match_size(int kind, int size, MPI_Datatype* type) {
  if (kind == MPI_TYPECLASS_INTEGER) {
    *type = size == 8 ? MPI_INT64_T : MPI_INT;
  } else {
    *type = size == 4 ? MPI_FLOAT : MPI_DOUBLE;
  }
  return MPI_SUCCESS;
}

/* SimGrid divides by the size of the type. */
static int is_empty(int n, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return n == 0 || size == 0;
}
int MPI_Pack(const void* from, int n, MPI_Datatype type, void* into, int size, int* at, MPI_Comm comm) {
  return is_empty(n, type) ? MPI_SUCCESS : PMPI_Pack(from, n, type, into, size, at, comm);
}
int MPI_Unpack(const void* from, int size, int* at, void* into, int n, MPI_Datatype type, MPI_Comm comm) {
  return is_empty(n, type) ? MPI_SUCCESS : PMPI_Unpack(from, size, at, into, n, type, comm);
}

/* The clocks of CP2K and DBCSR. */
double omp_get_wtime_(void);
double omp_get_wtime_(void) { return MPI_Wtime(); }
void _gfortran_system_clock_8(int64_t* count, int64_t* rate, int64_t* most);
void _gfortran_system_clock_8(int64_t* count, int64_t* rate, int64_t* most) {
  if (count) *count = (int64_t)(MPI_Wtime() * 1e9);
  if (rate) *rate = 1000000000;
  if (most) *most = INT64_MAX;
}

/* Processes share the state of libgomp, which would mix their parallel regions. There is one thread. */
void GOMP_parallel(void (*region)(void*), void* data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*region)(void*), void* data, unsigned threads, unsigned flags) {
  (void)threads;
  (void)flags;
  region(data);
}

/* Processes share one FFTW. The first process that ends would free what the plans of the others need. */
void fftw_cleanup(void);
void fftw_cleanup(void) {}
