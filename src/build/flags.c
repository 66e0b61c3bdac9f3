/* SPDX-License-Identifier: GPL-2.0-or-later
 * The flags that the user gives to the compiler of kernels: what is refused, and with which flags
 * oak knows all files that a kernel depends on. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "build/build.h"

/** Switches that change how kernels compute. All other constants that begin with OAK_ are shared
 * with the host, which would not know that they were changed. */
static const char switches[] =
    "OAK_CELL_LOOPS OAK_WALK_CELLS OAK_ACC_LANES OAK_ACC_VECTOR OAK_ACC_GANGS OAK_ACC_UNROLL "
    "OAK_EXACT_DIVISION";

/** The constant of oak that a flag defines or undefines, NULL if none. The word may also be the
 * operand of the flag before it. */
static const char *constant_in(const char *flag) {
  for (const char *at = flag; (at = strstr(at, "OAK_")); at++) {
    const size_t n = (size_t)(at - flag);
    if (n == 0 || (n > 1 && at[-2] == '-' && (at[-1] == 'D' || at[-1] == 'U')) ||
        (at[-1] == '=' && !strncmp(flag, "--", 2)))
      return at;
  }
  return NULL;
}

oak_status_t oak_flags_check(const char *flags, const char *origin) {
  oak_words_t words = {0};
  oak_words_split(&words, flags);
  oak_status_t status = oak_words_status(&words);
  for (int i = 0; i < words.count && status == OAK_OK; i++) {
    const char *flag = words.word[i], *name = constant_in(flag);
    const char *defines = name == flag && i > 0 ? words.word[i - 1] : flag;
    if (*flag == '@')
      status = OAK_FAIL(OAK_ERR_INPUT, "%s: %s: write the flags here, not the name of their file",
                        origin, flag);
    if (name &&
        (!oak_str_has_word(switches, name, strcspn(name, "=")) || strncmp(defines, "-D", 2) != 0))
      status = OAK_FAIL(OAK_ERR_INPUT,
                        "%s: %s: constants that begin with OAK_ come from the parameters of the "
                        "run; only these may be defined: %s",
                        origin, flag, switches);
  }
  oak_words_free(&words);
  return status;
}

const char *oak_flag_operand(const oak_words_t *words, int *i, const char *flag) {
  const char *w = words->word[*i];
  size_t length = strlen(flag);
  if (strncmp(w, flag, length) != 0) return NULL;
  if (w[length]) return w + length + (w[length] == '=');
  return *i + 1 < words->count ? words->word[++*i] : NULL;
}

/** 1 if a word of \a list is in the flag; \a begins: at its begin. */
static int has(const char *flag, const char *list, int begins) {
  size_t length;
  for (const char *word; (word = oak_str_word(&list, &length));)
    if (begins ? !strncmp(flag, word, length) : !!memmem(flag, strlen(flag), word, length))
      return 1;
  return 0;
}

void oak_flags_follow(const oak_words_t *words, char why[OAK_UNFOLLOWED]) {
  static const char *const operand[] = {"-D",       "-U",      "-I",       "-include",
                                        "-imacros", "-iquote", "-isystem", "-idirafter"};
  for (int i = 0; i < words->count; i++) {
    const char *flag = words->word[i];
    const int lists = has(flag, "-fsanitize -foffload", 1);
    int known =
        has(flag, "-O -W -f -m -g -std= -pedantic -w -acc -pthread --param= --offload-arch", 1) &&
        !has(flag, "-fplugin -fprofile -fuse -fauto -fbranch -fload -fmodule -flto list= /", 0) &&
        (lists || !strchr(flag, ','));
    for (size_t k = 0; k < sizeof operand / sizeof *operand && !known; k++)
      known = oak_flag_operand(words, &i, operand[k]) != NULL;
    if (!known) snprintf(why, OAK_UNFOLLOWED, "the flag %.200s may name files", flag);
  }
}

int oak_flag_for_gpu(const oak_words_t *words, int *i, oak_words_t *options) {
  const char *w = words->word[*i];
  const int define = !strncmp(w, "-D", 2) || !strncmp(w, "-I", 2);
  if (define && !w[2] && words->word[*i + 1]) /* "-D NAME" */
    oak_words_add(options, "%s%s", w, words->word[++*i]);
  else if (define || !strncmp(w, "--", 2))
    oak_words_add(options, "%s", w);
  return define || !strncmp(w, "--", 2);
}
