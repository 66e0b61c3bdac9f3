/* SPDX-License-Identifier: GPL-2.0-or-later
 * The key of a built kernel in the cache: a hash of all that the binary depends on.
 *
 * Files are followed through #include lines, "..." and <...>, whether or not the preprocessor would
 * take them: a file too many costs a rebuild, a file too few a wrong binary. A line `#include NAME`
 * is followed when NAME is one of the -D constants. Headers that are found neither beside the
 * including file nor in the search folders belong to the compiler, whose version is in the device's
 * fingerprint. */
#define _GNU_SOURCE 1
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "device_private.h"

/** Raise it when the form of the entries changes. */
static const char key_version[] = "oak kernel cache 1";

void oak_hash_start(oak_hash_t *hash) {
  hash->a = 0xcbf29ce484222325u;
  hash->b = 0x9e3779b97f4a7c15u;
}

void oak_hash_bytes(oak_hash_t *hash, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  uint64_t a = hash->a, b = hash->b;
  for (size_t i = 0; i < count; i++) {
    a = (a ^ byte[i]) * 0x100000001b3u; /* FNV-1a */
    b ^= byte[i] * 0xc2b2ae3d27d4eb4fu; /* independent of a: multiply, rotate, multiply */
    b = ((b << 27) | (b >> 37)) * 0x9e3779b185ebca87u + 0x165667b19e3779f9u;
  }
  hash->a = a;
  hash->b = b;
}

void oak_hash_text(oak_hash_t *hash, const char *text) {
  uint64_t length = strlen(text);
  oak_hash_bytes(hash, &length, sizeof length);
  oak_hash_bytes(hash, text, length);
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

void oak_hash_hex(const oak_hash_t *hash, char hex[33]) {
  const uint64_t half[2] = {mix(hash->a), mix(hash->b)};
  for (int i = 0; i < 32; i++)
    hex[i] = "0123456789abcdef"[half[i / 16] >> (60 - 4 * (i % 16)) & 15];
  hex[32] = '\0';
}

typedef struct {
  dev_t device;
  ino_t inode;
} file_id_t;

typedef struct {
  const oak_source_t *source;
  oak_words_t search; /**< folders of -I, in the compiler's order */
  file_id_t *seen;    /**< by identity: circular includes through ../ have ever longer names */
  int nseen, room;
  oak_hash_t hash;
} scan_t;

/** 1 if the file was met before, 0 if it is new, -1 without memory. */
static int scan_seen(scan_t *scan, const struct stat *info) {
  for (int i = 0; i < scan->nseen; i++) {
    if (scan->seen[i].device == info->st_dev && scan->seen[i].inode == info->st_ino) return 1;
  }
  if (scan->nseen == scan->room) {
    int room = 2 * scan->room + 32;
    file_id_t *grown = realloc(scan->seen, (size_t)room * sizeof *grown);
    if (!grown) return -1;
    scan->seen = grown;
    scan->room = room;
  }
  scan->seen[scan->nseen++] = (file_id_t){info->st_dev, info->st_ino};
  return 0;
}

static int is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/** Where the compiler would find \a name; *out is NULL when nowhere. */
static oak_status_t scan_find(const scan_t *scan, const char *name, int quoted,
                              const char *includer, char **out) {
  *out = NULL;
  if (name[0] == '/') {
    if (is_file(name)) OAK_TRY(oak_format(out, "%s", name));
    return OAK_OK;
  }
  const char *slash = strrchr(includer, '/');
  for (int i = quoted && slash ? -1 : 0; i < scan->search.count; i++) {
    char *path;
    if (i < 0) {
      OAK_TRY(oak_format(&path, "%.*s/%s", (int)(slash - includer), includer, name));
    } else {
      OAK_TRY(oak_format(&path, "%s/%s", scan->search.word[i], name));
    }
    if (is_file(path)) {
      *out = path;
      return OAK_OK;
    }
    free(path);
  }
  return OAK_OK;
}

/** Value of a -D constant, or NULL. */
static const char *scan_define(const scan_t *scan, const char *name, size_t length) {
  for (int i = 0; i < scan->source->ndefine; i++) {
    const char *define = scan->source->define[i];
    if (strncmp(define, name, length) == 0 && define[length] == '=') return define + length + 1;
  }
  return NULL;
}

/** The operand of an #include in the line that starts at \a line, or NULL. */
static const char *include_operand(const char *line) {
  line += strspn(line, " \t");
  if (*line++ != '#') return NULL;
  line += strspn(line, " \t");
  if (strncmp(line, "include", 7) != 0) return NULL;
  line += 7;
  if (strncmp(line, "_next", 5) == 0) line += 5;
  if (isalnum((unsigned char)*line) || *line == '_') return NULL;
  return line + strspn(line, " \t");
}

static oak_status_t scan_file(scan_t *scan, const char *path, const char *wanted_by);

/** Follow one include; \a operand starts with a quote, < or the name of a constant. */
static oak_status_t scan_include(scan_t *scan, const char *operand, const char *includer) {
  if (isalpha((unsigned char)*operand) || *operand == '_') {
    size_t length = 1;
    while (isalnum((unsigned char)operand[length]) || operand[length] == '_') length++;
    operand = scan_define(scan, operand, length);
    if (!operand) return OAK_OK;
  }
  if (*operand != '"' && *operand != '<') return OAK_OK;
  int quoted = *operand == '"';
  size_t length = strcspn(operand + 1, quoted ? "\"\n" : ">\n");
  char *name, *path = NULL;
  OAK_TRY(oak_format(&name, "%.*s", (int)length, operand + 1));
  oak_status_t status = scan_find(scan, name, quoted, includer, &path);
  oak_hash_text(&scan->hash, name);
  oak_hash_text(&scan->hash, path ? "found" : "not found");
  free(name);
  if (status == OAK_OK && path) status = scan_file(scan, path, includer);
  free(path);
  return status;
}

static oak_status_t scan_file(scan_t *scan, const char *path, const char *wanted_by) {
  struct stat info;
  int error = stat(path, &info) != 0 ? errno : S_ISREG(info.st_mode) ? 0 : EISDIR;
  if (!error) {
    int seen = scan_seen(scan, &info);
    if (seen == 1) return OAK_OK;
    OAK_CHECK(seen == 0, OAK_ERR_MEMORY, "no memory for the list of source files");
  }
  oak_buffer_t text = {0};
  if (!error) error = oak_buffer_read(&text, path);
  OAK_CHECK(!error, OAK_ERR_FILE, "kernel source '%s' (for %s) cannot be read: %s; check the path",
            path, wanted_by, strerror(error));
  uint64_t length = text.length;
  oak_hash_bytes(&scan->hash, &length, sizeof length);
  oak_hash_bytes(&scan->hash, oak_buffer_get(&text), text.length);
  oak_status_t status = OAK_OK;
  for (const char *line = oak_buffer_get(&text); line && status == OAK_OK;) {
    const char *operand = include_operand(line);
    if (operand) status = scan_include(scan, operand, path);
    line = strchr(line, '\n');
    if (line) line++;
  }
  oak_buffer_free(&text);
  return status;
}

/** Add the folders of the -I flags in \a flags to the search. */
static void scan_flags(scan_t *scan, const char *flags) {
  oak_words_t words = {0};
  oak_words_split(&words, flags);
  for (int i = 0; i < words.count; i++) {
    if (strncmp(words.word[i], "-I", 2) != 0) continue;
    if (words.word[i][2]) {
      oak_words_add(&scan->search, "%s", words.word[i] + 2);
    } else if (i + 1 < words.count) {
      oak_words_add(&scan->search, "%s", words.word[i + 1]);
    }
  }
  scan->search.failed |= words.failed;
  oak_words_free(&words);
}

static oak_status_t scan_source(scan_t *scan, oak_device_t *dev, const char *root) {
  oak_words_add(&scan->search, "%s/include", root);
  oak_words_add(&scan->search, "%s", root);
  scan_flags(scan, dev->env_flags);
  scan_flags(scan, dev->options.flags);
  OAK_TRY(oak_words_status(&scan->search));
  const oak_source_t *source = scan->source;
  char *path = NULL;
  OAK_TRY(oak_format(&path, "%s/include/oak/kernel.h", root));
  oak_status_t status = scan_file(scan, path, oak_source_name(source));
  free(path);
  for (int i = 0; i < source->nfile && status == OAK_OK; i++) {
    status = oak_path_absolute(source->file[i], &path);
    if (status != OAK_OK) break;
    oak_hash_text(&scan->hash, "file");
    status = scan_file(scan, path, oak_source_name(source));
    free(path);
  }
  return status;
}

oak_status_t oak_source_key(oak_device_t *dev, const oak_source_t *source, char hex[33]) {
  const char *root;
  OAK_TRY(oak_source_root(&root));
  char print[8192];
  dev->ops->fingerprint(dev, print, sizeof print);
  scan_t scan = {.source = source};
  oak_hash_start(&scan.hash);
  oak_hash_text(&scan.hash, key_version);
  oak_hash_text(&scan.hash, dev->ops->name);
  oak_hash_text(&scan.hash, print);
  oak_hash_bytes(&scan.hash, &source->ndefine, sizeof source->ndefine);
  for (int i = 0; i < source->ndefine; i++) oak_hash_text(&scan.hash, source->define[i]);
  oak_status_t status = scan_source(&scan, dev, root);
  oak_hash_hex(&scan.hash, hex);
  oak_words_free(&scan.search);
  free(scan.seen);
  return status;
}
