/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bodies: electrodes, which give u inside the domain, and dielectrics with charge on their surface.
 * Where they are, the caller writes to `cut` and `pin` of each level. */
#include "base/failure.h"
#include "elliptic/elliptic.h"

oak_status_t oak_elliptic_bodies_fit(oak_elliptic_t *e, oak_elliptic_level_t *level) {
  const size_t n = level->mesh->nblock, cells = n * e->cells * sizeof(double);
  const size_t faces = (cells + n * e->face_cells * sizeof(double)) * e->dim;
  if (!e->setup.bodies) return OAK_OK;
  OAK_TRY(oak_elliptic_alloc(e, faces, &level->cut));
  OAK_TRY(oak_elliptic_alloc(e, cells, &level->pin));
  return level->mesh == e->mesh ? oak_elliptic_alloc(e, faces, &level->wall) : OAK_OK;
}

oak_status_t oak_elliptic_charge_surfaces(oak_elliptic_t *e) {
  oak_status_t st = oak_elliptic_on_top(e, e->kernel.shares, 0, e->f);
  oak_keep_failure(&st, oak_elliptic_share_a(e));
  if (st == OAK_OK) st = oak_elliptic_on_top(e, e->kernel.charges, 0, NULL);
  return oak_agree(e->comm, st);
}

oak_status_t oak_elliptic_pin(oak_elliptic_t *e) {
  oak_status_t st = OAK_OK;
  for (int l = e->nlevel - 1; l >= 0 && e->setup.bodies; l--) {
    oak_elliptic_args_t args;
    oak_elliptic_args(e, l, &args);
    if (st == OAK_OK) st = oak_elliptic_launch(e, e->kernel.pin, l, &args);
    if (st == OAK_OK) st = oak_elliptic_launch(e, e->kernel.sever, l, &args);
    if (l > 0)
      oak_keep_failure(&st, oak_elliptic_restrict(e, l, e->level[l].res, e->level[l - 1].res));
  }
  return st;
}

oak_status_t oak_elliptic_add_bodies(oak_elliptic_t *e) {
  return oak_elliptic_on_top(e, e->kernel.terms, 0, NULL);
}

oak_status_t oak_elliptic_wall_slopes(oak_elliptic_t *e, int axis, void *slopes) {
  return oak_elliptic_on_top(e, e->kernel.wall_slopes, axis, slopes);
}

oak_status_t oak_elliptic_means(oak_elliptic_t *e, int axis, void *slopes, void *out) {
  oak_elliptic_args_t args;
  oak_elliptic_args(e, e->nlevel - 1, &args);
  args.axis = axis;
  args.res = slopes;
  args.u = out;
  return oak_elliptic_launch(e, e->kernel.means, e->nlevel - 1, &args);
}
