/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak run and oak params. */
#include <oak.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
      "  --overwrite  remove an earlier run from output.folder, which otherwise is an error\n"
      "  --trust      let FILE.ini set device.compiler and device.flags too, which can run any "
      "program\n"
      "  --quiet      print nothing but errors\n"
      "  --help       this text; `oak params` explains all keys\n\n"
      "Keys of [device] for all runs may stand in $XDG_CONFIG_HOME/oak/settings.ini, or else "
      "~/.config/oak/settings.ini.\n\n"
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
static oak_status_t find_settings(char path[4096]) {
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  struct stat info;
  int length = 0;
  if (config && config[0] == '/')
    length = snprintf(path, 4096, "%s/oak/settings.ini", config);
  else if (home && home[0] == '/')
    length = snprintf(path, 4096, "%s/.config/oak/settings.ini", home);
  if (length <= 0 || length >= 4096 || stat(path, &info) != 0) {
    path[0] = 0;
    return OAK_OK;
  }
  OAK_CHECK(S_ISREG(info.st_mode) && (info.st_uid == geteuid() || info.st_uid == 0) &&
                !(info.st_mode & (S_IWGRP | S_IWOTH)),
            OAK_ERR_INPUT,
            "%s can run any program: it must be a regular file of yours that nobody else may write "
            "(chmod go-w), or not be there",
            path);
  return OAK_OK;
}

static oak_status_t read_settings(oak_params_t *params) {
  char path[4096] = "";
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OAK_TRY(oak_agree(MPI_COMM_WORLD, rank == 0 ? find_settings(path) : OAK_OK));
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  return path[0] ? oak_params_read_settings(params, MPI_COMM_WORLD, path) : OAK_OK;
}

static oak_status_t run(const char *name, int trust, int nset, char **set,
                        const oak_run_options_t *options, int rank) {
  char file[PATH_MAX];
  oak_params_t *params;
  oak_t *sim = NULL;
  OAK_TRY(oak_find_parameters(name, file, rank));
  if (rank == 0 && options->stream && strcmp(file, name))
    fprintf(options->stream, "parameters from %s\n", file);
  oak_status_t st = oak_agree(MPI_COMM_WORLD, oak_params_new(&params));
  if (st == OAK_OK && trust) oak_params_trust(params);
  if (st == OAK_OK) st = read_settings(params);
  if (st == OAK_OK) st = oak_params_read(params, MPI_COMM_WORLD, file);
  if (st == OAK_OK) st = oak_params_assign_all(params, nset, set, "command line");
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK) st = oak_create(MPI_COMM_WORLD, params, &sim);
  if (st == OAK_OK) st = oak_run_ext(sim, options);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}

int oak_command_run(int argc, char **argv, int rank) {
  oak_run_options_t options = {.stream = stdout};
  const char *file = NULL;
  int trust = 0, n = 0; /* n: settings and what may have been meant as one, moved to the front */
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      if (rank == 0) run_help();
      return 0;
    }
    if (!strcmp(argv[i], "--quiet")) {
      options.stream = NULL;
    } else if (!strcmp(argv[i], "--trust")) {
      trust = 1;
    } else if (!strcmp(argv[i], "--overwrite")) {
      options.overwrite = 1;
    } else if (!file && argv[i][0] != '-') {
      file = argv[i];
    } else {
      argv[n++] = argv[i];
    }
  }
  if (!file) {
    if (rank == 0) fprintf(stderr, "oak run: no parameter file given; see oak run --help\n");
    return 2;
  }
  const size_t length = strlen(file);
  if (length > 2 && !strcmp(file + length - 2, ".c")) {
    if (rank == 0)
      fprintf(stderr,
              "oak run: %s is a C file: give a parameter file, which names it by problem.name or "
              "physics.name; see oak run --help\n",
              file);
    return 2;
  }
  return run(file, trust, n, argv, &options, rank) == OAK_OK ? 0 : oak_report_failure(rank);
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
  const oak_status_t st = oak_agree(MPI_COMM_WORLD, oak_params_new(&params));
  if (st == OAK_OK && rank == 0) oak_params_help(params, stdout, markdown);
  oak_params_destroy(&params);
  return st == OAK_OK ? 0 : oak_report_failure(rank);
}
