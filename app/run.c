/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak run and oak params. */
#include <oak.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "str.h"

/* The parameters of a run: the file, then \a setting if it is not empty, then what the command line
 * sets. */
static oak_status_t read_all(const char *file, int trust, const char *setting, int nset, char **set,
                             oak_params_t **params) {
  oak_status_t st = oak_agree(MPI_COMM_WORLD, oak_params_new(params));
  if (st == OAK_OK && trust) oak_params_trust(*params);
  if (st == OAK_OK) st = oak_params_read(*params, MPI_COMM_WORLD, file);
  if (st == OAK_OK && setting[0]) st = oak_params_assign(*params, setting, "command line");
  if (st == OAK_OK) st = oak_params_assign_all(*params, nset, set, "command line");
  return oak_agree(MPI_COMM_WORLD, st);
}

static void ignore(int number) { (void)number; }

/* Writing to a pipe that nobody reads then returns an error. Unlike SIG_IGN, programs that are
 * started do not inherit this. */
static void ignore_pipe(void) {
  const struct sigaction ignored = {.sa_handler = ignore, .sa_flags = SA_RESTART};
  sigaction(SIGPIPE, &ignored, NULL);
}

/* What the command line asks for, beside keys. */
typedef struct {
  const char *file;
  int trust, check, restart;
  oak_run_options_t options;
} request_t;

/* With --restart, a folder stands for the parameters in it; on rank 0. */
static int is_run_folder(const char *name) {
  char path[PATH_MAX];
  struct stat info;
  return stat(name, &info) == 0 && S_ISDIR(info.st_mode) &&
         snprintf(path, sizeof path, "%s/parameters.ini", name) < PATH_MAX &&
         access(path, R_OK) == 0;
}

/* The parameter file of a run, and the setting that goes with a folder ("" for none). */
static oak_status_t find_file(const request_t *request, char file[PATH_MAX],
                              char setting[PATH_MAX + 16], int rank) {
  int folder = rank == 0 && request->restart && is_run_folder(request->file);
  MPI_Bcast(&folder, 1, MPI_INT, 0, MPI_COMM_WORLD);
  setting[0] = '\0';
  if (!folder) return oak_find_parameters(request->file, file, rank);
  snprintf(setting, PATH_MAX + 16, "output.folder=%s", request->file);
  OAK_CHECK(snprintf(file, PATH_MAX, "%s/parameters.ini", request->file) < PATH_MAX, OAK_ERR_INPUT,
            "the name of the folder is too long");
  return OAK_OK;
}

/* Whether a shell would read more than a word. Quotes within words are not escaped. */
static int needs_quotes(const char *word) {
  return strpbrk(word, " \t\"\\;*?[]{}()&|<>$`#~!") != NULL;
}

/* How to go on with an interrupted run: by its folder, which holds all parameters, also those of
 * the command line. */
static void print_restart(const oak_params_t *params, FILE *stream) {
  const char *folder = oak_params_text(params, "output.folder");
  const char *quote = needs_quotes(folder) ? "'" : "", *here = folder[0] == '-' ? "./" : "";
  int size;
  fprintf(stream, "go on with: oak run %s%s%s%s --restart\n", quote, here, folder, quote);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 1)
    fprintf(stream, "the checkpoint is complete, even if mpirun ends with another status than 3\n");
}

static oak_status_t run(const request_t *request, int nset, char **set, int *interrupted,
                        int rank) {
  const oak_run_options_t *options = &request->options;
  char file[PATH_MAX], setting[PATH_MAX + 16];
  oak_params_t *params;
  oak_t *sim = NULL;
  *interrupted = 0;
  OAK_TRY(find_file(request, file, setting, rank));
  /* Print which file is used: a name may mean a file of this folder or one that comes with oak. */
  if (rank == 0 && options->stream) {
    fprintf(options->stream, "oak run %s\n", file);
    fflush(options->stream);
  }
  oak_status_t st = read_all(file, request->trust, setting, nset, set, &params);
  if (st == OAK_OK && request->check) {
    st = oak_check(MPI_COMM_WORLD, params, options);
  } else if (st == OAK_OK) {
    st = oak_create_run(MPI_COMM_WORLD, params, options, &sim);
    if (st == OAK_OK) st = oak_run_ext(sim, options);
  }
  if (st == OAK_OK && sim) *interrupted = oak_interrupted(sim);
  if (*interrupted && rank == 0 && options->stream) print_restart(params, options->stream);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}

/* The command line as text. Quotes within its words are not escaped. */
static void print_command(int argc, char **argv, char *text, size_t size) {
  snprintf(text, size, "oak run");
  for (int i = 0; i < argc; i++) {
    const char *quote = needs_quotes(argv[i]) ? "'" : "";
    oak_str_append(text, size, " %s%s%s", quote, argv[i], quote);
  }
}

enum { CHECK, DEBUG, RESTART, OVERWRITE, TRUST, QUIET };
static const oak_option_t options[] = {
    {"--check", NULL,
     "say what the run would do, its memory and how long it may take; write nothing"},
    {"--debug", NULL,
     "check what hooks return and the indices that they use (run.debug = yes); slower"},
    {"--restart", "[latest|PATH]",
     "continue from the newest intact checkpoint in output.folder, or from the checkpoint PATH; an "
     "older one needs a new output.folder. FILE.ini may be the folder of the run: its parameters "
     "are used"},
    {"--overwrite", NULL,
     "remove the earlier run in output.folder first; without this option such a folder is an "
     "error"},
    {"--trust", NULL,
     "let FILE.ini also set device.compiler and device.flags. With these keys a file can start any "
     "program"},
    {"--quiet", NULL, "print errors and warnings of the compiler only"},
    {NULL, NULL, NULL}};

static int refuse_request(const oak_arguments_t *a) {
  const int both = a->option[RESTART] && a->option[OVERWRITE];
  if (both && a->rank == 0)
    fprintf(stderr,
            "oak run: --restart goes on with the run that --overwrite would remove: give one of "
            "them; see oak run --help\n");
  return both;
}

static oak_status_t run_command(oak_arguments_t *a) {
  static char debug[] = "run.debug=yes";
  const char *const *given = a->option, *restart = given[RESTART];
  char command[4096];
  const request_t request = {.file = a->word[0],
                             .trust = given[TRUST] != NULL,
                             .check = given[CHECK] != NULL,
                             .restart = restart != NULL,
                             .options = {.size = sizeof(oak_run_options_t),
                                         .stream = given[QUIET] ? NULL : stdout,
                                         .signals = OAK_SIGNALS_UNTIL_EXIT,
                                         .overwrite = given[OVERWRITE] != NULL,
                                         .restart = restart && !*restart ? "latest" : restart,
                                         .command = command}};
  int interrupted;
  a->code = refuse_request(a) ? 2 : 0;
  if (a->code) return OAK_OK;
  print_command(a->argc, a->argv, command, sizeof command);
  if (given[DEBUG]) a->word[a->nword++] = debug;
  a->simulates = !request.check;
  if (a->simulates) ignore_pipe();
  const oak_status_t st = run(&request, a->nword - 1, a->word + 1, &interrupted, a->rank);
  a->code = st == OAK_OK && interrupted ? 3 : 0;
  return st;
}

const oak_command_t oak_command_run = {
    .name = "run",
    .summary = "run a simulation from a parameter file",
    .usage = "FILE.ini [section.key=value ...]",
    .help =
        "Runs the simulation that FILE.ini describes. A key that is set on the command line has\n"
        "this value, whatever FILE.ini says. If there is no such file, oak takes the one of this\n"
        "name that comes with oak (`oak info` lists them). All output is in the folder\n"
        "output.folder: pictures, AMReX plotfiles (for ParaView, VisIt, yt), diagnostics.csv,\n"
        "parameters.ini with every parameter of the run, and oak.log with what it printed.\n",
    .option = options,
    .after =
        "exit status:\n"
        "  0  the run has reached its end\n"
        "  1  an error\n"
        "  2  wrong usage\n"
        "  3  the run ended early and wrote a checkpoint. It does so on SIGUSR1, SIGTERM or\n"
        "     Ctrl-C, if there is a file named stop in output.folder, and at run.wall_limit\n"
        "\n"
        "examples:\n"
        "  oak run rayleigh_taylor\n"
        "  mpirun -n 4 oak run rayleigh_taylor mesh.max_level=6 output.folder=finer\n"
        "  oak run my.ini problem.name=./my_problem.c device.threads=8\n",
    .least = 1,
    .most = OAK_ANY_NUMBER,
    .run = run_command};

oak_status_t oak_read_declared(char **word, int count, int rank, oak_params_t **out) {
  char file[PATH_MAX];
  *out = NULL;
  OAK_TRY(oak_find_parameters(word[0], file, rank));
  const oak_status_t st = read_all(file, 0, "", count - 1, word + 1, out);
  return st == OAK_OK ? oak_declare(MPI_COMM_WORLD, *out) : st;
}

/* The keys that the physics and problem of a file bring. */
static oak_status_t list_brought(const oak_arguments_t *a) {
  static const char *const named[] = {"scheme.limiter", "scheme.flux", "refine.criterion",
                                      "boundary.xlow"};
  oak_params_t *params;
  const oak_status_t st = oak_read_declared(a->word, a->nword, a->rank, &params);
  if (st == OAK_OK && a->rank == 0) {
    oak_params_help_topic(params, "physics", stdout);
    printf("\n");
    oak_params_help_topic(params, "problem", stdout);
    printf("\nnames\n");
    for (int i = 0; i < 4; i++) printf("  %s = %s\n", named[i], oak_params_words(params, named[i]));
    printf("\noak params without a file explains all other keys.\n");
  }
  oak_params_destroy(&params);
  return st;
}

static oak_status_t params_command(oak_arguments_t *a) {
  oak_params_t *params = NULL;
  if (a->nword > 0) return list_brought(a);
  oak_status_t st = oak_params_new(&params);
  if (st == OAK_OK) st = oak_name_schemes(params);
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK && a->rank == 0) oak_params_help(params, stdout);
  oak_params_destroy(&params);
  return st;
}

const oak_command_t oak_command_params = {
    .name = "params",
    .summary = "list all parameters with defaults, ranges and meaning",
    .usage = "[FILE.ini [section.key=value ...]]",
    .help =
        "Prints all parameters with default, allowed values and meaning. With FILE.ini it prints\n"
        "the parameters that the physics and the problem of this file declare.\n",
    .most = OAK_ANY_NUMBER,
    .run = params_command};
