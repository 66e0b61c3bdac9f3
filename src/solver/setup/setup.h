/* SPDX-License-Identifier: GPL-2.0-or-later
 * What src/solver/setup does for a simulation: from the files of physics and problem to kernels.
 * Private to src/solver. */
#ifndef OAK_SOLVER_SETUP_H
#define OAK_SOLVER_SETUP_H

#include "oak.h"
#include "oak/device.h"
#include "oak/kernel_args.h"

/* setup/numerics.c */
/** The chosen limiter's radius, from numerics/limiters.h. */
oak_status_t oak_sim_find_limiter(const oak_t *sim, int *radius);
/** Refuse a flux that neither numerics/riemann.h nor the physics has. */
oak_status_t oak_sim_check_flux(const oak_t *sim);

/** Keep the names of all Riemann solvers, those of the physics if its description has them: \a
 * module. Rank-local. */
oak_status_t oak_sim_find_riemann(oak_t *sim, oak_module_t *module);

/* setup/sources.c */
/** The physics and problem files, what they declare, and the flux in them. Rank-local. */
oak_status_t oak_sim_find_files(oak_t *sim);
/** Build the module of kernels/NAME.c. Collective. */
oak_status_t oak_sim_build_module(oak_t *sim, const char *name, oak_module_t **out);
/** The same of the files \a part of the source root and a file of the caller's own, if any.
 * \a time: oak_source_t. */
oak_status_t oak_sim_build_files(oak_t *sim, const char *name, const char *const *part,
                                 const int *time, int npart, const char *extra, oak_module_t **out);

/* setup/describe.c */
oak_status_t oak_sim_describe(oak_t *sim);
/** Whether a file has a hook that it may lack: "physics_source", "problem_region". */
int oak_has_hook(const oak_t *sim, const char *name);
/** Constants that tell kernels which hooks there are. */
void oak_print_hooks(const oak_t *sim, FILE *f);

/* setup/constants.c */
/** Whether a module has the constant \a name, which is then copied. */
int oak_sim_constant(oak_t *sim, oak_module_t *module, const char *name, void *dst, size_t bytes);
/** Whether a module has what kernels/hooks.h leaves of a declaration, oak_has_NAME. */
int oak_sim_has(oak_t *sim, oak_module_t *module, const char *name);

/* setup/hook_text.c */
/** The text in front of the files, to be freed: parameters, and which hooks there are. \a describe:
 * for the unit that tells what the files declare. */
oak_status_t oak_sim_hook_text(const oak_t *sim, int describe, char **out);

/* setup/scalars.c */
/** Read physics.scalars; print its constants for the kernels. Rank-local. */
oak_status_t oak_scalars_read(oak_t *sim);
void oak_scalars_print(const oak_t *sim, FILE *f);
/** Add the scalars to the variables of the physics, of which \a mass carries them. Rank-local. */
oak_status_t oak_scalars_describe(oak_t *sim, int mass);

/* setup/names.c */
/** If \a st is the failure of a build because of an unknown name, add the names of the variables of
 * the physics to the message. \return st. Rank-local. */
oak_status_t oak_explain_names(const oak_t *sim, oak_status_t st);

/* setup/kernels.c */
oak_status_t oak_sim_build(oak_t *sim);
oak_status_t oak_sim_upload_parameters(oak_t *sim);
/** The same after a change of their values. Rank-local. */
oak_status_t oak_sim_change_parameters(oak_t *sim);
/** Give the kernels the values of the globals, \a value [description.nglobal]. Rank-local. */
oak_status_t oak_sim_upload_globals(oak_t *sim, const double *value);
/** Unload all modules and free the parameters. */
void oak_sim_unload(oak_t *sim);

/* setup/boundary.c */
/** Declare keys per variable; needs the description. */
oak_status_t oak_boundary_declare(oak_t *sim);
oak_status_t oak_boundary_read(oak_t *sim, oak_bc_t *bc, int periodic[3]);

#endif
