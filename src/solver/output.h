/* SPDX-License-Identifier: GPL-2.0-or-later
 * Output of a run by schedule: plotfiles, pictures, a table of totals. Private. */
#ifndef OAK_OUTPUT_H
#define OAK_OUTPUT_H

#include "base/progress.h"
#include "solver/sim.h"

typedef struct {
  oak_t *sim;
  oak_progress_t *progress; /**< told about files written */
  const char *folder;
  double next_plot, next_picture; /**< times, INFINITY for never */
  int pictures;                   /**< written so far */
  long last_plot;                 /**< step of the last plotfile, -1: none */
  FILE *table;                    /**< diagnostics.csv on rank 0 */
} oak_output_t;

/** Create the folder, write the effective parameters into it, open the table. Collective. */
oak_status_t oak_output_open(oak_output_t *out, oak_t *sim, oak_progress_t *progress);
/** Write what is due now; \a last: the run ends here. Collective. */
oak_status_t oak_output_write(oak_output_t *out, double dt, int last);
void oak_output_close(oak_output_t *out);

#endif
