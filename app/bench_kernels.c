/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --kernels: what each kernel moves and computes, beside the rates at which this device
 * copies memory and multiplies and adds in the same run. A table, a CSV file and a roofline plot
 * (S. Williams, A. Waterman, D. Patterson, Commun. ACM 52 (2009) 65). */
#include <errno.h>
#include <math.h>
#include <oak.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/rates.h"
#include "bench.h"
#include "bench_paper.h"
#include "commands.h"
#include "plot_svg.h"

enum { MOST_KERNELS = 16, STEPS = 8 };

/* Additions, multiplications, divisions and square roots of the flux kernel per cell: Euler in 3D,
 * van Leer, HLL. A fused multiply-add counts twice, maxima do not count. A test compares this
 * number with the machine code (tools/count_instructions.py). */
enum { FLUX_FLOPS = 504 };

typedef struct {
  const char *folder;
  char **key;
  int nkey, rank;
  char device[512];
  double copy, fma; /* bytes and floating point operations per second, of all ranks */
  int count;
  oak_kernel_use_t use[MOST_KERNELS]; /* of all ranks; seconds: the mean */
} kernels_t;

static void print_help(void) {
  printf(
      "usage: oak bench --kernels [--out FOLDER] [section.key=value ...]\n"
      "\n"
      "Runs the 3D adaptive case and times every kernel. Bytes and floating point operations\n"
      "(flop) are those that a kernel needs at least, from a model. They stand beside the rates "
      "at\n"
      "which this device copies memory, and multiplies and adds, in the same run. The host waits\n"
      "for every kernel, so small kernels look slower than they are.\n"
      "\n"
      "Writes FOLDER/kernels.html with a roofline plot, and FOLDER/kernels.csv.\n"
      "\n"
      "Columns of the table:\n"
      "  time            share of the time of these kernels\n"
      "  B/cell          bytes per cell that is worked on, at least; flop/cell: -, if not known\n"
      "  of copy         bytes per second, relative to the rate of the copy\n"
      "  of FMA          flop per second, relative to the rate of multiply-adds\n"
      "  limit           which of both shares is larger\n"
      "\n"
      "  --out FOLDER    output/bench_kernels\n");
}

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

/* The same kernels run on all ranks, apart from those that a rank has no work for. */
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

/* ---- results */

static void print_number(double x, int width, int digits) {
  if (isnan(x) || x == 0)
    printf(" %*s", width, "-");
  else
    printf(" %*.*f", width, digits, x);
}

static void print_table(const kernels_t *k) {
  double all = 0;
  for (int i = 0; i < k->count; i++) all += k->use[i].seconds;
  printf("%s\ncopy: %.1f GB/s read and written; multiply-adds: %.1f Gflop/s\n\n", k->device,
         1e-9 * k->copy, 1e-9 * k->fma);
  printf("%-16s %8s %7s %10s %8s %9s %8s %8s %9s %8s  %s\n", "kernel", "launches", "time",
         "us/launch", "B/cell", "flop/cell", "GB/s", "of copy", "Gflop/s", "of FMA", "limit");
  for (int i = 0; i < k->count; i++) {
    const oak_kernel_use_t *u = &k->use[i];
    const double bytes = u->bytes / u->seconds, flops = u->flops / u->seconds;
    printf("%-16s %8ld %6.1f%% %10.1f %8.1f", u->name, u->launches, 100 * u->seconds / all,
           1e6 * u->seconds / (double)u->launches, u->bytes / u->cells);
    print_number(u->flops / u->cells, 9, 1);
    printf(" %8.2f %7.1f%%", 1e-9 * bytes, 100 * bytes / k->copy);
    print_number(1e-9 * flops, 9, 2);
    print_number(100 * flops / k->fma, 7, 1);
    printf("%s  %s\n", flops > 0 ? "%" : " ",
           flops / k->fma > bytes / k->copy ? "arithmetic" : "memory");
  }
}

static void write_csv(FILE *out, const kernels_t *k) {
  fprintf(out, "kernel,launches,seconds,cells,bytes,flops,copy_bytes_per_s,fma_flops_per_s\n");
  for (int i = 0; i < k->count; i++) {
    const oak_kernel_use_t *u = &k->use[i];
    fprintf(out, "%s,%ld,%.9g,%.17g,%.17g,", u->name, u->launches, u->seconds, u->cells, u->bytes);
    if (!isnan(u->flops)) fprintf(out, "%.17g", u->flops);
    fprintf(out, ",%.9g,%.9g\n", k->copy, k->fma);
  }
}

/* Speed over intensity: kernels are points below the roof, which is the rate of the copy times the
 * intensity, or the rate of multiply-adds. */
static void write_plot(FILE *out, const kernels_t *k) {
  double x[MOST_KERNELS], y[MOST_KERNELS], least = k->fma / k->copy, most = 4 * least;
  const char *name[MOST_KERNELS];
  int n = 0;
  for (int i = 0; i < k->count; i++) {
    const oak_kernel_use_t *u = &k->use[i];
    if (!(u->flops > 0)) continue;
    name[n] = u->name;
    x[n] = u->flops / u->bytes;
    y[n] = 1e-9 * u->flops / u->seconds;
    least = fmin(least, x[n] / 2);
    most = fmax(most, 2 * x[n]);
    n++;
  }
  const double roof_x[] = {least, k->fma / k->copy, most};
  const double roof_y[] = {1e-9 * k->copy * least, 1e-9 * k->fma, 1e-9 * k->fma};
  const oak_plot_series_t series[] = {
      {.name = "kernels", .style = OAK_PLOT_POINTS, .n = n, .x = x, .y = y, .point_name = name},
      {.name = "measured copy and multiply-adds",
       .style = OAK_PLOT_DASHED,
       .n = 3,
       .x = roof_x,
       .y = roof_y}};
  oak_plot_lines(
      out, &(oak_plot_t){"flop per byte", "Gflop/s", OAK_AXIS_LOG10, OAK_AXIS_LOG10, series, 2});
}

static void write_page(FILE *out, const kernels_t *k) {
  fprintf(out,
          "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>oak bench "
          "--kernels</title></head>\n<body style='font-family:sans-serif;max-width:1000px;"
          "margin:24px auto'>\n<h1>Kernels beside the rates of the device</h1>\n<p>");
  oak_html_text(out, k->device);
  fprintf(out,
          "; oak %s, commit %s</p>\n<p>Bytes and flop are what a kernel needs at least. The dashed "
          "roof is what the device did in the same run: it copied %.1f GB/s, and multiplied and "
          "added %.1f Gflop/s.</p>\n",
          OAK_VERSION, oak_commit(), 1e-9 * k->copy, 1e-9 * k->fma);
  write_plot(out, k);
  fprintf(out, "</body></html>\n");
}

static oak_status_t write_file(const kernels_t *k, const char *name,
                               void (*write)(FILE *out, const kernels_t *k)) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", k->folder, name);
  FILE *out = fopen(path, "w");
  OAK_CHECK(out, OAK_ERR_FILE, "cannot write %s: %s", path, strerror(errno));
  write(out, k);
  const int failed = ferror(out) | fclose(out);
  OAK_CHECK(!failed, OAK_ERR_FILE, "cannot write %s: is the disk full?", path);
  return OAK_OK;
}

static oak_status_t show(const kernels_t *k) {
  if (k->rank != 0) return OAK_OK;
  OAK_TRY(oak_bench_make_folder(k->folder));
  print_table(k);
  OAK_TRY(write_file(k, "kernels.csv", write_csv));
  OAK_TRY(write_file(k, "kernels.html", write_page));
  printf("\nPlot: %s/kernels.html; numbers: %s/kernels.csv\n", k->folder, k->folder);
  return OAK_OK;
}

static oak_status_t create_and_run(kernels_t *k) {
  oak_params_t *params;
  oak_t *sim = NULL;
  oak_status_t st = oak_params_new(&params);
  if (st == OAK_OK) st = oak_bench_set_case(params, BENCH_AMR16, k->key, k->nkey);
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK) st = oak_create(MPI_COMM_WORLD, params, &sim);
  if (st == OAK_OK) {
    oak_device_ops(oak_device(sim))->describe(oak_device(sim), k->device, sizeof k->device);
    st = run_kernels(k, sim, params);
  }
  if (st == OAK_OK) st = oak_agree(MPI_COMM_WORLD, show(k));
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}

static oak_status_t read_options(kernels_t *k, int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "--out") && i + 1 < argc && *argv[i + 1]) {
      k->folder = argv[++i];
      continue;
    }
    OAK_CHECK(argv[i][0] != '-', OAK_ERR_INPUT,
              "oak bench --kernels: %s: unknown or without its value; known: --out --help",
              argv[i]);
    k->key[k->nkey++] = argv[i];
  }
  return OAK_OK;
}

int oak_bench_kernels(int argc, char **argv, int rank) {
  kernels_t k = {.folder = "output/bench_kernels", .key = argv, .rank = rank};
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") && strcmp(argv[i], "-h")) continue;
    if (rank == 0) print_help();
    return 0;
  }
  if (read_options(&k, argc, argv) != OAK_OK) {
    oak_report_failure(rank);
    return 2;
  }
  return create_and_run(&k) == OAK_OK ? 0 : oak_report_failure(rank);
}
