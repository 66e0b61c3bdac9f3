/* SPDX-License-Identifier: GPL-2.0-or-later
 * Electrodes and dielectrics in Poisson's equation of a run: where they are on the levels of the
 * solver, their potentials and coefficients, and their charges. Also runs kernels of an equation.
 */
#include "base/reduce.h"
#include "elliptic/elliptic.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"

oak_status_t oak_poisson_run(oak_t *sim, const oak_poisson_t *p, oak_kernel_t *kernel, int state,
                             double time, void *values, int field, int store) {
  oak_poisson_args_t args = {.values = values, .equation = p->number, .store = store};
  if (field >= 0) args.field = sim->data.fields.field[field].now.memory.mine;
  args.shift = p->shift;
  for (int i = 0; i < 4; i++)
    if (field >= 0 && field == p->field[i] && p->rate[i] >= 0)
      args.rate = sim->data.fields.field[p->rate[i]].now.memory.mine;
  return oak_data_launch(&sim->data, kernel, state, time, &args, sizeof args);
}

oak_status_t oak_bodies_open(oak_t *sim, oak_poisson_t *p, oak_elliptic_setup_t *setup) {
  const oak_equation_t *q = &sim->setup.equations.of[p->number];
  const int absorb = oak_equation_absorbs(&sim->setup, p->number);
  setup->electrodes = absorb || oak_has_body(&sim->setup, OAK_BODY_ELECTRODE);
  setup->bodies = setup->electrodes || oak_has_body(&sim->setup, OAK_BODY_DIELECTRIC);
  if (q->section && !absorb) setup->electrodes = setup->bodies = 0;
  setup->fields |= setup->bodies;
  p->bodies = setup->bodies;
  p->absorb = absorb;
  OAK_CHECK(!p->bodies || !p->every || absorb, OAK_ERR_INPUT,
            "%s: poisson.every is not possible with electrodes or dielectrics: leave the key out",
            oak_params_origin(sim->setup.params, "poisson.every"));
  OAK_CHECK(!p->bodies || !p->isolated, OAK_ERR_INPUT,
            "poisson.%s%sboundary = isolated is not possible with electrodes or dielectrics: use "
            "zero, no_slope, value or slope",
            q->section ? q->name : "", q->section ? "." : "");
  return OAK_OK;
}

/* The arguments of kernels that work on the blocks of a level. */
static void body_args(oak_t *sim, oak_poisson_t *p, int l, int state, double time,
                      oak_body_args_t *args) {
  oak_elliptic_args_t e;
  oak_elliptic_args(p->elliptic, l, &e);
  *args = (oak_body_args_t){.cut = (double *)e.cut,
                            .pin = (double *)e.pin,
                            .wall = e.wall,
                            .given = p->absorb ? OAK_ALL_BODIES : 1 << OAK_BODY_ELECTRODE,
                            .zero = p->absorb};
  oak_data_field(&sim->data, state, time, &args->f);
  args->f.block = e.f.block;
  args->f.face = e.f.face;
}

static oak_status_t launch_body(oak_t *sim, oak_poisson_t *p, oak_kernel_t *kernel, int l,
                                const oak_body_args_t *args) {
  return oak_device_launch(sim->setup.dev, kernel, p->elliptic->level[l].mesh->nblock, args,
                           sizeof *args);
}

/* Where bodies are on all levels of a new mesh. */
static oak_status_t find_cuts(oak_t *sim, oak_poisson_t *p, int state, double time) {
  oak_status_t st = OAK_OK;
  oak_body_args_t args;
  for (int l = 0; l < p->elliptic->nlevel && st == OAK_OK; l++) {
    body_args(sim, p, l, state, time, &args);
    st = launch_body(sim, p, sim->setup.kernel.body_cuts, l, &args);
  }
  return st;
}

/* Whether the equation has dielectrics with charge on their surface. */
static int has_charge(const oak_t *sim, const oak_poisson_t *p) {
  return !p->absorb && oak_has_body(&sim->setup, OAK_BODY_DIELECTRIC);
}

oak_status_t oak_bodies_set(oak_t *sim, oak_poisson_t *p, int state, double time, int changed) {
  const int top = p->elliptic->nlevel - 1;
  oak_status_t st = changed ? find_cuts(sim, p, state, time) : OAK_OK;
  oak_body_args_t args;
  body_args(sim, p, top, state, time, &args);
  args.values = p->elliptic->f;
  args.u = oak_elliptic_top(p->elliptic)->u.memory.mine;
  if (st == OAK_OK) st = launch_body(sim, p, sim->setup.kernel.body_potentials, top, &args);
  OAK_TRY(oak_data_agree(&sim->data, st));
  return has_charge(sim, p) ? oak_elliptic_charge_surfaces(p->elliptic) : OAK_OK;
}

/* The charge on dielectrics travels in the memory of the coefficients. */
int oak_bodies_change(const oak_t *sim, const oak_poisson_t *p, int changed) {
  return changed || has_charge(sim, p) || *sim->setup.equations.of[p->number].b;
}

oak_status_t oak_bodies_coefficients(oak_t *sim, oak_poisson_t *p, int state, double time) {
  oak_elliptic_t *e = p->elliptic;
  oak_elliptic_level_t *top = oak_elliptic_top(e);
  oak_status_t st = OAK_OK;
  oak_body_args_t args;
  if (!*sim->setup.equations.of[p->number].coefficients) {
    st = oak_elliptic_combine(e, e->nlevel - 1, NULL, top->a.memory.mine, 0, 0, e->setup.a);
    if (st == OAK_OK) st = oak_elliptic_combine(e, e->nlevel - 1, NULL, top->b, 0, 0, e->setup.b);
  }
  body_args(sim, p, e->nlevel - 1, state, time, &args);
  args.values = top->a.memory.mine;
  if (st == OAK_OK && !p->absorb)
    st = launch_body(sim, p, sim->setup.kernel.body_permittivity, e->nlevel - 1, &args);
  return st;
}

oak_status_t oak_bodies_sum(oak_t *sim, oak_poisson_t *p, int state, double time) {
  oak_elliptic_level_t *top = oak_elliptic_top(p->elliptic);
  const int n = sim->data.mesh->nblock, count = oak_body_count(&sim->setup) * OAK_BODY_SUMS;
  const size_t bytes = (size_t)n * count * sizeof(double);
  OAK_FREED double *host = NULL;
  oak_body_args_t args;
  body_args(sim, p, p->elliptic->nlevel - 1, state, time, &args);
  oak_status_t st = OAK_NEW(host, n * count + 1);
  if (st == OAK_OK) st = oak_storage_scratch(&sim->data, bytes);
  args.a = top->a.memory.mine;
  args.slope = p->slope.at;
  args.values = top->res;
  args.sums = sim->data.storage.scratch.at;
  if (st == OAK_OK)
    st = oak_poisson_run(sim, p, sim->setup.kernel.poisson_rhs, state, time, top->res, -1, 0);
  if (st == OAK_OK)
    st = launch_body(sim, p, sim->setup.kernel.body_sums, p->elliptic->nlevel - 1, &args);
  if (st == OAK_OK) st = oak_device_download(sim->setup.dev, host, args.sums, bytes);
  st = oak_data_agree(&sim->data, st);
  return st == OAK_OK ? oak_sum_exact(sim->setup.comm, count, n, host, p->charge) : st;
}
