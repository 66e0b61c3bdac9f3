/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --paper: the CSV file with all figures, and the folder that it is in. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "bench_paper.h"

static const char *const table_name[] = {"uniform", "small", "hardware", "amr"};

oak_status_t oak_bench_make_folder(const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s", folder);
  for (char *c = path + 1;; c++) {
    if (*c && *c != '/') continue;
    const char end = *c;
    *c = 0;
    OAK_CHECK(mkdir(path, 0777) == 0 || errno == EEXIST, OAK_ERR_FILE, "cannot make folder %s: %s",
              path, strerror(errno));
    if (!end) return OAK_OK;
    *c = end;
  }
}

oak_status_t oak_bench_csv_open(bench_paper_t *p) {
  char path[4096];
  if (!p->folder || p->rank != 0) return OAK_OK;
  OAK_TRY(oak_bench_make_folder(p->folder));
  snprintf(path, sizeof path, "%s/paper.csv", p->folder);
  p->csv = fopen(path, "w");
  OAK_CHECK(p->csv, OAK_ERR_FILE, "cannot write %s: %s", path, strerror(errno));
  fprintf(p->csv,
          "table,problem,dim,limiter,domain,block,precision,state,blocks,cells,steps,pieces,gcups,"
          "least,most,outside,paper_gcups,paper_outside,ratio,memory,stepping_seconds,seconds,"
          "ranks,version,device,keys,reason\n");
  return OAK_OK;
}

static void csv_text(FILE *csv, const char *text) {
  fputs(",\"", csv);
  for (; *text; text++) {
    if (*text == '"') fputc('"', csv);
    fputc(*text, csv);
  }
  fputc('"', csv);
}

/* A missing figure leaves its field empty. */
static void csv_number(FILE *csv, const char *format, double x) {
  fputc(',', csv);
  if (!isnan(x)) fprintf(csv, format, x);
}

void oak_bench_csv_row(const bench_paper_t *p, const bench_row_t *r) {
  static const char *const state[] = {"none", "measured", "skipped", "failed"};
  char keys[1024] = "";
  FILE *csv = p->csv;
  const double gap = r->state == BENCH_MEASURED ? 0 : NAN; /* oak's figure is then left empty */
  if (!csv || !r->wanted) return;
  for (int i = 0; i < p->nuser; i++)
    snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s", i ? " " : "", p->user[i]);
  fprintf(csv, "%s,%s,%d,%s,%d,%d,%s,%s", table_name[r->table], r->rt ? "rt" : "advection", r->dim,
          r->limiter, r->side, r->block, r->single ? "single" : "double", state[r->state]);
  csv_number(csv, "%.0f", (double)r->blocks + gap);
  csv_number(csv, "%.0f", r->cells + gap);
  csv_number(csv, "%.0f", (double)r->steps + gap);
  csv_number(csv, "%.0f", r->pieces + gap);
  csv_number(csv, "%.6g", r->gcups + gap);
  csv_number(csv, "%.6g", r->least + gap);
  csv_number(csv, "%.6g", r->most + gap);
  csv_number(csv, "%.2f", r->outside + gap);
  csv_number(csv, "%g", r->paper);
  csv_number(csv, "%g", r->paper_outside);
  csv_number(csv, "%.4g", r->gcups / r->paper + gap);
  csv_number(csv, "%.0f", r->memory + gap);
  csv_number(csv, "%.3f", r->stepping + gap);
  csv_number(csv, "%.3f", r->seconds);
  fprintf(csv, ",%d,%s", p->ranks, OAK_VERSION);
  csv_text(csv, p->device_text);
  csv_text(csv, keys);
  csv_text(csv, r->reason);
  fputc('\n', csv);
  fflush(csv); /* the file is complete up to this row, even if the next row ends the program */
}

/* Whether all that was written is on the disk. */
oak_status_t oak_bench_csv_close(bench_paper_t *p) {
  if (!p->csv) return OAK_OK;
  const int failed = ferror(p->csv) | fclose(p->csv);
  p->csv = NULL;
  OAK_CHECK(!failed, OAK_ERR_FILE, "cannot write %s/paper.csv: %s", p->folder, strerror(errno));
  return OAK_OK;
}
