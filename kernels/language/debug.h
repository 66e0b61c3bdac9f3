/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hooks in the debug mode (run.debug, CPUs only): each hook of the user is wrapped in a function
 * that gives it copies of its arrays, of exactly their size, and checks its results. The compiler
 * adds checks of indices, which call the functions at the end of this file. The first fault ends
 * the run with a message. This file is included before the physics. */
#pragma once

#include <stdarg.h>

#include "kernels/language/hooks.h"

/* stdio.h and unistd.h are not included, because they declare names that the user may want to use.
 */
extern int oak_debug_flush(void *) __asm__("fflush");
extern long oak_debug_write(int, const void *, unsigned long) __asm__("write");
extern void oak_debug_exit(int) __asm__("_exit");

/* The hook that a thread is calling, and its place. */
static _Thread_local struct {
  const char *hook, *file;
  int line;
  const oak_at_t *at;
} oak_debug_now;

/* End the run with a message about the hook that runs. */
__attribute__((noinline, cold, format(printf, 3, 4))) static void oak_debug_stop(const char *file,
                                                                                 int line,
                                                                                 const char *format,
                                                                                 ...) {
  static int stopped;
  char text[1024], place[256] = "";
  const oak_at_t *at = oak_debug_now.at;
  va_list args;
  va_start(args, format);
  __builtin_vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (at)
    __builtin_snprintf(place, sizeof place,
                       " in the cell at (%.6g, %.6g, %.6g), level %d, step %ld, time %.6g",
                       at->x[0], at->x[1], at->x[2], at->level, at->step, at->t);
  char message[2048];
  const int length = __builtin_snprintf(
      message, sizeof message,
      "oak: error: %s:%d: %s%s%s%s: correct this line or the values that it reads\n", file, line,
      oak_debug_now.hook ? oak_debug_now.hook : "", oak_debug_now.hook ? " " : "", text, place);
  if (__atomic_exchange_n(&stopped, 1, __ATOMIC_SEQ_CST)) /* another thread prints its message */
    for (;;) oak_debug_flush(0);
  oak_debug_flush(0);
  (void)!oak_debug_write(2, message, (unsigned long)length);
  oak_debug_exit(1);
}

/* ---- values */

/* Numbers of a state: functions of the physics, whose place is 0, know its variables alone. */
#define OAK_DEBUG_SIZE(place) \
  _Generic((place), int : PHYSICS_NVAR, default : PHYSICS_NVAR + NSCALARS + NSOLID)

static inline int oak_debug_finite(double x) { return x - x == 0; }

/* Describe the numbers that a hook got. */
static inline void oak_debug_list(char *text, int size, const double *x, int count) {
  int at = 0;
  text[0] = 0;
  for (int n = 0; n < count && at < size - 32; n++)
    at += __builtin_snprintf(text + at, (unsigned long)(size - at), "%s%.6g", n ? ", " : "", x[n]);
}

/* End the run if a number of the result `what` is not finite, although all numbers that the hook
 * got are finite. */
__attribute__((noinline)) static void oak_debug_result(const char *what, const double *x, int count,
                                                       const double *given, int ngiven) {
  char list[512];
  for (int n = 0; n < ngiven; n++)
    if (!oak_debug_finite(given[n])) return;
  for (int n = 0; n < count; n++) {
    if (oak_debug_finite(x[n])) continue;
    oak_debug_list(list, sizeof list, given, ngiven);
    if (count > 1)
      oak_debug_stop(oak_debug_now.file, oak_debug_now.line, "gives %s[%d] = %g from {%s}", what, n,
                     x[n], list);
    else
      oak_debug_stop(oak_debug_now.file, oak_debug_now.line, "gives %g from {%s}", x[n], list);
  }
}

__attribute__((noinline)) static void oak_debug_number(double x, const double *given, int count) {
  char list[512];
  for (int n = 0; n < count; n++)
    if (!oak_debug_finite(given[n])) return;
  oak_debug_list(list, sizeof list, given, count);
  oak_debug_stop(oak_debug_now.file, oak_debug_now.line, "gives %g from {%s}", x, list);
}

/* ---- wrappers */

#define OAK_ENTER(name, place)                        \
  const char *const oak_hook = oak_debug_now.hook;    \
  const oak_at_t *const oak_outer = oak_debug_now.at; \
  oak_debug_now.hook = name;                          \
  oak_debug_now.file = __FILE__;                      \
  oak_debug_now.line = __LINE__;                      \
  oak_debug_now.at = place
#define OAK_LEAVE                \
  oak_debug_now.hook = oak_hook; \
  oak_debug_now.at = oak_outer
/* Copy an array, convert the copy to numbers for messages, and copy it back to the caller. */
#define OAK_COPY(type, array)  \
  type array##_copy[oak_size]; \
  for (int oak_v = 0; oak_v < oak_size; oak_v++) array##_copy[oak_v] = (array)[oak_v]
#define OAK_NUMBERS(array, name) \
  double name[oak_size];         \
  for (int oak_v = 0; oak_v < oak_size; oak_v++) name[oak_v] = (double)array##_copy[oak_v]
#define OAK_BACK(array) \
  for (int oak_v = 0; oak_v < oak_size; oak_v++) (array)[oak_v] = array##_copy[oak_v]
#define OAK_BODY(name) OAK_PASTE(OAK_OWNED(name), _body)
#undef OAK_IN_PLACE
#undef OAK_TO_ARRAY
#undef OAK_TO_NUMBER
#undef OAK_OF_PLACE
/* Wrapper of a function that fills the array `out`, given the numbers of `in`. copies: the arrays
 * that it may change. */
#define OAK_FILLS(name, text, place, copies, in, out, parameters, arguments) \
  OAK_FN void OAK_BODY(name) parameters;                                     \
  OAK_HOOK(void, name) parameters {                                          \
    enum { oak_size = OAK_DEBUG_SIZE(place) };                               \
    OAK_ENTER(text, place);                                                  \
    copies;                                                                  \
    OAK_NUMBERS(in, oak_given);                                              \
    OAK_BODY(name) arguments;                                                \
    OAK_NUMBERS(out, oak_got);                                               \
    oak_debug_result(#out, oak_got, oak_size, oak_given, oak_size);          \
    OAK_BACK(out);                                                           \
    OAK_LEAVE;                                                               \
  }                                                                          \
  OAK_FN void OAK_BODY(name) parameters
/* Wrappers of a function that changes an array in place, and of one that fills an array from a
 * state. */
#define OAK_IN_PLACE(name, text, place, type, array, parameters, arguments) \
  OAK_FILLS(name, text, place, OAK_COPY(type, array), array, array, parameters, arguments)
#define OAK_TO_ARRAY(name, text, place, q, out, parameters, arguments) \
  OAK_FILLS(name, text, place, OAK_COPY(real, q);                      \
            OAK_COPY(real, out), q, out, parameters, arguments)
/* Wrapper of a function of a state that returns a number. */
#define OAK_TO_NUMBER(name, text, at, q, wrong, parameters, arguments)            \
  OAK_FN double OAK_BODY(name) parameters;                                        \
  OAK_HOOK(double, name) parameters {                                             \
    enum { oak_size = OAK_DEBUG_SIZE(at) };                                       \
    OAK_ENTER(text, at);                                                          \
    OAK_COPY(real, q);                                                            \
    OAK_NUMBERS(q, oak_given);                                                    \
    const double oak_x = OAK_BODY(name) arguments, oak_bad = (wrong) ? NAN : 0;   \
    if (!oak_debug_finite(oak_bad)) oak_debug_number(oak_x, oak_given, oak_size); \
    OAK_LEAVE;                                                                    \
    return oak_x;                                                                 \
  }                                                                               \
  OAK_FN double OAK_BODY(name) parameters
/* Wrapper of a function of the place. */
#define OAK_OF_PLACE(type, name, text, place, at, wrong, parameters, arguments) \
  OAK_FN type OAK_BODY(name) parameters;                                        \
  OAK_HOOK(type, name) parameters {                                             \
    OAK_ENTER(text, place);                                                     \
    const type oak_x = OAK_BODY(name) arguments;                                \
    if (wrong) oak_debug_number((double)oak_x, (at)->x, 3);                     \
    OAK_LEAVE;                                                                  \
    return oak_x;                                                               \
  }                                                                             \
  OAK_FN type OAK_BODY(name) parameters

/* ---- functions that the compiler's checks call */

typedef struct {
  const char *file;
  unsigned line, column;
} oak_debug_place_t;

/* Report a fault in a hook; faults in oak's own kernels are not reported. */
__attribute__((visibility("default"))) void __ubsan_handle_out_of_bounds(void *data, void *index) {
  const oak_debug_place_t *place = data;
  if (oak_debug_now.hook)
    oak_debug_stop(place->file, (int)place->line, "uses the index %ld, which is beyond the array",
                   (long)index);
}

__attribute__((visibility("default"))) void __ubsan_handle_type_mismatch_v1(void *data,
                                                                            void *address) {
  const oak_debug_place_t *place = data;
  (void)address;
  if (oak_debug_now.hook)
    oak_debug_stop(place->file, (int)place->line, "reads or writes beyond the end of an array");
}

/* Check the offset of oak_near: the cell must be in the block or in the ghost layers beyond one
 * face. */
__attribute__((noinline)) static void oak_debug_offset(const oak_at_t *at, int v, int count, int i,
                                                       int j, int k) {
  const int x[3] = {at->cell[0] + i, at->cell[1] + j, at->cell[2] + k};
  const int size[3] = {OAK_NX, OAK_NY, OAK_NZ};
  int out = 0, far = 0;
  for (int d = 0; d < 3; d++) {
    out += x[d] < 0 || x[d] >= size[d];
    far |= x[d] < -OAK_NG || x[d] >= size[d] + OAK_NG || (d >= OAK_DIM && x[d] != 0);
  }
  if (far || out > 1)
    oak_debug_stop(oak_debug_now.file, oak_debug_now.line,
                   "calls oak_near with the offset (%d, %d, %d), which leads %s", i, j, k,
                   far ? "beyond the ghost layers (scheme.ghost_layers)"
                       : "out of the block across an edge, where there are no ghost cells");
  if (v < 0 || v >= count)
    oak_debug_stop(oak_debug_now.file, oak_debug_now.line, "calls oak_near for variable %d, of %d",
                   v, count);
}
