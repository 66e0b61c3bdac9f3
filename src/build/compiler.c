/* SPDX-License-Identifier: GPL-2.0-or-later
 * A C compiler as a command, for back ends that build kernels with one: find it, find out which
 * flags it accepts, run it, and make a message of its errors. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/build.h"

/** Take \a choice as the command. 0 if there is no such program. A choice may hold several words
 * ("ccache gcc"), unless the whole text is the path of a file. */
static int compiler_take(oak_compiler_t *compiler, const char *choice) {
  char *path = oak_process_find(choice);
  oak_words_t words = {0};
  if (!path) {
    oak_words_split(&words, choice);
    if (words.count > 0) path = oak_process_find(words.word[0]);
  }
  if (path) {
    oak_words_free(&compiler->command);
    oak_words_add(&compiler->command, "%s", path);
    for (int i = 1; i < words.count; i++) oak_words_add(&compiler->command, "%s", words.word[i]);
  }
  oak_words_free(&words);
  free(path);
  return compiler->command.count > 0;
}

oak_status_t oak_compiler_find(oak_compiler_t *compiler, const char *choice, const char *variable,
                               const char *names) {
  static const char advice[] =
      "install one (Debian, Ubuntu: apt install gcc libc6-dev), or name one";
  const char *other = getenv(variable);
  if (choice[0]) {
    OAK_CHECK(compiler_take(compiler, choice), OAK_ERR_BUILD,
              "compiler '%s' (device.compiler) is not a program on PATH; correct it, or leave it "
              "empty to try $%s, %s",
              choice, variable, names);
    return oak_words_status(&compiler->command);
  }
  if (other && other[0]) {
    OAK_CHECK(compiler_take(compiler, other), OAK_ERR_BUILD,
              "compiler '%s' ($%s) is not a program on PATH; correct it, or unset it to try %s",
              other, variable, names);
    return oak_words_status(&compiler->command);
  }
  oak_words_t list = {0};
  oak_words_split(&list, names);
  for (int i = 0; i < list.count && compiler->command.count == 0; i++)
    compiler_take(compiler, list.word[i]);
  oak_words_free(&list);
  OAK_CHECK(compiler->command.count > 0, OAK_ERR_BUILD,
            "no C compiler for the kernels: tried %s on PATH; %s with device.compiler or $%s",
            names, advice, variable);
  return oak_words_status(&compiler->command);
}

/** \a *accepted: 1 if the compiler accepts the flags. It preprocesses an empty file with them. \a
 * output: the macros that it predefines, or its refusal. */
static oak_status_t try_flags(const oak_compiler_t *compiler, const oak_words_t *flags,
                              int *accepted, oak_buffer_t *output) {
  oak_words_t command = {0};
  oak_words_copy(&command, &compiler->command);
  oak_words_copy(&command, flags);
  oak_words_split(&command, "-dM -E -x c /dev/null");
  int code = 1;
  oak_status_t status = oak_process_run(&command, NULL, output, &code);
  oak_words_free(&command);
  *accepted = code == 0;
  return status;
}

/** Remove from \a flags those that a refusal names. If it names none, try one by one. */
static oak_status_t drop_refused(const oak_compiler_t *compiler, oak_words_t *flags,
                                 const char *refusal) {
  int named = 0;
  oak_words_t kept = {0};
  oak_buffer_t output = {0};
  oak_status_t status = OAK_OK;
  for (int i = 0; i < flags->count; i++) named += strstr(refusal, flags->word[i]) != NULL;
  for (int i = 0; i < flags->count && status == OAK_OK; i++) {
    int accepted = !strstr(refusal, flags->word[i]);
    oak_words_t one = {.word = &flags->word[i], .count = 1};
    if (!named) status = try_flags(compiler, &one, &accepted, &output);
    if (accepted) oak_words_add(&kept, "%s", flags->word[i]);
  }
  oak_buffer_free(&output);
  oak_words_free(flags);
  *flags = kept;
  return status;
}

static oak_status_t compiler_version(oak_compiler_t *compiler) {
  oak_words_t command = {0};
  oak_words_copy(&command, &compiler->command);
  oak_words_add(&command, "--version");
  oak_buffer_t output = {0};
  int code;
  oak_status_t status = oak_process_run(&command, NULL, &output, &code);
  if (status == OAK_OK) {
    const char *line = oak_buffer_get(&output);
    line += strspn(line, "\n");
    int length = (int)strcspn(line, "\n");
    status = code == 0 && length > 0 ? oak_format(&compiler->version, "%.*s", length, line)
                                     : oak_format(&compiler->version, "unknown version");
  }
  oak_buffer_free(&output);
  oak_words_free(&command);
  return status;
}

static oak_status_t probe(oak_compiler_t *compiler, const oak_words_t *wanted) {
  int accepted = 0;
  oak_buffer_t output = {0};
  OAK_TRY(oak_words_status(wanted));
  OAK_TRY(compiler_version(compiler));
  oak_words_copy(&compiler->flags, wanted);
  oak_status_t status = try_flags(compiler, &compiler->flags, &accepted, &output);
  /* Some compilers name one flag at a time. */
  for (int before = -1; status == OAK_OK && !accepted && compiler->flags.count != before;) {
    before = compiler->flags.count;
    status = drop_refused(compiler, &compiler->flags, oak_buffer_get(&output));
    oak_buffer_free(&output);
    if (status == OAK_OK) status = try_flags(compiler, &compiler->flags, &accepted, &output);
  }
  oak_hash_start(&compiler->target);
  if (accepted) oak_hash_text(&compiler->target, oak_buffer_get(&output));
  oak_buffer_free(&output);
  return status == OAK_OK ? oak_words_status(&compiler->flags) : status;
}

/* ---- what a compiler depends on */

static void add_once(oak_words_t *words, const char *word) {
  for (int i = 0; i < words->count; i++)
    if (!strcmp(words->word[i], word)) return;
  oak_words_add(words, "%s", word);
}

/** The program \a path and its folder, where it may look for files. */
static void add_program(oak_words_t *tool, char *path) {
  add_once(tool, path);
  char *slash = strrchr(path, '/');
  if (!slash) return;
  *slash = '\0';
  add_once(tool, path);
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
      add_once(&compiler->tool, rest);
    } else if ((rest = after(line, "ignoring nonexistent directory \""))) {
      rest[strcspn(rest, "\"")] = '\0';
      add_once(&compiler->search, rest);
    } else if (*line != ' ') {
      list = after(line, "#include") != NULL;
    } else if (list) {
      add_once(&compiler->search, line + 1);
    } else { /* " /usr/.../cc1 -E ..." of gcc, " \"/usr/bin/clang\" -cc1 ..." */
      rest = line + 1 + (line[1] == '"');
      rest[strcspn(rest, " \"")] = '\0';
      direct |= !strcmp(rest, program);
      if (*rest == '/') add_program(&compiler->tool, rest);
    }
  }
  add_once(&compiler->tool, compiler->command.word[0]); /* may be a link, which may change */
  add_program(&compiler->tool, program);
  free(program);
  return direct;
}

/** Hash the programs of the compiler as far as its version does not name them. */
static void hash_tools(oak_compiler_t *compiler) {
  static const char *const other[] = {"ld", "as"};
  oak_hash_start(&compiler->tools);
  for (int i = 0; i < compiler->command.count; i++)
    oak_file_hash(&compiler->tools, compiler->command.word[i]);
  for (int i = 0; i < 2; i++) {
    char *path = oak_process_find(other[i]);
    if (path) oak_file_hash(&compiler->tools, path);
    free(path);
    oak_words_add(&compiler->tool, "%s", other[i]);
  }
}

/** Ask which programs and folders the compiler uses, and whether its assembler lists what it reads.
 * Not all compilers take the first question. */
static oak_status_t ask(oak_compiler_t *compiler, const oak_words_t *user) {
  const char *root;
  char object[] = "/tmp/oak-XXXXXX", rule[sizeof object + 2];
  const int file = mkstemp(object);
  int code = 1;
  hash_tools(compiler);
  oak_status_t status = oak_source_root(&root);
  snprintf(rule, sizeof rule, "%s: ", object);
  for (int k = file < 0; k < 2 && code != 0 && status == OAK_OK; k++) {
    oak_words_t command = {0};
    oak_buffer_t answer = {0};
    oak_words_copy(&command, &compiler->command);
    oak_words_copy(&command, &compiler->flags);
    oak_words_add(&command, "-I%s/include", root);
    oak_words_add(&command, "-I%s", root);
    oak_words_copy(&command, user);
    if (k == 0) oak_words_split(&command, "-c -Xassembler --MD=/dev/stdout -o");
    oak_words_add(&command, "%s", k == 0 ? object : "-E");
    oak_words_split(&command, "-v -x c /dev/null");
    status = oak_process_run(&command, k ? "/dev/null" : NULL, &answer, &code);
    compiler->lists = code == 0 && strstr(oak_buffer_get(&answer), rule);
    compiler->followed = code == 0 && answer.data && read_answer(compiler, answer.data) &&
                         compiler->search.count > 0;
    oak_buffer_free(&answer);
    oak_words_free(&command);
  }
  if (file >= 0) close(file);
  if (file >= 0) unlink(object);
  return status;
}

oak_status_t oak_compiler_probe(oak_compiler_t *compiler, const oak_words_t *wanted,
                                const oak_words_t *user) {
  if (compiler->version) return OAK_OK;
  oak_status_t status = probe(compiler, wanted);
  if (status == OAK_OK) status = ask(compiler, user);
  if (status != OAK_OK) { /* the next call asks again */
    free(compiler->version);
    compiler->version = NULL;
    oak_words_free(&compiler->flags);
  }
  return status;
}

/* ---- messages, and what else it says */

oak_status_t oak_rule_read(const char *path, oak_words_t *files) {
  oak_buffer_t text = {0};
  char name[PATH_MAX];
  size_t length = 0;
  if (oak_buffer_read(&text, path) != 0) return OAK_OK;
  const char *colon = strstr(oak_buffer_get(&text), ": ");
  for (const char *at = colon ? colon + 1 : "";; at++) {
    if (!*at || isspace((unsigned char)*at) || (*at == '\\' && at[1] == '\n')) {
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

static int line_has(const char *line, size_t length, const char *words) {
  return memmem(line, length, words, strlen(words)) != NULL;
}

/** Where the messages begin that help the user: the first error, else a line of the linker, else
 * the first line. Compilers end with an error that only says that the linker has failed. */
static const char *first_error(const char *output) {
  const char *linker = NULL;
  for (const char *line = output; *line;) {
    const size_t length = strcspn(line, "\n");
    const int summary =
        line_has(line, length, "collect2") || line_has(line, length, "linker command failed");
    if (line_has(line, length, "error:") && !summary) return line;
    if (!linker && line_has(line, length, "ld: ")) linker = line;
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

void oak_compiler_warn(const char *output) {
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

oak_status_t oak_compiler_run(oak_job_t *job, const char *name, const char *path,
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

void oak_compiler_free(oak_compiler_t *compiler) {
  oak_words_free(&compiler->command);
  oak_words_free(&compiler->flags);
  oak_words_free(&compiler->tool);
  oak_words_free(&compiler->search);
  free(compiler->version);
  free(compiler->noted);
  compiler->version = compiler->noted = NULL;
}
