/* SPDX-License-Identifier: GPL-2.0-or-later
 * Evrard's collapse in 3D beside a solution in spherical symmetry: energies over time. The second
 * computation has Lagrangian shells and artificial viscosity (J. von Neumann, R. D. Richtmyer, J.
 * Appl. Phys. 21 (1950) 232) and shares nothing with oak. */
#include "../verify.h"

/* ---- shells: positions and velocities at edges, density, energy and pressure between them */

enum { SHELLS = 800 };
typedef struct {
  double r[SHELLS + 1], v[SHELLS + 1], inside[SHELLS + 1]; /* inside: mass within an edge */
  double mass[SHELLS], rho[SHELLS], e[SHELLS], p[SHELLS], q[SHELLS], volume[SHELLS];
  double t, dt;
} shells_t;

typedef struct {
  double kinetic, internal, potential;
} energies_t;

static double ball(double r) { return 4 * M_PI / 3 * r * r * r; }

static void shells_begin(shells_t *s) {
  *s = (shells_t){.dt = 1e-6};
  for (int i = 0; i <= SHELLS; i++) {
    s->r[i] = (double)i / SHELLS;
    s->inside[i] = s->r[i] * s->r[i];
  }
  for (int i = 0; i < SHELLS; i++) {
    s->mass[i] = s->inside[i + 1] - s->inside[i];
    s->volume[i] = ball(s->r[i + 1]) - ball(s->r[i]);
    s->rho[i] = s->mass[i] / s->volume[i];
    s->e[i] = 0.05;
    s->p[i] = 2.0 / 3 * s->rho[i] * s->e[i];
  }
}

static double edge_mass(const shells_t *s, int i) {
  return 0.5 * (s->mass[i - 1] + (i < SHELLS ? s->mass[i] : 0));
}

static void shells_step(shells_t *s, double end) {
  double next = 1.05 * s->dt;
  for (int i = 0; i < SHELLS; i++) {
    const double c = sqrt(5.0 / 3 * s->p[i] / s->rho[i]), dv = fabs(s->v[i + 1] - s->v[i]);
    next = fmin(next, 0.3 * (s->r[i + 1] - s->r[i]) / (c + 4 * dv));
  }
  next = fmin(next, end - s->t);
  const double mean = 0.5 * (s->dt + next);
  s->dt = next;
  s->t += next;
  for (int i = 1; i <= SHELLS; i++) {
    const double outer = i < SHELLS ? s->p[i] + s->q[i] : 0, inner = s->p[i - 1] + s->q[i - 1];
    const double area = 4 * M_PI * s->r[i] * s->r[i];
    s->v[i] -=
        mean * (area * (outer - inner) / edge_mass(s, i) + s->inside[i] / (s->r[i] * s->r[i]));
  }
  for (int i = 1; i <= SHELLS; i++) s->r[i] += next * s->v[i];
  for (int i = 0; i < SHELLS; i++) {
    const double before = s->volume[i], old = s->rho[i], dv = s->v[i + 1] - s->v[i];
    const double c = sqrt(5.0 / 3 * s->p[i] / old);
    s->volume[i] = ball(s->r[i + 1]) - ball(s->r[i]);
    s->rho[i] = s->mass[i] / s->volume[i];
    const double w = (s->volume[i] - before) / s->mass[i];
    s->q[i] = dv < 0 && w < 0 ? 0.5 * (old + s->rho[i]) * (2 * dv * dv - 0.3 * c * dv) : 0;
    s->e[i] = (s->e[i] - (0.5 * s->p[i] + s->q[i]) * w) / (1 + s->rho[i] * w / 3);
    s->p[i] = 2.0 / 3 * s->rho[i] * s->e[i];
  }
}

static energies_t shells_energies(const shells_t *s) {
  energies_t out = {0, 0, 0};
  for (int i = 1; i <= SHELLS; i++) out.kinetic += 0.5 * edge_mass(s, i) * s->v[i] * s->v[i];
  for (int i = 0; i < SHELLS; i++) {
    const double middle = cbrt(0.5 * (pow(s->r[i], 3) + pow(s->r[i + 1], 3)));
    out.internal += s->mass[i] * s->e[i];
    out.potential -= (s->inside[i] + 0.5 * s->mass[i]) * s->mass[i] / middle;
  }
  return out;
}

/* ---- oak */

static energies_t energies(const sim_t *s, double *momentum) {
  const int n = oak_nblocks(s->sim);
  double sum[6] = {0}, *u[5], *phi = malloc(((size_t)n * s->cells + 1) * sizeof *phi);
  for (int v = 0; v < 5; v++) u[v] = verify_read(s, v);
  MUST(oak_field_get(s->sim, "phi", oak_nblocks(s->sim), phi));
  for (int i = 0; i < n * s->cells; i++) {
    double x[3], m2 = 0;
    const double V = verify_cell(s, i / s->cells, i % s->cells, x);
    for (int d = 0; d < 3; d++) {
      m2 += u[1 + d][i] * u[1 + d][i];
      sum[3 + d] += V * u[1 + d][i];
    }
    sum[0] += V * m2 / (2 * u[0][i]);
    sum[1] += V * (u[4][i] - m2 / (2 * u[0][i]));
    sum[2] += V * fmax(u[0][i] - 1e-4, 0) * phi[i] / 2;
  }
  for (int v = 0; v < 5; v++) free(u[v]);
  free(phi);
  for (int i = 0; i < 6; i++) sum[i] = verify_sum(sum[i]);
  *momentum = fmax(fabs(sum[3]), fmax(fabs(sum[4]), fabs(sum[5])));
  return (energies_t){sum[0], sum[1], sum[2]};
}

static double total(energies_t e) { return e.kinetic + e.internal + e.potential; }

static void run(verify_t *v) {
  shells_t *shells = malloc(sizeof *shells);
  FILE *table = verify_table(v, "energies",
                             "t;kinetic;internal;potential;kinetic in shells;internal in "
                             "shells;potential in shells");
  const int steps = v->full ? 15 : 6;
  double most[3] = {0}, momentum = 0, drift = 0;
  energies_t first = {0};
  sim_t s = verify_new(v, "problems/collapse.ini", "mesh.min_level=%d\nmesh.max_level=%d\n%s",
                       v->full ? 2 : 1, v->full ? 4 : 2, v->full ? "" : "problem.cell_mass=3e-3\n");
  shells_begin(shells);
  for (int n = 0; n <= steps; n++) {
    if (n == 0)
      verify_run(&s, 1e-9);
    else
      verify_continue(&s, 0.1 * n);
    while (shells->t < oak_time(s.sim)) shells_step(shells, oak_time(s.sim));
    const energies_t a = energies(&s, &momentum), b = shells_energies(shells);
    if (n == 0) first = a;
    drift = fabs(total(a) - total(first));
    verify_row(table, "%.2f;%.4f;%.4f;%.4f;%.4f;%.4f;%.4f", oak_time(s.sim), a.kinetic, a.internal,
               a.potential, b.kinetic, b.internal, b.potential);
    most[0] = fmax(most[0], fabs(a.kinetic - b.kinetic));
    most[1] = fmax(most[1], fabs(a.internal - b.internal));
    most[2] = fmax(most[2], fabs(a.potential - b.potential));
  }
  static const char *const name[3] = {"kinetic", "internal", "potential"};
  const double bound[3] = {0.08, 0.22, 0.32};
  for (int i = 0; i < 3; i++) {
    verify_check(v, most[i], 0, 0, bound[i], "800 shells, spherical symmetry",
                 "largest difference of the %s energy until t = %.1f", name[i], 0.1 * steps);
  }
  verify_check(v, drift, 0, 0, v->full ? 0.18 : 0.05, "conservation",
               "drift of the total energy of -0.617");
  verify_check(v, momentum, 0, 0, 1e-12, "conservation", "drift of the momentum");
  verify_close(table);
  verify_free(&s);
  free(shells);
}

const verify_case_t verify_case_collapse = {
    .name = "collapse",
    .title = "Evrard's collapse of a sphere of gas",
    .source = "A. E. Evrard, Mon. Not. R. Astron. Soc. 235 (1988) 911",
    .run = run};
