/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text and numbers as in the locale "C", whatever locale the program has. The compiler includes
 * this file before each file of the library (CMakeLists.txt). Each call of a function that depends
 * on the locale then runs in the locale "C". Only the calling thread has that locale, and only for
 * this call. */
#pragma once

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/** Give this thread the locale "C", and give back the one that it had. Pairs may be nested. */
void oak_c_locale_enter(void);
void oak_c_locale_leave(void);

static inline int oak_c_int(int result) {
  oak_c_locale_leave();
  return result;
}
static inline double oak_c_real(double result) {
  oak_c_locale_leave();
  return result;
}
static inline size_t oak_c_size(size_t result) {
  oak_c_locale_leave();
  return result;
}

/* A macro is not expanded again within itself, so each name below is the function of libc there.
 * Functions that are not listed are those that tools/lint.sh refuses. */
#define OAK_C_INT(call) (oak_c_locale_enter(), oak_c_int(call))
#define OAK_C_REAL(call) (oak_c_locale_enter(), oak_c_real(call))

#define fprintf(...) OAK_C_INT(fprintf(__VA_ARGS__))
#define sprintf(...) OAK_C_INT(sprintf(__VA_ARGS__))
#define snprintf(...) OAK_C_INT(snprintf(__VA_ARGS__))
#define vfprintf(...) OAK_C_INT(vfprintf(__VA_ARGS__))
#define vsnprintf(...) OAK_C_INT(vsnprintf(__VA_ARGS__))
#define vasprintf(...) OAK_C_INT(vasprintf(__VA_ARGS__))

#define fscanf(...) OAK_C_INT(fscanf(__VA_ARGS__))
#define sscanf(...) OAK_C_INT(sscanf(__VA_ARGS__))
#define strtod(...) OAK_C_REAL(strtod(__VA_ARGS__))
#define atof(...) OAK_C_REAL(atof(__VA_ARGS__))

#undef isalnum
#undef isalpha
#undef ispunct
#undef isspace
#undef isupper
#undef tolower
#undef toupper
#define isalnum(...) OAK_C_INT(isalnum(__VA_ARGS__))
#define isalpha(...) OAK_C_INT(isalpha(__VA_ARGS__))
#define ispunct(...) OAK_C_INT(ispunct(__VA_ARGS__))
#define isspace(...) OAK_C_INT(isspace(__VA_ARGS__))
#define isupper(...) OAK_C_INT(isupper(__VA_ARGS__))
#define tolower(...) OAK_C_INT(tolower(__VA_ARGS__))
#define toupper(...) OAK_C_INT(toupper(__VA_ARGS__))
#define strcasecmp(...) OAK_C_INT(strcasecmp(__VA_ARGS__))
#define strncasecmp(...) OAK_C_INT(strncasecmp(__VA_ARGS__))
#define strftime(...) (oak_c_locale_enter(), oak_c_size(strftime(__VA_ARGS__)))
