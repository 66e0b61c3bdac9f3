/* SPDX-License-Identifier: GPL-2.0-or-later
 * The list of devices, open and close, and the calls that all back ends share. */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/await.h"
#include "base/hosts.h"
#include "base/str.h"
#include "device_private.h"

/** The back ends in the order in which "auto" tries them: the fastest first, the CPU last. Then
 * follow those that "auto" never chooses. */
static const oak_device_ops_t *const registry[] = {&oak_device_ops_cuda, &oak_device_ops_cpu,
                                                   &oak_device_ops_hip, &oak_device_ops_openacc};

enum { registry_count = sizeof registry / sizeof registry[0] };

const oak_device_ops_t *oak_device_known(int i) {
  return i >= 0 && i < registry_count ? registry[i] : NULL;
}

/** Free what was made so far. Each communicator and the record of memory use exist either on all
 * ranks or on none. */
static void device_free(oak_device_t *dev) {
  if (!dev) return;
  oak_cache_close(dev);
  oak_memory_use_close(&dev->memory_use);
  if (dev->firsts != MPI_COMM_NULL) MPI_Comm_free(&dev->firsts);
  if (dev->builders != MPI_COMM_NULL) MPI_Comm_free(&dev->builders);
  if (dev->host != MPI_COMM_NULL) MPI_Comm_free(&dev->host);
  if (dev->comm != MPI_COMM_NULL) MPI_Comm_free(&dev->comm);
  free((char *)dev->options.compiler);
  free((char *)dev->options.flags);
  free(dev->env_flags);
  oak_words_free(&dev->user_flags);
  free(dev);
}

/** A device without a back end yet. Rank-local. */
static oak_status_t device_new(const oak_device_options_t *options, oak_device_t **out) {
  oak_device_t *dev = calloc(1, sizeof *dev);
  *out = dev;
  OAK_CHECK(dev, OAK_ERR_MEMORY, "no memory for a device");
  dev->comm = dev->host = dev->builders = dev->firsts = MPI_COMM_NULL;
  const char *compiler = options && options->compiler ? options->compiler : "";
  const char *flags = options && options->flags ? options->flags : "";
  const char *env_flags = getenv("OAK_CFLAGS");
  dev->options.threads = options ? options->threads : 0;
  dev->options.compiler = oak_str_copy(compiler);
  dev->options.flags = oak_str_copy(flags);
  dev->env_flags = oak_str_copy(env_flags ? env_flags : "");
  OAK_CHECK(dev->options.compiler && dev->options.flags && dev->env_flags, OAK_ERR_MEMORY,
            "no memory for a device");
  OAK_TRY(oak_flags_check(dev->env_flags, "OAK_CFLAGS"));
  OAK_TRY(oak_flags_check(dev->options.flags, "device.flags"));
  oak_words_split(&dev->user_flags, dev->env_flags);
  oak_words_split(&dev->user_flags, dev->options.flags);
  return oak_words_status(&dev->user_flags);
}

/** Communicators, threads and the record of memory use. Collective. */
static oak_status_t device_join(oak_device_t *dev, MPI_Comm comm) {
  int builder;
  MPI_Comm_dup(comm, &dev->comm);
  MPI_Comm_rank(dev->comm, &dev->rank);
  MPI_Comm_split_type(dev->comm, MPI_COMM_TYPE_SHARED, dev->rank, MPI_INFO_NULL, &dev->host);
  MPI_Comm_rank(dev->host, &dev->host_rank);
  MPI_Comm_size(dev->host, &dev->host_size);
  oak_hosts_split(dev->comm, &dev->builders);
  MPI_Comm_rank(dev->builders, &builder);
  MPI_Comm_split(dev->comm, builder == 0 ? 0 : MPI_UNDEFINED, dev->rank, &dev->firsts);
  oak_status_t status = oak_host_threads(dev, dev->options.threads, &dev->threads);
  OAK_TRY(oak_agree(dev->comm, status));
  status = oak_memory_use_open(dev->host, &dev->memory_use);
  return oak_agree(dev->comm, status);
}

/** Open one back end on all ranks or none. Collective. */
static oak_status_t device_try(oak_device_t *dev, const oak_device_ops_t *ops) {
  dev->ops = ops;
  dev->mpi_direct = ops->host_memory;
  oak_status_t mine = ops->open(dev, &dev->options);
  oak_status_t status = oak_agree(dev->comm, mine);
  if (status == OAK_OK) return OAK_OK;
  if (mine == OAK_OK) ops->close(dev);
  MPI_Allreduce(MPI_IN_PLACE, &dev->found, 1, MPI_INT, MPI_MAX, dev->comm);
  dev->ops = NULL;
  dev->data = NULL;
  return status;
}

/** The back ends to try for \a name: registry[first] to registry[last - 1]. */
static oak_status_t device_choose(const char *name, int *first, int *last) {
  *first = 0;
  *last = registry_count;
  if (strcmp(name, "auto") == 0) {
    while (registry[*last - 1]->named_only) --*last;
    return OAK_OK;
  }
  for (int i = 0; i < registry_count; i++) {
    if (strcmp(name, registry[i]->name) != 0) continue;
    *first = i;
    *last = i + 1;
    return OAK_OK;
  }
  oak_buffer_t known = {0};
  for (int i = 0; i < registry_count; i++) oak_buffer_print(&known, ", %s", registry[i]->name);
  oak_status_t status =
      OAK_FAIL(OAK_ERR_ARGUMENT, "unknown device '%s' (device.name); known are auto%s", name,
               oak_buffer_get(&known));
  oak_buffer_free(&known);
  return status;
}

oak_status_t oak_device_open(MPI_Comm comm, const char *name, const oak_device_options_t *options,
                             oak_device_t **out) {
  int first = 0, last = 0;
  oak_device_t *dev = NULL;
  *out = NULL;
  oak_status_t status = device_choose(name ? name : "auto", &first, &last);
  if (status == OAK_OK) status = device_new(options, &dev);
  status = oak_agree(comm, status);
  if (status == OAK_OK) status = device_join(dev, comm);
  if (status == OAK_OK) {
    do {
      dev->found = 0;
      status = device_try(dev, registry[first]);
      /* "auto" skips devices that do not exist here, without a message. */
      if (status != OAK_OK && dev->found && first + 1 < last && dev->rank == 0)
        fprintf(stderr, "oak: device %s is not used: %s\n", registry[first]->name,
                oak_last_error());
    } while (status != OAK_OK && ++first < last);
  }
  if (status == OAK_OK) {
    *out = dev;
  } else {
    device_free(dev);
  }
  return status;
}

void oak_device_close(oak_device_t **dev) {
  if (!dev || !*dev) return;
  (*dev)->ops->close(*dev);
  device_free(*dev);
  *dev = NULL;
}

const oak_device_ops_t *oak_device_ops(const oak_device_t *dev) {
  OAK_HANDLE(dev, NULL);
  return dev->ops;
}

int oak_device_threads(const oak_device_t *dev) {
  OAK_HANDLE(dev, 0);
  return dev->threads;
}

int oak_device_mpi_direct(const oak_device_t *dev) {
  OAK_HANDLE(dev, 0);
  return dev->mpi_direct;
}

oak_status_t oak_device_alloc(oak_device_t *dev, size_t bytes, void **out) {
  OAK_NEED(dev);
  *out = NULL;
  return bytes > 0 ? dev->ops->alloc(dev, bytes, out) : OAK_OK;
}

void oak_device_free(oak_device_t *dev, void *ptr) {
  OAK_HANDLE(dev, );
  if (ptr) dev->ops->free(dev, ptr);
}

oak_status_t oak_device_upload(oak_device_t *dev, void *dst, const void *host, size_t bytes) {
  OAK_NEED(dev);
  if (dev->ops->upload) return bytes > 0 ? dev->ops->upload(dev, dst, host, bytes) : OAK_OK;
  if (bytes > 0) memcpy(dst, host, bytes);
  return OAK_OK;
}

oak_status_t oak_device_download(oak_device_t *dev, void *host, const void *src, size_t bytes) {
  OAK_NEED(dev);
  if (dev->ops->download) return bytes > 0 ? dev->ops->download(dev, host, src, bytes) : OAK_OK;
  if (bytes > 0) memcpy(host, src, bytes);
  return OAK_OK;
}

/* ---- memory that processes of a host share */

int oak_device_shares(const oak_device_t *dev) {
  OAK_HANDLE(dev, 0);
  return dev->ops->share && !dev->unshared;
}

double oak_device_energy(oak_device_t *dev) {
  OAK_HANDLE(dev, NAN);
  return dev->ops->energy ? dev->ops->energy(dev) : NAN;
}

void oak_device_transports(oak_device_t *dev, char *text, size_t size) {
  OAK_HANDLE(dev, );
  const char *nccl = !dev->ops->direct_probe                 ? "not for this device"
                     : dev->ops->direct_probe(dev) == OAK_OK ? "found"
                                                             : oak_last_error();
  snprintf(text, size, "in place on a host: %s; NCCL: %s; MPI takes its addresses: %s",
           oak_device_shares(dev) ? "yes" : "no", nccl, dev->mpi_direct ? "yes" : "no");
}

oak_status_t oak_device_share(oak_device_t *dev, size_t bytes, void **out, oak_handle_t *handle) {
  OAK_NEED(dev);
  *out = NULL;
  return bytes > 0 ? dev->ops->share(dev, bytes, out, handle) : OAK_OK;
}

void oak_device_unshare(oak_device_t *dev, void *ptr, oak_handle_t *handle) {
  OAK_HANDLE(dev, );
  if (ptr) dev->ops->unshare(dev, ptr, handle);
}

oak_status_t oak_device_hold(oak_device_t *dev, void *ptr, int where[2], oak_hold_t **hold) {
  OAK_NEED(dev);
  *hold = NULL;
  OAK_CHECK(dev->ops->hold, OAK_ERR_UNSUPPORTED,
            "device.name = %s: memory of this device cannot be viewed; use oak_read_cells",
            dev->ops->name);
  return dev->ops->hold(dev, ptr, where, hold);
}

oak_status_t oak_device_attach(oak_device_t *dev, const oak_handle_t *handle, void **out) {
  OAK_NEED(dev);
  *out = NULL;
  return dev->ops->attach(dev, handle, out);
}

void oak_device_detach(oak_device_t *dev, void *ptr) {
  OAK_HANDLE(dev, );
  if (ptr) dev->ops->detach(dev, ptr);
}

/* Tell the device about the page of flags. If the device cannot use it, the page is unmapped. */
static oak_status_t know_flags(oak_device_t *dev, void **page, size_t bytes, oak_handle_t *made) {
  oak_status_t st = OAK_OK;
  dev->flag_bytes = bytes;
  if (dev->ops->know_flags) st = dev->ops->know_flags(dev, *page, bytes);
  if (st != OAK_OK) {
    oak_host_map_close(*page, bytes, made);
    *page = NULL;
  }
  return st;
}

oak_status_t oak_device_flags_new(oak_device_t *dev, size_t bytes, void **page,
                                  oak_handle_t *handle) {
  OAK_NEED(dev);
  OAK_TRY(oak_host_map_new(bytes, page, handle));
  return know_flags(dev, page, bytes, handle);
}

oak_status_t oak_device_flags_attach(oak_device_t *dev, const oak_handle_t *handle, void **page) {
  OAK_NEED(dev);
  OAK_TRY(oak_host_map_attach(handle, page));
  return know_flags(dev, page, (size_t)handle->bytes, NULL);
}

void oak_device_flags_close(oak_device_t *dev, void *page, oak_handle_t *handle) {
  OAK_HANDLE(dev, );
  if (dev->ops->forget_flags) dev->ops->forget_flags(dev, page);
  oak_host_map_close(page, dev->flag_bytes, handle);
}

oak_status_t oak_device_signal(oak_device_t *dev, uint64_t *flag, uint64_t value) {
  OAK_NEED(dev);
  if (dev->ops->signal) return dev->ops->signal(dev, flag, value);
  oak_flag_raise((oak_flag_t *)flag, value);
  return OAK_OK;
}

oak_status_t oak_device_wait(oak_device_t *dev, uint64_t *flag, uint64_t value) {
  OAK_NEED(dev);
  if (dev->ops->wait) return dev->ops->wait(dev, flag, value);
  oak_flag_await((oak_flag_t *)flag, value);
  return OAK_OK;
}

/* ---- kernels */

void oak_device_unload(oak_device_t *dev, oak_module_t **module) {
  OAK_HANDLE(dev, );
  if (!module || !*module) return;
  dev->ops->unload(dev, *module);
  *module = NULL;
}

oak_status_t oak_device_kernel(oak_device_t *dev, oak_module_t *module, const char *name,
                               oak_kernel_t **out) {
  OAK_NEED(dev);
  *out = NULL;
  return dev->ops->kernel(dev, module, name, out);
}

oak_status_t oak_device_constant(oak_device_t *dev, oak_module_t *module, const char *name,
                                 void *dst, size_t bytes) {
  OAK_NEED(dev);
  return dev->ops->constant(dev, module, name, dst, bytes);
}

oak_status_t oak_device_launch(oak_device_t *dev, oak_kernel_t *kernel, long n, const void *args,
                               size_t bytes) {
  OAK_NEED(dev);
  OAK_CHECK(n >= 0, OAK_ERR_ARGUMENT, "a kernel cannot run %ld iterations; 0 or more are allowed",
            n);
  return n > 0 ? dev->ops->launch(dev, kernel, n, args, bytes) : OAK_OK;
}

oak_status_t oak_device_sync(oak_device_t *dev) {
  OAK_NEED(dev);
  return dev->ops->sync ? dev->ops->sync(dev) : OAK_OK;
}
