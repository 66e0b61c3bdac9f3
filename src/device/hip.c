/* SPDX-License-Identifier: GPL-2.0-or-later
 * What AMD GPUs have of their own (gpu.c has the rest): HIP and hipRTC of ROCm 5 to 7. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpu_api.h"

enum {
  ERROR_INVALID_DEVICE = 101, /* hipInit returns it if there is no GPU */
  ATTRIBUTE_MULTIPROCESSORS = 63,
  ATTRIBUTE_SHARED = 74,
  ATTRIBUTE_WAVE = 87
};

/* ---- texts */

static int is_none(gpu_result_t result) {
  return result == GPU_ERROR_NO_DEVICE || result == ERROR_INVALID_DEVICE;
}

static const char *why_none(void) {
  if (access("/dev/kfd", R_OK | W_OK) == 0) return "; rocminfo lists what ROCm sees";
  return errno == EACCES
             ? ": you may not use /dev/kfd; ask for membership of the groups render and "
               "video"
             : ": there is no /dev/kfd, so the driver amdgpu is not loaded";
}

static const char *advice(gpu_result_t result) {
  switch (result) {
    case GPU_ERROR_OUT_OF_MEMORY:
      return "; rocm-smi shows who uses the GPU's memory";
    case 200:
    case 209:
    case 218:
      return "; HIP does not take what hipRTC built: both must be of the same ROCm (OAK_HIPRTC)";
    case 214:
      return "; its memory is failing: rocm-smi --showrasinfo shows errors";
    default:
      return "";
  }
}

static const char *compile_advice(gpu_result_t result) {
  enum { BAD_OPTION = 5 };
  return result == BAD_OPTION
             ? "\nan option is not known: see device.flags and OAK_CFLAGS, or use a "
               "newer ROCm for a newer GPU"
             : "";
}

static void texts(const gpu_t *gpu, gpu_result_t result, const char **name, const char **text) {
  const char *(*get)(gpu_result_t);
  static const char *const function[2] = {"hipGetErrorName", "hipGetErrorString"};
  for (int i = 0; i < 2; i++) {
    void *symbol = dlsym(gpu->driver.library, function[i]);
    memcpy(&get, &symbol, sizeof symbol);
    if (symbol) *(i ? text : name) = get(result);
  }
}

/* ---- the GPU */

/** Read the name of the architecture, such as gfx90a:sramecc+:xnack-. It is a member of a structure
 * that is another one from ROCm 6 on. */
static oak_status_t read_architecture(gpu_t *gpu) {
  static const struct {
    const char *function;
    size_t place; /**< of the name in the structure */
    unsigned ipc_flags;
  } form[2] = {{"hipGetDevicePropertiesR0600", 1160, 1}, {"hipGetDeviceProperties", 396, 0}};
  gpu_result_t (*get)(char *properties, int device);
  char properties[4096] = "";
  const int old = !dlsym(gpu->driver.library, form[0].function);
  void *symbol = dlsym(gpu->driver.library, form[old].function);
  memcpy(&get, &symbol, sizeof symbol);
  OAK_TRY(
      oak_gpu_status(gpu, symbol ? get(properties, gpu->ordinal) : 1, "reading its properties"));
  snprintf(gpu->target, sizeof gpu->target, "%.128s", properties + form[old].place);
  gpu->ipc_flags = form[old].ipc_flags; /* hipIpcMemLazyEnablePeerAccess, whose value has changed */
  OAK_CHECK(!strncmp(gpu->target, "gfx", 3), OAK_ERR_DEVICE,
            "GPU %d, %s: HIP %d.%d does not tell its architecture", gpu->ordinal, gpu->name,
            oak_gpu_major(gpu), oak_gpu_minor(gpu));
  return OAK_OK;
}

static oak_status_t look(gpu_t *gpu) {
  OAK_TRY(read_architecture(gpu));
  GPU_TRY(gpu, device_attribute(&gpu->wave, ATTRIBUTE_WAVE, gpu->device), "asking a GPU");
  snprintf(gpu->generation, sizeof gpu->generation, "%.*s", (int)strcspn(gpu->target, ":"),
           gpu->target);
  return OAK_OK;
}

static oak_status_t enter(gpu_t *gpu) {
  GPU_TRY(gpu, device_set(gpu->ordinal), "starting to use it");
  return OAK_OK;
}

/* ---- kernels */

static void options(const gpu_t *gpu, const oak_words_t *user, oak_words_t *options) {
  oak_words_add(options, "--offload-arch=%s", gpu->target);
  oak_words_split(options, "-std=c++17 -O3 -DOAK_DEVICE_HIP=1");
  oak_words_add(options, "-DOAK_WAVE=%d", gpu->wave);
  oak_words_add(options, "-DOAK_HIP_VERSION=%d",
                gpu->driver_version); /* for the key in the cache */
  for (int i = 0; i < user->count; i++) {
    const char *w = user->word[i];
    if (oak_flag_for_gpu(user, &i, options)) continue;
    if (!strncmp(w, "-O", 2) || !strncmp(w, "-ffp-contract", 13)) oak_words_add(options, "%s", w);
  }
}

static gpu_result_t launch(const gpu_t *gpu, const gpu_kernel_t *kernel, unsigned n,
                           unsigned threads, void **arguments) {
  return gpu->driver.hip_launch(kernel->function, n, 1, 1, threads, 1, 1, kernel->shared,
                                gpu->stream, arguments, NULL);
}

static gpu_result_t wait_value(const gpu_t *gpu, gpu_memory_t address, uint64_t value) {
  return gpu->driver.hip_wait_value(gpu->stream, address, value, GPU_WAIT_AT_LEAST, UINT64_MAX);
}

#define LIST(...) \
  (const char *const[]) { __VA_ARGS__, NULL }
#define HOMES LIST("ROCM_PATH", "CONDA_PREFIX")
#define FOLDERS(file) LIST("/opt/rocm/lib/" file, "/opt/rocm-*/lib/" file)

const gpu_vendor_t oak_gpu_hip = {
    .names = 1,
    .name = "hip",
    .memory = 10,
    .company = "AMD",
    .platform = "HIP",
    .driver = "ROCm",
    .compiler = "hipRTC",
    .no_driver =
        "no ROCm: libamdhip64.so is not found; install ROCm or set ROCM_PATH to its folder",
    .no_compiler = "libhiprtc.so, a part of ROCm",
    .no_nccl = "RCCL (librccl1)",
    .needs = "ROCm 5.2",
    .visible = "ROCR_VISIBLE_DEVICES",
    .tool = "rocminfo",
    .fault_advice = "AMD_LOG_LEVEL=3 and rocgdb tell more",
    .driver_places = {NULL, HOMES, "libamdhip64.so.[5-7]",
                      LIST("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"),
                      FOLDERS("libamdhip64.so.[5-7]")},
    /* Until ROCm 6 the driver's library holds hipRTC, too. */
    .compiler_places = {"OAK_HIPRTC", HOMES, "libhiprtc.so.[5-7]",
                        LIST("libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                             "libamdhip64.so.6", "libamdhip64.so.5"),
                        FOLDERS("libhiprtc.so.[5-7]")},
    .nccl_places = {"OAK_RCCL", HOMES, "librccl.so.1", LIST("librccl.so.1"),
                    FOLDERS("librccl.so.1")},
    .oldest = 50200000,
    .version_unit = {10000000, 100000},
    .attribute_multiprocessors = ATTRIBUTE_MULTIPROCESSORS,
    .attribute_shared = ATTRIBUTE_SHARED,
    .most_threads = 4294967295L,
    .is_none = is_none,
    .why_none = why_none,
    .advice = advice,
    .compile_advice = compile_advice,
    .texts = texts,
    .look = look,
    .enter = enter,
    .options = options,
    .launch = launch,
    .wait_value = wait_value,
};
