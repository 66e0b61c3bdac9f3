/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the host asks of the runtime of OpenACC or OpenMP, built like a kernel. The library itself
 * then needs no such runtime; it uses that of the compiler of the kernels. */
#define RUNTIME __attribute__((visibility("default")))

#if OAK_ON_HOST && OAK_DEVICE_OPENMP
/* libomp has the functions for memory of a device in a library that is not always there. */
RUNTIME int oak_acc_open(int rank, int host, char *text, int size) {
  (void)rank, (void)host, (void)size;
  text[0] = 0;
  return 1;
}
RUNTIME void *oak_acc_alloc(size_t bytes) { return (void)bytes, NULL; }
RUNTIME void oak_acc_free(void *p) { (void)p; }
RUNTIME void oak_acc_upload(void *dst, const void *host, size_t bytes) {
  (void)dst, (void)host, (void)bytes;
}
RUNTIME void oak_acc_download(void *host, const void *src, size_t bytes) {
  (void)host, (void)src, (void)bytes;
}
RUNTIME size_t oak_acc_free_bytes(void) { return 0; }
#elif OAK_DEVICE_OPENMP
#include <stdio.h>

static int device;

/* As the function of this name below. Only code in a region can find out where regions run, because
 * a compiler may have made no code for the device of this host. */
RUNTIME int oak_acc_open(int rank, int host, char *text, int size) {
  const int count = host ? 0 : omp_get_num_devices();
  int on_host = 1;
  text[0] = 0;
  device = count > 0 ? rank % count : omp_get_initial_device();
  omp_set_default_device(device);
  if (count < 1) return 1;
  OAK_PRAGMA(omp target map(from : on_host))
  on_host = omp_is_initial_device();
  snprintf(text, (size_t)size, "GPU %d of %d", device, count);
  return on_host;
}

RUNTIME void *oak_acc_alloc(size_t bytes) { return omp_target_alloc(bytes, device); }
RUNTIME void oak_acc_free(void *p) { omp_target_free(p, device); }
RUNTIME void oak_acc_upload(void *dst, const void *host, size_t bytes) {
  omp_target_memcpy(dst, host, bytes, 0, 0, device, omp_get_initial_device());
}
RUNTIME void oak_acc_download(void *host, const void *src, size_t bytes) {
  omp_target_memcpy(host, src, bytes, 0, 0, omp_get_initial_device(), device);
}
/* OpenMP cannot tell the free memory. */
RUNTIME size_t oak_acc_free_bytes(void) { return 0; }
#else
/* Choose a device for the rank-th process of this host; with `host` the kernels can run there
 * alone. Writes its name to `text`. Returns 1 if its memory is the host's. */
RUNTIME int oak_acc_open(int rank, int host, char *text, int size) {
  if (host) acc_set_device_type(acc_device_host);
  const acc_device_t type = acc_get_device_type();
  const int count = acc_get_num_devices(type);
  text[0] = 0;
  if (type == acc_device_host || count < 1) return 1;
  acc_set_device_num(rank % count, type); /* starts it; libgomp ends programs that start it twice */
  const char *name = acc_get_property_string(rank % count, type, acc_property_name);
  for (int i = 0; name && name[i] && i < size - 1; i++) text[i] = name[i], text[i + 1] = 0;
  return 0;
}

RUNTIME void *oak_acc_alloc(size_t bytes) { return acc_malloc(bytes); }
RUNTIME void oak_acc_free(void *p) { acc_free(p); }
RUNTIME void oak_acc_upload(void *dst, const void *host, size_t bytes) {
  acc_memcpy_to_device(dst, (void *)host, bytes);
}
RUNTIME void oak_acc_download(void *host, const void *src, size_t bytes) {
  acc_memcpy_from_device(host, (void *)src, bytes);
}
RUNTIME size_t oak_acc_free_bytes(void) {
  const acc_device_t type = acc_get_device_type();
  return acc_get_property(acc_get_device_num(type), type, acc_property_free_memory);
}
#endif
