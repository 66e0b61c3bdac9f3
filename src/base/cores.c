/* SPDX-License-Identifier: GPL-2.0-or-later
 * Cores and memory that this process may use. Containers and batch systems limit both through
 * control groups. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cores.h"

static FILE *open_in(const char *folder, const char *name) {
  char *path = NULL;
  FILE *file = oak_format(&path, "%s/%s", folder, name) == OAK_OK ? fopen(path, "re") : NULL;
  free(path);
  return file;
}

static double read_number(const char *folder, const char *name, double otherwise) {
  double value;
  FILE *file = open_in(folder, name);
  if (!file || fscanf(file, "%lf", &value) != 1) value = otherwise; /* "max": no limit */
  if (file) fclose(file);
  return value;
}

/** Value after \a key in the file \a name, lines of "key value"; 0 if it is not there. */
static double read_keyed(const char *folder, const char *name, const char *key) {
  char word[64];
  double value, found = 0;
  FILE *file = open_in(folder, name);
  while (file && fscanf(file, "%63s %lf", word, &value) == 2)
    if (strcmp(word, key) == 0) found = value;
  if (file) fclose(file);
  return found;
}

static double group_memory(const char *folder, int version) {
  double limit = read_number(folder, version == 2 ? "memory.max" : "memory.limit_in_bytes", 1e30);
  if (limit >= 1e18) return 1e30; /* version 1 writes "none" as a huge number */
  double used = read_number(folder, version == 2 ? "memory.current" : "memory.usage_in_bytes", 0);
  /* Pages of files count as free, because the operating system drops them when memory is needed. */
  used -= read_keyed(folder, "memory.stat", version == 2 ? "inactive_file" : "total_inactive_file");
  return limit > used ? limit - used : 0;
}

static double group_cores(const char *folder, int version) {
  double quota = 0, period = 0;
  if (version == 1) {
    quota = read_number(folder, "cpu.cfs_quota_us", -1);
    period = read_number(folder, "cpu.cfs_period_us", -1);
  } else {
    FILE *file = open_in(folder, "cpu.max");
    if (file && fscanf(file, "%lf %lf", &quota, &period) != 2) quota = 0;
    if (file) fclose(file);
  }
  return quota > 0 && period > 0 ? quota / period : 1e30;
}

/** The smallest \a limit of this process' control group and of those above it. Inside a container
 * the path may be that of the host, which does not exist here. The loop then still reaches the
 * container's own group at the end. */
static double group_limit(const char *controller,
                          double (*limit)(const char *folder, int version)) {
  double least = 1e30;
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen("/proc/self/cgroup", "re");
  while (file && getline(&line, &room, file) > 0) {
    char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
    if (!group) continue;
    *group++ = '\0';
    names++;
    group[strcspn(group, "\n")] = '\0';
    int version = names[0] ? 1 : 2;
    if (version == 1 && !strstr(names, controller)) continue;
    for (;;) {
      char *folder = NULL;
      if (oak_format(&folder, "/sys/fs/cgroup/%s%s", version == 1 ? names : "", group) != OAK_OK)
        break;
      double value = limit(folder, version);
      if (value < least) least = value;
      free(folder);
      char *slash = strrchr(group, '/');
      if (!slash) break;
      *slash = '\0';
    }
  }
  free(line);
  if (file) fclose(file);
  return least;
}

double oak_group_memory(void) { return group_limit("memory", group_memory); }
double oak_group_cores(void) { return group_limit("cpu", group_cores); }

int oak_host_cores(void) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  const int known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  const double cores = known ? CPU_COUNT(&mine) : (double)sysconf(_SC_NPROCESSORS_ONLN);
  const double quota = oak_group_cores(), least = quota < cores ? quota : cores;
  return least < 1 ? 1 : (int)least;
}
