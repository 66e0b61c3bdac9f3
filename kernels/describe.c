/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a physics and a problem file declare, as constants that the host reads before it builds the
 * kernels of the run. Most are left where the files declare something (kernels/hooks.h). */
OAK_CONST_DATA int oak_describe_nvar = PHYSICS_NVAR;
OAK_CONST_DATA int oak_describe_mass = PHYSICS_MASS;
OAK_CONST_DATA int oak_describe_normal[3] = {PHYSICS_NORMAL(0), PHYSICS_NORMAL(1),
                                             PHYSICS_NORMAL(2)};
