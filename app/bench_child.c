/* SPDX-License-Identifier: GPL-2.0-or-later
 * Processes that oak bench starts and talks to: another build of oak, or a script of bench/. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

/* The environment without the variables of the MPI run that this process belongs to. */
static char **child_environment(void) {
  static const char *const of_mpi[] = {
      "PMIX_",        "PMI_",          "OMPI_COMM_",       "OMPI_UNIVERSE",
      "OMPI_MCA_ess", "OMPI_MCA_orte", "OMPI_MCA_initial", "PRTE_"};
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  char **list = malloc((count + 1) * sizeof *list);
  for (size_t i = 0; list && i < count; i++) {
    int drop = 0;
    for (size_t n = 0; n < sizeof of_mpi / sizeof *of_mpi; n++)
      drop |= !strncmp(environ[i], of_mpi[n], strlen(of_mpi[n]));
    if (!drop) list[kept++] = environ[i];
  }
  if (list) list[kept] = NULL;
  return list;
}

static int spawn(bench_child_t *c, const char *program, char **argument, int in, int out,
                 int descriptor) {
  posix_spawn_file_actions_t actions;
  char **environment = child_environment();
  int error = environment ? posix_spawn_file_actions_init(&actions) : ENOMEM;
  if (!error) {
    error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, out, descriptor);
    if (!error) error = posix_spawn(&c->pid, program, &actions, NULL, argument, environment);
    posix_spawn_file_actions_destroy(&actions);
  }
  free(environment);
  return error;
}

oak_status_t oak_bench_start_child(bench_child_t *c, const char *program, char **argument,
                                   int descriptor) {
  int to[2], from[2];
  signal(SIGPIPE, SIG_IGN); /* if the child has ended, reading its answer fails */
  OAK_CHECK(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0, OAK_ERR_FILE,
            "oak bench: cannot make a pipe: %s", strerror(errno));
  const int error = spawn(c, program, argument, to[0], from[1], descriptor);
  close(to[0]);
  close(from[1]);
  c->to = fdopen(to[1], "w");
  c->from = fdopen(from[0], "r");
  OAK_CHECK(!error && c->to && c->from, OAK_ERR_FILE, "oak bench: cannot start %s: %s", program,
            strerror(error ? error : errno));
  return OAK_OK;
}

int oak_bench_end_child(bench_child_t *c) {
  int state = 0;
  if (c->to) fclose(c->to); /* the child ends at the end of its input */
  if (c->from) fclose(c->from);
  if (c->pid > 0) waitpid(c->pid, &state, 0);
  *c = (bench_child_t){.pid = 0};
  return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}
