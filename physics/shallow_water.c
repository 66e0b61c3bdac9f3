/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shallow water over a bed, in 2D, with wet and dry cells.
 *
 *   dh/dt + div (h u) = 0
 *   d(h u)/dt + div (h u u + g h^2/2 I) = -g h grad b
 *
 * Conserved variables: depth h, h u, and the height of the bed b, a field that does not change.
 * Primitive variables: h, u, and the surface h + b, which is constant in a lake at rest. The
 * problem sets the bed with FIELD(bed, at); it is 0 otherwise.
 *
 * At a face both states are moved to one bed (hydrostatic reconstruction), so water at rest stays
 * at rest and depths stay positive. Where water covers the higher side, this is the scheme of E.
 * Audusse, F. Bouchut, M.-O. Bristeau, R. Klein, B. Perthame, SIAM J. Sci. Comput. 25 (2004) 2050.
 * Elsewhere, the bed of the face is not above the lower surface, as in G. Chen, S. Noelle, SIAM J.
 * Numer. Anal. 55 (2017) 758: the whole step of the bed then pulls water that runs down. With
 * Audusse's bed a film of depth h falls by no more than about h from cell to cell. A. Kurganov and
 * G. Petrova, Commun. Math. Sci. 5 (2007) 133, change the slopes of the surface at a shore instead,
 * which does not help films on hills.
 *
 * Cells with less water than the rise or fall of their bed are of first order (the hook FLAT).
 * Surface and depth are limited separately, and in such cells their difference has steps that are
 * higher than the water. These steps become walls, while the slope of the surface pulls further,
 * and the energy grows without bound. */

TITLE("Shallow water")
#define PHYSICS_NVAR 4
VARIABLES("h hu hv bed")
PRIMITIVES("h u v surface")
#define PHYSICS_NORMAL(d) (1 + (d))
#define PHYSICS_VECTORS(X) X(HU, HV, -1)
/* Passive scalars belong to the water. Cells below PHYSICS_LEAST_MASS may be dry. */
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

/* The velocity h u / h; 0 without water. */
OAK_FN real velocity(const physics_parameters_t *ph, real h, real hu) {
  const real least = (real)(ph->dry * ph->dry), h2 = h * h;
  return 2 * h * hu * oak_inv(h2 + OAK_MAX(h2, least));
}

TO_PRIMITIVE(ph, q) {
  q[H] = OAK_MAX(q[H], 0); /* rounding may leave -1e-20 */
  q[SURFACE] = q[H] + q[BED];
  OAK_FOR(d, 2) q[U + d] = velocity(ph, q[H], q[HU + d]);
}

TO_CONSERVED(ph, u) {
  (void)ph;
  u[BED] = u[SURFACE] - u[H];
  OAK_FOR(d, 2) u[HU + d] *= u[H];
}

OAK_FN real pressure(const physics_parameters_t *ph, real h) {
  return (real)(0.5 * ph->gravity) * h * h;
}

FLUX(ph, q, dir, f) {
  const real mass = q[H] * q[U + dir];
  f[H] = mass;
  f[BED] = 0;
  OAK_FOR(d, 2) f[HU + d] = mass * q[U + d];
  f[HU + dir] += pressure(ph, q[H]);
}

/* Water runs onto dry ground with the speed u + 2 c (A. Ritter 1892). Water that falls down a step
 * gets the speed sqrt(2 g step). */
WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) {
  const real g = (real)ph->gravity, cl = oak_sqrt(g * ql[H]), cr = oak_sqrt(g * qr[H]);
  const real ul = ql[U + dir], ur = qr[U + dir], dry = (real)ph->dry;
  const real low = OAK_MIN(ul - cl, ur - cr), high = OAK_MAX(ul + cl, ur + cr);
  const real step = (ql[SURFACE] - ql[H]) - (qr[SURFACE] - qr[H]),
             fall = oak_sqrt(2 * g * oak_abs(step));
  const real from_right = step < 0 && qr[H] > dry ? -fall : 0;
  const real from_left = step > 0 && ql[H] > dry ? fall : 0;
  *smin = OAK_MIN(ql[H] > dry ? low : OAK_MIN(low, ur - 2 * cr), from_right);
  *smax = OAK_MAX(qr[H] > dry ? high : OAK_MAX(high, ul + 2 * cl), from_left);
}

/* The bed of a face: the higher one of both sides, but not above the lower surface. The bed of a
 * side is the surface minus the depth. */
OAK_FN real bed_of_face(const real ql[], const real qr[]) {
  const real higher = OAK_MAX(ql[SURFACE] - ql[H], qr[SURFACE] - qr[H]);
  const real lower = OAK_MIN(ql[SURFACE], qr[SURFACE]);
  return OAK_MIN(higher, lower);
}

/* Move a side to the bed of the face: its depth above it, or all of its water if its own bed is
 * higher. A film stays a film where rounding of the surface exceeds its depth. */
OAK_FN void move_to_bed(real q[], real bed) {
  const real own = q[SURFACE] - q[H], above = OAK_MAX(q[SURFACE] - bed, 0);
  const real depth = OAK_MAX(q[H], 0), most = (real)1.001 * depth;
  q[H] = bed < own ? depth : OAK_MIN(above, most);
  q[SURFACE] = q[H] + OAK_MAX(own, bed);
}

FACE(ph, ql, qr, dir) {
  (void)ph, (void)dir;
  const real bed = bed_of_face(ql, qr);
  move_to_bed(ql, bed);
  move_to_bed(qr, bed);
}

FLAT(below, q, above) {
  const real bed = q[SURFACE] - q[H];
  const real lower = oak_abs(below[SURFACE] - below[H] - bed);
  const real upper = oak_abs(above[SURFACE] - above[H] - bed);
  return OAK_MIN(OAK_MIN(below[H], above[H]), q[H]) < lower + upper;
}

/* The pressure is not part of the flux of momentum: it differs on both sides of a step of the bed,
 * and flux fixing must not move the water of a lake. The numbers of a side are depth, surface, and
 * its part of the pressure. */
#define PHYSICS_SIDES 3
FACE_SIDES(ph, ql, qr, nl, nr, dir, f, left, right) {
  const real pl = pressure(ph, nl[H]), pr = pressure(ph, nr[H]), half = (real)(0.5 * ph->gravity);
  const real bed = bed_of_face(ql, qr); /* a side's bed above it pulls the water of the side */
  const real above_l = OAK_MAX(ql[SURFACE] - ql[H] - bed, 0);
  const real above_r = OAK_MAX(qr[SURFACE] - qr[H] - bed, 0);
  f[HU + dir] -= (real)0.5 * (pl + pr);
  left[0] = ql[H], right[0] = qr[H];
  left[1] = ql[SURFACE], right[1] = qr[SURFACE];
  left[2] = (real)0.5 * (pr - pl) - half * (ql[H] + nl[H]) * above_l;
  right[2] = (real)0.5 * (pl - pr) - half * (qr[H] + nr[H]) * above_r;
}

/* The rest of the force by pressure, from the slope of the surface within the cell. */
CELL_TERMS(ph, q, lower, upper, dir, r) {
  (void)q;
  const real slope = upper[1] - lower[1];
  r[HU + dir] += lower[2] - upper[2] - (real)(0.5 * ph->gravity) * (lower[0] + upper[0]) * slope;
}

/* Between levels surface and velocity are interpolated. */
TO_SMOOTH(ph, u) {
  OAK_FOR(d, 2) u[U + d] = velocity(ph, OAK_MAX(u[H], 0), u[HU + d]);
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
    OAK_FOR(d, 2) fine[e][HU + d] = fine[e][U + d] * OAK_MAX(fine[e][H], 0);
  }
}

/* The ghost cell of a coarse block with a shore in it gets the surface of its wet fine cells. The
 * mean depth over the mean bed would be higher, and a lake would move. Dry ground below the surface
 * is not a shore, because water will flow onto it; there the mean is kept. */
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

/* Valid states. A depth below 0 by rounding is taken as 0. */
VALID(ph, u) {
  return u[H] > (real)-ph->dry && u[H] < (real)INFINITY && u[HU] - u[HU] == 0 && u[HV] - u[HV] == 0;
}
