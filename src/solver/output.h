/* SPDX-License-Identifier: GPL-2.0-or-later
 * Output of a run by schedule: plotfiles, pictures, a table of totals. Private. */
#ifndef OAK_OUTPUT_H
#define OAK_OUTPUT_H

#include "base/progress.h"
#include "io/run_folder.h"
#include "solver/sim.h"

typedef struct {
  oak_t *sim;
  oak_progress_t *progress; /**< told about files written */
  const char *folder;
  oak_run_folder_t hold;          /**< on rank 0 */
  double next_plot, next_picture; /**< times, INFINITY for never */
  int pictures;                   /**< written so far */
  long last_plot;                 /**< step of the last plotfile, -1: none */
} oak_output_t;

/** Judge the keys of output and take the folder, which must hold no run unless \a overwrite is 1.
 * Leaves what is in it. Collective. */
oak_status_t oak_output_open(oak_output_t *out, oak_t *sim, oak_progress_t *progress,
                             int overwrite);
/** Remove an earlier run from the folder, write the effective parameters and begin the table.
 * Collective. */
oak_status_t oak_output_begin(oak_output_t *out);
/** Write what is due now; \a last: the run ends here. Collective. */
oak_status_t oak_output_write(oak_output_t *out, double dt, int last);
/** Let go of the folder. \return \a st, or that the folder is gone with all that was written.
 * Collective. */
oak_status_t oak_output_close(oak_output_t *out, oak_status_t st);

#endif
