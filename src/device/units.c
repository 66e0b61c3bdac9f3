/* SPDX-License-Identifier: GPL-2.0-or-later
 * Compiles one source in several parts at the same time, and links them. A part is a translation
 * unit with some of the files. The result is the same as from one unit, except if the files have
 * variables of their own, because each part would have a copy of them. In this case, and if a part
 * does not compile, the source is compiled in one piece, whose messages the user sees. */
#define _GNU_SOURCE 1
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_private.h"

enum { MOST_FILES = 64 };

/** A source in parts. */
typedef struct {
  oak_source_t unit[OAK_MOST_JOBS];
  const char *file[OAK_MOST_JOBS][MOST_FILES];
  char *path[OAK_MOST_JOBS], *object[OAK_MOST_JOBS];
  oak_job_t job[OAK_MOST_JOBS];
  int count;
} units_t;

/** With flags that are names of files, such as libraries to link, the source is compiled in one
 * piece. */
static int plain_flags(const oak_device_t *dev) {
  int plain = 1;
  for (int i = 0; i < dev->user_flags.count; i++) plain &= dev->user_flags.word[i][0] == '-';
  return plain;
}

/** The number of parts. The file that takes longest limits the time of the build, so more parts
 * would not shorten it. */
static int count_units(const oak_device_t *dev, const oak_source_t *source) {
  int sum = 0, most = 0;
  const int cores = oak_host_cores();
  if (!source->time || source->nfile > MOST_FILES || !plain_flags(dev)) return 1;
  for (int i = 0; i < source->nfile; i++) {
    sum += source->time[i];
    if (source->time[i] > most) most = source->time[i];
  }
  const int useful = most ? (sum + most - 1) / most : 1;
  const int least = useful < cores ? useful : cores;
  return least < OAK_MOST_JOBS ? least : OAK_MOST_JOBS;
}

/** Distribute the files, those that take longest first, each to the part with the least work so
 * far. */
static void deal(units_t *u, const oak_source_t *source) {
  int load[OAK_MOST_JOBS] = {0}, given[MOST_FILES];
  for (int i = 0; i < source->nfile; i++) given[i] = -1;
  for (int left = source->nfile; left > 0; left--) {
    int longest = -1, least = 0;
    for (int i = 0; i < source->nfile; i++)
      if (given[i] < 0 && (longest < 0 || source->time[i] > source->time[longest])) longest = i;
    for (int n = 1; n < u->count; n++)
      if (load[n] < load[least]) least = n;
    given[longest] = least;
    load[least] += source->time[longest];
  }
  for (int n = 0; n < u->count; n++) {
    u->unit[n] = *source;
    u->unit[n].file = u->file[n];
    u->unit[n].nfile = 0;
    for (int i = 0; i < source->nfile; i++)
      if (given[i] == n) u->file[n][u->unit[n].nfile++] = source->file[i];
  }
}

static oak_status_t prepare(units_t *u, oak_device_t *dev, const oak_source_t *source,
                            const char *path, const oak_words_t *head) {
  deal(u, source);
  for (int n = 0; n < u->count; n++) {
    oak_words_t *command = &u->job[n].command;
    OAK_TRY(oak_format(&u->path[n], "%s-%d", path, n + 1));
    OAK_TRY(oak_format(&u->object[n], "%s.o", u->path[n]));
    OAK_TRY(oak_object_command(&u->unit[n], u->path[n], head, command));
    oak_words_copy(command, &dev->user_flags);
    oak_debug_flags(source, command);
    oak_words_add(command, "-c");
    oak_words_add(command, "-o");
    oak_words_add(command, "%s", u->object[n]);
  }
  return OAK_OK;
}

/* ---- variables */

/** 1 if a section of the symbol table \a table names a variable that the code may change. */
static int table_has_variable(const oak_buffer_t *object, const ElfW(Shdr) * section, int count,
                              const ElfW(Shdr) * table) {
  const ElfW(Sym) *symbol = oak_image_piece(object, table->sh_offset, table->sh_size);
  if (!symbol || table->sh_offset % sizeof(long) != 0) return 1;
  for (size_t i = 0; i < table->sh_size / sizeof *symbol; i++) {
    const int type = ELF64_ST_TYPE(symbol[i].st_info), in = symbol[i].st_shndx;
    if (type == STT_TLS || type == STT_COMMON || in == SHN_COMMON) return 1;
    if (type == STT_OBJECT && in > 0 && in < count && section[in].sh_flags & SHF_WRITE) return 1;
  }
  return 0;
}

/** 1 if an object has variables, or cannot be read. */
static int has_variables(const char *path) {
  oak_buffer_t object = {0};
  int count = 0;
  const ElfW(Shdr) *section =
      oak_buffer_read(&object, path) == 0 ? oak_image_sections(&object, &count) : NULL;
  int found = !section || !count;
  for (int i = 0; i < count && !found; i++)
    if (section[i].sh_type == SHT_SYMTAB)
      found = table_has_variable(&object, section, count, &section[i]);
  oak_buffer_free(&object);
  return found;
}

/* ---- all of it */

/** Link the parts. If two parts define the same name, linking fails; the source is then compiled in
 * one piece, for a message that names both places. */
static oak_status_t link_units(const units_t *u, oak_device_t *dev, const char *path,
                               const oak_words_t *head, int *built) {
  oak_job_t job = {.to = NULL};
  oak_words_copy(&job.command, head);
  for (int n = 0; n < u->count; n++) oak_words_add(&job.command, "%s", u->object[n]);
  oak_words_add(&job.command, "-o");
  oak_words_add(&job.command, "%s", path);
  oak_words_copy(&job.command, &dev->user_flags);
  oak_words_add(&job.command, "-lm");
  const oak_status_t status = oak_process_run_jobs(&job, 1, 1);
  oak_compiler_log(&job, path);
  *built = status == OAK_OK && job.code == 0;
  oak_job_free(&job);
  return status;
}

static oak_status_t build(units_t *u, oak_device_t *dev, const oak_source_t *source,
                          const char *path, const oak_words_t *head, int *built) {
  int apart = 1;
  OAK_TRY(prepare(u, dev, source, path, head));
  const oak_status_t status = oak_process_run_jobs(u->job, u->count, u->count);
  for (int n = 0; n < u->count; n++) {
    oak_compiler_log(&u->job[n], path);
    apart = apart && u->job[n].code == 0 && !has_variables(u->object[n]);
  }
  OAK_TRY(status);
  return apart ? link_units(u, dev, path, head, built) : OAK_OK;
}

oak_status_t oak_units_build(oak_device_t *dev, const oak_source_t *source, const char *path,
                             const oak_words_t *head, int *built) {
  *built = 0;
  const int count = count_units(dev, source);
  if (count < 2) return OAK_OK;
  units_t *u = calloc(1, sizeof *u);
  OAK_CHECK(u, OAK_ERR_MEMORY, "no memory to compile kernel '%s'", oak_source_name(source));
  u->count = count;
  const oak_status_t status = build(u, dev, source, path, head, built);
  for (int n = 0; n < count; n++) {
    oak_job_free(&u->job[n]);
    free(u->path[n]);
    free(u->object[n]);
  }
  free(u);
  return status;
}
