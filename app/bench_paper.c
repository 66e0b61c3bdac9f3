/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --paper: the rows of the paper's performance tables, measured here and printed beside
 * the paper's figures, and rows of our own (small domains, an adaptive mesh). */
#include "bench_paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"
#include "bench.h"
#include "commands.h"

/* ---- rows */

/* Keep the rows that have this word. */
static oak_status_t keep(bench_paper_t *p, const char *word, size_t n) {
  char name[BENCH_NAME];
  int known = 0;
  for (int i = 0; i < p->nrow; i++) {
    const int has = oak_str_has_word(oak_bench_row_name(&p->row[i], name), word, n);
    known |= has;
    p->row[i].wanted &= has;
  }
  OAK_CHECK(known, OAK_ERR_INPUT,
            "oak bench --paper: no row has the word '%.*s' of --rows; words are uniform hardware "
            "small amr, advection rt, 2d 3d, vanleer weno5, 2048^2 8192^2 64^3 256^3 512^3, b64 "
            "b32 b16 b8, double single",
            (int)n, word);
  return OAK_OK;
}

static oak_status_t choose_rows(bench_paper_t *p) {
  int wanted = 0;
  for (int i = 0; i < p->nrow; i++) p->row[i].wanted = 1;
  for (const char *c = p->rows; c && *c; c += strcspn(c, ","), c += *c == ',')
    OAK_TRY(keep(p, c, strcspn(c, ",")));
  for (int i = 0; i < p->nrow; i++) wanted += p->row[i].wanted;
  OAK_CHECK(wanted, OAK_ERR_INPUT, "oak bench --paper: no row has all words of --rows %s", p->rows);
  for (int i = 0; i < p->nrow && p->cells > 0; i++) {
    bench_row_t *r = &p->row[i];
    const double cells = r->table == BENCH_AMR ? r->cells : pow(r->side, r->dim);
    if (!r->wanted || cells <= p->cells) continue;
    r->wanted = 0;
    p->left_out++;
  }
  return OAK_OK;
}

/* ---- the command */

static void print_help(void) {
  printf(
      "usage: oak bench --paper [--rows WORDS] [--cells N] [--out FOLDER] [section.key=value ...]\n"
      "\n"
      "Measures the rows of the foap4 paper's performance tables for an H100: advection and\n"
      "Rayleigh-Taylor, 2D 2048^2 and 8192^2, 3D 256^3 and 512^3, blocks of 64 to 8, van Leer and\n"
      "WENO5, Heun, CFL number 0.5; and Rayleigh-Taylor 256^3 in single precision. Two cases are\n"
      "measured in addition: 64^3 cells, and an adaptive mesh.\n\n"
      "For each row the command prints GCUPS in the paper and here, their ratio, and the share of\n"
      "time outside flux and update in the paper (foap4%%) and here (oak%%). GCUPS are 10^9 cell\n"
      "updates per second of all ranks; each Runge-Kutta stage counts. The sign < marks ratios\n"
      "below 3. A row that does not fit in memory is skipped. All rows take a few minutes on an\n"
      "H100 and hours on a CPU; --cells leaves out large ones.\n\n"
      "options:\n"
      "  --rows WORDS   only rows that have all of these comma-separated words: uniform, "
      "hardware,\n"
      "                 small, amr; advection, rt; 2d, 3d; vanleer, weno5; 2048^2, 8192^2, 64^3,\n"
      "                 256^3, 512^3; b64, b32, b16, b8; double, single\n"
      "  --cells N      leave out domains of more than N cells, such as 5e6\n"
      "  --out FOLDER   write all figures to FOLDER/paper.csv; tools/draw_paper_table.py draws "
      "them\n"
      "\n"
      "Keys change every row; the paper's figures stay what they are.\n\n"
      "examples:\n"
      "  oak bench --paper --out output/paper\n"
      "  oak bench --paper --rows 3d,vanleer,rt device.name=cuda\n"
      "  oak bench --paper --cells 5e6 device.name=cpu\n");
}

/* The value of option i, which is moved on to it. */
static oak_status_t option_value(int argc, char **argv, int *i, const char **value) {
  OAK_CHECK(*i + 1 < argc && *argv[*i + 1], OAK_ERR_INPUT, "oak bench --paper: %s wants a value",
            argv[*i]);
  *value = argv[++*i];
  return OAK_OK;
}

static oak_status_t read_options(bench_paper_t *p, int argc, char **argv) {
  const char *cells = NULL;
  char *end;
  p->user = argv; /* keys are moved to the front */
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "--rows"))
      OAK_TRY(option_value(argc, argv, &i, &p->rows));
    else if (!strcmp(argv[i], "--out"))
      OAK_TRY(option_value(argc, argv, &i, &p->folder));
    else if (!strcmp(argv[i], "--cells"))
      OAK_TRY(option_value(argc, argv, &i, &cells));
    else if (argv[i][0] == '-')
      return OAK_FAIL(OAK_ERR_INPUT,
                      "oak bench --paper: unknown option %s; known: --rows --cells "
                      "--out --help",
                      argv[i]);
    else
      p->user[p->nuser++] = argv[i];
  }
  if (!cells) return OAK_OK;
  p->cells = strtod(cells, &end);
  OAK_CHECK(end != cells && !*end && p->cells > 0 && p->cells < INFINITY, OAK_ERR_INPUT,
            "oak bench --paper: --cells %s: must be a number above 0, such as 5e6", cells);
  return OAK_OK;
}

static oak_status_t run_all(bench_paper_t *p) {
  oak_device_t *device;
  OAK_TRY(oak_bench_open_device(p, &device));
  oak_device_ops(device)->describe(device, p->device_text, sizeof p->device_text);
  oak_status_t st = oak_agree(MPI_COMM_WORLD, oak_bench_csv_open(p));
  if (st == OAK_OK) st = oak_bench_paper_tables(p);
  if (st == OAK_OK) oak_bench_paper_summary(p);
  oak_status_t closed = oak_agree(MPI_COMM_WORLD, oak_bench_csv_close(p));
  oak_device_close(&device);
  return st == OAK_OK ? closed : st;
}

int oak_bench_paper(int argc, char **argv, int rank) {
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") && strcmp(argv[i], "-h")) continue;
    if (rank == 0) print_help();
    return 0;
  }
  bench_paper_t *p = calloc(1, sizeof *p);
  oak_status_t st = p ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for the rows");
  if (oak_agree(MPI_COMM_WORLD, st) != OAK_OK) {
    free(p);
    return oak_report_failure(rank);
  }
  p->rank = rank;
  MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
  p->begin = MPI_Wtime();
  oak_bench_paper_rows(p);
  int code = read_options(p, argc, argv) == OAK_OK && choose_rows(p) == OAK_OK ? 0 : 2;
  if (code == 0) code = run_all(p) != OAK_OK;
  if (code) oak_report_failure(rank);
  for (int i = 0; i < p->nrow; i++) code |= p->row[i].state == BENCH_FAILED;
  free(p);
  return code;
}
