/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak info and oak --version. */
#include <oak.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

void oak_print_version(void) {
#ifdef __clang__
  static const char compiler[] = ""; /* its version starts with its name */
#else
  static const char compiler[] = "gcc ";
#endif
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(mpi, &length);
  /* Open MPI goes on after a comma, MPICH with lines: "MPICH Version:\t4.0.2\n..." */
  mpi[strcspn(mpi, ",\n")] = 0;
  for (char *tab = mpi; (tab = strchr(tab, '\t'));) *tab = ' ';
  printf("oak %s (commit %s), built with %s%s, %s\n", OAK_VERSION, oak_commit(), compiler,
         __VERSION__, mpi);
}

static void print_names(const char *title, const char *folder, const char *ending) {
  struct dirent **list;
  const int n = oak_list_names(folder, ending, &list);
  printf("%-10s", title);
  for (int i = 0; i < n; i++) {
    printf(" %s", list[i]->d_name);
    free(list[i]);
  }
  free(list);
  printf("\n");
}

/* Print the limiters, the fluxes for every physics, and the fluxes that each physics adds. */
static void print_schemes(void) {
  char names[1024];
  struct dirent **physics;
  if (oak_list_limiters(names, sizeof names) == OAK_OK) printf("%-10s %s\n", "limiters", names);
  if (oak_list_fluxes("", names, sizeof names) != OAK_OK) return;
  const size_t common = strlen(names);
  const int n = oak_list_names("physics", ".c", &physics);
  printf("%-10s %s", "fluxes", names);
  for (int i = 0; i < n; i++) {
    const char *name = physics[i]->d_name;
    if (oak_list_fluxes(name, names, sizeof names) == OAK_OK && names[common])
      printf("; with %s also%s", name, names + common);
    free(physics[i]);
  }
  free(physics);
  printf("\n");
}

/* Open each known back end to see whether it works here; all ranks together. */
static void print_devices(int rank) {
  for (int i = 0; oak_device_known(i); i++) {
    const oak_device_ops_t *ops = oak_device_known(i);
    const oak_device_options_t options = {.threads = 0, .compiler = "", .flags = ""};
    oak_device_t *dev;
    char text[1024];
    if (oak_device_open(MPI_COMM_WORLD, ops->name, &options, &dev) != OAK_OK) {
      if (rank == 0) printf("%-10s %s: not usable: %s\n", "device", ops->name, oak_last_error());
      continue;
    }
    ops->describe(dev, text, sizeof text);
    if (rank == 0) printf("%-10s %s: %s\n", "device", ops->name, text);
    oak_device_transports(dev, text, sizeof text);
    if (rank == 0) printf("%-10s %s between ranks: %s\n", "", ops->name, text);
    oak_device_close(&dev);
  }
}

static int info(oak_arguments_t *a) {
  const char *root;
  const int rank = a->rank;
  if (rank == 0) oak_print_version();
  if (oak_agree(MPI_COMM_WORLD, oak_source_root(&root)) != OAK_OK) return oak_report_failure(rank);
  print_devices(rank);
  if (rank == 0) {
    const char *cache = getenv("OAK_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    printf("%-10s %s (OAK_HOME overrides)\n", "sources", root);
    if (cache)
      printf("%-10s %s\n", "cache", cache);
    else
      printf("%-10s %s%s (OAK_CACHE overrides)\n", "cache",
             xdg    ? xdg
             : home ? home
                    : "/tmp",
             xdg ? "/oak" : "/.cache/oak");
    print_names("physics", "physics", ".c");
    print_names("problems", "problems", ".c");
    print_names("oak run", "problems", ".ini");
    print_schemes();
  }
  return 0;
}

const oak_command_t oak_command_info = {
    .name = "info",
    .summary = "show version, devices, compilers, paths, known problems and schemes",
    .usage = "",
    .help =
        "Prints the version, the devices and compilers that were found, the folders of sources and "
        "of\n"
        "compiled kernels, and the physics, problems, limiters and fluxes that come with oak.\n",
    .run = info};
