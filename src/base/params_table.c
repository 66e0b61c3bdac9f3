/* SPDX-License-Identifier: GPL-2.0-or-later
 * The tables of oak's own parameters, but those of boundaries, equations, bodies and reactions
 * (src/setup). Reading, checking, `oak help` and the manual follow them. To add a choice, append
 * its word here. Physics and problems declare parameters of their own in their files. */
#include <math.h>

#include "params_entries.h"
#include "params_private.h"

const oak_param_desc_t oak_first_keys[] = {
    {.help = "How long to run, time steps and what the terminal shows"},
    REAL("run.end_time", "1", 0, INFINITY, "time", "The run ends at this time, reached exactly.",
         .may_change = 1),
    INT("run.max_steps", "0", 0, INFINITY, "steps",
        "The run ends after this number of steps; 0: no limit.", .may_change = 1),
    TEXT("run.initial", "",
         "Plotfile or checkpoint with the initial state, from the folder of the parameter file or "
         "the present one. Its mesh, block size and precision may differ from those of this run; "
         "it has all conserved variables and covers the domain. The run begins at time 0. "
         "Python makes such a file of arrays. Empty: INITIAL of the problem."),
    REAL("run.cfl", "0.5", 0, 2, NULL,
         "CFL number: the time step times the largest sum over dimensions of wave speed / cell "
         "size. Most schemes are stable up to 1, ssprk43 up to 2.",
         .above_min = 1, .may_change = 1),
    REAL("run.dt_max", "0", 0, INFINITY, "time", "Upper limit of the time step; 0: no limit.",
         .may_change = 1),
    REAL("run.wall_limit", "0", 0, INFINITY, "s",
         "The run writes a checkpoint and ends before this many seconds of wall-clock time have "
         "passed; 0: before the end of its SLURM job, if that time is known (SLURM_JOB_END_TIME).",
         .may_change = 1),
    REAL("run.wall_margin", "120", 0, INFINITY, "s",
         "The run ends this long before that limit; the time must suffice to write a checkpoint.",
         .may_change = 1),
    INT("run.report_every", "100", 0, INFINITY, "steps",
        "Steps between progress lines; 0: none by steps.", .may_change = 1),
    REAL("run.report_seconds", "5", 0, INFINITY, "s",
         "A progress line is printed at least once in this many seconds of wall-clock time; 0: "
         "off.",
         .may_change = 1),
    REAL("run.watchdog", "1800", 0, INFINITY, "s",
         "End the run if a rank makes no progress during this time, and say which rank, phase and "
         "step. Choose more than the longest output or step takes. 0: off.",
         .may_change = 1),
    BOOL("run.debug", "no",
         "Check what hooks return, and the indices that they use, and end the run at the first "
         "fault; also `oak run --debug`. On the device cpu only, and several times slower."),

    {.help = "Domain, blocks and levels of refinement"},
    INT("mesh.dim", "2", 2, 3, NULL, "Spatial dimensions: 2 (quadtree) or 3 (octree)."),
    CHOICE(
        "mesh.coordinates", "cartesian", "cartesian axisymmetric polar cylindrical spherical",
        "What the axes are. cartesian: x, y, z; axisymmetric: r, z (2D); polar: r, phi (2D); "
        "cylindrical: r, phi, z (3D); spherical: r, theta, phi, and in 2D r, theta. Keys take them "
        "in this order for x, y, z; angles are in radians. docs/coordinates.md."),
    CHOICE(
        "mesh.radius", "linear", "linear logarithmic",
        "Cells along r of polar, cylindrical and spherical coordinates. linear: of the same size; "
        "logarithmic: their sizes are proportional to r, from mesh.xmin to mesh.xmax."),
    INTS("mesh.block_size", "16", 4, 128, "cells",
         "Cells of a block along each axis, such as 32 16; one number stands for all axes. Larger "
         "blocks run faster, smaller ones follow the solution more closely.",
         .multiple_of = 2),
    INTS("mesh.trees", "1", 1, 4096, "blocks",
         "Blocks of level 0 along each dimension, 1048576 in all at most. Cells are cubic if the "
         "domain's sides are in the proportions of mesh.trees times mesh.block_size."),
    REALS("mesh.xmin", "0", "length",
          "Lower corner of the domain; one value stands for all dimensions."),
    REALS("mesh.xmax", "1", "length",
          "Upper corner of the domain; one value stands for all dimensions."),
    INT("mesh.min_level", "0", 0, 16, NULL,
        "Lowest level of refinement: every block is refined at least this many times. Blocks at r "
        "= 0 and at poles of meshes with an axis along phi keep this level (docs/coordinates.md)."),
    INT("mesh.max_level", "0", 0, 16, NULL,
        "Highest level of refinement: each level halves the cell size."),
    INT("mesh.adapt_every", "4", 0, INFINITY, "steps",
        "Steps between mesh adaptations; 0: static mesh.", .may_change = 1),
    REAL("mesh.kappa_max", "1.05", 1, INFINITY, NULL,
         "Blocks are redistributed after an adaptation when the most blocks of a rank, divided by "
         "an equal share, exceed this number.",
         .may_change = 1),
    REAL("mesh.theta", "1", 0, 2, NULL,
         "Parameter of the generalized minmod limiter in the interpolation to finer cells: 1 is "
         "minmod, larger values give steeper slopes. Up to 2 in 2D and 4/3 in 3D, variables that "
         "are not negative stay so. If finer cells would get an invalid state, such as a negative "
         "pressure in cold, fast gas, they get the state of the coarse cell."),

    {.help = "Where to refine: the criterion and its thresholds"},
    TEXT("refine.criterion", "lohner",
         "How each cell is judged; the files of physics and problem may define others "
         "(CRITERION), which `oak params FILE` lists. lohner: the scaled second derivative; "
         "gradient: the change from cell to cell relative to the value; user: the hook REFINE of "
         "the problem's file; none: the mesh stays, except where the problem's hook REGION "
         "changes it."),
    TEXT("refine.variable", "",
         "Variables that lohner and gradient use, blank-separated: conserved, primitive or derived "
         "ones such as vorticity, and those of hooks OUTPUT; empty: the first of the physics."),
    REAL("refine.c_refine", "0.05", 0, INFINITY, NULL,
         "A block is refined if the criterion exceeds this value in a cell. The default suits "
         "lohner; for gradient try 0.1, a change of 10 percent per cell.",
         .may_change = 1),
    REAL("refine.c_derefine", "0.00625", 0, INFINITY, NULL,
         "A block may be coarsened if the criterion is below this value in all its cells. For "
         "gradient try a quarter of c_refine.",
         .may_change = 1),
    INT("refine.buffer", "0", 0, 128, "cells",
        "Enlarges the refined region, so that features stay inside it until the next adaptation: a "
        "neighbour of a block gets the block's level if a cell that exceeds c_refine is at most "
        "this many cells away from it. Choose at least mesh.adapt_every times run.cfl, at most "
        "mesh.block_size; 0: none."),
    REAL("refine.eps", "0.01", 0, INFINITY, NULL,
         "Relative filter of lohner: ripples smaller than this fraction of the variable cause no "
         "refinement.",
         .may_change = 1),
    REAL("refine.eps_abs", "1e-10", 0, INFINITY, "variable",
         "Absolute filter: differences well below this value cause no refinement. With gradient it "
         "is added to the magnitude of the variable; choose a typical value if the variable "
         "crosses zero, as velocities do.",
         .may_change = 1),

    {.help = "Finite volume scheme and time integration"},
    TEXT(
        "scheme.limiter", "vanleer",
        "Reconstruction of primitive variables; the files of physics and problem may define others "
        "(LIMITER), which `oak params FILE` lists. upwind needs 1 ghost layer, weno5 3, the others "
        "2."),
    REAL("scheme.theta", "1.5", 0, 2, NULL,
         "Parameter of the limiter gminmod_theta: 1 is minmod, 2 the monotonized central limiter."),
    TEXT(
        "scheme.flux", "hll",
        "Approximate Riemann solver; the files of physics and problem may define others (RIEMANN), "
        "as those of euler, navier_stokes, isothermal and mhd do: `oak params FILE` lists them."),
    CHOICE(
        "scheme.wave_speeds", "einfeldt", "einfeldt roe",
        "Bounds of the wave speeds in the Riemann solver. einfeldt: the extremes of "
        "Roe-averaged and "
        "one-sided speeds, robust near vacuum; roe: the Roe-averaged speeds only. No effect with "
        "rusanov, which takes |u| + c of each side."),
    CHOICE("scheme.integrator", "heun", "heun euler midpoint ssprk22 ssprk33 ssprk43 rk4",
           "Time integration: order 2 with heun (= ssprk22) and midpoint, 1 with euler, 3 with "
           "ssprk33 and ssprk43, 4 with rk4."),
    CHOICE(
        "scheme.splitting", "lie", "lie strang",
        "How the hook UPDATE of physics and problem alternates with the fluxes: lie, a whole step "
        "after them, of first order; strang, half a step before and after them, of second order."),
    CHOICE(
        "scheme.globals", "step", "step stage",
        "When GLOBAL_MAX, GLOBAL_MIN and GLOBAL_INTEGRAL of physics and problem are computed: at "
        "the beginning of each step; or before each stage, so that sources that read them keep "
        "the order of the integrator."),
    CHOICE("scheme.diffusion", "explicit", "explicit rkl2",
           "How the hooks DIFFUSIVE_FLUX are advanced. explicit: together with the other fluxes, "
           "which limits the time step by the square of the cell size; rkl2: separately, by super "
           "time stepping with as many stages as the time step needs; scheme.splitting says how "
           "this alternates with the other fluxes."),
    CHOICE("scheme.on_invalid", "stop", "stop first_order retry",
           "What happens if a stage leaves a cell invalid (negative density or pressure). "
           "stop: the run ends and reports position and state of the cell; first_order: "
           "the fluxes around the cell are computed again from cell averages, which "
           "conserves all totals; such cells are counted; retry: the step is repeated with "
           "half its size, up to ten times; repeated steps are counted."),
    CHOICE("scheme.precision", "double", "double single mixed single_fluxes",
           "Precision of the solution. double: 16 digits; single: 7 digits, needs half the memory "
           "and is faster; mixed: computed in double and stored in single precision, needs half "
           "the memory and is more accurate than single; single_fluxes: fluxes in single, states "
           "and their sums in double precision, is faster on GPUs and keeps totals to 16 digits."),
    INT("scheme.ghost_layers", "0", 0, 4, "cells",
        "Width of the ghost layer; 0: what the limiter needs."),

    {.help = "The equations, and their constants"},
    TEXT("physics.name", "euler",
         "The equations: a physics of the installation, or the path of a C file."),
    TEXT("physics.scalars", "",
         "Passive scalars that the mass carries, beside the variables of any physics: their "
         "number, or their names, blank-separated."),
    CHOICE("physics.scalar_values", "any", "any bounded fractions",
           "Values of the scalars: any; bounded, from 0 to 1; fractions, from 0 to 1 with the sum "
           "1. A cell with other values counts as invalid, see scheme.on_invalid."),

    {.help = "Initial state, boundary values and sources, and their constants"},
    TEXT("problem.name", "",
         "The problem: one of the installation, or the path of a C file, from the folder of the "
         "parameter file."),

    {.key = NULL},
};

const oak_param_desc_t oak_last_keys[] = {
    {.help = "Where the kernels run and how they are built"},
    TEXT("device.name", "auto",
         "Device that runs the kernels: a name shown by `oak info`; auto: the best one found."),
    INT("device.threads", "0", 0, 4096, NULL,
        "CPU threads of each rank; 0: the cores of the host shared among its ranks."),
    TEXT("device.compiler", "",
         "Compiler of the kernels; empty: $OAK_CC, or the C compiler found. In a parameter file "
         "this key needs `oak run --trust`."),
    TEXT("device.flags", "",
         "Further flags for the compiler of the kernels, such as -O1 or -DNAME. NVRTC (cuda) and "
         "hipRTC (hip) get only those that start with -D, -I or --. In a parameter file this key "
         "needs `oak run --trust`."),
    CHOICE(
        "device.transport", "auto", "auto direct nccl mpi staged",
        "How data gets from rank to rank. direct: ranks of one host read each other's memory in "
        "place, and the best of the other ways is used between hosts; nccl: messages from GPU "
        "to GPU by the vendor's library; mpi: MPI gets device addresses; staged: messages through "
        "memory of the host; auto: direct where it works. The first lines of a run say what is "
        "used."),

    {.help = "When to write files from which the run can be continued (docs/restart.md)"},
    INT("checkpoint.steps", "0", 0, INFINITY, "steps",
        "Steps between checkpoints; 0: none by steps."),
    REAL("checkpoint.every", "0", 0, INFINITY, "time",
         "Time between checkpoints; each is written after the first step that reaches a "
         "multiple of it; 0: none by time."),
    REAL("checkpoint.wall", "3600", 0, INFINITY, "s",
         "Seconds of wall-clock time between checkpoints; 0: none by wall-clock time."),
    BOOL("checkpoint.at_end", "no", "Write a checkpoint when the run ends, to prolong it later."),
    INT("checkpoint.keep", "2", 1, INFINITY, "files",
        "Number of checkpoints that stay in the output folder; older ones are removed."),

    {.help = "Plotfiles, pictures and diagnostics"},
    TEXT("output.folder", "output",
         "Folder of everything that the run writes; it is made if it does not exist. A folder that "
         "holds a run is refused, unless `oak run --overwrite` removes that run."),
    INT("output.buffer", "1024", 0, INFINITY, "MB",
        "Memory of a host for output and checkpoints that are written while the run goes on, "
        "shared by its ranks. While this memory is full, the run waits; 0: the run always waits "
        "until a file is written."),
    REAL("output.plot_every", "0", 0, INFINITY, "time", "Time between plotfiles; 0: none by time."),
    INT("output.plot_steps", "0", 0, INFINITY, "steps",
        "Steps between plotfiles; 0: none by steps."),
    BOOL("output.plot_first_last", "yes", "Write plotfiles of the initial and of the final state."),
    TEXT("output.plot_variables", "", "Variables in plotfiles, blank-separated; empty: all."),
    INT("output.plot_files", "0", 0, INFINITY, NULL,
        "Data files of each level of a plotfile, at most one per rank; 0: one per host, or fewer "
        "if they would be smaller than 64 MB."),
    TEXT("output.plot_region", "",
         "Lower and then upper corner of the part of the domain that plotfiles hold, all "
         "coordinates in one line; elsewhere they hold averages. Empty: all of it."),
    CHOICE("output.plot_space", "auto", "auto none vtkhdf xdmf",
           "Format of a second file beside each plotfile, with the cells where they are in space. "
           "auto: vtkhdf (xdmf if oak was built without HDF5) in polar, cylindrical and spherical "
           "coordinates, which programs other than oak read from plotfiles as x, y, z; none in "
           "others."),
    REAL("output.picture_every", "0", 0, INFINITY, "time",
         "Time between pictures; 0: none by time."),
    INT("output.picture_steps", "0", 0, INFINITY, "steps",
        "Steps between pictures; 0: none by steps."),
    TEXT("output.picture_variable", "", "Variable shown in pictures; empty: the first."),
    REALS("output.picture_range", "0 0", "variable",
          "Values at the two ends of the colour scale; equal: lowest and highest of each picture.",
          .count = 2),
    INT("output.picture_width", "1024", 64, 16384, "pixels",
        "Width of pictures; the height follows from the domain."),
    CHOICE("output.picture_axis", "z", "x y z r theta phi",
           "In 3D, the axis normal to the slice that is shown."),
    REAL("output.picture_position", "1/2", 0, 1, NULL,
         "In 3D, where the slice cuts that axis, as a fraction of the domain: 1/2 is the centre."),
    BOOL(
        "output.picture_dielectrics", "yes",
        "Pictures have values in bodies of the kind dielectric; no: they are grey, as other solids "
        "are."),
    BOOL("output.picture_mesh", "yes", "Draw the outlines of the blocks."),
    TEXT("output.picture_region", "",
         "Lower and then upper corner of the part of the domain that pictures show, all "
         "coordinates in one line; empty: all of it."),
    CHOICE("output.picture_colors", "auto", "auto viridis inferno coolwarm gray",
           "Colour scale of pictures; auto: coolwarm for values of both signs, otherwise inferno."),
    INT("output.diagnostics_every", "0", 0, INFINITY, "steps",
        "Steps between lines of totals in diagnostics.csv; 0: none."),
    {.key = NULL},
};

/* Further keys of a kind are in its file in src/output. */
const oak_param_desc_t oak_output_keys[] = {
    {.help = "One more output of the run. NAME is a word of letters, digits and _. There may be "
             "any number of such sections. The files of the output are NAME_STEP, or NAME.csv for "
             "a table that grows by a row each time."},
    REAL("output.NAME.every", "0", 0, INFINITY, "time", "Time between outputs; 0: none by time."),
    INT("output.NAME.every_steps", "0", 0, INFINITY, "steps",
        "Steps between outputs; 0: none by steps."),
    TEXT("output.NAME.times", "", "Times of further outputs, blank-separated."),
    BOOL("output.NAME.exact", "no",
         "Shorten time steps so that the times of `every` and `times` are met exactly. Otherwise "
         "the first step that reaches such a time is written."),
    BOOL("output.NAME.first_last", "yes", "Write the initial and the final state too."),
    {.key = NULL},
};
