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
                               oak_entry_t *e) {
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
  if (state && (none || oak_state_holds(dev, state + 1))) {
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

/** If a kernel reads files that oak does not follow, oak cannot know when the kernel is out of
 * date. */
static void set_own(oak_device_t *dev, const oak_source_t *source, oak_entry_t *e) {
  e->own |= dev->unfollowed[0] != '\0';
  if (!e->own || dev->rank != 0 || dev->unfollowed_told) return;
  fprintf(stderr,
          "oak: kernel '%s' is compiled again in every run, since oak cannot see whether what it "
          "reads has changed: %s\n",
          oak_source_name(source), dev->unfollowed);
  dev->unfollowed_told = 1;
}

/** Look in the cache. Rank-local. */
static oak_status_t look_up(oak_device_t *dev, const oak_source_t *source, oak_entry_t *e) {
  const int none = dev->ops->has_compiler && !dev->ops->has_compiler(dev);
  /* With OAK_KEEP the user wants to see the generated sources, so the kernel is built even if it is
   * in the cache. */
  const int keep = oak_build_keep();
  OAK_TRY(oak_cache_open(dev));
  OAK_TRY(oak_key_direct(dev, source, e->keys.direct));
  if (none || (dev->compiler && !keep)) OAK_TRY(find_noted(dev, source, none, e));
  e->need = e->path && !none ? OAK_NEED_MET : OAK_NEED_NONE;
  if (e->path) return OAK_OK;
  if (none) return dev->ops->build(dev, source, "");
  OAK_TRY(make_work(dev, source, e->keys.direct, &e->folder, &e->work));
  OAK_TRY(oak_key_ask(dev, source, e->work, &e->keys));
  set_own(dev, source, e);
  e->noted = 1;
  e->need = OAK_NEED_MET;
  if (!keep && !e->own && oak_entry_find(dev, source, e->keys.built, &e->path)) return OAK_OK;
  e->need = OAK_NEED_ENTRY;
  return oak_entry_place(dev, source, e);
}

/** Compile what is not in the cache; of a source that is only `seen`, take what the preprocessor
 * has made of it for the key. Rank-local. */
static oak_status_t compile(oak_device_t *dev, const oak_source_t *source, oak_entry_t *e) {
  char before[33];
  oak_buffer_t object = {0};
  e->fresh = 1;
  for (int turn = 0;; turn++) {
    if (!source->seen) OAK_TRY(dev->ops->build(dev, source, e->work));
    /* If a file changed while it was compiled, the binary belongs neither to the old nor to the new
     * key. The compiler is asked only if oak cannot see that nothing has changed. */
    if (oak_keys_hold(dev, &e->keys)) break;
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
  OAK_TRY(oak_entry_place(dev, source, e));
  oak_status_t status = oak_build_read(&object, e->work, source->seen ? ".i" : "");
  const int error = status == OAK_OK ? oak_cache_put(e->path, &object) : 0;
  oak_buffer_free(&object);
  OAK_TRY(status);
  OAK_CHECK(!error, OAK_ERR_FILE,
            "the built kernel %s cannot be written: %s; set OAK_CACHE to a folder with space",
            e->path, strerror(error));
  return OAK_OK;
}

/** Provide the entry on all hosts that want it: compile it here, or get it from another host. */
static oak_status_t fetch(oak_device_t *dev, const oak_source_t *source, oak_status_t status,
                          oak_entry_t *e) {
  MPI_Comm receivers;
  int rank = 0;
  if (status != OAK_OK) e->need = OAK_NEED_NONE;
  oak_keep_failure(&status, oak_hand_open(dev, e, &receivers));
  if (receivers != MPI_COMM_NULL) MPI_Comm_rank(receivers, &rank);
  const int builds = status == OAK_OK && rank == 0 && e->need == OAK_NEED_ENTRY;
  if (builds) status = compile(dev, source, e);
  e->compiled = builds;
  if (receivers != MPI_COMM_NULL) {
    status = oak_hand_over(dev, source, receivers, status, e);
    MPI_Comm_free(&receivers);
  }
  if (status != OAK_OK || e->own) return status;
  if (e->noted && dev->ops->preprocess) {
    if (e->keys.lasts) note_entry(dev, source, e->keys.direct, e->keys.built, e->keys.state.data);
    note_entry(dev, source, e->keys.files, e->keys.built, "");
  }
  if (e->fresh && !dev->unkept) oak_cache_sweep(dev);
  if (!e->fresh || !dev->unkept || dev->rank != 0 || dev->unkept_told) return OAK_OK;
  fprintf(stderr,
          "oak: built kernels are not kept for the next run: %s; OAK_CACHE names another folder\n",
          dev->unkept);
  dev->unkept_told = 1;
  return OAK_OK;
}

/** What the ranks of a host need to know of an entry. */
typedef struct {
  char path[PATH_MAX];
  int compiled; /**< just now, for this host */
} found_t;

/** Provide the entry of \a source. Called by the first rank of each host, and collective on these.
 */
static oak_status_t provide(oak_device_t *dev, const oak_source_t *source, found_t *found) {
  oak_entry_t e = {.need = OAK_NEED_NONE};
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
  oak_broadcast_late(dev->builders, &found, sizeof found);
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

oak_status_t oak_device_explain(oak_device_t *dev, const oak_source_t *source, char **said,
                                char **assembly) {
  OAK_NEED(dev);
  OAK_FREED char *folder = NULL, *work = NULL;
  *said = *assembly = NULL;
  if (!dev->ops->explain) return OAK_OK;
  OAK_TRY(oak_cache_open(dev));
  oak_status_t status = make_work(dev, source, "loops", &folder, &work);
  if (status == OAK_OK) status = dev->ops->explain(dev, source, work, said, assembly);
  if (folder) oak_path_remove(folder);
  return status;
}

void oak_device_builds(const oak_device_t *dev, int *built, int *compiled) {
  OAK_HANDLE(dev, );
  *built = dev->built;
  *compiled = dev->compiled;
}
