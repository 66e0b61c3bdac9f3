/* SPDX-License-Identifier: GPL-2.0-or-later
 * Commands that make a shared object of a source, for the back ends with a C compiler. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "build/build.h"

/** Write the translation unit of \a source to \a path.c and start the command that compiles it. */
static oak_status_t start_command(const oak_source_t *source, const char *path,
                                  const oak_words_t *head, oak_words_t *command) {
  const char *root;
  char *file;
  oak_buffer_t text = {0};
  OAK_TRY(oak_source_root(&root));
  OAK_TRY(oak_format(&file, "%s.c", path));
  oak_status_t status = oak_source_text(source, &text);
  int error = status == OAK_OK ? oak_buffer_write(&text, file) : 0;
  if (error) {
    status =
        OAK_FAIL(OAK_ERR_FILE,
                 "the source of kernel '%s' cannot be written to %s: %s; set OAK_CACHE to a folder "
                 "with space",
                 oak_source_name(source), file, strerror(error));
  }
  oak_words_copy(command, head);
  for (int i = 0; i < source->ndefine; i++) oak_words_add(command, "-D%s", source->define[i]);
  oak_words_add(command, "-I%s/include", root);
  oak_words_add(command, "-I%s", root);
  oak_words_add(command, "%s", file);
  oak_buffer_free(&text);
  free(file);
  return status;
}

void oak_assembler_flag(const oak_device_t *dev, const char *path, oak_words_t *command) {
  if (!dev->compiler || !dev->compiler->lists) return;
  oak_words_add(command, "-Xassembler");
  oak_words_add(command, "--MD=%s.as", path);
}

int oak_assembler_reads(oak_device_t *dev, const char *path, const oak_words_t *known) {
  oak_words_t files = {0};
  char *list;
  if (!dev->compiler || !dev->compiler->lists || oak_format(&list, "%s.as", path) != OAK_OK)
    return 0;
  oak_rule_read(list, &files);
  free(list);
  const char *name = strrchr(path, '/') + 1;
  const size_t length = strlen(name);
  int reads = files.count == 0; /* the last one is the text from the compiler */
  for (int i = 0; i + 1 < files.count && !reads; i++) {
    const char *file = files.word[i];
    reads = strncmp(file, name, length) != 0 || file[length] != '.' || strlen(file) != length + 2;
    for (int k = 0; k < known->count && reads; k++) reads = strcmp(file, known->word[k]) != 0;
  }
  if (reads) snprintf(dev->unfollowed, OAK_UNFOLLOWED, "its assembler reads files");
  oak_words_free(&files);
  return reads;
}

/** With information for debuggers, the assembler also lists files that the compiler has read. */
static oak_status_t follow_assembler(oak_device_t *dev, const char *path) {
  oak_words_t known = {0};
  char *list;
  OAK_TRY(oak_format(&list, "%s.d", path));
  const oak_status_t status = oak_rule_read(list, &known);
  free(list);
  if (status == OAK_OK) oak_assembler_reads(dev, path, &known);
  oak_words_free(&known);
  return status;
}

oak_status_t oak_object_build(oak_device_t *dev, const oak_source_t *source, const char *path,
                              const oak_words_t *head) {
  oak_job_t job = {.to = NULL};
  oak_status_t status = start_command(source, path, head, &job.command);
  oak_words_add(&job.command, "-o");
  oak_words_add(&job.command, "%s", path);
  oak_words_copy(&job.command, &dev->user_flags);
  if (source->debug && !source->data) /* without -O1 it does not know the sizes of most arrays */
    oak_words_add(&job.command, "-O1");
  oak_assembler_flag(dev, path, &job.command);
  if (source->data) oak_words_add(&job.command, "-O2"); /* gcc looks at indices from there on */
  oak_words_add(&job.command, "-lm");
  if (status == OAK_OK) status = oak_compiler_run(&job, oak_source_name(source), path, path);
  if (status == OAK_OK && source->data) oak_compiler_warn(oak_buffer_get(&job.output));
  if (status == OAK_OK) status = follow_assembler(dev, path);
  oak_job_free(&job);
  return status;
}

oak_status_t oak_object_preprocess(oak_device_t *dev, const oak_source_t *source, const char *path,
                                   const oak_words_t *head) {
  char *seen;
  OAK_TRY(oak_format(&seen, "%s.i", path));
  oak_job_t job = {.to = seen};
  oak_status_t status = start_command(source, path, head, &job.command);
  oak_words_copy(&job.command, &dev->user_flags);
  oak_words_split(&job.command, source->seen ? "-E -dD -MD -MT oak -MF" : "-E -MD -MT oak -MF");
  oak_words_add(&job.command, "%s.d", path);
  if (status == OAK_OK) status = oak_compiler_run(&job, oak_source_name(source), path, seen);
  oak_job_free(&job);
  free(seen);
  return status;
}

/** The text of a file, to be freed. */
static oak_status_t read_text(const char *path, char **out) {
  oak_buffer_t text = {0};
  const int error = oak_buffer_read(&text, path);
  *out = error ? NULL : oak_str_copy(oak_buffer_get(&text));
  oak_buffer_free(&text);
  OAK_CHECK(*out, OAK_ERR_FILE, "cannot read %s: %s", path, strerror(error ? error : ENOMEM));
  return OAK_OK;
}

oak_status_t oak_object_explain(oak_device_t *dev, const oak_source_t *source, const char *path,
                                const oak_words_t *head, const char *flags, char **said,
                                char **assembly) {
  char *file;
  OAK_TRY(oak_format(&file, "%s.s", path));
  oak_job_t job = {.to = NULL};
  oak_status_t status = start_command(source, path, head, &job.command);
  oak_words_copy(&job.command, &dev->user_flags);
  oak_words_split(&job.command, "-S -g1");
  oak_words_split(&job.command, flags);
  oak_words_add(&job.command, "-o");
  oak_words_add(&job.command, "%s", file);
  if (status == OAK_OK) status = oak_compiler_run(&job, oak_source_name(source), path, file);
  if (status == OAK_OK) status = read_text(file, assembly);
  *said = status == OAK_OK ? oak_str_copy(oak_buffer_get(&job.output)) : NULL;
  if (status == OAK_OK && !*said) status = OAK_FAIL(OAK_ERR_MEMORY, "no memory for messages");
  oak_job_free(&job);
  free(file);
  return status;
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void oak_object_fingerprint(oak_device_t *dev, const oak_compiler_t *compiler,
                            const oak_words_t *head, oak_hash_t *hash) {
  oak_words_t variables = {0};
  for (int i = 0; i < head->count; i++) oak_hash_text(hash, head->word[i]);
  for (int i = 0; i < dev->user_flags.count; i++) oak_hash_text(hash, dev->user_flags.word[i]);
  if (compiler) {
    oak_hash_text(hash, compiler->version);
    oak_hash_bytes(hash, &compiler->target, sizeof compiler->target);
    oak_hash_bytes(hash, &compiler->tools, sizeof compiler->tools);
  }
  for (char *const *entry = environ; head->count > 0 && *entry; entry++)
    if (oak_process_variable(*entry, 1)) oak_words_add(&variables, "%s", *entry);
  if (variables.count > 1)
    qsort(variables.word, (size_t)variables.count, sizeof *variables.word, compare_texts);
  for (int i = 0; i < variables.count; i++) oak_hash_text(hash, variables.word[i]);
  oak_words_free(&variables);
}
