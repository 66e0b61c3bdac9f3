/* SPDX-License-Identifier: GPL-2.0-or-later
 * Runs kernels/check/identities.c. */
#include "check/evaluate.h"

#include <stdlib.h>
#include <string.h>

static oak_status_t split_riemann(oak_evaluate_t *e) {
  e->name[0] = "first-order flux";
  oak_scheme_names(&e->sim->setup.files.declared, OAK_FLUXES, e->names, sizeof e->names);
  for (char *word = strtok(e->names, " "); word; word = strtok(NULL, " ")) {
    OAK_CHECK(e->nriemann < OAK_MAX_RIEMANN, OAK_ERR_INPUT,
              "%s: oak check knows at most %d Riemann solvers", e->sim->setup.files.physics,
              OAK_MAX_RIEMANN);
    e->name[++e->nriemann] = word;
  }
  return OAK_OK;
}

oak_status_t oak_evaluate_open(oak_t *sim, oak_evaluate_t *e) {
  *e = (oak_evaluate_t){.sim = sim, .nvar = sim->setup.nvar};
  OAK_TRY(split_riemann(e));
  OAK_TRY(oak_setup_build_module(&sim->setup, "check/identities", &e->module));
  return oak_agree(sim->setup.comm,
                   oak_device_kernel(sim->setup.dev, e->module, "oak_identities", &e->kernel));
}

void oak_evaluate_close(oak_evaluate_t *e) {
  if (e->module) oak_device_unload(e->sim->setup.dev, &e->module);
}

static int stride(const oak_evaluate_t *e) {
  return 4 * e->nvar + 3 + (1 + e->nriemann) * (e->nvar + 1);
}

static const double *take(const double *from, int count, double *to) {
  memcpy(to, from, (size_t)count * sizeof *to);
  return from + count;
}

static void unpack(const oak_evaluate_t *e, const double *p, oak_identity_t *out) {
  p = take(p, e->nvar, out->u);
  p = take(p, e->nvar, out->back);
  p = take(p, e->nvar, out->flux);
  out->smin = *p++;
  out->smax = *p++;
  out->valid = *p++ != 0;
  out->riemann[0].speed = *p++;
  p = take(p, e->nvar, out->riemann[0].flux);
  for (int v = 0; v < e->nvar; v++) out->joined[v] = *p++ != 0;
  for (int r = 1; r <= e->nriemann; r++) {
    out->riemann[r].speed = *p++;
    p = take(p, e->nvar, out->riemann[r].flux);
  }
}

static oak_status_t run(const oak_evaluate_t *e, int count, const double *in, double *out,
                        void **memory) {
  oak_device_t *dev = e->sim->setup.dev;
  const size_t nin = (size_t)count * (2 * e->nvar + 2), nout = (size_t)count * stride(e);
  OAK_TRY(oak_device_alloc(dev, (nin + nout) * sizeof(double), memory));
  oak_identity_args_t args = {.f = {.user = e->sim->setup.user.device},
                              .in = *memory,
                              .out = (double *)*memory + nin,
                              .stride = stride(e)};
  OAK_TRY(oak_device_upload(dev, *memory, in, nin * sizeof(double)));
  OAK_TRY(oak_device_launch(dev, e->kernel, count, &args, sizeof args));
  OAK_TRY(oak_device_sync(dev));
  return oak_device_download(dev, out, args.out, nout * sizeof(double));
}

oak_status_t oak_evaluate(const oak_evaluate_t *e, int count, const oak_pair_t *pair,
                          oak_identity_t *out) {
  const int nin = 2 * e->nvar + 2;
  OAK_FREED double *in = malloc((size_t)count * (nin + stride(e)) * sizeof *in);
  void *memory = NULL;
  OAK_CHECK(in, OAK_ERR_MEMORY, "no memory for %d states", count);
  double *results = in + (size_t)count * nin;
  for (int i = 0; i < count; i++) {
    double *p = in + (size_t)i * nin;
    memcpy(p, pair[i].left, e->nvar * sizeof *p);
    memcpy(p + e->nvar, pair[i].right, e->nvar * sizeof *p);
    p[2 * e->nvar] = pair[i].dir;
    p[2 * e->nvar + 1] = pair[i].conserved;
  }
  const oak_status_t st = run(e, count, in, results, &memory);
  for (int i = 0; i < count && st == OAK_OK; i++)
    unpack(e, results + (size_t)i * stride(e), &out[i]);
  oak_device_free(e->sim->setup.dev, memory);
  return st;
}
