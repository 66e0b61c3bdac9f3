/* SPDX-License-Identifier: GPL-2.0-or-later
 * Checkpoints of a simulation: everything that its continuation depends on, bit for bit. The format
 * is that of src/io/checkpoint/checkpoint.h. */
#include "run/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "io/checkpoint/checkpoint.h"
#include "io/view/grid_view.h"
#include "solver/data/data.h"
#include "solver/data/variables.h"

/* ---- writing */

/* The data of a block is its state, followed by its stored fields. \a to_device: 1 copies from the
 * host to the device, 0 the other way. */
static oak_status_t copy_blocks(oak_t *sim, int b0, int n, char *host, int to_device) {
  oak_carried_t list[OAK_MAX_CARRIED];
  const int count = oak_carried(&sim->data, list), blocks = count == 1 ? n : 1;
  for (int b = b0; b < b0 + n; b += blocks)
    for (int i = 0; i < count; i++) {
      const size_t bytes =
          (size_t)list[i].exchange->stored * sim->setup.block.cells * sim->setup.bytes.store;
      char *device = (char *)list[i].now->memory.mine + b * bytes;
      OAK_TRY(to_device ? oak_device_upload(sim->setup.dev, device, host, blocks * bytes)
                        : oak_device_download(sim->setup.dev, host, device, blocks * bytes));
      host += blocks * bytes;
    }
  return OAK_OK;
}

static oak_status_t read_blocks(void *owner, int b0, int n, void *dst) {
  return copy_blocks(owner, b0, n, dst, 0);
}

static void describe(const oak_t *sim, oak_checkpoint_t *head) {
  *head = (oak_checkpoint_t){.dim = sim->setup.dim,
                             .nvar = oak_carried_components(&sim->setup),
                             .real_size = sim->setup.bytes.store,
                             .step = sim->data.clock.step,
                             .time = sim->data.clock.time,
                             .dt = sim->data.clock.dt,
                             .rate = fmax(sim->rates.most, sim->rates.least),
                             .updates = sim->counts.updates,
                             .first_order_cells = sim->counts.first_order_cells,
                             .floored_cells = sim->counts.floored_cells,
                             .retries = sim->counts.retries,
                             .rates_known = sim->rates.known == OAK_RATES_KNOWN,
                             .growing = sim->rates.least > sim->rates.most,
                             .nglobal = sim->data.mesh->nglobal};
  for (int d = 0; d < 3; d++) {
    head->block_size[d] = sim->setup.block.size[d];
    head->trees[d] = sim->data.mesh->trees[d];
    head->periodic[d] = sim->data.mesh->periodic[d];
    head->xmin[d] = sim->setup.domain.xmin[d];
    head->xmax[d] = sim->setup.domain.xmax[d];
  }
}

/* Coordinates that are not Cartesian stand before the variables. */
static const char *coordinates_prefix(const oak_t *sim) {
  return oak_checkpoint_coordinates[sim->setup.domain.coordinates +
                                    sim->setup.domain.logarithmic * OAK_CHECKPOINT_SYSTEMS];
}

/* Names of the conserved variables and of stored fields. */
static void name_variables(const oak_t *sim, char *text, size_t size) {
  snprintf(text, size, "%s", coordinates_prefix(sim));
  for (int v = 0; v < sim->setup.nvar; v++)
    oak_str_append(text, size, "%s%s", v ? " " : "", sim->setup.description.name[v]);
  for (int n = 0; n < oak_setup_room(&sim->setup); n++)
    oak_str_append(text, size, " %s_on_faces_%d", sim->setup.files.declared.vector[0].name, n);
  for (int n = 0; n < sim->setup.fields.count; n++)
    if (!sim->setup.fields.field[n].function)
      oak_str_append(text, size, " %s", sim->setup.fields.field[n].name);
}

enum { NAMES_SIZE = 2048 };

/* The texts of a checkpoint that need memory, on rank 0. */
typedef struct {
  char variables[NAMES_SIZE], physics[33], problem[33];
  char *parameters;
} texts_t;

/* The hash of a file and of its tables, if it has any. */
static void add_tables(const oak_tables_t *tables, oak_owner_t owner, char hex[33]) {
  oak_hash_t hash;
  for (const oak_user_table_t *t = tables->table; t < tables->table + tables->count; t++) {
    const oak_points_t *p = &t->points;
    if (t->owner != owner) continue;
    oak_hash_start(&hash);
    oak_hash_text(&hash, hex);
    oak_hash_text(&hash, t->name);
    oak_hash_bytes(&hash, &p->words, sizeof p->words);
    for (int d = 0; d < 2 && p->x[d]; d++)
      oak_hash_bytes(&hash, p->x[d], (size_t)p->count[d] * sizeof *p->x[d]);
    oak_hash_bytes(&hash, p->value, (size_t)(p->count[0] * p->count[1]) * sizeof *p->value);
    oak_hash_hex(&hash, hex);
  }
}

static oak_status_t hash_sources(const oak_t *sim, texts_t *texts) {
  const char *physics = sim->setup.files.physics, *problem = sim->setup.files.problem;
  OAK_TRY(oak_source_hash(&(oak_source_t){.name = "physics", .file = &physics, .nfile = 1},
                          texts->physics));
  OAK_TRY(oak_source_hash(&(oak_source_t){.name = "problem", .file = &problem, .nfile = 1},
                          texts->problem));
  add_tables(&sim->setup.tables, OAK_OF_PHYSICS, texts->physics);
  add_tables(&sim->setup.tables, OAK_OF_PROBLEM, texts->problem);
  return OAK_OK;
}

static oak_status_t print_parameters(const oak_t *sim, char **text) {
  size_t size;
  FILE *stream = open_memstream(text, &size);
  if (stream) oak_params_print(sim->setup.params, stream);
  OAK_CHECK(stream && fclose(stream) == 0, OAK_ERR_MEMORY, "no memory for the parameters");
  return OAK_OK;
}

static oak_status_t make_texts(const oak_t *sim, texts_t *texts) {
  name_variables(sim, texts->variables, sizeof texts->variables);
  OAK_TRY(hash_sources(sim, texts));
  return print_parameters(sim, &texts->parameters);
}

static void point_to_texts(oak_checkpoint_t *head, const texts_t *texts, const char *schedule) {
  head->text[OAK_CHECKPOINT_PROGRAM] = OAK_VERSION;
  head->text[OAK_CHECKPOINT_VARIABLES] = texts->variables;
  head->text[OAK_CHECKPOINT_PHYSICS] = texts->physics;
  head->text[OAK_CHECKPOINT_PROBLEM] = texts->problem;
  head->text[OAK_CHECKPOINT_PARAMETERS] = texts->parameters;
  head->text[OAK_CHECKPOINT_SCHEDULE] = schedule;
}

/* Bytes of the blocks that are fetched at a time. */
static size_t chunk_bytes(const oak_checkpoint_t *head) {
  return (size_t)oak_checkpoint_chunk(head) * (size_t)oak_checkpoint_block_bytes(head);
}

void oak_checkpoint_prepare(oak_t *sim) {
  oak_checkpoint_t head;
  describe(sim, &head);
  oak_snapshot_prepare(&sim->data, chunk_bytes(&head));
}

oak_status_t oak_checkpoint_save(oak_t *sim, const char *schedule, const char *path,
                                 oak_disk_t *disk) {
  texts_t texts = {.parameters = NULL};
  oak_checkpoint_t head;
  oak_rates_agree(sim);
  describe(sim, &head);
  double *rate;
  oak_status_t st = OAK_NEW(rate, sim->data.mesh->nblock + 1);
  if (st == OAK_OK && head.rates_known) st = oak_block_rates(sim, sim->data.mesh->nblock, rate);
  if (st == OAK_OK && sim->setup.rank == 0) st = make_texts(sim, &texts);
  st = oak_data_agree(&sim->data, st);
  if (st == OAK_OK) {
    oak_snapshot_t *snapshot = disk ? oak_snapshot_take(&sim->data, chunk_bytes(&head)) : NULL;
    point_to_texts(&head, &texts, schedule);
    const oak_checkpoint_blocks_t blocks = {.comm = sim->setup.comm,
                                            .first = sim->data.mesh->first,
                                            .nblock = sim->data.mesh->nblock,
                                            .level = sim->data.mesh->level,
                                            .index = (const int32_t(*)[3])sim->data.mesh->index,
                                            .rate = rate,
                                            .read = snapshot ? oak_snapshot_read : read_blocks,
                                            .owner = snapshot ? (void *)snapshot : sim,
                                            .buffer = oak_snapshot_buffer(snapshot),
                                            .release = snapshot ? oak_snapshot_free : NULL,
                                            .disk = disk};
    st = oak_checkpoint_write(&head, &blocks, path);
  }
  free(rate);
  free(texts.parameters);
  return st;
}

oak_status_t oak_write_checkpoint(oak_t *sim, const char *path) {
  OAK_BEGIN_WHOLE(sim);
  OAK_CHECK(path[0], OAK_ERR_ARGUMENT, "the name of a checkpoint is empty; give a path");
  return OAK_TIMED(&sim->data.timers, OAK_PHASE_CHECKPOINT,
                   oak_checkpoint_save(sim, "", path, NULL));
}

/* ---- what must be the same */

#define REFUSED "; that cannot change at a restart"

static oak_status_t refuse(const oak_t *sim, const oak_checkpoint_file_t *file, const char *key) {
  return OAK_FAIL(OAK_ERR_INPUT, "%s: %s is not that of checkpoint %s" REFUSED,
                  oak_params_origin(sim->setup.params, key), key, file->path);
}

static oak_status_t check_int(const oak_t *sim, const oak_checkpoint_file_t *file, const char *key,
                              int mine, int other) {
  OAK_CHECK(mine == other, OAK_ERR_INPUT, "%s: %s = %d, but checkpoint %s has %d" REFUSED,
            oak_params_origin(sim->setup.params, key), key, mine, file->path, other);
  return OAK_OK;
}

static oak_status_t check_domain(const oak_t *sim, const oak_checkpoint_file_t *file) {
  static const char *const face[3] = {"boundary.xlow", "boundary.ylow", "boundary.zlow"};
  const oak_checkpoint_t *h = &file->head;
  for (int d = 0; d < sim->setup.dim; d++) {
    if (h->trees[d] != sim->data.mesh->trees[d]) return refuse(sim, file, "mesh.trees");
    if (h->xmin[d] != sim->setup.domain.xmin[d]) return refuse(sim, file, "mesh.xmin");
    if (h->xmax[d] != sim->setup.domain.xmax[d]) return refuse(sim, file, "mesh.xmax");
    OAK_CHECK(
        h->periodic[d] == sim->data.mesh->periodic[d], OAK_ERR_INPUT,
        "%s: %s: this axis is periodic either here or in checkpoint %s, but not in both" REFUSED,
        oak_params_origin(sim->setup.params, face[d]), face[d], file->path);
  }
  return OAK_OK;
}

static oak_status_t check_bodies(const oak_t *sim, const oak_checkpoint_file_t *file) {
  OAK_FREED char *text = NULL;
  OAK_TRY(print_parameters(sim, &text));
  return oak_changes_find(file->head.text[OAK_CHECKPOINT_PARAMETERS], text, file->path, NULL);
}

/* Check that the file fits what the kernels are built for. The same on all ranks, which agree: one
 * may lack memory. */
static oak_status_t check_structure(const oak_t *sim, const oak_checkpoint_file_t *file) {
  const oak_checkpoint_t *h = &file->head;
  char names[NAMES_SIZE];
  OAK_TRY(check_int(sim, file, "mesh.dim", sim->setup.dim, h->dim));
  for (int d = 0; d < sim->setup.dim; d++)
    OAK_TRY(check_int(sim, file, "mesh.block_size", sim->setup.block.size[d], h->block_size[d]));
  name_variables(sim, names, sizeof names);
  const char *saved = h->text[OAK_CHECKPOINT_VARIABLES];
  const char *prefix = coordinates_prefix(sim);
  if (strncmp(saved, prefix, strlen(prefix)) != 0 || (!*prefix && *saved == '(')) {
    const int radius = (strncmp(saved, "(ln r", 5) == 0) != sim->setup.domain.logarithmic;
    return refuse(sim, file, radius ? "mesh.radius" : "mesh.coordinates");
  }
  OAK_CHECK(h->nvar == oak_carried_components(&sim->setup) &&
                !strcmp(names, h->text[OAK_CHECKPOINT_VARIABLES]),
            OAK_ERR_INPUT,
            "%s: physics.name = %s has the variables %s, but checkpoint %s has %.200s" REFUSED,
            oak_params_origin(sim->setup.params, "physics.name"),
            oak_params_text(sim->setup.params, "physics.name"), names, file->path,
            h->text[OAK_CHECKPOINT_VARIABLES]);
  if (h->real_size != sim->setup.bytes.store) return refuse(sim, file, "scheme.precision");
  return oak_agree(sim->setup.comm, check_bodies(sim, file));
}

oak_status_t oak_checkpoint_fits(const oak_t *sim, const char *path) {
  oak_checkpoint_file_t file;
  OAK_TRY(oak_checkpoint_open(sim->setup.comm, path, &file));
  const oak_status_t st = check_structure(sim, &file);
  oak_checkpoint_close(&file);
  return st;
}

static oak_status_t check_same(const oak_t *sim, const oak_checkpoint_file_t *file) {
  const oak_checkpoint_t *h = &file->head;
  OAK_TRY(check_structure(sim, file));
  OAK_TRY(check_domain(sim, file));
  OAK_CHECK(h->nglobal / sim->setup.size < OAK_MESH_MAX_BLOCKS, OAK_ERR_INPUT,
            "checkpoint %s has %lld blocks: use more ranks", file->path, (long long)h->nglobal);
  return OAK_OK;
}

/* ---- reading */

/* Blocks of a file that are read for this rank. */
typedef struct {
  int64_t first;
  int count;
  int8_t *level;
  int32_t (*index)[3];
  double *rate;
  uint32_t *sum;
} part_t;

static oak_status_t read_records(const oak_checkpoint_file_t *file, part_t *p) {
  const size_t n = (size_t)p->count + 1;
  OAK_TRY(OAK_NEW(p->level, n));
  OAK_TRY(OAK_NEW(p->index, n));
  OAK_TRY(OAK_NEW(p->rate, n));
  OAK_TRY(OAK_NEW(p->sum, n));
  return oak_checkpoint_records(file, p->first, p->count, p->level, p->index, p->rate, p->sum);
}

static void free_part(part_t *p) {
  free(p->level);
  free(p->index);
  free(p->rate);
  free(p->sum);
}

static oak_status_t check_levels(const oak_t *sim, const oak_checkpoint_file_t *file,
                                 const part_t *p) {
  for (int n = 0; n < p->count; n++) {
    OAK_CHECK(p->level[n] <= sim->setup.refine.max_level, OAK_ERR_INPUT,
              "%s: mesh.max_level = %d, but checkpoint %s has blocks of level %d: do not lower it",
              oak_params_origin(sim->setup.params, "mesh.max_level"), sim->setup.refine.max_level,
              file->path, p->level[n]);
    OAK_CHECK(p->level[n] >= sim->setup.refine.min_level, OAK_ERR_INPUT,
              "%s: mesh.min_level = %d, but checkpoint %s has blocks of level %d: do not raise it",
              oak_params_origin(sim->setup.params, "mesh.min_level"), sim->setup.refine.min_level,
              file->path, p->level[n]);
  }
  return OAK_OK;
}

/* The mesh of the checkpoint, with each family on one rank, as in every mesh. */
static oak_status_t load_mesh(oak_t *sim, const oak_checkpoint_file_t *file) {
  const int64_t share = file->head.nglobal / sim->setup.size,
                more = file->head.nglobal % sim->setup.size;
  part_t p = {.first = share * sim->setup.rank + (sim->setup.rank < more ? sim->setup.rank : more),
              .count = (int)(share + (sim->setup.rank < more))};
  const oak_balance_t balance = {
      .kappa_max = sim->setup.refine.kappa_max,
      .families = sim->setup.refine.max_level > sim->setup.refine.min_level};
  int moved;
  oak_transfer_t transfer;
  oak_status_t st = read_records(file, &p);
  if (st == OAK_OK) st = check_levels(sim, file, &p);
  st = oak_data_agree(&sim->data, st);
  if (st == OAK_OK) {
    st = oak_mesh_replace(sim->data.mesh, p.count, p.level, p.index, 0);
    if (st == OAK_OK)
      p.level = NULL, p.index = NULL;
    else if (st == OAK_ERR_INPUT) /* the checksums are right, so the file was not written by oak */
      st = OAK_FAIL(OAK_ERR_FILE, "checkpoint %s holds no valid mesh: %s", file->path,
                    oak_last_error());
  }
  free_part(&p);
  OAK_TRY(st);
  st = oak_mesh_partition(sim->data.mesh, &balance, &moved, &transfer);
  oak_transfer_clear(&transfer);
  return st;
}

/* The name of a component of the data of a block. */
static const char *component_name(const oak_setup_t *setup, int component) {
  if (component < setup->nvar) return setup->description.name[component];
  const int room = oak_setup_room(setup);
  if (component < setup->nvar + room) return setup->files.declared.vector[0].name;
  int n = 0;
  for (int left = component - setup->nvar - room; setup->fields.field[n].function || left > 0; n++)
    left -= !setup->fields.field[n].function;
  return setup->fields.field[n].name;
}

/* All values of blocks [b, b + n) must be finite, and the mask of solids, or its average, lies
 * between 0 and 2: checksums do not tell who has written the values. */
static oak_status_t judge_blocks(const oak_t *sim, const char *path, int b, int n,
                                 const char *values) {
  const int64_t cells = sim->setup.block.cells, count = oak_carried_components(&sim->setup);
  const int mask = oak_variables_mask(&sim->setup);
  for (int64_t i = 0; i < n * count * cells; i++) {
    const double value = sim->setup.bytes.store == 4 ? (double)((const float *)values)[i]
                                                     : ((const double *)values)[i];
    const int component = (int)(i / cells % count);
    if (isfinite(value) && (component != mask || oak_mask_allowed(value))) continue;
    char place[96];
    oak_print_place(&sim->data, b + (int)(i / (count * cells)), i % cells, place, sizeof place);
    return OAK_FAIL(OAK_ERR_FILE,
                    "checkpoint %s: %s is %g at (%s), where only %s allowed; take an older one",
                    path, component_name(&sim->setup, component), value, place,
                    component == mask ? "0 to 2 is" : "finite numbers are");
  }
  return OAK_OK;
}

static oak_status_t upload_blocks(oak_t *sim, const oak_checkpoint_file_t *file, const part_t *p) {
  const size_t bytes = (size_t)oak_checkpoint_block_bytes(&file->head);
  const int all = oak_checkpoint_chunk(&file->head), chunk = p->count < all ? p->count : all;
  if (p->count == 0) return OAK_OK;
  OAK_FREED char *buffer = NULL;
  OAK_TRY(OAK_NEW(buffer, chunk * bytes));
  for (int b = 0; b < p->count; b += chunk) {
    const int n = p->count - b < chunk ? p->count - b : chunk;
    OAK_TRY(oak_checkpoint_data(file, p->first + b, n, p->sum + b, buffer));
    OAK_TRY(judge_blocks(sim, file->path, b, n, buffer));
    OAK_TRY(copy_blocks(sim, b, n, buffer, 1));
  }
  return OAK_OK;
}

static oak_status_t load_data(oak_t *sim, const oak_checkpoint_file_t *file) {
  part_t p = {.first = sim->data.mesh->first, .count = sim->data.mesh->nblock};
  oak_status_t st = read_records(file, &p);
  if (st == OAK_OK) st = upload_blocks(sim, file, &p);
  if (st == OAK_OK) st = oak_block_rates_set(sim, p.rate);
  if (st == OAK_OK) st = oak_device_sync(sim->setup.dev); /* uploads may leave later */
  free_part(&p);
  for (int n = 0; n < sim->setup.fields.count; n++)
    oak_keep_failure(&st, oak_field_set_fill(&sim->data, &sim->data.fields, n));
  return oak_data_agree(&sim->data, st);
}

static oak_status_t load(oak_t *sim, const oak_checkpoint_file_t *file) {
  const oak_checkpoint_t *h = &file->head;
  OAK_TRY(check_same(sim, file));
  OAK_TRY(load_mesh(sim, file));
  OAK_TRY(oak_storage_reserve(&sim->data, 0, sim->setup.method.nstate, sim->data.mesh->nblock));
  OAK_TRY(oak_fit_mesh(sim));
  OAK_TRY(load_data(sim, file));
  sim->data.clock = (oak_solution_time_t){.time = h->time, .dt = h->dt, .step = h->step};
  sim->counts = (oak_counts_t){.updates = h->updates,
                               .retries = h->retries,
                               .first_order_cells = h->first_order_cells,
                               .floored_cells = h->floored_cells};
  sim->rates.least = h->growing ? h->rate : 0;
  oak_rates_set(sim, (oak_rates_t){.most = h->growing ? 0 : h->rate,
                                   .known = h->rates_known ? OAK_RATES_KNOWN : OAK_RATES_UNKNOWN});
  return OAK_OK;
}

/* Solid cells are those of the checkpoint. Blocks of the finest level show whether SOLID makes the
 * same ones: others may have become coarser during the run. */
static oak_status_t check_solid(oak_t *sim, const char *path) {
  const oak_mesh_t *mesh = sim->data.mesh;
  const size_t n = mesh->nblock, cells = n * sim->setup.block.cells;
  int lowest, finest;
  oak_mesh_levels(mesh, &lowest, &finest, NULL);
  OAK_FREED double *solid = NULL;
  oak_status_t st = OAK_NEW(solid, 2 * cells + 1);
  if (st == OAK_OK) st = oak_initial_state(sim, 1);
  for (int s = 0; s < 2 && st == OAK_OK; s++)
    st = oak_read_state(&sim->data, s, sim->setup.nvar - 1, 0, (int)n, solid + s * cells);
  for (size_t c = 0; c < cells && st == OAK_OK; c++)
    if (mesh->level[c / sim->setup.block.cells] == finest &&
        (solid[c] >= 0.5) != (solid[cells + c] >= 0.5))
      st = OAK_FAIL(OAK_ERR_INPUT,
                    "SOLID(at) has other solid cells than checkpoint %s; the solid cannot change "
                    "at a restart, but in a new run with run.initial",
                    path);
  return oak_data_agree(&sim->data, st);
}

/* Parameters or files on which the rates depend have changed: compute the rates again, and check
 * the cells. */
static oak_status_t refresh_rates(oak_t *sim, const oak_checkpoint_file_t *file,
                                  oak_changes_t *changes) {
  texts_t texts = {.parameters = NULL};
  int other = 0;
  oak_status_t st = OAK_OK;
  *changes = (oak_changes_t){.count = 0};
  if (sim->setup.rank == 0) {
    st = make_texts(sim, &texts);
    if (st == OAK_OK) {
      changes->physics = strcmp(texts.physics, file->head.text[OAK_CHECKPOINT_PHYSICS]) != 0;
      changes->problem = strcmp(texts.problem, file->head.text[OAK_CHECKPOINT_PROBLEM]) != 0;
      st = oak_changes_find(file->head.text[OAK_CHECKPOINT_PARAMETERS], texts.parameters,
                            file->path, changes);
    }
    other = changes->physics || changes->problem || changes->equations;
    free(texts.parameters);
  }
  OAK_TRY(oak_data_agree(&sim->data, st));
  MPI_Bcast(&other, 1, MPI_INT, 0, sim->setup.comm);
  if (!other) return OAK_OK;
  oak_rates_forget(sim);
  if (oak_has_hook(&sim->setup, "problem_solid")) OAK_TRY(check_solid(sim, file->path));
  return oak_update_time_step(sim);
}

oak_status_t oak_checkpoint_load(oak_t *sim, const char *path, char **schedule,
                                 oak_changes_t *changes) {
  oak_checkpoint_file_t file;
  const long before = sim->data.mesh->revision;
  const int lost = sim->lost;
  *schedule = NULL;
  OAK_TRY(oak_checkpoint_open(sim->setup.comm, path, &file));
  sim->lost = 0;
  oak_status_t st = load(sim, &file);
  if (st == OAK_OK) st = oak_find_invalid(sim, 0, OAK_INVALID_READ);
  if (st == OAK_OK) st = refresh_rates(sim, &file, changes);
  if (st == OAK_OK) {
    *schedule = strdup(file.head.text[OAK_CHECKPOINT_SCHEDULE]);
    st = *schedule ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "no memory for the schedule of %s", path);
    st = oak_data_agree(&sim->data, st);
  }
  oak_checkpoint_close(&file);
  sim->revision++;
  sim->lost = st != OAK_OK && (lost || sim->data.mesh->revision != before);
  return st;
}

oak_status_t oak_read_checkpoint(oak_t *sim, const char *path) {
  OAK_BEGIN(sim);
  OAK_FREED char *schedule = NULL;
  oak_changes_t changes;
  OAK_CHECK(path[0], OAK_ERR_ARGUMENT, "the name of a checkpoint is empty; give a path");
  return OAK_TIMED(&sim->data.timers, OAK_PHASE_CHECKPOINT,
                   oak_checkpoint_load(sim, path, &schedule, &changes));
}
