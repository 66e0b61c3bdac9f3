/* SPDX-License-Identifier: GPL-2.0-or-later
 * Keys that several kinds of output have, for the tables of their keys. Private. */
#pragma once

#include "base/params_entries.h"

#define OAK_KEY_VARIABLES                                                                     \
  TEXT("output.NAME.variables", "",                                                           \
       "Variables, blank-separated; empty: all of the physics and fields, for a picture the " \
       "first. A "                                                                            \
       "picture shows one variable: several make as many pictures.")
#define OAK_KEY_PRECISION \
  CHOICE("output.NAME.precision", "double", "double single", "Precision of the values in files.")
#define OAK_KEY_REGION                                                                           \
  TEXT("output.NAME.region", "",                                                                 \
       "Lower and then upper corner of the part of the domain that is written, all coordinates " \
       "in one line; empty: all of it. xdmf, vtkhdf: the blocks that touch it; plotfile: the "   \
       "same, and averages elsewhere; picture: exactly this part; slice, history: the cells "    \
       "whose centres lie in it.")
#define OAK_KEY_DIELECTRICS                                                                     \
  BOOL("output.NAME.dielectrics", "yes",                                                        \
       "There are values in bodies of the kind dielectric; no: they are left out, as in other " \
       "solids.")
#define OAK_KEY_AXIS                                                                             \
  CHOICE("output.NAME.axis", "z", "x y z r theta phi",                                           \
         "In 3D, the axis normal to the plane that is shown; x, y, z are the first, second and " \
         "third "                                                                                \
         "axis in all coordinates.")
#define OAK_KEY_POSITION                          \
  REAL("output.NAME.position", "1/2", 0, 1, NULL, \
       "In 3D, where the plane cuts that axis, as a fraction of the domain: 1/2 is the centre.")
