/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plain structures that host and kernels share. The precision of `real` and `store_t` is chosen
 * when the run starts; on the host pointers to them are therefore void pointers. */
/* clang-format off */
/* Shapes: N = block_size, d = dim, G = ghost layers of the halo slots, V = variables.
 *
 *   u      [block][V][N^d]            interior cells only, x fastest
 *   halo   [slot][V][G][N^(d-1)]      layers by increasing coordinate; cells of a face: x fastest, z slowest
 *   face   [block][2 d]               order -x +x -y +y -z +z
 *   bflux  [bflux slot][V][N^(d-1)]   fluxes in the positive direction of the axis, at refinement boundaries */
/* clang-format on */
#pragma once

#ifdef __cplusplus
#define OAK_ALIGN_16 alignas(16)
#else
#define OAK_ALIGN_16 _Alignas(16)
#endif

/* `real` is the type of arithmetic, `store_t` the type in which states, fields and their ghost
 * cells are stored, `sum_t` the type of a new state, of the rates of change that add up to it, and
 * of fluxes that are kept. They differ in two cases. With scheme.precision = mixed, store_t is
 * float (OAK_STORE). With scheme.precision = single_fluxes, the kernels that compute fluxes have
 * real = float and double for the others (OAK_SUM); all other kernels compute in double. */
#ifdef OAK_REAL
typedef OAK_REAL real;
#ifdef OAK_STORE
typedef OAK_STORE store_t;
#elif defined OAK_SUM
typedef OAK_SUM store_t;
#else
typedef OAK_REAL store_t;
#endif
#ifdef OAK_SUM
typedef OAK_SUM sum_t;
#else
typedef OAK_REAL sum_t;
#endif
#else
typedef void real;
typedef void store_t;
typedef void sum_t;
#endif

/** Digits of a solution, the same in all kernels of a run: the digits of the least exact numbers
 * from which it is computed. */
#ifdef OAK_SUM
#define OAK_DIGITS 7
#else
#define OAK_DIGITS (sizeof(store_t) == 4 ? 7 : 16)
#endif

/** The numbers of mesh.coordinates. */
#define OAK_CARTESIAN 0
#define OAK_AXISYMMETRIC 1
#define OAK_POLAR 2
#define OAK_CYLINDRICAL 3
#define OAK_SPHERICAL 4

/** The place of the ghost cells of one face of a block: in a block of the same level, whose cells
 * are read in place, or in a slot of a halo buffer. The entry does not depend on the number of
 * components of a field or on the Runge-Kutta state that is read, so it serves all fields. */
typedef struct {
  OAK_ALIGN_16 int
      base; /**< memory that `place` refers to, see below. Aligned: one load gets the whole entry */
  int place; /**< number of the block, or where the slot begins in the halo buffer, in pieces */
  int bflux; /**< slot for fluxes if this is a refinement boundary, else -1 */
  int kind;  /**< OAK_FACE_ */
} oak_face_t;

/** The neighbour beyond a face. */
enum { OAK_FACE_SAME, OAK_FACE_FINER, OAK_FACE_COARSER, OAK_FACE_BOUNDARY };

/** Bases. Even ones are states, with blocks; odd ones are halo buffers, with slots. A peer is a
 * rank of the same host whose memory this rank reads in place: peer p has bases OAK_BASE_PEERS + 2
 * p (the same state as the one that is read here) and OAK_BASE_PEERS + 2 p + 1 (its halo buffer).
 */
enum { OAK_BASE_OWN = 0, OAK_BASE_HALO = 1, OAK_BASE_PEERS = 2 };

/** The largest number of parameters of physics and problem together, and the largest size in bytes
 * of texts that their files declare, with the zero at the end
 * (kernels/language/hook_table.h). A GPU has 64 KiB for constants. */
enum {
  OAK_MAX_PARAMETERS = 256,
  OAK_HELP_BYTES = 160,
  OAK_TABLE_BYTES = 256,   /* name of a table's file */
  OAK_VALUES_BYTES = 1024, /* default of an array */
  OAK_UNITS_BYTES = 1024,  /* units of a physics or problem */
  OAK_TITLE_BYTES = 128,
  OAK_NAMES_BYTES = 512
};

/** Words of a table (docs/kernels.md), as bits. */
enum {
  OAK_TABLE_CUBIC = 1,
  OAK_TABLE_LOG_X = 2,
  OAK_TABLE_LOG_Y = 4,
  OAK_TABLE_LOG_VALUE = 8,
  OAK_TABLE_CURVED = OAK_TABLE_LOG_X | OAK_TABLE_LOG_VALUE,
  OAK_TABLE_EXTRAPOLATE = 16,
  OAK_TABLE_ERROR = 32,
  OAK_TABLE_TIME = 64
};

/** Geometry of a block. */
typedef struct {
  double origin[3]; /**< lower corner */
  int level;
  int first; /**< number of blocks of this level from the lower end of the domain along x */
} oak_block_t;

/** The values of a field beside the state, with one component, and its ghost cells: as the members
 * of oak_field_t. */
typedef struct {
  const store_t *u;
  const store_t *halo;
  const store_t *const *peer;
} oak_beside_t;

/** A state of the solution on the mesh, with the data that lead to ghost cells. */
typedef struct {
  const oak_block_t *block;   /**< [nblock] */
  const oak_face_t *face;     /**< [nblock][2 dim] */
  const int *list;            /**< blocks of this launch; NULL: iteration n is block n */
  const store_t *u;           /**< [nblock][V][N^d] */
  const store_t *halo;        /**< halo buffer, in pieces [V][G][(N/2)^(d-1)], 2^(d-1) to a slot */
  const store_t *const *peer; /**< [2 peers] state and halo buffer of each peer */
  const double *user;         /**< parameters: physics, then problem */
  double dx0[3];              /**< cell size at level 0 */
  double inv_dx0[3]; /**< 1 / dx0; times 2^level it is exactly 1 / (cell size), because halving is
                        exact */
  double low[3];     /**< lower end of the domain, in coordinates of the mesh */
  double axis;       /**< cells of level 0 from r = 0 to low[0]; 0 with a logarithmic radius */
  double time;
  double dt;                  /**< the time step that is being taken; 0 between steps */
  long step;                  /**< steps taken so far */
  const oak_beside_t *beside; /**< [fields] fields beside the state; NULL: none */
  short finest;               /**< mesh.max_level */
  short room;                 /**< numbers of a block for each cell behind its components */
  unsigned rounding;          /**< number of the present stage (kernels/access/rounding.h) */
} oak_field_t;

/** One forward Euler step of a Runge-Kutta stage: out = dt F(u) + sum w[i] prev[i]. */
typedef struct {
  oak_field_t f;
  store_t *out; /**< never the state that is read through f.u */
  const store_t *prev[4];
  double w[4];
  int nprev;
  double dt;
  double cfl; /**< CFL number, for limits of hooks */
  sum_t *bflux;
  int part_bits; /**< a tile has 2^part_bits parts along z, which are computed separately */
  int first;     /**< 1: first of the stages whose invalid cells are counted together */
  int rates;     /**< 1: last of these stages, whose rates bound the next time step */
  double *rate;  /**< [block][tile][part] largest sum over dimensions of wave speed / dx */
  int *bad;      /**< [block][tile][part] number of invalid cells */
  const store_t
      *diffusion; /**< [nblock][V][N^d] rate of change by diffusion; only where explicit */
#if !defined OAK_REAL || defined OAK_FACE_VECTOR /* the last member, which others do not see */
  store_t *shares; /**< [nblock][OAK_SHARES][N^d] shares in fields on edges */
#endif
} oak_flux_args_t;

/** The results of the flux kernel in `rate` and `bad`, reduced in chunks of OAK_RESULTS_CHUNK. */
enum { OAK_RESULTS_CHUNK = 4096 };
typedef struct {
  const double *rate;
  const int *bad;
  long count;
  double *out; /**< [chunk][2] largest rate, sum of bad */
} oak_results_args_t;

/** Cells to be computed again with first-order fluxes (kernels/flux/repair.c). The mark of a cell
 * has one bit for each face that gets a first-order flux, and one bit for the cell itself. */
typedef struct {
  oak_field_t f;       /**< the state that a stage has made */
  store_t *u;          /**< the same state, to be changed */
  unsigned char *mark; /**< [nblock][N^d] */
  int *marked;         /**< [nblock] invalid cells so far in this stage (oak_mark_faces) */
  int *touched;        /**< [nblock] cells to be computed again (oak_mark_faces) */
  int first;           /**< 1: there are no marks yet */
} oak_mark_args_t;

typedef struct {
  oak_flux_args_t stage;
#if defined OAK_REAL && !defined OAK_FACE_VECTOR
  void *unused; /* in the place of stage.shares */
#endif
  const unsigned char *mark; /**< [nblock][N^d] */
  const int *touched;        /**< [nblock] */
} oak_repair_args_t;

typedef struct {
  oak_field_t f;
  store_t *u;   /**< state to change */
  int *changed; /**< [nblock] cells that were below a floor */
  int *bad;     /**< [block][tile] cells that are still invalid */
} oak_floor_args_t;

/** One task of a halo round. Local slots and send buffers are filled by the same tasks and the same
 * code, so the result cannot depend on the distribution over ranks. */
typedef struct {
  int dst;    /**< begin of the slot or piece in `halo`, in pieces */
  int base;   /**< memory of the source, as in oak_face_t */
  int source; /**< block there (BOUNDARY: the block itself); UNPACK: begin of the piece */
  int face;   /**< face of the receiving block */
  int sub; /**< position of the fine block in the face of the coarse one: bit 0 first, bit 1 second
              axis */
  int kind;
  int block; /**< block of this rank: the target or the source */
} oak_halo_task_t;

enum {
  OAK_HALO_COPY,     /**< SRL: copy layers next to the face into a slot */
  OAK_HALO_RESTRICT, /**< F2C: average fine cells into a piece of a slot */
  OAK_HALO_PACK,     /**< F2C: average fine cells into a compact piece for another rank */
  OAK_HALO_UNPACK,   /**< F2C: copy a compact piece into its place in a slot */
  OAK_HALO_PROLONG,  /**< C2F: interpolate coarse cells into a slot */
  OAK_HALO_BOUNDARY, /**< BC: physical boundary */
  /* Tasks for edges (2D: corners); `face` is the number of the edge. */
  OAK_HALO_EDGE_COPY,
  OAK_HALO_EDGE_RESTRICT, /**< `sub`: which half of the edge */
  OAK_HALO_EDGE_PACK,
  OAK_HALO_EDGE_UNPACK,
  OAK_HALO_EDGE_PROLONG,  /**< `sub`: half of the coarse block along each axis, bit by bit */
  OAK_HALO_EDGE_BOUNDARY, /**< `sub`: which of the edge's two axes leaves the domain */
  OAK_HALO_EDGE_OPPOSITE  /**< beyond a pole: copy, with the signs of vectors */
};

/** Boundary conditions of one face and variable. */
enum {
  OAK_BC_DIRICHLET,  /**< value on the face */
  OAK_BC_NEUMANN,    /**< outward normal derivative on the face */
  OAK_BC_MIRROR,     /**< even continuation */
  OAK_BC_ANTIMIRROR, /**< odd continuation */
  OAK_BC_COPY,       /**< value of the last interior cell */
  OAK_BC_ORIGIN,     /**< r = 0 of spherical coordinates: vectors continue along straight lines */
  OAK_BC_USER_DIRICHLET, /**< value on the face from the problem's boundary function */
  OAK_BC_USER_NEUMANN,
  OAK_BC_USER_STATE, /**< whole ghost state from the problem's boundary function */
  OAK_BC_NAMED       /**< the first of the conditions that have no number here */
};

typedef struct {
  double value;
  int kind;
  int unused;
} oak_bc_t;

/** How a field is interpolated from coarse to fine cells. */
enum {
  OAK_INTERPOLATE_STATE, /**< limited slopes, and a valid state of the physics: for the solution */
  OAK_INTERPOLATE_LIMITED,  /**< limited slopes, each component separately */
  OAK_INTERPOLATE_COPY,     /**< the coarse cell's value: for masks and numbers */
  OAK_INTERPOLATE_EDGES,    /**< shares in fields on edges: only from fine to coarse cells */
  OAK_INTERPOLATE_QUADRATIC /**< along the face alone: only in the kernels of elliptic equations */
};

typedef struct {
  oak_field_t f;
  store_t *halo;               /**< the same buffer as f.halo */
  const oak_halo_task_t *task; /**< [n] */
  const oak_bc_t *bc;          /**< [2 dim][components] */
  double theta;                /**< limiter of the interpolation */
  int components;              /**< components of the field `f` */
  int interpolation;
  int faces; /**< 1: no ghost cells beyond edges */
  /* Elliptic equations: the coefficient of cells, and on their faces (oak_elliptic_args_t). NULL:
   * constant, or not used. */
  const double *a, *low[3], *high;
  int least; /**< elliptic: ghost cells of blocks of a lower level are not needed */
  int inner; /**< elliptic: ghost cells at the boundary are not needed */
  int still; /**< elliptic: ghost cells where levels meet stay as they are */
} oak_halo_args_t;

/** Mesh adaptation: block n of the new mesh comes from block(s) of the old one. */
typedef struct {
  int source; /**< old block; for RESTRICT the first of the family */
  int base;   /**< its state, as in oak_face_t; only COPY may take a block of a peer */
  int kind;   /**< OAK_ADAPT_COPY, _PROLONG or _RESTRICT */
  int child;  /**< PROLONG: number of the child in the old block */
} oak_adapt_task_t;

enum { OAK_ADAPT_COPY, OAK_ADAPT_PROLONG, OAK_ADAPT_RESTRICT };

typedef struct {
  oak_field_t f;
  const oak_adapt_task_t *task; /**< [new blocks] */
  store_t *out;                 /**< [new blocks][components][N^d] */
  double theta;
  int components; /**< components of the field `f` */
  int interpolation;
} oak_adapt_args_t;

/** Answers of the hook REGION of a problem for the box of a block. */
enum {
  OAK_REGION_FREE,     /**< the criterion decides */
  OAK_REGION_NEVER,    /**< the block is not refined */
  OAK_REGION_DEREFINE, /**< the block is coarsened if its whole family may be */
  OAK_REGION_REFINE    /**< the block is refined */
};

enum { OAK_FLAG_FAILED = 2 };

typedef struct {
  oak_field_t f;
  int *flag;  /**< [nblock] 1 refine, 0 keep, -1 may be coarsened; OAK_FLAG_FAILED: a
                 user's criterion gives NaN, or the hook REFINE no finite number */
  int *reach; /**< [nblock] OAK_REACH bits of the neighbours that lie within the buffer of a cell to
                 refine */
  unsigned variables;          /**< bit mask of the variables of the criterion */
  unsigned fields;             /**< bit mask of the fields of the criterion */
  const oak_beside_t *derived; /**< [OAK_REFINE_DERIVED] derived variables looked at */
  double c_refine, c_derefine, eps, eps_abs;
} oak_refine_args_t;

/** Flux fixing. Pieces: [piece][V][(N/2)^(d-1)] averages of fine fluxes. */
typedef struct {
  int bflux; /**< slot of the fine face */
  int piece; /**< piece for its average */
  int block; /**< block of the fine face */
  int dir;   /**< axis of the face */
} oak_fine_face_t;

typedef struct {
  int block;
  int face;
  int bflux;    /**< slot of the coarse face */
  int piece[4]; /**< averages from its fine neighbours, by position in the face (bit 0 first axis)
                 */
  int owner[4]; /**< the memory that holds them: 0 that of this rank, 1 + p that of peer p */
} oak_coarse_face_t;

typedef struct {
  oak_field_t f;
  const real *bflux;
  real *piece;
  const real *const *peer_piece;   /**< [peers] pieces of peers */
  const oak_fine_face_t *fine;     /**< [n], kernel oak_fluxfix_average */
  const oak_coarse_face_t *coarse; /**< [n], faces of one direction, kernel oak_fluxfix_apply */
  store_t *u;                      /**< state to correct */
  double dt;
  int *bad;    /**< [block][results] set where a corrected cell is invalid */
  int results; /**< number of entries per block in `bad` */
} oak_fluxfix_args_t;

enum {
  OAK_LOOK_BODIES,
  OAK_LOOK_LEVELS,    /**< found: 2 << L, cells of level L would be in the solid of SOLID */
  OAK_LOOK_CONFLICTS, /**< found: 2 << n, a cell is in electrode n and one of another potential */
  OAK_LOOK_WALLS,     /**< found: 2, a wall is not along axes */
  OAK_FOUND_GAS = 1 << 30
};

typedef struct {
  oak_field_t f;
  store_t *out;
  int *found; /**< [nblock] bits: 1, a cell is invalid; 2 << n, one is in body n; OAK_FOUND_GAS, one
               * is in no body. The solid of SOLID is the last body, or the only one */
  int look;   /**< OAK_LOOK_...; other looks do not set the state */
} oak_initial_args_t;

/** Set the values of a field beside the state by its function. */
typedef struct {
  oak_field_t f;
  int number;   /**< number of the field */
  store_t *out; /**< [nblock][N^d] */
} oak_set_field_args_t;

/** A vector on faces (kernels/fields/face_vector.c). */
typedef struct {
  oak_field_t f;          /**< f.u: shares, [nblock][OAK_SHARES][N^d] */
  const oak_face_t *edge; /**< [nblock][edges of a block] places of ghost cells beyond edges */
  const oak_bc_t *bc;     /**< [2 dim][V] */
  double *e;              /**< [nblock][axes][(N+1)^d] fields on edges; initial values: for
                           * div B, and for derivatives on faces */
  store_t *u;             /**< the state whose faces are set */
  store_t *shares;        /**< shares to be set */
  const store_t *rate;    /**< rate of faces by the hooks ELECTRIC_FIELD; NULL: none */
  const store_t *prev[4]; /**< as in oak_flux_args_t */
  double w[4];
  int nprev;
  double dt;   /**< in oak_face_start: tolerance of the divergence */
  int *bad;    /**< [block][results] set where a cell is invalid */
  int results; /**< numbers per block in `bad` */
  int parts;   /**< of a block, each of which is an iteration of the kernels of a stage */
  int first; /**< the first block of a launch of the kernels of a stage, which is the first in e */
  int sum;   /**< 1: shares are added, without a mean */
  int dir;   /**< 2D: the axis that oak_face_give works on */
  int keep;  /**< oak_face_means keeps the pressure of cells that would be invalid */
} oak_curl_args_t;

/** Elliptic equations of a run. */
enum { OAK_MAX_EQUATIONS = 8 };

/** Poisson's equation and fields beside the state (kernels/fields/poisson.c). */
typedef struct {
  oak_field_t f;
  double *values;   /**< [nblock][N^d] values of the solver */
  int equation;     /**< number of the equation */
  store_t *field;   /**< [nblock][N^d] */
  int store;        /**< 1: from the solver to the field; 0: the other way */
  store_t *rate[2]; /**< [nblock][N^d] first and second derivative of the field in time */
  double weight[2]; /**< their factors for the solver; for the field those of the change of its
                     * value, which become the derivatives. 0: without the derivative */
  double *b;        /**< [nblock][N^d], where `values` are the coefficients a */
  /* boundary of the domain: `values` are those on faces of cells, [place][N^(d-1)] */
  const int *outer; /**< [nblock][2 d] place of a block's face, -1: not at the boundary */
  int face;         /**< the face that this launch works on */
} oak_poisson_args_t;

/** Numbers on faces, which hooks of fluxes read (kernels/fields/face_fields.c). */
/** Bodies (kernels/bodies/shapes.h). */
enum { OAK_BODY_ELECTRODE, OAK_BODY_DIELECTRIC, OAK_BODY_WALL };
enum { OAK_ALL_BODIES = 7 }; /**< bits of all kinds */
enum { OAK_BODY_EMIT, OAK_BODY_ABSORB, OAK_BODY_REFLECT };
enum { OAK_BODY_SUMS = 2 };
#define OAK_LEAST_CUT 1e-4
#define OAK_DIELECTRIC_CUT 2
typedef struct {
  oak_field_t f;           /**< the blocks of a level of the solver */
  double *cut, *pin;       /**< as in oak_elliptic_args_t */
  double *wall;            /**< as in oak_elliptic_args_t */
  double *values, *u;      /**< [nblock][N^d] right-hand side or coefficient; potential */
  const double *a, *slope; /**< coefficient; derivatives across faces */
  double *sums;
  int given; /**< bits of the kinds of bodies in which the solution is given */
  int zero;  /**< 1: the solution is 0 there; 0: the potential */
} oak_body_args_t;

typedef struct {
  oak_field_t f;
  const double *slope[OAK_MAX_EQUATIONS]; /**< derivatives of the solutions of elliptic equations
                                           * across faces, [nblock][OAK_FACE_REALS] */
  const double *cut;  /**< of the first equation, as in oak_elliptic_args_t; NULL without bodies */
  const oak_bc_t *bc; /**< [2 dim][V] */
  int given[6];       /**< faces of the domain where the solution of the first equation is given */
} oak_face_fields_args_t;

/** Variables that kernels/fields/derived.c computes. */
enum {
  OAK_DERIVED_SPEED,
  OAK_DERIVED_MACH,
  OAK_DERIVED_VORTICITY,
  OAK_DERIVED_DIVERGENCE,
  OAK_DERIVED_SCHLIEREN,
  OAK_DERIVED_COUNT
};

/** Apply the hooks UPDATE over a time dt, in place. */
typedef struct {
  oak_field_t f;
  store_t *u;
  double dt;
  int *bad;    /**< [nblock][results] invalid cells */
  int results; /**< sections of a block, each with work of its own */
} oak_update_args_t;

/** How the hooks DIFFUSIVE_FLUX are advanced: constants of the kernels. */
enum { OAK_DIFFUSION_EXPLICIT = 1, OAK_DIFFUSION_RKL2 = 2 };

/** The rate of change by the hooks DIFFUSIVE_FLUX. A launch works on blocks from `first` on. */
typedef struct {
  oak_field_t f;
  const oak_face_t *edge; /**< [nblock][edges of a block] places of ghost cells beyond edges */
  const oak_bc_t *bc;     /**< [2 dim][V] */
  int trees[3];           /**< number of blocks of level 0 along each axis */
  long first;
  real *q;      /**< [n][V][(N+2)^d] primitive state with one layer of ghost cells */
  store_t *out; /**< [nblock][V][N^d] */
  real *bflux;  /**< as for the flux kernel */
} oak_diffusion_args_t;

/** The largest rate of the hooks DIFFUSIVITY in each block. */
typedef struct {
  oak_field_t f;
  double *rate; /**< [nblock] */
} oak_diffusivity_args_t;

/** A stage of super time stepping: out = y0 + mu (y1 - y0) + nu (y2 - y0) + a m1 + b m0. */
typedef struct {
  oak_field_t f; /**< f.u: y0 */
  const store_t *y1, *y2, *m0, *m1;
  store_t *out; /**< may be y2 */
  double mu, nu, a, b;
  int *bad; /**< [nblock] invalid cells */
} oak_rkl_args_t;

/** Globals: over each block the maximum of a function, the negative minimum, or the integral. */
typedef struct {
  oak_field_t f;
  double *out; /**< [nblock][results][globals] */
  int results; /**< sections of a block */
} oak_globals_args_t;

/** Hooks of a physics on given pairs of states, for oak check: kernels/check/identities.c. */
typedef struct {
  oak_field_t f;    /**< only f.user */
  const double *in; /**< [n][2 V + 2] */
  double *out;      /**< [n][stride] */
  int stride;
} oak_identity_args_t;

/** Reading the solution: integrals, output variables, blocks with ghost cells. */
typedef struct {
  oak_field_t f;
  int first;     /**< first block */
  int variable;  /**< < V: conserved, < 2 V: primitive, 2 V: 1 if the state is valid, above: fields
                      beside the state; oak_derived: OAK_DERIVED_..., then the hooks OUTPUT */
  double *total; /**< [n][V] integral over each block (oak_totals) */
  double *cells; /**< [n][N^d] (oak_cells, oak_derived) or [n][V][(N+2G)^d] (oak_ghosts) */
} oak_read_args_t;

/** The result of oak_measure in the cells of a block that are in a box and in no solid. */
typedef struct {
  double sum;      /**< not Cartesian: each cell counts by the circumference of its ring */
  double moment;   /**< not Cartesian: the sum of value times R, as for the angular momentum */
  double count;    /**< number of these cells, in the same way; only with a mask */
  double norm[2];  /**< sums of absolute values and of squares, in the same way */
  double value[2]; /**< smallest and largest finite value */
  int place[2];    /**< number of the first cell that has it; -1: no finite value */
} oak_measured_t;

/** Sum and extrema of given values, for each block. */
typedef struct {
  oak_field_t f;       /**< only the geometry is used */
  int first;           /**< block of the first values */
  const double *cells; /**< [n][N^d] */
  const double *mask;  /**< [n][N^d] mask of solids; NULL: no solids */
  int dielectrics;     /**< 1: cells of dielectrics count, though they are solid */
  const int *box;      /**< [n][6] first cell along x, y, z and the one after the last; NULL: all */
  oak_measured_t *out; /**< [n] */
} oak_measure_args_t;

/** The force on solids (kernels/read/forces.c). */
typedef struct {
  oak_field_t f;
  long first;     /**< block of the first result */
  const real *q;  /**< [n][V][(N+2)^d] primitive state with ghost cells; only with diffusion */
  const int *box; /**< [nblock][6] as in oak_measure_args_t */
  double *out;    /**< [n][2][3] by the Riemann solver and by diffusive fluxes */
} oak_forces_args_t;
