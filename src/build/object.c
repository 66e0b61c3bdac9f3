/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kernels as shared objects that a C compiler of the machine makes, for the back ends that have
 * one. A kernel is `void NAME(long n, int threads, const args_t *args)`. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "build/build.h"

extern char **environ;

typedef void (*object_function_t)(long n, int threads, const void *args);

typedef struct object_kernel {
  object_function_t function;
  struct object_kernel *next;
} object_kernel_t;

typedef struct {
  void *object;       /* NULL: it was only read */
  int file;           /* of the entry; the name of the object has this number, so it stays open */
  oak_buffer_t image; /* the bytes of what was only read */
  object_kernel_t *kernels;
} object_module_t;

/* ---- build */

oak_status_t oak_object_command(const oak_source_t *source, const char *path,
                                const oak_words_t *head, oak_words_t *command) {
  const char *root;
  char *file;
  oak_buffer_t text = {0};
  OAK_TRY(oak_source_root(&root));
  OAK_TRY(oak_format(&file, "%s.c", path));
  oak_status_t status = oak_source_text(source, &text);
  int error = status == OAK_OK ? oak_buffer_write(&text, file) : 0;
  if (error) {
    status =
        OAK_FAIL(OAK_ERR_FILE,
                 "the source of kernel '%s' cannot be written to %s: %s; set OAK_CACHE to a folder "
                 "with space",
                 oak_source_name(source), file, strerror(error));
  }
  oak_words_copy(command, head);
  for (int i = 0; i < source->ndefine; i++) oak_words_add(command, "-D%s", source->define[i]);
  oak_words_add(command, "-I%s/include", root);
  oak_words_add(command, "-I%s", root);
  oak_words_add(command, "%s", file);
  oak_buffer_free(&text);
  free(file);
  return status;
}

void oak_debug_flags(const oak_source_t *source, oak_words_t *command) {
  if (source->debug && !source->data) oak_words_add(command, "-O1");
}

void oak_assembler_flag(const oak_device_t *dev, const char *path, oak_words_t *command) {
  if (!dev->compiler || !dev->compiler->lists) return;
  oak_words_add(command, "-Xassembler");
  oak_words_add(command, "--MD=%s.as", path);
}

int oak_assembler_reads(oak_device_t *dev, const char *path, const oak_words_t *known) {
  oak_words_t files = {0};
  char *list;
  if (!dev->compiler || !dev->compiler->lists || oak_format(&list, "%s.as", path) != OAK_OK)
    return 0;
  oak_rule_read(list, &files);
  free(list);
  const char *name = strrchr(path, '/') + 1;
  int reads = files.count == 0; /* the last one is the text from the compiler */
  for (int i = 0; i + 1 < files.count && !reads; i++) {
    const char *file = files.word[i];
    reads = strncmp(file, name, strlen(name)) != 0;
    for (int k = 0; k < known->count && reads; k++) reads = strcmp(file, known->word[k]) != 0;
  }
  if (reads) snprintf(dev->unfollowed, OAK_UNFOLLOWED, "its assembler reads files");
  oak_words_free(&files);
  return reads;
}

/** With information for debuggers, the assembler also lists files that the compiler has read. */
static oak_status_t follow_assembler(oak_device_t *dev, const char *path) {
  oak_words_t known = {0};
  char *list;
  OAK_TRY(oak_format(&list, "%s.d", path));
  const oak_status_t status = oak_rule_read(list, &known);
  free(list);
  if (status == OAK_OK) oak_assembler_reads(dev, path, &known);
  oak_words_free(&known);
  return status;
}

oak_status_t oak_object_build(oak_device_t *dev, const oak_source_t *source, const char *path,
                              const oak_words_t *head) {
  oak_job_t job = {.to = NULL};
  oak_status_t status = oak_object_command(source, path, head, &job.command);
  oak_words_add(&job.command, "-o");
  oak_words_add(&job.command, "%s", path);
  oak_words_copy(&job.command, &dev->user_flags);
  oak_debug_flags(source, &job.command);
  oak_assembler_flag(dev, path, &job.command);
  if (source->data) oak_words_add(&job.command, "-O2"); /* gcc looks at indices from there on */
  oak_words_add(&job.command, "-lm");
  if (status == OAK_OK) status = oak_compiler_run(&job, oak_source_name(source), path, path);
  if (status == OAK_OK && source->data) oak_compiler_warn(oak_buffer_get(&job.output));
  if (status == OAK_OK) status = follow_assembler(dev, path);
  oak_job_free(&job);
  return status;
}

oak_status_t oak_object_preprocess(oak_device_t *dev, const oak_source_t *source, const char *path,
                                   const oak_words_t *head) {
  char *seen;
  OAK_TRY(oak_format(&seen, "%s.i", path));
  oak_job_t job = {.to = seen};
  oak_status_t status = oak_object_command(source, path, head, &job.command);
  oak_words_copy(&job.command, &dev->user_flags);
  oak_words_split(&job.command, "-E -MD -MT oak -MF");
  oak_words_add(&job.command, "%s.d", path);
  if (status == OAK_OK) status = oak_compiler_run(&job, oak_source_name(source), path, seen);
  oak_job_free(&job);
  free(seen);
  return status;
}

/** The text of a file, to be freed. */
static oak_status_t read_text(const char *path, char **out) {
  oak_buffer_t text = {0};
  const int error = oak_buffer_read(&text, path);
  *out = error ? NULL : oak_str_copy(oak_buffer_get(&text));
  oak_buffer_free(&text);
  OAK_CHECK(*out, OAK_ERR_FILE, "cannot read %s: %s", path, strerror(error ? error : ENOMEM));
  return OAK_OK;
}

oak_status_t oak_object_explain(oak_device_t *dev, const oak_source_t *source, const char *path,
                                const oak_words_t *head, const char *flags, char **said,
                                char **assembly) {
  char *file;
  OAK_TRY(oak_format(&file, "%s.s", path));
  oak_job_t job = {.to = NULL};
  oak_status_t status = oak_object_command(source, path, head, &job.command);
  oak_words_copy(&job.command, &dev->user_flags);
  oak_words_split(&job.command, "-S -g1");
  oak_words_split(&job.command, flags);
  oak_words_add(&job.command, "-o");
  oak_words_add(&job.command, "%s", file);
  if (status == OAK_OK) status = oak_compiler_run(&job, oak_source_name(source), path, file);
  if (status == OAK_OK) status = read_text(file, assembly);
  *said = status == OAK_OK ? oak_str_copy(oak_buffer_get(&job.output)) : NULL;
  if (status == OAK_OK && !*said) status = OAK_FAIL(OAK_ERR_MEMORY, "no memory for messages");
  oak_job_free(&job);
  free(file);
  return status;
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void oak_object_fingerprint(oak_device_t *dev, const oak_compiler_t *compiler,
                            const oak_words_t *head, oak_hash_t *hash) {
  oak_words_t variables = {0};
  for (int i = 0; i < head->count; i++) oak_hash_text(hash, head->word[i]);
  for (int i = 0; i < dev->user_flags.count; i++) oak_hash_text(hash, dev->user_flags.word[i]);
  if (compiler) {
    oak_hash_text(hash, compiler->version);
    oak_hash_bytes(hash, &compiler->target, sizeof compiler->target);
    oak_hash_bytes(hash, &compiler->tools, sizeof compiler->tools);
  }
  for (char *const *entry = environ; head->count > 0 && *entry; entry++)
    if (oak_process_variable(*entry, 1)) oak_words_add(&variables, "%s", *entry);
  if (variables.count > 1)
    qsort(variables.word, (size_t)variables.count, sizeof *variables.word, compare_texts);
  for (int i = 0; i < variables.count; i++) oak_hash_text(hash, variables.word[i]);
  oak_words_free(&variables);
}

/* ---- code that ends the process */

/** The device whose code runs now, or NULL. */
static _Atomic(oak_device_t *) inside;

/** A hook that calls `exit` would end a run half way, with the status of success. */
static void refuse_exit(void) {
  oak_device_t *dev = atomic_exchange(&inside, NULL);
  if (!dev) return;
  OAK_FAIL(OAK_ERR_STATE,
           "a hook has ended the program (it called exit): a hook must return; to end a run early "
           "set run.end_time or run.max_steps");
  oak_end_all(dev->comm);
}

static void watch_exit(void) {
  static int watched;
  if (watched++) return;
  atexit(refuse_exit);
  at_quick_exit(refuse_exit);
}

/* ---- modules */

/** Keep the OpenMP runtime loaded. gcc's runtime has threads that wait in its code, and unloading
 * it with the last module would remove this code while they run. */
static void object_pin_openmp(void *object) {
  void *symbol = dlsym(object, "omp_get_max_threads");
  Dl_info info;
  if (!symbol || !dladdr(symbol, &info) || !info.dli_fname) return;
  void *runtime = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  if (runtime) dlclose(runtime);
}

/** The name by which the loader finds an open file. */
static void name_of(int file, char name[64]) {
  snprintf(name, 64, "/proc/%ld/fd/%d", (long)getpid(), file);
  if (access(name, F_OK) != 0) snprintf(name, 64, "/proc/self/fd/%d", file);
}

/** Read and check an entry, whose file stays open. */
static oak_status_t take(const char *path, oak_buffer_t *entry, int *file) {
  const int error = oak_cache_take(path, entry, file);
  OAK_CHECK(!error, OAK_ERR_BUILD, "the built kernel %s cannot be read: %s", path,
            error == EBADMSG ? "it is damaged, or others may write to it" : strerror(error));
  return OAK_OK;
}

/** Load exactly the file that is checked here, even if another file gets its path meanwhile. */
static oak_status_t load(oak_device_t *dev, const char *path, object_module_t *module) {
  oak_buffer_t entry = {0};
  char name[64];
  const oak_status_t status = take(path, &entry, &module->file);
  oak_buffer_free(&entry);
  OAK_TRY(status);
  name_of(module->file, name);
  watch_exit();
  inside = dev;
  module->object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  inside = NULL;
  if (module->object) return OAK_OK;
  const char *reason = dlerror();
  const int noexec = reason && strstr(reason, "failed to map segment");
  close(module->file);
  return OAK_FAIL(OAK_ERR_BUILD, "the built kernel %s does not load: %s%s", path,
                  reason ? reason : "",
                  noexec ? "; if its folder is mounted noexec, set OAK_CACHE to another one" : "");
}

oak_status_t oak_object_load(oak_device_t *dev, const char *path, oak_module_t **out) {
  object_module_t *module = calloc(1, sizeof *module);
  OAK_CHECK(module, OAK_ERR_MEMORY, "no memory for a module");
  const oak_status_t status = load(dev, path, module);
  if (status != OAK_OK) {
    free(module);
    return status;
  }
  object_pin_openmp(module->object);
  *out = (oak_module_t *)module;
  return OAK_OK;
}

oak_status_t oak_object_load_data(oak_device_t *dev, const char *path, oak_module_t **out) {
  (void)dev;
  object_module_t *module = calloc(1, sizeof *module);
  OAK_CHECK(module, OAK_ERR_MEMORY, "no memory for a module");
  const oak_status_t status = take(path, &module->image, &module->file);
  if (status != OAK_OK) {
    oak_buffer_free(&module->image);
    free(module);
    return status;
  }
  close(module->file);
  *out = (oak_module_t *)module;
  return OAK_OK;
}

/** An object that stays, as one linked with -z nodelete, keeps its name. If another file got the
 * same number, the loader would take the old object for it. */
static void unload(object_module_t *module) {
  char name[64];
  dlclose(module->object);
  name_of(module->file, name);
  void *stays = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  if (stays)
    dlclose(stays);
  else
    close(module->file);
}

void oak_object_unload(oak_device_t *dev, oak_module_t *opaque) {
  (void)dev;
  object_module_t *module = (object_module_t *)opaque;
  while (module->kernels) {
    object_kernel_t *next = module->kernels->next;
    free(module->kernels);
    module->kernels = next;
  }
  if (module->object) unload(module);
  oak_buffer_free(&module->image);
  free(module);
}

oak_status_t oak_object_kernel(oak_device_t *dev, oak_module_t *opaque, const char *name,
                               oak_kernel_t **out) {
  (void)dev;
  object_module_t *module = (object_module_t *)opaque;
  void *symbol = module->object ? dlsym(module->object, name) : NULL;
  OAK_CHECK(symbol, OAK_ERR_ARGUMENT,
            "the built source has no kernel '%s'; define it with a visible name", name);
  object_kernel_t *kernel = calloc(1, sizeof *kernel);
  OAK_CHECK(kernel, OAK_ERR_MEMORY, "no memory for kernel '%s'", name);
  /* ISO C has no conversion from void * to a function; POSIX gives both the same form. */
  memcpy(&kernel->function, &symbol, sizeof symbol);
  kernel->next = module->kernels;
  module->kernels = kernel;
  *out = (oak_kernel_t *)kernel;
  return OAK_OK;
}

/** The address of a constant and its size; the size is 0 if it is not known. */
static const void *find_constant(object_module_t *module, const char *name, size_t *size) {
  *size = 0;
  if (!module->object) return oak_image_constant(&module->image, name, size);
  void *symbol = dlsym(module->object, name);
#ifdef __GLIBC__ /* RTLD_DL_SYMENT is no macro */
  Dl_info info;
  void *entry = NULL;
  if (symbol && dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) && entry)
    *size = ((const ElfW(Sym) *)entry)->st_size;
#endif
  return symbol;
}

oak_status_t oak_object_constant(oak_device_t *dev, oak_module_t *opaque, const char *name,
                                 void *dst, size_t bytes) {
  (void)dev;
  size_t size;
  const void *symbol = find_constant((object_module_t *)opaque, name, &size);
  OAK_CHECK(symbol, OAK_ERR_ARGUMENT,
            "the built source has no constant '%s'; define it with a visible name", name);
  OAK_CHECK(size == bytes || !size, OAK_ERR_ARGUMENT,
            "constant '%s' has %zu bytes, but %zu are asked for", name, size, bytes);
  memcpy(dst, symbol, bytes);
  return OAK_OK;
}

const char *oak_object_writable(oak_module_t *opaque, int number) {
  return oak_image_writable(&((object_module_t *)opaque)->image, number);
}

oak_status_t oak_object_launch(oak_device_t *dev, oak_kernel_t *opaque, long n, const void *args,
                               size_t bytes) {
  (void)bytes;
  const object_kernel_t *kernel = (const object_kernel_t *)opaque;
  inside = dev;
  kernel->function(n, dev->threads, args);
  inside = NULL;
  return OAK_OK;
}

void *oak_object_symbol(oak_module_t *module, const char *name) {
  void *object = ((object_module_t *)module)->object;
  return object ? dlsym(object, name) : NULL;
}
