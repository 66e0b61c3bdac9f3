/* SPDX-License-Identifier: GPL-2.0-or-later
 * Collective builds of kernels. One rank of each host looks in the cache. Of the hosts that need
 * the same kernel, one compiles it and sends it to the others (hand_on.c). Then all ranks load it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "build/build.h"

/** An entry of the cache while oak looks for it or builds it. */
typedef struct {
  oak_keys_t keys;
  char *folder, *work; /**< for files of the build, and a path in it */
  char *path;          /**< of the entry */
  oak_need_t need;
  int noted;    /**< keys belong to the sources as they are now */
  int own;      /**< it serves this run only: keys.built does not tell whether it is out of date */
  int compiled; /**< it was compiled just now on this rank */
} entry_t;

/** Write a reference to the entry \a built: a file whose name is the key \a hex, with the key of
 * the entry, the version of the compiler, and the \a state of all that the entry depends on. If it
 * cannot be written, the build goes on. */
static void note_entry(oak_device_t *dev, const oak_source_t *source, const char *hex,
                       const char *built, const char *state) {
  oak_buffer_t old = {0}, text = {0};
  char *path;
  if (!hex[0] || dev->unkept || !dev->compiler) return;
  if (oak_entry_path(dev, dev->cache, source, hex, ".ref", &path) != OAK_OK) return;
  oak_buffer_print(&text, "%s\n%s\n%s", built, dev->compiler->version, state);
  if (oak_cache_read(path, &old) != 0 || strcmp(oak_buffer_get(&old), oak_buffer_get(&text)) != 0)
    oak_cache_write(path, &text);
  else
    utimensat(AT_FDCWD, path, NULL, 0); /* mark it as used today */
  oak_buffer_free(&text);
  oak_buffer_free(&old);
  free(path);
}

/** Find the entry through its reference, without asking a compiler. \a none: there is no compiler.
 */
static oak_status_t find_noted(oak_device_t *dev, const oak_source_t *source, int none,
                               entry_t *e) {
  enum { LENGTH = sizeof e->keys.built };
  oak_buffer_t text = {0};
  char *note, *state = NULL, why[OAK_UNFOLLOWED];
  if (!dev->cache) return OAK_OK;
  if (none) OAK_TRY(oak_key_files(dev, source, e->keys.files, why));
  OAK_TRY(oak_entry_path(dev, dev->cache, source, none ? e->keys.files : e->keys.direct, ".ref",
                         &note));
  if (oak_cache_read(note, &text) == 0 && text.length > LENGTH)
    state = strchr(text.data + LENGTH, '\n');
  if (state && (none || oak_state_holds(dev, state + 1))) {
    snprintf(e->keys.built, LENGTH, "%s", text.data);
    *state = '\0';
    if (oak_entry_find(dev, source, e->keys.built, &e->path)) {
      utimensat(AT_FDCWD, note, NULL, 0); /* mark it as used today */
      if (!none && !dev->compiler->noted) dev->compiler->noted = oak_str_copy(text.data + LENGTH);
    }
  }
  free(note);
  oak_buffer_free(&text);
  return OAK_OK;
}

/** Make a folder for files of a build. */
static oak_status_t make_work(oak_device_t *dev, const oak_source_t *source, const char *hex,
                              char **folder) {
  const char *store;
  OAK_TRY(oak_cache_store(dev, &store));
  OAK_TRY(oak_entry_path(dev, store, source, hex, ".XXXXXX", folder));
  if (mkdtemp(*folder)) return OAK_OK;
  free(*folder);
  *folder = NULL;
  return OAK_FAIL(OAK_ERR_FILE,
                  "cannot make a folder in the kernel cache %s: %s; set OAK_CACHE to a folder that "
                  "can be written",
                  store, strerror(errno));
}

/** Where an entry is written that is not in the cache. */
static oak_status_t new_path(oak_device_t *dev, const oak_source_t *source, entry_t *e) {
  const char *store;
  free(e->path);
  e->path = NULL;
  OAK_TRY((e->own ? oak_cache_private : oak_cache_store)(dev, &store));
  return oak_entry_path(dev, store, source, e->keys.built, "", &e->path);
}

/** If a kernel reads files that oak does not follow, oak cannot know when the kernel is out of
 * date. */
static void set_own(oak_device_t *dev, const oak_source_t *source, entry_t *e) {
  e->own |= dev->unfollowed[0] != '\0';
  if (!e->own || dev->rank != 0 || dev->unfollowed_told) return;
  fprintf(stderr,
          "oak: kernel '%s' is compiled again in every run, since oak cannot see whether what it "
          "reads has changed: %s\n",
          oak_source_name(source), dev->unfollowed);
  dev->unfollowed_told = 1;
}

/** Remove an entry that does not load. A cache where this fails is not used any more. */
static oak_status_t forget(oak_device_t *dev, const oak_source_t *source, const char *hex) {
  char *path;
  if (!oak_entry_find(dev, source, hex, &path)) return OAK_OK;
  const int error = unlink(path) != 0 && errno != ENOENT ? errno : 0;
  oak_status_t status = OAK_OK;
  if (error && !dev->unkept) status = oak_format(&dev->unkept, "%s: %s", path, strerror(error));
  free(path);
  if (!error) return OAK_OK;
  free(dev->cache);
  dev->cache = NULL;
  return status;
}

/** Look in the cache. Rank-local. */
static oak_status_t look_up(oak_device_t *dev, const oak_source_t *source, int rebuild,
                            entry_t *e) {
  const int none = dev->ops->has_compiler && !dev->ops->has_compiler(dev);
  OAK_TRY(oak_cache_open(dev));
  OAK_TRY(oak_key_direct(dev, source, e->keys.direct));
  /* With OAK_KEEP the user wants to see the generated sources, so the kernel is built even if it is
   * in the cache. */
  const int ask = !none && (rebuild || oak_build_keep() || !dev->compiler);
  if (!ask) OAK_TRY(find_noted(dev, source, none, e));
  e->need = e->path && !none ? OAK_NEED_MET : OAK_NEED_NONE;
  if (e->path) return OAK_OK;
  if (none) return dev->ops->build(dev, source, "");
  OAK_TRY(make_work(dev, source, e->keys.direct, &e->folder));
  OAK_TRY(oak_format(&e->work, "%s/%s", e->folder, dev->ops->name));
  OAK_TRY(oak_key_ask(dev, source, e->work, &e->keys));
  set_own(dev, source, e);
  if (rebuild) OAK_TRY(forget(dev, source, e->keys.built));
  const int have =
      !oak_build_keep() && !e->own && oak_entry_find(dev, source, e->keys.built, &e->path);
  e->need = have ? OAK_NEED_MET : rebuild ? OAK_NEED_OTHER : OAK_NEED_ENTRY;
  e->noted = 1;
  return have ? OAK_OK : new_path(dev, source, e);
}

/** Compile a source to the file \a work, or put there what its preprocessor has made of it for the
 * key. */
static oak_status_t make(oak_device_t *dev, const oak_source_t *source, const char *work) {
  char *text;
  if (!source->seen) return dev->ops->build(dev, source, work);
  OAK_TRY(oak_format(&text, "%s.i", work));
  const int error = rename(text, work) != 0 ? errno : 0;
  free(text);
  OAK_CHECK(!error, OAK_ERR_FILE, "the preprocessed text of %s cannot be kept: %s",
            oak_source_name(source), strerror(error));
  return OAK_OK;
}

/** Compile what is not in the cache. Rank-local. */
static oak_status_t compile(oak_device_t *dev, const oak_source_t *source, entry_t *e) {
  char before[33];
  e->compiled = 1;
  for (int turn = 0;; turn++) {
    OAK_TRY(make(dev, source, e->work));
    OAK_TRY(oak_cache_seal(e->work));
    set_own(dev, source, e);
    /* If a file changed while it was compiled, the binary belongs neither to the old nor to the new
     * key. The compiler is asked only if oak cannot see that nothing has changed. */
    if (oak_keys_hold(dev, &e->keys)) break;
    memcpy(before, e->keys.built, sizeof before);
    OAK_TRY(oak_key_ask(dev, source, e->work, &e->keys));
    set_own(dev, source, e);
    if (!strcmp(before, e->keys.built)) break;
    if (turn == 1) { /* the sources change every time, as with __TIME__: the binary serves this run,
                        under a key that is never used again */
      oak_hash_t hash;
      oak_hash_start(&hash);
      oak_hash_text(&hash, before);
      oak_hash_text(&hash, e->keys.built);
      oak_hash_hex(&hash, e->keys.built);
      e->noted = 0;
      break;
    }
    OAK_TRY(new_path(dev, source, e));
    if (!oak_build_keep() && !e->own && oak_cache_check(e->path)) return OAK_OK;
  }
  OAK_TRY(new_path(dev, source, e));
  OAK_CHECK(rename(e->work, e->path) == 0, OAK_ERR_FILE,
            "the built kernel cannot be moved to %s: %s", e->path, strerror(errno));
  return OAK_OK;
}

/** After a new entry: make room for it, or tell the user that it will be removed after the run. */
static void kept(oak_device_t *dev) {
  if (!dev->unkept) {
    oak_cache_sweep(dev);
  } else if (dev->rank == 0 && !dev->unkept_told) {
    fprintf(stderr,
            "oak: built kernels are not kept for the next run: %s; OAK_CACHE names another "
            "folder\n",
            dev->unkept);
    dev->unkept_told = 1;
  }
}

/** Provide the entry on all hosts that want it: compile it here, or get it from another host. */
static oak_status_t fetch(oak_device_t *dev, const oak_source_t *source, entry_t *e,
                          oak_status_t status) {
  MPI_Comm receivers;
  int rank = 0, stored = 0;
  char key[33];
  const oak_need_t need = status == OAK_OK ? e->need : OAK_NEED_NONE;
  const oak_status_t opened = oak_hand_open(dev, need, e->keys.built, &receivers);
  if (status == OAK_OK) status = opened;
  if (receivers != MPI_COMM_NULL) MPI_Comm_rank(receivers, &rank);
  if (status == OAK_OK && rank == 0 && (need == OAK_NEED_ENTRY || need == OAK_NEED_OTHER))
    status = compile(dev, source, e);
  if (receivers != MPI_COMM_NULL) {
    memcpy(key, e->keys.built, sizeof key);
    status = oak_hand_over(dev, source, receivers, status, &e->own, key, &e->path, &stored);
    if (strcmp(key, e->keys.built) != 0)
      e->noted = 0; /* there is no entry, or the sources have
                       changed */
    MPI_Comm_free(&receivers);
  }
  if (status == OAK_OK && e->noted && !e->own && dev->ops->preprocess) {
    const oak_keys_t *keys = &e->keys;
    if (keys->lasts) note_entry(dev, source, keys->direct, keys->built, keys->state.data);
    note_entry(dev, source, keys->files, keys->built, "");
  }
  if (status == OAK_OK && !e->own && (e->compiled || stored)) kept(dev);
  return status;
}

/** Provide the entry of \a source. Called by the first rank of each host, and collective on these.
 * \a *fresh: it was compiled just now, for this host. */
static oak_status_t provide(oak_device_t *dev, const oak_source_t *source, int rebuild, char **path,
                            int *fresh) {
  entry_t e = {.need = OAK_NEED_NONE};
  oak_status_t status = fetch(dev, source, &e, look_up(dev, source, rebuild, &e));
  if (e.folder && oak_build_keep() && e.compiled) {
    fprintf(stderr, "oak: generated source of kernel '%s' is kept in %s\n", oak_source_name(source),
            e.folder);
  } else if (e.folder) {
    oak_path_remove(e.folder);
  }
  *path = e.path;
  *fresh = e.compiled;
  oak_keys_free(&e.keys);
  free(e.work);
  free(e.folder);
  return status;
}

/** 1 on the first rank of each host. */
static int builds(const oak_device_t *dev) { return dev->firsts != MPI_COMM_NULL; }

/** Give the path from the rank that provided it to the others of its host. Collective on the
 * device. */
static oak_status_t share_path(oak_device_t *dev, oak_status_t status, char **path, int *fresh) {
  int head[2] = {status == OAK_OK && *path ? (int)strlen(*path) : 0, *fresh};
  oak_broadcast_late(dev->builders, head, sizeof head);
  *fresh = head[1];
  if (!builds(dev)) {
    *path = calloc(1, (size_t)head[0] + 1);
    if (!*path) status = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the path of a built kernel");
  }
  OAK_TRY(oak_agree(dev->comm, status));
  MPI_Bcast(*path, head[0] + 1, MPI_CHAR, 0, dev->builders);
  return OAK_OK;
}

/** The text of an entry in place of a module. */
static oak_status_t load_text(oak_device_t *dev, const char *path, oak_module_t **out) {
  (void)dev;
  oak_buffer_t entry = {0};
  const int error = oak_cache_get(path, &entry);
  char *text = error ? NULL : oak_str_copy(oak_buffer_get(&entry));
  oak_buffer_free(&entry);
  OAK_CHECK(text, OAK_ERR_FILE, "cannot read %s: %s", path, strerror(error ? error : ENOMEM));
  *out = (oak_module_t *)text;
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
  if (builds(dev)) status = provide(dev, source, *rebuild, &path, &fresh);
  status = share_path(dev, status, &path, &fresh);
  if (status != OAK_OK) {
    free(path);
    return status;
  }
  dev->built += !source->seen;
  dev->compiled += fresh && !source->seen;
  const int data = source->data && dev->ops->load_data;
  oak_status_t loaded = (source->seen ? load_text
                         : data       ? dev->ops->load_data
                                      : dev->ops->load)(dev, path, out);
  status = oak_agree(dev->comm, loaded);
  free(path);
  if (status == OAK_OK) return OAK_OK;
  if (loaded == OAK_OK && source->seen) free(*out);
  if (loaded == OAK_OK && !source->seen) dev->ops->unload(dev, *out);
  *out = NULL;
  *rebuild = loaded != OAK_OK && loaded != OAK_ERR_MEMORY && !fresh;
  MPI_Allreduce(MPI_IN_PLACE, rebuild, 1, MPI_INT, MPI_MAX, dev->builders);
  *again = *rebuild;
  MPI_Allreduce(MPI_IN_PLACE, again, 1, MPI_INT, MPI_MAX, dev->comm);
  return status;
}

oak_status_t oak_device_explain(oak_device_t *dev, const oak_source_t *source, char **said,
                                char **assembly) {
  OAK_NEED(dev);
  char *folder, *work;
  *said = *assembly = NULL;
  if (!dev->ops->explain) return OAK_OK;
  OAK_TRY(oak_cache_open(dev));
  OAK_TRY(make_work(dev, source, "loops", &folder));
  oak_status_t status = oak_format(&work, "%s/%s", folder, dev->ops->name);
  if (status == OAK_OK) {
    status = dev->ops->explain(dev, source, work, said, assembly);
    free(work);
  }
  oak_path_remove(folder);
  free(folder);
  return status;
}

void oak_device_builds(const oak_device_t *dev, int *built, int *compiled) {
  OAK_HANDLE(dev, );
  *built = dev->built;
  *compiled = dev->compiled;
}

oak_status_t oak_device_build(oak_device_t *dev, const oak_source_t *source, oak_module_t **out) {
  OAK_NEED(dev);
  int rebuild = 0, again = 0;
  oak_status_t status = attempt(dev, source, &rebuild, &again, out);
  if (status != OAK_OK && again) status = attempt(dev, source, &rebuild, &again, out);
  return status;
}

oak_status_t oak_device_text(oak_device_t *dev, const oak_source_t *source, char **text) {
  OAK_NEED(dev);
  OAK_ASSERT(source->seen && dev->ops->preprocess);
  oak_module_t *entry = NULL;
  const oak_status_t status = oak_device_build(dev, source, &entry);
  *text = (char *)entry;
  return status;
}
