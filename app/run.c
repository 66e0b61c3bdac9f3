/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak run and oak params. */
#include <oak.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"

static void run_help(void) {
  printf(
      "usage: oak run FILE.ini [section.key=value ...]\n"
      "\n"
      "Runs the simulation that FILE.ini describes. A key that is set on the command line has this "
      "value,\n"
      "whatever FILE.ini says. If there is no such file, oak takes the one of this name that comes "
      "with\n"
      "oak (`oak info` lists them).\n"
      "All output is in the folder output.folder: pictures, AMReX plotfiles (for ParaView, VisIt, "
      "yt),\n"
      "diagnostics.csv, and parameters.ini with every parameter of the run.\n"
      "\n"
      "options:\n"
      "  --check      say what the run would do, its memory and how long it may take; write "
      "nothing\n"
      "  --explain    say which hooks the compiler did not turn into SIMD instructions, and why;\n"
      "               run nothing\n"
      "  --debug      check what hooks return and the indices that they use (run.debug = yes); "
      "slower\n"
      "  --restart [latest|PATH]  continue from the newest intact checkpoint in output.folder, or "
      "from\n"
      "               the checkpoint PATH; what the run wrote after PATH is then kept in a "
      "folder.\n"
      "               FILE.ini may be the folder of the run: its parameters are used\n"
      "  --overwrite  remove the earlier run in output.folder first; without this option such a "
      "folder\n"
      "               is an error\n"
      "  --trust      let FILE.ini also set device.compiler and device.flags. With these keys a "
      "file\n"
      "               can start any program\n"
      "  --quiet      print errors and warnings of the compiler only\n"
      "  --help       print this text; `oak params` explains all keys\n"
      "\n"
      "exit status:\n"
      "  0  the run has reached its end\n"
      "  1  an error\n"
      "  2  wrong usage\n"
      "  3  the run ended early and wrote a checkpoint. It does so on SIGUSR1, SIGTERM or Ctrl-C, "
      "if\n"
      "     there is a file named stop in output.folder, and at run.wall_limit\n"
      "\n"
      "To set keys of [device] for all your runs, write them to $XDG_CONFIG_HOME/oak/settings.ini, "
      "or to\n"
      "~/.config/oak/settings.ini if that variable is not set.\n"
      "\n"
      "examples:\n"
      "  oak run rayleigh_taylor\n"
      "  mpirun -n 4 oak run rayleigh_taylor mesh.max_level=6 output.folder=finer\n"
      "  oak run my.ini problem.name=./my_problem.c device.threads=8\n");
}

int oak_report_failure(int rank) {
  fflush(stdout);
  if (rank == 0) fprintf(stderr, "oak: error: %s\n", oak_last_error());
  return 1;
}

/* Path of the user's own settings, "" if there are none. Rank-local. */
static void find_settings(char path[4096]) {
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  int length = 0;
  if (config && config[0] == '/')
    length = snprintf(path, 4096, "%s/oak/settings.ini", config);
  else if (home && home[0] == '/')
    length = snprintf(path, 4096, "%s/.config/oak/settings.ini", home);
  if (length <= 0 || length >= 4096 || access(path, F_OK) != 0) path[0] = 0;
}

static oak_status_t read_settings(oak_params_t *params) {
  char path[4096] = "";
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) find_settings(path);
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  return path[0] ? oak_params_read_settings(params, MPI_COMM_WORLD, path) : OAK_OK;
}

/* The parameters of a run: the user's settings, then the file, then \a setting if it is
 * not empty, then what the command line sets. */
static oak_status_t read_all(const char *file, int trust, const char *setting, int nset, char **set,
                             oak_params_t **params) {
  oak_status_t st = oak_agree(MPI_COMM_WORLD, oak_params_new(params));
  if (st == OAK_OK && trust) oak_params_trust(*params);
  if (st == OAK_OK) st = read_settings(*params);
  if (st == OAK_OK) st = oak_params_read(*params, MPI_COMM_WORLD, file);
  if (st == OAK_OK && setting[0]) st = oak_params_assign(*params, setting, "command line");
  if (st == OAK_OK) st = oak_params_assign_all(*params, nset, set, "command line");
  return oak_agree(MPI_COMM_WORLD, st);
}

/* Of this process, for end_early. */
static int own_rank;

/* Before the first step there is nothing to save: say so, and end as without this function. */
static void end_early(int number) {
  static const char text[] =
      "oak: error: a signal came before the first step, so there is no new checkpoint: start the "
      "run again in the same way\n";
  if (own_rank == 0) (void)!write(STDERR_FILENO, text, sizeof text - 1);
  raise(number); /* the action of the system is back already (SA_RESETHAND) */
}

/* Interrupted writing returns an error, as if the signal were ignored. Unlike SIG_IGN, programs
 * that are started do not inherit this. */
static void ignore(int number) { (void)number; }

/* What signals do before and after the steps, where the library has its own way. */
static void set_signals(int begins) {
  static const int ends[] = {SIGUSR1, SIGTERM, SIGINT};
  const struct sigaction pipe = {.sa_handler = ignore, .sa_flags = SA_RESTART};
  const struct sigaction early = {.sa_handler = begins ? end_early : SIG_DFL,
                                  .sa_flags = SA_RESETHAND};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    struct sigaction before;
    if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(ends[i], &early, NULL);
  }
  sigaction(SIGPIPE, &pipe, NULL);
}

/* What the command line asks for, beside keys. */
typedef struct {
  const char *file;
  int trust, check, explain, restart;
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

/* How to go on with an interrupted run: by its folder, which holds all parameters, also those of
 * the command line. Quoted for a shell where needed. */
static void print_restart(const oak_params_t *params, FILE *stream) {
  const char *folder = oak_params_text(params, "output.folder");
  const int plain = !strpbrk(folder, " \t\"'\\;*?[]{}()&|<>$`#~!") && folder[0] != '-';
  fprintf(stream, "go on with: oak run ");
  if (!plain) fprintf(stream, "%s'", folder[0] == '-' ? "./" : "");
  for (const char *c = folder; *c; c++) fprintf(stream, *c == '\'' ? "'\\''" : "%c", *c);
  fprintf(stream, "%s --restart\n", plain ? "" : "'");
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
  if (st == OAK_OK && request->explain) {
    st = oak_explain(MPI_COMM_WORLD, params, options->stream);
  } else if (st == OAK_OK && request->check) {
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
  size_t at = (size_t)snprintf(text, size, "oak run");
  for (int i = 0; i < argc && at < size; i++) {
    const char *quote = strpbrk(argv[i], " \t;*?&|<>$") ? "'" : "";
    at += (size_t)snprintf(text + at, size - at, " %s%s%s", quote, argv[i], quote);
  }
}

/* Take options and the file from the arguments. Settings, and words that may have been meant as
 * settings, are moved to the front. \return the number of settings, -1 if help is asked for */
static int read_arguments(int argc, char **argv, request_t *request) {
  static char debug[] = "run.debug=yes";
  int n = 0;
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return -1;
    if (!strcmp(argv[i], "--quiet")) {
      request->options.stream = NULL;
    } else if (!strcmp(argv[i], "--trust")) {
      request->trust = 1;
    } else if (!strcmp(argv[i], "--check")) {
      request->check = 1;
    } else if (!strcmp(argv[i], "--explain")) {
      request->explain = 1;
    } else if (!strcmp(argv[i], "--debug")) {
      argv[n++] = debug;
    } else if (!strcmp(argv[i], "--overwrite")) {
      request->options.overwrite = 1;
    } else if (!strncmp(argv[i], "--restart=", 10)) {
      request->restart = 1;
      request->options.restart = argv[i] + 10;
    } else if (!strcmp(argv[i], "--restart")) {
      request->restart = 1;
      request->options.restart = "latest";
      /* the next word is the checkpoint, unless no other word is left for the file */
      const char *next = i + 1 < argc ? argv[i + 1] : "-";
      if (next[0] != '-' && !strchr(next, '=') && request->file)
        request->options.restart = argv[++i];
    } else if (!request->file && argv[i][0] != '-') {
      request->file = argv[i];
    } else {
      argv[n++] = argv[i];
    }
  }
  return n;
}

/* \return 1 if something is wrong with a request, which is printed. */
static int has_mistake(const request_t *request, int rank) {
  const char *mistake = NULL;
  if (!request->file) {
    mistake = "no parameter file given";
  } else if (request->restart && request->options.overwrite) {
    mistake = "--restart goes on with the run that --overwrite would remove: give one of them";
  }
  if (mistake && rank == 0) fprintf(stderr, "oak run: %s; see oak run --help\n", mistake);
  return mistake != NULL;
}

int oak_command_run(int argc, char **argv, int rank) {
  char command[4096];
  request_t request = {.options = {.stream = stdout, .signals = 1, .command = command}};
  print_command(argc, argv, command, sizeof command);
  const int n = read_arguments(argc, argv, &request);
  if (n < 0) {
    if (rank == 0) run_help();
    return 0;
  }
  if (has_mistake(&request, rank)) return 2;
  int interrupted;
  own_rank = rank;
  const int steps = !request.check && !request.explain;
  if (steps) set_signals(1);
  const oak_status_t st = run(&request, n, argv, &interrupted, rank);
  if (steps) set_signals(0);
  if (st != OAK_OK) return oak_report_failure(rank);
  return interrupted ? 3 : 0;
}

/* The keys that the physics and problem of a file bring. */
static oak_status_t list_brought(const char *name, int nset, char **set, int rank) {
  char file[PATH_MAX];
  oak_params_t *params = NULL;
  OAK_TRY(oak_find_parameters(name, file, rank));
  oak_status_t st = read_all(file, 0, "", nset, set, &params);
  if (st == OAK_OK) st = oak_declare(MPI_COMM_WORLD, params);
  if (st == OAK_OK && rank == 0) {
    oak_params_help_section(params, "physics", stdout);
    printf("\n");
    oak_params_help_section(params, "problem", stdout);
    printf("\noak params without a file explains all other keys.\n");
  }
  oak_params_destroy(&params);
  return st;
}

int oak_command_params(int argc, char **argv, int rank) {
  const int help = argc > 0 && (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"));
  const int markdown = argc > 0 && !strcmp(argv[0], "--markdown");
  oak_params_t *params;
  if (help || (argc > 0 && !markdown && argv[0][0] == '-')) {
    if (rank == 0)
      printf(
          "usage: oak params [--markdown]\n       oak params FILE.ini [section.key=value ...]\n\n"
          "Prints all parameters with default, allowed values and meaning. With FILE.ini it "
          "prints\n"
          "the parameters that the physics and the problem of this file declare.\n\n"
          "  --markdown  print the page docs/parameters.md\n");
    return help ? 0 : 2;
  }
  if (argc > 0 && !markdown)
    return list_brought(argv[0], argc - 1, argv + 1, rank) == OAK_OK ? 0 : oak_report_failure(rank);
  const oak_status_t st = oak_agree(MPI_COMM_WORLD, oak_params_new(&params));
  if (st == OAK_OK && rank == 0) oak_params_help(params, stdout, markdown);
  oak_params_destroy(&params);
  return st == OAK_OK ? 0 : oak_report_failure(rank);
}
