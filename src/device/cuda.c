/* SPDX-License-Identifier: GPL-2.0-or-later
 * NVIDIA GPUs. NVRTC compiles kernels for the card of this machine, and the driver runs them. Each
 * rank uses one GPU; if a host has more ranks than GPUs, several ranks share a GPU. Kernels run in
 * one stream; copies beside them have streams of their own (cuda_transfer.c). */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_private.h"

typedef struct cuda_kernel {
  cu_handle_t function;
  unsigned threads, shared, most; /**< threads of a block, bytes of shared memory, threads if there
                                   * are few blocks (OAK_KERNEL_FEW) */
  char name[64];
  struct cuda_kernel *next;
} cuda_kernel_t;

typedef struct {
  cu_handle_t module;
  cuda_kernel_t *kernels;
} cuda_module_t;

/* ---- open and close */

static void cuda_close(oak_device_t *dev) {
  cuda_t *cuda = dev->data;
  oak_cuda_transfers_close(cuda);
  for (int m = 0; m < OAK_DEVICE_MARKS; m++)
    if (cuda->event[m]) cuda->driver.event_free(cuda->event[m]);
  if (cuda->pinned) cuda->driver.host_free(cuda->pinned);
  if (cuda->stream) cuda->driver.stream_free(cuda->stream);
  if (cuda->compiler.library) dlclose(cuda->compiler.library);
  free(cuda);
  dev->data = NULL;
}

/* A process has one context per GPU: the current one if there is one, otherwise the GPU's primary
 * context. It stays until the process ends. Another runtime (OpenACC's) joins the context that it
 * finds, and would not notice if the context were gone. */
static oak_status_t use_context(cuda_t *cuda) {
  cu_device_t device;
  CUDA_TRY(cuda, context_current(&cuda->context), "asking for its context");
  if (cuda->context) {
    CUDA_TRY(cuda, context_device(&device), "asking for its context");
    if (device == cuda->device) return OAK_OK;
  }
  CUDA_TRY(cuda, context_retain(&cuda->context, cuda->device), "starting to use it");
  CUDA_TRY(cuda, context_set(cuda->context), "starting to use it");
  return OAK_OK;
}

static oak_status_t start(oak_device_t *dev, cuda_t *cuda) {
  char gpu[160];
  const char *wait = getenv("OAK_CUDA_SYNC");
  cuda->launched = "";
  cuda->wait = wait && wait[0] && strcmp(wait, "0") != 0;
  OAK_TRY(oak_cuda_driver(&cuda->driver, &dev->found));
  CUDA_TRY(cuda, device_count(&cuda->count), "counting GPUs");
  cuda->ordinal = dev->host_rank % cuda->count;
  CUDA_TRY(cuda, device_get(&cuda->device, cuda->ordinal), "choosing a GPU");
  CUDA_TRY(cuda, device_name(cuda->name, sizeof cuda->name, cuda->device), "reading its name");
  CUDA_TRY(cuda, device_attribute(&cuda->major, CU_ATTRIBUTE_MAJOR, cuda->device), "asking a GPU");
  CUDA_TRY(cuda, device_attribute(&cuda->minor, CU_ATTRIBUTE_MINOR, cuda->device), "asking a GPU");
  CUDA_TRY(cuda,
           device_attribute(&cuda->multiprocessors, CU_ATTRIBUTE_MULTIPROCESSORS, cuda->device),
           "asking a GPU");
  CUDA_TRY(cuda, device_memory(&cuda->memory, cuda->device), "asking for its memory");
  CUDA_TRY(cuda, driver_version(&cuda->driver_version), "asking for the driver's version");
  OAK_CHECK(cuda->major >= 7, OAK_ERR_DEVICE,
            "GPU %d, %s, has compute capability %d.%d: 7.0 (Volta) or later is needed",
            cuda->ordinal, cuda->name, cuda->major, cuda->minor);
  snprintf(gpu, sizeof gpu, "GPU %d, %s", cuda->ordinal, cuda->name);
  OAK_TRY(oak_cuda_compiler(&cuda->compiler, cuda->driver_version, gpu));
  OAK_TRY(use_context(cuda));
  CUDA_TRY(cuda, stream_new(&cuda->stream, CU_STREAM_NON_BLOCKING), "making a stream");
  CUDA_TRY(cuda, host_alloc((void **)&cuda->pinned, PINNED_DOWN + PINNED_UP),
           "allocating memory of the host");
  dev->mpi_direct = oak_mpi_takes_gpu();
  return oak_cuda_transfers_open(cuda);
}

static oak_status_t cuda_open(oak_device_t *dev, const oak_device_options_t *options) {
  (void)options;
  cuda_t *cuda = calloc(1, sizeof *cuda);
  OAK_CHECK(cuda, OAK_ERR_MEMORY, "no memory for the cuda device");
  dev->data = cuda;
  oak_status_t status = start(dev, cuda);
  if (status != OAK_OK) cuda_close(dev);
  return status;
}

/* ---- time */

/* If a mark fails, the work around it fails too and reports it. */
static void cuda_mark(oak_device_t *dev, int number) {
  cuda_t *cuda = dev->data;
  if (!cuda->event[number]) cuda->driver.event_new(&cuda->event[number], 0);
  if (cuda->event[number]) cuda->driver.event_record(cuda->event[number], cuda->stream);
}

static double cuda_between(oak_device_t *dev, int from, int to) {
  cuda_t *cuda = dev->data;
  float milliseconds = 0;
  if (!cuda->event[from] || !cuda->event[to]) return 0;
  cuda->driver.event_wait(cuda->event[to]);
  cuda->driver.event_elapsed(&milliseconds, cuda->event[from], cuda->event[to]);
  return 1e-3 * milliseconds;
}

static long cuda_slots(oak_device_t *dev, oak_kernel_t *opaque) {
  const cuda_t *cuda = dev->data;
  const cuda_kernel_t *kernel = (const cuda_kernel_t *)opaque;
  int blocks = 1;
  cuda->driver.occupancy(&blocks, kernel->function, (int)kernel->threads, kernel->shared);
  return (long)blocks * cuda->multiprocessors;
}

/* ---- build */

/* Select those flags of the user that NVRTC knows. -ffp-contract=off, which changes results, has
 * another name there. */
static void user_options(oak_words_t *options, const oak_words_t *words) {
  for (int i = 0; i < words->count; i++) {
    const char *w = words->word[i];
    const int define = !strncmp(w, "-D", 2) || !strncmp(w, "-I", 2);
    if (define && !w[2] && words->word[i + 1]) { /* "-D NAME" */
      oak_words_add(options, "%s%s", w, words->word[++i]);
    } else if (define || !strncmp(w, "--", 2)) {
      oak_words_add(options, "%s", w);
    } else if (!strcmp(w, "-ffp-contract=off")) {
      oak_words_add(options, "--fmad=false");
    }
  }
}

/* All options that do not depend on the source. */
static void common_options(oak_device_t *dev, oak_words_t *options) {
  const cuda_t *cuda = dev->data;
  oak_words_add(options, "--gpu-architecture=sm_%d%d", cuda->major, cuda->minor);
  oak_words_split(options, "--std=c++17 --device-int128 -DOAK_DEVICE_CUDA=1 -lineinfo");
  oak_words_split(options, "--diag-suppress=177,550,940,20281");
  user_options(options, &dev->user_flags);
}

static oak_status_t write_image(const cu_compiler_t *nvrtc, cu_handle_t program, const char *path) {
  oak_buffer_t image = {0};
  size_t bytes = 0;
  nvrtc->binary_size(program, &bytes);
  char *data = malloc(bytes + 1);
  OAK_CHECK(data, OAK_ERR_MEMORY, "no memory for a kernel of %zu bytes", bytes);
  nvrtc->binary(program, data);
  oak_buffer_bytes(&image, data, bytes);
  free(data);
  int error = oak_buffer_write(&image, path);
  oak_buffer_free(&image);
  OAK_CHECK(!error, OAK_ERR_FILE, "a built kernel cannot be written to %s: %s; set OAK_CACHE", path,
            strerror(error));
  return OAK_OK;
}

/* Advice that NVRTC's messages do not give. */
static const char *compile_advice(cu_result_t result) {
  enum { BAD_OPTION = 5, BUILTIN = 7 };
  return result == BAD_OPTION
             ? "\nan option is not known: see device.flags and OAK_CFLAGS, or use a newer "
               "NVRTC for a newer GPU (OAK_NVRTC)"
         : result == BUILTIN
             ? "\nlibnvrtc-builtins.so of the same version must lie beside libnvrtc.so"
             : "";
}

/** NVRTC writes "file(12): error". Here it becomes "file:12: error", as the compilers of the other
 * devices print it. Terminals and editors turn this form into a link. */
static void rewrite_places(char *log) {
  char *to = log;
  for (const char *from = log; *from;) {
    const size_t digits = *from == '(' ? strspn(from + 1, "0123456789") : 0;
    if (digits > 0 && !strncmp(from + 1 + digits, "): ", 3)) {
      *to++ = ':';
      memmove(to, from + 1, digits);
      to += digits;
      from += digits + 2;
    } else {
      *to++ = *from++;
    }
  }
  *to = 0;
}

static oak_status_t compile_error(const cuda_t *cuda, cu_handle_t program, cu_result_t result,
                                  const char *name, const char *path) {
  const cu_compiler_t *nvrtc = &cuda->compiler;
  oak_buffer_t quote = {0};
  size_t bytes = 0;
  int major = 0, minor = 0;
  nvrtc->version(&major, &minor);
  nvrtc->log_size(program, &bytes);
  char *log = calloc(1, bytes + 1);
  OAK_CHECK(log, OAK_ERR_MEMORY, "no memory for the messages of the compiler");
  nvrtc->log(program, log);
  rewrite_places(log);
  oak_compiler_quote(&quote, log, path);
  oak_status_t st = OAK_FAIL(
      OAK_ERR_BUILD, "kernel '%s' does not compile (NVRTC %d.%d for compute capability %d.%d):%s%s",
      name, major, minor, cuda->major, cuda->minor, compile_advice(result), oak_buffer_get(&quote));
  oak_buffer_free(&quote);
  free(log);
  return st;
}

static oak_status_t cuda_build(oak_device_t *dev, const oak_source_t *source, const char *path) {
  cuda_t *cuda = dev->data;
  const cu_compiler_t *nvrtc = &cuda->compiler;
  const char *root;
  char file[4200];
  cu_handle_t program = NULL;
  oak_buffer_t text = {0};
  oak_words_t options = {0};
  OAK_TRY(oak_source_root(&root));
  oak_status_t status = oak_source_text(source, &text);
  common_options(dev, &options);
  for (int i = 0; i < source->ndefine; i++) oak_words_add(&options, "-D%s", source->define[i]);
  oak_words_add(&options, "-I%s/include", root);
  oak_words_add(&options, "-I%s", root);
  snprintf(file, sizeof file, "%s.cu", path);
  if (oak_build_keep()) oak_buffer_write(&text, file);
  if (status == OAK_OK) status = oak_words_status(&options);
  if (status == OAK_OK &&
      nvrtc->create(&program, oak_buffer_get(&text), oak_source_name(source), 0, NULL, NULL) != 0)
    status = OAK_FAIL(OAK_ERR_BUILD, "NVRTC cannot start to compile '%s'", oak_source_name(source));
  const cu_result_t result =
      status == OAK_OK ? nvrtc->compile(program, options.count, (const char *const *)options.word)
                       : 0;
  if (result != 0) status = compile_error(cuda, program, result, oak_source_name(source), path);
  if (status == OAK_OK) status = write_image(nvrtc, program, path);
  if (program) nvrtc->destroy(&program);
  oak_words_free(&options);
  oak_buffer_free(&text);
  return status;
}

/* ---- modules */

static void cuda_unload(oak_device_t *dev, oak_module_t *opaque) {
  cuda_t *cuda = dev->data;
  cuda_module_t *module = (cuda_module_t *)opaque;
  cuda->launched = "of a module no longer loaded";
  while (module->kernels) {
    cuda_kernel_t *next = module->kernels->next;
    free(module->kernels);
    module->kernels = next;
  }
  if (module->module) cuda->driver.module_unload(module->module);
  free(module);
}

static oak_status_t cuda_load(oak_device_t *dev, const char *path, oak_module_t **out) {
  cuda_t *cuda = dev->data;
  oak_buffer_t image = {0};
  int file;
  int error = oak_cache_take(path, &image, &file);
  if (error) oak_buffer_free(&image);
  OAK_CHECK(!error, OAK_ERR_FILE, "a built kernel cannot be read from %s: %s", path,
            error == EBADMSG ? "it is damaged, or others may write to it" : strerror(error));
  close(file);
  cuda_module_t *module = calloc(1, sizeof *module);
  oak_status_t st = module ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "no memory for a module");
  if (st == OAK_OK)
    st =
        oak_cuda_gpu_status(cuda, cuda->driver.module_load(&module->module, oak_buffer_get(&image)),
                            "loading a kernel");
  oak_buffer_free(&image);
  if (st == OAK_OK)
    *out = (oak_module_t *)module;
  else
    free(module);
  return st;
}

/* Copy a constant of a module to the host. */
static oak_status_t read_global(cuda_t *cuda, cu_handle_t module, const char *name, void *dst,
                                size_t bytes) {
  cu_memory_t address = 0;
  size_t size = 0;
  OAK_CHECK(cuda->driver.module_global(&address, &size, module, name) == 0, OAK_ERR_ARGUMENT,
            "the built source has no constant '%s'; define it with OAK_CONST_DATA", name);
  OAK_CHECK(size == bytes, OAK_ERR_ARGUMENT, "constant '%s' has %zu bytes, but %zu are asked for",
            name, size, bytes);
  CUDA_TRY(cuda, to_host(dst, address, bytes, cuda->stream), "reading a constant");
  CUDA_TRY(cuda, stream_wait(cuda->stream), "reading a constant");
  return OAK_OK;
}

static oak_status_t cuda_constant(oak_device_t *dev, oak_module_t *opaque, const char *name,
                                  void *dst, size_t bytes) {
  return read_global(dev->data, ((cuda_module_t *)opaque)->module, name, dst, bytes);
}

static oak_status_t prepare_kernel(cuda_t *cuda, cuda_module_t *module, cuda_kernel_t *kernel,
                                   const char *name) {
  char launch_name[80];
  int launch[3], most = 0;
  OAK_CHECK(cuda->driver.module_function(&kernel->function, module->module, name) == 0,
            OAK_ERR_ARGUMENT, "the built source has no kernel '%s'; define it with OAK_KERNEL",
            name);
  snprintf(launch_name, sizeof launch_name, "%s_launch", name);
  OAK_TRY(read_global(cuda, module->module, launch_name, launch, sizeof launch));
  kernel->threads = (unsigned)launch[0];
  kernel->shared = (unsigned)launch[1];
  kernel->most = (unsigned)launch[2];
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
  CUDA_TRY(cuda, device_attribute(&most, CU_ATTRIBUTE_SHARED_OPTIN, cuda->device), "asking a GPU");
  OAK_CHECK(launch[1] <= most, OAK_ERR_DEVICE,
            "kernel '%s' needs %d bytes of shared memory, GPU %d has %d: use a smaller "
            "mesh.block_size, fewer variables or single precision",
            name, launch[1], cuda->ordinal, most);
  if (launch[1] > 0)
    CUDA_TRY(cuda, function_set(kernel->function, CU_FUNCTION_MAX_DYNAMIC_SHARED, launch[1]),
             "setting a kernel's shared memory");
  if (getenv("OAK_CUDA_VERBOSE")) {
    int registers = 0, local = 0;
    cuda->driver.function_get(&registers, CU_FUNCTION_REGISTERS, kernel->function);
    cuda->driver.function_get(&local, CU_FUNCTION_LOCAL_BYTES, kernel->function);
    fprintf(stderr, "oak: %s: %u threads, %d registers, %d bytes spilled, %u bytes shared\n", name,
            kernel->threads, registers, local, kernel->shared);
  }
  return OAK_OK;
}

static oak_status_t cuda_kernel(oak_device_t *dev, oak_module_t *opaque, const char *name,
                                oak_kernel_t **out) {
  cuda_module_t *module = (cuda_module_t *)opaque;
  cuda_kernel_t *kernel = calloc(1, sizeof *kernel);
  OAK_CHECK(kernel, OAK_ERR_MEMORY, "no memory for kernel '%s'", name);
  oak_status_t st = prepare_kernel(dev->data, module, kernel, name);
  if (st != OAK_OK) {
    free(kernel);
    return st;
  }
  kernel->next = module->kernels;
  module->kernels = kernel;
  *out = (oak_kernel_t *)kernel;
  return OAK_OK;
}

static oak_status_t cuda_launch(oak_device_t *dev, oak_kernel_t *opaque, long n, const void *args,
                                size_t bytes) {
  (void)bytes; /* the size is not passed, because the driver knows it from the kernel */
  cuda_t *cuda = dev->data;
  const cuda_kernel_t *kernel = (const cuda_kernel_t *)opaque;
  void *list[2] = {&n, (void *)args};
  OAK_CHECK(n <= 2147483647L, OAK_ERR_ARGUMENT,
            "kernel '%s': %ld iterations are too many; a GPU runs at most 2147483647", kernel->name,
            n);
  const unsigned threads = n < cuda->multiprocessors ? kernel->most : kernel->threads;
  /* The GPU starts this kernel while the previous one ends. Its blocks wait in OAK_ARGS. */
  cu_attribute_t overlap = {.id = CU_LAUNCH_WHILE_ENDING, .value = 1};
  const cu_launch_t launch = {.grid = {(unsigned)n, 1, 1},
                              .block = {threads, 1, 1},
                              .shared = kernel->shared,
                              .stream = cuda->stream,
                              .attributes = &overlap,
                              .nattributes = cuda->major >= 9};
  const cu_result_t result = cuda->driver.launch(&launch, kernel->function, list, NULL);
  if (result != 0) {
    char doing[96];
    snprintf(doing, sizeof doing, "launching kernel '%s'", kernel->name);
    return oak_cuda_gpu_status(cuda, result, doing);
  }
  cuda->launched = kernel->name;
  return cuda->wait ? oak_cuda_sync(dev) : OAK_OK;
}

/* ---- texts */

static void cuda_describe(oak_device_t *dev, char *text, size_t size) {
  const cuda_t *cuda = dev->data;
  int major = 0, minor = 0;
  char memory[32];
  cuda->compiler.version(&major, &minor);
  snprintf(text, size, "%s, %s, compute capability %d.%d, CUDA %d.%d, NVRTC %d.%d", cuda->name,
           oak_format_size((double)cuda->memory, memory), cuda->major, cuda->minor,
           cuda->driver_version / 1000, cuda->driver_version % 1000 / 10, major, minor);
}

static oak_status_t cuda_fingerprint(oak_device_t *dev, int compiler, oak_hash_t *hash) {
  const cuda_t *cuda = dev->data;
  int version[2] = {0, 0};
  oak_words_t options = {0};
  (void)compiler; /* NVRTC is a library of this process, so it is always there */
  cuda->compiler.version(&version[0], &version[1]);
  common_options(dev, &options);
  oak_hash_bytes(hash, version, sizeof version);
  for (int i = 0; i < options.count; i++) oak_hash_text(hash, options.word[i]);
  oak_status_t status = oak_words_status(&options);
  oak_words_free(&options);
  return status;
}

const oak_device_ops_t oak_device_ops_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs, through the CUDA driver and NVRTC",
    .host_memory = 0,
    .tile_width = 32,
    .tile_cells = 256,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = oak_cuda_alloc,
    .free = oak_cuda_free,
    .upload = oak_cuda_upload,
    .download = oak_cuda_download,
    .build = cuda_build,
    .load = cuda_load,
    .unload = cuda_unload,
    .kernel = cuda_kernel,
    .constant = cuda_constant,
    .launch = cuda_launch,
    .sync = oak_cuda_sync,
    .mark = cuda_mark,
    .between = cuda_between,
    .share = oak_cuda_share,
    .unshare = oak_cuda_unshare,
    .attach = oak_cuda_attach,
    .detach = oak_cuda_detach,
    .know_flags = oak_cuda_know_flags,
    .forget_flags = oak_cuda_forget_flags,
    .signal = oak_cuda_signal,
    .wait = oak_cuda_wait,
    .fork = oak_cuda_fork,
    .join = oak_cuda_join,
    .settle = oak_cuda_settle,
    .copy_out = oak_cuda_copy_out,
    .copied = oak_cuda_copied,
    .copy_in = oak_cuda_copy_in,
    .host_alloc = oak_cuda_host_alloc,
    .host_free = oak_cuda_host_free,
    .keep = oak_cuda_keep,
    .fetch = oak_cuda_fetch,
    .room = oak_cuda_room,
    .direct_probe = oak_nccl_probe,
    .direct_open = oak_nccl_open,
    .direct_exchange = oak_nccl_exchange,
    .slots = cuda_slots,
    .describe = cuda_describe,
    .fingerprint = cuda_fingerprint,
};
