/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading a user's file with what it includes in quotes. */
#include "declare/user_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "oak/device.h"

enum { MAX_FILES = 64, LARGEST_FILE = 16 << 20 };

/* Blank out comments, in place. Line feeds stay, so that lines can be counted. */
static void blank_comments(char *text) {
  char quote = 0;
  for (char *c = text; *c; c++) {
    if (quote) {
      if (*c == '\\' && c[1])
        c++;
      else if (*c == quote || *c == '\n')
        quote = 0;
    } else if (*c == '"' || *c == '\'') {
      quote = *c;
    } else if (*c == '/' && c[1] == '/') {
      for (; *c && *c != '\n'; c++) *c = ' ';
      c--;
    } else if (*c == '/' && c[1] == '*') {
      const char *end = strstr(c + 2, "*/");
      const char *stop = end ? end + 2 : c + strlen(c);
      for (; c < stop; c++)
        if (*c != '\n') *c = ' ';
      c--;
    }
  }
}

int oak_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

const char *oak_after_directive(const char *line, const char *word) {
  line += strspn(line, " \t");
  if (*line++ != '#') return NULL;
  line += strspn(line, " \t");
  if (strncmp(line, word, strlen(word)) || oak_is_word(line[strlen(word)])) return NULL;
  line += strlen(word);
  return line + strspn(line, " \t");
}

const char *oak_next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

/* ---- files */

/* A file that another includes in quotes: beside it or in the source root. Others, which -I of the
 * flags finds, are left out. */
static oak_status_t add_include(oak_user_files_t *files, const char *includer, const char *name,
                                int length) {
  const char *root, *slash = strrchr(includer, '/');
  char path[3][8500];
  struct stat info;
  OAK_TRY(oak_source_root(&root));
  snprintf(path[0], sizeof path[0], "%.*s%.*s", slash ? (int)(slash + 1 - includer) : 0, includer,
           length, name);
  snprintf(path[1], sizeof path[1], "%s/include/%.*s", root, length, name);
  snprintf(path[2], sizeof path[2], "%s/%.*s", root, length, name);
  if (*name == '/') snprintf(path[0], sizeof path[0], "%.*s", length, name);
  for (int i = 0; i < 3; i++)
    if (stat(path[i], &info) == 0) return oak_user_files_read(files, path[i]);
  return OAK_OK;
}

static oak_status_t read_file(const char *path, off_t size, char **out) {
  FILE *f = fopen(path, "rb");
  char *text = f ? malloc((size_t)size + 1) : NULL;
  const size_t got = text ? fread(text, 1, (size_t)size, f) : 0;
  if (f) fclose(f);
  *out = text;
  OAK_CHECK(f, OAK_ERR_FILE, "cannot read %s", path);
  OAK_CHECK(text, OAK_ERR_MEMORY, "no memory to read %s", path);
  text[got] = 0;
  return OAK_OK;
}

oak_status_t oak_user_files_read(oak_user_files_t *files, const char *path) {
  struct stat info;
  if (!files->file) {
    OAK_TRY(OAK_NEW(files->file, MAX_FILES));
    files->whole = 1;
  }
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > LARGEST_FILE)
    return OAK_OK;
  for (int i = 0; i < files->nfile; i++)
    if (files->file[i].device == info.st_dev && files->file[i].inode == info.st_ino) return OAK_OK;
  if (files->nfile == MAX_FILES) {
    files->whole = 0;
    return OAK_OK;
  }
  oak_user_file_t *file = &files->file[files->nfile];
  OAK_TRY(read_file(path, info.st_size, &file->text));
  files->nfile++;
  snprintf(file->path, sizeof file->path, "%s", path);
  file->device = info.st_dev;
  file->inode = info.st_ino;
  blank_comments(file->text);
  for (const char *line = file->text; *line; line = oak_next_line(line)) {
    const char *name = oak_after_directive(line, "include");
    if (name && *name == '"')
      OAK_TRY(add_include(files, file->path, name + 1, (int)strcspn(name + 1, "\"\n")));
  }
  return OAK_OK;
}

void oak_user_files_free(oak_user_files_t *files) {
  for (int i = 0; i < files->nfile; i++) free(files->file[i].text);
  free(files->file);
  *files = (oak_user_files_t){.file = NULL};
}

int oak_user_files_define(const oak_user_files_t *files, const char *name) {
  const size_t length = strlen(name);
  for (int i = 0; i < files->nfile; i++)
    for (const char *line = files->file[i].text; *line; line = oak_next_line(line)) {
      const char *at = oak_after_directive(line, "define");
      if (at && !strncmp(at, name, length) && !oak_is_word(at[length])) return 1;
    }
  return 0;
}
