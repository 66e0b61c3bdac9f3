/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which ranks are on one host. */
#include "base/hosts.h"

#include <stdlib.h>

/* Groups of ranks as if each were a host. */
static int pretended_host(int rank) {
  const char *text = getenv("OAK_TEST_RANKS_PER_HOST");
  const int ranks = text ? atoi(text) : 0;
  return ranks > 0 ? rank / ranks : 0;
}

void oak_hosts_split(MPI_Comm comm, MPI_Comm *host) {
  int rank;
  MPI_Comm node;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_split(node, pretended_host(rank), rank, host);
  MPI_Comm_free(&node);
}
