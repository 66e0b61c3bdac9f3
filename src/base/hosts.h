/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which ranks are on one host. */
#pragma once

#include <mpi.h>

/** The ranks of \a comm on this host, in the same order. Collective. If $OAK_TEST_RANKS_PER_HOST is
 * set, groups of that many ranks act as hosts, so that tests can try several hosts on one. The
 * caller frees *host. */
void oak_hosts_split(MPI_Comm comm, MPI_Comm *host);
