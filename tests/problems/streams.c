/* SPDX-License-Identifier: GPL-2.0-or-later
 * Cold gas that parts along some planes and meets along others, with shocks and near vacuum from
 * the first step on. Unit square or cube, periodic. Physics: euler. */

TITLE("Streams")

PARAMETER(speed, 2.0, "of the gas along every axis")
PARAMETER(pressure, 0.01, "of all gas; its density is 1")

INITIAL(at, q) {
  q[RHO] = 1;
  OAK_FOR(d, OAK_DIM) {
    const double y = at->x[d] - 0.23 - 0.11 * d - 0.15 * sin(2 * M_PI * at->x[(d + 1) % OAK_DIM]);
    q[VX + d] = y - floor(y) < 0.5 ? at->p.speed : -at->p.speed;
  }
  q[PRS] = at->p.pressure;
}
