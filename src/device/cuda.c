/* SPDX-License-Identifier: GPL-2.0-or-later
 * What NVIDIA GPUs have of their own (gpu.c has the rest): the CUDA driver and NVRTC. */
#include <stdio.h>
#include <string.h>

#include "gpu_api.h"

enum {
  ERROR_STUB = 34,
  ATTRIBUTE_MULTIPROCESSORS = 16,
  ATTRIBUTE_MAJOR = 75,
  ATTRIBUTE_MINOR = 76,
  ATTRIBUTE_SHARED_OPTIN = 97,
  FUNCTION_MAX_DYNAMIC_SHARED = 8,
  RECORDS_OVERLAP = 12030, /* the oldest driver that records LAUNCH_WHILE_ENDING */
  LAUNCH_WHILE_ENDING = 6  /* CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION */
};

/* ---- texts */

static int is_none(gpu_result_t result) {
  return result == GPU_ERROR_NO_DEVICE || result == ERROR_STUB;
}

static const char *why_none(void) { return ""; }

static const char *advice(gpu_result_t result) {
  switch (result) {
    case GPU_ERROR_OUT_OF_MEMORY:
      return "; nvidia-smi shows who uses the GPU's memory";
    case 46:
      return "; another process may use it alone: nvidia-smi shows its compute mode";
    case 200:
    case 209:
    case 218:
    case 222:
      return "; the driver does not take what NVRTC built: update the driver, or set OAK_NVRTC to "
             "a libnvrtc as old as it";
    case 214:
      return "; its memory is failing: nvidia-smi -q shows errors";
    case 803:
      return "; the driver's library and the kernel's module differ: a reboot loads the new one";
    default:
      return "";
  }
}

static const char *compile_advice(gpu_result_t result) {
  enum { BAD_OPTION = 5, BUILTIN = 7 };
  return result == BAD_OPTION
             ? "\nan option is not known: see device.flags and OAK_CFLAGS, or use a newer "
               "NVRTC for a newer GPU (OAK_NVRTC)"
         : result == BUILTIN
             ? "\nlibnvrtc-builtins.so of the same version must lie beside libnvrtc.so"
             : "";
}

static void texts(const gpu_t *gpu, gpu_result_t result, const char **name, const char **text) {
  gpu->driver.error_name(result, name);
  gpu->driver.error_text(result, text);
}

/* ---- the GPU */

static oak_status_t look(gpu_t *gpu) {
  int minor = 0;
  GPU_TRY(gpu, device_attribute(&gpu->major, ATTRIBUTE_MAJOR, gpu->device), "asking a GPU");
  GPU_TRY(gpu, device_attribute(&minor, ATTRIBUTE_MINOR, gpu->device), "asking a GPU");
  OAK_CHECK(gpu->major >= 7, OAK_ERR_DEVICE,
            "GPU %d, %s, has compute capability %d.%d: 7.0 (Volta) or later is needed",
            gpu->ordinal, gpu->name, gpu->major, minor);
  snprintf(gpu->target, sizeof gpu->target, "sm_%d%d", gpu->major, minor);
  snprintf(gpu->generation, sizeof gpu->generation, "compute capability %d.%d", gpu->major, minor);
  gpu->ipc_flags = 1; /* CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS */
  return OAK_OK;
}

/* A process has one context per GPU: the current one if there is one, otherwise the GPU's primary
 * context. It stays until the process ends. Another runtime (OpenACC's) joins the context that it
 * finds, and would not notice if the context were gone. */
static oak_status_t find_context(gpu_t *gpu) {
  gpu_device_t device;
  GPU_TRY(gpu, context_current(&gpu->context), "asking for its context");
  if (gpu->context) {
    GPU_TRY(gpu, context_device(&device), "asking for its context");
    if (device == gpu->device) return OAK_OK;
  }
  GPU_TRY(gpu, context_retain(&gpu->context, gpu->device), "starting to use it");
  return OAK_OK;
}

static oak_status_t enter(gpu_t *gpu) {
  if (!gpu->context) OAK_TRY(find_context(gpu));
  GPU_TRY(gpu, context_set(gpu->context), "starting to use it");
  return OAK_OK;
}

/* ---- kernels */

/* NVRTC has another name for -ffp-contract=off, which changes results. */
static void options(const gpu_t *gpu, const oak_words_t *user, oak_words_t *options) {
  oak_words_add(options, "--gpu-architecture=%s", gpu->target);
  oak_words_split(options, "--std=c++17 --device-int128 -DOAK_DEVICE_CUDA=1 -lineinfo");
  oak_words_split(options, "--diag-suppress=177,550,940,20281");
  /* Optimise functions side by side: a first start takes 1.8 s in place of 2.4 to 3.8 s (H100, 16
   * cores, NVRTC 13.0), and kernels are as fast. */
  int major = 0, minor = 0;
  gpu->compiler.version(&major, &minor);
  if (major >= 13) oak_words_add(options, "--split-compile=0");
  for (int i = 0; i < user->count; i++) {
    if (oak_flag_for_gpu(user, &i, options)) continue;
    if (!strcmp(user->word[i], "-ffp-contract=off")) oak_words_add(options, "--fmad=false");
  }
}

static oak_status_t allow_shared(gpu_t *gpu, const gpu_kernel_t *kernel) {
  GPU_TRY(gpu, function_set(kernel->function, FUNCTION_MAX_DYNAMIC_SHARED, (int)kernel->shared),
          "setting a kernel's shared memory");
  return OAK_OK;
}

/* The GPU starts this kernel while the previous one ends. Its thread blocks wait in OAK_ARGS. */
static gpu_result_t launch(const gpu_t *gpu, const gpu_kernel_t *kernel, unsigned n,
                           unsigned threads, void **arguments) {
  gpu_attribute_t overlap = {.id = LAUNCH_WHILE_ENDING, .value = 1};
  const int overlaps =
      gpu->major >= 9 && !(gpu->recording && gpu->driver_version < RECORDS_OVERLAP);
  const gpu_launch_t launch = {.grid = {n, 1, 1},
                               .block = {threads, 1, 1},
                               .shared = kernel->shared,
                               .stream = gpu->stream,
                               .attributes = &overlap,
                               .nattributes = overlaps};
  return gpu->driver.launch(&launch, kernel->function, arguments, NULL);
}

static gpu_result_t wait_value(const gpu_t *gpu, gpu_memory_t address, uint64_t value) {
  return gpu->driver.stream_wait_value(gpu->stream, address, value, GPU_WAIT_AT_LEAST);
}

#define LIST(...) \
  (const char *const[]) { __VA_ARGS__, NULL }

const gpu_vendor_t oak_gpu_cuda = {
    .names = 0,
    .name = "cuda",
    .memory = 2,
    .company = "NVIDIA",
    .platform = "CUDA",
    .driver = "the NVIDIA driver",
    .compiler = "NVRTC",
    .threads_from = 13,
    .no_driver = "no NVIDIA driver: libcuda.so.1 is not found",
    .no_compiler = "libnvrtc.so.12 or .13, a part of the CUDA toolkit",
    .no_nccl = "NCCL 2 (libnccl2)",
    .needs = "CUDA 12",
    .visible = "CUDA_VISIBLE_DEVICES",
    .tool = "nvidia-smi",
    .fault_advice = "compute-sanitizer oak run ... finds the line",
    .driver_places = {.names = LIST("libcuda.so.1")},
    .compiler_places = {"OAK_NVRTC", LIST("CUDA_HOME", "CONDA_PREFIX"), "libnvrtc.so.1?",
                        LIST("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"),
                        LIST("/usr/local/cuda/lib64/libnvrtc.so.1?",
                             "/usr/local/cuda-*/lib64/libnvrtc.so.1?",
                             "/opt/nvidia/hpc_sdk/Linux_*/*/cuda/*/lib64/libnvrtc.so.1?")},
    .nccl_places = {.variable = "OAK_NCCL", .names = LIST("libnccl.so.2")},
    .oldest = 12000,
    .version_unit = {1000, 10},
    .newest_compiler = 1,
    .attribute_multiprocessors = ATTRIBUTE_MULTIPROCESSORS,
    .attribute_shared = ATTRIBUTE_SHARED_OPTIN,
    .is_none = is_none,
    .why_none = why_none,
    .advice = advice,
    .compile_advice = compile_advice,
    .texts = texts,
    .look = look,
    .enter = enter,
    .options = options,
    .allow_shared = allow_shared,
    .launch = launch,
    .wait_value = wait_value,
};
