/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the fuzzed readers share. Each fuzz_*.c has the two functions that libFuzzer calls; replay.c
 * calls them where there is no clang. Whatever the input is, a reader returns with a status, and
 * with a message if it fails. */
#ifndef OAK_FUZZ_H
#define OAK_FUZZ_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oak/status.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_MUST(condition)                                                        \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      abort();                                                                      \
    }                                                                               \
  } while (0)

static char fuzz_messages[1 << 16]; /**< about the input */

/** A failure has a message, which holds no commands to a terminal. */
static inline void fuzz_judge(oak_status_t st) {
  const size_t used = strlen(fuzz_messages);
  if (st == OAK_OK) return;
  FUZZ_MUST(*oak_last_error());
  for (const char *c = oak_last_error(); *c; c++)
    FUZZ_MUST((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t');
  snprintf(fuzz_messages + used, sizeof fuzz_messages - used, "%s\n", oak_last_error());
}

/** With $OAK_FUZZ_PEER set, tell another reader (test_python_fuzz.py) what was read and what was
 * said about it, and wait until it has read the same. */
static inline void fuzz_tell(const char *path) {
  if (getenv("OAK_FUZZ_PEER")) {
    printf("%s\n%zu\n%s", path, strlen(fuzz_messages), fuzz_messages);
    fflush(stdout);
    if (getchar() == EOF) exit(1);
  }
  fuzz_messages[0] = '\0';
}

static char fuzz_folder[64];

static inline void fuzz_remove_folder(void) {
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", fuzz_folder);
  if (system(command) != 0) perror(command);
}

/** MPI and a folder in memory, for one process. */
static inline void fuzz_begin(int *argc, char ***argv) {
  setenv("OMPI_MCA_opal_signal", "64", 0); /* crashes are for the fuzzer to see */
  MPI_Init(argc, argv);
  snprintf(fuzz_folder, sizeof fuzz_folder, "%s/oak_fuzz_XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  FUZZ_MUST(mkdtemp(fuzz_folder));
  atexit(fuzz_remove_folder);
}

static inline void fuzz_write(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  FUZZ_MUST(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/** The contents of a file, for good. */
static inline char *fuzz_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  struct stat info;
  FUZZ_MUST(file && fstat(fileno(file), &info) == 0);
  char *data = malloc((size_t)info.st_size + 1);
  FUZZ_MUST(data);
  *size = fread(data, 1, (size_t)info.st_size, file);
  fclose(file);
  return data;
}

/** A first input, in the folder $OAK_FUZZ_SEEDS if it is set. */
static inline void fuzz_seed(const char *name, uint8_t first, const void *data, size_t size) {
  const char *folder = getenv("OAK_FUZZ_SEEDS");
  char path[4200];
  if (!folder) return;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  FUZZ_MUST(file && fputc(first, file) == first && fwrite(data, 1, size, file) == size &&
            fclose(file) == 0);
}

#endif
