/* SPDX-License-Identifier: GPL-2.0-or-later
 * Refinement criteria, against the same formulas on the host; the buffer around cells to refine,
 * against a search over all pairs of blocks; regions of the problem; vectors on faces. */
// TEST np={1,2,3} timeout=300 flags=-O1
// TEST name=@test@_staged_np3 np=3 OAK_TEST_TRANSPORT=staged
// TEST name=long_@test@_np@np@ np={5,7,8,16} suite=long
#include "solver/adapt/adapt.h"
#include "solver_test.h"

/** A number in [0, 1) that depends on a position, not on the rank that asks. */
static double noise(const double x[3], int salt) {
  uint64_t h = (uint64_t)salt * UINT64_C(0xD1B54A32D192ED03) + 1;
  for (int d = 0; d < 3; d++) {
    uint64_t bits;
    memcpy(&bits, &x[d], sizeof bits);
    h = (h ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 31;
  }
  return (double)(h >> 11) * 0x1p-53;
}

/** Blocks of three levels in no order. */
static void random_mesh(const sim_t *s) {
  for (int round = 0; round < 2; round++) {
    const int n = oak_nblocks(s->sim);
    int *flag = malloc((n + 1) * sizeof *flag);
    if (!flag) abort();
    for (int b = 0; b < n; b++) {
      double x[3];
      sim_center(s, b, 0, x);
      flag[b] = noise(x, round) < 0.3;
    }
    MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
    free(flag);
  }
}

/* ---- criteria */

typedef struct {
  int dim, n;
  int gradient;
  const char *criterion, *variables, *keys;
  int looked_at[3]; /* conserved, then primitive, -1 at the end */
} criterion_t;

/** Noise in a gas at rest, strong at one end of the domain and weak at the other. */
static void write_noise(const sim_t *s) {
  const int n = oak_nblocks(s->sim);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  for (int v = 0; v < s->nvar; v++) {
    const double mean = v == 0 ? 1 : v == s->nvar - 1 ? 3 : 0.2;
    for (int b = 0; b < n; b++)
      for (int c = 0; c < s->cells; c++) {
        double x[3];
        sim_center(s, b, c, x);
        u[b * s->cells + c] = mean * (1 + 0.4 * pow(10, -4 * x[0]) * (noise(x, 10 + v) - 0.5));
      }
    MUST(oak_write_cells(s->sim, v, 0, n, u));
  }
  free(u);
}

/** A conserved or primitive variable of one cell of a block with ghost cells. */
static double value(const sim_t *s, const double *u, size_t stride, size_t at, int variable) {
  const double gamma = 1.4, rho = u[at];
  const int v = variable % s->nvar;
  double kinetic = 0;
  if (variable < s->nvar || v == 0) return u[v * stride + at];
  if (v < s->nvar - 1) return u[v * stride + at] / rho;
  for (int d = 1; d <= s->dim; d++) kinetic += u[d * stride + at] * u[d * stride + at] / (2 * rho);
  return (gamma - 1) * (u[v * stride + at] - kinetic);
}

/** The largest indicator of a block. */
static double indicator(const sim_t *s, const criterion_t *c, const double *u) {
  const double eps = 0.02, eps_abs = 0.003;
  const int g = s->layers, width = s->n + 2 * g;
  const size_t step[3] = {1, (size_t)width, (size_t)width * width};
  const size_t stride = step[s->dim - 1] * width;
  double most = 0;
  for (const int *v = c->looked_at; *v >= 0; v++)
    for (int cell = 0; cell < s->cells; cell++) {
      const int i[3] = {cell % s->n + g, cell / s->n % s->n + g, cell / (s->n * s->n) + g};
      size_t at = i[0] + i[1] * step[1] + (s->dim == 3 ? i[2] * step[2] : 0);
      double sum = 0;
      for (int d = 0; d < s->dim; d++) {
        const double below = value(s, u, stride, at - step[d], *v);
        const double here = value(s, u, stride, at, *v);
        const double above = value(s, u, stride, at + step[d], *v);
        const double second = fabs(below - 2 * here + above);
        const double first = fabs(here - below) + fabs(above - here);
        const double size = fabs(below) + 2 * fabs(here) + fabs(above);
        const double e = c->gradient ? fabs(above - below) / 2 / (eps_abs + fabs(here))
                                     : second / (eps_abs + first + eps * size);
        sum += e * e;
      }
      most = worse(most, sqrt(sum));
    }
  return most;
}

/** Number of wrong flags, with thresholds just below and just above the value of each block. */
static int wrong_flags(const sim_t *s, const criterion_t *c, double *least, double *most) {
  const double tolerance = 1e-10;
  const int n = oak_nblocks(s->sim), width = s->n + 2 * s->layers;
  const size_t size = (size_t)width * width * (s->dim == 3 ? width : 1) * s->nvar;
  double *u = malloc((n * size + 1) * sizeof *u);
  int *flag = malloc((n + 1) * sizeof *flag), wrong = 0;
  if (!u || !flag) abort();
  MUST(oak_update_ghostcells(s->sim));
  MUST(oak_read_ghosts(s->sim, 0, n, u));
  for (int b = 0; b < n; b++) {
    const double e = indicator(s, c, u + b * size);
    *least = fmin(*least, e);
    *most = worse(*most, e);
    s->sim->setup.refine.c_refine = e * (1 + tolerance);
    s->sim->setup.refine.c_derefine = e * (1 - tolerance);
    MUST(oak_compute_flags(s->sim, flag));
    wrong += flag[b] != 0;
    s->sim->setup.refine.c_refine = s->sim->setup.refine.c_derefine;
    MUST(oak_compute_flags(s->sim, flag));
    wrong += flag[b] != 1;
    s->sim->setup.refine.c_refine = s->sim->setup.refine.c_derefine = e * (1 + tolerance);
    MUST(oak_compute_flags(s->sim, flag));
    wrong += flag[b] != -1;
  }
  free(u);
  free(flag);
  return wrong;
}

static const criterion_t criteria[] = {
    {2, 8, 0, "lohner", "rho E", "", {0, 3, -1}},
    {2, 6, 0, "lohner", "E, vx", "scheme.ghost_layers=3\n", {3, 5, -1}},
    {2, 8, 1, "gradient", "my", "", {2, -1}},
    {2, 8, 1, "gradient", "p vy", "boundary.xlow=reflect\nboundary.xhigh=outflow\n", {7, 6, -1}},
    {3, 6, 0, "lohner", "p", "", {9, -1}},
    {3, 4, 0, "lohner", "mz rho", "", {3, 0, -1}},
    {3, 4, 1, "gradient", "rho vz", "boundary.zlow=outflow\nboundary.zhigh=reflect\n", {0, 8, -1}},
};

static void test_criteria(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++) {
    const criterion_t *c = &criteria[i];
    if (test_short() && i % 3) continue;
    double least = INFINITY, most = 0;
    sim_t s = sim_new(MPI_COMM_WORLD,
                      TEST_PROBLEM("waves") "physics.name=euler\nphysics.gamma=1.4\n%s"
                                            "mesh.dim=%d\nmesh.block_size=%d\nmesh.min_level=%d\n"
                                            "mesh.max_level=4\nrefine.criterion=%s\n"
                                            "refine.variable=%s\nrefine.eps=0.02\n"
                                            "refine.eps_abs=0.003\n",
                      c->keys, c->dim, c->n, c->dim == 3 ? 1 : 2, c->criterion, c->variables);
    MUST(oak_set_initial(s.sim));
    random_mesh(&s);
    write_noise(&s);
    int64_t wrong = wrong_flags(&s, c, &least, &most);
    wrong = sum_ranks_int(s.comm, wrong);
    least = -max_ranks(s.comm, -least);
    most = max_ranks(s.comm, most);
    report("%dD, %s of %s: %d blocks with indicators from %.2g to %.2g, %d wrong flags", c->dim,
           c->criterion, c->variables, (int)oak_nblocks_global(s.sim), least, most, (int)wrong);
    assert_true(oak_nblocks_global(s.sim) > 20 && most > 10 * least);
    assert_int_equal(wrong, 0);
    sim_free(&s);
  }
}

/* ---- buffer */

/** A block as all ranks know it; positions in units of blocks of its level. */
typedef struct {
  int level, index[3];
} place_t;

typedef struct {
  int dim, n, trees[3], periodic[3], min_level, max_level, buffer;
  double marked; /* fraction of blocks that have cells to refine */
  int regions;
} buffer_case_t;

static place_t place_of(const sim_t *s, int block) {
  place_t p = {.level = oak_block_level(s->sim, block)};
  double origin[3], dx[3];
  oak_block_geometry(s->sim, block, origin, dx);
  for (int d = 0; d < s->dim; d++) p.index[d] = (int)lround(origin[d] / (s->n * dx[d]));
  return p;
}

/** Blocks of all ranks; the caller frees them. */
static place_t *all_blocks(const sim_t *s, int *total) {
  const int n = oak_nblocks(s->sim);
  int count[64], first[64], bytes = n * (int)sizeof(place_t);
  place_t *own = malloc((n + 1) * sizeof *own), *all;
  if (!own) abort();
  for (int b = 0; b < n; b++) own[b] = place_of(s, b);
  MPI_Allgather(&bytes, 1, MPI_INT, count, 1, MPI_INT, s->comm);
  *total = 0;
  for (int r = 0; r < test_size; r++) {
    first[r] = *total;
    *total += count[r];
  }
  all = malloc(*total + 1);
  if (!all) abort();
  MPI_Allgatherv(own, bytes, MPI_BYTE, all, count, first, MPI_BYTE, s->comm);
  *total /= (int)sizeof(place_t);
  free(own);
  return all;
}

/** What cell c of a block asks for: 1 refine, 0.5 keep, 0 nothing. Some blocks have one or two
 * cells to refine, some only cells to keep. */
static double mark(const buffer_case_t *k, const place_t *p, int c, int salt) {
  const int cells = k->n * k->n * (k->dim == 3 ? k->n : 1);
  const double x[3] = {p->index[0] + 100 * p->level, p->index[1], p->index[2]};
  const double kind = noise(x, salt);
  for (int i = 1; i <= 2 && kind < k->marked; i++)
    if ((int)(noise(x, salt + i) * cells) == c) return 1;
  return kind > 0.9 ? 0.5 : 0;
}

/** Whether the cell, grown by the buffer, overlaps the block; in units of cells of the highest
 * level. */
static int in_buffer(const buffer_case_t *k, const place_t *from, int c, const place_t *to) {
  const int at[3] = {c % k->n, c / k->n % k->n, c / (k->n * k->n)};
  const int h = 1 << (k->max_level - from->level), size = k->n << (k->max_level - to->level);
  for (int d = 0; d < k->dim; d++) {
    const int low = (from->index[d] * k->n + at[d] - k->buffer) * h;
    const int high = low + (2 * k->buffer + 1) * h;
    const int length = k->trees[d] * k->n << k->max_level;
    int overlaps = 0;
    for (int image = -k->periodic[d]; image <= k->periodic[d]; image++) {
      const int start = to->index[d] * size + image * length;
      overlaps |= low < start + size && start < high;
    }
    if (!overlaps) return 0;
  }
  return 1;
}

enum { DEPTH = 3 };

/** The answer of marks.c about a block. */
static int region_of(const buffer_case_t *k, const place_t *p) {
  const int right = 2 * p->index[0] + 1 > 1 << p->level, top = 2 * p->index[1] + 1 > 1 << p->level;
  if (!k->regions) return OAK_REGION_FREE;
  if (!top) return right ? OAK_REGION_NEVER : OAK_REGION_FREE;
  return !right ? OAK_REGION_DEREFINE : p->level < DEPTH ? OAK_REGION_REFINE : OAK_REGION_FREE;
}

/** Flags by the marks of all cells of all blocks, with or without the buffer. */
static void find_flags(const sim_t *s, const buffer_case_t *k, int salt, int *flag) {
  int total, count = 0;
  place_t *all = all_blocks(s, &total);
  struct {
    int block, cell;
  } *asking =
      malloc((2 * total + 1) * sizeof *asking); /* for a finer mesh; at most two in a block */
  if (!asking) abort();
  for (int a = 0; a < total && k->buffer; a++)
    for (int c = 0; c < s->cells; c++)
      if (mark(k, &all[a], c, salt) == 1) {
        asking[count].block = a;
        asking[count++].cell = c;
      }
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    const place_t own = place_of(s, b);
    flag[b] = -1;
    for (int c = 0; c < s->cells; c++) {
      const double m = mark(k, &own, c, salt);
      flag[b] = m == 1 ? 1 : m > 0 && flag[b] < 0 ? 0 : flag[b];
    }
    for (int i = 0; i < count; i++) {
      const place_t *from = &all[asking[i].block];
      const int its = region_of(k, from);
      const int target =
          from->level + (from->level < k->max_level && its != OAK_REGION_NEVER ? 1 : 0);
      if (its == OAK_REGION_DEREFINE || own.level > target || !memcmp(from, &own, sizeof own) ||
          !in_buffer(k, from, asking[i].cell, &own))
        continue;
      if (own.level < target) flag[b] = 1;
      if (flag[b] < 0) flag[b] = 0;
    }
    const int region = region_of(k, &own);
    if (region == OAK_REGION_REFINE) flag[b] = 1;
    if (region == OAK_REGION_DEREFINE) flag[b] = -1;
    if (region == OAK_REGION_NEVER && flag[b] > 0) flag[b] = 0;
  }
  free(asking);
  free(all);
}

/** A number that two meshes have in common only if they are the same. */
static uint64_t mesh_hash(const sim_t *s) {
  uint64_t sum = 0;
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    const place_t p = place_of(s, b);
    const double x[3] = {p.index[0], p.index[1], p.index[2]};
    sum += (uint64_t)(noise(x, p.level) * 0x1p53);
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, s->comm);
  return sum;
}

static void write_marks(const sim_t *s, const buffer_case_t *k, int salt) {
  const int n = oak_nblocks(s->sim);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  for (int b = 0; b < n; b++) {
    const place_t p = place_of(s, b);
    for (int c = 0; c < s->cells; c++) u[b * s->cells + c] = mark(k, &p, c, salt);
  }
  MUST(oak_write_cells(s->sim, 0, 0, n, u));
  free(u);
}

static sim_t marks_sim(const buffer_case_t *k, int buffer) {
  static const char *const faces[] = {"x", "y", "z"};
  char text[512] = "";
  for (int d = 0; d < 3; d++) {
    const char *kind = d >= k->dim || k->periodic[d] ? "periodic" : "outflow";
    sprintf(text + strlen(text), "boundary.%slow=%s\nboundary.%shigh=%s\n", faces[d], kind,
            faces[d], kind);
  }
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("marks") "physics.name=advection\nscheme.limiter=upwind\n"
                                          "mesh.dim=%d\nmesh.block_size=%d\nmesh.trees=%s\n"
                                          "mesh.xmax=%s\nmesh.min_level=%d\n"
                                          "mesh.max_level=%d\nrefine.criterion=user\n"
                                          "refine.c_refine=0.75\nrefine.c_derefine=0.25\n"
                                          "refine.buffer=%d\nproblem.regions=%s\n%s",
                    k->dim, k->n, test_axes(k->dim, k->trees[0], k->trees[1], k->trees[2]).text,
                    test_axes(k->dim, k->trees[0], k->trees[1], k->trees[2]).text, k->min_level, k->max_level, buffer, k->regions && k->buffer == buffer ? "yes" : "no", text);
  MUST(oak_set_initial(s.sim));
  random_mesh(&s);
  return s;
}

/** Adapt to flags from the host. \return the number of flags that the buffer changed. */
static int adapt_on_host(sim_t *s, const buffer_case_t *k, int salt) {
  const int n = oak_nblocks(s->sim);
  int *flag = malloc((n + 1) * sizeof *flag), *plain = malloc((n + 1) * sizeof *plain), others = 0;
  buffer_case_t none = *k;
  if (!flag || !plain) abort();
  none.buffer = 0;
  find_flags(s, k, salt, flag);
  find_flags(s, &none, salt, plain);
  for (int b = 0; b < n; b++) others += flag[b] != plain[b];
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
  free(flag);
  free(plain);
  return others;
}

static const buffer_case_t buffers[] = {
    {2, 8, {2, 3, 1}, {1, 0, 0}, 0, 4, 1, 0.1, 0},  {2, 8, {2, 3, 1}, {0, 1, 0}, 0, 4, 5, 0.05, 0},
    {2, 8, {2, 1, 1}, {1, 1, 0}, 1, 4, 8, 0.1, 0},  {3, 4, {1, 2, 1}, {1, 0, 0}, 0, 3, 1, 0.1, 0},
    {3, 4, {1, 1, 2}, {1, 1, 1}, 1, 3, 3, 0.06, 0}, {2, 8, {1, 1, 1}, {1, 0, 0}, 1, 5, 3, 0.15, 1},
};

/** Several adaptations, with the buffer of the run and with that of the search. */
static void test_buffer(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    const buffer_case_t *k = &buffers[i];
    int wrong = 0;
    int64_t blocks = 0, others = 0;
    if (test_short() && i % 3 != 2) continue;
    sim_t s = marks_sim(k, k->buffer), host = marks_sim(k, 0);
    for (int round = 0; round < 8; round++) {
      write_marks(&s, k, 10 * round);
      MUST(oak_adjust_refinement(s.sim, NULL));
      others += adapt_on_host(&host, k, 10 * round);
      wrong += mesh_hash(&s) != mesh_hash(&host);
      if (oak_nblocks_global(s.sim) > blocks) blocks = oak_nblocks_global(s.sim);
    }
    others = sum_ranks_int(s.comm, others);
    report(
        "%dD%s, buffer of %d in blocks of %d^%d, up to %d blocks, %d flags from the buffer: "
        "%d of 8 meshes wrong",
        k->dim, k->regions ? ", regions" : "", k->buffer, k->n, k->dim, (int)blocks, (int)others,
        wrong);
    sim_free(&s);
    sim_free(&host);
    assert_int_equal(wrong, 0);
    assert_true(others > 30 && blocks > 50);
  }
}

/** A blob moves some cells between adaptations. Returns the largest number of cells of its edge
 * that are not on the finest level before an adaptation. */
static int64_t left_behind(int dim, int buffer, int every, int64_t *blocks) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=advection\nphysics.name=advection\nmesh.dim=%d\n"
                    "mesh.block_size=8\nmesh.min_level=1\nmesh.max_level=%d\nproblem.radius=0.2\n"
                    "problem.edge=0.1\nrefine.criterion=gradient\nrefine.c_refine=0.04\n"
                    "refine.c_derefine=0.02\nrefine.eps_abs=0.5\nrefine.buffer=%d\n",
                    dim, dim == 3 ? 3 : 4, buffer);
  int64_t most = 0;
  MUST(oak_initialize(s.sim));
  *blocks = 0;
  for (int round = 0; round < (dim == 3 ? 2 : 6); round++) {
    int64_t coarse = 0;
    for (int step = 0; step < every; step++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    double *u = sim_read(&s, 0);
    for (int b = 0; b < oak_nblocks(s.sim); b++)
      for (int c = 0; c < s.cells; c++) {
        const double rho = u[b * s.cells + c];
        coarse += oak_block_level(s.sim, b) < (dim == 3 ? 3 : 4) && rho > 0.1 && rho < 0.9;
      }
    free(u);
    coarse = sum_ranks_int(s.comm, coarse);
    if (coarse > most) most = coarse;
    MUST(oak_adjust_refinement(s.sim, NULL));
    if (oak_nblocks_global(s.sim) > *blocks) *blocks = oak_nblocks_global(s.sim);
  }
  sim_free(&s);
  return most;
}

static void test_moving(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    const int cells = 6, every = 2 * dim * cells; /* steps of 1/4 or 1/6 cell along each axis */
    int64_t blocks[2];
    const int64_t without = left_behind(dim, 0, every, &blocks[0]);
    const int64_t with = left_behind(dim, cells, every, &blocks[1]);
    report(
        "%dD, a blob that moves %d cells between adaptations: up to %d cells of its edge leave "
        "the %d blocks, with a buffer as wide %d the %d blocks",
        dim, cells, (int)without, (int)blocks[0], (int)with, (int)blocks[1]);
    assert_true(without > 10);
    assert_int_equal(with, 0);
  }
}

/* ---- regions */

/** Regions alone: on the way to the first mesh, and when they change. */
static void test_regions(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    const buffer_case_t k = {dim, 4, {1, 1, 1}, {1, 1, 1}, 1, 5, 0, 0, 1};
    sim_t s = sim_new(MPI_COMM_WORLD,
                      TEST_PROBLEM("marks") "physics.name=advection\nscheme.limiter=upwind\n"
                                            "mesh.dim=%d\nmesh.block_size=%d\nmesh.min_level=1\n"
                                            "mesh.max_level=5\nrefine.criterion=none\n"
                                            "problem.regions=yes\n",
                      dim, k.n);
    int wrong = 0, lowest, highest;
    int64_t fine = 0;
    MUST(oak_initialize(s.sim));
    for (int b = 0; b < oak_nblocks(s.sim); b++) {
      const place_t p = place_of(&s, b);
      const int right = p.index[0] >> (p.level - 1), top = p.index[1] >> (p.level - 1);
      fine += right && top;
      if (right && top) wrong += p.level != DEPTH; /* others: only what 2:1 balance asks for */
      if (!right || !top) wrong += p.level == DEPTH;
    }
    wrong = (int)sum_ranks_int(s.comm, wrong);
    fine = sum_ranks_int(s.comm, fine);
    sim_levels(&s, &lowest, &highest);
    report(
        "%dD, regions alone: %d blocks at level %d in their region, %d blocks elsewhere, %d wrong",
        dim, (int)fine, highest, (int)(oak_nblocks_global(s.sim) - fine), wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(fine, dim == 3 ? 2 << 6 : 1 << 4);
    assert_int_equal(highest, DEPTH);
    s.sim->data.clock.time = 1;
    for (int round = 0; round < DEPTH; round++) MUST(oak_adjust_refinement(s.sim, NULL));
    assert_int_equal(oak_nblocks_global(s.sim), 1 << dim);
    sim_free(&s);
  }
}

/* ---- refusals */

static void refused(const char *key, const char *words) {
  oak_params_t *params;
  oak_t *sim = NULL;
  MUST(oak_params_new(&params));
  MUST(oak_params_assign(params, "problem.name=shock_tube", "test"));
  MUST(oak_params_assign(params, key, "test"));
  assert_int_equal(oak_create(MPI_COMM_WORLD, params, &sim), OAK_ERR_INPUT);
  if (!strstr(oak_last_error(), words)) print_error("%s: %s\n", key, oak_last_error());
  assert_non_null(strstr(oak_last_error(), words));
  oak_params_destroy(&params);
}

static void test_refusals(void **state) {
  (void)state;
  refused("refine.variable=rho pressure",
          "no variable pressure; did you mean p?; known: rho mx my E vx vy p speed");
  refused("refine.variable=level", "no variable level; known: rho");
  refused("refine.criterion=slope", "lohner");
  refused("refine.buffer=17", "at most the cells of a block, mesh.block_size = 16");
}

/* ---- vectors on faces */

/** Refine or coarsen one half of the domain. */
static void change_half(sim_t *s, int right, int change) {
  const int n = oak_nblocks(s->sim);
  int *flag = malloc(((size_t)n + 1) * sizeof *flag);
  if (!flag) abort();
  for (int b = 0; b < n; b++) {
    double x[3];
    sim_center(s, b, 0, x);
    flag[b] = (x[0] > 0.5) == right ? change : 0;
  }
  MUST(oak_adjust_refinement_flags(s->sim, n, flag, NULL));
  free(flag);
}

/** The sums of the squares of the vector on lower and upper faces, and the largest difference of
 * its mean in a cell from their mean. */
static void look_at_faces(const sim_t *s, double squares[2], double *off) {
  static const char *const name[] = {"lower", "upper", "bx"};
  const int n = oak_nblocks(s->sim);
  double *u[3];
  squares[0] = squares[1] = *off = 0;
  for (int v = 0; v < 3; v++) {
    u[v] = malloc(((size_t)n * s->cells + 1) * sizeof *u[v]);
    if (!u[v]) abort();
    MUST(oak_read_variable(s->sim, name[v], n, u[v]));
  }
  for (int i = 0; i < n * s->cells; i++) {
    for (int v = 0; v < 2; v++) squares[v] += u[v][i] * u[v][i];
    *off = worse(*off, fabs(u[2][i] - 0.5 * (u[0][i] + u[1][i])));
  }
  for (int v = 0; v < 3; v++) free(u[v]);
  for (int v = 0; v < 2; v++) squares[v] = sum_ranks(s->comm, squares[v]);
  *off = max_ranks(s->comm, *off);
}

/** Means over cells follow from faces on a new mesh. Blocks on both sides of a face hold the same
 * value, also after several adaptations without a step between them. */
static void test_faces(void **state) {
  (void)state;
  double merged, refined, squares[2];
  sim_t s = sim_new(MPI_COMM_WORLD, TEST_PROBLEM("mhd_faces")
                    "physics.name=mhd_ct\nmesh.block_size=8\nmesh.min_level=1\n"
                    "mesh.max_level=2\nrefine.criterion=none\n");
  MUST(oak_initialize(s.sim));
  change_half(&s, 1, 1);
  for (int n = 0; n < 3; n++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  change_half(&s, 0, 1); /* takes faces from the other half */
  change_half(&s, 1, -1);
  look_at_faces(&s, squares, &merged);
  change_half(&s, 1, 1);
  look_at_faces(&s, squares, &refined);
  report("faces: sums of squares %.3f and %.1e more, means off by %.1e, %.1e", squares[0],
         squares[1] - squares[0], merged, refined);
  assert_true(fabs(squares[1] - squares[0]) < 1e-13 * squares[0]);
  assert_true(merged < 1e-15 && refined < 1e-15);
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_criteria), cmocka_unit_test(test_buffer),
      cmocka_unit_test(test_moving),   cmocka_unit_test(test_regions),
      cmocka_unit_test(test_refusals), cmocka_unit_test(test_faces)};
  return TEST_MAIN(tests);
}
