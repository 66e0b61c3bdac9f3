/* SPDX-License-Identifier: GPL-2.0-or-later
 * If a problem uses an unknown name of a variable, the message lists those that the files
 * enumerate. */
#include <stdio.h>
#include <string.h>

#include "setup/setup.h"

oak_status_t oak_explain_names(const oak_setup_t *setup, oak_status_t st) {
  char names[512] = "", message[8192];
  snprintf(message, sizeof message, "%s", oak_last_error());
  if (st == OAK_ERR_BUILD && setup->dim == 2 &&
      (strstr(message, "array-bounds") || strstr(message, "aggressive-loop")))
    return OAK_FAIL(st,
                    "%s\nIn 2D, at->x and at->dx have no third component: write OAK_DIM == 3 ? "
                    "at->x[2] : 0",
                    message);
  /* The words of gcc, clang and NVRTC for an unknown name. */
  if (st != OAK_ERR_BUILD || !(strstr(message, "undeclared") || strstr(message, "is undefined")))
    return st;
  if (strstr(message, "physics_scalars_has_"))
    return OAK_FAIL(st,
                    "%s\nSCALAR(name) asks for a scalar of the key physics.scalars, which is "
                    "'%s'",
                    message, oak_params_text(setup->params, "physics.scalars"));
  oak_text_enumerators(setup->files.text, names, sizeof names);
  return OAK_FAIL(st,
                  "%s\nVariables of physics.name = %s have the names %s; a name that not every "
                  "physics has can be "
                  "asked for with #ifdef",
                  message, oak_params_text(setup->params, "physics.name"), names);
}
