// SPDX-License-Identifier: BSD-3-Clause
// Threads that are in MPI nearly all the time: four at once, then many one after another.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { at_once = 4, in_turn = 20 };

static void* receive(void* tag) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, 0, *(int*)tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return NULL;
}

static void send(int tag) { MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF); }

int main(int argc, char** argv) {
  int provided, tags[at_once];
  pthread_t threads[at_once];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return printf("one thread\n"), MPI_Finalize();
  for (int t = 0; t < at_once; ++t) tags[t] = t, pthread_create(&threads[t], NULL, receive, &tags[t]);
  usleep(300000);
  for (int t = 0; t < at_once; ++t) send(t);
  for (int t = 0; t < at_once; ++t) pthread_join(threads[t], NULL);
  for (int i = 0; i < in_turn; ++i) {
    pthread_create(&threads[0], NULL, receive, &tags[0]);
    send(0);
    pthread_join(threads[0], NULL);
  }
  return MPI_Finalize();
}
