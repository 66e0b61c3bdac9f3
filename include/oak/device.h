/* SPDX-License-Identifier: GPL-2.0-or-later
 * Devices: memory, run-time kernel builds and launches, for authors of device back ends and of
 * programs with kernels of their own. A back end is one file in src/device/ that fills
 * oak_device_ops_t; it contains no physics and no mesh logic. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oak/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oak_device oak_device_t;
typedef struct oak_module oak_module_t;       /**< a built translation unit */
typedef struct oak_kernel oak_kernel_t;       /**< one entry point of a module */
typedef struct oak_recording oak_recording_t; /**< launches that run as a whole */
typedef struct oak_hash oak_hash_t;
typedef struct oak_hold oak_hold_t; /**< a use of memory beside the device */

/** The source of a module: a translation unit that includes \a file[0..nfile) in order after the
 * dialect header oak/kernel.h and \a text, with -D \a define[0..ndefine). The files have absolute
 * paths; their includes are searched in include/ and the source root of the installation. */
typedef struct {
  const char *name; /**< short name for messages and file names in the cache, e.g. "flux" */
  const char *const *define;
  int ndefine;
  const char *const *file;
  int nfile;
  const char *text; /**< C in front of the files, or NULL */
  /** NULL, or for each file the relative time that a compiler needs: the files do not need each
   * other, and a back end may compile them at the same time. */
  const int *time;
  int data;  /**< 1: only constants are read from the module, and its code never runs */
  int debug; /**< 1: let the compiler add checks of indices */
  int seen;  /**< 1: for oak_device_text */
} oak_source_t;

/** Settings of a device, from the [device] section. */
typedef struct {
  int threads; /**< CPU threads per rank; 0: $OMP_NUM_THREADS, else the rank's share of the cores */
  const char *compiler; /**< C compiler for kernels; "" : $OAK_CC, then cc, gcc, clang; of openacc:
                             docs/openacc.md */
  const char *flags;    /**< extra compiler flags */
} oak_device_options_t;

enum { OAK_DEVICE_MARKS = 128 };

/** Data with which another process of the host maps memory. */
typedef struct {
  char driver[64]; /**< handle of a GPU's driver */
  int64_t bytes;
  int pid, file; /**< on the host: a process and the number of its open file */
} oak_handle_t;

/** A message from or to another rank, in device memory. */
typedef struct {
  int rank;
  void *address;
  size_t bytes;
} oak_direct_message_t;

/** A back end. Its functions are rank-local, apart from direct_open, which is collective. open is
 * called on all ranks together, so it may be collective, too. */
typedef struct {
  const char *name;    /**< value of the key device.name */
  const char *summary; /**< one line for `oak info` */
  int host_memory;     /**< 1: device pointers may be used by the host and by MPI */
  int named_only;      /**< 1: "auto" never chooses it */
  /** Largest tile of the flux kernel: cells along x, and all cells of a tile. */
  int tile_width, tile_cells;
  oak_status_t (*open)(oak_device_t *dev, const oak_device_options_t *options);
  void (*close)(oak_device_t *dev);
  oak_status_t (*alloc)(oak_device_t *dev, size_t bytes, void **out);
  void (*free)(oak_device_t *dev, void *ptr);
  /** Copies; NULL where the host's memcpy does it. */
  oak_status_t (*upload)(oak_device_t *dev, void *dst, const void *host, size_t bytes);
  oak_status_t (*download)(oak_device_t *dev, void *host, const void *src, size_t bytes);
  /** 1 if there is a compiler; without one only kernels in the cache can be used. NULL: always 1.
   */
  int (*has_compiler)(oak_device_t *dev);
  /** Write the source as its compiler reads it, with all included files, to the file \a path.i.
   * Called on one rank alone. NULL: oak includes the files itself. */
  oak_status_t (*preprocess)(oak_device_t *dev, const oak_source_t *source, const char *path);
  /** Compile to the file \a path; on one rank alone (see oak_device_build). */
  oak_status_t (*build)(oak_device_t *dev, const oak_source_t *source, const char *path);
  oak_status_t (*load)(oak_device_t *dev, const char *path, oak_module_t **out);
  /** Load a source with data = 1 without running code. NULL: load runs no code either. */
  oak_status_t (*load_data)(oak_device_t *dev, const char *path, oak_module_t **out);
  void (*unload)(oak_device_t *dev, oak_module_t *module);
  oak_status_t (*kernel)(oak_device_t *dev, oak_module_t *module, const char *name,
                         oak_kernel_t **out);
  oak_status_t (*constant)(oak_device_t *dev, oak_module_t *module, const char *name, void *dst,
                           size_t bytes);
  /** The name of the variable `number` that code may write to, of a module from load_data: "sum",
   * "sum.0" or "function.sum"; NULL behind the last. The function is NULL if unknown. */
  const char *(*writable)(oak_module_t *module, int number);
  oak_status_t (*launch)(oak_device_t *dev, oak_kernel_t *kernel, long n, const void *args,
                         size_t bytes);
  /** NULL: a launch returns when the kernel has ended. */
  oak_status_t (*sync)(oak_device_t *dev);
  /** Launches between record and recorded do not run. They are recorded, with their arguments, and
   * each replay runs all of them. In between, nothing else may be done with the device. recorded is
   * called also if a launch failed. records: 1 if this works. All NULL if launches cannot be
   * recorded. */
  int (*records)(oak_device_t *dev);
  oak_status_t (*record)(oak_device_t *dev);
  oak_status_t (*recorded)(oak_device_t *dev, oak_recording_t **out);
  oak_status_t (*replay)(oak_device_t *dev, oak_recording_t *recording);
  void (*forget)(oak_device_t *dev, oak_recording_t *recording);
  /** Marks in the queue of a device's work, numbered 0 to OAK_DEVICE_MARKS - 1, and the seconds
   * between two of them; both NULL if a launch returns only after the kernel has ended. */
  void (*mark)(oak_device_t *dev, int number);
  double (*between)(oak_device_t *dev, int from, int to);
  /** Memory that other processes of the host can map; all NULL where there is none. */
  oak_status_t (*share)(oak_device_t *dev, size_t bytes, void **out, oak_handle_t *handle);
  void (*unshare)(oak_device_t *dev, void *ptr, oak_handle_t *handle);
  /** oak_device_hold; NULL if memory cannot be kept. */
  oak_status_t (*hold)(oak_device_t *dev, void *ptr, int where[2], oak_hold_t **hold);
  oak_status_t (*attach)(oak_device_t *dev, const oak_handle_t *handle, void **out);
  void (*detach)(oak_device_t *dev, void *ptr);
  /** Let the queue write flags in \a page, which is memory of the host, and wait for them. NULL if
   * launches return only after the kernel has ended: then the host writes the flags and waits. */
  oak_status_t (*know_flags)(oak_device_t *dev, void *page, size_t bytes);
  void (*forget_flags)(oak_device_t *dev, void *page);
  oak_status_t (*signal)(oak_device_t *dev, uint64_t *flag, uint64_t value);
  oak_status_t (*wait)(oak_device_t *dev, uint64_t *flag, uint64_t value);
  /** A second queue, for transfers while kernels run; all NULL if launches return only after the
   * kernel has ended. fork: later work in the second queue waits for the present work in the first
   * queue. join: later work in the first queue waits for the second one. */
  oak_status_t (*fork)(oak_device_t *dev);
  oak_status_t (*join)(oak_device_t *dev);
  oak_status_t (*settle)(oak_device_t *dev); /**< wait for the second queue */
  /** Copies in the second queue from and to memory of host_alloc. copied: 1 if copy \a number since
   * the last fork has ended, also if it has failed. */
  oak_status_t (*copy_out)(oak_device_t *dev, void *host, const void *src, size_t bytes,
                           int number);
  int (*copied)(oak_device_t *dev, int number);
  oak_status_t (*copy_in)(oak_device_t *dev, void *dst, const void *host, size_t bytes);
  oak_status_t (*host_alloc)(oak_device_t *dev, size_t bytes, void **out);
  void (*host_free)(oak_device_t *dev, void *ptr);
  /** Output while kernels run; all NULL if the device has none. keep: copy \a bytes to \a dst, both
   * on the device, in the first queue, so that later kernels may change \a src. fetch: copy kept
   * bytes to memory of host_alloc, in a third queue, and wait for them. A second thread may call
   * fetch while the first one works with the device. room: bytes of memory that are free. */
  oak_status_t (*keep)(oak_device_t *dev, void *dst, const void *src, size_t bytes);
  oak_status_t (*fetch)(oak_device_t *dev, void *host, const void *kept, size_t bytes);
  size_t (*room)(oak_device_t *dev);
  /** Messages between devices without the host; NULL where there are none. open is collective on
   * \a comm; exchange puts all messages in the second queue. */
  oak_status_t (*direct_probe)(oak_device_t *dev); /**< OAK_OK if such messages seem to be possible
                                                    */
  oak_status_t (*direct_open)(oak_device_t *dev, MPI_Comm comm);
  oak_status_t (*direct_exchange)(oak_device_t *dev, const oak_direct_message_t *send, int nsend,
                                  const oak_direct_message_t *recv, int nrecv);
  /** Numbers that a kernel writes to memory of the host, which then need not wait for later
   * kernels. answers: memory for \a n numbers, all -1, until the next download; NULL: too many. The
   * kernel writes others. answered: wait until it has. Both NULL: numbers are downloaded. */
  double *(*answers)(oak_device_t *dev, long n);
  oak_status_t (*answered)(oak_device_t *dev, long n);
  /** Whether a tile of few variables may have twice as many cells; NULL: it may not. */
  int (*wide_tiles)(oak_device_t *dev);
  /** Number of iterations of a kernel's OUTER loop that run at the same time; NULL: oak does not
   * need this number. */
  long (*slots)(oak_device_t *dev, oak_kernel_t *kernel);
  /** Joules that the device has used since some moment in the past; 0 on all but one of the ranks
   * that share the device, NaN if the device does not measure. NULL: never measures. */
  double (*energy)(oak_device_t *dev);
  /** One line about the device: processor, threads, compiler; for `oak info` and the run's head. */
  void (*describe)(oak_device_t *dev, char *text, size_t size);
  /** Hash everything outside the source that a binary depends on. \a compiler 0: only facts that
   * are known without a compiler, such as the processor and the flags of the user; -1: also the
   * compiler and the flags that oak takes, without asking the compiler. */
  oak_status_t (*fingerprint)(oak_device_t *dev, int compiler, oak_hash_t *hash);
} oak_device_ops_t;

/** Open a device by its name (cuda, cpu, hip, openacc), or with "auto" the best one that
 * works here: cuda, else cpu. Collective on \a comm; all ranks fail together. An unknown name is
 * refused with the list of known ones. */
OAK_API oak_status_t oak_device_open(MPI_Comm comm, const char *name,
                                     const oak_device_options_t *options, oak_device_t **out);
OAK_API void oak_device_close(oak_device_t **dev);
/** The i-th known back end, NULL past the end. */
OAK_API const oak_device_ops_t *oak_device_known(int i);

/** Facts about an open device. Not collective. */
OAK_API const oak_device_ops_t *oak_device_ops(const oak_device_t *dev);
OAK_API int oak_device_threads(const oak_device_t *dev);
/** Joules that the device has used since some moment in the past, for differences; 0 on all but one
 * of the ranks that share the device, NaN if it does not measure. Not collective. */
double oak_device_energy(oak_device_t *dev);
/** One line about the ways of this device's data to other ranks, for `oak info`. */
OAK_API void oak_device_transports(oak_device_t *dev, char *text, size_t size);
/** One line of advice if ranks of this rank's host have to wait for each other, because they are
 * more than the idle cores; else "". */
OAK_API void oak_device_advice(const oak_device_t *dev, char *text, size_t size);
/** 1 if processes of a host can share this device's memory. */
OAK_API int oak_device_shares(const oak_device_t *dev);
/** 1 if MPI may be given addresses of this device's memory. */
OAK_API int oak_device_mpi_direct(const oak_device_t *dev);

/** Memory, aligned to at least 64 bytes. OAK_ERR_MEMORY says how much was asked for. \a bytes 0
 * gives NULL. */
OAK_API oak_status_t oak_device_alloc(oak_device_t *dev, size_t bytes, void **out);
OAK_API void oak_device_free(oak_device_t *dev, void *ptr);
OAK_API oak_status_t oak_device_upload(oak_device_t *dev, void *dst, const void *host,
                                       size_t bytes);
OAK_API oak_status_t oak_device_download(oak_device_t *dev, void *host, const void *src,
                                         size_t bytes);

/** Allocate memory that other processes of this host can map, with the \a handle. Not collective.
 * OAK_ERR_MEMORY as for oak_device_alloc. Free it with oak_device_unshare when no process has it
 * mapped any more. */
OAK_API oak_status_t oak_device_share(oak_device_t *dev, size_t bytes, void **out,
                                      oak_handle_t *handle);
OAK_API void oak_device_unshare(oak_device_t *dev, void *ptr, oak_handle_t *handle);
/** Wait for all work of the device, and keep memory, as it was allocated or shared, until
 * oak_hold_free: also after it was freed, and after the device was closed. \a where: whose memory
 * it is and the number of the GPU, as in oak_view_t. Any thread may call oak_hold_free. Neither is
 * collective. */
OAK_API oak_status_t oak_device_hold(oak_device_t *dev, void *ptr, int where[2], oak_hold_t **hold);
OAK_API void oak_hold_free(oak_hold_t **hold);
/** Map shared memory of another process. OAK_ERR_DEVICE: this host does not allow it. */
OAK_API oak_status_t oak_device_attach(oak_device_t *dev, const oak_handle_t *handle, void **out);
OAK_API void oak_device_detach(oak_device_t *dev, void *ptr);

/** A page of numbers that processes of a host share, 0 at first. The devices' queues write these
 * numbers and wait for them. A number needs 16 bytes, of which oak uses the second 8 itself. There
 * is one page per device. For close, \a handle is the page's handle on the process that made it,
 * and NULL on the others. */
OAK_API oak_status_t oak_device_flags_new(oak_device_t *dev, size_t bytes, void **page,
                                          oak_handle_t *handle);
OAK_API oak_status_t oak_device_flags_attach(oak_device_t *dev, const oak_handle_t *handle,
                                             void **page);
OAK_API void oak_device_flags_close(oak_device_t *dev, void *page, oak_handle_t *handle);
/** Write a number, or wait until it is at least \a value, in the order of the device's work. */
OAK_API oak_status_t oak_device_signal(oak_device_t *dev, uint64_t *flag, uint64_t value);
OAK_API oak_status_t oak_device_wait(oak_device_t *dev, uint64_t *flag, uint64_t value);

/** Build \a source (or take it from the cache) and load it. Collective on the device's
 * communicator. The lowest rank of each host looks in the cache and compiles what this one lacks,
 * on the first host before the others. Then all ranks load it. A compile error fails on all ranks
 * with the compiler's first messages, which name the user's file and line. The cache is $OAK_CACHE,
 * $XDG_CACHE_HOME/oak or ~/.cache/oak. If this user may not write there, new kernels go to a
 * private temporary folder. If others may write to it or to a folder above it, it is not read
 * either. The key is a hash of what the compiler sees, the defines, and the device's fingerprint.
 */
OAK_API oak_status_t oak_device_build(oak_device_t *dev, const oak_source_t *source,
                                      oak_module_t **out);
/** The text of a source with `seen` = 1 after its preprocessor, with #define lines and lines that
 * say where a piece comes from; to be freed. It is kept in the cache as kernels are. The device
 * must have `preprocess`. Collective. */
OAK_API oak_status_t oak_device_text(oak_device_t *dev, const oak_source_t *source, char **text);
/** The number of builds of a device so far, and how many of them were compiled because they were
 * not in the cache. Not collective. */
OAK_API void oak_device_builds(const oak_device_t *dev, int *built, int *compiled);
OAK_API void oak_device_unload(oak_device_t *dev, oak_module_t **module);
OAK_API oak_status_t oak_device_kernel(oak_device_t *dev, oak_module_t *module, const char *name,
                                       oak_kernel_t **out);
/** Copy \a bytes of the module's constant \a name to the host. */
OAK_API oak_status_t oak_device_constant(oak_device_t *dev, oak_module_t *module, const char *name,
                                         void *dst, size_t bytes);

/** Run \a n iterations of the kernel's OUTER loop. \a args points to the kernel's argument
 * structure of \a bytes bytes, copied before the call returns. May return before the kernel ends;
 * kernels of one device run in order. */
OAK_API oak_status_t oak_device_launch(oak_device_t *dev, oak_kernel_t *kernel, long n,
                                       const void *args, size_t bytes);
OAK_API oak_status_t oak_device_sync(oak_device_t *dev);

/** Folder with include/, kernels/, numerics/, physics/, problems/ : $OAK_HOME, or the installation
 * this library or program belongs to, or the source tree it was built from. */
OAK_API oak_status_t oak_source_root(const char **out);
/** The folder of built kernels that the environment asks for, which the caller frees; NULL if there
 * is no home folder. Not collective. */
OAK_API oak_status_t oak_cache_folder(char **out);
/** Hash of the files of \a source and of what they include, as 32 hexadecimal digits, to see
 * whether they have changed. Not collective. */
OAK_API oak_status_t oak_source_hash(const oak_source_t *source, char hex[33]);

#ifdef __cplusplus
}
#endif
