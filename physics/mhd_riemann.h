/* SPDX-License-Identifier: GPL-2.0-or-later
 * HLLD, the Riemann solver of MHD with contact and Alfven waves: T. Miyoshi, K. Kusano, J. Comput.
 * Phys. 208 (2005) 315; equation numbers are theirs. The states U* are between the outer waves SL
 * and SR and the contact SM; the states U** are beside the contact, between the Alfven waves S*L
 * and S*R. The hook FACE makes the normal field the same on both sides.
 *
 * The flux is needed on one side of the contact only. It is F + S (U* - U) + S* (U** - U*) of this
 * side, where a wave that is not between the side and the face has the speed zero, so all lanes
 * take the same instructions. */
#ifndef OAK_MHD_RIEMANN_H
#define OAK_MHD_RIEMANN_H

/* hlld_side_t: values of a side: the outer wave, the density, and the tangential velocity and field
 * in U*. */
typedef struct {
  real s, total; /* speed of the outer wave; p + B^2 / 2 */
  real mass;     /* rho (s - u) */
  real rho, root, v[2], b[2];
} hlld_side_t;

OAK_FN real hlld_total(const real q[]) {
  real field2 = 0;
  OAK_FOR(d, 3) field2 += q[BX + d] * q[BX + d];
  return q[PRS] + (real)0.5 * field2;
}

/* U* of a side: eq. 43 to 47. `star`: SM. A denominator below `least` is taken as zero, without a
 * tangential field. */
OAK_FN void hlld_star(const real q[], int dir, real star, real least, hlld_side_t *a) {
  const int t1 = (dir + 1) % 3, t2 = (dir + 2) % 3;
  const real bn = q[BX + dir], u = q[VX + dir], bn2 = bn * bn;
  const real denominator = a->mass * (a->s - star) - bn2;
  const int regular = oak_abs(denominator) > least;
  const real inv = oak_inv(regular ? denominator : 1);
  const real of_v = regular ? bn * (star - u) * inv : 0;
  const real of_b = regular ? (a->mass * (a->s - u) - bn2) * inv : 1;
  a->rho = oak_div(a->mass, a->s - star);
  a->root = oak_sqrt(a->rho);
  a->v[0] = q[VX + t1] - of_v * q[BX + t1];
  a->v[1] = q[VX + t2] - of_v * q[BX + t2];
  a->b[0] = of_b * q[BX + t1];
  a->b[1] = of_b * q[BX + t2];
}

/* The speeds of the outer and of the Alfven wave on one side of the contact, 0 for a wave that is
 * not between this side and the face. Both forms give the same bits. If `left` is a condition, gcc
 * makes a copy of all other choices for each of the four cases, and the solver takes 1.3 times as
 * long. On GPUs the condition becomes a branch, which saves instructions. */
OAK_FN void hlld_passed(int left, real s, real star, real alfven, real *outer, real *inner) {
#if OAK_MANY_THREADS
  *outer = left ? OAK_MIN(s, 0) : OAK_MAX(s, 0);
  *inner = left ? OAK_MIN(star - alfven, 0) : OAK_MAX(star + alfven, 0);
#else
  const real side = left ? 1 : -1;
  *outer = side * OAK_MIN(side * s, 0);
  *inner = side * OAK_MIN(side * star - alfven, 0);
#endif
}

RIEMANN(hlld, ph, ql, qr, dir, f) {
  const int t[2] = {(dir + 1) % 3, (dir + 2) % 3};
  const real bn = ql[BX + dir], ch = (real)mhd_cleaning_speed(ph);
  const real least_share = sizeof(real) == 4 ? (real)1e-4 : (real)1e-8;
  hlld_side_t l, r;
  physics_wave_speeds(ph, ql, qr, dir, &l.s, &r.s);
  l.total = hlld_total(ql), r.total = hlld_total(qr);
  l.mass = ql[RHO] * (l.s - ql[VX + dir]), r.mass = qr[RHO] * (r.s - qr[VX + dir]);
  /* eq. 38 and 41 */
  const real inv = oak_inv(r.mass - l.mass), jump = qr[VX + dir] - ql[VX + dir];
  const real star = (r.mass * qr[VX + dir] - l.mass * ql[VX + dir] - (r.total - l.total)) * inv;
  const real total = (r.mass * l.total - l.mass * r.total + l.mass * r.mass * jump) * inv;
  hlld_star(ql, dir, star, least_share * total, &l);
  hlld_star(qr, dir, star, least_share * total, &r);

  /* The side of the contact that the face is on. */
  const int left = star > 0;
  real q[PHYSICS_NVAR];
  OAK_FOR(v, PHYSICS_NVAR) q[v] = left ? ql[v] : qr[v];
  const real s = left ? l.s : r.s, rho = left ? l.rho : r.rho, root = left ? l.root : r.root;
  const real mine = left ? l.total : r.total, u = q[VX + dir];
  const real alfven = oak_div(oak_abs(bn), root);
  real outer, inner;
  hlld_passed(left, s, star, alfven, &outer, &inner);

  /* Tangential velocity and field in U**: eq. 59 to 62. */
  const real sign = bn > 0 ? 1 : -1, inv_root = oak_inv(l.root + r.root), both = l.root * r.root;
  real cross = u * bn, cross1 = star * bn, cross2 = star * bn, field2 = bn * bn, speed2 = u * u;
  OAK_FOR(n, 2) {
    const real v = q[VX + t[n]], b = q[BX + t[n]];
    const real v1 = left ? l.v[n] : r.v[n], b1 = left ? l.b[n] : r.b[n];
    const real v2 = (l.root * l.v[n] + r.root * r.v[n] + (r.b[n] - l.b[n]) * sign) * inv_root;
    const real b2 =
        (l.root * r.b[n] + r.root * l.b[n] + both * (r.v[n] - l.v[n]) * sign) * inv_root;
    f[MX + t[n]] =
        q[RHO] * u * v - bn * b + outer * (rho * v1 - q[RHO] * v) + inner * rho * (v2 - v1);
    f[BX + t[n]] = u * b - bn * v + outer * (b1 - b) + inner * (b2 - b1);
    cross += v * b;
    cross1 += v1 * b1;
    cross2 += v2 * b2;
    speed2 += v * v;
    field2 += b * b;
  }
  /* Energy in U and U* (eq. 48), and its change to U** (eq. 63). */
  const real energy = q[PRS] * (real)(1 / (ph->gamma - 1)) + (real)0.5 * (q[RHO] * speed2 + field2);
  const real energy1 =
      oak_div((s - u) * energy - mine * u + total * star + bn * (cross - cross1), s - star);
  const real change = (left ? -sign : sign) * root * (cross1 - cross2);
  f[RHO] = q[RHO] * u + outer * (rho - q[RHO]);
  f[MX + dir] = q[RHO] * u * u + mine - bn * bn + outer * (rho * star - q[RHO] * u);
  f[BX + dir] = ch * MHD_PSI(q);
  if (!MHD_FACES) f[PSI] = ch * bn;
  f[ENE] = (energy + mine) * u - bn * cross + outer * (energy1 - energy) + inner * change +
           bn * f[BX + dir];
  return OAK_MAX(oak_abs(l.s), oak_abs(r.s));
}

#endif
