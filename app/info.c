/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak info and oak --version. */
#include <dirent.h>
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

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the files in a folder of the installation that end in ending, sorted; the caller frees
 * them. */
static int list_files(const char *root, const char *folder, const char *ending, char *name[256]) {
  const size_t cut = strlen(ending);
  char path[4096];
  int n = 0;
  snprintf(path, sizeof path, "%s/%s", root, folder);
  DIR *dir = opendir(path);
  for (struct dirent *e; dir && n < 256 && (e = readdir(dir));) {
    const size_t length = strlen(e->d_name);
    if (length > cut && !strcmp(e->d_name + length - cut, ending) &&
        (name[n] = strndup(e->d_name, length - cut)))
      n++;
  }
  if (dir) closedir(dir);
  qsort(name, n, sizeof *name, compare_names);
  return n;
}

static void print_names(const char *title, const char *root, const char *folder,
                        const char *ending) {
  char *name[256];
  const int n = list_files(root, folder, ending, name);
  printf("%-10s", title);
  for (int i = 0; i < n; i++) {
    printf(" %s", name[i]);
    free(name[i]);
  }
  printf("\n");
}

/* Print the limiters, the fluxes for every physics, and the fluxes that each physics adds. */
static void print_schemes(const char *root) {
  char names[1024], *physics[256];
  if (oak_list_limiters(names, sizeof names) == OAK_OK) printf("%-10s %s\n", "limiters", names);
  if (oak_list_fluxes("", names, sizeof names) != OAK_OK) return;
  const size_t common = strlen(names);
  const int n = list_files(root, "physics", ".c", physics);
  printf("%-10s %s", "fluxes", names);
  for (int i = 0; i < n; i++) {
    if (oak_list_fluxes(physics[i], names, sizeof names) == OAK_OK && names[common])
      printf("; with %s also%s", physics[i], names + common);
    free(physics[i]);
  }
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
    print_names("physics", root, "physics", ".c");
    print_names("problems", root, "problems", ".c");
    print_names("oak run", root, "problems", ".ini");
    print_schemes(root);
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
