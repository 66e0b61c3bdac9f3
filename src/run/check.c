/* SPDX-License-Identifier: GPL-2.0-or-later
 * `oak run --check` says what a run would do. Kernels are built, the initial state is set and a few
 * steps are timed, as in a run. If the mesh of the run is large, a coarser one stands in for it:
 * memory and time then follow from the numbers of blocks. Nothing is written. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/shape.h"
#include "base/str.h"
#include "api/create.h"
#include "output/output.h"
#include "run/saving.h"
#include "solver/step/part.h"

/* ---- a coarser mesh */

enum { MOST_CELLS = 1 << 17 /* of a rank, about */ };

/* How much larger the mesh of the run is than the coarser mesh that stands in for it. */
typedef struct {
  double blocks; /* the run has so many times more blocks; with refinement, at most so many */
  double finer;  /* its cells are so many times smaller */
} scale_t;

/* Take levels away, and trees where there are no levels left. */
static oak_status_t coarsen(oak_t *sim, scale_t *scale) {
  const double most =
      fmax(1, (double)MOST_CELLS * sim->setup.size / (double)sim->setup.block.cells);
  double blocks;
  *scale = (scale_t){1, 1};
  OAK_TRY(oak_storage_check(&sim->setup, &blocks));
  while (blocks > most) {
    double finer = 2;
    scale->blocks *= blocks;
    if (sim->setup.refine.min_level > 0) {
      sim->setup.refine.min_level--;
      sim->setup.refine.max_level--;
    } else {
      for (int d = 0; d < sim->setup.dim; d++) {
        const int trees = (sim->setup.domain.trees[d] + 1) / 2;
        const double wider = (double)sim->setup.domain.trees[d] / trees;
        finer = d == 0 ? wider : fmax(finer, wider);
        sim->setup.domain.dx0[d] *= wider;
        sim->setup.domain.trees[d] = trees;
      }
    }
    OAK_TRY(oak_storage_check(&sim->setup, &blocks));
    scale->blocks /= blocks;
    scale->finer *= finer;
  }
  sim->run.most_blocks = most;
  return OAK_OK;
}

/* The run may refine the initial mesh further than this one. Collective. */
static void look_further(oak_t *sim, scale_t *scale) {
  int64_t count[OAK_MESH_MAX_LEVEL + 1];
  int lowest, highest;
  oak_mesh_levels(sim->data.mesh, &lowest, &highest, count);
  const int further = sim->setup.refine.max_level - highest;
  if (!sim->run.cut || further == 0) return;
  const double finest = (double)count[highest], all = (double)sim->data.mesh->nglobal;
  scale->blocks *= (all - finest + ldexp(finest, sim->setup.dim * further)) / all;
  scale->finer = ldexp(scale->finer, further);
  sim->setup.refine.max_level = highest; /* for the steps that are timed */
}

static int is_whole(const scale_t *scale) { return scale->finer == 1; }

/* ---- sizes */

static void print_bytes(char *out, size_t size, double bytes) {
  const char *unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int u = 0;
  for (; u < 4 && bytes >= 1000; u++) bytes /= 1024;
  snprintf(out, size, "%.3g %s", bytes, unit[u]);
}

static void print_large_mesh(const oak_t *sim, const scale_t *scale, FILE *stream) {
  const double blocks = scale->blocks * (double)sim->data.mesh->nglobal;
  char text[2][16], wide[16], shape[32];
  oak_str_count(text[0], sizeof text[0], blocks);
  oak_str_count(text[1], sizeof text[1], blocks * (double)sim->setup.block.cells);
  oak_str_count(wide, sizeof wide, scale->finer);
  fprintf(stream, "  %-9s %s%s blocks of %s cells, %s cells in all, at the start\n", "mesh",
          sim->setup.refine.active ? "at most " : "", text[0],
          oak_shape_text(sim->setup.dim, sim->setup.block.size, shape), text[1]);
  fprintf(stream, "  %-9s what follows is concluded from %lld blocks with cells %s times as wide\n",
          "", (long long)sim->data.mesh->nglobal, wide);
}

/* Collective. */
static void print_mesh(const oak_t *sim, FILE *stream) {
  int64_t blocks[OAK_MESH_MAX_LEVEL + 1];
  char cells[16], shape[32];
  int lowest, highest;
  oak_mesh_levels(sim->data.mesh, &lowest, &highest, blocks);
  if (!stream) return;
  oak_str_count(cells, sizeof cells, (double)(sim->data.mesh->nglobal * sim->setup.block.cells));
  fprintf(stream, "  %-9s %lld block%s of %s cells, %s cells in all, at the start:", "mesh",
          (long long)sim->data.mesh->nglobal, sim->data.mesh->nglobal == 1 ? "" : "s",
          oak_shape_text(sim->setup.dim, sim->setup.block.size, shape), cells);
  for (int l = lowest; l <= highest; l++)
    if (blocks[l]) fprintf(stream, " L%d:%lld", l, (long long)blocks[l]);
  fprintf(stream, "\n");
}

/* The memory of the rank that holds most, and the mean memory per block, by which memory grows with
 * the mesh. Collective. */
static void print_memory(const oak_t *sim, const scale_t *scale, FILE *stream) {
  const int64_t mine = oak_memory(sim);
  int64_t most, sum;
  char text[2][32];
  MPI_Reduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, 0, sim->setup.comm);
  MPI_Reduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, 0, sim->setup.comm);
  if (!stream) return;
  if (!is_whole(scale)) most = (int64_t)((double)sum * scale->blocks / sim->setup.size);
  print_bytes(text[0], sizeof text[0], (double)most);
  print_bytes(text[1], sizeof text[1], (double)sum / (double)sim->data.mesh->nglobal);
  fprintf(stream, "  %-9s %s%s on the fullest rank, %s for each block\n", "memory",
          is_whole(scale) ? "" : "about ", text[0], text[1]);
}

static void print_kernels(oak_t *sim, FILE *stream) {
  int built, compiled;
  char span[16];
  oak_device_builds(sim->setup.dev, &built, &compiled);
  fprintf(stream, "  %-9s ", "kernels");
  if (compiled == 0) {
    fprintf(stream, "in the cache\n");
    return;
  }
  oak_str_span(span, sizeof span, oak_timer_seconds(&sim->data.timers, OAK_PHASE_INIT));
  fprintf(stream,
          "%d of %d files compiled just now, now in the cache; start and compilation took %s\n",
          compiled, built, span);
}

/* ---- time */

enum { MOST_STEPS = 40 };
static const double most_seconds = 0.5;

/* Time some steps with the adaptations between them, after a first step that is not timed. Rank 0
 * decides after each step whether to go on. \a updates: cells updated in a step. */
static oak_status_t time_steps(oak_t *sim, double end_time, int *steps, double *seconds) {
  double begin = 0;
  int on = 1;
  *steps = 0;
  for (int n = 0; on; n++) {
    const double left = end_time - sim->data.clock.time;
    double dt;
    if (!(left > 0)) break;
    OAK_TRY(oak_run_time_step(sim, end_time, &dt));
    OAK_TRY(oak_advance(sim, dt < left ? dt : left));
    if (sim->setup.refine.every > 0 && sim->data.clock.step % sim->setup.refine.every == 0)
      OAK_TRY(oak_adjust_refinement(sim, NULL));
    OAK_TRY(oak_agree(sim->setup.comm, oak_device_sync(sim->setup.dev)));
    if (n == 0) begin = MPI_Wtime();
    *steps = n;
    *seconds = MPI_Wtime() - begin;
    on = n < MOST_STEPS && *seconds < most_seconds;
    MPI_Bcast(&on, 1, MPI_INT, 0, sim->setup.comm);
  }
  return OAK_OK;
}

/* Steps that the run needs, if the time step stays that of the first step. Some parts limit the
 * time step by the square of the cell size. */
static double count_steps(const oak_t *sim, const scale_t *scale, double end_time, long max_steps) {
  const double shorter = sim->setup.method.diffusion == OAK_DIFFUSION_EXPLICIT
                             ? scale->finer * scale->finer
                             : scale->finer;
  const double steps = ceil(end_time / oak_rates_step(sim) * shorter * (1 - 1e-12));
  return max_steps > 0 && steps > (double)max_steps ? (double)max_steps : steps;
}

static void print_estimate(double steps, int timed, double seconds, FILE *stream) {
  char count[16], span[24];
  if (timed == 0) {
    fprintf(stream, "  %-9s none: the run ends before its second step\n", "estimate");
    return;
  }
  oak_str_count(count, sizeof count, steps);
  oak_str_span(span, sizeof span, steps * seconds / timed);
  if (!strcmp(span, "-")) snprintf(span, sizeof span, "more than 250 years");
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
  const char *folder = oak_params_text(sim->setup.params, "output.folder");
  snprintf(path, sizeof path, "%s/parameters.ini", folder);
  fprintf(stream, "  %-9s %s", "folder", folder);
  if (access(path, F_OK) == 0)
    fprintf(stream, ": holds a run; --restart goes on with it, --overwrite removes it");
  else if (access(folder, F_OK) == 0 && access(folder, W_OK) != 0)
    fprintf(stream, ": cannot be written (%s)", strerror(errno));
  fprintf(stream, "\n");
}

static oak_status_t check(oak_t *sim, scale_t *scale, FILE *stream) {
  const double end_time = oak_params_real(sim->setup.params, "run.end_time");
  const long max_steps = oak_params_int(sim->setup.params, "run.max_steps");
  int timed = 0;
  double seconds = 0;
  OAK_TRY(oak_initialize(sim));
  OAK_TRY(oak_fields_check(&sim->data));
  look_further(sim, scale);
  if (is_whole(scale) && !sim->run.cut) OAK_TRY(oak_check_bodies(sim));
  const double steps = count_steps(sim, scale, end_time, max_steps);
  if (is_whole(scale))
    print_mesh(sim, stream);
  else if (stream)
    print_large_mesh(sim, scale, stream);
  print_memory(sim, scale, stream);
  if (stream) print_kernels(sim, stream);
  if (stream) oak_parts_print(sim, stream);
  OAK_TRY(oak_output_print(sim, stream));
  if (stream) {
    print_folder(sim, stream);
    fflush(stream);
  }
  OAK_TRY(time_steps(sim, end_time, &timed, &seconds));
  if (stream) print_estimate(steps, timed, seconds * scale->blocks, stream);
  return OAK_OK;
}

oak_status_t oak_check(MPI_Comm comm, oak_params_t *params, const oak_run_options_t *given) {
  oak_run_options_t run;
  oak_t *sim = NULL;
  scale_t scale;
  int rank;
  OAK_BEGIN(params);
  OAK_TRY(oak_run_options(given, &run));
  MPI_Comm_rank(comm, &rank);
  OAK_TRY(oak_run_prepare(comm, params, run.restart, &sim));
  oak_status_t st = coarsen(sim, &scale); /* the same on all ranks */
  if (st == OAK_OK) st = oak_sim_finish(&sim, run.stream);
  if (st == OAK_OK) st = check(sim, &scale, rank == 0 ? run.stream : NULL);
  oak_destroy(&sim);
  return st;
}
