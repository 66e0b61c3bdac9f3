/* SPDX-License-Identifier: GPL-2.0-or-later
 * Simulations of the cases: set up, run, read. */
#include <stdarg.h>

#include "verify.h"

/* Settings without output files. A case that needs files sets them itself.
 */
static const char *const quiet[] = {"output.plot_first_last=no", "output.picture_every=0",
                                    "output.picture_steps=0",    "output.plot_every=0",
                                    "output.plot_steps=0",       "output.diagnostics_every=0"};

void verify_must(oak_status_t status, const char *call, const char *file, int line) {
  if (status == OAK_OK) return;
  fprintf(stderr, "oak_verify: %s:%d: %s: %s: %s\n", file, line, call, oak_status_text(status),
          oak_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void assign(sim_t *s, const char *setting, const char *origin) {
  verify_must(oak_params_assign(s->params, setting, origin), setting, origin, 0);
}

sim_t verify_new(verify_t *v, const char *ini, const char *format, ...) {
  sim_t s = {.v = v};
  char text[4096], path[4096], *next = text;
  const char *root;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  MUST(oak_params_new(&s.params));
  if (ini) {
    MUST(oak_source_root(&root));
    snprintf(path, sizeof path, "%s/%s", root, ini);
    MUST(oak_params_read(s.params, MPI_COMM_WORLD, path));
  }
  for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) assign(&s, quiet[i], "oak_verify");
  for (char *line = text; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    if (*line) assign(&s, line, v->name);
  }
  for (int i = 0; i < v->nkey; i++) assign(&s, v->key[i], "command line");
  MUST(oak_create(MPI_COMM_WORLD, s.params, &s.sim));
  oak_device_t *dev = oak_device(s.sim);
  oak_device_ops(dev)->describe(dev, v->device, sizeof v->device);
  /* On GPUs, the driver compiles the code of an OpenACC compiler further and contracts a * b +
   * c. */
  v->fuses = !strcmp(oak_device_ops(dev)->name, "openacc") && strncmp(v->device, "the host", 8);
  s.dim = oak_dim(s.sim);
  s.n = oak_block_size(s.sim);
  s.nvar = oak_nvar(s.sim);
  s.cells = s.n * s.n * (s.dim == 3 ? s.n : 1);
  return s;
}

void verify_free(sim_t *s) {
  oak_destroy(&s->sim);
  oak_params_destroy(&s->params);
}

void verify_continue(sim_t *s, double end) {
  const int adapt_every = oak_params_int(s->params, "mesh.adapt_every");
  while (end - oak_time(s->sim) > 1e-14 * end) {
    MUST(oak_advance(s->sim, fmin(oak_time_step(s->sim), end - oak_time(s->sim))));
    if (adapt_every && oak_step(s->sim) % adapt_every == 0)
      MUST(oak_adjust_refinement(s->sim, NULL));
  }
}

void verify_run(sim_t *s, double end) {
  MUST(oak_initialize(s->sim));
  verify_continue(s, end);
}

double verify_cell_fraction(const sim_t *s) {
  int trees[3];
  oak_params_ints(s->params, "mesh.trees", trees);
  double most = 1;
  for (int d = 0; d < s->dim; d++)
    most *= trees[d] * ldexp(1, oak_params_int(s->params, "mesh.max_level"));
  return oak_nblocks_global(s->sim) / most;
}

double *verify_read(const sim_t *s, int variable) {
  const int n = oak_nblocks(s->sim);
  double *out = malloc(((size_t)n * s->cells + 1) * sizeof *out);
  if (!out) abort();
  MUST(oak_read_cells(s->sim, variable, 0, n, out));
  return out;
}

int verify_variable(const sim_t *s, const char *name) {
  for (int n = 0; n < 2 * s->nvar; n++) {
    const int variable = (n + s->nvar) % (2 * s->nvar);
    if (!strcmp(oak_variable_name(s->sim, variable), name)) return variable;
  }
  fprintf(stderr, "oak_verify: %s: no variable %s\n", s->v->name, name);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return 0;
}

double verify_cell(const sim_t *s, int block, int c, double x[3]) {
  double origin[3], dx[3], volume = 1;
  const int at[3] = {c % s->n, c / s->n % s->n, c / (s->n * s->n)};
  oak_block_geometry(s->sim, block, origin, dx);
  for (int d = 0; d < 3; d++) {
    x[d] = d < s->dim ? origin[d] + (at[d] + 0.5) * dx[d] : 0;
    if (d < s->dim) volume *= dx[d];
  }
  return volume;
}

void verify_picture(sim_t *s, const char *name, const char *variable, double low, double high) {
  char path[4096], range[128];
  snprintf(range, sizeof range, "%.17g %.17g", low, high);
  MUST(oak_params_set(s->params, "output.picture_variable", variable));
  MUST(oak_params_set(s->params, "output.picture_range", range));
  MUST(oak_params_check(s->params, 1));
  snprintf(path, sizeof path, "%s/%s/%s.png", s->v->folder, s->v->name, name);
  MUST(oak_write_picture(s->sim, path));
}
