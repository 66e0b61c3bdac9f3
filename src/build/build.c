/* SPDX-License-Identifier: GPL-2.0-or-later
 * Collective builds of kernels. One rank of each host looks in the cache. The first host compiles
 * what it lacks; then the others look once more, in case they share its cache, and compile what
 * they still lack. Then all ranks load it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "build/build.h"

/** An entry of the cache while oak looks for it or builds it. */
typedef struct {
  oak_keys_t keys;
  char *folder, *work; /**< for files of the build, and a path in it */
  char *path;          /**< of the entry */
  int missing;         /**< it is not in the cache */
  int noted;           /**< keys belong to the sources as they are now */
  int own;      /**< it serves this run only: keys.built does not tell whether it is out of date */
  int compiled; /**< just now, on this rank */
} entry_t;

/* ---- the cache */

/** Write a reference to the entry \a built: a file whose name is the key \a hex, with the key of
 * the entry, the version of the compiler, and the \a state of all that the entry depends on. If it
 * cannot be written, the build goes on. */
static void note_entry(oak_device_t *dev, const oak_source_t *source, const char *hex,
                       const char *built, const char *state) {
  oak_buffer_t text = {0};
  OAK_FREED char *path = NULL;
  if (!hex[0] || dev->unkept || !dev->compiler) return;
  if (oak_entry_path(dev, dev->cache, source, hex, ".ref", &path) != OAK_OK) return;
  oak_buffer_print(&text, "%s\n%s\n%s", built, dev->compiler->version, state);
  oak_cache_write(path, &text);
  oak_buffer_free(&text);
}

/** Find the entry through its reference, without asking a compiler. \a none: there is no compiler.
 */
static oak_status_t find_noted(oak_device_t *dev, const oak_source_t *source, int none,
                               entry_t *e) {
  enum { LENGTH = sizeof e->keys.built };
  oak_buffer_t text = {0};
  OAK_FREED char *note = NULL;
  char *state = NULL, why[OAK_UNFOLLOWED];
  if (!dev->cache) return OAK_OK;
  if (none) OAK_TRY(oak_key_files(dev, source, e->keys.files, why));
  OAK_TRY(oak_entry_path(dev, dev->cache, source, none ? e->keys.files : e->keys.direct, ".ref",
                         &note));
  if (oak_cache_read(note, &text) == 0 && text.length > LENGTH)
    state = strchr(text.data + LENGTH, '\n');
  if (state && (none || oak_state_holds(state + 1))) {
    snprintf(e->keys.built, LENGTH, "%s", text.data);
    *state = '\0';
    if (oak_entry_find(dev, source, e->keys.built, &e->path)) {
      utimensat(AT_FDCWD, note, NULL, 0); /* mark it as used today */
      if (!none && !dev->compiler->noted) dev->compiler->noted = oak_str_copy(text.data + LENGTH);
    }
  }
  oak_buffer_free(&text);
  return OAK_OK;
}

/** Make a folder for files of a build, and the path \a *work in it. */
static oak_status_t make_work(oak_device_t *dev, const oak_source_t *source, const char *hex,
                              char **folder, char **work) {
  const char *store;
  OAK_TRY(oak_cache_store(dev, &store));
  OAK_TRY(oak_entry_path(dev, store, source, hex, ".XXXXXX", folder));
  if (mkdtemp(*folder)) return oak_format(work, "%s/%s", *folder, dev->ops->name);
  free(*folder);
  *folder = NULL;
  return OAK_FAIL(OAK_ERR_FILE,
                  "cannot make a folder in the kernel cache %s: %s; set OAK_CACHE to a folder that "
                  "can be written",
                  store, strerror(errno));
}

/** Set e->path to where an entry is written that is not in the cache. */
static oak_status_t place(oak_device_t *dev, const oak_source_t *source, entry_t *e) {
  const char *store = NULL;
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

/** Look in the cache. Rank-local. */
static oak_status_t look_up(oak_device_t *dev, const oak_source_t *source, entry_t *e) {
  const int none = dev->ops->has_compiler && !dev->ops->has_compiler(dev);
  /* With OAK_KEEP the user wants to see the generated sources, so the kernel is built even if it is
   * in the cache. */
  const int keep = oak_build_keep();
  OAK_TRY(oak_cache_open(dev));
  OAK_TRY(oak_key_direct(dev, source, e->keys.direct));
  if (none || (dev->compiler && !keep)) OAK_TRY(find_noted(dev, source, none, e));
  if (e->path) return OAK_OK;
  if (none) return dev->ops->build(dev, source, "");
  OAK_TRY(make_work(dev, source, e->keys.direct, &e->folder, &e->work));
  OAK_TRY(oak_key_ask(dev, source, e->work, &e->keys));
  set_own(dev, source, e);
  e->noted = 1;
  if (!keep && !e->own && oak_entry_find(dev, source, e->keys.built, &e->path)) return OAK_OK;
  e->missing = 1;
  return place(dev, source, e);
}

/** Compile what is not in the cache; of a source that is only `seen`, take what the preprocessor
 * has made of it for the key. Rank-local. */
static oak_status_t compile(oak_device_t *dev, const oak_source_t *source, entry_t *e) {
  char before[33];
  oak_buffer_t object = {0};
  e->compiled = 1;
  for (int turn = 0;; turn++) {
    if (!source->seen) OAK_TRY(dev->ops->build(dev, source, e->work));
    /* If a file changed while it was compiled, the binary belongs neither to the old nor to the new
     * key. The compiler is asked only if oak cannot see that nothing has changed. */
    if (oak_keys_hold(&e->keys)) break;
    memcpy(before, e->keys.built, sizeof before);
    OAK_TRY(oak_key_ask(dev, source, e->work, &e->keys));
    set_own(dev, source, e);
    if (!strcmp(before, e->keys.built)) break;
    if (turn == 1) { /* the sources change every time, as with __TIME__ */
      e->own = 1;
      e->noted = 0;
      break;
    }
  }
  OAK_TRY(place(dev, source, e));
  oak_status_t status = oak_build_read(&object, e->work, source->seen ? ".i" : "");
  const int error = status == OAK_OK ? oak_cache_put(e->path, &object) : 0;
  oak_buffer_free(&object);
  OAK_TRY(status);
  OAK_CHECK(!error, OAK_ERR_FILE,
            "the built kernel %s cannot be written: %s; set OAK_CACHE to a folder with space",
            e->path, strerror(error));
  return OAK_OK;
}

/* ---- on all hosts */

/** MPI_Bcast from rank 0 for data that may come only after many seconds. The other ranks sleep
 * while they wait. MPI libraries wait in a loop instead, which takes cores from the compiler. */
static void broadcast_late(MPI_Comm comm, void *data, int bytes) {
  const long longest = 10 * 1000 * 1000;
  struct timespec pause = {.tv_nsec = 20 * 1000};
  MPI_Request request;
  int done = 0;
  MPI_Ibcast(data, bytes, MPI_BYTE, 0, comm, &request);
  for (;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < longest) pause.tv_nsec *= 2;
  }
}

/** Compile an entry that is missing, unless another host has put it there meanwhile. */
static oak_status_t complete(oak_device_t *dev, const oak_source_t *source, entry_t *e) {
  char *path;
  if (!e->missing) return OAK_OK;
  if (e->own || oak_build_keep() || !oak_entry_find(dev, source, e->keys.built, &path))
    return compile(dev, source, e);
  free(e->path);
  e->path = path;
  return OAK_OK;
}

/** Provide the entry on all hosts, first on that of rank 0. Collective on dev->firsts. */
static oak_status_t fetch(oak_device_t *dev, const oak_source_t *source, oak_status_t status,
                          entry_t *e) {
  int rank, good;
  MPI_Comm_rank(dev->firsts, &rank);
  if (rank == 0 && status == OAK_OK) status = complete(dev, source, e);
  good = status == OAK_OK;
  broadcast_late(dev->firsts, &good, sizeof good);
  if (rank != 0 && good && status == OAK_OK) status = complete(dev, source, e);
  if (!good || status != OAK_OK || e->own) return status;
  if (e->noted && dev->ops->preprocess) {
    if (e->keys.lasts) note_entry(dev, source, e->keys.direct, e->keys.built, e->keys.state.data);
    note_entry(dev, source, e->keys.files, e->keys.built, "");
  }
  if (e->compiled && !dev->unkept) oak_cache_sweep(dev);
  if (!e->compiled || !dev->unkept || dev->rank != 0 || dev->unkept_told) return OAK_OK;
  fprintf(stderr,
          "oak: built kernels are not kept for the next run: %s; OAK_CACHE names another folder\n",
          dev->unkept);
  dev->unkept_told = 1;
  return OAK_OK;
}

/* ---- all of it */

/** What the ranks of a host need to know of an entry. */
typedef struct {
  char path[PATH_MAX];
  int compiled; /**< just now, for this host */
} found_t;

/** Provide the entry of \a source. Called by the first rank of each host, and collective on these.
 */
static oak_status_t provide(oak_device_t *dev, const oak_source_t *source, found_t *found) {
  entry_t e = {.missing = 0};
  oak_status_t status = fetch(dev, source, look_up(dev, source, &e), &e);
  if (e.folder && oak_build_keep() && e.compiled) {
    fprintf(stderr, "oak: generated source of kernel '%s' is kept in %s\n", oak_source_name(source),
            e.folder);
  } else if (e.folder) {
    oak_path_remove(e.folder);
  }
  found->compiled = e.compiled;
  if (status == OAK_OK) status = oak_path_print(found->path, "%s", e.path ? e.path : "");
  oak_keys_free(&e.keys);
  free(e.path);
  free(e.work);
  free(e.folder);
  return status;
}

/** The text of an entry in place of a module. */
static oak_status_t load_text(oak_device_t *dev, const char *path, oak_module_t **out) {
  (void)dev;
  oak_buffer_t entry = {0};
  const int error = oak_cache_get(path, &entry);
  char *text = error ? NULL : strndup(oak_buffer_get(&entry), entry.length);
  oak_buffer_free(&entry);
  OAK_CHECK(text, OAK_ERR_FILE, "cannot read %s: %s", path, strerror(error ? error : ENOMEM));
  *out = (oak_module_t *)text;
  return OAK_OK;
}

/** One attempt. Collective. \a *again: an entry of the cache did not load on some rank. It is
 * removed.
 */
static oak_status_t attempt(oak_device_t *dev, const oak_source_t *source, int *again,
                            oak_module_t **out) {
  const oak_device_ops_t *ops = dev->ops;
  found_t found = {.compiled = 0};
  oak_status_t status = OAK_OK;
  *out = NULL;
  *again = 0;
  if (dev->firsts != MPI_COMM_NULL) status = provide(dev, source, &found);
  broadcast_late(dev->builders, &found, sizeof found);
  OAK_TRY(oak_agree(dev->comm, status));
  dev->built += !source->seen;
  dev->compiled += found.compiled && !source->seen;
  const oak_status_t loaded = (source->seen                     ? load_text
                               : source->data && ops->load_data ? ops->load_data
                                                                : ops->load)(dev, found.path, out);
  status = oak_agree(dev->comm, loaded);
  if (status == OAK_OK) return OAK_OK;
  if (loaded == OAK_OK && source->seen) free(*out);
  if (loaded == OAK_OK && !source->seen) ops->unload(dev, *out);
  *out = NULL;
  *again = loaded != OAK_OK && loaded != OAK_ERR_MEMORY && !found.compiled;
  MPI_Allreduce(MPI_IN_PLACE, again, 1, MPI_INT, MPI_MAX, dev->comm);
  if (*again && dev->firsts != MPI_COMM_NULL) unlink(found.path);
  return status;
}

oak_status_t oak_device_build(oak_device_t *dev, const oak_source_t *source, oak_module_t **out) {
  OAK_NEED(dev);
  int again;
  const oak_status_t status = attempt(dev, source, &again, out);
  return again ? attempt(dev, source, &again, out) : status;
}

oak_status_t oak_device_text(oak_device_t *dev, const oak_source_t *source, char **text) {
  OAK_NEED(dev);
  OAK_ASSERT(source->seen && dev->ops->preprocess);
  oak_module_t *entry = NULL;
  const oak_status_t status = oak_device_build(dev, source, &entry);
  *text = (char *)entry;
  return status;
}

void oak_device_builds(const oak_device_t *dev, int *built, int *compiled) {
  OAK_HANDLE(dev, );
  *built = dev->built;
  *compiled = dev->compiled;
}
