/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finding the CUDA driver, NVRTC and NCCL on the machine. */
#define _GNU_SOURCE 1
#include "cuda_api.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ISO C has no conversion from void * to a function; POSIX gives both the same form. */
static oak_status_t find(void *library, const char *library_name, const char *name, void *member) {
  void *symbol = dlsym(library, name);
  OAK_CHECK(symbol, OAK_ERR_DEVICE,
            "%s has no function %s: it is too old; CUDA 12 or later is needed", library_name, name);
  memcpy(member, &symbol, sizeof symbol);
  return OAK_OK;
}

/* What the user can do about an error of the driver. */
static const char *advice(cu_result_t result) {
  switch (result) {
    case CU_ERROR_OUT_OF_MEMORY:
      return "; nvidia-smi shows who uses the GPU's memory";
    case 46:
      return "; another process may use it alone: nvidia-smi shows its compute mode";
    case 200:
    case 209:
    case 218:
    case 222:
      return "; the driver does not take what NVRTC built: update the driver, or set OAK_NVRTC to "
             "a "
             "libnvrtc as old as it";
    case 214:
      return "; its memory is failing: nvidia-smi -q shows errors";
    case 803:
      return "; the driver's library and the kernel's module differ: a reboot loads the new one";
    default:
      return "";
  }
}

oak_status_t oak_cuda_status(const cu_driver_t *driver, cu_result_t result, int gpu,
                             const char *doing) {
  const char *name = "?", *text = "?";
  if (result == 0) return OAK_OK;
  driver->error_name(result, &name);
  driver->error_text(result, &text);
  return OAK_FAIL(result == CU_ERROR_OUT_OF_MEMORY ? OAK_ERR_MEMORY : OAK_ERR_DEVICE,
                  "GPU %d failed while %s: %s (%s)%s", gpu, doing, text, name, advice(result));
}

/* ---- the driver */

static oak_status_t find_functions(cu_driver_t *driver) {
#define CU_FIND(member, name, arguments) \
  OAK_TRY(find(driver->library, "the NVIDIA driver (libcuda.so.1)", name, &driver->member));
  CU_DRIVER_TABLE(CU_FIND)
#undef CU_FIND
  return OAK_OK;
}

static oak_status_t start_driver(cu_driver_t *driver, int *found) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *name = "?", *text = "?";
  int count = 0, version = 0;
  cu_result_t result = driver->init(0);
  if (result == 0) result = driver->device_count(&count);
  const int none = result == CU_ERROR_NO_DEVICE || result == CU_ERROR_STUB || !(result || count);
  OAK_CHECK(!none, OAK_ERR_DEVICE,
            "no NVIDIA GPU: the driver finds none%s%s; device.name = cpu runs without",
            visible ? ", with CUDA_VISIBLE_DEVICES = " : "", visible ? visible : "");
  *found = 1;
  if (result != 0) {
    driver->error_name(result, &name);
    driver->error_text(result, &text);
  }
  OAK_CHECK(result == 0, OAK_ERR_DEVICE,
            "the NVIDIA driver does not start: %s (%s)%s; nvidia-smi may tell more", text, name,
            advice(result));
  driver->driver_version(&version);
  OAK_CHECK(version >= 12000, OAK_ERR_DEVICE,
            "the NVIDIA driver supports CUDA %d.%d: 12.0 or later is needed; update the driver",
            version / 1000, version % 1000 / 10);
  return OAK_OK;
}

oak_status_t oak_cuda_driver(cu_driver_t *driver, int *found) {
  memset(driver, 0, sizeof *driver);
  *found = 0;
  /* Never unloaded, because the driver leaves threads behind. */
  driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  OAK_CHECK(driver->library, OAK_ERR_DEVICE,
            "no NVIDIA driver: libcuda.so.1 is not found; device.name = cpu runs without a GPU");
  OAK_TRY(find_functions(driver));
  return start_driver(driver, found);
}

/* ---- NVRTC */

/** Libraries that were tried. */
typedef struct {
  int driver; /**< CUDA version of the driver */
  int newer;  /**< lowest version found that needs a newer driver; 0: none */
  char reason[512];
} search_t;

/** Open a library, unless it builds what the driver cannot load. */
static void *open_one(search_t *search, const char *path) {
  int (*version)(int *major, int *minor);
  int major = 0, minor = 0;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(search->reason, sizeof search->reason, "%s", reason ? reason : "");
    return NULL;
  }
  void *symbol = dlsym(library, "nvrtcVersion");
  memcpy(&version, &symbol, sizeof symbol);
  if (symbol) version(&major, &minor);
  if (major <= search->driver / 1000) return library;
  search->newer = 1000 * major + 10 * minor;
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

static void *open_compiler(search_t *search) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  static const char *const folders[] = {
      "/usr/local/cuda/lib64/libnvrtc.so.1?", "/usr/local/cuda-*/lib64/libnvrtc.so.1?",
      "/opt/nvidia/hpc_sdk/Linux_*/*/cuda/*/lib64/libnvrtc.so.1?"};
  static const char *const homes[] = {"CUDA_HOME", "CONDA_PREFIX"};
  const char *wish = getenv("OAK_NVRTC");
  void *library = NULL;
  if (wish && wish[0]) return open_one(search, wish);
  for (size_t i = 0; i < sizeof homes / sizeof *homes && !library; i++) {
    const char *home = getenv(homes[i]);
    char pattern[4200];
    if (!home || !home[0]) continue;
    snprintf(pattern, sizeof pattern, "%s/lib*/libnvrtc.so.1?", home);
    library = open_newest(search, pattern);
  }
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = open_one(search, names[i]);
  for (size_t i = 0; i < sizeof folders / sizeof *folders && !library; i++)
    library = open_newest(search, folders[i]);
  return library;
}

oak_status_t oak_cuda_compiler(cu_compiler_t *compiler, int driver, const char *gpu) {
  search_t search = {.driver = driver};
  const char *wish = getenv("OAK_NVRTC");
  const int named = wish && wish[0];
  memset(compiler, 0, sizeof *compiler);
  compiler->library = open_compiler(&search);
  OAK_CHECK(compiler->library || !search.newer, OAK_ERR_DEVICE,
            "NVRTC %d.%d%s%s is newer than the driver of %s, which supports CUDA %d.%d: update the "
            "driver, or set OAK_NVRTC to the path of libnvrtc.so.%d",
            search.newer / 1000, search.newer % 1000 / 10, named ? " at OAK_NVRTC = " : "",
            named ? wish : "", gpu, driver / 1000, driver % 1000 / 10, driver / 1000);
  OAK_CHECK(compiler->library || !named, OAK_ERR_DEVICE,
            "OAK_NVRTC = %s cannot be loaded to compile kernels for %s: %s", wish, gpu,
            search.reason);
  OAK_CHECK(
      compiler->library, OAK_ERR_DEVICE,
      "no NVRTC to compile kernels for %s: libnvrtc.so.12 or .13, a part of the CUDA toolkit, "
      "is not found; install it (docs/gpu.md says how), set OAK_NVRTC to its path or CUDA_HOME, "
      "or use device.name = cpu",
      gpu);
#define CU_FIND(member, name, arguments) \
  OAK_TRY(find(compiler->library, "libnvrtc", name, &compiler->member));
  CU_COMPILER_TABLE(CU_FIND)
#undef CU_FIND
  return OAK_OK;
}

/* ---- NCCL */

oak_status_t oak_cuda_nccl(cu_nccl_t *nccl) {
  const char *wish = getenv("OAK_NCCL");
  const char *const name = wish && wish[0] ? wish : "libnccl.so.2";
  memset(nccl, 0, sizeof *nccl);
  nccl->library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  OAK_CHECK(nccl->library, OAK_ERR_DEVICE,
            "%s is not found: install NCCL 2 (libnccl2) or set OAK_NCCL to its path", name);
#define CU_FIND(member, name, arguments) \
  OAK_TRY(find(nccl->library, "libnccl", name, &nccl->member));
  CU_NCCL_TABLE(CU_FIND)
#undef CU_FIND
  return OAK_OK;
}
