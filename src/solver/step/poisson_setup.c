/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a run knows of its elliptic equations before the first solution: the fields that hold the
 * solution, the conditions on the faces of the domain, the bodies, and the solver, which equations
 * of the same kind share. */
#include <string.h>

#include "elliptic/elliptic.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"

/* The fields of the solution and its gradient. */
static oak_status_t find_fields(oak_t *sim, oak_poisson_t *p) {
  const oak_equation_t *q = p->equation;
  const char *along[3];
  for (int d = 0; d < 3; d++) along[d] = oak_axis_name(&sim->setup, d);
  char name[OAK_LONGEST_FUNCTION];
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s%s%s", q->name, i ? "_" : "", i ? along[i - 1] : "");
    const int n = p->field[i] = oak_field_find(&sim->setup, name);
    OAK_CHECK(n < 0 || !sim->setup.fields.field[n].function, OAK_ERR_INPUT,
              "the hook FIELD sets %s, which is a result of POISSON: write FIELD_STORED(%s)", name,
              name);
    snprintf(name + strlen(name), sizeof name - strlen(name), "_t");
    p->rate[i] = oak_field_find(&sim->setup, name);
  }
  snprintf(name, sizeof name, "%s_tt", q->name);
  p->rate[4] = p->rate[0] < 0 ? -1 : oak_field_find(&sim->setup, name);
  for (int d = 0; d < 2 && sim->setup.domain.coordinates; d++) {
    snprintf(name, sizeof name, "%s_%c", q->name, "xy"[d]);
    OAK_CHECK(oak_field_find(&sim->setup, name) < 0, OAK_ERR_INPUT,
              "mesh.coordinates = %s: the gradient of %s has the components %s_%s and %s_%s; write "
              "these names in place of %s_x and %s_y",
              oak_params_text(sim->setup.params, "mesh.coordinates"), q->name, q->name, along[0],
              q->name, along[1], q->name, q->name);
  }
  OAK_CHECK(p->field[0] >= 0, OAK_ERR_INPUT,
            "%s needs a field for its solution: write FIELD_STORED(%s) in the same file, and "
            "FIELD_STORED(%s_%s) and so on for the gradient",
            q->section ? "POISSON_OF" : "POISSON", q->name, q->name, along[0]);
  return OAK_OK;
}

static oak_status_t find_all_fields(oak_t *sim) {
  for (int n = 0; n < sim->setup.equations.count; n++) {
    oak_poisson_t *p = &sim->poisson[n];
    p->equation = &sim->setup.equations.of[n];
    p->number = n;
    p->step = -1;
    p->every = oak_equation_every(&sim->setup, n);
    OAK_TRY(find_fields(sim, p));
  }
  return OAK_OK;
}

/* ---- boundary conditions */

enum { ISOLATED, ZERO, NO_SLOPE, VALUE, SLOPE }; /* poisson.boundary */

/* Why a face has no condition; NULL: it has one. */
static const char *without_condition(const oak_t *sim, int face) {
  return face / 2 >= sim->setup.dim                ? "the domain is two-dimensional"
         : oak_axis_faces(&sim->setup) >> face & 1 ? "this face is r = 0 or a pole"
         : sim->data.mesh->periodic[face / 2]      ? "the domain is periodic along this axis"
                                                   : NULL;
}

/* Check that `isolated` is possible; it holds on so many faces. */
static oak_status_t check_isolated(const oak_t *sim, const oak_equation_t *q, int isolated,
                                   double b) {
  const char *key = OAK_EQUATION_KEY(q, "boundary");
  const char *reason = oak_not_isolated(&sim->setup);
  const int all = 2 * sim->setup.dim - __builtin_popcount((unsigned)oak_axis_faces(&sim->setup));
  OAK_CHECK(!reason, OAK_ERR_INPUT, "%s = isolated: %s; or use zero, no_slope, value or slope", key,
            reason);
  OAK_CHECK(isolated == all, OAK_ERR_INPUT,
            "%s = isolated holds on %d of %d faces, since the others are periodic or have keys of "
            "their own: use zero, no_slope, value or slope on those %d",
            key, isolated, all, isolated);
  OAK_CHECK(!*q->coefficients && !*q->b && b == 0, OAK_ERR_INPUT,
            "%s = isolated needs an equation without %s: use zero, no_slope, value or slope", key,
            *q->coefficients ? "POISSON_COEFFICIENTS"
            : *q->b          ? "POISSON_B"
                             : OAK_EQUATION_KEY(q, "b"));
  return OAK_OK;
}

/* Read the conditions on the faces of the domain, and refuse keys of faces that have none. If a
 * section [poisson.NAME] takes a key from [poisson], the key is checked for that section. */
static oak_status_t find_faces(oak_t *sim, oak_poisson_t *p, oak_elliptic_setup_t *setup) {
  static const char *const word[6] = {"xlow", "xhigh", "ylow", "yhigh", "zlow", "zhigh"};
  const oak_equation_t *q = p->equation;
  const char *key = OAK_EQUATION_KEY(q, "boundary"), *given = NULL;
  const int all = oak_params_choice(sim->setup.params, key);
  int faces = 0, isolated = 0;
  for (int face = 0; face < 6; face++) {
    const char *own_key = OAK_EQUATION_KEY(q, word[face]), *reason = without_condition(sim, face);
    OAK_TRY(oak_key_unused(&sim->setup, own_key, reason));
    if (reason) continue;
    const int own = oak_params_choice(sim->setup.params, own_key), kind = own == 0 ? all : own;
    faces++;
    isolated += kind == ISOLATED;
    p->given[face] = kind == VALUE || kind == SLOPE;
    if (p->given[face]) given = own == 0 ? "boundary" : word[face];
    if (kind == NO_SLOPE || kind == SLOPE) setup->condition[face] = OAK_ELLIPTIC_NEUMANN;
  }
  OAK_TRY(oak_key_unused(&sim->setup, key, faces ? NULL : "the domain is periodic along all axes"));
  p->isolated = isolated > 0;
  if (isolated) OAK_TRY(check_isolated(sim, q, isolated, setup->b));
  OAK_CHECK(!given || *q->boundary, OAK_ERR_INPUT,
            "%s = value or slope: the file has no %sat, face) { ... }", OAK_EQUATION_KEY(q, given),
            OAK_EQUATION_HOOK(q, "POISSON_BOUNDARY"));
  OAK_CHECK(given || faces == 0 || !*q->boundary, OAK_ERR_INPUT,
            "no face of the domain uses POISSON_BOUNDARY%s: set %s = value or slope",
            q->section ? "_OF" : "", key);
  return OAK_OK;
}

/* Find whether the equation sees electrodes or dielectrics. */
static oak_status_t find_bodies(oak_t *sim, oak_poisson_t *p, oak_elliptic_setup_t *setup) {
  p->absorb = oak_equation_absorbs(&sim->setup, p->number);
  if (!p->equation->section || p->absorb) {
    setup->electrodes = p->absorb || oak_has_body(&sim->setup, OAK_BODY_ELECTRODE);
    setup->bodies = setup->electrodes || oak_has_body(&sim->setup, OAK_BODY_DIELECTRIC);
  }
  setup->fields |= setup->bodies;
  p->bodies = setup->bodies;
  OAK_CHECK(!p->bodies || !p->every || p->absorb, OAK_ERR_INPUT,
            "%s: poisson.every is not possible with electrodes or dielectrics: leave the key out",
            oak_params_origin(sim->setup.params, "poisson.every"));
  OAK_CHECK(!p->bodies || !p->isolated, OAK_ERR_INPUT,
            "%s = isolated is not possible with electrodes or dielectrics: use zero, no_slope, "
            "value or slope",
            OAK_EQUATION_KEY(p->equation, "boundary"));
  return OAK_OK;
}

/* ---- solvers */

/* Whether two equations can share a solver, one after the other: the coefficients are both
 * constants or both fields, the conditions have the same kinds, and no face keeps values of the
 * other equation. */
static int alike(const oak_poisson_t *p, const oak_elliptic_setup_t *setup,
                 const oak_poisson_t *other) {
  const oak_elliptic_setup_t *o = &other->elliptic->setup;
  int given[2] = {p->isolated, other->isolated}, same = p->isolated == other->isolated;
  for (int face = 0; face < 6; face++) {
    given[0] |= p->given[face];
    given[1] |= other->given[face];
    same &= p->given[face] == other->given[face];
  }
  return setup->fields == o->fields && (same || !given[0] || !given[1]) &&
         !memcmp(setup->condition, o->condition, sizeof o->condition);
}

/* The solver of an earlier equation that all equations which use it can share with this one. */
static oak_elliptic_t *find_shared(const oak_t *sim, const oak_poisson_t *p,
                                   const oak_elliptic_setup_t *setup) {
  for (int n = 0; n < p->number; n++) {
    int all = !sim->poisson[n].bodies && !p->bodies;
    for (int m = 0; m < p->number; m++)
      all &=
          sim->poisson[m].elliptic != sim->poisson[n].elliptic || alike(p, setup, &sim->poisson[m]);
    if (all) return sim->poisson[n].elliptic;
  }
  return NULL;
}

void oak_poisson_setup(oak_t *sim, oak_elliptic_setup_t *out) {
  *out = (oak_elliptic_setup_t){
      .transport = &sim->data.transport,
      .timers = &sim->data.timers,
      .block_size = {sim->setup.block.size[0], sim->setup.block.size[1], sim->setup.block.size[2]},
      .coordinates = sim->setup.domain.coordinates,
      .logarithmic = sim->setup.domain.logarithmic,
      .axis_faces = oak_axis_faces(&sim->setup),
      .mean_factor = oak_volume_of(&sim->setup, sim->setup.domain.low, sim->setup.domain.high),
      .a = 1,
      .gather_cells = oak_params_int(sim->setup.params, "poisson.gather_cells")};
  memcpy(out->xmin, sim->setup.domain.low, sizeof out->xmin);
  memcpy(out->dx0, sim->setup.domain.dx0, sizeof out->dx0);
}

static oak_status_t open_solver(oak_t *sim, oak_poisson_t *p) {
  const oak_equation_t *q = p->equation;
  oak_elliptic_setup_t setup;
  oak_poisson_setup(sim, &setup);
  setup.b = oak_params_real(sim->setup.params, OAK_EQUATION_KEY(q, "b"));
  setup.fields = *q->coefficients != 0;
  OAK_TRY(find_faces(sim, p, &setup));
  OAK_TRY(find_bodies(sim, p, &setup));
  if (*q->b)
    OAK_TRY(oak_agree(sim->setup.comm, oak_device_alloc(sim->setup.dev, sizeof(double), &p->b)));
  p->elliptic = find_shared(sim, p, &setup);
  return p->elliptic ? OAK_OK
                     : oak_elliptic_new(sim->setup.comm, &setup, sim->data.mesh, &p->elliptic);
}

static oak_status_t open_solvers(oak_t *sim) {
  for (int n = 0; n < sim->setup.equations.count; n++) OAK_TRY(open_solver(sim, &sim->poisson[n]));
  return OAK_OK;
}

/* Whether an earlier equation has the same solver. */
static int shares(const oak_t *sim, int n) {
  int earlier = 0;
  for (int m = 0; m < n; m++) earlier |= sim->poisson[m].elliptic == sim->poisson[n].elliptic;
  return earlier;
}

static int64_t bytes(const oak_t *sim) {
  int64_t sum = 0;
  for (int n = 0; n < sim->setup.equations.count; n++)
    sum += (shares(sim, n) ? 0 : oak_elliptic_bytes(sim->poisson[n].elliptic)) +
           sim->poisson[n].slope.bytes;
  return sum;
}

static void clear(oak_t *sim) {
  for (int n = sim->setup.equations.count - 1; n >= 0; n--) {
    if (!shares(sim, n)) oak_elliptic_destroy(&sim->poisson[n].elliptic);
    oak_device_free(sim->setup.dev, sim->poisson[n].slope.at);
    oak_device_free(sim->setup.dev, sim->poisson[n].b);
  }
}

static int wanted(const oak_t *sim) { return sim->setup.equations.count > 0; }

const oak_part_t oak_part_poisson = {.columns = &oak_poisson_columns,
                                     .wanted = wanted,
                                     .read = find_all_fields,
                                     .open = open_solvers,
                                     .bytes = bytes,
                                     .clear = clear};
