/* SPDX-License-Identifier: GPL-2.0-or-later
 * The oak command. Thin on purpose: copy it as a start for a program of your own. */
#define _GNU_SOURCE 1
#include <oak.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

static int command_help(int argc, char **argv, int rank);

static const struct {
  const char *name;
  int (*run)(int argc, char **argv, int rank);
  const char *summary;
} commands[] = {
    {"run", oak_command_run, "run a simulation from a parameter file"},
    {"check", oak_command_check, "check the equations of a physics file on random states"},
    {"plot", oak_command_plot, "draw a plotfile as a PNG picture"},
    {"ls", oak_command_ls, "show time, blocks, levels and ranges of variables of plotfiles"},
    {"line", oak_command_line, "print values of a plotfile along a line"},
    {"slice", oak_command_slice, "print values of a plotfile in a plane"},
    {"diff", oak_command_diff, "compare plotfiles: the largest difference of each variable"},
    {"bench", oak_command_bench, "measure cell updates per second on this machine"},
    {"info", oak_command_info,
     "show version, devices, compilers, paths, known problems and schemes"},
    {"params", oak_command_params, "list all parameters with defaults, ranges and meaning"},
    {"help", command_help, "explain a command, a parameter or a page of the documentation"},
    {"editor", oak_command_editor, "print settings with which editors complete your problem files"},
};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void print_help(void) {
  printf("oak %s: adaptive mesh refinement for hyperbolic PDEs\n\nusage:\n", OAK_VERSION);
  printf("  oak COMMAND [arguments]            one process, which uses all cores\n");
  printf("  mpirun -n N oak COMMAND ...        N ranks\n\ncommands:\n");
  for (int i = 0; i < NCOMMANDS; i++) printf("  %-8s %s\n", commands[i].name, commands[i].summary);
  printf("\n`oak COMMAND --help` explains a command, `oak help TOPIC` explains a topic.\n");
  printf("`oak --version` prints version and commit.\n\n");
  printf("A first run:   oak run rayleigh_taylor\n");
  printf("The tutorial:  oak help tutorial\n");
  printf("Your problem:  oak help kernels (a problem is a C file of about 20 lines)\n");
}

/* Run a command by its name. Returns its exit code, or -1 if there is no such command. */
static int run_command(const char *name, int argc, char **argv, int rank) {
  for (int i = 0; i < NCOMMANDS; i++)
    if (!strcmp(name, commands[i].name)) return commands[i].run(argc, argv, rank);
  return -1;
}

static void print_commands(FILE *stream) {
  for (int i = 0; i < NCOMMANDS; i++) fprintf(stream, " %s", commands[i].name);
}

static void print_topics(FILE *stream) {
  fprintf(stream,
          "usage: oak help TOPIC ...\n\nPrints what is known of a topic. A topic is one of:\n\n");
  fprintf(stream, "  a command:");
  print_commands(stream);
  fprintf(stream,
          "\n  a section of the parameter file, or one key: mesh, mesh.max_level\n"
          "  a hook of a problem or physics file: INITIAL\n"
          "  a physics, a problem (oak info lists them) or a kind of output: euler, sedov, "
          "history\n"
          "  a word of the glossary: \"ghost cell\"\n");
  fprintf(stream, "  a page of the documentation:");
  oak_print_pages(stream);
  fprintf(stream, "\n");
}

/* Print what is known of a topic, on rank 0 alone. Returns 0 if nothing is. */
static int print_topic(const char *topic, const oak_params_t *params) {
  char *help[] = {"--help"};
  const int command = run_command(topic, 1, help, 0) >= 0;
  if (command) printf("\n");
  if (oak_print_topic(topic, params, command) || command) return 1;
  fflush(stdout);
  fprintf(stderr, "oak help: nothing is known of '%s'\n\n", topic);
  print_topics(stderr);
  return 0;
}

/* oak help: it is here because it needs the list of commands. */
static int command_help(int argc, char **argv, int rank) {
  oak_params_t *params;
  int found = 1;
  if (argc == 0 || !strcmp(argv[0], "--help")) {
    if (rank == 0) print_topics(stdout);
    return 0;
  }
  if (oak_agree(MPI_COMM_WORLD, oak_params_new(&params)) != OAK_OK) return oak_report_failure(rank);
  for (int i = 0; i < argc && rank == 0; i++) {
    if (i > 0) printf("\n");
    found &= print_topic(argv[i], params);
  }
  oak_params_destroy(&params);
  MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return found ? 0 : 2;
}

static int dispatch(int argc, char **argv, int rank) {
  const char *name = argc > 1 ? argv[1] : "--help";
  if (!strcmp(name, "--version")) {
    if (rank == 0) oak_print_version();
    return 0;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || (!strcmp(name, "help") && argc == 2)) {
    if (rank == 0) print_help();
    return argc > 1 ? 0 : 2;
  }
  const int code = run_command(name, argc - 2, argv + 2, rank);
  if (code >= 0) return code;
  if (rank == 0) {
    fprintf(stderr, "oak: unknown command %s; known:", name);
    print_commands(stderr);
    fprintf(stderr, " (see oak --help)\n");
  }
  return 2;
}

/** Let Open MPI start fast where no launcher started this process. It would start a process beside
 * it, open the libraries of networks, which takes a second, and share a folder in /tmp with all
 * such programs, which fails now and then if several start or end at once. */
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
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int code = dispatch(argc, argv, rank);
  MPI_Finalize();
  return code;
}
