/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading parameter files: rank 0 reads the text, all ranks parse it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buffer.h"
#include "failure.h"
#include "params_private.h"
#include "str.h"

enum { LARGEST_FILE = 16 << 20, LONGEST_NAME = 48 };

/* ---- the text ------------------------------------------------------------------------------- */

static oak_status_t read_text(const char *path, oak_buffer_t *text) {
  const size_t length = strlen(path);
  struct stat info;
  /* A C file is code, and must not be run by mistake as a parameter file. */
  OAK_CHECK(length < 2 || strcmp(path + length - 2, ".c") != 0, OAK_ERR_INPUT,
            "%s is a C file: give a parameter file, which names it by problem.name or physics.name",
            path);
  OAK_CHECK(stat(path, &info) == 0, OAK_ERR_FILE,
            "cannot read parameter file '%s': %s; check the path", path, strerror(errno));
  OAK_CHECK(!S_ISDIR(info.st_mode), OAK_ERR_FILE,
            "cannot read parameter file '%s': it is a folder; name a file in it", path);
  /* A pipe may never end, and a device such as /dev/zero never does. */
  OAK_CHECK(S_ISREG(info.st_mode), OAK_ERR_FILE,
            "cannot read parameter file '%s': it is a pipe or a device; write the parameters to a "
            "file and name that",
            path);
  OAK_CHECK(info.st_size <= LARGEST_FILE, OAK_ERR_INPUT,
            "'%s' has more than %d MiB: this is not a parameter file; check the path", path,
            LARGEST_FILE >> 20);
  const int error = oak_buffer_read(text, path);
  OAK_CHECK(!error, OAK_ERR_FILE, "cannot read parameter file '%s': %s", path, strerror(error));
  OAK_CHECK(!memchr(oak_buffer_get(text), '\0', text->length), OAK_ERR_INPUT,
            "'%s' holds binary data: this is not a parameter file; check the path", path);
  return OAK_OK;
}

/** The text of the file on all ranks. Collective. */
static oak_status_t share_text(MPI_Comm comm, const char *path, oak_buffer_t *text) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  OAK_TRY(oak_agree(comm, rank == 0 ? read_text(path, text) : OAK_OK));
  size_t size = text->length;
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG, 0, comm);
  oak_status_t status = text->data ? OAK_OK : OAK_NEW(text->data, size + 1);
  OAK_TRY(oak_agree(comm, status));
  MPI_Bcast(text->data, (int)size + 1, MPI_CHAR, 0, comm);
  return OAK_OK;
}

/* ---- the lines ------------------------------------------------------------------------------ */

typedef struct {
  const char *path;
  char *line;          /* trimmed, without its comment */
  int number;          /* of that line, from 1 */
  const char *section; /* "" before the first one */
  oak_params_t *fresh; /* entries of this file */
  oak_mistakes_t *mistakes;
} reader_t;

/** First character of the value in "key = value", NULL if it is no such line. */
static char *value_in(char *line) {
  char *sign = strpbrk(line, "=:");
  return sign && sign > line ? sign + 1 + strspn(sign + 1, " \t") : NULL;
}

/** Cut a comment: # or ; at the start or after a blank, but not within a quoted value. */
static void cut_comment(char *line) {
  char *at = line, *value = value_in(line), *quote;
  if (*line != '#' && *line != ';' && value && *value == '"' &&
      (quote = strchr(value + 1, '"')) != NULL)
    at = quote + 1;
  for (; *at; at++) {
    int after_blank = at == line || at[-1] == ' ' || at[-1] == '\t';
    if ((*at == '#' || *at == ';') && after_blank) {
      *at = '\0';
      return;
    }
  }
}

static void mistake(const reader_t *reader, const char *text) {
  oak_mistakes_add(reader->mistakes, "%s:%d: '%.80s': %s", reader->path, reader->number,
                   reader->line, text);
}

/** 1 if the line has a control character other than white space, which is named as a mistake. */
static int has_control(const reader_t *reader) {
  for (char *c = reader->line; *c; c++) {
    if (!oak_str_is_control(c)) continue;
    char text[96];
    snprintf(text, sizeof text, "has a control character (byte %d): delete it", (unsigned char)*c);
    mistake(reader, text);
    return 1;
  }
  return 0;
}

static void take_section(reader_t *reader) {
  char *close = strchr(reader->line, ']');
  if (!close || close == reader->line + 1)
    mistake(reader, "expected a section such as [mesh]");
  else if (close[1])
    mistake(reader, "only a comment may follow [section]: use a line of its own");
  else if (close - reader->line - 1 > LONGEST_NAME)
    mistake(reader, "the name is too long: check it");
  if (!close) return;
  *close = '\0';
  reader->section = oak_str_trim(reader->line + 1);
}

static oak_status_t take_value(reader_t *reader) {
  char key[2 * LONGEST_NAME + 2], origin[1024];
  const char *value = value_in(reader->line);
  size_t length = strcspn(reader->line, "=:");
  while (length > 0 && strchr(" \t", reader->line[length - 1])) length--;
  const char *const wrong = !value                  ? "expected [section] or key = value"
                            : length > LONGEST_NAME ? "the name is too long: check it"
                            : !*reader->section
                                ? "key outside a section: put a line such as [mesh] above it"
                                : NULL;
  if (wrong) {
    mistake(reader, wrong);
    return OAK_OK;
  }
  snprintf(key, sizeof key, "%.*s.%.*s", LONGEST_NAME, reader->section, (int)length, reader->line);
  const oak_param_entry_t *earlier = oak_params_given(reader->fresh, key);
  if (earlier) {
    oak_mistakes_add(reader->mistakes,
                     "%s:%d: %s = %.200s: given before, at %s (%.200s): keep one of them",
                     reader->path, reader->number, key, value, earlier->origin, earlier->value);
    return OAK_OK;
  }
  snprintf(origin, sizeof origin, "%s:%d", reader->path, reader->number);
  return oak_params_store(reader->fresh, key, value, origin);
}

/** Take the entries of a text, which is cut into pieces. */
static oak_status_t parse(oak_params_t *fresh, const char *path, char *text) {
  oak_mistakes_t mistakes = {.count = 0};
  reader_t reader = {.path = path, .section = "", .fresh = fresh, .mistakes = &mistakes};
  char *next = text + (strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
  while ((reader.line = strsep(&next, "\n"))) {
    reader.number++;
    reader.line = oak_str_trim(reader.line);
    cut_comment(reader.line);
    reader.line = oak_str_trim(reader.line);
    if (has_control(&reader)) continue;
    if (*reader.line == '[')
      take_section(&reader);
    else if (*reader.line)
      OAK_TRY(take_value(&reader));
  }
  return oak_mistakes_fail(&mistakes);
}

oak_status_t oak_params_parse(const char *name, const char *text, oak_params_t **out) {
  OAK_FREED char *copy = oak_str_copy(text);
  OAK_CHECK(copy, OAK_ERR_MEMORY, "no memory to compare parameters");
  OAK_TRY(OAK_NEW(*out, 1));
  return parse(*out, name, copy);
}

/* ---- the file ------------------------------------------------------------------------------- */

/** Whether a file may set a key. It may come from other people. It must therefore not set keys that
 * run programs, but to an empty value, as the echo of a run does. */
static oak_status_t allow(const oak_params_t *fresh, int trusted) {
  oak_mistakes_t mistakes = {.count = 0};
  for (int i = 0; i < fresh->ngiven; i++) {
    const oak_param_entry_t *entry = &fresh->given[i];
    const char *key = entry->key;
    const int program = !strcmp(key, "device.compiler") || !strcmp(key, "device.flags");
    if (program && *entry->value && !trusted)
      oak_mistakes_add(&mistakes,
                       "%s: %s = %s: this can run any program; if you trust the file, use oak run "
                       "--trust, else give it on the command line or as OAK_CC or OAK_CFLAGS",
                       entry->origin, key, entry->value);
  }
  return oak_mistakes_fail(&mistakes);
}

static oak_status_t take_over(oak_params_t *params, const oak_params_t *fresh, const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = oak_str_copy(slash ? path : ".");
  OAK_CHECK(folder, OAK_ERR_MEMORY, "no memory for the name of '%s'", path);
  if (slash) folder[slash == path ? 1 : slash - path] = '\0';
  free(params->folder);
  params->folder = folder;
  for (int i = 0; i < fresh->ngiven; i++) {
    const oak_param_entry_t *entry = &fresh->given[i];
    OAK_TRY(oak_params_store(params, entry->key, entry->value, entry->origin));
  }
  return OAK_OK;
}

oak_status_t oak_params_read(oak_params_t *params, MPI_Comm comm, const char *path) {
  OAK_BEGIN(params);
  oak_buffer_t text = {0};
  oak_params_t *fresh = NULL;
  oak_status_t status = share_text(comm, path, &text);
  if (status == OAK_OK) status = OAK_NEW(fresh, 1);
  if (status == OAK_OK) status = parse(fresh, path, text.data);
  if (status == OAK_OK) status = allow(fresh, params->trusted);
  if (status == OAK_OK) status = take_over(params, fresh, path);
  oak_params_destroy(&fresh);
  oak_buffer_free(&text);
  return oak_agree(comm, status);
}

void oak_params_trust(oak_params_t *params) {
  OAK_HANDLE(params, );
  params->trusted = 1;
}
