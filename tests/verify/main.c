/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak_verify: measures the accuracy of the numerics and compares it with the expected accuracy. */
#include "cases.h"
#include "verify.h"

#define DECLARE(name) extern const verify_case_t verify_case_##name;
VERIFY_CASES(DECLARE)
#define LIST(name) &verify_case_##name,
static const verify_case_t *const cases[] = {VERIFY_CASES(LIST)};
enum { NCASES = sizeof cases / sizeof *cases };

static void print_help(void) {
  printf(
      "usage: oak_verify [--full] [--out FOLDER] [CASE ...] [section.key=value ...]\n\n"
      "Runs the named cases, or all. Without --full, with small resolutions: some seconds each.\n"
      "Prints every measured number beside its reference and its bounds, and writes tables and\n"
      "pictures to FOLDER/CASE (verify_report); tests/verify/report.py makes a report of them. Keys "
      "hold\n"
      "for every simulation, such as device.name=cpu. Exit status 0: all numbers within bounds.\n\n"
      "cases:\n");
  for (int c = 0; c < NCASES; c++) printf("  %-18s %s\n", cases[c]->name, cases[c]->title);
}

/* \return the case of that name, NULL if there is none. */
static const verify_case_t *find_case(const char *name) {
  for (int c = 0; c < NCASES; c++)
    if (!strcmp(cases[c]->name, name)) return cases[c];
  return NULL;
}

/* \return 0, or 2 for a mistake in the arguments, -1 for help */
static int read_arguments(verify_t *v, int argc, char **argv, const verify_case_t **chosen,
                          int *nchosen) {
  for (int i = 1; i < argc; i++) {
    const verify_case_t *c = find_case(argv[i]);
    if (!strcmp(argv[i], "--help")) return -1;
    if (!strcmp(argv[i], "--full")) {
      v->full = 1;
    } else if (!strcmp(argv[i], "--out") && i + 1 < argc) {
      v->folder = argv[++i];
    } else if (strchr(argv[i], '=')) {
      v->key[v->nkey++] = argv[i];
    } else if (c && *nchosen < NCASES) {
      chosen[(*nchosen)++] = c;
    } else {
      if (v->rank == 0)
        fprintf(stderr, "oak_verify: unknown argument %s (oak_verify --help lists the cases)\n",
                argv[i]);
      return 2;
    }
  }
  for (int c = 0; c < NCASES && *nchosen == 0; c++) chosen[c] = cases[c];
  if (*nchosen == 0) *nchosen = NCASES;
  return 0;
}

int main(int argc, char **argv) {
  const verify_case_t *chosen[NCASES];
  verify_t v = {.folder = "verify_report"};
  int nchosen = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &v.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &v.size);
  v.key = calloc(argc + 1, sizeof *v.key);
  int code = v.key ? read_arguments(&v, argc, argv, chosen, &nchosen) : 1;
  if (code == -1 && v.rank == 0) print_help();
  if (code == 0) {
    for (int c = 0; c < nchosen; c++) verify_run_case(&v, chosen[c]);
    if (v.rank == 0)
      printf("%d numbers within their bounds, %d outside\n", v.checked - v.failed, v.failed);
    code = v.failed > 0;
  }
  free(v.key);
  MPI_Finalize();
  return code > 0 ? code : 0;
}
