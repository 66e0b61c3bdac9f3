/* SPDX-License-Identifier: GPL-2.0-or-later
 * Structures that the host and the kernels of elliptic equations share (kernels/multigrid). They
 * compute in double precision, whatever the precision of the run. */
#pragma once

#include "oak/kernel_args.h"

/** A fine face at a refinement boundary. */
typedef struct {
  int block, face;
  int bflux; /**< slot of the ghost values */
  int piece; /**< piece for the averages of the fluxes */
} oak_elliptic_fine_t;

/** The place of a block on the next coarser level: part of its parent, or the same block. */
typedef struct {
  int coarse; /**< coarse block; remote parent: place among the blocks to be sent */
  int child;  /**< number of the child in the coarse block; -1: same block */
  int remote; /**< whether the parent is on another rank */
  int unused;
} oak_elliptic_move_t;

/** Blocks of one level that follow each other along an axis. */
typedef struct {
  int first, count; /**< place in the list of the blocks of all chains */
  int round;        /**< whether the last block is beside the first one */
} oak_elliptic_chain_t;

/** div(a grad u) - b u = rhs on one level. Ghost values of u at a refinement boundary are in
 * `ghost`. The flux there is a on the face times the difference between ghost value and cell, the
 * same on both sides. */
typedef struct {
  oak_field_t f;  /**< u, one component */
  oak_field_t c;  /**< a of the cells, on the finest level, where the coefficients are fields */
  const real *bs; /**< b of the cells there, [nblock][N^d] */
  real *low[3];   /**< a on the lower faces of cells along each axis, [nblock][N^d] */
  real *high;     /**< a on the upper faces of blocks, [nblock][N^d], of which d N^(d-1) are used */
  real *u;        /**< the values of f, to be changed */
  const real *rhs;
  real *res;         /**< rhs minus the left-hand side */
  real *ghost;       /**< [bflux slot][N^(d-1)] */
  double a, b;       /**< coefficients that are constants */
  double outside[6]; /**< at the boundary of the domain: 1 if u is given there, -1 its derivative */
  double share[3];   /**< size of a cell of level 0 along each axis over the extent of the domain */
  int colour;        /**< colour of the cells to change: 0 or 1 */
  int zero;  /**< u counts as 0, and its values are not read (smooth, constant coefficients) */
  int least; /**< blocks of a lower level rest: smoothing leaves them as they are, and their
              * residual is their right-hand side */
  /* refinement boundaries */
  const oak_elliptic_fine_t *fine;
  const oak_coarse_face_t *coarse;
  real *piece; /**< averages of fluxes */
  const real *const *peer_piece;
  /* boundary of the domain: what is given on faces of cells */
  const int *outer; /**< [nblock][2 d] place among faces of the boundary, -1: none */
  real *given;      /**< [place][N^(d-1)] */
  int face;         /**< the face that the kernel works on */
  int axis;         /**< axis of the derivative, or of lines to be solved */
  /* bodies */
  const real *cut; /**< on faces, [nblock][OAK_FACE_REALS]: 0, or the way from the centre of the
                    * cell outside an electrode to its surface, over the distance of the centres of
                    * both cells; OAK_DIELECTRIC_CUT between a dielectric and a gas. It is negative
                    * if the body is below the face */
  const real *pin; /**< [nblock][N^d] 1 in cells whose centre is in an electrode, minus the
                    * permittivity in those of dielectrics, else 0 */
  real *wall;      /**< on such faces: the potential of the electrode, or the right-hand side in the
                    * dielectric's cell that lies on this face as surface charge */
  int top;         /**< finest level: cells in electrodes have their potential */
  /* lines that continue from block to block along `axis` */
  const oak_elliptic_chain_t *chain;
  const int *link; /**< the blocks of all chains */
  real *line;      /**< [3][nblock][N^d] */
  long nline;      /**< nblock N^d */
} oak_elliptic_args_t;

/** Arguments of transfer from a level to the next coarser one and back. */
typedef struct {
  oak_field_t coarse; /**< u of the coarse level */
  const oak_elliptic_move_t *move;
  const real *from; /**< restriction: values of the fine level; unpack: received values */
  real *to;
  real *remote; /**< [child][N^d] values from or to other ranks */
  int add;      /**< 1: interpolation adds to the values that are there; 0: it replaces them */
  int axis;     /**< axis of faces that merge_faces averages; d: faces in `high` */
  double outside[6];
  const real *low[3], *high; /**< a on faces of the coarse level, where it is a field */
  oak_field_t fine;          /**< positions of the blocks whose values are averaged */
} oak_elliptic_move_args_t;

/** Arguments of the residual for the next coarser level. */
typedef struct {
  oak_elliptic_args_t e;
  oak_elliptic_move_args_t move;
} oak_elliptic_down_args_t;

/** Arguments of y = p x + q y + s. */
typedef struct {
  const real *x;
  real *y;
  double p, q, s;
} oak_elliptic_combine_args_t;

/** Sums over each block: the largest |x|, the sum of x, of x y, and of x x. Sums contain the volume
 * of a cell over the product of its sizes in coordinates. */
enum { OAK_ELLIPTIC_SUMS = 4 };
typedef struct {
  const real *x, *y;
  double *out;   /**< [nblock][OAK_ELLIPTIC_SUMS] */
  oak_field_t f; /**< positions of the blocks */
} oak_elliptic_sums_args_t;

/** Multigrid on the blocks of level 0 as one array of cells, by a single team of lanes. */
#ifndef OAK_FAST_REALS /* a device with less fast memory defines a smaller number */
#define OAK_FAST_REALS 9600
#endif
enum { OAK_ELLIPTIC_FLAT_LEVELS = 24, OAK_ELLIPTIC_FLAT_SHARED = OAK_FAST_REALS };
typedef struct {
  int trees[3], periodic[3];
  int levels;                         /**< number of arrays, each with half the cells per axis */
  int n[OAK_ELLIPTIC_FLAT_LEVELS][3]; /**< cells along the axes */
  long long start[OAK_ELLIPTIC_FLAT_LEVELS]; /**< first number of a level in the arrays */
  long long all;                             /**< cells of all arrays */
  double outside[6];
  double a, b;
  int singular; /**< whether u is determined up to a constant */
  int sweeps;   /**< on the coarsest array, if it is not solved directly */
  int band; /**< cells of the coarsest array that are solved with one: those between a cell and its
             * farthest neighbour; 0: not directly */
  int along, folded; /**< the axis along which the cells follow last; 1: it is periodic, and both of
                      * its ends come first */
  real *lu;          /**< [cells][2 band + 1] factors of its matrix, then [cells] the solution */
  int first, count;  /**< blocks of this rank */
  const int *number; /**< [tz][ty][tx] number of a block */
  const real *rhs;   /**< [all blocks][N^d] */
  const real *low[3], *high, *bs; /**< [all blocks][N^d], where the coefficients are fields */
  real *u;                        /**< [blocks of this rank][N^d] */
  real *fu, *fr;                  /**< values and right-hand sides of all arrays */
  real *fa, *fb; /**< a on each face, [2 d][cells of all arrays], and b of all arrays, where
                  * they are fields */
  double dx0[3], axis, theta; /**< axis: oak_field_t; theta: lower end */
  int smooth; /**< sweeps on all but the coarsest array, if smoothing solves lines elsewhere */
} oak_elliptic_flat_args_t;

/** Multipoles: the potential far from a right-hand side that is zero there. In 3D, moments and
 * coefficients are numbered by monomials x^a y^b z^c, a + b + c <= OAK_ELLIPTIC_POLES, in the order
 * of a, then of b + c. OAK_PAIRS and OAK_MONOMIALS are numbers of monomials up to a degree. In 2D,
 * number 2 l is the real and 2 l + 1 the imaginary part of the moment of (x + i y)^l; in (r, z) and
 * (r, theta) moments are real. Moments of a block in 2D are first about its own centre, numbered by
 * OAK_PLANAR; the centre and half of the diagonal follow them. */
#define OAK_ELLIPTIC_POLES(dim) ((dim) == 3 ? 6 : 12)
#define OAK_PAIRS(degree) (((degree) + 1) * ((degree) + 2) / 2)
#define OAK_MONOMIALS(degree) (OAK_PAIRS(degree) * ((degree) + 3) / 3)
#define OAK_PAIR(b, c) (OAK_PAIRS((b) + (c)-1) + (c))
#define OAK_MONOMIAL(a, b, c)                                                          \
  (OAK_MONOMIALS(OAK_ELLIPTIC_POLES(3)) - OAK_MONOMIALS(OAK_ELLIPTIC_POLES(3) - (a)) + \
   OAK_PAIR(b, c))
#define OAK_PLANAR(l, imaginary) (16 * (imaginary) + (l) % 2 * 8 + (l) / 2)
/** Moments of a chunk of blocks are [OAK_MOMENT_ROWS][OAK_MOMENT_ROW]. A row is a little longer
 * than a chunk, because arrays whose distance is a power of two would share few sets of the cache.
 */
#define OAK_MOMENT_ROWS(dim) ((dim) == 3 ? OAK_ELLIPTIC_MOMENTS : 35)
#define OAK_MOMENT_ROW (OAK_ELLIPTIC_CHUNK + 8)
#define OAK_MOMENT_CHUNKS(n) (((n) + OAK_ELLIPTIC_CHUNK - 1) / OAK_ELLIPTIC_CHUNK)
enum {
  OAK_ELLIPTIC_MOMENTS = 84, /**< largest number of moments */
  OAK_ELLIPTIC_RINGS = 12,   /**< in (r, z) and (r, theta): the degree */
  OAK_ELLIPTIC_PARTS = 2,    /**< parts of a moment, added separately */
  OAK_ELLIPTIC_CHUNK = 64    /**< blocks that are added in one iteration */
};
typedef struct {
  oak_field_t f;
  const real *rhs;
  double center[3], scale; /**< coordinates are relative to center and multiplied by scale */
  double *out;             /**< [chunk] as above */
  double volume;           /**< in 2D: of a cell over (half a block's diagonal)^2 */
  const double *power; /**< in 2D: the parts of (x + i y)^l in the upper right quarter of a block
                        * about its centre, [4][cell][8] */
  double coefficient[OAK_ELLIPTIC_MOMENTS]; /**< coefficients of the potential */
  double logarithm;                         /**< in 2D the coefficient of ln(r) */
  const int *outer;                         /**< faces at the boundary: block times 2 d + face */
  real *given;                              /**< as in oak_elliptic_args_t */
} oak_elliptic_poles_args_t;

/** Sums over chunks of blocks. */
typedef struct {
  double *moment;  /**< moments of all blocks; 0 beyond the last one */
  double *largest; /**< [blocks] upper bound of the moments */
  long blocks;
  double round[OAK_ELLIPTIC_PARTS]; /**< this number is added to a moment and subtracted again,
                                       which rounds to a multiple of a power of two */
  double *out;                      /**< [chunk][OAK_ELLIPTIC_PARTS][OAK_ELLIPTIC_MOMENTS] */
} oak_elliptic_moment_sums_args_t;
