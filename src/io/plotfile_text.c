/* SPDX-License-Identifier: GPL-2.0-or-later
 * The text files of an AMReX plotfile: Header and, per level, Cell_H. */
#define _GNU_SOURCE 1
#include "plotfile_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_tools.h"

/** What a section of lines says of each box. */
typedef enum { TEXT_PLACE, TEXT_BOX, TEXT_FILE, TEXT_LOW, TEXT_HIGH } section_t;

static void print_corner(FILE *out, int dim, const int64_t at[3]) {
  for (int d = 0; d < dim; d++) fprintf(out, "%c%lld", d == 0 ? '(' : ',', (long long)at[d]);
  fputc(')', out);
}

static void print_box(FILE *out, int dim, const int64_t low[3], const int64_t high[3]) {
  const int64_t cell_centred[3] = {0, 0, 0};
  fputc('(', out);
  print_corner(out, dim, low);
  fputc(' ', out);
  print_corner(out, dim, high);
  fputc(' ', out);
  print_corner(out, dim, cell_centred);
  fputc(')', out);
}

/** First and last cell of a box, counted in cells of its level. */
static void box_cells(const oak_grid_view_t *view, const oak_plot_box_t *box, int64_t low[3],
                      int64_t high[3]) {
  const int64_t n = view->block_size;
  for (int d = 0; d < 3; d++) {
    low[d] = box->node[d] * n;
    high[d] = low[d] + (n << box->merge) - 1;
  }
}

char *oak_plot_fab_header(const oak_grid_view_t *view, const oak_plot_box_t *box) {
  const int one = 1;
  const int little_endian = *(const char *)&one == 1;
  int64_t low[3], high[3];
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  if (!out) return NULL;
  if (view->value_bytes == 4)
    fprintf(out, "FAB ((8, (32 8 23 0 1 9 0 127)),(4, (%s)))",
            little_endian ? "4 3 2 1" : "1 2 3 4");
  else
    fprintf(out, "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (%s)))",
            little_endian ? "8 7 6 5 4 3 2 1" : "1 2 3 4 5 6 7 8");
  box_cells(view, box, low, high);
  print_box(out, view->dim, low, high);
  fprintf(out, " %d\n", view->nvar);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

static double cell_size(const oak_grid_view_t *view, int level, int d) {
  const double cells = (double)view->trees[d] * view->block_size;
  return (view->xmax[d] - view->xmin[d]) / (cells * (double)(INT64_C(1) << level));
}

static void print_entry(FILE *out, const oak_grid_view_t *view, int level,
                        const oak_plot_level_t *part, int rank, int b, section_t section) {
  const oak_plot_box_t *box = &part->box[b];
  int64_t low[3], high[3];
  box_cells(view, box, low, high);
  switch (section) {
    case TEXT_PLACE:
      for (int d = 0; d < view->dim; d++) {
        const double h = cell_size(view, level, d);
        fprintf(out, "%.17g %.17g\n", view->xmin[d] + (double)low[d] * h,
                view->xmin[d] + (double)(high[d] + 1) * h);
      }
      break;
    case TEXT_BOX:
      print_box(out, view->dim, low, high);
      fputc('\n', out);
      break;
    case TEXT_FILE:
      fprintf(out, "FabOnDisk: Cell_D_%05d %lld\n", rank, (long long)box->offset);
      break;
    case TEXT_LOW:
    case TEXT_HIGH:
      for (int v = 0; v < view->nvar; v++)
        fprintf(out, "%.17g,",
                part->range[((size_t)b * view->nvar + v) * 2 + (section == TEXT_HIGH)]);
      fputc('\n', out);
      break;
  }
}

/** This rank's lines of a section. NULL with no memory. */
static char *section_text(const oak_grid_view_t *view, int level, const oak_plot_level_t *part,
                          section_t section, size_t *length) {
  int rank;
  char *text = NULL;
  MPI_Comm_rank(view->comm, &rank);
  FILE *out = open_memstream(&text, length);
  if (!out) return NULL;
  for (int b = 0; b < part->nbox; b++) print_entry(out, view, level, part, rank, b, section);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

/** Rank 0's means to write text files. On the other ranks all is NULL. */
typedef struct {
  FILE *out;   /**< NULL after a failure */
  int *nbox;   /**< [ranks] boxes of each on the present level */
  char *piece; /**< [PIECE_BYTES] */
  oak_status_t status;
} scribe_t;

enum { PIECE_BYTES = 1 << 20, TAG_GO = 0, TAG_LENGTH = 1, TAG_TEXT = 2 };

static void open_text(scribe_t *scribe, const char *path) {
  if (scribe->status != OAK_OK) return;
  scribe->out = path ? fopen(path, "w") : NULL;
  if (!path)
    scribe->status = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the name of a plotfile part");
  else if (!scribe->out)
    scribe->status = oak_file_failed("create", path, errno);
}

static void close_text(scribe_t *scribe, const char *path) {
  if (!scribe->out) return;
  errno = 0;
  oak_status_t st = OAK_OK;
  if (fflush(scribe->out) != 0 || ferror(scribe->out))
    st = oak_file_failed("write", path, errno ? errno : EIO);
  else
    st = oak_sync(fileno(scribe->out), path);
  if (fclose(scribe->out) != 0 && st == OAK_OK) st = oak_file_failed("write", path, errno);
  if (scribe->status == OAK_OK) scribe->status = st;
  scribe->out = NULL;
}

static void receive_text(scribe_t *scribe, int from, MPI_Comm comm) {
  int64_t left;
  int go = 1;
  MPI_Send(&go, 1, MPI_INT, from, TAG_GO, comm);
  MPI_Recv(&left, 1, MPI_INT64_T, from, TAG_LENGTH, comm, MPI_STATUS_IGNORE);
  while (left > 0) {
    const int n = left < PIECE_BYTES ? (int)left : PIECE_BYTES;
    MPI_Recv(scribe->piece, n, MPI_CHAR, from, TAG_TEXT, comm, MPI_STATUS_IGNORE);
    if (scribe->out) fwrite(scribe->piece, 1, (size_t)n, scribe->out);
    left -= n;
  }
}

static void send_text(const char *text, int64_t left, MPI_Comm comm) {
  int go;
  MPI_Recv(&go, 1, MPI_INT, 0, TAG_GO, comm, MPI_STATUS_IGNORE);
  MPI_Send(&left, 1, MPI_INT64_T, 0, TAG_LENGTH, comm);
  while (left > 0) {
    const int n = left < PIECE_BYTES ? (int)left : PIECE_BYTES;
    MPI_Send(text, n, MPI_CHAR, 0, TAG_TEXT, comm);
    text += n;
    left -= n;
  }
}

/** Append the section of all ranks, in their order, to the scribe's file. Collective. The ranks
 * are asked one by one: otherwise the short texts of thousands of ranks would pile up on rank 0. */
static void gather_section(const oak_grid_view_t *view, int level, const oak_plot_level_t *part,
                           section_t section, scribe_t *scribe) {
  int rank, size;
  size_t length = 0;
  MPI_Comm_rank(view->comm, &rank);
  MPI_Comm_size(view->comm, &size);
  char *text = NULL;
  if (part->nbox > 0) {
    text = section_text(view, level, part, section, &length);
    if (!text) {
      scribe->status =
          OAK_FAIL(OAK_ERR_MEMORY, "no memory to describe %d boxes; use more ranks", part->nbox);
      length = 0;
    }
  }
  if (rank == 0) {
    if (scribe->out && length > 0) fwrite(text, 1, length, scribe->out);
    for (int r = 1; r < size; r++)
      if (scribe->nbox[r] > 0) receive_text(scribe, r, view->comm);
  } else if (part->nbox > 0) {
    send_text(text, (int64_t)length, view->comm);
  }
  free(text);
}

/** Tell rank 0 how many boxes each rank has on a level. Collective. \return their sum on rank 0. */
static long long count_boxes(const oak_grid_view_t *view, const oak_plot_level_t *part,
                             scribe_t *scribe) {
  int size;
  long long total = 0;
  MPI_Comm_size(view->comm, &size);
  MPI_Gather(&part->nbox, 1, MPI_INT, scribe->nbox, 1, MPI_INT, 0, view->comm);
  for (int r = 0; scribe->nbox && r < size; r++) total += scribe->nbox[r];
  return total;
}

/** The first part of Header: variables, domain and levels. */
static void print_head(FILE *out, const oak_grid_view_t *view) {
  const int finest = view->max_level, dim = view->dim;
  fprintf(out, "HyperCLaw-V1.1\n%d\n", view->nvar);
  for (int v = 0; v < view->nvar; v++) fprintf(out, "%s\n", view->name[v]);
  fprintf(out, "%d\n%.17g\n%d\n", dim, view->time, finest);
  for (int d = 0; d < dim; d++) fprintf(out, "%.17g%c", view->xmin[d], d + 1 < dim ? ' ' : '\n');
  for (int d = 0; d < dim; d++) fprintf(out, "%.17g%c", view->xmax[d], d + 1 < dim ? ' ' : '\n');
  for (int l = 0; l < finest; l++) fprintf(out, "2 ");
  fputc('\n', out);
  for (int l = 0; l <= finest; l++) {
    int64_t low[3] = {0, 0, 0}, high[3];
    for (int d = 0; d < 3; d++) high[d] = ((int64_t)view->trees[d] * view->block_size << l) - 1;
    print_box(out, dim, low, high);
    fputc(' ', out);
  }
  fputc('\n', out);
  for (int l = 0; l <= finest; l++) fprintf(out, "%ld ", view->step);
  fputc('\n', out);
  for (int l = 0; l <= finest; l++)
    for (int d = 0; d < dim; d++)
      fprintf(out, "%.17g%c", cell_size(view, l, d), d + 1 < dim ? ' ' : '\n');
  fprintf(out, "0\n0\n"); /* Cartesian; no boundary cells */
}

static void write_header(const oak_grid_view_t *view, const oak_plot_level_t *level,
                         const char *part, scribe_t *scribe) {
  char *path = scribe->nbox ? oak_text_new("%s/Header", part) : NULL;
  if (scribe->nbox) open_text(scribe, path);
  if (scribe->out) print_head(scribe->out, view);
  for (int l = 0; l <= view->max_level; l++) {
    const long long total = count_boxes(view, &level[l], scribe);
    if (scribe->out) fprintf(scribe->out, "%d %lld %.17g\n%ld\n", l, total, view->time, view->step);
    gather_section(view, l, &level[l], TEXT_PLACE, scribe);
    if (scribe->out) fprintf(scribe->out, "Level_%d/Cell\n", l);
  }
  close_text(scribe, path);
  free(path);
}

static void write_level(const oak_grid_view_t *view, int l, const oak_plot_level_t *level,
                        const char *part, scribe_t *scribe) {
  char *path = scribe->nbox ? oak_text_new("%s/Level_%d/Cell_H", part, l) : NULL;
  if (scribe->nbox) open_text(scribe, path);
  const long long total = count_boxes(view, level, scribe);
  /* Format version, one file per processor, variables, ghost cells. */
  if (scribe->out) fprintf(scribe->out, "1\n1\n%d\n0\n(%lld 0\n", view->nvar, total);
  gather_section(view, l, level, TEXT_BOX, scribe);
  if (scribe->out) fprintf(scribe->out, ")\n%lld\n", total);
  gather_section(view, l, level, TEXT_FILE, scribe);
  if (scribe->out) fprintf(scribe->out, "\n%lld,%d\n", total, view->nvar);
  gather_section(view, l, level, TEXT_LOW, scribe);
  if (scribe->out) fprintf(scribe->out, "\n%lld,%d\n", total, view->nvar);
  gather_section(view, l, level, TEXT_HIGH, scribe);
  if (scribe->out) fputc('\n', scribe->out);
  close_text(scribe, path);
  free(path);
}

oak_status_t oak_plot_write_text(const oak_grid_view_t *view, const oak_plot_level_t *level,
                                 const char *part) {
  int rank, size;
  scribe_t scribe = {NULL, NULL, NULL, OAK_OK};
  MPI_Comm_rank(view->comm, &rank);
  MPI_Comm_size(view->comm, &size);
  if (rank == 0) {
    scribe.nbox = malloc((size_t)size * sizeof *scribe.nbox);
    scribe.piece = malloc(PIECE_BYTES);
    if (!scribe.nbox || !scribe.piece)
      scribe.status = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write the headers of %s", part);
  }
  oak_status_t st = oak_agree(view->comm, scribe.status);
  if (st == OAK_OK) {
    write_header(view, level, part, &scribe);
    for (int l = 0; l <= view->max_level; l++) write_level(view, l, &level[l], part, &scribe);
    st = oak_agree(view->comm, scribe.status);
  }
  free(scribe.nbox);
  free(scribe.piece);
  return st;
}
