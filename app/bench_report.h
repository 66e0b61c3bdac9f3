/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of oak bench --report share. Private to app. */
#ifndef OAK_BENCH_REPORT_H
#define OAK_BENCH_REPORT_H

#include <oak.h>

#include "bench_paper.h"
#include "bench_scaling.h"

/** A report while it is made. */
typedef struct {
  int quick, rank, ranks, gpu;
  const char *folder;
  char **key; /**< of the command line, for every run */
  int nkey;
  char device_text[512];
  int in_row;       /**< of a table */
  FILE *html, *csv; /**< on rank 0; NULL on the others, where functions that write do nothing */
  bench_paper_t paper;
  double begin;
} bench_report_t;

/* ---- bench_report_html.c */

/** On rank 0: the folder, report.html with its head, figures.csv. */
oak_status_t oak_report_open(bench_report_t *r);
oak_status_t oak_report_close(bench_report_t *r);
/** A heading, then a paragraph, both printf-like without HTML. */
void oak_report_section(bench_report_t *r, const char *title);
__attribute__((format(printf, 2, 3))) void oak_report_text(bench_report_t *r, const char *format,
                                                           ...);
/** A table: the heads of its columns, cells row by row, the end. \a format of a cell is
 * printf-like; a cell of "" stays empty. */
void oak_report_table(bench_report_t *r, const char *const *head, int n);
/** Begin a row. */
void oak_report_row(bench_report_t *r);
__attribute__((format(printf, 2, 3))) void oak_report_cell(bench_report_t *r, const char *format,
                                                           ...);
/** A number, or a dash where it is NAN. With three digits, a small number gets more. */
void oak_report_number(bench_report_t *r, int digits, double x);
void oak_report_table_end(bench_report_t *r);
/** A line of figures.csv. NAN: there is none. \a what is printf-like. */
typedef struct {
  const char *section, *unit;
  double paper, oak, least, most;
} oak_report_figure_t;
__attribute__((format(printf, 3, 4))) void oak_report_figure(bench_report_t *r,
                                                             const oak_report_figure_t *figure,
                                                             const char *what, ...);

/* ---- the sections. Collective on MPI_COMM_WORLD. */

/** Both tables of the paper, and what an adaptive mesh costs. */
oak_status_t oak_report_tables(bench_report_t *r);
/** Strong and weak scaling, and where the time goes. */
oak_status_t oak_report_scaling(bench_report_t *r);
/** Convergence and flux fixing. */
oak_status_t oak_report_accuracy(bench_report_t *r);

#endif
