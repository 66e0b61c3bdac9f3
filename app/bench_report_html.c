/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --report: the HTML file and figures.csv. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench_report.h"
#include "plot_svg.h"

static const char style[] =
    "body{font-family:sans-serif;max-width:1000px;margin:24px auto;padding:0 16px;color:#222;"
    "line-height:1.45}\n"
    "h1{font-size:26px}h2{font-size:20px;margin-top:36px;border-bottom:1px solid #ccc}\n"
    "table{border-collapse:collapse;font-size:13px;margin:12px 0}\n"
    "th{text-align:right;border-bottom:2px solid #888;padding:3px 9px;vertical-align:bottom}\n"
    "td{text-align:right;border-bottom:1px solid #e4e4e4;padding:2px 9px;white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left}\n"
    "svg{max-width:100%;height:auto;display:block;margin:10px 0}\n";

static oak_status_t open_file(const bench_report_t *r, const char *name, FILE **out) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", r->folder, name);
  *out = fopen(path, "w");
  OAK_CHECK(*out, OAK_ERR_FILE, "cannot write %s: %s", path, strerror(errno));
  return OAK_OK;
}

/* What was measured where, with which versions. */
static void write_head(bench_report_t *r) {
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING], host[256] = "", date[64];
  int length;
  const time_t now = time(NULL);
  MPI_Get_library_version(mpi, &length);
  mpi[strcspn(mpi, ",\n")] = 0;
  gethostname(host, sizeof host - 1);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime(&now));
  fprintf(r->html,
          "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>oak bench</title>\n"
          "<style>%s</style></head><body>\n<h1>oak beside the evaluation of the foap4 paper</h1>\n",
          style);
  static const char *const head[] = {"Measured on", ""};
  oak_report_table(r, head, 2);
  const char *const line[][2] = {
      {"date", date}, {"host", host}, {"device", r->device_text}, {"MPI", mpi}};
  for (size_t n = 0; n < sizeof line / sizeof *line; n++) {
    oak_report_row(r);
    oak_report_cell(r, "%s", line[n][0]);
    oak_report_cell(r, "%s", line[n][1]);
  }
  oak_report_row(r);
  oak_report_cell(r, "ranks");
  oak_report_cell(r, "%d", r->ranks);
  oak_report_row(r);
  oak_report_cell(r, "oak");
  oak_report_cell(r, "%s, commit %s", OAK_VERSION, oak_commit());
  oak_report_row(r);
  oak_report_cell(r, "keys");
  char keys[1024] = "";
  for (int i = 0; i < r->nkey; i++)
    snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s", i ? " " : "", r->key[i]);
  oak_report_cell(r, "%s", *keys ? keys : "none");
  oak_report_table_end(r);
  oak_report_text(
      r,
      "One cell in one stage of a Runge-Kutta step is a cell update; GCUPS are 10^9 of them per "
      "second. A speed is the median of several pieces of a run; least and most are their range. "
      "The paper's figures are those of its text and tables; hollow points in the plots. "
      "figures.csv has all figures.");
  if (r->quick)
    oak_report_text(r, "This is a quick report: some of the cases%s, and short pieces.",
                    r->gpu ? "" : ", on smaller meshes");
}

oak_status_t oak_report_open(bench_report_t *r) {
  if (r->rank != 0) return OAK_OK;
  OAK_TRY(oak_bench_make_folder(r->folder));
  OAK_TRY(open_file(r, "report.html", &r->html));
  OAK_TRY(open_file(r, "figures.csv", &r->csv));
  fprintf(r->csv, "section,what,unit,paper,oak,least,most\n");
  write_head(r);
  return OAK_OK;
}

oak_status_t oak_report_close(bench_report_t *r) {
  int failed = 0;
  if (r->html) {
    fprintf(r->html, "<p>Made in %.0f s.</p>\n</body></html>\n", MPI_Wtime() - r->begin);
    failed |= ferror(r->html) | fclose(r->html);
  }
  if (r->csv) failed |= ferror(r->csv) | fclose(r->csv);
  r->html = r->csv = NULL;
  OAK_CHECK(!failed, OAK_ERR_FILE, "oak bench --report: cannot write to %s: is the disk full?",
            r->folder);
  return OAK_OK;
}

/** <tag>text</tag> */
static void element(bench_report_t *r, const char *tag, const char *text) {
  fprintf(r->html, "<%s>", tag);
  oak_html_text(r->html, text);
  fprintf(r->html, "</%s>", tag);
}

void oak_report_section(bench_report_t *r, const char *title) {
  if (!r->html) return;
  element(r, "h2", title);
  fprintf(r->html, "\n");
}

void oak_report_text(bench_report_t *r, const char *format, ...) {
  char text[2048];
  va_list list;
  if (!r->html) return;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  element(r, "p", text);
  fprintf(r->html, "\n");
}

void oak_report_table(bench_report_t *r, const char *const *head, int n) {
  if (!r->html) return;
  fprintf(r->html, "<table><tr>");
  for (int i = 0; i < n; i++) element(r, "th", head[i]);
  fprintf(r->html, "</tr>");
}

void oak_report_row(bench_report_t *r) {
  if (!r->html) return;
  fprintf(r->html, "%s\n<tr>", r->in_row ? "</tr>" : "");
  r->in_row = 1;
}

void oak_report_cell(bench_report_t *r, const char *format, ...) {
  char text[1024];
  va_list list;
  if (!r->html) return;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  element(r, "td", text);
}

void oak_report_number(bench_report_t *r, int digits, double x) {
  if (digits == 3 && fabs(x) < 0.0995) digits = fabs(x) < 0.00995 ? 5 : 4;
  if (isnan(x))
    oak_report_cell(r, "–");
  else
    oak_report_cell(r, "%.*f", digits, x);
}

void oak_report_table_end(bench_report_t *r) {
  if (!r->html) return;
  fprintf(r->html, "%s\n</table>\n", r->in_row ? "</tr>" : "");
  r->in_row = 0;
}

static void csv_number(FILE *csv, double x) {
  fputc(',', csv);
  if (!isnan(x)) fprintf(csv, "%.6g", x);
}

void oak_report_figure(bench_report_t *r, const oak_report_figure_t *f, const char *what, ...) {
  char text[256];
  va_list list;
  if (!r->csv) return;
  va_start(list, what);
  vsnprintf(text, sizeof text, what, list);
  va_end(list);
  fprintf(r->csv, "%s,\"%s\",%s", f->section, text, f->unit);
  csv_number(r->csv, f->paper);
  csv_number(r->csv, f->oak);
  csv_number(r->csv, f->least);
  csv_number(r->csv, f->most);
  fputc('\n', r->csv);
  fflush(r->csv);
  fflush(r->html); /* what was measured stays if a later section fails */
}
