/* SPDX-License-Identifier: GPL-2.0-or-later
 * For oak bench --kernels: what each kernel moves and computes, beside the rates at which this
 * device copies memory and multiplies and adds in the same run. */
#include <math.h>
#include <oak.h>
#include <string.h>

#include "../bench/rates.h"
#include "bench.h"

enum { MOST_KERNELS = 16, STEPS = 8 };

/* Additions, multiplications, divisions and square roots of the flux kernel per cell: Euler in 3D,
 * van Leer, HLL. A fused multiply-add counts twice, maxima do not count. A test compares this
 * number with the machine code (tests/count_instructions.py). */
enum { FLUX_FLOPS = 504 };

typedef struct {
  double copy, fma; /* bytes and floating point operations per second, of all ranks */
  int count;
  oak_kernel_use_t use[MOST_KERNELS]; /* of all ranks; seconds: the mean */
} kernels_t;

/* ---- rates */

/* The best of some launches, in seconds. */
static oak_status_t best_time(oak_device_t *dev, oak_kernel_t *kernel, long n,
                              const rates_args_t *args, double *seconds) {
  *seconds = INFINITY;
  for (int r = 0; r < BENCH_REPEATS; r++) {
    const double begin = MPI_Wtime();
    OAK_TRY(oak_device_launch(dev, kernel, n, args, sizeof *args));
    OAK_TRY(oak_device_sync(dev));
    *seconds = fmin(*seconds, MPI_Wtime() - begin);
  }
  return OAK_OK;
}

/* Rates of this rank. Arrays are larger than caches. */
static oak_status_t rates_here(oak_device_t *dev, oak_kernel_t *copy, oak_kernel_t *fma,
                               double *bytes, double *flops) {
  const int gpu = !oak_device_ops(dev)->host_memory;
  const long ncopy = gpu ? 8192 : 2048, nfma = gpu ? 16896 : 64L * oak_device_threads(dev);
  void *from = NULL, *to = NULL;
  double seconds = INFINITY;
  const size_t size = (size_t)ncopy * RATE_COPY * sizeof(double);
  oak_status_t st = oak_device_alloc(dev, size, &from);
  if (st == OAK_OK) st = oak_device_alloc(dev, size, &to);
  const rates_args_t args = {.from = from, .to = to}, back = {.from = to, .to = from};
  if (st == OAK_OK) st = best_time(dev, copy, ncopy, &args, &seconds);
  if (st == OAK_OK) st = best_time(dev, copy, ncopy, &back, &seconds); /* both are touched now */
  *bytes = 2 * (double)size / seconds;
  if (st == OAK_OK) st = best_time(dev, fma, nfma, &args, &seconds);
  *flops = 2.0 * RATE_LANES * RATE_CHAINS * RATE_STEPS * (double)nfma / seconds;
  oak_device_free(dev, from);
  oak_device_free(dev, to);
  return st;
}

static oak_status_t measure_rates(kernels_t *k, oak_t *sim) {
  const char *root;
  char path[4096];
  oak_kernel_t *copy, *fma;
  double here[2] = {0, 0}, all[2];
  OAK_TRY(oak_agree(MPI_COMM_WORLD, oak_source_root(&root)));
  snprintf(path, sizeof path, "%s/bench/rates.c", root);
  OAK_TRY(oak_kernel_build(sim, path, "rate_copy", &copy));
  OAK_TRY(oak_kernel_build(sim, path, "rate_fma", &fma));
  OAK_TRY(oak_agree(MPI_COMM_WORLD, rates_here(oak_device(sim), copy, fma, &here[0], &here[1])));
  MPI_Allreduce(here, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  k->copy = all[0];
  k->fma = all[1];
  return OAK_OK;
}

/* ---- kernels */

static int flux_is_known(const oak_t *sim, const oak_params_t *p) {
  return oak_dim(sim) == 3 && !strcmp(oak_params_text(p, "physics.name"), "euler") &&
         !strcmp(oak_params_text(p, "scheme.limiter"), "vanleer") &&
         !strcmp(oak_params_text(p, "scheme.flux"), "hll");
}

/* The sums over the ranks. A rank does not list a kernel that had no work on it. */
static void gather_uses(kernels_t *k, const oak_t *sim, const oak_params_t *params) {
  oak_kernel_use_t here[MOST_KERNELS];
  const int n = oak_kernel_uses(sim, here, MOST_KERNELS);
  static const char *const names[] = {
      "flux", "halo", "refine_flags", "adapt", "fluxfix_average", "fluxfix_apply", "totals"};
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  k->count = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    double sum[5] = {0}, all[5];
    for (int u = 0; u < n; u++) {
      if (strcmp(here[u].name, names[i])) continue;
      const double mine[5] = {(double)here[u].launches, here[u].cells, here[u].seconds,
                              here[u].bytes, here[u].flops};
      memcpy(sum, mine, sizeof sum);
    }
    MPI_Allreduce(sum, all, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (!(all[0] > 0)) continue;
    if (!strcmp(names[i], "flux") && flux_is_known(sim, params)) all[4] = FLUX_FLOPS * all[1];
    k->use[k->count++] = (oak_kernel_use_t){
        names[i], (long)(all[0] / ranks), all[1], all[2] / ranks, all[3], all[4]};
  }
}

static oak_status_t run_kernels(kernels_t *k, oak_t *sim, const oak_params_t *params) {
  double total[256];
  OAK_CHECK(oak_nvar(sim) <= 256, OAK_ERR_INPUT, "oak bench --kernels: more than 256 variables");
  OAK_TRY(oak_bench_start(sim, BENCH_AMR16));
  OAK_TRY(measure_rates(k, sim));
  OAK_TRY(oak_agree(MPI_COMM_WORLD, oak_measure_kernels(sim, 1)));
  for (int s = 0; s < STEPS; s++) {
    OAK_TRY(oak_advance(sim, oak_time_step(sim)));
    if (oak_step(sim) % 4 == 0) OAK_TRY(oak_adjust_refinement(sim, NULL));
  }
  OAK_TRY(oak_totals(sim, total));
  gather_uses(k, sim, params);
  return oak_measure_kernels(sim, 0);
}

static void write_answer(const kernels_t *k, FILE *answer) {
  if (!answer) return;
  fprintf(answer, "{\"copy\":%.9g,\"fma\":%.9g,\"kernels\":[", k->copy, k->fma);
  for (int i = 0; i < k->count; i++) {
    const oak_kernel_use_t *u = &k->use[i];
    fprintf(answer,
            "%s{\"kernel\":\"%s\",\"launches\":%ld,\"seconds\":%.9g,\"cells\":%.17g,"
            "\"bytes\":%.17g,\"flops\":",
            i ? "," : "", u->name, u->launches, u->seconds, u->cells, u->bytes);
    fprintf(answer, isnan(u->flops) ? "null}" : "%.17g}", u->flops);
  }
  fprintf(answer, "]}\n");
}

oak_status_t oak_bench_kernels(int argc, char **argv, FILE *answer) {
  kernels_t k = {.count = 0};
  oak_params_t *params;
  oak_t *sim;
  oak_status_t st = oak_bench_create(BENCH_AMR16, NULL, argv, argc, &params, &sim);
  if (st == OAK_OK) st = run_kernels(&k, sim, params);
  if (st == OAK_OK) write_answer(&k, answer);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}
