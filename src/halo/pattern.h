/* SPDX-License-Identifier: GPL-2.0-or-later
 * The pattern of ghost cells of a mesh. It says where the ghost cells of each face of each block
 * are, and what travels between ranks (paper, "Ghost cell exchange"). Ghost cells that are not
 * cells of another block must be computed; the pattern lists this work. It is built once per mesh
 * revision and serves every field: places are counted in blocks, slots or pieces, and the field
 * gives their size in bytes (halo/exchange.h).
 *
 * A halo buffer, in pieces; a slot has 2^(d-1) of them:
 *   round 1 received   per rank: slots of same-level faces, then pieces of restricted faces
 *   round 2 received   per rank: slots of interpolated faces
 *   local slots        restricted, interpolated and boundary faces whose data is made here
 *   local edges        the same for edges, a piece each, where the pattern has edges
 *   round 1 sent, round 2 sent; what peers need of round 2 is read from there
 * Slots are received in place. Private. */
#pragma once

#include "mesh/mesh.h"
#include "oak/kernel_args.h"
#include "transport/messages.h"

/** A list on the host and its copy on the device. All lists are parts of one piece of memory. */
typedef struct {
  int count;
  size_t size; /**< bytes of one entry */
  void *host;
  void *device;
} oak_list_t;

/** Flux fixing: the averages that this rank makes and the coarse faces that they correct. */
typedef struct {
  oak_list_t fine;      /**< oak_fine_face_t */
  oak_list_t coarse[3]; /**< oak_coarse_face_t per direction */
  oak_route_t route;    /**< route of pieces, for ranks that are not peers */
  int nbflux;           /**< faces at refinement boundaries */
  int npiece;           /**< averages */
  int meet;             /**< some rank of this host reads averages of a peer */
} oak_flux_pattern_t;

typedef struct {
  long revision; /**< revision of the mesh it was built for, -1: none */
  int dim, block_size[3], layers;
  int edges;         /**< edges of a block with ghost cells: 0, or 4 corners, or 12 edges */
  oak_list_t face;   /**< oak_face_t [nblock][2 dim] */
  oak_list_t edge;   /**< oak_face_t [nblock][edges] */
  oak_list_t make1;  /**< tasks before the messages of round 1 leave: sends, local restriction,
                        boundaries */
  oak_list_t unpack; /**< tasks after they arrived */
  oak_list_t make2;  /**< interpolation that needs no data from a message */
  oak_list_t late2;  /**< interpolation that needs data of round 1 */
  oak_list_t last; /**< edges at the physical boundary, which need the ghost cells of both rounds */
  oak_list_t inner; /**< int: blocks none of whose ghost cells needs a message, of either round */
  oak_list_t outer; /**< int: the others. Both are empty where there are no messages */
  oak_route_t round1, round2;
  int64_t pieces;         /**< pieces of a halo buffer */
  unsigned char *contact; /**< [peers] whether this rank reads from a peer */
  int meet2;              /**< some rank of this host reads slots of a peer */
  oak_flux_pattern_t flux;
  void *table_host, *table; /**< memory of all lists, the same where host and device share it */
  int64_t table_bytes, table_capacity;
} oak_pattern_t;

/** Check the cells of a block along each axis, N, and the ghost layers, G: N is even and at least
 * 4, and G <= N. With refinement 2 G <= N, because the averaged ghost cells of a coarse block come
 * from one fine block across the face. */
oak_status_t oak_pattern_check(int dim, const int block_size[3], int layers, int refined);

oak_status_t oak_pattern_init(oak_pattern_t *pattern, const oak_transport_t *transport, int dim,
                              const int block_size[3], int layers);
/** Have ghost cells beyond edges (2D: corners) too, from the next update on. */
void oak_pattern_add_edges(oak_pattern_t *pattern);
void oak_pattern_clear(oak_pattern_t *pattern, oak_device_t *dev);

/** Rebuild everything if the mesh revision changed. Collective; *changed (which may be NULL) says
 * whether it was. */
oak_status_t oak_pattern_update(oak_pattern_t *pattern, oak_transport_t *transport,
                                const oak_mesh_t *mesh, int *changed);

/** Memory for lists of so many bytes, kept where it fits; contents are lost. Not collective. */
oak_status_t oak_pattern_fit_tables(oak_pattern_t *pattern, oak_device_t *dev, int64_t bytes,
                                    int nblock);
/** Send the lists to the device. Not collective. */
oak_status_t oak_pattern_upload(const oak_pattern_t *pattern, oak_device_t *dev);

/** Room, in cells per component, for a block, a piece of a halo buffer, and an average for flux
 * fixing. Pieces and averages have the size that the largest face of a block needs. */
int64_t oak_pattern_block_cells(const oak_pattern_t *pattern);
int64_t oak_pattern_piece_cells(const oak_pattern_t *pattern);
int64_t oak_pattern_average_cells(const oak_pattern_t *pattern);
