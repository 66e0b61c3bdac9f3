/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak run --explain: which hooks the compiler does not turn into SIMD instructions, and where the
 * reason is. kernels/check/explain.c has one loop per hook. The compiler says which of these loops
 * it vectorised. For the others, the assembly language has the reason: a call of a function, or a
 * jump that depends on data, with the line that it belongs to. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "api/create.h"

enum { MOST_LOOPS = 24, MOST_SOURCES = 256 };

typedef struct {
  char name[32];
  int line, vectorised;
} loop_t;

/** A line of a source that keeps a loop from being vectorised. */
typedef struct {
  char file[1024], call[128];
  int line;
} reason_t;

typedef struct {
  char *said, *assembly; /**< what the compiler says, and makes */
  char root[4096], path[4200];
  loop_t loop[MOST_LOOPS];
  int count;
  char source[MOST_SOURCES][1024]; /**< files by their number in the assembly language */
} explain_t;

static oak_status_t compile(oak_device_t *dev, const oak_source_t *source, void *data) {
  explain_t *e = data;
  return oak_device_explain(dev, source, &e->said, &e->assembly);
}

static const char *next_line(const char *line) {
  line += strcspn(line, "\n");
  return line + (*line == '\n');
}

/* ---- which loops are vectorised */

/* The loops of kernels/check/explain.c: EXPLAIN(name, ...) at the start of a line. */
static oak_status_t find_loops(explain_t *e) {
  char line[512];
  FILE *f = fopen(e->path, "r");
  OAK_CHECK(f, OAK_ERR_FILE, "cannot read %s", e->path);
  for (int number = 1; fgets(line, sizeof line, f); number++) {
    loop_t *loop = &e->loop[e->count];
    if (e->count < MOST_LOOPS && sscanf(line, "EXPLAIN(%31[A-Z_]", loop->name) == 1) {
      loop->line = number;
      e->count++;
    }
  }
  fclose(f);
  return OAK_OK;
}

/* gcc: "FILE:LINE:COLUMN: optimized: loop vectorized ...", clang: "...: remark: vectorized loop".
 */
static void find_vectorised(explain_t *e) {
  const size_t length = strlen(e->path);
  for (const char *line = e->said; *line; line = next_line(line)) {
    const size_t size = strcspn(line, "\n");
    char text[256];
    if (strncmp(line, e->path, length) || line[length] != ':') continue;
    snprintf(text, sizeof text, "%.*s", (int)(size - length), line + length);
    if (!strstr(text, "loop vectorized") && !strstr(text, "vectorized loop")) continue;
    for (int n = 0; n < e->count; n++)
      if (atoi(text + 1) == e->loop[n].line) e->loop[n].vectorised = 1;
  }
}

/* ---- why the others are not */

/* ".file 3 "path"", or ".file 3 "folder" "path"" */
static void read_file_name(explain_t *e, const char *line) {
  char part[2][1024];
  int number;
  const int got =
      sscanf(line, " .file %d \"%1023[^\"]\" \"%1023[^\"]\"", &number, part[0], part[1]);
  if (got < 2 || number < 0 || number >= MOST_SOURCES) return;
  if (got == 3 && part[1][0] != '/')
    snprintf(e->source[number], sizeof *e->source, "%.500s/%.500s", part[0], part[1]);
  else
    snprintf(e->source[number], sizeof *e->source, "%s", part[got - 2]);
}

/* Whether a file is one of physics and problem. Files of oak's kernels do not help the user. */
static int is_users(const explain_t *e, const char *file) {
  static const char *const own[] = {"kernels/", "include/", "numerics/"};
  const size_t length = strlen(e->root);
  if (!*file || *file == '<' || strstr(file, "/cpu.c")) return 0;
  if (strncmp(file, e->root, length) || file[length] != '/')
    return !strncmp(file, "/usr/", 5) ? 0 : 1;
  for (int n = 0; n < 3; n++)
    if (!strncmp(file + length + 1, own[n], strlen(own[n]))) return 0;
  return 1;
}

/* The function that an instruction calls: x86 "call exp@PLT", ARM "bl exp". */
static int read_call(const char *line, char name[128]) {
  char word[16];
  if (sscanf(line, " %15s %127[A-Za-z0-9_]", word, name) != 2) return 0;
  return (!strcmp(word, "call") || !strcmp(word, "bl")) && !strstr(name, "stack_chk") &&
         strncmp(name, "mem", 3) != 0;
}

/* A jump that depends on something: x86 j.. but jmp, ARM b.cc, cbz, tbz. */
static int is_jump(const char *line) {
  char word[16];
  if (sscanf(line, " %15s", word) != 1) return 0;
  return (word[0] == 'j' && strcmp(word, "jmp") != 0) || !strncmp(word, "b.", 2) ||
         !strncmp(word, "cb", 2) || !strncmp(word, "tb", 2);
}

/* The part of the assembly language that is the function of a loop; NULL if there is none. */
static const char *function_of(const explain_t *e, const loop_t *loop) {
  char label[64];
  snprintf(label, sizeof label, "\noak_explain_%s:", loop->name);
  return strstr(e->assembly, label);
}

/* Find the first call, or else the first jump in a line of the user's files, or else their first
 * line. A call in a line of another file counts too: it gets the last line of the user's before
 * it. */
static int find_reason(const explain_t *e, const loop_t *loop, reason_t *reason) {
  const char *line = function_of(e, loop);
  reason_t now = {.line = 0}, jump = {.line = 0}, first = {.line = 0};
  if (!line) return 0;
  for (line = next_line(line + 1); *line; line = next_line(line)) {
    int file, number;
    char text[256];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    if (strstr(text, ".size")) break;
    if (sscanf(text, " .loc %d %d", &file, &number) == 2) {
      if (file < 0 || file >= MOST_SOURCES || !is_users(e, e->source[file])) continue;
      now.line = number;
      snprintf(now.file, sizeof now.file, "%s", e->source[file]);
      if (!first.line) first = now;
    } else if (read_call(text, now.call)) {
      *reason = now;
      return 1;
    } else if (is_jump(text) && now.line && !jump.line) {
      jump = now;
      snprintf(jump.call, sizeof jump.call, "?");
    }
    now.call[0] = 0;
  }
  *reason = jump.line ? jump : first;
  return reason->line > 0;
}

static void print_reason(const loop_t *loop, const reason_t *reason, FILE *f) {
  if (!reason->line)
    fprintf(f, "  not vectorised: %s: the compiler does not say where the reason is\n", loop->name);
  else if (reason->call[0] == '?')
    fprintf(f, "  not vectorised: %s:%d: %s: a branch or a loop whose end depends on data\n",
            reason->file, reason->line, loop->name);
  else if (reason->call[0])
    fprintf(f, "  not vectorised: %s:%d: %s: calls %s, which works on one number at a time\n",
            reason->file, reason->line, loop->name, reason->call);
  else
    fprintf(f, "  not vectorised: %s:%d: %s: the compiler does not say why\n", reason->file,
            reason->line, loop->name);
}

/* ---- all */

/* Hooks that keep others from being vectorised come first, so the same line is printed once. */
static void print_loops(const explain_t *e, FILE *f) {
  reason_t known[MOST_LOOPS];
  char good[1024] = "";
  int count = 0, all = 1;
  for (int n = 0; n < e->count; n++) {
    reason_t reason = {.line = 0};
    int seen = 0;
    if (!function_of(e, &e->loop[n])) continue;
    if (e->loop[n].vectorised) {
      oak_str_append(good, sizeof good, "%s%s", *good ? ", " : "", e->loop[n].name);
      continue;
    }
    all = 0;
    find_reason(e, &e->loop[n], &reason);
    for (int k = 0; k < count; k++)
      seen |= known[k].line == reason.line && !strcmp(known[k].file, reason.file);
    known[count++] = reason;
    if (!seen) print_reason(&e->loop[n], &reason, f);
  }
  if (all) fprintf(f, "  all loops over cells are vectorised: %s\n", good);
  if (!all && *good) fprintf(f, "  vectorised: %s\n", good);
  if (!all) fprintf(f, "  oak help kernels, section Speed, says how to write such lines\n");
}

static oak_status_t explain(oak_t *sim, explain_t *e, FILE *stream) {
  const char *root;
  OAK_TRY(oak_source_root(&root));
  snprintf(e->root, sizeof e->root, "%s", root);
  snprintf(e->path, sizeof e->path, "%s/kernels/check/explain.c", root);
  if (!e->assembly) {
    fprintf(stream, "  device %s has no SIMD instructions: --explain is for device.name = cpu\n",
            oak_params_text(sim->setup.params, "device.name"));
    return OAK_OK;
  }
  OAK_TRY(find_loops(e));
  find_vectorised(e);
  for (const char *line = e->assembly; *line; line = next_line(line))
    if (!strncmp(line + strspn(line, " \t"), ".file", 5)) read_file_name(e, line);
  print_loops(e, stream);
  return OAK_OK;
}

static oak_status_t nothing(oak_device_t *dev, const oak_source_t *source, void *data) {
  (void)dev, (void)source, (void)data;
  return OAK_OK;
}

static oak_status_t explain_hooks(oak_t *sim, explain_t *e, FILE *stream) {
  static const char *const part = "kernels/check/explain.c";
  oak_status_t st = oak_setup_use_source(
      &sim->setup, (oak_source_t){.name = "explain", .file = &part, .nfile = 1},
      sim->setup.rank == 0 ? compile : nothing, e);
  if (st == OAK_OK && sim->setup.rank == 0 && stream) st = explain(sim, e, stream);
  return oak_agree(sim->setup.comm, st);
}

oak_status_t oak_explain(MPI_Comm comm, oak_params_t *params, FILE *stream) {
  OAK_NEED(params);
  oak_t *sim;
  OAK_FREED explain_t *e = NULL;
  oak_status_t st = oak_agree(comm, OAK_NEW(e, 1));
  if (st == OAK_OK) st = oak_sim_prepare(comm, params, &sim);
  if (st == OAK_OK) {
    st = explain_hooks(sim, e, stream);
    oak_destroy(&sim);
  }
  if (e) {
    free(e->said);
    free(e->assembly);
  }
  return st;
}
