/* SPDX-License-Identifier: GPL-2.0-or-later
 * The CPU: kernels are shared objects from the C compiler of the machine, with OpenMP threads;
 * memory is the host's. A kernel is `void NAME(long n, int threads, const args_t *args)`. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device_private.h"

typedef void (*cpu_function_t)(long n, int threads, const void *args);

typedef struct cpu_kernel {
  cpu_function_t function;
  struct cpu_kernel *next;
} cpu_kernel_t;

typedef struct {
  void *object;
  cpu_kernel_t *kernels;
} cpu_module_t;

typedef struct {
  void *address;
  size_t bytes;
} cpu_block_t;

typedef struct {
  oak_compiler_t compiler;
  oak_host_cpu_t host;
  cpu_block_t *block; /**< what is allocated: the ledger wants the size back */
  int nblock, room;
} cpu_t;

static void cpu_close(oak_device_t *dev) {
  cpu_t *cpu = dev->data;
  for (int i = 0; i < cpu->nblock; i++) free(cpu->block[i].address);
  free(cpu->block);
  oak_compiler_free(&cpu->compiler);
  free(cpu);
  dev->data = NULL;
}

static oak_status_t cpu_open(oak_device_t *dev, const oak_device_options_t *options) {
  cpu_t *cpu = calloc(1, sizeof *cpu);
  OAK_CHECK(cpu, OAK_ERR_MEMORY, "no memory for the cpu device");
  dev->data = cpu;
  /* libgomp, which comes with the first kernel, lets idle threads spin for milliseconds. On a busy
   * machine that costs a factor (measured: 2D AMR with 2 threads at load 8: 3.5 against 11.7
   * MCUPS); launches follow each other within some 10 us, for which this count suffices. */
  setenv("GOMP_SPINCOUNT", "2000", 0);
  oak_host_cpu(&cpu->host);
  oak_status_t status =
      oak_compiler_find(&cpu->compiler, options->compiler, "OAK_CC", "cc gcc clang");
  if (status != OAK_OK) cpu_close(dev);
  return status;
}

/* ---- memory */

static oak_status_t cpu_reserve(cpu_t *cpu) {
  if (cpu->nblock < cpu->room) return OAK_OK;
  int room = 2 * cpu->room + 32;
  cpu_block_t *grown = realloc(cpu->block, (size_t)room * sizeof *grown);
  OAK_CHECK(grown, OAK_ERR_MEMORY, "no memory for the table of %d allocations", room);
  cpu->block = grown;
  cpu->room = room;
  return OAK_OK;
}

static oak_status_t cpu_alloc(oak_device_t *dev, size_t bytes, void **out) {
  const size_t huge = (size_t)2 << 20, line = 64;
  cpu_t *cpu = dev->data;
  OAK_TRY(cpu_reserve(cpu));
  OAK_TRY(oak_ledger_take(dev->ledger, bytes));
  /* Huge pages save address lookups of kernels that walk all of it. The pages are placed by who
   * writes first, so nothing is cleared here. */
  size_t unit = bytes >= 2 * huge ? huge : line;
  size_t rounded = (bytes + unit - 1) / unit * unit;
  void *address = aligned_alloc(unit, rounded);
  if (!address) {
    char size[32];
    oak_ledger_give(dev->ledger, bytes);
    return OAK_FAIL(
        OAK_ERR_MEMORY,
        "cannot allocate %s of memory: the system refuses (%s); use fewer blocks, more hosts, or "
        "a higher limit (ulimit -v)",
        oak_format_size((double)bytes, size), strerror(ENOMEM));
  }
  if (unit == huge) madvise(address, rounded, MADV_HUGEPAGE);
  cpu->block[cpu->nblock++] = (cpu_block_t){address, bytes};
  *out = address;
  return OAK_OK;
}

static void cpu_free(oak_device_t *dev, void *ptr) {
  cpu_t *cpu = dev->data;
  for (int i = 0; i < cpu->nblock; i++) {
    if (cpu->block[i].address != ptr) continue;
    oak_ledger_give(dev->ledger, cpu->block[i].bytes);
    cpu->block[i] = cpu->block[--cpu->nblock];
    free(ptr);
    return;
  }
  OAK_ASSERT(!"memory of this device");
}

static oak_status_t cpu_copy_in(oak_device_t *dev, void *dst, const void *host, size_t bytes) {
  (void)dev;
  memcpy(dst, host, bytes);
  return OAK_OK;
}

static oak_status_t cpu_copy_out(oak_device_t *dev, void *host, const void *src, size_t bytes) {
  (void)dev;
  memcpy(host, src, bytes);
  return OAK_OK;
}

/* ---- build */

static oak_status_t cpu_probe(oak_device_t *dev) {
  cpu_t *cpu = dev->data;
  oak_words_t wished = {0};
  /* None of these hides a NaN. Without signed zeros sums that start at 0 cost nothing (measured: 4
   * % in 2D). */
  oak_words_split(&wished, "-march=native -fno-math-errno -fno-trapping-math -fno-signed-zeros");
  /* A misspelt function is then an error with file and line, not one of the loader. */
  oak_words_split(&wished,
                  "-Werror=implicit-function-declaration -Werror=incompatible-pointer-types");
  /* Compilers use half the width by default, from times when the full one lowered the clock. */
  if (cpu->host.avx512) oak_words_split(&wished, "-mprefer-vector-width=512");
  oak_status_t status = oak_compiler_probe(&cpu->compiler, &wished);
  oak_words_free(&wished);
  return status;
}

/** The command up to the defines: all of it that does not depend on the source. */
static void cpu_command(oak_device_t *dev, oak_words_t *command) {
  const cpu_t *cpu = dev->data;
  oak_words_copy(command, &cpu->compiler.command);
  oak_words_split(command, "-std=gnu11 -O3");
  oak_words_copy(command, &cpu->compiler.flags);
  oak_words_split(command, "-fopenmp -shared -fPIC -fvisibility=default -DOAK_DEVICE_CPU=1");
}

static void cpu_user_flags(oak_device_t *dev, oak_words_t *command) {
  oak_words_split(command, dev->env_flags);
  oak_words_split(command, dev->options.flags);
}

static oak_status_t cpu_build(oak_device_t *dev, const oak_source_t *source, const char *path) {
  const char *root;
  OAK_TRY(oak_source_root(&root));
  OAK_TRY(cpu_probe(dev));
  char *file;
  OAK_TRY(oak_format(&file, "%s.c", path));
  oak_buffer_t text = {0};
  oak_words_t command = {0};
  oak_status_t status = oak_source_text(source, &text);
  int error = status == OAK_OK ? oak_buffer_write(&text, file) : 0;
  if (error) {
    status =
        OAK_FAIL(OAK_ERR_FILE,
                 "the source of kernel '%s' cannot be written to %s: %s; set OAK_CACHE to a folder "
                 "with space",
                 oak_source_name(source), file, strerror(error));
  }
  if (status == OAK_OK) {
    cpu_command(dev, &command);
    for (int i = 0; i < source->ndefine; i++) oak_words_add(&command, "-D%s", source->define[i]);
    oak_words_add(&command, "-I%s/include", root);
    oak_words_add(&command, "-I%s", root);
    oak_words_add(&command, "%s", file);
    oak_words_add(&command, "-o");
    oak_words_add(&command, "%s", path);
    cpu_user_flags(dev, &command);
    oak_words_add(&command, "-lm");
    status = oak_compiler_run(&command, oak_source_name(source), path);
  }
  oak_words_free(&command);
  oak_buffer_free(&text);
  free(file);
  return status;
}

/* ---- modules */

/** Keep the OpenMP runtime once it is loaded: GCC's leaves threads waiting in its code, and
 * unloading it with the last module would pull that away under them. */
static void cpu_pin_openmp(void *object) {
  void *symbol = dlsym(object, "omp_get_max_threads");
  Dl_info info;
  if (!symbol || !dladdr(symbol, &info) || !info.dli_fname) return;
  void *runtime = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  if (runtime) dlclose(runtime);
}

static oak_status_t cpu_load(oak_device_t *dev, const char *path, oak_module_t **out) {
  (void)dev;
  cpu_module_t *module = calloc(1, sizeof *module);
  OAK_CHECK(module, OAK_ERR_MEMORY, "no memory for a module");
  module->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!module->object) {
    const char *reason = dlerror();
    free(module);
    int noexec = reason && strstr(reason, "failed to map segment");
    return OAK_FAIL(
        OAK_ERR_BUILD, "a built kernel does not load: %s%s", reason ? reason : path,
        noexec ? "; if its folder is mounted noexec, set OAK_CACHE to another one" : "");
  }
  cpu_pin_openmp(module->object);
  *out = (oak_module_t *)module;
  return OAK_OK;
}

static void cpu_unload(oak_device_t *dev, oak_module_t *opaque) {
  (void)dev;
  cpu_module_t *module = (cpu_module_t *)opaque;
  while (module->kernels) {
    cpu_kernel_t *next = module->kernels->next;
    free(module->kernels);
    module->kernels = next;
  }
  dlclose(module->object);
  free(module);
}

static oak_status_t cpu_kernel(oak_device_t *dev, oak_module_t *opaque, const char *name,
                               oak_kernel_t **out) {
  (void)dev;
  cpu_module_t *module = (cpu_module_t *)opaque;
  void *symbol = dlsym(module->object, name);
  OAK_CHECK(symbol, OAK_ERR_ARGUMENT,
            "the built source has no kernel '%s'; define it with a visible name", name);
  cpu_kernel_t *kernel = calloc(1, sizeof *kernel);
  OAK_CHECK(kernel, OAK_ERR_MEMORY, "no memory for kernel '%s'", name);
  /* ISO C has no conversion from void * to a function; POSIX gives both the same form. */
  memcpy(&kernel->function, &symbol, sizeof symbol);
  kernel->next = module->kernels;
  module->kernels = kernel;
  *out = (oak_kernel_t *)kernel;
  return OAK_OK;
}

static oak_status_t cpu_constant(oak_device_t *dev, oak_module_t *opaque, const char *name,
                                 void *dst, size_t bytes) {
  (void)dev;
  cpu_module_t *module = (cpu_module_t *)opaque;
  void *symbol = dlsym(module->object, name);
  OAK_CHECK(symbol, OAK_ERR_ARGUMENT,
            "the built source has no constant '%s'; define it with a visible name", name);
#ifdef __GLIBC__ /* RTLD_DL_SYMENT is no macro */
  Dl_info info;
  void *entry = NULL;
  if (dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) && entry) {
    size_t size = ((const ElfW(Sym) *)entry)->st_size;
    OAK_CHECK(size == bytes, OAK_ERR_ARGUMENT, "constant '%s' has %zu bytes, but %zu are asked for",
              name, size, bytes);
  }
#endif
  memcpy(dst, symbol, bytes);
  return OAK_OK;
}

static oak_status_t cpu_launch(oak_device_t *dev, oak_kernel_t *opaque, long n, const void *args,
                               size_t bytes) {
  (void)bytes;
  const cpu_kernel_t *kernel = (const cpu_kernel_t *)opaque;
  kernel->function(n, dev->threads, args);
  return OAK_OK;
}

static oak_status_t cpu_sync(oak_device_t *dev) {
  (void)dev; /* launches return when the kernel has ended */
  return OAK_OK;
}

/* ---- texts */

static void cpu_describe(oak_device_t *dev, char *text, size_t size) {
  const cpu_t *cpu = dev->data;
  const char *simd = cpu->host.simd;
  const char *version =
      cpu_probe(dev) == OAK_OK ? cpu->compiler.version : cpu->compiler.command.word[0];
  snprintf(text, size, "%s, %d thread%s, %s%s%s", cpu->host.model, dev->threads,
           dev->threads == 1 ? "" : "s", simd, simd[0] ? ", " : "", version);
}

static void cpu_fingerprint(oak_device_t *dev, char *text, size_t size) {
  const cpu_t *cpu = dev->data;
  oak_status_t status = cpu_probe(dev);
  oak_words_t command = {0};
  cpu_command(dev, &command);
  cpu_user_flags(dev, &command);
  char hex[33];
  oak_hash_hex(&cpu->host.features, hex);
  int length = snprintf(text, size, "%s\n%s %s\n", status == OAK_OK ? cpu->compiler.version : "",
                        cpu->host.model, hex);
  for (int i = 0; i < command.count && (size_t)length < size; i++) {
    length += snprintf(text + length, size - (size_t)length, " %s", command.word[i]);
  }
  oak_words_free(&command);
}

const oak_device_ops_t oak_device_ops_cpu = {
    .name = "cpu",
    .summary = "processor cores, through the C compiler of the machine and OpenMP",
    .host_memory = 1,
    .tile_width = 1024, /* planes of so many cells stay in the cache: docs/performance.md */
    .tile_cells = 1024,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .upload = cpu_copy_in,
    .download = cpu_copy_out,
    .build = cpu_build,
    .load = cpu_load,
    .unload = cpu_unload,
    .kernel = cpu_kernel,
    .constant = cpu_constant,
    .launch = cpu_launch,
    .sync = cpu_sync,
    .describe = cpu_describe,
    .fingerprint = cpu_fingerprint,
};
