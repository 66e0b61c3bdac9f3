/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder that a run writes to: its lock, and what earlier runs have left in it.
 *
 * The lock is one of the operating system (flock). It ends with the process, however the process
 * ends; over NFS it holds on all hosts. The file of the lock names the process that has it, and is
 * removed at the end. */
#define _GNU_SOURCE 1
#include "run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/checkpoint/checkpoint.h"
#include "io/files/file_tools.h"
#include "io/files/flat_folder.h"
#include "mesh_file.h"
#include "io/plotfile/plotfile.h"
#include "io/xdmf/xdmf.h"

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
    if (folder->lock < 0) return oak_file_failed("create", folder->lock_path, errno);
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
  ENTRY_PLOT,    /**< a plotfile, or what is there of one */
  ENTRY_DATA,    /**< a folder with the data of an XDMF file */
  ENTRY_MESH,    /**< a folder with a file of the mesh */
  ENTRY_STRANGER /**< has a name that we need, and is not of a run */
} entry_t;

/** Are \a words among the first characters of the regular file \a path? */
static int begins_with(const char *path, const char *words, size_t length) {
  char text[256];
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, text, sizeof text);
  close(fd);
  return n > 0 && memmem(text, (size_t)n, words, length);
}

/** Does \a name begin with "plt" (or "invalid", for the state after a failed step) and at least six
 * digits? Only the ending of an unfinished output may follow. */
static int is_plot_name(const char *name) {
  const size_t stem = !strncmp(name, "plt", 3) ? 3 : !strncmp(name, "invalid", 7) ? 7 : 0;
  if (!stem) return 0;
  const size_t digits = strspn(name + stem, "0123456789");
  const char *end = name + stem + digits;
  return digits >= 6 && (!*end || !strcmp(end, OAK_PART) || !strcmp(end, OAK_OLD));
}

static int ends_in(const char *name, const char *end) {
  const size_t n = strlen(name), m = strlen(end);
  return n > m && !strcmp(name + n - m, end);
}

/** Names of the outputs of an earlier run, as the sections [output.NAME] of its parameters say. */
typedef struct {
  char (*name)[64];
  int count;
} outputs_t;

static const char parameters_head[] = "# All parameters of an oak run.";

/** Without such a file, or without memory, no outputs are known. */
static void find_outputs(const char *folder, outputs_t *outputs) {
  char *path = oak_text_new("%s/parameters.ini", folder), *line = NULL, name[64];
  size_t room = 0;
  *outputs = (outputs_t){NULL, 0};
  FILE *file =
      path && begins_with(path, parameters_head, strlen(parameters_head)) ? fopen(path, "r") : NULL;
  while (file && getline(&line, &room, file) > 0) {
    if (sscanf(line, "[output.%63[A-Za-z0-9_]]", name) != 1) continue;
    char(*grown)[64] = realloc(outputs->name, (size_t)(outputs->count + 1) * sizeof *grown);
    if (!grown) break;
    outputs->name = grown;
    memcpy(grown[outputs->count++], name, sizeof name);
  }
  if (file) fclose(file);
  free(line);
  free(path);
}

/** Is \a name one that such an output gives: NAME.csv and the like, or NAME_ and a step? */
static int is_output_name(const outputs_t *outputs, const char *name) {
  for (int i = 0; i < outputs->count; i++) {
    const size_t length = strlen(outputs->name[i]);
    if (strncmp(name, outputs->name[i], length) != 0) continue;
    if (name[length] == '.') return 1;
    if (name[length] == '_' && strspn(name + length + 1, "0123456789") >= 6) return 1;
  }
  return 0;
}

static entry_t judge(const outputs_t *outputs, const char *path, const char *name) {
  static const struct {
    const char *name, *words;
  } text[] = {{"parameters.ini", parameters_head},
              {"diagnostics.csv", "step,time,dt,blocks,cells"},
              {"plotfiles.visit", "/Header\n"}};
  static const char author[] = "Software\0oak"; /* in the pictures' text chunks, png_file.c */
  struct stat info;
  if (lstat(path, &info) != 0) return ENTRY_OTHER;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++)
    if (!strcmp(name, text[i].name))
      return S_ISREG(info.st_mode) && begins_with(path, text[i].words, strlen(text[i].words))
                 ? ENTRY_FILE
                 : ENTRY_STRANGER;
  if (is_output_name(outputs, name) && S_ISDIR(info.st_mode))
    return strstr(name, OAK_XDMF_DATA)     ? ENTRY_DATA
           : strstr(name, OAK_MESH_FOLDER) ? ENTRY_MESH
                                           : ENTRY_PLOT;
  if (is_output_name(outputs, name) && S_ISREG(info.st_mode)) return ENTRY_FILE;
  if (S_ISREG(info.st_mode) && ends_in(name, ".png"))
    return begins_with(path, author, sizeof author - 1) ? ENTRY_FILE : ENTRY_OTHER;
  if (S_ISREG(info.st_mode) && (ends_in(name, OAK_PART) || ends_in(name, ".oak-copy.c")))
    return ENTRY_FILE;
  if (oak_checkpoint_is_name(name)) return oak_checkpoint_is_one(path) ? ENTRY_FILE : ENTRY_OTHER;
  return S_ISDIR(info.st_mode) && is_plot_name(name) ? ENTRY_PLOT : ENTRY_OTHER;
}

/** Call \a act for each entry that belongs to a run or has a name that the run needs, in the order
 * of names, until one call fails. */
static oak_status_t for_entries(const char *folder,
                                oak_status_t (*act)(void *context, const char *path,
                                                    const char *name, entry_t kind),
                                void *context) {
  struct dirent **list;
  const int n = scandir(folder, &list, NULL, alphasort);
  if (n < 0) return oak_file_failed("read folder", folder, errno);
  outputs_t outputs;
  find_outputs(folder, &outputs);
  oak_status_t st = OAK_OK;
  for (int i = 0; i < n; i++) {
    char *path = st == OAK_OK ? oak_text_new("%s/%s", folder, list[i]->d_name) : NULL;
    if (st == OAK_OK && !path) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to read folder %s", folder);
    const entry_t kind = path ? judge(&outputs, path, list[i]->d_name) : ENTRY_OTHER;
    if (kind != ENTRY_OTHER) st = act(context, path, list[i]->d_name, kind);
    free(path);
    free(list[i]);
  }
  free(list);
  free(outputs.name);
  return st;
}

typedef struct {
  int overwrite, count;
  char names[256]; /**< of the first ones */
} found_t;

static oak_status_t find(void *context, const char *path, const char *name, entry_t kind) {
  found_t *found = context;
  OAK_CHECK(
      kind != ENTRY_STRANGER, OAK_ERR_FILE,
      "output.folder: %s was not written by oak, and the run would replace it: move it away or "
      "choose another folder",
      path);
  const size_t used = strlen(found->names);
  if (found->count++ < 3)
    snprintf(found->names + used, sizeof found->names - used, "%s%.80s", used ? ", " : "", name);
  if (kind == ENTRY_DATA && found->overwrite) return oak_xdmf_check_data(path);
  if (kind == ENTRY_MESH && found->overwrite) return oak_flat_check(path, oak_mesh_file_patterns);
  return kind == ENTRY_PLOT && found->overwrite ? oak_plotfile_check(path) : OAK_OK;
}

static oak_status_t remove_entry(void *context, const char *path, const char *name, entry_t kind) {
  (void)context;
  (void)name;
  if (kind == ENTRY_PLOT) return oak_plotfile_remove(path);
  if (kind == ENTRY_DATA) return oak_xdmf_remove_data(path);
  if (kind == ENTRY_MESH) return oak_flat_remove(path, oak_mesh_file_patterns);
  if (kind == ENTRY_FILE && unlink(path) != 0) return oak_file_failed("remove", path, errno);
  return OAK_OK;
}

/* ---- the folder ----------------------------------------------------------------------------- */

static oak_status_t open_folder(oak_run_folder_t *folder, int overwrite) {
  struct stat info;
  found_t found = {.overwrite = overwrite};
  OAK_TRY(oak_make_parents(folder->lock_path));
  if (stat(folder->path, &info) != 0) return oak_file_failed("use as folder", folder->path, errno);
  folder->device = info.st_dev;
  folder->inode = info.st_ino;
  OAK_TRY(lock(folder));
  OAK_TRY(for_entries(folder->path, find, &found));
  OAK_CHECK(found.count == 0 || overwrite, OAK_ERR_FILE,
            "output.folder = %s holds a run already (%s%s): choose another folder, or replace that "
            "run with --overwrite",
            folder->path, found.names, found.count > 3 ? ", ..." : "");
  return OAK_OK;
}

oak_status_t oak_run_folder_open(oak_run_folder_t *folder, const char *path, int overwrite) {
  *folder = (oak_run_folder_t){.path = path, .lock = -1};
  OAK_CHECK(*path, OAK_ERR_INPUT,
            "output.folder is empty: name a folder, such as . for the current one");
  OAK_CHECK(strlen(path) <= LONGEST_FOLDER, OAK_ERR_INPUT,
            "output.folder has %zu characters: choose a name of at most %d", strlen(path),
            LONGEST_FOLDER);
  folder->lock_path = oak_text_new("%s/.oak-lock", path);
  OAK_CHECK(folder->lock_path, OAK_ERR_MEMORY, "no memory for the name of %s", path);
  const oak_status_t st = open_folder(folder, overwrite);
  if (st != OAK_OK) oak_run_folder_close(folder);
  return st;
}

oak_status_t oak_run_folder_claim(const oak_run_folder_t *folder, const char *name) {
  struct stat info;
  char *path = oak_text_new("%s/%s", folder->path, name);
  OAK_CHECK(path, OAK_ERR_MEMORY, "no memory for the name of %s", name);
  outputs_t outputs;
  find_outputs(folder->path, &outputs);
  const int stranger = lstat(path, &info) == 0 && judge(&outputs, path, name) == ENTRY_OTHER;
  const oak_status_t st =
      stranger ? OAK_FAIL(OAK_ERR_FILE,
                          "output.folder: %s was not written by oak, and the run would replace it: "
                          "move it away or choose another folder",
                          path)
               : OAK_OK;
  free(outputs.name);
  free(path);
  return st;
}

oak_status_t oak_run_folder_clear(const oak_run_folder_t *folder) {
  return for_entries(folder->path, remove_entry, NULL);
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
  free(folder->lock_path);
  *folder = (oak_run_folder_t){.lock = -1};
}
