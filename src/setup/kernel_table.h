/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernels of a run, all in one module. Private to src/solver. */
#pragma once

/** X(name, file in kernels/, time, condition) for each kernel oak_NAME. It is built where the
 * condition holds for `setup`. The time that a compiler takes, in tenths of a second
 * (gcc 12, 3D Euler), decides which files are compiled at the same time. */
#define OAK_KERNEL_TABLE(X)                                                             \
  X(flux, "flux/flux.c", 20, 1)                                                         \
  X(halo, "ghosts/halo.c", 13, 1)                                                       \
  X(adapt, "mesh/adapt.c", 5, 1)                                                        \
  X(refine_flags, "mesh/refine.c", 3, 1)                                                \
  X(fluxfix_average, "flux/fluxfix.c", 1, 1)                                            \
  X(fluxfix_apply, "flux/fluxfix.c", 0, 1)                                              \
  X(initial, "fields/initial.c", 1, oak_has_hook(setup, "problem_initial"))             \
  X(results, "read/read.c", 1, 1)                                                       \
  X(totals, "read/read.c", 1, 1)                                                        \
  X(cells, "read/read.c", 0, 1)                                                         \
  X(measure, "read/read.c", 1, 1)                                                       \
  X(ghosts, "read/read.c", 0, 1)                                                        \
  X(mark, "flux/repair.c", 1, setup->method.first_order)                                \
  X(mark_faces, "flux/repair.c", 1, setup->method.first_order)                          \
  X(repair, "flux/repair.c", 4, setup->method.first_order)                              \
  X(floor, "flux/floor.c", 1, setup->method.floors)                                     \
  X(update, "fields/cells.c", 1, OAK_HAS_HOOK(setup, update))                           \
  X(globals, "fields/cells.c", 1, setup->description.nglobal > 0)                       \
  X(set_field, "fields/fields.c", 1, has_functions(setup))                              \
  X(primitive, "diffusion/diffusion.c", 1, setup->method.diffusion)                     \
  X(diffusion, "diffusion/diffusion.c", 1, setup->method.diffusion)                     \
  X(diffusivity, "diffusion/diffusion.c", 0, setup->method.diffusion)                   \
  X(rkl, "diffusion/diffusion.c", 0, setup->method.diffusion == OAK_DIFFUSION_RKL2)     \
  X(face_fields, "fields/face_fields.c", 1, setup->fields.nface > 0)                    \
  X(edge_fields, "fields/face_vector.c", 2, setup->fields.nvector)                      \
  X(face_stage, "fields/face_vector.c", 1, setup->fields.nvector)                       \
  X(face_means, "fields/face_vector.c", 0, setup->fields.nvector)                       \
  X(electric, "fields/electric.c", 2, OAK_HAS_ELECTRIC(setup))                          \
  X(face_initial, "fields/face_initial.c", 1, has_initial_faces(setup))                 \
  X(face_compare, "fields/face_initial.c", 0, has_initial_faces(setup))                 \
  X(face_start, "fields/face_initial.c", 0, has_initial_faces(setup))                   \
  X(face_divergence, "fields/face_initial.c", 0, has_initial_faces(setup))              \
  X(face_project, "fields/face_initial.c", 0, has_initial_faces(setup))                 \
  X(face_give, "mesh/face_refine.c", 1, has_face_levels(setup))                         \
  X(face_take, "mesh/face_refine.c", 0, has_face_levels(setup))                         \
  X(face_refine, "mesh/face_refine.c", 1, has_face_levels(setup))                       \
  X(face_done, "mesh/face_refine.c", 0, has_face_levels(setup))                         \
  X(poisson_rhs, "fields/poisson.c", 1, setup->equations.count > 0)                     \
  X(poisson_field, "fields/poisson.c", 0, setup->equations.count > 0)                   \
  X(poisson_coefficients, "fields/poisson.c", 0, OAK_EQUATION_HAS(setup, coefficients)) \
  X(poisson_boundary, "fields/poisson.c", 0, OAK_EQUATION_HAS(setup, boundary))         \
  X(poisson_b, "fields/poisson.c", 0, OAK_EQUATION_HAS(setup, b))                       \
  X(body_cuts, "bodies/surfaces.c", 1, oak_has_charged_bodies(setup))                   \
  X(body_potentials, "bodies/surfaces.c", 0, oak_has_charged_bodies(setup))             \
  X(body_permittivity, "bodies/surfaces.c", 0, oak_has_charged_bodies(setup))           \
  X(body_sums, "bodies/surfaces.c", 1, oak_has_charged_bodies(setup))
