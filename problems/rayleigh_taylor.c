/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rayleigh-Taylor instability (paper, "Rayleigh-Taylor test"): a heavy fluid above a light one, at
 * rest in hydrostatic balance, with a sinusoidal interface. Gravity points down the last axis.
 * Physics: euler. Horizontal boundaries periodic, vertical ones reflecting. */

TITLE("Rayleigh-Taylor instability")

PARAMETER(h0, 0.8, "height of the interface")
PARAMETER(rho_high, 1.0, "density above it")
PARAMETER(rho_low, 0.1, "density below it")
PARAMETER(delta, 0.05, "amplitude of its perturbation")
PARAMETER(width, 0, "width w of the interface: tanh(z/w); 0: a jump")
PARAMETER(modes, 1, "wave lengths of the perturbation per unit length")
PARAMETER(gravity, 1.0, "gravitational acceleration, downwards")
PARAMETER(p_top, 1.0, "pressure at height 1")

enum { RT_UP = OAK_DIM - 1 };

/* ln(2 cosh(x)), without overflow. */
OAK_FN double rt_lncosh(double x) { return fabs(x) + log1p(exp(-2 * fabs(x))); }

/* Interface at height h of width w: density mean + half tanh((z - h) / w), in balance. */
OAK_FN void rt_smooth(const oak_at_t *at, double z, double h, double q[]) {
  const double mean = 0.5 * (at->p.rho_high + at->p.rho_low);
  const double half = 0.5 * (at->p.rho_high - at->p.rho_low);
  const double w = at->p.width;
  const double weight =
      mean * (1 - z) + half * w * (rt_lncosh((1 - h) / w) - rt_lncosh((z - h) / w));
  q[RHO] = mean + half * tanh((z - h) / w);
  q[PRS] = at->p.p_top + at->p.gravity * weight;
}

INITIAL(at, q) {
  const double k = 2 * M_PI * at->p.modes;
  const double wave = OAK_DIM == 3 ? sin(k * at->x[0]) * sin(k * at->x[1]) : sin(k * at->x[0]);
  const double h = at->p.h0 + at->p.delta * wave, z = at->x[RT_UP];
  if (at->p.width > 0) {
    rt_smooth(at, z, h, q);
    return;
  }
  q[RHO] = z > h ? at->p.rho_high : at->p.rho_low;
  /* Weight of the column above. */
  q[PRS] =
      at->p.p_top + at->p.gravity * (z > h ? at->p.rho_high * (1 - z)
                                           : at->p.rho_high * (1 - h) + at->p.rho_low * (h - z));
}

SOURCE(at, q, source) {
  const real force = -(real)at->p.gravity * q[RHO];
  source[MX + RT_UP] += force;
  source[ENE] += force * q[VX + RT_UP];
}
