/* SPDX-License-Identifier: GPL-2.0-or-later
 * Boundary conditions: ghost cells of each kind against its definition; a solution that is exact
 * only if each stage uses boundary values of its own time; conservation between walls. */
// TEST np={1,2,3} timeout=300 flags=-O1
// TEST name=openacc_@test@_np2 np=2 suite=all needs=openacc OAK_TEST_SHORT=1 OAK_TEST_DEVICE=openacc flags="-O1 -foffload=disable"
// TEST name=long_@test@_np@np@ np={5,7,8,16} suite=long
#include "solver_test.h"

enum { N = 8, LAYERS = 3 };

/** What a face prescribes for a variable. */
typedef enum {
  NEIGHBOUR,
  FIXED,
  SLOPE,
  EVEN,
  ODD,
  NEAREST,
  USER_FIXED,
  USER_SLOPE,
  USER_STATE
} kind_t;
typedef struct {
  kind_t kind;
  double value;
} rule_t;

/** The boundary function of problems/faces.c, as conserved variables or as it is. */
static double user_value(int dim, const double x[3], double t, int face, int v, int conserved) {
  double q[5], speed2 = 0;
  q[0] = 1 + 0.1 * face + 0.2 * x[0] + 0.3 * x[1] + 0.4 * x[2] + 5 * t;
  for (int d = 0; d < dim; d++) q[1 + d] = 0.1 * (d + 1) + 0.2 * t * (x[0] + x[1]);
  q[dim + 1] = 2 + 0.1 * x[0] * x[1] - 0.2 * t;
  if (!conserved) return q[v];
  for (int d = 0; d < dim; d++) speed2 += q[1 + d] * q[1 + d];
  if (v == 0) return q[0];
  return v == dim + 1 ? q[v] / (5.0 / 3.0 - 1) + 0.5 * q[0] * speed2 : q[0] * q[v];
}

/** How far a ghost value is from its definition: `mirror` and `nearest` are values inside the
 * domain, x is the centre of the ghost cell, `distance` the distance of its mirror cell. */
static double violation(const sim_t *s, rule_t rule, int face, int v, double ghost, double mirror,
                        double nearest, const double x[3], double distance) {
  const double t = oak_time(s->sim);
  double on_face[3] = {x[0], x[1], x[2]};
  on_face[face / 2] += (face & 1 ? -0.5 : 0.5) * distance;
  switch (rule.kind) {
    case FIXED:
      return fabs(0.5 * (ghost + mirror) - rule.value);
    case SLOPE:
      return fabs((ghost - mirror) - rule.value * distance);
    case EVEN:
      return fabs(ghost - mirror);
    case ODD:
      return fabs(ghost + mirror);
    case NEAREST:
      return fabs(ghost - nearest);
    case USER_FIXED:
      return fabs(0.5 * (ghost + mirror) - user_value(s->dim, on_face, t, face, v, 1));
    case USER_SLOPE:
      return fabs((ghost - mirror) - distance * user_value(s->dim, on_face, t, face, v, 0));
    default:
      return fabs(ghost - user_value(s->dim, x, t, face, v, 1));
  }
}

/** All ghost cells beyond one face of one block; u is the block with ghost layers. */
static double face_violation(const sim_t *s, int block, int face, const rule_t *rule,
                             const double *u) {
  const int width = N + 2 * LAYERS, depth = s->dim == 3 ? width : 1, dir = face / 2;
  const int stride[3] = {1, width, width * width}, out = face & 1 ? 1 : -1;
  const int along = dir == 0 ? 1 : 0, across = dir == 2 ? 1 : 2;
  double origin[3], dx[3], most = 0;
  oak_block_geometry(s->sim, block, origin, dx);
  for (int v = 0; v < s->nvar; v++)
    for (int n = 0; n < LAYERS; n++)
      for (int b = 0; b < (s->dim == 3 ? N : 1); b++)
        for (int a = 0; a < N; a++) {
          int c[3] = {0, 0, 0}, at = v * width * width * depth;
          double x[3] = {0, 0, 0};
          c[along] = a;
          if (s->dim == 3) c[across] = b;
          c[dir] = face & 1 ? N + n : -1 - n;
          for (int d = 0; d < s->dim; d++) {
            at += (c[d] + LAYERS) * stride[d];
            x[d] = origin[d] + (c[d] + 0.5) * dx[d];
          }
          const double mirror = u[at - out * (2 * n + 1) * stride[dir]];
          const double nearest = u[at - out * (n + 1) * stride[dir]];
          most = worse(most, violation(s, rule[v], face, v, u[at], mirror, nearest, x,
                                       (2 * n + 1) * dx[dir]));
        }
  return most;
}

/** All faces on the boundary of the unit box; counts them. */
static double check(const sim_t *s, const rule_t rule[6][5], int64_t *faces) {
  const int n = oak_nblocks(s->sim), width = N + 2 * LAYERS;
  const size_t size = (size_t)s->nvar * width * width * (s->dim == 3 ? width : 1);
  double *u = malloc((n * size + 1) * sizeof *u), most = 0;
  if (!u) abort();
  MUST(oak_update_ghostcells(s->sim));
  MUST(oak_read_ghosts(s->sim, 0, n, u));
  for (int b = 0; b < n; b++)
    for (int f = 0; f < 2 * s->dim; f++) {
      double origin[3], dx[3];
      oak_block_geometry(s->sim, b, origin, dx);
      const double edge = origin[f / 2] + (f & 1 ? N * dx[f / 2] : 0);
      if (edge != (f & 1) || rule[f][0].kind == NEIGHBOUR) continue;
      most = worse(most, face_violation(s, b, f, rule[f], u + b * size));
      (*faces)++;
    }
  free(u);
  return max_ranks(s->comm, most);
}

/** Refine the lower corner twice: boundaries of three levels. */
static void refine_corner(const sim_t *s) {
  for (int level = 0; level < 2; level++) {
    int *flag = calloc(oak_nblocks(s->sim) + 1, sizeof *flag), changed;
    if (!flag) abort();
    for (int b = 0; b < oak_nblocks(s->sim); b++) {
      double origin[3], dx[3];
      oak_block_geometry(s->sim, b, origin, dx);
      flag[b] = origin[0] == 0 && origin[1] == 0 && (s->dim == 2 || origin[2] == 0);
    }
    MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, &changed));
    assert_true(changed);
    free(flag);
  }
}

/** Conditions as text and as rules, checked at the start and after a step, on three levels. */
static void conditions(int dim, const char *name, const char *keys, const rule_t rule[6][5]) {
  int64_t faces = 0;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("faces") "mesh.dim=%d\nmesh.block_size=%d\nmesh.trees=2\n"
                                          "mesh.max_level=2\nscheme.ghost_layers=%d\n%s",
                    dim, N, LAYERS, keys);
  MUST(oak_initialize(s.sim));
  refine_corner(&s);
  double most = check(&s, rule, &faces);
  for (int step = 0; step < 2; step++) {
    MUST(oak_advance(s.sim, 0.5 * oak_time_step(s.sim)));
    most = worse(most, check(&s, rule, &faces));
  }
  faces = sum_ranks_int(s.comm, faces);
  report("%dD, %s, %d faces: largest difference from the definition %.2g", dim, name, (int)faces,
         most);
  sim_free(&s);
  assert_true(faces > 0);
  assert_true(most < 1e-14);
}

#define ALL(kind, value)                                                        \
  {                                                                             \
    {kind, value}, {kind, value}, {kind, value}, {kind, value}, { kind, value } \
  }

static void test_quadtree(void **state) {
  (void)state;
  static const rule_t user[6][5] = {ALL(USER_STATE, 0), ALL(USER_FIXED, 0), ALL(USER_SLOPE, 0),
                                    ALL(NEAREST, 0)};
  conditions(2, "user state, values and slopes",
             "boundary.xlow=user\nboundary.xhigh=dirichlet user\nboundary.ylow=neumann user\n"
             "boundary.yhigh=outflow\n",
             user);
  static const rule_t walls[6][5] = {{{EVEN, 0}, {ODD, 0}, {EVEN, 0}, {EVEN, 0}},
                                     {{FIXED, 1.6}, {NEAREST, 0}, {NEAREST, 0}, {SLOPE, -0.7}},
                                     {{EVEN, 0}, {EVEN, 0}, {ODD, 0}, {USER_FIXED, 0}},
                                     {{EVEN, 0}, {ODD, 0}, {EVEN, 0}, {EVEN, 0}}};
  conditions(2, "walls and one variable alone",
             "boundary.xlow=reflect\nboundary.xhigh=outflow\nboundary.xhigh.rho=dirichlet 1.6\n"
             "boundary.xhigh.E=neumann -0.7\nboundary.ylow=reflect\n"
             "boundary.ylow.E=dirichlet user\nboundary.yhigh=mirror\n"
             "boundary.yhigh.mx=antimirror\n",
             walls);
  static const rule_t slopes[6][5] = {ALL(SLOPE, 0.25), ALL(SLOPE, -0.5)};
  conditions(2, "slopes, periodic along y",
             "boundary.xlow=neumann 0.25\nboundary.xhigh=neumann -0.5\n", slopes);
}

static void test_octree(void **state) {
  (void)state;
  static const rule_t mixed[6][5] = {
      ALL(USER_STATE, 0),
      ALL(NEAREST, 0),
      {{EVEN, 0}, {EVEN, 0}, {ODD, 0}, {EVEN, 0}, {EVEN, 0}},
      ALL(USER_FIXED, 0),
      {{USER_SLOPE, 0}, {FIXED, 0.1}, {FIXED, -0.2}, {FIXED, 0}, {SLOPE, 0.3}},
      {{EVEN, 0}, {EVEN, 0}, {EVEN, 0}, {ODD, 0}, {USER_STATE, 0}}};
  conditions(3, "one of each",
             "boundary.xlow=user\nboundary.xhigh=outflow\nboundary.ylow=reflect\n"
             "boundary.yhigh=dirichlet user\nboundary.zlow=neumann 0.3\n"
             "boundary.zlow.rho=neumann user\nboundary.zlow.mx=dirichlet 0.1\n"
             "boundary.zlow.my=dirichlet -0.2\nboundary.zlow.mz=dirichlet 0\n"
             "boundary.zhigh=reflect\nboundary.zhigh.E=user\n",
             mixed);
}

/** A moving linear function, for which the scheme is exact on a refined mesh too, if the second
 * stage uses boundary values of the new time. */
static void moving(int dim, const char *keys) {
  static const char bc[] =
      "boundary.xlow=dirichlet user\nboundary.xhigh=dirichlet user\nboundary.ylow=dirichlet user\n"
      "boundary.yhigh=dirichlet user\nboundary.zlow=dirichlet user\nboundary.zhigh=dirichlet "
      "user\n";
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("linear") "%s%sphysics.name=advection\nphysics.vx=0.7\n"
                                           "physics.vy=-0.4\nphysics.vz=0.2\nmesh.dim=%d\n"
                                           "mesh.block_size=%d\nmesh.trees=2\nmesh.max_level=2\n",
                    bc, keys, dim, N);
  const double speed = 0.7 - 2 * 0.4 + (dim == 3 ? 3 * 0.2 : 0);
  double most = 0;
  MUST(oak_initialize(s.sim));
  refine_corner(&s);
  sim_run(&s, 0.4, 0);
  double *u = sim_read(&s, 0);
  for (int b = 0; b < oak_nblocks(s.sim); b++)
    for (int c = 0; c < s.cells; c++) {
      double x[3];
      sim_center(&s, b, c, x);
      const double exact = x[0] + 2 * x[1] + 3 * x[2] - speed * oak_time(s.sim);
      most = worse(most, fabs(u[b * s.cells + c] - exact));
    }
  free(u);
  most = max_ranks(s.comm, most);
  report("%dD, moving linear function, %.*s, %ld steps: largest error %.2g", dim,
         (int)strcspn(keys, "\n"), keys, oak_step(s.sim), most);
  sim_free(&s);
  assert_true(most < 1e-13);
}

static void test_moving(void **state) {
  (void)state;
  moving(2, "scheme.limiter=vanleer\n");
  moving(3, "scheme.limiter=vanleer\n");
  if (test_short()) return;
  moving(2, "scheme.limiter=minmod\n");
  moving(3, "scheme.integrator=euler\n");
}

/** Reflecting walls all around in 3D: mass and energy stay. (2D: test_solver_symmetry.) */
static void test_walls(void **state) {
  (void)state;
  double start[TEST_MAX_NVAR], end[TEST_MAX_NVAR];
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=implosion\nphysics.gamma=1.4\nmesh.dim=3\nmesh.block_size=8\n"
                    "mesh.xmax=0.3\nmesh.max_level=2\nrefine.criterion=lohner\n"
                    "refine.c_refine=0.4\nrefine.c_derefine=0.2\n"
                    "boundary.xlow=reflect\nboundary.xhigh=reflect\nboundary.ylow=reflect\n"
                    "boundary.yhigh=reflect\nboundary.zlow=reflect\nboundary.zhigh=reflect\n");
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, start));
  sim_run(&s, 0.3, 2);
  MUST(oak_totals(s.sim, end));
  const double mass = fabs(end[0] / start[0] - 1), energy = fabs(end[4] / start[4] - 1);
  report("3D walls, %ld steps: relative error of mass %.2g, energy %.2g", oak_step(s.sim), mass,
         energy);
  sim_free(&s);
  assert_true(mass < 4e-15 && energy < 4e-15);
}

/** Values that a boundary function does not set become a mirror image. */
static void test_untouched(void **state) {
  (void)state;
  static const rule_t rule[6][5] = {ALL(EVEN, 0), ALL(EVEN, 0), ALL(EVEN, 0), ALL(NEAREST, 0)};
  conditions(2, "untouched user state, values and slopes",
             TEST_PROBLEM("walls") "problem.sign=1\nboundary.xlow=user\n"
                                   "boundary.xhigh=dirichlet user\nboundary.ylow=neumann user\n"
                                   "boundary.yhigh=outflow\n",
             rule);
}

/** Number of values whose bits differ between `reflect` and walls in a problem file, after some
 * steps on three levels. */
static void written_wall(int dim, const char *keys) {
  static const char *const kind[2] = {"reflect", "user"};
  double *u[2];
  sim_t s[2];
  int64_t differ = 0, values = 0;
  for (int w = 0; w < 2; w++) {
    s[w] = sim_new(MPI_COMM_WORLD,
                   TEST_PROBLEM("walls") "%smesh.dim=%d\nmesh.block_size=8\nmesh.max_level=2\n"
                                         "boundary.xlow=%s\nboundary.xhigh=%s\nboundary.ylow=%s\n"
                                         "boundary.yhigh=%s\nboundary.zlow=%s\nboundary.zhigh=%s\n",
                   keys, dim, kind[w], kind[w], kind[w], kind[w], kind[w], kind[w]);
    MUST(oak_initialize(s[w].sim));
    refine_corner(&s[w]);
    for (int n = 0; n < 10; n++) MUST(oak_advance(s[w].sim, oak_time_step(s[w].sim)));
  }
  const double apart = fabs(oak_time(s[1].sim) - oak_time(s[0].sim));
  for (int v = 0; v < s[0].nvar; v++) {
    for (int w = 0; w < 2; w++) u[w] = sim_read(&s[w], v);
    for (int c = 0; c < oak_nblocks(s[0].sim) * s[0].cells; c++, values++)
      differ += memcmp(&u[0][c], &u[1][c], sizeof(double)) != 0;
    for (int w = 0; w < 2; w++) free(u[w]);
  }
  differ = sum_ranks_int(MPI_COMM_WORLD, differ);
  values = sum_ranks_int(MPI_COMM_WORLD, values);
  report("%dD, written walls and reflect, %.*s, time %.3g: %d of %d values differ", dim,
         (int)strcspn(keys, "\n"), keys, oak_time(s[0].sim), (int)differ, (int)values);
  for (int w = 0; w < 2; w++) sim_free(&s[w]);
  assert_true(apart == 0);
  assert_true(differ == 0);
}

static void test_written_walls(void **state) {
  (void)state;
  written_wall(2, "scheme.limiter=vanleer\nscheme.flux=hllc\n");
  written_wall(3, "scheme.limiter=vanleer\n");
  if (test_short()) return;
  written_wall(2, "scheme.limiter=weno5\nscheme.integrator=ssprk33\n");
  written_wall(3, "scheme.precision=single\n");
}

/** Conditions that make no sense are refused, with the key and the reason. */
static void test_refused(void **state) {
  (void)state;
  static const char *const bad[][3] = {
      {"boundary.xlow=outflow", "boundary.xlow", "periodic"},
      {"boundary.xlow=dirichlet", "boundary.xlow", "missing"},
      {"boundary.xlow=neumann 1 2", "boundary.xlow", "too many"},
      {"boundary.xlow=dirichlet high", "boundary.xlow", "number"},
      {"boundary.ylow=wall", "boundary.ylow", "unknown"},
      {"boundary.ylow=user", "boundary.ylow", "BOUNDARY(at, face, q)"},
      {"boundary.ylow.rho=outflow", "boundary.ylow.rho", "periodic"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    oak_params_t *params;
    oak_t *sim = NULL;
    MUST(oak_params_new(&params));
    MUST(oak_params_set(params, "problem.name", "implosion"));
    MUST(oak_params_assign(params, bad[i][0], "test"));
    assert_int_equal(oak_create(MPI_COMM_WORLD, params, &sim), OAK_ERR_INPUT);
    assert_null(sim);
    if (!strstr(oak_last_error(), bad[i][1]) || !strstr(oak_last_error(), bad[i][2]))
      fail_msg("%s: %s", bad[i][0], oak_last_error());
    oak_params_destroy(&params);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quadtree),  cmocka_unit_test(test_octree),
      cmocka_unit_test(test_moving),    cmocka_unit_test(test_walls),
      cmocka_unit_test(test_untouched), cmocka_unit_test(test_written_walls),
      cmocka_unit_test(test_refused)};
  return TEST_MAIN(tests);
}
