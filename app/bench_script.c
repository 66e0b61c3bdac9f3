/* SPDX-License-Identifier: GPL-2.0-or-later
 * The scripts of bench/ make tables of many runs. Rank 0 starts the script. The script sends
 * requests, all ranks carry them out, and the answer is one line of JSON. A request is a list of
 * words: what to do, then keys. The character 1F stands between words, and 1E ends the request. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../verify/verify.h"
#include "bench.h"
#include "json.h"

extern const verify_case_t verify_case_convergence, verify_case_flux_fixing;

enum { REQUESTS = 3 /* the descriptor to which a script writes them */, NOT_FOUND = 127 };

/* A run that stays from one request to the next. */
typedef struct {
  int which; /* case of oak bench */
  oak_params_t *params;
  oak_t *sim;
} run_t;

typedef struct {
  int rank, ranks;
  bench_child_t child;  /* on rank 0 */
  oak_device_t *device; /* stays open, since starting a GPU for every run takes long */
  run_t run[2];
} script_t;

/* \a text of pairs, name and value; rank 0 alone. */
static void write_texts(FILE *out, int n, const char *const (*text)[2]) {
  for (int i = 0; i < n; i++) {
    fprintf(out, "%s\"%s\":", i ? "," : "", text[i][0]);
    oak_json_text(out, text[i][1]);
  }
}

/* ---- requests */

static oak_status_t open_device(script_t *s, oak_params_t *params) {
  const oak_device_options_t options = {.threads = oak_params_int(params, "device.threads"),
                                        .compiler = oak_params_text(params, "device.compiler"),
                                        .flags = oak_params_text(params, "device.flags")};
  oak_device_close(&s->device);
  return oak_device_open(MPI_COMM_WORLD, oak_params_text(params, "device.name"), &options,
                         &s->device);
}

/* Answer with the device and the program. This is the first request, so it also checks the keys of
 * the command line. */
static oak_status_t answer_open(script_t *s, int argc, char **argv, FILE *answer) {
  oak_params_t *params = NULL;
  char device[512], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  oak_status_t st = oak_bench_params(argc, argv, &params);
  if (st == OAK_OK) st = oak_params_check(params, 0);
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK) st = open_device(s, params);
  if (st == OAK_OK && answer) {
    const oak_device_ops_t *ops = oak_device_ops(s->device);
    ops->describe(s->device, device, sizeof device);
    MPI_Get_library_version(mpi, &length);
    fprintf(answer, "{\"gpu\":%s,\"ranks\":%d,", ops->host_memory ? "false" : "true", s->ranks);
    const char *const texts[][2] = {{"device", device},
                                    {"mpi", mpi},
                                    {"version", OAK_VERSION},
                                    {"commit", oak_commit()},
                                    {"flags", oak_params_text(params, "device.flags")}};
    write_texts(answer, 5, texts);
    fprintf(answer, "}\n");
  }
  oak_params_destroy(&params);
  return st;
}

/* Run a case of oak_verify. Arguments: its name, the folder of its files, 1 for its full
 * resolution; keys. */
static oak_status_t answer_verify(const script_t *s, int argc, char **argv, FILE *answer) {
  OAK_CHECK(argc >= 3, OAK_ERR_INPUT, "oak bench: verify needs a case and a folder");
  verify_t v = {.full = atoi(argv[2]),
                .folder = argv[1],
                .rank = s->rank,
                .size = s->ranks,
                .key = argv + 3,
                .nkey = argc - 3};
  verify_run_case(
      &v, strcmp(argv[0], "convergence") ? &verify_case_flux_fixing : &verify_case_convergence);
  fflush(stdout);
  if (answer) fprintf(answer, "{}\n");
  return OAK_OK;
}

static void end_run(run_t *run) {
  oak_destroy(&run->sim);
  oak_params_destroy(&run->params);
}

/* Begin a run that stays: its first steps, and the schemes that it has and could have. Arguments: 0
 * or 1, uniform or adaptive; keys. */
static oak_status_t answer_begin(script_t *s, int argc, char **argv, FILE *answer) {
  char limiters[1024], fluxes[1024];
  OAK_CHECK(argc >= 2, OAK_ERR_INPUT, "oak bench: begin needs a number and a case");
  run_t *run = &s->run[argv[0][0] == '1'];
  end_run(run);
  run->which = strcmp(argv[1], "adaptive") ? BENCH_UNIFORM16 : BENCH_AMR16;
  OAK_TRY(oak_bench_create(run->which, NULL, argv + 2, argc - 2, &run->params, &run->sim));
  OAK_TRY(oak_bench_start(run->sim, run->which));
  oak_status_t st = oak_list_limiters(limiters, sizeof limiters);
  if (st == OAK_OK)
    st = oak_list_fluxes(oak_params_text(run->params, "physics.name"), fluxes, sizeof fluxes);
  OAK_TRY(oak_agree(MPI_COMM_WORLD, st));
  if (!answer) return OAK_OK;
  const char *const texts[][2] = {{"limiter", oak_params_text(run->params, "scheme.limiter")},
                                  {"flux", oak_params_text(run->params, "scheme.flux")},
                                  {"precision", oak_params_text(run->params, "scheme.precision")},
                                  {"limiters", limiters},
                                  {"fluxes", fluxes}};
  fprintf(answer, "{");
  write_texts(answer, 5, texts);
  fprintf(answer, "}\n");
  return OAK_OK;
}

/* A piece of such a run. Argument: its number. */
static oak_status_t answer_piece(script_t *s, int argc, char **argv, FILE *answer) {
  run_t *run = &s->run[argc > 0 && argv[0][0] == '1'];
  double seconds, mcups;
  OAK_CHECK(run->sim, OAK_ERR_INPUT, "oak bench: piece needs the number of a run");
  OAK_TRY(oak_bench_piece(run->sim, run->which, &seconds, &mcups));
  if (answer) fprintf(answer, "{\"mcups\":%.17g}\n", mcups);
  return OAK_OK;
}

static oak_status_t answer(script_t *s, int argc, char **argv, FILE *out) {
  if (!strcmp(argv[0], "open")) return answer_open(s, argc - 1, argv + 1, out);
  if (!strcmp(argv[0], "verify")) return answer_verify(s, argc - 1, argv + 1, out);
  if (!strcmp(argv[0], "begin")) return answer_begin(s, argc - 1, argv + 1, out);
  if (!strcmp(argv[0], "piece")) return answer_piece(s, argc - 1, argv + 1, out);
  if (!strcmp(argv[0], "measure")) return oak_bench_measure(argc - 1, argv + 1, s->rank, out);
  if (!strcmp(argv[0], "kernels")) return oak_bench_kernels(argc - 1, argv + 1, out);
  return OAK_FAIL(OAK_ERR_INPUT, "oak bench: there is no request '%s'", argv[0]);
}

/* ---- the script */

/* Read a request on rank 0 and give it to all ranks. Returns NULL at the end. */
static char *read_request(script_t *s) {
  char *text = NULL;
  size_t size = 0;
  long length = -1;
  if (s->rank == 0) length = (long)getdelim(&text, &size, '\x1e', s->child.from);
  MPI_Bcast(&length, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (length > 0 && s->rank != 0) text = malloc(length + 1);
  if (length <= 0 || !text) {
    free(text);
    return NULL;
  }
  MPI_Bcast(text, (int)length + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
  text[length - 1] = '\0';
  return text;
}

static void serve(script_t *s) {
  char *text;
  while ((text = read_request(s))) {
    int argc = 0;
    char **argv = malloc((strlen(text) / 2 + 2) * sizeof *argv), *rest = text;
    while (argv && rest) argv[argc++] = strsep(&rest, "\x1f");
    oak_status_t st =
        oak_agree(MPI_COMM_WORLD, argv ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory"));
    if (st == OAK_OK) st = answer(s, argc, argv, s->child.to);
    if (s->child.to && st != OAK_OK) {
      fprintf(s->child.to, "{\"wrong_input\":%s,\"no_memory\":%s,",
              st == OAK_ERR_INPUT || st == OAK_ERR_ARGUMENT ? "true" : "false",
              st == OAK_ERR_MEMORY ? "true" : "false");
      write_texts(s->child.to, 1, &(const char *const[2]){"error", oak_last_error()});
      fprintf(s->child.to, "}\n");
    }
    if (s->child.to) fflush(s->child.to);
    free(argv);
    free(text);
  }
  for (int i = 0; i < 2; i++) end_run(&s->run[i]);
  oak_device_close(&s->device);
}

static oak_status_t start(script_t *s, const char *name, int argc, char **argv) {
  const char *root;
  char path[4096];
  OAK_TRY(oak_source_root(&root));
  snprintf(path, sizeof path, "%s/bench/%s.py", root, name);
  OAK_CHECK(access(path, R_OK) == 0, OAK_ERR_FILE, "oak bench: cannot read %s", path);
  char **word = malloc((argc + 5) * sizeof *word);
  OAK_CHECK(word, OAK_ERR_MEMORY, "out of memory");
  char *const first[] = {"env", "python3", "-B", path};
  memcpy(word, first, sizeof first);
  memcpy(word + 4, argv, argc * sizeof *word);
  word[argc + 4] = NULL;
  const oak_status_t st = oak_bench_start_child(&s->child, "/usr/bin/env", word, REQUESTS);
  free(word);
  return st;
}

int oak_bench_script(oak_arguments_t *a) {
  const char *name = strrchr(a->command->name, '-') + 1;
  script_t s = {.rank = a->rank};
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  oak_status_t st =
      oak_agree(MPI_COMM_WORLD, a->rank == 0 ? start(&s, name, a->argc, a->argv) : OAK_OK);
  if (st == OAK_OK) serve(&s);
  int code = oak_bench_end_child(&s.child);
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (code == NOT_FOUND)
    st = OAK_FAIL(OAK_ERR_FILE, "oak bench --%s needs the program python3, which is not in PATH",
                  name);
  return st == OAK_OK ? code : oak_report_failure(a->rank);
}

static int bench_serve(oak_arguments_t *a) {
  script_t s = {.rank = a->rank, .child = {.to = stdout, .from = stdin}};
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  if (a->rank != 0) s.child.to = NULL;
  serve(&s);
  return 0;
}

const oak_command_t oak_bench_serve = {
    .name = "bench --serve",
    .usage = "",
    .help = "Carries out requests of bench/compare.py, which come from standard input.\n",
    .run = bench_serve};
