/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ghost cell exchange without stored ghost cells (paper, "Ghost cell exchange"). Private.
 *
 * The halo buffer, in reals:
 *   round 1 received   per rank: slots of same-level faces, then compact pieces of restricted faces
 *   round 2 received   per rank: slots of interpolated faces
 *   local slots        restricted, interpolated and boundary faces whose data is made here
 *   round 1 sent, round 2 sent
 * Slots are received in place. */
#ifndef OAK_HALO_H
#define OAK_HALO_H

#include "base/timer.h"
#include "halo/messages.h"
#include "mesh/mesh.h"
#include "oak/device.h"

/** A list of tasks in host order, and its copy on the device; both are parts of the tables. */
typedef struct {
  int count;
  size_t size; /**< bytes of one entry */
  void *host;
  void *device;
} oak_list_t;

typedef struct {
  /* fixed */
  MPI_Comm comm;
  oak_device_t *dev;
  int dim, block_size, layers, nvar, real_size;
  oak_kernel_t *kernel;
  /* pattern of the current mesh */
  long revision;     /**< of the mesh it was built for, -1: none */
  oak_list_t face;   /**< oak_face_t [nblock][2 dim] */
  oak_list_t make1;  /**< tasks before the messages of round 1 leave: sends, local restriction,
                        boundaries */
  oak_list_t unpack; /**< tasks after they arrived */
  oak_list_t make2;  /**< tasks before the messages of round 2 leave */
  void *table_host, *table; /**< memory of all lists, the same where host and device share it */
  int64_t table_bytes, table_capacity;
  oak_messages_t round1, round2;
  void *buffer; /**< device */
  int64_t buffer_reals, buffer_capacity;
  int64_t nslot; /**< slots in use, for reports */
  /* flux fixing */
  oak_list_t fine;      /**< oak_fine_face_t */
  oak_list_t coarse[3]; /**< oak_coarse_face_t per direction */
  oak_messages_t flux_messages;
  void *bflux, *piece; /**< device */
  int64_t nbflux, npiece;
  int64_t bflux_capacity, piece_capacity;
} oak_halo_t;

/** Limits of block size and ghost layers: an even block size of at least 4, as many layers as the
 * block has cells; with refinement twice the layers, since restricted ghost cells of a coarse
 * block come from one fine block across the face. */
oak_status_t oak_halo_check(int block_size, int layers, int refined);

void oak_halo_init(oak_halo_t *halo, MPI_Comm comm, oak_device_t *dev, int dim, int block_size,
                   int layers, int nvar, int real_size);
void oak_halo_clear(oak_halo_t *halo);

/** Rebuild tables, lists and buffers if the mesh revision changed. Collective. */
oak_status_t oak_halo_update_pattern(oak_halo_t *halo, const oak_mesh_t *mesh);

/** Fill all ghost cells of the state in args->f: both rounds. Collective. The caller sets field,
 * boundary conditions and theta. */
oak_status_t oak_halo_fill(oak_halo_t *halo, oak_halo_args_t *args, oak_timers_t *timers);

/** Bytes held on the device. */
int64_t oak_halo_bytes(const oak_halo_t *halo);

#endif
