/* SPDX-License-Identifier: GPL-2.0-or-later
 * div(a grad u) - b u = f on an adaptive mesh, by multigrid. Private.
 *
 * Level l of the hierarchy is the mesh whose blocks are refined to level l at most: the blocks of
 * the mesh that are finer are replaced by their parents, which live only here. Each level is a mesh
 * of its own with a pattern of ghost cells, so the equation, the fluxes at refinement boundaries
 * and the exchange are the same on all of them. Level 0 has one block per tree; it is solved as one
 * array of cells (kernels/multigrid/coarsest.c). */
#pragma once

#include "halo/averages.h"
#include "halo/exchange.h"
#include "oak/elliptic_args.h"

/** Conditions on a face of the domain. Periodic sides have no such face. */
typedef enum {
  OAK_ELLIPTIC_DIRICHLET, /**< u */
  OAK_ELLIPTIC_NEUMANN,   /**< its outward derivative */
} oak_elliptic_condition_t;

#define OAK_ELLIPTIC_KERNELS(X) \
  X(residual)                   \
  X(gradient)                   \
  X(slopes)                     \
  X(means)                      \
  X(bound)                      \
  X(combine)                    \
  X(largest)                    \
  X(sums)                       \
  X(fine)                       \
  X(coarse)                     \
  X(merge)                      \
  X(unpack)                     \
  X(prolong)                    \
  X(flat)                       \
  X(flat_factor)                \
  X(moments)                    \
  X(moment_sizes)               \
  X(moment_sums)                \
  X(poles)

/** Kernels of coefficients that are fields. */
#define OAK_ELLIPTIC_FIELD_KERNELS(X) \
  X(flat_fields)                      \
  X(faces)                            \
  X(fine_faces)                       \
  X(coarse_faces)                     \
  X(merge_faces)                      \
  X(unpack_faces)

/** Kernels of bodies. */
#define OAK_ELLIPTIC_BODY_KERNELS(X) \
  X(pin)                             \
  X(sever)                           \
  X(shares)                          \
  X(charges)                         \
  X(terms)                           \
  X(wall_slopes)

/** The first and the last family of this rank's blocks, parts of which may be on other ranks. */
typedef struct {
  int nsend, to;  /**< number of this rank's first blocks whose parent is on rank `to` */
  int nrecv;      /**< number of children of this rank's last parent that are on later ranks */
  int (*from)[2]; /**< [nfrom] a rank, and how many of these children it has */
  int nfrom;
  void *buffer; /**< device: [nsend + nrecv][N^d] values to be sent, then those received */
  double *host; /**< the same on the host; NULL if the host can read memory of the device */
  oak_elliptic_move_t *move; /**< [nblock] of the finer level */
  void *move_device;
  void *up;       /**< device: the same for the correction, if the next coarser level is the finest
                   * gathered one; otherwise NULL */
  void *received; /**< device: oak_elliptic_move_t [nrecv] */
} oak_elliptic_family_t;

/** Most sweeps of smoothing. They suffice for cells with an aspect ratio of 11 in 2D. */
enum { OAK_ELLIPTIC_MOST_SWEEPS = 12 };

/** Number of cycles whose residuals are kept on the device until the host reads them. */
enum { OAK_ELLIPTIC_AHEAD = 8 };

/** A level of the hierarchy. */
typedef struct {
  oak_mesh_t *mesh;           /**< on the finest level: the mesh of the solution */
  oak_transport_t *transport; /**< transport of the run; `alone` (below) on gathered levels */
  oak_pattern_t pattern;
  oak_exchange_t exchange, cexchange; /**< of u; of a, where it is a field, on the finest level */
  oak_values_t u, a;
  oak_averages_t average;
  int jumps;           /**< 1 if it has blocks of several levels */
  void *blocks;        /**< device: oak_block_t */
  void *rhs, *res, *b; /**< device: [nblock][N^d] */
  void *on_face[4]; /**< device: a on faces, [nblock][N^d]: on the lower faces of cells along each
                     * axis, then on the upper faces of blocks (oak_elliptic_args_t.high) */
  void *cut, *pin, *wall; /**< device: where bodies are (oak_elliptic_args_t), with bodies; `wall`
                           * on the finest level */
  void *ghost;            /**< device: values beyond refinement boundaries */
  void *fine, *coarse;    /**< device: the faces at refinement boundaries */
  int nfine, ncoarse;
  /* lines that go on from block to block (lines.c), along each axis */
  int nchain[3];
  void *chain[3], *link[3];     /**< device: oak_elliptic_chain_t [nchain], and the blocks of all */
  void *line;                   /**< device: [3][nblock][N^d] for the solution of lines */
  oak_elliptic_family_t family; /**< to the next coarser level */
} oak_elliptic_level_t;

/** The finest gathered level, of which each rank has all blocks, and how its values are collected.
 * Start from {0} with `level` -1. */
typedef struct {
  int level;          /**< -1: there is none */
  int first;          /**< number of this rank's first block */
  int *count, *start; /**< [ranks] blocks of each rank, and where they begin */
  oak_shared_t part;  /**< values of this rank's blocks, [own][N^d] */
  void *place;        /**< device: oak_elliptic_move_t [all], which leave each block at its place */
  double *host; /**< [all][N^d] for messages; NULL if the host can read memory of the device */
} oak_elliptic_gather_t;

/** A recorded cycle of the finest level (solve.c), for an equation (oak_elliptic_take). */
typedef struct {
  double b;
  int given_zero;
  int again;                 /**< 0: V-cycle, 1: F-cycle */
  oak_recording_t *launches; /**< NULL: none */
} oak_elliptic_recorded_t;
enum { OAK_ELLIPTIC_RECORDED = 8 };

typedef struct oak_elliptic_setup {
  oak_transport_t *transport;
  oak_timers_t *timers;
  int block_size[3];
  int coordinates;    /**< mesh.coordinates; 0: Cartesian */
  int logarithmic;    /**< the first coordinate of the mesh, as in xmin and dx0, is ln r */
  int axis_faces;     /**< bits of the faces without area, at r = 0 and at poles */
  double mean_factor; /**< volume of the domain over the product of its extents */
  double xmin[3], dx0[3];
  oak_elliptic_condition_t condition[6]; /**< that of axis_faces has no effect */
  double a, b;                           /**< coefficients */
  int fields;                            /**< 1: they are fields */
  int bodies;                            /**< 1: there are bodies; needs `fields` */
  int electrodes;                        /**< 1: some of them give u */
  int64_t gather_cells; /**< levels of at most so many cells are gathered; 0: chosen by
                         * oak_elliptic_gather_limit */
} oak_elliptic_setup_t;

typedef struct oak_elliptic {
  oak_elliptic_setup_t setup;
  oak_device_t *dev;
  MPI_Comm comm;
  oak_mesh_t *mesh; /**< mesh of the solution */
  long revision;    /**< revision of the mesh that the hierarchy belongs to; -1: none */
  int dim;
  int cells, face_cells; /**< of a block, and of its largest face */
  int nlevel;
  oak_elliptic_level_t level[OAK_MESH_MAX_LEVEL + 2]; /**< 0 is the coarsest */
  oak_module_t *module;
  oak_kernel_t *halo;
  int plain;                 /**< kernels/multigrid/smooth_fast.c is in use */
  int lines;                 /**< smoothing solves lines of cells, along each axis in turn */
  int chains;                /**< these lines go on from block to block on levels of few cells */
  int sweeps, after;         /**< sweeps of smoothing before the correction, and after it */
  oak_kernel_t *down, *norm; /**< NULL unless `plain` */
  oak_kernel_t *smooth;      /**< the general form, or the fast one of `plain` */
  struct {
#define OAK_ELLIPTIC_MEMBER(name) oak_kernel_t *name;
    OAK_ELLIPTIC_KERNELS(OAK_ELLIPTIC_MEMBER)
    OAK_ELLIPTIC_FIELD_KERNELS(OAK_ELLIPTIC_MEMBER)
    OAK_ELLIPTIC_BODY_KERNELS(OAK_ELLIPTIC_MEMBER)
#undef OAK_ELLIPTIC_MEMBER
  } kernel;
  oak_transport_t alone; /**< of gathered levels, which need no other rank */
  oak_elliptic_gather_t gather;
  double outside[6];
  int floating;         /**< u is given nowhere at the boundary */
  int singular;         /**< u is determined up to a constant */
  void *bc, *cbc;       /**< device: conditions of u with value 0, and of a */
  void *f;              /**< device: right-hand side as given, [nblock][N^d] */
  void *work[5];        /**< device: vectors of Krylov methods, [nblock][N^d] */
  void *sums, *moments; /**< device: sums over blocks; see oak_elliptic_poles_args_t.out */
  double *sums_host;
  int nouter;                 /**< faces of blocks at the boundary of the domain */
  int *outer_host;            /**< [nblock][2 d] their places */
  void *outer, *given, *zero; /**< device: the same; values [nouter][N^(d-1)]; zeros */
  void *where;                /**< device: see oak_elliptic_poles_args_t.outer */
  int given_zero;             /**< all values are 0 */
  void *power;                /**< device: see oak_elliptic_poles_args_t */
  void **memory;              /**< [nmemory] device: all memory by oak_elliptic_alloc */
  int nmemory;
  int64_t bytes; /**< of this memory */
  oak_elliptic_recorded_t recorded[OAK_ELLIPTIC_RECORDED];
  void *norms; /**< device: [OAK_ELLIPTIC_AHEAD][nblock] largest residuals of cycles */
  double *norms_host;
  struct {
    oak_elliptic_flat_args_t args;
    void *number, *memory, *lu; /**< device */
    double factored;            /**< b of these factors; -1: none */
    void *all[6];               /**< device: right-hand side, b and on_face of all blocks */
    double *host;               /**< [blocks of level 0][N^d], unless the host reads the device's */
    int *counts, *starts;       /**< [ranks] blocks of each rank, and where they begin */
  } flat;
} oak_elliptic_t;

/** Build kernels; memory and levels follow with oak_elliptic_fit. Collective. */
oak_status_t oak_elliptic_new(MPI_Comm comm, const oak_elliptic_setup_t *setup, oak_mesh_t *mesh,
                              oak_elliptic_t **out);
void oak_elliptic_destroy(oak_elliptic_t **out);
/** Use the solver for an equation with the constant coefficient b. Without \a given, all values at
 * the boundary are 0. */
void oak_elliptic_take(oak_elliptic_t *e, double b, int given);

/* memory.c */
/** New memory of the device, which oak_elliptic_clear frees. */
oak_status_t oak_elliptic_alloc(oak_elliptic_t *e, size_t bytes, void **out);
/** Allocate memory with a copy of \a bytes of the host, which may be 0. */
oak_status_t oak_elliptic_put(oak_elliptic_t *e, const void *host, size_t bytes, void **out);
void oak_elliptic_free_all(oak_elliptic_t *e);
/** Bytes that the solver has on this rank's device; 0 for NULL. */
int64_t oak_elliptic_bytes(const oak_elliptic_t *e);

/* levels.c */
/** Follow the mesh. *changed is 1 if it had changed: then u, f, the values at the boundary and the
 * coefficients are to be set again. Collective. */
oak_status_t oak_elliptic_fit(oak_elliptic_t *e, int *changed);
void oak_elliptic_clear(oak_elliptic_t *e);
/** The coefficients on faces of all levels, and b there, after those of the finest have been set (a
 * in oak_elliptic_top(e)->a, b in ->b). Collective. */
oak_status_t oak_elliptic_fit_fields(oak_elliptic_t *e);

static inline oak_elliptic_level_t *oak_elliptic_top(oak_elliptic_t *e) {
  return &e->level[e->nlevel - 1];
}

/** Memory for sums over n blocks: of each block, and of each chunk of blocks. */
static inline size_t oak_elliptic_sums_bytes(int64_t n) {
  return ((size_t)n * OAK_ELLIPTIC_SUMS +
          OAK_MOMENT_CHUNKS(n) * OAK_ELLIPTIC_PARTS * OAK_ELLIPTIC_MOMENTS) *
         sizeof(double);
}

/* lines.c */
/** Levels of at most so many cells have chains, or of more if poisson.gather_cells is larger. They
 * are gathered. */
enum { OAK_ELLIPTIC_CHAINED_CELLS = 1 << 20 };
/** Whether a level on this mesh has chains, except the finest one. The same on all ranks. */
int oak_elliptic_chained(const oak_elliptic_t *e, const oak_mesh_t *mesh);
oak_status_t oak_elliptic_chains_fit(oak_elliptic_t *e, oak_elliptic_level_t *level);

/* electrodes.c */
oak_status_t oak_elliptic_bodies_fit(oak_elliptic_t *e, oak_elliptic_level_t *level);
/** Take the right-hand side in surface cells of dielectrics as charge on their faces. To be called
 * before the coefficients are set: it uses their memory. Collective. */
oak_status_t oak_elliptic_charge_surfaces(oak_elliptic_t *e);
/** Put electrodes into the coefficients of all levels. Every rank takes part; the status is this
 * rank's own. */
oak_status_t oak_elliptic_pin(oak_elliptic_t *e);
/** Add bodies to the right-hand side of the finest level and to `res`. Rank-local. */
oak_status_t oak_elliptic_add_bodies(oak_elliptic_t *e);
/** Correct the derivatives across faces along an axis that lie at bodies. Rank-local. */
oak_status_t oak_elliptic_wall_slopes(oak_elliptic_t *e, int axis, void *slopes);
/** The derivative along an axis in cells, from those across faces. Rank-local. */
oak_status_t oak_elliptic_means(oak_elliptic_t *e, int axis, void *slopes, void *out);

/* transfer.c */
/** Make the blocks of the next coarser mesh, and the lists that move values to it. Collective. */
oak_status_t oak_elliptic_coarsen(oak_elliptic_t *e, oak_elliptic_level_t *fine,
                                  oak_elliptic_level_t *coarse);
void oak_elliptic_family_clear(oak_elliptic_family_t *family);
/** Send those averages of level l whose parents are on other ranks. These ranks write them to `to`
 * of level l - 1. */
oak_status_t oak_elliptic_restrict_end(oak_elliptic_t *e, int l, void *to);
/** Averages of `from` of level l to `to` of level l - 1. Every rank takes part; the status is this
 * rank's own. */
oak_status_t oak_elliptic_restrict(oak_elliptic_t *e, int l, const void *from, void *to);
/** Restrict the coefficients on_face[axis]; dim: upper faces of blocks. */
oak_status_t oak_elliptic_restrict_faces(oak_elliptic_t *e, int l, int axis);
/** Whether level l - 1 is the finest gathered level. */
static inline int oak_elliptic_gathers(const oak_elliptic_t *e, int l) {
  return l > 0 && l - 1 == e->gather.level;
}
/** The memory into which this rank writes the averages of level l. If level l - 1 is gathered, they
 * are then collected into `to`. */
void *oak_elliptic_target(const oak_elliptic_t *e, int l, void *to);
/** Interpolate u of level l - 1, whose ghost cells are filled, to u of level l. */
oak_status_t oak_elliptic_prolong(oak_elliptic_t *e, int l, int add);

/* gather.c */
int64_t oak_elliptic_gather_limit(const oak_transport_t *transport);
/** Blocks of each rank, and where they begin. Collective. */
void oak_elliptic_count(const oak_mesh_t *mesh, int *count, int *start);
/** Collect the values of all ranks in \a to by way of the host; \a host: memory for this, unless
 * the host reads the device's. Every rank takes part; the status is this rank's own. */
oak_status_t oak_elliptic_allgather(oak_elliptic_t *e, const void *mine, void *to, double *host,
                                    const int *count, const int *start);
/** Give every rank all blocks of level l, if it has few cells. Collective. */
oak_status_t oak_elliptic_gather_fit(oak_elliptic_t *e, int l);
/** Collective on the ranks of a host. */
void oak_elliptic_gather_clear(oak_elliptic_t *e);
/** Collect the values of all ranks in \a to, [all][N^d]. Every rank takes part; the status is this
 * rank's own. */
oak_status_t oak_elliptic_gather(oak_elliptic_t *e, void *to);

/* launch.c */
/** Fill the parts of a field that do not depend on its values. */
void oak_elliptic_geometry(const oak_elliptic_t *e, const oak_elliptic_level_t *level,
                           oak_field_t *f);
void oak_elliptic_args(oak_elliptic_t *e, int l, oak_elliptic_args_t *args);
/** Run a kernel over the blocks of a level. Rank-local. */
oak_status_t oak_elliptic_launch(oak_elliptic_t *e, oak_kernel_t *kernel, int l,
                                 const oak_elliptic_args_t *args);
/** Run a kernel of the finest level; \a res takes the place of its `res`, unless it is NULL.
 * Rank-local. */
oak_status_t oak_elliptic_on_top(oak_elliptic_t *e, oak_kernel_t *kernel, int axis, void *res);
/** Forget recorded cycles, whose kernels have the addresses of all levels. */
void oak_elliptic_forget(oak_elliptic_t *e);
/** Wait until no peer reads u of a level any more. To be called before a change of u that no
 * exchange precedes. Every rank takes part; the status is this rank's own. */
oak_status_t oak_elliptic_meet(oak_elliptic_t *e, int l);

/* smooth.c: on one level. Every rank takes part; the status is this rank's own. */
/** Ghost cells of u, and those at refinement boundaries as the equation needs them. */
oak_status_t oak_elliptic_ghosts(oak_elliptic_t *e, int l);
/** Ghost cells of a on the finest level. Every rank takes part; the status is this rank's own. */
oak_status_t oak_elliptic_share_a(oak_elliptic_t *e);
/** Ghost cells at refinement boundaries that a kernel needs. */
typedef enum {
  OAK_ELLIPTIC_NONE,  /**< prolongation reads none of them */
  OAK_ELLIPTIC_FINE,  /**< those of the fine blocks */
  OAK_ELLIPTIC_AGAIN, /**< the same, after a change of these blocks alone: coarse values stay */
  OAK_ELLIPTIC_BOTH
} oak_elliptic_need_t;
/** Fill the ghost cells that inner kernels read: only of blocks of level \a least and finer, and
 * not at the boundary of the domain if the kernels do without them. */
oak_status_t oak_elliptic_inner_ghosts(oak_elliptic_t *e, int l, int least,
                                       oak_elliptic_need_t need);
/** Sweeps of Gauss-Seidel over cells, or over lines along each axis, in the finest blocks of a
 * level; first those of colour \a first. With \a zero, u is taken as 0. */
oak_status_t oak_elliptic_smooth(oak_elliptic_t *e, int l, int sweeps, int first, int zero);
/** rhs - L u into `res`. */
oak_status_t oak_elliptic_residual(oak_elliptic_t *e, int l);
/** The residual, averaged to rhs of the next coarser level. `res` is lost. With \a zero, u was 0
 * before the level was smoothed. */
oak_status_t oak_elliptic_descend(oak_elliptic_t *e, int l, int zero);
/** y = p x + q y + s on a level. */
oak_status_t oak_elliptic_combine(oak_elliptic_t *e, int l, const void *x, void *y, double p,
                                  double q, double s);
/** Store the largest residual of each block of the finest level in row \a slot of `norms`, for
 * oak_elliptic_noted. Only if `plain`. */
oak_status_t oak_elliptic_note(oak_elliptic_t *e, int slot);
/** The largest residual of each slot on all ranks. Collective; fails on all ranks if \a st is not
 * OAK_OK on one. */
oak_status_t oak_elliptic_noted(oak_elliptic_t *e, oak_status_t st, int slots, double *out);
/** The largest |x| on the finest level; infinite if one is not a number. Collective; fails on all
 * ranks if \a st is not OAK_OK on one. */
oak_status_t oak_elliptic_largest(oak_elliptic_t *e, oak_status_t st, const void *x, double *out);
/** The volume of the domain. */
double oak_elliptic_volume(const oak_elliptic_t *e);
/** Sums over the finest level, the same for any number of ranks: largest |x|, and the integrals of
 * x, x y and x x. Collective; fails on all ranks if \a st is not OAK_OK on one. */
oak_status_t oak_elliptic_sums(oak_elliptic_t *e, oak_status_t st, const void *x, const void *y,
                               double out[OAK_ELLIPTIC_SUMS]);

/* coarsest.c */
oak_status_t oak_elliptic_flat_fit(oak_elliptic_t *e);
oak_status_t oak_elliptic_flat_fields(oak_elliptic_t *e);
/** Factors of the coarsest array for the present constant b. Rank-local. */
oak_status_t oak_elliptic_flat_factor(oak_elliptic_t *e);
void oak_elliptic_flat_clear(oak_elliptic_t *e);
/** An approximate solution \a out on level 0 for the right-hand side \a rhs, which may be the same
 * array. */
oak_status_t oak_elliptic_flat(oak_elliptic_t *e, const void *rhs, void *out);

/* far_field.c: values at the boundary of the domain. */
oak_status_t oak_elliptic_outer_fit(oak_elliptic_t *e);
/** The value on each face of a cell at the boundary, from a function of face and position. */
typedef double (*oak_elliptic_value_t)(void *data, int face, const double x[3]);
oak_status_t oak_elliptic_set_outer(oak_elliptic_t *e, oak_elliptic_value_t value, void *data);
/** Boundary values of an isolated right-hand side `f`, by its multipoles. Collective. */
oak_status_t oak_elliptic_isolate(oak_elliptic_t *e);
/** The largest |f| beside the boundary of the domain, on all ranks. Collective. */
oak_status_t oak_elliptic_beside(oak_elliptic_t *e, double *most);
/** rhs of the finest level: `f` minus the terms of the boundary values; numbers of its size, for
 * the tolerance, to `res`. */
oak_status_t oak_elliptic_bound(oak_elliptic_t *e);

/* solve.c */
typedef struct {
  double tolerance; /**< largest residual, relative to `scale` */
  int most_cycles;
  int krylov; /**< 1: BiCGSTAB from the start; 0: it follows V-cycles if they are slow */
  int full;   /**< 1: begin from zero, with full multigrid; 0: from the present u */
} oak_elliptic_options_t;
/** The course of a solution. */
enum { OAK_ELLIPTIC_MOST_CYCLES = 200 };
typedef struct {
  int cycles;                                    /**< V-cycles and F-cycles */
  double residual[OAK_ELLIPTIC_MOST_CYCLES + 1]; /**< the largest, at the start and after
                                                  * each cycle */
  double scale;                                  /**< the number that residuals are divided by */
} oak_elliptic_report_t;

/** One V-cycle on levels l to 0 for u of level l; with \a zero it starts from 0. */
oak_status_t oak_elliptic_cycle(oak_elliptic_t *e, int l, int zero);
/** Solve for u with right-hand side `f` and the values at the boundary. Collective.
 * \return OAK_ERR_STATE, with the history of residuals, if it does not converge. */
oak_status_t oak_elliptic_solve(oak_elliptic_t *e, const oak_elliptic_options_t *options,
                                oak_elliptic_report_t *report);

/** The derivative of u along an axis, with ghost cells, to \a out [nblock][N^d] on the device.
 * Collective. */
oak_status_t oak_elliptic_gradient(oak_elliptic_t *e, int axis, void *out);
/** The derivatives across faces as the equation has them, differences over the cell size, to \a out
 * [nblock][OAK_FACE_REALS] (kernels/access/field.h) on the device. Collective. */
oak_status_t oak_elliptic_slopes(oak_elliptic_t *e, void *out);
