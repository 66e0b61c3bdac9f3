/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --schemes: every limiter, every flux and single precision beside one reference run.
 * The speed of a machine drifts by more than schemes may differ. The pieces of a scheme therefore
 * alternate with pieces of the reference, and each piece is compared with the mean of the reference
 * just before and just after it. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "commands.h"

enum { MAX_LINES = 64, MAX_SETTINGS = 2 };

/* The keys by which a line of the table differs from the reference. */
typedef struct {
  char setting[MAX_SETTINGS][64];
} line_t;

typedef struct {
  line_t line[MAX_LINES];
  int nline, npiece;
  double piece[MAX_LINES * (BENCH_REPEATS + 1)]; /* all speeds of the reference */
} schemes_t;

typedef struct {
  oak_params_t *params;
  oak_t *sim;
} run_t;

static void end_run(run_t *run) {
  oak_destroy(&run->sim);
  oak_params_destroy(&run->params);
}

static oak_status_t set_keys(run_t *run, char **user, int nuser, const line_t *line) {
  OAK_TRY(oak_params_new(&run->params));
  OAK_TRY(oak_bench_set_case(run->params, BENCH_UNIFORM16, user, nuser));
  for (int i = 0; line && i < MAX_SETTINGS && *line->setting[i]; i++)
    OAK_TRY(oak_params_assign(run->params, line->setting[i], "oak bench --schemes"));
  return OAK_OK;
}

/* Start a simulation of the case with the user's keys and those of a line (NULL: the reference). */
static oak_status_t start_run(run_t *run, char **user, int nuser, const line_t *line) {
  *run = (run_t){NULL, NULL};
  OAK_TRY(oak_agree(MPI_COMM_WORLD, set_keys(run, user, nuser, line)));
  OAK_TRY(oak_create(MPI_COMM_WORLD, run->params, &run->sim));
  return oak_bench_start(run->sim, BENCH_UNIFORM16);
}

static void add_line(schemes_t *s, const char *key, const char *value, const char *other) {
  if (s->nline == MAX_LINES) return;
  line_t *line = &s->line[s->nline++];
  snprintf(line->setting[0], sizeof line->setting[0], "%s=%s", key, value);
  snprintf(line->setting[1], sizeof line->setting[1], "%s", other);
}

/* Print a line for each name except that of the reference. */
static void add_lines(schemes_t *s, const oak_params_t *reference, const char *key, char *names) {
  for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
    if (strcmp(name, oak_params_text(reference, key))) add_line(s, key, name, "");
}

static oak_status_t plan(schemes_t *s, const oak_params_t *reference) {
  char names[1024];
  OAK_TRY(oak_list_limiters(names, sizeof names));
  add_lines(s, reference, "scheme.limiter", names);
  OAK_TRY(oak_list_fluxes(oak_params_text(reference, "physics.name"), names, sizeof names));
  add_lines(s, reference, "scheme.flux", names);
  if (!strcmp(oak_params_text(reference, "scheme.precision"), "single")) return OAK_OK;
  add_line(s, "scheme.limiter", "vanleer", "scheme.precision=single");
  add_line(s, "scheme.limiter", "weno5", "scheme.precision=single");
  return OAK_OK;
}

/* mcups and ratio [BENCH_REPEATS] of the run, between pieces of the reference. */
static oak_status_t alternate(schemes_t *s, oak_t *reference, oak_t *sim, double *mcups,
                              double *ratio) {
  double seconds, before, after;
  OAK_TRY(oak_bench_piece(reference, BENCH_UNIFORM16, &seconds, &before));
  s->piece[s->npiece++] = before;
  for (int r = 0; r < BENCH_REPEATS; r++) {
    OAK_TRY(oak_bench_piece(sim, BENCH_UNIFORM16, &seconds, &mcups[r]));
    OAK_TRY(oak_bench_piece(reference, BENCH_UNIFORM16, &seconds, &after));
    s->piece[s->npiece++] = after;
    ratio[r] = mcups[r] / (0.5 * (before + after));
    before = after;
  }
  return OAK_OK;
}

static void print_line(const oak_params_t *p, double *mcups, int n, double *ratio, int nratio) {
  const double speed = oak_bench_median(mcups, n);
  printf("%-14s %-8s %-9s %8.1f %8.1f %8.1f", oak_params_text(p, "scheme.limiter"),
         oak_params_text(p, "scheme.flux"), oak_params_text(p, "scheme.precision"), speed, mcups[0],
         mcups[n - 1]);
  if (nratio) {
    const double middle = oak_bench_median(ratio, nratio);
    printf(" %8.3f %8.3f %8.3f\n", middle, ratio[0], ratio[nratio - 1]);
  } else {
    printf("    reference, %d pieces\n", n);
  }
  fflush(stdout);
}

static oak_status_t measure_lines(schemes_t *s, const run_t *reference, char **user, int nuser,
                                  int rank) {
  OAK_TRY(oak_agree(MPI_COMM_WORLD, plan(s, reference->params)));
  for (int n = 0; n < s->nline; n++) {
    run_t run;
    double mcups[BENCH_REPEATS], ratio[BENCH_REPEATS];
    oak_status_t st = start_run(&run, user, nuser, &s->line[n]);
    if (st == OAK_OK) st = alternate(s, reference->sim, run.sim, mcups, ratio);
    if (st == OAK_OK && rank == 0)
      print_line(run.params, mcups, BENCH_REPEATS, ratio, BENCH_REPEATS);
    end_run(&run);
    OAK_TRY(st);
  }
  if (rank == 0) print_line(reference->params, s->piece, s->npiece, NULL, 0);
  return OAK_OK;
}

static int bench_schemes(oak_arguments_t *a) {
  schemes_t s = {.nline = 0};
  run_t reference;
  if (a->rank == 0)
    printf("%-14s %-8s %-9s %8s %8s %8s %8s %8s %8s\n", "limiter", "flux", "precision", "MCUPS",
           "least", "most", "ratio", "least", "most");
  oak_status_t st = start_run(&reference, a->word, a->nword, NULL);
  if (st == OAK_OK) st = measure_lines(&s, &reference, a->word, a->nword, a->rank);
  end_run(&reference);
  return st == OAK_OK ? 0 : oak_report_failure(a->rank);
}

const oak_command_t oak_bench_schemes = {
    .name = "bench --schemes",
    .usage = "[section.key=value ...]",
    .help =
        "Measures every limiter, every flux and single precision, relative to van Leer with HLL\n"
        "in double precision. The case is 3D with 128^3 cells in blocks of 16^3. The pieces of a\n"
        "scheme alternate with pieces of the reference, so a drift of the machine's speed hardly\n"
        "changes the ratio.\n"
        "\n"
        "Each line is one scheme. Its columns: MCUPS with the least and the most of 5 pieces; the\n"
        "ratio to the reference with the least and the most. The last line is the reference\n"
        "itself.\n"
        "\n"
        "Keys change the case for all schemes.\n",
    .most = OAK_ANY_NUMBER,
    .run = bench_schemes};
