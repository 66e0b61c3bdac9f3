/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reads the keys of mesh, scheme and refinement. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/geometry.h"
#include "base/shape.h"
#include "api/create.h"
#include "solver/data/variables.h"

/* Bytes of the numbers that each choice of scheme.precision computes with and stores. */
static oak_status_t read_precision(oak_setup_t *setup) {
  static const struct {
    int real, store, flux;
  } size[] = {{8, 8, 8}, {4, 4, 4}, {8, 4, 8}, {8, 8, 4}};
  const int choice = oak_params_choice(setup->params, "scheme.precision");
  setup->bytes.real = size[choice].real;
  setup->bytes.store = size[choice].store;
  setup->bytes.flux = size[choice].flux;
  OAK_CHECK(choice != 3 || setup->domain.coordinates == OAK_CARTESIAN, OAK_ERR_INPUT,
            "%s: scheme.precision = single_fluxes with mesh.coordinates = %s: fluxes of single "
            "precision need cartesian coordinates; use double, mixed or single",
            oak_params_origin(setup->params, "scheme.precision"),
            oak_params_text(setup->params, "mesh.coordinates"));
  /* Where compilers contract a * b + c, repair computes a flux with other rounding than the flux
   * kernel did, which the cell beyond the face has used. With openacc both cells of a face compute
   * its flux. */
  OAK_CHECK(choice != 3 || strcmp(oak_params_text(setup->params, "device.name"), "openacc") != 0,
            OAK_ERR_INPUT,
            "%s: scheme.precision = single_fluxes with device.name = openacc: totals would be kept "
            "to single precision only; use double, mixed or single, or another device",
            oak_params_origin(setup->params, "scheme.precision"));
  OAK_CHECK(choice != 3 || oak_params_choice(setup->params, "scheme.on_invalid") != 1,
            OAK_ERR_INPUT,
            "%s: scheme.precision = single_fluxes with scheme.on_invalid = first_order: totals "
            "would be kept to single precision only; use retry or stop",
            oak_params_origin(setup->params, "scheme.precision"));
  return OAK_OK;
}

oak_status_t oak_read_structure(oak_setup_t *setup) {
  const oak_params_t *p = setup->params;
  setup->dim = oak_params_int(p, "mesh.dim");
  setup->domain.coordinates = oak_params_choice(p, "mesh.coordinates");
  setup->domain.logarithmic = oak_params_choice(p, "mesh.radius");
  const int numbers = oak_params_ints(p, "mesh.block_size", setup->block.size);
  OAK_CHECK(numbers == 1 || numbers == setup->dim, OAK_ERR_INPUT,
            "%s: mesh.block_size has %d numbers: in %dD it has 1 or %d",
            oak_params_origin(p, "mesh.block_size"), numbers, setup->dim, setup->dim);
  if (setup->dim == 2) setup->block.size[2] = 1;
  setup->block.cells = oak_shape_cells(setup->block.size);
  setup->block.face_cells = oak_shape_face(setup->dim, setup->block.size);
  setup->refine.min_level = oak_params_int(p, "mesh.min_level");
  setup->refine.max_level = oak_params_int(p, "mesh.max_level");
  OAK_TRY(read_precision(setup));
  setup->method.runge_kutta = oak_runge_kutta(oak_params_choice(p, "scheme.integrator"));
  setup->method.first_order = oak_params_choice(p, "scheme.on_invalid") == 1;
  setup->method.retry = oak_params_choice(p, "scheme.on_invalid") == 2;
  /* A step can be repeated only if its result does not replace the state at its start. The result
   * may therefore need one more state. */
  const int further = setup->method.retry && setup->method.runge_kutta->result == 0;
  setup->method.nstate = setup->method.runge_kutta->nstate + (setup->method.first_order || further);
  setup->method.result =
      further ? setup->method.runge_kutta->nstate : setup->method.runge_kutta->result;
  OAK_CHECK(setup->refine.min_level <= setup->refine.max_level, OAK_ERR_INPUT,
            "mesh.min_level = %d is above mesh.max_level = %d: they must be in order",
            setup->refine.min_level, setup->refine.max_level);
  return OAK_OK;
}

oak_status_t oak_read_layers(oak_setup_t *setup) {
  const oak_params_t *p = setup->params;
  OAK_TRY(oak_scheme_check(setup, OAK_LIMITERS, "scheme.limiter"));
  const int limiter = oak_scheme_find(setup, OAK_LIMITERS, oak_params_text(p, "scheme.limiter"));
  /* The flux through the outermost face needs the first ghost cell. */
  const int needed = setup->files.declared.scheme[limiter].radius + 1;
  const int given = oak_params_int(p, "scheme.ghost_layers");
  OAK_CHECK(given == 0 || given >= needed, OAK_ERR_INPUT,
            "%s: scheme.ghost_layers = %d: scheme.limiter = %s needs %d (0 chooses by itself)",
            oak_params_origin(p, "scheme.ghost_layers"), given,
            oak_params_text(p, "scheme.limiter"), needed);
  setup->block.layers = given ? given : needed;
  return oak_pattern_check(setup->dim, setup->block.size, setup->block.layers,
                           setup->refine.max_level > setup->refine.min_level);
}

/* The largest number of the run's precision that is not above x. */
static double round_down(const oak_setup_t *setup, double x) {
  const float f = (float)x;
  if (setup->bytes.real != sizeof f) return x;
  return f > x ? nextafterf(f, -INFINITY) : f;
}

/* Positions of cells must differ by more than their rounding errors. */
static oak_status_t check_resolution(const oak_setup_t *setup, int d) {
  const double finest = ldexp(setup->domain.dx0[d], -setup->refine.max_level);
  const double least =
      64 * DBL_EPSILON * fmax(fabs(setup->domain.low[d]), fabs(setup->domain.high[d]));
  OAK_CHECK(isfinite(finest) && finest >= least && finest >= DBL_MIN, OAK_ERR_INPUT,
            "mesh.xmin = %g and mesh.xmax = %g along %s: cells of mesh.max_level = %d would have "
            "the size %g, but numbers of double precision tell them apart only from %g on: put the "
            "origin near the domain, lower the level or change the unit",
            setup->domain.xmin[d], setup->domain.xmax[d], oak_axis_name(setup, d),
            setup->refine.max_level, finest, fmax(least, DBL_MIN));
  return OAK_OK;
}

/* A coordinate of the mesh: ln r if the radius is logarithmic. */
static oak_status_t set_axis(oak_setup_t *setup, int d) {
  const int logarithmic = setup->domain.logarithmic && d == 0;
  OAK_CHECK(
      !logarithmic || setup->domain.coordinates >= OAK_POLAR, OAK_ERR_INPUT,
      "%s: mesh.radius = logarithmic needs mesh.coordinates = polar, cylindrical or spherical",
      oak_params_origin(setup->params, "mesh.radius"));
  OAK_CHECK(!logarithmic || setup->domain.xmin[0] > 0, OAK_ERR_INPUT,
            "mesh.xmin = %g: with mesh.radius = logarithmic the radius begins above 0",
            setup->domain.xmin[0]);
  setup->domain.low[d] = oak_geometry_to_mesh(logarithmic, setup->domain.xmin[d]);
  setup->domain.high[d] = oak_geometry_to_mesh(logarithmic, setup->domain.xmax[d]);
  setup->domain.dx0[d] = (setup->domain.high[d] - setup->domain.low[d]) / setup->domain.trees[d] /
                         setup->block.size[d];
  OAK_CHECK(
      !logarithmic ||
          (setup->domain.dx0[d] <= 1 && setup->domain.high[d] - setup->domain.low[d] < 20),
      OAK_ERR_INPUT,
      "mesh.radius = logarithmic from mesh.xmin = %g to mesh.xmax = %g: radii may differ by a "
      "factor of 4e8, and on level 0 from cell to cell by %g: choose more blocks in "
      "mesh.trees or another domain",
      setup->domain.xmin[0], setup->domain.xmax[0], exp(1));
  return check_resolution(setup, d);
}

/* A key has a number for each axis, or fewer. */
static oak_status_t check_count(const oak_setup_t *setup, const char *key, int count) {
  OAK_CHECK(count <= setup->dim, OAK_ERR_INPUT,
            "%s: %s = %s has %d numbers, but mesh.dim = %d: leave out those of other axes (2pi is "
            "written without a blank)",
            oak_params_origin(setup->params, key), key, oak_params_changed(setup->params, key),
            count, setup->dim);
  return OAK_OK;
}

oak_status_t oak_read_domain(oak_setup_t *setup) {
  const oak_params_t *p = setup->params;
  OAK_TRY(check_count(setup, "mesh.trees", oak_params_ints(p, "mesh.trees", setup->domain.trees)));
  OAK_TRY(oak_mesh_check_trees(setup->dim, setup->domain.trees));
  OAK_TRY(check_count(setup, "mesh.xmin", oak_params_reals(p, "mesh.xmin", setup->domain.xmin)));
  OAK_TRY(check_count(setup, "mesh.xmax", oak_params_reals(p, "mesh.xmax", setup->domain.xmax)));
  oak_coordinates_round(setup);
  for (int d = 0; d < setup->dim; d++) {
    OAK_CHECK(setup->domain.xmax[d] > setup->domain.xmin[d], OAK_ERR_INPUT,
              "mesh.xmax = %g is not above mesh.xmin = %g along %s", setup->domain.xmax[d],
              setup->domain.xmin[d], oak_axis_name(setup, d));
    OAK_TRY(set_axis(setup, d));
  }
  if (setup->dim == 2) {
    setup->domain.xmin[2] = setup->domain.xmax[2] = setup->domain.dx0[2] = 0;
    setup->domain.low[2] = setup->domain.high[2] = 0;
    setup->domain.trees[2] = 1;
  }
  /* Rounded down to the precision of kernels: 4/3 must not become more (kernels/geometry/rows.h).
   */
  setup->refine.theta = round_down(setup, oak_params_real(p, "mesh.theta"));
  return OAK_OK;
}

void oak_read_changing(oak_setup_t *setup) {
  const oak_params_t *p = setup->params;
  setup->method.cfl = oak_params_real(p, "run.cfl");
  setup->method.dt_max = oak_params_real(p, "run.dt_max");
  setup->method.end_time = oak_params_real(p, "run.end_time");
  setup->refine.every = oak_params_int(p, "mesh.adapt_every");
  setup->refine.kappa_max = oak_params_real(p, "mesh.kappa_max");
  setup->refine.c_refine = oak_params_real(p, "refine.c_refine");
  setup->refine.c_derefine = oak_params_real(p, "refine.c_derefine");
  setup->refine.eps = oak_params_real(p, "refine.eps");
  setup->refine.eps_abs = oak_params_real(p, "refine.eps_abs");
}

/* ---- refinement */

static oak_status_t add_derived(oak_refine_t *r, int number) {
  for (int n = 0; n < r->nderived; n++)
    if (r->derived[n] == number) return OAK_OK;
  OAK_CHECK(r->nderived < OAK_MAX_FIELDS, OAK_ERR_INPUT,
            "refine.variable names more than %d derived variables: leave some out", OAK_MAX_FIELDS);
  r->derived[r->nderived++] = number;
  return OAK_OK;
}

/* A variable that the criterion looks at. \a looks: 1 if the criterion may look at derived
 * variables. A name such as rho may stand for a conserved and a primitive variable: the first one
 * counts. */
static oak_status_t add_refine_variable(oak_setup_t *setup, const char *word, int looks) {
  oak_refine_t *r = &setup->refine;
  int v = 0;
  while (v < 2 * setup->nvar && strcmp(word, setup->description.name[v]) &&
         strcmp(word, setup->description.shown[v]))
    v++;
  if (v < setup->nvar) {
    r->variables |= 1u << v;
    return OAK_OK;
  }
  if (v < 2 * setup->nvar) {
    r->primitives |= 1u << (v - setup->nvar);
    return OAK_OK;
  }
  const int field = oak_field_find(setup, word), derived = oak_derived_find(setup, word);
  if (field >= 0) {
    r->fields |= 1u << field;
    return OAK_OK;
  }
  if (derived >= 0) return looks ? add_derived(r, derived) : OAK_OK;
  return oak_variable_unknown(setup, word, oak_params_origin(setup->params, "refine.variable"),
                              "refine.variable", 1);
}

static oak_status_t read_refine_variables(oak_setup_t *setup) {
  char words[256];
  const char *text = oak_params_text(setup->params, "refine.variable");
  const char *criterion = oak_params_text(setup->params, "refine.criterion");
  const int looks = setup->refine.active && strcmp(criterion, "user") && strcmp(criterion, "none");
  snprintf(words, sizeof words, "%s", *text ? text : setup->description.name[0]);
  for (char *word = strtok(words, " ,"); word; word = strtok(NULL, " ,"))
    OAK_TRY(add_refine_variable(setup, word, looks));
  return OAK_OK;
}

oak_status_t oak_read_refinement(oak_setup_t *setup) {
  const oak_params_t *p = setup->params;
  setup->refine.buffer = oak_params_int(p, "refine.buffer");
  for (int d = 0; d < setup->dim; d++)
    OAK_CHECK(setup->refine.buffer <= setup->block.size[d], OAK_ERR_INPUT,
              "%s: refine.buffer = %d: at most the cells of a block, mesh.block_size = %d",
              oak_params_origin(p, "refine.buffer"), setup->refine.buffer, setup->block.size[d]);
  const char *criterion = oak_params_text(p, "refine.criterion");
  OAK_TRY(oak_scheme_check(setup, OAK_CRITERIA, "refine.criterion"));
  setup->refine.active = (strcmp(criterion, "none") || oak_has_hook(setup, "problem_region")) &&
                         setup->refine.max_level > setup->refine.min_level;
  OAK_CHECK(
      strcmp(criterion, "user") || oak_has_hook(setup, "problem_refine"), OAK_ERR_INPUT,
      "refine.criterion = user: %s has no REFINE(at) { return ...; }, whose result is compared "
      "with refine.c_refine; problems/streamer.c has one",
      setup->files.problem);
  OAK_CHECK(setup->refine.c_derefine <= setup->refine.c_refine, OAK_ERR_INPUT,
            "refine.c_derefine = %g is above refine.c_refine = %g: they must be in order",
            setup->refine.c_derefine, setup->refine.c_refine);
  return read_refine_variables(setup);
}
