/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of hooks and declarations. The host reads it from preprocessed text
 * (src/declare/declared.c); OAK_FOR_... says whose files may have the hooks that follow. If a file
 * has one, kernels see OAK_HAS_physics_name or OAK_HAS_problem_name, and the host asks
 * oak_has_hook(sim, "physics_name"). */
#pragma once

/* ---- Of any file. */
#define OAK_FOR_ANY

/* The title of the run. */
#define TITLE(text) OAK_NOTE_TEXT(OAK_OWNED(_title), OAK_TITLE_BYTES, text, "this text")
/* The units of variables: "length: m; rho: kg/m^3; vx vy: m/s". A unit without names is the unit of
 * all other variables of the physics. */
#define UNITS(text) OAK_NOTE_TEXT(OAK_OWNED(_units), OAK_UNITS_BYTES, text, "this text")
/* Names of output variables that are not a number in most cells, so that they have extrema, but no
 * integrals. */
#define SPARSE(names) OAK_NOTE_TEXT(OAK_OWNED(_sparse), OAK_NAMES_BYTES, names, "this text")
/* A key of the parameter file. */
#define PARAMETER(name, default, help)                                                         \
  OAK_REQUIRE(sizeof(((OAK_OWNED(_parameters_t) *)0)->name) == sizeof(double), "a parameter"); \
  OAK_NOTE_NUMBER(double, OAK_PASTE(OAK_OWNED(_default_), name), (double)(default))            \
  OAK_NOTE_HELP(name, help)
/* A key with several numbers, as many as the default text has. */
#define PARAMETER_ARRAY(name, values, help)                                                  \
  OAK_REQUIRE(sizeof(*((OAK_OWNED(_parameters_t) *)0)->name) == sizeof(double), "an array"); \
  OAK_NOTE_TEXT(OAK_PASTE(OAK_OWNED(_values_), name), OAK_VALUES_BYTES, values,              \
                "the default of " #name)                                                     \
  OAK_NOTE_NUMBER(double, OAK_PASTE(OAK_OWNED(_default_), name), 0)                          \
  OAK_NOTE_HELP(name, help)
/** The length of an array of PARAMETER_ARRAY: OAK_COUNT(at->p.name). */
#define OAK_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
/* A function name(x) whose values come from a file, which a key may change. */
#define TABLE(name, file, help)                                             \
  OAK_NOTE_TEXT(OAK_PASTE(OAK_OWNED(_table_), name), OAK_TABLE_BYTES, file, \
                "the name of this file")                                    \
  OAK_NOTE_HELP(name, help)                                                 \
  OAK_FN real name(real x) { return OAK_LOOK_UP_##name(x); }
/* A function of two variables, name(x, y). */
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
/* Adds to the rate of change of the conserved state. */
#define SOURCE(at, q, source)                                                         \
  OAK_TO_ARRAY(_source, "SOURCE", at, q, source,                                      \
               (const oak_at_t *at, const real q[OAK_STATE], real source[OAK_STATE]), \
               (at, q##_copy, source##_copy))
/* The largest time step that a cell allows. */
#define TIMESTEP(at, q)                                     \
  OAK_TO_NUMBER(_timestep, "TIMESTEP", at, q, !(oak_x > 0), \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* Advances the conserved state u by the time dt. */
#define UPDATE(at, u, dt)                                                                          \
  OAK_IN_PLACE(_update, "UPDATE", at, real, u, (const oak_at_t *at, real u[OAK_STATE], double dt), \
               (at, u##_copy, dt))
/* Adds to the flux f along axis dir, which depends on gradients. */
#define DIFFUSIVE_FLUX(at, dir, q, grad, f)                                                       \
  OAK_TO_ARRAY(_diffusive_flux, "DIFFUSIVE_FLUX", at, q, f,                                       \
               (const oak_at_t *at, int dir, const real q[OAK_STATE], real grad[][OAK_GRADIENTS], \
                real f[OAK_STATE]),                                                               \
               (at, dir, q##_copy, grad, f##_copy))
/* The largest diffusivity. */
#define DIFFUSIVITY(at, q)                                                             \
  OAK_TO_NUMBER(_diffusivity, "DIFFUSIVITY", at, q, !(oak_x >= 0 && oak_x < INFINITY), \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* The right-hand side of div grad phi = f. */
#define POISSON(at, q)                                                \
  OAK_TO_NUMBER(_poisson, "POISSON", at, q, !oak_debug_finite(oak_x), \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* The coefficients of div(a grad phi) - b phi = f. */
#define POISSON_COEFFICIENTS(at, q, a, b) \
  OAK_HOOK(void, _poisson_coefficients)   \
  (const oak_at_t *at, const real q[OAK_STATE], double *a, double *b)
/* The coefficient b, if it is the same everywhere: from at->p, at->ph and at->t alone. */
#define POISSON_B(at) OAK_HOOK(double, _poisson_b)(const oak_at_t *at)
/* Phi or its outward derivative, as poisson.boundary says, at the centre at->x of a cell's
 * face at the boundary of the domain. */
#define POISSON_BOUNDARY(at, face) OAK_HOOK(double, _poisson_boundary)(const oak_at_t *at, int face)
/* The right-hand side of a further equation, whose solution is the field `name`. */
#define POISSON_OF(name, at, q)                                                                    \
  OAK_TO_NUMBER(_poisson_of_##name, "POISSON_OF(" #name ", ...)", at, q, !oak_debug_finite(oak_x), \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* The coefficients of this equation. */
#define POISSON_COEFFICIENTS_OF(name, at, q, a, b) \
  OAK_HOOK(void, _poisson_coefficients_of_##name)  \
  (const oak_at_t *at, const real q[OAK_STATE], double *a, double *b)
/* The coefficient b of this equation, if it is the same everywhere: from at->p, at->ph, at->t
 * alone. */
#define POISSON_B_OF(name, at) OAK_HOOK(double, _poisson_b_of_##name)(const oak_at_t *at)
/* The solution of this equation, or its outward derivative, at the boundary of the domain. */
#define POISSON_BOUNDARY_OF(name, at, face) \
  OAK_HOOK(double, _poisson_boundary_of_##name)(const oak_at_t *at, int face)

/* A global. A maximum may leave out cells with -INFINITY. */
#define OAK_GLOBAL(name, at, q)                                                             \
  OAK_REQUIRE(sizeof(((OAK_OWNED(_parameters_t) *)0)->name) == sizeof(double), "a global"); \
  OAK_TO_NUMBER(_global_##name, "the global " #name, at, q, oak_x != oak_x,                 \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* A maximum over all cells, which hooks read as a parameter. */
#define GLOBAL_MAX(name, at, q) OAK_GLOBAL(name, at, q)
/* A minimum over all cells. */
#define GLOBAL_MIN(name, at, q) OAK_GLOBAL(name, at, q)
/* An integral over all cells. */
#define GLOBAL_INTEGRAL(name, at, q) OAK_GLOBAL(name, at, q)
/* A maximum over all cells of the rate of the waves. Where nothing else limits the time step, it is
 * cfl / the time step, and needs no pass over all cells. */
#define GLOBAL_RATE(name, at, q) OAK_GLOBAL(name, at, q)
/* A maximum over all cells of a number that depends on the place alone. */
#define GLOBAL_PLACE(name, at) OAK_GLOBAL(name, at, oak_q)
/* A variable for outputs, which may be undefined in places. */
#define OUTPUT(name, at, q)                                         \
  OAK_TO_NUMBER(_output_##name, "OUTPUT(" #name ", ...)", at, q, 0, \
                (const oak_at_t *at, const real q[OAK_STATE]), (at, q##_copy))
/* A field beside the state, set from a function at each new block. */
#define FIELD(name, at)                                                                          \
  OAK_OF_PLACE(double, _field_##name, "FIELD(" #name ", ...)", at, at, !oak_debug_finite(oak_x), \
               (const oak_at_t *at), (at))
/* A field beside the state that is stored. */
#define FIELD_STORED(name) \
  OAK_REQUIRE(sizeof(((oak_fields_t *)0)->name) == sizeof(real), "a field");
/* The values lo and hi at the faces of cell s[0], from the cells s[-radius .. radius] of a
 * row, for scheme.limiter = name. The radius is a number. */
#define LIMITER(name, radius, s, lo, hi) \
  OAK_FN void limiter_##name(const real *s, real *lo, real *hi)
/* A flux between two states, for scheme.flux = name. */
#define RIEMANN(name, ph, ql, qr, dir, f)                                                      \
  OAK_FN real riemann_##name(const physics_parameters_t *ph, const real ql[], const real qr[], \
                             int dir, real f[])
/* The square of the refinement indicator of a cell of value u, from the values of its
 * neighbours below and above it along each axis, for refine.criterion = name. */
#define CRITERION(name, u, below, above, eps, eps_abs)                                   \
  OAK_FN real criterion_##name(real u, const real below[], const real above[], real eps, \
                               real eps_abs)
/* The variable b->v in the ghost cell b, for the keys of [boundary]. */
#define BOUNDARY_CONDITION(name, b) OAK_FN real boundary_##name(const oak_beyond_t *b)

/* ---- Of problems. */
#define OAK_FOR_PROBLEM

/* The primitive state q at the start. */
#define INITIAL(at, q)                                                                        \
  OAK_IN_PLACE(_initial, "INITIAL", at, double, q, (const oak_at_t *at, double q[OAK_STATE]), \
               (at, q##_copy))
/* A potential a[3] at at->x whose curl is the vector of FACE_VECTOR at the start. */
#define VECTOR_POTENTIAL(at, a) OAK_HOOK(void, _vector_potential)(const oak_at_t *at, double a[3])
/* The primitive state q at the boundary of the domain. */
#define BOUNDARY(at, face, q)                        \
  OAK_IN_PLACE(_boundary, "BOUNDARY", at, double, q, \
               (const oak_at_t *at, int face, double q[OAK_STATE]), (at, face, q##_copy))
/* The refinement indicator of a cell. */
#define REFINE(at)                                                                \
  OAK_OF_PLACE(real, _refine, "REFINE", at, at, !oak_debug_finite((double)oak_x), \
               (const oak_at_t *at), (at))
/* Changes the parameters ph of the physics at a place, before its DIFFUSIVE_FLUX and DIFFUSIVITY
 * get them. */
#define COEFFICIENTS(at, q, ph) \
  OAK_HOOK(void, _coefficients) \
  (const oak_at_t *at, const real q[OAK_STATE], physics_parameters_t *ph)
/* The distance from a solid, negative in solid cells. */
#define SOLID(at) \
  OAK_OF_PLACE(double, _solid, "SOLID", at, at, oak_x != oak_x, (const oak_at_t *at), (at))
/* The potential of an electrode at at->x; body_NAME is the number of [body.NAME], body_solid of
 * SOLID. */
#define POTENTIAL(at, body)                                                       \
  OAK_OF_PLACE(double, _potential, "POTENTIAL", at, at, !oak_debug_finite(oak_x), \
               (const oak_at_t *at, int body), (at, body))
/* Where refinement is forced or forbidden. */
#define REGION(at, lower, upper) \
  OAK_HOOK(int, _region)(const oak_at_t *at, const double lower[3], const double upper[3])

/* ---- Of physics, which all have. Hooks for one cell or face get the parameters alone. */
#define OAK_FOR_NEEDED

/* Names of the conserved variables. */
#define VARIABLES(names) OAK_NOTE_TEXT(OAK_OWNED(_variables), OAK_NAMES_BYTES, names, "this text")
/* Names of the primitive variables. */
#define PRIMITIVES(names) OAK_NOTE_TEXT(OAK_OWNED(_primitives), OAK_NAMES_BYTES, names, "this text")
/* Converts a state in place. */
#define TO_PRIMITIVE(ph, q)                               \
  OAK_IN_PLACE(_to_primitive, "TO_PRIMITIVE", 0, real, q, \
               (const physics_parameters_t *ph, real q[OAK_STATE]), (ph, q##_copy))
/* Converts a state in place. */
#define TO_CONSERVED(ph, u)                               \
  OAK_IN_PLACE(_to_conserved, "TO_CONSERVED", 0, real, u, \
               (const physics_parameters_t *ph, real u[OAK_STATE]), (ph, u##_copy))
/* The flux f of the primitive state q along axis dir. */
#define FLUX(ph, q, dir, f)                                                                  \
  OAK_TO_ARRAY(                                                                              \
      _flux, "FLUX", 0, q, f,                                                                \
      (const physics_parameters_t *ph, const real q[OAK_STATE], int dir, real f[OAK_STATE]), \
      (ph, q##_copy, dir, f##_copy))
/* The lowest and highest wave speed at a face. */
#define WAVE_SPEEDS(ph, ql, qr, dir, smin, smax)                                                \
  OAK_HOOK(void, _wave_speeds)                                                                  \
  (const physics_parameters_t *ph, const real ql[OAK_STATE], const real qr[OAK_STATE], int dir, \
   real *smin, real *smax)
/* 1 if a conserved state is admissible. */
#define VALID(ph, u) OAK_HOOK(int, _valid)(const physics_parameters_t *ph, const real u[OAK_STATE])

/* ---- Of physics, optional. */
#define OAK_FOR_PHYSICS

/* A field that fluxes need, which is a variable of the state. */
#define FLUX_FIELD(name, variable)                          \
  OAK_NOTE_NUMBER(int, physics_flux_field_##name, variable) \
  OAK_REQUIRE((variable) >= 0 && (variable) < PHYSICS_NVAR, "a variable of the physics");
/* A number on each face, set before each stage; hooks of fluxes read ph->face.name. */
#define FACE_FIELD(name, at)                                                    \
  OAK_OF_PLACE(double, _face_field_##name, "FACE_FIELD(" #name ", ...)", 0, at, \
               !oak_debug_finite(oak_x), (const oak_at_face_t *at), (at))
/* A vector with the variables first, first + 1 and first + 2, which are means over cells. It is
 * advanced on faces; hooks of fluxes read its component across a face in ph->face.name. */
#define FACE_VECTOR(name, first)                          \
  OAK_NOTE_NUMBER(int, physics_face_vector_##name, first) \
  OAK_REQUIRE((first) >= 0 && (first) + 2 < PHYSICS_NVAR, "the first of three variables");
/* The temperature, whose gradient DIFFUSIVE_FLUX gets too. */
#define TEMPERATURE(ph, q) \
  OAK_HOOK(real, _temperature)(const physics_parameters_t *ph, const real q[OAK_STATE])
/* Adds to the electric field e that the current j makes; the curl of e changes a FACE_VECTOR. */
#define ELECTRIC_FIELD(at, q, j, e) \
  OAK_HOOK(void, _electric_field)   \
  (const oak_at_t *at, const real q[OAK_STATE], const real j[3], real e[3])
/* Numbers that differ on both sides of a face. */
#define FACE_SIDES(ph, ql, qr, nl, nr, dir, f, left, right)                            \
  OAK_HOOK(void, _face_sides)                                                          \
  (const physics_parameters_t *ph, const real ql[OAK_STATE], const real qr[OAK_STATE], \
   const real nl[], const real nr[], int dir, real f[OAK_STATE], real left[], real right[])
/* Adds to the rate of change of a cell, from the numbers on its sides of two faces. */
#define CELL_TERMS(ph, q, lower, upper, dir, r)                                          \
  OAK_HOOK(void, _cell_terms)                                                            \
  (const physics_parameters_t *ph, const real q[OAK_STATE], const real lower[OAK_STATE], \
   const real upper[OAK_STATE], int dir, real r[OAK_STATE])
/* Converts a conserved state to variables that are interpolated. */
#define TO_SMOOTH(ph, u) \
  OAK_HOOK(void, _to_smooth)(const physics_parameters_t *ph, real u[OAK_STATE])
/* Converts interpolated states back; share[]: parts of the fine cells in the coarse volume. */
#define FROM_SMOOTH(ph, coarse, fine, share)                     \
  OAK_HOOK(void, _from_smooth)                                   \
  (const physics_parameters_t *ph, const real coarse[OAK_STATE], \
   real fine[][PHYSICS_NVAR + NSCALARS + NSOLID], const real share[])
/* Changes the mean of fine cells that fills a coarse ghost cell. */
#define TO_COARSE(ph, fine, coarse)                                               \
  OAK_HOOK(void, _to_coarse)                                                      \
  (const physics_parameters_t *ph, real fine[][PHYSICS_NVAR + NSCALARS + NSOLID], \
   real coarse[OAK_STATE])
/* Raises a conserved state to lower limits; 1 if it changed. */
#define FLOOR(ph, u) OAK_HOOK(int, _floor)(const physics_parameters_t *ph, real u[OAK_STATE])
/* Changes the primitive states on both sides of a face. */
#define FACE(ph, ql, qr, dir) \
  OAK_HOOK(void, _face)       \
  (const physics_parameters_t *ph, real ql[OAK_STATE], real qr[OAK_STATE], int dir)
/* 1 if a cell is of first order across an axis: its mean is used at its faces. Gets the primitive
 * states of the cell and of both neighbours along this axis. */
#define FLAT(below, q, above) \
  OAK_HOOK(int, _flat)        \
  (const real below[OAK_STATE], const real q[OAK_STATE], const real above[OAK_STATE])
/* Changes the conserved state of a solid cell after each stage, which keeps its inflow. */
#define COLLECT(ph, u) OAK_HOOK(void, _collect)(const physics_parameters_t *ph, sum_t u[OAK_STATE])
/* Changes the mirror image that diffusive fluxes read beyond a wall. */
#define WALL(ph, q) OAK_HOOK(void, _wall)(const physics_parameters_t *ph, real q[OAK_STATE])
