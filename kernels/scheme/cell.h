/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fluxes through the faces of a cell become its new state: net fluxes, sources, CELL_TERMS, the
 * Runge-Kutta combination, the rate that bounds the time step, the check of the state. A stage is
 *
 *   out = dt L(u) + sum_i w_i prev_i                        (paper, eq. feuler)
 */
#pragma once

#include "kernels/access/rounding.h"
#include "kernels/scheme/curved.h"
#include "kernels/scheme/edges.h"
#include "kernels/scheme/faces.h"

#define OAK_HAS_OWN_RATE \
  (OAK_HAS_physics_timestep || OAK_HAS_problem_timestep || OAK_DIFFUSION == 1)

/* oak_flux_user_t: the arguments of the flux kernels. They have all user data if a hook needs a
 * position, else only the parameters of the physics. */
#if OAK_HAS_physics_source || OAK_HAS_problem_source || OAK_HAS_OWN_RATE
typedef oak_user_t oak_flux_user_t;
OAK_FN oak_flux_user_t oak_flux_user(const oak_field_t *f) { return oak_user(f); }
#else
typedef struct {
  physics_parameters_t physics;
} oak_flux_user_t;
OAK_FN oak_flux_user_t oak_flux_user(const oak_field_t *f) {
  const oak_flux_user_t user = {oak_physics(f)};
  return user;
}
#endif

/* cell_t: a cell in a stage. The caller sets its place and its primitive state q[]. */
typedef struct {
  long block;
  int x[3];
  real q[NVAR];
  sum_t change[NVAR], sources[NVAR]; /* rates of u: by net fluxes; by sources */
  real speed[3][2];                  /* wave speeds at the faces */
  metric_t metric;
#if OAK_CURL
  turns_t turns;
#endif
} cell_t;

/* Add source terms of physics and problem. */
OAK_FN void add_sources(const oak_field_t *f, const oak_flux_user_t *user, const cell_t *c,
                        real source[]) {
#if OAK_HAS_physics_source || OAK_HAS_problem_source
  const oak_at_t at = oak_place_inside(f, user, c->block, c->x[0], c->x[1], c->x[2]);
#if OAK_HAS_physics_collect
  if (oak_is_solid(c->q[SOLID_VAR])) return;
#endif
#if OAK_HAS_physics_source
  physics_source(&at, c->q, source);
#endif
#if OAK_HAS_problem_source
  problem_source(&at, c->q, source);
#endif
#else
  (void)f, (void)user, (void)c, (void)source;
#endif
}

/* Inverse sizes: 1 / the size of a cell in coordinates, along each axis. */
OAK_FN void inverse_sizes(const oak_field_t *f, long block, sum_t inv_dx[3]) {
  OAK_FOR(d, OAK_DIM) inv_dx[d] = (sum_t)oak_inv_dx(f, f->block[block].level, d);
}

/* Start a cell: sources and metric. */
OAK_FN void start_cell(const oak_field_t *f, const oak_flux_user_t *user, cell_t *c) {
  real source[NVAR];
  OAK_FOR(v, NVAR) source[v] = 0;
  add_sources(f, user, c, source);
  c->metric = cell_metric(f, &user->physics, c->block, c->x[0], c->x[1], c->q);
  OAK_FOR(v, NVAR) c->sources[v] = source[v];
}

/* Add the fluxes through the lower and the upper face across axis `dir`. The caller takes the axes
 * in their order. inv_dx: 1 / the size of the cell in coordinates. */
OAK_FN void add_fluxes(const physics_parameters_t *ph, cell_t *c, int dir, sum_t inv_dx,
                       const real lower[NFLUX], const real upper[NFLUX]) {
  OAK_FOR(v, NVAR) {
    const sum_t net = net_flux(&c->metric, v, dir, lower[v], upper[v]) * inv_dx;
    c->change[v] = dir ? c->change[v] + net : net;
  }
  c->speed[dir][0] = lower[NVAR];
  c->speed[dir][1] = upper[NVAR];
#if OAK_CURL
  OAK_FOR(a, 3) {
    c->turns.turn[dir][0][a] = lower[OAK_FACE_VECTOR + a];
    c->turns.turn[dir][1][a] = upper[OAK_FACE_VECTOR + a];
  }
  c->turns.part[dir][0] = 1 - lower[LOWER_PART];
  c->turns.part[dir][1] = upper[LOWER_PART];
#endif
  if (PHYSICS_SIDES) {
    const real inv_size = per_size(&c->metric, dir, 1, (real)inv_dx);
    real r[NVAR];
    OAK_FOR(v, NVAR) r[v] = 0;
    physics_cell_terms(ph, c->q, lower + RIGHT_SIDE, upper + LEFT_SIDE, dir, r);
    OAK_FOR(v, NVAR) c->sources[v] += r[v] * inv_size;
  }
}

/* The rate of diffusion at a cell: forward Euler steps are stable up to its inverse. A diffusivity
 * that is negative or not finite stops the run. */
#if OAK_DIFFUSION
OAK_FN double diffusion_rate(const oak_at_t *at, const real q[]) {
  double d = 0, rate = 0;
#if OAK_HAS_physics_diffusive_flux
  d += oak_physics_diffusivity(at, q);
#endif
#if OAK_HAS_problem_diffusive_flux
  d += problem_diffusivity(at, q);
#endif
  OAK_FOR(n, OAK_DIM) rate += d * (2 / (at->dx[n] * at->dx[n])); /* one division in all cells */
  rate += turning_rate(at, d);
  return oak_is_solid(q[SOLID_VAR]) ? 0 : rate >= 0 ? rate : INFINITY;
}
#endif

/* The rate of a cell that bounds the time step, from its waves, diffusion and the limits of hooks.
 * The time step is cfl divided by the largest rate of all cells. The limit of a hook is not
 * multiplied by cfl: it enters as cfl / limit. A limit that is not positive stops the run. */
OAK_FN real cell_rate(const oak_flux_args_t *s, const oak_flux_user_t *user, const cell_t *c,
                      const sum_t inv_dx[3]) {
  real total = 0;
  OAK_FOR(dir, OAK_DIM) {
    const real speed = OAK_MAX(c->speed[dir][0], c->speed[dir][1]);
    total += per_size(&c->metric, dir, speed, (real)inv_dx[dir]);
  }
#if OAK_HAS_OWN_RATE
  double hooks = 0;
  const oak_at_t at = oak_place_inside(&s->f, user, c->block, c->x[0], c->x[1], c->x[2]);
#if OAK_DIFFUSION == 1
  total += (real)diffusion_rate(&at, c->q);
#endif
#if OAK_HAS_physics_timestep
  const double physics = physics_timestep(&at, c->q), most = s->cfl / physics;
  hooks = physics > 0 ? most : INFINITY;
#endif
#if OAK_HAS_problem_timestep
  const double problem = problem_timestep(&at, c->q), other = s->cfl / problem;
  hooks = OAK_MAX(hooks, problem > 0 ? other : INFINITY);
#endif
  /* a select, since a branch keeps the compiler from vectorizing the loop over cells */
  total = oak_is_solid(c->q[SOLID_VAR]) ? 0 : OAK_MAX(total, (real)hooks);
#endif
  (void)s, (void)user;
  return total;
}

/* earlier_t: for each earlier state, its first variable p[] in a cell, and the stride next[] from
 * variable to variable. */
typedef struct {
  const store_t *p[OAK_NPREV];
  int next[OAK_NPREV];
} earlier_t;

OAK_FN earlier_t earlier_states(const oak_flux_args_t *s, const cell_t *c) {
  earlier_t e;
  OAK_FOR(n, OAK_NPREV) {
    e.p[n] = s->prev[n] + c->block * OAK_BLOCK_REALS + OAK_INDEX(c->x[0], c->x[1], c->x[2]);
    e.next[n] = OAK_CELLS;
  }
  return e;
}

/* Restore what a stage must not change in u[] from the state at p. A solid cell keeps its state;
 * with COLLECT the hook decides which inflow stays. Fixed variables are the same in all Runge-Kutta
 * states. */
OAK_FN void keep_state(const physics_parameters_t *ph, const store_t *p, int next, sum_t u[]) {
  const int solid = oak_is_solid((real)p[SOLID_VAR * next]);
  if (NSOLID) u[SOLID_VAR] = p[SOLID_VAR * next];
#if OAK_HAS_physics_collect
  if (solid) physics_collect(ph, u);
#else
  (void)ph;
  OAK_FOR(v, NVAR) u[v] = solid ? p[v * next] : u[v];
#endif
#define OAK_KEEP_FIELD(variable, name) u[variable] = p[(variable)*next];
  OAK_FIXED(OAK_KEEP_FIELD)
}

/* The state u[] of a cell after the stage; 1 if it is valid. `number`: oak_cell_number. With
 * FACE_VECTOR the check comes later, when the means of the vector on faces are known. */
OAK_FN int new_state(const oak_flux_args_t *s, const physics_parameters_t *ph, const cell_t *c,
                     earlier_t e, unsigned number, sum_t u[NVAR]) {
  real q[NVAR];
  OAK_FOR(v, NVAR) {
    sum_t change = c->change[v];
#if OAK_DIFFUSION == 1
    change += s->diffusion[c->block * OAK_BLOCK_REALS + v * OAK_CELLS +
                           OAK_INDEX(c->x[0], c->x[1], c->x[2])];
#endif
    u[v] = (sum_t)s->dt * (change + c->sources[v]) + (sum_t)s->w[0] * e.p[0][v * e.next[0]];
  }
  OAK_UNROLL
  for (int n = 1; n < OAK_NPREV; n++) {
    if (OAK_MANY_THREADS && n >= s->nprev) break; /* skip states of weight 0 */
    OAK_FOR(v, NVAR) u[v] += (sum_t)s->w[n] * e.p[n][v * e.next[n]];
  }
  keep_state(ph, e.p[0], e.next[0], u);
  oak_keep_bounds(ph, e.p[0][PHYSICS_MASS * e.next[0]], u);
  oak_round_result(u, number);
  OAK_FOR(v, NVAR) q[v] = (real)u[v];
  return OAK_CURL || oak_state_valid(ph, q);
}

/* Store the shares of a cell in the fields on its edges; `closed`: closed_faces. */
OAK_FN void keep_shares(const oak_flux_args_t *s, const physics_parameters_t *ph, const cell_t *c,
                        int closed) {
#if OAK_CURL
  store_t *p = s->shares + c->block * OAK_SHARES * OAK_CELLS + OAK_INDEX(c->x[0], c->x[1], c->x[2]);
  edge_shares(ph, &c->turns, c->x, c->q, closed, p, OAK_CELLS);
#else
  (void)s, (void)ph, (void)c, (void)closed;
#endif
}

/* Store a new state. Means of a vector on faces follow later, so they are left out, unless
 * oak_face_means needs the means that the fluxes of the cell give. */
OAK_FN void store_state(store_t *p, const sum_t u[]) {
#if OAK_CURL && !OAK_KEEP_PRESSURE
  OAK_FOR(v, NVAR) {
    if (v < OAK_FACE_VECTOR || v >= OAK_FACE_VECTOR + OAK_DIM) p[v * OAK_CELLS] = (store_t)u[v];
  }
#else
  oak_store(p, OAK_CELLS, u);
#endif
}
