/* SPDX-License-Identifier: GPL-2.0-or-later
 * Child processes: run a program and collect what it says. posix_spawn does not copy the page
 * tables of a rank that holds most of the machine's memory, and no handlers of the MPI library run
 * in the child. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_private.h"

extern char **environ;

/** The environment with messages in English, which the search for errors relies on. The strings are
 * borrowed; free the array. */
static char **child_environment(void) {
  static char english[] = "LC_ALL=C";
  size_t count = 0;
  while (environ[count]) count++;
  char **list = malloc((count + 2) * sizeof *list);
  if (!list) return NULL;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (strncmp(environ[i], "LC_ALL=", 7) != 0) list[kept++] = environ[i];
  }
  list[kept++] = english;
  list[kept] = NULL;
  return list;
}

/** Start the program with both outputs on \a out. \return 0 or an errno. */
static int child_start(const oak_words_t *command, int out, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
  char **environment = child_environment();
  if (!environment) error = ENOMEM;
  if (!error)
    error = posix_spawn(pid, command->word[0], &actions, NULL, command->word, environment);
  free(environment);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static void collect(int in, oak_buffer_t *output) {
  char part[4096];
  for (;;) {
    ssize_t count = read(in, part, sizeof part);
    if (count > 0) oak_buffer_bytes(output, part, (size_t)count);
    if (count == 0 || (count < 0 && errno != EINTR)) return;
  }
}

oak_status_t oak_process_run(const oak_words_t *command, oak_buffer_t *output, int *code) {
  OAK_TRY(oak_words_status(command));
  const char *program = command->word[0];
  int ends[2];
  OAK_CHECK(pipe2(ends, O_CLOEXEC) == 0, OAK_ERR_BUILD, "cannot start '%s': no pipe: %s", program,
            strerror(errno));
  pid_t pid = 0;
  int error = child_start(command, ends[1], &pid);
  close(ends[1]);
  if (!error) collect(ends[0], output);
  close(ends[0]);
  OAK_CHECK(!error, OAK_ERR_BUILD, "cannot start '%s': %s", program, strerror(error));
  int state = 0;
  pid_t done;
  do done = waitpid(pid, &state, 0);
  while (done < 0 && errno == EINTR);
  OAK_CHECK(done == pid, OAK_ERR_BUILD,
            "lost track of '%s': %s; programs that use oak must not ignore SIGCHLD", program,
            strerror(errno));
  *code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  return oak_buffer_status(output);
}

static int is_program(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

char *oak_process_find(const char *name) {
  char *path = NULL;
  if (!*name) return NULL;
  if (strchr(name, '/')) {
    if (!is_program(name) || oak_path_absolute(name, &path) != OAK_OK) return NULL;
    return path;
  }
  const char *list = getenv("PATH");
  if (!list) list = "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    size_t length = strcspn(list, ":");
    if (length > 0) {
      if (oak_format(&path, "%.*s/%s", (int)length, list, name) != OAK_OK) return NULL;
      if (is_program(path)) return path;
      free(path);
    }
    if (!list[length]) return NULL;
    list += length + 1;
  }
}
