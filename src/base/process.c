/* SPDX-License-Identifier: GPL-2.0-or-later
 * Child processes: run programs, also several at a time, and collect what they say. posix_spawn is
 * used because it does not copy the page tables of a rank that holds most of the machine's memory,
 * and because no handlers of the MPI library run in the child. A program gets a limited time, less
 * if it uses no processor time, and ends when oak ends, for whatever reason. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "base/process.h"
#include "base/clock.h"

extern char **environ;

/** 1 if the variable \a entry, NAME=VALUE, is one of \a names; a star stands for any rest. */
static int is_among(const char *entry, const char *const *names) {
  const size_t length = strcspn(entry, "=");
  for (; *names; names++) {
    const size_t size = strcspn(*names, "*");
    if (!strncmp(entry, *names, size) && ((*names)[size] || size == length)) return 1;
  }
  return 0;
}

int oak_process_variable(const char *entry, int result) {
  static const char *const always[] = {
      "PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP", "LD_LIBRARY_PATH", NULL};
  static const char *const counts[] = {
      "CPATH",     "C_INCLUDE_PATH", "LIBRARY_PATH", "LD_RUN_PATH",
      "CCACHE_*",  "SPACK_*",        "NIX_*",        "GUIX_*",
      "CRAY*",     "PE_*",           "NVHPC*",       "CUDA_HOME",
      "CUDA_PATH", "ROCM_PATH",      "HIP_PATH",     "LM_LICENSE_FILE",
      NULL};
  return is_among(entry, counts) || (!result && is_among(entry, always));
}

/** The environment of a program: few variables, so that what it does depends on nothing else, and
 * messages in English, which the search for errors relies on. */
static void child_environment(oak_words_t *list) {
  for (char *const *entry = environ; *entry; entry++)
    if (oak_process_variable(*entry, 0)) oak_words_add(list, "%s", *entry);
  oak_words_add(list, "LC_ALL=C");
}

/** A program that runs. It forms a group of processes with all programs that it starts. */
typedef struct {
  oak_job_t *job;
  pid_t pid;
  pid_t keeper; /**< the keeper: a shell that ends the group when oak ends; its process number is
                     that of the group */
  int life;     /**< a pipe that is open in oak alone; the keeper waits until it is closed */
  int said;     /**< a file in memory: what the program says */
  double start; /**< when it was started */
  double moved; /**< last time at which it was found to use the processor */
  double asked; /**< time of the last check of this */
  long ticks;   /**< processor time at the last check */
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
  oak_words_t environment = {0};
  child_environment(&environment);
  if (environment.failed) error = ENOMEM;
  if (!error)
    error = posix_spawn(pid, command[0], &actions, &attributes, command, environment.word);
  oak_words_free(&environment);
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

/** End what is left of the group, the keeper included, and keep what the program has said. */
static void child_end(const child_t *child) {
  char part[16384];
  int state;
  kill(-child->keeper, SIGKILL);
  wait_for(child->keeper, &state, 0);
  if (!child->ended) wait_for(child->pid, &state, 0);
  off_t at = 0;
  for (ssize_t got; (got = pread(child->said, part, sizeof part, at)) > 0; at += got)
    oak_buffer_bytes(&child->job->output, part, (size_t)got);
  close(child->life);
  close(child->said);
}

/** \return 0 or an errno, with nothing left running. */
static int child_start(oak_job_t *job, child_t *child) {
  static char *const keeper[] = {"/bin/sh", "-c", "read line; kill -9 0", NULL};
  int life[2];
  *child = (child_t){.job = job, .said = memfd_create("oak", MFD_CLOEXEC), .start = oak_seconds()};
  child->moved = child->asked = child->start;
  if (child->said < 0) return errno;
  int error = pipe2(life, O_CLOEXEC) != 0 ? errno : 0;
  if (!error) {
    child->life = life[1];
    error = spawn(keeper, 0, life[0], "/dev/null", -1, &child->keeper);
    close(life[0]);
    if (error) close(child->life);
  }
  if (error) {
    close(child->said);
    return error;
  }
  error = spawn(job->command.word, child->keeper, -1, job->to, child->said, &child->pid);
  child->ended = error != 0;
  if (error) child_end(child);
  return error;
}

/** Seconds that a program may take, and seconds that it may stand still. */
typedef struct {
  double all, still;
} limit_t;

/** From $OAK_BUILD_LIMIT, if it is set. */
static oak_status_t time_limit(limit_t *limit) {
  const char *text = getenv("OAK_BUILD_LIMIT");
  char *end;
  *limit = (limit_t){600, 50};
  if (!text || !text[0]) return OAK_OK;
  limit->all = limit->still = strtod(text, &end);
  OAK_CHECK(!*end && limit->all > 0 && limit->all < 1e6, OAK_ERR_INPUT,
            "OAK_BUILD_LIMIT is '%s'; it must be a number of seconds above 0 and below 1e6", text);
  return OAK_OK;
}

/** Processor time of a process and of those that it has started, in ticks; negative where the
 * system does not tell. */
static long ticks_of(int pid) {
  char path[64], text[1024];
  long user = 0, kernel = 0;
  int child;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return 0; /* it has ended */
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *rest = strrchr(text, ')'); /* the name of the program may hold anything */
  if (rest) sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &kernel);
  long sum = user + kernel;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
  file = fopen(path, "re");
  if (!file) return -1;
  while (sum >= 0 && fscanf(file, "%d", &child) == 1) {
    const long more = ticks_of(child);
    sum = more < 0 ? -1 : sum + more;
  }
  fclose(file);
  return sum;
}

/** Fail if the program seems to hang: it has used no processor time for too long. */
static oak_status_t check_moves(child_t *child, double limit) {
  enum { EVERY_SECONDS = 5 };
  const double time = oak_seconds();
  if (time - child->asked < EVERY_SECONDS) return OAK_OK;
  const long ticks = ticks_of(child->pid);
  child->asked = time;
  /* The sum falls when a process ends. */
  if (ticks < 0 || ticks != child->ticks) child->moved = time;
  child->ticks = ticks;
  OAK_CHECK(
      time - child->moved < limit, OAK_ERR_BUILD,
      "'%s' was stopped, since it had used no processor time for %.0f s; see whether it waits "
      "for something, or set OAK_BUILD_LIMIT to the seconds that it may take",
      child->job->command.word[0], time - child->moved);
  return OAK_OK;
}

/** Find out whether the child has ended; fail if it prints or runs without end. */
static oak_status_t child_look(child_t *child, const limit_t *limit) {
  enum { most = 16 << 20, most_file = 256 << 20 };
  const char *program = child->job->command.word[0];
  struct stat said = {.st_size = 0}, file = {.st_size = 0};
  fstat(child->said, &said);
  if (child->job->to) stat(child->job->to, &file);
  OAK_CHECK(said.st_size <= most && file.st_size <= most_file, OAK_ERR_BUILD,
            "'%s' was stopped, since it printed more than %d MiB; see whether it is a compiler",
            program, (said.st_size > most ? most : most_file) >> 20);
  const pid_t done = wait_for(child->pid, &child->state, WNOHANG);
  child->ended = done != 0;
  OAK_CHECK(done >= 0, OAK_ERR_BUILD,
            "lost track of '%s': %s; programs that use oak must not ignore SIGCHLD", program,
            strerror(errno));
  if (child->ended) return OAK_OK;
  OAK_CHECK(oak_seconds() - child->start < limit->all, OAK_ERR_BUILD,
            "'%s' was stopped, since it had not ended after %g s; see whether it waits for "
            "something, or set OAK_BUILD_LIMIT to more seconds",
            program, limit->all);
  return check_moves(child, limit->still);
}

/** Check all children that run, and remove those that have ended from the list. \a *failed: one of
 * them failed. */
static oak_status_t children_look(child_t *child, int *count, const limit_t *limit, int *failed) {
  static const struct timespec pause = {.tv_nsec = 1000000};
  int left = 0;
  oak_status_t status = OAK_OK;
  nanosleep(&pause, NULL);
  for (int i = 0; i < *count; i++) {
    if (status == OAK_OK) status = child_look(&child[i], limit);
    if (status == OAK_OK && child[i].ended) {
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
  limit_t limit;
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
    if (status == OAK_OK) status = children_look(child, &running, &limit, &failed);
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
