/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the coordinates of a mesh allow, and the volume of its domain. */
#include <math.h>
#include <string.h>

#include "solver/setup/setup.h"

static oak_status_t refuse(const oak_setup_t *setup, const char *what, const char *instead) {
  return OAK_FAIL(OAK_ERR_INPUT, "%s: mesh.coordinates = axisymmetric %s: %s",
                  oak_params_origin(setup->params, "mesh.coordinates"), what, instead);
}

/* The radius is not periodic, and the condition at r = 0 cannot be chosen. */
static oak_status_t check_axis(const oak_setup_t *setup) {
  const char *low = oak_params_text(setup->params, "boundary.xlow");
  OAK_CHECK(strcmp(oak_params_text(setup->params, "boundary.xhigh"), "periodic"), OAK_ERR_INPUT,
            "boundary.xhigh = periodic: the radius is not periodic; choose outflow, reflect or "
            "another condition");
  OAK_CHECK(setup->xmin[0] > 0 || !strcmp(low, "reflect") || !strcmp(low, "periodic"),
            OAK_ERR_INPUT,
            "%s: boundary.xlow = %s: mesh.xmin = 0 is the axis, where oak mirrors the solution; "
            "leave the key out",
            oak_params_origin(setup->params, "boundary.xlow"), low);
  return OAK_OK;
}

oak_status_t oak_coordinates_check(const oak_setup_t *setup) {
  const oak_description_t *d = &setup->description;
  if (!setup->coordinates) return OAK_OK;
  if (setup->dim != 2) return refuse(setup, "is for 2D", "set mesh.dim = 2");
  if (!(setup->xmin[0] >= 0))
    return refuse(setup, "has the radius as its first coordinate",
                  "mesh.xmin must begin with >= 0");
  if (!d->vectors.declared)
    return refuse(setup, "must know the vectors among the variables",
                  "the file of the physics needs #define PHYSICS_VECTORS(X), see "
                  "docs/coordinates.md");
  if (d->vectors.sides || oak_has_hook(setup, "physics_to_smooth") ||
      oak_has_hook(setup, "physics_to_coarse"))
    return refuse(setup, "does not know CELL_TERMS, FACE_SIDES, TO_SMOOTH and TO_COARSE",
                  "choose a physics without them");
  if (d->vectors.planar && (oak_has_hook(setup, "physics_diffusive_flux") ||
                            oak_has_hook(setup, "problem_diffusive_flux")))
    return refuse(setup, "needs the components of all vectors along phi for DIFFUSIVE_FLUX",
                  "PHYSICS_VECTORS must not have -1, see docs/coordinates.md");
  if (setup->fields.nfixed) return refuse(setup, "does not know FLUX_FIELD", "choose cartesian");
  return check_axis(setup);
}

int oak_has_axis(const oak_setup_t *setup) { return setup->coordinates && setup->xmin[0] == 0; }

double oak_domain_volume(const oak_setup_t *setup) {
  double volume = setup->coordinates ? M_PI * (setup->xmin[0] + setup->xmax[0]) : 1;
  for (int d = 0; d < setup->dim; d++) volume *= setup->xmax[d] - setup->xmin[d];
  return volume;
}
