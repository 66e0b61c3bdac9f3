/* SPDX-License-Identifier: GPL-2.0-or-later
 * The mesh against maps of the whole domain, cell by cell at the finest level: the neighbour
 * beyond each face of each block, and the mesh after an adaptation. Random meshes in 2D and 3D,
 * periodic or not, with one and several trees. */
// TEST np={1,2,3}
// WRAP oak_forest_exchange_2: counts
#include "mesh/neighbours.h"
#include "solver_test.h"

typedef struct {
  int dim, trees[3], periodic[3];
  int min_level, max_level, rounds;
} case_t;

static const case_t cases[] = {
    {2, {1, 1, 1}, {1, 1, 0}, 0, 5, 12}, {2, {1, 1, 1}, {0, 0, 0}, 0, 5, 12},
    {2, {3, 2, 1}, {1, 0, 0}, 0, 4, 12}, {2, {2, 5, 1}, {0, 1, 0}, 2, 4, 6},
    {3, {1, 1, 1}, {1, 1, 1}, 0, 4, 8},  {3, {1, 1, 1}, {0, 0, 1}, 1, 4, 8},
    {3, {2, 1, 3}, {1, 0, 0}, 0, 4, 6}};

/** A block as all ranks know it. */
typedef struct {
  int level, index[3];
  int rank, number;
  int flag;
} block_t;

/** All blocks, and for each cell of the finest level the block that it lies in. */
typedef struct {
  const case_t *c;
  int n, cells[3];
  block_t *block;
  int *at;
} map_t;

static int cell_of(const map_t *m, const int x[3]) {
  return x[0] + m->cells[0] * (x[1] + m->cells[1] * x[2]);
}

/** Wrap a position where the domain is periodic. \return 0 if it is outside. */
static int wrap(const map_t *m, int x[3]) {
  for (int d = 0; d < m->c->dim; d++) {
    if (x[d] >= 0 && x[d] < m->cells[d]) continue;
    if (!m->c->periodic[d]) return 0;
    x[d] = (x[d] + m->cells[d]) % m->cells[d];
  }
  return 1;
}

/** Set the map of all cells of the place of `level` at `index`. */
static void fill(const map_t *m, int *map, int level, const int index[3], int value) {
  const int width = 1 << (m->c->max_level - level);
  int x[3];
  for (int k = 0; k < (m->c->dim == 3 ? width : 1); k++)
    for (int j = 0; j < width; j++)
      for (int i = 0; i < width; i++) {
        const int at[3] = {i, j, k};
        for (int d = 0; d < 3; d++) x[d] = d < m->c->dim ? index[d] * width + at[d] : 0;
        map[cell_of(m, x)] = value;
      }
}

/** Gather the mesh, with \a flag unless that is NULL. */
static map_t map_new(const case_t *c, const oak_mesh_t *mesh, const int *flag) {
  map_t m = {.c = c, .n = (int)mesh->nglobal};
  int *count = malloc(test_size * sizeof *count), *first = malloc(test_size * sizeof *first);
  block_t *mine = malloc((mesh->nblock + 1) * sizeof *mine);
  m.block = malloc(m.n * sizeof *m.block);
  int cells = 1;
  for (int d = 0; d < 3; d++) {
    m.cells[d] = d < c->dim ? c->trees[d] << c->max_level : 1;
    cells *= m.cells[d];
  }
  m.at = malloc(cells * sizeof *m.at);
  if (!count || !first || !mine || !m.block || !m.at) abort();
  for (int n = 0; n < mesh->nblock; n++) {
    mine[n] = (block_t){.level = mesh->level[n], .rank = test_rank, .number = n};
    memcpy(mine[n].index, mesh->index[n], sizeof mine[n].index);
    if (flag) mine[n].flag = flag[n];
  }
  const int bytes = mesh->nblock * (int)sizeof *mine;
  MPI_Allgather(&bytes, 1, MPI_INT, count, 1, MPI_INT, MPI_COMM_WORLD);
  first[0] = 0;
  for (int r = 1; r < test_size; r++) first[r] = first[r - 1] + count[r - 1];
  MPI_Allgatherv(mine, bytes, MPI_BYTE, m.block, count, first, MPI_BYTE, MPI_COMM_WORLD);
  memset(m.at, -1, cells * sizeof *m.at);
  for (int n = 0; n < m.n; n++) fill(&m, m.at, m.block[n].level, m.block[n].index, n);
  free(mine);
  free(count);
  free(first);
  return m;
}

static void map_free(map_t *m) {
  free(m->block);
  free(m->at);
}

/* ---- neighbours */

/** The block beyond part `sub` of a face, which has 2^(dim - 1) parts; -1: the domain ends
 * there. */
static int beyond(const map_t *m, const block_t *b, int face, int sub) {
  const int width = 1 << (m->c->max_level - b->level), axis = face / 2;
  int x[3] = {0, 0, 0};
  for (int d = 0, bit = 0; d < m->c->dim; d++) {
    x[d] = b->index[d] * width;
    if (d == axis)
      x[d] += face & 1 ? width : -1;
    else
      x[d] += (sub >> bit++ & 1) * (width / 2);
  }
  return wrap(m, x) ? m->at[cell_of(m, x)] : -1;
}

static oak_neighbour_t expected_neighbour(const map_t *m, const block_t *b, int face) {
  oak_neighbour_t n = {.kind = OAK_NEIGHBOUR_BOUNDARY};
  const int first = beyond(m, b, face, 0), axis = face / 2;
  if (first < 0) return n;
  const block_t *o = &m->block[first];
  int parts = 1;
  if (o->level == b->level) {
    n.kind = OAK_NEIGHBOUR_SAME;
  } else if (o->level > b->level) {
    n.kind = OAK_NEIGHBOUR_FINER;
    parts = 1 << (m->c->dim - 1);
  } else {
    n.kind = OAK_NEIGHBOUR_COARSER;
    for (int d = 0, bit = 0; d < m->c->dim; d++)
      if (d != axis) n.sub |= (b->index[d] & 1) << bit++;
  }
  for (int h = 0; h < parts; h++) {
    o = &m->block[beyond(m, b, face, h)];
    n.rank[h] = o->rank;
    n.block[h] = o->number;
  }
  return n;
}

/** \return faces of this rank where the mesh says something else. */
static int64_t wrong_neighbours(const map_t *m, const oak_mesh_t *mesh, int64_t kinds[4]) {
  const int faces = 2 * m->c->dim;
  int64_t wrong = 0;
  MUST(oak_neighbours_update(mesh));
  for (int b = 0; b < m->n; b++) {
    if (m->block[b].rank != test_rank) continue;
    for (int f = 0; f < faces; f++) {
      const oak_neighbour_t e = expected_neighbour(m, &m->block[b], f);
      const oak_neighbour_t n = oak_neighbours_face(mesh->neighbours, m->block[b].number, f);
      wrong += memcmp(&e, &n, sizeof e) != 0;
      kinds[e.kind]++;
    }
  }
  return wrong;
}

/* ---- adaptation */

static uint64_t hash(int level, const int index[3], int shift, int salt) {
  uint64_t h = (uint64_t)(salt * 64 + level - shift);
  for (int d = 0; d < 3; d++) {
    h = (h ^ (uint64_t)(index[d] >> shift)) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 29;
  }
  return h % 1000;
}

/** Random flags, often equal in a family; in turn more for refinement and more for coarsening. */
static void random_flags(const oak_mesh_t *mesh, int round, int *flag) {
  const uint64_t coarsen = round < 3 ? 0 : round % 3 == 2 ? 850 : 300;
  const uint64_t refine = round < 3 ? 600 : round % 3 == 2 ? 20 : 250;
  for (int n = 0; n < mesh->nblock; n++) {
    const int level = mesh->level[n];
    const uint64_t own = hash(level, mesh->index[n], 0, round);
    flag[n] = level > 0 && hash(level, mesh->index[n], 1, round) < coarsen ? -1 : 0;
    if (own < refine) flag[n] = 1;
    if (own > 980) flag[n] = 0;
  }
}

/** Levels of all cells after the flags, not yet balanced. */
static int *flagged_levels(const map_t *m) {
  const int cells = m->cells[0] * m->cells[1] * m->cells[2];
  int *level = malloc(cells * sizeof *level);
  /* Members of a family to be coarsened, counted in the first cell of their parent. */
  int *family = calloc((size_t)cells * (m->c->max_level + 1), sizeof *family);
  if (!level || !family) abort();
  for (int pass = 0; pass < 2; pass++)
    for (int n = 0; n < m->n; n++) {
      const block_t *b = &m->block[n];
      const int width = 1 << (m->c->max_level - b->level);
      int x[3] = {0, 0, 0};
      for (int d = 0; d < m->c->dim; d++) x[d] = (b->index[d] & ~1) * width;
      int *members = &family[b->level * cells + cell_of(m, x)];
      const int coarsens = b->flag < 0 && b->level > m->c->min_level;
      const int refines = b->flag > 0 && b->level < m->c->max_level;
      if (pass == 0)
        *members += coarsens;
      else
        fill(m, level, b->level, b->index, b->level + refines - (*members == 1 << m->c->dim));
    }
  free(family);
  return level;
}

/** Split blocks until no two that touch differ by more than a level. \return how many were split.
 */
static int64_t balance(const map_t *m, int *level) {
  int64_t split = 0;
  for (int changed = 1; changed;) {
    changed = 0;
    for (int c = 0; c < m->cells[0] * m->cells[1] * m->cells[2]; c++)
      for (int n = 0; n < (m->c->dim == 3 ? 27 : 9); n++) {
        const int x[3] = {c % m->cells[0], c / m->cells[0] % m->cells[1],
                          c / m->cells[0] / m->cells[1]};
        int y[3] = {x[0] + n % 3 - 1, x[1] + n / 3 % 3 - 1,
                    x[2] + (m->c->dim == 3 ? n / 9 - 1 : 0)};
        if (!wrap(m, y) || level[cell_of(m, y)] <= level[c] + 1) continue;
        const int shift = m->c->max_level - level[c];
        fill(m, level, level[c], (int[]){x[0] >> shift, x[1] >> shift, x[2] >> shift},
             level[c] + 1);
        changed = 1;
        split++;
      }
  }
  return split;
}

/** \return cells whose block has another level than expected. */
static int64_t wrong_levels(const map_t *m, const int *level) {
  int64_t wrong = 0;
  for (int c = 0; c < m->cells[0] * m->cells[1] * m->cells[2]; c++)
    wrong += m->at[c] < 0 || m->block[m->at[c]].level != level[c];
  return wrong;
}

/** Each block is sent or kept once and comes from one place; ranks agree on who sends what. */
static int wrong_transfer(const oak_transfer_t *t, int before, int after) {
  int sent = t->keep_count, received = t->keep_count, wrong = 0;
  int *told = calloc(2 * test_size, sizeof *told), *heard = told + test_size;
  if (!told) abort();
  for (int i = 0; i < t->nsend + t->nrecv; i++) {
    *(i < t->nsend ? &sent : &received) += t->count[i];
    wrong += t->rank[i] == test_rank || t->count[i] <= 0;
    if (i < t->nsend) told[t->rank[i]] = t->count[i];
  }
  MPI_Alltoall(told, 1, MPI_INT, heard, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = t->nsend; i < t->nsend + t->nrecv; i++) heard[t->rank[i]] -= t->count[i];
  for (int r = 0; r < test_size; r++) wrong += heard[r] != 0;
  free(told);
  return wrong + (sent != before) + (received != after);
}

/** Is the number of blocks of this rank too far from an equal share? Allowed are one family, and a
 * difference whose correction would gain little. */
static int wrong_share(const oak_mesh_t *mesh) {
  const double share = (double)mesh->nglobal / test_size;
  return fabs(mesh->nblock - share) > 0.05 * share + (2 << mesh->dim);
}

static void run_case(const case_t *c) {
  oak_mesh_t *mesh;
  /* sum: faces, cells that are wrong, splits, transfers and shares that are wrong */
  int64_t sum[4] = {0}, kinds[4] = {0}, finest = 0;
  MUST(oak_mesh_new(MPI_COMM_WORLD, c->dim, c->trees, c->periodic, c->min_level, &mesh));
  for (int round = 0; round < c->rounds; round++) {
    int changed, moved;
    oak_origin_t *origin;
    oak_transfer_t transfer;
    int *flag = malloc((mesh->nblock + 1) * sizeof *flag);
    if (!flag) abort();
    random_flags(mesh, round, flag);
    map_t before = map_new(c, mesh, flag);
    sum[0] += wrong_neighbours(&before, mesh, kinds);
    int *level = flagged_levels(&before);
    sum[2] += balance(&before, level);
    MUST(oak_mesh_adapt(mesh, flag, NULL, c->min_level, c->max_level, &changed, &origin));
    map_t after = map_new(c, mesh, NULL);
    sum[1] += wrong_levels(&after, level);
    sum[0] += wrong_neighbours(&after, mesh, kinds);
    const int blocks = mesh->nblock;
    const oak_balance_t balance = {.kappa_max = round % 2 ? 1.05 : 1e9, .families = 1};
    MUST(oak_mesh_partition(mesh, &balance, &moved, &transfer));
    if (round % 2) sum[3] += wrong_share(mesh);
    if (moved) sum[3] += wrong_transfer(&transfer, blocks, mesh->nblock);
    oak_transfer_clear(&transfer);
    if (mesh->nglobal > finest) finest = mesh->nglobal;
    map_free(&before);
    map_free(&after);
    free(flag);
    free(level);
    free(origin);
  }
  report("%dD, trees %d %d %d, periodic %d %d %d: up to %lld blocks; wrong: %lld faces, %lld cells",
         c->dim, c->trees[0], c->trees[1], c->trees[2], c->periodic[0], c->periodic[1],
         c->periodic[2], (long long)finest, (long long)sum_ranks_int(MPI_COMM_WORLD, sum[0]),
         (long long)sum[1]);
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, sum[0]), 0);
  assert_int_equal(sum[1], 0);
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, sum[3]), 0);
  assert_true(sum[2] > 10); /* or nothing was tested */
  for (int k = 0; k < 3; k++) assert_true(sum_ranks_int(MPI_COMM_WORLD, kinds[k]) > 100);
  oak_mesh_destroy(&mesh);
}

static void test_random(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(&cases[i]);
}

/** On each rank, an adaptation leaves a tree alone if the rank has blocks neither in it nor beside
 * it. */
static void test_far_trees(void **state) {
  (void)state;
  const int trees[3] = {60, 1, 1}, periodic[3] = {0}, mark = 12345;
  const int far = test_rank == test_size - 1 ? 0 : 59;
  oak_mesh_t *mesh;
  int touched = 0;
  if (test_size == 1) SKIP_CASE("needs several ranks");
  MUST(oak_mesh_new(MPI_COMM_WORLD, 2, trees, periodic, 1, &mesh));
  MUST(oak_neighbours_update(mesh));
  assert_int_equal(mesh->neighbours->root[far], OAK_LINK_NONE);
  mesh->neighbours->root[far] = mark;
  for (int round = 0; round < 2; round++) {
    int changed, *flag = malloc((mesh->nblock + 1) * sizeof *flag);
    oak_origin_t *origin;
    if (!flag) abort();
    for (int n = 0; n < mesh->nblock; n++) flag[n] = round ? -1 : 1;
    MUST(oak_mesh_adapt(mesh, flag, NULL, 1, 2, &changed, &origin));
    MUST(oak_neighbours_update(mesh));
    touched += !changed || mesh->neighbours->root[far] != mark;
    free(flag);
    free(origin);
  }
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, touched), 0);
  oak_mesh_destroy(&mesh);
}

static int exchanges;
void __real_oak_forest_exchange_2(const oak_forest_t *forest, int *own, int *received);
void __wrap_oak_forest_exchange_2(const oak_forest_t *forest, int *own, int *received);
void __wrap_oak_forest_exchange_2(const oak_forest_t *forest, int *own, int *received) {
  exchanges++;
  __real_oak_forest_exchange_2(forest, own, received);
}

/** Flags are exchanged once for each level that has blocks: the mesh has one level before the first
 * adaptation, and two before the second. */
static void test_exchanges(void **state) {
  (void)state;
  const int trees[3] = {1, 1, 1}, periodic[3] = {0};
  oak_mesh_t *mesh;
  MUST(oak_mesh_new(MPI_COMM_WORLD, 2, trees, periodic, 4, &mesh));
  for (int round = 0; round < 2; round++) {
    int changed, *flag = malloc((mesh->nblock + 1) * sizeof *flag);
    oak_origin_t *origin;
    if (!flag) abort();
    for (int n = 0; n < mesh->nblock; n++) flag[n] = mesh->level[n] == 4 && mesh->index[n][0] < 4;
    exchanges = 0;
    MUST(oak_mesh_adapt(mesh, flag, NULL, 0, 5, &changed, &origin));
    assert_int_equal(changed, round == 0);
    assert_int_equal(exchanges, test_size > 1 ? round + 1 : 0);
    free(flag);
    free(origin);
  }
  oak_mesh_destroy(&mesh);
}

/** Blocks [first, last) of a mesh that all ranks know, without block `without` (-1: with all). */
static oak_status_t replace(const map_t *m, oak_mesh_t *mesh, int first, int last, int without) {
  int n = 0;
  int8_t *level = malloc(last - first + 1);
  int32_t(*index)[3] = calloc(last - first + 1, sizeof *index);
  if (!level || !index) abort();
  for (int b = first; b < last; b++) {
    if (b == without) continue;
    level[n] = (int8_t)m->block[b].level;
    for (int d = 0; d < 3; d++) index[n][d] = m->block[b].index[d];
    n++;
  }
  const oak_status_t st = oak_mesh_replace(mesh, n, level, index, 0);
  if (st != OAK_OK) {
    free(level);
    free(index);
  }
  return st;
}

/** A mesh that is made from the blocks of another, on other ranks, has the same neighbours.
 * Lists that are no mesh are refused. */
static void test_replace(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const case_t *c = &cases[i];
    oak_mesh_t *mesh, *other;
    int64_t wrong = 0, kinds[4] = {0};
    MUST(oak_mesh_new(MPI_COMM_WORLD, c->dim, c->trees, c->periodic, c->min_level, &mesh));
    MUST(oak_mesh_new(MPI_COMM_WORLD, c->dim, c->trees, c->periodic, 0, &other));
    for (int round = 0; round < 4; round++) {
      int changed, *flag = malloc((mesh->nblock + 1) * sizeof *flag);
      oak_origin_t *origin;
      if (!flag) abort();
      random_flags(mesh, round, flag);
      MUST(oak_mesh_adapt(mesh, flag, NULL, c->min_level, c->max_level, &changed, &origin));
      free(flag);
      free(origin);
    }
    map_t m = map_new(c, mesh, NULL);
    const int first = m.n * test_rank / test_size, last = m.n * (test_rank + 1) / test_size;
    const long revision = other->revision;
    assert_int_equal(replace(&m, other, first, last, m.n / 2), OAK_ERR_INPUT);
    assert_int_equal(replace(&m, other, first, last, m.n - 1), OAK_ERR_INPUT);
    assert_int_equal(replace(&m, other, 0, m.n, -1), test_size > 1 ? OAK_ERR_INPUT : OAK_OK);
    MUST(replace(&m, other, first, last, -1));
    assert_true(other->revision > revision);
    assert_int_equal(other->nblock, last - first);
    MUST(oak_neighbours_update(other));
    map_t same = map_new(c, other, NULL);
    for (int b = 0; b < m.n; b++)
      wrong += same.block[b].level != m.block[b].level ||
               memcmp(same.block[b].index, m.block[b].index, sizeof same.block[b].index);
    wrong += wrong_neighbours(&same, other, kinds);
    assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, wrong), 0);
    map_free(&same);
    map_free(&m);
    oak_mesh_destroy(&mesh);
    oak_mesh_destroy(&other);
  }
}

/** Blocks that touch and differ by two levels, and blocks from elsewhere. */
static void test_no_mesh(void **state) {
  (void)state;
  static const struct {
    const char *words;
    int level, index[3];
  } bad[] = {{"more than one level", 0, {0}},   {"not in a domain", 40, {0}},
             {"not in a domain", 2, {4, 0, 0}}, {"not in a domain", 2, {-1, 0, 0}},
             {"not in a domain", 2, {0, 0, 1}}, {"does not follow", 2, {1, 1, 0}}};
  /* along the curve: one quadrant of level 1 in two steps down, at the middle, beside three of
   * level 1 */
  static const int steep[][3] = {{2, 0, 0}, {2, 1, 0}, {2, 0, 1}, {3, 2, 2}, {3, 3, 2},
                                 {3, 2, 3}, {3, 3, 3}, {1, 1, 0}, {1, 0, 1}, {1, 1, 1}};
  const int trees[3] = {1, 1, 1}, periodic[3] = {0}, n = 10;
  oak_mesh_t *mesh;
  MUST(oak_mesh_new(MPI_COMM_WORLD, 2, trees, periodic, 0, &mesh));
  const int before = mesh->nblock;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const int count = test_rank == 0 ? n : 0;
    int8_t level[10];
    int32_t index[10][3] = {{0}};
    for (int b = 0; b < n; b++) {
      level[b] = (int8_t)steep[b][0];
      index[b][0] = steep[b][1];
      index[b][1] = steep[b][2];
    }
    if (bad[i].level) {
      level[2] = (int8_t)bad[i].level;
      for (int d = 0; d < 3; d++) index[2][d] = bad[i].index[d];
    }
    assert_int_equal(oak_mesh_replace(mesh, count, level, index, 0), OAK_ERR_INPUT);
    assert_non_null(strstr(oak_last_error(), bad[i].words));
    assert_int_equal(mesh->nblock, before);
  }
  oak_mesh_destroy(&mesh);
}

/** Numbers of trees that are too large, also if their product overflows. */
static void test_too_many_trees(void **state) {
  (void)state;
  static const struct {
    int dim, trees[3];
  } bad[] = {{2, {1025, 1024, 1}},   {3, {128, 128, 65}},     {3, {256, 256, 256}},
             {3, {65536, 65536, 1}}, {3, {4096, 4096, 4096}}, {2, {1 << 30, 4, 1}},
             {2, {0, 4, 1}}};
  const int periodic[3] = {0}, most[3] = {128, 128, 64}, flat[3] = {65536, 16, 4096};
  oak_mesh_t *mesh = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(oak_mesh_new(MPI_COMM_WORLD, bad[i].dim, bad[i].trees, periodic, 0, &mesh),
                     OAK_ERR_INPUT);
    assert_non_null(strstr(oak_last_error(), "mesh.trees"));
    assert_null(mesh);
  }
  assert_int_equal(oak_mesh_check_trees(3, most), OAK_OK);
  assert_int_equal(oak_mesh_check_trees(2, flat), OAK_OK); /* z does not count in 2D */
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),    cmocka_unit_test(test_far_trees),
      cmocka_unit_test(test_exchanges), cmocka_unit_test(test_replace),
      cmocka_unit_test(test_no_mesh),   cmocka_unit_test(test_too_many_trees)};
  return TEST_MAIN(tests);
}
