/* SPDX-License-Identifier: GPL-2.0-or-later
 * Status codes, the last error message and collective agreement on failure, for all of oak. */
#include "oak/status.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "await.h"
#include "failure.h"
#include "str.h"

enum { MESSAGE_SIZE = 16384 };

/* Each thread has its own message, because one writes files while another one runs the simulation.
 * Kernels need none, because they cannot fail. */
static _Thread_local char last_message[MESSAGE_SIZE];

const char *oak_status_text(oak_status_t status) {
  switch (status) {
#define STATUS_CASE(code, text) \
  case code:                    \
    return text;
    OAK_STATUS_TABLE(STATUS_CASE)
#undef STATUS_CASE
  }
  return "unknown status";
}

const char *oak_last_error(void) { return last_message; }

oak_status_t oak_fail(oak_status_t status, const char *file, int line, const char *format, ...) {
  /* The arguments may point into the last message, so this message is replaced only at the end. */
  char message[MESSAGE_SIZE];
  va_list args;
  va_start(args, format);
  int written = vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (written < 0) snprintf(message, sizeof message, "%s", oak_status_text(status));
  if (written >= MESSAGE_SIZE) memcpy(message + MESSAGE_SIZE - 4, "...", 4);
  /* Names and values may come from others. They must not send commands to the terminal that shows
   * the message. */
  for (char *c = message; *c; c++) {
    if (!oak_str_is_control(c)) continue;
    if ((unsigned char)*c == 0xc2) *c++ = '?'; /* U+0080 to U+009F have two bytes */
    *c = '?';
  }
  if (getenv("OAK_DEBUG")) oak_str_append(message, sizeof message, " (%s:%d)", file, line);
  memcpy(last_message, message, sizeof last_message);
  return status;
}

/* Refuse a function after MPI_Finalize. */
static oak_status_t need_mpi(const char *function) {
  int over;
  MPI_Finalized(&over);
  OAK_CHECK(!over, OAK_ERR_STATE, "%s: MPI has ended (MPI_Finalize), and oak needs it", function);
  return OAK_OK;
}

oak_status_t oak_begin(int is_there, const char *function) {
  OAK_CHECK(is_there, OAK_ERR_ARGUMENT, "%s: its first handle is NULL", function);
  OAK_TRY(need_mpi(function));
  last_message[0] = 0;
  return OAK_OK;
}

oak_status_t oak_no_memory(size_t count, size_t size, const char *file, int line) {
  if (count == 0) return OAK_OK;
  return oak_fail(OAK_ERR_MEMORY, file, line,
                  "no memory for %zu items of %zu bytes; use more ranks or hosts", count, size);
}

oak_status_t oak_close_text(FILE *stream, oak_status_t st) {
  const int failed = ferror(stream);
  if ((fclose(stream) != 0 || failed) && st == OAK_OK)
    return OAK_FAIL(OAK_ERR_MEMORY, "no memory for a text");
  return st;
}

oak_status_t oak_grow(void *array, size_t count, size_t size, const char *file, int line) {
  enum { FIRST = 16 };
  const size_t room = count == 0 ? FIRST : 2 * count;
  void *grown;
  if (count > 0 && (count < FIRST || (count & (count - 1)))) return OAK_OK; /* not full */
  memcpy(&grown, array, sizeof grown);
  grown = realloc(grown, room * size);
  if (!grown) return oak_no_memory(room, size, file, line);
  memcpy(array, &grown, sizeof grown);
  return OAK_OK;
}

oak_status_t oak_agree(MPI_Comm comm, oak_status_t status) {
  int rank, failing;
  OAK_TRY(need_mpi(__func__));
  MPI_Comm_rank(comm, &rank);
  int mine = status == OAK_OK ? INT_MAX : rank;
  oak_await(comm);
  MPI_Allreduce(&mine, &failing, 1, MPI_INT, MPI_MIN, comm);
  if (failing == INT_MAX) return OAK_OK;

  int head[2] = {(int)status, (int)strlen(last_message)};
  MPI_Bcast(head, 2, MPI_INT, failing, comm);
  MPI_Bcast(last_message, head[1] + 1, MPI_CHAR, failing, comm);
  return (oak_status_t)head[0];
}

void oak_end_all(MPI_Comm comm) {
  fprintf(stderr, "oak: error: %s\n", last_message);
  fflush(stderr);
  MPI_Abort(comm, 1);
}

void oak_assert_failed(const char *cond, const char *file, int line) {
  fprintf(stderr, "oak: %s:%d: internal error: '%s' does not hold; please report this\n", file,
          line, cond);
  fflush(stderr);
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized && !finalized) MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}
