/* SPDX-License-Identifier: GPL-2.0-or-later
 * Child processes: run programs, also several at a time, and collect what they say. posix_spawn is
 * used because it does not copy the page tables of a rank that holds most of the machine's memory,
 * and because no handlers of the MPI library run in the child. A program gets a limited time, and
 * ends when oak ends, for whatever reason. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "base/process.h"

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

/** A program that runs. It forms a group of processes with all programs that it starts. */
typedef struct {
  oak_job_t *job;
  pid_t pid;
  pid_t keeper; /**< the keeper: a shell that ends the group when oak ends; its process number is
                     that of the group */
  int life;     /**< a pipe that is open in oak alone; the keeper waits until it is closed */
  int said;     /**< what the program says */
  double start; /**< when it was started */
  size_t count; /**< bytes that it has printed */
  int open;     /**< it may print more */
  int ended, state;
} child_t;

/** Start \a command in \a group (0: one of its own). Input from \a in, or /dev/null if negative;
 * output to the file \a to, or to \a out if NULL; errors to \a out, or with the output if negative.
 * \return 0 or an errno. */
static int spawn(char *const *command, pid_t group, int in, const char *to, int out, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, group);
  if (in < 0)
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  else
    error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  if (!error && to)
    error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, to,
                                             O_WRONLY | O_CREAT | O_TRUNC, 0600);
  else if (!error)
    error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  const int errors = out < 0 ? STDOUT_FILENO : out;
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  char **environment = child_environment();
  if (!environment) error = ENOMEM;
  if (!error) error = posix_spawn(pid, command[0], &actions, &attributes, command, environment);
  free(environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/** waitpid() that signals do not interrupt. */
static pid_t wait_for(pid_t pid, int *state, int options) {
  pid_t done;
  do done = waitpid(pid, state, options);
  while (done < 0 && errno == EINTR);
  return done;
}

/** End what is left of the group, the keeper included. */
static void child_end(const child_t *child) {
  int state;
  kill(-child->keeper, SIGKILL);
  wait_for(child->keeper, &state, 0);
  if (!child->ended) wait_for(child->pid, &state, 0);
  close(child->life);
  close(child->said);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** \return 0 or an errno, with nothing left running. */
static int child_start(oak_job_t *job, child_t *child) {
  static char *const keeper[] = {"/bin/sh", "-c", "read line; kill -9 0", NULL};
  int life[2], said[2];
  if (pipe2(life, O_CLOEXEC) != 0) return errno;
  int error = pipe2(said, O_CLOEXEC) != 0 ? errno : 0;
  if (error) {
    close(life[0]);
    close(life[1]);
    return error;
  }
  *child = (child_t){.job = job, .life = life[1], .said = said[0], .start = now(), .open = 1};
  error = spawn(keeper, 0, life[0], "/dev/null", -1, &child->keeper);
  close(life[0]);
  if (error) {
    close(child->life);
    close(child->said);
  } else {
    error = spawn(job->command.word, child->keeper, -1, job->to, said[1], &child->pid);
    child->ended = error != 0;
    if (error) child_end(child);
  }
  close(said[1]);
  return error;
}

/** Seconds that a program may take: $OAK_BUILD_LIMIT. */
static oak_status_t time_limit(double *seconds) {
  const char *text = getenv("OAK_BUILD_LIMIT");
  char *end;
  *seconds = 600;
  if (!text || !text[0]) return OAK_OK;
  *seconds = strtod(text, &end);
  OAK_CHECK(!*end && *seconds > 0 && *seconds < 1e6, OAK_ERR_INPUT,
            "OAK_BUILD_LIMIT is '%s'; it must be a number of seconds above 0 and below 1e6", text);
  return OAK_OK;
}

static off_t file_size(const char *path) {
  struct stat info;
  return path && stat(path, &info) == 0 ? info.st_size : 0;
}

/** Read what the child has printed, and find out whether it has ended. This does not wait for the
 * end of the pipe, because processes that the child has left running may hold it open. \a *over:
 * the child has ended, and all that it printed was read. */
static oak_status_t child_look(child_t *child, int ready, double limit, int *over) {
  enum { most = 16 << 20, most_file = 256 << 20 };
  const char *program = child->job->command.word[0];
  char part[16384];
  *over = 0;
  if (ready) {
    ssize_t got = read(child->said, part, sizeof part);
    if (got > 0) oak_buffer_bytes(&child->job->output, part, (size_t)got);
    if (got > 0) child->count += (size_t)got;
    if (got == 0 || (got < 0 && errno != EINTR)) child->open = 0;
  } else if (child->ended) {
    *over = 1;
    return OAK_OK;
  }
  OAK_CHECK(child->count <= most && file_size(child->job->to) <= most_file, OAK_ERR_BUILD,
            "'%s' was stopped, since it printed more than %d MiB; see whether it is a compiler",
            program, (child->count > most ? most : most_file) >> 20);
  if (!child->ended) {
    pid_t done = wait_for(child->pid, &child->state, WNOHANG);
    child->ended = done != 0;
    OAK_CHECK(done >= 0, OAK_ERR_BUILD,
              "lost track of '%s': %s; programs that use oak must not ignore SIGCHLD", program,
              strerror(errno));
  }
  OAK_CHECK(child->ended || now() - child->start < limit, OAK_ERR_BUILD,
            "'%s' was stopped, since it had not ended after %g s; see whether it waits for "
            "something, or set OAK_BUILD_LIMIT to more seconds",
            program, limit);
  return OAK_OK;
}

/** Wait until a child has printed something or may have ended. A child whose pipe is closed is
 * checked every millisecond. \return 0 if a signal came first. */
static int children_wait(const child_t *child, int count, int ready[]) {
  struct pollfd said[OAK_MOST_JOBS];
  int pause = 50;
  for (int i = 0; i < count; i++) {
    said[i] = (struct pollfd){.fd = child[i].open ? child[i].said : -1, .events = POLLIN};
    const int mine = child[i].ended ? 0 : child[i].open ? 50 : 1;
    if (mine < pause) pause = mine;
  }
  const int got = poll(said, (nfds_t)count, pause);
  for (int i = 0; i < count; i++) ready[i] = got > 0 && said[i].revents != 0;
  return got >= 0;
}

/** Check all children that run, and remove those that have ended from the list. \a *failed: one of
 * them failed. */
static oak_status_t children_look(child_t *child, int *count, double limit, int *failed) {
  int ready[OAK_MOST_JOBS], left = 0, over;
  oak_status_t status = OAK_OK;
  if (!children_wait(child, *count, ready)) return OAK_OK;
  for (int i = 0; i < *count; i++) {
    over = 0;
    if (status == OAK_OK) status = child_look(&child[i], ready[i], limit, &over);
    if (over) {
      const int state = child[i].state;
      child_end(&child[i]);
      child[i].job->code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
      *failed |= child[i].job->code != 0;
    } else {
      child[left++] = child[i];
    }
  }
  *count = left;
  return status;
}

oak_status_t oak_process_run_jobs(oak_job_t *job, int count, int most) {
  child_t child[OAK_MOST_JOBS];
  int running = 0, next = 0, failed = 0;
  double limit;
  OAK_TRY(time_limit(&limit));
  if (most > OAK_MOST_JOBS) most = OAK_MOST_JOBS;
  if (most < 1) most = 1;
  for (int i = 0; i < count; i++) {
    OAK_TRY(oak_words_status(&job[i].command));
    job[i].code = OAK_JOB_STOPPED;
  }
  oak_status_t status = OAK_OK;
  while (status == OAK_OK && !failed && (running > 0 || next < count)) {
    while (status == OAK_OK && running < most && next < count) {
      const int error = child_start(&job[next], &child[running]);
      if (error)
        status = OAK_FAIL(OAK_ERR_BUILD, "cannot start '%s': %s", job[next].command.word[0],
                          strerror(error));
      else
        running++;
      next++;
    }
    if (status == OAK_OK) status = children_look(child, &running, limit, &failed);
  }
  for (int i = 0; i < running; i++) child_end(&child[i]);
  for (int i = 0; i < count && status == OAK_OK; i++) status = oak_buffer_status(&job[i].output);
  return status;
}

void oak_job_free(oak_job_t *job) {
  oak_words_free(&job->command);
  oak_buffer_free(&job->output);
}

oak_status_t oak_process_run(const oak_words_t *command, const char *to, oak_buffer_t *output,
                             int *code) {
  oak_job_t job = {.command = *command, .to = to, .output = *output};
  const oak_status_t status = oak_process_run_jobs(&job, 1, 1);
  *output = job.output;
  if (status == OAK_OK) *code = job.code;
  return status;
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
