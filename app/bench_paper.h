/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of oak bench --paper share. Private to app. */
#ifndef OAK_BENCH_PAPER_H
#define OAK_BENCH_PAPER_H

#include <oak.h>

/** Tables: two of the paper, then rows of our own: small domains, an adaptive mesh. */
typedef enum { BENCH_UNIFORM, BENCH_SMALL, BENCH_HARDWARE, BENCH_AMR } bench_table_t;
typedef enum { BENCH_NOT_RUN, BENCH_MEASURED, BENCH_SKIPPED, BENCH_FAILED } bench_state_t;

enum { BENCH_PAPER_ROWS = 64 + 4 + 6 + 1, BENCH_NAME = 80 };

typedef struct {
  bench_table_t table;
  int dim, side, block; /**< cells along a side of the domain (amr: on the finest level), a block */
  int run_side;         /**< cells along a side of what is measured in its place; 0: side */
  int rt, single;       /**< Rayleigh-Taylor, otherwise advection; single precision */
  const char *limiter;
  double paper, paper_outside; /**< GCUPS; percent of time outside flux and update; NAN: none */
  int wanted;

  bench_state_t state;
  char reason[512]; /**< why it was skipped or failed, one line */
  long steps;       /**< of a piece */
  int pieces;
  double gcups, least, most; /**< median and range of the pieces */
  double outside;            /**< percent */
  double cells, memory;      /**< memory: bytes, of all ranks */
  double stepping, seconds;  /**< seconds of all pieces; seconds of the whole row, with builds and
                                  set-up */
  int64_t blocks;
} bench_row_t;

typedef struct {
  char **user; /**< keys of the command line, for every row */
  int nuser, rank, ranks;
  const char *rows, *folder; /**< --rows, --out; NULL: not given */
  double cells;              /**< larger domains are left out; 0: all domains are measured */
  char device_text[512];
  FILE *csv; /**< on rank 0 with --out */
  double begin;
  int nrow, left_out;
  bench_row_t row[BENCH_PAPER_ROWS];
} bench_paper_t;

/** All rows with the paper's figures: pairs of advection and Rayleigh-Taylor (uniform, small), then
 * hardware: blocks of 32, 16, 8 in double, then in single precision; then amr. */
void oak_bench_paper_rows(bench_paper_t *p);
/** What a row is, in the words that --rows chooses from. \return \a name. */
const char *oak_bench_row_name(const bench_row_t *r, char name[BENCH_NAME]);

/** Measure a row, if it is wanted, and write its line of the CSV file. Fails only if every row
 * would fail. */
oak_status_t oak_bench_run_row(bench_paper_t *p, bench_row_t *r);

/** The device of the user's keys. It stays open, since starting a GPU for every row takes long. */
oak_status_t oak_bench_open_device(const bench_paper_t *p, oak_device_t **device);
/** Make a folder and those above it. */
oak_status_t oak_bench_make_folder(const char *folder);

/** Run all wanted rows and print them in the paper's tables. */
oak_status_t oak_bench_paper_tables(bench_paper_t *p);
/** Print the rows in which oak is less than three times as fast as the paper's code. */
void oak_bench_paper_summary(bench_paper_t *p);

/** On rank 0 with --out: make the folder, begin FOLDER/paper.csv. */
oak_status_t oak_bench_csv_open(bench_paper_t *p);
void oak_bench_csv_row(const bench_paper_t *p, const bench_row_t *r);
oak_status_t oak_bench_csv_close(bench_paper_t *p);

/** Problem, mesh and scheme of a row, then the user's keys. */
oak_status_t oak_bench_set_row(const bench_row_t *r, char **user, int nuser, oak_params_t *params);

#endif
