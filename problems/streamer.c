/* SPDX-License-Identifier: GPL-2.0-or-later
 * A discharge between two plane electrodes, from a Gaussian seed. The last axis, z, is normal to
 * the electrodes; the one at its lower end is grounded. In (r, z) the seed lies on the axis.
 * Physics: streamer. */

TITLE("streamer between plane electrodes")

PARAMETER(voltage, 18.75e3, "of the electrode at the upper end, in V")
TABLE(voltage_factor, "", "{time} factor of the voltage over the time in s")
PARAMETER(background, 1e13, "{>=0} density of electrons and of ions everywhere, in 1/m^3")
PARAMETER(clumps, 0, "{>=0} the background varies by so many decades up and down")
PARAMETER(clump_size, 2e-4, "{>0} distance over which it varies, in m")
PARAMETER(seed_ions, 5e18, "{>=0} largest density of further positive ions")
PARAMETER(seed_electrons, 0, "{>=0} largest density of further electrons")
PARAMETER(seed_radius, 0.4e-3, "{>0} distance at which both fall to 1/e, in m")
PARAMETER(seed_z, 1e-2, "height of the centre of the seed, in m")
PARAMETER(curvature, 0,
          "{>=0} |lap phi| dx^2 in V that counts as the indicator 1; 0: it does not count")
PARAMETER(head_field, 3e6, "{>=0} least field of a streamer head, in V/m, for the output `head`")

#define Z (OAK_DIM - 1)

OAK_FN double seed(const oak_at_t *at) {
  double square = 0;
  OAK_FOR(d, OAK_DIM) {
    const double x = at->x[d] - (d == Z ? at->p.seed_z : 0);
    square += x * x;
  }
  return exp(-square / (at->p.seed_radius * at->p.seed_radius));
}

/* From 0 to 1, the same on each machine. */
OAK_FN double random_number(const int point[3]) {
  unsigned h = (unsigned)point[0] * 374761393u + (unsigned)point[1] * 668265263u +
               (unsigned)point[2] * 2246822519u;
  h = (h ^ h >> 13) * 1274126177u;
  h = (h ^ h >> 16) * 2654435769u;
  return (double)(h >> 8) / 16777216.0;
}

/* The background: its logarithm is random at the points of a lattice, and linear between them. */
OAK_FN double background(const oak_at_t *at) {
  double sum = 0, share[3] = {0};
  int low[3] = {0};
  for (int d = 0; d < OAK_DIM; d++) {
    const double x = at->x[d] / at->p.clump_size;
    low[d] = (int)floor(x);
    share[d] = x - low[d];
  }
  for (int corner = 0; corner < (at->p.clumps > 0 ? 1 << OAK_DIM : 0); corner++) {
    double weight = 1;
    int point[3] = {low[0], low[1], low[2]};
    for (int d = 0; d < OAK_DIM; d++) {
      point[d] += corner >> d & 1;
      weight *= corner >> d & 1 ? share[d] : 1 - share[d];
    }
    sum += weight * (2 * random_number(point) - 1);
  }
  return at->p.background * pow(10, at->p.clumps * sum);
}

INITIAL(at, q) {
  const double ne = at->p.clumps > 0 ? background(at) : at->p.background;
  q[NE] = ne + at->p.seed_electrons * seed(at);
  q[NI] = ne + at->p.seed_ions * seed(at);
}

OAK_FN double upper_voltage(const oak_at_t *at) {
#if HAS_TABLE(voltage_factor)
  return at->p.voltage * (double)voltage_factor((real)at->t);
#else
  return at->p.voltage;
#endif
}

POISSON_BOUNDARY(at, face) { return face == 2 * Z + 1 ? upper_voltage(at) : 0; }

/* Ionisations per cell size, or the curvature of the potential: how much the charge in a cell
 * changes the potential within it. At step 0 the field is not yet known: cells in the
 * seed are refined until they resolve it. */
REFINE(at) {
  const real E = FIELD_SIZE(at->f), ionised = alpha_of(&at->ph, E) * (real)at->dx[Z];
  if (at->step == 0) return seed(at) > 0.01 && at->dx[Z] > at->p.seed_radius / 20 ? 2 : 0;
  if (at->p.curvature == 0) return ionised;
  real q[PHYSICS_NVAR];
  OAK_FOR(v, PHYSICS_NVAR) q[v] = oak_near(at, v, 0, 0, 0);
  const double bend = ELEMENTARY_CHARGE / EPSILON0 * fabs(net_charge(q)) * at->dx[Z] * at->dx[Z];
  return OAK_MAX(ionised, (real)(bend / at->p.curvature));
}

#if OAK_DIM == 3
#define FIELD_BESIDE(at, offset) ((double)FIELD_SIZE_NEAR(at, 0, 0, offset))
#else
#define FIELD_BESIDE(at, offset) ((double)FIELD_SIZE_NEAR(at, 0, offset, 0))
#endif

/* Height of the largest field along the axis, by a parabola through three cells; NaN if the largest
 * field is not in this cell. Its minimum over all cells is the place of the head. */
SPARSE("head")
OUTPUT(head, at, q) {
  const double low = FIELD_BESIDE(at, -1), here = (double)FIELD_SIZE(at->f),
               high = FIELD_BESIDE(at, 1);
  int axis = here >= at->p.head_field;
  OAK_FOR(d, Z) axis &= at->x[d] > 0 && at->x[d] < at->dx[d];
  if (!axis || here < low || here <= high) return NAN;
  return at->x[Z] + 0.5 * at->dx[Z] * (high - low) / (2 * here - low - high);
}
