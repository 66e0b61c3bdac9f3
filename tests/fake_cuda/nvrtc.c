/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stand-in of NVRTC, and with FAKE_HIP of hipRTC, see fake.h. */
#define _GNU_SOURCE 1
#include "fake.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct {
  char *source, *image, log[16384];
  size_t bytes;
  int refused;
} program_t;

enum { NVRTC_ERROR_INVALID_OPTION = 5, NVRTC_ERROR_COMPILATION = 6 };

int nvrtcVersion(int *major, int *minor) {
  const int version = fake_word("nvrtc", 12000, NULL);
  *major = version / 1000;
  *minor = version % 1000 / 10 + (fake_word("lanes", 0, NULL) ? 1 : 0); /* another compiler */
  return 0;
}

int nvrtcCreateProgram(program_t **program, const char *source, const char *name, int headers,
                       const char *const *text, const char *const *include) {
  (void)headers, (void)text, (void)include;
  *program = calloc(1, sizeof **program);
  static int number;
  (*program)->refused = strcmp(name, "describe") != 0 && ++number == fake_word("refuse", 0, NULL);
  (*program)->source = strdup(source);
  return 0;
}

static size_t read_file(const char *path, char *data, size_t most) {
  FILE *file = fopen(path, "rb");
  const size_t bytes = file ? fread(data, 1, most, file) : 0;
  if (file) fclose(file);
  return bytes;
}

/** Run cc in a folder with the options that it knows too. \return its exit status, 0 to 255 */
static int run_cc(const char *folder, int count, const char *const *option) {
  static const char *const as_cpu[] = {"-std=gnu11", "-DOAK_DEVICE_CPU=1", NULL};
  static const char *const as_gpu[] = {"-xc++",    "-std=gnu++17", "-DOAK_EXACT_DIVISION=1",
                                       "-include", FAKE_LANES_H,   NULL};
  /* Threads that take turns are slow; otherwise compiling takes longer than running. */
  const int lanes = fake_word("lanes", 0, NULL) != 0;
  char *word[128] = {"cc", lanes ? "-O1" : "-O0", "-w", "-shared", "-fPIC"};
  int n = 5, status = 1;
  for (const char *const *w = lanes ? as_gpu : as_cpu; *w; w++) word[n++] = (char *)*w;
  char path[3][256];
  pid_t child;
  posix_spawn_file_actions_t files;
  for (int i = 0; i < count && n < 120; i++)
    if (!strncmp(option[i], "-D", 2) || !strncmp(option[i], "-I", 2)) word[n++] = (char *)option[i];
  snprintf(path[0], sizeof path[0], "%s/kernel.c", folder);
  snprintf(path[1], sizeof path[1], "%s/kernel.so", folder);
  snprintf(path[2], sizeof path[2], "%s/log", folder);
  word[n++] = path[0];
  word[n++] = "-o";
  word[n++] = path[1];
  word[n++] = "-lm";
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 2, path[2], O_WRONLY | O_CREAT, 0600);
  if (posix_spawnp(&child, "cc", &files, NULL, word, environ) == 0) waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&files);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/** NVRTC's way of writing places: "file.c(12): error" where gcc writes "file.c:12:5: error". It
 * also warns of what is not used, at length and before the error. */
static void write_log(char *log, size_t most, const char *gcc) {
  size_t n = 0;
  for (int i = 0; i < 40; i++)
    n += (size_t)snprintf(log + n, most - n,
                          "kernel.c(%d): warning #177-D: a function was declared\n", i);
  for (const char *line = gcc; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
    char file[512];
    int number, column, read = 0;
    const int length = (int)strcspn(line, "\n");
    if (sscanf(line, "%511[^:\n]:%d:%d:%n", file, &number, &column, &read) == 3 && read > 0)
      n += (size_t)snprintf(log + n, most - n, "%s(%d):%.*s\n", file, number, length - read,
                            line + read);
    else
      n += (size_t)snprintf(log + n, most - n, "%.*s\n", length, line);
    if (n >= most) return;
  }
}

static int compile_in(program_t *p, const char *folder, int count, const char *const *option) {
  enum { MOST = 4 << 20 };
  char path[256];
  snprintf(path, sizeof path, "%s/kernel.c", folder);
  FILE *file = fopen(path, "w");
  if (!file || fputs(p->source, file) < 0 || fclose(file) != 0) return NVRTC_ERROR_COMPILATION;
  const int status = run_cc(folder, count, option);
  snprintf(path, sizeof path, "%s/log", folder);
  char text[8192];
  text[read_file(path, text, sizeof text - 1)] = 0;
  write_log(p->log, sizeof p->log, text);
  if (status) return NVRTC_ERROR_COMPILATION;
  snprintf(path, sizeof path, "%s/kernel.so", folder);
  p->image = malloc(MOST);
  fake_image_t head = {FAKE_MAGIC, read_file(path, p->image + sizeof head, MOST - sizeof head)};
  memcpy(p->image, &head, sizeof head);
  p->bytes = head.bytes + sizeof head;
  return 0;
}

int nvrtcCompileProgram(program_t *p, int count, const char *const *option) {
  char folder[] = "/tmp/fake_nvrtc_XXXXXX", path[256];
  static const char *const names[] = {"kernel.c", "kernel.so", "log"};
  int result = fake_word("compile", 0, NULL);
  if (result) snprintf(p->log, sizeof p->log, "fake.cu(1): error: number %d\n", result);
  for (int i = 0; i < count && !result; i++) {
    if (strstr(option[i], "--unknown")) result = NVRTC_ERROR_INVALID_OPTION;
    if (result)
      snprintf(p->log, sizeof p->log, "nvrtc: error: unrecognized option %s\n", option[i]);
  }
  if (p->refused) result = NVRTC_ERROR_COMPILATION;
  if (result) return result;
  if (!mkdtemp(folder)) return NVRTC_ERROR_COMPILATION;
  result = compile_in(p, folder, count, option);
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
  return result;
}

int nvrtcGetProgramLogSize(program_t *p, size_t *bytes) {
  *bytes = strlen(p->log) + 1;
  return 0;
}

int nvrtcGetProgramLog(program_t *p, char *text) {
  memcpy(text, p->log, strlen(p->log) + 1);
  return 0;
}

int nvrtcGetCUBINSize(program_t *p, size_t *bytes) {
  *bytes = p->bytes;
  return 0;
}

int nvrtcGetCUBIN(program_t *p, char *image) {
  memcpy(image, p->image, p->bytes);
  return 0;
}

int nvrtcDestroyProgram(program_t **p) {
  free((*p)->source);
  free((*p)->image);
  free(*p);
  *p = NULL;
  return 0;
}
