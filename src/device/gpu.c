/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the back ends for GPUs have in common (cuda.c, hip.c). A run-time compiler compiles kernels
 * for the GPU of this machine, and the driver runs them. Each rank uses one GPU; if a host has more
 * ranks than GPUs, several ranks share a GPU. Kernels run in one stream; copies beside them have
 * streams of their own (gpu_memory.c). */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cores.h"
#include "gpu_api.h"

/** A built source: an image for each file that was compiled by itself. */
typedef struct {
  gpu_handle_t *part;
  int count;
  gpu_kernel_t *kernels;
} gpu_module_t;

/* ---- open and close */

static void gpu_close(oak_device_t *dev) {
  gpu_t *gpu = dev->data;
  oak_gpu_transfers_close(gpu);
  free(gpu->held);
  for (int m = 0; m < OAK_DEVICE_MARKS; m++)
    if (gpu->event[m]) gpu->driver.event_free(gpu->event[m]);
  if (gpu->pinned) gpu->driver.host_free(gpu->pinned);
  if (gpu->stream) gpu->driver.stream_free(gpu->stream);
  if (gpu->compiler.library) dlclose(gpu->compiler.library);
  free(gpu);
  dev->data = NULL;
}

/** What the GPU and the driver are, before the first use. */
static oak_status_t look(gpu_t *gpu) {
  const gpu_vendor_t *vendor = gpu->vendor;
  GPU_TRY(gpu, device_get(&gpu->device, gpu->ordinal), "choosing a GPU");
  GPU_TRY(gpu, device_name(gpu->name, sizeof gpu->name, gpu->device), "reading its name");
  GPU_TRY(gpu,
          device_attribute(&gpu->multiprocessors, vendor->attribute_multiprocessors, gpu->device),
          "asking a GPU");
  GPU_TRY(gpu, device_attribute(&gpu->most_shared, vendor->attribute_shared, gpu->device),
          "asking a GPU");
  GPU_TRY(gpu, device_memory(&gpu->memory, gpu->device), "asking for its memory");
  return vendor->look(gpu);
}

static oak_status_t start(oak_device_t *dev, gpu_t *gpu) {
  const char *wait = getenv("OAK_GPU_SYNC");
  gpu->launched = "";
  gpu->wait = wait && wait[0] && strcmp(wait, "0") != 0;
  OAK_TRY(oak_gpu_driver(gpu, &dev->found));
  gpu->ordinal = dev->host_rank % gpu->count;
  OAK_TRY(look(gpu));
  OAK_TRY(oak_gpu_compiler(gpu));
  OAK_TRY(gpu->vendor->enter(gpu));
  GPU_TRY(gpu, stream_new(&gpu->stream, GPU_STREAM_NON_BLOCKING), "making a stream");
  GPU_TRY(gpu, host_alloc((void **)&gpu->pinned, PINNED_DOWN + PINNED_UP),
          "allocating memory of the host");
  dev->mpi_direct = oak_mpi_takes_gpu();
  return oak_gpu_transfers_open(gpu);
}

static oak_status_t gpu_open(oak_device_t *dev, const oak_device_options_t *options) {
  const gpu_vendor_t *vendor = dev->ops == &oak_device_ops_hip ? &oak_gpu_hip : &oak_gpu_cuda;
  (void)options;
  gpu_t *gpu = dev->data = calloc(1, sizeof *gpu);
  OAK_CHECK(gpu, OAK_ERR_MEMORY, "no memory for the %s device", vendor->name);
  gpu->vendor = vendor;
  oak_status_t status = start(dev, gpu);
  if (status != OAK_OK) gpu_close(dev);
  return status;
}

/* ---- time */

/* If a mark fails, the work around it fails too and reports it. */
static void gpu_mark(oak_device_t *dev, int number) {
  gpu_t *gpu = dev->data;
  if (!gpu->event[number]) gpu->driver.event_new(&gpu->event[number], 0);
  if (gpu->event[number]) gpu->driver.event_record(gpu->event[number], gpu->stream);
}

static double gpu_between(oak_device_t *dev, int from, int to) {
  gpu_t *gpu = dev->data;
  float milliseconds = 0;
  if (!gpu->event[from] || !gpu->event[to]) return 0;
  gpu->driver.event_wait(gpu->event[to]);
  gpu->driver.event_elapsed(&milliseconds, gpu->event[from], gpu->event[to]);
  return 1e-3 * milliseconds;
}

/* A tile of 64 x 8 cells with seven variables takes 226 KB. */
static int gpu_wide_tiles(oak_device_t *dev) {
  return ((const gpu_t *)dev->data)->most_shared >= 227 << 10;
}

static long gpu_slots(oak_device_t *dev, oak_kernel_t *opaque) {
  const gpu_t *gpu = dev->data;
  const gpu_kernel_t *kernel = (const gpu_kernel_t *)opaque;
  int blocks = 1;
  gpu->driver.occupancy(&blocks, kernel->function, (int)kernel->threads, kernel->shared);
  return (long)blocks * gpu->multiprocessors;
}

/* ---- build */

/** Add an image to the contents of an entry: its size, then its bytes, with room so that the next
 * one begins at a multiple of 16. */
static oak_status_t add_image(const gpu_compiler_t *compiler, gpu_handle_t program,
                              oak_buffer_t *entry) {
  size_t bytes = 0;
  compiler->binary_size(program, &bytes);
  const uint64_t head[2] = {bytes, (bytes + 15) / 16 * 16};
  char *data = calloc(1, head[1] + 1);
  OAK_CHECK(data, OAK_ERR_MEMORY, "no memory for a kernel of %zu bytes", bytes);
  compiler->binary(program, data);
  oak_buffer_bytes(entry, head, sizeof head);
  oak_buffer_bytes(entry, data, head[1]);
  free(data);
  return oak_buffer_status(entry);
}

/** The last image is followed by one without bytes. */
static oak_status_t write_entry(oak_buffer_t *entry, const char *path) {
  oak_buffer_bytes(entry, (uint64_t[2]){0, 0}, 2 * sizeof(uint64_t));
  OAK_TRY(oak_buffer_status(entry));
  const int error = oak_buffer_write(entry, path);
  OAK_CHECK(!error, OAK_ERR_FILE, "a built kernel cannot be written to %s: %s; set OAK_CACHE", path,
            strerror(error));
  return OAK_OK;
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

static oak_status_t compile_error(const gpu_t *gpu, gpu_handle_t program, gpu_result_t result,
                                  const char *name, const char *path) {
  const gpu_compiler_t *compiler = &gpu->compiler;
  oak_buffer_t quote = {0};
  size_t bytes = 0;
  int major = 0, minor = 0;
  compiler->version(&major, &minor);
  compiler->log_size(program, &bytes);
  OAK_FREED char *log = calloc(1, bytes + 1);
  OAK_CHECK(log, OAK_ERR_MEMORY, "no memory for the messages of the compiler");
  compiler->log(program, log);
  rewrite_places(log);
  oak_compiler_quote(&quote, log, path);
  oak_status_t st = OAK_FAIL(OAK_ERR_BUILD, "kernel '%s' does not compile (%s %d.%d for %s):%s%s",
                             name, gpu->vendor->compiler, major, minor, gpu->generation,
                             gpu->vendor->compile_advice(result), oak_buffer_get(&quote));
  oak_buffer_free(&quote);
  return st;
}

/** Compile a text, and add the image to an entry. \a path: of the entry, for messages. */
static oak_status_t compile(const gpu_t *gpu, const char *name, const char *text,
                            const oak_words_t *options, const char *path, oak_buffer_t *entry) {
  const gpu_compiler_t *compiler = &gpu->compiler;
  gpu_handle_t program = NULL;
  OAK_CHECK(compiler->create(&program, text, name, 0, NULL, NULL) == 0, OAK_ERR_BUILD,
            "%s cannot start to compile '%s'", gpu->vendor->compiler, name);
  const gpu_result_t result =
      compiler->compile(program, options->count, (const char *const *)options->word);
  const oak_status_t status = result == 0 ? add_image(compiler, program, entry)
                                          : compile_error(gpu, program, result, name, path);
  compiler->destroy(&program);
  return status;
}

/** The files of a source, which threads compile one by one. */
typedef struct {
  const gpu_t *gpu;
  const oak_source_t *source;
  const oak_words_t *options;
  const char *path;
  oak_buffer_t *entry; /**< [source->nfile] */
  atomic_int next, failed;
} files_t;

static void *compile_files(void *arg) {
  files_t *f = arg;
  for (int n; (n = f->next++) < f->source->nfile && !f->failed;) {
    oak_source_t one = *f->source;
    oak_buffer_t text = {0};
    one.file = &f->source->file[n];
    one.nfile = 1;
    oak_status_t st = oak_source_text(&one, &text);
    if (st == OAK_OK)
      st = compile(f->gpu, oak_source_name(&one), oak_buffer_get(&text), f->options, f->path,
                   &f->entry[n]);
    oak_buffer_free(&text);
    if (st != OAK_OK) f->failed = 1;
  }
  return NULL;
}

/** Compile each file by itself, several at the same time, to one entry. Return 1 if all went well;
 * otherwise the source is compiled in one piece, whose messages the user sees. */
static int compile_apart(files_t *f, oak_buffer_t *entry) {
  enum { MOST = 64 };
  pthread_t thread[MOST];
  const int count = f->source->nfile, cores = oak_host_cores();
  int threads = 0, major = 0, minor = 0;
  f->gpu->compiler.version(&major, &minor);
  if (count < 2 || !f->gpu->vendor->threads_from || major < f->gpu->vendor->threads_from) return 0;
  f->entry = calloc((size_t)count, sizeof *f->entry);
  if (!f->entry) return 0;
  for (int n = 1; n < count && n < cores && n < MOST; n++)
    threads += pthread_create(&thread[threads], NULL, compile_files, f) == 0;
  compile_files(f);
  for (int n = 0; n < threads; n++) pthread_join(thread[n], NULL);
  for (int n = 0; n < count; n++) {
    oak_buffer_bytes(entry, oak_buffer_get(&f->entry[n]), f->entry[n].length);
    oak_buffer_free(&f->entry[n]);
  }
  free(f->entry);
  if (f->failed) oak_buffer_free(entry);
  return !f->failed;
}

/** Write what the compiler gets to the file \a path.cu: the options, then the text. */
static void keep_source(oak_buffer_t *text, const oak_words_t *options, const char *path) {
  oak_buffer_t kept = {0};
  char file[4200];
  snprintf(file, sizeof file, "%s.cu", path);
  oak_buffer_print(&kept, "//");
  for (int i = 0; i < options->count; i++) oak_buffer_print(&kept, " %s", options->word[i]);
  oak_buffer_print(&kept, "\n%s", oak_buffer_get(text));
  oak_buffer_write(&kept, file); /* if this fails, the build goes on */
  oak_buffer_free(&kept);
}

static oak_status_t gpu_build(oak_device_t *dev, const oak_source_t *source, const char *path) {
  const gpu_t *gpu = dev->data;
  const char *root;
  oak_buffer_t text = {0}, entry = {0};
  oak_words_t options = {0};
  OAK_TRY(oak_source_root(&root));
  oak_status_t status = oak_source_text(source, &text);
  gpu->vendor->options(gpu, &dev->user_flags, &options);
  for (int i = 0; i < source->ndefine; i++) oak_words_add(&options, "-D%s", source->define[i]);
  oak_words_add(&options, "-I%s/include", root);
  oak_words_add(&options, "-I%s", root);
  if (status == OAK_OK) status = oak_words_status(&options);
  if (status == OAK_OK && oak_build_keep()) keep_source(&text, &options, path);
  files_t files = {.gpu = gpu, .source = source, .options = &options, .path = path};
  if (status == OAK_OK && !compile_apart(&files, &entry))
    status = compile(gpu, oak_source_name(source), oak_buffer_get(&text), &options, path, &entry);
  if (status == OAK_OK) status = write_entry(&entry, path);
  oak_words_free(&options);
  oak_buffer_free(&text);
  oak_buffer_free(&entry);
  return status;
}

/* ---- modules */

static void gpu_unload(oak_device_t *dev, oak_module_t *opaque) {
  gpu_t *gpu = dev->data;
  gpu_module_t *module = (gpu_module_t *)opaque;
  gpu->launched = "of a module no longer loaded";
  while (module->kernels) {
    gpu_kernel_t *next = module->kernels->next;
    free(module->kernels);
    module->kernels = next;
  }
  for (int n = 0; n < module->count; n++) gpu->driver.module_unload(module->part[n]);
  free(module->part);
  free(module);
}

/** Load the images of an entry (add_image, write_entry). */
static oak_status_t load_images(gpu_t *gpu, gpu_module_t *module, const oak_buffer_t *entry) {
  const char *at = oak_buffer_get(entry), *end = at + entry->length;
  for (uint64_t head[2];; at += sizeof head + head[1]) {
    OAK_CHECK((size_t)(end - at) >= sizeof head, OAK_ERR_FILE, "a built kernel is damaged");
    memcpy(head, at, sizeof head);
    if (head[0] == 0) return OAK_OK;
    OAK_CHECK(head[1] <= (size_t)(end - at) - sizeof head, OAK_ERR_FILE,
              "a built kernel is damaged");
    gpu_handle_t *grown = realloc(module->part, (module->count + 1) * sizeof *grown);
    OAK_CHECK(grown, OAK_ERR_MEMORY, "no memory for a module");
    module->part = grown;
    GPU_TRY(gpu, module_load(&module->part[module->count], at + sizeof head), "loading a kernel");
    module->count++;
  }
}

static oak_status_t gpu_load(oak_device_t *dev, const char *path, oak_module_t **out) {
  gpu_t *gpu = dev->data;
  oak_buffer_t image = {0};
  int file;
  int error = oak_cache_take(path, &image, &file);
  if (error) oak_buffer_free(&image);
  OAK_CHECK(!error, OAK_ERR_FILE, "a built kernel cannot be read from %s: %s", path,
            error == EBADMSG ? "it is damaged, or others may write to it" : strerror(error));
  close(file);
  gpu_module_t *module = calloc(1, sizeof *module);
  oak_status_t st = module ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "no memory for a module");
  if (st == OAK_OK) st = load_images(gpu, module, &image);
  oak_buffer_free(&image);
  if (st == OAK_OK)
    *out = (oak_module_t *)module;
  else if (module)
    gpu_unload(dev, (oak_module_t *)module);
  return st;
}

/* Copy a constant of a module to the host. */
static oak_status_t read_global(gpu_t *gpu, const gpu_module_t *module, const char *name, void *dst,
                                size_t bytes) {
  gpu_memory_t address = 0;
  size_t size = 0;
  int found = 0;
  for (int n = 0; n < module->count && !found; n++)
    found = gpu->driver.module_global(&address, &size, module->part[n], name) == 0;
  OAK_CHECK(found, OAK_ERR_ARGUMENT,
            "the built source has no constant '%s'; define it with OAK_CONST_DATA", name);
  OAK_CHECK(size == bytes, OAK_ERR_ARGUMENT, "constant '%s' has %zu bytes, but %zu are asked for",
            name, size, bytes);
  GPU_TRY(gpu, to_host(dst, address, bytes, gpu->stream), "reading a constant");
  GPU_TRY(gpu, stream_wait(gpu->stream), "reading a constant");
  return OAK_OK;
}

static oak_status_t gpu_constant(oak_device_t *dev, oak_module_t *opaque, const char *name,
                                 void *dst, size_t bytes) {
  return read_global(dev->data, (gpu_module_t *)opaque, name, dst, bytes);
}

static oak_status_t prepare_kernel(gpu_t *gpu, gpu_module_t *module, gpu_kernel_t *kernel,
                                   const char *name) {
  char launch_name[80];
  int launch[3], found = 0;
  for (int n = 0; n < module->count && !found; n++)
    found = gpu->driver.module_function(&kernel->function, module->part[n], name) == 0;
  OAK_CHECK(found, OAK_ERR_ARGUMENT,
            "the built source has no kernel '%s'; define it with OAK_KERNEL", name);
  snprintf(launch_name, sizeof launch_name, "%s_launch", name);
  OAK_TRY(read_global(gpu, module, launch_name, launch, sizeof launch));
  kernel->threads = (unsigned)launch[0];
  kernel->shared = (unsigned)launch[1];
  kernel->most = (unsigned)launch[2];
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
  OAK_CHECK(launch[1] <= gpu->most_shared, OAK_ERR_DEVICE,
            "kernel '%s' needs %d bytes of shared memory, GPU %d has %d: use a smaller "
            "mesh.block_size, fewer variables or single precision",
            name, launch[1], gpu->ordinal, gpu->most_shared);
  if (launch[1] > 0 && gpu->vendor->allow_shared) OAK_TRY(gpu->vendor->allow_shared(gpu, kernel));
  if (getenv("OAK_GPU_VERBOSE")) {
    int registers = 0, local = 0;
    gpu->driver.function_get(&registers, GPU_FUNCTION_REGISTERS, kernel->function);
    gpu->driver.function_get(&local, GPU_FUNCTION_LOCAL_BYTES, kernel->function);
    fprintf(stderr, "oak: %s: %u threads, %d registers, %d bytes spilled, %u bytes shared\n", name,
            kernel->threads, registers, local, kernel->shared);
  }
  return OAK_OK;
}

static oak_status_t gpu_kernel(oak_device_t *dev, oak_module_t *opaque, const char *name,
                               oak_kernel_t **out) {
  gpu_module_t *module = (gpu_module_t *)opaque;
  gpu_kernel_t *kernel = calloc(1, sizeof *kernel);
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

static oak_status_t gpu_launch(oak_device_t *dev, oak_kernel_t *opaque, long n, const void *args,
                               size_t bytes) {
  (void)bytes; /* the size is not passed, because the driver knows it from the kernel */
  gpu_t *gpu = dev->data;
  const gpu_kernel_t *kernel = (const gpu_kernel_t *)opaque;
  void *list[2] = {&n, (void *)args};
  const unsigned threads = n < gpu->multiprocessors ? kernel->most : kernel->threads;
  const long most = gpu->vendor->most_threads ? gpu->vendor->most_threads / threads : 2147483647;
  OAK_CHECK(n <= most, OAK_ERR_ARGUMENT,
            "kernel '%s': %ld iterations are too many; a GPU runs at most %ld", kernel->name, n,
            most);
  const gpu_result_t result = gpu->vendor->launch(gpu, kernel, (unsigned)n, threads, list);
  if (result != 0) {
    char doing[96];
    snprintf(doing, sizeof doing, "launching kernel '%s'", kernel->name);
    return oak_gpu_status(gpu, result, doing);
  }
  gpu->launched = kernel->name;
  return gpu->wait ? oak_gpu_sync(dev) : OAK_OK;
}

/* ---- texts */

static void gpu_describe(oak_device_t *dev, char *text, size_t size) {
  const gpu_t *gpu = dev->data;
  const gpu_vendor_t *vendor = gpu->vendor;
  int major = 0, minor = 0;
  char memory[32];
  gpu->compiler.version(&major, &minor);
  snprintf(text, size, "%s, %s, %s, %s %d.%d, %s %d.%d", gpu->name,
           oak_format_size((double)gpu->memory, memory), gpu->generation, vendor->platform,
           oak_gpu_major(gpu), oak_gpu_minor(gpu), vendor->compiler, major, minor);
}

static oak_status_t gpu_fingerprint(oak_device_t *dev, int compiler, oak_hash_t *hash) {
  const gpu_t *gpu = dev->data;
  int version[2] = {0, 0};
  oak_words_t options = {0};
  (void)compiler; /* the compiler is a library of this process, so it is always there */
  gpu->compiler.version(&version[0], &version[1]);
  gpu->vendor->options(gpu, &dev->user_flags, &options);
  oak_hash_bytes(hash, version, sizeof version);
  oak_hash_text(hash, "images 1"); /* the form of an entry */
  for (int i = 0; i < options.count; i++) oak_hash_text(hash, options.word[i]);
  oak_status_t status = oak_words_status(&options);
  oak_words_free(&options);
  return status;
}

/* clang-format off */
#define OWN(member) .member = gpu_##member,
#define SHARED(member) .member = oak_gpu_##member,
#define GPU_OPS \
  .tile_width = 32, .tile_cells = 256, \
  OWN(open) OWN(close) OWN(build) OWN(load) OWN(unload) OWN(kernel) OWN(constant) OWN(launch) \
  OWN(mark) OWN(between) OWN(wide_tiles) OWN(slots) OWN(describe) OWN(fingerprint) GPU_MEMORY_OPS(SHARED)

const oak_device_ops_t oak_device_ops_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs, through the CUDA driver and NVRTC",
    .energy = oak_gpu_energy,
    GPU_OPS
};

const oak_device_ops_t oak_device_ops_hip = {
    .name = "hip",
    .summary = "AMD GPUs, through HIP and hipRTC (ROCm)",
    .named_only = 1, /* it has not run on a card yet */
    GPU_OPS
};
/* clang-format on */
