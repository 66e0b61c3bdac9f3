/* SPDX-License-Identifier: GPL-2.0-or-later
 * Terminal output: which lines appear, their alignment and width. */
// TEST sanitize
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "main_test.h"
#include "progress.h"
#include "str.h"

static const int64_t blocks[] = {0, 0, 16, 120, 1024, 54321, 654321};

static oak_progress_state_t state_at(long step) {
  return (oak_progress_state_t){.step = step,
                                .time = 0.01 * (double)step,
                                .dt = step ? 0.01 : 0,
                                .max_level = 3,
                                .blocks = blocks,
                                .cells_per_block = 4096,
                                .updates = 1000000 * step};
}

/** Run \a steps steps. \return what was printed, to be freed. */
static char *run(oak_progress_options_t options, long steps, int max_level) {
  char *text = NULL;
  size_t bytes;
  oak_progress_t progress;
  options.stream = open_memstream(&text, &bytes);
  assert_non_null(options.stream);
  oak_progress_state_t state = state_at(0);
  state.max_level = max_level;
  oak_progress_begin(&progress, &options, &state);
  for (long s = 1; s <= steps; s++) {
    state = state_at(s);
    state.max_level = max_level;
    oak_progress_update(&progress, &state);
    if (s == 15) oak_progress_note(&progress, "wrote %s", "file_0001");
  }
  oak_progress_end(&progress, &state);
  fclose(options.stream);
  return text;
}

/** Line number \a n, 0 the first. */
static const char *line_of(char *text, int n) {
  static char line[256];
  const char *at = text;
  for (; n > 0; n--) {
    at = strchr(at, '\n');
    assert_non_null(at);
    at++;
  }
  snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
  return line;
}

static void test_lines(void **unused) {
  (void)unused;
  char *text = run((oak_progress_options_t){.end_time = 0.25, .every_steps = 10}, 25, 3);
  static const char *const begins[] = {
      "   step       time ",     "      0          0         - ", "     10        0.1 1.000e-02 ",
      "wrote file_0001",         "     20        0.2 ",           "     25       0.25 ",
      "25 steps to t = 0.25 in "};
  for (int l = 0; l < 7; l++)
    if (strncmp(line_of(text, l), begins[l], strlen(begins[l])) != 0)
      fail_msg("line %d: '%s' should begin '%s'", l, line_of(text, l), begins[l]);
  assert_string_equal(line_of(text, 7), "");
  assert_non_null(strstr(line_of(text, 2), "   136   557k "));
  assert_non_null(strstr(line_of(text, 2), "CUPS"));
  assert_non_null(strstr(line_of(text, 2), " s  L2:16 L3:120"));
  free(text);
}

/** If no lines are asked for, the first and the last appear. If an interval of time is 0, each
 * step has a line. */
static void test_due(void **unused) {
  (void)unused;
  char *text = run((oak_progress_options_t){.max_steps = 7}, 7, 3);
  assert_memory_equal(line_of(text, 2), "      7 ", 8);
  assert_memory_equal(line_of(text, 3), "7 steps", 7);
  free(text);
  text = run((oak_progress_options_t){.end_time = INFINITY, .every_seconds = 1e-12}, 3, 3);
  assert_memory_equal(line_of(text, 2), "      1 ", 8);
  assert_memory_equal(line_of(text, 4), "      3 ", 8);
  assert_non_null(strstr(line_of(text, 4), " -  L2")); /* no end: no time left */
  free(text);
}

static void test_fits(void **unused) {
  (void)unused;
  char *text = run((oak_progress_options_t){.max_steps = 20, .every_steps = 5}, 20, 6);
  for (int l = 0; *line_of(text, l); l++) assert_true(strlen(line_of(text, l)) <= 100);
  assert_non_null(strstr(line_of(text, 2), "  ..")); /* coarse levels give way */
  assert_non_null(strstr(line_of(text, 2), "L6:654k"));
  free(text);
}

static void test_silent(void **unused) {
  (void)unused;
  oak_progress_t progress;
  oak_progress_state_t state = state_at(0);
  oak_progress_begin(&progress, &(oak_progress_options_t){.end_time = 1, .every_steps = 1}, &state);
  oak_progress_update(&progress, &state);
  oak_progress_note(&progress, "nothing");
  oak_progress_end(&progress, &state);
}

static void assert_count(double count, const char *expected) {
  char text[32];
  oak_str_count(text, sizeof text, count);
  assert_string_equal(text, expected);
}

static void assert_span(double seconds, const char *expected) {
  char text[32];
  oak_str_span(text, sizeof text, seconds);
  assert_string_equal(text, expected);
}

static void test_words(void **unused) {
  (void)unused;
  assert_count(0, "0");
  assert_count(9999, "9999");
  assert_count(10000, "10.0k");
  assert_count(99949, "99.9k");
  assert_count(99951, "100k");
  assert_count(999600, "1.00M");
  assert_count(2.621e11, "262G");
  assert_span(0, "0.0 s");
  assert_span(59.96, "1:00");
  assert_span(245, "4:05");
  assert_span(7445.4, "2:04:05");
  assert_span(359999.6, "4d 04h");
  assert_span(-1, "-");
  assert_span(NAN, "-");
  assert_int_equal(oak_str_distance("block_size", "blocksize"), 1);
  assert_int_equal(oak_str_distance("kitten", "sitting"), 3);
  assert_int_equal(oak_str_distance("level", "LEVLE"), 1);
  assert_int_equal(oak_str_distance("", "abc"), 3);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_due),
                                     cmocka_unit_test(test_fits), cmocka_unit_test(test_silent),
                                     cmocka_unit_test(test_words)};
  return TEST_MAIN(tests);
}
