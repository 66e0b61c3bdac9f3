/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a physics and a problem file declare, as constants that the host reads before it builds the
 * kernels of the run. Text: items "kind text" and for each parameter OAK_NEXT "name|help". What
 * separates items are control characters that no text of a user has, unlike line feeds. */
#define OAK_END "\036"
#define OAK_NEXT "\037"
#define OAK_DESCRIBE_TEXT(name, fallback, help) OAK_NEXT #name "|" help OAK_END
#define OAK_DESCRIBE_VALUE(name, fallback, help) (double)(fallback),
#define OAK_DESCRIBE_COUNT(name, fallback, help) +1
#ifdef __cplusplus
#define OAK_REQUIRE static_assert
#else
#define OAK_REQUIRE _Static_assert
#endif

#ifndef PHYSICS_PARAMETERS
#error "the physics file must define PHYSICS_PARAMETERS, a list of at least one parameter"
#endif
#include "kernels/user.h" /* after it, PROBLEM_PARAMETERS may be given its default */
#ifndef PROBLEM_PARAMETERS
#define PROBLEM_PARAMETERS(P)
#endif
#ifndef PROBLEM_TITLE
#define PROBLEM_TITLE ""
#endif
#ifdef PROBLEM_INITIAL
#define HAS_INITIAL "initial "
#else
#define HAS_INITIAL ""
#endif
#ifdef PROBLEM_BOUNDARY
#define HAS_BOUNDARY "boundary "
#else
#define HAS_BOUNDARY ""
#endif
#ifdef PROBLEM_SOURCE
#define HAS_SOURCE "source "
#else
#define HAS_SOURCE ""
#endif
#ifdef PHYSICS_FLOOR
#define HAS_FLOOR "floor "
#else
#define HAS_FLOOR ""
#endif
#ifdef PROBLEM_REFINE
#define HAS_REFINE "refine "
#else
#define HAS_REFINE ""
#endif
#ifdef PROBLEM_REGION
#define HAS_REGION "region "
#else
#define HAS_REGION ""
#endif

/* clang-format off */
#define OAK_DESCRIPTION \
    "physics " PHYSICS_TITLE OAK_END \
    "problem " PROBLEM_TITLE OAK_END \
    "variables " PHYSICS_VARIABLES OAK_END \
    "primitives " PHYSICS_PRIMITIVES OAK_END \
    "hooks " HAS_INITIAL HAS_BOUNDARY HAS_SOURCE HAS_REFINE HAS_REGION HAS_FLOOR OAK_END \
    "physics_parameters" OAK_END PHYSICS_PARAMETERS(OAK_DESCRIBE_TEXT) \
    "problem_parameters" OAK_END PROBLEM_PARAMETERS(OAK_DESCRIBE_TEXT)

enum {
  OAK_PHYSICS_COUNT = 0 PHYSICS_PARAMETERS(OAK_DESCRIBE_COUNT),
  OAK_PROBLEM_COUNT = 0 PROBLEM_PARAMETERS(OAK_DESCRIBE_COUNT)
};
/* C compilers cut a text or a list that is too long, with a warning that nobody sees. */
OAK_REQUIRE(sizeof(OAK_DESCRIPTION) <= OAK_DESCRIPTION_BYTES,
            "the titles, names and help texts of physics and problem are too long: shorten them");
OAK_REQUIRE(OAK_PHYSICS_COUNT + OAK_PROBLEM_COUNT <= OAK_MAX_PARAMETERS,
            "physics and problem have too many parameters");
/* Kernels read the structures, into which the host puts what the lists name. */
OAK_REQUIRE(sizeof(physics_parameters_t) == OAK_PHYSICS_COUNT * sizeof(double),
            "OAK_PARAMETERS(physics, LIST) and PHYSICS_PARAMETERS must name the same list");
OAK_REQUIRE(sizeof(problem_parameters_t) ==
                (OAK_PROBLEM_COUNT > 0 ? OAK_PROBLEM_COUNT : 1) * sizeof(double),
            "OAK_PARAMETERS(problem, LIST) and PROBLEM_PARAMETERS must name the same list");

OAK_CONST_DATA char oak_describe_text[OAK_DESCRIPTION_BYTES] = OAK_DESCRIPTION;
OAK_CONST_DATA int oak_describe_count[2] = {OAK_PHYSICS_COUNT, OAK_PROBLEM_COUNT};
OAK_CONST_DATA double oak_describe_default[OAK_MAX_PARAMETERS + 1] = {
    PHYSICS_PARAMETERS(OAK_DESCRIBE_VALUE) PROBLEM_PARAMETERS(OAK_DESCRIBE_VALUE) 0};
/* clang-format on */

OAK_CONST_DATA int oak_describe_nvar = PHYSICS_NVAR;
OAK_CONST_DATA int oak_describe_normal[3] = {PHYSICS_NORMAL(0), PHYSICS_NORMAL(1),
                                             PHYSICS_NORMAL(2)};

/* Functions with the wrong arguments are refused here, by name, before kernels use them. */
#if OAK_DEVICE_CPU
#define OAK_CHECK_HOOK(hook, result, ...) \
  result (*const oak_check_##hook)(__VA_ARGS__) __attribute__((unused)) = hook
typedef const problem_parameters_t *oak_problem_arg_t;
typedef const physics_parameters_t *oak_physics_arg_t;
static OAK_CHECK_HOOK(physics_to_primitive, void, oak_physics_arg_t, real[]);
static OAK_CHECK_HOOK(physics_to_conservative, void, oak_physics_arg_t, real[]);
static OAK_CHECK_HOOK(physics_flux, void, oak_physics_arg_t, const real[], int, real[]);
static OAK_CHECK_HOOK(physics_wave_speeds, void, oak_physics_arg_t, const real[], const real[], int,
                      real *, real *);
static OAK_CHECK_HOOK(physics_valid, int, oak_physics_arg_t, const real[]);
#ifdef PHYSICS_FLOOR
static OAK_CHECK_HOOK(PHYSICS_FLOOR, int, oak_physics_arg_t, real[]);
#endif
#ifdef PROBLEM_INITIAL
static OAK_CHECK_HOOK(PROBLEM_INITIAL, void, oak_problem_arg_t, oak_physics_arg_t, const double[3],
                      real[]);
#endif
#ifdef PROBLEM_BOUNDARY
static OAK_CHECK_HOOK(PROBLEM_BOUNDARY, void, oak_problem_arg_t, oak_physics_arg_t, const double[3],
                      double, int, real[]);
#endif
#ifdef PROBLEM_SOURCE
static OAK_CHECK_HOOK(PROBLEM_SOURCE, void, oak_problem_arg_t, oak_physics_arg_t, const double[3],
                      double, const real[], real[]);
#endif
#ifdef PROBLEM_REFINE
static OAK_CHECK_HOOK(PROBLEM_REFINE, real, oak_problem_arg_t, oak_physics_arg_t,
                      const oak_field_t *, long, int, int, int);
#endif
#ifdef PROBLEM_REGION
static OAK_CHECK_HOOK(PROBLEM_REGION, int, oak_problem_arg_t, oak_physics_arg_t, const double[3],
                      const double[3], int, double);
#endif
#endif
