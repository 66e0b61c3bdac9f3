/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the output folder says of where its files come from. */
#include "output/provenance.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/params_library.h"
#include "base/path.h"
#include "io/files/file_tools.h"
#include "io/folder/file_list.h"
#include "output/output_table.h"

/** A comment of one line, whatever the text holds. */
static void print_comment(FILE *f, const char *word, const char *text) {
  fprintf(f, "# %s: ", word);
  for (const char *c = text; *c; c++) fputc((unsigned char)*c < ' ' || *c == 127 ? '?' : *c, f);
  fputc('\n', f);
}

/** Copy a source file to the folder and say so in the comments. */
static oak_status_t copy_source(const char *from, const char *folder, const char *kind,
                                const char *ending, FILE *comments) {
  char path[4200], note[4400];
  oak_buffer_t text = {0};
  oak_status_t st = oak_buffer_read(&text, from) == 0
                        ? OAK_OK
                        : OAK_FAIL(OAK_ERR_FILE, "cannot read %s to copy it to %s", from, folder);
  if (st == OAK_OK) {
    snprintf(path, sizeof path, "%s/%s.oak-copy%s", folder, kind, ending);
    snprintf(note, sizeof note, "%s, CRC-32 %08lx, copied to %s.oak-copy%s", from,
             crc32_z(0, (const unsigned char *)oak_buffer_get(&text), text.length), kind, ending);
    if (comments) print_comment(comments, kind, note);
    st = oak_file_list_add_text(path, oak_buffer_get(&text), text.length);
    if (st == OAK_OK) st = oak_write_file(path, oak_buffer_get(&text), text.length);
  }
  oak_buffer_free(&text);
  return st;
}

void oak_checkpoint_note(const char *path, char *text, size_t size) {
  char full[PATH_MAX];
  uint32_t sum = 0;
  oak_file_sum(path, &sum);
  snprintf(text, size, "checkpoint %08x, %s", sum, realpath(path, full) ? full : path);
}

static void print_origin(const oak_t *sim, const char *command, const char *begun_from, FILE *f) {
  char text[PATH_MAX + 64], device[512];
  const time_t now = time(NULL);
  struct tm utc;
  snprintf(text, sizeof text, "%s, commit %s", OAK_VERSION, oak_commit());
  print_comment(f, "oak", text);
  print_comment(f, "title", sim->setup.description.problem_title);
  if (command) print_comment(f, "command", command);
  if (begun_from) {
    oak_checkpoint_note(begun_from, text, sizeof text);
    print_comment(f, "begun from", text);
  }
  if (gmtime_r(&now, &utc) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
    print_comment(f, "begun", text);
  oak_device_ops(sim->setup.dev)->describe(sim->setup.dev, device, sizeof device);
  snprintf(text, sizeof text, "%d on %.500s", sim->setup.size, device);
  print_comment(f, "ranks", text);
  if (*sim->data.transport.text) print_comment(f, "between ranks", sim->data.transport.text);
}

/** Files of the user by their full path: a name with a slash or one that ends in .c. */
static int is_file(const char *name) { return strchr(name, '/') || oak_path_ends(name, ".c"); }

static oak_status_t write_parameters(const oak_t *sim, const char *folder, const char *comments) {
  char path[4200], *full = realpath(folder, NULL);
  char initial[PATH_MAX];
  const char *file = oak_params_text(sim->setup.params, "run.initial");
  oak_echo_value_t other[4 + OAK_MAX_TABLES];
  oak_text_t text;
  int n = 0;
  if (full) other[n++] = (oak_echo_value_t){"output.folder", full};
  if (is_file(oak_params_text(sim->setup.params, "physics.name")))
    other[n++] = (oak_echo_value_t){"physics.name", sim->setup.files.physics};
  if (is_file(oak_params_text(sim->setup.params, "problem.name")))
    other[n++] = (oak_echo_value_t){"problem.name", sim->setup.files.problem};
  if (*file && oak_path_find(oak_params_folder(sim->setup.params), file, initial))
    other[n++] = (oak_echo_value_t){"run.initial", initial};
  for (int t = 0; t < sim->setup.tables.count; t++)
    if (*sim->setup.tables.table[t].path)
      other[n++] =
          (oak_echo_value_t){sim->setup.tables.table[t].key, sim->setup.tables.table[t].path};
  snprintf(path, sizeof path, "%s/parameters.ini", folder);
  oak_text_begin(&text);
  if (text.stream) oak_params_echo(sim->setup.params, comments, other, n, text.stream);
  const oak_status_t st = oak_text_write(&text, path, 0);
  free(full);
  return st;
}

oak_status_t oak_provenance_write(const oak_t *sim, const char *folder, const char *command,
                                  const char *begun_from) {
  OAK_FREED char *comments = NULL;
  size_t length;
  FILE *f = open_memstream(&comments, &length);
  oak_status_t st = f ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "no memory to write to %s", folder);
  if (f) print_origin(sim, command, begun_from, f);
  if (st == OAK_OK) st = copy_source(sim->setup.files.physics, folder, "physics", ".c", f);
  if (st == OAK_OK) st = copy_source(sim->setup.files.problem, folder, "problem", ".c", f);
  for (int t = 0; t < sim->setup.tables.count && st == OAK_OK; t++)
    if (*sim->setup.tables.table[t].path)
      st = copy_source(sim->setup.tables.table[t].path, folder, sim->setup.tables.table[t].name,
                       ".txt", f);
  if (f && fclose(f) != 0 && st == OAK_OK)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write to %s", folder);
  if (st == OAK_OK) st = write_parameters(sim, folder, comments);
  return st;
}
