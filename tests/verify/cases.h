/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cases, in the order of the report: C(name) is in cases/NAME.c, which defines
 * verify_case_NAME; figures are drawn by cases/NAME.py, if there is one. */
#define VERIFY_CASES(C) \
  C(convergence)        \
  C(flux_fixing)        \
  C(linear_waves)       \
  C(shock_tubes)        \
  C(mhd_waves)          \
  C(mhd_tubes)          \
  C(mhd_fields)         \
  C(shu_osher)          \
  C(vortex)             \
  C(gresho)             \
  C(viscous_flow)       \
  C(shallow_water)      \
  C(sedov)              \
  C(noh)                \
  C(implosion)          \
  C(riemann2d)          \
  C(double_mach)        \
  C(kelvin_helmholtz)   \
  C(poisson)            \
  C(collapse)           \
  C(rayleigh_taylor)
