/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder that a run writes to: its lock, and what earlier runs have left in it.
 *
 * The lock is one of the operating system (flock). It ends with the process, however the process
 * ends; over NFS it holds on all hosts. The file of the lock names the process that has it, and is
 * removed at the end. */
#include "run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/checkpoint/checkpoint.h"
#include "file_list.h"

enum { LONGEST_FOLDER = 3000 }; /* names in it fit into PATH_MAX and into buffers of output.c */

/* ---- the lock ------------------------------------------------------------------------------- */

static oak_status_t in_use(const oak_run_folder_t *folder) {
  char text[128] = "", host[65], who[128] = "";
  long process;
  if (pread(folder->lock, text, sizeof text - 1, 0) > 0 &&
      sscanf(text, "process %ld on %64[A-Za-z0-9._-]", &process, host) == 2)
    snprintf(who, sizeof who, ", process %ld on %s", process, host);
  return OAK_FAIL(
      OAK_ERR_FILE,
      "output.folder = %s is in use by another run%s: wait until it has ended or choose "
      "another folder",
      folder->path, who);
}

/** Is the open file \a fd the one of that name? */
static int has_name(int fd, const char *path) {
  struct stat file, named;
  return fstat(fd, &file) == 0 && lstat(path, &named) == 0 && file.st_dev == named.st_dev &&
         file.st_ino == named.st_ino;
}

static oak_status_t lock(oak_run_folder_t *folder) {
  for (;;) {
    folder->lock =
        open(folder->lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (folder->lock < 0)
      return oak_file_failed("create", folder->lock_path, errno == ENOENT ? EPERM : errno);
    if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) {
        folder->unlocked = 1;
        return OAK_OK;
      }
      const oak_status_t st = in_use(folder);
      close(folder->lock);
      folder->lock = -1;
      return st;
    }
    if (has_name(folder->lock, folder->lock_path)) break;
    close(folder->lock); /* this file is of a run that has just ended and removed it */
  }
  char host[65] = "", text[128];
  gethostname(host, sizeof host - 1);
  snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host);
  /* Other runs only quote this text in a message, so a failure to write it does not matter. */
  if (ftruncate(folder->lock, 0) == 0) (void)!write(folder->lock, text, strlen(text));
  return OAK_OK;
}

/* ---- what earlier runs have left ------------------------------------------------------------ */

typedef enum {
  ENTRY_OTHER,   /**< no concern of ours */
  ENTRY_FILE,    /**< a file of an earlier run */
  ENTRY_FOLDER,  /**< an output that is a folder, or what is there of one */
  ENTRY_UNKNOWN, /**< has a name that runs give, and is not in the list of files */
  ENTRY_STRANGER /**< has a name that we need, and is not of a run */
} entry_t;

/** Does \a name consist of "plt" (or "invalid", for the state after a failed step) and at least six
 * digits? */
static int is_plot_name(const char *name) {
  const size_t stem = !strncmp(name, "plt", 3) ? 3 : !strncmp(name, "invalid", 7) ? 7 : 0;
  const size_t digits = strspn(name + stem, "0123456789");
  return stem && digits >= 6 && !name[stem + digits];
}

/** Files that are known by their first characters. */
static const struct {
  const char *name, *words;
} texts[] = {{"parameters.ini", "# All parameters of an oak run."},
             {"diagnostics.csv", "step,time,dt,blocks,cells"},
             {"plotfiles.visit", "/Header\n"},
             {OAK_LOG, OAK_LOG_HEAD},
             {OAK_FILE_LIST, OAK_FILE_LIST_HEAD}};
enum { TEXTS = sizeof texts / sizeof *texts };

static entry_t judge(const oak_file_list_t *list, const char *path, const char *name) {
  struct stat info;
  if (lstat(path, &info) != 0) return ENTRY_OTHER;
  const int file = S_ISREG(info.st_mode), folder = S_ISDIR(info.st_mode);
  for (size_t i = 0; i < TEXTS; i++)
    if (!strcmp(name, texts[i].name))
      /* A full disk leaves empty files; there is nothing in them to lose. */
      return file && (!info.st_size ||
                      oak_file_has_mark(path, texts[i].words, strlen(texts[i].words)))
                 ? ENTRY_FILE
                 : ENTRY_STRANGER;
  if (oak_checkpoint_is_name(name)) return oak_checkpoint_is_one(path) ? ENTRY_FILE : ENTRY_OTHER;
  if ((file || folder) && (oak_path_ends(name, OAK_PART) || oak_file_list_has(list, path, name)))
    return file ? ENTRY_FILE : ENTRY_FOLDER;
  if (!strcmp(name, "physics.oak-copy.c") || !strcmp(name, "problem.oak-copy.c"))
    return oak_file_list_has_name(list, name) ? ENTRY_STRANGER : ENTRY_UNKNOWN;
  return folder && is_plot_name(name) ? ENTRY_UNKNOWN : ENTRY_OTHER;
}

/** Call \a act for each entry that belongs to a run or has a name that runs give, in the order of
 * names, until one call fails. */
static oak_status_t for_entries(const char *folder,
                                oak_status_t (*act)(void *context, const char *path,
                                                    const char *name, entry_t kind),
                                void *context) {
  struct dirent **entry;
  oak_file_list_t list;
  const int n = scandir(folder, &entry, NULL, alphasort);
  if (n < 0) return oak_file_failed("read folder", folder, errno);
  oak_status_t st = oak_file_list_read(folder, &list);
  for (int i = 0; i < n; i++) {
    char path[PATH_MAX];
    if (st == OAK_OK) st = oak_path_print(path, "%s/%s", folder, entry[i]->d_name);
    const entry_t kind = st == OAK_OK ? judge(&list, path, entry[i]->d_name) : ENTRY_OTHER;
    if (kind != ENTRY_OTHER) st = act(context, path, entry[i]->d_name, kind);
    free(entry[i]);
  }
  free(entry);
  oak_file_list_free(&list);
  return st;
}

static oak_status_t refuse(const char *path) {
  return OAK_FAIL(OAK_ERR_FILE,
                  "output.folder: %s was not written by oak, or has changed since, and the run "
                  "would replace it: move it away or choose another folder",
                  path);
}

typedef struct {
  const oak_run_folder_t *folder;
  int count;
  char names[256]; /**< of the first ones */
} found_t;

static oak_status_t find(void *context, const char *path, const char *name, entry_t kind) {
  found_t *found = context;
  if (kind == ENTRY_STRANGER ||
      (kind == ENTRY_UNKNOWN && found->folder->how == OAK_FOLDER_OVERWRITE))
    return refuse(path);
  const size_t used = strlen(found->names);
  if (found->count++ < 3)
    snprintf(found->names + used, sizeof found->names - used, "%s%.80s", used ? ", " : "", name);
  if (found->folder->how != OAK_FOLDER_OVERWRITE) return OAK_OK;
  return kind == ENTRY_FOLDER ? oak_folder_check(found->folder->kind(name), path) : OAK_OK;
}

static oak_status_t remove_entry(void *context, const char *path, const char *name, entry_t kind) {
  const oak_run_folder_t *folder = context;
  if (!strcmp(name, OAK_FILE_LIST)) return OAK_OK;
  if (kind == ENTRY_FOLDER) return oak_folder_remove(folder->kind(name), path);
  if (kind == ENTRY_FILE && unlink(path) != 0) return oak_file_failed("remove", path, errno);
  return OAK_OK;
}

/* ---- the folder ----------------------------------------------------------------------------- */

static oak_status_t open_folder(oak_run_folder_t *folder) {
  struct stat info;
  found_t found = {.folder = folder};
  OAK_TRY(oak_make_parents(folder->lock_path));
  if (stat(folder->path, &info) != 0) return oak_file_failed("use as folder", folder->path, errno);
  folder->device = info.st_dev;
  folder->inode = info.st_ino;
  OAK_TRY(lock(folder));
  OAK_TRY(for_entries(folder->path, find, &found));
  OAK_CHECK(found.count == 0 || folder->how != OAK_FOLDER_BRANCH, OAK_ERR_FILE,
            "output.folder = %s holds a %srun (%s%s) of which this is not the last checkpoint: "
            "choose a new folder",
            folder->path, oak_file_list_ended(folder->path) < 0 ? "" : "finished ", found.names,
            found.count > 3 ? ", ..." : "");
  OAK_CHECK(found.count == 0 || folder->how != OAK_FOLDER_NEW, OAK_ERR_FILE,
            "output.folder = %s holds a run already (%s%s): choose another folder, or replace that "
            "run with --overwrite",
            folder->path, found.names, found.count > 3 ? ", ..." : "");
  return OAK_OK;
}

oak_status_t oak_run_folder_open(oak_run_folder_t *folder, const char *path,
                                 const oak_folder_kind_t *(*kind)(const char *name),
                                 oak_folder_use_t how) {
  *folder = (oak_run_folder_t){.path = path, .kind = kind, .lock = -1, .how = how};
  OAK_CHECK(*path, OAK_ERR_INPUT,
            "output.folder is empty: name a folder, such as . for the current one");
  OAK_CHECK(strlen(path) <= LONGEST_FOLDER, OAK_ERR_INPUT,
            "output.folder has %zu characters: choose a name of at most %d", strlen(path),
            LONGEST_FOLDER);
  OAK_TRY(oak_path_print(folder->lock_path, "%s/.oak-lock", path));
  const oak_status_t st = open_folder(folder);
  if (st != OAK_OK) oak_run_folder_close(folder);
  return st;
}

/** Refuse a file that is the user's. A run that goes on trusts names: it may have been killed
 * before its last file was listed. \a regular: a link is replaced, and what it points to stays. */
static oak_status_t claim_one(const oak_run_folder_t *folder, const oak_file_list_t *list,
                              const char *name, int regular) {
  struct stat info;
  char path[PATH_MAX];
  OAK_TRY(oak_path_print(path, "%s/%s", folder->path, name));
  if (lstat(path, &info) != 0 || (regular && !S_ISREG(info.st_mode))) return OAK_OK;
  if (judge(list, path, name) != ENTRY_OTHER) return OAK_OK;
  if (folder->how == OAK_FOLDER_CONTINUE && oak_file_list_has_name(list, name)) return OAK_OK;
  return refuse(path);
}

oak_status_t oak_run_folder_claim(const oak_run_folder_t *folder, const char *name) {
  oak_file_list_t list;
  oak_status_t st = oak_file_list_read(folder->path, &list);
  if (st == OAK_OK) st = claim_one(folder, &list, name, 0);
  oak_file_list_free(&list);
  return st;
}

oak_status_t oak_run_folder_claim_all(const oak_run_folder_t *folder, const char *pattern) {
  oak_file_list_t list;
  if (folder->how == OAK_FOLDER_CONTINUE) return OAK_OK;
  DIR *dir = opendir(folder->path);
  if (!dir) return oak_file_failed("read folder", folder->path, errno);
  oak_status_t st = oak_file_list_read(folder->path, &list);
  for (struct dirent *entry; st == OAK_OK && (entry = readdir(dir));)
    if (fnmatch(pattern, entry->d_name, 0) == 0) st = claim_one(folder, &list, entry->d_name, 1);
  oak_file_list_free(&list);
  closedir(dir);
  return st;
}

oak_status_t oak_run_folder_clear(const oak_run_folder_t *folder) {
  char list[PATH_MAX]; /* is removed last, as it says what to remove */
  OAK_TRY(for_entries(folder->path, remove_entry, (void *)folder));
  OAK_TRY(oak_path_print(list, "%s/" OAK_FILE_LIST, folder->path));
  const int failed = unlink(list) != 0 && errno != ENOENT;
  return failed ? oak_file_failed("remove", list, errno) : OAK_OK;
}

oak_status_t oak_run_folder_check(const oak_run_folder_t *folder) {
  struct stat info;
  const int there = stat(folder->path, &info) == 0;
  OAK_CHECK(
      there && info.st_dev == folder->device && info.st_ino == folder->inode, OAK_ERR_FILE,
      "output.folder = %s was removed or renamed during the run: what was written is no longer "
      "there; start the run again",
      folder->path);
  return OAK_OK;
}

void oak_run_folder_close(oak_run_folder_t *folder) {
  if (folder->lock >= 0 && has_name(folder->lock, folder->lock_path)) unlink(folder->lock_path);
  if (folder->lock >= 0) close(folder->lock);
  *folder = (oak_run_folder_t){.lock = -1};
}

char *oak_run_folder_note(const char *folder, const char *word) {
  char path[LONGEST_FOLDER + 64], line[2 * PATH_MAX], *note = NULL;
  const size_t length = strlen(word);
  snprintf(path, sizeof path, "%s/parameters.ini", folder);
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
  while (in && !note && fgets(line, sizeof line, in) && *line == '#')
    if (!strncmp(line + 2, word, length) && !strncmp(line + 2 + length, ": ", 2))
      note = strndup(line + length + 4, strcspn(line + length + 4, "\n"));
  if (in) fclose(in);
  return note;
}
