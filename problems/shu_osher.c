/* SPDX-License-Identifier: GPL-2.0-or-later
 * A shock of Mach number 3 runs into a gas with density waves (C.-W. Shu, S. Osher, J. Comput.
 * Phys. 83 (1989) 32, example 8). Behind it follow compressed waves, almost four times as short,
 * and the sound they make, which steepens to small shocks: a scheme has to keep both the waves and
 * the shocks. Domain -5 < x < 5, physics: euler with gamma = 1.4; outflow along x. */

TITLE("Shu-Osher shock and density waves")

PARAMETER(position, -4, "shock at t = 0")
PARAMETER(amplitude, 0.2, "amplitude of the waves")
PARAMETER(wave_number, 5, "their wave number")

INITIAL(at, q) {
  const int behind = at->x[0] < at->p.position;
  q[RHO] = behind ? 3.857143 : 1 + at->p.amplitude * sin(at->p.wave_number * at->x[0]);
  q[VX] = behind ? 2.629369 : 0;
  q[PRS] = behind ? 10.33333 : 1;
}
