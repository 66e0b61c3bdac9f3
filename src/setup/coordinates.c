/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the coordinates of a mesh allow, and volumes. Kernels have kernels/geometry/geometry.h. */
#include <math.h>
#include <string.h>

#include "base/geometry.h"
#include "setup/setup.h"

static oak_status_t refuse(const oak_setup_t *setup, const char *what, const char *instead) {
  return OAK_FAIL(OAK_ERR_INPUT, "%s: mesh.coordinates = %s %s: %s",
                  oak_params_origin(setup->params, "mesh.coordinates"),
                  oak_params_text(setup->params, "mesh.coordinates"), what, instead);
}

int oak_phi_axis(const oak_setup_t *setup) {
  return oak_geometry_phi(setup->domain.coordinates, setup->dim);
}

static void round_to(double *x, double exact) {
  if (fabs(*x - exact) < 1e-6) *x = exact;
}

void oak_coordinates_round(oak_setup_t *setup) {
  const int phi = oak_phi_axis(setup);
  if (setup->domain.coordinates == OAK_SPHERICAL) round_to(&setup->domain.xmax[1], M_PI);
  if (phi >= 0) round_to(&setup->domain.xmax[phi], setup->domain.xmin[phi] + 2 * M_PI);
}

const char *oak_coordinates_mirror(const oak_setup_t *setup, int face, uint32_t *odd) {
  const uint32_t *c = setup->description.vectors.component;
  const int spherical = setup->domain.coordinates == OAK_SPHERICAL;
  if (setup->domain.coordinates && face == 0 && setup->domain.xmin[0] == 0) {
    *odd = c[0] | (spherical ? c[1] | c[2] : oak_phi_axis(setup) == 1 ? c[1] : c[2]);
    return spherical ? "mesh.xmin = 0 is r = 0" : "mesh.xmin = 0 is the axis";
  }
  if (spherical &&
      ((face == 2 && setup->domain.xmin[1] == 0) || (face == 3 && setup->domain.xmax[1] == M_PI))) {
    *odd = c[1] | c[2];
    return "theta = 0 or pi is the axis";
  }
  return NULL;
}

int oak_is_origin(const oak_setup_t *setup, int face) {
  return setup->domain.coordinates == OAK_SPHERICAL && face == 0 && setup->domain.xmin[0] == 0 &&
         setup->description.vectors.component[0] != 0;
}

/* r and theta are not periodic, and the conditions at r = 0 and at poles cannot be chosen. */
static oak_status_t check_faces(const oak_setup_t *setup) {
  static const char *const key[4] = {"boundary.xlow", "boundary.xhigh", "boundary.ylow",
                                     "boundary.yhigh"};
  const int curved = setup->domain.coordinates == OAK_SPHERICAL ? 4 : 2;
  for (int f = 0; f < curved; f++) {
    const char *text = oak_params_text(setup->params, key[f]);
    uint32_t odd;
    const char *mirror = oak_coordinates_mirror(setup, f, &odd);
    OAK_CHECK(!mirror || !strcmp(text, "reflect") || !strcmp(text, "periodic"), OAK_ERR_INPUT,
              "%s: %s = %s: %s, where oak mirrors the solution; leave the key out",
              oak_params_origin(setup->params, key[f]), key[f], text, mirror);
    OAK_CHECK(mirror || strcmp(text, "periodic"), OAK_ERR_INPUT,
              "%s = periodic: %s is not periodic; choose outflow, reflect or another condition",
              key[f], f < 2 ? "the radius" : "the angle theta");
  }
  return OAK_OK;
}

unsigned oak_poles(const oak_setup_t *setup) {
  const int phi = oak_phi_axis(setup);
  return phi < 1 ? 0 : oak_axis_faces(setup) & (3u << (2 * (phi - 1)));
}

static oak_status_t check_poles(const oak_setup_t *setup) {
  const int phi = oak_phi_axis(setup);
  if (!oak_poles(setup)) return OAK_OK;
  if (setup->domain.xmax[phi] - setup->domain.xmin[phi] != 2 * M_PI ||
      strcmp(oak_params_text(setup->params, phi == 1 ? "boundary.ylow" : "boundary.zlow"),
             "periodic"))
    return refuse(
        setup, "needs phi over 2 pi, periodic, where r = 0 or a pole is in the domain",
        "let phi go from 0 to 2pi, or begin the domain above r = 0 and between the poles");
  if ((long long)setup->domain.trees[phi] << setup->refine.min_level & 1)
    return refuse(setup, "needs an even number of blocks along phi at r = 0 and at poles",
                  "make mesh.trees even along phi, or set mesh.min_level = 1");
  return OAK_OK;
}

static oak_status_t check_domain(const oak_setup_t *setup) {
  const int c = setup->domain.coordinates, phi = oak_phi_axis(setup);
  if ((c == OAK_AXISYMMETRIC || c == OAK_POLAR) && setup->dim != 2)
    return refuse(setup, "is for 2D", "set mesh.dim = 2");
  if (c == OAK_CYLINDRICAL && setup->dim != 3)
    return refuse(setup, "is for 3D", "set mesh.dim = 3, or choose axisymmetric or polar");
  if (!(setup->domain.xmin[0] >= 0))
    return refuse(setup, "has the radius as its first coordinate",
                  "mesh.xmin must begin with >= 0");
  if (c == OAK_SPHERICAL && !(setup->domain.xmin[1] >= 0 && setup->domain.xmax[1] <= M_PI))
    return refuse(setup, "has theta from 0 to pi as its second coordinate",
                  "choose mesh.xmin and mesh.xmax so");
  if (phi >= 0 && setup->domain.xmax[phi] - setup->domain.xmin[phi] > 2 * M_PI)
    return refuse(setup, "has phi over 2 pi at most", "choose mesh.xmin and mesh.xmax so");
  return OAK_OK;
}

/* Angles that end near a pole or a whole turn are meant to end there: with 3.14 for pi or 6.28 for
 * 2 pi, a hole or a gap would remain. */
static oak_status_t check_angles(const oak_setup_t *setup) {
  const int phi = oak_phi_axis(setup), spherical = setup->domain.coordinates == OAK_SPHERICAL;
  const double holes[2] = {setup->domain.xmin[1], M_PI - setup->domain.xmax[1]};
  for (int end = 0; end < 2 && spherical; end++)
    OAK_CHECK(holes[end] == 0 || holes[end] > 2e-3, OAK_ERR_INPUT,
              "%s: theta from %.10g to %.10g leaves a hole of %.2g around a pole: write %s, or end "
              "further away from it",
              oak_params_origin(setup->params, end ? "mesh.xmax" : "mesh.xmin"),
              setup->domain.xmin[1], setup->domain.xmax[1], holes[end], end ? "pi" : "0");
  if (phi < 0 ||
      strcmp(oak_params_text(setup->params, phi == 1 ? "boundary.ylow" : "boundary.zlow"),
             "periodic"))
    return OAK_OK;
  const double range = setup->domain.xmax[phi] - setup->domain.xmin[phi],
               parts = rint(2 * M_PI / range);
  char share[32] = "";
  if (parts > 1) snprintf(share, sizeof share, "/%g", parts);
  OAK_CHECK(fabs(range - 2 * M_PI / parts) < 1e-6 || fabs(2 * M_PI / range - parts) > 0.01,
            OAK_ERR_INPUT,
            "%s: phi from %.10g to %.10g is periodic, but %g of these ranges differ from a turn by "
            "%.2g: the range must be 2pi%s, or 2pi over another whole number",
            oak_params_origin(setup->params, "mesh.xmax"), setup->domain.xmin[phi],
            setup->domain.xmax[phi], parts, parts * range - 2 * M_PI, share);
  return OAK_OK;
}

oak_status_t oak_vectors_check(const oak_setup_t *setup) {
  const oak_description_t *d = &setup->description;
  if (!d->vectors.declared && !setup->domain.coordinates) return OAK_OK;
  if (!d->vectors.declared)
    return refuse(setup, "must know the vectors among the variables",
                  "the file of the physics needs #define PHYSICS_VECTORS(X), see "
                  "docs/coordinates.md");
  for (int v = 0; v < d->nvar; v++) {
    const uint32_t mirrored = d->mirror[0] | d->mirror[1] | (setup->dim == 3 ? d->mirror[2] : 0);
    const int times = d->vectors.listed >> 2 * v & 3, wall = mirrored >> v & 1;
    OAK_CHECK(times < 2, OAK_ERR_INPUT,
              "%s: PHYSICS_VECTORS has %s (variable %d) %d times: each component belongs to one "
              "vector",
              setup->files.physics, d->name[v], v, times);
    OAK_CHECK(times || !wall, OAK_ERR_INPUT,
              "%s: walls change the sign of %s (variable %d; PHYSICS_MIRROR, PHYSICS_NORMAL), but "
              "PHYSICS_VECTORS has no vector with it: add this vector",
              setup->files.physics, d->name[v], v);
  }
  return OAK_OK;
}

oak_status_t oak_coordinates_check(const oak_setup_t *setup) {
  const oak_description_t *d = &setup->description;
  if (!setup->domain.coordinates) return OAK_OK;
  OAK_TRY(check_domain(setup));
  OAK_TRY(check_angles(setup));
  OAK_TRY(oak_vectors_check(setup));
  if (setup->domain.coordinates != OAK_POLAR &&
      (d->vectors.sides || setup->fields.nfixed || oak_has_hook(setup, "physics_to_smooth") ||
       oak_has_hook(setup, "physics_to_coarse")))
    return refuse(setup,
                  "does not know FLUX_FIELD, CELL_TERMS, FACE_SIDES, TO_SMOOTH and TO_COARSE",
                  "choose polar or cartesian, or a physics without them");
  if (d->vectors.planar && oak_phi_axis(setup) < 0 &&
      (oak_has_hook(setup, "physics_diffusive_flux") ||
       oak_has_hook(setup, "problem_diffusive_flux")))
    return refuse(setup, "needs the components of all vectors along phi for DIFFUSIVE_FLUX",
                  "PHYSICS_VECTORS must not have -1, see docs/coordinates.md");
  if (setup->domain.coordinates > OAK_AXISYMMETRIC && oak_has_charged_bodies(setup))
    return refuse(setup, "does not know electrodes and dielectrics",
                  "choose cartesian or axisymmetric");
  OAK_TRY(check_poles(setup));
  return check_faces(setup);
}

double oak_volume_of(const oak_setup_t *setup, const double low[2], const double high[2]) {
  return oak_geometry_volume(setup->domain.coordinates, setup->domain.logarithmic, setup->dim, low,
                             high);
}

double oak_from_mesh(const oak_setup_t *setup, int axis, double x) {
  return oak_geometry_from_mesh(setup->domain.logarithmic && axis == 0, x);
}

int oak_axis_faces(const oak_setup_t *setup) {
  int faces = 0;
  uint32_t odd;
  for (int face = 0; face < 2 * setup->dim; face++)
    faces |= (oak_coordinates_mirror(setup, face, &odd) != NULL) << face;
  return faces;
}

const char *oak_not_isolated(const oak_setup_t *setup) {
  const int faces = oak_axis_faces(setup);
  if (setup->domain.coordinates == OAK_CARTESIAN) return NULL;
  if (setup->domain.coordinates == OAK_AXISYMMETRIC)
    return faces ? NULL : "in (r, z) it needs the axis in the domain: set mesh.xmin = 0 ...";
  if (setup->domain.coordinates == OAK_SPHERICAL && setup->dim == 2)
    return faces == 0xd ? NULL
                        : "in (r, theta) it needs the whole sphere: set mesh.xmin = 0 0 and "
                          "mesh.xmax = ... pi";
  return "it is for Cartesian coordinates, (r, z) and (r, theta)";
}

const char *oak_axis_name(const oak_setup_t *setup, int axis) {
  return setup->domain.coordinates && axis >= setup->dim
             ? ""
             : oak_geometry_axis(setup->domain.coordinates, axis);
}

double oak_domain_volume(const oak_setup_t *setup) {
  double volume = oak_volume_of(setup, setup->domain.low, setup->domain.high);
  for (int d = 0; d < setup->dim; d++) volume *= setup->domain.high[d] - setup->domain.low[d];
  return volume;
}
