/* SPDX-License-Identifier: GPL-2.0-or-later
 * The text files of a plotfile, read back: Header and, per level, Cell_H.
 *
 * Plotfiles may come from anywhere, so each number is checked when it is read. At the first mistake
 * reading ends with a message that names file and line. */
#include "plotfile_text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/path.h"
#include "io/view/grid_view.h"
#include "str.h"

enum { MOST_LEVELS = 31, MOST_NAME = 255 };

/** A text in memory and how far it is read. */
typedef struct {
  char path[PATH_MAX];
  oak_buffer_t text;
  const char *at;
} reader_t;

/* ---- words and numbers ---- */

static oak_status_t unexpected(const reader_t *r, const char *expected) {
  int line = 1, length = 0;
  for (const char *c = oak_buffer_get(&r->text); c < r->at; c++) line += *c == '\n';
  while (length < 24 && r->at[length] && r->at[length] != '\n') length++;
  return OAK_FAIL(OAK_ERR_FILE,
                  "%s, line %d: %s expected, not '%.*s': the file is damaged, or not a plotfile of "
                  "cells on levels refined by 2",
                  r->path, line, expected, length, r->at);
}

static void skip_blank(reader_t *r) {
  while (isspace((unsigned char)*r->at)) r->at++;
}

/** Take \a word, blanks before it. */
static oak_status_t take_word(reader_t *r, const char *word) {
  const size_t length = strlen(word);
  skip_blank(r);
  if (strncmp(r->at, word, length) != 0) {
    char expected[64];
    snprintf(expected, sizeof expected, "'%s'", word);
    return unexpected(r, expected);
  }
  r->at += length;
  return OAK_OK;
}

static oak_status_t take_integer(reader_t *r, const char *what, int64_t low, int64_t high,
                                 int64_t *out) {
  char *end, expected[128];
  skip_blank(r);
  errno = 0;
  const long long value = strtoll(r->at, &end, 10);
  if (end == r->at || errno != 0 || value < low || value > high) {
    snprintf(expected, sizeof expected, "%s from %lld to %lld", what, (long long)low,
             (long long)high);
    return unexpected(r, expected);
  }
  r->at = end;
  *out = value;
  return OAK_OK;
}

static oak_status_t take_int(reader_t *r, const char *what, int low, int high, int *out) {
  int64_t value;
  OAK_TRY(take_integer(r, what, low, high, &value));
  *out = (int)value;
  return OAK_OK;
}

/** This reader does not use these numbers, so any number is accepted. */
static oak_status_t take_real(reader_t *r, const char *what, double *out) {
  char *end;
  skip_blank(r);
  const double value = strtod(r->at, &end);
  if (end == r->at) return unexpected(r, what);
  r->at = end;
  *out = value;
  return OAK_OK;
}

/** Numbers that this reader does not use. */
static oak_status_t skip_reals(reader_t *r, const char *what, int64_t count) {
  double unused;
  while (count-- > 0) OAK_TRY(take_real(r, what, &unused));
  return OAK_OK;
}

/** "(a,b,c)" */
static oak_status_t take_corner(reader_t *r, int dim, int64_t out[3]) {
  for (int d = 0; d < dim; d++) {
    OAK_TRY(take_word(r, d == 0 ? "(" : ","));
    OAK_TRY(take_integer(r, "a cell", 0, INT32_MAX, &out[d]));
  }
  return take_word(r, ")");
}

/** "((low) (high) (0,0,0))": cells. */
static oak_status_t take_box(reader_t *r, int dim, int64_t low[3], int64_t size[3]) {
  int64_t high[3] = {0, 0, 0}, centring[3] = {0, 0, 0};
  low[2] = 0;
  OAK_TRY(take_word(r, "("));
  OAK_TRY(take_corner(r, dim, low));
  OAK_TRY(take_corner(r, dim, high));
  OAK_TRY(take_corner(r, dim, centring));
  OAK_TRY(take_word(r, ")"));
  for (int d = 0; d < 3; d++) {
    if (high[d] < low[d] || centring[d] != 0) return unexpected(r, "a box of cells before this");
    size[d] = high[d] - low[d] + 1;
  }
  return OAK_OK;
}

/** Text up to \a stop or the end of the file, as a fresh string. Control characters are refused,
 * because names are printed on terminals. */
static oak_status_t take_name(reader_t *r, const char *what, const char *stop, char **out) {
  skip_blank(r);
  const size_t length = strcspn(r->at, stop);
  int printable = 1;
  for (size_t i = 0; i < length; i++)
    printable &= !oak_str_is_control(r->at + i) && r->at[i] != '\t';
  if (length == 0 || length > MOST_NAME || !printable) return unexpected(r, what);
  *out = strndup(r->at, length);
  OAK_CHECK(*out, OAK_ERR_MEMORY, "no memory to read %s", r->path);
  r->at += length;
  return OAK_OK;
}

static oak_status_t take_end(reader_t *r) {
  skip_blank(r);
  return *r->at ? unexpected(r, "the end of the file") : OAK_OK;
}

/* ---- files ---- */

/** Read a file of the plotfile \a folder. The caller frees r->text, also after a failure. */
static oak_status_t open_text(reader_t *r, const char *folder, const char *name) {
  r->text = (oak_buffer_t){0};
  OAK_TRY(oak_path_print(r->path, "%s/%s", folder, name));
  const int reason = oak_buffer_read(&r->text, r->path);
  OAK_CHECK(reason != EINVAL, OAK_ERR_FILE, "%s is no regular file: that is no plotfile", r->path);
  OAK_CHECK(!reason, OAK_ERR_FILE, "cannot read %s: %s; a plotfile is a folder such as plt000100",
            r->path, strerror(reason));
  r->at = oak_buffer_get(&r->text);
  OAK_CHECK(strlen(r->at) == r->text.length, OAK_ERR_FILE,
            "%s holds a zero byte: the file is damaged, or not of a plotfile", r->path);
  return OAK_OK;
}

/* ---- Header ---- */

/** Names become parts of names of files, such as pictures, which must stay in their folder. */
static void replace_slashes(char *name) {
  while ((name = strchr(name, '/'))) *name = '_';
}

static oak_status_t take_variables(reader_t *r, oak_scan_t *scan) {
  int count;
  OAK_TRY(take_int(r, "a number of variables", 1, INT_MAX, &count));
  for (; scan->nvar < count; scan->nvar++) {
    OAK_TRY(OAK_GROW(scan->name, scan->nvar));
    OAK_TRY(take_name(r, "the name of a variable", "\r\n", &scan->name[scan->nvar]));
    replace_slashes(scan->name[scan->nvar]);
  }
  OAK_TRY(OAK_NEW(scan->range, count));
  for (int v = 0; v < count; v++) {
    scan->range[v][0] = INFINITY;
    scan->range[v][1] = -INFINITY;
  }
  return OAK_OK;
}

static oak_status_t take_domain(reader_t *r, oak_scan_t *scan) {
  const int dim = scan->dim;
  for (int d = 0; d < dim; d++) OAK_TRY(take_real(r, "the lower corner", &scan->xmin[d]));
  for (int d = 0; d < dim; d++) OAK_TRY(take_real(r, "the upper corner", &scan->xmax[d]));
  for (int d = 0; d < dim; d++)
    if (!isfinite(scan->xmax[d] - scan->xmin[d]) || !(scan->xmin[d] < scan->xmax[d]))
      return unexpected(r, "a domain of finite size before this");
  int ratio;
  for (int l = 0; l < scan->finest; l++)
    OAK_TRY(take_int(r, "the ratio 2 of levels,", 2, 2, &ratio));
  for (int l = 0; l <= scan->finest; l++) {
    int64_t low[3], size[3];
    OAK_TRY(take_box(r, dim, low, size));
    if (l == 0) memcpy(scan->cells, size, sizeof size);
    for (int d = 0; d < dim; d++)
      if (low[d] != 0 || size[d] != scan->cells[d] << l)
        return unexpected(r, "a domain from cell 0, twice as large on each level, before this");
  }
  for (int l = 0; l <= scan->finest; l++)
    OAK_TRY(take_integer(r, "a step", 0, LONG_MAX, &scan->step));
  return skip_reals(r, "the size of a cell", dim * (scan->finest + 1));
}

/** Header's part on one level. */
static oak_status_t take_level(reader_t *r, const oak_scan_t *scan, int l, int *nbox) {
  int64_t step;
  char path[32];
  OAK_TRY(take_int(r, "the number of the level,", l, l, &l));
  OAK_TRY(take_int(r, "a number of boxes", 1, INT_MAX, nbox));
  OAK_TRY(skip_reals(r, "a time", 1));
  OAK_TRY(take_integer(r, "a step", 0, LONG_MAX, &step));
  OAK_TRY(skip_reals(r, "the corner of a box", (int64_t)*nbox * scan->dim * 2));
  snprintf(path, sizeof path, "Level_%d/Cell", l);
  return take_word(r, path);
}

/** The radii of a logarithmic mesh, whose first coordinate is ln r. */
static oak_status_t take_radius(reader_t *r, oak_scan_t *scan) {
  double radius[2];
  OAK_TRY(take_word(r, "logarithmic radius"));
  for (int end = 0; end < 2; end++) OAK_TRY(take_real(r, "a radius", &radius[end]));
  if (!(radius[0] > 0 && radius[0] < radius[1] && fabs(log(radius[0]) - scan->xmin[0]) < 1e-9 &&
        fabs(log(radius[1]) - scan->xmax[0]) < 1e-9))
    return unexpected(r, "radii that fit the corners of the domain before this");
  scan->logarithmic = 1;
  scan->xmin[0] = radius[0];
  scan->xmax[0] = radius[1];
  return OAK_OK;
}

/** "WORDS NAME": which variable; nvar: length, nvar + 1: time, nvar + 2: none. */
static oak_status_t take_variable(reader_t *r, const oak_scan_t *scan, const char *words, int *v) {
  OAK_FREED char *name = NULL;
  OAK_TRY(take_word(r, words));
  OAK_TRY(take_name(r, "the name of a variable", " \r\n", &name));
  for (*v = 0; *v < scan->nvar && strcmp(name, scan->name[*v]);) ++*v;
  if (*v == scan->nvar) *v += !strcmp(name, "length") ? 0 : !strcmp(name, "time") ? 1 : 2;
  return OAK_OK;
}

/** Lines "unit of NAME UNIT" of variables, "length" and "time". */
static oak_status_t take_units(reader_t *r, oak_scan_t *scan) {
  int v;
  OAK_TRY(OAK_NEW(scan->unit, (size_t)scan->nvar + 2));
  for (skip_blank(r); !strncmp(r->at, "unit of ", 8); skip_blank(r)) {
    OAK_TRY(take_variable(r, scan, "unit of", &v));
    if (v == scan->nvar + 2 || scan->unit[v])
      return unexpected(r, "the unit of a variable, once, before this");
    OAK_TRY(take_name(r, "a unit", "\r\n", &scan->unit[v]));
  }
  for (v = 0; v < scan->nvar + 2; v++) {
    if (!scan->unit[v]) scan->unit[v] = calloc(1, 1);
    OAK_CHECK(scan->unit[v], OAK_ERR_MEMORY, "no memory to read %s", r->path);
  }
  return OAK_OK;
}

/** Lines "name of FILE_NAME NAME" of variables that have another name in the file. */
static oak_status_t take_names(reader_t *r, oak_scan_t *scan) {
  for (skip_blank(r); !strncmp(r->at, "name of ", 8); skip_blank(r)) {
    int v;
    OAK_TRY(take_variable(r, scan, "name of", &v));
    if (v >= scan->nvar) return unexpected(r, "the name of a variable before this");
    free(scan->name[v]);
    scan->name[v] = NULL;
    OAK_TRY(take_name(r, "a name", " \r\n", &scan->name[v]));
    replace_slashes(scan->name[v]);
  }
  return OAK_OK;
}

/** Coordinates that other programs have no number for. */
static oak_status_t take_coordinates(reader_t *r, oak_scan_t *scan) {
  skip_blank(r);
  if (strncmp(r->at, "coordinates", strlen("coordinates"))) return OAK_OK;
  OAK_TRY(take_word(r, "coordinates"));
  skip_blank(r);
  const int spherical = !strncmp(r->at, "spherical", strlen("spherical"));
  scan->coordinates = spherical        ? OAK_VIEW_SPHERICAL
                      : scan->dim == 2 ? OAK_VIEW_POLAR
                                       : OAK_VIEW_CYLINDRICAL;
  OAK_TRY(take_word(r, spherical ? "spherical" : scan->dim == 2 ? "polar" : "cylindrical"));
  skip_blank(r);
  return strncmp(r->at, "logarithmic", strlen("logarithmic")) ? OAK_OK : take_radius(r, scan);
}

static oak_status_t take_header(reader_t *r, oak_scan_t *scan, int nbox[MOST_LEVELS]) {
  /* Number 2 is in files of earlier versions. */
  static const int coordinates[] = {OAK_VIEW_CARTESIAN, OAK_VIEW_AXISYMMETRIC, OAK_VIEW_SPHERICAL};
  int unused, number;
  OAK_TRY(take_word(r, "HyperCLaw-V1.1"));
  OAK_TRY(take_variables(r, scan));
  OAK_TRY(take_int(r, "dimension", 2, 3, &scan->dim));
  OAK_TRY(take_real(r, "a time", &scan->time));
  OAK_TRY(take_int(r, "a highest level", 0, MOST_LEVELS - 1, &scan->finest));
  OAK_TRY(take_domain(r, scan));
  OAK_TRY(
      take_int(r, "coordinates, 0 (Cartesian), 1 (axisymmetric) or 2 (spherical),", 0, 2, &number));
  if (number == 1 && scan->dim == 3) return unexpected(r, "coordinates for 3D before this");
  scan->coordinates = coordinates[number];
  OAK_TRY(take_int(r, "a boundary of 0 cells,", 0, 0, &unused));
  for (int l = 0; l <= scan->finest; l++) OAK_TRY(take_level(r, scan, l, &nbox[l]));
  if (number == 0) OAK_TRY(take_coordinates(r, scan));
  OAK_TRY(take_units(r, scan));
  OAK_TRY(take_names(r, scan));
  return take_end(r);
}

/* ---- Cell_H ---- */

/** "FabOnDisk: name offset". Boxes of a file follow each other, so the name is compared first with
 * that of the box before. */
static oak_status_t take_place(reader_t *r, oak_scan_level_t *level, oak_scan_box_t *box) {
  char *name;
  OAK_TRY(take_word(r, "FabOnDisk:"));
  OAK_TRY(take_name(r, "the name of a data file", " \t\r\n", &name));
  int f = level->nfile - 1;
  while (f >= 0 && strcmp(name, level->file[f]) != 0) f--;
  box->file = f >= 0 ? f : level->nfile;
  const oak_status_t st = f >= 0 ? OAK_OK : OAK_GROW(level->file, level->nfile);
  if (f >= 0 || st != OAK_OK) {
    free(name);
    OAK_TRY(st);
  } else {
    level->file[level->nfile++] = name;
    if (strchr(name, '/')) return unexpected(r, "a file of the same folder before this");
  }
  return take_integer(r, "a place in the file", 0, INT64_MAX / 2, &box->offset);
}

static oak_status_t take_boxes(reader_t *r, const oak_scan_t *scan, int l, int nbox) {
  oak_scan_level_t *level = &scan->level[l];
  OAK_TRY(take_word(r, "("));
  OAK_TRY(take_int(r, "the number of boxes in Header,", nbox, nbox, &nbox));
  OAK_TRY(take_int(r, "0", 0, 0, &(int){0}));
  for (; level->nbox < nbox; level->nbox++) {
    OAK_TRY(OAK_GROW(level->box, level->nbox));
    oak_scan_box_t *box = &level->box[level->nbox];
    OAK_TRY(take_box(r, scan->dim, box->low, box->size));
    for (int d = 0; d < scan->dim; d++)
      if (box->low[d] + box->size[d] > scan->cells[d] << l)
        return unexpected(r, "a box within the domain before this");
  }
  return take_word(r, ")");
}

/** Lowest (\a side 0) or highest values of each box. */
static oak_status_t take_range(reader_t *r, oak_scan_t *scan, int nbox, int side) {
  OAK_TRY(take_int(r, "the number of boxes,", nbox, nbox, &(int){0}));
  OAK_TRY(take_word(r, ","));
  OAK_TRY(take_int(r, "the number of variables,", scan->nvar, scan->nvar, &(int){0}));
  for (int b = 0; b < nbox; b++)
    for (int v = 0; v < scan->nvar; v++) {
      double value = 0;
      OAK_TRY(take_real(r, side == 0 ? "a lowest value" : "a highest value", &value));
      OAK_TRY(take_word(r, ","));
      double *known = &scan->range[v][side];
      *known = side == 0 ? fmin(*known, value) : fmax(*known, value);
    }
  return OAK_OK;
}

static oak_status_t take_cells(reader_t *r, oak_scan_t *scan, int l, int nbox) {
  int unused;
  OAK_TRY(take_int(r, "version 1,", 1, 1, &unused));
  OAK_TRY(take_int(r, "one file per process, 1,", 0, 1, &unused));
  OAK_TRY(take_int(r, "the number of variables,", scan->nvar, scan->nvar, &unused));
  OAK_TRY(take_int(r, "no ghost cells, 0,", 0, 0, &unused));
  OAK_TRY(take_boxes(r, scan, l, nbox));
  OAK_TRY(take_int(r, "the number of boxes,", nbox, nbox, &unused));
  for (int b = 0; b < nbox; b++) OAK_TRY(take_place(r, &scan->level[l], &scan->level[l].box[b]));
  for (int side = 0; side < 2; side++) OAK_TRY(take_range(r, scan, nbox, side));
  return take_end(r);
}

/* ---- the whole ---- */

oak_status_t oak_scan_read(const char *path, oak_scan_t *out) {
  int nbox[MOST_LEVELS];
  reader_t r;
  *out = (oak_scan_t){.cells = {1, 1, 1}};
  oak_status_t st = open_text(&r, path, "Header");
  if (st == OAK_OK) st = take_header(&r, out, nbox);
  oak_buffer_free(&r.text);
  OAK_TRY(st);
  OAK_TRY(OAK_NEW(out->level, out->finest + 1));
  for (int l = 0; l <= out->finest && st == OAK_OK; l++) {
    char name[32];
    snprintf(name, sizeof name, "Level_%d/Cell_H", l);
    st = open_text(&r, path, name);
    if (st == OAK_OK) st = take_cells(&r, out, l, nbox[l]);
    oak_buffer_free(&r.text);
  }
  return st;
}

void oak_scan_free(oak_scan_t *scan) {
  for (int l = 0; scan->level && l <= scan->finest; l++) {
    for (int f = 0; f < scan->level[l].nfile; f++) free(scan->level[l].file[f]);
    free(scan->level[l].file);
    free(scan->level[l].box);
  }
  for (int v = 0; v < scan->nvar; v++) free(scan->name[v]);
  for (int v = 0; v < scan->nvar + 2 && scan->unit; v++) free(scan->unit[v]);
  free(scan->name);
  free(scan->unit);
  free(scan->range);
  free(scan->level);
  *scan = (oak_scan_t){0};
}

size_t oak_scan_fab_header(const oak_scan_t *scan, const oak_scan_box_t *box, int bytes, int swap,
                           char text[OAK_PLOT_FAB]) {
  int64_t high[3];
  for (int d = 0; d < 3; d++) high[d] = box->low[d] + box->size[d] - 1;
  return oak_plot_fab_header(scan->dim, scan->nvar, bytes, swap, box->low, high, text);
}
