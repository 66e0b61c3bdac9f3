/* SPDX-License-Identifier: GPL-2.0-or-later
 * The oak command. Thin on purpose: copy it as a start for a program of your own. */
#include <glob.h>
#include <limits.h>
#include <oak.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "params_library.h"

static const oak_command_t help_command, completion;

static const oak_command_t *const commands[] = {
    &oak_command_run,  &oak_command_check,  &oak_command_plot, &oak_command_ls,
    &oak_command_line, &oak_command_slice,  &oak_command_diff, &oak_command_bench,
    &oak_command_info, &oak_command_params, &help_command,     &completion};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void print_help(void) {
  printf("oak %s: adaptive mesh refinement for hyperbolic PDEs\n\nusage:\n", OAK_VERSION);
  printf("  oak COMMAND [arguments]            one process, which uses all cores\n");
  printf("  mpirun -n N oak COMMAND ...        N ranks\n\ncommands:\n");
  for (int i = 0; i < NCOMMANDS; i++)
    printf("  %-11s %s\n", commands[i]->name, commands[i]->summary);
  printf("\n`oak COMMAND --help` explains a command, `oak help TOPIC` explains a topic.\n");
  printf("`oak --version` prints version and commit.\n\n");
  printf("A first run:   oak run rayleigh_taylor\n");
  printf("The tutorial:  oak help tutorial\n");
  printf("Your problem:  oak help kernels (a problem is a C file of about 20 lines)\n");
}

static const oak_command_t *find_command(const char *name) {
  for (int i = 0; i < NCOMMANDS; i++)
    if (!strcmp(name, commands[i]->name)) return commands[i];
  return NULL;
}

/* ---- oak help, which needs the list of commands */

static const char topics[] =
    "Prints what is known of a topic. A topic is one of:\n\n"
    "  a command\n"
    "  a section of the parameter file, or one key: mesh, mesh.max_level\n"
    "  a hook of a problem or physics file: INITIAL\n"
    "  a physics, a problem (oak info lists them) or a kind of output: euler, sedov, history\n"
    "  a word of the glossary: ghost cell\n"
    "  a page of the documentation: `oak help pages` lists them\n";

/* The first word of several, as in "CFL condition", or a word without its last letters, as
 * prolong for prolongation. */
static int print_part(const char *topic, const oak_params_t *params) {
  char part[64];
  const int word = (int)strcspn(topic, " -");
  for (int n = word - !topic[word]; n + 5 >= word && n >= (n == word ? 3 : 5); n--) {
    snprintf(part, sizeof part, "%.*s", n, topic);
    if (!oak_print_topic(part, params, 0)) continue;
    printf("\n(nothing is known of '%s', this of '%s')\n", topic, part);
    return 1;
  }
  return 0;
}

/* What a topic that is not known may mean, perhaps misspelt. */
static int guess_topic(const char *topic, const oak_params_t *params) {
  oak_nearest_t near = oak_nearest_to(topic);
  oak_words_t list = oak_list_topics(params);
  for (int i = 0; i < NCOMMANDS; i++) oak_words_add(&list, "%s", commands[i]->name);
  for (int i = 0; i < list.count; i++) oak_nearest_try(&near, list.word[i], strlen(list.word[i]));
  oak_words_free(&list);
  if (!*near.meant && print_part(topic, params)) return 1;
  fflush(stdout);
  fprintf(stderr, "oak help: nothing is known of '%s'", topic);
  if (*near.meant) fprintf(stderr, "; did you mean %s?", near.meant);
  fprintf(stderr,
          "; oak params FILE lists the keys and names that the files of a run define; see "
          "oak help --help, or oak help tutorial\n");
  return 0;
}

/* Print what is known of a topic, on rank 0 alone. Returns 0 if nothing is. */
static int print_topic(const char *topic, const oak_params_t *params) {
  const oak_command_t *command = find_command(topic);
  if (!strcmp(topic, "pages")) {
    oak_print_pages(stdout);
    printf("\n");
    return 1;
  }
  if (command) {
    oak_command_help(command);
    printf("\n");
    oak_print_topic(topic, params, 1);
  }
  const int blank = !topic[strspn(topic, " ")];
  if (command || (!blank && oak_print_topic(topic, params, 0))) return 1;
  return guess_topic(topic, params);
}

static oak_status_t help(oak_arguments_t *a) {
  oak_params_t *params;
  int found = 1;
  if (a->nword == 0) {
    print_help();
    return OAK_OK;
  }
  OAK_TRY(oak_params_new(&params));
  OAK_TRY(oak_name_schemes(params));
  char all[128] = ""; /* "ghost cell" without quotes */
  for (int i = 0; i < a->nword; i++)
    oak_str_append(all, sizeof all, "%s%s", i ? " " : "", a->word[i]);
  const int whole = a->nword > 1 && oak_print_topic(all, params, 0);
  for (int i = 0; i < a->nword && !whole; i++) {
    if (i > 0) printf("\n");
    found &= print_topic(a->word[i], params);
  }
  oak_params_destroy(&params);
  a->code = found ? 0 : 2;
  return OAK_OK;
}

static const oak_command_t help_command = {
    .name = "help",
    .summary = "explain a command, a parameter or a page of the documentation",
    .usage = "TOPIC ...",
    .help = topics,
    .most = OAK_ANY_NUMBER,
    .looks = 1,
    .run = help};

/* ---- completion in shells */

/* Print and free those of a list that begin with \a begin. */
static void print_words(oak_words_t *list, const char *begin) {
  for (int i = 0; i < list->count; i++)
    if (!strncmp(list->word[i], begin, strlen(begin))) printf("%s\n", list->word[i]);
  oak_words_free(list);
}

/* Files and folders of this folder, and the parameter files that come with oak. */
static void print_files(const char *begin) {
  static const char *const pattern[] = {"%s*.ini", "%s*/"};
  char path[PATH_MAX];
  glob_t here;
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, pattern[i], begin);
    if (glob(path, 0, NULL, &here) == 0)
      for (size_t n = 0; n < here.gl_pathc; n++) printf("%s\n", here.gl_pathv[n]);
    globfree(&here);
  }
  oak_words_t list = oak_list_names("problems", ".ini");
  print_words(&list, begin);
}

/* The values of a key: the names of files, or the words that it may have. */
static void add_values(oak_words_t *list, const oak_params_t *params,
                       const oak_param_desc_t *desc) {
  const int physics = !strcmp(desc->key, "physics.name");
  oak_words_t value = {0};
  if (physics || !strcmp(desc->key, "problem.name"))
    value = oak_list_names(physics ? "physics" : "problems", ".c");
  else
    oak_words_split(&value,
                    desc->type == OAK_PARAM_BOOL ? "yes no" : oak_params_words(params, desc->key));
  for (int i = 0; i < value.count; i++) oak_words_add(list, "%s=%s", desc->key, value.word[i]);
  oak_words_free(&value);
}

/* Topics if there is no file. Otherwise keys, or the values of the key before \a last's =, with
 * those of the physics and the problem of the file. */
static void print_keys(char *file, const char *last) {
  oak_params_t *params = NULL;
  oak_words_t list = {0};
  const oak_param_desc_t *desc;
  const size_t key = strcspn(last, "=");
  MPI_Init(NULL, NULL);
  if (!file || oak_read_declared(&file, 1, 0, &params) != OAK_OK) {
    oak_params_destroy(&params);
    if (oak_params_new(&params) == OAK_OK) oak_name_schemes(params);
  }
  if (!file) list = oak_list_topics(params);
  for (int i = 0; file && (desc = oak_params_key(params, i)); i++)
    if (!last[key])
      oak_words_add(&list, "%s=", desc->key);
    else if (strlen(desc->key) == key && !strncmp(desc->key, last, key))
      add_values(&list, params, desc);
  print_words(&list, last);
  oak_params_destroy(&params);
  MPI_Finalize();
}

/* The arguments are the words of a command line behind "oak"; the last one is not complete. */
static int complete(int argc, char **argv) {
  char none[] = "", *last = argc > 0 ? argv[argc - 1] : none;
  const oak_command_t *c = argc > 1 ? find_command(argv[0]) : NULL;
  if (argc <= 1 || c == &help_command)
    for (int i = 0; i < NCOMMANDS; i++)
      if (!strncmp(commands[i]->name, last, strlen(last))) printf("%s\n", commands[i]->name);
  for (const oak_command_t *const *part = c ? c->part : NULL; part && *part && argc > 2; part++)
    if (!strcmp(argv[1], strchr((*part)->name, ' ') + 1)) c = *part;
  if (c && *last == '-')
    oak_command_complete(c, last);
  else if (c && argc == 2 && strstr(c->usage, "FILE.ini"))
    print_files(last);
  else if (c == &help_command || (c && strstr(c->usage, "key=value")))
    print_keys(c == &help_command ? NULL : argv[1], last);
  return 0;
}

static const oak_command_t completion = {
    .name = "completion",
    .summary = "print how a command line may go on, for shells",
    .usage = "WORD ...",
    .help =
        "Prints the words with which a shell can complete a command line. packaging/completion\n"
        "has the files for bash and zsh.\n",
    .most = OAK_ANY_NUMBER,
    .passes = 1};

/* ---- */

static int dispatch(int argc, char **argv, int rank) {
  const char *name = argc > 1 ? argv[1] : "--help";
  if (!strcmp(name, "--version")) {
    if (rank == 0) oak_print_version();
    return 0;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
    if (rank == 0) print_help();
    return argc > 1 ? 0 : 2;
  }
  const oak_command_t *command = find_command(name);
  if (command) return oak_command_start(command, argc - 2, argv + 2, rank);
  if (rank == 0) {
    fprintf(stderr, "oak: unknown command %s; known:", name);
    for (int i = 0; i < NCOMMANDS; i++) fprintf(stderr, " %s", commands[i]->name);
    fprintf(stderr, " (see oak --help)\n");
  }
  return 2;
}

/** Let Open MPI start fast where no launcher started this process. Otherwise Open MPI starts
 * another process and opens the libraries of networks, which takes a second. It also shares a
 * folder in /tmp with all such programs. This sometimes fails if several programs start or end at
 * the same time. */
static void start_alone(void) {
  static const char *const launched[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                         "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof launched / sizeof *launched; i++)
    if (getenv(launched[i])) return;
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
}

int main(int argc, char **argv) {
  int rank, provided;
  /* A write beyond the limit of file sizes (ulimit -f) then returns an error, instead of a signal
   * that ends the program. */
  signal(SIGXFSZ, SIG_IGN);
  start_alone();
  if (argc > 1 && find_command(argv[1]) == &completion)
    return complete(argc - 2, argv + 2); /* fast: mostly without MPI */
  /* Open MPI then offers the core while it waits; oak waits outside MPI where it can. */
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int code = dispatch(argc, argv, rank);
  MPI_Finalize();
  return code;
}
