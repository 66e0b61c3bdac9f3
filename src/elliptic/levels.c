/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernels of a solver, and the memory of its levels, which follows the mesh. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "base/shape.h"
#include "elliptic/elliptic.h"

/* ---- kernels */

/* The text in front of the kernels of a solver. In a run, oak writes such a text for the user's
 * physics. */
static const char front[] =
    "struct physics_parameters { double none; };\n"
    "struct problem_parameters { double none; };\n"
    "#define OAK_PHYSICS \"kernels/multigrid/one_variable.c\"\n"
    "#define OAK_PROBLEM \"kernels/language/no_problem.c\"\n"
    "#define OAK_ELLIPTIC 1\n#define OAK_LIMITER upwind\n#define OAK_RADIUS 0\n";
static const char *const parts[] = {
    "kernels/ghosts/halo.c",           "kernels/multigrid/smooth.c",
    "kernels/multigrid/smooth_fast.c", "kernels/multigrid/levels_meet.c",
    "kernels/multigrid/transfer.c",    "kernels/multigrid/coarsest.c",
    "kernels/multigrid/far_field.c",   "kernels/multigrid/slopes.c",
    "kernels/multigrid/sums.c",        "kernels/multigrid/coefficients.c",
    "kernels/multigrid/electrodes.c"};
enum { NPARTS = sizeof parts / sizeof *parts }; /* the last two: with fields, with bodies */

/* Gauss-Seidel must reduce those errors that the next coarser level does not represent. In cells
 * with unequal sides the slowest of them has a wavelength of four cells along their longest side
 * and is constant along the others. Jacobi's method multiplies it by `slowest`. A sweep with the
 * best over-relaxation for this error multiplies it by about relax - 1, and together the sweeps
 * shall divide it by 20. For cubes, with central slopes, and with the opposite order of colours
 * after the coarse correction, a cycle with a relaxation of 1.1 reduces the residual by a factor of
 * 26 in 2D and 27 in 3D. Without over-relaxation the factors are 26 and 13. In 2D a third sweep
 * after the correction makes the first factor 40, which often saves the second cycle of a solution
 * that starts near. Where smoothing solves lines, these numbers are those of level 0. Returns the
 * sweeps of cells. */
static int choose_sweeps(oak_elliptic_t *e, double *relax) {
  double sum = 0, least = INFINITY, most = 0;
  for (int d = 0; d < e->dim; d++) {
    const double weight = 1 / (e->setup.dx0[d] * e->setup.dx0[d]);
    sum += weight;
    least = fmin(least, weight);
    most = fmax(most, weight);
  }
  const double slowest = 1 - least / sum;
  e->lines = e->setup.coordinates > OAK_AXISYMMETRIC;
  e->sweeps = e->lines ? e->dim : 2;
  e->after = e->lines || e->dim == 3 ? e->sweeps : 3;
  *relax = 1.1;
  if (e->lines || most < 1.02 * least) return 2;
  *relax = 2 / (1 + sqrt(1 - slowest * slowest));
  e->sweeps = (int)fmin(fmax(2, ceil(-log(20) / log(*relax - 1))), OAK_ELLIPTIC_MOST_SWEEPS);
  e->after = e->sweeps;
  return e->sweeps;
}

/* Whether some cells are much narrower along an angle than along r or theta, as beside r = 0 and
 * poles. */
static int has_narrow_cells(const oak_elliptic_setup_t *s, const oak_mesh_t *mesh) {
  const double r = s->logarithmic ? 1 : s->xmin[0], *dx = s->dx0;
  const double last = s->xmin[1] + mesh->trees[1] * s->block_size[1] * dx[1];
  const double sine = fmin(sin(s->xmin[1]), sin(last));
  if (s->coordinates <= OAK_AXISYMMETRIC) return 0;
  if (4 * r * dx[1] < dx[0]) return 1;
  return s->coordinates == OAK_SPHERICAL && mesh->dim == 3 &&
         4 * sine * dx[2] < fmax(dx[1], r > 0 ? dx[0] / r : 0);
}

/* What the kernels know of the mesh when they are compiled. */
static void define_constants(oak_elliptic_t *e, oak_words_t *define) {
  const oak_elliptic_setup_t *s = &e->setup;
  const int peers = oak_device_ops(e->dev)->host_memory || s->transport->peers.count > 1;
  double relax;
  const int sweeps = choose_sweeps(e, &relax);
  oak_words_split(define, "OAK_NG=1 OAK_REAL=double");
  oak_words_add(define, "OAK_DIM=%d", e->dim);
  oak_words_add(define, "OAK_NX=%d", s->block_size[0]);
  oak_words_add(define, "OAK_NY=%d", s->block_size[1]);
  oak_words_add(define, "OAK_NZ=%d", s->block_size[2]);
  oak_words_add(define, "OAK_PEERS=%d", peers);
  oak_words_add(define, "OAK_ELLIPTIC_FIELDS=%d", s->fields);
  oak_words_add(define, "OAK_COORDINATES=%d", s->coordinates);
  oak_words_add(define, "OAK_ELLIPTIC_BODIES=%d", s->bodies);
  oak_words_add(define, "OAK_ELLIPTIC_RELAX=%#.17g", relax);
  oak_words_add(define, "OAK_ELLIPTIC_SWEEPS=%d", sweeps);
  if (s->logarithmic) {
    oak_words_add(define, "OAK_LOG_RADIUS=1");
    oak_words_add(define, "OAK_RADIUS_MIN=%#.17g", exp(s->xmin[0]));
    oak_words_add(define, "OAK_RADIUS_LOG=%#.17g", s->xmin[0]);
  }
}

static oak_status_t compile(oak_elliptic_t *e) {
  char path[NPARTS][4200];
  const char *file[NPARTS], *root;
  oak_words_t define = {0};
  OAK_TRY(oak_agree(e->comm, oak_source_root(&root)));
  for (int i = 0; i < NPARTS; i++) {
    snprintf(path[i], sizeof path[i], "%s/%s", root, parts[i]);
    file[i] = path[i];
  }
  define_constants(e, &define);
  const oak_source_t source = {.name = "elliptic",
                               .define = (const char *const *)define.word,
                               .ndefine = define.count,
                               .file = file,
                               .nfile = NPARTS - 2 + e->setup.fields + e->setup.bodies,
                               .text = front};
  oak_status_t st = oak_agree(e->comm, oak_words_status(&define));
  if (st == OAK_OK) st = oak_device_build(e->dev, &source, &e->module);
  oak_words_free(&define);
  return st;
}

static oak_status_t build(oak_elliptic_t *e) {
  OAK_TRY(compile(e));
  oak_status_t st = oak_device_kernel(e->dev, e->module, "oak_halo", &e->halo);
#define GET(name)   \
  if (st == OAK_OK) \
    st = oak_device_kernel(e->dev, e->module, "oak_elliptic_" #name, &e->kernel.name);
  OAK_ELLIPTIC_KERNELS(GET)
  if (e->setup.fields) {
    OAK_ELLIPTIC_FIELD_KERNELS(GET)
  }
  if (e->setup.bodies) {
    OAK_ELLIPTIC_BODY_KERNELS(GET)
  }
#undef GET
  if (st == OAK_OK)
    st = oak_device_constant(e->dev, e->module, "oak_elliptic_plain", &e->plain, sizeof e->plain);
  if (st == OAK_OK)
    st = oak_device_kernel(e->dev, e->module,
                           e->plain ? "oak_elliptic_smooth_fast" : "oak_elliptic_smooth",
                           &e->smooth);
  if (st == OAK_OK && e->plain)
    st = oak_device_kernel(e->dev, e->module, "oak_elliptic_down", &e->down);
  if (st == OAK_OK && e->plain)
    st = oak_device_kernel(e->dev, e->module, "oak_elliptic_norm", &e->norm);
  return oak_agree(e->comm, st);
}

/* Where u is given at the boundary of the domain. */
static void find_given(oak_elliptic_t *e) {
  e->floating = !e->setup.electrodes;
  for (int face = 0; face < 6; face++) {
    const int axis = e->setup.axis_faces >> face & 1;
    const int given = e->setup.condition[face] == OAK_ELLIPTIC_DIRICHLET && !axis;
    e->outside[face] = given ? 1 : -1;
    if (face / 2 < e->dim && !e->mesh->periodic[face / 2] && given) e->floating = 0;
  }
}

void oak_elliptic_take(oak_elliptic_t *e, double b, int given) {
  e->setup.b = e->flat.args.b = b;
  e->singular = e->flat.args.singular = e->floating && !e->setup.fields && b == 0;
  e->given_zero = !given;
}

oak_status_t oak_elliptic_new(MPI_Comm comm, const oak_elliptic_setup_t *setup, oak_mesh_t *mesh,
                              oak_elliptic_t **out) {
  oak_elliptic_t *e;
  OAK_TRY(oak_agree(comm, OAK_NEW(e, 1)));
  e->setup = *setup;
  e->dev = setup->transport->dev;
  e->comm = comm;
  e->mesh = mesh;
  e->revision = -1;
  e->dim = mesh->dim;
  e->cells = (int)oak_shape_cells(setup->block_size);
  e->face_cells = (int)oak_shape_face(e->dim, setup->block_size);
  e->gather.level = -1;
  e->chains = has_narrow_cells(setup, mesh);
  if (e->chains && e->setup.gather_cells < OAK_ELLIPTIC_CHAINED_CELLS)
    e->setup.gather_cells = OAK_ELLIPTIC_CHAINED_CELLS;
  if (!e->setup.gather_cells) e->setup.gather_cells = oak_elliptic_gather_limit(setup->transport);
  oak_status_t st =
      oak_agree(comm, oak_transport_open(&e->alone, MPI_COMM_SELF, e->dev, OAK_TRANSPORT_AUTO));
  if (st == OAK_OK) st = build(e);
  find_given(e);
  oak_elliptic_take(e, setup->b, 0);
  if (st != OAK_OK) oak_elliptic_destroy(&e);
  *out = e;
  return st;
}

/* ---- levels */

static void clear_level(oak_elliptic_t *e, oak_elliptic_level_t *level) {
  oak_values_t *u[] = {&level->u}, *a[] = {&level->a};
  if (!level->mesh) return;
  oak_values_clear(&level->exchange, u, 1);
  oak_values_clear(&level->cexchange, a, 1);
  oak_exchange_clear(&level->exchange);
  oak_exchange_clear(&level->cexchange);
  oak_averages_clear(&level->average, level->transport);
  oak_pattern_clear(&level->pattern, e->dev);
  oak_elliptic_family_clear(&level->family);
  if (level->mesh != e->mesh) oak_mesh_destroy(&level->mesh);
  *level = (oak_elliptic_level_t){0};
}

void oak_elliptic_clear(oak_elliptic_t *e) {
  oak_elliptic_forget(e);
  for (int l = 0; l <= OAK_MESH_MAX_LEVEL + 1; l++) clear_level(e, &e->level[l]);
  oak_elliptic_flat_clear(e);
  oak_elliptic_gather_clear(e);
  oak_elliptic_free_all(e);
  free(e->sums_host);
  free(e->norms_host);
  free(e->outer_host);
  e->sums_host = NULL;
  e->norms_host = NULL;
  e->outer_host = NULL;
  memset(e->work, 0, sizeof e->work);
  e->nlevel = 0;
  e->revision = -1;
}

void oak_elliptic_destroy(oak_elliptic_t **out) {
  oak_elliptic_t *e = *out;
  if (!e) return;
  oak_elliptic_clear(e);
  if (e->module) oak_device_unload(e->dev, &e->module);
  oak_transport_close(&e->alone);
  free(e);
  *out = NULL;
}

static oak_status_t upload_blocks(oak_elliptic_t *e, oak_elliptic_level_t *level) {
  const oak_mesh_t *mesh = level->mesh;
  const int n = mesh->nblock;
  OAK_FREED oak_block_t *b = NULL;
  OAK_TRY(OAK_NEW(b, n + 1));
  for (int i = 0; i < n; i++) {
    b[i] = (oak_block_t){.level = mesh->level[i], .first = mesh->index[i][0]};
    for (int d = 0; d < e->dim; d++)
      b[i].origin[d] = e->setup.xmin[d] + mesh->index[i][d] * e->setup.block_size[d] *
                                              ldexp(e->setup.dx0[d], -mesh->level[i]);
  }
  return oak_elliptic_put(e, b, n * sizeof *b, &level->blocks);
}

/* Faces at refinement boundaries: the fine ones with the places of their averages, and the coarse
 * ones of all directions. */
static oak_status_t upload_faces(oak_elliptic_t *e, oak_elliptic_level_t *level) {
  const oak_pattern_t *p = &level->pattern;
  const oak_face_t *face = p->face.host;
  const int faces = 2 * e->dim, nfine = p->flux.fine.count;
  level->nfine = nfine;
  for (int d = 0; d < e->dim; d++) level->ncoarse += p->flux.coarse[d].count;
  OAK_FREED oak_elliptic_fine_t *fine = NULL, *owner = NULL;
  OAK_FREED oak_coarse_face_t *coarse = NULL;
  OAK_TRY(OAK_NEW(fine, nfine + 1));
  OAK_TRY(OAK_NEW(owner, p->flux.nbflux + 1));
  OAK_TRY(OAK_NEW(coarse, level->ncoarse + 1));
  for (int i = 0; i < level->mesh->nblock * faces; i++)
    if (face[i].bflux >= 0)
      owner[face[i].bflux] = (oak_elliptic_fine_t){.block = i / faces, .face = i % faces};
  for (int i = 0; i < nfine; i++) {
    const oak_fine_face_t *f = (const oak_fine_face_t *)p->flux.fine.host + i;
    fine[i] = owner[f->bflux];
    fine[i].bflux = f->bflux;
    fine[i].piece = f->piece;
  }
  for (int d = 0, n = 0; d < e->dim; n += p->flux.coarse[d++].count)
    if (p->flux.coarse[d].count)
      memcpy(coarse + n, p->flux.coarse[d].host, p->flux.coarse[d].count * sizeof *coarse);
  OAK_TRY(oak_elliptic_put(e, fine, nfine * sizeof *fine, &level->fine));
  return oak_elliptic_put(e, coarse, level->ncoarse * sizeof *coarse, &level->coarse);
}

/* Memory of this rank alone. */
static oak_status_t fit_local(oak_elliptic_t *e, oak_elliptic_level_t *level) {
  const size_t bytes = (size_t)level->mesh->nblock * e->cells * sizeof(double);
  const size_t area = e->face_cells * sizeof(double);
  OAK_TRY(upload_blocks(e, level));
  OAK_TRY(upload_faces(e, level));
  OAK_TRY(oak_elliptic_alloc(e, bytes, &level->rhs));
  OAK_TRY(oak_elliptic_alloc(e, bytes, &level->res));
  if (e->setup.fields) OAK_TRY(oak_elliptic_alloc(e, bytes, &level->b));
  for (int d = 0; e->setup.fields && d <= e->dim; d++)
    OAK_TRY(oak_elliptic_alloc(e, bytes, &level->on_face[d]));
  OAK_TRY(oak_elliptic_bodies_fit(e, level));
  OAK_TRY(oak_elliptic_chains_fit(e, level));
  return oak_elliptic_alloc(e, level->pattern.flux.nbflux * area, &level->ghost);
}

/* A field of one component. */
static oak_status_t fit_field(oak_elliptic_t *e, oak_elliptic_level_t *level, oak_exchange_t *x,
                              oak_values_t *values, int interpolation) {
  oak_values_t *list[] = {values};
  int changed;
  oak_exchange_init(x, level->transport, &level->pattern, 1, interpolation, sizeof(double));
  x->kernel = e->halo;
  oak_status_t st = oak_exchange_fit(x, &changed);
  oak_keep_failure(&st, oak_values_fit(x, list, 1, level->mesh->nblock, &changed));
  if (st == OAK_OK) st = oak_values_look(x, values);
  return st;
}

static oak_status_t fit_level(oak_elliptic_t *e, oak_elliptic_level_t *level) {
  oak_transport_t *t = level->transport;
  int lowest, highest;
  oak_mesh_levels(level->mesh, &lowest, &highest, NULL);
  level->jumps = lowest < highest;
  OAK_TRY(oak_agree(e->comm, oak_pattern_init(&level->pattern, t, e->dim, e->setup.block_size, 1)));
  OAK_TRY(oak_agree(e->comm, oak_pattern_update(&level->pattern, t, level->mesh, NULL)));
  oak_status_t st = fit_field(e, level, &level->exchange, &level->u, OAK_INTERPOLATE_QUADRATIC);
  if (e->setup.fields && level == oak_elliptic_top(e))
    oak_keep_failure(&st,
                     fit_field(e, level, &level->cexchange, &level->a, OAK_INTERPOLATE_LIMITED));
  const size_t unit = oak_pattern_average_cells(&level->pattern) * sizeof(double);
  oak_keep_failure(&st, oak_averages_fit(&level->average, t, &level->pattern, unit));
  oak_keep_failure(&st, fit_local(e, level));
  return oak_agree(e->comm, st);
}

/* Memory that only the finest level has, and the conditions by which the exchange fills ghost cells
 * beyond the boundary of the domain. Boundary values are 0 here; values other than 0 go to the
 * right-hand side (far_field.c). Coefficients are continued from the last cell. */
static oak_status_t fit_top(oak_elliptic_t *e) {
  const int n = e->mesh->nblock;
  const size_t sums = oak_elliptic_sums_bytes(n);
  oak_bc_t bc[6] = {{0}}, copy[6] = {{0}};
  for (int face = 0; face < 6; face++) {
    bc[face].kind = e->outside[face] > 0 ? OAK_BC_ANTIMIRROR : OAK_BC_MIRROR;
    copy[face].kind = OAK_BC_COPY;
  }
  OAK_TRY(oak_elliptic_put(e, bc, sizeof bc, &e->bc));
  OAK_TRY(oak_elliptic_put(e, copy, sizeof copy, &e->cbc));
  OAK_TRY(oak_elliptic_alloc(e, (size_t)n * e->cells * sizeof(double), &e->f));
  OAK_TRY(oak_elliptic_alloc(e, sums, &e->sums));
  OAK_TRY(oak_elliptic_alloc(e, n * OAK_ELLIPTIC_AHEAD * sizeof(double), &e->norms));
  OAK_TRY(OAK_NEW(e->sums_host, sums / sizeof *e->sums_host + 1));
  OAK_TRY(OAK_NEW(e->norms_host, (n + 1) * OAK_ELLIPTIC_AHEAD));
  return oak_elliptic_outer_fit(e);
}

/* The finest level is that of the solution, whose blocks belong to the ranks of the run. If it may
 * have chains, a level with the same blocks follows, which each rank has as a whole. */
static oak_status_t fit_levels(oak_elliptic_t *e) {
  int lowest, highest;
  oak_mesh_levels(e->mesh, &lowest, &highest, NULL);
  highest += oak_elliptic_chained(e, e->mesh);
  e->nlevel = highest + 1;
  e->level[highest].mesh = e->mesh;
  e->level[highest].transport = e->setup.transport;
  for (int l = highest; l >= 0; l--) {
    if (l < highest) OAK_TRY(oak_elliptic_coarsen(e, &e->level[l + 1], &e->level[l]));
    OAK_TRY(fit_level(e, &e->level[l]));
  }
  OAK_TRY(oak_agree(e->comm, fit_top(e)));
  OAK_TRY(oak_elliptic_flat_fit(e));
  oak_status_t st = OAK_OK;
  for (int l = 0; l < e->nlevel && st == OAK_OK; l++)
    st = oak_elliptic_combine(e, l, NULL, e->level[l].u.memory.mine, 0, 0, 0);
  if (st == OAK_OK) st = oak_elliptic_combine(e, highest, NULL, e->f, 0, 0, 0);
  return oak_agree(e->comm, st);
}

oak_status_t oak_elliptic_fit(oak_elliptic_t *e, int *changed) {
  *changed = e->revision != e->mesh->revision;
  if (!*changed) return OAK_OK;
  /* No rank frees memory that a peer still reads. */
  OAK_TRY(oak_agree(e->comm, oak_device_sync(e->dev)));
  oak_elliptic_clear(e);
  const oak_status_t st = OAK_TIMED(e->setup.timers, OAK_PHASE_PATTERN, fit_levels(e));
  if (st == OAK_OK)
    e->revision = e->mesh->revision;
  else
    oak_elliptic_clear(e);
  return st;
}

/* a on the faces of the finest level. Every rank takes part; the status is this rank's own. */
static oak_status_t find_faces(oak_elliptic_t *e) {
  const int top = e->nlevel - 1;
  oak_elliptic_level_t *level = &e->level[top];
  oak_elliptic_args_t args;
  oak_status_t st = oak_elliptic_share_a(e);
  oak_elliptic_args(e, top, &args);
  if (st == OAK_OK) st = oak_elliptic_launch(e, e->kernel.faces, top, &args);
  if (!level->jumps) return st;
  if (st == OAK_OK)
    st = oak_device_launch(e->dev, e->kernel.fine_faces, level->nfine, &args, sizeof args);
  oak_keep_failure(&st, oak_averages_exchange(&level->average, level->transport, &level->pattern,
                                              e->setup.timers));
  if (st == OAK_OK)
    st = oak_device_launch(e->dev, e->kernel.coarse_faces, level->ncoarse, &args, sizeof args);
  return st;
}

oak_status_t oak_elliptic_fit_fields(oak_elliptic_t *e) {
  double sum[OAK_ELLIPTIC_SUMS] = {0};
  oak_status_t st = OAK_OK;
  if (!e->setup.fields) return OAK_OK;
  if (e->floating)
    OAK_TRY(oak_elliptic_sums(e, st, oak_elliptic_top(e)->b, oak_elliptic_top(e)->b, sum));
  const int singular = e->floating && sum[0] == 0;
  if (singular != e->singular) oak_elliptic_forget(e);
  e->singular = singular;
  oak_keep_failure(&st, find_faces(e));
  for (int l = e->nlevel - 1; l > 0; l--) {
    for (int axis = 0; axis <= e->dim; axis++)
      oak_keep_failure(&st, oak_elliptic_restrict_faces(e, l, axis));
    oak_keep_failure(&st, oak_elliptic_restrict(e, l, e->level[l].b, e->level[l - 1].b));
  }
  oak_keep_failure(&st, oak_elliptic_pin(e));
  oak_keep_failure(&st, oak_elliptic_flat_fields(e));
  return oak_agree(e->comm, st);
}
