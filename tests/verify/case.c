/* SPDX-License-Identifier: GPL-2.0-or-later
 * One case from its folder to its last line. */
#include <errno.h>
#include <sys/stat.h>

#include "verify.h"

static int make_folder(const char *path) { return mkdir(path, 0777) == 0 || errno == EEXIST; }

/* A title line for the report, and the file of checks. */
static void open_case(verify_t *v, const verify_case_t *c) {
  char path[4096];
  v->name = c->name;
  v->checks = NULL;
  if (v->rank != 0) return;
  printf("== %s: %s\n", c->name, c->title);
  fflush(stdout);
  snprintf(path, sizeof path, "%s/%s", v->folder, c->name);
  int made = make_folder(v->folder) && make_folder(path);
  snprintf(path, sizeof path, "%s/%s/case.txt", v->folder, c->name);
  FILE *f = made ? fopen(path, "w") : NULL;
  if (f) fprintf(f, "title: %s\nsource: %s\n", c->title, c->source);
  if (f) made = fclose(f) == 0;
  snprintf(path, sizeof path, "%s/%s/checks.csv", v->folder, c->name);
  v->checks = f && made ? fopen(path, "w") : NULL;
  if (!v->checks) {
    fprintf(stderr, "oak_verify: cannot write to %s/%s: %s\n", v->folder, c->name, strerror(errno));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fprintf(v->checks, "what;value;reference;low;high;passed;source\n");
}

/* What the report says about the run. If the last lines are missing, the case did not finish. */
static void close_case(verify_t *v, double seconds) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s/case.txt", v->folder, v->name);
  FILE *f = fopen(path, "a");
  if (f)
    fprintf(f, "oak: %s\ndevice: %s\nranks: %d\nresolution: %s\nseconds: %.1f\n", OAK_VERSION,
            v->device, v->size, v->full ? "full" : "test", seconds);
  if (f && fclose(f) == 0 && fclose(v->checks) == 0) return;
  fprintf(stderr, "oak_verify: cannot write to %s/%s: %s\n", v->folder, v->name, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void verify_run_case(verify_t *v, const verify_case_t *c) {
  open_case(v, c);
  const double begin = MPI_Wtime();
  c->run(v);
  const double seconds = MPI_Wtime() - begin;
  if (v->rank != 0) return;
  printf("   %.1f s\n\n", seconds);
  close_case(v, seconds);
}
