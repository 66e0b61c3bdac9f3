/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finding the driver, the run-time compiler and the library for messages on the machine. */
#include "gpu_api.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- libraries */

/* ISO C has no conversion from void * to a function; POSIX gives both the same form. */
static oak_status_t find(const gpu_vendor_t *vendor, void *library, const char *library_name,
                         const char *name, void *member) {
  if (!name) return OAK_OK;
  void *symbol = dlsym(library, name);
  OAK_CHECK(symbol, OAK_ERR_DEVICE, "%s has no function %s: it is too old; %s or later is needed",
            library_name, name, vendor->needs);
  memcpy(member, &symbol, sizeof symbol);
  return OAK_OK;
}

#define FIND(member, cuda, hip, arguments) \
  OAK_TRY(find(vendor, table->library, name, vendor->names ? hip : cuda, &table->member));

/** Libraries that were tried. */
typedef struct {
  const gpu_t *gpu; /**< unless NULL: for a compiler that suits its driver */
  int newer[2];     /**< the last version found that needs a newer driver; 0: none */
  int flags;        /**< of dlopen */
  char reason[512];
} search_t;

static const char *value_of(const char *variable) {
  const char *value = variable ? getenv(variable) : NULL;
  return value && value[0] ? value : NULL;
}

int oak_gpu_major(const gpu_t *gpu) { return gpu->driver_version / gpu->vendor->version_unit[0]; }
int oak_gpu_minor(const gpu_t *gpu) {
  return gpu->driver_version % gpu->vendor->version_unit[0] / gpu->vendor->version_unit[1];
}

/** Open a library, unless it builds what the driver cannot load. */
static void *open_one(search_t *search, const char *path) {
  int (*version)(int *major, int *minor);
  int number[2] = {0, 0};
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | search->flags);
  if (!library) {
    const char *reason = dlerror();
    snprintf(search->reason, sizeof search->reason, "%s", reason ? reason : "");
    return NULL;
  }
  if (!search->gpu || !search->gpu->vendor->newest_compiler) return library;
  void *symbol = dlsym(library, "nvrtcVersion");
  memcpy(&version, &symbol, sizeof symbol);
  if (symbol) version(&number[0], &number[1]);
  if (number[0] <= oak_gpu_major(search->gpu)) return library;
  memcpy(search->newer, number, sizeof number);
  dlclose(library);
  return NULL;
}

/* The last of the files that match, which has the highest version. */
static void *open_newest(search_t *search, const char *pattern) {
  glob_t found;
  void *library = NULL;
  if (glob(pattern, 0, NULL, &found) != 0) return NULL;
  for (size_t i = found.gl_pathc; i > 0 && !library; i--)
    library = open_one(search, found.gl_pathv[i - 1]);
  globfree(&found);
  return library;
}

static void *open_library(search_t *search, const gpu_places_t *places) {
  const char *choice = value_of(places->variable);
  void *library = NULL;
  if (choice) return open_one(search, choice);
  for (const char *const *home = places->homes; home && *home && !library; home++) {
    char pattern[4200];
    if (!value_of(*home)) continue;
    snprintf(pattern, sizeof pattern, "%s/lib*/%s", getenv(*home), places->file);
    library = open_newest(search, pattern);
  }
  for (const char *const *name = places->names; *name && !library; name++)
    library = open_one(search, *name);
  for (const char *const *folder = places->folders; folder && *folder && !library; folder++)
    library = open_newest(search, *folder);
  return library;
}

/* ---- the driver */

oak_status_t oak_gpu_call_status(const gpu_t *gpu, gpu_result_t result, const char *doing) {
  const char *name = "?", *text = "?";
  if (result == 0) return OAK_OK;
  gpu->vendor->texts(gpu, result, &name, &text);
  return OAK_FAIL(result == GPU_ERROR_OUT_OF_MEMORY ? OAK_ERR_MEMORY : OAK_ERR_DEVICE,
                  "GPU %d failed while %s: %s (%s)%s", gpu->ordinal, doing, text, name,
                  gpu->vendor->advice(result));
}

static oak_status_t start_driver(gpu_t *gpu, int *found) {
  const gpu_vendor_t *vendor = gpu->vendor;
  const char *visible = getenv(vendor->visible), *name = "?", *text = "?";
  gpu_result_t result = gpu->driver.init(0);
  if (result == 0) result = gpu->driver.device_count(&gpu->count);
  OAK_CHECK(!vendor->is_none(result) && (result || gpu->count), OAK_ERR_DEVICE,
            "no %s GPU: the driver finds none%s%s%s%s%s; device.name = cpu runs without a GPU",
            vendor->company, visible ? ", with " : "", visible ? vendor->visible : "",
            visible ? " = " : "", visible ? visible : "", vendor->why_none());
  *found = 1;
  if (result != 0) vendor->texts(gpu, result, &name, &text);
  OAK_CHECK(result == 0, OAK_ERR_DEVICE, "%s does not start: %s (%s)%s; %s may tell more",
            vendor->driver, text, name, vendor->advice(result), vendor->tool);
  gpu->driver.driver_version(&gpu->driver_version);
  OAK_CHECK(gpu->driver_version >= vendor->oldest, OAK_ERR_DEVICE,
            "%s supports %s %d.%d: %d.%d or later is needed; update the driver", vendor->driver,
            vendor->platform, oak_gpu_major(gpu), oak_gpu_minor(gpu),
            vendor->oldest / vendor->version_unit[0],
            vendor->oldest % vendor->version_unit[0] / vendor->version_unit[1]);
  return OAK_OK;
}

oak_status_t oak_gpu_driver(gpu_t *gpu, int *found) {
  const gpu_vendor_t *vendor = gpu->vendor;
  gpu_driver_t *table = &gpu->driver;
  /* Never unloaded, because the driver leaves threads behind. */
  search_t search = {.flags = RTLD_NODELETE};
  char name[128];
  *found = 0;
  table->library = open_library(&search, &vendor->driver_places);
  OAK_CHECK(table->library, OAK_ERR_DEVICE, "%s; device.name = cpu runs without a GPU",
            vendor->no_driver);
  snprintf(name, sizeof name, "%s (%s)", vendor->driver, vendor->driver_places.names[0]);
  GPU_DRIVER_TABLE(FIND)
  GPU_VENDOR_TABLE(FIND)
  return start_driver(gpu, found);
}

/* ---- the run-time compiler */

static oak_status_t compiler_missing(const gpu_t *gpu, const search_t *search) {
  const gpu_vendor_t *vendor = gpu->vendor;
  const char *variable = vendor->compiler_places.variable, *choice = value_of(variable);
  OAK_CHECK(!search->newer[0], OAK_ERR_DEVICE,
            "%s %d.%d%s%s%s%s is newer than the driver of GPU %d, %s, which supports %s %d.%d: "
            "update the driver, or set %s to the path of libnvrtc.so.%d",
            vendor->compiler, search->newer[0], search->newer[1], choice ? " at " : "",
            choice ? variable : "", choice ? " = " : "", choice ? choice : "", gpu->ordinal,
            gpu->name, vendor->platform, oak_gpu_major(gpu), oak_gpu_minor(gpu), variable,
            oak_gpu_major(gpu));
  OAK_CHECK(!choice, OAK_ERR_DEVICE,
            "%s = %s cannot be loaded to compile kernels for GPU %d, %s: %s", variable, choice,
            gpu->ordinal, gpu->name, search->reason);
  return OAK_FAIL(OAK_ERR_DEVICE,
                  "no %s to compile kernels for GPU %d, %s: %s, is not found; install it "
                  "(docs/gpu.md says how), set %s to its path or %s, or use device.name = cpu",
                  vendor->compiler, gpu->ordinal, gpu->name, vendor->no_compiler, variable,
                  vendor->compiler_places.homes[0]);
}

oak_status_t oak_gpu_compiler(gpu_t *gpu) {
  const gpu_vendor_t *vendor = gpu->vendor;
  gpu_compiler_t *table = &gpu->compiler;
  search_t search = {.gpu = gpu};
  const char *name = vendor->compiler_places.names[0];
  table->library = open_library(&search, &vendor->compiler_places);
  if (!table->library) return compiler_missing(gpu, &search);
  GPU_COMPILER_TABLE(FIND)
  return OAK_OK;
}

/* ---- the library for messages */

oak_status_t oak_gpu_nccl(const gpu_vendor_t *vendor, gpu_nccl_t *table) {
  const gpu_places_t *places = &vendor->nccl_places;
  const char *choice = value_of(places->variable), *name = choice ? choice : places->names[0];
  search_t search = {.flags = RTLD_NODELETE};
  memset(table, 0, sizeof *table);
  table->library = open_library(&search, places);
  OAK_CHECK(table->library, OAK_ERR_DEVICE, "%s is not found: install %s or set %s to its path",
            name, vendor->no_nccl, places->variable);
  GPU_NCCL_TABLE(FIND)
  return OAK_OK;
}
