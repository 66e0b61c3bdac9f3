/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stand-in of a driver, see fake.h: what the GPU is, and the functions in which CUDA and HIP
 * differ. */
#include "driver.h"

enum {
  ATTRIBUTE_MAJOR = 75,
  ATTRIBUTE_MINOR = 76,
#ifdef FAKE_HIP
  ATTRIBUTE_MULTIPROCESSORS = 63,
  ATTRIBUTE_SHARED = 74,
  ATTRIBUTE_WAVE = 87
#else
  ATTRIBUTE_MULTIPROCESSORS = 16,
  ATTRIBUTE_SHARED = 97,
  ATTRIBUTE_WAVE = -1
#endif
};

/* ---- the GPU */

int cuInit(unsigned flags) {
  (void)flags;
  return fake_word("init", 0, NULL);
}

int cuDriverGetVersion(int *version) {
  *version = fake_word("version", FAKE_VERSION, NULL);
  return 0;
}

int cuDeviceGetCount(int *count) {
  *count = fake_word("count", 1, NULL);
  return 0;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}

int cuDeviceGetName(char *name, int length, int device) {
  snprintf(name, (size_t)length, "fake GPU %d", device);
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  const int capability = fake_word("capability", 90, NULL);
  (void)device;
  *value = attribute == ATTRIBUTE_MAJOR             ? capability / 10
           : attribute == ATTRIBUTE_MINOR           ? capability % 10
           : attribute == ATTRIBUTE_MULTIPROCESSORS ? 1
           : attribute == ATTRIBUTE_SHARED          ? FAKE_SHARED_BYTES
           : attribute == ATTRIBUTE_WAVE            ? fake_word("wave", 64, NULL)
                                                    : 0;
  return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = fake_capacity();
  return 0;
}

static const char *error_text(int error) {
  return error == 700 ? "an illegal memory access was encountered" : "fake failure";
}

#ifdef FAKE_HIP
int hipSetDevice(int device) {
  (void)device;
  fake_current = &fake_sticky;
  return fake_word("context", fake_sticky, NULL);
}

int hipGetDevicePropertiesR0600(char *properties, int device) {
  (void)device;
  memset(properties, 0, 1472);
  snprintf(properties + 1160, 256, "%s",
           fake_word("wave", 64, NULL) == 64 ? "gfx90a:sramecc+:xnack-" : "gfx1030");
  return 0;
}

int hipModuleLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
                          unsigned threads_y, unsigned threads_z, unsigned shared, stream_t *stream,
                          void **arguments, void **extra) {
  (void)x, (void)shared, (void)extra;
  return y == 1 && z == 1 && threads_y == 1 && threads_z == 1
             ? fake_launch(stream, threads_x, function, arguments)
             : ERROR_VALUE;
}

int hipStreamWaitValue64(stream_t *stream, size_t address, uint64_t value, unsigned flags,
                         uint64_t mask) {
  return flags == 0 && mask == UINT64_MAX ? fake_wait_value(stream, address, value) : ERROR_VALUE;
}

const char *hipGetErrorName(int error) {
  static char text[32];
  snprintf(text, sizeof text, "hipError_%d", error);
  return text;
}

const char *hipGetErrorString(int error) { return error_text(error); }
#else
int cuDevicePrimaryCtxRetain(void **context, int device) {
  (void)device;
  *context = &fake_sticky;
  return fake_word("context", 0, NULL);
}

int cuCtxGetCurrent(void **context) {
  *context = fake_current;
  return fake_sticky;
}

int cuCtxGetDevice(int *device) {
  *device = 0;
  return fake_current ? fake_sticky : ERROR_CONTEXT;
}

int cuCtxSetCurrent(void *context) {
  fake_current = context;
  return fake_sticky;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function, (void)attribute, (void)value;
  return fake_sticky;
}

/** CUlaunchConfig. */
typedef struct {
  unsigned grid[3], block[3], shared;
  stream_t *stream;
} launch_t;

int cuLaunchKernelEx(const launch_t *config, void *function, void **arguments, void **extra) {
  (void)extra;
  return fake_launch(config->stream, config->block[0], function, arguments);
}

int cuStreamWaitValue64_v2(stream_t *stream, size_t address, uint64_t value, unsigned flags) {
  (void)flags;
  return fake_wait_value(stream, address, value);
}

#ifndef FAKE_OLD /* functions that an old library does not have */
int cuGetErrorName(int error, const char **name) {
  static char text[32];
  snprintf(text, sizeof text, "CUDA_ERROR_%d", error);
  *name = text;
  return 0;
}
#endif

int cuGetErrorString(int error, const char **text) {
  *text = error_text(error);
  return 0;
}
#endif
