/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters and hooks in physics and problem files. oak writes the structures of the parameters,
 * whose names it finds in the files (src/declare/declared.c), before the kernels. docs/kernels.md
 * is the manual. */
#pragma once

#include "oak/kernel.h"

/* OAK_FIELDS(X) is X(number, name) for each field beside the state, OAK_FIXED(X) is X(variable,
 * name) for each field that is a variable of the state (src/setup/hook_text.c). Both lists
 * exist if there is any field. */
#ifdef OAK_FIELDS
#define OAK_FIELD_MEMBER(number, name) real name;
typedef struct {
  OAK_FIELDS(OAK_FIELD_MEMBER) OAK_FIXED(OAK_FIELD_MEMBER)
} oak_fields_t;
#else
#define OAK_FIXED(X)
#endif

/* Number of components of a place. In 2D the unit that describes the files has no third component,
 * so the compiler finds its use; in kernels it is 0. */
#if OAK_DESCRIBE
enum { OAK_PLACE_AXES = OAK_DIM };
#else
enum { OAK_PLACE_AXES = 3 };
#endif

/* OAK_EQUATIONS(X) is X(number, name) for each elliptic equation, for the hook FACE_FIELD. */
#ifdef OAK_FACE_FIELDS
#define OAK_SLOPE_MEMBER(number, name) real name;
/** A face between two cells. */
typedef struct {
  problem_parameters_t p;
  physics_parameters_t ph;
#ifdef OAK_FIELDS
  struct {
    OAK_FIELDS(OAK_FIELD_MEMBER)
  } left, right; /**< fields in the cells below and above the face */
#endif
#ifdef OAK_EQUATIONS
  struct {
    OAK_EQUATIONS(OAK_SLOPE_MEMBER)
  } slope; /**< derivatives of the solutions of elliptic equations along the axis */
#endif
  double x[OAK_PLACE_AXES];  /**< centre of the face; there is no x[2] in 2D */
  double dx[OAK_PLACE_AXES]; /**< cell size; there is no dx[2] in 2D */
  double t, dt;              /**< as in oak_at_t */
  int dir;                   /**< the axis that the face is normal to */
  int level;
  int wall;    /**< 1 if an electrode or a dielectric is above the face and gas below, -1 if it is
                * the other way, 0 otherwise */
  int surface; /**< surface of the body: OAK_BODY_EMIT, ... */
  int end;     /**< 1 if the domain ends above the face, -1 if below, 0 otherwise */
  int given;   /**< 1 if the first elliptic equation has a given solution at this end */
  const oak_bc_t *bc; /**< conditions of the variables on that face of the domain */
} oak_at_face_t;

/** Whether the domain ends at the face and a key gives the value of variable v outside. outflow and
 * reflect give none, because they take the value from the cell. */
OAK_FN int oak_is_given(const oak_at_face_t *at, int v) {
  return at->end && at->bc[v].kind != OAK_BC_COPY && at->bc[v].kind != OAK_BC_MIRROR;
}
#endif

/** The place of a hook. `at->p.NAME` and `at->ph.NAME` are the parameters and globals of problem
 * and physics, `at->f.NAME` is the value of a field beside the state in this cell. */
typedef struct {
  problem_parameters_t p;
  physics_parameters_t ph;
#ifdef OAK_FIELDS
  oak_fields_t f;
#endif
  double x[OAK_PLACE_AXES];  /**< centre of the cell, unless the hook says otherwise; there is no
                              * x[2] in 2D */
  double t;                  /**< time, of the Runge-Kutta stage where there is one */
  double dt;                 /**< the time step that is being taken; 0 between steps */
  double dx[OAK_PLACE_AXES]; /**< cell size; there is no dx[2] in 2D */
  long step;                 /**< steps taken so far */
  int level;
  int cell[3]; /**< the cell in its block; these members are for oak_near */
  long block;
  const oak_field_t *state;
} oak_at_t;

#define OAK_PASTE_(a, b) a##b
#define OAK_PASTE(a, b) OAK_PASTE_(a, b)

/* Tables: oak writes their numbers, and macros that call these functions, before the files
 * (src/setup/table_print.c). NaN and infinity give NaN. An index is an integer as wide as a real
 * number, so that loops over cells become vector instructions without conversions. */
#define OAK_INTEGER_double long long
#define OAK_INTEGER_float int
typedef OAK_PASTE(OAK_INTEGER_, OAK_REAL) oak_index_t;
typedef unsigned OAK_PASTE(OAK_INTEGER_, OAK_REAL) oak_unsigned_t;
typedef union {
  real x;
  oak_index_t bits;
} oak_bits_t;

/** x, or the nearest end. gcc does not turn this form into branches: bits of numbers that are not
 * negative have the order of the numbers. */
OAK_FN real oak_inside(real x, real low, real high) {
  oak_bits_t in = {x}, from = {low}, to = {high};
  const real right = (real)(x > low), above = x * right + (low - low * right);
  const real left = (real)(above < high);
  in.bits = OAK_MAX(in.bits, from.bits);
  in.bits = OAK_MIN(in.bits, to.bits);
  return low >= 0 ? in.x : above * left + (high - high * left);
}

OAK_FN oak_index_t oak_search(const real *start, oak_index_t piece, int steps, real x) {
  OAK_UNROLL
  for (int step = (1 << steps) / 2; step > 0; step /= 2) piece += step * (x >= start[piece + step]);
  return piece;
}

/** The value at x of a table from `low` to `high`. The highest bits of x, or of `first`, are the
 * number of a cell. Each cell has 2^steps pieces, which begin at `start`. A piece is a row of the
 * table, which is stored by columns: the numbers of a polynomial of order 1 or 3 of the distance
 * from the start of the cell or, if the table is not `plain`, from the place in a last column;
 * `per` is the inverse of a length. Beyond the ends `words` chooses the value at the end, NaN, or a
 * line along the scales of the table with the slope `below` or `above`. */
OAK_FN real oak_look_up(const real *table, int rows, int order, int plain, real per,
                        const real *start, int steps, int shift, real first, real low, real high,
                        int words, double below, double above, real x) {
  const real in = oak_inside(x, low, high);
  const oak_bits_t from = {first};
  oak_bits_t cell = {oak_inside(x, first, high)};
  const oak_unsigned_t bits = (oak_unsigned_t)cell.bits >> shift;
  const oak_index_t n = shift ? (oak_index_t)bits - (from.bits >> shift) : 0;
  const oak_index_t row = oak_search(start, n << steps, steps, in);
  cell.bits = (oak_index_t)(bits << shift);
  const real s = (in - (plain ? cell.x : table[row + (order + 1) * rows])) * per;
  real y = table[row + rows];
  if (order > 1) y += s * (table[row + 2 * rows] + s * table[row + 3 * rows]);
  y = table[row] + s * y;
  if (words & OAK_TABLE_ERROR) return y + 0 / (real)(x == in);
  if (!(words & OAK_TABLE_EXTRAPOLATE)) return y + 0 * (x - in);
  const double d = words & OAK_TABLE_LOG_X ? log((double)x / (double)in) : (double)(x - in);
  const double k = d * (x < low ? below : above);
  return (real)(words & OAK_TABLE_LOG_VALUE ? (double)y * exp(k) : (double)y + k);
}

/** The place of x on an axis of n + 1 numbers. \a i becomes the index of the number below x. */
OAK_FN double oak_along(const real *xs, int n, int steps, real x, int words, int is_log, int *i) {
  const real in = oak_inside(x, xs[0], xs[n]), none = words & OAK_TABLE_ERROR ? 0 : 1;
  const int piece = (int)oak_search(xs, 0, steps, in);
  *i = OAK_MIN(piece, n - 1);
  const double a = (double)xs[*i], b = (double)xs[*i + 1];
  const double at = (double)(words & OAK_TABLE_EXTRAPOLATE ? x : in + 0 * (x - in));
  return (is_log ? log(at / a) / log(b / a) : (at - a) / (b - a)) + 0 / (double)(none + (x == in));
}

OAK_FN double oak_between(double a, double b, double place, int is_log) {
  return is_log ? a * exp(place * log(b / a)) : (1 - place) * a + place * b;
}

/** The value of a table of two dimensions. */
OAK_FN real oak_look_up_2d(const real *table, int words, const real *xs, int nx, int steps_x,
                           real x, const real *ys, int ny, int steps_y, real y) {
  const int is_log = words & OAK_TABLE_LOG_VALUE;
  int i, j;
  const double s = oak_along(xs, nx, steps_x, x, words, words & OAK_TABLE_LOG_X, &i);
  const double t = oak_along(ys, ny, steps_y, y, words, words & OAK_TABLE_LOG_Y, &j);
  const real *low = table + i * (ny + 1) + j, *high = low + (ny + 1);
  const double a = oak_between((double)low[0], (double)low[1], t, is_log);
  const double b = oak_between((double)high[0], (double)high[1], t, is_log);
  return (real)oak_between(a, b, s, is_log);
}

/* Declaration of oak_near for the file of the physics, which comes before
 * kernels/access/field.h. */
OAK_FN real oak_near(const oak_at_t *at, int v, int i, int j, int k);
OAK_FN double oak_at_cell_face(const oak_at_t *at, int dir, int upper);
OAK_FN double oak_at_divergence(const oak_at_t *at);
#ifdef OAK_CHECK_OFFSET /* a macro, so that the compiler names the line of the hook */
#define oak_near(at, v, i, j, k) (OAK_CHECK_OFFSET(i, j, k), (oak_near)(at, v, i, j, k))
#else
#define OAK_CHECK_OFFSET(i, j, k) ((void)0)
#endif

/* The gradients of DIFFUSIVE_FLUX: of the variables and scalars, then of the temperature. */
#ifndef OAK_HAS_physics_temperature
#define OAK_HAS_physics_temperature 0
#endif
#define OAK_TEMPERATURE (PHYSICS_NVAR + NSCALARS)
#define OAK_GRADIENTS (OAK_TEMPERATURE + OAK_HAS_physics_temperature)

/* NSCALARS, NSOLID: numbers of passive scalars and masks of solids, which are variables behind
 * those of the physics. */
#ifndef NSCALARS
#define NSCALARS 0
#define OAK_SCALAR_VALUES 0
#endif
#ifndef NSOLID
#define NSOLID 0
#define OAK_NO_SLIP 0
#endif

/* The name of a hook's function begins with `physics` or `problem`: physics_flux,
 * problem_initial. */
#define OAK_OWNED(name) OAK_PASTE(OAK_OWNER, name)
#define OAK_OWNER physics /* kernels/hooks/problem.h changes it */

/* In the unit that describes the files (kernels/hooks/describe.c) each declaration leaves a
 * constant for the host. */
#if OAK_DESCRIBE
#define OAK_NOTE(...) __VA_ARGS__
#else
#define OAK_NOTE(...)
#endif
#define OAK_NOTE_NUMBER(type, name, value) OAK_NOTE(OAK_CONST_DATA type name = value;)
#define OAK_NOTE_TEXT(name, bytes, text, what)                        \
  OAK_NOTE(OAK_REQUIRE(sizeof(text) <= (bytes), what " is too long"); \
           OAK_CONST_DATA char name[bytes] = text;)
#define OAK_NOTE_HELP(name, help) \
  OAK_NOTE_TEXT(OAK_PASTE(OAK_OWNED(_help_), name), OAK_HELP_BYTES, help, "the help text of " #name)
/* A check at compile time. */
#ifdef __cplusplus
#define OAK_REQUIRE static_assert
#else
#define OAK_REQUIRE _Static_assert
#endif
#if OAK_DESCRIBE && OAK_DEVICE_CPU
/* A hook in the unit in which the compiler looks for mistakes: in functions that are used, and at
 * indices of arrays whose size it knows. */
#define OAK_HOOK(type, name) __attribute__((used)) OAK_FN type OAK_OWNED(name)
#define OAK_STATE static(PHYSICS_NVAR + NSCALARS + NSOLID)
#else
#define OAK_HOOK(type, name) OAK_FN type OAK_OWNED(name)
#define OAK_STATE
#endif

/* Hooks by their results. In debug mode these macros check the result (kernels/language/debug.h):
 * `text` is the name in messages, `place` the structure at or 0, and `wrong` is true for a result
 * oak_x that cannot be right. */
#define OAK_IN_PLACE(name, text, place, type, array, parameters, arguments) \
  OAK_HOOK(void, name) parameters
#define OAK_TO_ARRAY(name, text, place, q, out, parameters, arguments) \
  OAK_HOOK(void, name) parameters
#define OAK_TO_NUMBER(name, text, at, q, wrong, parameters, arguments) \
  OAK_HOOK(double, name) parameters
#define OAK_OF_PLACE(type, name, text, place, at, wrong, parameters, arguments) \
  OAK_HOOK(type, name) parameters

/** Whether TABLE has a file, for #if. */
#define HAS_TABLE(name) (OAK_TABLE_SIZE_##name > 0)

/** A ghost cell beyond the boundary of the domain, for one variable of the conserved state. */
typedef struct {
  real value;   /**< the number behind the name of the condition in a key, else 0 */
  real mirror;  /**< the variable in the cell that lies as far inside as the ghost cell outside */
  real nearest; /**< the variable in the cell at the boundary */
  real spacing; /**< distance of mirror cell and ghost cell */
  int v, face;  /**< number of the variable; -x, +x, -y, +y, -z, +z: 0 to 5 */
  const oak_at_t *at; /**< the ghost cell; this and q are for files of physics and problem */
  const real *q;      /**< primitive state of the mirror cell */
} oak_beyond_t;

/* Macros that define hooks. The text from which the host learns what files declare has none. */
#ifndef OAK_DECLARE
#include "kernels/language/hook_table.h"
#endif
