/* SPDX-License-Identifier: GPL-2.0-or-later
 * The domain, its coordinates and its boundary conditions: keys of [mesh] and [boundary]. Private
 * to the library. */
#pragma once

#include <stdio.h>

#include "oak.h"
#include "oak/kernel_args.h"

typedef struct {
  int coordinates; /**< mesh.coordinates: OAK_CARTESIAN, ... */
  int logarithmic; /**< mesh.radius: the first coordinate of the mesh is ln r */
  double xmin[3], xmax[3];
  double low[3], high[3], dx0[3]; /**< corners, and cells of level 0, in coordinates of the mesh */
  int trees[3];                   /**< blocks of level 0; 1 in z for 2D */
  int periodic[3];
  int hooks; /**< hooks give some boundary values, which may depend on the time and the time step */
  void *bc;  /**< device: oak_bc_t [2 dim][V] */
} oak_domain_t;

typedef struct oak_setup oak_setup_t;

/* coordinates.c */
/** Take theta = pi and phi = 2 pi for values that differ by rounding. */
void oak_coordinates_round(oak_setup_t *setup);
/** Refuse what the coordinates of the mesh do not allow. Rank-local. */
oak_status_t oak_coordinates_check(const oak_setup_t *setup);
/** Refuse PHYSICS_VECTORS that is missing where coordinates need it, or that cannot be right.
 * Rank-local. */
oak_status_t oak_vectors_check(const oak_setup_t *setup);
/** Whether a face of the domain is r = 0 or a pole, where the solution is mirrored: what it is
 * called, or NULL. \a odd: bits of the variables that change their sign there. */
const char *oak_coordinates_mirror(const oak_setup_t *setup, int face, uint32_t *odd);
/** Whether a face of the domain is r = 0 of spherical coordinates, and the state has vectors. */
int oak_is_origin(const oak_setup_t *setup, int face);
/** Bits of the faces of the domain that are r = 0 or theta = 0 or pi of a mesh with an axis along
 * phi: cells touch there those at phi + pi. */
unsigned oak_poles(const oak_setup_t *setup);
/** The axis along phi, or -1. */
int oak_phi_axis(const oak_setup_t *setup);
/** The volume of an interval of the first two coordinates of the mesh, divided by the lengths of
 * both. It includes a factor of 2 pi if the mesh has no axis along phi. 1 in Cartesian coordinates.
 */
double oak_volume_of(const oak_setup_t *setup, const double low[2], const double high[2]);
double oak_domain_volume(const oak_setup_t *setup);
/** The coordinate along an axis from that of the mesh, which is ln r if the radius is logarithmic.
 */
double oak_from_mesh(const oak_setup_t *setup, int axis, double x);
/** Bits of the faces of the domain that are r = 0 or a pole, where no condition can be given. */
int oak_axis_faces(const oak_setup_t *setup);
/** Whether the multipoles of isolated elliptic equations are known: the reason if not, or NULL. */
const char *oak_not_isolated(const oak_setup_t *setup);
/** The name of an axis: x, r, theta and so on. */
const char *oak_axis_name(const oak_setup_t *setup, int axis);

/* boundary.c */
extern const oak_param_desc_t oak_boundary_keys[];
/** The conditions that have a number from OAK_BC_NAMED on, for the kernels. */
void oak_boundary_print(const oak_setup_t *setup, FILE *f);
/** Declare keys per variable; needs the description. */
oak_status_t oak_boundary_declare(oak_setup_t *setup);
/** Read the conditions of all faces, *bc [2 dim][V], and along which axes the domain is periodic.
 */
oak_status_t oak_boundary_read(oak_setup_t *setup, oak_bc_t *bc);
