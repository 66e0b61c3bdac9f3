/* SPDX-License-Identifier: GPL-2.0-or-later
 * Compiles each file of a source by itself, several at the same time, and links the objects. Of
 * the other files a compiler gets only what this one uses (slice.c). The objects are kept in the
 * cache, so after an edit only those files are compiled again that use what has changed.
 *
 * If a file does not compile, the source is compiled in one piece, whose messages the user sees. */
#include <stdlib.h>
#include <string.h>

#include "base/cores.h"
#include "build/build.h"

enum { MOST_FILES = 64 };

/** One file of the source. */
typedef struct {
  int number; /**< among the files of the source */
  /** Paths: common begin of those of the build, the object there and in the cache. */
  char *base, *object, *entry;
  oak_buffer_t slice;
} unit_t;

typedef struct {
  unit_t unit[MOST_FILES]; /**< those that take longest first */
  char *file[MOST_FILES];  /**< as the compiler names it */
  oak_job_t job[MOST_FILES];
  int compiled[MOST_FILES]; /**< the unit of a job */
  int count, njob;
} units_t;

/** The source is compiled in one piece with flags that are names of files, such as libraries to
 * link, and for a debugger, which needs the lines of the sources. */
static int is_plain(const oak_device_t *dev, const oak_source_t *source) {
  int plain = source->time && source->nfile > 1 && source->nfile <= MOST_FILES;
  for (int i = 0; i < dev->user_flags.count; i++) {
    const char *flag = dev->user_flags.word[i];
    plain &= flag[0] == '-' && flag[1] != 'g';
  }
  return plain;
}

/** Cut the source as its compiler has seen it. \a *built: 0 if its files cannot be found in it, or
 * cannot be compiled apart, as slices do not say where they come from. */
static oak_status_t cut(units_t *u, const oak_source_t *source, const char *path, int *built) {
  oak_buffer_t text = {0};
  oak_slices_t *slices = NULL;
  OAK_TRY(oak_build_read(&text, path, ".i"));
  *built = !strstr(oak_buffer_get(&text), "__builtin_FILE");
  oak_status_t status = OAK_OK;
  for (; u->count < source->nfile && status == OAK_OK; u->count++) {
    int at = u->count;
    for (; at > 0 && source->time[u->unit[at - 1].number] < source->time[u->count]; at--)
      u->unit[at].number = u->unit[at - 1].number;
    u->unit[at].number = u->count;
    status = oak_path_absolute(source->file[u->count], &u->file[u->count]);
  }
  if (status == OAK_OK) status = oak_slices_open(oak_buffer_get(&text), u->file, u->count, &slices);
  for (int n = 0; n < u->count && status == OAK_OK; n++) {
    *built &= oak_slice(slices, u->unit[n].number, &u->unit[n].slice) > 0;
    status = oak_buffer_status(&u->unit[n].slice);
  }
  oak_slices_close(slices);
  oak_buffer_free(&text);
  return status;
}

/** Look for the object of a unit, and put it where it would be compiled to. */
static oak_status_t find_object(const oak_device_t *dev, unit_t *unit, const char *file,
                                oak_hash_t hash, int *found) {
  const oak_source_t named = {.name = strrchr(file, '/') + 1};
  char hex[33];
  oak_buffer_t object = {0};
  *found = 0;
  if (!dev->cache || dev->unfollowed[0]) return OAK_OK;
  oak_hash_bytes(&hash, oak_buffer_get(&unit->slice), unit->slice.length);
  oak_hash_hex(&hash, hex);
  OAK_TRY(oak_entry_path(dev, dev->cache, &named, hex, "", &unit->entry));
  if (!oak_build_keep() && oak_cache_get(unit->entry, &object) == 0)
    *found = oak_buffer_write(&object, unit->object) == 0;
  oak_buffer_free(&object);
  return OAK_OK;
}

/** Jobs for the units that are not in the cache. */
static oak_status_t prepare(units_t *u, oak_device_t *dev, const char *path,
                            const oak_words_t *head) {
  oak_hash_t start;
  oak_hash_start(&start);
  oak_hash_text(&start, "oak unit 3");
  OAK_TRY(dev->ops->fingerprint(dev, 1, &start));
  for (int n = 0; n < u->count; n++) {
    unit_t *unit = &u->unit[n];
    int found;
    OAK_TRY(oak_format(&unit->base, "%s-%d", path, unit->number + 1));
    OAK_TRY(oak_format(&unit->object, "%s.o", unit->base));
    OAK_TRY(find_object(dev, unit, u->file[unit->number], start, &found));
    if (found) continue;
    oak_words_t *command = &u->job[u->njob].command;
    OAK_TRY(oak_build_write(&unit->slice, unit->base, ".i"));
    oak_words_copy(command, head);
    oak_words_add(command, "%s.i", unit->base);
    oak_words_copy(command, &dev->user_flags);
    oak_words_split(command, "-c -o");
    oak_words_add(command, "%s", unit->object);
    u->compiled[u->njob++] = n;
  }
  return OAK_OK;
}

/** Link the objects. If two of them define the same name, linking fails; the source is then
 * compiled in one piece, for a message that names both places. */
static oak_status_t link_units(const units_t *u, oak_device_t *dev, const char *path,
                               const oak_words_t *head, int *built) {
  oak_job_t job = {.to = NULL};
  oak_words_copy(&job.command, head);
  for (int n = 0; n < u->count; n++) oak_words_add(&job.command, "%s-%d.o", path, n + 1);
  oak_words_split(&job.command, "-o");
  oak_words_add(&job.command, "%s", path);
  oak_words_copy(&job.command, &dev->user_flags);
  oak_words_split(&job.command, "-lm");
  const oak_status_t status = oak_process_run_jobs(&job, 1, 1);
  oak_compiler_log(&job, path);
  *built = status == OAK_OK && job.code == 0;
  oak_job_free(&job);
  return status;
}

static oak_status_t build(units_t *u, oak_device_t *dev, const oak_source_t *source,
                          const char *path, const oak_words_t *head, int *built) {
  OAK_TRY(cut(u, source, path, built));
  if (!*built) return OAK_OK;
  OAK_TRY(prepare(u, dev, path, head));
  const oak_status_t status = oak_process_run_jobs(u->job, u->njob, oak_host_cores());
  for (int n = 0; n < u->njob; n++) {
    const unit_t *unit = &u->unit[u->compiled[n]];
    oak_buffer_t object = {0};
    oak_compiler_log(&u->job[n], path);
    *built &= u->job[n].code == 0;
    if (u->job[n].code == 0 && unit->entry && !dev->unkept &&
        oak_buffer_read(&object, unit->object) == 0)
      oak_cache_put(unit->entry, &object); /* if this fails, the build goes on */
    oak_buffer_free(&object);
  }
  OAK_TRY(status);
  return *built ? link_units(u, dev, path, head, built) : OAK_OK;
}

oak_status_t oak_units_build(oak_device_t *dev, const oak_source_t *source, const char *path,
                             const oak_words_t *head, int *built) {
  OAK_FREED units_t *u = NULL;
  *built = 0;
  if (!is_plain(dev, source)) return OAK_OK;
  OAK_TRY(OAK_NEW(u, 1));
  const oak_status_t status = build(u, dev, source, path, head, built);
  for (int n = 0; n < u->count; n++) {
    oak_job_free(&u->job[n]);
    oak_buffer_free(&u->unit[n].slice);
    free(u->unit[n].base);
    free(u->unit[n].object);
    free(u->unit[n].entry);
    free(u->file[n]);
  }
  return status;
}
