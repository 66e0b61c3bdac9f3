/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fluxes through a face from the states on both sides, for any physics. RIEMANN(NAME, ph, ql, qr,
 * dir, f) defines a solver for the key scheme.flux: it fills f[0..PHYSICS_NVAR) from primitive
 * states and returns the largest wave speed, which sets the time step. Fluxes of the scalars follow
 * from the flux of the mass (oak_scalar_fluxes). A physics file may have solvers of its own
 * (physics/euler_riemann.h). OAK_FLUX names the solver of the run. */
#pragma once

#include "numerics/riemann_sides.h"

/* rusanov: local Lax-Friedrichs, V. V. Rusanov, USSR Comput. Math. Math. Phys. 1 (1961) 304. The
 * speed is the larger of |u| + c on both sides. Between cell averages the flux keeps density and
 * pressure positive where dt * (sum of speed / dx) <= 1: the new state is an average of positive
 * states (B. Perthame, C.-W. Shu, Numer. Math. 73 (1996) 119). */
RIEMANN(rusanov, ph, ql, qr, dir, f) {
  riemann_sides_t s;
  riemann_sides(ph, ql, qr, dir, &s);
  const real left = riemann_speed(ph, ql, dir), right = riemann_speed(ph, qr, dir);
  const real speed = OAK_MAX(left, right);
  OAK_FOR(v, PHYSICS_NVAR) f[v] = (real)0.5 * (s.fl[v] + s.fr[v] - speed * (s.ur[v] - s.ul[v]));
  return speed;
}

#ifdef PHYSICS_HAS_PRESSURE
/* is_velocity: whether variable v is a component of the only vector of a physics with pressure. */
OAK_FN int is_velocity(int v) {
  return v >= PHYSICS_NORMAL(0) && v < PHYSICS_NORMAL(0) + PHYSICS_VELOCITIES;
}
#endif

/* hll: A. Harten, P. Lax, B. van Leer, SIAM Rev. 25 (1983) 35. It has no branches: with speeds that
 * are clamped at zero, the formula gives the one-sided fluxes at supersonic faces. */
RIEMANN(hll, ph, ql, qr, dir, f) {
  riemann_sides_t s;
  riemann_sides(ph, ql, qr, dir, &s);
  const real smin = OAK_MIN(s.smin, 0), smax = OAK_MAX(s.smax, 0);
  const real width = smax - smin;
  /* If nothing moves, both speeds are zero, and so is the difference of the fluxes. Speeds of
   * 1e-310 at the toe of a wave are treated as zero: the inverse of their difference would
   * overflow. */
  const int moves = width > (sizeof(real) == 4 ? (real)1e-30 : (real)1e-200);
  const real inv = oak_inv(moves ? width : 1);
  const real wl = moves ? smax * inv : (real)0.5, wr = moves ? -smin * inv : (real)0.5;
  const real jump = smin * smax * inv;
#ifdef PHYSICS_HAS_PRESSURE
  /* The flux has two parts: transport by the velocity, and the pressure, which acts on few
   * variables. Transport is a multiple of the conserved state of each side. */
  real left[PHYSICS_NVAR], right[PHYSICS_NVAR];
  const real al = wl * ql[PHYSICS_NORMAL(dir)] - jump, ar = wr * qr[PHYSICS_NORMAL(dir)] + jump;
#if OAK_MANY_THREADS
  /* The state times this factor also follows from density and pressure times the factor, at the
   * same velocity. This takes fewer operations, but each one waits for the one before: GPUs become
   * faster, CPUs slower. */
  OAK_FOR(v, PHYSICS_NVAR) {
    left[v] = is_velocity(v) ? ql[v] : al * ql[v];
    right[v] = is_velocity(v) ? qr[v] : ar * qr[v];
  }
  physics_to_conserved(ph, left);
  physics_to_conserved(ph, right);
#else
  OAK_FOR(v, PHYSICS_NVAR) left[v] = al * s.ul[v], right[v] = ar * s.ur[v];
#endif
  OAK_FOR(v, PHYSICS_NVAR) {
    f[v] = left[v] + right[v];
    if (PHYSICS_HAS_PRESSURE(v, dir))
      f[v] += wl * physics_pressure(ql, dir, v) + wr * physics_pressure(qr, dir, v);
  }
#else
  OAK_FOR(v, PHYSICS_NVAR) f[v] = wl * s.fl[v] + wr * s.fr[v] + jump * (s.ur[v] - s.ul[v]);
#endif
  return OAK_MAX(smax, -smin);
}

/* oak_face_states: the states on both sides of a face, which the hook FACE may change. */
typedef struct {
  real l[PHYSICS_NVAR], r[PHYSICS_NVAR];
} oak_face_states_t;

OAK_FN oak_face_states_t oak_face_states(const physics_parameters_t *ph, const real ql[],
                                         const real qr[], int dir) {
  oak_face_states_t q;
  OAK_FOR(v, PHYSICS_NVAR) q.l[v] = ql[v], q.r[v] = qr[v];
#if OAK_HAS_physics_face
  physics_face(ph, q.l, q.r, dir);
#endif
  (void)ph, (void)dir;
  return q;
}

/* oak_riemann: the flux of the run between two states, by the solver OAK_FLUX, with the scalars. */
OAK_FN real oak_riemann(const physics_parameters_t *ph, const real ql[], const real qr[], int dir,
                        real f[]) {
  const oak_face_states_t q = oak_face_states(ph, ql, qr, dir);
  const real speed = OAK_PASTE(riemann_, OAK_FLUX)(ph, q.l, q.r, dir, f);
  oak_scalar_fluxes(ql, qr, f);
  return speed;
}
