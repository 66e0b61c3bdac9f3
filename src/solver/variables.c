/* SPDX-License-Identifier: GPL-2.0-or-later
 * The variables that outputs may ask for. Numbers: conserved ones of the physics from 0, then
 * primitive ones, then those of the mesh. A name such as rho may stand for a conserved and a
 * primitive variable: the first one counts. */
#include "solver/variables.h"

#include <string.h>

enum { LEVEL, RANK, BLOCK, MESH_VARIABLES };
static const char *const mesh_name[MESH_VARIABLES] = {"level", "rank", "block"};

static int count_variables(const oak_t *sim) { return 2 * sim->nvar + MESH_VARIABLES; }

static const char *name_of(const oak_t *sim, int v) {
  return v < 2 * sim->nvar ? sim->description.name[v] : mesh_name[v - 2 * sim->nvar];
}

/** The first variable of that name, -1 if there is none. */
static int find(const oak_t *sim, const char *name) {
  for (int v = 0; v < count_variables(sim); v++)
    if (!strcmp(name, name_of(sim, v))) return v;
  return -1;
}

static oak_status_t unknown(const oak_t *sim, const char *word, const char *origin,
                            const char *key) {
  char known[2048] = "";
  for (int v = 0; v < count_variables(sim); v++) {
    const size_t used = strlen(known);
    if (find(sim, name_of(sim, v)) == v)
      snprintf(known + used, sizeof known - used, " %s", name_of(sim, v));
  }
  return OAK_FAIL(OAK_ERR_INPUT, "%s: %s: there is no variable %s; known:%s", origin, key, word,
                  known);
}

static void add(const oak_t *sim, oak_selection_t *s, int variable) {
  s->variable[s->count] = variable;
  s->name[s->count++] = name_of(sim, variable);
}

oak_status_t oak_variables_select(const oak_t *sim, const char *text, const char *origin,
                                  const char *key, int first, oak_selection_t *s) {
  static const char blank[] = " ,\t";
  s->count = 0;
  for (text += strspn(text, blank); *text; text += strspn(text, blank)) {
    char name[256];
    const size_t length = strcspn(text, blank);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const int v = find(sim, name);
    if (v < 0) return unknown(sim, name, origin, key);
    for (int i = 0; i < s->count; i++)
      OAK_CHECK(s->variable[i] != v, OAK_ERR_INPUT, "%s: %s names %s twice: leave one of them out",
                origin, key, name);
    add(sim, s, v);
    text += length;
  }
  if (s->count > 0) return OAK_OK;
  for (int v = 0; v < (first ? 1 : 2 * sim->nvar); v++)
    if (find(sim, name_of(sim, v)) == v) add(sim, s, v);
  return OAK_OK;
}

oak_status_t oak_variable_read(oak_t *sim, int variable, int first, int count, double *out) {
  if (variable < 2 * sim->nvar) return oak_read_cells(sim, variable, first, count, out);
  for (int b = 0; b < count; b++) {
    const int kind = variable - 2 * sim->nvar;
    const double value = kind == LEVEL  ? sim->mesh->level[first + b]
                         : kind == RANK ? sim->rank
                                        : (double)(sim->mesh->first + first + b);
    for (int64_t c = 0; c < sim->cells; c++) out[b * sim->cells + c] = value;
  }
  return OAK_OK;
}
