/* SPDX-License-Identifier: GPL-2.0-or-later
 * Status codes, error messages and collective agreement on failure. */
#pragma once

/* C++ programs need no old C++ bindings of MPI, which would be a further library. */
#if !defined OMPI_SKIP_MPICXX && !defined MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OAK_API __attribute__((visibility("default")))

/** One table of codes and texts. Every function of oak returns one of these; results go out by
 * pointer. A failing function has recorded one line of explanation, see oak_last_error(). */
#define OAK_STATUS_TABLE(X)                         \
  X(OAK_OK, "success")                              \
  X(OAK_ERR_ARGUMENT, "invalid argument")           \
  X(OAK_ERR_INPUT, "invalid input")                 \
  X(OAK_ERR_FILE, "file error")                     \
  X(OAK_ERR_MEMORY, "out of memory")                \
  X(OAK_ERR_BUILD, "kernel build failed")           \
  X(OAK_ERR_DEVICE, "device error")                 \
  X(OAK_ERR_STATE, "invalid state of the solution") \
  X(OAK_ERR_UNSUPPORTED, "not supported")

typedef enum {
#define OAK_STATUS_ENUM(code, text) code,
  OAK_STATUS_TABLE(OAK_STATUS_ENUM)
#undef OAK_STATUS_ENUM
} oak_status_t;

/** Text of a status code. Not collective. */
OAK_API const char *oak_status_text(oak_status_t status);

/** The message of the last failure on this rank. "" if there was none, or if a function of a
 * simulation or a solver has succeeded since. Not collective. */
OAK_API const char *oak_last_error(void);

/** Record a failure: message from \a format. \return \a status, so that the caller can return it.
 * \a file and \a line are kept for debugging (shown when OAK_DEBUG is in the environment). */
OAK_API oak_status_t oak_fail(oak_status_t status, const char *file, int line, const char *format,
                              ...) __attribute__((format(printf, 4, 5)));

/** Let all ranks of \a comm agree on the outcome of rank-local work. Collective.
 * \return OAK_OK if \a status is OAK_OK on every rank; otherwise, on every rank, the status of
 * the lowest failing rank, whose message becomes oak_last_error() everywhere. One reduction when
 * all is well. */
OAK_API oak_status_t oak_agree(MPI_Comm comm, oak_status_t status);

#define OAK_FAIL(code, ...) oak_fail((code), __FILE__, __LINE__, __VA_ARGS__)

/** Return from the calling function if \a call fails. */
#define OAK_TRY(call)                                      \
  do {                                                     \
    oak_status_t oak_try_status_ = (call);                 \
    if (oak_try_status_ != OAK_OK) return oak_try_status_; \
  } while (0)

/** Fail with \a code and a message unless \a cond holds (for what callers, files or machines can
 * cause). */
#define OAK_CHECK(cond, code, ...)                     \
  do {                                                 \
    if (!(cond)) return OAK_FAIL((code), __VA_ARGS__); \
  } while (0)

/** Print the message of the last failure and end all ranks of \a comm. This is for failures after
 * which other ranks wait for this one and nothing else can tell them. Does not return. */
OAK_API void oak_end_all(MPI_Comm comm);

/** For mistakes of oak itself. Checked in debug builds only. Aborts the communicator. */
OAK_API void oak_assert_failed(const char *cond, const char *file, int line);
#ifdef NDEBUG
#define OAK_ASSERT(cond) ((void)0)
#else
#define OAK_ASSERT(cond) ((cond) ? (void)0 : oak_assert_failed(#cond, __FILE__, __LINE__))
#endif

#ifdef __cplusplus
}
#endif
