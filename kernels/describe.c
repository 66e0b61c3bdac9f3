/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a physics and a problem file declare, as constants that the host reads before it builds the
 * kernels of the run. Text: one line per item, "kind name|help". */
#define OAK_DESCRIBE_TEXT(name, fallback, help) "\t" #name "|" help "\n"
#define OAK_DESCRIBE_VALUE(name, fallback, help) (double)(fallback),

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
#ifdef PROBLEM_REFINE
#define HAS_REFINE "refine "
#else
#define HAS_REFINE ""
#endif

OAK_CONST_DATA char oak_describe_text[8192] =
    "physics " PHYSICS_TITLE "\n"
    "problem " PROBLEM_TITLE "\n"
    "variables " PHYSICS_VARIABLES "\n"
    "primitives " PHYSICS_PRIMITIVES "\n"
    "hooks " HAS_INITIAL HAS_BOUNDARY HAS_SOURCE HAS_REFINE "\n"
    "physics_parameters\n" PHYSICS_PARAMETERS(OAK_DESCRIBE_TEXT)
    "problem_parameters\n" PROBLEM_PARAMETERS(OAK_DESCRIBE_TEXT);

OAK_CONST_DATA double oak_describe_default[256] = {
    PHYSICS_PARAMETERS(OAK_DESCRIBE_VALUE) PROBLEM_PARAMETERS(OAK_DESCRIBE_VALUE) 0};

OAK_CONST_DATA int oak_describe_normal[3] = {PHYSICS_NORMAL(0), PHYSICS_NORMAL(1), PHYSICS_NORMAL(2)};
