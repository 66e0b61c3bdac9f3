/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stand-in of the CUDA driver, and with FAKE_HIP of HIP, see fake.h. It is as strict as a GPU may
 * be. Kernels, and copies from and to pinned memory, run as late as a driver may run them: when
 * something waits for them. New memory is full of NaN. A page that nobody may touch follows each
 * piece of GPU memory, and only kernels and copies may touch the piece itself. Only events order
 * the work of different streams. */
#define _GNU_SOURCE 1
#include "driver.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* ---- threads */

/** Calls come from several threads. */
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void unlock(const int *unused) {
  (void)unused;
  pthread_mutex_unlock(&mutex);
}
#define LOCK __attribute__((cleanup(unlock), unused)) const int held = pthread_mutex_lock(&mutex)

/* ---- memory of the GPU */

typedef struct {
  char *pages, *start;
  size_t length, bytes; /**< of the pages that may be touched; as asked for; 0: another process' */
  int file;             /**< behind the pages, so that other processes can map them */
  int open;             /**< the pages may be touched now */
} block_t;

static block_t block[1024];
static int nblock;
static size_t used;
int fake_sticky; /**< error of a kernel: all calls return it */

/** Allow the GPU, or nobody, to touch a piece of its memory. */
static void protect(block_t *b, int open) {
  if (b->open != open) mprotect(b->pages, b->length, open ? PROT_READ | PROT_WRITE : PROT_NONE);
  b->open = open;
}

static void protect_all(int open) {
  for (int i = 0; i < nblock; i++) protect(&block[i], open);
}

/** Allow the GPU to touch the piece with this address. With each copy for all pieces, a program
 * with many of them would do little else. */
static void allow(const void *address) {
  for (int i = 0; i < nblock; i++)
    if ((size_t)((const char *)address - block[i].pages) < block[i].length) protect(&block[i], 1);
}

size_t fake_capacity(void) { return (size_t)fake_word("memory", 4096, NULL) << 20; }

int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *total = fake_capacity();
  *available = *total - used;
  return fake_sticky;
}

__thread void *fake_current; /* context */

int cuMemAlloc_v2(size_t *address, size_t bytes) {
  LOCK;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), line = 256;
  const size_t length = (bytes + page - 1) / page * page;
  if (fake_sticky) return fake_sticky;
  if (!fake_current) return ERROR_CONTEXT;
  if (used + bytes > fake_capacity() || nblock == (int)(sizeof block / sizeof *block))
    return ERROR_MEMORY;
  const int file = memfd_create("fake GPU", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)(length + page)) != 0) return ERROR_MEMORY;
  char *pages = mmap(NULL, length + page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (pages == MAP_FAILED) return ERROR_MEMORY;
  memset(pages, 0xff, length);
  mprotect(pages, length + page, PROT_NONE);
  block[nblock] =
      (block_t){pages, pages + length - (bytes + line - 1) / line * line, length, bytes, file, 0};
  *address = (size_t)block[nblock++].start;
  used += bytes;
  return 0;
}

/* ---- streams */

typedef struct {
  enum { COPY, KERNEL, EVENT, AFTER, WRITE, WAIT } what;
  void *to; /**< or the kernel, the event, the stream that must have done its work */
  const void *from;
  size_t bytes;
  uint64_t value; /**< AFTER: how much work that stream must have done */
  long n;
  int threads;
  char argument[4096];
} work_t;

/** A stream does work only when something waits for it, and only the work that is waited for. */
struct fake_stream {
  struct graph *graph; /**< that records the work instead; NULL: none */
  work_t *work;
  size_t count, next, room; /**< next: the first that is not done */
  size_t before;            /**< work that was done and forgotten */
  int running;
};

typedef struct {
  double time;
  stream_t *stream; /**< in which it was recorded last; NULL: not at all */
  size_t position;
} event_t;

enum { STREAMS = 64 };
static stream_t *stream_list[STREAMS]; /**< in the order in which they were made */

/** Recorded kernels. */
typedef struct graph {
  work_t *work;
  size_t count;
  int spoilt; /**< an error: something was asked for that cannot be recorded */
} graph_t;

static work_t *record(graph_t *g) {
  g->work = realloc(g->work, (g->count + 1) * sizeof *g->work);
  return &g->work[g->count++];
}

static work_t *enqueue(stream_t *s) {
  if (s->next == s->count && !s->running) {
    s->before += s->count;
    s->count = s->next = 0;
  }
  if (s->count == s->room)
    s->work = realloc(s->work, (s->room = 2 * s->room + 64) * sizeof *s->work);
  return &s->work[s->count++];
}

static void run_until(stream_t *s, size_t position);

static void do_work(work_t *w) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (w->what == COPY) allow(w->from);
  if (w->what == COPY || w->what == WRITE || w->what == WAIT) allow(w->to);
  if (w->what == KERNEL) protect_all(1);
  if (w->what == COPY) memcpy(w->to, w->from, w->bytes);
  if (w->what == WRITE) __atomic_store_n((uint64_t *)w->to, w->value, __ATOMIC_SEQ_CST);
  if (w->what == WAIT)
    while (__atomic_load_n((uint64_t *)w->to, __ATOMIC_SEQ_CST) < w->value) sched_yield();
  if (w->what == EVENT)
    ((event_t *)w->to)->time = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
  if (w->what == AFTER) run_until(w->to, w->value);
  if (w->what != KERNEL) return;
  fake_sticky = (int)w->bytes; /* the error of this kernel */
  void (*function)(long, int, const void *);
  memcpy(&function, &w->to, sizeof function);
  if (!fake_sticky) function(w->n, w->threads, w->argument);
}

static void run_until(stream_t *s, size_t position) {
  s->running++;
  while (s->before + s->next < position && !fake_sticky) do_work(&s->work[s->next++]);
  s->running--;
}

/** Let a stream do its work up to a position. */
static int flush(stream_t *s, size_t position) {
  if (s->graph) return s->graph->spoilt = ERROR_CAPTURE;
  if (s->before + s->next < position && !fake_sticky) {
    run_until(s, position);
    protect_all(0);
  }
  return fake_sticky;
}

static int flush_stream(stream_t *s) { return flush(s, s->before + s->count); }

static int flush_all(void) {
  for (int i = 0; i < STREAMS; i++)
    if (stream_list[i]) flush_stream(stream_list[i]);
  return fake_sticky;
}

int cuMemFree_v2(size_t address) {
  LOCK;
  flush_all();
  for (int i = 0; i < nblock; i++) {
    if ((size_t)block[i].start != address) continue;
    munmap(block[i].pages, block[i].length + (size_t)sysconf(_SC_PAGESIZE));
    close(block[i].file);
    used -= block[i].bytes;
    block[i] = block[--nblock];
    return fake_sticky;
  }
  return ERROR_VALUE;
}

int cuStreamCreate(stream_t **stream, unsigned flags) {
  LOCK;
  int i = 0;
  (void)flags;
  while (i < STREAMS && stream_list[i]) i++;
  if (i == STREAMS) return ERROR_MEMORY;
  *stream = stream_list[i] = calloc(1, sizeof **stream);
  return fake_sticky;
}

int cuStreamDestroy_v2(stream_t *stream) {
  LOCK;
  flush_all();
  for (int i = 0; i < STREAMS; i++)
    if (stream_list[i] == stream) stream_list[i] = NULL;
  free(stream->work);
  free(stream);
  return fake_sticky;
}

int cuStreamSynchronize(stream_t *stream) {
  LOCK;
  return flush_stream(stream);
}

int cuCtxSynchronize(void) {
  LOCK;
  return flush_all();
}

/* ---- memory of other processes, and numbers that they write and wait for */

typedef struct {
  pid_t pid;
  int file;
  size_t length, offset;
  char rest[64 - 24];
} ipc_t;

int cuIpcGetMemHandle(ipc_t *handle, size_t address) {
  if (fake_word("ipc", 0, NULL)) return fake_word("ipc", 0, NULL);
  for (int i = 0; i < nblock; i++) {
    if ((size_t)block[i].start != address) continue;
    *handle = (ipc_t){getpid(), block[i].file, block[i].length,
                      (size_t)(block[i].start - block[i].pages), ""};
    return fake_sticky;
  }
  return ERROR_VALUE;
}

int cuIpcOpenMemHandle_v2(size_t *address, ipc_t handle, unsigned flags) {
  LOCK;
  char path[64];
  (void)flags;
  if (nblock == (int)(sizeof block / sizeof *block)) return ERROR_MEMORY;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)handle.pid, handle.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return ERROR_VALUE;
  char *pages = mmap(NULL, handle.length, PROT_NONE, MAP_SHARED, file, 0);
  if (pages == MAP_FAILED) return ERROR_MEMORY;
  block[nblock] = (block_t){pages, pages + handle.offset, handle.length, 0, file, 0};
  *address = (size_t)block[nblock++].start;
  return fake_sticky;
}

int cuIpcCloseMemHandle(size_t address) {
  LOCK;
  flush_all();
  for (int i = 0; i < nblock; i++) {
    if ((size_t)block[i].start != address || block[i].bytes) continue;
    munmap(block[i].pages, block[i].length);
    close(block[i].file);
    block[i] = block[--nblock];
    return fake_sticky;
  }
  return ERROR_VALUE;
}

int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
  (void)memory, (void)bytes, (void)flags;
  return fake_sticky;
}

int cuMemHostUnregister(void *memory) {
  LOCK;
  (void)memory;
  return flush_all();
}

int cuMemHostGetDevicePointer_v2(size_t *address, void *memory, unsigned flags) {
  (void)flags;
  *address = (size_t)memory;
  return fake_sticky;
}

/* Other processes wait for it, so that it cannot be put off. */
int cuStreamWriteValue64_v2(stream_t *stream, size_t address, uint64_t value, unsigned flags) {
  LOCK;
  (void)flags;
  if (fake_sticky) return fake_sticky;
  *enqueue(stream) = (work_t){.what = WRITE, .to = (void *)address, .value = value};
  return flush_stream(stream);
}

int fake_wait_value(stream_t *stream, size_t address, uint64_t value) {
  LOCK;
  if (fake_sticky) return fake_sticky;
  *enqueue(stream) = (work_t){.what = WAIT, .to = (void *)address, .value = value};
  return 0;
}

int cuStreamWaitEvent(stream_t *stream, const event_t *event, unsigned flags) {
  LOCK;
  (void)flags;
  if (event->stream)
    *enqueue(stream) = (work_t){.what = AFTER, .to = event->stream, .value = event->position};
  return fake_sticky;
}

/** For the stand-in of NCCL: let the host touch memory of the GPU. */
__attribute__((visibility("default"))) void fake_memory(int open) {
  if (open) {
    pthread_mutex_lock(&mutex);
    flush_all();
  }
  protect_all(open);
  if (!open) pthread_mutex_unlock(&mutex);
}

/* ---- pinned memory and copies */

static char *pinned[16];
static size_t pinned_bytes[16];

/* The GPU has room for one block. With room for more, oak cuts tiles of small meshes into parts,
 * which kernels in the dialect of the CPU do not support. */
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                size_t shared) {
  (void)function, (void)threads, (void)shared;
  *blocks = 1;
  return 0;
}

int cuMemAllocHost_v2(void **memory, size_t bytes) {
  LOCK;
  int i = 0;
  while (i < 15 && pinned[i]) i++;
  pinned[i] = *memory = malloc(bytes);
  pinned_bytes[i] = bytes;
  return fake_sticky;
}

int cuMemFreeHost(void *memory) {
  LOCK;
  flush_all();
  for (int i = 0; i < 16; i++)
    if (pinned[i] == memory) pinned[i] = NULL;
  free(memory);
  return fake_sticky;
}

/** A copy may be done later if the memory of the host is pinned. \a host is that memory, or NULL
 * for a copy within the GPU. */
static int copy(stream_t *stream, void *to, const void *from, size_t bytes, const char *host) {
  LOCK;
  int late = !host;
  for (int i = 0; i < 16; i++)
    late |= pinned[i] && host >= pinned[i] && host + bytes <= pinned[i] + pinned_bytes[i];
  if (fake_sticky) return fake_sticky;
  *enqueue(stream) = (work_t){.what = COPY, .to = to, .from = from, .bytes = bytes};
  return late ? 0 : flush_stream(stream);
}

int cuMemcpyHtoDAsync_v2(size_t to, const void *from, size_t bytes, stream_t *stream) {
  return copy(stream, (void *)to, from, bytes, from);
}

int cuMemcpyDtoHAsync_v2(void *to, size_t from, size_t bytes, stream_t *stream) {
  const int milliseconds = fake_word("late", 0, NULL);
  if (milliseconds && stream != stream_list[0] && stream != stream_list[1])
    usleep(1000u * (unsigned)milliseconds);
  if (fake_word("fetch", 0, NULL) && stream != stream_list[0] && stream != stream_list[1])
    return fake_word("fetch", 0, NULL);
  return copy(stream, to, (const void *)from, bytes, to);
}

int cuMemcpyDtoDAsync_v2(size_t to, size_t from, size_t bytes, stream_t *stream) {
  return copy(stream, (void *)to, (const void *)from, bytes, NULL);
}

/* ---- modules and kernels */

int cuModuleLoadData(void **module, const fake_image_t *image) {
  char path[] = "/tmp/fake_cuda_XXXXXX";
  const int fail = fake_word("load", fake_sticky, NULL);
  if (fail) return fail;
  if (memcmp(image->magic, FAKE_MAGIC, sizeof image->magic) != 0) return ERROR_IMAGE;
  const int file = mkstemp(path);
  const int whole = file >= 0 && write(file, image + 1, image->bytes) == (ssize_t)image->bytes;
  if (file >= 0) close(file);
  *module = whole ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!*module) fprintf(stderr, "fake driver: %s\n", dlerror());
  unlink(path);
  return *module ? 0 : ERROR_IMAGE;
}

int cuModuleUnload(void *module) {
  LOCK;
  flush_all();
  dlclose(module);
  return fake_sticky;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = dlsym(module, name);
  return *function ? fake_sticky : ERROR_NOT_FOUND;
}

int cuModuleGetGlobal_v2(size_t *address, size_t *bytes, void *module, const char *name) {
  static const int launch[3] = {32, 0, 32};
  const size_t length = strlen(name);
  Dl_info info;
  void *symbol = dlsym(module, name), *entry = NULL;
  if (!symbol && length > 7 && !strcmp(name + length - 7, "_launch")) {
    *address = (size_t)launch;
    *bytes = sizeof launch;
    return fake_sticky;
  }
  if (!symbol || !dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT)) return ERROR_NOT_FOUND;
  *address = (size_t)symbol;
  *bytes = ((const ElfW(Sym) *)entry)->st_size;
  return fake_sticky;
}

int cuFuncGetAttribute(int *value, int attribute, void *function) {
  (void)attribute, (void)function;
  *value = 0;
  return fake_sticky;
}

int fake_launch(stream_t *stream, unsigned threads, void *function, void **arguments) {
  LOCK;
  static int launched;
  int at = 0, error;
  if (fake_sticky) return fake_sticky;
  if (!fake_current) return ERROR_CONTEXT;
  launched++;
  error = fake_word("launch", 0, &at);
  if (error && at == launched) return error;
  error = fake_word("fault", 0, &at);
  work_t *w = stream->graph ? record(stream->graph) : enqueue(stream);
  w->what = KERNEL;
  w->to = function;
  w->n = *(const long *)arguments[0];
  w->threads = fake_word("lanes", 0, NULL) ? (int)threads : 1;
  w->bytes = 0;
  if (error && at == launched) w->bytes = (size_t)error;
  /* The driver would know from the kernel how long its argument is. Here more is read than there
   * may be. */
  const volatile char *from = arguments[1];
  for (size_t i = 0; i < sizeof w->argument; i++) w->argument[i] = from[i];
  return 0;
}

/* ---- graphs */

int cuStreamBeginCapture_v2(stream_t *stream, int mode) {
  LOCK;
  if (mode != 1 || stream->graph) return ERROR_VALUE;
  stream->graph = calloc(1, sizeof *stream->graph);
  return fake_sticky;
}

int cuStreamEndCapture(stream_t *stream, graph_t **graph) {
  LOCK;
  *graph = stream->graph;
  stream->graph = NULL;
  if (!*graph) return ERROR_VALUE;
  return (*graph)->spoilt ? (*graph)->spoilt : fake_sticky;
}

int cuGraphInstantiateWithFlags(graph_t **prepared, const graph_t *graph,
                                unsigned long long flags) {
  LOCK;
  if (flags) return ERROR_VALUE;
  graph_t *copy = *prepared = calloc(1, sizeof *copy);
  for (size_t i = 0; i < graph->count; i++) *record(copy) = graph->work[i];
  return fake_sticky;
}

int cuGraphLaunch(const graph_t *prepared, stream_t *stream) {
  LOCK;
  if (fake_sticky) return fake_sticky;
  if (stream->graph) return ERROR_CAPTURE;
  for (size_t i = 0; i < prepared->count; i++) *enqueue(stream) = prepared->work[i];
  return 0;
}

int cuGraphDestroy(graph_t *graph) {
  LOCK;
  free(graph->work);
  free(graph);
  return fake_sticky;
}

int cuGraphExecDestroy(graph_t *prepared) {
  LOCK;
  flush_all(); /* as a driver may, which waits for what still runs */
  return cuGraphDestroy(prepared);
}

/* ---- events */

int cuEventCreate(event_t **event, unsigned flags) {
  (void)flags;
  *event = calloc(1, sizeof **event);
  return fake_sticky;
}

int cuEventDestroy_v2(event_t *event) {
  LOCK;
  flush_all();
  free(event);
  return fake_sticky;
}

int cuEventRecord(event_t *event, stream_t *stream) {
  LOCK;
  if (stream->graph) return stream->graph->spoilt = ERROR_CAPTURE;
  *enqueue(stream) = (work_t){.what = EVENT, .to = event};
  event->stream = stream;
  event->position = stream->before + stream->count;
  return fake_sticky;
}

int cuEventSynchronize(event_t *event) {
  LOCK;
  return event->stream ? flush(event->stream, event->position) : fake_sticky;
}

/* Work runs only when something waits for it. A query counts as such a wait here. */
int cuEventQuery(event_t *event) { return cuEventSynchronize(event); }

int cuStreamQuery(stream_t *stream) { return cuStreamSynchronize(stream); }

int cuEventElapsedTime(float *milliseconds, const event_t *from, const event_t *to) {
  *milliseconds = (float)(to->time - from->time);
  return fake_sticky;
}
