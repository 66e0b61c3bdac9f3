/* SPDX-License-Identifier: GPL-2.0-or-later
 * libFuzzer's place where there is no clang: every file of some folders is an input, then a number
 * of mutations of them. The same numbers give the same inputs.
 *
 * usage: fuzz_NAME [-runs=N] [-seed=N] FOLDER ... */
#include <dirent.h>

#include "fuzz.h"

enum { MOST_FILES = 4096, LARGEST = 1 << 16 };
static struct {
  uint8_t *data;
  size_t size;
} input[MOST_FILES];
static int inputs;
static uint64_t state = 1;

/** xorshift64*; below \a n. */
static size_t below(size_t n) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return n ? (size_t)((state * UINT64_C(0x2545F4914F6CDD1D)) >> 33) % n : 0;
}

static void add_folder(const char *folder) {
  DIR *dir = opendir(folder);
  FUZZ_MUST(dir);
  for (struct dirent *entry; inputs < MOST_FILES && (entry = readdir(dir));) {
    char path[4400];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > LARGEST) continue;
    input[inputs].data = (uint8_t *)fuzz_read(path, &input[inputs].size);
    inputs++;
  }
  closedir(dir);
}

/** Some bytes changed, left out, repeated, or those of another input. \return the new size. */
static size_t mutate(uint8_t *out) {
  const int from = (int)below((size_t)inputs);
  size_t size = input[from].size;
  memcpy(out, input[from].data, size);
  for (size_t turn = below(6) + 1; turn > 0; turn--) {
    const size_t at = below(size + 1), length = below(size - at + 1) % (1 + below(32));
    switch (below(6)) {
      case 0:
        if (at < size) out[at] = (uint8_t)below(256);
        break;
      case 1:
        if (at < size) out[at] ^= (uint8_t)(1u << below(8));
        break;
      case 2:
        memmove(out + at, out + at + length, size - at - length);
        size -= length;
        break;
      case 3:
        if (size + length > LARGEST) break;
        memmove(out + at + length, out + at, size - at);
        size += length;
        break;
      case 4:
        size = at;
        break;
      default: {
        const int other = (int)below((size_t)inputs);
        const size_t first = below(input[other].size), left = input[other].size - first;
        const size_t take = left < size - at ? left : size - at;
        memcpy(out + at, input[other].data + first, take);
      }
    }
  }
  return size;
}

int main(int argc, char **argv) {
  static uint8_t buffer[LARGEST + 64];
  long runs = 0;
  LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "-runs=", 6))
      runs = atol(argv[i] + 6);
    else if (!strncmp(argv[i], "-seed=", 6))
      state = 2 * strtoull(argv[i] + 6, NULL, 10) + 1;
    else if (argv[i][0] != '-') /* other options are libFuzzer's */
      add_folder(argv[i]);
  }
  FUZZ_MUST(inputs > 0);
  for (int i = 0; i < inputs; i++) LLVMFuzzerTestOneInput(input[i].data, input[i].size);
  for (long n = 0; n < runs; n++) LLVMFuzzerTestOneInput(buffer, mutate(buffer));
  for (int i = 0; i < inputs; i++) free(input[i].data);
  MPI_Finalize();
  return 0;
}
