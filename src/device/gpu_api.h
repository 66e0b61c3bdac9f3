/* SPDX-License-Identifier: GPL-2.0-or-later
 * The functions of the drivers (CUDA, HIP), run-time compilers (NVRTC, hipRTC) and libraries for
 * messages (NCCL, RCCL) that oak uses. They are looked up when the program runs, so that oak builds
 * and runs on machines without them. Then what the files of the back ends for GPUs share. Private
 * to src/device.
 *
 * Most functions of HIP take the arguments of CUDA's: one table has both names. An address of the
 * GPU is an integer in CUDA and a pointer in HIP, which are passed in the same way. */
#pragma once

#include "device_private.h"

typedef int gpu_result_t;    /**< CUresult, hipError_t; 0 is success */
typedef int gpu_device_t;    /**< CUdevice, hipDevice_t */
typedef void *gpu_handle_t;  /**< a context, module, function, stream or event */
typedef size_t gpu_memory_t; /**< CUdeviceptr, hipDeviceptr_t */
typedef struct {
  char reserved[64];
} gpu_ipc_t; /**< CUipcMemHandle, hipIpcMemHandle_t */
typedef struct {
  char internal[128];
} gpu_nccl_id_t; /**< ncclUniqueId */
typedef struct {
  int id;
  int reserved;
  union {
    char bytes[64];
    int value;
  };
} gpu_attribute_t; /**< CUlaunchAttribute */
typedef struct {
  unsigned grid[3], block[3], shared;
  gpu_handle_t stream;
  gpu_attribute_t *attributes;
  unsigned nattributes;
} gpu_launch_t; /**< CUlaunchConfig */

enum { /* the same for both vendors */
       GPU_ERROR_OUT_OF_MEMORY = 2,
       GPU_ERROR_NO_DEVICE = 100,
       GPU_ERROR_NOT_READY = 600,
       GPU_FUNCTION_LOCAL_BYTES = 3,
       GPU_FUNCTION_REGISTERS = 4,
       GPU_STREAM_NON_BLOCKING = 1,
       GPU_EVENT_DISABLE_TIMING = 2,
       GPU_HOST_REGISTER_MAPPED = 2,
       GPU_IPC_LAZY_PEER_ACCESS = 1,
       GPU_WAIT_AT_LEAST = 0
};

/** Functions that both vendors have: name of the member, its CUDA and its HIP name, arguments. */
#define GPU_DRIVER_TABLE(X)                                                                        \
  X(init, "cuInit", "hipInit", (unsigned flags))                                                   \
  X(driver_version, "cuDriverGetVersion", "hipDriverGetVersion", (int *version))                   \
  X(device_count, "cuDeviceGetCount", "hipGetDeviceCount", (int *count))                           \
  X(device_get, "cuDeviceGet", "hipDeviceGet", (gpu_device_t * device, int ordinal))               \
  X(device_name, "cuDeviceGetName", "hipDeviceGetName",                                            \
    (char *name, int length, gpu_device_t device))                                                 \
  X(device_attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute",                             \
    (int *value, int attribute, gpu_device_t device))                                              \
  X(device_memory, "cuDeviceTotalMem_v2", "hipDeviceTotalMem",                                     \
    (size_t * bytes, gpu_device_t device))                                                         \
  X(memory_info, "cuMemGetInfo_v2", "hipMemGetInfo", (size_t * available, size_t * total))         \
  X(alloc, "cuMemAlloc_v2", "hipMalloc", (gpu_memory_t * address, size_t bytes))                   \
  X(release, "cuMemFree_v2", "hipFree", (gpu_memory_t address))                                    \
  X(wait_all, "cuCtxSynchronize", "hipDeviceSynchronize", (void))                                  \
  X(to_device, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync",                                       \
    (gpu_memory_t to, const void *from, size_t bytes, gpu_handle_t stream))                        \
  X(to_host, "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync",                                         \
    (void *to, gpu_memory_t from, size_t bytes, gpu_handle_t stream))                              \
  X(within, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync",                                          \
    (gpu_memory_t to, gpu_memory_t from, size_t bytes, gpu_handle_t stream))                       \
  X(module_load, "cuModuleLoadData", "hipModuleLoadData",                                          \
    (gpu_handle_t * module, const void *image))                                                    \
  X(module_unload, "cuModuleUnload", "hipModuleUnload", (gpu_handle_t module))                     \
  X(module_function, "cuModuleGetFunction", "hipModuleGetFunction",                                \
    (gpu_handle_t * function, gpu_handle_t module, const char *name))                              \
  X(module_global, "cuModuleGetGlobal_v2", "hipModuleGetGlobal",                                   \
    (gpu_memory_t * address, size_t * bytes, gpu_handle_t module, const char *name))               \
  X(function_get, "cuFuncGetAttribute", "hipFuncGetAttribute",                                     \
    (int *value, int attribute, gpu_handle_t function))                                            \
  X(stream_new, "cuStreamCreate", "hipStreamCreateWithFlags",                                      \
    (gpu_handle_t * stream, unsigned flags))                                                       \
  X(stream_free, "cuStreamDestroy_v2", "hipStreamDestroy", (gpu_handle_t stream))                  \
  X(stream_wait, "cuStreamSynchronize", "hipStreamSynchronize", (gpu_handle_t stream))             \
  X(stream_query, "cuStreamQuery", "hipStreamQuery", (gpu_handle_t stream))                        \
  X(capture_begin, "cuStreamBeginCapture_v2", "hipStreamBeginCapture",                             \
    (gpu_handle_t stream, int mode))                                                               \
  X(capture_end, "cuStreamEndCapture", "hipStreamEndCapture",                                      \
    (gpu_handle_t stream, gpu_handle_t * graph))                                                   \
  X(graph_free, "cuGraphDestroy", "hipGraphDestroy", (gpu_handle_t graph))                         \
  X(graph_prepare, "cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags",                  \
    (gpu_handle_t * prepared, gpu_handle_t graph, unsigned long long flags))                       \
  X(graph_launch, "cuGraphLaunch", "hipGraphLaunch", (gpu_handle_t prepared, gpu_handle_t stream)) \
  X(prepared_free, "cuGraphExecDestroy", "hipGraphExecDestroy", (gpu_handle_t prepared))           \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                      \
    "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",                                          \
    (int *blocks, gpu_handle_t function, int threads, size_t shared))                              \
  X(event_new, "cuEventCreate", "hipEventCreateWithFlags", (gpu_handle_t * event, unsigned flags)) \
  X(event_free, "cuEventDestroy_v2", "hipEventDestroy", (gpu_handle_t event))                      \
  X(event_record, "cuEventRecord", "hipEventRecord", (gpu_handle_t event, gpu_handle_t stream))    \
  X(event_query, "cuEventQuery", "hipEventQuery", (gpu_handle_t event))                            \
  X(event_wait, "cuEventSynchronize", "hipEventSynchronize", (gpu_handle_t event))                 \
  X(event_elapsed, "cuEventElapsedTime", "hipEventElapsedTime",                                    \
    (float *milliseconds, gpu_handle_t from, gpu_handle_t to))                                     \
  X(stream_wait_event, "cuStreamWaitEvent", "hipStreamWaitEvent",                                  \
    (gpu_handle_t stream, gpu_handle_t event, unsigned flags))                                     \
  X(stream_write, "cuStreamWriteValue64_v2", "hipStreamWriteValue64",                              \
    (gpu_handle_t stream, gpu_memory_t address, uint64_t value, unsigned flags))                   \
  X(ipc_get, "cuIpcGetMemHandle", "hipIpcGetMemHandle",                                            \
    (gpu_ipc_t * handle, gpu_memory_t address))                                                    \
  X(ipc_open, "cuIpcOpenMemHandle_v2", "hipIpcOpenMemHandle",                                      \
    (gpu_memory_t * address, gpu_ipc_t handle, unsigned flags))                                    \
  X(ipc_close, "cuIpcCloseMemHandle", "hipIpcCloseMemHandle", (gpu_memory_t address))              \
  X(host_register, "cuMemHostRegister_v2", "hipHostRegister",                                      \
    (void *memory, size_t bytes, unsigned flags))                                                  \
  X(host_unregister, "cuMemHostUnregister", "hipHostUnregister", (void *memory))                   \
  X(host_pointer, "cuMemHostGetDevicePointer_v2", "hipHostGetDevicePointer",                       \
    (gpu_memory_t * address, void *memory, unsigned flags))                                        \
  X(host_alloc, "cuMemAllocHost_v2", "hipMallocHost", (void **memory, size_t bytes))               \
  X(host_free, "cuMemFreeHost", "hipHostFree", (void *memory))

/** Functions that only one vendor has, or that take other arguments. NULL: not looked up. */
#define GPU_VENDOR_TABLE(X)                                                                      \
  X(context_retain, "cuDevicePrimaryCtxRetain", NULL,                                            \
    (gpu_handle_t * context, gpu_device_t device))                                               \
  X(context_current, "cuCtxGetCurrent", NULL, (gpu_handle_t * context))                          \
  X(context_device, "cuCtxGetDevice", NULL, (gpu_device_t * device))                             \
  X(context_set, "cuCtxSetCurrent", NULL, (gpu_handle_t context))                                \
  X(function_set, "cuFuncSetAttribute", NULL, (gpu_handle_t function, int attribute, int value)) \
  X(launch, "cuLaunchKernelEx", NULL,                                                            \
    (const gpu_launch_t *launch, gpu_handle_t function, void **arguments, void **extra))         \
  X(stream_wait_value, "cuStreamWaitValue64_v2", NULL,                                           \
    (gpu_handle_t stream, gpu_memory_t address, uint64_t value, unsigned flags))                 \
  X(error_name, "cuGetErrorName", NULL, (gpu_result_t error, const char **name))                 \
  X(error_text, "cuGetErrorString", NULL, (gpu_result_t error, const char **text))               \
  X(device_set, NULL, "hipSetDevice", (int ordinal))                                             \
  X(hip_launch, NULL, "hipModuleLaunchKernel",                                                   \
    (gpu_handle_t function, unsigned x, unsigned y, unsigned z, unsigned threads_x,              \
     unsigned threads_y, unsigned threads_z, unsigned shared, gpu_handle_t stream,               \
     void **arguments, void **extra))                                                            \
  X(hip_wait_value, NULL, "hipStreamWaitValue64",                                                \
    (gpu_handle_t stream, gpu_memory_t address, uint64_t value, unsigned flags, uint64_t mask))

#define GPU_COMPILER_TABLE(X)                                                                      \
  X(version, "nvrtcVersion", "hiprtcVersion", (int *major, int *minor))                            \
  X(create, "nvrtcCreateProgram", "hiprtcCreateProgram",                                           \
    (gpu_handle_t * program, const char *source, const char *name, int headers,                    \
     const char *const *text, const char *const *include))                                         \
  X(compile, "nvrtcCompileProgram", "hiprtcCompileProgram",                                        \
    (gpu_handle_t program, int options, const char *const *option))                                \
  X(log_size, "nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize",                                 \
    (gpu_handle_t program, size_t * bytes))                                                        \
  X(log, "nvrtcGetProgramLog", "hiprtcGetProgramLog", (gpu_handle_t program, char *text))          \
  X(binary_size, "nvrtcGetCUBINSize", "hiprtcGetCodeSize", (gpu_handle_t program, size_t * bytes)) \
  X(binary, "nvrtcGetCUBIN", "hiprtcGetCode", (gpu_handle_t program, char *image))                 \
  X(destroy, "nvrtcDestroyProgram", "hiprtcDestroyProgram", (gpu_handle_t * program))

#define GPU_NCCL_TABLE(X)                                                                         \
  X(version, "ncclGetVersion", "ncclGetVersion", (int *version))                                  \
  X(unique, "ncclGetUniqueId", "ncclGetUniqueId", (gpu_nccl_id_t * id))                           \
  X(init, "ncclCommInitRank", "ncclCommInitRank",                                                 \
    (gpu_handle_t * comm, int ranks, gpu_nccl_id_t id, int rank))                                 \
  X(finish, "ncclCommDestroy", "ncclCommDestroy", (gpu_handle_t comm))                            \
  X(begin, "ncclGroupStart", "ncclGroupStart", (void))                                            \
  X(end, "ncclGroupEnd", "ncclGroupEnd", (void))                                                  \
  X(send, "ncclSend", "ncclSend",                                                                 \
    (const void *from, size_t count, int type, int rank, gpu_handle_t comm, gpu_handle_t stream)) \
  X(recv, "ncclRecv", "ncclRecv",                                                                 \
    (void *to, size_t count, int type, int rank, gpu_handle_t comm, gpu_handle_t stream))

#define GPU_MEMBER(member, cuda, hip, arguments) gpu_result_t(*member) arguments;

typedef struct {
  void *library;
  GPU_DRIVER_TABLE(GPU_MEMBER)
  GPU_VENDOR_TABLE(GPU_MEMBER)
} gpu_driver_t;

typedef struct {
  void *library;
  GPU_COMPILER_TABLE(GPU_MEMBER)
} gpu_compiler_t;

typedef struct {
  void *library;
  GPU_NCCL_TABLE(GPU_MEMBER)
} gpu_nccl_t;

typedef struct gpu gpu_t;
typedef struct gpu_vendor gpu_vendor_t;

/** Places in which a library is searched, in this order. Lists end with NULL. */
typedef struct {
  const char *variable;       /**< variable of the environment, that names the file; NULL: none */
  const char *const *homes;   /**< variables that name a folder above lib */
  const char *file;           /**< pattern of the file in these folders */
  const char *const *names;   /**< for the loader */
  const char *const *folders; /**< patterns of files in the usual folders */
} gpu_places_t;

typedef struct gpu_kernel {
  gpu_handle_t function;
  unsigned threads, shared, most; /**< threads of a block, bytes of shared memory, threads if there
                                   * are few blocks (OAK_KERNEL_FEW) */
  char name[64];
  struct gpu_kernel *next;
} gpu_kernel_t;

/** Differences between vendors: names, numbers and functions (cuda.c, hip.c). */
struct gpu_vendor {
  int names;        /**< column of names in the tables of gpu_api.h */
  const char *name; /**< name of the device */
  int memory;       /**< the number of its memory in DLPack */
  /** Words of messages: whose GPUs, interface, driver, compiler. */
  const char *company, *platform, *driver, *compiler;
  /** Messages for the user if one of the three is not found, or is too old. */
  const char *no_driver, *no_compiler, *no_nccl, *needs;
  const char *visible;      /**< the variable of the environment that hides GPUs */
  const char *tool;         /**< shows what GPUs do */
  const char *fault_advice; /**< advice to find the line of a fault */
  gpu_places_t driver_places, compiler_places, nccl_places;
  int oldest, version_unit[2]; /**< the oldest version of the driver; in a version, the units of its
                                  major and minor number */
  int threads_from; /**< the oldest version of the compiler that several threads may use; 0: none */
  int newest_compiler; /**< 1: refuse a compiler whose major version is newer than that of the
                          driver */
  int attribute_multiprocessors, attribute_shared; /**< numbers of attributes: multiprocessors, and
                                                      the most shared memory of a block */
  long most_threads; /**< threads of all blocks of a launch; 0: blocks alone are limited */
  /** Whether this result of starting the driver means that there is no GPU. */
  int (*is_none)(gpu_result_t result);
  const char *(*why_none)(void);                      /**< advice in this case */
  const char *(*advice)(gpu_result_t result);         /**< advice on an error of the driver */
  const char *(*compile_advice)(gpu_result_t result); /**< advice on an error of the compiler */
  void (*texts)(const gpu_t *gpu, gpu_result_t result, const char **name, const char **text);
  /** Refuse a GPU that is too old; fill gpu->target and gpu->generation. */
  oak_status_t (*look)(gpu_t *gpu);
  oak_status_t (*enter)(gpu_t *gpu); /**< the calling thread uses this GPU from now on */
  /** Options of the compiler, with those flags of the user that it knows. */
  void (*options)(const gpu_t *gpu, const oak_words_t *user, oak_words_t *options);
  oak_status_t (*allow_shared)(gpu_t *gpu, const gpu_kernel_t *kernel);
  gpu_result_t (*launch)(const gpu_t *gpu, const gpu_kernel_t *kernel, unsigned n, unsigned threads,
                         void **arguments);
  gpu_result_t (*wait_value)(const gpu_t *gpu, gpu_memory_t address, uint64_t value);
};

enum { PINNED_DOWN = 1 << 16, PINNED_UP = 16 << 20, MOST_COPIES = 64 };

struct gpu {
  const gpu_vendor_t *vendor;
  gpu_driver_t driver;
  gpu_compiler_t compiler;              /**< library NULL: not opened yet */
  gpu_handle_t event[OAK_DEVICE_MARKS]; /**< made when first used */
  char *pinned; /**< memory that copies run from and to without waiting: first PINNED_DOWN bytes for
                   one download, then PINNED_UP bytes for uploads under way */
  size_t pinned_up; /**< bytes of these PINNED_UP that are in use */
  gpu_device_t device;
  gpu_handle_t stream;
  gpu_handle_t transfer;       /**< the second queue */
  gpu_handle_t forked, joined; /**< events between the two */
  gpu_handle_t output,
      kept;             /**< the queue of output; the event after the copies that it may read */
  gpu_handle_t context; /**< context of CUDA, for the thread of output */
  gpu_handle_t copied[MOST_COPIES]; /**< events after copies to the host, made when first used */
  char *flags;                      /**< page of flags, and where the GPU sees it */
  gpu_memory_t flags_seen;
  struct oak_nccl *nccl; /**< NULL: not opened */
  oak_hold_t **held;     /**< memory that others need too (oak_gpu_hold) */
  int nheld;
  int ordinal, count, driver_version, multiprocessors, most_shared;
  int major, wave;      /**< CUDA: of the compute capability; HIP: lanes of a wavefront */
  unsigned ipc_flags;   /**< to map memory of another process */
  char target[160];     /**< for the compiler */
  char generation[160]; /**< for the user */
  int recording;        /**< 1: launches are recorded, and do not run */
  int wait;             /**< $OAK_GPU_SYNC: wait for each kernel, so that a failing one is named */
  const char *launched; /**< the kernel launched last, "" if none */
  char name[128];
  size_t memory;
};

#define GPU_TRY(gpu, call, doing) OAK_TRY(oak_gpu_status(gpu, (gpu)->driver.call, doing))

extern const gpu_vendor_t oak_gpu_cuda, oak_gpu_hip; /* cuda.c, hip.c */

/* clang-format off */
/** Members of oak_device_ops_t whose functions, oak_gpu_MEMBER, are in gpu_memory.c: memory, copies
 * in queues, memory that processes share, flags, recordings; and in gpu_messages.c. */
#define GPU_MEMORY_OPS(X) \
  X(alloc) X(free) X(upload) X(download) X(sync) X(share) X(unshare) X(hold) X(attach) X(detach) \
  X(know_flags) X(forget_flags) X(signal) X(wait) X(fork) X(join) X(settle) X(answers) X(answered) \
  X(copy_out) X(copied) X(copy_in) X(host_alloc) X(host_free) X(keep) X(fetch) X(room) \
  X(records) X(record) X(recorded) X(replay) X(forget) \
  X(direct_probe) X(direct_open) X(direct_exchange)
/* clang-format on */
#define GPU_DECLARE(member) extern OAK_OP_TYPE(member) oak_gpu_##member;
GPU_MEMORY_OPS(GPU_DECLARE)

/** Status of a call of the driver, which may also report the fault of an earlier kernel. */
oak_status_t oak_gpu_status(const gpu_t *gpu, gpu_result_t result, const char *doing);
oak_status_t oak_gpu_transfers_open(gpu_t *gpu);
void oak_gpu_transfers_close(gpu_t *gpu);
void oak_gpu_nccl_close(gpu_t *gpu);
double oak_gpu_energy(oak_device_t *dev); /* gpu_energy.c */

/* gpu_api.c */

/** Open the driver and start it. OAK_ERR_DEVICE: no driver, too old, or no GPU. \a *found: 1 if
 * there is a GPU, usable or not. Not collective. */
oak_status_t oak_gpu_driver(gpu_t *gpu, int *found);
/** Major and minor number of the driver's version. */
int oak_gpu_major(const gpu_t *gpu);
int oak_gpu_minor(const gpu_t *gpu);
/** Open the run-time compiler, the newest that suits the driver. Not collective. */
oak_status_t oak_gpu_compiler(gpu_t *gpu);
/** Open the library for messages. Not collective. */
oak_status_t oak_gpu_nccl(const gpu_vendor_t *vendor, gpu_nccl_t *table);
/** Status of a call of the driver for a GPU, with the driver's own words. */
oak_status_t oak_gpu_call_status(const gpu_t *gpu, gpu_result_t result, const char *doing);
