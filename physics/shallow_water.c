/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shallow water over a bed, in 2D, with wet and dry cells.
 *
 *   dh/dt + div (h u) = 0
 *   d(h u)/dt + div (h u u + g h^2/2 I) = -g h grad b
 *
 * Conserved variables: depth h, h u, and the height of the bed b, which is a field and stays as it
 * is. Primitive variables: h, u, and the surface h + b, which is what a lake at rest has constant.
 * The problem sets the bed with FIELD(bed, at); it is 0 otherwise.
 *
 * The fluxes are those of E. Audusse, F. Bouchut, M.-O. Bristeau, R. Klein, B. Perthame, SIAM J.
 * Sci. Comput. 25 (2004) 2050: both states at a face are moved to the higher bed (hydrostatic
 * reconstruction), so water at rest stays at rest and depths stay positive. */

TITLE("Shallow water")
#define PHYSICS_NVAR 4
VARIABLES("h hu hv bed")
PRIMITIVES("h u v surface")
#define PHYSICS_NORMAL(d) (1 + (d))
#define PHYSICS_VECTORS(X) X(HU, HV, -1)
/* Passive scalars belong to the water. Cells with less of it may be dry. */
#define PHYSICS_MASS H
#define PHYSICS_LEAST_MASS(ph) ((real)(ph)->dry)
#if OAK_DIM == 3 && !defined OAK_EDITOR_H
#error "shallow water has two dimensions: set mesh.dim = 2"
#endif

PARAMETER(gravity, 9.81, "{>0} gravitational acceleration")
PARAMETER(dry, 1e-6, "{>0} depth below which water slows down, so that its velocity stays finite")

enum { H, HU, HV, BED };                /* conserved */
enum { U = HU, V = HV, SURFACE = BED }; /* primitive */
FLUX_FIELD(bed, BED)

/* h u / h, and 0 without water. */
OAK_FN real velocity(const physics_parameters_t *ph, real h, real hu) {
  const real least = (real)(ph->dry * ph->dry), h2 = h * h;
  return 2 * h * hu * oak_inv(h2 + OAK_MAX(h2, least));
}

TO_PRIMITIVE(ph, q) {
  q[H] = OAK_MAX(q[H], 0); /* rounding may leave -1e-20 */
  q[SURFACE] = q[H] + q[BED];
  OAK_UNROLL
  for (int d = 0; d < 2; d++) q[U + d] = velocity(ph, q[H], q[HU + d]);
}

TO_CONSERVED(ph, u) {
  (void)ph;
  u[BED] = u[SURFACE] - u[H];
  OAK_UNROLL
  for (int d = 0; d < 2; d++) u[HU + d] *= u[H];
}

OAK_FN real pressure(const physics_parameters_t *ph, real h) {
  return (real)(0.5 * ph->gravity) * h * h;
}

FLUX(ph, q, dir, f) {
  const real mass = q[H] * q[U + dir];
  f[H] = mass;
  f[BED] = 0;
  OAK_UNROLL
  for (int d = 0; d < 2; d++) f[HU + d] = mass * q[U + d];
  f[HU + dir] += pressure(ph, q[H]);
}

/* Water runs onto dry ground with the speed u + 2 c (A. Ritter 1892). */
WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) {
  const real cl = oak_sqrt((real)ph->gravity * ql[H]), cr = oak_sqrt((real)ph->gravity * qr[H]);
  const real ul = ql[U + dir], ur = qr[U + dir], dry = (real)ph->dry;
  const real low = OAK_MIN(ul - cl, ur - cr), high = OAK_MAX(ul + cl, ur + cr);
  *smin = ql[H] > dry ? low : OAK_MIN(low, ur - 2 * cr);
  *smax = qr[H] > dry ? high : OAK_MAX(high, ul + 2 * cl);
}

/* Depths above the higher bed of both sides. The bed at a face is the surface minus the depth. */
FACE(ph, ql, qr, dir) {
  (void)ph, (void)dir;
  const real left = ql[SURFACE] - ql[H], right = qr[SURFACE] - qr[H];
  const real bed = OAK_MAX(left, right);
  ql[H] = OAK_MAX(ql[SURFACE] - bed, 0);
  qr[H] = OAK_MAX(qr[SURFACE] - bed, 0);
  ql[SURFACE] = ql[H] + bed;
  qr[SURFACE] = qr[H] + bed;
}

/* The pressure is split off from the flux of momentum: it differs on both sides of a step of the
 * bed, and flux fixing must not move the water of a lake. Each side has depth, surface, and its
 * part of the pressure. */
#define PHYSICS_SIDES 3
FACE_SIDES(ph, ql, qr, nl, nr, dir, f, left, right) {
  const real pl = pressure(ph, nl[H]), pr = pressure(ph, nr[H]);
  f[HU + dir] -= (real)0.5 * (pl + pr);
  left[0] = ql[H], right[0] = qr[H];
  left[1] = ql[SURFACE], right[1] = qr[SURFACE];
  left[2] = (real)0.5 * (pr - pl), right[2] = (real)0.5 * (pl - pr);
}

/* The rest of the force by pressure, from the slope of the surface within the cell. */
CELL_TERMS(ph, q, lower, upper, dir, r) {
  (void)q;
  const real slope = upper[1] - lower[1];
  r[HU + dir] += lower[2] - upper[2] - (real)(0.5 * ph->gravity) * (lower[0] + upper[0]) * slope;
}

/* Between levels surface and velocity are interpolated. */
TO_SMOOTH(ph, u) {
  OAK_UNROLL
  for (int d = 0; d < 2; d++) u[U + d] = velocity(ph, OAK_MAX(u[H], 0), u[HU + d]);
  u[H] = OAK_MAX(u[H], 0) + u[BED];
}

/* The fine cells together have the water of the coarse one. Where the bed rises above the surface,
 * they are dry. */
FROM_SMOOTH(ph, coarse, fine, share) {
  (void)ph;
  real mean = 0;
  for (int e = 0; e < 4; e++) {
    fine[e][H] = OAK_MAX(fine[e][H] - fine[e][BED], 0);
    mean += share[e] * fine[e][H];
  }
  const int scaled = coarse[H] > 0 && mean > 0;
  const real scale = scaled ? coarse[H] / mean : 0;
  for (int e = 0; e < 4; e++) {
    fine[e][H] = scaled ? fine[e][H] * scale : coarse[H];
    OAK_UNROLL
    for (int d = 0; d < 2; d++) fine[e][HU + d] = fine[e][U + d] * OAK_MAX(fine[e][H], 0);
  }
}

/* The ghost cell of a coarse block with a shore in it has the surface of its wet fine cells. The
 * mean depth over the mean bed would lie higher, and a lake would move. Dry ground below the
 * surface is not a shore, because water will flow onto it. There the mean is not changed. */
TO_COARSE(ph, fine, coarse) {
  real wet = 0, surface = 0, shore = (real)INFINITY;
  for (int e = 0; e < 4; e++) {
    const int is_wet = fine[e][H] > (real)ph->dry;
    const real top = fine[e][H] + fine[e][BED];
    wet += is_wet;
    surface += is_wet ? top : 0;
    shore = is_wet ? shore : OAK_MIN(shore, top);
  }
  surface = oak_div(surface, OAK_MAX(wet, 1));
  if (wet == 0 || wet == 4 || shore < surface) return;
  const real h = OAK_MAX(surface - coarse[BED], 0), scale = oak_div(h, coarse[H]);
  coarse[H] = h;
  for (int d = 0; d < 2; d++) coarse[HU + d] *= scale;
}

/* A depth below 0 by rounding counts as none. */
VALID(ph, u) {
  return u[H] > (real)-ph->dry && u[H] < (real)INFINITY && u[HU] - u[HU] == 0 && u[HV] - u[HV] == 0;
}
