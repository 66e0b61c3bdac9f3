/* SPDX-License-Identifier: GPL-2.0-or-later
 * A second field uses the pattern of the solution, with another number of components. Each ghost
 * cell of an adapted mesh, and each cell after another adaptation, has the value that follows from
 * the given function and the levels. Values are short binary fractions, so results are exact.
 * Messages on a uniform mesh are as many, and as long, as its geometry says. */
// TEST np={1,2,3,4} timeout=120
// TEST name=@test@_staged_np@np@ np={2,4} timeout=300 OAK_TEST_TRANSPORT=staged
// TEST name=@test@_hosts_np4 np=4 timeout=300 OAK_TEST_RANKS_PER_HOST=2
// TEST name=@test@_fake_direct_np2 np=2 timeout=300 needs=fake OAK_TEST_SHORT=1 OAK_TEST_DEVICE=cuda OAK_TEST_TRANSPORT=direct OAK_FAKE_CUDA=count=8
// TEST name=@test@_fake_hosts_np4 np=4 timeout=300 needs=fake OAK_TEST_DEVICE=cuda OAK_TEST_RANKS_PER_HOST=2 OAK_FAKE_CUDA=count=8
// TEST name=long_@test@_fake_@way@_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=cuda way={direct,nccl,staged} OAK_FAKE_CUDA=count=8
#include "solver/step/sim.h"
#include "solver_test.h"

typedef struct {
  int dim, n, layers;
  const char *keys;
} mesh_case_t;

/* Blocks of two trees; x is periodic in the last of 2D and 3D. */
static const mesh_case_t meshes[] = {
    {2, 8, 2, ""},
    {2, 4, 1, "scheme.precision=single\nmesh.kappa_max=10\n"},
    {2, 8, 3, "boundary.xlow=periodic\nboundary.xhigh=periodic\n"},
    {3, 4, 2, "scheme.precision=single\n"},
    {3, 6, 3, "boundary.xlow=periodic\nboundary.xhigh=periodic\nmesh.kappa_max=10\n"},
};
enum { TREES = 2, MOST_COMPONENTS = 7 };

/* Level and position of every block on all ranks. */
typedef int leaf_t[4];

typedef struct {
  sim_t s;
  oak_exchange_t x;
  oak_values_t now, next;
  void *bc;
  leaf_t *leaf;
  int leaves, periodic;
} field_t;

/* ---- what the values are */

static int extent(const sim_t *s, int level, int d) { return (d == 0 ? TREES : 1) * s->n << level; }

/** Derivative of a linear function, per cell of level 0. */
static int slope(const field_t *f, int v, int d) {
  return d == 0 && f->periodic ? 0 : (v + d) % 3 - 1;
}

/** Value of a cell of a level, by its position on that level. */
static double cell_value(const field_t *f, int v, int level, const int at[3]) {
  const sim_t *s = &f->s;
  if (f->x.interpolation == OAK_INTERPOLATE_COPY) { /* any numbers */
    uint32_t hash = 32u * (uint32_t)v + (uint32_t)level;
    for (int d = 0; d < s->dim; d++) {
      const int cells = d == 0 && f->periodic ? extent(s, level, 0) : 1 << 30;
      hash = mix_bits(hash ^ (uint32_t)((at[d] + cells) % cells));
    }
    return (double)(hash % 1000);
  }
  double value = v;
  for (int d = 0; d < s->dim; d++) value += slope(f, v, d) * (at[d] + 0.5) * ldexp(1, -level);
  return value;
}

static oak_bc_t condition(const field_t *f, int face, int v) {
  static const int kind[] = {OAK_BC_COPY, OAK_BC_MIRROR, OAK_BC_ANTIMIRROR};
  if (f->x.interpolation == OAK_INTERPOLATE_COPY) return (oak_bc_t){.kind = kind[(face + v) % 3]};
  return (oak_bc_t){.kind = OAK_BC_NEUMANN, .value = (face & 1 ? 1 : -1) * slope(f, v, face / 2)};
}

/* ---- the mesh */

static void gather_leaves(field_t *f) {
  const oak_mesh_t *m = f->s.sim->data.mesh;
  int *count = calloc(2 * m->size, sizeof *count), *first = count + m->size;
  leaf_t *mine = malloc((m->nblock + 1) * sizeof *mine);
  for (int b = 0; b < m->nblock; b++) {
    mine[b][0] = m->level[b];
    for (int d = 0; d < 3; d++) mine[b][1 + d] = d < m->dim ? m->index[b][d] : 0;
  }
  const int ints = 4 * m->nblock;
  MPI_Allgather(&ints, 1, MPI_INT, count, 1, MPI_INT, m->comm);
  for (int r = 1; r < m->size; r++) first[r] = first[r - 1] + count[r - 1];
  f->leaves = (int)m->nglobal;
  f->leaf = realloc(f->leaf, f->leaves * sizeof *f->leaf);
  MPI_Allgatherv(mine, ints, MPI_INT, f->leaf, count, first, MPI_INT, m->comm);
  free(mine);
  free(count);
}

static int is_leaf(const field_t *f, int level, const int at[3]) {
  for (int i = 0; i < f->leaves; i++)
    if (f->leaf[i][0] == level && !memcmp(&f->leaf[i][1], at, 3 * sizeof *at)) return 1;
  return 0;
}

enum { OUTSIDE = -100 };

/** Level of the blocks that lie in a direction of a block. */
static int level_in(const field_t *f, int block, const int dir[3]) {
  const oak_mesh_t *m = f->s.sim->data.mesh;
  const int level = m->level[block];
  int at[3] = {0}, parent[3];
  for (int d = 0; d < m->dim; d++) {
    const int most = (d == 0 ? TREES : 1) << level;
    at[d] = m->index[block][d] + dir[d];
    if (d == 0 && f->periodic) at[d] = (at[d] + most) % most;
    if (at[d] < 0 || at[d] >= most) return OUTSIDE;
  }
  for (int i = 0; i < 3; i++) parent[i] = at[i] >> 1;
  return is_leaf(f, level, at) ? level : is_leaf(f, level - 1, parent) ? level - 1 : level + 1;
}

/** Level of the blocks beyond a face. */
static int level_beyond(const field_t *f, int block, int face) {
  int dir[3] = {0};
  dir[face / 2] = face & 1 ? 1 : -1;
  return level_in(f, block, dir);
}

/** A number below 100 for a block (up = 0) or its family (up = 1), the same on all ranks. */
static int chance(const field_t *f, int block, int up, int round) {
  const oak_mesh_t *m = f->s.sim->data.mesh;
  uint32_t hash = (uint32_t)(round * 977 + 2 * m->level[block] + up);
  for (int d = 0; d < m->dim; d++) hash = mix_bits(hash ^ (uint32_t)(m->index[block][d] >> up));
  return (int)(hash % 100);
}

/** Some blocks are refined; families go in the last round. */
static void make_flags(const field_t *f, int round, int *flag) {
  for (int b = 0; b < oak_nblocks(f->s.sim); b++)
    flag[b] = round == 2 && chance(f, b, 1, round) < 60 ? -1 : chance(f, b, 0, round) < 25;
}

/* Cells of level 0 have the size 1, so that derivatives are whole numbers. */
static field_t field_new(const mesh_case_t *c, int components, int interpolation) {
  field_t f = {.periodic = strstr(c->keys, "periodic") != NULL};
  f.s = sim_new(
      MPI_COMM_WORLD,
      TEST_PROBLEM("conduction") "physics.name=advection\nscheme.limiter=upwind\n"
      "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"
      "boundary.yhigh=outflow\nboundary.zlow=outflow\nboundary.zhigh=outflow\n"
      "mesh.dim=%d\nmesh.block_size=%d\nscheme.ghost_layers=%d\nmesh.theta=1.3\n"
      "mesh.trees=%d 1\nmesh.xmax=%d %d\nmesh.max_level=%d\nmesh.min_level=%d\n%s",
      c->dim, c->n, c->layers, TREES, TREES * c->n, c->n, c->dim == 2 ? 4 : 3,
      c->dim == 2 ? 2 : 1, c->keys);
  oak_t *sim = f.s.sim;
  MUST(oak_initialize(sim));
  for (int round = 0; round < 2; round++) {
    int *flag = malloc((oak_nblocks(sim) + 1) * sizeof *flag), changed;
    make_flags(&f, round, flag);
    MUST(oak_adjust_refinement_flags(sim, oak_nblocks(sim), flag, &changed));
    assert_true(changed);
    free(flag);
  }
  oak_exchange_init(&f.x, &sim->data.transport, &sim->data.pattern, components, interpolation,
                    sim->setup.bytes.store);
  f.x.kernel = sim->setup.kernel.halo;
  oak_bc_t bc[6 * MOST_COMPONENTS];
  for (int face = 0; face < 2 * c->dim; face++)
    for (int v = 0; v < components; v++) bc[face * components + v] = condition(&f, face, v);
  MUST(oak_device_alloc(sim->setup.dev, sizeof bc, &f.bc));
  MUST(oak_device_upload(sim->setup.dev, f.bc, bc, 2 * c->dim * components * sizeof *bc));
  return f;
}

static void field_free(field_t *f) {
  oak_values_t *list[] = {&f->now, &f->next};
  oak_device_free(f->s.sim->setup.dev, f->bc);
  oak_values_clear(&f->x, list, 2);
  oak_exchange_clear(&f->x);
  free(f->leaf);
  sim_free(&f->s);
}

/* Memory for the present mesh and pattern. */
static void fit(field_t *f, oak_values_t *values) {
  int changed;
  oak_data_t *data = &f->s.sim->data;
  MUST(oak_data_agree(data, oak_exchange_fit(&f->x, &changed)));
  MUST(oak_data_agree(data, oak_values_fit(&f->x, &values, 1, data->mesh->nblock, &changed)));
  MUST(oak_values_look(&f->x, values));
}

/* ---- values in memory */

static double get(const field_t *f, const void *memory, int64_t i) {
  return f->x.store_size == 4 ? ((const float *)memory)[i] : ((const double *)memory)[i];
}

static void *download(const field_t *f, const void *from, int64_t reals) {
  const size_t bytes = (size_t)reals * f->x.store_size;
  void *out = malloc(bytes + 1);
  if (!out) abort();
  if (reals) MUST(oak_device_download(f->s.sim->setup.dev, out, from, bytes));
  return out;
}

static void position(const field_t *f, int block, int c, int at[3]) {
  const sim_t *s = &f->s;
  const int local[3] = {c % s->n, c / s->n % s->n, c / (s->n * s->n)};
  for (int d = 0; d < 3; d++)
    at[d] = d < s->dim ? s->sim->data.mesh->index[block][d] * s->n + local[d] : 0;
}

static void set_values(field_t *f) {
  const sim_t *s = &f->s;
  const int nc = f->x.components, blocks = oak_nblocks(s->sim);
  const int64_t reals = (int64_t)blocks * nc * s->cells;
  void *u = malloc((size_t)reals * f->x.store_size + 1);
  for (int64_t i = 0; i < reals; i++) {
    const int b = (int)(i / ((int64_t)nc * s->cells));
    int at[3];
    position(f, b, (int)(i % s->cells), at);
    const double value = cell_value(f, (int)(i / s->cells % nc), s->sim->data.mesh->level[b], at);
    if (f->x.store_size == 4)
      ((float *)u)[i] = (float)value;
    else
      ((double *)u)[i] = value;
  }
  if (reals)
    MUST(oak_device_upload(oak_device(s->sim), f->now.memory.mine, u, reals * f->x.store_size));
  free(u);
}

static void fill(field_t *f) {
  oak_t *sim = f->s.sim;
  oak_halo_args_t args = {.bc = f->bc, .theta = sim->setup.refine.theta};
  oak_data_field(&sim->data, 0, 0, &args.f);
  MUST(oak_data_agree(&sim->data, oak_exchange_fill(&f->x, &f->now, &args, &sim->data.timers)));
  MUST(oak_device_sync(sim->setup.dev));
}

/* ---- checks */

/** Mean of the cells of the next level in one. */
static double mean_of_children(const field_t *f, int v, int level, const int at[3]) {
  const int children = 1 << f->s.dim;
  double sum = 0;
  for (int e = 0; e < children; e++) {
    int fine[3] = {0};
    for (int d = 0; d < f->s.dim; d++) fine[d] = 2 * at[d] + (e >> d & 1);
    sum += cell_value(f, v, level + 1, fine);
  }
  return sum / children;
}

/** Value of a cell that is computed from cells of level `other`. */
static double made_value(const field_t *f, int v, int level, int other, const int at[3]) {
  int coarse[3];
  for (int d = 0; d < 3; d++) coarse[d] = at[d] >> 1;
  if (other > level) return mean_of_children(f, v, level, at);
  if (other == level || f->x.interpolation != OAK_INTERPOLATE_COPY)
    return cell_value(f, v, level, at);
  return cell_value(f, v, level - 1, coarse);
}

/** Value outside the domain: by the boundary condition, or the linear function. */
static double outside_value(const field_t *f, int v, int level, int face, const int at[3]) {
  const int d = face / 2, last = face & 1 ? extent(&f->s, level, d) - 1 : 0;
  int inside[3] = {at[0], at[1], at[2]};
  if (f->x.interpolation != OAK_INTERPOLATE_COPY) return cell_value(f, v, level, at);
  const oak_bc_t bc = condition(f, face, v);
  inside[d] = bc.kind == OAK_BC_COPY ? last : 2 * last - at[d] + (face & 1 ? 1 : -1);
  return (bc.kind == OAK_BC_ANTIMIRROR ? -1 : 1) * cell_value(f, v, level, inside);
}

/** The values to which an entry of the table of faces or edges points; kernels/access/field.h and
 * kernels/ghosts/edges.h read them in this way. \a pieces of a halo buffer. */
static void *side(const field_t *f, oak_face_t t, int pieces, int64_t *offset) {
  const sim_t *s = &f->s;
  const oak_pattern_t *p = &s->sim->data.pattern;
  const int nc = f->x.components, peer = (t.base - OAK_BASE_PEERS) / 2;
  const int slot = t.base & 1;
  const int64_t unit = slot ? oak_pattern_piece_cells(p) * nc : (int64_t)s->cells * nc;
  const oak_shared_t *memory = slot ? &f->x.buffer : &f->now.memory;
  const char *from = t.base >= OAK_BASE_PEERS ? memory->peer[peer] : memory->mine;
  *offset = slot ? -1 : 0;
  return download(f, from + t.place * unit * f->x.store_size, slot ? unit * pieces : unit);
}

/** Errors in the ghost cells beyond a face; counts them by kind: same level, finer, coarser,
 * outside. */
static double check_face(const field_t *f, int block, int face, int64_t checked[4]) {
  const sim_t *s = &f->s;
  const int level = s->sim->data.mesh->level[block], other = level_beyond(f, block, face);
  const int d = face / 2, g = s->layers, area = s->cells / s->n;
  const int axis[2] = {d == 0 ? 1 : 0, d == 2 ? 1 : 2};
  const int stride[3] = {1, s->n, s->n * s->n};
  int64_t slot;
  double most = 0;
  const oak_face_t *faces = s->sim->data.pattern.face.host, t = faces[block * 2 * s->dim + face];
  void *u = side(f, t, 1 << (s->dim - 1), &slot);
  for (int v = 0; v < f->x.components; v++)
    for (int layer = 0; layer < g; layer++)
      for (int c = 0; c < area; c++) {
        int at[3], along[2] = {c % s->n, c / s->n};
        const int inside = face & 1 ? layer : s->n - g + layer; /* of the block beyond */
        int64_t i = (v * g + layer) * area + c;
        if (slot == 0)
          i = (int64_t)v * s->cells + inside * stride[d] + along[0] * stride[axis[0]] +
              (s->dim == 3 ? along[1] * stride[axis[1]] : 0);
        position(f, block, 0, at);
        at[d] += face & 1 ? s->n + layer : layer - g;
        at[axis[0]] += along[0];
        if (s->dim == 3) at[axis[1]] += along[1];
        const double exact = other == OUTSIDE ? outside_value(f, v, level, face, at)
                                              : made_value(f, v, level, other, at);
        most = worse(most, fabs(get(f, u, i) - exact));
        checked[other == OUTSIDE ? 3 : other == level ? 0 : other > level ? 1 : 2]++;
      }
  free(u);
  return most;
}

/** The axes of an edge, as src/mesh/neighbours.h numbers them, and the direction of what lies
 * beyond. */
static void edge_axes(int edge, int axis[3], int dir[3]) {
  static const int axes[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
  memcpy(axis, axes[edge / 4], sizeof axes[0]);
  dir[axis[0]] = edge & 1 ? 1 : -1;
  dir[axis[1]] = edge & 2 ? 1 : -1;
  dir[axis[2]] = 0;
}

/** Value of a cell beyond an edge, outside the domain along `axis`: the boundary condition,
 * applied to the ghost cell beyond the face across the other axis. */
static double outside_edge(const field_t *f, int v, int block, int axis, int other,
                           const int dir[3], const int at[3]) {
  const int level = f->s.sim->data.mesh->level[block], face = 2 * other + (dir[other] > 0);
  const int beyond = level_beyond(f, block, face);
  int mirror[3] = {at[0], at[1], at[2]};
  if (f->x.interpolation != OAK_INTERPOLATE_COPY) return cell_value(f, v, level, at);
  mirror[axis] -= dir[axis];
  const oak_bc_t bc = condition(f, 2 * axis + (dir[axis] > 0), v);
  const double value = beyond == OUTSIDE ? outside_value(f, v, level, face, mirror)
                                         : made_value(f, v, level, beyond, mirror);
  return bc.kind == OAK_BC_ANTIMIRROR ? -value : value;
}

/** The same as check_face beyond an edge (2D: a corner). */
static double check_edge(const field_t *f, int block, int edge, int64_t checked[4]) {
  const sim_t *s = &f->s;
  const oak_pattern_t *p = &s->sim->data.pattern;
  const int level = s->sim->data.mesh->level[block], cells = s->dim == 3 ? s->n : 1;
  const int stride[3] = {1, s->n, s->n * s->n};
  int axis[3], dir[3], one[3] = {0};
  int64_t slot;
  double most = 0;
  edge_axes(edge, axis, dir);
  one[axis[1]] = dir[axis[1]];
  const int other = level_in(f, block, dir), second = level_in(f, block, one) == OUTSIDE;
  void *u = side(f, ((const oak_face_t *)p->edge.host)[block * p->edges + edge], 1, &slot);
  for (int v = 0; v < f->x.components; v++)
    for (int c = 0; c < cells; c++) {
      int64_t i =
          slot ? v * cells + c : (int64_t)v * s->cells + (cells > 1 ? c : 0) * stride[axis[2]];
      int at[3];
      position(f, block, 0, at);
      if (cells > 1) at[axis[2]] += c;
      for (int n = 0; n < 2; n++) {
        at[axis[n]] += dir[axis[n]] > 0 ? s->n : -1;
        if (!slot && dir[axis[n]] < 0) i += (s->n - 1) * stride[axis[n]];
      }
      const double exact = other == OUTSIDE
                               ? outside_edge(f, v, block, axis[second], axis[!second], dir, at)
                               : made_value(f, v, level, other, at);
      most = worse(most, fabs(get(f, u, i) - exact));
      checked[other == OUTSIDE ? 3 : other == level ? 0 : other > level ? 1 : 2]++;
    }
  free(u);
  return most;
}

static double check_ghosts(field_t *f, int64_t checked[8]) {
  double most = 0;
  gather_leaves(f);
  for (int b = 0; b < oak_nblocks(f->s.sim); b++) {
    for (int face = 0; face < 2 * f->s.dim; face++)
      most = worse(most, check_face(f, b, face, checked));
    for (int edge = 0; edge < f->s.sim->data.pattern.edges; edge++)
      most = worse(most, check_edge(f, b, edge, checked + 4));
  }
  return max_ranks(f->s.comm, most); /* peers have read, too */
}

/** Move the field to another mesh with the kernel of adaptation, and check each cell. */
static double adapt(field_t *f, int64_t *made) {
  oak_t *sim = f->s.sim;
  const int old = sim->data.mesh->nblock;
  int *flag = malloc((old + 1) * sizeof *flag), *level = malloc((old + 1) * sizeof *level), changed;
  oak_origin_t *origin;
  make_flags(f, 2, flag);
  for (int b = 0; b < old; b++) level[b] = sim->data.mesh->level[b];
  const oak_carried_t carried = {&f->x, &f->now, &f->next};
  MUST(oak_mesh_adapt(sim->data.mesh, flag, NULL, 0, sim->setup.refine.max_level, &changed,
                      &origin));
  assert_true(changed);
  const int n = sim->data.mesh->nblock;
  oak_adapt_task_t *task = malloc((n + 1) * sizeof *task);
  for (int b = 0; b < n; b++)
    task[b] = (oak_adapt_task_t){
        .source = origin[b].block, .kind = (int)origin[b].kind, .child = origin[b].child};
  free(origin);
  oak_values_t *next[] = {&f->next};
  MUST(oak_data_agree(&sim->data, oak_values_fit(&f->x, next, 1, n, &changed)));
  MUST(oak_adapt_run(&sim->data, &carried, task, n, f->next.memory.mine));
  double most = 0;
  const int nc = f->x.components;
  void *u = download(f, f->next.memory.mine, (int64_t)n * nc * f->s.cells);
  for (int64_t i = 0; i < (int64_t)n * nc * f->s.cells; i++) {
    const int b = (int)(i / ((int64_t)nc * f->s.cells)), v = (int)(i / f->s.cells % nc);
    const int now = sim->data.mesh->level[b], was = level[task[b].source];
    int at[3];
    position(f, b, (int)(i % f->s.cells), at);
    most = worse(most, fabs(get(f, u, i) - made_value(f, v, now, was, at)));
    made[was == now ? 0 : was > now ? 1 : 2]++;
  }
  most = max_ranks(f->s.comm, most);
  /* The solution has the right size. Its values do not matter. */
  MUST(oak_storage_reserve(&sim->data, 0, 1, n));
  MUST(oak_fit_mesh(sim));
  const oak_values_t values = f->now;
  f->now = f->next;
  f->next = values;
  void *memory[] = {u, task, flag, level};
  for (int i = 0; i < 4; i++) free(memory[i]);
  return most;
}

static void sum_counts(const field_t *f, int64_t *n, int count) {
  MPI_Allreduce(MPI_IN_PLACE, n, count, MPI_INT64_T, MPI_SUM, f->s.comm);
}

static void try_field(const mesh_case_t *c, int components, int interpolation) {
  field_t f = field_new(c, components, interpolation);
  int64_t ghosts[8] = {0}, made[3] = {0};
  double error[3];
  fit(&f, &f.now);
  set_values(&f);
  fill(&f);
  error[0] = check_ghosts(&f, ghosts);
  error[1] = adapt(&f, made);
  fit(&f, &f.now);
  set_values(&f);
  fill(&f);
  error[2] = check_ghosts(&f, ghosts);
  sum_counts(&f, ghosts, 8);
  sum_counts(&f, made, 3);
  report(
      "%dD, blocks of %d, %d layers, %d component%s, %s, %d bytes: errors %g, %g, %g; ghost cells "
      "%lld same level, %lld finer, %lld coarser, %lld outside, beyond edges %lld, %lld, %lld, "
      "%lld; cells %lld kept, %lld averaged, %lld interpolated",
      c->dim, c->n, c->layers, components, components > 1 ? "s" : "",
      interpolation == OAK_INTERPOLATE_COPY ? "numbers" : "linear", f.x.store_size, error[0],
      error[1], error[2], (long long)ghosts[0], (long long)ghosts[1], (long long)ghosts[2],
      (long long)ghosts[3], (long long)ghosts[4], (long long)ghosts[5], (long long)ghosts[6],
      (long long)ghosts[7], (long long)made[0], (long long)made[1], (long long)made[2]);
  field_free(&f);
  for (int i = 0; i < 3; i++) assert_true(error[i] == 0);
  for (int i = 0; i < 8; i++) assert_true(ghosts[i] > 0);
  for (int i = 0; i < 3; i++) assert_true(made[i] > 0);
}

static void test_fields(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
    try_field(&meshes[m], 1, OAK_INTERPOLATE_COPY);
    try_field(&meshes[m], 2, OAK_INTERPOLATE_LIMITED);
    try_field(&meshes[m], MOST_COMPONENTS, OAK_INTERPOLATE_LIMITED);
    try_field(&meshes[m], MOST_COMPONENTS, OAK_INTERPOLATE_COPY);
  }
}

/* ---- messages */

static struct {
  int counting;
  int64_t messages, bytes;
} sent;

/** Every message of MPI goes through this function. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  int size;
  MPI_Type_size(type, &size);
  if (sent.counting) {
    sent.messages++;
    sent.bytes += (int64_t)count * size;
  }
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

enum { SIDE = 8 }; /* blocks along each axis */

/** The rank that has each block of the uniform mesh. */
static void find_owners(const oak_mesh_t *m, int owner[SIDE][SIDE][SIDE]) {
  memset(owner, 0, SIDE * sizeof *owner);
  for (int b = 0; b < m->nblock; b++)
    owner[m->index[b][2]][m->index[b][1]][m->index[b][0]] = m->rank;
  MPI_Allreduce(MPI_IN_PLACE, owner, SIDE * SIDE * SIDE, MPI_INT, MPI_SUM, m->comm);
}

/** Faces of this rank's blocks beyond which are blocks of a rank. */
static int faces_between(const oak_mesh_t *m, int owner[SIDE][SIDE][SIDE], int rank, int periodic) {
  int faces = 0;
  for (int b = 0; b < m->nblock; b++)
    for (int face = 0; face < 6; face++) {
      int at[3] = {m->index[b][0], m->index[b][1], m->index[b][2]};
      at[face / 2] += face & 1 ? 1 : -1;
      const int out = at[face / 2] < 0 || at[face / 2] >= SIDE;
      if (out && !periodic) continue;
      at[face / 2] = (at[face / 2] + SIDE) % SIDE;
      faces += owner[at[2]][at[1]][at[0]] == rank;
    }
  return faces;
}

static const oak_message_t *message_to(const oak_message_t *list, int n, int rank) {
  for (int i = 0; i < n; i++)
    if (list[i].rank == rank) return &list[i];
  return NULL;
}

static void try_messages(int components, int periodic) {
  static const mesh_case_t cube = {3, 4, 2, ""};
  const char *word = periodic ? "periodic" : "outflow";
  int owner[SIDE][SIDE][SIDE], messages = 0, faces = 0, wrong = 0;
  field_t f = {.s = sim_new(MPI_COMM_WORLD,
                            "problem.name=advection\nphysics.name=advection\nboundary.xlow=%s\n"
                            "boundary.xhigh=%s\nboundary.ylow=%s\nboundary.yhigh=%s\n"
                            "boundary.zlow=%s\nboundary.zhigh=%s\nscheme.limiter=upwind\n"
                            "mesh.dim=3\nmesh.block_size=%d\nscheme.ghost_layers=%d\n"
                            "mesh.min_level=3\nmesh.max_level=3\n",
                            word, word, word, word, word, word, cube.n, cube.layers)};
  oak_t *sim = f.s.sim;
  const oak_pattern_t *p = &sim->data.pattern;
  MUST(oak_initialize(sim));
  oak_exchange_init(&f.x, &sim->data.transport, &sim->data.pattern, components,
                    OAK_INTERPOLATE_LIMITED, sim->setup.bytes.store);
  f.x.kernel = sim->setup.kernel.halo;
  oak_bc_t bc[6 * MOST_COMPONENTS];
  for (int i = 0; i < 6 * MOST_COMPONENTS; i++) bc[i] = (oak_bc_t){.kind = OAK_BC_COPY};
  MUST(oak_device_alloc(sim->setup.dev, sizeof bc, &f.bc));
  MUST(oak_device_upload(sim->setup.dev, f.bc, bc, sizeof bc));
  find_owners(sim->data.mesh, owner);
  for (int r = 0; r < sim->setup.size; r++) {
    const int here = r == sim->setup.rank || oak_peers_number(&sim->data.transport.peers, r) >= 0;
    const int expected = here ? 0 : faces_between(sim->data.mesh, owner, r, periodic);
    const oak_message_t *out = message_to(p->round1.send, p->round1.nsend, r);
    const oak_message_t *in = message_to(p->round1.recv, p->round1.nrecv, r);
    wrong += (out ? out->count : 0) != 4 * expected || (in ? in->count : 0) != 4 * expected;
    messages += expected > 0;
    faces += expected;
  }
  wrong += p->round1.nsend != messages || p->round1.nrecv != messages;
  wrong += p->round2.nsend || p->round2.nrecv || p->flux.route.nsend || p->flux.route.nrecv;
  const int64_t bytes =
      (int64_t)faces * cube.layers * cube.n * cube.n * components * sim->setup.bytes.store;
  fit(&f, &f.now);
  set_values(&f);
  sent.messages = sent.bytes = 0;
  sent.counting = 1;
  fill(&f);
  sent.counting = 0;
  /* Messages of NCCL do not go through MPI. */
  if (sim->data.transport.kind == OAK_TRANSPORT_NCCL) sent.messages = messages, sent.bytes = bytes;
  report("%d^3 blocks, %s, %d components: %d messages of rank 0, %lld bytes (%s)", SIDE, word,
         components, (int)sent.messages, (long long)sent.bytes, sim->data.transport.text);
  wrong += sent.messages != messages || sent.bytes != bytes;
  /* Four ranks have a quarter each, 8 x 4 x 4 blocks: 32 faces to each of two others. */
  const int n = 3 - sim->data.transport.peers.count; /* of them on other hosts */
  if (sim->setup.size == 4 && n > 0) wrong += messages != n || faces != n * (periodic ? 64 : 32);
  field_free(&f);
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, wrong), 0);
}

static void test_messages(void **state) {
  (void)state;
  try_messages(1, 0);
  try_messages(5, 1);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields),
                                     cmocka_unit_test(test_messages)};
  return TEST_MAIN(tests);
}
