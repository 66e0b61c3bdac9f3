/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the benchmarks of oak bench share. Private to app. */
#ifndef OAK_BENCH_H
#define OAK_BENCH_H

#include <oak.h>

enum {
  BENCH_REPEATS = 5,
  BENCH_UNIFORM16 = 1, /**< the case 3D 128^3, blocks 16^3 */
  BENCH_AMR16 = 4      /**< the adaptive case, blocks 16^3 */
};

/** Number of cases; name of case c; whether case c sets equations of its own. */
int oak_bench_ncases(void);
const char *oak_bench_case_name(int c);
int oak_bench_case_has_equations(int c);
/** Parameters of case c, then the user's keys. */
oak_status_t oak_bench_set_case(oak_params_t *p, int c, char **user, int nuser);
/** Initial condition and the first steps, after which all memory is in use. */
oak_status_t oak_bench_start(oak_t *sim, int c);
/** Some steps of case c: how long they took and million cell updates per second and core. */
oak_status_t oak_bench_piece(oak_t *sim, int c, double *seconds, double *mcups);
/** Sorts x [n]. */
double oak_bench_median(double *x, int n);

/** oak bench --schemes. \return the exit code. */
int oak_bench_schemes(char **user, int nuser, int rank);
/** oak bench --paper, with the arguments after it. \return the exit code. */
int oak_bench_paper(int argc, char **argv, int rank);
/** oak bench --adaptive, with the arguments after it. \return the exit code. */
int oak_bench_adaptive(int argc, char **argv, int rank);
/** oak bench --elliptic, with the arguments after it. \return the exit code. */
int oak_bench_elliptic(int argc, char **argv, int rank);
/** oak bench --scaling, with the arguments after it. \return the exit code. */
int oak_bench_scaling(int argc, char **argv, int rank);
/** oak bench --compare, with the arguments after it. \return the exit code. */
int oak_bench_compare(int argc, char **argv, int rank);
/** oak bench --on-demand: the child of a comparison. \return the exit code. */
int oak_bench_on_demand(int argc, char **argv, int rank);
/** oak bench --kernels, with the arguments after it. \return the exit code. */
int oak_bench_kernels(int argc, char **argv, int rank);
/** oak bench --report, with the arguments after it. \return the exit code. */
int oak_bench_report(int argc, char **argv, int rank);

#endif
