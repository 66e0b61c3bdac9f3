/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a run has written after the step to which it goes back: it is kept in a folder of its own.
 * Rank 0 calls this. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/checkpoint/checkpoint.h"
#include "io/files/file_tools.h"
#include "io/folder/file_list.h"
#include "output/output.h"
#include "output/output_table.h"

typedef struct {
  const oak_output_t *out;
  char folder[4096]; /* empty until it is needed */
} keep_t;

static oak_status_t make_folder(keep_t *k) {
  for (int n = 1; !*k->folder; n++) {
    snprintf(k->folder, sizeof k->folder, "%s/earlier_%d", k->out->folder, n);
    if (mkdir(k->folder, 0777) == 0) break;
    if (errno != EEXIST) return oak_file_failed("create folder", k->folder, errno);
    *k->folder = '\0';
  }
  return OAK_OK;
}

/* Move a file or folder. One that is not there is no failure. */
static oak_status_t move(keep_t *k, const char *name) {
  struct stat info;
  char from[4200], to[4400];
  snprintf(from, sizeof from, "%s/%s", k->out->folder, name);
  if (lstat(from, &info) != 0) return OAK_OK;
  OAK_TRY(make_folder(k));
  snprintf(to, sizeof to, "%s/%s", k->folder, name);
  return rename(from, to) == 0 ? OAK_OK : oak_file_failed("rename an earlier result to", to, errno);
}

/* Copy a text file. One that is not there is no failure. */
static oak_status_t copy(keep_t *k, const char *name) {
  char from[4200], to[4400], *text = NULL;
  size_t room = 0;
  snprintf(from, sizeof from, "%s/%s", k->out->folder, name);
  FILE *in = fopen(from, "re");
  if (!in) return OAK_OK;
  const ssize_t length = getdelim(&text, &room, '\0', in);
  fclose(in);
  oak_status_t st = length < 0 ? OAK_OK : make_folder(k);
  snprintf(to, sizeof to, "%s/%s", k->folder, name);
  if (st == OAK_OK && length >= 0) st = oak_write_file(to, text, (size_t)length);
  free(text);
  return st;
}

/* Does a name begin with `stem` and a number of at least `digits` digits that is above `last`? */
static int is_later(const char *name, const char *stem, const char *joint, size_t digits,
                    long last) {
  const size_t length = strlen(stem), more = strlen(joint);
  if (strncmp(name, stem, length) != 0 || strncmp(name + length, joint, more) != 0) return 0;
  const char *number = name + length + more;
  return strspn(number, "0123456789") >= digits && strtol(number, NULL, 10) > last;
}

/* Files whose names have the number of a later step. Pictures of [output] are counted. */
static int is_later_output(const oak_output_t *out, const char *name) {
  const long step = out->sim->data.clock.step;
  for (int i = 0; i < out->nitem; i++) {
    const oak_output_item_t *item = &out->item[i];
    const int counted = item->kind == &oak_output_picture && !item->section;
    for (int v = 0; counted && v < item->variables.count; v++)
      if (is_later(name, item->variables.name[v], "_", 4, item->count - 1)) return 1;
    if (!counted && is_later(name, item->name, item->section ? "_" : "", 6, step)) return 1;
  }
  return 0;
}

static oak_status_t keep_checkpoints(keep_t *k) {
  OAK_FREED oak_checkpoint_name_t *list = NULL;
  int count;
  oak_status_t st = oak_checkpoint_list(k->out->folder, &list, &count);
  for (int i = 0; i < count && st == OAK_OK; i++)
    if (list[i].step > k->out->sim->data.clock.step) st = move(k, list[i].name);
  return st;
}

static oak_status_t keep_files(keep_t *k) {
  oak_file_list_t list;
  oak_status_t st = oak_file_list_read(k->out->folder, &list);
  for (int i = 0; i < list.count && st == OAK_OK; i++)
    if (is_later_output(k->out, list.entry[i].name)) st = move(k, list.entry[i].name);
  oak_file_list_free(&list);
  return st;
}

static oak_status_t keep_tables(keep_t *k) {
  oak_status_t st = OAK_OK;
  for (int i = 0; i < k->out->nitem && st == OAK_OK; i++) {
    char name[64], path[4200];
    if (!k->out->item[i].kind->row) continue;
    snprintf(name, sizeof name, "%s.csv", k->out->item[i].name);
    snprintf(path, sizeof path, "%s/%s", k->out->folder, name);
    if (oak_table_last(path) > k->out->sim->data.clock.step) st = copy(k, name);
  }
  return st;
}

/** The parameters, and the copies of C files and tables that they name. */
static oak_status_t keep_origin(keep_t *k) {
  oak_file_list_t list;
  oak_status_t st = copy(k, "parameters.ini");
  if (st == OAK_OK) st = oak_file_list_read(k->out->folder, &list);
  if (st != OAK_OK) return st;
  for (int i = 0; i < list.count && st == OAK_OK; i++)
    if (strstr(list.entry[i].name, ".oak-copy.")) st = copy(k, list.entry[i].name);
  oak_file_list_free(&list);
  return st;
}

oak_status_t oak_output_keep_later(const oak_output_t *out) {
  keep_t k = {.out = out};
  OAK_TRY(keep_tables(&k));
  OAK_TRY(keep_files(&k));
  OAK_TRY(keep_checkpoints(&k));
  if (!*k.folder) return OAK_OK;
  OAK_TRY(keep_origin(&k));
  oak_progress_note(out->progress, "what the run wrote after step %ld is kept in %s",
                    out->sim->data.clock.step, k.folder);
  return OAK_OK;
}
