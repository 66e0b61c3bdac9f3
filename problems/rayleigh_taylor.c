/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rayleigh-Taylor instability (paper, "Rayleigh-Taylor test"): a heavy fluid above a light one, at
 * rest in hydrostatic balance, with a sinusoidal interface. Gravity points down the last axis.
 * Physics: euler. Horizontal boundaries periodic, vertical ones reflecting. */

#define PROBLEM_TITLE "Rayleigh-Taylor instability"

#define RT_PARAMETERS(P)                                          \
  P(h0, 0.8, "height of the interface")                           \
  P(rho_high, 1.0, "density above it")                            \
  P(rho_low, 0.1, "density below it")                             \
  P(delta, 0.05, "amplitude of its perturbation")                 \
  P(width, 0, "width w of the interface: tanh(z/w); 0: a jump")   \
  P(modes, 1, "wave lengths of the perturbation per unit length") \
  P(gravity, 1.0, "gravitational acceleration, downwards")        \
  P(p_top, 1.0, "pressure at height 1")
OAK_PARAMETERS(problem, RT_PARAMETERS)
#define PROBLEM_PARAMETERS RT_PARAMETERS

enum { RT_UP = OAK_DIM - 1 };

/* ln(2 cosh(x)), without overflow. */
OAK_FN double rt_lncosh(double x) { return fabs(x) + log1p(exp(-2 * fabs(x))); }

/* Interface at height h of width w: density mean + half tanh((z - h) / w), in balance. */
OAK_FN void rt_smooth(const problem_parameters_t *p, double z, double h, real q[]) {
  const double mean = 0.5 * (p->rho_high + p->rho_low), half = 0.5 * (p->rho_high - p->rho_low);
  const double w = p->width;
  const double weight =
      mean * (1 - z) + half * w * (rt_lncosh((1 - h) / w) - rt_lncosh((z - h) / w));
  q[RHO] = (real)(mean + half * tanh((z - h) / w));
  q[PRS] = (real)(p->p_top + p->gravity * weight);
}

OAK_FN void rt_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                       const double x[3], real q[]) {
  const double k = 6.283185307179586 * p->modes;
  const double wave = OAK_DIM == 3 ? sin(k * x[0]) * sin(k * x[1]) : sin(k * x[0]);
  const double h = p->h0 + p->delta * wave, z = x[RT_UP];
  (void)ph;
  if (p->width > 0) {
    rt_smooth(p, z, h, q);
    return;
  }
  q[RHO] = (real)(z > h ? p->rho_high : p->rho_low);
  /* Weight of the column above. */
  q[PRS] = (real)(p->p_top + p->gravity * (z > h ? p->rho_high * (1 - z)
                                                 : p->rho_high * (1 - h) + p->rho_low * (h - z)));
}

OAK_FN void rt_gravity(const problem_parameters_t *p, const physics_parameters_t *ph,
                       const double x[3], double t, const real q[], real source[]) {
  const real force = -(real)p->gravity * q[RHO];
  (void)ph, (void)x, (void)t;
  source[MX + RT_UP] += force;
  source[ENE] += force * q[MX + RT_UP];
}

#define PROBLEM_INITIAL rt_initial
#define PROBLEM_SOURCE rt_gravity
