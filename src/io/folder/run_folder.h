/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder that a run writes to: no other run uses it at the same time, and only files of oak are
 * replaced in it. Private. All functions are rank-local: rank 0 calls them. */
#pragma once

#include <sys/types.h>

#include "io/files/file_tools.h"
#include "io/files/output_folder.h"

/** The log of a run, and how it begins. */
#define OAK_LOG "oak.log"
#define OAK_LOG_HEAD "# Log of an oak run."

/** The use of an earlier run in the folder. */
typedef enum {
  OAK_FOLDER_NEW,       /**< there must be none */
  OAK_FOLDER_OVERWRITE, /**< remove it */
  OAK_FOLDER_CONTINUE,  /**< continue it */
  OAK_FOLDER_BRANCH     /**< there must be none: this run goes on from a checkpoint elsewhere */
} oak_folder_use_t;

typedef struct {
  const char *path;
  const oak_folder_kind_t *(*kind)(const char *name); /**< kind of a folder of a run */
  oak_folder_use_t how;
  char lock_path[PATH_MAX];
  int lock;     /**< open file with the lock; -1: the folder is not open */
  int unlocked; /**< the file system has no locks: nothing keeps a second run away */
  dev_t device; /**< device and inode: they tell the folder from another one of that name */
  ino_t inode;
} oak_run_folder_t;

/** Make the folder \a path, and lock it until oak_run_folder_close or the end of the process. The
 * string must stay in memory. Nothing in the folder is changed. \a kind: which folders the outputs
 * of such a name are.
 * \return OAK_ERR_FILE if it is in use by another run, if it holds a run that \a how does
 * not allow, or if a file that is not oak's has a name that is needed. The folder is closed then.
 */
oak_status_t oak_run_folder_open(oak_run_folder_t *folder, const char *path,
                                 const oak_folder_kind_t *(*kind)(const char *name),
                                 oak_folder_use_t how);

/** Fail if \a name, which is about to be replaced, is in the folder and is not of a run. */
oak_status_t oak_run_folder_claim(const oak_run_folder_t *folder, const char *name);

/** Fail if a regular file whose name matches \a pattern is in the folder and is not of a run. */
oak_status_t oak_run_folder_claim_all(const oak_run_folder_t *folder, const char *pattern);

/** Remove what runs have written to the folder. */
oak_status_t oak_run_folder_clear(const oak_run_folder_t *folder);

/** Fail if the folder is no longer there, or another one has its name. */
oak_status_t oak_run_folder_check(const oak_run_folder_t *folder);

/** The text of the comment "# WORD: ..." at the head of parameters.ini. The caller frees it; NULL:
 * there is none. */
char *oak_run_folder_note(const char *folder, const char *word);

void oak_run_folder_close(oak_run_folder_t *folder);
