/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reactions from the file reactions.file, for a physics whose variables are the densities of
 * OAK_SPECIES species in 1/m^3, electrons first. oak writes the macros before the files
 * (src/setup/reactions.c). OAK_SPECIES_LIST(X) is X(number, name, charge) for each species. Td is
 * E/N, N the density of the gas. */
#ifndef OAK_REACTIONS_KERNEL_H
#define OAK_REACTIONS_KERNEL_H

#ifndef OAK_SPECIES
#error "this physics needs reactions: set reactions.file"
#endif

#define OAK_RATE(number) OAK_LOOK_UP_rate_##number(Td)
#define OAK_SUM_CHARGE(number, name, charge) sum += (charge)*n[number];

/** Add the rates of change of all densities. */
OAK_FN void reaction_rates(real Td, real N, const real n[],
                           real rate[]){OAK_REACTION_RATES(rate, n, N)}

/** Inverse of the shortest time in which reactions would use up a species. */
OAK_FN real fastest_loss(real Td, real N, const real n[]) {
  real loss[OAK_SPECIES] = {0}, most = 0;
  OAK_REACTION_LOSSES(loss, n, N)
  OAK_FOR(s, OAK_SPECIES) most = OAK_MAX(most, loss[s]);
  return most;
}

/** Number of electrons that an electron makes per time, in collisions with the gas. */
OAK_FN real ionization_frequency(real Td, real N) {
  real f[1] = {0};
  OAK_IONIZATION_FREQUENCY(f, n, N)
  return *f;
}

/** Number of attachments of an electron to the gas per time. */
OAK_FN real attachment_frequency(real Td, real N) {
  real f[1] = {0};
  OAK_ATTACHMENT_FREQUENCY(f, n, N)
  return *f;
}

/** The sum of all densities times their charges. */
OAK_FN real charge_density(const real n[]) {
  real sum = 0;
  OAK_SPECIES_LIST(OAK_SUM_CHARGE)
  return sum;
}

#endif
