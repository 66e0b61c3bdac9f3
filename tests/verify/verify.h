/* SPDX-License-Identifier: GPL-2.0-or-later
 * What verification cases share. A case runs problems through the public library, as a user would.
 * It measures, and puts every number beside an independent reference: an exact solution, a
 * published number, or a second computation. The numbers go to CSV files in the case's folder;
 * report.py turns them into tables and figures.
 *
 * Cases run on any number of ranks; all functions are collective. A library call that fails ends
 * the program, because nothing can be verified then. */
#ifndef OAK_VERIFY_H
#define OAK_VERIFY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oak.h>

/** One run of the program. */
typedef struct {
  int full;           /**< 0: small resolutions, as in the tests; 1: those of the report */
  const char *folder; /**< of all cases */
  const char *name;   /**< of the case that runs */
  int rank, size;     /**< of MPI_COMM_WORLD, on which everything runs */
  int checked, failed;
  FILE *checks;     /**< rank 0: checks.csv of the case */
  char device[256]; /**< what ran the kernels */
  int fuses;        /**< it contracts a * b + c whatever device.flags says */
  char **key;       /**< "section.key=value" of the command line, for every simulation */
  int nkey;
} verify_t;

typedef struct {
  const char *name, *title;
  const char *source; /**< where the problem and its reference values come from */
  void (*run)(verify_t *v);
} verify_case_t;

/** Run a case: it writes to the folder v->folder/NAME. */
void verify_run_case(verify_t *v, const verify_case_t *c);

/* ---- numbers */

/** Put a number beside its reference; it passes if low <= value <= high (NaN fails). `reference`
 * is what theory or literature says (NAN: there is no single number), `source` where that is
 * written; `what` is printf-like. */
__attribute__((format(printf, 7, 8))) void verify_check(verify_t *v, double value, double reference,
                                                        double low, double high, const char *source,
                                                        const char *what, ...);
/** The source of bounds that come from an earlier result of oak. The report counts such numbers. */
extern const char verify_measured[];
/** The number is within 5 % of an earlier one of oak itself. */
#define verify_regression(v, value, before, ...) \
  verify_check((v), (value), NAN, 0.95 * (before), 1.05 * (before), verify_measured, __VA_ARGS__)

/** A table of the case: NAME.csv with this line of column names. NULL on ranks other than 0. */
FILE *verify_table(verify_t *v, const char *name, const char *columns);
/** One line of it, printf-like; also on the terminal. Does nothing if table is NULL. */
__attribute__((format(printf, 2, 3))) void verify_row(FILE *table, const char *format, ...);
void verify_close(FILE *table);

/** Observed order of convergence from errors on grids that differ by `ratio` in cell width. */
double verify_order(double coarse_error, double fine_error, double ratio);

/* ---- simulations */

typedef struct {
  verify_t *v;
  oak_params_t *params;
  oak_t *sim;
  int dim, n, nvar;
  int cells; /**< of a block */
} sim_t;

/** A simulation from the parameter file `ini` (from the top folder, such as "problems/sod.ini";
 * NULL: none), then lines "key=value\n", then the command line's keys. Output is off; the mesh is
 * not initialised. */
__attribute__((format(printf, 3, 4))) sim_t verify_new(verify_t *v, const char *ini,
                                                       const char *format, ...);
void verify_free(sim_t *s);

/** Set the initial condition and take steps until `end`, with the adaptations that the keys ask
 * for; the last step is shortened. */
void verify_run(sim_t *s, double end);
/** Take steps from the present time until `end`. */
void verify_continue(sim_t *s, double end);

/** The number of cells of the present mesh, divided by that of a uniform mesh at its highest
 * level. */
double verify_cell_fraction(const sim_t *s);

/** Values of one variable (conserved, then primitive) in the blocks of this rank,
 * [block][cell]; the caller frees them. */
double *verify_read(const sim_t *s, int variable);
/** Index of a variable by name; primitive names first, as physicists think in them. */
int verify_variable(const sim_t *s, const char *name);
/** Centre of cell c of a local block; coordinates beyond the dimension are 0. Returns the cell's
 * volume. */
double verify_cell(const sim_t *s, int block, int c, double x[3]);

/** The exact value at x. */
typedef double verify_exact_t(const double x[3], double t, const void *data);

typedef struct {
  double l1, l2, linf; /**< means over the volume: sum |e| V / sum V, sqrt(sum e^2 V / sum V) */
} verify_error_t;

/** Error of one variable against a function of cell centres, at the simulation's time. */
verify_error_t verify_error(const sim_t *s, int variable, verify_exact_t *exact, const void *data);

/** L1 mean of the difference in one variable between two simulations of the same domain, both
 * brought to the uniform grid of `level` first. */
double verify_difference(const sim_t *a, const sim_t *b, int variable, int level);

/** How an adaptive run differs from the run on the uniform mesh of its finest level. */
typedef struct {
  double difference, updates; /**< L1 of a variable; cell updates, relative */
} verify_amr_t;

/** Compare the two, with upper bounds. `name` begins the names of the numbers. */
verify_amr_t verify_amr(verify_t *v, const char *name, const sim_t *uniform, const sim_t *amr,
                        int variable, int level, verify_amr_t most);

/** Run until `end` and compare with the initial state: the root of the sum over the first `nvar`
 * variables of squared L1 means. */
double verify_change(sim_t *s, int nvar, double end);

/** All values of one variable as averages on the uniform grid of `level`, x fastest, on every rank;
 * the caller frees them. \param [out] size cells along each axis. */
double *verify_uniform(const sim_t *s, int variable, int level, int size[3]);

/** PNG picture NAME.png in the case's folder. low == high: the range of the values. */
void verify_picture(sim_t *s, const char *name, const char *variable, double low, double high);

/* ---- reductions over ranks */
double verify_sum(double x);
/** The largest value; infinite if a value is NaN, so that every bound fails. */
double verify_max(double x);
double verify_min(double x);

/* Ends the program on all ranks with the library's message. */
void verify_must(oak_status_t status, const char *call, const char *file, int line);
#define MUST(call) verify_must((call), #call, __FILE__, __LINE__)

#endif
