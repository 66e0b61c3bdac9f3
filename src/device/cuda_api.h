/* SPDX-License-Identifier: GPL-2.0-or-later
 * The functions of the CUDA driver, of NVRTC and of NCCL that oak uses. They are declared here and
 * looked up when the program runs, so that oak builds and runs on machines without CUDA. Private to
 * src/device. */
#ifndef OAK_CUDA_API_H
#define OAK_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

#include "oak/status.h"

typedef int cu_result_t;    /**< CUresult; 0 is success */
typedef int cu_device_t;    /**< CUdevice */
typedef void *cu_handle_t;  /**< CUcontext, CUmodule, CUfunction, CUstream */
typedef size_t cu_memory_t; /**< CUdeviceptr */
typedef struct {
  char reserved[64];
} cu_ipc_t; /**< CUipcMemHandle */
typedef struct {
  char internal[128];
} cu_nccl_id_t; /**< ncclUniqueId */
typedef struct {
  int id;
  int reserved;
  union {
    char bytes[64];
    int value;
  };
} cu_attribute_t; /**< CUlaunchAttribute */
typedef struct {
  unsigned grid[3], block[3], shared;
  cu_handle_t stream;
  cu_attribute_t *attributes;
  unsigned nattributes;
} cu_launch_t; /**< CUlaunchConfig */

enum {
  CU_ERROR_OUT_OF_MEMORY = 2,
  CU_ERROR_STUB = 34,
  CU_ERROR_NO_DEVICE = 100,
  CU_ERROR_NOT_READY = 600,
  CU_ATTRIBUTE_MULTIPROCESSORS = 16,
  CU_ATTRIBUTE_MAJOR = 75,
  CU_ATTRIBUTE_MINOR = 76,
  CU_ATTRIBUTE_SHARED_OPTIN = 97,
  CU_FUNCTION_MAX_DYNAMIC_SHARED = 8,
  CU_FUNCTION_REGISTERS = 4,
  CU_FUNCTION_LOCAL_BYTES = 3,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_HOST_REGISTER_MAPPED = 2,
  CU_IPC_LAZY_PEER_ACCESS = 1,
  CU_WAIT_AT_LEAST = 0,
  CU_LAUNCH_WHILE_ENDING = 6 /* CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION */
};

/** Name of the member, name in the library, result, arguments. */
#define CU_DRIVER_TABLE(X)                                                                        \
  X(init, "cuInit", (unsigned flags))                                                             \
  X(driver_version, "cuDriverGetVersion", (int *version))                                         \
  X(device_count, "cuDeviceGetCount", (int *count))                                               \
  X(device_get, "cuDeviceGet", (cu_device_t * device, int ordinal))                               \
  X(device_name, "cuDeviceGetName", (char *name, int length, cu_device_t device))                 \
  X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, cu_device_t device))    \
  X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, cu_device_t device))                   \
  X(context_retain, "cuDevicePrimaryCtxRetain", (cu_handle_t * context, cu_device_t device))      \
  X(context_current, "cuCtxGetCurrent", (cu_handle_t * context))                                  \
  X(context_device, "cuCtxGetDevice", (cu_device_t * device))                                     \
  X(context_set, "cuCtxSetCurrent", (cu_handle_t context))                                        \
  X(memory_info, "cuMemGetInfo_v2", (size_t * available, size_t * total))                         \
  X(alloc, "cuMemAlloc_v2", (cu_memory_t * address, size_t bytes))                                \
  X(release, "cuMemFree_v2", (cu_memory_t address))                                               \
  X(to_device, "cuMemcpyHtoDAsync_v2",                                                            \
    (cu_memory_t to, const void *from, size_t bytes, cu_handle_t stream))                         \
  X(to_host, "cuMemcpyDtoHAsync_v2",                                                              \
    (void *to, cu_memory_t from, size_t bytes, cu_handle_t stream))                               \
  X(within, "cuMemcpyDtoDAsync_v2",                                                               \
    (cu_memory_t to, cu_memory_t from, size_t bytes, cu_handle_t stream))                         \
  X(module_load, "cuModuleLoadData", (cu_handle_t * module, const void *image))                   \
  X(module_unload, "cuModuleUnload", (cu_handle_t module))                                        \
  X(module_function, "cuModuleGetFunction",                                                       \
    (cu_handle_t * function, cu_handle_t module, const char *name))                               \
  X(module_global, "cuModuleGetGlobal_v2",                                                        \
    (cu_memory_t * address, size_t * bytes, cu_handle_t module, const char *name))                \
  X(function_set, "cuFuncSetAttribute", (cu_handle_t function, int attribute, int value))         \
  X(function_get, "cuFuncGetAttribute", (int *value, int attribute, cu_handle_t function))        \
  X(launch, "cuLaunchKernelEx",                                                                   \
    (const cu_launch_t *launch, cu_handle_t function, void **arguments, void **extra))            \
  X(stream_new, "cuStreamCreate", (cu_handle_t * stream, unsigned flags))                         \
  X(stream_free, "cuStreamDestroy_v2", (cu_handle_t stream))                                      \
  X(stream_wait, "cuStreamSynchronize", (cu_handle_t stream))                                     \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                     \
    (int *blocks, cu_handle_t function, int threads, size_t shared))                              \
  X(event_new, "cuEventCreate", (cu_handle_t * event, unsigned flags))                            \
  X(event_free, "cuEventDestroy_v2", (cu_handle_t event))                                         \
  X(event_record, "cuEventRecord", (cu_handle_t event, cu_handle_t stream))                       \
  X(event_query, "cuEventQuery", (cu_handle_t event))                                             \
  X(event_wait, "cuEventSynchronize", (cu_handle_t event))                                        \
  X(event_elapsed, "cuEventElapsedTime", (float *milliseconds, cu_handle_t from, cu_handle_t to)) \
  X(stream_wait_event, "cuStreamWaitEvent",                                                       \
    (cu_handle_t stream, cu_handle_t event, unsigned flags))                                      \
  X(stream_write, "cuStreamWriteValue64_v2",                                                      \
    (cu_handle_t stream, cu_memory_t address, uint64_t value, unsigned flags))                    \
  X(stream_wait_value, "cuStreamWaitValue64_v2",                                                  \
    (cu_handle_t stream, cu_memory_t address, uint64_t value, unsigned flags))                    \
  X(ipc_get, "cuIpcGetMemHandle", (cu_ipc_t * handle, cu_memory_t address))                       \
  X(ipc_open, "cuIpcOpenMemHandle_v2", (cu_memory_t * address, cu_ipc_t handle, unsigned flags))  \
  X(ipc_close, "cuIpcCloseMemHandle", (cu_memory_t address))                                      \
  X(host_register, "cuMemHostRegister_v2", (void *memory, size_t bytes, unsigned flags))          \
  X(host_unregister, "cuMemHostUnregister", (void *memory))                                       \
  X(host_pointer, "cuMemHostGetDevicePointer_v2",                                                 \
    (cu_memory_t * address, void *memory, unsigned flags))                                        \
  X(host_alloc, "cuMemAllocHost_v2", (void **memory, size_t bytes))                               \
  X(host_free, "cuMemFreeHost", (void *memory))                                                   \
  X(error_name, "cuGetErrorName", (cu_result_t error, const char **name))                         \
  X(error_text, "cuGetErrorString", (cu_result_t error, const char **text))

#define CU_COMPILER_TABLE(X)                                                                       \
  X(version, "nvrtcVersion", (int *major, int *minor))                                             \
  X(create, "nvrtcCreateProgram",                                                                  \
    (cu_handle_t * program, const char *source, const char *name, int headers,                     \
     const char *const *text, const char *const *include))                                         \
  X(compile, "nvrtcCompileProgram", (cu_handle_t program, int options, const char *const *option)) \
  X(log_size, "nvrtcGetProgramLogSize", (cu_handle_t program, size_t * bytes))                     \
  X(log, "nvrtcGetProgramLog", (cu_handle_t program, char *text))                                  \
  X(binary_size, "nvrtcGetCUBINSize", (cu_handle_t program, size_t * bytes))                       \
  X(binary, "nvrtcGetCUBIN", (cu_handle_t program, char *image))                                   \
  X(destroy, "nvrtcDestroyProgram", (cu_handle_t * program))

#define CU_NCCL_TABLE(X)                                                                        \
  X(version, "ncclGetVersion", (int *version))                                                  \
  X(unique, "ncclGetUniqueId", (cu_nccl_id_t * id))                                             \
  X(init, "ncclCommInitRank", (cu_handle_t * comm, int ranks, cu_nccl_id_t id, int rank))       \
  X(finish, "ncclCommDestroy", (cu_handle_t comm))                                              \
  X(begin, "ncclGroupStart", (void))                                                            \
  X(end, "ncclGroupEnd", (void))                                                                \
  X(send, "ncclSend",                                                                           \
    (const void *from, size_t count, int type, int rank, cu_handle_t comm, cu_handle_t stream)) \
  X(recv, "ncclRecv",                                                                           \
    (void *to, size_t count, int type, int rank, cu_handle_t comm, cu_handle_t stream))

#define CU_MEMBER(member, name, arguments) cu_result_t(*member) arguments;

typedef struct {
  void *library;
  CU_DRIVER_TABLE(CU_MEMBER)
} cu_driver_t;

typedef struct {
  void *library;
  CU_COMPILER_TABLE(CU_MEMBER)
} cu_compiler_t;

typedef struct {
  void *library;
  CU_NCCL_TABLE(CU_MEMBER)
} cu_nccl_t;

/** Open libnccl: $OAK_NCCL, else by the loader or in the usual folders. Not collective. */
oak_status_t oak_cuda_nccl(cu_nccl_t *nccl);
/** Open libcuda and start it. OAK_ERR_DEVICE: no driver, too old, or no GPU. \a *found: 1 if there
 * is a GPU, usable or not. Not collective. */
oak_status_t oak_cuda_driver(cu_driver_t *driver, int *found);
/** Open libnvrtc: $OAK_NVRTC, else the newest that suits a driver for CUDA version \a driver, by
 * the loader or in the usual folders. \a gpu: its name for messages. Not collective. */
oak_status_t oak_cuda_compiler(cu_compiler_t *compiler, int driver, const char *gpu);
/** Status of a call of the driver for a GPU, with the driver's own words. */
oak_status_t oak_cuda_status(const cu_driver_t *driver, cu_result_t result, int gpu,
                             const char *doing);

#endif
