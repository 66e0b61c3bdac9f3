/* SPDX-License-Identifier: GPL-2.0-or-later
 * The forms of the flux kernel, and the part of the mesh that an iteration computes. */
#pragma once

#include "kernels/hooks/user.h"

/* SHARED_BYTES: shared memory of `lanes` lanes, each with `numbers` numbers of each variable. */
#define BYTES_double 8
#define BYTES_float 4
#define BYTES_OF(type) BYTES_##type
#define SHARED_BYTES(type, lanes, numbers) (NVAR * (lanes) * (numbers)*BYTES_OF(type))
/* WIDE: 1 if stored numbers are wider than those of a tile. */
#ifdef OAK_SUM
#define WIDE 1
#else
#define WIDE 0
#endif
/* TILE_FITS: 1 if a GPU has room for a tile (tile.h) with so many shared numbers. */
#define TILE_FITS(numbers) \
  (SHARED_BYTES(OAK_REAL, OAK_TILE_X * OAK_TILE_Y, numbers) <= OAK_SHARED_BYTES)

/* Whether the flux kernel goes cell by cell (cells.h) instead of tile by tile. On GPUs this is
 * faster in 2D with few variables: to compute a flux twice then costs less than to let lanes wait
 * for each other (docs/performance.md). With very many variables no tile fits. */
#ifndef OAK_FLUX_CELLS
#define OAK_FLUX_CELLS \
  (OAK_CELL_LOOPS || (OAK_MANY_THREADS && ((OAK_DIM == 2 && NVAR <= 2) || !TILE_FITS(7))))
#endif
/* Lanes that a multiprocessor of a GPU should hold at a time. With more lanes, others work while
 * one waits; with fewer, each has more registers. More lanes than those whose numbers find room
 * only lose registers. Measured on an H100 and an H200 (docs/performance.md). */
#ifndef OAK_RESIDENT_LANES
#define LANE_NUMBERS (OAK_RADIUS > 1 ? 8 : 10 + 3 * WIDE)
#define ROOMY_LANES (OAK_SHARED_BYTES / SHARED_BYTES(OAK_REAL, 1, LANE_NUMBERS) / 256 * 256)
#define OAK_RESIDENT_LANES                    \
  (OAK_FLUX_CELLS ? (NVAR > 2         ? 256   \
                     : OAK_RADIUS > 1 ? 512   \
                                      : 1024) \
   : NVAR <= 2 || (OAK_DIM == 2 && NVAR <= 7) \
       ? 1024                                 \
       : OAK_MAX(OAK_MIN(ROOMY_LANES, sizeof(real) == 4 ? 768 : 512), 256))
#endif
/* RESIDENT: number of tiles that a multiprocessor holds at a time, at most 32. It limits the
 * registers of a lane. A tile takes whole warps. */
#define RESIDENT OAK_MIN(OAK_MAX(OAK_RESIDENT_LANES / ((LANES + 31) / 32 * 32), 1), 32)
#define TX OAK_TILE_X
#define TY OAK_TILE_Y
enum { TILES_X = OAK_NX / TX, TILES = TILES_X * (OAK_NY / TY) };

/* The place of an iteration: iterations in order are parts of a tile, tiles of a block, blocks. */
typedef struct {
  long block;
  int tile, part;
  long result; /* place of the results, [block][tile][part] */
} flux_place_t;

OAK_FN flux_place_t flux_place(const oak_flux_args_t *arg, long m) {
  const unsigned n = (unsigned)m >> arg->part_bits; /* GPUs divide 64 bits slowly */
  flux_place_t p;
  p.part = (int)((unsigned)m - (n << arg->part_bits));
  p.tile = (int)(n % TILES);
  p.block = oak_listed(&arg->f, n / TILES);
  p.result = (((unsigned)p.block * TILES + (unsigned)p.tile) << arg->part_bits) + (unsigned)p.part;
  return p;
}

/* Keep the flux through one face of cell x[] if it is at a refinement boundary. */
OAK_FN void keep_flux(const oak_field_t *f, sum_t *bflux, long block, int face, const int x[3],
                      const real flux[]) {
  const int dir = face / 2;
  if (x[dir] != (face & 1 ? OAK_ALONG(dir) - 1 : 0)) return;
  const int slot = f->face[block * OAK_FACES + face].bflux;
  if (slot < 0) return;
  const int a = x[dir == 0 ? 1 : 0], b = dir == 2 ? x[1] : x[2];
  sum_t *p = bflux + (long long)slot * NVAR * FACE_ROOM + b * FA(dir) + a;
  OAK_FOR(v, NVAR) p[v * FACE_CELLS(dir)] = flux[v];
}
