/* SPDX-License-Identifier: GPL-2.0-or-later
 * The file format of checkpoints, with blocks made up here: the same bytes from any number of
 * ranks, and no file but a good one is taken. A file cut at any place, with a bit flipped, bytes
 * taken out or put in, of another program, version or byte order is refused with a message.
 *
 *   OAK_TEST_MUTATIONS   number of files with a random mistake (1000) */
// TEST np={1,2,3} sanitize
// TEST name=long_@test@ timeout=600 suite=long OAK_TEST_MUTATIONS=10000
#include <fcntl.h>
#include <sys/stat.h>

#include "io/checkpoint/checkpoint_head.h"
#include "solver_test.h"

enum { SIDE = 8, VARIABLES = 3, PAGE = 4096, NAME_SIZE = 64 };

static char folder[NAME_SIZE / 2] = "/tmp/oak_checkpoint_XXXXXX";

static void file_name(char path[NAME_SIZE], const char *name) {
  snprintf(path, NAME_SIZE, "%s/%s", folder, name);
}

static uint64_t random_next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

/* ---- a checkpoint */

/* Value of a block, without regard to the rank that has it. */
static oak_status_t made_up(void *owner, int b0, int n, void *dst) {
  const oak_checkpoint_blocks_t *b = owner;
  double *to = dst;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < VARIABLES * SIDE * SIDE; c++)
      *to++ = sin((double)(b->first + b0 + i) + 0.1 * c);
  return OAK_OK;
}

static oak_checkpoint_t make_head(int64_t blocks) {
  return (oak_checkpoint_t){.dim = 2,
                            .block_size = {SIDE, SIDE, 1},
                            .nvar = VARIABLES,
                            .real_size = 8,
                            .trees = {1, 1, 1},
                            .periodic = {1, 0, 0},
                            .xmax = {1, 1, 0},
                            .step = 17,
                            .time = 0.1,
                            .dt = 0.01,
                            .rate = 3,
                            .updates = INT64_C(1) << 40,
                            .rates_known = 1,
                            .nglobal = blocks,
                            .text = {"0.1", "rho mx my", "abc", "def", "[run]\n", "none"}};
}

/* Blocks of rank `rank` of `size`, of one level: a number per block is all that matters here. */
static void write_with(MPI_Comm comm, const char *path, const oak_checkpoint_t *head) {
  const int blocks = (int)head->nglobal;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int first = blocks * rank / size, n = blocks * (rank + 1) / size - first;
  int8_t *level = malloc(n + 1);
  int32_t(*index)[3] = calloc(n + 1, sizeof *index);
  double *rate = malloc((n + 1) * sizeof *rate);
  if (!level || !index || !rate) abort();
  for (int b = 0; b < n; b++) {
    level[b] = 5;
    index[b][0] = first + b;
    rate[b] = 1.0 / (first + b + 1);
  }
  oak_checkpoint_blocks_t list = {.comm = comm,
                                  .first = first,
                                  .nblock = n,
                                  .level = level,
                                  .index = (const int32_t(*)[3])index,
                                  .rate = rate,
                                  .read = made_up,
                                  .owner = &list};
  MUST(oak_checkpoint_write(head, &list, path));
  free(level);
  free(index);
  free(rate);
}

static void write_made_up(MPI_Comm comm, const char *path, int blocks) {
  const oak_checkpoint_t head = make_head(blocks);
  write_with(comm, path, &head);
}

/* ---- files as bytes */

typedef struct {
  unsigned char *bytes;
  size_t size;
} content_t;

static content_t load(const char *path) {
  content_t c = {NULL, 0};
  struct stat info;
  FILE *f = fopen(path, "rb");
  if (!f || fstat(fileno(f), &info) != 0) abort();
  c.size = (size_t)info.st_size;
  c.bytes = malloc(c.size + 1);
  if (!c.bytes || fread(c.bytes, 1, c.size, f) != c.size) abort();
  fclose(f);
  return c;
}

static void store(const char *path, const void *bytes, size_t size) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) abort();
}

/** Read all of a checkpoint and compare all checksums. */
static oak_status_t read_all(const oak_checkpoint_file_t *file) {
  const int n = (int)file->head.nglobal;
  int8_t level;
  int32_t index[1][3];
  double rate;
  uint32_t sum;
  OAK_FREED void *data = malloc((size_t)oak_checkpoint_block_bytes(&file->head));
  for (int b = 0; b < n; b++) {
    OAK_TRY(oak_checkpoint_records(file, b, 1, &level, index, &rate, &sum));
    OAK_TRY(oak_checkpoint_data(file, b, 1, &sum, data));
  }
  return OAK_OK;
}

static oak_status_t verify(const char *path) {
  oak_checkpoint_file_t file;
  OAK_FAIL(OAK_OK, "no message");
  OAK_TRY(oak_checkpoint_open(MPI_COMM_SELF, path, &file));
  const oak_status_t st = read_all(&file);
  oak_checkpoint_close(&file);
  return st;
}

/** A file that must be refused with these words. On one rank. */
static int taken(const void *bytes, size_t size, const char *words) {
  char path[NAME_SIZE];
  file_name(path, "bad.oak");
  store(path, bytes, size);
  const oak_status_t st = verify(path);
  const int bad = st != OAK_ERR_FILE || !strstr(oak_last_error(), words) ||
                  !strstr(oak_last_error(), "bad.oak");
  if (bad) fprintf(stderr, "%s: %s, expected '%s'\n", test_name, oak_last_error(), words);
  return bad;
}

/* ---- tests */

static void test_ranks(void **state) {
  (void)state;
  static const int blocks[] = {1, 5, 700}; /* fewer than ranks; more than a buffer holds */
  for (int i = 0; i < 3; i++) {
    char one[NAME_SIZE], all[NAME_SIZE];
    int differ = 0;
    file_name(one, "one.oak");
    file_name(all, "all.oak");
    if (test_rank == 0) write_made_up(MPI_COMM_SELF, one, blocks[i]);
    write_made_up(MPI_COMM_WORLD, all, blocks[i]);
    MUST(verify(all));
    if (test_rank == 0) {
      content_t a = load(one), b = load(all);
      differ = a.size != b.size || memcmp(a.bytes, b.bytes, a.size) != 0;
      free(a.bytes);
      free(b.bytes);
    }
    MPI_Bcast(&differ, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert_false(differ);
  }
}

/* What was written is what is read. */
static void test_values(void **state) {
  (void)state;
  enum { BLOCKS = 40 };
  char path[NAME_SIZE];
  oak_checkpoint_file_t file;
  int8_t level[BLOCKS];
  int32_t index[BLOCKS][3];
  double rate[BLOCKS];
  uint32_t sum[BLOCKS];
  static double data[BLOCKS * VARIABLES * SIDE * SIDE];
  const oak_checkpoint_t head = make_head(BLOCKS);
  file_name(path, "all.oak");
  write_made_up(MPI_COMM_WORLD, path, BLOCKS);
  MUST(oak_checkpoint_open(MPI_COMM_WORLD, path, &file));
  for (int t = 0; t < OAK_CHECKPOINT_TEXTS; t++)
    assert_string_equal(file.head.text[t], head.text[t]);
  assert_int_equal(file.head.step, head.step);
  assert_true(file.head.time == head.time && file.head.updates == head.updates);
  assert_int_equal(file.head.periodic[0], 1);
  MUST(oak_checkpoint_records(&file, 0, BLOCKS, level, index, rate, sum));
  MUST(oak_checkpoint_data(&file, 0, BLOCKS, sum, data));
  for (int b = 0; b < BLOCKS; b++) {
    assert_true(level[b] == 5 && index[b][0] == b && rate[b] == 1.0 / (b + 1));
    assert_true(data[b * VARIABLES * SIDE * SIDE + 3] == sin(b + 0.1 * 3));
  }
  oak_checkpoint_close(&file);
}

static int truncated(const content_t *good) {
  int bad = 0;
  for (size_t at = 0; at < good->size; at += at < 1024 ? 7 : PAGE)
    bad += taken(good->bytes, at, at < 8 ? "no checkpoint" : "damaged");
  unsigned char *longer = calloc(1, good->size + PAGE);
  if (!longer) abort();
  memcpy(longer, good->bytes, good->size);
  bad += taken(longer, good->size + 1, "damaged") + taken(longer, good->size + PAGE, "damaged");
  free(longer);
  return bad;
}

static int mutations(void) {
  const char *text = getenv("OAK_TEST_MUTATIONS");
  return text ? atoi(text) : 1000;
}

/* Flip a bit, take bytes out, put bytes in. */
static int mutated(const content_t *good) {
  unsigned char *copy = malloc(good->size + 64);
  const int count = mutations();
  uint64_t random = 88172645463325252u;
  int bad = 0;
  if (!copy) abort();
  for (int m = 0; m < count && bad < 10; m++) {
    const uint64_t r = random_next(&random);
    const size_t at = (r >> 8) % (m % 4 ? good->size : 600), n = 1 + (r >> 56) % 64;
    const size_t cut = at + n < good->size ? n : good->size - at;
    size_t size = good->size;
    memcpy(copy, good->bytes, size);
    if (r % 3 == 0) {
      copy[at] ^= (unsigned char)(1 << (r >> 4) % 8);
    } else if (r % 3 == 1) {
      memmove(copy + at, copy + at + cut, size - at - cut);
      size -= cut;
    } else {
      memmove(copy + at + n, copy + at, size - at);
      for (size_t i = 0; i < n; i++) copy[at + i] = (unsigned char)random_next(&random);
      size += n;
    }
    bad += taken(copy, size, "");
  }
  free(copy);
  return bad;
}

/* A head with another number in it, and the right checksum. */
static int changed_head(const content_t *good, size_t offset, uint32_t value, const char *words) {
  oak_checkpoint_head_t head;
  unsigned char *copy = malloc(good->size);
  if (!copy) abort();
  memcpy(copy, good->bytes, good->size);
  memcpy(copy + offset, &value, sizeof value);
  memcpy(&head, copy, sizeof head);
  head.sum = oak_checkpoint_sum(0, copy, offsetof(oak_checkpoint_head_t, sum));
  head.sum = oak_checkpoint_sum(head.sum, copy + sizeof head,
                                head.text_bytes < good->size ? head.text_bytes : 0);
  memcpy(copy, &head, sizeof head);
  const int bad = taken(copy, good->size, words);
  free(copy);
  return bad;
}

static int strangers(void) {
  static const char png[] = "\211PNG\r\n\032\n0123456789", text[] = "[run]\nend_time = 1\n";
  char path[NAME_SIZE];
  int bad = taken(png, sizeof png, "no checkpoint") + taken(text, sizeof text, "no checkpoint") +
            taken("", 0, "no checkpoint");
  file_name(path, "pipe");
  if (mkfifo(path, 0600) != 0) abort();
  bad += verify(path) != OAK_ERR_FILE;
  bad += verify(folder) != OAK_ERR_FILE;
  file_name(path, "nothing");
  bad += verify(path) != OAK_ERR_FILE || !strstr(oak_last_error(), "cannot open");
  return bad;
}

/* A block of another file, with its record. */
static int foreign_block(const content_t *good, const oak_checkpoint_t *head) {
  enum { BLOCK = 2, BYTES = VARIABLES * SIDE * SIDE * 8 };
  char path[NAME_SIZE];
  file_name(path, "all.oak");
  write_with(MPI_COMM_SELF, path, head);
  content_t other = load(path);
  const size_t blocks = (size_t)head->nglobal, data = good->size - (blocks - BLOCK) * BYTES,
               record =
                   good->size - blocks * BYTES - (blocks - BLOCK) * sizeof(oak_checkpoint_record_t);
  unsigned char *copy = malloc(good->size);
  if (!copy || other.size != good->size) abort();
  memcpy(copy, good->bytes, good->size);
  memcpy(copy + data, other.bytes + data, BYTES);
  memcpy(copy + record, other.bytes + record, sizeof(oak_checkpoint_record_t));
  const int bad = taken(copy, good->size, "the record of block 2 is wrong");
  free(copy);
  free(other.bytes);
  return bad;
}

/* Blocks of another step, and of another run at the same step. */
static int foreign_blocks(const content_t *good) {
  oak_checkpoint_t step = make_head(11), run = make_head(11);
  step.step = 18;
  run.text[OAK_CHECKPOINT_PARAMETERS] = "[ran]\n";
  return foreign_block(good, &step) + foreign_block(good, &run);
}

#define HEAD(member) offsetof(oak_checkpoint_head_t, member)

static void test_bad_files(void **state) {
  (void)state;
  int bad = 0;
  if (test_size == 1) {
    char path[NAME_SIZE];
    file_name(path, "good.oak");
    write_made_up(MPI_COMM_SELF, path, 11);
    content_t good = load(path);
    bad += verify(path) != OAK_OK;
    bad += truncated(&good) + mutated(&good) + strangers();
    bad += foreign_blocks(&good);
    bad += changed_head(&good, HEAD(version), OAK_CHECKPOINT_VERSION + 1, "newer oak");
    bad += changed_head(&good, HEAD(version), 1, "older oak");
    bad += changed_head(&good, HEAD(order), 0x04030201, "another byte order");
    bad += changed_head(&good, HEAD(dim), 3, "damaged");
    bad += changed_head(&good, HEAD(dim), 7, "damaged");
    bad += changed_head(&good, HEAD(block_size), 0, "damaged");
    bad += changed_head(&good, HEAD(nvar), 1 << 30, "damaged");
    bad += changed_head(&good, HEAD(blocks), UINT32_MAX, "damaged");
    bad += changed_head(&good, HEAD(blocks) + 4, 0x7fffffff, "damaged");
    bad += changed_head(&good, HEAD(text_bytes) + 4, 1, "damaged");
    bad += changed_head(&good, HEAD(rate) + 4, 0x7ff80000, "damaged");
    bad += changed_head(&good, HEAD(time) + 4, 0x7ff00000, "damaged");
    bad += changed_head(&good, HEAD(updates) + 4, INT32_MAX, "out of range");
    bad += changed_head(&good, HEAD(step) + 4, INT32_MAX, "out of range");
    free(good.bytes);
  }
  MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
  assert_int_equal(bad, 0);
}

/* What is not a checkpoint is not replaced; a damaged part belongs to one block. */
static void test_replace(void **state) {
  (void)state;
  char path[NAME_SIZE];
  const oak_checkpoint_t head = make_head(0);
  const oak_checkpoint_blocks_t none = {.comm = MPI_COMM_WORLD, .read = made_up};
  file_name(path, "letter");
  if (test_rank == 0) store(path, "dear all", 8);
  assert_int_equal(oak_checkpoint_write(&head, &none, path), OAK_ERR_FILE);
  assert_non_null(strstr(oak_last_error(), "something else"));
  file_name(path, "all.oak");
  write_made_up(MPI_COMM_WORLD, path, 3);
  write_made_up(MPI_COMM_WORLD, path, 4);
  MUST(verify(path));
}

static int set_up(void **state) {
  (void)state;
  if (test_rank == 0 && !mkdtemp(folder)) return 1;
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  return 0;
}

static int clean_up(void **state) {
  (void)state;
  static const char *const names[] = {"one.oak", "all.oak", "good.oak",
                                      "bad.oak", "pipe",    "letter"};
  char path[NAME_SIZE];
  MPI_Barrier(MPI_COMM_WORLD);
  for (size_t i = 0; i < sizeof names / sizeof *names && test_rank == 0; i++) {
    file_name(path, names[i]);
    unlink(path);
  }
  return test_rank == 0 ? rmdir(folder) : 0;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_ranks, set_up),
                                     cmocka_unit_test(test_values), cmocka_unit_test(test_replace),
                                     cmocka_unit_test_teardown(test_bad_files, clean_up)};
  return TEST_MAIN(tests);
}
