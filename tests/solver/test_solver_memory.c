/* SPDX-License-Identifier: GPL-2.0-or-later
 * An adaptation for which one rank has too little memory: all ranks keep mesh and solution and
 * continue. If the device gives less than it promised, the adapted solution is complete, can be
 * written, and continues when there is memory again. The linker replaces the functions that
 * allocate; each allocation of an adaptation fails once. Also oak_check, which tells the memory
 * that a run needs. */
// TEST np={1,2,3} timeout=300
// WRAP oak_device_alloc oak_device_share: a device that is full
#include <unistd.h>

#include "solver_test.h"

static struct {
  int armed; /* this rank fails from that allocation on; 0: never */
  int count;
  int64_t bytes; /* given out so far */
} device;

static oak_status_t refuse(size_t bytes) {
  return OAK_FAIL(OAK_ERR_MEMORY, "test: no %zu bytes on rank %d", bytes, test_rank);
}

static int full(void) { return device.armed && ++device.count >= device.armed; }

oak_status_t __real_oak_device_alloc(oak_device_t *dev, size_t bytes, void **out);
oak_status_t __wrap_oak_device_alloc(oak_device_t *dev, size_t bytes, void **out);
oak_status_t __wrap_oak_device_alloc(oak_device_t *dev, size_t bytes, void **out) {
  device.bytes += (int64_t)bytes;
  return bytes && full() ? refuse(bytes) : __real_oak_device_alloc(dev, bytes, out);
}

oak_status_t __real_oak_device_share(oak_device_t *dev, size_t bytes, void **out,
                                     oak_handle_t *handle);
oak_status_t __wrap_oak_device_share(oak_device_t *dev, size_t bytes, void **out,
                                     oak_handle_t *handle);
oak_status_t __wrap_oak_device_share(oak_device_t *dev, size_t bytes, void **out,
                                     oak_handle_t *handle) {
  device.bytes += (int64_t)bytes;
  return bytes && full() ? refuse(bytes) : __real_oak_device_share(dev, bytes, out, handle);
}

/* As in test_solver_ranks. */
static const char keys[] = TEST_PROBLEM("waves")
    "physics.name=euler\nrefine.criterion=lohner\nrefine.variable=rho E\nrefine.c_refine=0.2\n"
    "refine.c_derefine=0.1\nmesh.theta=1\nmesh.block_size=8\nmesh.min_level=1\nmesh.max_level=4\n";

static char file[64] = "/tmp/oak_memory_XXXXXX";

/** Sum over blocks and cells of the bits of all variables, and of the levels. */
static uint64_t hash(const sim_t *s) {
  uint64_t sum = (uint64_t)oak_nblocks_global(s->sim);
  for (int v = 0; v < s->nvar; v++) {
    double *u = sim_read(s, v);
    for (int64_t i = 0; i < (int64_t)oak_nblocks(s->sim) * s->cells; i++) {
      uint64_t bits;
      memcpy(&bits, &u[i], sizeof bits);
      sum += (bits ^ bits >> 31) * UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(v + 1);
    }
    free(u);
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static sim_t start(void) {
  sim_t s = sim_new(MPI_COMM_WORLD, "%s", keys);
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  return s;
}

/* Refine the lower left quarter, which makes one rank's blocks many. */
static oak_status_t grow(const sim_t *s) {
  int *flag = calloc(oak_nblocks(s->sim) + 1, sizeof *flag), changed;
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    double x[3], dx[3];
    oak_block_geometry(s->sim, b, x, dx);
    flag[b] = x[0] < 0.5 && x[1] < 0.5;
  }
  const oak_status_t st = oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, &changed);
  free(flag);
  return st;
}

static uint64_t step_hash(const sim_t *s) {
  MUST(oak_advance(s->sim, oak_time_step(s->sim)));
  MUST(oak_adjust_refinement(s->sim, NULL));
  MUST(oak_advance(s->sim, oak_time_step(s->sim)));
  return hash(s);
}

static void test_full(void **state) {
  (void)state;
  int kept = 0, late = 0;
  sim_t s = start();
  const uint64_t before = hash(&s), without = step_hash(&s);
  sim_free(&s);
  s = start();
  MUST(grow(&s));
  const uint64_t adapted = hash(&s), with = step_hash(&s);
  sim_free(&s);
  for (int call = 1;; call++) {
    s = start();
    device.armed = test_rank == test_size - 1 ? call : 0;
    device.count = 0;
    const oak_status_t st = grow(&s);
    device.armed = 0;
    if (st == OAK_OK) break;
    assert_int_equal(st, OAK_ERR_MEMORY);
    assert_non_null(strstr(oak_last_error(), "test: no"));
    if (strstr(oak_last_error(), "those before the adaptation") ||
        hash(&s) == before) { /* flags need memory too, before anything happens */
      kept++;
      assert_true(hash(&s) == before);
      assert_true(step_hash(&s) == without);
    } else {
      late++;
      assert_true(hash(&s) == adapted);
      device.armed = test_rank == test_size - 1;
      device.count = 0;
      assert_int_equal(oak_advance(s.sim, 1e-6), OAK_ERR_MEMORY);
      device.armed = 0;
      MUST(oak_write_checkpoint(s.sim, file));
      sim_t t = sim_new(MPI_COMM_WORLD, "%s", keys);
      MUST(oak_read_checkpoint(t.sim, file));
      assert_true(hash(&t) == adapted);
      assert_true(step_hash(&t) == with);
      sim_free(&t);
      assert_true(step_hash(&s) == with); /* the memory is there now */
    }
    sim_free(&s);
  }
  sim_free(&s);
  report("%d allocations fail with the old mesh, %d after the new one is complete", kept, late);
  assert_true(kept > 0);
}

static int set_up(void **state) {
  (void)state;
  if (test_rank == 0) {
    const int fd = mkstemp(file);
    if (fd < 0 || close(fd) != 0 || unlink(file) != 0) return 1;
  }
  MPI_Bcast(file, sizeof file, MPI_CHAR, 0, MPI_COMM_WORLD);
  return 0;
}

static int clean_up(void **state) {
  (void)state;
  if (test_rank == 0) unlink(file);
  return 0;
}

/** A mesh with more cells than oak_check builds: it tells the memory that the run needs. */
static void test_check(void **state) {
  (void)state;
  char text[4096] = "";
  double told = 0;
  FILE *stream = fmemopen(text, sizeof text, "w");
  const oak_run_options_t options = {.size = sizeof options, .stream = stream};
  sim_t s =
      sim_new(MPI_COMM_WORLD, "%smesh.min_level=7\nmesh.max_level=7\nmesh.adapt_every=0", keys);
  const int64_t bytes = oak_memory(s.sim);
  int64_t most;
  MPI_Reduce(&bytes, &most, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  device.bytes = 0;
  MUST(oak_check(MPI_COMM_WORLD, s.params, &options));
  assert_true(device.bytes < bytes / 2);
  fclose(stream);
  const char *memory = strstr(text, "about ");
  if (test_rank == 0) {
    assert_non_null(strstr(text, "16.4k blocks of 8^2 cells, 1.05M cells in all"));
    assert_true(memory && sscanf(memory, "about %lf MiB", &told) == 1);
    if (fabs(told * 1048576 / (double)most - 1) > 0.1)
      fail_msg("told: %g MiB, needed: %g MiB", told, (double)most / 1048576);
  }
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_full, set_up, clean_up),
                                     cmocka_unit_test(test_check)};
  return TEST_MAIN(tests);
}
