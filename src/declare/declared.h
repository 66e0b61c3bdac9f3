/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of physics and problem declare, found in their preprocessed text. */
#pragma once

#include "base/failure.h"
#include "oak/device.h"
#include "oak/kernel_args.h"
#include "oak/params.h"

enum {
  OAK_LONGEST_NAME = 48 /* of a key in parameter files */,
  OAK_MAX_OUTPUTS = 24,
  OAK_MAX_FIELDS = 16 /* beside the state */,
  OAK_MAX_FIXED = 4 /* fields that are variables of the state */,
  OAK_MAX_FACE_FIELDS = 8 /* on faces */,
  OAK_MAX_TABLES = 32,
  OAK_MAX_SCHEMES = 96,
  OAK_MAX_HOOKS = 80,
  OAK_MAX_MARKS = 512
};

/** Who a declaration belongs to. */
typedef enum { OAK_OF_PHYSICS, OAK_OF_PROBLEM } oak_owner_t;

/** A macro of kernels/language/hook_table.h. */
typedef struct {
  char name[32], form[128]; /**< form: as a file writes it: "INITIAL(at, q) { ... }" */
  int owner[2];             /**< whether a physics or a problem may have it */
  int needed;               /**< every physics has it */
  int arguments;            /**< their number */
  int function;             /**< a body follows */
  int named;                /**< whether the first argument is a name of its own */
} oak_hook_t;

/** Kinds of names that keys choose. Each has a macro in kernels/language/hook_table.h and a file in
 * numerics/. */
typedef enum { OAK_LIMITERS, OAK_FLUXES, OAK_CRITERIA, OAK_CONDITIONS, OAK_NSCHEMES } oak_scheme_t;

/** Kinds of declarations. */
typedef enum {
  OAK_PARAMETER,
  OAK_PARAMETER_ARRAY,
  OAK_GLOBAL_MAX,
  OAK_GLOBAL_MIN,
  OAK_GLOBAL_INTEGRAL,
  OAK_GLOBAL_RATE,
  OAK_GLOBAL_PLACE
} oak_kind_t;

/** A declaration with a name of its own. */
typedef struct {
  oak_owner_t owner;
  int own;         /**< 1: it is in a file of physics or problem, 0: in one of numerics/ */
  unsigned kind;   /**< oak_kind_t of a parameter, oak_scheme_t of a scheme */
  int length;      /**< numbers of a parameter: 1, or as many as an array has */
  int place;       /**< place of the first of these numbers among all */
  int radius;      /**< radius of a limiter */
  int function[2]; /**< field: whether an owner has FIELD, not FIELD_STORED alone */
  char name[OAK_LONGEST_NAME + 1];
  char variable[OAK_LONGEST_NAME + 1]; /**< variable of FLUX_FIELD, FACE_VECTOR as written */
} oak_declaration_t;

/** All declarations of the files. */
typedef struct {
  int nhook, nmark, count, noutput, nfield, ntable, nfixed, nequation, nface, nvector, nscheme;
  oak_hook_t hook[OAK_MAX_HOOKS]; /**< that there may be */
  struct {
    oak_owner_t owner;
    int hook; /**< place in `hook` */
    char name[OAK_LONGEST_NAME + 1];
  } mark[OAK_MAX_MARKS]; /**< that there are, in the order of the text */
  /** Parameters and globals: members of the structure of the physics, then of the problem's. */
  oak_declaration_t parameter[OAK_MAX_PARAMETERS];
  oak_declaration_t output[OAK_MAX_OUTPUTS], table[OAK_MAX_TABLES];
  oak_declaration_t field[OAK_MAX_FIELDS];
  oak_declaration_t fixed[OAK_MAX_FIXED]; /**< FLUX_FIELD; a FIELD of this name is in `field` too */
  oak_declaration_t equation[OAK_MAX_EQUATIONS]; /**< POISSON_OF and the like */
  oak_declaration_t face[OAK_MAX_FACE_FIELDS];
  oak_declaration_t vector[1];               /**< FACE_VECTOR */
  oak_declaration_t scheme[OAK_MAX_SCHEMES]; /**< LIMITER and the like, of numerics/ first */
} oak_declared_t;

/** The names of a kind, those of numerics/ first. */
void oak_scheme_names(const oak_declared_t *d, oak_scheme_t kind, char *names, size_t size);
/** Say for help which names keys may have. */
oak_status_t oak_schemes_name(const oak_declared_t *d, oak_params_t *params);

/** Read preprocessed text. Refuses misspelt hooks, hooks in the wrong file, and what is there
 * twice. \a physics: its file, "": not all that a physics needs must be there. Rank-local. */
oak_status_t oak_declared_read(const char *text, const char *physics, oak_declared_t *out);

/** A device that only preprocesses files (oak_device_text), for those that cannot: a CPU. Of the
 * flags only -D and -I count. Collective. */
oak_status_t oak_declare_open(MPI_Comm comm, const char *compiler, const char *flags,
                              oak_device_t **out);

/** Whether physics or problem has the macro \a hook, with the first argument \a name if it has a
 * name of its own. */
int oak_declares(const oak_declared_t *d, oak_owner_t owner, const char *hook, const char *name);

/** Leave a hook of the physics out, as if it were not there. */
void oak_declared_drop(oak_declared_t *d, const char *hook);

/** Whether a field is declared by FLUX_FIELD: then it is a variable of the state. */
int oak_declared_fixed(const oak_declared_t *d, const char *name);

/* ---- text.c: what the preprocessor makes of files: lines of C, of #define, and of `# 12 "file"`,
 * which say where the next line comes from. */

typedef enum { OAK_FROM_OAK, OAK_FROM_SCHEMES, OAK_FROM_USER } oak_text_from_t;

/** A line of such a text; start from {.next = text}. */
typedef struct {
  const char *at, *next; /**< the line, and the one behind it */
  const char *path;      /**< path of its file, as far as the next quote */
  const char *root;      /**< root of the sources */
  int path_length, line;
  oak_text_from_t from; /**< SCHEMES: a file of numerics/; USER: a file of physics or problem */
} oak_text_line_t;

/** Go to the next line that is not a place. \return 0: there is none. */
int oak_text_next(oak_text_line_t *l);

/** A place in a file of a user. */
typedef struct {
  char path[4096]; /**< "": there is none */
  int line;
} oak_text_place_t;

/** The first place where \a name stands as a word in a file of a user, behind \a before, if this is
 * not "". */
oak_text_place_t oak_text_find(const char *text, const char *before, const char *name);

/** Refuse macros of users that have no effect: no compiler says so. */
oak_status_t oak_text_check_macros(const char *text);

/** Print C that includes the files of users and ends their macros in small letters, which would
 * change the words of kernels. Nothing if there are no such macros. */
void oak_text_end_macros(const char *text, FILE *f);
