/* SPDX-License-Identifier: GPL-2.0-or-later
 * The log of a run, a file in its folder: what the terminal shows. Until
 * the folder is ready, the text is kept in memory. A log that cannot be written ends no run. */
#include "run/log.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/folder/run_folder.h"
#include "api/create.h"

void oak_log_begin(oak_log_t *log, oak_t *sim, const char *command) {
  char date[64] = "";
  const time_t now = time(NULL);
  struct tm parts;
  *log = (oak_log_t){.sim = sim};
  if (sim->setup.rank == 0) log->stream = open_memstream(&log->text, &log->size);
  if (!log->stream) return;
  if (gmtime_r(&now, &parts)) strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &parts);
  fprintf(log->stream, OAK_LOG_HEAD "\n# %s\n", date);
  if (command) fprintf(log->stream, "# %s\n", command);
  oak_print_head(sim, log->stream, 0);
}

void oak_log_open(oak_log_t *log, const char *folder, int append) {
  char path[4200];
  if (!log->stream) return;
  fclose(log->stream);
  snprintf(path, sizeof path, "%s/" OAK_LOG, folder);
  log->stream = fopen(path, append ? "a" : "w");
  if (log->stream && log->text) fputs(log->text, log->stream);
  if (log->stream) fflush(log->stream);
  free(log->text);
  log->text = NULL;
}

void oak_log_close(oak_log_t *log, oak_status_t st, FILE *stream) {
  if (st == OAK_OK) oak_print_wtime(log->sim, log->stream);
  if (!log->stream) return;
  if (st != OAK_OK) fprintf(log->stream, "error: %s\n", oak_last_error());
  fputs("\n", log->stream);
  const int failed = ferror(log->stream);
  if ((fclose(log->stream) != 0 || failed) && stream)
    fprintf(stream, OAK_LOG " is not complete: it could not be written\n");
  free(log->text);
}
