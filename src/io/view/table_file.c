/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tables of numbers as CSV and as NumPy's .npy. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/file_tools.h"
#include "sample.h"

static void print_csv(const oak_table_t *table, FILE *out) {
  for (int c = 0; c < table->ncol; c++) fprintf(out, "%s%s", c ? "," : "", table->name[c]);
  fputc('\n', out);
  for (int64_t r = 0; r < table->nrow; r++)
    for (int c = 0; c < table->ncol; c++)
      fprintf(out, "%.17g%c", table->value[r * table->ncol + c], c + 1 < table->ncol ? ',' : '\n');
}

/** Version 1 of the format, or 2 where the header is long:
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. */
static void print_npy(const oak_table_t *table, FILE *out) {
  const int one = 1, little_endian = *(const char *)&one == 1;
  OAK_FREED char *head = NULL;
  size_t length;
  FILE *text = open_memstream(&head, &length);
  if (!text) return;
  fprintf(text, "{'descr': [");
  for (int c = 0; c < table->ncol; c++)
    fprintf(text, "('%s', '%cf8'), ", table->name[c], little_endian ? '<' : '>');
  fprintf(text, "], 'fortran_order': False, 'shape': (%lld,", (long long)table->shape[0]);
  if (table->shape[1] > 0) fprintf(text, " %lld", (long long)table->shape[1]);
  fprintf(text, "), }");
  /* The values begin at a multiple of 64 bytes. */
  fflush(text);
  for (size_t total = length + 13; total % 64 != 0; total++) fputc(' ', text);
  fputc('\n', text);
  if (fclose(text) == 0) {
    fwrite("\x93NUMPY\x02", 1, 8, out);
    for (int byte = 0; byte < 4; byte++) fputc((int)(length >> 8 * byte & 255), out);
    fwrite(head, 1, length, out);
    fwrite(table->value, sizeof *table->value, (size_t)(table->nrow * table->ncol), out);
  }
}

oak_status_t oak_table_write(const oak_table_t *table, const char *path) {
  if (!path) {
    print_csv(table, stdout);
    OAK_CHECK(fflush(stdout) == 0, OAK_ERR_FILE, "cannot write to stdout: %s", strerror(errno));
    return OAK_OK;
  }
  OAK_FREED char *data = NULL;
  size_t bytes;
  FILE *out = open_memstream(&data, &bytes);
  OAK_CHECK(out, OAK_ERR_MEMORY, "no memory to write %s", path);
  (oak_path_ends(path, ".npy") ? print_npy : print_csv)(table, out);
  const int bad = ferror(out) | fclose(out);
  oak_status_t st = OAK_OK;
  if (bad || bytes == 0) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write %s", path);
  if (st == OAK_OK) st = oak_make_parents(path);
  if (st == OAK_OK) st = oak_write_file(path, data, bytes);
  return st;
}
