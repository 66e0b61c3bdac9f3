/* SPDX-License-Identifier: GPL-2.0-or-later
 * A GPU that is not there: libcuda.so.1 and libnvrtc.so.12, and with FAKE_HIP libamdhip64.so.7 and
 * libhiprtc.so.7, for tests on machines without one. The compiler's stand-in compiles kernels with
 * cc in the dialect of the CPU, the driver's stand-in runs them, and both fail as $OAK_FAKE_CUDA
 * says: words, separated by blanks, of
 *
 *   rank=R          the words after this one hold on rank R only
 *   init=E          cuInit fails with error E
 *   count=N         GPUs (1)
 *   version=V       version of the driver (13000; of HIP 60000000)
 *   wave=W          threads of a wavefront: 64 (a card of the kind gfx90a) or 32 (gfx1030)
 *   capability=C    compute capability (90)
 *   memory=M        MiB of the GPU (4096)
 *   context=E       the context fails with error E
 *   launch=E,N      launch number N of the process fails with error E
 *   fault=E,N       launch number N is accepted, but its kernel fails with error E, as all calls do
 * after it
 *   load=E          modules do not load: error E
 *   nvrtc=V         version of NVRTC (12000)
 *   compile=E       NVRTC fails with error E
 *   refuse=N        it fails for source number N, not counting those that describe physics and
 *                   problem
 *   lanes=1         kernels are compiled in the dialect of the GPU, and the threads of a block take
 *                   turns: see lanes.h; needs a compiler of C++
 *   late=MS         copies in the third stream, that of output, begin so many milliseconds late
 *   fetch=E         copies in that stream fail with error E
 *   ipc=E           memory cannot be shared with other processes: error E
 *   nccl=E          NCCL does not start: error E */
#ifndef OAK_FAKE_CUDA_H
#define OAK_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FAKE_HIP
#include "hip_names.h"
#define FAKE_VERSION 60000000
#define FAKE_SHARED_BYTES 65536
#else
#define FAKE_VERSION 13000
#define FAKE_SHARED_BYTES 232448
#endif

/** What a built kernel is: this head and a shared object. */
typedef struct {
  char magic[8];
  uint64_t bytes;
} fake_image_t;
#define FAKE_MAGIC "fakecub"

/** Value of a word of $OAK_FAKE_CUDA, or `otherwise`; *second: what follows its comma. */
static inline int fake_word(const char *name, int otherwise, int *second) {
  char text[512], *next = NULL;
  const char *all = getenv("OAK_FAKE_CUDA"), *rank = getenv("OMPI_COMM_WORLD_RANK");
  int mine = 1;
  snprintf(text, sizeof text, "%s", all ? all : "");
  for (char *word = strtok_r(text, " ", &next); word; word = strtok_r(NULL, " ", &next)) {
    char *value = strchr(word, '=');
    if (!value) abort();
    *value++ = 0;
    if (!strcmp(word, "rank")) mine = atoi(value) == (rank ? atoi(rank) : 0);
    if (strcmp(word, name) != 0 || !mine) continue;
    if (second) *second = strchr(value, ',') ? atoi(strchr(value, ',') + 1) : 0;
    return atoi(value);
  }
  return otherwise;
}

#endif
