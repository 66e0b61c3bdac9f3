/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the file of reactions.file says. Private to src/setup. */
#pragma once

#include "base/failure.h"
#include "oak.h"
#include "setup/table.h"

enum {
  OAK_MOST_SPECIES = 128, /**< with those of the gas */
  OAK_MOST_REACTIONS = 512,
  OAK_MOST_IN_REACTION = 8, /**< on a side */
  OAK_SPECIES_BYTES = 40
};

/** Unit of the density of the gas in kernels, in 1/m^3. Coefficients of reactions with two of its
 * molecules are about 1e-43 m^6/s, which single precision does not hold; a power of two changes no
 * digit. */
#define OAK_GAS_UNIT 0x1p40

typedef struct {
  char name[OAK_SPECIES_BYTES];         /**< name in the file, such as O2- */
  char variable[2 * OAK_SPECIES_BYTES]; /**< name as a variable, such as O2_min */
  int charge;
  int fixed;       /**< 1: its density is a fraction of that of the gas, or it does not matter */
  int number;      /**< number of its variable; -1: fixed density */
  double fraction; /**< fraction of the gas; 0: it does not matter */
  int on[2];       /**< whether a reaction has it on the left, on the right */
} oak_species_t;

/** A table over E/N. */
typedef struct {
  char *title; /**< the text above it */
  int line;
  int used; /**< by a reaction, or by the motion of electrons */
  oak_points_t points;
} oak_columns_t;

typedef struct {
  const char *path;
  int line;
  int count[2], of[2][OAK_MOST_IN_REACTION]; /**< the species on the left and on the right */
  int charge[2];                             /**< charge of both sides */
  int is_table; /**< whether the rate is a table over E/N with this title */
  oak_columns_t *table;
  char formula[128];    /**< or the title */
  double c[10], factor; /**< c1 to c9; to units of kernels */
} oak_reaction_t;

typedef struct {
  int nspecies, nvariable, nreaction, ntable;
  oak_species_t species[OAK_MOST_SPECIES];
  oak_reaction_t reaction[OAK_MOST_REACTIONS];
  oak_columns_t *table;
  const oak_columns_t *transport[3]; /**< mobility, diffusion, mean energy; NULL: there is none */
} oak_reaction_file_t;

/** reactions_file.c: add what a file says; \a path must stay. \a tables: it has no reactions.
 * Rank-local. */
oak_status_t oak_reactions_parse(oak_reaction_file_t *r, const char *path, int tables);
/** Find the tables that count, and number the variables. */
oak_status_t oak_reactions_finish(oak_reaction_file_t *r, const char *path);
/** The number of a species, a new one if it is not there; -1 if there is no room, or if this is no
 * name. */
int oak_reactions_species(oak_reaction_file_t *r, const char *name);
void oak_reactions_clear(oak_reaction_file_t *r);
