/* SPDX-License-Identifier: GPL-2.0-or-later
 * Arguments and help of commands, from their tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "str.h"

/* ---- help */

static int print_option(const oak_option_t *o, char *text, size_t size) {
  return snprintf(text, size, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
}

void oak_command_help(const oak_command_t *c) {
  char text[128];
  int indent = 0;
  printf("usage: oak %s%s%s\n\n%s", c->name, *c->usage ? " " : "", c->usage, c->help);
  for (const oak_option_t *o = c->option; o && o->name; o++) {
    const int length = print_option(o, text, sizeof text) + 4;
    if (length > indent) indent = length;
  }
  if (indent) printf("\noptions:\n");
  for (const oak_option_t *o = c->option; o && o->name; o++) {
    print_option(o, text, sizeof text);
    oak_str_wrap(stdout, o->help, indent, printf("  %-*s", indent - 2, text));
  }
  if (c->after) printf("\n%s", c->after);
}

void oak_command_complete(const oak_command_t *c, const char *begin) {
  for (const oak_option_t *o = c->option; o && o->name; o++)
    if (!strncmp(o->name, begin, strlen(begin))) printf("%s\n", o->name);
  if (!strncmp("--help", begin, strlen(begin))) printf("--help\n");
}

/* ---- arguments */

static int refuse(const oak_arguments_t *a, const char *what, const char *word, const char *more) {
  if (a->rank == 0)
    fprintf(stderr, "oak %s: %s%s%s; see oak %s --help\n", a->command->name, what, word, more,
            a->command->name);
  return 0;
}

static int refuse_unknown(const oak_arguments_t *a, const char *word) {
  oak_nearest_t near = oak_nearest_to(word);
  char more[96] = "";
  for (const oak_option_t *o = a->command->option; o && o->name; o++)
    oak_nearest_try(&near, o->name, strlen(o->name));
  if (*near.meant) snprintf(more, sizeof more, "; did you mean %s?", near.meant);
  return refuse(a, "unknown option ", word, more);
}

/* Whether the word behind an option is its value: always if it needs one. If it may have one, the
 * word must not be an option or a key, and the words that the command needs are there already. */
static int takes_next(const oak_arguments_t *a, const oak_option_t *o, int i) {
  const char *next = i + 1 < a->argc ? a->argv[i + 1] : NULL;
  if (!o->value || !next) return 0;
  return *o->value != '[' || (*next != '-' && !strchr(next, '=') && a->nword >= a->command->least);
}

/* Take option argv[i]. Returns how many arguments that are; 0: it is wrong. */
static int take_option(oak_arguments_t *a, int i) {
  const oak_option_t *option = a->command->option;
  const char *text = a->argv[i], *equals = strchr(text, '=');
  const size_t length = equals ? (size_t)(equals - text) : strlen(text);
  for (int n = 0; option && option[n].name; n++) {
    const oak_option_t *o = &option[n];
    if (strlen(o->name) != length || strncmp(text, o->name, length) != 0) continue;
    if (equals && !o->value) return refuse(a, o->name, " takes no value", "");
    const int next = !equals && takes_next(a, o, i);
    if (o->value && *o->value != '[' && !equals && !next)
      return refuse(a, o->name, " takes a value", "");
    a->option[n] = equals ? equals + 1 : next ? a->argv[i + 1] : "";
    return 1 + next;
  }
  return refuse_unknown(a, text);
}

static int read_arguments(oak_arguments_t *a) {
  const oak_command_t *c = a->command;
  for (int i = 0; i < a->argc;) {
    if (a->argv[i][0] == '-' && a->argv[i][1] && !c->passes) {
      const int used = take_option(a, i);
      if (!used) return 0;
      i += used;
      continue;
    }
    if (a->nword == c->most) return refuse(a, "one argument too many: ", a->argv[i], "");
    a->word[a->nword++] = a->argv[i++];
  }
  if (a->nword >= c->least) return 1;
  if (a->rank == 0)
    fprintf(stderr, "oak %s: usage: oak %s %s; oak %s --help tells more\n", c->name, c->name,
            c->usage, c->name);
  return 0;
}

static int asks_for_help(int argc, char **argv) {
  for (int i = 0; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return 1;
  return 0;
}

/* ---- commands */

/* What was printed may not have reached its file. A simulation goes on without its log. */
static int check_output(int code) {
  const int failed = fflush(stdout) != 0 || ferror(stdout);
  if (!failed || code != 0) return code;
  fprintf(stderr, "oak: error: cannot write to standard output: %s\n", strerror(errno));
  return 1;
}

static int report_failure(int rank) {
  fflush(stdout);
  if (rank == 0) fprintf(stderr, "oak: error: %s\n", oak_last_error());
  return 1;
}

static int run(oak_arguments_t *a, int help) {
  const oak_command_t *c = a->command;
  oak_status_t st = OAK_OK;
  if (help && a->rank == 0) oak_command_help(c);
  if (!help && (a->rank == 0 || !c->looks)) st = c->run(a);
  int code = st != OAK_OK && report_failure(a->rank) && !a->code ? 1 : a->code;
  if (a->rank == 0 && !a->simulates) code = check_output(code);
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

int oak_command_start(const oak_command_t *c, int argc, char **argv, int rank) {
  for (const oak_command_t *const *part = c->part; part && *part && argc > 0; part++)
    if (!strcmp(argv[0], strchr((*part)->name, ' ') + 1))
      return oak_command_start(*part, argc - 1, argv + 1, rank);
  const int help = !c->passes && asks_for_help(argc, argv);
  oak_arguments_t a = {.command = c, .rank = rank, .argc = argc, .argv = argv};
  a.word = malloc((size_t)(argc + 1) * sizeof *a.word);
  const oak_status_t st = a.word ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory");
  int code = oak_agree(MPI_COMM_WORLD, st) == OAK_OK ? 2 : report_failure(rank);
  if (code == 2 && (help || read_arguments(&a))) code = run(&a, help);
  free(a.word);
  return code;
}
