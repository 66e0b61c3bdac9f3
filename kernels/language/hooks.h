/* SPDX-License-Identifier: GPL-2.0-or-later
 * How physics and problem files declare parameters and define hooks. In front of the kernels oak
 * writes the structures of the parameters, whose names it finds in the files
 * (src/declare/hooks.c). docs/kernels.md is the manual. */
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

/* The components of a place. In the unit that describes the files the compiler finds a third one in
 * 2D; kernels have it, and it is 0. */
#if OAK_DESCRIBE
enum { OAK_PLACE_AXES = OAK_DIM };
#else
enum { OAK_PLACE_AXES = 3 };
#endif

/* What the hook FACE_FIELD finds: OAK_EQUATIONS(X) is X(number, name) for each elliptic equation.
 */
#ifdef OAK_FACE_FIELDS
#define OAK_SLOPE_MEMBER(number, name) real name;
/** A face between two cells. */
typedef struct {
  problem_parameters_t p;
  physics_parameters_t ph;
#ifdef OAK_FIELDS
  struct {
    OAK_FIELDS(OAK_FIELD_MEMBER)
  } left, right; /**< fields beside the state in the cell below the face, and above it */
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
  int surface; /**< of that body: OAK_BODY_EMIT, ... */
  int end;     /**< 1 if the domain ends above the face, -1 if below, 0 otherwise */
  int given;   /**< 1 if it ends there and the solution of the first elliptic equation is given */
  const oak_bc_t *bc; /**< conditions of the variables on that face of the domain */
} oak_at_face_t;

/** Whether the domain ends at the face and a key gives what variable v is there: not outflow or
 * reflect, which take it from the cell. */
OAK_FN int oak_is_given(const oak_at_face_t *at, int v) {
  return at->end && at->bc[v].kind != OAK_BC_COPY && at->bc[v].kind != OAK_BC_MIRROR;
}
#endif

/** What a hook knows of its place. `at->p.NAME` and `at->ph.NAME` are the parameters and globals of
 * problem and physics, `at->f.NAME` is the value of a field beside the state in this cell. */
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
  int cell[3]; /**< the cell's place in its block; these three are for oak_near */
  long block;
  const oak_field_t *state;
} oak_at_t;

#define OAK_PASTE_(a, b) a##b
#define OAK_PASTE(a, b) OAK_PASTE_(a, b)

/* Tables: oak writes their numbers, and macros that call these functions, in front of the files
 * (src/setup/table_print.c). For NaN and infinity they give NaN. An index is an integer as wide as
 * a real number, so that loops over cells become vector instructions without conversions. */
#define OAK_INTEGER_double long long
#define OAK_INTEGER_float int
typedef OAK_PASTE(OAK_INTEGER_, OAK_REAL) oak_index_t;

OAK_FN oak_index_t oak_search(const real *start, oak_index_t piece, int steps, real x) {
  OAK_UNROLL
  for (int step = (1 << steps) / 2; step > 0; step /= 2) piece += step * (x >= start[piece + step]);
  return piece;
}

/** The piece of an axis that holds x. The highest bits of x are the number of a cell, and each cell
 * has 2^steps pieces, which begin at `start`. */
OAK_FN oak_index_t oak_piece(const real *start, int shift, oak_index_t base, int cells, int steps,
                             real x) {
  union {
    real x;
    oak_index_t bits;
  } from;
  from.x = x;
  const oak_index_t n = (from.bits >> shift) - base, above = OAK_MAX(n, 0);
  return oak_search(start, OAK_MIN(above, cells - 1) << steps, steps, x);
}

/** The value at x of a piece: a polynomial of order 1 or 3 of the distance from its place, or, if
 * `plain`, from 0; `per` is the inverse of a length. Pieces at the ends reach to infinity. */
OAK_FN real oak_look_up(const real *table, int order, int plain, real per, oak_index_t piece,
                        real x) {
  const oak_index_t row = piece * (order + 2 - plain);
  const real s = (plain ? x : x - table[row]) * per;
  real k = table[row + 2 - plain];
  if (order > 1) k += s * (table[row + 3 - plain] + s * table[row + 4 - plain]);
  return table[row + 1 - plain] + s * k;
}

OAK_FN real oak_inside(real x, real low, real high) {
  const real right = (real)(x > low), above = x * right + (low - low * right);
  const real left = (real)(above < high);
  return above * left + (high - high * left);
}

/** The value y, or beyond the ends, where y is that at the end, the value on a straight line along
 * scales that `words` tells. */
OAK_FN real oak_beyond(real y, int words, real low, real high, double below, double above, real x) {
  const double end = (double)oak_inside(x, low, high), k = x < low ? below : above;
  const double d = words & OAK_TABLE_LOG_X ? log((double)x / end) : (double)x - end;
  return (real)(words & OAK_TABLE_LOG_VALUE ? (double)y * exp(k * d) : (double)y + k * d);
}

/** The place of x on an axis of n + 1 numbers. \a i becomes that of the number below. */
OAK_FN double oak_along(const real *xs, int n, int steps, real x, int words, int is_log, int *i) {
  const real in = oak_inside(x, xs[0], xs[n]);
  const int piece = (int)oak_search(xs, 0, steps, in);
  *i = OAK_MIN(piece, n - 1);
  const double a = (double)xs[*i], b = (double)xs[*i + 1];
  const double at = (double)(words & OAK_TABLE_EXTRAPOLATE ? x : in);
  const double outside = words & OAK_TABLE_ERROR ? 0 / (double)(x >= xs[0] && x <= xs[n]) : 0;
  return (is_log ? log(at / a) / log(b / a) : (at - a) / (b - a)) + outside;
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

/* Declared here, because the file of the physics may call it and comes before
 * kernels/access/field.h. */
OAK_FN real oak_near(const oak_at_t *at, int v, int i, int j, int k);
#ifdef OAK_CHECK_OFFSET /* a macro, so that the compiler names the line of the hook */
#define oak_near(at, v, i, j, k) (OAK_CHECK_OFFSET(i, j, k), (oak_near)(at, v, i, j, k))
#else
#define OAK_CHECK_OFFSET(i, j, k) ((void)0)
#endif

/* How many passive scalars and masks of solids there are. They are variables beside those of the
 * physics. */
#ifndef NSCALARS
#define NSCALARS 0
#define OAK_SCALAR_VALUES 0
#endif
#ifndef NSOLID
#define NSOLID 0
#define OAK_NO_SLIP 0
#endif

/* The function of a hook has `physics` or `problem` in its name, as in physics_flux and
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
#define OAK_HAS(function) OAK_NOTE_NUMBER(int, OAK_PASTE(oak_has_, function), 1)
/* At compile time. */
#ifdef __cplusplus
#define OAK_REQUIRE static_assert
#else
#define OAK_REQUIRE _Static_assert
#endif
#if OAK_DESCRIBE && OAK_DEVICE_CPU
/* Here the compiler looks for mistakes. It looks at functions that are used, and at indices of
 * arrays whose size it knows. */
#define OAK_HOOK(type, name) \
  OAK_HAS(OAK_OWNED(name)) __attribute__((used)) OAK_FN type OAK_OWNED(name)
#define OAK_STATE static(PHYSICS_NVAR + NSCALARS + NSOLID)
#else
#define OAK_HOOK(type, name) OAK_HAS(OAK_OWNED(name)) OAK_FN type OAK_OWNED(name)
#define OAK_STATE
#endif

/* Hooks by what they give. In debug mode these macros check it (kernels/language/debug.h): `text`
 * is the name in messages, `place` the structure at or 0, and `wrong` tells of a result oak_x that
 * it cannot be right. */
#define OAK_IN_PLACE(name, text, place, type, array, parameters, arguments) \
  OAK_HOOK(void, name) parameters
#define OAK_TO_ARRAY(name, text, place, q, out, parameters, arguments) \
  OAK_HOOK(void, name) parameters
#define OAK_TO_NUMBER(name, text, at, q, wrong, parameters, arguments) \
  OAK_HOOK(double, name) parameters
#define OAK_OF_PLACE(type, name, text, place, at, wrong, parameters, arguments) \
  OAK_HOOK(type, name) parameters

/* ---- The table of hooks and declarations. The host reads it from this file when a run starts
 * (src/declare/hook_table.c): the comment in front of a macro begins with who may have the
 * hook. Where a file has it, kernels see OAK_HAS_physics_name or OAK_HAS_problem_name, and the host
 * oak_has_hook(sim, "physics_name"). */

/* Any: the title of the run. */
#define TITLE(text) OAK_NOTE_TEXT(OAK_OWNED(_title), OAK_TITLE_BYTES, text, "this text")
/* Physics, needed: names of the conserved variables. */
#define VARIABLES(names) OAK_NOTE_TEXT(OAK_OWNED(_variables), OAK_NAMES_BYTES, names, "this text")
/* Physics, needed: names of the primitive variables. */
#define PRIMITIVES(names) OAK_NOTE_TEXT(OAK_OWNED(_primitives), OAK_NAMES_BYTES, names, "this text")
/* Any: the units of variables: "length: m; rho: kg/m^3; vx vy: m/s". A unit without names is that
 * of the other variables of the physics. */
#define UNITS(text) OAK_NOTE_TEXT(OAK_OWNED(_units), OAK_UNITS_BYTES, text, "this text")
/* Any: names of output variables that have a value in few cells and are not a number elsewhere, so
 * that they have extrema, but no integrals. */
#define SPARSE(names) OAK_NOTE_TEXT(OAK_OWNED(_sparse), OAK_NAMES_BYTES, names, "this text")
/* Any: a key of the parameter file. The structure has every parameter that stands by itself in the
 * file or in one that it includes in quotes. */
#define PARAMETER(name, fallback, help)                                                        \
  OAK_REQUIRE(sizeof(((OAK_OWNED(_parameters_t) *)0)->name) == sizeof(double), "a parameter"); \
  OAK_NOTE_NUMBER(double, OAK_PASTE(OAK_OWNED(_default_), name), (double)(fallback))           \
  OAK_NOTE_HELP(name, help)
/* Any: a key with several numbers, as many as the default text has. */
#define PARAMETER_ARRAY(name, values, help)                                                  \
  OAK_REQUIRE(sizeof(*((OAK_OWNED(_parameters_t) *)0)->name) == sizeof(double), "an array"); \
  OAK_NOTE_TEXT(OAK_PASTE(OAK_OWNED(_values_), name), OAK_VALUES_BYTES, values,              \
                "the default of " #name)                                                     \
  OAK_NOTE_NUMBER(double, OAK_PASTE(OAK_OWNED(_default_), name), 0)                          \
  OAK_NOTE_HELP(name, help)
/** The length of such an array: OAK_COUNT(at->p.name). */
#define OAK_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
/* Any: a function name(x) whose values come from a file, which a key may change. */
#define TABLE(name, file, help)                                             \
  OAK_NOTE_TEXT(OAK_PASTE(OAK_OWNED(_table_), name), OAK_TABLE_BYTES, file, \
                "the name of this file")                                    \
  OAK_NOTE_HELP(name, help)                                                 \
  OAK_FN real name(real x) { return OAK_LOOK_UP_##name(x); }
/* Any: a function of two variables, name(x, y). */
#define TABLE_2D(name, file, help)                                             \
  OAK_NOTE_TEXT(OAK_PASTE(OAK_OWNED(_table_2d_), name), OAK_TABLE_BYTES, file, \
                "the name of this file")                                       \
  OAK_NOTE_HELP(name, help)                                                    \
  OAK_FN real name(real x, real y) { return OAK_LOOK_UP_##name(x, y); }
#ifdef OAK_EDITOR_H
#undef TABLE
#undef TABLE_2D
#define TABLE(name, file, help)   \
  enum { OAK_TABLE_SIZE_##name }; \
  OAK_FN real name(real x) { return x; }
#define TABLE_2D(name, file, help) \
  enum { OAK_TABLE_SIZE_##name };  \
  OAK_FN real name(real x, real y) { return x + y; }
#endif
/** Whether a file is given, for #if. */
#define HAS_TABLE(name) (OAK_TABLE_SIZE_##name > 0)

/* Problem: the primitive state q at the start. */
#define INITIAL(at, q)                                                                        \
  OAK_IN_PLACE(_initial, "INITIAL", at, double, q, (const oak_at_t *at, double q[OAK_STATE]), \
               (at, q##_copy))
/* Problem: the primitive state q at the boundary of the domain. */
#define BOUNDARY(at, face, q)                        \
  OAK_IN_PLACE(_boundary, "BOUNDARY", at, double, q, \
               (const oak_at_t *at, int face, double q[OAK_STATE]), (at, face, q##_copy))
/* Problem: the refinement indicator of a cell. */
#define REFINE(at)                                                                \
  OAK_OF_PLACE(real, _refine, "REFINE", at, at, !oak_debug_finite((double)oak_x), \
               (const oak_at_t *at), (at))
/* Problem: negative in solid cells. */
#define SOLID(at) \
  OAK_OF_PLACE(double, _solid, "SOLID", at, at, oak_x != oak_x, (const oak_at_t *at), (at))
/* Problem: the potential of an electrode at at->x; body_NAME is that of [body.NAME], body_solid
 * that of SOLID. */
#define POTENTIAL(at, body)                                                       \
  OAK_OF_PLACE(double, _potential, "POTENTIAL", at, at, !oak_debug_finite(oak_x), \
               (const oak_at_t *at, int body), (at, body))
/* Problem: where refinement is forced or forbidden. */
#define REGION(at, lower, upper) \
  OAK_HOOK(int, _region)(const oak_at_t *at, const double lower[3], const double upper[3])

/* Any: adds to the rate of change of the conserved state. */
#define SOURCE(at, q, source)                                                         \
  OAK_TO_ARRAY(_source, "SOURCE", at, q, source,                                      \
               (const oak_at_t *at, const real q[OAK_STATE], real source[OAK_STATE]), \
               (at, q##_copy, source##_copy))
/* Any: the largest time step that a cell allows. */
#define TIMESTEP(at, q)                                     \
  OAK_TO_NUMBER(_timestep, "TIMESTEP", at, q, !(oak_x > 0), \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* Any: advances the conserved state u by the time dt. */
#define UPDATE(at, u, dt)                                                                          \
  OAK_IN_PLACE(_update, "UPDATE", at, real, u, (const oak_at_t *at, real u[OAK_STATE], double dt), \
               (at, u##_copy, dt))
/* Any: adds to the flux f along axis dir, which depends on gradients. */
#define DIFFUSIVE_FLUX(at, dir, q, grad, f)                               \
  OAK_TO_ARRAY(_diffusive_flux, "DIFFUSIVE_FLUX", at, q, f,               \
               (const oak_at_t *at, int dir, const real q[OAK_STATE],     \
                real grad[][PHYSICS_NVAR + NSCALARS], real f[OAK_STATE]), \
               (at, dir, q##_copy, grad, f##_copy))
/* Any: the largest diffusivity. */
#define DIFFUSIVITY(at, q)                                                             \
  OAK_TO_NUMBER(_diffusivity, "DIFFUSIVITY", at, q, !(oak_x >= 0 && oak_x < INFINITY), \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* Any: the right-hand side of div grad phi = f. */
#define POISSON(at, q)                                                \
  OAK_TO_NUMBER(_poisson, "POISSON", at, q, !oak_debug_finite(oak_x), \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* Any: the coefficients of div(a grad phi) - b phi = f. */
#define POISSON_COEFFICIENTS(at, q, a, b) \
  OAK_HOOK(void, _poisson_coefficients)   \
  (const oak_at_t *at, const real q[OAK_STATE], double *a, double *b)
/* Any: the coefficient b, where it is the same everywhere: from at->p, at->ph and at->t alone. */
#define POISSON_B(at) OAK_HOOK(double, _poisson_b)(const oak_at_t *at)
/* Any: phi or its outward derivative, as poisson.boundary says, at the centre at->x of a cell's
 * face at the boundary of the domain. */
#define POISSON_BOUNDARY(at, face) OAK_HOOK(double, _poisson_boundary)(const oak_at_t *at, int face)

/* Any: the same as POISSON for a further equation, whose solution is the field of that name. */
#define POISSON_OF(name, at, q)                                                                    \
  OAK_TO_NUMBER(_poisson_of_##name, "POISSON_OF(" #name ", ...)", at, q, !oak_debug_finite(oak_x), \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* Any: its coefficients. */
#define POISSON_COEFFICIENTS_OF(name, at, q, a, b) \
  OAK_HOOK(void, _poisson_coefficients_of_##name)  \
  (const oak_at_t *at, const real q[OAK_STATE], double *a, double *b)
/* Any: its coefficient b, where it is the same everywhere: from at->p, at->ph and at->t alone. */
#define POISSON_B_OF(name, at) OAK_HOOK(double, _poisson_b_of_##name)(const oak_at_t *at)
/* Any: its solution or the outward derivative of it at the boundary of the domain. */
#define POISSON_BOUNDARY_OF(name, at, face) \
  OAK_HOOK(double, _poisson_boundary_of_##name)(const oak_at_t *at, int face)

/* A maximum may leave out cells with -INFINITY. */
#define OAK_GLOBAL(name, at, q)                                                             \
  OAK_REQUIRE(sizeof(((OAK_OWNED(_parameters_t) *)0)->name) == sizeof(double), "a global"); \
  OAK_TO_NUMBER(_global_##name, "the global " #name, at, q, oak_x != oak_x,                 \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* Any: a maximum over all cells, which hooks read as a parameter. */
#define GLOBAL_MAX(name, at, q) OAK_GLOBAL(name, at, q)
/* Any: a minimum. */
#define GLOBAL_MIN(name, at, q) OAK_GLOBAL(name, at, q)
/* Any: an integral. */
#define GLOBAL_INTEGRAL(name, at, q) OAK_GLOBAL(name, at, q)
/* Any: a variable for outputs, which may be undefined in places. */
#define OUTPUT(name, at, q)                                         \
  OAK_TO_NUMBER(_output_##name, "OUTPUT(" #name ", ...)", at, q, 0, \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* Any: a field beside the state, set from a function at each new block. */
#define FIELD(name, at)                                                                          \
  OAK_OF_PLACE(double, _field_##name, "FIELD(" #name ", ...)", at, at, !oak_debug_finite(oak_x), \
               (const oak_at_t *at), (at))
/* Any: a field beside the state that is stored. */
#define FIELD_STORED(name)           \
  OAK_HAS(OAK_OWNED(_stored_##name)) \
  OAK_REQUIRE(sizeof(((oak_fields_t *)0)->name) == sizeof(real), "a field");
/* Physics: a field that fluxes need, which is a variable of the state. */
#define FLUX_FIELD(name, variable)                          \
  OAK_NOTE_NUMBER(int, physics_flux_field_##name, variable) \
  OAK_REQUIRE((variable) >= 0 && (variable) < PHYSICS_NVAR, "a variable of the physics");

/* Physics: a number on each face, set before each stage; hooks of fluxes read ph->face.name. */
#define FACE_FIELD(name, at)                                                    \
  OAK_OF_PLACE(double, _face_field_##name, "FACE_FIELD(" #name ", ...)", 0, at, \
               !oak_debug_finite(oak_x), (const oak_at_face_t *at), (at))

/* Hooks of a physics for one cell or face get the parameters alone. */
/* Physics, needed: converts a state in place. */
#define TO_PRIMITIVE(ph, q)                               \
  OAK_IN_PLACE(_to_primitive, "TO_PRIMITIVE", 0, real, q, \
               (const physics_parameters_t *ph, real q[OAK_STATE]), (ph, q##_copy))
/* Physics, needed: converts a state in place. */
#define TO_CONSERVED(ph, u)                               \
  OAK_IN_PLACE(_to_conserved, "TO_CONSERVED", 0, real, u, \
               (const physics_parameters_t *ph, real u[OAK_STATE]), (ph, u##_copy))
/* Physics, needed: the flux f of the primitive state q along axis dir. */
#define FLUX(ph, q, dir, f)                                                                  \
  OAK_TO_ARRAY(                                                                              \
      _flux, "FLUX", 0, q, f,                                                                \
      (const physics_parameters_t *ph, const real q[OAK_STATE], int dir, real f[OAK_STATE]), \
      (ph, q##_copy, dir, f##_copy))
/* Physics, needed: the lowest and highest wave speed at a face. */
#define WAVE_SPEEDS(ph, ql, qr, dir, smin, smax)                                                \
  OAK_HOOK(void, _wave_speeds)                                                                  \
  (const physics_parameters_t *ph, const real ql[OAK_STATE], const real qr[OAK_STATE], int dir, \
   real *smin, real *smax)
/* Physics, needed: 1 if a conserved state is admissible. */
#define VALID(ph, u) OAK_HOOK(int, _valid)(const physics_parameters_t *ph, const real u[OAK_STATE])
/* Physics: numbers that differ on both sides of a face. */
#define FACE_SIDES(ph, ql, qr, nl, nr, dir, f, left, right)                            \
  OAK_HOOK(void, _face_sides)                                                          \
  (const physics_parameters_t *ph, const real ql[OAK_STATE], const real qr[OAK_STATE], \
   const real nl[], const real nr[], int dir, real f[OAK_STATE], real left[], real right[])
/* Physics: adds to the rate of change of a cell, from the numbers on its sides of two faces. */
#define CELL_TERMS(ph, q, lower, upper, dir, r)                                          \
  OAK_HOOK(void, _cell_terms)                                                            \
  (const physics_parameters_t *ph, const real q[OAK_STATE], const real lower[OAK_STATE], \
   const real upper[OAK_STATE], int dir, real r[OAK_STATE])
/* Physics: converts a conserved state to variables that are interpolated. */
#define TO_SMOOTH(ph, u) \
  OAK_HOOK(void, _to_smooth)(const physics_parameters_t *ph, real u[OAK_STATE])
/* Physics: converts interpolated states back; share[]: of the fine cells in the coarse volume. */
#define FROM_SMOOTH(ph, coarse, fine, share)                     \
  OAK_HOOK(void, _from_smooth)                                   \
  (const physics_parameters_t *ph, const real coarse[OAK_STATE], \
   real fine[][PHYSICS_NVAR + NSCALARS + NSOLID], const real share[])
/* Physics: changes the mean of fine cells that fills a coarse ghost cell. */
#define TO_COARSE(ph, fine, coarse)                                               \
  OAK_HOOK(void, _to_coarse)                                                      \
  (const physics_parameters_t *ph, real fine[][PHYSICS_NVAR + NSCALARS + NSOLID], \
   real coarse[OAK_STATE])
/* Physics: raises a conserved state to lower limits; 1 if it changed. */
#define FLOOR(ph, u) OAK_HOOK(int, _floor)(const physics_parameters_t *ph, real u[OAK_STATE])
/* Physics: changes the primitive states on both sides of a face. */
#define FACE(ph, ql, qr, dir) \
  OAK_HOOK(void, _face)       \
  (const physics_parameters_t *ph, real ql[OAK_STATE], real qr[OAK_STATE], int dir)
/* Physics: 1 if a cell has its mean at its faces across an axis, from the primitive states of the
 * cell and of both neighbours along this axis. */
#define FLAT(below, q, above) \
  OAK_HOOK(int, _flat)        \
  (const real below[OAK_STATE], const real q[OAK_STATE], const real above[OAK_STATE])
/* Physics: solid cells keep what flows into them; changes their conserved state after each stage.
 */
#define COLLECT(ph, u) OAK_HOOK(void, _collect)(const physics_parameters_t *ph, sum_t u[OAK_STATE])
/* Physics: changes the mirror image that diffusive fluxes see beyond a wall. */
#define WALL(ph, q) OAK_HOOK(void, _wall)(const physics_parameters_t *ph, real q[OAK_STATE])
/* ---- Schemes by name. Those of oak are in numerics/. */

/* Any: the values lo and hi at the faces of cell s[0], from the cells s[-radius .. radius] of a
 * row, for scheme.limiter = name. The radius is a number. */
#define LIMITER(name, radius, s, lo, hi) \
  OAK_HAS(limiter_##name)                \
  OAK_FN void limiter_##name(const real *s, real *lo, real *hi)
/* Any: a flux between two states, for scheme.flux = name. */
#define RIEMANN(name, ph, ql, qr, dir, f)                                                      \
  OAK_HAS(riemann_##name)                                                                      \
  OAK_FN real riemann_##name(const physics_parameters_t *ph, const real ql[], const real qr[], \
                             int dir, real f[])
/* Any: the square of the refinement indicator of a cell of value u, from the values of its
 * neighbours below and above it along each axis, for refine.criterion = name. */
#define CRITERION(name, u, below, above, eps, eps_abs)                                   \
  OAK_HAS(criterion_##name)                                                              \
  OAK_FN real criterion_##name(real u, const real below[], const real above[], real eps, \
                               real eps_abs)
/** A ghost cell beyond the boundary of the domain, for one variable of the conserved state. */
typedef struct {
  real value;   /**< the number behind the name of the condition in a key, 0 if none is there */
  real mirror;  /**< the variable in the cell that lies as far inside as the ghost cell outside */
  real nearest; /**< the variable in the cell at the boundary */
  real spacing; /**< from the mirror cell to the ghost cell */
  int v, face;  /**< number of the variable; -x, +x, -y, +y, -z, +z: 0 to 5 */
  const oak_at_t *at; /**< the ghost cell; this and q are for files of physics and problem */
  const real *q;      /**< primitive state of the mirror cell */
} oak_beyond_t;
/* Any: the variable b->v in the ghost cell b, for the keys of [boundary]. */
#define BOUNDARY_CONDITION(name, b) \
  OAK_HAS(boundary_##name)          \
  OAK_FN real boundary_##name(const oak_beyond_t *b)
