/* SPDX-License-Identifier: GPL-2.0-or-later
 * Commands that make a shared object of a source, for the back ends with a C compiler. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "build/build.h"

/** Write the translation unit of \a source to \a path.c, and run the command that compiles it to
 * the file \a path with the \a ending: \a head, constants, the flags of the user and \a more. */
static oak_status_t run(const oak_device_t *dev, const oak_source_t *source, const char *path,
                        const oak_words_t *head, oak_words_t *more, const char *ending,
                        oak_job_t *job) {
  const char *root;
  char file[PATH_MAX];
  oak_words_t *command = &job->command;
  oak_buffer_t text = {0};
  OAK_TRY(oak_source_root(&root));
  OAK_TRY(oak_path_print(file, "%s%s", path, ending));
  oak_status_t status = oak_source_text(source, &text);
  if (status == OAK_OK) status = oak_build_write(&text, path, ".c");
  oak_words_copy(command, head);
  for (int i = 0; i < source->ndefine; i++) oak_words_add(command, "-D%s", source->define[i]);
  oak_words_add(command, "-I%s/include", root);
  oak_words_add(command, "-I%s", root);
  oak_words_add(command, "%s.c", path);
  oak_words_copy(command, &dev->user_flags);
  oak_words_copy(command, more);
  if (job->to)
    job->to = file;
  else
    oak_words_split(command, "-o"), oak_words_add(command, "%s", file);
  if (status == OAK_OK) status = oak_compiler_run(job, oak_source_name(source), path, file);
  oak_words_free(more);
  oak_buffer_free(&text);
  return status;
}

oak_status_t oak_object_build(oak_device_t *dev, const oak_source_t *source, const char *path,
                              const oak_words_t *head) {
  oak_job_t job = {.to = NULL};
  oak_words_t more = {0};
  /* Without -O1 a compiler does not know the sizes of most arrays; gcc looks at indices from -O2
   * on. */
  if (source->debug || source->data) oak_words_split(&more, source->data ? "-O2" : "-O1");
  oak_words_split(&more, "-lm");
  const oak_status_t status = run(dev, source, path, head, &more, "", &job);
  if (status == OAK_OK && source->data) oak_compiler_warn(oak_buffer_get(&job.output));
  oak_job_free(&job);
  return status;
}

oak_status_t oak_object_preprocess(oak_device_t *dev, const oak_source_t *source, const char *path,
                                   const oak_words_t *head) {
  oak_job_t job = {.to = path};
  oak_words_t more = {0};
  oak_words_split(&more, source->seen ? "-E -dD -MD -MT oak -MF" : "-E -MD -MT oak -MF");
  oak_words_add(&more, "%s.d", path);
  const oak_status_t status = run(dev, source, path, head, &more, ".i", &job);
  oak_job_free(&job);
  return status;
}

oak_status_t oak_object_explain(oak_device_t *dev, const oak_source_t *source, const char *path,
                                const oak_words_t *head, const char *flags, char **said,
                                char **assembly) {
  oak_job_t job = {.to = NULL};
  oak_words_t more = {0};
  oak_buffer_t text = {0};
  oak_words_split(&more, "-S -g1");
  oak_words_split(&more, flags);
  oak_status_t status = run(dev, source, path, head, &more, ".s", &job);
  if (status == OAK_OK) status = oak_build_read(&text, path, ".s");
  *assembly = text.data;
  *said = status == OAK_OK ? oak_str_copy(oak_buffer_get(&job.output)) : NULL;
  if (status == OAK_OK && !*said) status = OAK_FAIL(OAK_ERR_MEMORY, "no memory for messages");
  oak_job_free(&job);
  return status;
}

void oak_object_fingerprint(oak_device_t *dev, const oak_compiler_t *compiler,
                            const oak_words_t *head, oak_hash_t *hash) {
  oak_hash_t sum = {0, 0}, one; /* of variables of the environment in any order */
  for (int i = 0; i < head->count; i++) oak_hash_text(hash, head->word[i]);
  for (int i = 0; i < dev->user_flags.count; i++) oak_hash_text(hash, dev->user_flags.word[i]);
  if (compiler) {
    oak_hash_text(hash, compiler->version);
    oak_hash_bytes(hash, &compiler->target, sizeof compiler->target);
    oak_hash_bytes(hash, &compiler->tools, sizeof compiler->tools);
  }
  for (char *const *entry = environ; head->count > 0 && *entry; entry++) {
    if (!oak_process_variable(*entry, 1)) continue;
    oak_hash_start(&one);
    oak_hash_text(&one, *entry);
    sum.a += one.a, sum.b += one.b;
  }
  oak_hash_bytes(hash, &sum, sizeof sum);
}
