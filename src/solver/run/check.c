/* SPDX-License-Identifier: GPL-2.0-or-later
 * `oak run --check` says what a run would do. Kernels are built and the initial state is set, as a
 * run does. A few steps are then timed. Nothing is written. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "solver/output/output.h"
#include "solver/part.h"

/* ---- sizes */

static void print_bytes(char *out, size_t size, double bytes) {
  const char *unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int u = 0;
  for (; u < 4 && bytes >= 1000; u++) bytes /= 1024;
  snprintf(out, size, "%.3g %s", bytes, unit[u]);
}

/* Collective. */
static void print_mesh(const oak_t *sim, FILE *stream) {
  int64_t blocks[OAK_MESH_MAX_LEVEL + 1];
  char cells[16];
  int lowest, highest;
  oak_mesh_levels(sim->mesh, &lowest, &highest, blocks);
  if (!stream) return;
  oak_str_count(cells, sizeof cells, (double)(sim->mesh->nglobal * sim->cells));
  fprintf(stream, "  %-9s %lld block%s of %d^%d cells, %s cells in all, at the start:", "mesh",
          (long long)sim->mesh->nglobal, sim->mesh->nglobal == 1 ? "" : "s", sim->block_size,
          sim->dim, cells);
  for (int l = lowest; l <= highest; l++)
    if (blocks[l]) fprintf(stream, " L%d:%lld", l, (long long)blocks[l]);
  fprintf(stream, "\n");
}

/* The memory of the rank that holds most, and the mean memory per block, by which memory grows with
 * the mesh. Collective. */
static void print_memory(const oak_t *sim, FILE *stream) {
  const int64_t mine = oak_memory(sim);
  int64_t most, sum;
  char text[2][32];
  MPI_Reduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, 0, sim->comm);
  MPI_Reduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, 0, sim->comm);
  if (!stream) return;
  print_bytes(text[0], sizeof text[0], (double)most);
  print_bytes(text[1], sizeof text[1], (double)sum / (double)sim->mesh->nglobal);
  fprintf(stream, "  %-9s %s on the fullest rank, %s for each block\n", "memory", text[0], text[1]);
}

static void print_kernels(oak_t *sim, FILE *stream) {
  int built, compiled;
  char span[16];
  oak_device_builds(sim->dev, &built, &compiled);
  fprintf(stream, "  %-9s ", "kernels");
  if (compiled == 0) {
    fprintf(stream, "in the cache\n");
    return;
  }
  oak_str_span(span, sizeof span, oak_timer_seconds(&sim->timers, OAK_PHASE_INIT));
  fprintf(stream,
          "%d of %d files compiled just now, now in the cache; start and compilation took %s\n",
          compiled, built, span);
}

/* ---- time */

enum { MOST_STEPS = 40 };
static const double most_seconds = 2;

/* Time some steps with the adaptations between them, after a first step that is not timed. Rank 0
 * decides after each step whether to go on. \a updates: cells updated in a step. */
static oak_status_t time_steps(oak_t *sim, double end_time, int *steps, double *seconds) {
  double begin = 0;
  int on = 1;
  *steps = 0;
  for (int n = 0; on; n++) {
    const double left = end_time - sim->clock.time, dt = oak_time_step(sim);
    if (!(left > 0)) break;
    OAK_TRY(oak_advance(sim, dt < left ? dt : left));
    if (sim->refine.every > 0 && sim->clock.step % sim->refine.every == 0)
      OAK_TRY(oak_adjust_refinement(sim, NULL));
    OAK_TRY(oak_agree(sim->comm, oak_device_sync(sim->dev)));
    if (n == 0) begin = MPI_Wtime();
    *steps = n;
    *seconds = MPI_Wtime() - begin;
    on = n < MOST_STEPS && *seconds < most_seconds;
    MPI_Bcast(&on, 1, MPI_INT, 0, sim->comm);
  }
  return OAK_OK;
}

/* Steps that the run needs, if they stay as long as the first one. */
static double count_steps(const oak_t *sim, double end_time, long max_steps) {
  const double steps = ceil(end_time / oak_time_step(sim) * (1 - 1e-12));
  return max_steps > 0 && steps > (double)max_steps ? (double)max_steps : steps;
}

static void print_estimate(double steps, int timed, double seconds, FILE *stream) {
  char count[16], span[16];
  if (timed == 0) {
    fprintf(stream, "  %-9s none: the run ends before its second step\n", "estimate");
    return;
  }
  oak_str_count(count, sizeof count, steps);
  oak_str_span(span, sizeof span, steps * seconds / timed);
  fprintf(stream,
          "  %-9s %s for %s step%s of %.3g ms, without output: measured in %d step%s from\n",
          "estimate", span, count, steps > 1 ? "s" : "", 1e3 * seconds / timed, timed,
          timed > 1 ? "s" : "");
  fprintf(stream, "  %-9s the initial state; a mesh that grows and waves that speed up need more\n",
          "");
}

/* ---- all */

static void print_folder(const oak_t *sim, FILE *stream) {
  char path[4200];
  const char *folder = oak_params_text(sim->params, "output.folder");
  snprintf(path, sizeof path, "%s/parameters.ini", folder);
  fprintf(stream, "  %-9s %s", "folder", folder);
  if (access(path, F_OK) == 0)
    fprintf(stream, ": holds a run, which only --overwrite removes");
  else if (access(folder, F_OK) == 0 && access(folder, W_OK) != 0)
    fprintf(stream, ": cannot be written (%s)", strerror(errno));
  fprintf(stream, "\n");
}

oak_status_t oak_check(oak_t *sim, FILE *stream) {
  const double end_time = oak_params_real(sim->params, "run.end_time");
  const long max_steps = oak_params_int(sim->params, "run.max_steps");
  int timed = 0;
  double seconds = 0;
  if (sim->rank != 0) stream = NULL;
  oak_print_head(sim, stream, 0);
  OAK_TRY(oak_initialize(sim));
  const double steps = count_steps(sim, end_time, max_steps);
  print_mesh(sim, stream);
  print_memory(sim, stream);
  if (stream) print_kernels(sim, stream);
  if (stream) oak_parts_print(sim, stream);
  OAK_TRY(oak_output_print(sim, stream));
  if (stream) {
    print_folder(sim, stream);
    fflush(stream);
  }
  OAK_TRY(time_steps(sim, end_time, &timed, &seconds));
  if (stream) print_estimate(steps, timed, seconds, stream);
  return OAK_OK;
}
