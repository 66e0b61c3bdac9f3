/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the host asks of the runtime of OpenACC, built like a kernel. The library itself
 * then needs no such runtime; it uses that of the compiler of the kernels. */
#define RUNTIME __attribute__((visibility("default")))

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
