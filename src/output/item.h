/* SPDX-License-Identifier: GPL-2.0-or-later
 * One output of a run, and what a kind of output is. Private. */
#pragma once

#include "base/params_library.h"
#include "base/path.h"
#include "io/files/output_folder.h"
#include "io/folder/series.h"
#include "output/schedule.h"
#include "output/view.h"

typedef struct oak_output_item oak_output_item_t;

/** A kind of output: one file in src/output and a line in kinds.c. The keys `variables`,
 * `region` and `precision` are read for all kinds that have them; `precision` is for files of
 * blocks. */
typedef struct {
  oak_output_word_t word;
  const char *ending; /**< ending of its files; NULL: none */
  /** Each output is such a folder or, if \a ending differs from the folder's, a file with such a
   * folder beside it. */
  const oak_folder_kind_t *folder;
  const oak_series_t *series; /**< the list of all of its files, for viewers; NULL: none */
  int each_variable;          /**< a file for each variable */
  oak_select_t empty;         /**< the variables without the key `variables` */
  int cuts_blocks;            /**< with a region, the view has only the blocks that touch it */
  /** Check the keys of this kind; may be NULL. Rank-local, before the folder is opened. */
  oak_status_t (*open)(oak_output_item_t *item);
  /** Check what the files of a run may hold at most, up to mesh.max_level; may be NULL. Rank-local,
   * as `open`, but only for an output that will be written. */
  oak_status_t (*check)(const oak_output_item_t *item);
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
extern const oak_output_kind_t oak_output_plotfile, oak_output_picture, oak_output_diagnostics,
    oak_output_vtkhdf, oak_output_xdmf;

struct oak_output_item {
  oak_t *sim;
  const oak_output_kind_t *kind;
  char name[40];
  char prefix[64]; /**< prefix of its keys: "output.NAME.", or "output.plot_" and the like */
  char ending[16]; /**< ending of its files */
  int section;     /**< whether it has a section of its own */
  oak_schedule_t schedule;
  oak_selection_t variables;
  int value_bytes;     /**< size of a value in files: 4 or 8 */
  int whole;           /**< there is no region */
  double region[2][3]; /**< otherwise its lower and upper corner */
  double dt;           /**< dt of the step that is written */
  long last_step;      /**< step of the last output, -1: none */
  int count;           /**< outputs so far */
  int pending;         /**< files that are not on the disk yet */
  oak_disk_t *disk;    /**< writer of the files; NULL: at once */
  void *data;          /**< the kind's own, freed at the end */
};

/* For kinds: values of an item's keys by their last word. */
int oak_item_int(const oak_output_item_t *item, const char *word);
double oak_item_real(const oak_output_item_t *item, const char *word);
int oak_item_bool(const oak_output_item_t *item, const char *word);
int oak_item_choice(const oak_output_item_t *item, const char *word);
/** The axis that the key `axis` names; -1: these coordinates have none of this name. */
int oak_item_axis(const oak_output_item_t *item);
const char *oak_item_text(const oak_output_item_t *item, const char *word);
int oak_item_reals(const oak_output_item_t *item, const char *word, double out[3]);
/** At most \a most points from the text of a key, in \a x[count]; coordinates beyond the dimension
 * are 0. Refused outside the domain. */
oak_status_t oak_item_points(const oak_output_item_t *item, const char *word, int most,
                             double (*x)[3], int *count);
/** Fail if a key that is for 3D alone was changed in 2D, or if it is an axis that there is not. */
oak_status_t oak_item_only_3d(const oak_output_item_t *item, const char *word);
/** Whether the output leaves out dielectrics. */
int oak_item_no_dielectrics(const oak_output_item_t *item);
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
