/* SPDX-License-Identifier: GPL-2.0-or-later
 * Waiting for other ranks without keeping a core from them. MPI libraries ask all the time. If
 * there are more processes than cores, a rank that asks all the time keeps the one from running for
 * which it waits. */
#ifndef OAK_WAIT_H
#define OAK_WAIT_H

#include <mpi.h>

/** A loop that waits; zero at first. */
typedef struct {
  double since;
} oak_wait_t;

/** Pause between two questions of a loop that waits. The pauses of the first microseconds take no
 * time, later ones leave the core to other processes. If these need it, or after a millisecond, the
 * process sleeps now and then. */
void oak_wait(oak_wait_t *wait);

/** As the functions of MPI with these names, but the ranks wait with oak_wait(). */
void oak_waitall(int n, MPI_Request *request);
void oak_barrier(MPI_Comm comm);
void oak_allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
/** In place. */
void oak_allgatherv(void *memory, const int *count, const int *start, MPI_Datatype type,
                    MPI_Comm comm);

#endif
