/* SPDX-License-Identifier: GPL-2.0-or-later
 * Electrodes and dielectrics in an elliptic equation of a run: where they are on the levels of the
 * solver, their potentials and permittivities, and their charges. */
#include "base/failure.h"
#include "base/reduce.h"
#include "elliptic/elliptic.h"
#include "solver/step/sim.h"

/* Run a kernel over the blocks of a level. */
static oak_status_t run_bodies(oak_t *sim, oak_poisson_t *p, oak_kernel_t *kernel, int l,
                               oak_body_args_t args) {
  oak_elliptic_args_t e;
  oak_elliptic_args(p->elliptic, l, &e);
  args.cut = (double *)e.cut;
  args.pin = (double *)e.pin;
  args.wall = e.wall;
  args.given = p->absorb ? OAK_ALL_BODIES : 1 << OAK_BODY_ELECTRODE;
  args.zero = p->absorb;
  oak_data_field(&sim->data, p->state, p->now, &args.f);
  args.f.block = e.f.block;
  args.f.face = e.f.face;
  return oak_device_launch(sim->setup.dev, kernel, p->elliptic->level[l].mesh->nblock, &args,
                           sizeof args);
}

oak_status_t oak_poisson_set_bodies(oak_t *sim, oak_poisson_t *p, int changed, int *again) {
  oak_elliptic_t *e = p->elliptic;
  oak_status_t st = OAK_OK;
  for (int l = 0; l < e->nlevel && changed && st == OAK_OK; l++)
    st = run_bodies(sim, p, sim->setup.kernel.body_cuts, l, (oak_body_args_t){.u = NULL});
  if (st == OAK_OK)
    st = run_bodies(sim, p, sim->setup.kernel.body_potentials, e->nlevel - 1,
                    (oak_body_args_t){.values = e->f, .u = oak_elliptic_top(e)->u.memory.mine});
  OAK_TRY(oak_data_agree(&sim->data, st));
  *again |= changed || *p->equation->b;
  if (p->absorb || !oak_has_body(&sim->setup, OAK_BODY_DIELECTRIC)) return OAK_OK;
  *again = 1; /* the charge on dielectrics travels in the memory of the coefficients */
  return oak_elliptic_charge_surfaces(e);
}

oak_status_t oak_poisson_set_permittivities(oak_t *sim, oak_poisson_t *p) {
  oak_elliptic_t *e = p->elliptic;
  const int l = e->nlevel - 1;
  void *a = e->level[l].a.memory.mine;
  oak_status_t st = OAK_OK;
  if (!*p->equation->coefficients) {
    st = oak_elliptic_combine(e, l, NULL, a, 0, 0, e->setup.a);
    if (st == OAK_OK) st = oak_elliptic_combine(e, l, NULL, e->level[l].b, 0, 0, e->setup.b);
  }
  if (st != OAK_OK || p->absorb) return st;
  return run_bodies(sim, p, sim->setup.kernel.body_permittivity, l, (oak_body_args_t){.values = a});
}

oak_status_t oak_poisson_sum_bodies(oak_t *sim, oak_poisson_t *p, oak_status_t st) {
  oak_elliptic_level_t *top = oak_elliptic_top(p->elliptic);
  const int n = sim->data.mesh->nblock, count = oak_body_count(&sim->setup) * OAK_BODY_SUMS;
  const size_t bytes = (size_t)n * count * sizeof(double);
  OAK_FREED double *host = NULL;
  oak_keep_failure(&st, OAK_NEW(host, n * count + 1));
  if (st == OAK_OK) st = oak_storage_scratch(&sim->data, bytes);
  if (st == OAK_OK)
    st = run_bodies(sim, p, sim->setup.kernel.body_sums, p->elliptic->nlevel - 1,
                    (oak_body_args_t){.a = top->a.memory.mine,
                                      .slope = p->slope.at,
                                      .values = top->res,
                                      .sums = sim->data.storage.scratch.at});
  if (st == OAK_OK)
    st = oak_device_download(sim->setup.dev, host, sim->data.storage.scratch.at, bytes);
  st = oak_data_agree(&sim->data, st);
  return st == OAK_OK ? oak_sum_exact(sim->setup.comm, count, n, host, p->charge) : st;
}
