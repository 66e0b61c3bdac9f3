/* SPDX-License-Identifier: GPL-2.0-or-later
 * Collective builds of kernels: one rank of each host looks in the cache and compiles, all load. */
#define _GNU_SOURCE 1
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device_private.h"

int oak_build_keep(void) {
  const char *keep = getenv("OAK_KEEP");
  return keep && keep[0] && strcmp(keep, "0") != 0;
}

const char *oak_source_name(const oak_source_t *source) {
  return source->name && source->name[0] ? source->name : "kernel";
}

oak_status_t oak_path_absolute(const char *path, char **out) {
  if (path[0] == '/') return oak_format(out, "%s", path);
  char *here = getcwd(NULL, 0);
  *out = NULL;
  OAK_CHECK(here, OAK_ERR_FILE, "the current folder is not known (%s), but '%s' is relative to it",
            strerror(errno), path);
  oak_status_t status = oak_format(out, "%s/%s", here, path);
  free(here);
  return status;
}

oak_status_t oak_source_text(const oak_source_t *source, oak_buffer_t *text) {
  oak_buffer_print(text, "/* Translation unit of kernel '%s', written by oak. */\n",
                   oak_source_name(source));
  oak_buffer_print(text, "#include \"oak/kernel.h\"\n");
  for (int i = 0; i < source->nfile; i++) {
    char *path;
    OAK_TRY(oak_path_absolute(source->file[i], &path));
    int plain = !strpbrk(path, "\"\n");
    if (plain) oak_buffer_print(text, "#include \"%s\"\n", path);
    free(path);
    OAK_CHECK(plain, OAK_ERR_ARGUMENT,
              "kernel source '%s' has a quote or a line break in its path, which #include cannot "
              "name; rename it",
              source->file[i]);
  }
  return oak_buffer_status(text);
}

/** Path of the file of \a source in the cache with the key \a hex. */
static oak_status_t entry_path(oak_device_t *dev, const oak_source_t *source, const char *hex,
                               const char *ending, char **out) {
  char name[41];
  snprintf(name, sizeof name, "%s", oak_source_name(source));
  for (char *c = name; *c; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_') *c = '_';
  }
  return oak_format(out, "%s/%s-%s.%s%s", dev->cache, name, hex, dev->ops->name, ending);
}

/** What leads to the entry where there is no compiler: a file with the name that is all that oak
 * knows there, and the key of the entry in it. Its loss fails nothing here. */
static void note_entry(oak_device_t *dev, const oak_source_t *source, const oak_keys_t *keys) {
  oak_buffer_t old = {0}, text = {0};
  char *path;
  if (!dev->ops->preprocess || dev->cache_private) return;
  if (entry_path(dev, source, keys->scan, ".ref", &path) != OAK_OK) return;
  oak_buffer_print(&text, "%s\n", keys->built);
  if (oak_cache_read(path, &old) != 0 || strcmp(oak_buffer_get(&old), oak_buffer_get(&text)) != 0)
    oak_cache_write(path, &text);
  else
    utimensat(AT_FDCWD, path, NULL, 0); /* used now */
  oak_buffer_free(&text);
  oak_buffer_free(&old);
  free(path);
}

/** Find the entry without a compiler. OAK_ERR_BUILD as from a build if there is none. */
static oak_status_t find_noted(oak_device_t *dev, const oak_source_t *source, char **path) {
  oak_keys_t keys;
  oak_buffer_t text = {0};
  char *note;
  OAK_TRY(oak_source_keys(dev, source, NULL, &keys));
  OAK_TRY(entry_path(dev, source, keys.scan, ".ref", &note));
  int found = oak_cache_read(note, &text) == 0 && text.length == sizeof keys.built;
  free(note);
  if (found) snprintf(keys.built, sizeof keys.built, "%s", text.data);
  oak_buffer_free(&text);
  if (found) OAK_TRY(entry_path(dev, source, keys.built, "", path));
  return found && oak_cache_has(*path) ? OAK_OK : dev->ops->build(dev, source, "");
}

/** 1 if the sources did not change between both keys. */
static int same_sources(const oak_device_t *dev, const oak_keys_t *a, const oak_keys_t *b) {
  return (a->blind || !strcmp(a->scan, b->scan)) &&
         (!dev->ops->preprocess || !strcmp(a->built, b->built));
}

/** Let the entry of \a source exist; \a work is a path in a folder for files of the build. */
static oak_status_t provide_in(oak_device_t *dev, const oak_source_t *source, const char *work,
                               int rebuild, char **path, int *fresh) {
  oak_keys_t keys, after;
  OAK_TRY(oak_source_keys(dev, source, work, &keys));
  for (int turn = 0;; turn++) {
    OAK_TRY(entry_path(dev, source, keys.built, "", path));
    if (rebuild) unlink(*path);
    /* Who asks for generated sources means to see them, so the cache does not get in the way. */
    if (!oak_build_keep() && oak_cache_has(*path)) break;
    *fresh = 1;
    OAK_TRY(dev->ops->build(dev, source, work));
    OAK_TRY(oak_cache_seal(work));
    /* A file that changed while it was compiled makes a binary of neither key. */
    OAK_TRY(oak_source_keys(dev, source, work, &after));
    const int same = same_sources(dev, &keys, &after);
    if (!same) {
      free(*path);
      *path = NULL;
    }
    if (!same && turn == 0) {
      keys = after;
      continue;
    }
    if (!same) { /* as with __TIME__: good for this run, under a key that never comes again */
      oak_hash_t hash;
      oak_hash_start(&hash);
      oak_hash_text(&hash, keys.built);
      oak_hash_text(&hash, after.built);
      oak_hash_hex(&hash, keys.built);
      OAK_TRY(entry_path(dev, source, keys.built, "", path));
    }
    OAK_CHECK(rename(work, *path) == 0, OAK_ERR_FILE, "the built kernel cannot be moved to %s: %s",
              *path, strerror(errno));
    if (!same) return OAK_OK;
    break;
  }
  note_entry(dev, source, &keys);
  return OAK_OK;
}

/** Let the entry of \a source exist; on one rank of a host. \a *fresh: it was compiled just now. */
static oak_status_t provide(oak_device_t *dev, const oak_source_t *source, int rebuild, char **path,
                            int *fresh) {
  oak_keys_t keys;
  char *folder, *work;
  *path = NULL;
  *fresh = 0;
  OAK_TRY(oak_cache_open(dev));
  if (dev->ops->has_compiler && !dev->ops->has_compiler(dev)) return find_noted(dev, source, path);
  OAK_TRY(oak_source_keys(dev, source, NULL, &keys));
  OAK_TRY(entry_path(dev, source, keys.scan, ".XXXXXX", &folder));
  oak_status_t status = OAK_OK;
  if (!mkdtemp(folder)) {
    status =
        OAK_FAIL(OAK_ERR_FILE,
                 "cannot make a folder in the kernel cache %s: %s; set OAK_CACHE to a folder that "
                 "can be written",
                 dev->cache, strerror(errno));
    free(folder);
    return status;
  }
  status = oak_format(&work, "%s/%s", folder, dev->ops->name);
  if (status == OAK_OK) status = provide_in(dev, source, work, rebuild, path, fresh);
  if (oak_build_keep()) {
    fprintf(stderr, "oak: generated source of kernel '%s' is kept in %s\n", oak_source_name(source),
            folder);
  } else {
    oak_cache_remove_folder(folder);
  }
  free(work);
  free(folder);
  if (status == OAK_OK && *fresh && !dev->cache_private) oak_cache_sweep(dev);
  return status;
}

/** MPI_Bcast on a host from its first rank, for which the others may have to wait seconds: asleep,
 * since MPI libraries wait in a loop, on cores that compilers and other programs can use. */
static void broadcast_late(oak_device_t *dev, int *data, int count) {
  const long longest = 10 * 1000 * 1000;
  struct timespec pause = {.tv_nsec = 20 * 1000};
  MPI_Request request;
  int done = 0;
  MPI_Ibcast(data, count, MPI_INT, 0, dev->host, &request);
  for (;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < longest) pause.tv_nsec *= 2;
  }
}

/** Give the path from the rank that provided it to the others of its host. Collective on the
 * device. */
static oak_status_t share_path(oak_device_t *dev, oak_status_t status, char **path, int *fresh) {
  int head[2] = {status == OAK_OK && *path ? (int)strlen(*path) : 0, *fresh};
  broadcast_late(dev, head, 2);
  *fresh = head[1];
  if (dev->host_rank != 0) {
    *path = calloc(1, (size_t)head[0] + 1);
    if (!*path) status = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the path of a built kernel");
  }
  OAK_TRY(oak_agree(dev->comm, status));
  MPI_Bcast(*path, head[0] + 1, MPI_CHAR, 0, dev->host);
  return OAK_OK;
}

/** One attempt. Collective. \a *again: an entry that was in the cache did not load on some rank. */
static oak_status_t attempt(oak_device_t *dev, const oak_source_t *source, int *rebuild, int *again,
                            oak_module_t **out) {
  char *path = NULL;
  int fresh = 0;
  *again = 0;
  *out = NULL;
  oak_status_t status = OAK_OK;
  if (dev->host_rank == 0) status = provide(dev, source, *rebuild, &path, &fresh);
  status = share_path(dev, status, &path, &fresh);
  if (status != OAK_OK) {
    free(path);
    return status;
  }
  oak_status_t loaded = dev->ops->load(dev, path, out);
  status = oak_agree(dev->comm, loaded);
  free(path);
  if (status == OAK_OK) return OAK_OK;
  if (loaded == OAK_OK) dev->ops->unload(dev, *out);
  *out = NULL;
  *rebuild = loaded != OAK_OK && loaded != OAK_ERR_MEMORY && !fresh;
  MPI_Allreduce(MPI_IN_PLACE, rebuild, 1, MPI_INT, MPI_MAX, dev->host);
  *again = *rebuild;
  MPI_Allreduce(MPI_IN_PLACE, again, 1, MPI_INT, MPI_MAX, dev->comm);
  return status;
}

oak_status_t oak_device_build(oak_device_t *dev, const oak_source_t *source, oak_module_t **out) {
  int rebuild = 0, again = 0;
  oak_status_t status = attempt(dev, source, &rebuild, &again, out);
  if (status != OAK_OK && again) status = attempt(dev, source, &rebuild, &again, out);
  return status;
}
