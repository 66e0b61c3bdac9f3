/* SPDX-License-Identifier: GPL-2.0-or-later
 * A vector on faces (FACE_VECTOR): after each stage the fields on edges, and from them the vector;
 * its initial values; its faces in refined blocks. What cells give to their edges is a field with
 * ghost cells of its own, which blocks also use to tell each other their faces on a new mesh. */
#include "elliptic/elliptic.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"

static int wanted(const oak_t *sim) { return sim->setup.fields.nvector; }

static oak_status_t check(oak_t *sim) {
  const oak_setup_t *setup = &sim->setup;
  const char *physics = setup->files.physics;
  if (!wanted(sim)) return OAK_OK;
  const int rings = setup->domain.coordinates == OAK_AXISYMMETRIC ? 1 : setup->dim == 2 ? 0xc : 0;
  OAK_CHECK(!(oak_axis_faces(setup) & ~rings), OAK_ERR_INPUT,
            "%s: mesh.coordinates = %s: %s has FACE_VECTOR, which does not cross faces without "
            "area: begin the domain %s, or choose physics.name = mhd",
            oak_params_origin(setup->params, "mesh.coordinates"),
            oak_params_text(setup->params, "mesh.coordinates"), physics,
            setup->domain.xmin[0] == 0 ? "above r = 0" : "between the poles");
  OAK_CHECK(!setup->domain.logarithmic || setup->dim == 2, OAK_ERR_INPUT,
            "%s: mesh.radius = logarithmic: %s has FACE_VECTOR, which needs a linear radius in 3D",
            oak_params_origin(setup->params, "mesh.radius"), physics);
  OAK_CHECK(setup->bytes.store == setup->bytes.real, OAK_ERR_INPUT,
            "%s: scheme.precision = mixed: %s has FACE_VECTOR, whose divergence would be that of "
            "rounding: choose double, single or single_fluxes",
            oak_params_origin(setup->params, "scheme.precision"), physics);
  OAK_CHECK(!oak_has_solids(setup), OAK_ERR_INPUT,
            "%s has FACE_VECTOR, which knows no solids: leave bodies and SOLID out, or choose "
            "physics.name = mhd",
            physics);
  OAK_CHECK(!*oak_params_text(setup->params, "run.initial"), OAK_ERR_INPUT,
            "%s: run.initial = %s: %s has FACE_VECTOR, and such a file has no values on faces: "
            "give VECTOR_POTENTIAL and INITIAL in a problem",
            oak_params_origin(setup->params, "run.initial"),
            oak_params_text(setup->params, "run.initial"), physics);
  sim->parts.needs |= OAK_NEEDS_EDGES;
  return OAK_OK;
}

/* Fields on the edges of a block. */
static int64_t edge_bytes(const oak_setup_t *setup) {
  int64_t nodes = setup->dim == 3 ? 3 : 1;
  for (int d = 0; d < setup->dim; d++) nodes *= setup->block.size[d] + 1;
  return nodes * (int64_t)sizeof(double);
}

/* Collective on the ranks of a host. */
static oak_status_t connect(oak_t *sim) {
  oak_curl_t *curl = &sim->curl;
  oak_values_t *values = &curl->shares;
  int changed;
  if (!curl->exchange.transport)
    oak_exchange_init(&curl->exchange, &sim->data.transport, &sim->data.pattern,
                      sim->setup.dim == 2 ? 4 : 12, OAK_INTERPOLATE_EDGES, sim->setup.bytes.store);
  curl->exchange.kernel = sim->setup.kernel.halo;
  oak_status_t st = oak_values_fit(&curl->exchange, &values, 1, sim->data.mesh->nblock, &changed);
  oak_keep_failure(&st, oak_exchange_fit(&curl->exchange, &changed));
  if (st == OAK_OK) st = oak_values_look(&curl->exchange, values);
  if (st == OAK_OK)
    st = oak_array_fit(sim->setup.dev, &curl->e, sim->data.mesh->nblock * edge_bytes(&sim->setup));
  return st;
}

static oak_curl_args_t arguments(const oak_t *sim, int state) {
  oak_curl_args_t args = {.edge = sim->data.pattern.edge.device,
                          .bc = sim->setup.domain.bc,
                          .e = sim->curl.e.at,
                          .u = oak_data_state(&sim->data, state),
                          .shares = sim->curl.shares.memory.mine,
                          .bad = sim->data.results.bad,
                          .results = 1,
                          .parts = 1};
  oak_data_field(&sim->data, state, sim->data.clock.time, &args.f);
  return args;
}

static oak_status_t launch(oak_t *sim, oak_kernel_t *kernel, const oak_curl_args_t *args) {
  const int n = sim->data.mesh->nblock;
  return n ? oak_device_launch(sim->setup.dev, kernel, n, args, sizeof *args) : OAK_OK;
}

/* The ghost cells of what cells give. args->f then leads to it. */
static oak_status_t exchange(oak_t *sim, oak_curl_args_t *args) {
  oak_halo_args_t halo = {.f = args->f};
  const oak_status_t st =
      oak_exchange_fill(&sim->curl.exchange, &sim->curl.shares, &halo, &sim->data.timers);
  args->f = halo.f;
  return st;
}

/* A CPU works on few blocks at a time, whose fields on edges then stay in its caches. */
static oak_status_t stage(oak_t *sim, oak_curl_args_t *args) {
  oak_device_t *dev = sim->setup.dev;
  oak_kernel_t *const kernel[] = {sim->setup.kernel.edge_fields, sim->setup.kernel.face_stage,
                                  sim->setup.kernel.face_means};
  const int n = sim->data.mesh->nblock, host = oak_device_ops(dev)->host_memory;
  const int many =
      host ? 8 * oak_device_threads(dev) - 7 + (int)(2048 / sim->setup.block.cells) : n;
  args->parts = host ? 1 : args->results;
  for (args->first = 0; args->first < n; args->first += many)
    for (int k = 0; k < 3; k++) {
      const int blocks = many < n - args->first ? many : n - args->first;
      OAK_TRY(oak_device_launch(dev, kernel[k], blocks * args->parts, args, sizeof *args));
    }
  return OAK_OK;
}

oak_status_t oak_face_vector_advance(oak_t *sim, oak_step_t *step) {
  oak_curl_args_t args = arguments(sim, step->out);
  oak_status_t st = exchange(sim, &args);
  args.results = oak_data_results(&sim->data);
  args.nprev = step->flux.nprev;
  args.dt = step->flux.dt;
  args.keep = step->pass > 0; /* first-order fluxes have not sufficed */
  if (OAK_HAS_ELECTRIC(&sim->setup) && sim->setup.method.diffusion == OAK_DIFFUSION_EXPLICIT)
    args.rate = oak_data_state(&sim->data, sim->diffusion.rate);
  for (int p = 0; p < OAK_MAX_PREV; p++)
    args.prev[p] = step->flux.prev[p], args.w[p] = step->flux.w[p];
  oak_timer_start(&sim->data.timers, OAK_PHASE_FLUX);
  if (st == OAK_OK) st = stage(sim, &args);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_FLUX);
  return st;
}

/* Peers read what cells give until the meetings. */
oak_status_t oak_face_vector_rate(oak_t *sim, int state, double time, int out) {
  oak_status_t st = OAK_OK;
  oak_curl_args_t args;
  if (!OAK_HAS_ELECTRIC(&sim->setup)) return OAK_OK;
  for (int n = 0; n < 2; n++) { /* the current, then its electric field */
    args = arguments(sim, state);
    args.f.time = time;
    args.sum = n == 0;
    oak_kernel_t *kernel = sim->setup.kernel.electric;
    if (st == OAK_OK) st = OAK_TIMED(&sim->data.timers, OAK_PHASE_FLUX, launch(sim, kernel, &args));
    oak_keep_failure(&st, exchange(sim, &args));
    kernel = sim->setup.kernel.edge_fields;
    if (st == OAK_OK) st = OAK_TIMED(&sim->data.timers, OAK_PHASE_FLUX, launch(sim, kernel, &args));
    oak_keep_failure(&st, oak_peers_meet(&sim->data.transport.peers, sim->data.pattern.contact));
  }
  args = arguments(sim, out);
  args.dt = 1;
  for (int p = 0; p < OAK_MAX_PREV; p++) args.prev[p] = oak_data_state(&sim->data, state);
  if (st == OAK_OK) st = launch(sim, sim->setup.kernel.face_stage, &args);
  return st;
}

oak_status_t oak_face_vector_means(oak_t *sim, int state) {
  if (!wanted(sim)) return OAK_OK;
  const oak_curl_args_t args = arguments(sim, state);
  return launch(sim, sim->setup.kernel.face_means, &args);
}

oak_status_t oak_face_vector_initial(oak_t *sim, int state) {
  if (!wanted(sim)) return OAK_OK;
  oak_curl_args_t args = arguments(sim, state);
  OAK_TRY(launch(sim, sim->setup.kernel.face_initial, &args));
  if (oak_has_hook(&sim->setup, "problem_vector_potential"))
    OAK_TRY(launch(sim, sim->setup.kernel.face_compare, &args));
  return launch(sim, sim->setup.kernel.face_start, &args);
}

/* The conditions of phi below: 0 where field may leave the domain; walls keep what INITIAL gives.
 */
static oak_status_t find_walls(const oak_t *sim, oak_elliptic_setup_t *setup) {
  const oak_setup_t *s = &sim->setup;
  oak_bc_t bc[6 * OAK_MAX_NVAR];
  OAK_TRY(oak_device_download(s->dev, bc, s->domain.bc, 2 * s->dim * s->nvar * sizeof *bc));
  for (int face = 0; face < 2 * s->dim; face++)
    if (bc[face * s->nvar + s->fields.vector + face / 2].kind == OAK_BC_ANTIMIRROR)
      setup->condition[face] = OAK_ELLIPTIC_NEUMANN;
  return OAK_OK;
}

/* Take grad phi off the faces, with div grad phi = div B as the faces have it. The ranks agree. */
static oak_status_t project(oak_t *sim, oak_elliptic_t *e, oak_curl_args_t *args) {
  const oak_elliptic_options_t options = {.tolerance = 1e-9, .most_cycles = 100, .full = 1};
  oak_elliptic_report_t report;
  const int64_t faces = sim->data.mesh->nblock * oak_face_numbers(&sim->setup);
  args->e = e->f;
  oak_status_t st = launch(sim, sim->setup.kernel.face_divergence, args);
  if (st == OAK_OK) st = oak_storage_scratch(&sim->data, faces * sizeof(double));
  OAK_TRY(oak_data_agree(&sim->data, st));
  OAK_TRY(oak_elliptic_solve(e, &options, &report));
  if (sim->curl.divergence == 0) sim->curl.divergence = report.scale;
  args->e = sim->data.storage.scratch.at;
  OAK_TRY(oak_elliptic_slopes(e, args->e));
  return oak_data_agree(&sim->data, launch(sim, sim->setup.kernel.face_project, args));
}

/* The second solution takes what the tolerance of the first one leaves, so that only rounding
 * errors remain. */
oak_status_t oak_face_vector_project(oak_t *sim) {
  oak_curl_args_t args = arguments(sim, 0);
  oak_elliptic_setup_t setup;
  oak_elliptic_t *e = NULL;
  int changed;
  sim->curl.divergence = 0;
  oak_poisson_setup(sim, &setup);
  OAK_TRY(oak_data_agree(&sim->data, find_walls(sim, &setup)));
  OAK_TRY(oak_elliptic_new(sim->setup.comm, &setup, sim->data.mesh, &e));
  oak_status_t st = oak_elliptic_fit(e, &changed);
  for (int n = 0; n < 2 && st == OAK_OK; n++) st = project(sim, e, &args);
  oak_elliptic_destroy(&e);
  args.dt = 1e-9 * sim->curl.divergence; /* much less counts as none */
  return st == OAK_OK ? launch(sim, sim->setup.kernel.face_start, &args) : st;
}

/* Where no block has been refined, nothing changes. */
oak_status_t oak_face_vector_refine(oak_t *sim, oak_step_t *step) {
  oak_status_t st = OAK_OK;
  (void)step;
  if (!sim->adapt.mapped) return OAK_OK; /* there are no values yet */
  for (int dir = 0; dir < sim->setup.dim; dir++) {
    oak_curl_args_t args = arguments(sim, 0);
    args.dir = dir;
    if (st == OAK_OK) st = launch(sim, sim->setup.kernel.face_give, &args);
    oak_keep_failure(&st, exchange(sim, &args));
    if (st == OAK_OK) st = launch(sim, sim->setup.kernel.face_take, &args);
    oak_keep_failure(&st, oak_peers_meet(&sim->data.transport.peers, sim->data.pattern.contact));
  }
  const oak_curl_args_t args = arguments(sim, 0);
  if (st == OAK_OK) st = launch(sim, sim->setup.kernel.face_refine, &args);
  if (st == OAK_OK) st = launch(sim, sim->setup.kernel.face_done, &args);
  return oak_data_agree(&sim->data, st);
}

static int has_levels(const oak_t *sim) {
  return wanted(sim) && sim->setup.refine.max_level > sim->setup.refine.min_level;
}

static int64_t bytes(const oak_t *sim) {
  return sim->curl.shares.memory.bytes + sim->curl.exchange.buffer.bytes + sim->curl.e.bytes;
}

static void clear(oak_t *sim) {
  oak_values_t *values = &sim->curl.shares;
  oak_values_clear(&sim->curl.exchange, &values, 1);
  oak_exchange_clear(&sim->curl.exchange);
  oak_device_free(sim->setup.dev, sim->curl.e.at);
}

const oak_part_t oak_part_face_vector = {
    .wanted = wanted, .read = check, .connect = connect, .bytes = bytes, .clear = clear};
const oak_part_t oak_part_face_levels = {.wanted = has_levels};
