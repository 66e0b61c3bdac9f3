/* SPDX-License-Identifier: GPL-2.0-or-later
 * Charge in its own electric field, E = -grad phi, with div grad phi = -(rho - coupling n):
 *
 *   d rho/dt + div (sigma E) = 0,    d n/dt = div (mu E n + D grad n),
 *
 * where sigma is constant and mu and D depend on |E| on a face, which is the mean of that of both
 * cells. */
TITLE("charge in its own field")
#define PHYSICS_NVAR 2
VARIABLES("rho n")
PRIMITIVES("rho n")
#define PHYSICS_NORMAL(d) (-1)

PARAMETER(sigma, 1, "{>=0} conductivity")
PARAMETER(coupling, 0, "{>=0} charge of a particle of n")
PARAMETER(mobility, 1, "{>=0} mu = mobility / sqrt(1 + |E|)")
PARAMETER(diffusivity, 0, "{>=0} D = diffusivity sqrt(1 + |E|)")

enum { RHO, N };

FIELD_STORED(phi)
FIELD_STORED(phi_t)
FIELD_STORED(phi_tt)
FIELD_STORED(phi_x)
FIELD_STORED(phi_y)
#if OAK_DIM == 3
FIELD_STORED(phi_z)
#define SIZE(f) \
  sqrt((double)((f).phi_x * (f).phi_x + (f).phi_y * (f).phi_y + (f).phi_z * (f).phi_z))
#else
#define SIZE(f) sqrt((double)((f).phi_x * (f).phi_x + (f).phi_y * (f).phi_y))
#endif

POISSON(at, q) { return at->ph.coupling * q[N] - q[RHO]; }

FACE_FIELD(current, at) { return -at->ph.sigma * at->slope.phi; }

FACE_FIELD(drift, at) {
  return at->ph.mobility / sqrt(1 + 0.5 * (SIZE(at->left) + SIZE(at->right))) * at->slope.phi;
}

FACE_FIELD(diffusion, at) {
  return at->ph.diffusivity * sqrt(1 + 0.5 * (SIZE(at->left) + SIZE(at->right)));
}

TO_PRIMITIVE(ph, q) {}

TO_CONSERVED(ph, u) {}

FLUX(ph, q, dir, f) {
  f[RHO] = ph->face.current;
  f[N] = ph->face.drift * q[N];
}

WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) { *smin = *smax = ph->face.drift; }

DIFFUSIVE_FLUX(at, dir, q, grad, f) { f[N] -= at->ph.face.diffusion * grad[dir][N]; }

DIFFUSIVITY(at, q) { return at->ph.diffusivity * sqrt(1 + SIZE(at->f)); }

TIMESTEP(at, q) { return at->ph.sigma > 0 ? 0.5 / at->ph.sigma : INFINITY; }

/* Beside cells without particles, Rusanov's flux has rounding errors of either sign on GPUs. */
VALID(ph, u) { return u[N] >= -1e-12 && u[RHO] - u[RHO] == 0; }
