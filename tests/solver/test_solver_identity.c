/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak check: the physics that come with oak satisfy all identities, and a physics with one mistake
 * fails the identity that the mistake breaks, with words that name it, and no other one. */
// TEST timeout=120
#define _DEFAULT_SOURCE 1
#include <dirent.h>

#include "solver_test.h"

static char folder[] = "/tmp/oak_identity_XXXXXX";

/** What oak check prints, to be freed; NULL for a physics that refuses this dimension. */
static char *check_ext(const char *physics, const char *setting, const char *other, int *failures) {
  char key[512], *text;
  size_t size;
  oak_params_t *params;
  FILE *stream = open_memstream(&text, &size);
  snprintf(key, sizeof key, "physics.name=%s", physics);
  MUST(oak_params_new(&params));
  MUST(oak_params_assign(params, key, "test"));
  MUST(oak_params_assign(params, setting, "test"));
  if (other) MUST(oak_params_assign(params, other, "test"));
  MUST(oak_params_assign(params, "device.name=cpu", "test"));
  const oak_status_t st = oak_check_physics(MPI_COMM_WORLD, params, stream, failures);
  const int refused = st == OAK_ERR_BUILD && strstr(oak_last_error(), "#error");
  if (!refused) MUST(st);
  oak_params_destroy(&params);
  fclose(stream);
  if (refused) {
    free(text);
    return NULL;
  }
  return text;
}

static char *check(const char *physics, const char *setting, int *failures) {
  return check_ext(physics, setting, NULL, failures);
}

static int is_physics(const struct dirent *e) {
  const size_t length = strlen(e->d_name);
  return length > 2 && !strcmp(e->d_name + length - 2, ".c");
}

static void test_own(void **state) {
  (void)state;
  static const char *const dim[] = {"mesh.dim=2", "mesh.dim=3"};
  const char *root;
  char path[4200];
  struct dirent **file;
  MUST(oak_source_root(&root));
  snprintf(path, sizeof path, "%s/physics", root);
  const int count = scandir(path, &file, is_physics, alphasort);
  assert_true(count > 1);
  for (int n = 0; n < 2 * count; n++) {
    int failures;
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)strlen(file[n / 2]->d_name) - 2, file[n / 2]->d_name);
    char *text = check(name, dim[n % 2], &failures);
    report("%s, %s: %s, %d identities fail", name, dim[n % 2], text ? "checked" : "refused",
           failures);
    assert_true(text || n % 2);
    if (!text) continue;
    if (failures) fprintf(stderr, "%s", text);
    assert_int_equal(failures, 0);
    assert_null(strstr(text, "eigenvalues       not checked"));
    free(text);
  }
  for (int n = 0; n < count; n++) free(file[n]);
  free(file);
}

/** At strong jumps, the speed of the contact may lie outside of Roe's wave speeds. */
static void test_roe_speeds(void **state) {
  (void)state;
  int failures;
  char *text = check_ext("euler", "mesh.dim=3", "scheme.wave_speeds=roe", &failures);
  if (failures) fprintf(stderr, "%s", text);
  assert_int_equal(failures, 0);
  free(text);
}

/** Euler with another hook: what stands behind its name. */
#define EULER(hook) \
  "#define physics_" hook " euler_" hook "\n#include \"physics/euler.c\"\n#undef physics_" hook "\n"

/** The identities of `broken`, ended by NULL, fail; with `alone` no others do. */
static void mistake(const char *physics, const char *words, int alone, const char *const *broken) {
  char path[64];
  int failures, expected = 0, wrong = 0;
  snprintf(path, sizeof path, "%s/physics.c", folder);
  FILE *file = fopen(path, "w");
  if (!file) abort();
  fputs(physics, file);
  fclose(file);
  char *text = check(path, "mesh.dim=2", &failures);
  for (; broken[expected]; expected++) {
    char line[128];
    snprintf(line, sizeof line, "  %-34s FAILS for ", broken[expected]);
    wrong += !strstr(text, line);
  }
  wrong += (alone && failures != expected) || !strstr(text, words) || !strstr(text, "state: rho");
  if (wrong) fprintf(stderr, "%s\n%s", physics, text);
  free(text);
  assert_int_equal(wrong, 0);
}
#define MISTAKE(physics, words, ...) \
  mistake(physics, words, 1, (const char *const[]){__VA_ARGS__, NULL})
/* It breaks others too. */
#define BAD_MISTAKE(physics, words, ...) \
  mistake(physics, words, 0, (const char *const[]){__VA_ARGS__, NULL})

static void test_conversion(void **state) {
  (void)state;
  BAD_MISTAKE(
      EULER("to_primitive") "TO_PRIMITIVE(ph, q) { euler_to_primitive(ph, q); q[VY] *= -1; }",
      "TO_PRIMITIVE(TO_CONSERVED(q)) has vy = ", "conversion there and back", "real eigenvalues");
}

static void test_valid(void **state) {
  (void)state;
  MISTAKE(EULER("valid") "VALID(ph, u) { return euler_valid(ph, u) || u[MX] != u[MX]; }",
          "VALID accepts a conserved state with mx = nan", "VALID refuses NaN");
  MISTAKE(
      EULER("valid") "VALID(ph, u) { return euler_valid(ph, u) && (u[RHO] < 1 || u[RHO] > 2); }",
      "the CFL number 1 between three valid states leaves one that VALID refuses: rho = ",
      "first-order step stays valid");
}

static void test_speeds(void **state) {
  (void)state;
  MISTAKE(EULER("wave_speeds") "WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) {"
                               "  euler_wave_speeds(ph, ql, qr, dir, smin, smax);"
                               "  const real mean = (*smin + *smax) / 2;"
                               "  *smin = (*smin + mean) / 2; *smax = (*smax + mean) / 2; }",
          "along x the eigenvalues of FLUX are between ", "WAVE_SPEEDS bound eigenvalues",  "rusanov: speed bounds eigenvalues",
          "hll: speed bounds eigenvalues");
}

static void test_flux(void **state) {
  (void)state;
  BAD_MISTAKE(
      EULER("flux") "FLUX(ph, q, dir, f) { euler_flux(ph, q, dir, f); f[RHO] += 0.1 * q[PRS]; }",
      "in a mirror across x (sign of vx changed): the flux of rho along x is ",
      "mirror image of FLUX", "rusanov: mirror image", "hll: mirror image");
  BAD_MISTAKE(EULER("flux") "FLUX(ph, q, dir, f) { euler_flux(ph, q, dir, f); "
                            "if (dir) f[MY] -= 2 * q[PRS]; }",
              "complex eigenvalue", "rotation of FLUX", "rusanov: rotation", "real eigenvalues");
}

/** The magnetic field is no vector, and the stress is not symmetric. */
static void test_vectors(void **state) {
  (void)state;
  MISTAKE(
      "#include \"physics/mhd.c\"\n#undef PHYSICS_VECTORS\n"
      "#define PHYSICS_VECTORS(X) X(MX, MY, MZ) X(BX, BZ, BY)\n",
      "with PHYSICS_VECTORS turned about component 1: the flux of ", "turn of PHYSICS_VECTORS");
  BAD_MISTAKE(EULER("flux") "FLUX(ph, q, dir, f) { euler_flux(ph, q, dir, f); "
                            "f[MX + !dir] += (dir ? 0.1 : -0.1) * q[PRS]; }",
              "angular momentum is kept only if both are equal", "symmetric flux of momentum");
}

static void refused(const char *declaration, const char *setting, const char *words) {
  char path[64], key[128];
  int failures;
  oak_params_t *params;
  snprintf(path, sizeof path, "%s/physics.c", folder);
  snprintf(key, sizeof key, "physics.name=%s", path);
  FILE *file = fopen(path, "w");
  if (!file) abort();
  fprintf(file, "#include \"physics/mhd.c\"\n#undef PHYSICS_VECTORS\n%s", declaration);
  fclose(file);
  MUST(oak_params_new(&params));
  MUST(oak_params_assign(params, key, "test"));
  MUST(oak_params_assign(params, setting, "test"));
  assert_int_equal(oak_check_physics(MPI_COMM_WORLD, params, NULL, &failures), OAK_ERR_INPUT);
  if (!strstr(oak_last_error(), words)) report("unexpected message: %s", oak_last_error());
  assert_non_null(strstr(oak_last_error(), words));
  oak_params_destroy(&params);
}

/** A component that stands twice, a vector that is left out, no declaration in polar coordinates.
 */
static void test_vectors_refused(void **state) {
  (void)state;
  refused("#define PHYSICS_VECTORS(X) X(MX, MY, MZ) X(BX, MY, BZ)\n", "mesh.dim=2",
          "PHYSICS_VECTORS has my (variable 2) 2 times");
  refused("#define PHYSICS_VECTORS(X) X(MX, MY, MZ)\n", "mesh.dim=3",
          "PHYSICS_VECTORS has no vector with it");
  refused("", "mesh.coordinates=polar", "must know the vectors among the variables");
}

static void test_riemann(void **state) {
  (void)state;
  MISTAKE(
      "#include \"physics/euler.c\"\n#include \"numerics/riemann_sides.h\"\n"
      "RIEMANN(mine, ph, ql, qr, dir, f)\n{\n  riemann_sides_t s;\n"
      "  riemann_sides(ph, ql, qr, dir, &s);\n"
      "  for (int v = 0; v < PHYSICS_NVAR; v++) f[v] = 0.9 * s.fl[v] + 0.2 * s.fr[v] * dir;\n"
      "  return 0.5 * s.smax;\n}\n",
      "mine returns the speed", "mine: f(q, q) is FLUX", "mine: speed bounds eigenvalues",
      "mine: mirror image", "mine: rotation");
}

/** Maxwell's equations, whose electric field is a vector and whose magnetic field an axial one. At
 * an ideal conductor both change their signs in addition. */
static void test_maxwell(void **state) {
  (void)state;
  static const char head[] =
      "TITLE(\"Maxwell\")\n#define PHYSICS_NVAR 6\n#define PHYSICS_MASS -1\n"
      "VARIABLES(\"ex ey ez bx by bz\")\nPRIMITIVES(\"ex ey ez bx by bz\")\n"
      "enum { EX, EY, EZ, BX, BY, BZ };\n#define PHYSICS_NORMAL(d) -1\n"
      "TO_PRIMITIVE(ph, q) { (void)ph, (void)q; }\n"
      "TO_CONSERVED(ph, u) { (void)ph, (void)u; }\n"
      "FLUX(ph, q, dir, f) {\n  (void)ph;\n  const int a = (dir + 1) % 3, b = (dir + 2) % 3;\n"
      "  f[EX + dir] = f[BX + dir] = 0;\n  f[EX + a] = q[BX + b], f[EX + b] = -q[BX + a];\n"
      "  f[BX + a] = -q[EX + b], f[BX + b] = q[EX + a];\n}\n"
      "WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) { *smin = -1; *smax = 1; }\n"
      "VALID(ph, u) { int v = 1; for (int n = 0; n < 6; n++) v &= u[n] == u[n]; return v; }\n";
  static const char *const mirror[] = {
      "#define PHYSICS_MIRROR(v, d) ((v) < BX ? (v) == EX + (d) : (v) != BX + (d))\n",
      "#define PHYSICS_MIRROR(v, d) ((v) < BX ? (v) != EX + (d) : (v) == BX + (d))\n",
      "#define PHYSICS_MIRROR(v, d) ((v) == EX + (d) || (v) == BX + (d))\n"};
  for (int n = 0; n < 4; n++) {
    const int kind = n / 2 + n / 3, three = n == 1;
    char path[64];
    int failures;
    snprintf(path, sizeof path, "%s/physics.c", folder);
    FILE *file = fopen(path, "w");
    if (!file) abort();
    fprintf(file, "%s%s", head, mirror[kind]);
    fclose(file);
    char *text = check(path, three ? "mesh.dim=3" : "mesh.dim=2", &failures);
    report("Maxwell's equations, mirror %d, %dD: %d identities fail", kind, 2 + three, failures);
    if (kind < 2 && failures) fprintf(stderr, "%s", text);
    assert_true(kind < 2 ? failures == 0 : strstr(text, "in a mirror across x") != NULL);
    free(text);
  }
}

static void make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) abort();
}

static void remove_folder(void **state) {
  (void)state;
  char path[64];
  snprintf(path, sizeof path, "%s/physics.c", folder);
  unlink(path);
  rmdir(folder);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(make_folder),
                                     cmocka_unit_test(test_own),
                                     cmocka_unit_test(test_roe_speeds),
                                     cmocka_unit_test(test_conversion),
                                     cmocka_unit_test(test_valid),
                                     cmocka_unit_test(test_speeds),
                                     cmocka_unit_test(test_flux),
                                     cmocka_unit_test(test_vectors),
                                     cmocka_unit_test(test_vectors_refused),
                                     cmocka_unit_test(test_riemann),
                                     cmocka_unit_test(test_maxwell),
                                     cmocka_unit_test(remove_folder)};
  return TEST_MAIN(tests);
}
