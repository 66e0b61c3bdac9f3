/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak run and oak params. */
#include <oak.h>
#include <string.h>

#include "commands.h"

static void run_help(void) {
  printf(
      "usage: oak run FILE.ini [section.key=value ...]\n\n"
      "Runs the simulation that FILE.ini describes. Assignments on the command line win over the "
      "file.\n"
      "If there is no such file, the one of that name that comes with oak is taken; oak info lists "
      "them.\n"
      "Output goes to output.folder: pictures, AMReX plotfiles (ParaView, VisIt, yt), "
      "diagnostics.csv and\n"
      "parameters.ini, which holds every parameter of the run.\n\n"
      "options:\n"
      "  --quiet   print nothing but errors\n"
      "  --help    this text; `oak params` explains all keys\n\n"
      "examples:\n"
      "  oak run rayleigh_taylor\n"
      "  mpirun -n 4 oak run rayleigh_taylor mesh.max_level=6 run.end_time=0.5\n"
      "  oak run my.ini problem.name=./my_problem.c device.threads=8\n");
}

int oak_report_failure(int rank) {
  fflush(stdout);
  if (rank == 0) fprintf(stderr, "oak: error: %s\n", oak_last_error());
  return 1;
}

static oak_status_t run(const char *name, int nset, char **set, FILE *stream, int rank) {
  char file[PATH_MAX];
  oak_params_t *params;
  oak_t *sim = NULL;
  OAK_TRY(oak_find_parameters(name, file, rank));
  if (rank == 0 && stream && strcmp(file, name)) fprintf(stream, "parameters from %s\n", file);
  OAK_TRY(oak_params_new(&params));
  oak_status_t st = oak_params_read(params, MPI_COMM_WORLD, file);
  for (int i = 0; i < nset && st == OAK_OK; i++)
    st = oak_params_assign(params, set[i], "command line");
  if (st == OAK_OK) st = oak_create(MPI_COMM_WORLD, params, &sim);
  if (st == OAK_OK) st = oak_run(sim, stream);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}

int oak_command_run(int argc, char **argv, int rank) {
  FILE *stream = stdout;
  int n = 0; /* arguments that are not options, moved to the front */
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      if (rank == 0) run_help();
      return 0;
    }
    if (!strcmp(argv[i], "--quiet")) {
      stream = NULL;
    } else if (argv[i][0] == '-') {
      if (rank == 0) fprintf(stderr, "oak run: unknown option %s; see oak run --help\n", argv[i]);
      return 2;
    } else {
      argv[n++] = argv[i];
    }
  }
  if (n == 0) {
    if (rank == 0) fprintf(stderr, "oak run: no parameter file given; see oak run --help\n");
    return 2;
  }
  return run(argv[0], n - 1, argv + 1, stream, rank) == OAK_OK ? 0 : oak_report_failure(rank);
}

int oak_command_params(int argc, char **argv, int rank) {
  const int help = argc > 0 && !strcmp(argv[0], "--help");
  const int markdown = argc > 0 && !strcmp(argv[0], "--markdown");
  oak_params_t *params;
  if (help || (argc > 0 && !markdown)) {
    if (rank == 0)
      printf("usage: oak params [--markdown]\n\nPrints the reference of all parameters.\n");
    return help ? 0 : 2;
  }
  if (oak_params_new(&params) != OAK_OK) return oak_report_failure(rank);
  if (rank == 0) oak_params_help(params, stdout, markdown);
  oak_params_destroy(&params);
  return 0;
}
