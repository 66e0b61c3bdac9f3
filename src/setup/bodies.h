/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bodies of the sections [body.NAME]. Each has a bit in oak_initial_args_t.found, and so has the
 * gas. Private to the library. */
#pragma once

enum { OAK_MAX_BODIES = 29, OAK_LONGEST_BODY = 32 };

typedef struct {
  char name[OAK_LONGEST_BODY + 2];
  int shape, kind, surface;
  double from[3], to[3], radius, tip, potential, permittivity;
} oak_body_keys_t;

typedef struct {
  int count;
  oak_body_keys_t of[OAK_MAX_BODIES];
} oak_bodies_t;

typedef struct oak_setup oak_setup_t;

/** Whether there are solids: bodies, or the hook SOLID. */
int oak_has_solids(const oak_setup_t *setup);
/** The number of bodies, with the solid of the hook SOLID as the last one. 0 if there is only that
 * solid and it has no potential. */
int oak_body_count(const oak_setup_t *setup);
/** A level whose cells are so small that a body of [body.NAME] contains the centre of one. */
int oak_body_level(const oak_setup_t *setup, int number);
/** "solid" for that last one. */
const char *oak_body_name(const oak_setup_t *setup, int number);
/** Whether there is a body of a kind, OAK_BODY_... */
int oak_has_body(const oak_setup_t *setup, int kind);
/** Whether there are electrodes or dielectrics, which elliptic equations see. */
int oak_has_charged_bodies(const oak_setup_t *setup);
