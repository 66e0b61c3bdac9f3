/* SPDX-License-Identifier: GPL-2.0-or-later
 * A C compiler as a command, for back ends that build kernels with one: find it, find out which
 * flags it accepts and which programs it uses, run it, and make a message of its errors. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "build/build.h"

/** Take \a choice as the command. 0 if there is no such program. A choice may hold several words
 * ("ccache gcc"), unless the whole text is the path of a file. */
static int take(oak_compiler_t *compiler, const char *choice) {
  OAK_FREED char *path = oak_process_find(choice);
  oak_words_t words = {0};
  if (!path) oak_words_split(&words, choice);
  if (words.count > 0) path = oak_process_find(words.word[0]);
  if (path) oak_words_add(&compiler->command, "%s", path);
  for (int i = 1; i < words.count && path; i++)
    oak_words_add(&compiler->command, "%s", words.word[i]);
  oak_words_free(&words);
  return path != NULL;
}

oak_status_t oak_compiler_find(oak_compiler_t *compiler, const char *choice, const char *variable,
                               const char *names) {
  const char *other = choice[0] ? NULL : getenv(variable);
  if (other && other[0]) choice = other;
  OAK_CHECK(!choice[0] || take(compiler, choice), OAK_ERR_BUILD,
            "compiler '%s' (%s) is not a program on PATH; correct it, or leave it empty to try %s",
            choice, other && other[0] ? variable : "device.compiler", names);
  oak_words_t list = {0};
  oak_words_split(&list, choice[0] ? "" : names);
  for (int i = 0; i < list.count && !compiler->command.count; i++) take(compiler, list.word[i]);
  oak_words_free(&list);
  OAK_CHECK(compiler->command.count > 0, OAK_ERR_BUILD,
            "no C compiler for the kernels: tried %s on PATH; install one (Debian, Ubuntu: apt "
            "install gcc libc6-dev), or name one with device.compiler or $%s",
            names, variable);
  return oak_words_status(&compiler->command);
}

/** Run the compiler with \a flags and \a more words. */
static oak_status_t ask(const oak_compiler_t *compiler, const oak_words_t *flags, const char *more,
                        oak_buffer_t *output, int *code) {
  oak_words_t command = {0};
  *code = 1;
  oak_words_copy(&command, &compiler->command);
  oak_words_copy(&command, flags);
  oak_words_split(&command, more);
  const oak_status_t status = oak_process_run(&command, NULL, output, code);
  oak_words_free(&command);
  return status;
}

/** Leave out the flags that a refusal names; all of them if it names none. */
static void drop_refused(oak_words_t *flags, const char *refusal) {
  oak_words_t kept = {0};
  for (int i = 0; i < flags->count; i++)
    if (!strstr(refusal, flags->word[i])) oak_words_add(&kept, "%s", flags->word[i]);
  if (kept.count == flags->count) oak_words_free(&kept);
  oak_words_free(flags);
  *flags = kept;
}

/** Find out the version, the flags that the compiler takes, and the macros that it predefines with
 * them. */
static oak_status_t probe(oak_compiler_t *compiler, const oak_words_t *wanted) {
  int code;
  oak_buffer_t output = {0};
  OAK_TRY(ask(compiler, &(oak_words_t){0}, "--version", &output, &code));
  const char *line = oak_buffer_get(&output) + strspn(oak_buffer_get(&output), "\n");
  oak_status_t status = oak_format(&compiler->version, "%.*s", (int)strcspn(line, "\n"),
                                   code == 0 && *line ? line : "unknown version");
  oak_words_copy(&compiler->flags, wanted);
  for (int last = 0; status == OAK_OK && !last;) { /* some compilers name one flag at a time */
    oak_buffer_free(&output);
    status = ask(compiler, &compiler->flags, "-dM -E -x c /dev/null", &output, &code);
    last = code == 0 || compiler->flags.count == 0;
    if (!last) drop_refused(&compiler->flags, oak_buffer_get(&output));
  }
  oak_hash_start(&compiler->target);
  if (code == 0) oak_hash_text(&compiler->target, oak_buffer_get(&output));
  oak_buffer_free(&output);
  return status == OAK_OK ? oak_words_status(&compiler->flags) : status;
}

/* ---- what a compiler depends on */

void oak_add_once(oak_words_t *words, const char *format, ...) {
  char text[PATH_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (int i = 0; i < words->count; i++)
    if (!strcmp(words->word[i], text)) return;
  oak_words_add(words, "%s", text);
}

/** The program \a path and its folder, where it may look for files. */
static void add_program(oak_words_t *tool, char *path) {
  oak_add_once(tool, "%s", path);
  char *slash = strrchr(path, '/');
  if (!slash) return;
  *slash = '\0';
  oak_add_once(tool, "%s", path);
}

/** The rest of a line that starts with \a words, or NULL. */
static char *after(char *line, const char *words) {
  return strncmp(line, words, strlen(words)) ? NULL : line + strlen(words);
}

/** What a compiler says with -v. \return 1 if it did the work itself. A program such as ccache
 * starts another compiler, which may be exchanged. */
static int read_answer(oak_compiler_t *compiler, char *answer) {
  char *program = realpath(compiler->command.word[0], NULL), *next = NULL, *rest;
  int direct = 0, list = 0;
  if (!program) return 0;
  for (char *line = strtok_r(answer, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
    if ((rest = after(line, "COLLECT_GCC="))) {
      direct |= !strcmp(rest, compiler->command.word[0]);
    } else if ((rest = after(line, "Configuration file: "))) {
      oak_add_once(&compiler->tool, "%s", rest);
    } else if ((rest = after(line, "ignoring nonexistent directory \""))) {
      rest[strcspn(rest, "\"")] = '\0';
      oak_add_once(&compiler->search, "%s", rest);
    } else if (*line != ' ') {
      list = after(line, "#include") != NULL;
    } else if (list) {
      oak_add_once(&compiler->search, "%s", line + 1);
    } else { /* " /usr/.../cc1 -E ..." of gcc, " \"/usr/bin/clang\" -cc1 ..." */
      rest = line + 1 + (line[1] == '"');
      rest[strcspn(rest, " \"")] = '\0';
      direct |= !strcmp(rest, program);
      if (*rest == '/') add_program(&compiler->tool, rest);
    }
  }
  oak_add_once(&compiler->tool, "%s",
               compiler->command.word[0]); /* may be a link, which may change */
  add_program(&compiler->tool, program);
  free(program);
  return direct;
}

/** Hash the programs of the compiler as far as its version does not name them. */
static void hash_tools(oak_compiler_t *compiler) {
  oak_hash_start(&compiler->tools);
  for (int i = 0; i < compiler->command.count; i++)
    oak_file_hash(&compiler->tools, compiler->command.word[i]);
  for (int i = 0; i < 2; i++) {
    OAK_FREED char *path = oak_process_find(i ? "as" : "ld");
    if (path) oak_file_hash(&compiler->tools, path);
    oak_words_add(&compiler->tool, i ? "as" : "ld");
  }
}

/** Ask which programs and folders the compiler uses. */
static oak_status_t find_tools(oak_compiler_t *compiler, const oak_words_t *user) {
  const char *root;
  oak_words_t flags = {0};
  oak_buffer_t answer = {0};
  int code;
  OAK_TRY(oak_source_root(&root));
  hash_tools(compiler);
  oak_words_copy(&flags, &compiler->flags);
  oak_words_add(&flags, "-I%s/include", root);
  oak_words_add(&flags, "-I%s", root);
  oak_words_copy(&flags, user);
  const oak_status_t status =
      ask(compiler, &flags, "-c -v -o /dev/null -x c /dev/null", &answer, &code);
  compiler->followed =
      code == 0 && answer.data && read_answer(compiler, answer.data) && compiler->search.count > 0;
  oak_buffer_free(&answer);
  oak_words_free(&flags);
  return status;
}

oak_status_t oak_compiler_probe(oak_compiler_t *compiler, const oak_words_t *wanted,
                                const oak_words_t *user) {
  if (compiler->version) return OAK_OK;
  oak_status_t status = oak_words_status(wanted);
  if (status == OAK_OK) status = probe(compiler, wanted);
  if (status == OAK_OK) status = find_tools(compiler, user);
  if (status != OAK_OK) { /* the next call asks again */
    free(compiler->version);
    compiler->version = NULL;
    oak_words_free(&compiler->flags);
  }
  return status;
}

/* ---- messages, and what else it says */

oak_status_t oak_rule_read(const char *path, const char *ending, oak_words_t *files) {
  oak_buffer_t text = {0};
  char name[PATH_MAX];
  size_t length = 0;
  if (oak_path_print(name, "%s%s", path, ending) != OAK_OK || oak_buffer_read(&text, name) != 0)
    return OAK_OK;
  const char *colon = strstr(oak_buffer_get(&text), ": ");
  for (const char *at = colon ? colon + 1 : "";; at++) {
    if (!*at || oak_is_blank(*at) || (*at == '\\' && at[1] == '\n')) {
      if (length > 0) oak_words_add(files, "%.*s", (int)length, name);
      length = 0;
      if (!*at) break;
    } else {
      at += (*at == '\\' && (at[1] == ' ' || at[1] == '#')) || (*at == '$' && at[1] == '$');
      if (length < sizeof name) name[length++] = *at;
    }
  }
  oak_buffer_free(&text);
  return oak_words_status(files);
}

/** Where the messages begin that help the user: the first error, else a line of the linker, else
 * the first line. Compilers end with an error that only says that the linker has failed. */
static const char *first_error(const char *output) {
  const char *linker = NULL;
  for (const char *line = output; *line;) {
    const size_t length = strcspn(line, "\n");
    if (memmem(line, length, "error:", 6) && !memmem(line, length, "collect2", 8) &&
        !memmem(line, length, "linker command failed", 21))
      return line;
    if (!linker && memmem(line, length, "ld: ", 4)) linker = line;
    line += length + (line[length] == '\n');
  }
  return linker ? linker : output;
}

void oak_compiler_quote(oak_buffer_t *quote, const char *output, const char *where) {
  enum { most_lines = 12, most_columns = 160 };
  const char *line = first_error(output);
  for (int i = 0; i < most_lines && *line; i++) {
    int length = (int)strcspn(line, "\n");
    oak_buffer_print(quote, "\n%.*s%s", length < most_columns ? length : most_columns, line,
                     length > most_columns ? "..." : "");
    line += length + (line[length] == '\n');
  }
  int more = 0;
  for (; *line; more++) line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
  if (more > 0) oak_buffer_print(quote, "\n(%d more lines)", more);
  if (strstr(output, "No space left on device")) {
    oak_buffer_print(
        quote, "\nA disk is full: free space where %s is and where $TMPDIR (or /tmp) is.", where);
  }
}

/** Of what a compiler printed, print the warnings about files of the user. */
static void print_warnings(const char *output) {
  enum { most_lines = 20 };
  int count = 0;
  for (const char *line = output, *before = ""; *line; line += *line == '\n') {
    const size_t length = strcspn(line, "\n");
    const int again = !strncmp(line, before, length + 1); /* gcc looks more than once */
    if (memmem(line, length, ": warning: ", 11) && !oak_source_is_own(line) && !again) {
      before = line;
      if (count++ < most_lines) fprintf(stderr, "oak: %.*s\n", (int)length, line);
    }
    line += length;
  }
  if (count > most_lines) fprintf(stderr, "oak: %d more warnings\n", count - most_lines);
}

void oak_compiler_log(const oak_job_t *job, const char *path) {
  oak_buffer_t log = {0};
  char *log_path;
  if (!oak_build_keep() || oak_format(&log_path, "%s.log", path) != OAK_OK) return;
  oak_buffer_read(&log, log_path);
  for (int i = 0; i < job->command.count; i++) oak_buffer_print(&log, "%s ", job->command.word[i]);
  oak_buffer_print(&log, "\n%s", oak_buffer_get(&job->output));
  oak_buffer_write(&log, log_path); /* if this fails, the build goes on */
  oak_buffer_free(&log);
  free(log_path);
}

/** Run a compile command for \a path, which is to write \a file. Failure is OAK_ERR_BUILD with the
 * first messages. */
static oak_status_t run_compiler(oak_job_t *job, const char *name, const char *path,
                                 const char *file) {
  struct stat info;
  oak_buffer_t quote = {0};
  oak_status_t status = oak_process_run_jobs(job, 1, 1);
  oak_compiler_log(job, path);
  if (status == OAK_OK && job->code != 0) {
    oak_compiler_quote(&quote, oak_buffer_get(&job->output), path);
    if (oak_build_keep()) {
      oak_buffer_print(&quote, "\nThe whole output and the command: %s.log", path);
    } else {
      oak_buffer_print(
          &quote, "\nOAK_KEEP=1 keeps the generated source, the command and the whole output.");
    }
    status = OAK_FAIL(OAK_ERR_BUILD, "kernel '%s' does not compile (%s, exit status %d):%s", name,
                      job->command.word[0], job->code, oak_buffer_get(&quote));
  }
  oak_buffer_free(&quote);
  OAK_TRY(status);
  OAK_CHECK(stat(file, &info) == 0 && info.st_size > 0, OAK_ERR_BUILD,
            "kernel '%s': the compiler %s ended without an error, but wrote nothing to %s; see "
            "whether it is a C compiler (device.compiler, $OAK_CC)",
            name, job->command.word[0], file);
  return OAK_OK;
}

oak_status_t oak_no_compiler(const oak_device_t *dev, const oak_source_t *source,
                             const char *target) {
  char reason[512];
  snprintf(reason, sizeof reason, "%s", oak_last_error());
  OAK_CHECK(dev->cache, OAK_ERR_BUILD, "the cache of kernels cannot be used: %s; and there is %s",
            dev->unkept, reason);
  return OAK_FAIL(
      OAK_ERR_BUILD,
      "the cache of kernels, %s, has no kernel '%s' of these sources%s; and there is %s",
      dev->cache, oak_source_name(source), target, reason);
}

void oak_compiler_free(oak_compiler_t *compiler) {
  oak_words_free(&compiler->command);
  oak_words_free(&compiler->flags);
  oak_words_free(&compiler->tool);
  oak_words_free(&compiler->search);
  free(compiler->version);
  free(compiler->noted);
  compiler->version = compiler->noted = NULL;
}

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
  if (status == OAK_OK) status = run_compiler(job, oak_source_name(source), path, file);
  job->to = NULL; /* `file` ends here */
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
  if (status == OAK_OK && source->data) print_warnings(oak_buffer_get(&job.output));
  oak_job_free(&job);
  return status;
}

oak_status_t oak_object_preprocess(oak_device_t *dev, const oak_source_t *source,
                                   const char *path) {
  oak_job_t job = {.to = path};
  oak_words_t head = {0}, more = {0};
  OAK_TRY(dev->compiler->begin(dev, 1, &head));
  oak_words_split(&more, source->seen ? "-E -dD -MD -MT oak -MF" : "-E -MD -MT oak -MF");
  oak_words_add(&more, "%s.d", path);
  const oak_status_t status = run(dev, source, path, &head, &more, ".i", &job);
  oak_words_free(&head);
  oak_job_free(&job);
  return status;
}

oak_status_t oak_object_fingerprint(oak_device_t *dev, int compiler, oak_hash_t *hash) {
  oak_hash_t sum = {0, 0}, one; /* of variables of the environment in any order */
  oak_words_t head = {0};
  if (compiler) OAK_TRY(dev->compiler->begin(dev, compiler > 0, &head));
  const oak_status_t status = oak_words_status(&head);
  for (int i = 0; i < head.count; i++) oak_hash_text(hash, head.word[i]);
  for (int i = 0; i < dev->user_flags.count; i++) oak_hash_text(hash, dev->user_flags.word[i]);
  if (compiler > 0) {
    oak_hash_text(hash, dev->compiler->version);
    oak_hash_bytes(hash, &dev->compiler->target, sizeof dev->compiler->target);
    oak_hash_bytes(hash, &dev->compiler->tools, sizeof dev->compiler->tools);
  }
  for (char *const *entry = environ; head.count > 0 && *entry; entry++) {
    if (!oak_process_variable(*entry, 1)) continue;
    oak_hash_start(&one);
    oak_hash_text(&one, *entry);
    sum.a += one.a, sum.b += one.b;
  }
  oak_hash_bytes(hash, &sum, sizeof sum);
  oak_words_free(&head);
  return status;
}
