/* SPDX-License-Identifier: GPL-2.0-or-later
 * From C sources to loaded kernels: what the files of src/build/ share, and what back ends call.
 * Private. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/process.h"
#include "oak/device.h"

/* ---- the device, as builds and back ends share it */

typedef struct oak_memory_use oak_memory_use_t;
/** Pieces of memory of the host, with their sizes. Start from {0}. */
typedef struct oak_host_block oak_host_block_t;
typedef struct {
  oak_host_block_t *block;
  int count;
} oak_host_memory_t;

enum { OAK_UNFOLLOWED = 300 }; /**< room for a reason why files could not be followed */

struct oak_device {
  const oak_device_ops_t *ops;
  MPI_Comm comm;
  MPI_Comm host; /**< the ranks of comm that share processors, memory and GPUs */
  int rank, host_rank, host_size;
  int host_cores;    /**< that ranks of this host may use, all together */
  MPI_Comm builders; /**< the ranks that share a cache: those of a host (or of a group that tests
                          treat as a host); rank 0 of them builds */
  MPI_Comm firsts;   /**< all ranks 0 of builders; MPI_COMM_NULL on the others */
  oak_device_options_t options; /**< the device owns the strings, which are never NULL */
  char *env_flags;              /**< $OAK_CFLAGS when the device was opened, "" if unset */
  oak_words_t user_flags;       /**< flags of options and $OAK_CFLAGS, word by word */
  int threads;
  oak_memory_use_t *memory_use;
  /** For kernels on the host: own memory, alone and shared with other ranks, and theirs. */
  oak_host_memory_t allocated, shared, attached;
  char *cache;  /**< folder where built kernels are looked up; NULL before the first build, on ranks
                   that never build, and if no such folder can be trusted */
  char *unkept; /**< why this run writes no kernels there, NULL if it does */
  char *own;    /**< folder for kernels of this run only, removed at close; NULL until needed */
  int unkept_told, unfollowed_told; /**< 1: the user was told */
  char unfollowed[OAK_UNFOLLOWED];  /**< why the last keys may miss a file that the binary depends
                                       on; such a binary serves this run only. "": they miss none */
  int found;      /**< 1: the hardware is there; a back end sets it even if its open then fails */
  int mpi_direct; /**< oak_device_mpi_direct() */
  int unshared; /**< 1: memory cannot be shared here, although the back end has functions for it */
  size_t flag_bytes;             /**< bytes of the page of flags */
  struct oak_compiler *compiler; /**< compiler of the back end, if it has one */
  int built, compiled; /**< files of kernels loaded so far; those that were not in the cache */
  void *data;          /**< data of the back end */
};

/* ---- source.c */

/** Text of the translation unit of \a source. */
oak_status_t oak_source_text(const oak_source_t *source, oak_buffer_t *text);
/** 1 if $OAK_KEEP asks to keep generated sources. */
int oak_build_keep(void);
/** Name of a source for messages and files. */
const char *oak_source_name(const oak_source_t *source);
/** Write and read a file of a build: a path and its ending. */
oak_status_t oak_build_write(const oak_buffer_t *text, const char *path, const char *ending);
oak_status_t oak_build_read(oak_buffer_t *text, const char *path, const char *ending);
/** Hash the content of a file; of one that cannot be read, nothing. */
void oak_file_hash(oak_hash_t *hash, const char *path);
/** Whether text that starts with a path is about oak's own kernels. */
int oak_source_is_own(const char *path);

/* ---- key.c */

/** Keys of a source on a device, and what it depends on. Start from {0}. */
typedef struct {
  char direct[33]; /**< hash of what oak knows without a compiler and without reading files */
  char files[33];  /**< hash of what oak knows without a compiler; "": it cannot follow all files */
  char built[33];  /**< hash of all that the binary depends on; part of the name of the entry */
  oak_words_t tool;    /**< programs, and folders where they may look for files */
  oak_words_t search;  /**< folders in which headers are looked for, in this order */
  oak_words_t file;    /**< sources and headers */
  oak_buffer_t state;  /**< state of all of these */
  oak_hash_t contents; /**< contents of the files */
  int lasts;           /**< 1: as long as the state is the same, so is `built` */
  int fresh;           /**< 1: a file is so new that it may have changed meanwhile */
} oak_keys_t;

oak_status_t oak_key_direct(oak_device_t *dev, const oak_source_t *source, char hex[33]);
/** \a why is unchanged, or says why oak cannot follow all files. */
oak_status_t oak_key_files(oak_device_t *dev, const oak_source_t *source, char hex[33],
                           char why[OAK_UNFOLLOWED]);
/** Ask the compiler for all but keys->direct. \a work: a path for files that it writes. Sources
 * that are not regular files are refused, since the compiler would hang on some of these. Not
 * collective. */
oak_status_t oak_key_ask(oak_device_t *dev, const oak_source_t *source, const char *work,
                         oak_keys_t *keys);
/** 1 if all is as it was when the compiler was asked. */
int oak_keys_hold(const oak_keys_t *keys);
/** 1 if a state is still the same. */
int oak_state_holds(const char *state);
/** Free all but keys->direct. */
void oak_keys_free(oak_keys_t *keys);

/* ---- includes.c */

/** 1 if a text may ask for files or for the time. */
int oak_text_varies(const char *text);
/** List the files that a source includes. \a user: flags of the user. \a why is unchanged, or says
 * why files may be missing. OAK_ERR_FILE: a file is not a regular one; a compiler might wait for it
 * or read it without end. */
oak_status_t oak_includes_list(const oak_source_t *source, const oak_words_t *user,
                               oak_words_t *files, char why[OAK_UNFOLLOWED]);

/* ---- cache.c: folders of built kernels, on one rank of a host. */

/** Find or make dev->cache. If this run cannot write there, dev->unkept says why. */
oak_status_t oak_cache_open(oak_device_t *dev);
/** The folder where this run writes kernels: the cache, or else one of its own. */
oak_status_t oak_cache_store(oak_device_t *dev, const char **folder);
/** A folder of this run only. */
oak_status_t oak_cache_private(oak_device_t *dev, const char **folder);
void oak_cache_close(oak_device_t *dev);

/* Built kernels in these folders. Loading a truncated object would crash, so size and
 * hash follow it in its entry: 32 bytes, which ELF readers ignore. Functions that return int give 0
 * or errno; EBADMSG: not a regular file, others may change it or its folder, or it is damaged. */

/** Path of the file of \a source in \a folder with the key \a hex. */
oak_status_t oak_entry_path(const oak_device_t *dev, const char *folder, const oak_source_t *source,
                            const char *hex, const char *ending, char **out);
/** Find a whole entry. \return 1 and its \a *path, to be freed; or 0. */
int oak_entry_find(const oak_device_t *dev, const oak_source_t *source, const char *hex,
                   char **path);
/** 1 if \a path is a whole entry, which is then marked as used now. An entry that is damaged, or
 * that other users may write, is removed. */
int oak_cache_check(const char *path);
/** Read a whole entry. Its \a *file stays open, so that exactly what was checked can be loaded. */
int oak_cache_take(const char *path, oak_buffer_t *entry, int *file);
/** Read the object of an entry and mark it as used now, or write one. */
int oak_cache_get(const char *path, oak_buffer_t *object);
int oak_cache_put(const char *path, oak_buffer_t *object);
/** Append a file of the cache, or write one, which appears whole or not at all. */
int oak_cache_read(const char *path, oak_buffer_t *text);
int oak_cache_write(const char *path, const oak_buffer_t *text);
/** Remove entries that were not used for a long time, and files that killed runs have left. */
void oak_cache_sweep(const oak_device_t *dev);

/* ---- compiler.c: a C compiler on the command line. */

typedef struct oak_compiler {
  /** Add the first part of a command, up to the defines, which does not depend on the source.
   * \a asked: the compiler has said which flags it takes; it is asked if need be. */
  oak_status_t (*begin)(oak_device_t *dev, int asked, oak_words_t *command);
  oak_words_t command; /**< program, by full path, and words that always follow it */
  oak_words_t flags;   /**< wanted flags that the compiler accepts */
  char *version;       /**< first line of --version; NULL before oak_compiler_probe() */
  oak_hash_t target;   /**< the macros that it predefines with these flags; they name the processor
                          that -march=native stands for, and its instructions */
  oak_hash_t tools;    /**< the program itself, linker and assembler */
  int followed;        /**< 1: tool and search are complete */
  oak_words_t tool;    /**< programs and folders on which it depends */
  oak_words_t search;  /**< folders in which it looks for headers, also those that do not exist */
  char *noted;         /**< version according to the cache, if it was not asked */
} oak_compiler_t;

/** Find a compiler: \a choice, else $\a variable, else the first of \a names (blank-separated) on
 * PATH. Starts nothing. */
oak_status_t oak_compiler_find(oak_compiler_t *compiler, const char *choice, const char *variable,
                               const char *names);
/** Ask for the version, and which of the \a wanted flags it takes. \a user: flags of the user.
 * Cheap when asked again. */
oak_status_t oak_compiler_probe(oak_compiler_t *compiler, const oak_words_t *wanted,
                                const oak_words_t *user);
/** With $OAK_KEEP: add a command and what it said to the file \a path.log. */
void oak_compiler_log(const oak_job_t *job, const char *path);
/** Add the files that a compiler or an assembler has listed, as a rule for make, in a file with
 * this path and ending. */
oak_status_t oak_rule_read(const char *path, const char *ending, oak_words_t *files);
/** Add a word unless it is there. */
void oak_add_once(oak_words_t *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Add to \a quote what a compiler printed: from the first error on, a few lines, each short enough
 * for a message. \a where: the file that it was to write. */
void oak_compiler_quote(oak_buffer_t *quote, const char *output, const char *where);
void oak_compiler_free(oak_compiler_t *compiler);
/** Nothing in the cache fits, and nothing can be compiled, as the last message says. \a target: for
 * what the kernels would be, "" or a text with a blank in front. */
oak_status_t oak_no_compiler(const oak_device_t *dev, const oak_source_t *source,
                             const char *target);

/* ---- flags.c: the flags that the user gives to the compiler of kernels. */

/** Refuse constants that oak itself defines, and files of flags. \a origin: for messages. */
oak_status_t oak_flags_check(const char *flags, const char *origin);
/** The operand of \a flag if words[*i] is that flag, else NULL. The operand is the rest of this
 * word, or the next word; in that case \a *i moves to the next word. */
const char *oak_flag_operand(const oak_words_t *words, int *i, const char *flag);
/** Add words[*i] to the \a options of a run-time compiler, if all of these know such a flag.
 * \return 0 if not. */
int oak_flag_for_gpu(const oak_words_t *words, int *i, oak_words_t *options);
/** \a why: with which flag a kernel may depend on files that no list names; unchanged if with none.
 */
void oak_flags_follow(const oak_words_t *words, char why[OAK_UNFOLLOWED]);

/* Commands for a source. \a head: the begin of the command; the user's flags follow. */

oak_status_t oak_object_build(oak_device_t *dev, const oak_source_t *source, const char *path,
                              const oak_words_t *head);
/** Members of oak_device_ops_t: write what the compiler sees of \a source to the file \a path.i;
 * hash the version of the compiler, the command with the user's flags and the environment of the
 * compiler. */
oak_status_t oak_object_preprocess(oak_device_t *dev, const oak_source_t *source, const char *path);
oak_status_t oak_object_fingerprint(oak_device_t *dev, int compiler, oak_hash_t *hash);

/* ---- units.c */

/** Compile \a source to \a path as oak_object_build does, but its files apart, side by side. \a
 * path.i has what the compiler sees of the source. \a *built: 0 if it has to be compiled in one
 * piece. */
oak_status_t oak_units_build(oak_device_t *dev, const oak_source_t *source, const char *path,
                             const oak_words_t *head, int *built);
