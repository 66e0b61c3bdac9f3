/* SPDX-License-Identifier: GPL-2.0-or-later
 * Output of a run by schedule. Private.
 *
 * A run has any number of outputs: those of the keys in [output], and one for each section
 * [output.NAME]. What an output writes is its kind (src/solver/kinds). */
#ifndef OAK_OUTPUT_H
#define OAK_OUTPUT_H

#include "base/params_outputs.h"
#include "base/progress.h"
#include "io/files/output_folder.h"
#include "io/folder/run_folder.h"
#include "io/folder/series.h"
#include "solver/output/schedule.h"
#include "solver/output/view.h"

typedef struct oak_output_item oak_output_item_t;

/** A kind of output: one file in src/solver/kinds and a line in the table there. The keys
 * `variables`, `region` and `precision`, which is for files of blocks, are read for all kinds that
 * have them. */
typedef struct {
  oak_output_word_t word;
  const char *ending; /**< of its files; NULL: none */
  /** Its outputs are such folders or, if it has an ending that differs, have one beside them. */
  const oak_folder_kind_t *folder;
  const oak_series_t *series; /**< the list of all of its files, for viewers; NULL: none */
  int each_variable;          /**< a file for each variable */
  int first_variable;         /**< without `variables` the first one alone is taken */
  int cuts_blocks;            /**< with a region, the view has only the blocks that touch it */
  /** Check the keys of this kind; may be NULL. Rank-local, before the folder is opened. */
  oak_status_t (*open)(oak_output_item_t *item);
  /** Keep what this kind needs of the first state of a run; with \a restart, check that it is still
   * there. May be NULL. Collective. */
  oak_status_t (*start)(oak_output_item_t *item, const char *folder, int restart);
  /** 1 if `write` takes over a view that stays while the run goes on. NULL: it never does. */
  int (*takes_over)(const oak_output_item_t *item);
  /** Write the view to \a path. Collective, fails on all ranks alike. May be
   * NULL for tables. */
  oak_status_t (*write)(oak_output_item_t *item, const oak_grid_view_t *view, const char *path);
  /** For tables, which get a row with each output; `write` may make a file as well. Print the names
   * of the columns, on rank 0, each after a comma. The first columns are always step and time. */
  void (*head)(const oak_output_item_t *item, FILE *stream);
  /** Print the values of a row in the same form. Collective; \a stream is NULL on other ranks, and
   * if there is no memory. */
  oak_status_t (*row)(oak_output_item_t *item, const oak_grid_view_t *view, FILE *stream);
  /** Write and read a text that a restarted run needs, without line feeds; may be NULL. */
  void (*save)(const oak_output_item_t *item, FILE *stream);
  void (*load)(oak_output_item_t *item, const char *text);
} oak_output_kind_t;

/** The kinds that a section can have; ends with NULL. */
extern const oak_output_kind_t *const oak_output_kinds[];
/** The kinds of the keys in [output]. */
extern const oak_output_kind_t oak_output_plotfile, oak_output_picture, oak_output_diagnostics;

struct oak_output_item {
  oak_t *sim;
  const oak_output_kind_t *kind;
  char name[40];
  char prefix[64]; /**< of its keys: "output.NAME.", or "output.plot_" and the like */
  char ending[16]; /**< of its files */
  int section;     /**< it has a section of its own */
  char *start;     /**< plotfile of the state at the start of the run, for differences; or NULL */
  oak_schedule_t schedule;
  oak_selection_t variables;
  int value_bytes;     /**< of a value in files: 4 or 8 */
  int whole;           /**< there is no region */
  double region[2][3]; /**< otherwise its lower and upper corner */
  double dt;           /**< of the step that is written */
  long last_step;      /**< of the last output, -1: none */
  int count;           /**< outputs so far */
  int pending;         /**< files that are not on the disk yet */
  oak_disk_t *disk;    /**< what writes them; NULL: at once */
  void *data;          /**< the kind's own, freed at the end */
};

typedef struct {
  oak_t *sim;
  oak_progress_t *progress; /**< prints the names of files that are written */
  const char *folder;
  const char *command; /**< command line of the run, set before oak_output_begin; NULL: unknown */
  oak_run_folder_t run_folder; /**< on rank 0 */
  oak_disk_t *disk;            /**< of the run; NULL: files are written at once */
  int goes_back;               /**< keep what was written after the present step */
  oak_output_item_t *item;
  int nitem;
} oak_output_t;

/** Check the keys of output and lock the folder, which may have an earlier run as \a how
 * says. Changes no file in it. Collective. */
oak_status_t oak_output_open(oak_output_t *out, oak_t *sim, oak_progress_t *progress,
                             oak_folder_use_t how);
/** Remove an earlier run from the folder, write the effective parameters and begin the tables.
 * Collective. */
oak_status_t oak_output_begin(oak_output_t *out);
/** The same for a run that goes on, after oak_output_load: cut the rows of later steps off the
 * tables, begin those that are not there, and write the effective parameters. A file is replaced
 * when its new text is on the disk. Collective. */
oak_status_t oak_output_continue(oak_output_t *out);
/** Say which outputs a run would write, and when, on \a stream (NULL: only check the keys).
 * Collective. */
oak_status_t oak_output_print(oak_t *sim, FILE *stream);
/** Write what is due now; \a last: the run ends here. Collective. */
oak_status_t oak_output_write(oak_output_t *out, double dt, int last);
/** The next time that an output has to meet exactly; INFINITY: none. */
double oak_output_target(const oak_output_t *out);
/** Release the folder. \return \a st, or a failure if the folder has been removed with all that
 * was written. Collective. */
oak_status_t oak_output_close(oak_output_t *out, oak_status_t st);

/** Print lines of text that hold the schedule of all outputs. Rank-local. */
void oak_output_save(const oak_output_t *out, FILE *stream);
/** Take the schedule from such a text, so that the run writes what it would have written without a
 * break. Call it after oak_output_open, when the simulation has the time and step of the restart.
 * Outputs that the text does not name begin with their first time after the restart. The same on
 * all ranks, not collective. */
oak_status_t oak_output_load(oak_output_t *out, const char *text);

/** Rank 0: move what was written after the present step to a folder of its own. */
oak_status_t oak_output_keep_later(const oak_output_t *out);

/* output_disk.c: files that are written while the run goes on. */

/** A file of the run, and what follows when it is on the disk: a line on the terminal, and more. */
typedef struct {
  const char *path;
  /** Write it, or hand it over to \a disk. Collective, fails on all ranks alike. */
  oak_status_t (*write)(void *context, const char *path, oak_disk_t *disk);
  void *context;
  const oak_output_kind_t *kind; /**< NULL: a checkpoint */
  const char *stem;              /**< of the list of its kind */
  int keep;                      /**< checkpoints that stay */
  int *pending;                  /**< counts such files that are on their way */
} oak_put_t;

/** Write a file of the run. Collective. */
oak_status_t oak_output_put(oak_output_t *out, const oak_put_t *put);
/** Write in the background from here on, within the memory of output.buffer. Collective. */
oak_status_t oak_output_disk_open(oak_output_t *out);
/** After each time step: finish the files that all ranks have written, or return the failure of
 * writing. Collective. */
oak_status_t oak_output_step(oak_output_t *out);
/** Wait until all is on the disk. Collective. */
oak_status_t oak_output_wait(oak_output_t *out);
/** Wait, and write at once from here on. \return \a st, or the failure of writing. Collective. */
oak_status_t oak_output_disk_close(oak_output_t *out, oak_status_t st);

/* For kinds: values of an item's keys by their last word. */
int oak_item_int(const oak_output_item_t *item, const char *word);
double oak_item_real(const oak_output_item_t *item, const char *word);
int oak_item_bool(const oak_output_item_t *item, const char *word);
int oak_item_choice(const oak_output_item_t *item, const char *word);
const char *oak_item_text(const oak_output_item_t *item, const char *word);
int oak_item_reals(const oak_output_item_t *item, const char *word, double out[3]);
/** At most \a most points from the text of a key, in \a x[count]; coordinates beyond the dimension
 * are 0. Refused outside the domain. */
oak_status_t oak_item_points(const oak_output_item_t *item, const char *word, int most,
                             double (*x)[3], int *count);
/** Fail if a key that is for 3D alone was changed in 2D. */
oak_status_t oak_item_only_3d(const oak_output_item_t *item, const char *word);
/** For `takes_over`: 1. */
int oak_item_always(const oak_output_item_t *item);
/** Beginning of a message about a key: "file.ini:12: output.NAME.word = value". The text stays
 * until the next call. */
const char *oak_item_given(const oak_output_item_t *item, const char *word);

/** An output of the keys in [output], such as prefix "output.plot_". Rank-local. */
oak_status_t oak_item_init(oak_output_item_t *item, oak_t *sim, const char *name,
                           const char *prefix, const oak_output_kind_t *kind);
/** Write it now to \a path. Collective. */
oak_status_t oak_item_write(oak_output_item_t *item, const char *path);
void oak_item_clear(oak_output_item_t *item);

#endif
