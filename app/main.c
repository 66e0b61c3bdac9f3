/* SPDX-License-Identifier: GPL-2.0-or-later
 * The oak command. Thin on purpose: copy it as a start for a program of your own. */
#define _GNU_SOURCE 1
#include <oak.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

static const struct {
  const char *name;
  int (*run)(int argc, char **argv, int rank);
  const char *summary;
  int looks; /**< the command only reads files, so rank 0 works alone */
} commands[] = {
    {"run", oak_command_run, "run a simulation from a parameter file", 0},
    {"check", oak_command_check, "check the equations of a physics file on random states", 0},
    {"plot", oak_command_plot, "draw a plotfile as a PNG picture", 1},
    {"ls", oak_command_ls, "show what plotfiles hold: time, blocks, levels, range of each variable",
     1},
    {"line", oak_command_line, "print values of a plotfile along a line", 1},
    {"slice", oak_command_slice, "print values of a plotfile in a plane", 1},
    {"diff", oak_command_diff, "compare plotfiles: the largest difference of each variable", 1},
    {"bench", oak_command_bench, "measure cell updates per second on this machine", 0},
    {"info", oak_command_info,
     "show version, devices, compilers, paths, known problems and schemes", 0},
    {"params", oak_command_params, "list all parameters with defaults, ranges and meaning", 0},
    {"help", oak_command_help, "explain a command, a parameter or a page of the documentation", 0},
    {"editor", oak_command_editor, "print settings for editors, for problem files of yours", 0},
};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void print_help(void) {
  printf("oak %s: adaptive mesh refinement for hyperbolic PDEs\n\nusage:\n", OAK_VERSION);
  printf("  oak COMMAND [arguments]            one process, all its cores\n");
  printf("  mpirun -n N oak COMMAND ...        N ranks\n\ncommands:\n");
  for (int i = 0; i < NCOMMANDS; i++) printf("  %-8s %s\n", commands[i].name, commands[i].summary);
  printf("\noak COMMAND --help tells more about a command, oak help TOPIC about a topic.\n");
  printf("oak --version prints version and commit.\n\n");
  printf("A first run:   oak run rayleigh_taylor\n");
  printf("The tutorial:  oak help tutorial\n");
  printf("Your own:      oak help kernels tells how to write a problem, a C file of 20 lines\n");
}

int oak_run_command(const char *name, int argc, char **argv, int rank) {
  for (int i = 0; i < NCOMMANDS; i++)
    if (!strcmp(name, commands[i].name)) return commands[i].run(argc, argv, rank);
  return -1;
}

void oak_print_commands(FILE *stream) {
  for (int i = 0; i < NCOMMANDS; i++) fprintf(stream, " %s", commands[i].name);
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
  const int code = oak_run_command(name, argc - 2, argv + 2, rank);
  if (code >= 0) return code;
  if (rank == 0) {
    fprintf(stderr, "oak: unknown command %s; known:", name);
    oak_print_commands(stderr);
    fprintf(stderr, " (oak --help tells more)\n");
  }
  return 2;
}

/** Let the command \a name start faster if it only looks at files. Without mpirun, Open MPI starts
 * a process beside a program, which takes longer than such a command. */
static void hurry(const char *name) {
  for (int i = 0; i < NCOMMANDS; i++)
    if (commands[i].looks && !strcmp(name, commands[i].name))
      setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
}

int main(int argc, char **argv) {
  int rank, provided;
  /* A write beyond the limit of file sizes (ulimit -f) then returns an error, instead of a signal
   * that ends the program. */
  signal(SIGXFSZ, SIG_IGN);
  if (argc > 1) hurry(argv[1]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int code = dispatch(argc, argv, rank);
  MPI_Finalize();
  return code;
}
