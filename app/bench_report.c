/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --report: every table and figure of the paper's evaluation, measured here, in one HTML
 * file. */
#include "bench_report.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "commands.h"

static void print_help(void) {
  printf(
      "usage: oak bench --report [--quick] [--out FOLDER] [section.key=value ...]\n"
      "       mpirun -n RANKS oak bench --report ...\n"
      "\n"
      "Measures all tables and figures of the evaluation in the foap4 paper and writes\n"
      "FOLDER/report.html, with plots, and FOLDER/figures.csv: speed on uniform meshes, other\n"
      "hardware, what an adaptive mesh costs, strong and weak scaling, where the time goes,\n"
      "convergence, flux fixing. Every figure stands beside the paper's. The head says machine "
      "and\n"
      "versions. Scaling is measured on 1, 2, 4, ... of the RANKS.\n"
      "\n"
      "On a GPU the domains are those of the paper (about five minutes on an H100). On CPUs the "
      "speed\n"
      "is measured on 128^3 cells and, in 2D, on 1024^2.\n"
      "\n"
      "  --quick        some of the cases, on CPUs with 64^3 and 512^2 cells: within two minutes\n"
      "  --out FOLDER   output/bench_report\n");
}

static oak_status_t read_options(bench_report_t *r, int argc, char **argv) {
  r->key = argv; /* keys are moved to the front */
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "--quick")) {
      r->quick = 1;
    } else if (!strcmp(argv[i], "--out") && i + 1 < argc && *argv[i + 1]) {
      r->folder = argv[++i];
    } else {
      OAK_CHECK(argv[i][0] != '-', OAK_ERR_INPUT,
                "oak bench --report: %s: unknown or without its value; known: --quick --out --help",
                argv[i]);
      r->key[r->nkey++] = argv[i];
    }
  }
  return OAK_OK;
}

static oak_status_t measure(bench_report_t *r) {
  oak_device_t *device;
  r->paper.user = r->key;
  r->paper.nuser = r->nkey;
  r->paper.rank = r->rank;
  r->paper.ranks = r->ranks;
  OAK_TRY(oak_bench_open_device(&r->paper, &device));
  oak_device_ops(device)->describe(device, r->device_text, sizeof r->device_text);
  r->gpu = !oak_device_ops(device)->host_memory;
  oak_status_t st = oak_agree(MPI_COMM_WORLD, oak_report_open(r));
  if (st == OAK_OK) st = oak_report_tables(r);
  if (st == OAK_OK) st = oak_report_scaling(r);
  if (st == OAK_OK) st = oak_report_accuracy(r);
  const oak_status_t closed = oak_agree(MPI_COMM_WORLD, oak_report_close(r));
  oak_device_close(&device);
  return st == OAK_OK ? closed : st;
}

int oak_bench_report(int argc, char **argv, int rank) {
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") && strcmp(argv[i], "-h")) continue;
    if (rank == 0) print_help();
    return 0;
  }
  bench_report_t *r = calloc(1, sizeof *r);
  oak_status_t st = r ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for the report");
  if (oak_agree(MPI_COMM_WORLD, st) != OAK_OK) {
    free(r);
    return oak_report_failure(rank);
  }
  r->folder = "output/bench_report";
  r->rank = rank;
  MPI_Comm_size(MPI_COMM_WORLD, &r->ranks);
  r->begin = MPI_Wtime();
  int code = read_options(r, argc, argv) == OAK_OK ? 0 : 2;
  if (!code) code = measure(r) != OAK_OK;
  if (code)
    oak_report_failure(rank);
  else if (rank == 0)
    printf("\nReport: %s/report.html; all figures: %s/figures.csv (%.0f s)\n", r->folder, r->folder,
           MPI_Wtime() - r->begin);
  free(r);
  return code;
}
