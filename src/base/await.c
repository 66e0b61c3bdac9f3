/* SPDX-License-Identifier: GPL-2.0-or-later
 * Waiting of the ranks of a host for each other. */
#include "base/await.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hosts.h"
#include "base/clock.h"

/* The ranks of a communicator. */
typedef struct {
  MPI_Win window;
  oak_flag_t *arrivals; /* of all ranks so far */
  uint64_t size, target;
} meeting_t;

static int key = MPI_KEYVAL_INVALID;
static int shared; /* the ranks share cores with each other or with other programs */

static _Atomic uint64_t *value_of(oak_flag_t *flag) { return (_Atomic uint64_t *)&flag->value; }
static _Atomic uint64_t *sleepers_of(oak_flag_t *flag) {
  return (_Atomic uint64_t *)&flag->sleepers;
}

/* The system compares 32 bits, here the low ones. */
static uint32_t *low_half(oak_flag_t *flag) {
  return (uint32_t *)&flag->value + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static void wake(oak_flag_t *flag) {
  if (atomic_load(sleepers_of(flag)))
    syscall(SYS_futex, low_half(flag), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void oak_flag_raise(oak_flag_t *flag, uint64_t value) {
  atomic_store(value_of(flag), value);
  wake(flag);
}

/* It ends after a while, so that the loss of a wake-up does no harm. The others may wait for a
 * message of this rank that MPI sends on only in calls, so there is such a call. */
static void sleep_once(oak_flag_t *flag, uint64_t value) {
  const struct timespec most = {.tv_nsec = 10000000};
  atomic_fetch_add(sleepers_of(flag), 1);
  const uint64_t seen = atomic_load(value_of(flag));
  if (seen < value) syscall(SYS_futex, low_half(flag), FUTEX_WAIT, (uint32_t)seen, &most, NULL, 0);
  atomic_fetch_sub(sleepers_of(flag), 1);
  int there;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
}

/* A rank that sleeps needs some time to wake up, so on an idle machine it sleeps after two
 * milliseconds only. If it loses its core while it waits, others use the cores. For a second it
 * then sleeps after a tenth of a millisecond: what it waits for may need its core. To offer the
 * core by sched_yield is worse, since the rank loses its turn, also if the others arrive at once.
 * If there are more ranks than cores, or the user tells Open MPI that ranks share cores, it sleeps
 * soon. */
void oak_flag_await(oak_flag_t *flag, uint64_t value) {
  static double crowded; /* others use the cores until this time */
  double begin = 0, before = 0;
  for (int n = 0; atomic_load_explicit(value_of(flag), memory_order_acquire) < value; n++) {
    if (n % 100 != 99) continue; /* to look at the clock takes longer */
    const double now = oak_seconds();
    if (begin == 0) begin = before = now;
    if (now - before > 5e-5) crowded = now + 1;
    if (now - begin > (shared ? 5e-6 : now < crowded ? 1e-4 : 2e-3)) sleep_once(flag, value);
    before = oak_seconds();
  }
}

void oak_await_open(MPI_Comm comm) {
  int size, near, rank;
  MPI_Comm host;
  oak_hosts_split(comm, &host);
  MPI_Comm_size(comm, &size);
  MPI_Comm_size(host, &near);
  MPI_Comm_rank(host, &rank);
  const char *yields = getenv("OMPI_MCA_mpi_yield_when_idle");
  shared |= near > sysconf(_SC_NPROCESSORS_ONLN) || (yields && strcmp(yields, "1") == 0);
  int works = near == size && size > 1;
  meeting_t *m = works ? calloc(1, sizeof *m) : NULL;
  works = m != NULL;
  MPI_Allreduce(MPI_IN_PLACE, &works, 1, MPI_INT, MPI_MIN, comm);
  if (works) {
    MPI_Aint bytes;
    int unit;
    m->size = (uint64_t)size;
    MPI_Win_allocate_shared(rank ? 0 : sizeof *m->arrivals, 1, MPI_INFO_NULL, host, &m->arrivals,
                            &m->window);
    MPI_Win_shared_query(m->window, 0, &bytes, &unit, &m->arrivals);
    if (rank == 0) *m->arrivals = (oak_flag_t){0};
    MPI_Barrier(host);
    if (key == MPI_KEYVAL_INVALID)
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, m);
  } else {
    free(m);
  }
  MPI_Comm_free(&host);
}

static meeting_t *meeting_of(MPI_Comm comm) {
  meeting_t *m = NULL;
  int found = 0;
  if (key != MPI_KEYVAL_INVALID) MPI_Comm_get_attr(comm, key, &m, &found);
  return found ? m : NULL;
}

void oak_await_close(MPI_Comm comm) {
  meeting_t *m = meeting_of(comm);
  if (!m) return;
  MPI_Comm_delete_attr(comm, key);
  MPI_Win_free(&m->window);
  free(m);
}

void oak_await(MPI_Comm comm) {
  meeting_t *m = meeting_of(comm);
  if (!m) return;
  m->target += m->size;
  if (atomic_fetch_add(value_of(m->arrivals), 1) + 1 == m->target)
    wake(m->arrivals);
  else
    oak_flag_await(m->arrivals, m->target);
}
