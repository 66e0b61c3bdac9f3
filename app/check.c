/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak check: have the hooks of a physics the properties that hold for every physics? */
#include <oak.h>

#include "commands.h"

static oak_status_t check(oak_arguments_t *a) {
  int failures = 0;
  char name[PATH_MAX];
  oak_params_t *params;
  OAK_CHECK(snprintf(name, sizeof name, "physics.name=%s", a->word[0]) < (int)sizeof name,
            OAK_ERR_INPUT, "the name of the physics is too long");
  OAK_TRY(oak_agree(MPI_COMM_WORLD, oak_params_new(&params)));
  oak_status_t st = oak_params_assign(params, name, "command line");
  if (st == OAK_OK) st = oak_params_assign_all(params, a->nword - 1, a->word + 1, "command line");
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK) st = oak_check_physics(MPI_COMM_WORLD, params, stdout, &failures);
  if (st == OAK_OK && a->rank == 0)
    printf(failures ? "%d identities do not hold\n" : "all identities hold\n", failures);
  oak_params_destroy(&params);
  a->code = failures > 0;
  return st;
}

const oak_command_t oak_command_check = {
    .name = "check",
    .summary = "check the equations of a physics file on random states",
    .usage = "PHYSICS [section.key=value ...]",
    .help =
        "Checks the hooks of a physics on random states. PHYSICS is a physics that comes with\n"
        "oak, such as euler, or a C file such as ./my_physics.c. Keys of [physics] set its\n"
        "parameters. With mesh.dim=3 the check is done in 3D. These properties are checked:\n"
        "\n"
        "  conversion     TO_PRIMITIVE is the inverse of TO_CONSERVED\n"
        "  VALID          a state that contains NaN is refused\n"
        "  eigenvalues    the eigenvalues of d FLUX / d u are real and lie between the\n"
        "                 WAVE_SPEEDS; the speed that a Riemann solver returns is not lower\n"
        "  step           a first-order step with CFL number 1 leaves a state that VALID accepts\n"
        "  f(q, q)        between two equal states each Riemann solver gives FLUX\n"
        "  mirror image   FLUX, WAVE_SPEEDS and Riemann solvers give the mirror image of the\n"
        "                 flux, if the variables that PHYSICS_NORMAL or PHYSICS_MIRROR names\n"
        "                 change their sign\n"
        "  rotation       the equations are the same along all axes\n"
        "  vectors        FLUX turns with the vectors that PHYSICS_VECTORS names, and the flux of\n"
        "                 momentum is symmetric: mesh.coordinates other than cartesian need both\n",
    .after =
        "exit status: 0 all of them hold, 1 some do not hold, 2 wrong usage\n"
        "\n"
        "examples:\n"
        "  oak check euler\n"
        "  oak check ./my_physics.c physics.gravity=1\n",
    .least = 1,
    .most = OAK_ANY_NUMBER,
    .run = check};
