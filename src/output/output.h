/* SPDX-License-Identifier: GPL-2.0-or-later
 * Output of a run by schedule. Private.
 *
 * A run has any number of outputs: those of the keys in [output], and one for each section
 * [output.NAME]. What an output writes is its kind (src/output). */
#pragma once

#include "base/progress.h"
#include "io/folder/run_folder.h"
#include "output/item.h"

typedef struct {
  oak_t *sim;
  oak_progress_t *progress; /**< prints the names of files that are written */
  const char *folder;
  const char *command; /**< command line of the run, set before oak_output_begin; NULL: unknown */
  const char *begun_from;      /**< a checkpoint of another run, set before; NULL: none */
  oak_run_folder_t run_folder; /**< on rank 0 */
  oak_disk_t *disk;            /**< writer of the run; NULL: files are written at once */
  oak_output_item_t *item;
  int nitem;
} oak_output_t;

/** Check the keys of output and lock the folder, which may have an earlier run as \a how
 * says. Changes no file in it. Collective. */
oak_status_t oak_output_open(oak_output_t *out, oak_t *sim, oak_progress_t *progress,
                             oak_folder_use_t how);
/** The checks of oak_output_open, if there is a folder; for a simulation that has no kernels yet.
 * Collective. */
oak_status_t oak_output_check_folder(oak_t *sim, oak_folder_use_t how);
/** Remove an earlier run from the folder, write the effective parameters and begin the tables.
 * Collective. */
oak_status_t oak_output_begin(oak_output_t *out);
/** oak_output_begin for a run that goes on, after oak_output_load: cut the rows of later steps off
 * the tables, begin missing tables, and write the effective parameters. A file is replaced when its
 * new text is on the disk. Collective. */
oak_status_t oak_output_continue(oak_output_t *out);
/** Say which outputs a run would write, and when, on \a stream (NULL: only check the keys).
 * Collective. */
oak_status_t oak_output_print(oak_t *sim, FILE *stream);
/** Note on the terminal which files other programs cannot place in space, and what they can. */
void oak_output_advise(const oak_output_t *out);
/** Write what is due now; \a last: the run ends here. Collective. */
oak_status_t oak_output_write(oak_output_t *out, double dt, int last);
/** The next time that an output has to meet exactly; INFINITY: none. */
double oak_output_target(const oak_output_t *out);
/** Release the folder that oak_write_output has opened. */
void oak_output_release(oak_t *sim);
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

/* output_disk.c: files that are written while the run goes on. */

/** A file of the run, and what follows when it is on the disk: a line on the terminal, and more. */
typedef struct {
  const char *path;
  /** Write it, or hand it over to \a disk. Collective, fails on all ranks alike. */
  oak_status_t (*write)(void *context, const char *path, oak_disk_t *disk);
  void *context;
  const oak_output_kind_t *kind; /**< NULL: a checkpoint */
  const char *stem;              /**< stem of the list of its kind */
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
