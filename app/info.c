/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak info and oak --version. */
#include <oak.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
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

/* The names of files in a folder, on a line. */
static void print_names(const char *title, const char *folder, const char *ending) {
  oak_words_t list = oak_list_names(folder, ending);
  printf("%-10s", title);
  for (int i = 0; i < list.count; i++) printf(" %s", list.word[i]);
  oak_words_free(&list);
  printf("\n");
}

/* What keys choose by name. */
static const char *const scheme[][2] = {{"limiters", "scheme.limiter"},
                                        {"fluxes", "scheme.flux"},
                                        {"criteria", "refine.criterion"},
                                        {"boundary", "boundary.xlow"}};
enum { NSCHEMES = sizeof scheme / sizeof *scheme };

/* The names for every physics, and those that each physics adds. */
static void print_schemes(const char *title, const char *key) {
  char names[1024];
  if (oak_list_schemes(key, "", names, sizeof names) != OAK_OK) names[0] = '\0';
  const size_t common = strlen(names);
  oak_words_t physics = oak_list_names("physics", ".c");
  printf("%-10s %s", title, names);
  for (int i = 0; i < physics.count; i++)
    if (oak_list_schemes(key, physics.word[i], names, sizeof names) == OAK_OK && names[common])
      printf("; with %s also%s", physics.word[i], names + common);
  oak_words_free(&physics);
  printf("\n");
}

/* Open each known back end to see whether it works here; all ranks together. */
static void print_devices(int rank) {
  for (int i = 0; oak_device_known(i); i++) {
    const oak_device_ops_t *ops = oak_device_known(i);
    const oak_device_options_t options = {.threads = 0, .compiler = "", .flags = ""};
    oak_device_t *dev;
    char text[1024], links[1024];
    const int usable = oak_device_open(MPI_COMM_WORLD, ops->name, &options, &dev) == OAK_OK;
    if (usable) {
      ops->describe(dev, text, sizeof text);
      oak_device_transports(dev, links, sizeof links);
      oak_device_close(&dev);
    } else {
      snprintf(text, sizeof text, "%s", oak_last_error());
    }
    if (rank != 0) continue;
    printf("%-10s %s: %s%s\n", "device", ops->name, usable ? "" : "not usable: ", text);
    if (usable) printf("%-10s %s between ranks: %s\n", "", ops->name, links);
  }
}

/* The folder of compiled kernels. */
static oak_status_t info(oak_arguments_t *a) {
  const char *root;
  OAK_FREED char *cache = NULL;
  if (a->rank == 0) oak_print_version();
  OAK_TRY(oak_agree(MPI_COMM_WORLD, oak_source_root(&root)));
  OAK_TRY(oak_agree(MPI_COMM_WORLD, a->rank == 0 ? oak_cache_folder(&cache) : OAK_OK));
  print_devices(a->rank);
  if (a->rank != 0) return OAK_OK;
  printf("%-10s %s (OAK_HOME overrides)\n", "sources", root);
  printf("%-10s %s (OAK_CACHE overrides)\n", "cache", cache ? cache : "none: no home folder");
  print_names("physics", "physics", ".c");
  print_names("problems", "problems", ".c");
  print_names("oak run", "problems", ".ini");
  for (int i = 0; i < NSCHEMES; i++) print_schemes(scheme[i][0], scheme[i][1]);
  return OAK_OK;
}

const oak_command_t oak_command_info = {
    .name = "info",
    .summary = "show version, devices, compilers, paths, known problems and schemes",
    .usage = "",
    .help =
        "Prints the version, the devices and compilers that were found, the folders of sources "
        "and\n"
        "of compiled kernels, and the physics, problems, limiters and fluxes that come with oak.\n",
    .run = info};
