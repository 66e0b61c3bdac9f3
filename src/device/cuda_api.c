/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finding the CUDA driver and NVRTC on the machine. */
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

oak_status_t oak_cuda_status(const cu_driver_t *driver, cu_result_t result, const char *doing) {
  const char *name = "?", *text = "?";
  if (result == 0) return OAK_OK;
  driver->error_name(result, &name);
  driver->error_text(result, &text);
  return OAK_FAIL(OAK_ERR_DEVICE, "the GPU failed while %s: %s (%s)", doing, text, name);
}

static oak_status_t fill_driver(cu_driver_t *driver) {
#define CU_FIND(member, name, arguments) \
  OAK_TRY(find(driver->library, "libcuda.so.1", name, &driver->member));
  CU_DRIVER_TABLE(CU_FIND)
#undef CU_FIND
  int count = 0, version = 0;
  cu_result_t result = driver->init(0);
  if (result == 0) result = driver->device_count(&count);
  OAK_CHECK(result == 0 && count > 0, OAK_ERR_DEVICE,
            "no usable NVIDIA GPU: the driver reports error %d and %d GPUs; nvidia-smi tells more",
            result, count);
  driver->driver_version(&version);
  OAK_CHECK(version >= 12000, OAK_ERR_DEVICE,
            "the NVIDIA driver supports CUDA %d.%d: 12.0 or later is needed; update the driver",
            version / 1000, version % 1000 / 10);
  return OAK_OK;
}

oak_status_t oak_cuda_driver(cu_driver_t *driver) {
  memset(driver, 0, sizeof *driver);
  driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  OAK_CHECK(driver->library, OAK_ERR_DEVICE,
            "no NVIDIA driver: libcuda.so.1 is not found; device.name = cpu runs without a GPU");
  oak_status_t st = fill_driver(driver);
  if (st != OAK_OK) dlclose(driver->library);
  return st;
}

/* The last of the files that match, which has the highest version. */
static void *open_newest(const char *pattern) {
  glob_t found;
  void *library = NULL;
  if (glob(pattern, 0, NULL, &found) != 0) return NULL;
  for (size_t i = found.gl_pathc; i > 0 && !library; i--)
    library = dlopen(found.gl_pathv[i - 1], RTLD_NOW | RTLD_LOCAL);
  globfree(&found);
  return library;
}

static void *open_compiler(void) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  static const char *const folders[] = {
      "/usr/local/cuda/lib64/libnvrtc.so.1?", "/usr/local/cuda-*/lib64/libnvrtc.so.1?",
      "/opt/nvidia/hpc_sdk/Linux_*/*/cuda/*/lib64/libnvrtc.so.1?"};
  const char *wish = getenv("OAK_NVRTC"), *home = getenv("CUDA_HOME");
  void *library = wish ? dlopen(wish, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (wish) return library;
  if (home) {
    char pattern[4200];
    snprintf(pattern, sizeof pattern, "%s/lib64/libnvrtc.so.1?", home);
    library = open_newest(pattern);
  }
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; i < sizeof folders / sizeof *folders && !library; i++)
    library = open_newest(folders[i]);
  return library;
}

oak_status_t oak_cuda_compiler(cu_compiler_t *compiler) {
  memset(compiler, 0, sizeof *compiler);
  compiler->library = open_compiler();
  OAK_CHECK(compiler->library, OAK_ERR_BUILD,
            "no NVRTC to compile kernels with: libnvrtc.so.13 or .12 of the CUDA toolkit is not "
            "found%s%s; set OAK_NVRTC to its path, or CUDA_HOME, or use device.name = cpu",
            getenv("OAK_NVRTC") ? " at OAK_NVRTC = " : "",
            getenv("OAK_NVRTC") ? getenv("OAK_NVRTC") : "");
#define CU_FIND(member, name, arguments) \
  OAK_TRY(find(compiler->library, "libnvrtc", name, &compiler->member));
  CU_COMPILER_TABLE(CU_FIND)
#undef CU_FIND
  return OAK_OK;
}
