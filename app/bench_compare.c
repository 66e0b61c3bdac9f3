/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --compare: two sets of keys, or two builds of oak. The speed of a machine drifts by
 * more than the effect of most changes. Therefore pieces of both alternate, and each piece of B is
 * compared with the mean of the pieces of A just before and just after it. If a side is another
 * build of oak, it runs in a child process, which measures a piece for each line that it reads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "commands.h"

enum { MOST_WORDS = 64, MOST_PIECES = 201 };

/** One of the two sets of keys or builds. */
typedef struct {
  char *text;            /**< words of the text, as pointers into it */
  const char *program;   /**< program of the other build; NULL: this program */
  char *key[MOST_WORDS]; /**< keys for both, then its own keys */
  int nkey;
  oak_params_t *params; /**< in this process */
  oak_t *sim;
  bench_child_t child;
  double mcups[MOST_PIECES];
} side_t;

typedef struct {
  side_t side[2];
  int which; /**< case of oak bench */
  int pieces, children, rank;
  double ratio[MOST_PIECES];
} compare_t;

/* ---- in this process */

static oak_status_t start_here(const compare_t *c, side_t *s) {
  oak_status_t st = oak_params_new(&s->params);
  if (st == OAK_OK) st = oak_bench_set_case(s->params, c->which, s->key, s->nkey);
  OAK_TRY(oak_agree(MPI_COMM_WORLD, st));
  OAK_TRY(oak_create(MPI_COMM_WORLD, s->params, &s->sim));
  return oak_bench_start(s->sim, c->which);
}

/* ---- in a child */

static oak_status_t start_child(const compare_t *c, side_t *s) {
  char *argument[MOST_WORDS + 5];
  int n = 0;
  if (!s->program) s->program = "/proc/self/exe";
  argument[n++] = (char *)s->program;
  argument[n++] = "bench";
  argument[n++] = "--on-demand";
  if (c->which == BENCH_AMR16) argument[n++] = "--adaptive";
  for (int i = 0; i < s->nkey; i++) argument[n++] = s->key[i];
  argument[n] = NULL;
  return oak_bench_start_child(&s->child, s->program, argument, STDOUT_FILENO);
}

/* Ask the child for a piece and read its speed. */
static oak_status_t ask(side_t *s, double *mcups) {
  char line[256] = "";
  fprintf(s->child.to, "piece\n");
  fflush(s->child.to);
  const int got = fgets(line, sizeof line, s->child.from) && sscanf(line, "piece %lf", mcups) == 1;
  OAK_CHECK(got, OAK_ERR_FILE,
            "oak bench --compare: %s gave no piece; its message, if any, is above. It must be a "
            "build of oak that knows this option",
            s->program);
  return OAK_OK;
}

static oak_status_t one_piece(compare_t *c, side_t *s, double *mcups) {
  double seconds;
  return c->children ? ask(s, mcups) : oak_bench_piece(s->sim, c->which, &seconds, mcups);
}

static void end(side_t *s) {
  oak_destroy(&s->sim);
  oak_params_destroy(&s->params);
  oak_bench_end_child(&s->child);
  free(s->text);
}

/* The child: a piece for each line. */
static int bench_on_demand(oak_arguments_t *a) {
  compare_t c = {.which = a->option[0] ? BENCH_AMR16 : BENCH_UNIFORM16};
  side_t *s = &c.side[0];
  char line[256];
  double mcups;
  for (; s->nkey < a->nword && s->nkey < MOST_WORDS; s->nkey++) s->key[s->nkey] = a->word[s->nkey];
  oak_status_t st = start_here(&c, s);
  while (st == OAK_OK && fgets(line, sizeof line, stdin)) {
    st = one_piece(&c, s, &mcups);
    if (st == OAK_OK) printf("piece %.17g\n", mcups);
    fflush(stdout);
  }
  end(s);
  return st == OAK_OK ? 0 : oak_report_failure(a->rank);
}

/* ---- statistics */

/* The 95 % interval of the median of n values begins at value k of the sorted values (from 0 on)
 * and ends at value n - 1 - k. The median lies below value k if at most k values lie below the
 * median. The probability of this is that of at most k heads in n tosses of a coin. Returns the
 * largest such k.
 */
static int interval_rank(int n) {
  double chance = exp2(-n), sum = chance;
  int k = 0;
  while (2 * (sum + chance * (n - k) / (k + 1)) <= 0.05) {
    chance *= (double)(n - k) / (k + 1);
    sum += chance;
    k++;
  }
  return k;
}

static oak_status_t measure(compare_t *c) {
  double before, after;
  for (int i = 0; i < 2; i++)
    OAK_TRY(c->children ? start_child(c, &c->side[i]) : start_here(c, &c->side[i]));
  OAK_TRY(one_piece(c, &c->side[0], &before)); /* the first of each is not counted */
  OAK_TRY(one_piece(c, &c->side[1], &after));
  OAK_TRY(one_piece(c, &c->side[0], &before));
  for (int n = 0; n < c->pieces; n++) {
    c->side[0].mcups[n] = before;
    OAK_TRY(one_piece(c, &c->side[1], &c->side[1].mcups[n]));
    OAK_TRY(one_piece(c, &c->side[0], &after));
    c->ratio[n] = c->side[1].mcups[n] / (0.5 * (before + after));
    before = after;
  }
  return OAK_OK;
}

static void print_result(compare_t *c) {
  const int n = c->pieces, low = interval_rank(n);
  const double ratio = oak_bench_median(c->ratio, n);
  if (c->rank) return;
  printf("   %9s %9s %9s   MCUPS per core\n", "median", "least", "most");
  for (int i = 0; i < 2; i++) {
    side_t *s = &c->side[i];
    const double middle = oak_bench_median(s->mcups, n);
    printf("%c  %9.2f %9.2f %9.2f   ", "AB"[i], middle, s -> mcups[0], s -> mcups[n - 1]);
    if (c->children) printf("%s", s->program);
    for (int k = 0; k < s->nkey; k++) printf(" %s", s->key[k]);
    printf("\n");
  }
  printf("B / A = %.4f, 95 %% interval of the median %.4f to %.4f, from %d pieces\n", ratio,
         c->ratio[low], c->ratio[n - 1 - low], n);
  if (c->ratio[low] <= 1 && c->ratio[n - 1 - low] >= 1)
    printf("The interval contains 1: these pieces show no difference.\n");
}

/* ---- options */

static oak_status_t read_side(side_t *s, const char *text) {
  s->text = strdup(text);
  OAK_CHECK(s->text, OAK_ERR_MEMORY, "out of memory");
  for (char *word = strtok(s->text, " "); word; word = strtok(NULL, " ")) {
    if (!strchr(word, '=')) {
      OAK_CHECK(!s->program && access(word, X_OK) == 0, OAK_ERR_INPUT,
                "oak bench --compare: '%s' is neither a key (section.key=value) nor a program that "
                "can be started",
                word);
      s->program = word;
    } else if (s->nkey < MOST_WORDS) {
      s->key[s->nkey++] = word;
    }
  }
  return OAK_OK;
}

static oak_status_t read_options(compare_t *c, const oak_arguments_t *a) {
  const int nboth = a->nword - 2;
  int size;
  if (a->option[0]) c->which = BENCH_AMR16;
  if (a->option[1]) c->pieces = atoi(a->option[1]);
  OAK_CHECK(c->pieces >= 6 && c->pieces < MOST_PIECES, OAK_ERR_INPUT,
            "oak bench --compare: --pieces must be a number from 6 to %d", MOST_PIECES - 1);
  for (int s = 0; s < 2; s++) {
    side_t *side = &c->side[s];
    OAK_TRY(read_side(side, a->word[s]));
    OAK_CHECK(side->nkey + nboth <= MOST_WORDS, OAK_ERR_INPUT,
              "oak bench --compare: more than %d keys", MOST_WORDS);
    memmove(&side->key[nboth], side->key, side->nkey * sizeof *side->key);
    memcpy(side->key, a->word + 2, nboth * sizeof *a->word);
    side->nkey += nboth;
    c->children |= side->program != NULL;
  }
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  OAK_CHECK(!c->children || size == 1, OAK_ERR_INPUT,
            "oak bench --compare: two builds are compared on one rank, without mpirun");
  return OAK_OK;
}

static int bench_compare(oak_arguments_t *a) {
  compare_t *c = calloc(1, sizeof *c);
  oak_status_t st = c ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory to compare");
  if (oak_agree(MPI_COMM_WORLD, st) != OAK_OK) {
    free(c);
    return oak_report_failure(a->rank);
  }
  c->which = BENCH_UNIFORM16;
  c->pieces = 15;
  c->rank = a->rank;
  int code = oak_agree(MPI_COMM_WORLD, read_options(c, a)) == OAK_OK ? 0 : 2;
  if (!code && measure(c) != OAK_OK) code = 1;
  if (code)
    oak_report_failure(a->rank);
  else
    print_result(c);
  for (int i = 0; i < 2; i++) end(&c->side[i]);
  free(c);
  return code;
}

static const oak_option_t options[] = {
    {"--adaptive", NULL, "the adaptive case of oak bench; otherwise 3D 128^3 with blocks of 16^3"},
    {"--pieces", "N", "pieces of B, 6 to 200 (15)"},
    {NULL, NULL, NULL}};

const oak_command_t oak_bench_compare = {
    .name = "bench --compare",
    .usage = "A B [--adaptive] [--pieces N] [section.key=value ...]",
    .help =
        "Measures which of two runs is faster. A and B are keys in quotes, or the path of the\n"
        "program oak of another build, which keys may follow:\n"
        "  oak bench --compare \"scheme.limiter=vanleer\" \"scheme.limiter=weno5\"\n"
        "  oak bench --compare ../main/build/oak build/oak mesh.block_size=8\n"
        "Pieces of A and B alternate. The command prints the median of the ratio of their speeds,\n"
        "B / A, with its 95 % interval (from order statistics, so for any distribution).\n",
    .option = options,
    .after =
        "Two builds are compared on one rank; both must know this option. Further keys are for "
        "both.\n",
    .least = 2,
    .most = OAK_ANY_NUMBER,
    .run = bench_compare};

const oak_command_t oak_bench_on_demand = {
    .name = "bench --on-demand",
    .usage = "[--adaptive] [section.key=value ...]",
    .help = "Measures a piece for each line of its input, for oak bench --compare.\n",
    .option = options,
    .most = OAK_ANY_NUMBER,
    .run = bench_on_demand};
