/* SPDX-License-Identifier: GPL-2.0-or-later
 * What oak bench --scaling measures, for it and for the report. Private to app. */
#ifndef OAK_BENCH_SCALING_H
#define OAK_BENCH_SCALING_H

#include <oak.h>

enum { BENCH_PHASES = 12, BENCH_MOST_BLOCKS = 8, BENCH_MOST_LINES = 64 };

/** A line of the table of oak_print_wtime, without initialization and output, which a piece does
 * not have. The first is flux and update. */
typedef struct {
  const char *name, *head;
} bench_phase_t;
extern const bench_phase_t oak_bench_phases[BENCH_PHASES];

typedef struct {
  int block, ranks;
  double mcups, least, most, cells;
  double efficiency;
  double share[BENCH_PHASES]; /**< of the time, mean of the ranks */
} bench_scaling_line_t;

typedef struct {
  int weak, adaptive, side; /**< side 0: as the device allows */
  int nblock, block[BENCH_MOST_BLOCKS];
  int fewest;     /**< ranks */
  double seconds; /**< of a piece, about */
  const char *out;
  char **key;
  int nkey, rank, size;
  FILE *csv;
  int nline; /**< measured so far */
  bench_scaling_line_t line[BENCH_MOST_LINES];
} bench_scaling_t;

/** Measure all blocks and ranks; prints the table. Collective on MPI_COMM_WORLD. */
oak_status_t oak_bench_scaling_run(bench_scaling_t *s);

#endif
