/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kernels as shared objects that a C compiler of the machine has made: loading and launching, for
 * the back ends that have such a compiler. A kernel is `void NAME(long n, int threads, const args_t
 * *args)`. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_private.h"

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

/* ---- object files as bytes: what can be known of one without loading it, which would run code */

/** A piece of an object file, or NULL if the file does not reach that far. */
static const void *piece_of(const oak_buffer_t *object, size_t at, size_t size) {
  return at <= object->length && size <= object->length - at ? object->data + at : NULL;
}

/** The headers of the sections of an object file, NULL if it cannot be read. */
static const ElfW(Shdr) * sections_of(const oak_buffer_t *object, int *count) {
  const ElfW(Ehdr) *head = piece_of(object, 0, sizeof *head);
  *count = 0;
  if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shoff % sizeof(long) != 0)
    return NULL;
  *count = head->e_shnum;
  return piece_of(object, head->e_shoff, (size_t)*count * sizeof(ElfW(Shdr)));
}

/** The bytes of a symbol that the linker has exported; NULL if they are not in the file. */
static const void *bytes_of(const oak_buffer_t *object, const ElfW(Shdr) * section, int count,
                            const ElfW(Sym) * symbol) {
  const int in = symbol->st_shndx;
  if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || in <= 0 || in >= count || !symbol->st_size ||
      section[in].sh_type != SHT_PROGBITS || symbol->st_value < section[in].sh_addr)
    return NULL;
  const size_t at = symbol->st_value - section[in].sh_addr, size = section[in].sh_size;
  if (at > size || symbol->st_size > size - at) return NULL;
  return piece_of(object, section[in].sh_offset + at, symbol->st_size);
}

static const void *find_in(const oak_buffer_t *object, const ElfW(Shdr) * section, int count,
                           const ElfW(Shdr) * table, const char *name, size_t *size) {
  if (table->sh_link >= (unsigned)count || table->sh_offset % sizeof(long) != 0) return NULL;
  const ElfW(Shdr) *texts = &section[table->sh_link];
  const ElfW(Sym) *symbol = piece_of(object, table->sh_offset, table->sh_size);
  const char *text = piece_of(object, texts->sh_offset, texts->sh_size);
  const size_t length = strlen(name) + 1;
  for (size_t i = 0; symbol && text && i < table->sh_size / sizeof *symbol; i++) {
    const size_t at = symbol[i].st_name;
    if (at > texts->sh_size || length > texts->sh_size - at || memcmp(text + at, name, length) != 0)
      continue;
    *size = symbol[i].st_size;
    return bytes_of(object, section, count, &symbol[i]);
  }
  return NULL;
}

/** Find a constant in a shared object that was read from a file. \return its bytes, of which there
 * are \a *size; NULL if there is none. */
static const void *image_constant(const oak_buffer_t *object, const char *name, size_t *size) {
  int count;
  const ElfW(Shdr) *section = sections_of(object, &count);
  for (int i = 0; section && i < count; i++)
    if (section[i].sh_type == SHT_DYNSYM)
      return find_in(object, section, count, &section[i], name, size);
  return NULL;
}

/** Whether a section holds variables that a program may write to. */
static int is_writable(const oak_buffer_t *object, const ElfW(Shdr) * section, int count, int in) {
  const ElfW(Ehdr) *head = piece_of(object, 0, sizeof *head);
  if (in <= 0 || in >= count || !(section[in].sh_flags & SHF_WRITE) || head->e_shstrndx >= count)
    return 0;
  const ElfW(Shdr) *names = &section[head->e_shstrndx];
  const char *name = piece_of(object, names->sh_offset + section[in].sh_name, 12);
  return name && memcmp(name, ".data.rel.ro", 12) != 0; /* constants with addresses in them */
}

/** As oak_device_ops_t.writable. */
static const char *image_writable(const oak_buffer_t *object, int number) {
  int count, own = 1;
  const ElfW(Shdr) *section = sections_of(object, &count), *table = NULL;
  for (int i = 0; section && i < count && !table; i++)
    if (section[i].sh_type == SHT_SYMTAB && section[i].sh_link < (unsigned)count)
      table = &section[i];
  if (!table || table->sh_offset % sizeof(long) != 0) return NULL;
  const ElfW(Shdr) *texts = &section[table->sh_link];
  const ElfW(Sym) *symbol = piece_of(object, table->sh_offset, table->sh_size);
  const char *text = piece_of(object, texts->sh_offset, texts->sh_size);
  for (size_t i = 0; symbol && text && i < table->sh_size / sizeof *symbol; i++) {
    const int type = ELF64_ST_TYPE(symbol[i].st_info);
    if (symbol[i].st_name >= texts->sh_size) continue;
    const char *name = text + symbol[i].st_name;
    if (!memchr(name, 0, texts->sh_size - symbol[i].st_name)) continue;
    if (type == STT_FILE) own = strncmp(name, "crt", 3) != 0; /* of the compiler */
    if ((type == STT_OBJECT || type == STT_TLS) && own && symbol[i].st_size &&
        is_writable(object, section, count, symbol[i].st_shndx) && number-- == 0)
      return name;
  }
  return NULL;
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
  (void)at_quick_exit(refuse_exit);
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
  if (!module->object) return image_constant(&module->image, name, size);
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
  return image_writable(&((object_module_t *)opaque)->image, number);
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
