/* SPDX-License-Identifier: GPL-2.0-or-later
 * The CPU: kernels are shared objects from the C compiler of the machine, with OpenMP threads;
 * memory is the host's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_private.h"

typedef struct {
  oak_compiler_t compiler;
  oak_host_cpu_t host;
} cpu_t;

static void cpu_close(oak_device_t *dev) {
  cpu_t *cpu = dev->data;
  oak_host_clear(dev);
  oak_compiler_free(&cpu->compiler);
  free(cpu);
  dev->data = NULL;
}

static oak_status_t find_compiler(oak_device_t *dev) {
  cpu_t *cpu = dev->data;
  return oak_compiler_find(&cpu->compiler, dev->options.compiler, "OAK_CC", "cc gcc clang");
}

/* ---- build */

static int cpu_has_compiler(oak_device_t *dev) {
  const cpu_t *cpu = dev->data;
  return cpu->compiler.command.count > 0 || find_compiler(dev) == OAK_OK;
}

/** 1 if flags of the user say for which processor to compile. Kernels are then the same on all
 * processors. */
static int names_target(const oak_device_t *dev) {
  int named = 0;
  for (int i = 0; i < dev->user_flags.count; i++) {
    const char *word = dev->user_flags.word[i];
    if (strncmp(word, "-march=", 7) && strncmp(word, "-mcpu=", 6)) continue;
    named = strcmp(strchr(word, '=') + 1, "native") != 0;
  }
  return named;
}

/** Flags that not all compilers know. */
static void want_flags(const oak_device_t *dev, oak_words_t *wanted) {
  const cpu_t *cpu = dev->data;
  const int named = names_target(dev);
  if (!named) oak_words_split(wanted, "-march=native");
  /* None of these flags hides a NaN. -fno-signed-zeros lets the compiler drop the addition of 0 at
   * the start of sums, which cost 4 % in 2D. */
  oak_words_split(wanted, "-fno-math-errno -fno-trapping-math -fno-signed-zeros");
  /* With these flags a misspelt function is an error with file and line, instead of an error of the
   * loader. An assignment to the pointer q instead of q[0], which would write nothing, is an error
   * too. */
  oak_words_split(wanted,
                  "-Werror=implicit-function-declaration -Werror=incompatible-pointer-types "
                  "-Werror=int-conversion");
  /* With this flag messages name the line of the user's file instead of a macro in
   * kernels/language/hooks.h.
   */
  oak_words_split(wanted, "-ftrack-macro-expansion=0");
  /* gcc tuned for Zen 3 copies larger sets of parameters to each cell as a whole, and then does
   * not vectorise the loop over cells. */
  oak_words_split(wanted, "--param=sra-max-scalarization-size-Ospeed=2048");
  /* Compilers use half the vector width by default, because on older processors the full width
   * lowered the clock frequency. */
  if (cpu->host.avx512 || named) oak_words_split(wanted, "-mprefer-vector-width=512");
}

static oak_status_t cpu_probe(oak_device_t *dev) {
  cpu_t *cpu = dev->data;
  oak_words_t wanted = {0};
  want_flags(dev, &wanted);
  oak_status_t status = cpu->compiler.command.count ? OAK_OK : find_compiler(dev);
  if (status == OAK_OK) status = oak_compiler_probe(&cpu->compiler, &wanted, &dev->user_flags);
  oak_words_free(&wanted);
  return status;
}

/** As oak_compiler_t.begin. */
static oak_status_t cpu_begin(oak_device_t *dev, int asked, oak_words_t *command) {
  const cpu_t *cpu = dev->data;
  if (asked) OAK_TRY(cpu_probe(dev));
  oak_words_copy(command, &cpu->compiler.command);
  oak_words_split(command, "-std=gnu11 -O3");
  if (asked)
    oak_words_copy(command, &cpu->compiler.flags);
  else
    want_flags(dev, command);
  oak_words_split(command, "-fopenmp -shared -fPIC -fvisibility=default -DOAK_DEVICE_CPU=1");
  return OAK_OK;
}

static oak_status_t no_compiler(const oak_device_t *dev, const oak_source_t *source) {
  const oak_host_cpu_t *host = &((const cpu_t *)dev->data)->host;
  char target[160];
  snprintf(target, sizeof target, " for this processor (%s%s%s)", host->model,
           host->simd[0] ? ", " : "", host->simd);
  return oak_no_compiler(dev, source, target);
}

static oak_status_t cpu_build(oak_device_t *dev, const oak_source_t *source, const char *path) {
  if (!cpu_has_compiler(dev)) return no_compiler(dev, source);
  oak_words_t command = {0};
  int built = 0;
  OAK_TRY(cpu_begin(dev, 1, &command));
  const cpu_t *cpu = dev->data;
  const int clang = strstr(cpu->compiler.version, "clang") != NULL;
  if (source->debug && !source->data) {
    /* clang's group `bounds` has a check that ends the program without a message. */
    oak_words_split(
        &command, clang ? "-fsanitize=array-bounds,object-size" : "-fsanitize=bounds,object-size");
    oak_words_add(&command, "-g1");
  }
  if (source->data)
    oak_words_split(&command,
                    "-Wall -Wno-unused-function -Werror=return-type -Werror=array-bounds");
  /* A function may have the argument x[3] and get at->x of two components. */
  if (source->data && !clang)
    oak_words_split(&command,
                    "-Werror=aggressive-loop-optimizations -Wno-stringop-overread "
                    "-Wno-stringop-overflow");
  oak_status_t status = oak_units_build(dev, source, path, &command, &built);
  if (status == OAK_OK && !built) status = oak_object_build(dev, source, path, &command);
  oak_words_free(&command);
  return status;
}

/* ---- open */

static oak_status_t cpu_open(oak_device_t *dev, const oak_device_options_t *options) {
  cpu_t *cpu = calloc(1, sizeof *cpu);
  OAK_CHECK(cpu, OAK_ERR_MEMORY, "no memory for the cpu device");
  dev->data = cpu;
  dev->compiler = &cpu->compiler;
  cpu->compiler.begin = cpu_begin;
  /* libgomp, which is loaded with the first kernel, lets idle threads spin for milliseconds. On a
   * busy machine this slows a run down (2D AMR, 2 threads, load 8: 3.5 MCUPS, with this count
   * 11.7). The count suffices for a thread to spin from one launch to the next, which takes some 10
   * us. */
  setenv("GOMP_SPINCOUNT", "2000", 0);
  oak_host_cpu(&cpu->host);
  /* Kernels in the cache can be used without a compiler. A compiler that the user names must exist.
   */
  const char *variable = getenv("OAK_CC");
  const int named = options->compiler[0] || (variable && variable[0]);
  oak_status_t status = find_compiler(dev);
  if (status == OAK_OK || !named) return OAK_OK;
  cpu_close(dev);
  return status;
}

/* ---- texts */

static void cpu_describe(oak_device_t *dev, char *text, size_t size) {
  const cpu_t *cpu = dev->data;
  const char *simd = cpu->host.simd;
  const char *version = !cpu_has_compiler(dev)     ? "no C compiler"
                        : cpu->compiler.noted      ? cpu->compiler.noted
                        : cpu_probe(dev) == OAK_OK ? cpu->compiler.version
                                                   : cpu->compiler.command.word[0];
  snprintf(text, size, "%s, %d thread%s, %s%s%s", cpu->host.model, dev->threads,
           dev->threads == 1 ? "" : "s", simd, simd[0] ? ", " : "", version);
}

static oak_status_t cpu_fingerprint(oak_device_t *dev, int compiler, oak_hash_t *hash) {
  const cpu_t *cpu = dev->data;
  if (!names_target(dev)) oak_hash_bytes(hash, &cpu->host.target, sizeof cpu->host.target);
  if (compiler < 0) { /* -march=native means this processor */
    oak_hash_text(hash, cpu->host.model);
    oak_hash_bytes(hash, &cpu->host.signature, sizeof cpu->host.signature);
  }
  return oak_object_fingerprint(dev, compiler, hash);
}

const oak_device_ops_t oak_device_ops_cpu = {
    .name = "cpu",
    .summary = "processor cores, through the C compiler of the machine and OpenMP",
    .host_memory = 1,
    .tile_width = 1024, /* a plane of a tile then fits in the cache (docs/performance.md) */
    .tile_cells = 256,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = oak_host_alloc,
    .free = oak_host_free,
    .has_compiler = cpu_has_compiler,
    .preprocess = oak_object_preprocess,
    .build = cpu_build,
    .hold = oak_host_hold,
    .describe = cpu_describe,
    .fingerprint = cpu_fingerprint,
    OAK_OBJECT_OPS(OAK_OBJECT_OP) OAK_HOST_OPS(OAK_HOST_OP)};
