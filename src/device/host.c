/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the host offers to a rank: the processor, threads, and memory that is really free. */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/cores.h"
#include "base/str.h"
#include "device_private.h"

/* ---- processor */

static const char *simd_of(const char *features) {
  static const char *const unit[][2] = {{"avx512f", "AVX-512"}, {"avx2", "AVX2"},
                                        {"avx", "AVX"},         {"sse2", "SSE2"},
                                        {"sve", "SVE"},         {"asimd", "NEON"}};
  for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
    if (oak_str_has_word(features, unit[i][0], strlen(unit[i][0]))) return unit[i][1];
  }
  return "";
}

#if defined(__x86_64__) || defined(__i386__)
/** Hash the instructions that compilers may use on this processor. Other bits of these words change
 * with the version of the kernel or of the microcode. */
static void hash_target(oak_hash_t *hash) {
  static const struct {
    unsigned leaf, part, mask[4];            /* of eax, ebx, ecx, edx */
  } word[] = {{1, 0, {0, 0, 0x32d83203, 0}}, /* SSE3 to AVX, FMA, F16C, POPCNT, MOVBE, AES */
              {7, 0, {0, 0xfc2b0128, 0x00005f42, 0x03c0010c}}, /* AVX2, BMI, AVX-512, AMX */
              {7, 1, {0x00a00037, 0, 0, 0x00280430}},          /* AVX-VNNI to AVX10, APX */
              {0x80000001, 0, {0, 0, 0x00210961, 0}}};         /* LZCNT, SSE4A, XOP, FMA4, TBM */
  for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
    unsigned found[4] = {0};
    if (!__get_cpuid_count(word[i].leaf, word[i].part, &found[0], &found[1], &found[2], &found[3]))
      memset(found, 0, sizeof found);
    for (int k = 0; k < 4; k++) found[k] &= word[i].mask[k];
    oak_hash_bytes(hash, found, sizeof found);
  }
  /* The operating system must save the wide registers, too. */
  const int wide[2] = {__builtin_cpu_supports("avx") != 0, __builtin_cpu_supports("avx512f") != 0};
  oak_hash_bytes(hash, wide, sizeof wide);
}
enum { HAS_TARGET = 1 };
#else
static void hash_target(oak_hash_t *hash) { (void)hash; }
enum { HAS_TARGET = 0 };
#endif

void oak_host_cpu(oak_host_cpu_t *cpu) {
  static const char *const telling[] = {
      "Features", "CPU implementer", "CPU part", "Hardware", "isa", "cpu\t"};
  *cpu = (oak_host_cpu_t){.model = "unknown processor", .simd = ""};
  oak_hash_start(&cpu->target);
  hash_target(&cpu->target);
  FILE *file = fopen("/proc/cpuinfo", "re");
  char *line = NULL;
  size_t room = 0;
  /* The first processor stands for all. */
  while (file && getline(&line, &room, file) > 0 && line[0] != '\n') {
    for (size_t i = 0; i < sizeof telling / sizeof telling[0] && !HAS_TARGET; i++) {
      if (strncmp(line, telling[i], strlen(telling[i])) == 0) oak_hash_text(&cpu->target, line);
    }
    const char *colon = strchr(line, ':');
    if (!colon) continue;
    if (strncmp(line, "model name", 10) == 0 || strncmp(line, "cpu\t", 4) == 0) {
      const char *model = colon + 1 + strspn(colon + 1, " ");
      snprintf(cpu->model, sizeof cpu->model, "%.*s", (int)strcspn(model, "\n"), model);
    }
    if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0)
      cpu->simd = simd_of(line);
  }
  free(line);
  if (file) fclose(file);
#if defined(__x86_64__) || defined(__i386__)
  cpu->avx512 = __builtin_cpu_supports("avx512f") != 0;
  unsigned other[3];
  __get_cpuid(1, &cpu->signature, &other[0], &other[1], &other[2]);
#endif
}

/* ---- threads */

/** This rank's share of the cores that it may use: the cores of its affinity mask, divided among
 * the ranks with the same mask. Ranks that are bound to cores of their own thus keep them, and
 * unbound ranks share. */
static int share_of_cores(oak_device_t *dev) {
  cpu_set_t mine, any;
  CPU_ZERO(&mine);
  CPU_ZERO(&any);
  int known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  long cores = known ? CPU_COUNT(&mine) : sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t *all = malloc((size_t)dev->host_size * sizeof *all);
  int enough = all != NULL, sharing = 0;
  MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_MIN, dev->host);
  if (enough) {
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, dev->host);
    for (int r = 0; r < dev->host_size; r++) {
      sharing += CPU_EQUAL(&mine, &all[r]) != 0;
      CPU_OR(&any, &any, &all[r]);
    }
  }
  free(all);
  if (sharing < 1) sharing = dev->host_size;
  long share = cores / sharing;
  const double all_cores = CPU_COUNT(&any) ? CPU_COUNT(&any) : (double)cores;
  double quota = oak_group_cores();
  dev->host_cores = (int)(quota < all_cores ? quota : all_cores);
  quota /= dev->host_size;
  if (share > quota) share = (long)quota;
  return share < 1 ? 1 : (int)share;
}

void oak_device_advice(const oak_device_t *dev, char *text, size_t size) {
  OAK_HANDLE(dev, );
  double load = 0;
  *text = 0;
  if (!dev->ops->host_memory || dev->host_size < 2) return;
  if (getloadavg(&load, 1) != 1) load = 0; /* of the last minute: this run has just begun */
  const int busy = load < dev->host_cores ? (int)load : dev->host_cores;
  if (dev->host_size <= dev->host_cores - busy) return;
  snprintf(text, size, "%d ranks share %d core%s", dev->host_size, dev->host_cores,
           dev->host_cores == 1 ? "" : "s");
  if (busy)
    snprintf(text + strlen(text), size - strlen(text), ", %d of them busy with other programs",
             busy);
  snprintf(text + strlen(text), size - strlen(text),
           ": a run is fastest with one rank for each idle core");
}

oak_status_t oak_host_threads(oak_device_t *dev, int choice, int *threads) {
  enum { most = 4096 };
  *threads = share_of_cores(dev);
  OAK_CHECK(
      choice >= 0 && choice <= most, OAK_ERR_ARGUMENT,
      "%d threads per rank are asked for (device.threads); allowed are 1 to %d, or 0 for a share "
      "of the cores",
      choice, most);
  const char *variable = getenv("OMP_NUM_THREADS");
  if (choice > 0) {
    *threads = choice;
  } else if (variable && variable[0]) {
    char *end;
    long value = strtol(variable, &end, 10); /* in a list for nested levels, the first number counts
                                              */
    OAK_CHECK(end > variable && (*end == '\0' || *end == ',' || *end == ' ') && value >= 1 &&
                  value <= most,
              OAK_ERR_INPUT,
              "OMP_NUM_THREADS is '%s', not a number from 1 to %d; correct or unset it", variable,
              most);
    *threads = (int)value;
  }
  return OAK_OK;
}

/* ---- memory */

/** What is recorded of one rank, in memory that the ranks of the host share. */
typedef struct {
  _Atomic long long held;   /**< bytes allocated */
  _Atomic long long before; /**< bytes in use by the process before the first allocation */
  _Atomic long long now;    /**< bytes in use when a rank last examined this one */
  _Atomic long pid;
  char apart[64 - 4 * 8]; /**< one cache line each */
} use_line_t;

struct oak_memory_use {
  MPI_Win window;
  int size;
  use_line_t *mine;
  use_line_t **line; /**< [size] */
};

/** Bytes of memory that a process uses; -1 if not known. */
static long long resident_bytes(long pid) {
  char path[64];
  long long total, resident = -1;
  snprintf(path, sizeof path, "/proc/%ld/statm", pid);
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  if (fscanf(file, "%lld %lld", &total, &resident) != 2) resident = -1;
  fclose(file);
  return resident < 0 ? -1 : resident * sysconf(_SC_PAGESIZE);
}

oak_status_t oak_memory_use_open(MPI_Comm host, oak_memory_use_t **out) {
  int rank, size;
  MPI_Comm_rank(host, &rank);
  MPI_Comm_size(host, &size);
  oak_memory_use_t *use = calloc(1, sizeof *use);
  if (use) use->line = malloc((size_t)size * sizeof(use_line_t *));
  oak_status_t status = OAK_OK;
  if (!use || !use->line) status = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the table of ranks");
  status = oak_agree(host, status);
  if (status != OAK_OK) {
    if (use) free(use->line);
    free(use);
    return status;
  }
  use->size = size;
  MPI_Win_allocate_shared(sizeof(use_line_t), 1, MPI_INFO_NULL, host, &use->mine, &use->window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, use->window);
  atomic_store(&use->mine->held, 0);
  atomic_store(&use->mine->pid, (long)getpid());
  atomic_store(&use->mine->before, resident_bytes((long)getpid()));
  atomic_store(&use->mine->now, atomic_load(&use->mine->before));
  for (int r = 0; r < size; r++) {
    MPI_Aint bytes;
    int unit;
    MPI_Win_shared_query(use->window, r, &bytes, &unit, &use->line[r]);
  }
  MPI_Barrier(host);
  *out = use;
  return OAK_OK;
}

void oak_memory_use_close(oak_memory_use_t **use) {
  if (!*use) return;
  MPI_Win_unlock_all((*use)->window);
  MPI_Win_free(&(*use)->window);
  free((*use)->line);
  free(*use);
  *use = NULL;
}

/** Memory that the host can still give, in bytes. */
static double available_bytes(void) {
  double most = 1e30, kilobytes = 0;
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen("/proc/meminfo", "re");
  while (file && getline(&line, &room, file) > 0) {
    if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1) most = 1024.0 * kilobytes;
  }
  free(line);
  if (file) fclose(file);
  const double group = oak_group_memory();
  return group < most ? group : most;
}

/** Bytes that the ranks of the host have allocated but had not touched when they were last
 * examined. The operating system must still provide them. The sizes come from the record,
 * because to read them from /proc would open one file per rank. */
static double promised_bytes(const oak_memory_use_t *use) {
  double sum = 0;
  for (int r = 0; r < use->size; r++) {
    long long held = atomic_load(&use->line[r]->held);
    if (held <= 0) continue;
    long long before = atomic_load(&use->line[r]->before);
    long long now = atomic_load(&use->line[r]->now);
    long long touched = now > before && before >= 0 ? now - before : 0;
    if (held > touched) sum += (double)(held - touched);
  }
  return sum;
}

/** Read again how much memory a rank uses. */
static void look_at(use_line_t *line) {
  atomic_store(&line->now, resident_bytes(atomic_load(&line->pid)));
}

/** An upper bound of the memory that ranks have allocated and do not use yet. A rank records its
 * memory use when it allocates or frees, and usually uses more later. All ranks are therefore
 * measured again if the records would refuse \a limit bytes. The sum is too low if a rank has
 * freed other memory since its record. */
static double promised_within(const oak_memory_use_t *use, double limit) {
  double promised = promised_bytes(use);
  if (promised <= limit) return promised;
  for (int r = 0; r < use->size; r++)
    if (atomic_load(&use->line[r]->held) > 0) look_at(use->line[r]);
  return promised_bytes(use);
}

static oak_status_t refuse_memory(size_t bytes, double available, double promised) {
  char asked[32], free_text[32], promised_text[32], taken[64] = "";
  if (promised >= 1 << 20)
    snprintf(taken, sizeof taken, ", of which its ranks will use %s already",
             oak_format_size(promised, promised_text));
  return OAK_FAIL(
      OAK_ERR_MEMORY,
      "cannot allocate %s of memory: this host has %s left%s; use fewer blocks, or more hosts",
      oak_format_size((double)bytes, asked), oak_format_size(available, free_text), taken);
}

/** Requests below this size are granted without reading /proc. */
static const size_t small = (size_t)4 << 20;

oak_status_t oak_memory_use_add(oak_memory_use_t *use, size_t bytes) {
  char asked[32];
  if (bytes > (size_t)1 << 60) {
    return OAK_FAIL(OAK_ERR_MEMORY,
                    "cannot allocate %s of memory: no machine has so much; check the sizes",
                    oak_format_size((double)bytes, asked));
  }
  double available = bytes < small ? 1e30 : available_bytes();
  /* This request alone is too large. It is not recorded, or requests of other ranks at the same
   * moment would fail with it. */
  if (bytes >= small) look_at(use->mine);
  if ((double)bytes > available) return refuse_memory(bytes, available, promised_within(use, 0));
  /* The request is recorded before the sum is computed, so that of two simultaneous requests at
   * least one sees the other. */
  atomic_fetch_add(&use->mine->held, (long long)bytes);
  if (bytes < small) return OAK_OK;
  double promised = promised_within(use, available);
  if (promised <= available) return OAK_OK;
  atomic_fetch_sub(&use->mine->held, (long long)bytes);
  return refuse_memory(bytes, available, promised - (double)bytes);
}

void oak_memory_use_drop(oak_memory_use_t *use, size_t bytes) {
  atomic_fetch_sub(&use->mine->held, (long long)bytes);
  if (bytes >= small) look_at(use->mine);
}
