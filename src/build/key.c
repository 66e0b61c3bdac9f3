/* SPDX-License-Identifier: GPL-2.0-or-later
 * The keys of a built kernel in the cache.
 *
 * The name of an entry is a hash of everything that the binary depends on: the source after
 * preprocessing, the constants, and the fingerprint of the device (compiler, flags, the files that
 * flags name, processor). If oak cannot ask the compiler, it follows #include lines itself
 * (scan.c). For machines without a compiler, a second hash, of what oak can find out there, leads
 * to the name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "build/build.h"

/** Increase this number when the format of entries changes. */
static const char key_version[] = "oak kernel cache 5";

/** Hash lines of C. Of a file that a directive names (`# 7 "/..."`, `#define NAME "/..."`), only
 * the last part of the name counts, because the content of the file is a part of the key: the same
 * sources in another folder have the same key. */
static void hash_lines(oak_hash_t *hash, const char *text) {
  for (const char *line = text; *line;) {
    const char *end = line + strcspn(line, "\n"), *name = line;
    end += *end == '\n';
    const size_t length = (size_t)(end - line);
    const char *path = *line == '#' ? memmem(line, length, "\"/", 2) : NULL;
    if (path) {
      oak_hash_bytes(hash, line, (size_t)(path - line));
      name = (const char *)memrchr(line, '/', length) + 1;
    }
    oak_hash_bytes(hash, name, (size_t)(end - name));
    line = end;
  }
  oak_hash_text(hash, "");
}

/** 1 if preprocessed text holds the name of the file that it comes from, as __FILE__ puts it
 * there, also that in assert. */
static int names_its_file(const char *text) {
  const char *file = NULL;
  size_t size = 0;
  for (const char *line = text; *line; line += *line == '\n') {
    const size_t length = strcspn(line, "\n");
    const char *name = *line == '#' ? memchr(line, '"', length) : NULL;
    if (name && name[1] != '"' && name[1] != '<') {
      file = name + 1;
      size = strcspn(file, "\"\n");
    } else if (*line != '#' && file && memmem(line, length, file, size)) {
      return 1;
    }
    line += length;
  }
  return strstr(text, "__builtin_FILE") != NULL;
}

/** The part that both keys have in common. */
static oak_status_t start(oak_device_t *dev, const oak_source_t *source, int compiler,
                          oak_hash_t *hash) {
  oak_hash_start(hash);
  oak_hash_text(hash, key_version);
  oak_hash_text(hash, dev->ops->name);
  oak_hash_bytes(hash, &source->ndefine, sizeof source->ndefine);
  for (int i = 0; i < source->ndefine; i++) oak_hash_text(hash, source->define[i]);
  hash_lines(hash, source->text ? source->text : "");
  return dev->ops->fingerprint(dev, compiler, hash);
}

static void set_unfollowed(oak_device_t *dev) {
  snprintf(dev->unfollowed, OAK_UNFOLLOWED, "its assembler may read files (.incbin, .include)");
}

static oak_status_t key_of_scan(oak_device_t *dev, const oak_source_t *source, oak_sources_t *scan,
                                oak_keys_t *keys) {
  const int compiler = !dev->ops->preprocess; /* then this is the only key */
  oak_hash_t hash;
  OAK_TRY(start(dev, source, compiler, &hash));
  OAK_TRY(oak_scan_source(source, &dev->user_flags, &hash, scan));
  if (scan->assembles && !dev->ops->preprocess) set_unfollowed(dev);
  keys->blind = scan->blind;
  if (keys->blind) { /* a key that is never used again */
    struct timespec time;
    pid_t process = getpid();
    clock_gettime(CLOCK_REALTIME, &time);
    oak_hash_bytes(&hash, &time.tv_sec, sizeof time.tv_sec);
    oak_hash_bytes(&hash, &time.tv_nsec, sizeof time.tv_nsec);
    oak_hash_bytes(&hash, &process, sizeof process);
  }
  oak_hash_hex(&hash, keys->scan);
  return OAK_OK;
}

static oak_status_t key_of_compiler(oak_device_t *dev, const oak_source_t *source,
                                    const oak_sources_t *scan, const char *text, oak_keys_t *keys) {
  oak_hash_t hash;
  OAK_TRY(start(dev, source, 1, &hash));
  hash_lines(&hash, text);
  dev->placed = names_its_file(text);
  for (int i = 0; dev->placed && i < scan->files.count; i++)
    oak_hash_text(&hash, scan->files.word[i]);
  if (oak_text_assembles_files(text)) set_unfollowed(dev);
  oak_hash_hex(&hash, keys->built);
  return OAK_OK;
}

/** What the compiler sees of the source. */
static oak_status_t preprocess(oak_device_t *dev, const oak_source_t *source, const char *work,
                               oak_buffer_t *text) {
  char *seen;
  OAK_TRY(dev->ops->preprocess(dev, source, work));
  OAK_TRY(oak_format(&seen, "%s.i", work));
  const int error = oak_buffer_read(text, seen);
  oak_status_t status = OAK_OK;
  if (error)
    status = OAK_FAIL(OAK_ERR_FILE, "the preprocessed kernel %s cannot be read: %s", seen,
                      strerror(error));
  free(seen);
  return status;
}

static oak_status_t find_keys(oak_device_t *dev, const oak_source_t *source, const char *work,
                              oak_sources_t *scan, oak_buffer_t *text, oak_keys_t *keys) {
  const int asks = dev->ops->preprocess && work;
  if (asks) OAK_TRY(preprocess(dev, source, work, text));
  OAK_TRY(key_of_scan(dev, source, scan, keys));
  if (!dev->ops->preprocess) memcpy(keys->built, keys->scan, sizeof keys->built);
  if (!asks) return OAK_OK;
  OAK_TRY(key_of_compiler(dev, source, scan, oak_buffer_get(text), keys));
  oak_words_add(&scan->files, "%s.c", work);
  if (dev->compiler && !dev->unfollowed[0] && !keys->blind && text->data)
    oak_outside_list(dev->compiler, scan, text->data, &dev->outside);
  if (dev->outside.count > 0) OAK_TRY(oak_outside_key(dev, &dev->outside, keys->outside));
  return oak_words_status(&dev->outside);
}

oak_status_t oak_source_keys(oak_device_t *dev, const oak_source_t *source, const char *work,
                             oak_keys_t *keys) {
  oak_sources_t scan = {0};
  oak_buffer_t text = {0};
  *keys = (oak_keys_t){.blind = 0};
  dev->unfollowed[0] = '\0';
  if (work) oak_words_free(&dev->outside);
  const oak_status_t status = find_keys(dev, source, work, &scan, &text, keys);
  oak_buffer_free(&text);
  oak_sources_free(&scan);
  return status;
}

oak_status_t oak_outside_key(oak_device_t *dev, const oak_words_t *outside, char hex[33]) {
  oak_hash_t hash;
  oak_hash_start(&hash);
  OAK_TRY(dev->ops->fingerprint(dev, -1, &hash));
  const int settled = oak_outside_hash(outside, &hash);
  oak_hash_hex(&hash, hex);
  if (!settled) hex[0] = '\0';
  return OAK_OK;
}
