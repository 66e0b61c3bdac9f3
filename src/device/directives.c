/* SPDX-License-Identifier: GPL-2.0-or-later
 * OpenACC. Kernels are shared objects from gcc, which may hold code for a GPU. gcc's own runtime
 * finds the device; oak calls this runtime through include/oak/dialect/directives_runtime.c, which
 * is built like a kernel. A launch returns when the kernel has ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "device_private.h"

/** Functions of include/oak/dialect/directives_runtime.c. */
#define RUNTIME_TABLE(X)                                         \
  X(int, open, (int rank, int host, char *text, int size))       \
  X(void *, alloc, (size_t bytes))                               \
  X(void, free, (void *p))                                       \
  X(void, upload, (void *dst, const void *host, size_t bytes))   \
  X(void, download, (void *host, const void *src, size_t bytes)) \
  X(size_t, free_bytes, (void))

static const char variable[] = "OAK_ACC_CC"; /* of the environment, that names the compiler */

typedef struct {
  oak_compiler_t compiler; /**< no command: there is none, and the cache must have the kernels */
  int offload;             /**< the compiler makes code for a GPU */
  int on_host;             /**< kernels run on the host and use its memory */
  char device[128];
  oak_module_t *runtime;
#define MEMBER(result, name, arguments) result(*name) arguments;
  RUNTIME_TABLE(MEMBER)
#undef MEMBER
} acc_t;

/* ---- the compiler */

/** Whether the compiler makes code for GPUs: for gcc this is a package of its own. */
static int finds_gpu(const oak_compiler_t *compiler) {
  oak_words_t command = {0};
  oak_buffer_t output = {0};
  int code = 1;
  oak_words_copy(&command, &compiler->command);
  oak_words_split(&command, "-print-file-name=accel/nvptx-none/mkoffload");
  oak_status_t st = oak_process_run(&command, NULL, &output, &code);
  const int found = st == OAK_OK && code == 0 && oak_buffer_get(&output)[0] == '/';
  oak_words_free(&command);
  oak_buffer_free(&output);
  return found;
}

/** The compiler named by the user; else the first of these that makes code for GPUs, else any. */
static oak_status_t find_compiler(oak_device_t *dev, acc_t *acc) {
  static const char disable[] = "-foffload=disable";
  const char *choice = dev->options.compiler, *other = getenv(variable);
  oak_words_t names = {0};
  if (!choice[0] && !(other && other[0]))
    oak_words_split(&names, "gcc gcc-16 gcc-15 gcc-14 gcc-13 gcc-12");
  oak_status_t st = oak_words_status(&names);
  for (int i = 0; !acc->offload && i < names.count && st == OAK_OK; i++) {
    char *path = oak_process_find(names.word[i]);
    if (!path) continue;
    free(path);
    oak_compiler_free(&acc->compiler);
    st = oak_compiler_find(&acc->compiler, names.word[i], variable, "");
    if (st == OAK_OK) acc->offload = finds_gpu(&acc->compiler);
  }
  oak_words_free(&names);
  OAK_TRY(st);
  if (!acc->offload) {
    oak_compiler_free(&acc->compiler);
    OAK_TRY(oak_compiler_find(&acc->compiler, choice, variable, "gcc cc"));
    acc->offload = finds_gpu(&acc->compiler);
  }
  for (int i = 0; i < dev->user_flags.count; i++)
    acc->offload &= strcmp(dev->user_flags.word[i], disable) != 0;
  return OAK_OK;
}

static oak_status_t probe(const oak_device_t *dev, acc_t *acc) {
  oak_words_t wanted = {0};
  /* None of these hides a NaN; see cpu.c. */
  oak_words_split(&wanted,
                  "-fopenacc -fno-math-errno -fno-trapping-math -fno-signed-zeros "
                  "-Werror=implicit-function-declaration -Werror=incompatible-pointer-types "
                  "-ftrack-macro-expansion=0 -fno-tree-sink -fno-tree-pre -fno-code-hoisting "
                  "-fno-thread-jumps -fno-gcse");
  oak_status_t st = oak_compiler_probe(&acc->compiler, &wanted, &dev->user_flags);
  oak_words_free(&wanted);
  return st;
}

/** As oak_compiler_t.begin. */
static oak_status_t acc_begin(oak_device_t *dev, int asked, oak_words_t *command) {
  const acc_t *acc = dev->data;
  (void)asked;
  if (!acc->compiler.command.count) return OAK_OK;
  oak_words_copy(command, &acc->compiler.command);
  oak_words_split(command, "-std=gnu11 -O3");
  oak_words_copy(command, &acc->compiler.flags);
  oak_words_split(command, "-shared -fPIC -fvisibility=default");
  oak_words_split(command, acc->offload
                               ? "-foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80 "
                                 "-foffload-options=nvptx-none=-lm"
                               : "-foffload=disable");
  oak_words_split(command, "-DOAK_DEVICE_OPENACC=1");
  return OAK_OK;
}

/* ---- open and close */

static void acc_close(oak_device_t *dev) {
  acc_t *acc = dev->data;
  if (acc->runtime) oak_object_unload(dev, acc->runtime);
  oak_host_clear(dev);
  oak_compiler_free(&acc->compiler);
  free(acc);
  dev->data = NULL;
}

/** Kernels in the cache can be used without a compiler; they may hold code for a GPU. */
static oak_status_t prepare(oak_device_t *dev) {
  acc_t *acc = dev->data;
  OAK_CHECK(acc, OAK_ERR_MEMORY, "no memory for the openacc device");
  dev->compiler = &acc->compiler;
  acc->compiler.begin = acc_begin;
  if (find_compiler(dev, acc) == OAK_OK) return probe(dev, acc);
  acc->offload = 1;
  return OAK_OK;
}

static oak_status_t start(oak_device_t *dev, acc_t *acc) {
#define FIND(result, name, arguments)                                      \
  do {                                                                     \
    void *symbol = oak_object_symbol(acc->runtime, "oak_acc_" #name);      \
    OAK_CHECK(symbol, OAK_ERR_BUILD, "directives_runtime.c lacks " #name); \
    memcpy(&acc->name, &symbol, sizeof symbol);                            \
  } while (0);
  RUNTIME_TABLE(FIND)
#undef FIND
  acc->on_host = acc->open(dev->host_rank, !acc->offload, acc->device, sizeof acc->device);
  dev->unshared = !acc->on_host;
  dev->mpi_direct = acc->on_host || oak_mpi_takes_gpu();
  return OAK_OK;
}

/** Collective, unlike `open` of other devices, because the runtime is built like a kernel. */
static oak_status_t acc_open(oak_device_t *dev, const oak_device_options_t *options) {
  static const char *const define[] = {"OAK_DIM=2", "OAK_NX=8", "OAK_NY=8",
                                       "OAK_NZ=1",  "OAK_NG=2", "OAK_REAL=double"};
  const char *root;
  char *file = NULL;
  (void)options;
  acc_t *acc = dev->data = calloc(1, sizeof *acc);
  oak_status_t st = prepare(dev);
  if (st == OAK_OK) st = oak_source_root(&root);
  if (st == OAK_OK) st = oak_format(&file, "%s/include/oak/dialect/directives_runtime.c", root);
  st = oak_agree(dev->comm, st);
  if (st == OAK_OK) {
    const char *const list[] = {file};
    const oak_source_t source = {
        .name = "directives_runtime", .define = define, .ndefine = 6, .file = list, .nfile = 1};
    st = oak_device_build(dev, &source, &acc->runtime);
  }
  if (st == OAK_OK) st = start(dev, acc);
  free(file);
  if (st != OAK_OK && acc) acc_close(dev);
  return st;
}

/* ---- memory */

static oak_status_t acc_alloc(oak_device_t *dev, size_t bytes, void **out) {
  acc_t *acc = dev->data;
  char size[2][32];
  if (acc->on_host) return oak_host_alloc(dev, bytes, out);
  const size_t left = acc->free_bytes();
  *out = left >= bytes || left == 0 ? acc->alloc(bytes) : NULL;
  OAK_CHECK(*out, OAK_ERR_MEMORY,
            "cannot allocate %s on %s: %s are free; use fewer blocks, single precision, or more "
            "GPUs",
            oak_format_size((double)bytes, size[0]), acc->device,
            oak_format_size((double)left, size[1]));
  return OAK_OK;
}

static void acc_free(oak_device_t *dev, void *ptr) {
  acc_t *acc = dev->data;
  if (acc->on_host)
    oak_host_free(dev, ptr);
  else
    acc->free(ptr);
}

static oak_status_t acc_upload(oak_device_t *dev, void *dst, const void *host, size_t bytes) {
  acc_t *acc = dev->data;
  if (acc->on_host)
    memcpy(dst, host, bytes);
  else
    acc->upload(dst, host, bytes);
  return OAK_OK;
}

static oak_status_t acc_download(oak_device_t *dev, void *host, const void *src, size_t bytes) {
  acc_t *acc = dev->data;
  if (acc->on_host)
    memcpy(host, src, bytes);
  else
    acc->download(host, src, bytes);
  return OAK_OK;
}

/* ---- build */

static int acc_has_compiler(oak_device_t *dev) { return dev->compiler->command.count > 0; }

static oak_status_t acc_build(oak_device_t *dev, const oak_source_t *source, const char *path) {
  acc_t *acc = dev->data;
  oak_words_t command = {0};
  if (!acc_has_compiler(dev)) { /* find it once more, for the message */
    oak_compiler_find(&acc->compiler, dev->options.compiler, variable, "gcc cc");
    return oak_no_compiler(dev, source, "");
  }
  acc_begin(dev, 1, &command);
  const oak_status_t st = oak_object_build(dev, source, path, &command);
  oak_words_free(&command);
  return st;
}

/** OpenACC does not report the size of a GPU or the registers of a kernel. This number is right for
 * the flux kernel on an H100: 3 gangs on each of 132 multiprocessors. */
static long acc_slots(oak_device_t *dev, oak_kernel_t *kernel) {
  const acc_t *acc = dev->data;
  (void)kernel;
  return acc->on_host ? 1 : 396;
}

/* ---- texts */

static void acc_describe(oak_device_t *dev, char *text, size_t size) {
  const acc_t *acc = dev->data;
  const char *version = acc->compiler.version;
  snprintf(text, size, "%s, %s%s; device.compiler or %s names another compiler",
           acc->on_host ? "the host" : acc->device, version ? version : "no compiler",
           acc->offload ? "" : " without code for GPUs", variable);
}

const oak_device_ops_t oak_device_ops_openacc = {
    .name = "openacc",
    .summary = "GPUs or the host, through OpenACC of gcc",
    .named_only = 1,
    .tile_width = 32,
    .tile_cells = 256,
    .open = acc_open,
    .close = acc_close,
    .alloc = acc_alloc,
    .free = acc_free,
    .upload = acc_upload,
    .download = acc_download,
    .has_compiler = acc_has_compiler,
    .preprocess = oak_object_preprocess,
    .build = acc_build,
    .slots = acc_slots,
    .describe = acc_describe,
    .fingerprint = oak_object_fingerprint,
    OAK_OBJECT_OPS(OAK_OBJECT_OP) OAK_HOST_OPS(OAK_HOST_OP)};
