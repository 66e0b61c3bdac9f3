/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hooks of a physics on given pairs of states, for oak check. src/check has the identities that
 * they should satisfy. OAK_RIEMANN_LIST(X) is X(number, name) for each Riemann solver. */
#include "kernels/scheme/faces.h"

/* Fill f[] with the flux of one state and its scalars. */
OAK_FN void identity_flux(const physics_parameters_t *ph, const real q[], int dir, real f[]) {
  physics_flux(ph, q, dir, f);
  oak_scalar_fluxes(q, q, f);
}

OAK_FN void identity_copy(const real from[], double *to) {
  for (int v = 0; v < NVAR; v++) to[v] = (double)from[v];
}

/* One pair of states. `in` holds both states, the direction, and whether the states are conserved.
 * `out` has the order of oak_identity_t. */
OAK_FN void identity_item(physics_parameters_t *ph, const double *in, double *out) {
  const int dir = (int)in[2 * NVAR], conserved = in[2 * NVAR + 1] != 0;
  real u[NVAR], ql[NVAR], qr[NVAR], f[NVAR], smin, smax;
  for (int v = 0; v < NVAR; v++) u[v] = ql[v] = (real)in[v], qr[v] = (real)in[NVAR + v];
  if (conserved) {
    oak_state_to_primitive(ph, ql);
    oak_state_to_primitive(ph, qr);
  } else {
    oak_state_to_conserved(ph, u);
  }
#if OAK_CURL /* the vector on the face is the mean of both sides */
  ph->face.OAK_FACE_VECTOR_NAME =
      (real)0.5 * (ql[OAK_FACE_VECTOR + dir] + qr[OAK_FACE_VECTOR + dir]);
#endif
  identity_copy(u, out);
  out += NVAR;
  for (int v = 0; v < NVAR; v++) f[v] = u[v];
  oak_state_to_primitive(ph, f);
  identity_copy(f, out);
  out += NVAR;
  identity_flux(ph, ql, dir, f);
  identity_copy(f, out);
  out += NVAR;
  physics_wave_speeds(ph, ql, qr, dir, &smin, &smax);
  *out++ = (double)smin;
  *out++ = (double)smax;
  *out++ = oak_state_valid(ph, u);
  *out++ = (double)rusanov_flux(ph, ql, qr, dir, f);
  identity_copy(f, out);
  out += NVAR;
  const oak_face_states_t face = oak_face_states(ph, ql, qr, dir);
  const real *left = face.l, *right = face.r;
  for (int v = 0; v < NVAR; v++) *out++ = v < PHYSICS_NVAR && left[v] == right[v] && ql[v] != qr[v];
#define OAK_IDENTITY_RIEMANN(n, name)                       \
  *out++ = (double)riemann_##name(ph, left, right, dir, f); \
  oak_scalar_fluxes(ql, qr, f);                             \
  identity_copy(f, out);                                    \
  out += NVAR;
  OAK_RIEMANN_LIST(OAK_IDENTITY_RIEMANN)
}

/* The parameters, with the value 1 for each number on a face. */
OAK_FN oak_user_t identity_user(const oak_field_t *f) {
  oak_user_t user = oak_user(f);
#ifdef OAK_FACE_FIELDS
#define IDENTITY_FACE(number, name) user.physics.face.name = 1;
  OAK_FACE_FIELDS(IDENTITY_FACE)
#endif
  return user;
}

OAK_KERNEL(oak_identities, oak_identity_args_t, 32) {
  OAK_ARGS(oak_identity_args_t);
  OAK_OUTER(n) {
    OAK_SERIAL {
      oak_user_t user = identity_user(&arg.f);
      identity_item(&user.physics, arg.in + n * (2 * NVAR + 2), arg.out + n * arg.stride);
    }
  }
}
