/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files that are written while a run goes on: order of jobs, bound of memory, outputs that are
 * committed when all ranks are ready, and what happens when one rank cannot write. */
// TEST np={1,3} sanitize
#define _GNU_SOURCE 1
#include "output_test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "io/files/disk.h"

/** What the jobs and outputs of a test have done. */
typedef struct {
  _Atomic int gate; /**< jobs wait for it */
  _Atomic int jobs, refused, finished, discarded, released, done;
  int fails; /**< number of the job that fails, 0: none */
  oak_status_t finish;
} log_t;

static oak_status_t job(void *context, oak_status_t st) {
  log_t *log = context;
  while (!log->gate) usleep(100);
  if (st != OAK_OK) {
    log->refused++;
    return st;
  }
  if (++log->jobs == log->fails) return OAK_FAIL(OAK_ERR_FILE, "job %d fails", log->fails);
  return OAK_OK;
}

static oak_status_t finish(void *context) {
  log_t *log = context;
  log->finished++;
  return log->finish == OAK_OK ? OAK_OK : OAK_FAIL(log->finish, "no name");
}
static void discard(void *context) { ((log_t *)context)->discarded++; }
static void release(void *context) { ((log_t *)context)->released++; }
static void done(void *context) { ((log_t *)context)->done++; }

static oak_disk_t *new_disk(size_t bytes) {
  oak_disk_t *disk;
  assert_int_equal(oak_agree(MPI_COMM_WORLD, oak_disk_new(MPI_COMM_WORLD, bytes, &disk)), OAK_OK);
  return disk;
}

static oak_status_t commit(oak_disk_t *disk, log_t *log) {
  const oak_disk_output_t output = {finish, discard, release, log, NULL};
  const oak_disk_sequel_t sequel = {finish, done, release, log};
  const oak_status_t st = oak_disk_commit(disk, MPI_COMM_WORLD, OAK_OK, &output);
  if (disk && st == OAK_OK) oak_disk_then(disk, &sequel);
  return st;
}

/** The reduction that a run has in each step. \return what oak_disk_step says. */
static int step(oak_disk_t *disk) {
  double mine = oak_disk_state(disk), most;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return oak_disk_step(disk, most);
}

/** An output gets its names when all ranks are ready, and the run need not wait for that. */
static void test_goes_on(void **state) {
  (void)state;
  oak_disk_t *disk = new_disk(1 << 20);
  log_t log = {.gate = test_rank != test_size - 1};
  for (int i = 0; i < 3; i++) assert_int_equal(oak_disk_do(disk, 100, job, &log), OAK_OK);
  assert_int_equal(commit(disk, &log), OAK_OK);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(step(disk), 0);
    assert_int_equal(log.finished + log.done, 0); /* the last rank is not ready */
  }
  log.gate = 1;
  while (!log.done) assert_int_equal(step(disk), 0);
  assert_int_equal(log.jobs, 3);
  assert_int_equal(log.finished, test_rank == 0 ? 2 : 0);
  assert_int_equal(log.released, 2);
  assert_int_equal(log.discarded, 0);
  assert_int_equal(oak_disk_wait(disk), OAK_OK);
  oak_disk_free(&disk);
}

static void *open_gate(void *context) {
  usleep(20000);
  ((log_t *)context)->gate = 1;
  return NULL;
}

/** Jobs that wait use at most the memory that was given, but one job is always accepted. */
static void test_memory(void **state) {
  (void)state;
  oak_disk_t *disk = new_disk(1000);
  log_t log = {.gate = 0};
  pthread_t opener;
  oak_disk_do(disk, 5000, job, &log);
  assert_false(oak_disk_was_full(disk));
  assert_int_equal(pthread_create(&opener, NULL, open_gate, &log), 0);
  oak_disk_do(disk, 600, job, &log); /* waits for the first one */
  assert_true(log.gate && log.jobs >= 1);
  assert_true(oak_disk_was_full(disk));
  assert_false(oak_disk_was_full(disk)); /* it is said once */
  pthread_join(opener, NULL);
  assert_int_equal(commit(disk, &log), OAK_OK);
  assert_int_equal(oak_disk_wait(disk), OAK_OK);
  assert_int_equal(log.jobs, 2);
  assert_int_equal(log.done, 1);
  oak_disk_free(&disk);
}

/** A job fails on one rank: all learn it at a step, and nothing that came later gets its name.
 */
static void test_job_fails(void **state) {
  (void)state;
  for (int culprit = 0; culprit < test_size; culprit++) {
    oak_disk_t *disk = new_disk(1 << 20);
    log_t log = {.gate = 1, .fails = test_rank == culprit ? 2 : 0};
    for (int output = 0; output < 2; output++) {
      for (int i = 0; i < 3; i++) assert_int_equal(oak_disk_do(disk, 100, job, &log), OAK_OK);
      assert_int_equal(commit(disk, &log), OAK_OK);
    }
    while (!step(disk)) assert_int_equal(log.done, 0);
    check_failure(oak_disk_wait(disk), OAK_ERR_FILE, "job 2 fails");
    assert_int_equal(log.jobs, test_rank == culprit ? 2 : 6);
    assert_int_equal(log.refused, test_rank == culprit ? 4 : 0);
    assert_int_equal(log.discarded, test_rank == 0 ? 2 : 0);
    assert_int_equal(log.released, 4);
    assert_int_equal(log.finished, 0);
    assert_int_equal(log.done, 0);
    oak_disk_free(&disk);
  }
}

/** Rank 0 cannot give the files their names. */
static void test_finish_fails(void **state) {
  (void)state;
  for (int background = 0; background < 2; background++) {
    oak_disk_t *disk = background ? new_disk(1 << 20) : NULL;
    log_t log = {.gate = 1, .finish = OAK_ERR_FILE};
    oak_status_t st = commit(disk, &log);
    if (background) {
      assert_int_equal(st, OAK_OK);
      while (!step(disk)) continue;
      st = oak_disk_wait(disk);
    }
    check_failure(st, OAK_ERR_FILE, "no name");
    assert_int_equal(log.discarded, test_rank == 0);
    assert_int_equal(log.released, background ? 2 : 1);
    assert_int_equal(log.done, 0);
    oak_disk_free(&disk);
  }
}

/** The file gets the data that were handed over, and errors have the messages of oak_write_at. */
static void test_files(void **state) {
  (void)state;
  char path[512], text[64] = "";
  oak_disk_t *disk = new_disk(1 << 20);
  const oak_disk_output_t nothing = {NULL};
  snprintf(path, sizeof path, "%s/rank_%d", folder, test_rank);
  int fd = open(path, O_RDWR | O_CREAT, 0666);
  for (int i = 0; i < 5; i++) {
    char digit = (char)('0' + i);
    assert_int_equal(oak_disk_write(disk, fd, &digit, 1, 4 - i, path), OAK_OK);
    digit = 'x';
  }
  assert_int_equal(oak_disk_close(disk, fd, path, OAK_OK), OAK_OK);
  assert_int_equal(oak_disk_commit(disk, MPI_COMM_WORLD, OAK_OK, &nothing), OAK_OK);
  assert_int_equal(oak_disk_wait(disk), OAK_OK);
  fd = open(path, O_RDONLY);
  assert_int_equal(read(fd, text, sizeof text - 1), 5);
  assert_string_equal(text, "43210");
  assert_int_equal(oak_disk_write(disk, fd, "no", 2, 0, path), OAK_OK); /* only for reading */
  assert_int_equal(oak_disk_close(disk, fd, path, OAK_OK), OAK_OK);
  assert_int_equal(oak_disk_commit(disk, MPI_COMM_WORLD, OAK_OK, &nothing), OAK_OK);
  check_failure(oak_disk_wait(disk), OAK_ERR_FILE, "rank_0: Bad file descriptor");
  assert_int_equal(fcntl(fd, F_GETFD), -1); /* closed all the same */
  oak_disk_free(&disk);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_goes_on), cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_job_fails),
                                     cmocka_unit_test(test_finish_fails),
                                     cmocka_unit_test(test_files)};
  return FOLDER_TEST_MAIN(tests);
}
