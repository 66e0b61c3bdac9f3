/* SPDX-License-Identifier: GPL-2.0-or-later
 * What both forms of the flux kernel share: flux.c, which goes tile by tile, and flux_cells.h,
 * which goes cell by cell. Physics, limiters and Riemann solvers are shared too; they have files of
 * their own. */
#ifndef OAK_FLUX_COMMON_H
#define OAK_FLUX_COMMON_H

#include "kernels/access/rounding.h"
#include "kernels/hooks/user.h"
#include "numerics/riemann.h"

#define RAD OAK_RADIUS
#define GH (RAD + 1)
#if GH > OAK_NG
#error "fewer ghost layers than the limiter reads"
#endif
#ifndef OAK_TILE_X
#define OAK_TILE_X OAK_NX
#define OAK_TILE_Y OAK_NY
#endif
/* Whether the flux kernel goes cell by cell (flux_cells.h) instead of tile by tile (flux.c). On
 * GPUs this is faster in 2D with few variables: to compute a flux twice then costs less than to let
 * lanes wait for each other (docs/performance.md). */
#ifndef OAK_FLUX_CELLS
#define OAK_FLUX_CELLS (OAK_CELL_LOOPS || (OAK_MANY_THREADS && OAK_DIM == 2 && NVAR <= 2))
#endif
/* Lanes that a multiprocessor of a GPU should hold at a time. With more lanes, others work while
 * one waits; with fewer, each has more registers. Measured on an H100
 * (docs/performance.md). */
#ifndef OAK_RESIDENT_LANES
#if OAK_FLUX_CELLS
#define OAK_RESIDENT_LANES (OAK_RADIUS > 1 ? 512 : 1024)
#elif PHYSICS_NVAR > 7 /* MHD, measured on an H200 */
#define OAK_RESIDENT_LANES (sizeof(real) == 4 ? 512 : 256)
#elif OAK_DIM == 2 || NVAR <= 2
#define OAK_RESIDENT_LANES 1024
#else
#define OAK_RESIDENT_LANES (sizeof(real) == 4 ? 768 : 512)
#endif
#endif
/* RESIDENT is the number of tiles that a multiprocessor holds at a time, at most 32. It limits the
 * registers of a lane. A tile takes whole warps. */
#define TILE_LANES ((LANES + 31) / 32 * 32)
#define RESIDENT OAK_MIN(OAK_MAX(OAK_RESIDENT_LANES / TILE_LANES, 1), 32)
#define TX OAK_TILE_X
#define TY OAK_TILE_Y
#define TILES_X (OAK_NX / TX)
#define TILES (TILES_X * (OAK_NY / TY))
/* Layout of a flux: the fluxes of all variables, then the wave speed. A physics may have terms that
 * differ on both sides of a face; the values on the left and on the right side then follow. */
#ifdef PHYSICS_SIDES
#define NFLUX (NVAR + 1 + 2 * PHYSICS_SIDES)
#define LEFT_SIDE (NVAR + 1)
#define RIGHT_SIDE (NVAR + 1 + PHYSICS_SIDES)
#else
#define NFLUX (NVAR + 1)
#endif
#define OAK_HAS_OWN_RATE \
  (OAK_HAS_physics_timestep || OAK_HAS_problem_timestep || OAK_DIFFUSION == 1)

/* What the kernels of fluxes use. */
#if OAK_HAS_physics_source || OAK_HAS_problem_source || OAK_HAS_OWN_RATE
typedef oak_user_t oak_flux_user_t;
#define oak_flux_user oak_user
#else
typedef struct {
  physics_parameters_t physics;
} oak_flux_user_t;
OAK_FN oak_flux_user_t oak_flux_user(const oak_field_t *f) {
  const oak_flux_user_t user = {oak_physics(f)};
  return user;
}
#endif

/* Values of variable v at the lower and upper face of cell s[0] of a row. */
OAK_FN void reconstruct(int v, const real *s, real *lo, real *hi) {
#if NSOLID
  if (v == SOLID_VAR) {
    *lo = *hi = s[0];
    return;
  }
#endif
  oak_reconstruct(s, lo, hi);
#if NSCALARS && OAK_SCALAR_VALUES
  if (v >= PHYSICS_NVAR && v < PHYSICS_NVAR + NSCALARS) {
    *lo = oak_bounded_scalar(s[0], *lo);
    *hi = oak_bounded_scalar(s[0], *hi);
  }
#else
  (void)v;
#endif
}

/* Where the hook FLAT says so, the states lo[] and hi[] of a cell at its faces are its mean.
 * TAKE_NEAR collects variable v of the cell s[0] of a row and of its neighbours. */
#if OAK_HAS_physics_flat && OAK_RADIUS > 0
#define NEAR_CELLS(near) real near[3][NVAR]
#define TAKE_NEAR(near, v, s) ((near)[0][v] = (s)[-1], (near)[1][v] = (s)[0], (near)[2][v] = (s)[1])
OAK_FN void flatten(real near[3][NVAR], real lo[], real hi[]) {
  const int flat = physics_flat(near[0], near[1], near[2]);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++)
    lo[v] = flat ? near[1][v] : lo[v], hi[v] = flat ? near[1][v] : hi[v];
}
#else
#define NEAR_CELLS(near) ((void)0)
#define TAKE_NEAR(near, v, s) ((void)0)
#define flatten(near, lo, hi) ((void)0)
#endif

#if defined PHYSICS_SIDES || OAK_HAS_FIXED || NSOLID
#define OAK_FACES_DIFFER 1
/* As oak_riemann, but with walls, and with the values that differ on both sides of the face. Fields
 * in the state have no flux. */
OAK_FN real face_flux(const physics_parameters_t *ph, const real left[], const real right[],
                      int dir, real f[]) {
#if NSOLID
  real ql[NVAR], qr[NVAR];
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) ql[v] = left[v], qr[v] = right[v];
  const int open = oak_wall_states(dir, ql, qr);
  const real fastest = oak_riemann(ph, ql, qr, dir, f), speed = open ? fastest : 0;
#if OAK_HAS_physics_collect
  for (int v = 0; v < NVAR; v++) f[v] = open ? f[v] : 0;
#endif
  f[SOLID_VAR] = 0;
#else
  const real *ql = left, *qr = right;
  const real speed = oak_riemann(ph, ql, qr, dir, f);
#endif
#ifdef PHYSICS_SIDES
#if OAK_HAS_physics_face
  const oak_face_states_t n = oak_face_states(ph, ql, qr, dir);
  physics_face_sides(ph, ql, qr, n.l, n.r, dir, f, f + LEFT_SIDE, f + RIGHT_SIDE);
#else
  physics_face_sides(ph, ql, qr, ql, qr, dir, f, f + LEFT_SIDE, f + RIGHT_SIDE);
#endif
#endif
#if OAK_HAS_FIXED
#define OAK_NO_FLUX(variable, name) f[variable] = 0;
  OAK_FIXED(OAK_NO_FLUX)
#endif
  return speed;
}
#else
#define face_flux oak_riemann
#endif

#ifdef PHYSICS_SIDES
/* Add the hook CELL_TERMS to the rates of change of a cell, from the values on the cell's side of
 * its lower and upper face. inv_dx: 1 / the true size of the cell (INV_SIZE). */
#define INV_SIZE(metric, dir, inv_dx) WAVE_RATE(metric, dir, (real)1, inv_dx)
OAK_FN void add_cell_terms(const physics_parameters_t *ph, const real q[], const real lower[],
                           const real upper[], int dir, real inv_dx, sum_t rate[]) {
  real r[NVAR];
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) r[v] = 0;
  physics_cell_terms(ph, q, lower, upper, dir, r);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) rate[v] += r[v] * inv_dx;
}
#endif

/* ---- the divergence of fluxes in the coordinates of the mesh (kernels/geometry/geometry.h) */
#if OAK_COORDINATES
/* The unit vectors along r, theta and phi turn from place to place, so the components of a vector
 * have rates of change beside the divergence of their fluxes. Let T_ab be the flux along a of the
 * component along b. These rates are
 *
 *   r:      (T_theta,theta + T_phi,phi) / r        without theta: T_phi,phi / r
 *   theta:  (-T_theta,r + T_phi,phi cot theta) / r
 *   phi:    (-T_phi,r - T_phi,theta cot theta) / r
 *
 * T of the cell is the FLUX of the physics. These terms are written with the areas of faces: the
 * fluxes through both faces across r or theta enter as F - T. With uniform pressure F and T are
 * equal, so a gas at rest stays so. The momentum along phi, and that along theta across r, needs no
 * term: its fluxes enter with their distance from the axis, because T is symmetric. */
typedef struct {
  oak_areas_t areas;
  real turned[OAK_CURVED][NVAR]; /* T, across r and theta */
} metric_t;

/* The terms of a vector's components by fluxes along phi: T_phi,phi for r, T_phi,theta for theta,
 * -T_phi,r for phi. Where the mesh has no axis along phi, this is the flux along r of the state
 * whose vectors are turned by 90 degrees. */
OAK_FN void turned_fluxes(const oak_flux_user_t *user, const real q[], real turned[]) {
  real state[NVAR];
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) state[v] = q[v];
#if OAK_PHI_AXIS
  physics_flux(&user->physics, q, OAK_PHI_AXIS, turned);
#ifdef PHYSICS_SIDES
  real side[2][PHYSICS_SIDES]; /* FACE_SIDES takes its part off, as at faces */
  physics_face_sides(&user->physics, q, q, q, q, OAK_PHI_AXIS, turned, side[0], side[1]);
#endif
#define TURN(a, b, c)                   \
  state[a] = turned[a];                 \
  turned[a] = turned[OAK_PHI_OF(b, c)]; \
  turned[OAK_PHI_OF(b, c)] = -state[a];
  PHYSICS_VECTORS(TURN)
#else
#define TURN(a, b, c)                        \
  state[a] = (c) < 0 ? 0 : q[OAK_MAX(c, 0)]; \
  if ((c) >= 0) state[OAK_MAX(c, 0)] = -q[a];
  PHYSICS_VECTORS(TURN)
  physics_flux(&user->physics, state, 0, turned);
#endif
}

/* T from the fluxes along theta, and from the terms by those along phi (turned_fluxes). */
OAK_FN void take_terms(metric_t *m, const real theta[], const real phi[]) {
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) m->turned[0][v] = m->turned[OAK_CURVED - 1][v] = 0;
#if OAK_COORDINATES == OAK_SPHERICAL
#define TAKE(a, b, c)                                             \
  m->turned[0][a] = (real)0.5 * (theta[b] + phi[a]);              \
  m->turned[0][b] = (real)-0.5 * theta[a];                        \
  m->turned[1][b] = phi[a];                                       \
  if ((c) >= 0) {                                                 \
    m->turned[0][OAK_MAX(c, 0)] = (real)0.5 * phi[OAK_MAX(c, 0)]; \
    m->turned[1][OAK_MAX(c, 0)] = -phi[b];                        \
  }
#else
  (void)theta;
#define TAKE(a, b, c)        \
  m->turned[0][a] = phi[a];  \
  if (OAK_PHI_OF(b, c) >= 0) \
    m->turned[0][OAK_MAX(OAK_PHI_OF(b, c), 0)] = phi[OAK_MAX(OAK_PHI_OF(b, c), 0)];
#endif
  PHYSICS_VECTORS(TAKE)
}

OAK_FN metric_t cell_metric(const oak_field_t *f, const oak_flux_user_t *user, long block, int i,
                            int j, const real q[]) {
  metric_t m;
  real theta[NVAR] = {0}, phi[NVAR];
  m.areas = oak_areas(f, block, i, j);
  turned_fluxes(user, q, phi);
#if OAK_COORDINATES == OAK_SPHERICAL
  physics_flux(&user->physics, q, 1, theta);
#endif
  take_terms(&m, theta, phi);
  return m;
}

#define METRIC(m, f, user, block, i, j, q) const metric_t m = cell_metric(f, user, block, i, j, q)

/* The fluxes of variable v through both faces across `dir`: what enters less what leaves. */
OAK_FN real net_flux(const metric_t *m, int v, int dir, real lower, real upper) {
  const real low = oak_face_factor(&m->areas, v, dir, 0);
  const real high = oak_face_factor(&m->areas, v, dir, 1);
  if (dir >= OAK_CURVED) return (lower - upper) * low;
  const real turned = oak_has_arm(v, dir) ? 0 : m->turned[OAK_MIN(dir, OAK_CURVED - 1)][v];
  return (lower - turned) * low - (upper - turned) * high;
}
#define NET_FLUX(m, v, dir, lower, upper) net_flux(&(m), v, dir, lower, upper)

/* The wave speed across `dir`, divided by the size of the cell. inv_dx: 1 / its size in
 * coordinates. */
OAK_FN real wave_rate(const metric_t *m, int dir, real speed, real inv_dx) {
  if (OAK_CURVED == 1 && !OAK_LOG_RADIUS && dir == 0)
    return speed * inv_dx; /* the mean of 1 - s and 1 + s is 1 */
  return speed * ((real)0.5 * (m->areas.face[dir][0] + m->areas.face[dir][1]) * inv_dx);
}
#define WAVE_RATE(m, dir, speed, inv_dx) wave_rate(&(m), dir, speed, inv_dx)
#else
#define METRIC(m, f, user, block, i, j, q) ((void)0)
#define NET_FLUX(m, v, dir, lower, upper) ((sum_t)(lower) - (sum_t)(upper))
#define WAVE_RATE(m, dir, speed, inv_dx) ((speed) * (real)(inv_dx))
#endif

/* Fields in the state do not change: all Runge-Kutta states have the same values. */
#if NSOLID
/* A solid cell keeps its state, or what flows into it (COLLECT). */
OAK_FN void keep_fields(const physics_parameters_t *ph, const store_t *prev, sum_t u[]) {
  const int solid = oak_is_solid(prev[SOLID_VAR * OAK_CELLS]);
  u[SOLID_VAR] = prev[SOLID_VAR * OAK_CELLS];
#if OAK_HAS_physics_collect
  if (solid) physics_collect(ph, u);
#else
  (void)ph;
  OAK_UNROLL
  for (int v = 0; v < SOLID_VAR; v++) u[v] = solid ? prev[v * OAK_CELLS] : u[v];
#endif
#if OAK_HAS_FIXED
#define OAK_KEEP_FIELD(variable, name) u[variable] = prev[(variable)*OAK_CELLS];
  OAK_FIXED(OAK_KEEP_FIELD)
#endif
}
#elif OAK_HAS_FIXED
#define OAK_KEEP_FIELD(variable, name) u[variable] = prev[(variable)*OAK_CELLS];
OAK_FN void keep_fields(const physics_parameters_t *ph, const store_t *prev, sum_t u[]) {
  (void)ph;
  OAK_FIXED(OAK_KEEP_FIELD)
}
#else
#define keep_fields(ph, prev, u)
#endif

#if NSCALARS && OAK_SCALAR_VALUES
OAK_FN void keep_scalars(const physics_parameters_t *ph, const store_t *prev, sum_t u[]) {
  oak_keep_bounds(ph, prev[PHYSICS_MASS * OAK_CELLS], u);
}
#else
#define keep_scalars(ph, prev, u) ((void)0)
#endif

/* Source terms of physics and problem, from the primitive state. */
OAK_FN void add_sources(const oak_field_t *f, const oak_flux_user_t *user, long block, int i, int j,
                        int k, const real q[], real source[]) {
#if OAK_HAS_physics_source || OAK_HAS_problem_source
  const oak_at_t at = oak_place_inside(f, user, block, i, j, k);
#if NSOLID && OAK_HAS_physics_collect
  if (oak_is_solid(q[SOLID_VAR])) return;
#endif
#if OAK_HAS_physics_source
  physics_source(&at, q, source);
#endif
#if OAK_HAS_problem_source
  problem_source(&at, q, source);
#endif
#else
  (void)f, (void)user, (void)block, (void)i, (void)j, (void)k, (void)q, (void)source;
#endif
}

/* The rate of diffusion at a cell: forward Euler steps are stable up to its inverse. A diffusivity
 * that is negative or not finite stops the run. */
#if OAK_DIFFUSION
#if OAK_COORDINATES
#define COUNT_VECTOR(r, z, phi) +1
enum { NVECTORS = 0 PHYSICS_VECTORS(COUNT_VECTOR) };
#endif
OAK_FN double diffusion_rate(const oak_at_t *at, const real q[]) {
  double d = 0, rate = 0;
#if OAK_HAS_physics_diffusive_flux
  d += physics_diffusivity(at, q);
#endif
#if OAK_HAS_problem_diffusive_flux
  d += problem_diffusivity(at, q);
#endif
  OAK_UNROLL
  for (int n = 0; n < OAK_DIM; n++) rate += 2 * d / (at->dx[n] * at->dx[n]);
#if OAK_COORDINATES
  double sine = 1, cosine;
  if (OAK_COORDINATES == OAK_SPHERICAL) oak_sine(at->x[1], &sine, &cosine);
  const double axis = at->x[0] * sine; /* the terms v / axis^2 of vectors */
  rate += NVECTORS > 0 ? d / (2 * axis * axis) : 0;
#endif
  return rate >= 0 ? rate : INFINITY;
}
#endif

/* The rate of a cell, from the rate `waves` of its waves and the limits of hooks. The time step is
 * cfl divided by the largest rate of all cells. A limit that is not positive stops the run. */
#if OAK_HAS_OWN_RATE
OAK_FN real own_rate(const oak_flux_args_t *s, const oak_flux_user_t *user, long block, int i,
                     int j, int k, const real q[], real waves) {
  double rate = 0;
  const oak_at_t at = oak_place_inside(&s->f, user, block, i, j, k);
#if OAK_DIFFUSION == 1
  waves += (real)diffusion_rate(&at, q);
#endif
#if OAK_HAS_physics_timestep
  const double physics = physics_timestep(&at, q), most = s->cfl / physics;
  rate = physics > 0 ? most : INFINITY;
#endif
#if OAK_HAS_problem_timestep
  const double problem = problem_timestep(&at, q), other = s->cfl / problem;
  rate = OAK_MAX(rate, problem > 0 ? other : INFINITY);
#endif
  (void)s, (void)at, (void)q;
#if NSOLID /* a select, since a branch keeps the compiler from vectorizing the loop over cells */
  return oak_is_solid(q[SOLID_VAR]) ? 0 : OAK_MAX(waves, (real)rate);
#else
  return OAK_MAX(waves, (real)rate);
#endif
}
#else
#define own_rate(s, user, block, i, j, k, q, waves) (waves)
#endif

/* Add the rate of change by diffusion, if that is explicit, to the rate of change r of component
 * `at` of a state. */
#if OAK_DIFFUSION == 1
OAK_FN sum_t add_diffusion(const oak_flux_args_t *s, long long at, sum_t r) {
  return r + s->diffusion[at];
}
#else
#define add_diffusion(s, at, r) (r)
#endif

/* Store the result of a stage; stride: to the next variable. */
OAK_FN void store_result(store_t *p, long long stride, const sum_t u[]) {
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) p[v * stride] = (store_t)u[v];
}

/* Whether the result of a stage is a valid state. */
OAK_FN int result_valid(const physics_parameters_t *ph, const sum_t u[]) {
  real q[NVAR];
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) q[v] = (real)u[v];
  return oak_state_valid(ph, q);
}

/* What iteration m of the flux kernel works on. Consecutive iterations are parts of a tile, then
 * tiles of a block, then blocks. */
typedef struct {
  long block;
  int tile, part;
  long result; /* where its results go, [block][tile][part] */
} flux_place_t;

OAK_FN flux_place_t flux_place(const oak_flux_args_t *arg, long m) {
  const unsigned n = (unsigned)m >> arg->part_bits; /* GPUs divide 64 bits slowly */
  flux_place_t p;
  p.part = (int)((unsigned)m - (n << arg->part_bits));
  p.tile = (int)(n % TILES);
  p.block = oak_listed(&arg->f, n / TILES);
  p.result = (((unsigned)p.block * TILES + (unsigned)p.tile) << arg->part_bits) + (unsigned)p.part;
  return p;
}

#endif
