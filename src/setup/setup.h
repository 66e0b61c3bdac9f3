/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is fixed when a run starts: its keys, what the files of physics and problem declare, and the
 * kernels made from them. Private to src/solver. */
#pragma once

#include "base/failure.h"
#include "base/params_library.h"
#include "oak.h"
#include "oak/device.h"
#include "oak/kernel_args.h"
#include "declare/declared.h"
#include "setup/domain.h"
#include "setup/kernel_table.h"
#include "setup/runge_kutta.h"
#include "setup/topics.h"

enum { OAK_MAX_VECTORS = 10 };

/** The declarations of a physics and a problem file (kernels/language/hook_table.h,
 * kernels/hooks/describe.c). */
typedef struct {
  char variables[OAK_NAMES_BYTES], primitives[OAK_NAMES_BYTES]; /**< storage of variable names */
  char physics_title[OAK_TITLE_BYTES], problem_title[OAK_TITLE_BYTES];
  int nvar;
  const char *name[2 * OAK_MAX_NVAR + 1];  /**< conserved, primitive, "level" */
  const char *shown[2 * OAK_MAX_NVAR + 1]; /**< names in outputs: v_r for vx */
  char curved[2 * OAK_MAX_NVAR][48];       /**< storage of such names */
  int normal[3];                           /**< component of the velocity along each axis, or -1 */
  struct {
    int declared, sides;   /**< the physics has PHYSICS_VECTORS; it has PHYSICS_SIDES */
    int planar;            /**< a vector has no third component */
    uint32_t component[3]; /**< bits of the first, second and third components of all vectors */
    int count, of[OAK_MAX_VECTORS][3]; /**< the vectors, -1: no third component; without a
                                        * declaration the velocity alone */
    uint64_t listed;                   /**< how many vectors have each variable, two bits each */
    uint32_t angular;                  /**< the bit of the momentum along phi; 0: there is none */
  } vectors;
  uint32_t mirror[3];         /**< bits of the variables that a wall normal to each axis negates */
  int nglobal, has_integrals; /**< globals that are there; some are integrals */
  int of_cells;               /**< some globals need a pass over all cells in each step */
  int global_slot[OAK_MAX_PARAMETERS]; /**< their places among files.declared */
  int nparameter, nproblem; /**< parameters of both files, physics first; of the problem */
  char unread[256];         /**< why a constant could not be read; "" if all were read */
  struct {
    char key[OAK_LONGEST_NAME + 16];
    char help[OAK_HELP_BYTES]; /**< without what stands in braces */
    int slot;                  /**< place among files.declared */
    int choice;                /**< whether it is the number of a word */
    int positive_if_refined;   /**< warn if it is not above 0 on a mesh with several levels */
    int diffusive; /**< above 0, it gives the physics 1: DIFFUSIVE_FLUX, 2: ELECTRIC_FIELD too */
  } parameter[OAK_MAX_PARAMETERS];
} oak_description_t;

/** The files of physics and problem. */
typedef struct {
  char physics[4096], problem[4096]; /**< paths */
  char *text; /**< the files after the preprocessor, as they were when the run started */
  oak_declared_t declared; /**< their declarations */
} oak_files_t;

/** Parameters and globals of physics and problem. */
typedef struct {
  double value[OAK_MAX_PARAMETERS + 2 + OAK_MAX_FACE_FIELDS]; /**< as on the device; kernels load
                                                               * room for fields on faces too */
  int first; /**< place of the first declared one there */
  void *device;
} oak_user_values_t;

/** Fields beside the state, and fields that are variables of the state. */
typedef struct {
  int count;
  struct {
    const char *name;
    const char *function; /**< "physics" or "problem", whose FIELD sets it; NULL: it is stored, and
                           * carried from mesh to mesh */
  } field[OAK_MAX_FIELDS];
  int nfixed;
  struct {
    const char *name, *function; /**< as above; NULL: nothing sets it */
    const char *text;            /**< text of `variable`, in the physics */
    int variable;
  } fixed[OAK_MAX_FIXED]; /**< fields that are variables of the state, because fluxes need them */
  int nface; /**< fields on faces (files.declared.face); kernels find them behind `field` */
  int nvector, vector; /**< 1: the state has a vector on faces; its first variable */
} oak_field_list_t;

/** Time stepping: keys of [scheme] and [run]. */
typedef struct {
  const oak_runge_kutta_t *runge_kutta;
  int nstate; /**< number of states: those of the scheme, and more for first_order, retry
                 and diffusion */
  int result; /**< where the last stage leaves the solution: not state 0 if state 0 must be kept */
  double cfl, dt_max, end_time;
  int may_begin;   /**< sources, boundary values or an equation may set something in motion */
  int first_order; /**< scheme.on_invalid: repair invalid cells */
  int retry;       /**< scheme.on_invalid: repeat a step with half its size */
  int floors;      /**< a floor of the physics is set */
  int strang;      /**< UPDATE takes half a step before and after the stages */
  int diffusion;   /**< OAK_DIFFUSION_..., 0: no file has the hook */
} oak_method_t;

/** Adaptation: keys of [mesh] and [refine]. */
typedef struct {
  int min_level, max_level;
  double theta; /**< mesh.theta: limiter of interpolation at jumps of level */
  int active;   /**< a criterion or regions are set and levels may differ */
  int every;    /**< steps between adaptations */
  double kappa_max;
  unsigned variables, primitives, fields; /**< bit masks of what the criterion looks at */
  int nderived;
  int derived[OAK_MAX_FIELDS]; /**< derived variables it looks at, by number in
                                  kernels/fields/derived.c */
  double c_refine, c_derefine, eps, eps_abs;
  int buffer; /**< cells; 0: none */
} oak_refine_t;

/** After oak_create only src/api changes it, for keys that may change. */
struct oak_setup {
  MPI_Comm comm;
  int rank, size;
  oak_params_t *params;
  oak_device_t *dev;
  int dim, nvar;
  struct {
    int size[3];               /**< cells along each axis; 1 in z for 2D */
    int layers;                /**< layers of ghost cells */
    int64_t cells, face_cells; /**< cells of a block, and of its largest face */
  } block;
  struct {
    int real, store, flux; /**< bytes of a number in kernels, memory, kernels of fluxes */
  } bytes;
  oak_domain_t domain;
  oak_refine_t refine;
  oak_method_t method;
  oak_files_t files;
  oak_description_t description;
  oak_field_list_t fields;
  oak_user_values_t user;
#define OAK_TOPIC_MEMBER(name) oak_##name##_t name;
  OAK_TOPICS(OAK_TOPIC_MEMBER)
#undef OAK_TOPIC_MEMBER
  struct {
    int debug;               /**< whether they check hooks (run.debug) */
    int peers;               /**< some ranks read each other's memory in place */
    oak_module_t *module[2]; /**< of all kernels; of fluxes of another precision */
#define OAK_KERNEL_MEMBER(name, ...) oak_kernel_t *name;
    OAK_KERNEL_TABLE(OAK_KERNEL_MEMBER)
#undef OAK_KERNEL_MEMBER
  } kernel;
};

/** Numbers that a block has for each cell behind its variables, for a vector on faces. */
static inline int oak_setup_room(const oak_setup_t *setup) {
  return setup->fields.nvector ? setup->dim + 1 : 0;
}

/** Whether physics or problem has a hook. */
#define OAK_HAS_HOOK(setup, hook) \
  (oak_has_hook(setup, "physics_" #hook) || oak_has_hook(setup, "problem_" #hook))

/* sources.c */
/** Cells of a tile of the flux kernel along x and y that suit the device. */
void oak_setup_tile(const oak_setup_t *setup, int tile[2]);
/** The physics and problem files, and what they declare. Collective, with a status of this rank
 * alone. */
oak_status_t oak_setup_find_files(oak_setup_t *setup);
/** Build the module of kernels/NAME.c. Collective. */
oak_status_t oak_setup_build_module(const oak_setup_t *setup, const char *name, oak_module_t **out);
/** Build the files of \a source, whose paths begin at the source root unless they are absolute. Of
 * \a source, name, files and time are given. */
oak_status_t oak_setup_build_files(const oak_setup_t *setup, oak_source_t source,
                                   oak_module_t **out);

/* describe.c */
oak_status_t oak_setup_describe(oak_setup_t *setup);

/* names.c */
/** The place of a limiter, flux, criterion or condition among files.declared.scheme; -1: there is
 * none. */
int oak_scheme_find(const oak_setup_t *setup, oak_scheme_t kind, const char *name);
/** Refuse a key that names no such scheme. Rank-local. */
oak_status_t oak_scheme_check(const oak_setup_t *setup, oak_scheme_t kind, const char *key);
extern const char *const oak_owner_name[2]; /**< "physics", "problem" */
/** Whether a module has the constant \a name, which is then copied. */
int oak_setup_constant(oak_setup_t *setup, oak_module_t *module, const char *name, void *dst,
                       size_t bytes);
/** Whether a file has a hook that it may lack: "physics_source", "problem_region". */
int oak_has_hook(const oak_setup_t *setup, const char *name);
/** Whether a vector on faces changes by ELECTRIC_FIELD. */
#define OAK_HAS_ELECTRIC(setup) \
  ((setup)->fields.nvector && oak_has_hook(setup, "physics_electric_field"))
/** Constants that tell kernels which hooks there are. */
void oak_print_hooks(const oak_setup_t *setup, FILE *f);
/** Refuse a key that the user has set, because \a reason; NULL: it has an effect. */
oak_status_t oak_key_unused(const oak_setup_t *setup, const char *key, const char *reason);
/** oak_key_unused for all keys of a section, up to the next entry of \a keys that is no key. */
oak_status_t oak_keys_unused(const oak_setup_t *setup, const oak_param_desc_t *keys,
                             const char *reason);

/* hook_text.c */
/** The text in front of the files, to be freed: parameters, and which hooks there are. \a purpose:
 * OAK_FOR_KERNELS, OAK_TO_DESCRIBE or OAK_TO_DECLARE. */
oak_status_t oak_setup_hook_text(const oak_setup_t *setup, int purpose, char **out);

/* mistakes.c */
/** If \a st is the failure of a build because of an unknown scalar or of an index that is too large
 * in 2D, say so in the words of the user. \return st. Rank-local. */
oak_status_t oak_explain_names(const oak_setup_t *setup, oak_status_t st);
/** Refuse variables in the files of physics and problem that hooks write to. \a module: the one
 * that describes the files. Rank-local. */
oak_status_t oak_setup_check_statics(const oak_setup_t *setup, oak_module_t *module);
/** Refuse stored fields that hooks read and that nothing sets. \a set: those that were set.
 * Rank-local. */
oak_status_t oak_setup_check_fields(const oak_setup_t *setup, const char *set);

/* kernels.c */
oak_status_t oak_setup_build(oak_setup_t *setup);
oak_status_t oak_setup_upload_parameters(oak_setup_t *setup);
/** Give the kernels changed values of parameters. Rank-local. */
oak_status_t oak_setup_change_parameters(oak_setup_t *setup);
/** Give the kernels the values of the globals, \a value [description.nglobal]. Rank-local. */
oak_status_t oak_setup_upload_globals(oak_setup_t *setup, const double *value);
/** Unload the kernels, and free parameters and boundary conditions. */
void oak_setup_unload(oak_setup_t *setup);
