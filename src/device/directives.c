/* SPDX-License-Identifier: GPL-2.0-or-later
 * OpenACC and OpenMP. Kernels are shared objects from a compiler of directives, which may hold code
 * for a GPU. The compiler's own runtime finds the device; oak calls this runtime through
 * include/oak/dialect/directives_runtime.c, which is built like a kernel. A launch returns when the
 * kernel has ended. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

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

/** What differs between the two kinds of directives. */
typedef struct {
  const char *variable; /**< of the environment, that names the compiler */
  const char *names;    /**< compilers that are tried in this order */
  const char *flag;     /**< for gcc and clang */
  const char *nvc;      /**< for nvc */
  const char *define;
  const char *gpus[2]; /**< targets of gcc */
} kind_t;

static const kind_t openacc = {"OAK_ACC_CC",
                               "nvc gcc gcc-16 gcc-15 gcc-14 gcc-13 gcc-12",
                               "-fopenacc",
                               "-acc",
                               "-DOAK_DEVICE_OPENACC=1",
                               {"nvptx-none", NULL}};
static const kind_t openmp = {"OAK_OMP_CC",
                              "nvc amdclang gcc gcc-16 gcc-15 gcc-14 gcc-13 gcc-12 clang",
                              "-fopenmp",
                              "-mp=gpu",
                              "-DOAK_DEVICE_OPENMP=1",
                              {"nvptx-none", "amdgcn-amdhsa"}};

typedef struct {
  const kind_t *kind;
  oak_compiler_t compiler;
  char *built;     /**< with $OAK_ACC_PREBUILT: version and command of the compiler that built the
                        kernels; NULL: the compiler is here */
  int offload;     /**< the compiler makes code for a GPU */
  const char *gpu; /**< gcc: its target; NULL: the user's flags say it, or there is none */
  int on_host;     /**< kernels run on the host and use its memory */
  char device[128];
  oak_module_t *runtime;
#define MEMBER(result, name, arguments) result(*name) arguments;
  RUNTIME_TABLE(MEMBER)
#undef MEMBER
} acc_t;

/* ---- the compiler */

static int is_named(const oak_compiler_t *compiler, const char *name) {
  const char *slash = strrchr(compiler->command.word[0], '/');
  return strstr(slash ? slash + 1 : compiler->command.word[0], name) != NULL;
}
static int is_nvc(const oak_compiler_t *compiler) { return is_named(compiler, "nvc"); }

/** 1 if this gcc has the part that makes code for these GPUs (a package of its own). */
static int gcc_offloads(const oak_compiler_t *compiler, const char *gpu) {
  oak_words_t command = {0};
  oak_buffer_t output = {0};
  int code = 1;
  oak_words_copy(&command, &compiler->command);
  oak_words_add(&command, "-print-file-name=accel/%s/mkoffload", gpu);
  oak_status_t st = oak_process_run(&command, NULL, &output, &code);
  const int found = st == OAK_OK && code == 0 && oak_buffer_get(&output)[0] == '/';
  oak_words_free(&command);
  oak_buffer_free(&output);
  return found;
}

/** Whether the compiler makes code for GPUs; for clang the user's flags say so. */
static int finds_gpu(const oak_device_t *dev, acc_t *acc) {
  const oak_compiler_t *compiler = &acc->compiler;
  for (int i = 0; i < dev->user_flags.count; i++) {
    const char *word = dev->user_flags.word[i];
    if (!strncmp(word, "-fopenmp-targets", 16) || !strncmp(word, "--offload-arch", 14)) return 1;
  }
  if (is_nvc(compiler)) return 1;
  for (int i = 0; i < 2 && !is_named(compiler, "clang"); i++)
    if (!acc->gpu && acc->kind->gpus[i] && gcc_offloads(compiler, acc->kind->gpus[i]))
      acc->gpu = acc->kind->gpus[i];
  return acc->gpu != NULL;
}

static int disables_offload(const char *flags) {
  static const char word[] = "-foffload=disable";
  return oak_str_has_word(flags, word, strlen(word));
}

/** The compiler named by the user; else the first of the names that makes code for GPUs, else any.
 */
static oak_status_t find_compiler(oak_device_t *dev, acc_t *acc) {
  const char *choice = dev->options.compiler, *other = getenv(acc->kind->variable);
  const int named = choice[0] || (other && other[0]);
  oak_words_t names = {0};
  oak_words_split(&names, acc->kind->names);
  oak_status_t st = oak_words_status(&names);
  for (int i = 0; !named && !acc->offload && i < names.count && st == OAK_OK; i++) {
    char *path = oak_process_find(names.word[i]);
    if (!path) continue;
    free(path);
    oak_compiler_free(&acc->compiler);
    st = oak_compiler_find(&acc->compiler, names.word[i], acc->kind->variable, "");
    if (st == OAK_OK) acc->offload = finds_gpu(dev, acc);
  }
  oak_words_free(&names);
  OAK_TRY(st);
  if (!acc->offload) {
    oak_compiler_free(&acc->compiler);
    OAK_TRY(oak_compiler_find(&acc->compiler, choice, acc->kind->variable, "gcc cc"));
    acc->offload = finds_gpu(dev, acc);
  }
  if (disables_offload(dev->options.flags) || disables_offload(dev->env_flags)) acc->offload = 0;
  return OAK_OK;
}

static oak_status_t probe(const oak_device_t *dev, acc_t *acc) {
  oak_words_t wanted = {0};
  /* None of these hides a NaN; see cpu.c. */
  if (!is_nvc(&acc->compiler)) {
    oak_words_add(&wanted, "%s", acc->kind->flag);
    oak_words_split(&wanted,
                    "-fno-math-errno -fno-trapping-math -fno-signed-zeros "
                    "-Werror=implicit-function-declaration -Werror=incompatible-pointer-types "
                    "-ftrack-macro-expansion=0 -fno-tree-sink -fno-tree-pre -fno-code-hoisting "
                    "-fno-thread-jumps -fno-gcse");
  }
  oak_status_t st = oak_compiler_probe(&acc->compiler, &wanted, &dev->user_flags);
  oak_words_free(&wanted);
  return st;
}

/** The first part of the command, up to the defines. It does not depend on the source. */
static void head(const acc_t *acc, oak_words_t *command) {
  oak_words_copy(command, &acc->compiler.command);
  if (is_nvc(&acc->compiler)) {
    oak_words_add(command, "%s", acc->kind->nvc);
    oak_words_split(command, "-O3 -fPIC -shared");
  } else {
    oak_words_split(command, "-std=gnu11 -O3");
    oak_words_copy(command, &acc->compiler.flags);
    oak_words_split(command, "-shared -fPIC -fvisibility=default");
  }
  if (acc->gpu && acc->offload) {
    oak_words_add(command, "-foffload=%s", acc->gpu);
    /* Which cards of AMD a gcc knows depends on its version: device.flags names one. */
    if (acc->gpu == acc->kind->gpus[0])
      oak_words_add(command, "-foffload-options=%s=-misa=sm_80", acc->gpu);
    oak_words_add(command, "-foffload-options=%s=-lm", acc->gpu);
    if (acc->kind == &openmp && acc->gpu == acc->kind->gpus[0]) /* sums of 16 bytes */
      oak_words_add(command, "-foffload-options=%s=-latomic", acc->gpu);
  } else if (!acc->offload && !is_named(&acc->compiler, "clang") && !is_nvc(&acc->compiler)) {
    oak_words_split(command, "-foffload=disable");
  }
  oak_words_add(command, "%s", acc->kind->define);
  if (!acc->offload && acc->kind == &openmp) oak_words_split(command, "-DOAK_ON_HOST=1");
}

/* kernels from a machine that has the compiler, which $OAK_CACHE/openacc.compiler describes */

static oak_status_t prebuilt_path(const oak_device_t *dev, char **path) {
  OAK_CHECK(dev->cache, OAK_ERR_BUILD,
            "OAK_ACC_PREBUILT is set, but the kernel cache cannot be used: %s",
            dev->unkept ? dev->unkept : "it does not load");
  return oak_format(path, "%s/%s.compiler", dev->cache, dev->ops->name);
}

/** Version and command, which identify the compiler. */
static void compiler_text(const acc_t *acc, oak_buffer_t *text) {
  if (acc->built) {
    oak_buffer_print(text, "%s", acc->built);
    return;
  }
  oak_words_t command = {0};
  head(acc, &command);
  oak_buffer_print(text, "%s\n", acc->compiler.version);
  for (int i = 0; i < command.count; i++) oak_buffer_print(text, " %s", command.word[i]);
  oak_words_free(&command);
}

static void note_compiler(const oak_device_t *dev, const acc_t *acc) {
  oak_buffer_t text = {0};
  char *path;
  if (dev->unkept || prebuilt_path(dev, &path) != OAK_OK) return;
  compiler_text(acc, &text);
  oak_cache_write(path, &text); /* only another machine needs this file, so a failure to write it is
                                   ignored */
  oak_buffer_free(&text);
  free(path);
}

static oak_status_t read_prebuilt(oak_device_t *dev, acc_t *acc) {
  oak_buffer_t text = {0};
  char *path;
  OAK_TRY(oak_cache_open(dev));
  OAK_TRY(prebuilt_path(dev, &path));
  const int error = oak_cache_read(path, &text);
  oak_status_t st = OAK_OK;
  if (error)
    st = OAK_FAIL(OAK_ERR_BUILD,
                  "OAK_ACC_PREBUILT is set, but %s cannot be read: %s; copy OAK_CACHE of a machine "
                  "that has built the kernels",
                  path, error == EBADMSG ? "others may write to it" : strerror(error));
  free(path);
  if (st == OAK_OK) {
    acc->built = text.data;
    acc->offload = !strstr(text.data, "-foffload=disable");
  } else {
    oak_buffer_free(&text);
  }
  return st;
}

static int wants_prebuilt(void) {
  const char *text = getenv("OAK_ACC_PREBUILT");
  return text && text[0] && strcmp(text, "0") != 0;
}

/* ---- open and close */

static void acc_close(oak_device_t *dev) {
  acc_t *acc = dev->data;
  if (acc->runtime) oak_object_unload(dev, acc->runtime);
  oak_host_clear(dev);
  oak_compiler_free(&acc->compiler);
  free(acc->built);
  free(acc);
  dev->data = NULL;
}

static oak_status_t prepare(oak_device_t *dev) {
  acc_t *acc = dev->data;
  OAK_CHECK(acc, OAK_ERR_MEMORY, "no memory for the %s device", dev->ops->name);
  if (wants_prebuilt()) return read_prebuilt(dev, acc);
  OAK_TRY(find_compiler(dev, acc));
  dev->compiler = &acc->compiler;
  return probe(dev, acc);
}

/** OpenMP's own way to ask for a GPU. Without this check kernels could run on the host unseen. */
static oak_status_t is_wanted_gpu(const oak_device_t *dev, const acc_t *acc) {
  const char *choice = getenv("OMP_TARGET_OFFLOAD");
  OAK_CHECK(
      !acc->on_host || acc->kind != &openmp || !choice || strcasecmp(choice, "mandatory") != 0,
      OAK_ERR_DEVICE,
      "OMP_TARGET_OFFLOAD=%s asks for a GPU, but kernels of device %s would run on the host: %s %s",
      choice, dev->ops->name, acc->compiler.command.word[0],
      acc->offload ? "finds no GPU that it has code for"
                   : "makes no code for GPUs here (docs/openacc.md)");
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
  OAK_TRY(is_wanted_gpu(dev, acc));
  /* Code for the host is faster there, unless kernels are built for another machine. */
  const char *type = getenv("ACC_DEVICE_TYPE");
  if (acc->on_host && acc->kind == &openmp && !(type && strcmp(type, "host") == 0))
    acc->offload = 0;
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
  if (acc) acc->kind = dev->ops == &oak_device_ops_openmp ? &openmp : &openacc;
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

static oak_status_t acc_sync(oak_device_t *dev) {
  (void)dev; /* launches return when the kernel has ended */
  return OAK_OK;
}

/* ---- build */

/** Whether lanes share an array in the code of a kernel. On GPUs of NVIDIA, gcc gives the lanes of
 * a `simd` loop one stack, so an array of a lane that does not become registers is that of all
 * lanes (docs/openacc.md). The code is text, and "sub.u64 %frame,%sspprev,SIZE;" makes room there.
 */
static oak_status_t shares_arrays(const char *path, int *shared) {
  static const char begin[] = "// BEGIN FUNCTION DEF: oak_", size[] = "sub.u64 %frame,%sspprev,";
  oak_buffer_t object = {0};
  const int error = oak_buffer_read(&object, path);
  OAK_CHECK(!error, OAK_ERR_FILE, "cannot read %s: %s", path, strerror(error));
  const char *text = object.data, *end = text + object.length;
  *shared = 0;
  while (text && (text = memmem(text, (size_t)(end - text), begin, sizeof begin - 1))) {
    text += sizeof begin - 1;
    const char *next = memmem(text, (size_t)(end - text), begin, sizeof begin - 1);
    const size_t length = (size_t)((next ? next : end) - text);
    const char *frame = memmem(text, length, size, sizeof size - 1);
    *shared |= frame && frame[sizeof size - 1] != '0' && memmem(text, length, "%simtstack", 10);
    text = next;
  }
  oak_buffer_free(&object);
  return OAK_OK;
}

static oak_status_t acc_build(oak_device_t *dev, const oak_source_t *source, const char *path) {
  acc_t *acc = dev->data;
  OAK_CHECK(!acc->built, OAK_ERR_BUILD,
            "kernel '%s' is not among those in %s, and OAK_ACC_PREBUILT asks not to build: run the "
            "same case where the compiler is, with ACC_DEVICE_TYPE=host, and copy the folder",
            oak_source_name(source), dev->cache);
  oak_words_t command = {0};
  int shared = 0;
  head(acc, &command);
  oak_status_t st = oak_object_build(dev, source, path, &command);
  if (st == OAK_OK && acc->kind == &openmp && acc->offload) st = shares_arrays(path, &shared);
  if (shared) { /* slow, and right */
    oak_words_add(&command, "-DOAK_ONE_LANE=1");
    st = oak_object_build(dev, source, path, &command);
  }
  oak_words_free(&command);
  if (st == OAK_OK) note_compiler(dev, acc);
  return st;
}

static int acc_has_compiler(oak_device_t *dev) { return !((const acc_t *)dev->data)->built; }

static oak_status_t acc_preprocess(oak_device_t *dev, const oak_source_t *source,
                                   const char *path) {
  oak_words_t command = {0};
  head(dev->data, &command);
  oak_status_t st = oak_object_preprocess(dev, source, path, &command);
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
  const char *version = acc->built ? acc->built : acc->compiler.version;
  snprintf(text, size, "%s, %.*s%s; device.compiler or %s names another compiler",
           acc->on_host ? "the host" : acc->device, (int)strcspn(version, "\n"), version,
           acc->offload ? "" : " without code for GPUs", acc->kind->variable);
}

static oak_status_t acc_fingerprint(oak_device_t *dev, int compiler, oak_hash_t *hash) {
  const acc_t *acc = dev->data;
  oak_words_t command = {0};
  if (compiler) head(acc, &command);
  oak_status_t st = oak_words_status(&command);
  oak_object_fingerprint(dev, compiler > 0 ? &acc->compiler : NULL, &command, hash);
  oak_words_free(&command);
  return st;
}

/* clang-format off */
#define OPS \
  .named_only = 1, \
  .tile_width = 32, \
  .tile_cells = 256, \
  .open = acc_open, \
  .close = acc_close, \
  .alloc = acc_alloc, \
  .free = acc_free, \
  .upload = acc_upload, \
  .download = acc_download, \
  .has_compiler = acc_has_compiler, \
  .preprocess = acc_preprocess, \
  .build = acc_build, \
  .load = oak_object_load, \
  .load_data = oak_object_load_data, \
  .unload = oak_object_unload, \
  .kernel = oak_object_kernel, \
  .constant = oak_object_constant, \
  .writable = oak_object_writable, \
  .launch = oak_object_launch, \
  .sync = acc_sync, \
  .share = oak_host_share, \
  .unshare = oak_host_unshare, \
  .attach = oak_host_attach, \
  .detach = oak_host_detach, \
  .slots = acc_slots, \
  .describe = acc_describe, \
  .fingerprint = acc_fingerprint
/* clang-format on */

const oak_device_ops_t oak_device_ops_openacc = {
    .name = "openacc",
    .summary = "GPUs or the host, through an OpenACC compiler (nvc, gcc)",
    OPS,
};

const oak_device_ops_t oak_device_ops_openmp = {
    .name = "openmp",
    .summary = "GPUs or the host, through an OpenMP compiler (gcc, clang, nvc)",
    OPS,
};
